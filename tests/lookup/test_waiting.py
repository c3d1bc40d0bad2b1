"""Seconds for which a run waits for services, with a simulated clock."""

from __future__ import annotations

from itertools import pairwise

import pytest

from benchmarks.waiting import Wait, measured
from pytest_citecheck.lookup import PROFILES, ROUNDS
from pytest_citecheck.model import Reference
from pytest_citecheck.sources import CROSSREF, OPEN_LIBRARY, SEMANTIC_SCHOLAR
from tests.support.evidence_builders import reference


def waited(*cited: Reference) -> Wait:
    return measured({str(number): one for number, one in enumerate(cited)})[0]


def book(title: str) -> Reference:
    return reference("book", author="Nightwhistle, Tom", title=title, year="2011")


BOOKS = [book(f"Orchards of the Quiet {place}") for place in ("Moor", "Estuary", "Plain")]


def test_a_run_waits_for_the_rate_of_each_service() -> None:
    wait = waited(*BOOKS)
    # Each service that takes one title a request is asked for each book, the Library of Congress for all of them together.
    assert [wait.counts[name] for name in ("crossref", "open_library", "loc")] == [3, 3, 1]
    for source in (CROSSREF, OPEN_LIBRARY, SEMANTIC_SCHOLAR):
        moments = [moment for moment, service, _ in wait.requests if service == source.name]
        assert all(later - earlier >= 1 / source.rate.per_second for earlier, later in pairwise(moments))
    assert 3.0 <= sum(wait.alone.values()) <= wait.seconds


def test_slow_services_are_asked_at_the_same_time_as_others() -> None:
    """The run waits for whichever takes longer: Semantic Scholar, or the services that take one title a request."""
    several, more = (
        waited(*BOOKS),
        waited(*BOOKS, *(book(f"Ledgers of the Quiet {place}") for place in ("Moor", "Plain"))),
    )
    assert several.counts["semantic_scholar"] == more.counts["semantic_scholar"] == 1
    assert several.alone.get("semantic_scholar", 0.0) == 0.0
    assert more.seconds >= several.seconds + 2 * 2.0


@pytest.mark.parametrize(("entry_type", "place", "times"), [("book", "publisher", 1), ("article", "journal", 2)])
def test_an_absence_is_confirmed_only_if_it_counts(entry_type: str, place: str, times: int) -> None:
    people = {"author": "Nightwhistle, Tom", "year": "2011", place: "Annals of Entirely Invented Results"}
    cited = [reference(entry_type, title=title, **people) for title in ("Quiet Orchards", "Quiet Ledgers")]
    asked = [text for _, service, text in waited(*cited).requests if service == "semantic_scholar"]
    assert [sum(title in text for text in asked) for title in ("Quiet Orchards", "Quiet Ledgers")] == [times, times]


def test_two_runs_wait_for_the_same_time() -> None:
    one, other = waited(*BOOKS[:2]), waited(*BOOKS[:2])
    assert (one.requests, one.seconds, one.alone) == (other.requests, other.seconds, other.alone)


def test_a_connection_and_a_request_take_the_latency_each() -> None:
    known = reference("article", title="Attention Is All You Need", author="Vaswani, Ashish", eprint="1706.03762")
    wait, _ = measured({"known": known}, latency=0.5)
    moments = [moment for moment, service, _ in wait.requests if service == "arxiv"]
    assert moments[0] == pytest.approx(0.5)  # and not after another turn
    assert all(later - earlier >= 3.0 for earlier, later in pairwise(moments))


@pytest.mark.parametrize("profile", PROFILES)
def test_every_round_is_awaited(profile: str) -> None:
    """The answers of a round that the next one does not wait for are read after the next one."""
    rounds = [one for one in ROUNDS if one.name in PROFILES[profile].rounds]
    assert any(one.with_next for one in rounds)
    assert not rounds[-1].with_next
