"""PubMed's recorded responses: parsed records compared with the XML."""

from __future__ import annotations

import re
from xml.dom import minidom

import pytest

from pytest_citecheck.model import Absent, Found, Query, Record
from pytest_citecheck.sources import PUBMED, MalformedAnswerError, Response, parse_article, parse_xml
from tests.conformance.recorded import Recorded, assert_plausible, file_ids, needs_recordings, recordings, the

pytestmark = needs_recordings

RECORDED = recordings("ncbi")
ANY_TITLE = Query("title", "ecology")

NEVER_ASKED = {
    "idconv": "the converter of PubMed Central ids is another service",
    "elink": "links between databases are not asked for",
    "esummary": "summaries have initials instead of given names; efetch is asked instead",
    "efetch_pmc": "whole articles of PubMed Central",
    "pubmed3.html": "a form of efetch (ASN.1 in a page) that is not asked for",
    "esearch6": "ids of the NLM catalogue, a database that is not asked",
    "esearch7": "ids of the NLM catalogue, a database that is not asked",
    "esearch.error": "ids of the NLM catalogue, a database that is not asked",
    "esearch_json": "the same search is asked for in XML",
    "fatcat_pubmed": "an article of a data dump, without the set in which efetch sends it",
    "ArticleNoISSN": "an article without its set, shortened by hand",
    "KeywordSingle": "an article without its set, shortened by hand",
    "BookArticleSet": "a set of books as it was before 2012, shortened by hand",
    "MinimalEntry": "a set that holds a text instead of articles, made by hand",
    "MalformedEntry": "not well-formed, made by hand",
    "pubmed_ret.xml": "ids too large to be any, which are never asked for",
    "pubmed_ret-2.xml": "a request without an id",
    "baderror": "a search in a database that there is not",
    "429_rate_limit": "quoted from a status that never reaches a parser",
}
"""Parts of file names whose bodies none of our requests returns, with the reason."""


def excluded(item: Recorded) -> bool:
    # The names of searches and citations end alike.
    return any(part in item.file for part in NEVER_ASKED) and "esearch.fcgi" not in item.file


SEARCHES = [item for item in RECORDED if "esearch" in item.file and not excluded(item)]
CITATIONS = [item for item in RECORDED if "esearch" not in item.file and not excluded(item)]
REFUSED = [item for item in RECORDED if excluded(item)]
ARTICLES = [item for item in RECORDED if b"<PMID" in item.body and b"</PubmedArticle>" in item.body]


def dom(item: Recorded) -> minidom.Document:
    """Return the body, parsed with a different parser than in the code under test."""
    return minidom.parseString(item.body)  # noqa: S318 - recorded, in a folder of ours


def child(element: minidom.Element | None, path: str) -> minidom.Element | None:
    for name in path.split("/"):
        found = children(element, name)
        element = found[0] if found else None
    return element


def children(element: minidom.Element | None, name: str) -> list[minidom.Element]:
    nodes = element.childNodes if element else ()
    return [node for node in nodes if isinstance(node, minidom.Element) and node.tagName == name]


def words(element: minidom.Node | None) -> str:
    if element is None:
        return ""
    if element.nodeType == element.TEXT_NODE:
        return str(element.nodeValue)
    return "".join(map(words, element.childNodes))


def line(element: minidom.Node | None) -> str:
    return " ".join(words(element).split())


def letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).lower()


