"""What a run was asked to do with self-checks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

import pytest

__all__ = ["CROSS", "SelfcheckSettings", "read_selfcheck_settings"]

CROSS = "cross"
"""The answers of two models to ``iq``, compared with one another."""

# In the order of items; numpy and the room of self-checks are not loaded to read options.
_METHODS = ("iq", "dq1", "dq2", "dq3", "year", "venue", CROSS)
_GROUPS = {"dq": ("dq1", "dq2", "dq3"), "all": _METHODS[:-1]}
_LOG = "selfcheck.jsonl"


@dataclass(frozen=True, slots=True)
class SelfcheckSettings:
    """methods: in the order of items. file: of the configuration; None for the arena of the run. models: names in it, or none."""

    methods: tuple[str, ...]
    file: Path | None
    models: tuple[str, ...]
    only_open: bool
    log: Path


def read_selfcheck_settings(value: Callable[[str], Any]) -> SelfcheckSettings | None:
    """From the values of the options; None without self-checks. Raises pytest.UsageError."""
    given = value("citecheck_selfcheck")
    if not given:
        for name in ("model", "for", "log"):
            if value(f"citecheck_selfcheck_{name}"):
                raise pytest.UsageError(f"--citecheck-selfcheck-{name} needs --citecheck-selfcheck")
        return None
    wanted: set[str] = set()
    for word in filter(None, (part.strip().lower() for part in given.split(","))):
        if word not in (*_METHODS, *_GROUPS):
            raise pytest.UsageError(f"--citecheck-selfcheck: {word!r} is none of {', '.join((*_METHODS, *_GROUPS))}")
        wanted.update(_GROUPS.get(word, (word,)))
    file, _, names = (value("citecheck_selfcheck_model") or "").partition("::")
    models = tuple(name.strip() for name in names.split(",") if name.strip())
    if CROSS in wanted and len(models) != 2:
        raise pytest.UsageError(
            "--citecheck-selfcheck=cross compares two models: --citecheck-selfcheck-model=FILE::ONE,OTHER"
        )
    reach = value("citecheck_selfcheck_for") or "open"
    if reach not in ("open", "all"):
        raise pytest.UsageError(f"citecheck_selfcheck_for must be open or all, not {reach!r}")
    return SelfcheckSettings(
        tuple(method for method in _METHODS if method in wanted),
        Path(file).expanduser().absolute() if file else None,
        models,
        cast("Literal['open', 'all']", reach) == "open",
        Path(value("citecheck_selfcheck_log") or _LOG).expanduser().absolute(),
    )
