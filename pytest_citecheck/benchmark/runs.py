"""The scores of a run over labelled references, from the results of its checks: at its end, or from JUnit XML."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from pytest_citecheck.benchmark.arena_comparison import compared_models
from pytest_citecheck.benchmark.arena_scoring import LEAST_COVERAGE, arena_references, arena_scores
from pytest_citecheck.benchmark.metrics import Metric, further_scores, pair
from pytest_citecheck.benchmark.predictions import CheckResult, by_split
from pytest_citecheck.benchmark.scoring import score_pairs
from pytest_citecheck.benchmark.strict_scoring import strict_scores

TOOL = "pytest-citecheck"


def score_cases(
    cases: Iterable[CheckResult], *, replicates: int = 0, metrics: Sequence[Metric] = ()
) -> list[dict[str, Any]]:
    """A score document (`pytest_citecheck.benchmark.scoring.score_pairs`) for each split with labelled entries.

    The scores do not depend on the order of the cases, or on the machines and workers that ran them. metrics: the metrics of
    hooks, whose values are under ``further``. Raises MetricError if one of them fails.
    """
    documents = []
    for name, (entries, predictions) in by_split(cases).items():
        labelled = {entry.key for entry in entries}
        if labelled:
            pairs = pair(entries, [prediction for prediction in predictions if prediction.key in labelled])
            name = PurePosixPath(name).name
            document = score_pairs(pairs, tool_name=TOOL, split_name=name, replicates=replicates)
            documents.append(document | ({"further": further_scores(metrics, pairs)} if metrics else {}))
    return documents


def score_answers(cases: Iterable[Mapping[str, str]], least: float = LEAST_COVERAGE) -> dict[str, Any] | None:
    """The scores of models (`pytest_citecheck.benchmark.arena_scoring.arena_scores`) from the properties of checks.

    ``comparisons``: of each two models. ``strict`` and ``lenient``: the Arena's own, under its rule and under its lenient
    profile. least: the share of a model's references that must be checked before it is ranked. None if no check is of a model's
    answer.
    """
    references = arena_references(cases)
    if not references:
        return None
    scores = arena_scores(references, least=least) | {"comparisons": compared_models(references, least)}
    if any(reference.strict is not None for reference in references):
        scores |= {
            "strict": strict_scores(references, least=least),
            "lenient": strict_scores(references, "lenient", least=least),
        }
    return scores
