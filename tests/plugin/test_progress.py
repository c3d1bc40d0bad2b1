"""Without a terminal, a line every ten seconds reports the progress of a run."""

from __future__ import annotations

import asyncio
import re
import threading

import pytest

from pytest_citecheck.lookup import gather, seconds_at_limits
from pytest_citecheck.net import TransportSettings
from pytest_citecheck.plugin import PAUSE, duration, plain_lines
from pytest_citecheck.sources import CROSSREF, Rate
from tests.support.evidence_builders import TODAY, entry
from tests.support.transport_support import Reply, reply, serving


def test_a_line_every_ten_seconds_with_the_time_left() -> None:
    now, lines = 0.0, list[str]()
    show = plain_lines(lines.append, lambda: now)
    for second in range(31):
        now = float(second)
        show("asking Crossref", min(second, 25), 25)
    assert PAUSE == 10
    assert lines == [
        "citecheck: asking Crossref 10/25, about 15 s left",
        "citecheck: asking Crossref 20/25, about 5 s left",
        "citecheck: asking Crossref 25/25",
    ]


def test_a_line_about_a_wait_has_one_time_only() -> None:
    now, lines = 0.0, list[str]()
    show = plain_lines(lines.append, lambda: now)
    now = 10.0
    show("waiting for Crossref, giving up in 30 s", 1, 2)
    assert lines == ["citecheck: waiting for Crossref, giving up in 30 s 1/2"]


@pytest.mark.exhaustive
def test_a_service_that_does_not_answer_is_named_with_the_time_left() -> None:
    named, shown = threading.Event(), list[str]()

    def show(what: str, done: int, total: int) -> None:
        shown.append(what)
        if what.startswith("waiting for "):
            named.set()

    def held(_: str) -> Reply:
        assert named.wait(60)
        return reply("{}")

    doi = entry("@article{a, title = {Wheels}, author = {Ada Lovelace}, year = {1844}, doi = {10.1000/wheels}}")
    with serving(held) as server:
        settings = TransportSettings(base_urls={CROSSREF.name: server.url}, total_timeout=600)
        asyncio.run(gather({"a": doi}, [CROSSREF], settings, TODAY, show))
    waiting = next(what for what in shown if what.startswith("waiting for "))
    assert re.fullmatch(r"waiting for Crossref, giving up in \d+ s", waiting)


def test_the_time_at_the_limits_of_the_slowest_service() -> None:
    settings = TransportSettings(rates={CROSSREF.name: Rate(2.0, 1)})
    assert seconds_at_limits({CROSSREF.name: 100}, [CROSSREF], settings) == (50.0, CROSSREF.label)
    assert [duration(seconds) for seconds in (5, 89, 120)] == ["about 5 s", "about 89 s", "about 2 min"]


@pytest.mark.exhaustive
def test_progress_is_never_above_the_total() -> None:
    shown = list[tuple[int, int]]()
    doi = entry("@article{a, title = {Wheels}, author = {Ada Lovelace}, year = {1844}, doi = {10.1000/wheels}}")
    with serving(lambda _: reply("{}")) as server:
        settings = TransportSettings(base_urls={CROSSREF.name: server.url})
        asyncio.run(gather({"a": doi}, [CROSSREF], settings, TODAY, lambda _, done, total: shown.append((done, total))))
    assert shown
    assert all(done <= total for done, total in shown)
