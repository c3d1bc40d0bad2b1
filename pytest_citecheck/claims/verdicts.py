"""The four verdicts on a claim, and how what models write becomes one of them.

Source: alex-o-748/citation-checker-script, ``benchmark/`` (the order of the prefixes, and what it takes for a verdict).
"""

from __future__ import annotations

from typing import Final, Literal, get_args

from pytest_citecheck.text.patterns import lazy_pattern

__all__ = [
    "FLAGGED",
    "PARSE_ERROR",
    "POSITIVE",
    "REVIEWED",
    "UNKNOWN",
    "VERDICTS",
    "Verdict",
    "canonical",
    "is_supporting",
]

Verdict = Literal["Supported", "Partially supported", "Not supported", "Source unavailable"]
VERDICTS: Final[tuple[Verdict, ...]] = get_args(Verdict)

PARSE_ERROR = "PARSE_ERROR"
"""Stands in files of results for an answer without a verdict."""
UNKNOWN = "UNKNOWN"

POSITIVE: Final[frozenset[Verdict]] = frozenset({"Supported", "Partially supported"})
FLAGGED: Final[frozenset[Verdict]] = frozenset({"Partially supported", "Not supported"})
REVIEWED: Final[frozenset[Verdict]] = frozenset({"Partially supported", "Not supported", "Source unavailable"})

_SPACES = lazy_pattern(r"\s+")
_PREFIXES: tuple[tuple[str, Verdict], ...] = (
    ("NOT", "Not supported"),
    ("PARTIAL", "Partially supported"),
    ("UNAVAIL", "Source unavailable"),
    ("SOURCE", "Source unavailable"),
    ("SUPPORT", "Supported"),
)
# Words that begin like a verdict and are none.
_TRAPS = lazy_pattern(r"NOT(?![A-Z])|PARTIAL|UNAVAIL|SOURCE(?![A-Z])|SUPPORT")


def canonical(text: object, *, strict: bool = False) -> Verdict | None:
    """The verdict that a text begins with; None if there is none.

    strict: words that only begin like one are none: ``nothing`` is not NOT, ``Sourced`` is not SOURCE.
    """
    if not isinstance(text, str):
        return None
    upper = _SPACES.sub(" ", text.upper().replace("_", " ")).strip()
    if strict and not _TRAPS.match(upper):
        return None
    return next((verdict for prefix, verdict in _PREFIXES if upper.startswith(prefix)), None)


def is_supporting(verdict: str | None) -> bool:
    """Whether it says that the source supports the claim, at least in part."""
    return verdict in POSITIVE
