"""Reads claims from files of WiCE (Kamoi et al., "WiCE: Real-World Entailment for Claims in Wikipedia", EMNLP 2023).

A line is a claim with the sentences of its article as evidence. The claim is judged as a whole; its source is the sentences
joined by spaces, cut at whole sentences.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from pytest_citecheck.claims.pairs import ClaimFile, ClaimFileError, ClaimPair
from pytest_citecheck.claims.safety import LONGEST_SOURCE
from pytest_citecheck.claims.verdicts import Verdict

__all__ = ["is_wice", "read_wice"]

_LABELS: Mapping[str, Verdict] = {
    "supported": "Supported",
    "partially_supported": "Partially supported",
    "not_supported": "Not supported",
}
_METADATA = re.compile(r"\[?\s*+meta_?data\s*+\]?\s*+:?\s*+", re.IGNORECASE)


def is_wice(head: bytes) -> bool:
    """Whether lines of JSON are claims of WiCE, by the first one."""
    first = head.lstrip(b"\xef\xbb\xbf \r\n").split(b"\n", 1)[0]
    return all(name in first for name in (b'"claim"', b'"evidence"', b'"label"'))


def read_wice(text: str, where: str) -> ClaimFile:
    """The pairs of a file. Raises ClaimFileError."""
    pairs = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ClaimFileError(f"{where}:{number}: not JSON: {error}") from error
        if not isinstance(value, dict):
            raise ClaimFileError(f"{where}:{number}: not an object")
        pairs.append(_pair(value, where, number))
    return ClaimFile(where, tuple(pairs))


def _pair(row: Mapping[str, Any], where: str, line: int) -> ClaimPair:
    label, evidence, claim = row.get("label"), row.get("evidence"), row.get("claim")
    if (
        not isinstance(claim, str)
        or not isinstance(evidence, list)
        or not all(isinstance(one, str) for one in evidence)
    ):
        raise ClaimFileError(f"{where}:{line}: a claim is a text, and its evidence a list of sentences")
    if label is not None and label not in _LABELS:
        raise ClaimFileError(f"{where}:{line}: {label!r} is not a label of WiCE")
    meta = row.get("meta")
    name = meta.get("id") if isinstance(meta, dict) else None
    source, kept = _joined(evidence)
    cut = kept < len(evidence) and any(number >= kept for number in _annotated(row.get("supporting_sentences")))
    return ClaimPair(
        id=name if isinstance(name, str) and name else f"line_{line}",
        claim=claim.strip(),
        source=source,
        truth=_LABELS[label] if label is not None else None,
        version="wice",
        unfit="" if source.strip() else "there is no text of the source",
        path=where,
        line=line,
        details={"annotated_sentence_cut": True} if cut else {},
    )


def _joined(evidence: list[str]) -> tuple[str, int]:
    """The sentences that fit, and how many they are."""
    kept: list[str] = []
    length = 0
    for sentence in evidence:
        found = _METADATA.match(sentence)
        bare = sentence[found.end() :] if found else sentence
        length += len(bare) + 1
        if length > LONGEST_SOURCE:
            return " ".join(kept), len(kept)
        kept.append(bare)
    return " ".join(kept), len(kept)


def _annotated(stated: object) -> list[int]:
    if not isinstance(stated, list):
        return []
    return [number for group in stated if isinstance(group, list) for number in group if isinstance(number, int)]
