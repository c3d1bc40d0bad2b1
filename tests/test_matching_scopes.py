"""When a list is complete, so that an absence from it counts."""

from __future__ import annotations

import datetime

import pytest

from pytest_citecheck.matching.claim import claim
from pytest_citecheck.matching.scopes import closed_stream, missing_from_scope
from pytest_citecheck.model import Asked
from tests.evidence_builders import LISTED, NONE_OF_THEIRS, TODAY, absent, evidence, found, record, reference, silent

AT_ICML = claim(reference("inproceedings", author="Ada Lovelace", title="Engines", booktitle="ICML", year="2019"))
WEAVING = record("Weaving", "Ada Lovelace", source="dblp")
ONE_OF_THEIRS = found(WEAVING, kind="byline", value="conf/icml", year=2019, scope="dblp lists 1 work")
NOT_LISTED = absent("dblp", "volume", "conf/icml", year=2019)
CUT = found(WEAVING, kind="byline", value="conf/icml", year=2019)
LAST_YEAR = absent(
    "dblp", "byline", "conf/icml", "dblp lists no work in conf/icml 2018 by anybody named Lovelace", 2018
)


@pytest.mark.parametrize(
    ("venue", "year", "stream"),
    [
        ("ICML", "2019", "conf/icml"),
        ("Proceedings of the 36th International Conference on Machine Learning", "2019", "conf/icml"),
        ("ICML", "2025", ""),
        ("ICML", "2024", "conf/icml"),
        ("ICML", "1960", ""),
        ("ICML", "", ""),
        ("ICML 2019 Workshop on Engines", "2019", ""),
        ("Memoirs of Engines", "2019", ""),
        ("", "2019", ""),
    ],
)
def test_the_complete_stream(venue: str, year: str, stream: str) -> None:
    cited = claim(reference("inproceedings", booktitle=venue, year=year))
    assert closed_stream(cited, datetime.date(2026, 11, 20)) == stream


@pytest.mark.parametrize(
    ("lines", "missing"),
    [
        ([LISTED, NONE_OF_THEIRS], True),
        ([NONE_OF_THEIRS, LISTED], True),
        ([ONE_OF_THEIRS], True),
        ([NONE_OF_THEIRS], False),
        ([LISTED], False),
        ([NOT_LISTED, NONE_OF_THEIRS], False),
        ([LISTED, CUT], False),
        ([LISTED, LAST_YEAR], False),
        ([LISTED, NONE_OF_THEIRS, silent("crossref")], True),
        ([LISTED, NONE_OF_THEIRS, silent("dblp")], False),
        ([], False),
    ],
)
def test_every_part_of_the_proof_is_needed(lines: list[Asked], missing: bool) -> None:
    assert bool(missing_from_scope(AT_ICML, evidence(*lines), TODAY)) is missing
