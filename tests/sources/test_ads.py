"""The Astrophysics Data System: its records, and no queries without a key."""

from __future__ import annotations

from pytest_citecheck.model import Person
from pytest_citecheck.net import Identity
from pytest_citecheck.sources import parse_doc, source

DOC = {
    "bibcode": "2020A&A...641A...6P",
    "title": ["Planck 2018 results. VI. Cosmological parameters"],
    "author": ["Planck Collaboration", "Aghanim, N.", "-", ""],
    "author_count": 182,
    "year": "2020",
    "pub": "Astronomy and Astrophysics",
    "bibstem": ["A&A", "A&A...641"],
    "doi": ["10.1051/0004-6361/201833910"],
    "identifier": ["2018arXiv180706209P", "arXiv:1807.06209", "10.48550/arXiv.1807.06209", "2020A&A...641A...6P"],
    "doctype": "article",
}


def test_a_document_is_known_by_all_its_identifiers() -> None:
    names, record = parse_doc(DOC) or (frozenset(), None)
    assert record
    assert {
        ("bibcode", "2020A&A...641A...6P"),
        ("arxiv", "1807.06209"),
        ("doi", "10.1051/0004-6361/201833910"),
    } <= names
    assert (record.doi, record.arxiv, record.years) == ("10.1051/0004-6361/201833910", "1807.06209", (2020,))
    assert record.authors == (Person(literal="Planck Collaboration", group=True), Person(family="Aghanim", given="N."))
    assert not record.authors_complete
    assert record.venues == ("Astronomy and Astrophysics", "A&A")
    assert record.compiled


def test_it_is_asked_with_a_key_alone() -> None:
    asked = source("ads")
    assert not Identity().admitted(asked, "doi")
    keyed = Identity(keys={"ads": "secret"})
    assert keyed.admitted(asked, "doi")
    assert (
        keyed.signed(asked, asked.request([asked.controls["doi"]]), mirrored=False)[1]["Authorization"]
        == "Bearer secret"
    )
