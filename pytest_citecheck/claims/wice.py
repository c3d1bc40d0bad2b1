"""Reads claims from files of WiCE (Kamoi et al., "WiCE: Real-World Entailment for Claims in Wikipedia", EMNLP 2023).

A line is a claim with the sentences of its article as evidence. The claim is judged as a whole; its source is the sentences
joined by spaces, cut at whole sentences.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pytest_citecheck.claims.pairs import ClaimFile, ClaimFileError, ClaimPair
from pytest_citecheck.claims.safety import LONGEST_SOURCE
from pytest_citecheck.claims.verdicts import Verdict
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["is_wice", "read_wice"]

_LABELS: Mapping[str, Verdict] = {
    "supported": "Supported",
    "partially_supported": "Partially supported",
    "not_supported": "Not supported",
}
_PART = lazy_pattern(r"[-_.]\d{1,4}\Z")
_METADATA = lazy_pattern(r"\[?\s*+meta_?data\s*+\]?\s*+:?\s*+", re.IGNORECASE)


def is_wice(head: bytes) -> bool:
    """Whether lines of JSON are claims of WiCE, by the first one."""
    first = head.lstrip(b"\xef\xbb\xbf \r\n").split(b"\n", 1)[0]
    return all(name in first for name in (b'"claim"', b'"evidence"', b'"label"'))


def read_wice(text: str, where: str, *, parts: str = "", version: str = "all") -> ClaimFile:
    """The pairs of a file, those of one projection or all. parts: the file of the claims' parts. Raises ClaimFileError.

    A claim is ``unanimous`` if all its parts have one label, else ``mixed``; without its parts its version is ``wice``.
    """
    labels = _labels_of_parts(parts)
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
        pair = _pair(value, where, number)
        if pair.id in labels:
            pair = replace(pair, version="unanimous" if len(labels[pair.id]) == 1 else "mixed")
        pairs.append(pair)
    return ClaimFile(where, tuple(pair for pair in pairs if version in ("all", pair.version)))


def _labels_of_parts(text: str) -> dict[str, set[str]]:
    """The labels of the parts of each claim, by the id of the claim: that of a part without its number."""
    found: dict[str, set[str]] = {}
    for line in text.split("\n"):
        try:
            value = json.loads(line)
            name, label = value["meta"]["id"], value["label"]
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
        if isinstance(name, str) and isinstance(label, str):
            found.setdefault(_PART.sub("", name), set()).add(label)
    return found


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
