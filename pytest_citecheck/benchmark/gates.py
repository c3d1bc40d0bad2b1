"""Thresholds for scores (gates), written ``f1=0.95,fpr<=0.03,ece<0.05``."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

from pytest_citecheck.benchmark.arena_scoring import FIGURES as MODEL_GATES
from pytest_citecheck.benchmark.claim_scores import HIGHER_IS_BETTER as CLAIM_GATES
from pytest_citecheck.benchmark.metric_table import METRICS
from pytest_citecheck.matching import lazy_pattern

if TYPE_CHECKING:
    from pytest_citecheck.benchmark.metrics import Metric

Operator = Literal["<", "<=", ">", ">="]

GATE_FIELDS: Mapping[str, str] = {name: row.name for row in METRICS for name in row.gates}
"""The names of gates and the score field of each. ``ece`` is the ECE that does not depend on the order of entries."""

_HIGHER_IS_BETTER = frozenset(
    (
        *(name for row in METRICS for name in row.gates if row.higher_is_better),
        *(name for name, higher in {**MODEL_GATES, **CLAIM_GATES}.items() if higher),
    )
)
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

    of_models: whether it is a score of models' answers, not of checks. of_claims: whether it is a score of judges of claims.
    """

    text: str
    field: str
    comparison: Operator
    bound: float
    of_models: bool = False
    of_claims: bool = False


@dataclass(frozen=True, slots=True)
class GateResult:
    """A score compared with a gate. value: None if the metric is undefined; the gate then fails.

    A value with bounds (unchecked references) is a pair, and passes if both ends do; an end without a value fails.
    """

    gate: Gate
    value: float | tuple[float | None, float | None] | None
    passed: bool


def parse_gates(text: str, metrics: Iterable[Metric] = ()) -> tuple[Gate, ...]:
    """Parse ``name operator number``, separated by commas; an empty text has no gates.

    ``=`` means ``>=`` for metrics where higher is better and ``<=`` where lower is better. metrics: additional metrics that
    gates can name. Raises GateError.
    """
    further = {metric.name: metric for metric in metrics}
    return tuple(_parse(part.strip(), further) for part in text.split(",") if part.strip())


def _parse(text: str, further: Mapping[str, Metric]) -> Gate:
    found = _GATE.fullmatch(text)
    if not found:
        raise GateError(f"{text!r} is not a threshold: write a name, one of = < <= > >=, and a number, as in f1>=0.9")
    name, comparison, number = found.groups()
    known = sorted({*GATE_FIELDS, *further, *MODEL_GATES, *CLAIM_GATES})
    if name not in known:
        raise GateError(f"unknown metric {name!r} in {text!r}; choose from {', '.join(known)}")
    if comparison == "=":
        higher = further[name].higher_is_better if name in further else name in _HIGHER_IS_BETTER
        comparison = ">=" if higher else "<="
    is_own = name in GATE_FIELDS or name in further
    of_models, of_claims = (not is_own and name in known for known in (MODEL_GATES, CLAIM_GATES))
    field = GATE_FIELDS.get(name, name)
    return Gate(text, field, cast("Operator", comparison), _number(number, text), of_models, of_claims)


def _number(number: str, text: str) -> float:
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise GateError(f"{number!r} in {text!r} is not a number")
    return value


def check_gates(gates: Sequence[Gate], score: Mapping[str, Any]) -> list[GateResult]:
    """Compare a score with the gates; one result per gate. An undefined metric fails its gate."""
    known = {**score.get("further", {}), **score}
    return [_check(gate, known.get(gate.field)) for gate in gates]


def _check(gate: Gate, value: float | tuple[float | None, float | None] | None) -> GateResult:
    ends = value if isinstance(value, tuple) else (value,)
    return GateResult(gate, value, all(end is not None and _HOLDS[gate.comparison](end, gate.bound) for end in ends))
