"""What a run over labelled references says of the checks themselves: scores, thresholds, predictions.

Everything is computed from the properties that stand in the JUnit XML, so that it can be computed again from there
(``citecheck score junit``) with the same result.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import PurePosixPath
from typing import Any

from pytest_citecheck.hallmark.cases import Case, judged
from pytest_citecheck.hallmark.prediction_file import write_predictions
from pytest_citecheck.plugin.junit import case_properties

__all__ = ["Scores", "run_predictions", "score_cases", "score_run"]

Payloads = Mapping[str, Mapping[str, dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class Scores:
    """What is said of the labelled files of a run.

    splits: one document of scores each (`pytest_citecheck.metrics.score`). gates: text and result of each threshold, and of
    which file. problem: why there are no scores although there are labels; else empty.
    """

    splits: tuple[dict[str, Any], ...] = ()
    gates: tuple[tuple[str, bool], ...] = ()
    problem: str = ""

    @property
    def held(self) -> bool:
        """Whether all thresholds are kept."""
        return all(held for _, held in self.gates)


def score_run(payloads: Payloads, gates: str) -> Scores:
    """The scores of everything that a run found about labelled references. ``gates``: as in ``--citecheck-fail-under``."""
    return score_cases(_cases(payloads), gates)


def score_cases(cases: Iterable[Case], gates: str = "") -> Scores:
    """The same for cases from anywhere."""
    splits = {name: pair for name, pair in judged(cases).items() if pair[0]}
    if not splits:
        return Scores(gates=((f"{gates}: no labelled reference was checked", False),) if gates else ())
    if find_spec("numpy") is None:
        return Scores(problem="scores need numpy: pip install pytest-citecheck[metrics]")
    from pytest_citecheck.metrics.gates import check_gates, parse_gates  # noqa: PLC0415 - needs numpy
    from pytest_citecheck.metrics.score import score  # noqa: PLC0415

    documents = []
    results = []
    for name, (entries, predictions) in splits.items():
        labelled = {entry.key for entry in entries}
        document = score(
            entries,
            [prediction for prediction in predictions if prediction.key in labelled],
            tool_name="pytest-citecheck",
            split_name=PurePosixPath(name).name,
        )
        documents.append(document)
        for result in check_gates(parse_gates(gates), document):
            value = "undefined" if result.value is None else f"{result.value:.4f}"
            where = f" ({document['split_name']})" if len(splits) > 1 else ""
            results.append((f"{result.gate.text}: {value}{where}", result.held))
    return Scores(tuple(documents), tuple(results))


def run_predictions(payloads: Payloads) -> str:
    """A prediction for each reference that was checked, one a line, in the order of files and lines."""
    reasons = {
        (data["file"], data["key"]): data["verdict"]["reason"]
        for checks in payloads.values()
        for data in checks.values()
        if data["verdict"]
    }
    predictions = [
        replace(prediction, reason=reasons[name, prediction.key])
        for name, (_, predictions) in judged(_cases(payloads)).items()
        for prediction in predictions
    ]
    text = io.StringIO()
    write_predictions(text, predictions)
    return text.getvalue()


def _cases(payloads: Payloads) -> Iterable[Case]:
    for checks in payloads.values():
        for data in checks.values():
            case = Case.from_properties(dict(case_properties(data)))
            if case is not None:
                yield case
