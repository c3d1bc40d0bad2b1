"""Results that other tools have published, as rows of a leaderboard."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_citecheck.benchmark.metric_table import METRICS

_HEAD = "f1_hallucination"
_COUNTS = ("num_entries", "num_hallucinated", "num_valid")
_LARGEST = 1e15
"""No metric is larger; whole numbers that no float holds are."""


class PublishedError(ValueError):
    """A file is no result of a tool; the message says why."""


@dataclass(frozen=True, slots=True)
class PublishedResult:
    """name: of the tool. score: the metrics of the table that the file states, None for the others. entries: how many there
    were, and how many of them hallucinated and valid.
    """

    name: str
    score: Mapping[str, float | None]
    entries: tuple[int, int, int]


def is_result(head: bytes) -> bool:
    """Return True if a file that begins so is one JSON object over several lines, or a result on one line; predictions have a
    key."""
    line = head.lstrip().split(b"\n", 1)[0]
    return line.startswith(b"{") and b'"bibtex_key"' not in line


def published_results(text: str, name: str) -> list[PublishedResult]:
    """The results of a file; name: of its tool, unless there are several. Raises PublishedError."""
    try:
        document = json.loads(text, parse_constant=lambda _: None)
    except (ValueError, RecursionError) as error:
        raise PublishedError("neither predictions (one JSON object a line) nor a result (one JSON object)") from error
    several = document.get("tools") if isinstance(document, dict) else None
    blocks = several if isinstance(several, list) else [document]
    return [_result(block, _name(block, name if len(blocks) == 1 else "")) for block in blocks]


def _name(block: Any, name: str) -> str:
    stated = block if isinstance(block, dict) else {}
    mode = stated.get("evaluation_mode", "conservative")
    called = name or str(stated.get("tool_name", "")) or "unnamed"
    return called if mode == "conservative" else f"{called} ({mode})"


def _result(block: Any, name: str) -> PublishedResult:
    if not isinstance(block, dict) or _number(block.get(_HEAD)) is None:
        raise PublishedError(f"this JSON object is no result of a tool: it has no number `{_HEAD}`")
    entries, hallucinated, valid = (_count(block.get(field)) for field in _COUNTS)
    return PublishedResult(name, dict(_scores(block)), (entries, hallucinated, valid))


def _count(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise PublishedError(f"this result does not state {', '.join(f'`{field}`' for field in _COUNTS)}")
    return value


def _scores(block: Mapping[str, Any]) -> Iterator[tuple[str, float | None]]:
    for row in METRICS:
        yield row.name, _number(block.get(row.name))
    uncertain, entries = _number(block.get("num_uncertain")), _number(block.get("num_entries"))
    if uncertain is not None and entries and _number(block.get("committed_coverage")) is None:
        yield "committed_coverage", 1 - uncertain / entries


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if abs(value) < _LARGEST else None
