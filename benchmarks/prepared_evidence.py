"""A pytest plugin that replaces gathering with prepared evidence: `-p benchmarks.prepared_evidence`."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pytest

from benchmarks.generated import evidence, works

if TYPE_CHECKING:
    from pytest_citecheck.model import Reference


@pytest.hookimpl(tryfirst=True)
def pytest_configure() -> None:
    from pytest_citecheck.lookup import Gathered, LookupState  # noqa: PLC0415
    from pytest_citecheck.plugin import gathering  # noqa: PLC0415

    async def prepared(references: Mapping[str, Reference], *_: Any, **__: Any) -> Gathered:
        known = {f"key{number}": record for number, record in enumerate(works(len(references)))}
        states = {
            name: LookupState.of(ref, datetime.date(2026, 11, 1), evidence(known[ref.key]))
            for name, ref in references.items()
        }
        return Gathered(states, {})

    gathering.gather = prepared  # type: ignore[attr-defined]
