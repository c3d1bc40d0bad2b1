"""bioRxiv and medRxiv: a link shows the preprint and the place of its publication."""

from __future__ import annotations

import json

import pytest

from pytest_citecheck.model import Absent, Found, Query
from pytest_citecheck.sources import MalformedAnswerError, Response, source

DESEQ2 = Query("doi", "10.1101/002832")
LINK = {
    "biorxiv_doi": "10.1101/002832",
    "published_doi": "10.1186/s13059-014-0550-8",
    "published_journal": "Genome Biology",
    "preprint_platform": "bioRxiv",
    "preprint_title": "Moderated estimation of fold change and dispersion for RNA-seq data with DESeq2",
    "preprint_authors": "Love, M. I.; Huber, W.; Anders, S.",
    "preprint_date": "2014-02-19",
    "published_date": "2014-12-05",
}


def answer(body: object, status: int = 200) -> object:
    return source("biorxiv").parse([DESEQ2], Response(status, json.dumps(body).encode()))[DESEQ2]


def test_a_link_shows_the_preprint_and_compiled_its_publication() -> None:
    found = answer({"messages": [{"status": "ok"}], "collection": [LINK]})
    assert isinstance(found, Found)
    preprint, published = found.records
    assert (preprint.type, preprint.doi, preprint.years, preprint.compiled) == (
        "preprint",
        DESEQ2.value,
        (2014,),
        False,
    )
    assert [str(person) for person in preprint.authors] == ["M. I. Love", "W. Huber", "S. Anders"]
    assert preprint.related == (("is-preprint-of", "10.1186/s13059-014-0550-8"),)
    assert (published.doi, published.venues, published.compiled) == (
        "10.1186/s13059-014-0550-8",
        ("Genome Biology",),
        True,
    )


def test_only_its_own_words_say_that_there_is_no_link() -> None:
    assert answer({"messages": [{"status": "no posts found"}], "collection": []}) == Absent()
    others: list[object] = [{"messages": [{"status": "error"}], "collection": []}, {"collection": []}, {"messages": []}]
    for body in others:
        with pytest.raises(MalformedAnswerError):
            answer(body)


@pytest.mark.parametrize("change", [{"biorxiv_doi": "10.1101/999999"}, {"published_doi": "NA"}, {"preprint_title": 7}])
def test_a_link_of_another_preprint_or_without_its_members_is_no_answer(change: dict[str, object]) -> None:
    with pytest.raises(MalformedAnswerError):
        answer(
            {"messages": [{"status": "ok"}], "collection": [LINK | change] if "preprint_title" not in change else ["x"]}
        )


@pytest.mark.parametrize(
    ("doi", "server"),
    [
        ("10.1101/002832", "biorxiv"),
        ("10.1101/2020.02.02.931238", "biorxiv"),
        ("10.64898/2026.01.05.697012", "biorxiv"),
        ("10.1101/19000133", "medrxiv"),
        ("10.1101/2020.03.19.20038364", "medrxiv"),
        ("10.1101/gr.107524.110", ""),
        ("10.1186/s13059-014-0550-8", ""),
    ],
)
def test_preprints_go_to_their_server_and_journals_of_the_same_prefix_to_none(doi: str, server: str) -> None:
    asked, query = source("biorxiv"), Query("doi", doi)
    assert asked.accepts(query) is bool(server)
    if server:
        assert asked.request([query]).url == f"https://api.biorxiv.org/pubs/{server}/{doi}/na/json"
