"""No absence without a witness: the value of a denial, live, in cassettes and in the cache."""

from __future__ import annotations

import asyncio
import copy
import datetime
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from email.utils import format_datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from pytest_citecheck.model import Absent, Answer, Query, QueryKind, QueryResult, Unavailable
from pytest_citecheck.net import MOMENT, ONE_RECORDING, Transport, TransportSettings
from pytest_citecheck.sources import SOURCES, WEB_PAGE, Request, Source, VenueYearLists
from tests.stand_ins.facts import Facts
from tests.stand_ins.server import LocalServices
from tests.support.transport_support import FakeSource, FakeTime, Reply, dois, reply, serving

WITNESS = Query("doi", "witness")
A, B = dois("a", "b")
Known = Callable[[str, int], bool]
"""Returns True if a value is found by its n-th query (from 1)."""


class Witnessed(FakeSource):
    """A `FakeSource` that always has ``control``, with a scope for its absences if one is passed."""

    controls: Mapping[QueryKind, Query] = {"doi": WITNESS}

    def __init__(self, size: int, scope: str = "") -> None:
        super().__init__("fake", size)
        self.scope = scope

    def _answer(self, query: Query, title: str | None) -> Answer:
        answer = super()._answer(query, title)
        return Absent(self.scope) if isinstance(answer, Absent) else answer

    def request(self, queries: Sequence[Query]) -> Request:
        return super().request(queries[: self.batch["doi"]]) if self.batch["doi"] == 1 else super().request(queries)


class Script:
    """A service that finds the values that ``known`` accepts and records its queries."""

    def __init__(self, known: Known) -> None:
        self.known = known
        self.asked: list[list[str]] = []

    def __call__(self, path: str) -> Reply:
        values = parse_qs(urlsplit(path).query)["ids"][0].split(",")
        self.asked.append(values)
        before = [value for values in self.asked for value in values]
        return reply(json.dumps({v: f"Title of {v}" if self.known(v, before.count(v)) else None for v in values}))


def ask(
    source: Source, queries: Sequence[Query], script: Script, *turns: Sequence[Query], **options: Any
) -> dict[Query, QueryResult]:
    """Return the answers to the queries, sent together, and then to the queries of further turns."""
    time = FakeTime()

    async def run() -> dict[Query, QueryResult]:
        with serving(script) as server:
            settings = TransportSettings(base_urls={source.name: server.url}, **options)
            async with Transport(settings, clock=time.clock, sleep=time.sleep) as transport:
                answers: dict[Query, QueryResult] = {}
                for turn in (queries, *turns):
                    answers |= await transport.ask(source, turn)
                return answers

    return asyncio.run(run())


def reason(asked: QueryResult) -> str:
    return asked.answer.reason if isinstance(asked.answer, Unavailable) else type(asked.answer).__name__


def only(*values: str) -> Known:
    return lambda value, _: value in values


def test_in_a_batch_the_witness_stands_among_the_questions_and_costs_nothing() -> None:
    script = Script(only("a", "witness"))
    answers = ask(Witnessed(10), [A, B], script)
    assert [reason(answers[one]) for one in (A, B)] == ["Found", "Absent"]
    assert script.asked == [["a", "b", "witness"]]


def test_an_answer_that_lacks_the_witness_denies_nothing() -> None:
    answers = ask(Witnessed(10), [A, B], Script(only()))
    assert [reason(answers[one]) for one in (A, B)] == ["uncontrolled", "uncontrolled"]


def test_what_an_empty_answer_denied_is_found_when_it_is_asked_again() -> None:
    script = Script(lambda _, time: time > 1)
    answers = ask(Witnessed(10), [A, B], script)
    assert [reason(answers[one]) for one in (A, B)] == ["Found", "Found"]
    assert len(script.asked) == 2


def test_another_question_that_was_found_is_a_witness_too() -> None:
    script = Script(only("a"))
    assert reason(ask(Witnessed(10), [A, B], script)[B]) == "Absent"
    assert len(script.asked) == 1


