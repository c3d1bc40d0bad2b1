"""What a run was asked to do with claims."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast, get_args

import pytest

__all__ = ["ClaimSettings", "Partial", "read_claim_settings"]

Partial = Literal["warn", "pass", "fail"]
WITHOUT_MODEL = "overlap"


@dataclass(frozen=True, slots=True)
class ClaimSettings:
    """wanted: whether citations in manuscripts are claims. judges: the file of judges; None for the method without a model.

    sources: the folder of sources; None for the one beside a manuscript. partial: what partial support does.
    """

    wanted: bool = False
    judges: Path | None = None
    sources: Path | None = None
    partial: Partial = "warn"
    version: str = "all"


def read_claim_settings(value: Callable[[str], Any], ini: Callable[[str], Any], base: Path) -> ClaimSettings:
    """From the values of the options. base: the folder that paths of the ini file are relative to. Raises pytest.UsageError."""

    def place(name: str) -> Path | None:
        text = value(name)
        if not text:
            return None
        from_ini = text == ini(name) and not os.environ.get(name.upper())
        return ((base if from_ini else Path()) / Path(text).expanduser()).absolute()

    judges = value("citecheck_claims")
    partial = value("citecheck_claims_partial") or "warn"
    if partial not in get_args(Partial):
        raise pytest.UsageError(f"citecheck_claims_partial must be warn, pass or fail, not {partial!r}")
    return ClaimSettings(
        wanted=bool(judges),
        judges=None if judges in (None, "", WITHOUT_MODEL) else place("citecheck_claims"),
        sources=place("citecheck_claims_sources"),
        partial=cast("Partial", partial),
        version=value("citecheck_claims_version") or "all",
    )
