"""Ctrl-C during a command: the first one ends it, further ones do not disturb the cleanup."""

from __future__ import annotations

import argparse
import contextlib
import signal
import threading
from collections.abc import Callable, Iterator

import pytest

from pytest_citecheck.cli import guarded, interrupted_once


@pytest.fixture(autouse=True)
def _pythons_own_handler() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def press() -> None:
    signal.raise_signal(signal.SIGINT)


def run(command: Callable[[], int], interrupted: str = "") -> int:
    return guarded("citecheck x", lambda _: command(), interrupted=interrupted)(argparse.Namespace())


def test_the_cleaning_up_is_done_to_its_end(capsys: pytest.CaptureFixture[str]) -> None:
    done = []

    def cleaning() -> Iterator[None]:
        try:
            yield
        finally:
            press()
            done.append("inner")

    def command() -> int:
        with contextlib.contextmanager(cleaning)():
            try:
                press()
            finally:
                press()
                press()
                done.append("outer")
        return 0

    assert run(command) == 130
    assert done == ["outer", "inner"]
    press()  # of a process that ends
    assert capsys.readouterr().err == "citecheck x: interrupted\n"


def test_what_an_interruption_leaves_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    def told() -> int:
        try:
            press()
        except KeyboardInterrupt:
            press()
            raise KeyboardInterrupt("half of it is there") from None
        return 0

    def plain() -> int:
        raise KeyboardInterrupt

    assert run(plain, interrupted="nothing was changed") == 130
    assert run(told, interrupted="nothing was changed") == 130
    assert capsys.readouterr().err.splitlines() == [
        "citecheck x: interrupted; nothing was changed",
        "citecheck x: interrupted; half of it is there",
    ]


def test_one_that_was_lost_is_not_the_last() -> None:
    def command() -> int:
        for _ in range(3):  # as Python does with what a destructor raises
            with contextlib.suppress(KeyboardInterrupt):
                press()
                pytest.fail("it was not heard")
        press()
        return 0

    assert run(command) == 130


def test_nothing_stays_after_a_command_that_ends_by_itself() -> None:
    assert run(lambda: 0) == 0
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    with pytest.raises(KeyError), interrupted_once():
        raise KeyError
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("handler", [signal.SIG_IGN, lambda *_: None], ids=["ignored", "of the caller"])
def test_who_handles_it_otherwise_goes_on_doing_so(handler: signal.Handlers) -> None:
    signal.signal(signal.SIGINT, handler)
    with interrupted_once():
        press()
        assert signal.getsignal(signal.SIGINT) is handler
    assert signal.getsignal(signal.SIGINT) is handler


def test_a_command_runs_in_any_thread() -> None:
    codes = []
    thread = threading.Thread(target=lambda: codes.append(run(lambda: 3)))
    thread.start()
    thread.join()
    assert codes == [3]
