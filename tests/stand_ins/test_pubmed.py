"""The local PubMed: citations by id, ids by words of a title; and what the source reads in them."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from urllib.parse import parse_qsl, urlsplit

import pytest

from pytest_citecheck.model import Absent, Answer, Found, Notice, Query
from pytest_citecheck.sources import PUBMED, Response
from tests.stand_ins import FACTS_FILE, load_facts
from tests.stand_ins.facts import Facts, Work
from tests.stand_ins.pubmed import PubMed, initials

FACTS = load_facts(FACTS_FILE)
SERVICE = PubMed(FACTS)
HELD = [work for work in FACTS.works if work.pmid]


def ask(*queries: Query, service: PubMed = SERVICE) -> dict[Query, Answer]:
    url = urlsplit(PUBMED.request(queries).url)
    path = url.path.removeprefix("/entrez/eutils")
    reply = service.answer(path, dict(parse_qsl(url.query)))
    return PUBMED.parse(queries, Response(reply.status, reply.body))


def fetched(pmid: str, service: PubMed = SERVICE) -> ET.Element:
    reply = service.answer("/efetch.fcgi", {"db": "pubmed", "id": pmid, "retmode": "xml"})
    root = ET.fromstring(reply.body)  # noqa: S314 - our own
    assert [child.tag for child in root] == ["PubmedArticle"]
    return root[0]


def test_every_work_is_read_as_the_facts_have_it() -> None:
    queries = [Query("pmid", work.pmid) for work in HELD]
    answers = ask(*queries)
    for query, work in zip(queries, HELD, strict=True):
        answer = answers[query]
        assert isinstance(answer, Found), work.id
        (record,) = answer.records
        assert record.title == work.title.removesuffix(".")
        assert len(record.authors) == len(work.authors)
        assert [person.family or person.literal for person in record.authors] == [
            name.family or name.literal for name in work.authors
        ]
        assert record.doi == work.doi.lower()
        assert record.years[0] == (work.print or work.issued)[0]
        assert work.container in record.venues
        assert dict(record.related).get("pmcid", "") == work.pmcid
        assert record.notices == tuple(
            Notice("retraction", "pubmed", "-".join(f"{part:02}" for part in notice.date), notice.doi.lower())
            for notice in work.notices
        )


def test_the_facts_hold_a_retraction_a_group_and_a_title_that_is_not_translated() -> None:
    assert any(notice.kind == "retraction" for work in HELD for notice in work.notices)
    assert any(name.literal for work in HELD for name in work.authors)
    assert any(work.vernacular for work in HELD)


def test_the_wire_format() -> None:
    article = fetched("9500320")
    assert article.findtext("MedlineCitation/Article/ArticleTitle", "").endswith("disorder in children.")
    assert article.findtext("MedlineCitation/Article/AuthorList/Author/Initials") == "AJ"
    assert article.findtext("MedlineCitation/Article/Journal/JournalIssue/PubDate/Month") == "Feb"
    link = article.find("MedlineCitation/CommentsCorrectionsList/CommentsCorrections[@RefType='RetractionIn']")
    assert link is not None
    assert link.findtext("RefSource") == "Lancet. 2010 Feb 6. doi: 10.1016/S0140-6736(10)60175-4."


def test_translated_and_missing_titles() -> None:
    work = Work(
        "x", "A title", "journal-article", container="Journal", issued=(2000,), pmid="7", vernacular="Ein Titel"
    )
    article = fetched("7", PubMed(Facts((work,)))).find("MedlineCitation/Article")
    assert article is not None
    assert article.findtext("ArticleTitle") == "[A title]."
    assert article.findtext("VernacularTitle") == "Ein Titel."
    assert not fetched("29292925").findtext("MedlineCitation/Article/ArticleTitle")


@pytest.mark.parametrize(
    ("given", "expected"), [("David G.", "DG"), ("AJ", "AJ"), ("Jean-Pierre", "JP"), ("Yann", "Y"), ("", "")]
)
def test_initials(given: str, expected: str) -> None:
    assert initials(given) == expected


def test_an_id_that_nobody_has_is_missing_from_the_set() -> None:
    nobody = Query("pmid", "99999999")
    first = Query("pmid", "1")
    assert ask(nobody, first)[nobody] == Absent("PubMed has no such PMID")


def test_a_search_by_title_gives_ids() -> None:
    highly = Query("title", "Highly accurate protein structure prediction with AlphaFold")
    answer = ask(highly)[highly]
    assert isinstance(answer, Found)
    assert [record.pmid for record in answer.records] == ["34265844"]
    learning = Query("title", "Deep learning", authors=("LeCun",))
    found = ask(learning)[learning]
    assert isinstance(found, Found)
    assert [record.pmid for record in found.records] == ["26017442"]
    for nothing in (Query("title", "Quantum basket weaving"), Query("title", "Deep learning", authors=("Nobody",))):
        assert ask(nothing) == {nothing: Absent()}


def test_a_search_shows_no_more_than_was_wanted() -> None:
    reply = SERVICE.answer("/esearch.fcgi", {"db": "pubmed", "term": "a[ti]", "retmax": "1", "retmode": "xml"})
    root = ET.fromstring(reply.body)  # noqa: S314 - our own
    assert int(root.findtext("Count", "")) > 1
    assert (root.findtext("RetMax"), len(root.findall("IdList/Id"))) == ("1", 1)


@pytest.mark.parametrize(
    ("path", "parameters", "said"),
    [
        ("/efetch.fcgi", {"id": "", "db": "pubmed"}, b"<ERROR>Supplied id parameter is empty.</ERROR>"),
        ("/efetch.fcgi", {"id": "1", "db": "fleegle"}, b"<ERROR>Invalid db name specified: fleegle</ERROR>"),
        ("/esearch.fcgi", {"term": "", "db": "pubmed"}, b"<ERROR>Empty term"),
        ("/einfo.fcgi", {}, b"Not Found"),
    ],
)
def test_what_is_refused(path: str, parameters: dict[str, str], said: bytes) -> None:
    assert said in SERVICE.answer(path, parameters | {"retmode": "xml"}).body


def test_a_service_that_misfiles_is_never_believed() -> None:
    shifted = PubMed(FACTS, shift=1)
    query = Query("pmid", "26017442")
    assert not isinstance(ask(query, service=shifted)[query], Found)


def test_places_lead_to_ids() -> None:
    held = [work for work in HELD if work.volume and work.pages.partition("-")[0] not in ("", "1")]
    assert held
    queries = [
        Query("place", f"{work.container}||{work.volume}|{work.pages.partition('-')[0]}", (), work.issued[0])
        for work in held
    ]
    elsewhere = Query("place", f"{held[0].container}||{held[0].volume}|99999", ("Nobody",), 1950)
    unknown = Query("place", "Journal of Nothing||1|2", ("Nobody",), 1950)
    answers = ask(*queries, elsewhere, unknown)
    for query, work in zip(queries, held, strict=True):
        answer = answers[query]
        assert isinstance(answer, Found)
        assert [(record.pmid, record.title) for record in answer.records] == [(work.pmid, "")]
    assert answers[elsewhere] == answers[unknown] == Absent()
