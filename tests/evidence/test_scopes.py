"""Complete lists, whose absences count."""

from __future__ import annotations

import datetime

import pytest

from pytest_citecheck.evidence import closed_stream, missing_from_scope
from pytest_citecheck.inputs import cited_metadata
from pytest_citecheck.model import QueryResult
from tests.support.evidence_builders import (
    LISTED,
    NONE_OF_THEIRS,
    TODAY,
    absent,
    evidence,
    found,
    record,
    reference,
    silent,
)

AT_ICML = cited_metadata(
    reference("inproceedings", author="Ada Lovelace", title="Engines", booktitle="ICML", year="2019")
)
WEAVING = record("Weaving", "Ada Lovelace", source="dblp")
ONE_OF_THEIRS = found(WEAVING, kind="author_search", value="conf/icml", year=2019, scope="dblp lists 1 work")
NOT_LISTED = absent("dblp", "venue_year", "conf/icml", year=2019)
CUT = found(WEAVING, kind="author_search", value="conf/icml", year=2019)
LAST_YEAR = absent(
    "dblp", "author_search", "conf/icml", "dblp lists no work in conf/icml 2018 by an author named Lovelace", 2018
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
    cited = cited_metadata(reference("inproceedings", booktitle=venue, year=year))
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
def test_every_part_of_the_proof_is_needed(lines: list[QueryResult], missing: bool) -> None:
    assert bool(missing_from_scope(AT_ICML, evidence(*lines), TODAY)) is missing


OWN_LIST = found(
    source="pmlr", kind="author_search", value="icml", year=2019, scope="PMLR lists 774 works of ICML 2019"
)
SEARCHED = absent("crossref")


@pytest.mark.parametrize(
    ("lines", "missing"),
    [
        ([OWN_LIST, SEARCHED], True),
        ([OWN_LIST], False),
        ([OWN_LIST, silent("crossref")], False),
        ([OWN_LIST, silent("crossref"), absent("arxiv")], True),
        ([OWN_LIST, silent("dblp"), SEARCHED], True),
        ([OWN_LIST, silent("pmlr", "author_search", "icml"), SEARCHED], False),
        ([absent("pmlr", "author_search", "icml", year=2019), SEARCHED], False),
        ([found(source="cvf", kind="author_search", value="cvpr", year=2019, scope="another list"), SEARCHED], False),
    ],
)
def test_a_publishers_list_needs_a_search_beside_it(lines: list[QueryResult], missing: bool) -> None:
    assert missing_from_scope(AT_ICML, evidence(*lines), TODAY) == (
        "PMLR lists 774 works of ICML 2019 (retrieved 2026-11-20)" if missing else ""
    )


def test_of_a_list_in_parts_all_are_needed() -> None:
    cited = cited_metadata(reference("inproceedings", author="A B", title="Engines", booktitle="ICLR", year="2023"))
    parts = [
        found(source="openreview_v1_venue", kind="author_search", value=value, year=2023, scope="a list")
        for value in ("iclr", "iclr#2")
    ]
    assert missing_from_scope(cited, evidence(*parts, SEARCHED), TODAY)
    for part in parts:
        assert not missing_from_scope(cited, evidence(part, SEARCHED), TODAY)


def test_a_publishers_list_of_this_year_may_be_the_programme() -> None:
    assert not missing_from_scope(AT_ICML, evidence(OWN_LIST, SEARCHED), datetime.date(2019, 12, 31))


@pytest.mark.parametrize(
    ("fields", "closed"),
    [
        ({}, True),
        # Called by what they are: no volume holds them.
        ({"title": "ICML 2019 Tutorial: Engines"}, False),
        ({"title": "ICML'19 tutorial: Engines"}, False),
        ({"title": "Tutorial: Engines"}, False),
        ({"title": "Keynote: Engines"}, False),
        ({"title": "Invited Talk - Engines"}, False),
        ({"title": "Talk: Engines"}, False),
        ({"title": "Engines (Tutorial)"}, False),
        ({"title": "Engines [Keynote Talk]"}, False),
        ({"note": "Tutorial"}, False),
        ({"note": "Keynote by A. Lovelace"}, False),
        ({"howpublished": "Invited talk"}, False),
        ({"type": "Tutorial"}, False),
        ({"note": "Workshop on Engines"}, False),
        # Papers that are about such, and papers that were presented well.
        ({"title": "A Tutorial on Engines"}, True),
        ({"title": "Engines: A Tutorial"}, True),
        ({"title": "Talk2Engine: Speaking to Machines"}, True),
        ({"title": "Small Talk: Engines in Conversation"}, True),
        ({"title": "Keynote Detection in Music: Engines"}, True),
        ({"title": "Engines (Extended Abstract)"}, True),
        ({"note": "Oral presentation"}, True),
        ({"note": "JMLR Workshop and Conference Proceedings"}, True),
        ({"note": "Long talk"}, True),
    ],
)
def test_what_calls_itself_a_talk_or_a_tutorial_is_in_no_list_of_papers(fields: dict[str, str], closed: bool) -> None:
    said = {"author": "Ada Lovelace", "title": "Engines", "booktitle": "ICML", "year": "2019", **fields}
    cited = cited_metadata(reference("inproceedings", **said))
    assert bool(closed_stream(cited, TODAY)) is closed
    assert bool(missing_from_scope(cited, evidence(LISTED, NONE_OF_THEIRS), TODAY)) is closed
