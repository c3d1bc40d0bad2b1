"""Relations between works that mean: another form of the same work.

Source: Crossref's relationship types (crossref.org/documentation, "Relationships"), which are written ``isPreprintOf`` in
its XML and ``is-preprint-of`` in its JSON; DataCite writes ``IsVersionOf`` (DataCite Metadata Schema, appendix 3).
"""

from __future__ import annotations

from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["SAME_WORK", "hyphenated"]

SAME_WORK = frozenset(
    (
        "is-preprint-of",
        "has-preprint",
        "is-version-of",
        "has-version",
        "is-identical-to",
        "is-same-as",
        "is-manuscript-of",
        "has-manuscript",
        "is-translation-of",
        "has-translation",
        "is-replaced-by",
        "replaces",
    )
)
"""Crossref's relations between forms of one work, in the spelling of its JSON."""

_HUMP = lazy_pattern(r"(?<=[a-z])(?=[A-Z])")


def hyphenated(relation: str) -> str:
    """``IsVersionOf`` or ``isVersionOf`` as ``is-version-of``."""
    return _HUMP.sub("-", relation).lower()
