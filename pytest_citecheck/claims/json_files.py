"""Reads claims from JSON: a list of rows, or an object with ``rows`` and ``metadata``."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_citecheck.claims.pairs import ClaimFile, ClaimFileError, ClaimPair
from pytest_citecheck.claims.safety import LONGEST_SOURCE
from pytest_citecheck.claims.verdicts import canonical
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["LONGEST_CLAIM", "VERSIONS", "GroupSource", "group_text", "is_claims", "read_claims", "rows_of"]

VERSIONS = ("all", "v1", "v2", "v3", "unanimous", "mixed")
"""v1 to v3 of citation-checker-script, and the two parts of WiCE."""

LONGEST_CLAIM = 10_000
_LABEL = 100  # characters that a label takes at most
_CLAIM = lazy_pattern(rb'"claim(?:_text)?"\s*:')
_RESULT = lazy_pattern(rb'"predicted_verdict"\s*:')
_STATUSES = {
    "claim_extraction_failed": "the claim could not be extracted",
    "no_source_url": "no URL is cited",
    "source_fetch_failed": "the source could not be fetched",
    "article_fetch_failed": "the article could not be fetched",
}


def is_claims(head: bytes) -> bool:
    """Whether a JSON file holds claims, by its first bytes."""
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    return start[:1] in (b"[", b"{") and _CLAIM.search(head) is not None and _RESULT.search(head) is None


def rows_of(text: str, where: str) -> tuple[list[Mapping[str, Any]], dict[str, Any]]:
    """The rows and the metadata of either shape. Raises ClaimFileError."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ClaimFileError(f"{where}: not JSON: {error}") from error
    rows = value.get("rows") if isinstance(value, dict) else value
    if not isinstance(rows, list):
        raise ClaimFileError(f"{where}: a list of rows is expected, or an object with “rows”")
    metadata = value.get("metadata") if isinstance(value, dict) else None
    for place, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise ClaimFileError(f"{where}: row {place} is not an object")
    return rows, metadata if isinstance(metadata, dict) else {}


def read_claims(text: str, where: str, *, version: str = "all") -> ClaimFile:
    """The pairs of a file, those of one version or all. Raises ClaimFileError."""
    rows, metadata = rows_of(text, where)
    lines = _lines(text)
    pairs = [_pair(row, place, lines, where) for place, row in enumerate(rows, start=1)]
    twice = next((name for name, count in Counter(pair.id for pair in pairs).items() if count > 1), None)
    if twice is not None:
        raise ClaimFileError(f"{where}: two rows have the id {twice!r}")
    return ClaimFile(where, tuple(pair for pair in pairs if version in ("all", pair.version)), metadata)


def _lines(text: str) -> list[int]:
    """In which line each id stands, one after the other."""
    return [number for number, line in enumerate(text.split("\n"), start=1) if '"id"' in line]


def _pair(row: Mapping[str, Any], place: int, lines: list[int], where: str) -> ClaimPair:
    claim, source = _text(row, "claim_text", "claim").strip(), _text(row, "source_text", "source")
    sources = _sources(row.get("sources"), f"{where}: row {place}")
    if sources is not None:
        source = group_text(sources)
    truth = _text(row, "ground_truth", "label")
    verdict = canonical(truth, strict=True)
    if truth.strip() and verdict is None:
        raise ClaimFileError(f"{where}: row {place}: {truth!r} is not a verdict")
    number = row.get("id")
    return ClaimPair(
        id=str(number) if isinstance(number, str | int) and not isinstance(number, bool) else f"row_{place}",
        claim=claim,
        source=source,
        truth=verdict,
        version=_text(row, "dataset_version") or "v1",
        unfit=_unfit(row, claim, source, grouped=sources is not None),
        cites=_text(row, "source_url", "cites"),
        path=where,
        line=lines[place - 1] if place <= len(lines) else 1,
        source_name=_text(row, "source_url") or ", ".join(one.name for one in sources or ()),
        sources=len(sources) if sources is not None else 1,
        abstract=row.get("abstract_only") is True,
        details={name: value for name, value in row.items() if name not in _OWN},
    )


_OWN = frozenset(
    ("id", "claim_text", "claim", "source_text", "source", "ground_truth", "label", "dataset_version", "source_url")
)


@dataclass(frozen=True, slots=True)
class GroupSource:
    """One of several sources of a claim. problem: why it has no text; empty if it has."""

    name: str
    text: str
    problem: str = ""


def group_text(sources: Sequence[GroupSource]) -> str:
    """Several texts as one, each with its label; one without text keeps its place. Empty if none has any."""
    if not any(one.text.strip() for one in sources):
        return ""
    most = LONGEST_SOURCE // len(sources) - _LABEL
    parts = []
    for number, one in enumerate(sources, start=1):
        label = f"[Source {number} of {len(sources)}]"
        parts.append(
            f"{label}\n{one.text[:most]}" if one.text.strip() else f"{label} not available: {one.problem or 'no text'}"
        )
    return "\n\n".join(parts)


def _sources(stated: object, where: str) -> list[GroupSource] | None:
    if stated is None:
        return None
    if not isinstance(stated, list) or not stated or not all(isinstance(one, dict) for one in stated):
        raise ClaimFileError(f"{where}: “sources” is a list of objects with “text”")
    return [
        GroupSource(_text(one, "source_url", "url", "name"), _text(one, "source_text", "text"), _text(one, "problem"))
        for one in stated
    ]


def _unfit(row: Mapping[str, Any], claim: str, source: str, *, grouped: bool) -> str:
    status = row.get("extraction_status", "complete")
    if status != "complete":
        return _STATUSES.get(str(status), f"the extraction ended as {status!r}"[:100])
    if row.get("needs_manual_review"):
        return "a person has to look at it first"
    if not claim:
        return "there is no claim"
    if len(claim) > LONGEST_CLAIM:
        return "the claim is too long"
    return "" if grouped or source.strip() else "there is no text of the source"


def _text(row: Mapping[str, Any], *names: str) -> str:
    return next((value for name in names if isinstance(value := row.get(name), str) and value), "")
