"""The local content negotiation: what the source reads in it is what the facts say."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import replace
from urllib.parse import urlsplit

import pytest

from pytest_citecheck.model import Absent, Answer, Found, Query
from pytest_citecheck.sources import DOI_CONTENT, MalformedAnswerError, Response
from tests.stand_ins import FACTS_FILE, load_facts
from tests.stand_ins.doi_content import DoiContent
from tests.stand_ins.facts import Facts, Work, arxiv_doi
from tests.support.suites import identified

FACTS = load_facts(FACTS_FILE)
SERVICE = DoiContent(FACTS)
REGISTERED = [work for work in FACTS.works if work.doi]
OTHER_AGENCY = replace(
    next(work for work in REGISTERED if work.container), id="other", agency="KISTI", doi="10.5012/x.1"
)


def ask(doi: str, service: DoiContent = SERVICE) -> Answer:
    query = Query("doi", doi.lower())
    reply = service.answer(urlsplit(DOI_CONTENT.request([query]).url).path, {})
    return DOI_CONTENT.parse([query], Response(reply.status, reply.body))[query]


def letters(text: str) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text))).casefold()


def compare(work: Work, answer: Answer) -> None:
    assert isinstance(answer, Found)
    (record,) = answer.records
    assert record.doi == work.doi.lower()
    assert letters(record.title) in letters(f"{work.crossref_title or work.title}{work.subtitle}")
    assert [letters(str(person)) for person in record.authors] == [letters(str(name)) for name in work.authors]
    assert work.issued[0] in record.years
    assert (record.volume, record.number, record.pages) == (work.volume, work.issue, work.pages)


@pytest.mark.parametrize("work", identified(REGISTERED, lambda work: work.id, 12))
def test_every_registered_work(work: Work) -> None:
    compare(work, ask(work.doi))


def test_a_work_of_another_agency() -> None:
    service = DoiContent(Facts((OTHER_AGENCY,), {"10.5012": "KISTI"}))
    compare(OTHER_AGENCY, ask(OTHER_AGENCY.doi, service))
    item = json.loads(service.answer(f"/{OTHER_AGENCY.doi}", {}).body)
    assert (item["container-title"], "created" in item) == (OTHER_AGENCY.container, False)


@pytest.mark.parametrize("work", identified([work for work in FACTS.works if work.arxiv], lambda work: work.id, 12))
def test_every_preprint(work: Work) -> None:
    assert work.arxiv
    answer = ask(arxiv_doi(work.arxiv.id))
    assert isinstance(answer, Found)
    assert answer.records[0].arxiv == work.arxiv.id
    assert answer.records[0].years == (work.arxiv.published[0],)


def test_crossref_writes_single_strings() -> None:
    doi = next(work.doi for work in REGISTERED if work.agency == "Crossref" and work.short_container)
    item = json.loads(SERVICE.answer(f"/{doi}", {}).body)
    assert all(isinstance(item[name], str) for name in ("title", "container-title", "container-title-short"))


@pytest.mark.parametrize("doi", ["10.1038/no-such", "10.1000/a<b>&c"])
def test_an_unknown_doi_is_the_page_of_doi_org(doi: str) -> None:
    assert ask(doi) == Absent("")


def test_misfiled_answers_are_refused() -> None:
    with pytest.raises(MalformedAnswerError, match="instead of"):
        ask(REGISTERED[0].doi, DoiContent(FACTS, shift=1))
