"""An outage is never an absence: every source, through the transport, against every fault of the local services."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from pytest_citecheck.model import Absent, Found, Query, Unavailable
from pytest_citecheck.net import Transport, TransportSettings
from pytest_citecheck.sources import SOURCES, Rate
from tests.stand_ins import FACTS_FILE, KINDS, LocalServices
from tests.stand_ins.damage import ENTRY_KINDS
from tests.support.transport_support import FakeTime

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_citecheck.model import Answer

EXAMPLE = FACTS_FILE.with_name("example_facts.yaml")
QUESTIONS = {
    "crossref": Query("doi", "10.1038/nature14539"),
    "datacite": Query("doi", "10.48550/arxiv.1706.03762"),
    "doi_org": Query("doi", "10.1038/nature14539"),
    "doi_ra": Query("prefix", "10.1038"),
    "arxiv": Query("arxiv", "1706.03762"),
    "dblp_sparql": Query("title", "Attention is all you need", ("Vaswani",)),
}
# What is left: 429-retry-after only differs in how long it waits; a wrong record, a wrong label, a wrong entry among others,
# a title that is too long, one under another name, and a login that is required are no outage.
OUTAGES = sorted(
    KINDS
    - ENTRY_KINDS
    - {"429-retry-after", "wrong-record", "wrong-content-type", "huge-title", "renamed", "login-required", "copies"}
)


async def _ask(services: LocalServices, names: Iterable[str], timeout: float) -> dict[str, Answer]:
    # Nobody waits: where a witness is asked as slowly as its service wants, only the clock goes on.
    time = FakeTime()
    rates = dict.fromkeys(QUESTIONS, Rate(1000, 4))
    settings = TransportSettings(base_urls=services.mirrors, timeout=timeout, rates=rates)
    asked = [source for source in SOURCES if source.name in names]
    async with Transport(settings, clock=time.clock, sleep=time.sleep) as transport:
        answers = await asyncio.gather(*(transport.ask(one, [QUESTIONS[one.name]]) for one in asked))
    return {source.name: answer[QUESTIONS[source.name]].answer for source, answer in zip(asked, answers, strict=True)}


def ask(services: LocalServices, names: Iterable[str] = tuple(QUESTIONS), timeout: float = 60) -> dict[str, Answer]:
    return asyncio.run(_ask(services, names, timeout))


def test_without_faults_every_source_finds_its_record() -> None:
    with LocalServices(EXAMPLE) as services:
        assert all(isinstance(answer, Found) for answer in ask(services).values())


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", OUTAGES)
def test_an_outage_is_unavailable(kind: str) -> None:
    # A hundred megabytes from each would only take longer.
    names = ("datacite",) if kind == "huge" else tuple(QUESTIONS)
    with LocalServices(EXAMPLE) as services:
        for name in names:
            services.fault(name, kind)
        answers = ask(services, names, timeout=0.4)
    assert len(answers) == len(names)
    assert {name: type(answer) for name, answer in answers.items()} == dict.fromkeys(names, Unavailable)


@pytest.mark.parametrize("kind", ["500", "503", "429", "reset", "early-close", "truncated", "malformed", "captcha"])
def test_a_fault_that_passes_is_overcome(kind: str) -> None:
    with LocalServices(EXAMPLE) as services:
        for name in QUESTIONS:
            services.fault(name, kind, times=1)
        assert {type(answer) for answer in ask(services).values()} == {Found}


@pytest.mark.parametrize("name", ["crossref", "datacite", "dblp_sparql", "doi_org", "doi_ra", "arxiv"])
def test_a_wrong_record_is_not_taken_for_the_one_asked_for(name: str) -> None:
    query = QUESTIONS[name]
    with LocalServices(EXAMPLE) as services:
        services.fault(name, "wrong-record")
        answer = ask(services, (name,))[name]
    if isinstance(answer, Found) and query.kind != "title":
        assert query.value in {value for record in answer.records for value in (record.doi, record.arxiv)}
    assert not (isinstance(answer, Absent) and answer.scope)
