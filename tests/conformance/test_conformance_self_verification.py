"""Real records, written as entries in the styles people use, verified against themselves: nothing may be accused.

Reads the folder that CITECHECK_SHARED names.
"""

from __future__ import annotations

from collections import defaultdict

import pytest

from pytest_citecheck.checks import evaluate
from pytest_citecheck.inputs import read_bibtex
from pytest_citecheck.matching import title_key
from pytest_citecheck.model import Reference
from tests.conformance.rendering import Row, as_evidence, bibtex, needs_records, read_rows
from tests.support.evidence_builders import TODAY

pytestmark = needs_records

RECORDS = 3000
MOST_FALSE = 0.002
"""Maximum share of records with a failed check; the rest are errors of the collections themselves."""


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    """The rows of every eighth title of the smaller collection: all sources and venues, about 30,000 rows."""
    return list(read_rows("records_ml_core.jsonl.zst", every=8))


@pytest.fixture(scope="module")
def cited(rows: list[Row]) -> list[tuple[Row, Reference]]:
    sample = rows[:: len(rows) // RECORDS][:RECORDS]
    assert len(sample) == RECORDS
    text = "\n".join(bibtex(row, number) for number, row in enumerate(sample))
    references = read_bibtex("records.bib", text.encode()).references
    assert len(references) == RECORDS
    return list(zip(sample, references, strict=True))


def accusations(reference: Reference, rows: list[Row]) -> list[str]:
    findings = evaluate(reference, as_evidence(rows, rows[0].title), TODAY).findings.values()
    return [
        f"{rows[0].source} {rows[0].id}: {finding.code}: {finding.message}"
        for finding in findings
        if finding.outcome == "failed" and finding.check != "completeness"
    ]


def test_entries_are_read_without_defects(cited: list[tuple[Row, Reference]]) -> None:
    assert [reference.text for _, reference in cited if not reference.readable] == []


def test_a_record_verifies_itself(cited: list[tuple[Row, Reference]]) -> None:
    accused = [found for row, reference in cited if (found := accusations(reference, [row]))]
    assert len(accused) <= MOST_FALSE * RECORDS, accused


def test_a_record_is_not_accused_by_its_namesakes(rows: list[Row], cited: list[tuple[Row, Reference]]) -> None:
    by_title = defaultdict(list)
    for row in rows:
        by_title[title_key(row.title)].append(row)
    accused = []
    for row, reference in cited:
        others = [other for other in by_title[title_key(row.title)] if other is not row]
        if found := accusations(reference, [row, *others]):
            accused.append(found)
    assert len(accused) <= MOST_FALSE * RECORDS, accused
