"""Versions of an e-print: whether all were seen, and which is nearest."""

from __future__ import annotations

import pytest

from pytest_citecheck.evidence import (
    all_versions_seen,
    candidates,
    nearest_version,
    unseen_version_may_be_meant,
    versions_seen,
)
from pytest_citecheck.inputs import cited_metadata
from pytest_citecheck.model import QueryResult, Record
from tests.support.evidence_builders import evidence, found, record, reference, silent

CITED = cited_metadata(
    reference("misc", author="Ada Lovelace", title="Notes on the engine", eprint="1701.00001", archiveprefix="arXiv")
)


def version(number: int | None, title: str, authors: str = "Ada Lovelace", arxiv: str = "1701.00001") -> Record:
    return record(title, authors, source="arxiv", arxiv=arxiv, type="preprint", version=number)


def asked_for(number: int) -> QueryResult:
    return found(version(number, "Engines"), kind="arxiv", value=f"1701.00001v{number}")


def latest(number: int) -> QueryResult:
    return found(version(number, "Engines"), kind="arxiv", value="1701.00001")


@pytest.mark.parametrize(
    ("lines", "seen", "whole"),
    [
        ([], (), False),
        ([latest(1)], (1,), True),
        ([latest(2)], (2,), False),
        ([latest(2), asked_for(1)], (1, 2), True),
        ([latest(3), asked_for(1)], (1, 3), False),
        ([latest(3), asked_for(1), asked_for(2)], (1, 2, 3), True),
        ([latest(3), silent("arxiv", "arxiv", "1701.00001v1")], (3,), False),
        # A search by title shows the latest; a version that was asked for may have successors.
        ([found(version(2, "Engines")), asked_for(1)], (1, 2), True),
        ([asked_for(1)], (1,), False),
        ([asked_for(2), asked_for(1), silent("arxiv", "arxiv", "1701.00001")], (1, 2), False),
    ],
)
def test_whether_all_versions_were_seen(lines: list[QueryResult], seen: tuple[int, ...], whole: bool) -> None:
    known = evidence(*lines)
    assert versions_seen(known, "1701.00001") == set(seen)
    assert all_versions_seen(known, "1701.00001") is whole
    assert unseen_version_may_be_meant(CITED, known, "1701.00001") is not whole


def test_the_version_that_is_cited_is_the_one_that_is_meant() -> None:
    second = cited_metadata(reference("misc", title="Notes", eprint="1701.00001v2", archiveprefix="arXiv"))
    assert unseen_version_may_be_meant(second, evidence(latest(3), asked_for(1)), "1701.00001")
    assert not unseen_version_may_be_meant(second, evidence(latest(3), asked_for(2)), "1701.00001")
    other = version(2, "Looms", arxiv="1702.00002")
    assert unseen_version_may_be_meant(second, evidence(other), "1702.00002")  # the number is that of another paper


def test_versions_of_other_papers_and_records_without_one_do_not_count() -> None:
    known = evidence(
        version(3, "Engines"),
        version(1, "Notes"),
        version(None, "Engines"),
        version(1, "Looms", arxiv="1702.00002"),
        record("Engines", "Ada Lovelace", source="dblp", arxiv="1701.00001", type="preprint"),
    )
    assert versions_seen(known, "1701.00001") == {1, 3}
    assert versions_seen(known, "1702.00002") == {1}
    assert versions_seen(known, "") == frozenset()
    assert [all_versions_seen(known, name) for name in ("1701.00001", "1702.00002", "")] == [False, True, False]


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        ([version(3, "Engines"), version(1, "Notes on an engine")], 1),
        ([version(3, "Notes on engines"), version(1, "Looms")], 3),
        # People first: the version by others is not what is meant.
        ([version(3, "Notes on the engines", "Grace Hopper"), version(1, "Looms")], 1),
        ([version(3, "Engines"), version(1, "Notes on an engine", arxiv="1702.00002")], 3),
        ([version(None, "Engines"), version(1, "Notes on an engine")], None),
        ([version(2, "Engines"), version(1, "Engines")], 2),
        ([version(2, "Looms", "Grace Hopper"), version(1, "Looms and notes", "Grace Hopper")], 2),
        ([version(2, "Looms"), version(1, "Looms and notes")], 1),
    ],
)
def test_the_nearest_version(records: list[Record], expected: int | None) -> None:
    assert nearest_version(candidates(CITED, evidence(*records))).record.version == expected


def test_all_versions_are_the_work_if_one_has_its_title() -> None:
    together = candidates(CITED, evidence(version(3, "Weaving"), version(1, "Notes on the engine")))
    assert [(candidate.record.version, candidate.relation, candidate.upstream) for candidate in together] == [
        (3, "work", "arxiv"),
        (1, "work", "arxiv"),
    ]
    other = candidates(CITED, evidence(version(3, "Weaving"), version(1, "Looms")))
    assert [candidate.relation for candidate in other] == ["target", "target"]
