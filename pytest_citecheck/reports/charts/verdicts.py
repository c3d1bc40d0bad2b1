"""The bar chart of outcomes per check."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pytest_citecheck.model import CHECKS
from pytest_citecheck.reports.charts.canvas import canvas, new_figure, save

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_citecheck.reports.results import RunResult

__all__ = ["draw_outcomes", "outcome_figure"]

# Colours that everyone can tell apart (Okabe and Ito, "Color Universal Design", 2008).
_COLOURS = {"passed": "#009E73", "failed": "#D55E00", "unverifiable": "#BBBBBB"}


def draw_outcomes(path: Path, result: RunResult) -> None:
    """Draw passed, failed and unverifiable per check. The suffix of the path selects the format.

    Raises ModuleNotFoundError, which names the extra, if matplotlib is missing; ValueError for an unknown format.
    """
    counts = {
        check: {
            outcome: sum(
                ref.findings[check]["outcome"] == outcome for ref in result.references if check in ref.findings
            )
            for outcome in _COLOURS
        }
        for check in result.checks
        if check != "syntax"
    }
    figure = outcome_figure(counts)
    with canvas():
        save(figure, path)


def outcome_figure(counts: Mapping[str, Mapping[str, int]]) -> Any:
    """A stacked bar for each check. counts: check → outcome → references, as in ``summary.checks``.

    Raises ModuleNotFoundError, which names the extra, if matplotlib is missing.
    """
    figure = new_figure(7, 3.2)
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415

    axes = figure.add_subplot()
    checks = [*CHECKS, *(check for check in counts if check not in (*CHECKS, "syntax"))]
    left = [0] * len(checks)
    for outcome, colour in _COLOURS.items():
        heights = [counts.get(check, {}).get(outcome, 0) for check in checks]
        bars = axes.barh(checks, heights, left=left, color=colour, label=outcome)
        axes.bar_label(bars, [str(count) if count else "" for count in heights], label_type="center", fontsize=8)
        left = [before + count for before, count in zip(left, heights, strict=True)]
    axes.invert_yaxis()
    axes.set_xlabel("references")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside upper right", ncols=3, frameon=False)
    return figure
