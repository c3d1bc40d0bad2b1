"""The table of metrics: each row is whole, lies in its range, and is what the score prints."""

from __future__ import annotations

import pytest

from pytest_citecheck.benchmark import (
    GATE_FIELDS,
    LOWER_IS_BETTER,
    METRICS,
    SCORES,
    MetricRow,
    Scored,
    pair,
    parse_gates,
    score_pairs,
    texts,
)
from tests.support.metric_rows import MICRO_ENTRIES, MICRO_PREDICTIONS

PAIRS = pair(MICRO_ENTRIES, MICRO_PREDICTIONS)


def test_no_name_stands_twice() -> None:
    assert len({row.name for row in METRICS}) == len(METRICS)
    assert len(GATE_FIELDS) == sum(len(row.gates) for row in METRICS)


@pytest.mark.parametrize("row", METRICS, ids=lambda row: row.name)
def test_a_row_is_printed_everywhere(row: MetricRow) -> None:
    value = row.compute(Scored(PAIRS))
    assert score_pairs(PAIRS)[row.name] == value
    if value is not None and row.span != "0 or more":
        low, high = map(float, row.span.split(" to "))
        assert low <= value <= high
    assert row.gates
    assert bool(row.label) == bool(row.translation) == (row.name in SCORES)
    if row.label:
        assert (texts("en")[row.name], texts("zh")[row.name]) == (row.label, row.translation)
    assert (row.name in LOWER_IS_BETTER) != row.higher_is_better
    for gate in parse_gates(",".join(f"{name}=0.5" for name in row.gates)):
        assert gate.comparison == (">=" if row.higher_is_better else "<=")
