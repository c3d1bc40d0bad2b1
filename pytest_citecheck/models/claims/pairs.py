"""Claims with their sources: what a file states of each, and why one cannot be judged."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from pytest_citecheck.matching import lazy_pattern
from pytest_citecheck.model import ClaimVerdict as Verdict
from pytest_citecheck.models.claims.answers import canonical


class ClaimFileError(ValueError):
    """A file that is not one of claims; the text says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class ClaimPair:
    """A claim and the source that is to support it.

    id: unique in its file. truth: the label; None without one. version: of the data set; ``v1`` where none is stated. unfit: why
    it cannot be judged; empty if it can. cites: the key or URL that the claim cites. path, line: place of the claim, from 1.
    source_name: where the text of the source is from. overridden: who changed it and when, of an override by a person.
    sources: how many sources the text is of, which are judged together; without any text they are unavailable. abstract: whether
    the text is only the abstract of the source, or lacks a source, and so does not show what the sources leave out. keys: that a
    manuscript cites together. file: that the claim stands in, if it is not ``path`` but one that it inputs.
    """

    id: str
    claim: str
    source: str = field(repr=False)
    truth: Verdict | None = None
    version: str = "v1"
    unfit: str = ""
    cites: str = ""
    path: str = ""
    line: int = 1
    source_name: str = ""
    overridden: str = ""
    sources: int = 1
    abstract: bool = False
    keys: tuple[str, ...] = ()
    file: str = ""
    details: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def runs(self) -> bool:
        """True if it can be judged."""
        return not self.unfit


@dataclass(frozen=True, slots=True)
class ClaimFile:
    """The pairs of a file in their order. metadata: what the file says of itself."""

    path: str
    pairs: tuple[ClaimPair, ...]
    metadata: dict[str, Any] = field(default_factory=dict)

    def unfit(self) -> dict[str, int]:
        """How many pairs cannot be judged, by the reason."""
        return dict(Counter(pair.unfit for pair in self.pairs if pair.unfit))


def content_hash(pair: ClaimPair) -> str:
    """What identifies a pair wherever it stands in a file: SHA-256 of its claim and its source."""
    return _hash_of(pair.claim, pair.source)


@lru_cache(maxsize=4096)
def _hash_of(claim: str, source: str) -> str:
    return _digest(f"{_digest(_squeezed(claim))}{_digest(_squeezed(source))}")


def _squeezed(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


LONGEST_SOURCE = 50_000
"""Characters of a source that a model sees at once. Of a longer source, it sees the passages that resemble the claim most."""

_VERDICT_WORD = r"(?:not[ _-]+supported|partially[ _-]+supported|supported|source[ _-]+unavailable)"
_INSTRUCTIONS = lazy_pattern(
    rf"""
    \b(?:answer|reply|respond|output|return|print|say|write)\b [^.\n]{{0,60}} \b{_VERDICT_WORD}\b
    | \bverdict\b ["'\s]* [:=] ["'\s]* {_VERDICT_WORD}\b
    | \b(?:ignore|disregard|forget)\b [^.\n]{{0,40}} \b(?:instructions?|prompts?|rules|directions|above|previous)\b
    | \b(?:language\ model|AI\ (?:assistant|model|system)|chatbot|LLM)s?\b [^.\n]{{0,60}} \b(?:must|should|shall|please|answer)\b
    | \byou\ are\ (?:now\ )?(?:an?\ )?(?:AI|assistant|language\ model|fact[ -]checker)\b
    | <\|?(?:im_start|im_end|system|endoftext)\|?>
    | \[/?INST\]
    """,
    re.IGNORECASE | re.VERBOSE,
)
# Unicode's categories Cc, Cf, Cs and Co, but for tabs and line ends.
_UNSEEN = lazy_pattern(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\ud800-\uf8ff\ufeff\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e00ff\U000f0000-\U0010ffff]"
)
_STOP = lazy_pattern(r"[.!?}\n]")


@lru_cache(maxsize=64)
def clean_source(text: str) -> str:
    """The whole text without control characters and characters that nobody sees."""
    return _UNSEEN.sub("", text)


@lru_cache(maxsize=4096)
def instructions(text: str) -> tuple[tuple[int, int], ...]:
    """Where a text speaks to a model that reads it, each to the end of the sentence."""
    found: list[tuple[int, int]] = []
    for match in _INSTRUCTIONS.finditer(text):
        start, end = match.span()
        if text[end - 1] not in ">]}":
            stop = _STOP.search(text, end)
            end = stop.end() if stop else len(text)
        if found and start < found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return tuple(found)


