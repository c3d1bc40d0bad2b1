"""``citecheck score junit``: the scores of a run, or of the shards of one, from its JUnit XML alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast
from xml.etree.ElementTree import ParseError

from junitparser import JUnitXmlError
from junitparser.xunit2 import JUnitXml, TestCase

from pytest_citecheck.cli.index.screen import UsageError, complain
from pytest_citecheck.cli.score.predictions import score_table, write_json
from pytest_citecheck.cli.score.running import NotScoredError
from pytest_citecheck.cli.tables import TABLE_FORMATS, number
from pytest_citecheck.hallmark.cases import Case
from pytest_citecheck.metrics.gates import GateError
from pytest_citecheck.metrics.runs import gate_lines, score_answers, score_cases

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

__all__ = ["score_junit"]

_MODEL_SCORES: Mapping[str, str] = {
    "verified": "verification_rate",
    "hallucinated": "hallucination_rate",
    "confidence": "avg_confidence",
    "complete": "completeness",
    "delivered": "coverage",
}
_ENTITY = re.compile(rb"<!\s*(?:DOCTYPE|ENTITY)", re.IGNORECASE)


def score_junit(chosen: argparse.Namespace) -> int:
    """Print the scores; the exit code is 1 if a threshold is missed. Raises UsageError, NotScoredError."""
    if chosen.bootstrap < 0:
        raise UsageError("--bootstrap needs a number of replicates, or 0 for none")
    stated = [(path, properties) for path in chosen.files for properties in _properties_of_cases(path)]
    cases, repeated, differing = _merged(_cases(stated))
    if repeated:
        told = f", {differing} of them with another outcome or verdict" if differing else ""
        complain(f"citecheck score junit: {repeated} cases occur more than once{told}; the first of each counts")
    documents = score_cases(cases, replicates=chosen.bootstrap)
    arena = score_answers(properties for _, properties in stated)
    if not documents and arena is None:
        raise NotScoredError("no case of a labelled reference or of a model's answer in these files")
    try:
        gates = gate_lines(chosen.fail_under, documents)
    except GateError as error:
        raise UsageError(f"--fail-under: {error}") from error
    rows = [
        {**document, "tool_name": document["split_name"], "evaluation_mode": "conservative"} for document in documents
    ]
    if chosen.json:
        write_json(chosen.json, ({"tools": documents} if documents else {}) | ({"arena": arena} if arena else {}))
    if rows:
        print(score_table(rows, TABLE_FORMATS[chosen.format]))
    if arena is not None:
        print(_models(arena, TABLE_FORMATS[chosen.format]))
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


def _cases(stated: Iterable[tuple[Path, dict[str, str]]]) -> Iterator[Case]:
    for path, properties in stated:
        try:
            read = Case.from_properties(properties)
        except ValueError as error:
            raise NotScoredError(f"{path}: case {properties.get('citecheck.id', '')}: {error}") from error
        if read is not None:
            yield read


def _models(arena: Mapping[str, Any], render: Callable[[Sequence[str], Sequence[Sequence[str]]], str]) -> str:
    header = ["model", "references", *_MODEL_SCORES]
    rows = [
        [scores["model"], number(scores["total_refs"]), *(number(scores[field]) for field in _MODEL_SCORES.values())]
        for scores in arena["rankings"]
    ]
    return render(header, rows)


def _properties_of_cases(path: Path) -> Iterator[dict[str, str]]:
    return map(_properties, _test_cases(path))


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
