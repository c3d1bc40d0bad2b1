"""The sources read the facts from the local services, for every work of the facts file.

The comparison is written independently, on the facts, so that an error of a parser and an error of a service cannot agree.
"""

from __future__ import annotations

import html
import re
import unicodedata
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest

from pytest_citecheck.model import Absent, Answer, Found, Query, Record
from pytest_citecheck.sources import Response, source
from tests.stand_ins import FACTS_FILE, load_facts
from tests.stand_ins.arxiv import Arxiv
from tests.stand_ins.crossref import Crossref
from tests.stand_ins.datacite import DataCite
from tests.stand_ins.dblp_sparql import DblpSparql
from tests.stand_ins.doi_org import DoiOrg
from tests.stand_ins.facts import ArxivRecord, DblpRecord, Name, Work, arxiv_doi
from tests.support.suites import identified

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.stand_ins.replies import Service

FACTS = load_facts(FACTS_FILE)
SERVICES: dict[str, Service] = {
    "crossref": Crossref(FACTS),
    "datacite": DataCite(FACTS),
    "doi_org": DoiOrg(FACTS),
    "doi_ra": DoiOrg(FACTS),
    "arxiv": Arxiv(FACTS),
    "dblp_sparql": DblpSparql(FACTS),
}
CROSSREF = [work for work in FACTS.works if work.agency == "Crossref"]
DATACITE = [work for work in FACTS.works if work.agency == "DataCite"]
ARXIV = [work for work in FACTS.works if work.arxiv]
DBLP = [(work, record) for work in FACTS.works for record in work.dblp]
REGISTERED = [work for work in FACTS.works if work.doi]
FAST = 12
"""So many works of each kind are compared in the fast suite."""


def ask(name: str, *queries: Query) -> dict[Query, Answer]:
    asked = source(name)
    assert all(asked.accepts(query) for query in queries)
    url = urlsplit(asked.request(queries).url)
    reply = SERVICES[name].answer(url.path, dict(parse_qsl(url.query)))
    headers = {key.lower(): value for key, value in reply.headers.items()}
    headers["content-type"] = reply.content_type
    return asked.parse(queries, Response(reply.status, reply.body, headers, "2026-01-15T09:00:00Z"))


def found(name: str, query: Query) -> Record:
    answer = ask(name, query)[query]
    assert isinstance(answer, Found), answer
    assert len(answer.records) == 1
    return answer.records[0]


def plain(text: str) -> str:
    """Letters and digits alone, lower case: markup, entities, spacing and quotation marks left out."""
    text = html.unescape(html.unescape(re.sub(r"<[^>]*>", "", text)))
    return re.sub(r"[\W_]", "", unicodedata.normalize("NFKC", text)).casefold()


def names(people: Sequence[Name]) -> list[str]:
    return [plain(str(name)) for name in people]


def read_names(record: Record) -> list[str]:
    return [plain(str(person).replace(",", "")) for person in record.authors]


def cases(works: Sequence[Work]) -> list[object]:
    return identified(works, lambda work: work.id, FAST)


@pytest.mark.parametrize("work", cases(CROSSREF))
def test_crossref(work: Work) -> None:
    record = found("crossref", Query("doi", work.doi.lower()))
    assert plain(record.title) == plain(work.crossref_title or work.title)
    assert plain(record.subtitle) == plain(work.subtitle)
    assert read_names(record) == names(work.authors)
    assert [plain(str(person)) for person in record.editors] == names(work.editors)
    assert record.doi == work.doi.lower()
    assert record.years[0] == work.issued[0]
    assert set(record.years) == {date[0] for date in (work.issued, work.print, work.online) if date}
    if work.container and work.type != "posted-content":
        assert plain(record.venues[0]) == plain(work.container)
    if work.short_container:
        assert plain(work.short_container) in map(plain, record.venues)
    assert (record.volume, record.number) == (work.volume, work.issue)
    assert plain(record.pages) == plain(work.pages)


@pytest.mark.parametrize("work", cases(DATACITE))
def test_datacite(work: Work) -> None:
    record = found("datacite", Query("doi", work.doi.lower()))
    assert plain(record.title) == plain(work.title)
    assert read_names(record) == names(work.authors)
    assert record.years[0] == work.issued[0]
    assert record.publisher == work.publisher
    assert record.doi == work.doi.lower()


@pytest.mark.parametrize("work", cases(ARXIV))
def test_arxiv_and_its_doi_at_datacite(work: Work) -> None:
    submission = work.arxiv
    assert isinstance(submission, ArxivRecord)
    record = found("arxiv", Query("arxiv", submission.id))
    registered = found("datacite", Query("doi", arxiv_doi(submission.id).lower()))
    for one in (record, registered):
        assert plain(one.title) == plain(submission.title)
        assert read_names(one) == names(submission.authors)
        assert one.years[0] == submission.published[0]
        assert one.arxiv == submission.id
        assert one.type == "preprint"
    if submission.doi:
        assert submission.doi.lower() in {value for _, value in record.related}


