"""Runs inside an event loop, as in a Jupyter notebook: `pytest.main` there checks, can be interrupted, and times out."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_citecheck.plugin import run_to_end

ROOT = Path(__file__).parent.parent.parent

REFERENCES = str(ROOT / "fixtures" / "refs.bib")
RECORDED = str(ROOT / "cassettes")


def run_inside_a_loop(pytester: pytest.Pytester, call: str) -> str:
    """Return the output of a script whose coroutine makes this call."""
    result = pytester.runpython_c(
        f"""
import asyncio, sys
import pytest
from pytest_citecheck.cli import main as citecheck

async def main():
    code = {call}
    await asyncio.sleep(0)  # the loop still works
    return code

sys.exit(asyncio.run(main()))
"""
    )
    output = result.stdout.str() + result.stderr.str()
    assert result.ret in (0, 1), output
    assert "INTERNALERROR" not in output
    return output


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("option", "printed"),
    [("-q", "6 passed"), pytest.param("--citecheck-plan", "citecheck plan", marks=pytest.mark.exhaustive)],
)
def test_pytest_main_works_inside_a_running_loop(pytester: pytest.Pytester, option: str, printed: str) -> None:
    text = Path(REFERENCES).read_text(encoding="utf-8")
    (entry,) = (part for part in text.split("\n\n") if part.startswith("@article{hochreiter1997long,"))
    (pytester.path / "refs.bib").write_text(entry, encoding="utf-8")
    options = ["--citecheck=refs.bib", f"--citecheck-cassettes={RECORDED}", "-p", "no:cacheprovider", option]
    assert printed in run_inside_a_loop(pytester, f"pytest.main({options!r})")


@pytest.mark.exhaustive
def test_the_command_works_inside_a_running_loop(pytester: pytest.Pytester) -> None:
    run_inside_a_loop(pytester, f"citecheck(['check', {REFERENCES!r}, '--cassettes={RECORDED}'])")


def in_a_loop(action: Callable[[], object]) -> object:
    async def main() -> object:
        return action()

    return asyncio.run(main())


def call(action: Callable[[], object]) -> object:
    return action()


async def thread_name() -> str:
    await asyncio.sleep(0)
    return threading.current_thread().name


def test_without_a_loop_no_thread_is_made() -> None:
    assert run_to_end(thread_name()) == threading.current_thread().name
    assert in_a_loop(lambda: run_to_end(thread_name())) == "citecheck"


async def fails() -> None:
    await asyncio.sleep(0)
    raise LookupError("not there")


def test_what_it_raises_comes_out() -> None:
    with pytest.raises(LookupError, match="not there"):
        in_a_loop(lambda: run_to_end(fails()))


async def never_ends(begun: Callable[[], object], ended: list[str]) -> None:
    begun()
    try:
        await asyncio.Event().wait()
    finally:
        ended.append("cleaned up")


@pytest.mark.parametrize("inside", [False, True], ids=["no loop", "in a loop"])
def test_ctrl_c_ends_it_and_it_cleans_up(inside: bool) -> None:
    ended: list[str] = []

    def run() -> None:
        run_to_end(never_ends(lambda: signal.raise_signal(signal.SIGINT), ended))

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            (in_a_loop if inside else call)(run)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert ended == ["cleaned up"]
    assert "citecheck" not in {thread.name for thread in threading.enumerate()}


def test_a_process_that_ignores_ctrl_c_goes_on_doing_so() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)

    async def pressed() -> str:
        signal.raise_signal(signal.SIGINT)
        return "ended"

    try:
        assert in_a_loop(lambda: run_to_end(pressed())) == "ended"
    finally:
        signal.signal(signal.SIGINT, before)
