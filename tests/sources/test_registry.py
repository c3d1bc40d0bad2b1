"""Properties of every source."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_citecheck.matching import all_lists
from pytest_citecheck.model import Absent, Query, QueryKind, Unavailable
from pytest_citecheck.sources import SOURCES, MalformedAnswerError, Response, source

if TYPE_CHECKING:
    from pytest_citecheck.sources import Source

QUESTIONS: dict[QueryKind, Query] = {
    "doi": Query("doi", "10.1038/nature14539"),
    "prefix": Query("prefix", "10.1038"),
    "arxiv": Query("arxiv", "1706.03762"),
    "title": Query("title", "Attention is All you Need", authors=("Vaswani",)),
    "citation": Query(
        "citation",
        "Vaswani A, Shazeer N. Attention is all you need. Advances in Neural Information Processing Systems. 2017",
    ),
    "author_search": Query("author_search", "conf/nips", authors=("Vaswani", "Shazeer"), year=2017),
    "venue_year": Query("venue_year", "conf/nips", year=2017),
    "sample": Query("sample", "article 2010-2019 2026-11 0"),
    "dblp": Query("dblp", "conf/nips/VaswaniSPUJGKP17"),
    "acl": Query("acl", "N19-1423"),
    "openreview": Query("openreview", "rJXMpikCZ"),
    "isbn": Query("isbn", "9780262035613"),
    "pmid": Query("pmid", "26017442"),
    "pmcid": Query("pmcid", "PMC8371605"),
    "hal": Query("hal", "hal-00650905"),
    "nnt": Query("nnt", "2010DENS0040"),
    "rfc": Query("rfc", "8259"),
    "w3c": Query("w3c", "xml/20081126"),
    "texkey": Query("texkey", "Maldacena:1997re"),
    "zbl": Query("zbl", "0823.11029"),
    "place": Query("place", "Genome Biology|1474-760X|15|550", ("Love",), 2014),
    "volume": Query("volume", "Genome Biology|1474-760X|15|", (), 2014),
    "bibcode": Query("bibcode", "1998AJ....116.1009R"),
}
LISTED = {
    registered.name: Query("author_search", one.venue.id, ("Vaswani", "Shazeer"), one.year)
    for one in all_lists()
    for registered in SOURCES
    if registered.name in one.sources
}
"""A venue whose list a publisher maintains."""
# bioRxiv takes the DOIs of its own preprints.
_WORKS_OF_AUTHORS = Query("author_search", "", ("Vaswani, Ashish",), 2017, "Attention is All you Need")
OWN = {
    ("biorxiv", "doi"): Query("doi", "10.1101/002832"),
    ("crossref", "author_search"): _WORKS_OF_AUTHORS,
    ("crossref", "venue_year"): Query("venue_year", "Nature", year=2017),
    ("arxiv", "author_search"): _WORKS_OF_AUTHORS,
    ("arxiv", "venue_year"): Query("venue_year", "arxiv", year=2017),
    ("arxiv", "sample"): Query("sample", "preprint 2010-2019 2026-11 0"),
}


OF_ONE_HOST = {
    "cran": Query("package", "cran:ggplot2"),
    "pypi": Query("package", "pypi:numpy"),
    "github": Query("repository", "github.com/numpy/numpy"),
    "hugging_face": Query("repository", "huggingface.co/models/google-bert/bert-base-uncased"),
}
"""Kinds that several sources answer, each for its own names."""


def question_of(registered: Source, kind: QueryKind) -> Query:
    return (
        LISTED.get(registered.name)
        or OF_ONE_HOST.get(registered.name)
        or OWN.get((registered.name, kind), QUESTIONS[kind])
    )


ASKED = [
    (registered, question_of(registered, kind))
    for registered in SOURCES
    if registered.base_url
    for kind in registered.batch
]
IDS = [f"{registered.name}-{query.kind}" for registered, query in ASKED]

NO_ANSWERS = {
    "empty": b"",
    "page": b"<!DOCTYPE html><html><head><title>Just a moment</title></head><body></body></html>",
    "page-xml": b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body/></html>',
    "object": b"{}",
    "array": b"[]",
    "null": b"null",
    "string": b'"Resource not found."',
    "null-message": b'{"status": "ok", "message-type": "work-list", "message": null, "data": null, "result": null}',
    "no-items": b'{"status": "ok", "message-type": "work-list", "message": {"total-results": 3}, "meta": {"total": 3},'
    b' "result": {"hits": {"@total": "3", "@sent": "3"}}}',
    "odd-items": b'{"status": "ok", "message-type": "work-list", "message": {"items": [1, null, "x", []]},'
    b' "data": [1, null, "x", []], "result": {"hits": {"@total": "4", "@sent": "4", "hit": [1, null, "x", []]}}}',
    "truncated": b'{"status": "ok", "message-type": "work-list", "message": {"items": [{"DOI": "10.1038/natu',
    "truncated-feed": b'<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>http://arxiv.org/abs/1706.03',
    "deep": b'{"message": ' * 60_000 + b"1" + b"}" * 60_000,
    "not-utf-8": b"\xff\xfe{\x00}\x00",
}
# Open Library leaves out the books that it does not have; that is evidence of nothing.
NONE_OF_THEM = {("open_library", "isbn"): b"{}"}


def test_names_and_labels_of_sources_are_unique() -> None:
    for named in ("name", "label"):
        names = [getattr(registered, named) for registered in SOURCES]
        assert len(names) == len(set(names)), named


def test_sources_are_found_by_name() -> None:
    assert all(source(registered.name) is registered for registered in SOURCES)
    with pytest.raises(KeyError, match="known are crossref"):
        source("nonsense")


@pytest.mark.parametrize(("asked", "query"), ASKED, ids=IDS)
@pytest.mark.parametrize("status", [200, 404])
def test_what_is_no_answer_is_never_an_absence(asked: Source, query: Query, status: int) -> None:
    accepted = []
    for name, body in NO_ANSWERS.items():
        try:
            answers = asked.parse([query], Response(status, body))
        except MalformedAnswerError:
            continue
        if not all(isinstance(answer, Unavailable) for answer in answers.values()):
            accepted.append((name, answers))
    none_of_them = status == 200 and (asked.name, query.kind) in NONE_OF_THEM
    assert accepted == ([("object", {query: Absent()})] if none_of_them else [])


@pytest.mark.parametrize(("asked", "query"), ASKED, ids=IDS)
def test_requests_go_to_the_service_and_are_deterministic(asked: Source, query: Query) -> None:
    request = asked.request([query])
    assert request == asked.request([query])
    assert request.service == asked.name
    assert request.url.startswith(asked.base_url + "/")
    assert request.url.isascii()
    assert " " not in request.url
    assert asked.accepts(query)
    assert asked.singles(request) == (request,)


@pytest.mark.parametrize("registered", SOURCES, ids=lambda registered: registered.name)
def test_a_source_refuses_kinds_that_it_cannot_answer(registered: Source) -> None:
    for kind, query in QUESTIONS.items():
        mine = question_of(registered, kind) if kind in registered.batch else query
        assert registered.accepts(mine) == (kind in registered.batch)
    for name, query in OF_ONE_HOST.items():
        assert registered.accepts(query) == (name == registered.name)
    assert not registered.accepts(Query("title", " ?! "))
    assert not registered.accepts(Query("author_search", "conf/nips", authors=(), year=2017))
    assert not registered.accepts(Query("author_search", "conf/nips", authors=("Vaswani",)))