def test_a_denial_with_consequences_has_to_be_given_twice() -> None:
    script = Script(only("a", "witness"))
    assert ask(Witnessed(10, "all of them"), [A, B], script)[B].answer == Absent("all of them")
    assert script.asked == [["a", "b", "witness"], ["b", "witness"]]
    lacking_once = Script(lambda value, time: value != "b" or time > 1)
    assert reason(ask(Witnessed(10, "all of them"), [A, B], lacking_once)[B]) == "Found"


def test_alone_the_witness_is_asked_after_a_denial_and_then_the_question_again() -> None:
    script = Script(only("witness"))
    assert ask(Witnessed(1, "all of them"), [A], script)[A].answer == Absent("all of them")
    assert script.asked == [["a"], ["witness"], ["a"], ["a"]]
    third = Script(lambda value, time: value == "witness" or time > 2)
    assert reason(ask(Witnessed(1, "all of them"), [A], third)[A]) == "Found"
    found = Script(only("a"))
    assert reason(ask(Witnessed(1), [A], found)[A]) == "Found"
    assert found.asked == [["a"]]


def test_who_is_caught_denying_what_it_has_is_believed_no_denial_for_the_rest_of_the_run() -> None:
    lies = Script(lambda value, time: (value == "witness" and time > 1) or (value == "a" and time > 1))
    answers = ask(Witnessed(1), [A], lies, [B])
    assert [reason(answers[one]) for one in (A, B)] == ["Found", "uncontrolled"]
    assert ["witness"] in lies.asked
    assert lies.asked.count(["witness"]) == 1
    changed_its_mind = Script(lambda value, time: value == "witness" or (value == "a" and time > 1))
    answers = ask(Witnessed(1), [A], changed_its_mind, [B])
    assert [reason(answers[one]) for one in (A, B)] == ["Found", "uncontrolled"]


def test_what_has_just_found_something_needs_no_witness_for_a_denial_without_consequences() -> None:
    script = Script(only("a", "witness"))
    assert reason(ask(Witnessed(1), [A], script, [B])[B]) == "Absent"
    assert script.asked == [["a"], ["b"], ["b"]]
    with_consequences = Script(only("a", "witness"))
    assert reason(ask(Witnessed(1, "all of them"), [A], with_consequences, [B])[B]) == "Absent"
    assert with_consequences.asked == [["a"], ["b"], ["witness"], ["b"], ["b"]]


@pytest.mark.parametrize(("seconds", "controls"), [(MOMENT - 1, 0), (MOMENT + 1, 1)])
def test_just_now_is_a_moment_ago(seconds: float, controls: int) -> None:
    script = Script(only("a", "witness"))
    time = FakeTime()

    async def run() -> None:
        source = Witnessed(1)
        with serving(script) as server:
            settings = TransportSettings(base_urls={source.name: server.url})
            async with Transport(settings, clock=time.clock, sleep=time.sleep) as transport:
                await transport.ask(source, [A])
                time.seconds += seconds
                await transport.ask(source, [B])

    asyncio.run(run())
    assert script.asked.count(["witness"]) == controls


def test_what_cannot_be_asked_in_company_is_asked_alone() -> None:
    registry = next(source for source in SOURCES if source.name == "doi_org")
    query = Query("doi", "10.1000/nowhere")
    asked: list[str] = []

    def script(path: str) -> Reply:
        asked.append(path)
        if path.startswith("/doiRA/"):
            return reply("[]")
        handle = path.removeprefix("/api/handles/")
        known = handle == registry.controls["doi"].value
        code = {"responseCode": 1 if known else 100, "handle": handle}
        return reply(json.dumps(code), 200 if known else 404)

    async def run(url: str) -> Answer:
        time = FakeTime()
        settings = TransportSettings(base_urls={"doi_org": url})
        async with Transport(settings, clock=time.clock, sleep=time.sleep) as transport:
            return (await transport.ask(registry, [query]))[query].answer

    with serving(script) as server:
        assert isinstance(asyncio.run(run(server.url)), Absent)
    places = [path.split("/")[1] for path in asked]
    assert places == ["api", "doiRA", "doiRA", "api", "api", "api"]  # a list that says nothing of them is tried twice


