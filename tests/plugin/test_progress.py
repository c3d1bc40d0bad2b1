"""Without a terminal, a line every ten seconds reports the progress of a run."""

from __future__ import annotations

import asyncio
import re
import threading

import pytest

from pytest_citecheck.lookup import gather
from pytest_citecheck.net import TransportSettings
from pytest_citecheck.plugin import PAUSE, plain_lines
from pytest_citecheck.sources import CROSSREF
from tests.support.evidence_builders import TODAY, entry
from tests.support.transport_support import Reply, reply, serving


def test_a_line_every_ten_seconds() -> None:
    now, lines = 0.0, list[str]()
    show = plain_lines(lines.append, lambda: now)
    for second in range(25):
        now = float(second)
        show("asking Crossref", second, 100)
    assert PAUSE == 10
    assert lines == ["citecheck: asking Crossref 10/100", "citecheck: asking Crossref 20/100"]


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
    assert re.fullmatch(r"waiting for Crossref, \d+ s left", waiting)