def compare(record: Record, raw: minidom.Element) -> None:
    """Field by field, with the raw citation."""
    assert_plausible(record)
    citation = child(raw, "MedlineCitation")
    article = child(citation, "Article")
    assert record.pmid == record.id == line(child(citation, "PMID"))
    stated = line(child(article, "ArticleTitle")) or line(child(article, "VernacularTitle"))
    assert letters(record.title) == letters(stated)
    authors = children(child(article, "AuthorList"), "Author")
    assert [person.family or person.literal for person in record.authors] == [
        line(child(author, "LastName")) or line(child(author, "CollectiveName")) for author in authors
    ]
    assert [person.given for person in record.authors] == [
        line(child(author, "ForeName")) or line(child(author, "Initials")) for author in authors
    ]
    assert [person.group for person in record.authors] == [bool(child(author, "CollectiveName")) for author in authors]
    date = line(child(article, "Journal/JournalIssue/PubDate"))
    years = [int(year) for year in re.findall(r"(?:19|20)\d\d", date)]
    years += [int(line(child(date, "Year"))) for date in children(article, "ArticleDate")]
    assert set(years) <= set(record.years)
    assert record.years[:1] == tuple(years[:1])
    for path in ("Journal/Title", "Journal/ISOAbbreviation"):
        if line(child(article, path)):
            assert line(child(article, path)) in record.venues
    assert record.volume == line(child(article, "Journal/JournalIssue/Volume"))
    assert record.number == line(child(article, "Journal/JournalIssue/Issue"))
    pages = [line(child(article, f"Pagination/{name}")) for name in ("MedlinePgn", "StartPage", "EndPage")]
    assert record.pages == (pages[0].split(";")[0] or "-".join(filter(None, pages[1:])))
    identifiers = children(child(raw, "PubmedData/ArticleIdList"), "ArticleId")
    dois = {line(one).lower() for one in identifiers if one.getAttribute("IdType") == "doi"}
    dois |= {line(one).lower() for one in children(article, "ELocationID") if one.getAttribute("EIdType") == "doi"}
    related = {target for relation, target in record.related if relation == "is-identical-to"}
    assert {record.doi} - {""} | related == dois
    pmc = [line(one) for one in identifiers if one.getAttribute("IdType") == "pmc"]
    assert [target for relation, target in record.related if relation == "pmcid"] == pmc
    links = children(child(citation, "CommentsCorrectionsList"), "CommentsCorrections")
    errata = [link for link in links if link.getAttribute("RefType") == "ErratumIn"]
    assert [notice.kind for notice in record.notices] == ["correction"] * len(errata)


def test_there_are_recordings(capsys: pytest.CaptureFixture[str]) -> None:
    assert len(CITATIONS) > 30
    assert len(SEARCHES) > 10
    with capsys.disabled():
        print(f"\nPubMed: {len(CITATIONS)} citations and {len(SEARCHES)} searches read, {len(REFUSED)} never asked")


def test_each_exclusion_is_needed() -> None:
    for part in NEVER_ASKED:
        assert any(part in item.file for item in REFUSED), part


@pytest.mark.parametrize("item", CITATIONS, ids=file_ids)
def test_every_set_of_citations_is_answered_by_id(item: Recorded) -> None:
    pmids = [line(one) for one in dom(item).getElementsByTagName("PMID") if is_own(one)]
    assert pmids
    queries = [Query("pmid", pmid) for pmid in [*pmids, "31337"]]
    answers = PUBMED.parse(queries, Response(item.status, item.body))
    for query in queries[:-1]:
        answer = answers[query]
        assert isinstance(answer, Found)
        assert [record.pmid for record in answer.records] == [query.value]
    # What that is worth without a witness is the transport's to say.
    assert answers[queries[-1]] == Absent("PubMed has no such PMID")


def is_own(pmid: minidom.Element) -> bool:
    """Return True if the id belongs to the citation itself, not to another work that it names."""
    return pmid.parentNode is not None and pmid.parentNode.nodeName in ("MedlineCitation", "BookDocument")


@pytest.mark.parametrize("item", ARTICLES, ids=file_ids)
def test_every_citation_is_read_field_by_field(item: Recorded) -> None:
    raw = dom(item).getElementsByTagName("PubmedArticle")
    root = parse_xml(item.body, doctype=True)
    elements = [root, *root] if root.tag == "PubmedArticle" else list(root)
    records = [record for record in map(parse_article, elements) if record and record.type not in ("book", "chapter")]
    assert len(records) == len(raw) > 0
    for record, citation in zip(records, raw, strict=True):
        compare(record, citation)


