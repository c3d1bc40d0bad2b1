"""What a run was asked to do with arenas."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast, get_args

import pytest

__all__ = ["ArenaSettings", "Ask", "read_arena_settings"]

Ask = Literal["missing", "failed", "all", "none"]


@dataclass(frozen=True, slots=True)
class ArenaSettings:
    """Which models and queries are asked, which answers to ask for, and where the Arena's files go.

    hosts: to which configurations in untrusted folders may send variables. budget: US dollars that need no question.
    """

    models: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()
    ask: Ask = "missing"
    output: Path | None = None
    hosts: tuple[str, ...] = ()
    budget: float | None = None


def read_arena_settings(value: Callable[[str], Any], base: Path) -> ArenaSettings:
    """From the values of the options. base: the folder that the output is relative to. Raises pytest.UsageError."""
    mode = value("citecheck_ask") or "missing"
    if mode not in get_args(Ask):
        raise pytest.UsageError(f"citecheck_ask must be one of {', '.join(get_args(Ask))}, not {mode!r}")
    output = value("citecheck_arena_output")
    return ArenaSettings(
        _parts(value("citecheck_models")),
        _parts(value("citecheck_queries")),
        cast("Ask", mode),
        (base / Path(output).expanduser()).absolute() if output else None,
        _parts(value("citecheck_allow_endpoint")),
        _dollars(value("citecheck_budget")),
    )


def _dollars(text: str | None) -> float | None:
    if not text:
        return None
    try:
        dollars = float(text.strip().removeprefix("$"))
    except ValueError:
        dollars = -1.0
    if not 0 <= dollars < float("inf"):
        raise pytest.UsageError(f"citecheck_budget is a number of US dollars, not {text!r}")
    return dollars


def _parts(given: Iterable[str] | None) -> tuple[str, ...]:
    """The values of a repeatable option, which commas divide too."""
    return tuple(part.strip() for text in given or () for part in text.split(",") if part.strip())