def token_of(*parts: str) -> str:
    """A mark that nobody who wrote these texts could know: it stands around the source, and in a whole answer."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:12]


_LABELS_OF_DATA_SETS: Mapping[Verdict, tuple[str, ...]] = {
    "Supported": ("support", "supports", "entailment", "entailed", "attributable"),
    "Not supported": (
        *("refute", "refutes", "refuted", "contradict", "contradiction", "contradicted", "neutral", "nei"),
        *("not enough info", "not enough evidence", "not attributable", "unsupported"),
    ),
    "Partially supported": ("conflicting evidence/cherrypicking",),
}
_BY_LABEL = {label: verdict for verdict, labels in _LABELS_OF_DATA_SETS.items() for label in labels}


def label_of(text: str) -> Verdict | None:
    """The verdict that a label of a data set means; None for a label that is not known."""
    return _BY_LABEL.get(" ".join(text.lower().replace("_", " ").split())) or canonical(text, strict=True)


LONGEST_CLAIM = 10_000
_STATUSES = {
    "claim_extraction_failed": "the claim could not be extracted",
    "no_source_url": "no URL is cited",
    "source_fetch_failed": "the source could not be fetched",
    "article_fetch_failed": "the article could not be fetched",
}


def rows_of(text: str, where: str) -> tuple[list[Mapping[str, Any]], dict[str, Any]]:
    """The rows and the metadata of either shape. Raises ClaimFileError."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ClaimFileError(f"{where}: not JSON: {error}") from error
    rows = value.get("rows", value.get("data")) if isinstance(value, dict) else value
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
    return claim_file(where, pairs, version, metadata)


def claim_file(
    where: str, pairs: Sequence[ClaimPair], version: str, metadata: Mapping[str, Any] | None = None
) -> ClaimFile:
    """The pairs of one version, or all. Raises ClaimFileError if two have one id."""
    twice = next((name for name, count in Counter(pair.id for pair in pairs).items() if count > 1), None)
    if twice is not None:
        raise ClaimFileError(f"{where}: two rows have the id {twice!r}")
    return ClaimFile(where, tuple(pair for pair in pairs if version in ("all", pair.version)), dict(metadata or {}))


def with_own_ids(pairs: Iterable[ClaimPair]) -> Iterator[ClaimPair]:
    """The pairs, of which each but the first with an id gets a number."""
    times: Counter[str] = Counter()
    for pair in pairs:
        times[pair.id] += 1
        yield pair if times[pair.id] == 1 else replace(pair, id=f"{pair.id}~{times[pair.id]}")


def _lines(text: str) -> list[int]:
    """Line number of each id, in order."""
    return [number for number, line in enumerate(text.split("\n"), start=1) if '"id"' in line]


def _pair(row: Mapping[str, Any], place: int, lines: list[int], where: str) -> ClaimPair:
    claim, source = _text(row, "claim_text", "claim").strip(), _text(row, "source_text", "source")
    sources = _sources(row.get("sources"), f"{where}: row {place}")
    if sources is not None:
        source = group_text(sources)
    truth = _text(row, "ground_truth", "label")
    verdict = label_of(truth)
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
        source_name=_text(row, "source_url") or ", ".join(grouped.name for grouped in sources or ()),
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
    if not any(source.text.strip() for source in sources):
        return ""
    parts = []
    for number, one in enumerate(sources, start=1):
        label = f"[Source {number} of {len(sources)}]"
        parts.append(
            f"{label}\n{one.text}" if one.text.strip() else f"{label} not available: {one.problem or 'no text'}"
        )
    return "\n\n".join(parts)


def _sources(stated: object, where: str) -> list[GroupSource] | None:
    if stated is None:
        return None
    if not isinstance(stated, list) or not stated or not all(isinstance(source, dict) for source in stated):
        raise ClaimFileError(f"{where}: “sources” is a list of objects with “text”")
    return [
        GroupSource(_text(row, "source_url", "url", "name"), _text(row, "source_text", "text"), _text(row, "problem"))
        for row in stated
    ]


def _unfit(row: Mapping[str, Any], claim: str, source: str, *, grouped: bool) -> str:
    status = row.get("extraction_status", "complete")
    if status != "complete":
        return _STATUSES.get(str(status), f"the extraction ended as {status!r}"[:100])
    if row.get("needs_manual_review"):
        return "needs manual review first"
    return claim_problem(claim) or ("" if grouped else text_problem(source))


def claim_problem(claim: str) -> str:
    """Why a text is no claim; empty if it may be one."""
    return "there is no claim" if not claim else "the claim is too long" if len(claim) > LONGEST_CLAIM else ""


def text_problem(source: str) -> str:
    """Why a source has no text; empty if it has."""
    return "" if source.strip() else "there is no text of the source"


def _text(row: Mapping[str, Any], *names: str) -> str:
    return next((value for name in names if isinstance(value := row.get(name), str) and value), "")
