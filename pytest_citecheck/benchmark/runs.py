"""The scores of a run of the checks over labelled references, from what its cases say: at its end, or from JUnit XML."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from pytest_citecheck.benchmark.arena.answers import arena_references
from pytest_citecheck.benchmark.arena.figures import arena_scores
from pytest_citecheck.benchmark.gates import GateResult, check_gates, parse_gates
from pytest_citecheck.benchmark.hallmark.cases import Case, judged
from pytest_citecheck.benchmark.metrics.base import Metric, further_scores
from pytest_citecheck.benchmark.metrics.pairs import pair
from pytest_citecheck.benchmark.metrics.score import score_pairs

__all__ = ["TOOL", "gate_lines", "score_answers", "score_cases"]

TOOL = "pytest-citecheck"


def score_cases(cases: Iterable[Case], *, replicates: int = 0, metrics: Sequence[Metric] = ()) -> list[dict[str, Any]]:
    """A document of scores (`pytest_citecheck.benchmark.metrics.score.score_pairs`) for each split of which labelled entries
    were checked.

    They do not depend on the order of the cases, nor on which machine or worker they come from. metrics: those of hooks,
    whose values stand under ``further``. Raises MetricError if one of them fails.
    """
    documents = []
    for name, (entries, predictions) in judged(cases).items():
        labelled = {entry.key for entry in entries}
        if labelled:
            pairs = pair(entries, [prediction for prediction in predictions if prediction.key in labelled])
            name = PurePosixPath(name).name
            document = score_pairs(pairs, tool_name=TOOL, split_name=name, replicates=replicates)
            documents.append(document | ({"further": further_scores(metrics, pairs)} if metrics else {}))
    return documents


def score_answers(cases: Iterable[Mapping[str, str]]) -> dict[str, Any] | None:
    """The scores of models (`pytest_citecheck.benchmark.arena.figures.arena_scores`) from the properties of checks; None
    without any."""
    references = arena_references(cases)
    return arena_scores(references) if references else None


def gate_lines(
    gates: str, documents: Sequence[dict[str, Any]], metrics: Sequence[Metric] = ()
) -> list[tuple[str, bool]]:
    """What each threshold came to on each split, in words, and whether it holds; without scores none does.

    Raises GateError.
    """
    parsed = parse_gates(gates, metrics)
    if not documents:
        return [(f"{gate.text}: no labelled reference was checked", False) for gate in parsed]
    lines = []
    for document in documents:
        where = f" ({document['split_name']})" if len(documents) > 1 else ""
        lines += [(f"{_told(result)}{where}", result.held) for result in check_gates(parsed, document)]
    return lines


def _told(result: GateResult) -> str:
    return f"{result.gate.text}: {'undefined' if result.value is None else f'{result.value:.4f}'}"
