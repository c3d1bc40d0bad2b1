"""Thresholds for scores (gates), written ``f1=0.95,fpr<=0.03,ece<0.05``."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

from pytest_citecheck.benchmark.arena_scoring import FIGURES as MODEL_GATES
from pytest_citecheck.benchmark.arena_scoring import figures_of
from pytest_citecheck.benchmark.claim_scores import HIGHER_IS_BETTER as CLAIM_GATES
from pytest_citecheck.benchmark.claim_scores import claim_figures
from pytest_citecheck.benchmark.metric_table import METRICS
from pytest_citecheck.matching import lazy_pattern

if TYPE_CHECKING:
    from pytest_citecheck.benchmark.metrics import Metric

Operator = Literal["<", "<=", ">", ">="]

GATE_FIELDS: Mapping[str, str] = {name: row.name for row in METRICS for name in row.gates}
"""The names of gates and the score field of each. ``ece`` is the ECE that does not depend on the order of entries."""

_CHECKS, _MODELS, _CLAIMS = "labelled reference", "answer of a model", "claim"
_KNOWN: Mapping[str, tuple[str, bool, str]] = {
    **{name: (name, higher, _CLAIMS) for name, higher in CLAIM_GATES.items()},
    **{name: (name, higher, _MODELS) for name, higher in MODEL_GATES.items()},
    **{name: (row.name, row.higher_is_better, _CHECKS) for row in METRICS for name in row.gates},
}
"""The score field of a gate, whether higher is better, and what is scored."""
_GATE = lazy_pattern(r"\s*([A-Za-z]\w*)\s*(<=|>=|<|>|=)\s*(\S+)\s*")
_HOLDS: Mapping[Operator, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class GateError(ValueError):
    """The text of a gate is invalid; the message says why."""


@dataclass(frozen=True, slots=True)
class Gate:
    """One threshold. text: as written. field: name of the score field. comparison: <, <=, > or >=. bound: the threshold.

    subject: what is scored.
    """

    text: str
    field: str
    comparison: Operator
    bound: float
    subject: str

    def against(self, scores: Mapping[str, Any]) -> tuple[str, bool]:
        """The threshold with the score that was reached, and whether it passed.

        An undefined score fails. One with bounds (unchecked references) passes if both ends do; an end without a value fails.
        """
        value = {**scores.get("further", {}), **scores}.get(self.field)
        ends = value if isinstance(value, tuple) else (value,)
        passed = all(end is not None and _HOLDS[self.comparison](end, self.bound) for end in ends)
        if isinstance(value, tuple):
            low, high = ("unbounded" if end is None else f"{end:.4f}" for end in value)
            return f"{self.text}: {low} to {high}, as unchecked references are wrong or right", passed
        return f"{self.text}: {'undefined' if value is None else f'{value:.4f}'}", passed


def parse_gates(text: str, metrics: Iterable[Metric] = ()) -> tuple[Gate, ...]:
    """Parse ``name operator number``, separated by commas; an empty text has no gates.

    ``=`` means ``>=`` for metrics where higher is better and ``<=`` where lower is better. metrics: additional metrics that
    gates can name. Raises GateError.
    """
    further = {
        metric.name: (GATE_FIELDS.get(metric.name, metric.name), metric.higher_is_better, _CHECKS) for metric in metrics
    }
    return tuple(_parse(part.strip(), {**_KNOWN, **further}) for part in text.split(",") if part.strip())


def _parse(text: str, known: Mapping[str, tuple[str, bool, str]]) -> Gate:
    found = _GATE.fullmatch(text)
    if not found:
        raise GateError(f"{text!r} is not a threshold: write a name, one of = < <= > >=, and a number, as in f1>=0.9")
    name, comparison, number = found.groups()
    if name not in known:
        raise GateError(f"unknown metric {name!r} in {text!r}; choose from {', '.join(sorted(known))}")
    field, higher, subject = known[name]
    if comparison == "=":
        comparison = ">=" if higher else "<="
    return Gate(text, field, cast("Operator", comparison), _number(number, text), subject)


def _number(number: str, text: str) -> float:
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise GateError(f"{number!r} in {text!r} is not a number")
    return value


def gate_lines(
    gates: str,
    documents: Sequence[dict[str, Any]],
    metrics: Sequence[Metric] = (),
    arena: Mapping[str, Any] | None = None,
    judges: Mapping[str, Mapping[str, Any]] | None = None,
) -> list[tuple[str, bool]]:
    """Each threshold with the score reached on each split, by each model or judge, and whether it passed. Without scores,
    all fail.

    arena: the scores of models, as from `score_answers`. judges: the scores of judges of claims. Raises GateError.
    """
    parsed = parse_gates(gates, metrics)
    subjects: Mapping[str, Sequence[tuple[str, Mapping[str, Any]]]] = {
        _CHECKS: [(document["split_name"], document) for document in documents],
        _MODELS: figures_of(arena or {}),
        _CLAIMS: claim_figures(judges or {}),
    }
    lines = []
    for subject, scores in subjects.items():
        own = [gate for gate in parsed if gate.subject == subject]
        lines += [(f"{gate.text}: no {subject} was checked", False) for gate in own if not scores]
        for name, values in scores:
            where = f" ({name})" if len(scores) > 1 else ""
            lines += [(f"{said}{where}", passed) for said, passed in (gate.against(values) for gate in own)]
    return lines
