"""The ways in which a reference string can be read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["Reading"]


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to take a reference string apart.

    type, fields: of the entry, as written. cues: what speaks for it, in words. certain: marks delimit the title (quotation marks,
    bold type, labels), independent readings agree, or the title of a record stands there; else it is only the most probable one.
    """

    type: str
    fields: Mapping[str, str]
    cues: tuple[str, ...] = ()
    certain: bool = False
