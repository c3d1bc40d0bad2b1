"""``citecheck score junit``: the scores of a run, or of the shards of one, from its JUnit XML alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, cast
from xml.etree.ElementTree import ParseError

from junitparser import JUnitXmlError
from junitparser.xunit2 import JUnitXml, TestCase

from pytest_citecheck.cli.index.screen import UsageError, complain
from pytest_citecheck.cli.score.predictions import score_table, write_json
from pytest_citecheck.cli.score.running import NotScoredError
from pytest_citecheck.cli.tables import TABLE_FORMATS
from pytest_citecheck.hallmark.cases import Case
from pytest_citecheck.metrics.gates import GateError
from pytest_citecheck.metrics.runs import gate_lines, score_cases

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

__all__ = ["score_junit"]

_ENTITY = re.compile(rb"<!\s*(?:DOCTYPE|ENTITY)", re.IGNORECASE)


def score_junit(chosen: argparse.Namespace) -> int:
    """Print the scores; the exit code is 1 if a threshold is missed. Raises UsageError, NotScoredError."""
    if chosen.bootstrap < 0:
        raise UsageError("--bootstrap needs a number of replicates, or 0 for none")
    cases, repeated, differing = _merged(_cases(chosen.files))
    if repeated:
        told = f", {differing} of them with another outcome or verdict" if differing else ""
        complain(f"citecheck score junit: {repeated} cases occur more than once{told}; the first of each counts")
    documents = score_cases(cases, replicates=chosen.bootstrap)
    if not documents:
        raise NotScoredError("no case of a labelled reference in these files")
    try:
        gates = gate_lines(chosen.fail_under, documents)
    except GateError as error:
        raise UsageError(f"--fail-under: {error}") from error
    rows = [
        {**document, "tool_name": document["split_name"], "evaluation_mode": "conservative"} for document in documents
    ]
    if chosen.json:
        write_json(chosen.json, {"tools": documents})
    print(score_table(rows, TABLE_FORMATS[chosen.format]))
    for text, held in gates:
        print(f"{'held' if held else 'MISSED':<8}{text}")
    return 0 if all(held for _, held in gates) else 1


def _merged(cases: Iterable[Case]) -> tuple[list[Case], int, int]:
    """Each case once, how many occurred again, and how many of these said something else."""
    known: dict[tuple[str, str, str], Case] = {}
    repeated = differing = 0
    for case in cases:
        name = (case.split, case.key, case.check)
        first = known.setdefault(name, case)
        if first is not case:
            repeated += 1
            differing += (first.outcome, first.verdict) != (case.outcome, case.verdict)
    return list(known.values()), repeated, differing


def _cases(paths: Iterable[Path]) -> Iterator[Case]:
    for path in paths:
        for case in _test_cases(path):
            properties = _properties(case)
            try:
                read = Case.from_properties(properties)
            except ValueError as error:
                raise NotScoredError(f"{path}: case {case.name}: {error}") from error
            if read is not None:
                yield read


def _properties(case: TestCase) -> dict[str, str]:
    stated = case.properties()  # type: ignore[no-untyped-call]
    return {prop.name: prop.value for prop in stated if prop.name.startswith("citecheck.")}


def _test_cases(path: Path) -> Iterator[TestCase]:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    if _ENTITY.search(data[:4096]):
        raise NotScoredError(f"{path}: a document type is declared, and JUnit XML has none")
    try:
        report = JUnitXml.fromstring(data)
    except (JUnitXmlError, ParseError, ValueError) as error:
        raise NotScoredError(f"{path}: no JUnit XML: {error}") from error
    for suite in report:
        yield from cast("Iterable[TestCase]", suite)  # those of suites within it, too
