"""The result of a self-test: what this checker with these sources would have caught, by type of hallucination."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pytest_citecheck.benchmark.metrics.confusion import wilson
from pytest_citecheck.reports.safe_text import safe_line

__all__ = ["caught"]

_HEAD = ("made of your references", "caught", "95 % interval", "undecided")


def caught(scores: Mapping[str, Any]) -> Iterator[str]:
    """The lines of the table. Undecided is not caught; of the originals, what is accused is counted.

    scores: of one file. The intervals are Wilson's (1927), of all references of a type.
    """
    rows = [
        _row(safe_line(name), values["tp"], values["num_hallucinated"], values["decided"])
        for name, values in scores["per_type_metrics"].items()
        if values["num_hallucinated"]
    ]
    counts = scores["counts"]
    if rows:
        decided = counts["tp"] + counts["fn"]
        rows.append(_row("all of these", counts["tp"], scores["num_hallucinated"], decided))
    rows.append(_row("originals accused", counts["fp"], scores["num_valid"], counts["fp"] + counts["tn"]))
    width = max(len(row[0]) for row in (_HEAD, *rows)) + 2
    for first, *cells in (_HEAD, *rows):
        yield (f"{first:<{width}}" + "".join(f"{cell:>22}" for cell in cells)).rstrip()


def _row(name: str, part: int, whole: int, decided: int) -> tuple[str, str, str, str]:
    if not whole:
        return name, "none made", "-", "-"
    low, high = wilson(part, whole)
    return name, f"{part} of {whole}  {part / whole:6.1%}", f"{low:.1%} to {high:.1%}", str(whole - decided)
