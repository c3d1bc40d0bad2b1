"""Membership of references in strata: an absence only counts for these references."""

from __future__ import annotations

import datetime

import pytest

from pytest_citecheck.evidence import Stratum, Uncovered, stratum
from pytest_citecheck.inputs import cited_metadata
from tests.support.evidence_builders import TODAY, reference


def place(type_: str = "article", /, today: datetime.date = TODAY, **fields: str) -> Stratum | Uncovered:
    known = {"author": "Ada Lovelace", "title": "Notes on engines", "year": "2015"} | fields
    return stratum(cited_metadata(reference(type_, **known)), today)


def test_papers_articles_and_preprints_are_in_strata() -> None:
    assert place("inproceedings", booktitle="ICML") == Stratum("paper", "computer_science", "2010-2019")
    assert place(journal="Journal of Physics A", year="2003") == Stratum("article", "physics", "1995-2009")
    assert place("misc", eprint="1701.00001", archiveprefix="arXiv", primaryclass="hep-th", year="2021") == Stratum(
        "preprint", "physics", "2020-"
    )


@pytest.mark.parametrize(
    ("type_", "fields"),
    [
        ("book", {"publisher": "Elsevier"}),
        ("phdthesis", {"school": "MIT"}),
        ("techreport", {"institution": "MIT"}),
        ("online", {"url": "https://example.org"}),
        ("dataset", {}),
        ("software", {}),
        ("standard", {"number": "1"}),
        ("incollection", {"booktitle": "Handbook of engines"}),
        ("article", {}),
        ("article", {"journal": "Nature", "year": ""}),
        ("article", {"journal": "Nature", "year": "1987"}),
        ("article", {"journal": "Nature", "title": "Über die Maschine und ihre Theorie"}),
    ],
)
def test_what_sources_hold_poorly_is_in_none(type_: str, fields: dict[str, str]) -> None:
    assert isinstance(place(type_, TODAY, **fields), Uncovered)


def test_the_newest_works_are_in_none() -> None:
    assert isinstance(place(journal="Nature", year="2026"), Uncovered)
    assert isinstance(place(journal="Nature", year="2025"), Stratum)
    assert isinstance(place(journal="Nature", year="2025", today=datetime.date(2026, 3, 1)), Uncovered)
