"""Claims with their sources: what a file states of each, and why one cannot be judged."""

from __future__ import annotations

import hashlib
import unicodedata
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from pytest_citecheck.claims.verdicts import Verdict

__all__ = ["ClaimFile", "ClaimFileError", "ClaimPair", "content_hash", "finding_identity"]


class ClaimFileError(ValueError):
    """A file that is not one of claims; the text says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class ClaimPair:
    """A claim and the source that is to support it.

    id: unique in its file. truth: the label; None without one. version: of the data set; ``v1`` where none is stated. unfit: why
    it cannot be judged; empty if it can. cites: the key or URL that the claim cites. path, line: where the claim stands, from 1.
    source_name: where the text of the source is from. overridden: who changed it and when, of an override by a person.
    sources: how many sources the text is of, which are judged together; without any text they are unavailable. abstract: whether
    the text is only the abstract of the source, which does not show what the source leaves out.
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
    details: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def runs(self) -> bool:
        """Whether it can be judged."""
        return not self.unfit


@dataclass(frozen=True, slots=True)
class ClaimFile:
    """The pairs of a file in their order. metadata: what the file says of itself."""

    path: str
    pairs: tuple[ClaimPair, ...]
    metadata: dict[str, Any] = field(default_factory=dict)

    def unfit(self) -> dict[str, int]:
        """How many pairs cannot be judged, by the reason."""
        counts: dict[str, int] = {}
        for pair in self.pairs:
            if pair.unfit:
                counts[pair.unfit] = counts.get(pair.unfit, 0) + 1
        return counts


def content_hash(pair: ClaimPair) -> str:
    """What identifies a pair wherever it stands in a file: SHA-256 of its claim and its source."""
    return _hash_of(pair.claim, pair.source)


@lru_cache(maxsize=4096)
def _hash_of(claim: str, source: str) -> str:
    return _digest(f"{_digest(_squeezed(claim))}{_digest(_squeezed(source))}")


def finding_identity(claim: str, url: str) -> tuple[str, str]:
    """SHA-256 of the claim after NFC with its spaces squeezed, and of the trimmed URL, which is left as it is otherwise."""
    return _digest(_squeezed(claim)), _digest(url.strip())


def _squeezed(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