def test_a_witness_that_cannot_be_asked_leaves_the_question_unanswered() -> None:
    class Failing(Script):
        def __call__(self, path: str) -> Reply:
            return reply("no", 503) if "witness" in path else super().__call__(path)

    asked = ask(Witnessed(1), [A], Failing(only()))[A]
    assert reason(asked) == "http-503"


def test_without_a_declared_witness_no_absence_is_evidence() -> None:
    class Undeclared(Witnessed):
        controls: Mapping[QueryKind, Query] = {}

    script = Script(only("a"))
    assert ask(Undeclared(10, "all of them"), [A, B], script)[B].answer == Absent("")
    assert len(script.asked) == 1


def test_a_cited_witness_is_no_witness_of_its_own_absence() -> None:
    assert reason(ask(Witnessed(10), [WITNESS], Script(only()))[WITNESS]) == "uncontrolled"
    assert reason(ask(Witnessed(1), [WITNESS], Script(only()))[WITNESS]) == "uncontrolled"
    assert reason(ask(Witnessed(1), [WITNESS], Script(only("witness")))[WITNESS]) == "Found"


@pytest.mark.parametrize("size", [1, 10])
def test_a_recorded_absence_replays_with_its_witness(tmp_path: Path, size: int) -> None:
    source = Witnessed(size, "all of them")
    ask(source, [A, B], Script(only("a", "witness")), cassettes=tmp_path, record="all")
    for queries in ([A, B], [B]):
        silent = Script(only())
        answers = ask(source, queries, silent, cassettes=tmp_path, record="none")
        assert answers[B].answer == Absent("all of them")
        assert not silent.asked


@pytest.mark.parametrize("size", [1, 10])
def test_an_absence_that_was_recorded_without_a_witness_has_to_be_recorded_again(tmp_path: Path, size: int) -> None:
    class Earlier(Witnessed):
        controls: Mapping[QueryKind, Query] = {}

    ask(Earlier(size, "all of them"), [B], Script(only()), cassettes=tmp_path, record="all")
    source = Witnessed(size, "all of them")
    answer = ask(source, [B], Script(only()), cassettes=tmp_path, record="none")[B].answer
    assert isinstance(answer, Unavailable)
    assert (answer.reason, "--citecheck-record=new" in answer.detail) == ("not-recorded", True)
    live = Script(only("witness"))
    assert ask(source, [B], live, cassettes=tmp_path, record="new")[B].answer == Absent("all of them")
    assert live.asked
    assert ask(source, [B], Script(only()), cassettes=tmp_path, record="none")[B].answer == Absent("all of them")


@pytest.mark.parametrize(
    ("apart", "word"), [(ONE_RECORDING, "Absent"), (ONE_RECORDING + datetime.timedelta(seconds=1), "not-recorded")]
)
def test_a_witness_of_another_day_proves_nothing(tmp_path: Path, apart: datetime.timedelta, word: str) -> None:
    class Slow(Script):
        def __call__(self, path: str) -> Reply:
            moment = datetime.datetime(2026, 11, 21, tzinfo=datetime.UTC) + (apart if "witness" in path else apart * 0)
            super().__call__(path)
            found = {"witness": "Title"} if "witness" in path else {"a": None}
            return reply(json.dumps(found), date=format_datetime(moment, usegmt=True))

    source = Witnessed(1)
    ask(source, [A], Slow(only("witness")), cassettes=tmp_path, record="all")
    assert reason(ask(source, [A], Script(only()), cassettes=tmp_path, record="none")[A]) == word


