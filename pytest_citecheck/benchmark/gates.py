"""Thresholds that a score has to keep, written ``f1=0.95,fpr<=0.03,ece<0.05``."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

from pytest_citecheck.benchmark.metrics.table import METRICS

if TYPE_CHECKING:
    from pytest_citecheck.benchmark.metrics.base import Metric

__all__ = ["GATE_FIELDS", "Gate", "GateError", "GateResult", "check_gates", "parse_gates"]

Operator = Literal["<", "<=", ">", ">="]

GATE_FIELDS: Mapping[str, str] = {name: row.name for row in METRICS for name in row.gates}
"""The names of gates, and the field of a score that each reads. ``ece`` is the one that no order of entries changes."""

_HIGHER_IS_BETTER = frozenset(name for row in METRICS for name in row.gates if row.higher_is_better)
_GATE = re.compile(r"\s*([A-Za-z]\w*)\s*(<=|>=|<|>|=)\s*(\S+)\s*")
_HOLDS: Mapping[Operator, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class GateError(ValueError):
    """The text of a gate cannot be read; the message says why."""


@dataclass(frozen=True, slots=True)
class Gate:
    """text: as written. comparison: <, <=, > or >=. field: of the score."""

    text: str
    field: str
    comparison: Operator
    bound: float


@dataclass(frozen=True, slots=True)
class GateResult:
    """value: None if the metric is undefined, and the gate fails. reason: why it failed, else empty."""

    gate: Gate
    value: float | None
    held: bool
    reason: str


def parse_gates(text: str, metrics: Iterable[Metric] = ()) -> tuple[Gate, ...]:
    """Read ``name operator number`` with commas between; a text without anything has no gates.

    ``=`` means at least where more is better, and at most where less is. metrics: further ones that gates can name. Raises
    GateError.
    """
    further = {metric.name: metric for metric in metrics}
    return tuple(_parse(part.strip(), further) for part in text.split(",") if part.strip())


def _parse(text: str, further: Mapping[str, Metric]) -> Gate:
    found = _GATE.fullmatch(text)
    if not found:
        raise GateError(f"{text!r} is no gate: it should be a name, one of = < <= > >=, and a number, as in f1>=0.9")
    name, comparison, number = found.groups()
    known = sorted({*GATE_FIELDS, *further})
    if name not in known:
        raise GateError(f"{name!r} in {text!r} is not known; known are {', '.join(known)}")
    if comparison == "=":
        higher = further[name].higher_is_better if name in further else name in _HIGHER_IS_BETTER
        comparison = ">=" if higher else "<="
    return Gate(text, GATE_FIELDS.get(name, name), cast("Operator", comparison), _number(number, text))


def _number(number: str, text: str) -> float:
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise GateError(f"{number!r} in {text!r} is not a number")
    return value


def check_gates(gates: Sequence[Gate], score: Mapping[str, Any]) -> list[GateResult]:
    """Hold a score against the gates, one result each. An undefined metric fails its gate."""
    known = {**score.get("further", {}), **score}
    return [_check(gate, known.get(gate.field)) for gate in gates]


def _check(gate: Gate, value: float | None) -> GateResult:
    if value is None:
        return GateResult(gate, None, held=False, reason=f"{gate.field} is undefined for these predictions")
    held = _HOLDS[gate.comparison](value, gate.bound)
    reason = "" if held else f"{gate.field} is {value:.6g}, not {gate.comparison} {gate.bound:g}"
    return GateResult(gate, value, held, reason)
