"""The field types of a prediction in the published schema, against which every written file is held.

Source: HALLMARK, arXiv:2607.18360, schema version 1.0. Its evaluator computes with the numbers as they are: null stops it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pytest_citecheck.inputs import SUBTESTS, TIERS


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _outcomes(value: object) -> bool:
    return isinstance(value, dict) and all(
        name in SUBTESTS and outcome in (True, False, None) for name, outcome in value.items()
    )


def _text(value: object) -> bool:
    return isinstance(value, str)


REQUIRED: Mapping[str, Callable[[Any], bool]] = {
    "bibtex_key": lambda value: _text(value) and bool(value),
    "label": lambda value: value in ("VALID", "HALLUCINATED", "UNCERTAIN"),
}
OPTIONAL: Mapping[str, Callable[[Any], bool]] = {
    "confidence": lambda value: _number(value) and 0 <= value <= 1,
    "reason": _text,
    "subtest_results": _outcomes,
    "api_sources_queried": lambda value: isinstance(value, list) and all(map(_text, value)),
    "wall_clock_seconds": lambda value: _number(value) and value >= 0,
    "api_calls": lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= 0,
    "source": lambda value: value is None or _text(value),
    "predicted_hallucination_type": lambda value: value is None or value in TIERS,
    "cascade_stage": lambda value: value in ("stage1_db", "stage2_diagnosis", "prescreening", None),
}

# Names of this project, which other readers of the schema skip.
OWN: Mapping[str, Callable[[Any], bool]] = {"predicted_kind": lambda value: value in ("fabricated", "misdescribed")}


def misfits_of(line: str) -> list[str]:
    """The fields of a line that the published schema does not take, each with its value."""
    row = json.loads(line)
    found = [f"{name} is missing" for name in REQUIRED if name not in row]
    for name, value in row.items():
        fits = {**REQUIRED, **OPTIONAL, **OWN}.get(name)
        if fits is None or not fits(value):
            found.append(f"{name}: {value!r}")
    if row.get("label") == "VALID" and row.get("predicted_hallucination_type") is not None:
        found.append("a type together with VALID")
    return found


def misfits(path: Path) -> Iterator[str]:
    """The same of every line of a file, which must have one at least."""
    lines = path.read_text(encoding="ascii").splitlines()
    assert lines
    for number, line in enumerate(lines, 1):
        yield from (f"{path.name}:{number}: {fault}" for fault in misfits_of(line))