def test_a_denial_that_decides_nothing_is_not_repeated(tmp_path: Path) -> None:
    """The control is still needed, and a recording always has the second denial: others may replay it."""
    source = Witnessed(1)
    aside, other = replace(A, confirm=False), replace(B, confirm=False)
    script = Script(only("witness"))
    assert reason(ask(source, [aside], script, [other], [A], cache=tmp_path)[A]) == "Absent"
    assert script.asked == [["a"], ["witness"], ["b"], ["a"], ["a"]]
    again = Script(only("witness"))
    assert reason(ask(source, [B], again, cache=tmp_path)[B]) == "Absent"  # not from the cache
    assert again.asked == [["b"], ["witness"], ["b"]]
    assert reason(ask(source, [aside], Script(only()))[aside]) == "uncontrolled"
    recorded = Script(only("witness"))
    ask(source, [aside], recorded, cassettes=tmp_path, record="all")
    assert recorded.asked == [["a"], ["witness"], ["a"]]
    assert reason(ask(source, [A], Script(only()), cassettes=tmp_path, record="none")[A]) == "Absent"


def test_a_denial_that_does_not_count_is_not_recorded(tmp_path: Path) -> None:
    source = Witnessed(1)
    caught = Script(lambda value, time: value == "witness" or (value == "a" and time > 1))
    ask(source, [A], caught, [B], cassettes=tmp_path, record="all")
    answers = ask(source, [A, B], Script(only()), cassettes=tmp_path, record="none")
    assert [reason(answers[one]) for one in (A, B)] == ["Found", "not-recorded"]


@pytest.mark.exhaustive
def test_the_cache_keeps_no_absence_without_a_witness(tmp_path: Path) -> None:
    registry = next(source for source in SOURCES if source.name == "doi_org")
    query = Query("doi", "10.1000/nowhere")

    async def run(services: LocalServices) -> Answer:
        settings = TransportSettings(base_urls={"doi_org": services.base_urls["doi_org"]}, cache=tmp_path)
        time = FakeTime()
        async with Transport(settings, clock=time.clock, sleep=time.sleep) as transport:
            return (await transport.ask(registry, [query]))[query].answer

    with LocalServices(Facts(())) as services:
        services.fault("doi_org", "nothing-found")
        assert isinstance(asyncio.run(run(services)), Unavailable)
        services.heal("doi_org")
        assert isinstance(asyncio.run(run(services)), Absent)
        before = len(services.requests)
        assert isinstance(asyncio.run(run(services)), Absent)
        assert len(services.requests) == before


@pytest.mark.parametrize("source", [one for one in SOURCES if one.base_url], ids=lambda source: source.name)
def test_the_witnesses_of_a_source_are_questions_that_it_takes(source: Source) -> None:
    for kind, query in source.controls.items():
        assert query.kind == kind
        assert kind in source.batch
        assert source.accepts(query)
        assert source.control(query) == query
    if isinstance(source, VenueYearLists):
        return  # each list has its own, and nothing is denied with another
    uncontrolled = set(source.batch) - set(source.controls) - _SURROUNDINGS.get(source.name, set())
    assert uncontrolled <= {"title"}
    assert not uncontrolled or (not source.authoritative_for and "no control" in source.absence)


_SURROUNDINGS = {
    "arxiv": {"author_search", "venue_year", "sample"},
    "crossref": {"author_search", "venue_year", "sample", "place", "volume"},
    "semantic_scholar": {"venue_year"},
    **{name: {"place"} for name in ("pubmed", "inspire", "openalex")},
}
"""Queries about a source's coverage, and about places; an empty answer to one is no evidence, so it needs no witness."""


def test_the_witness_of_a_page_is_the_front_page() -> None:
    page = Query("url", "https://example.org:8080/a/b?c=d#e")
    assert WEB_PAGE.control(page) == Query("url", "https://example.org:8080/")


def test_a_source_that_takes_one_question_a_request_is_asked_one_by_one(tmp_path: Path) -> None:
    """This also holds if it supports several per request, but is configured not to."""
    source = copy.copy(Witnessed(10))
    source.batch = {"doi": 1}
    script = Script(only("witness"))
    assert reason(ask(source, [A, B], script)[A]) == "Absent"
    assert all(len(values) <= 2 for values in script.asked)
