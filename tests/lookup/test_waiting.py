"""Seconds for which a run waits for services, with a simulated clock."""

from __future__ import annotations

from itertools import pairwise

import pytest

from benchmarks.waiting import Wait, measured
from pytest_citecheck.model import Reference
from tests.support.evidence_builders import reference


def waited(*cited: Reference) -> Wait:
    return measured({str(number): one for number, one in enumerate(cited)})[0]


def book(title: str) -> Reference:
    return reference("book", author="Nightwhistle, Tom", title=title, year="2011")


BOOKS = [book(f"Orchards of the Quiet {place}") for place in ("Moor", "Estuary", "Plain")]


def test_a_run_waits_for_the_rate_of_each_service() -> None:
    one, several = waited(BOOKS[0]), waited(*BOOKS)
    # Crossref is asked for each book alone, once a second; the Library of Congress for all of them together.
    assert several.counts["crossref"] == one.counts["crossref"] + 2
    assert 2.0 <= several.alone["crossref"] - one.alone["crossref"] <= 2.2
    assert several.counts["loc"] == 1
    assert sum(several.alone.values()) <= several.seconds


def test_two_runs_wait_for_the_same_time() -> None:
    one, other = waited(*BOOKS[:2]), waited(*BOOKS[:2])
    assert (one.requests, one.seconds, one.alone) == (other.requests, other.seconds, other.alone)


def test_a_connection_and_a_request_take_the_latency_each() -> None:
    known = reference("article", title="Attention Is All You Need", author="Vaswani, Ashish", eprint="1706.03762")
    wait, _ = measured({"known": known}, latency=0.5)
    moments = [moment for moment, service, _ in wait.requests if service == "arxiv"]
    assert moments[0] == pytest.approx(0.5)  # and not after another turn
    assert all(later - earlier >= 3.0 for earlier, later in pairwise(moments))