@pytest.mark.parametrize("item", SEARCHES, ids=file_ids)
def test_every_search_gives_its_ids(item: Recorded) -> None:
    answer = PUBMED.parse([ANY_TITLE], Response(item.status, item.body))[ANY_TITLE]
    expected = [line(one) for one in dom(item).getElementsByTagName("Id")]
    if expected:
        assert isinstance(answer, Found)
        assert [record.pmid for record in answer.records] == expected
        assert not any(record.title for record in answer.records)
    else:
        assert answer == Absent("")


@pytest.mark.parametrize("item", REFUSED, ids=file_ids)
@pytest.mark.parametrize("query", [ANY_TITLE, Query("pmid", "31337")], ids=["title", "pmid"])
def test_every_other_body_is_refused(item: Recorded, query: Query) -> None:
    with pytest.raises(MalformedAnswerError):
        PUBMED.parse([query], Response(item.status, item.body))


FACTS = {
    "biopython_pubmed4.xml": ("27797938", "Bao", 22, 2017, "Gut", "10.1136/gutjnl-2016-312510", "article"),
    "biopython_pubmed7.xml": (
        "29963580",
        "Guo",
        9,
        2018,
        "Journal of medical imaging",
        "10.1117/1.jmi.5.2.026002",
        "article",
    ),
    "pubmed_ret-11.xml": (
        "24196758",
        "Sittig",
        3,
        2013,
        "Archivos argentinos de pediatria",
        "10.1590/s0325-00752013000600003",
        "article",
    ),
    "pubmed_ret-16.xml": ("10487815", "Ackerly", 2, 1999, "Am J Bot", "", "article"),
    "pubmed_ret-29.xml": ("26858277", "Hemkens", 3, 2016, "BMJ", "10.1136/bmj.i493", "article"),
    "zotero_00_10.1038_nchembio.2007.59.xml": (
        "18157122",
        "Krutzik",
        4,
        2008,
        "Nature chemical biology",
        "10.1038/nchembio.2007.59",
        "article",
    ),
    "zotero_01_Endocrinology_An_Integrated_Approach.xml": ("20821847", "Nussey", 2, 2001, None, "", "book"),
    "zotero_06_Psykisk_oh_lsa_radikalisering_och_terrorism_-_Ing.xml": (
        "29292925",
        "Köhler",
        3,
        2017,
        "Lakartidningen",
        "",
        "article",
    ),
    "zotero_08_10.1101_2023.02.07.527548.xml": (
        "36798302",
        "Xu",
        10,
        2023,
        "bioRxiv",
        "10.1101/2023.02.07.527548",
        "preprint",
    ),
    "zotero_09_Self-organized_intracellular_twisters.xml": ("37064529", "Dutta", 10, 2023, "ArXiv", "", "preprint"),
}
"""PubMed id, first family name, number of authors, year, one venue, DOI and type, as a reader of the bodies notes them."""


@pytest.mark.parametrize("name", FACTS)
def test_facts_about_single_works(name: str) -> None:
    pmid, first, count, year, venue, doi, kind = FACTS[name]
    query = Query("pmid", pmid)
    answer = PUBMED.parse([query], Response(200, the(CITATIONS, name).body))[query]
    assert isinstance(answer, Found)
    (record,) = answer.records
    assert (record.authors[0].family, len(record.authors)) == (first, count)
    assert (record.years[0], record.doi, record.type) == (year, doi, kind)
    assert venue in (None, *record.venues)


def test_single_facts() -> None:
    def record(name: str) -> Record:
        return next(one for one in map(parse_article, parse_xml(the(CITATIONS, name).body, doctype=True)) if one)

    assert record("pubmed_ret-29.xml").notices[0].date == "2018-08-17"
    assert record("zotero_08_10.1101_2023.02.07.527548.xml").related[1] == (
        "is-preprint-of",
        "10.1016/j.cell.2023.05.044",
    )
    assert record("zotero_09_Self-organized_intracellular_twisters.xml").arxiv == "2304.02112"
    assert record("pubmed_ret-11.xml").related == (("is-identical-to", "10.5546/aap.2013.468"),)
    assert [str(person) for person in record("pubmed_ret-36.xml").authors if person.group]
