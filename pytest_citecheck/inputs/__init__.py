"""The readers of files of references. The registry (`inputs.registry`) is imported when it is first asked for: it imports all
formats, and who reads BibTeX only does without."""

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
