"""What a configuration states of all its calls: the section ``evaluation``."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck.chat.prices import Prices
from pytest_citecheck.chat.spending import SpendingLimits

if TYPE_CHECKING:
    from pytest_citecheck.chat.configuration.document import Section

__all__ = ["CallOptions", "read_call_options"]


@dataclass(frozen=True, slots=True)
class CallOptions:
    """timeout: seconds of one call; tries: at most, of one call; limits: the most that a run may take; prices: None for those
    of the package.
    """

    timeout: float = 120.0
    tries: int = 3
    limits: SpendingLimits = field(default_factory=SpendingLimits)
    prices: Prices | None = None


def read_call_options(evaluation: Section, folder: Path, *, tries: int = 3) -> CallOptions:
    """The options of the section. folder: that of the file, to which paths are relative. tries: where none are stated."""
    budget = evaluation.section("budget")
    options = CallOptions(
        timeout=evaluation.number("timeout", 120.0, 0.001),
        tries=evaluation.integer("retry_times", tries, 1),
        limits=SpendingLimits(
            budget.number("dollars", None), budget.integer("calls", None, 0), budget.integer("tokens", None, 0)
        ),
        prices=_prices(evaluation, folder),
    )
    budget.close()
    return options


def _prices(evaluation: Section, folder: Path) -> Prices | None:
    stated = evaluation.text("prices")
    if not stated:
        return None
    try:
        return Prices.read(folder / stated)
    except (OSError, ValueError) as error:
        reason = f"cannot read {stated}: {error.strerror or error}" if isinstance(error, OSError) else str(error)
        evaluation.document.problem((*evaluation.path, "prices"), reason)
        return None
