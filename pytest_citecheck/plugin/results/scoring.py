"""Scores, thresholds and predictions of a run over labelled references.

All are computed from the properties in the JUnit XML, so that ``citecheck score junit`` gives the same result.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from pytest_citecheck.plugin.results.junit import case_properties

if TYPE_CHECKING:
    from pytest_citecheck.benchmark.hallmark.check_results import CheckResult
    from pytest_citecheck.benchmark.metrics.base import Metric

__all__ = ["Scores", "run_predictions", "score_run"]

Payloads = Mapping[str, Mapping[str, dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of the labelled files of a run.

    splits: one score document per split (`pytest_citecheck.benchmark.metrics.score`). gates: each threshold with the score
    reached, and whether it passed. arena: the scores of the models whose answers were checked
    (`pytest_citecheck.benchmark.arena.scores.arena_scores`). problem: why there are no scores although there are labels;
    otherwise empty.
    """

    splits: tuple[dict[str, Any], ...] = ()
    gates: tuple[tuple[str, bool], ...] = ()
    arena: Mapping[str, Any] | None = None
    problem: str = ""

    @property
    def passed(self) -> bool:
        """Whether all thresholds passed."""
        return all(passed for _, passed in self.gates)


def score_run(
    payloads: Payloads, gates: str, metrics: Sequence[Metric] = (), least_coverage: float | None = None
) -> Scores:
    """The scores of a run over labelled references. gates: as in ``--citecheck-fail-under``.

    metrics: additional metrics, of hooks. least_coverage: the share of a model's references that must be checked before it is
    ranked; None: the default. Raises MetricError if one of them fails.
    """
    if not gates and not any(data["truth"] or data["answer"] for data in _everything(payloads)):
        return Scores()
    if find_spec("numpy") is None:
        return Scores(problem="scores need numpy: pip install 'pytest-citecheck[metrics]'")
    # ruff: noqa: PLC0415 - needs numpy
    from pytest_citecheck.benchmark.arena.scores import LEAST_COVERAGE
    from pytest_citecheck.benchmark.runs import gate_lines, score_answers, score_cases

    documents = score_cases(_cases(payloads), metrics=metrics)
    arena = score_answers(
        (dict(case_properties(data)) for data in _everything(payloads) if data["answer"]),
        LEAST_COVERAGE if least_coverage is None else least_coverage,
    )
    return Scores(tuple(documents), tuple(gate_lines(gates, documents, metrics, arena)), arena)


def run_predictions(payloads: Payloads) -> str:
    """One prediction per line for each checked reference, in the order of files and lines."""
    from pytest_citecheck.benchmark.hallmark.check_results import by_split
    from pytest_citecheck.benchmark.hallmark.prediction_file import write_predictions

    reasons = {
        (data["file"], data["key"]): data["verdict"]["reason"] for data in _everything(payloads) if data["verdict"]
    }
    predictions = [
        replace(prediction, reason=reasons[name, prediction.key])
        for name, (_, predictions) in by_split(_cases(payloads)).items()
        for prediction in predictions
    ]
    text = io.StringIO()
    write_predictions(text, predictions)
    return text.getvalue()


def _cases(payloads: Payloads) -> Iterable[CheckResult]:
    from pytest_citecheck.benchmark.hallmark.check_results import CheckResult

    for data in _everything(payloads):
        case = CheckResult.from_properties(dict(case_properties(data)))
        if case is not None:
            yield case


def _everything(payloads: Payloads) -> Iterator[dict[str, Any]]:
    """All payloads, one at a time, because each is unpacked on access."""
    for checks in payloads.values():
        yield from checks.values()