@pytest.mark.parametrize("work", cases(REGISTERED))
def test_doi_org_knows_every_doi(work: Work) -> None:
    assert found("doi_org", Query("doi", work.doi.lower())).doi == work.doi.lower()


def test_doi_org_knows_the_agency_of_every_prefix() -> None:
    prefixes = sorted(FACTS.prefixes)
    given = {prefix: found("doi_ra", Query("prefix", prefix)).agency for prefix in prefixes}
    assert given == FACTS.prefixes


@pytest.mark.parametrize("pair", identified(DBLP, lambda pair: pair[1].key, FAST))
def test_dblp(pair: tuple[Work, DblpRecord]) -> None:
    _, stated = pair
    record = found("dblp_sparql", Query("dblp", stated.key))
    assert plain(record.title) == plain(stated.title)
    assert read_names(record) == [plain(re.sub(r" \d{4}$", "", author)) for author in stated.authors]
    assert record.years == (int(stated.year),)
    assert tuple(map(plain, record.venues[: len(stated.venues)])) == tuple(map(plain, stated.venues))
    if stated.doi:
        assert record.doi == stated.doi.lower()
    if stated.volume.startswith("abs/"):
        assert record.arxiv == stated.volume.removeprefix("abs/")


@pytest.mark.parametrize("name", ["crossref", "datacite"])
def test_batches_answer_each_question(name: str) -> None:
    works = (CROSSREF if name == "crossref" else DATACITE)[:20]
    missing = Query("doi", "10.1038/there-is-no-such-name")
    queries = [Query("doi", work.doi.lower()) for work in works if "," not in work.doi]
    answers = ask(name, *queries, missing)
    for query in queries:
        answer = answers[query]
        assert isinstance(answer, Found)
        assert answer.records[0].doi == query.value
    assert isinstance(answers[missing], Absent)


def test_arxiv_batches_answer_each_question() -> None:
    known = [Query("arxiv", work.arxiv.id) for work in ARXIV[:12] if work.arxiv]
    missing = Query("arxiv", "0712.9999")
    answers = ask("arxiv", *known, missing)
    assert all(isinstance(answers[query], Found) for query in known)
    assert answers[missing] == Absent("arXiv has no such id")


def test_unknown_prefixes_are_absent() -> None:
    query = Query("prefix", "10.99999")
    assert isinstance(ask("doi_ra", query)[query], Absent)


@pytest.mark.parametrize("name", ["crossref", "datacite", "doi_org"])
def test_unknown_dois_are_absent(name: str) -> None:
    query = Query("doi", "10.1038/there-is-no-such-name")
    assert isinstance(ask(name, query)[query], Absent)


@pytest.mark.parametrize("work", cases(CROSSREF))
def test_a_title_search_at_crossref_lists_the_work(work: Work) -> None:
    families = tuple(name.family for name in work.authors[:3] if name.family)
    query = Query("title", work.title, families)
    answer = ask("crossref", query)[query]
    assert isinstance(answer, Found)
    assert work.doi.lower() in {record.doi for record in answer.records}


@pytest.mark.parametrize("work", cases(ARXIV))
def test_a_title_search_at_arxiv_and_datacite_lists_the_submission(work: Work) -> None:
    submission = work.arxiv
    assert isinstance(submission, ArxivRecord)
    query = Query("title", submission.title, (submission.authors[0].family,))
    for name in ("arxiv", "datacite"):
        answer = ask(name, query)[query]
        assert isinstance(answer, Found), name
        assert submission.id in {record.arxiv for record in answer.records}


def test_an_author_search_finds_the_works_of_authors_in_a_venue_and_year() -> None:
    query = Query("author_search", "conf/nips", ("Vaswani", "Nobody"), 2017)
    answer = ask("dblp_sparql", query)[query]
    assert isinstance(answer, Found)
    assert "Attention is All you Need" in [record.title for record in answer.records]
    assert answer.scope
    elsewhere = Query("author_search", "conf/nips", ("Vaswani",), 2018)
    assert isinstance(ask("dblp_sparql", elsewhere)[elsewhere], Absent)


def test_a_volume_is_listed_or_not() -> None:
    for year, kind in ((2017, Found), (1950, Absent)):
        query = Query("venue_year", "conf/nips", year=year)
        assert isinstance(ask("dblp_sparql", query)[query], kind)


def test_questions_reach_the_services_undamaged() -> None:
    """A DOI with characters that mean something in URLs and queries comes through every layer."""
    odd = "10.1002/(SICI)1097-0258(19980815/30)17:15/16<1661::AID-SIM968>3.0.CO;2-2".lower()
    url = urlsplit(source("doi_org").request([Query("doi", odd)]).url)
    assert unquote(url.path) == f"/api/handles/{odd}"
    assert isinstance(ask("crossref", Query("doi", odd))[Query("doi", odd)], Absent)
    assert isinstance(ask("datacite", Query("doi", odd))[Query("doi", odd)], Absent)
