"""Readers for files of references.

The registry (`inputs.registry`) is imported on first access: it imports all formats, and reading BibTeX does not need them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_citecheck.inputs.registry import READERS, reader_for, reader_named, why_unread

__all__ = ["READERS", "reader_for", "reader_named", "why_unread"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from pytest_citecheck.inputs import registry  # noqa: PLC0415 - see above

    return getattr(registry, name)
