"""zbMATH Open: records that count as first-hand, and data withheld by a licence."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_citecheck.model import Record
from pytest_citecheck.sources import zbmath_record

ENGLISH = {"language": {"languages": ["English"]}}
DOI = {"links": [{"type": "doi", "identifier": "10.2307/2118559"}]}
WITHHELD = "zbMATH Open Web Interface contents unavailable due to conflicting licenses."


def record(**fields: Any) -> Record | None:
    parsed = zbmath_record({"identifier": "0823.11029", "title": {"title": "Modular elliptic curves"}, **fields})
    return parsed[1] if parsed else None


@pytest.mark.parametrize(
    ("fields", "compiled"),
    [
        (ENGLISH, False),
        ({**ENGLISH, **DOI}, True),
        ({"language": {"languages": ["French"]}}, True),
        ({"language": {"languages": ["English", "Russian"]}}, True),
        ({}, True),
    ],
    ids=["English, no DOI", "DOI", "French", "two languages", "unknown language"],
)
def test_the_first_word_is_its_own_for_works_in_english_without_a_doi(fields: dict[str, Any], compiled: bool) -> None:
    found = record(**fields)
    assert found
    assert found.compiled is compiled


def test_what_a_licence_withholds_is_no_title_and_no_name() -> None:
    assert record(title={"title": WITHHELD}) is None
    found = record(contributors={"authors": [{"name": WITHHELD}, {"name": "Wiles, Andrew"}]})
    assert found
    assert [str(person) for person in found.authors] == ["Andrew Wiles"]


def test_a_translated_title_has_the_original_beside_it_and_a_journal_its_name_without_the_series() -> None:
    found = record(
        title={
            "title": "On some points of homological algebra",
            "original": "Sur quelques points d'algèbre homologique",
        },
        source={
            "series": [
                {"title": "Annals of Mathematics. Second Series", "short_title": "Ann. Math. (2)", "year": "1995"}
            ]
        },
    )
    assert found
    assert found.other_titles == ("Sur quelques points d'algèbre homologique",)
    assert found.venues[0] == "Annals of Mathematics"
    assert found.years == (1995,)
