"""Versions of an e-print: whether all were seen, and which is nearest."""

from __future__ import annotations

import pytest

from pytest_citecheck.matching.claim import claim
from pytest_citecheck.matching.eprints import all_versions, nearest_version, versions_seen
from pytest_citecheck.matching.works import candidates
from pytest_citecheck.model import Record
from tests.evidence_builders import evidence, record, reference

CITED = claim(
    reference("misc", author="Ada Lovelace", title="Notes on the engine", eprint="1701.00001", archiveprefix="arXiv")
)


def version(number: int | None, title: str, authors: str = "Ada Lovelace", arxiv: str = "1701.00001") -> Record:
    return record(title, authors, source="arxiv", arxiv=arxiv, type="preprint", version=number)


@pytest.mark.parametrize(
    ("seen", "expected"),
    [((), False), ((1,), True), ((2,), False), ((1, 2), True), ((1, 3), False), ((1, 2, 3), True), ((2, 3), False)],
)
def test_all_versions(seen: tuple[int, ...], expected: bool) -> None:
    assert all_versions(frozenset(seen)) is expected


def test_versions_of_other_papers_and_records_without_one_do_not_count() -> None:
    found = candidates(
        CITED,
        evidence(
            version(3, "Engines"),
            version(1, "Notes"),
            version(None, "Engines"),
            version(2, "Looms", arxiv="1702.00002"),
            record("Engines", "Ada Lovelace", source="dblp", arxiv="1701.00001", type="preprint"),
        ),
    )
    assert versions_seen(found, "1701.00001") == {1, 3}
    assert versions_seen(found, "1702.00002") == {2}
    assert versions_seen(found, "") == frozenset()


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
    ],
)
def test_the_nearest_version(records: list[Record], expected: int | None) -> None:
    assert nearest_version(candidates(CITED, evidence(*records))).record.version == expected


def test_all_versions_are_the_work_if_one_has_its_title() -> None:
    found = candidates(CITED, evidence(version(3, "Weaving"), version(1, "Notes on the engine")))
    assert [(candidate.record.version, candidate.relation, candidate.origin) for candidate in found] == [
        (3, "work", "arxiv"),
        (1, "work", "arxiv"),
    ]
    other = candidates(CITED, evidence(version(3, "Weaving"), version(1, "Looms")))
    assert [candidate.relation for candidate in other] == ["behind", "behind"]
