"""Outcomes per check as a bar chart; needs the ``charts`` extra (matplotlib)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_citecheck.model import CHECKS

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_citecheck.reports.results import RunResult

__all__ = ["draw_outcomes"]

# Colours that stay apart for every kind of colour vision (Okabe and Ito, "Color Universal Design", 2008).
_COLOURS = {"passed": "#009E73", "failed": "#D55E00", "unverifiable": "#BBBBBB"}


def draw_outcomes(path: Path, result: RunResult) -> None:
    """Draw passed, failed and unverifiable per check. The suffix of the path chooses the format.

    Raises ModuleNotFoundError, naming the extra, without matplotlib; ValueError for a format that it does not know.
    """
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415
        from matplotlib.ticker import MaxNLocator  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("a chart needs matplotlib: pip install pytest-citecheck[charts]") from error
    counts = {
        outcome: [
            sum(ref.findings[check]["outcome"] == outcome for ref in result.references if check in ref.findings)
            for check in CHECKS
        ]
        for outcome in _COLOURS
    }
    figure = Figure(figsize=(7, 3.2), layout="constrained")
    axes = figure.add_subplot()
    left = [0] * len(CHECKS)
    for outcome, colour in _COLOURS.items():
        bars = axes.barh(CHECKS, counts[outcome], left=left, color=colour, label=outcome)
        axes.bar_label(
            bars, [str(count) if count else "" for count in counts[outcome]], label_type="center", fontsize=8
        )
        left = [before + count for before, count in zip(left, counts[outcome], strict=True)]
    axes.invert_yaxis()
    axes.set_xlabel("references")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside upper right", ncols=3, frameon=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    # No date in the file: the same run gives the same chart.
    figure.savefig(path, dpi=150, metadata={"Date": None} if path.suffix == ".svg" else None)
