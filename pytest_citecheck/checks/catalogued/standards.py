"""Numbers of RFCs and short names of W3C reports whose record has another title than the cited one."""

from __future__ import annotations

from pytest_citecheck.checks.base import LABELS, describe, finding
from pytest_citecheck.linking.candidates import Candidate
from pytest_citecheck.model import Finding

__all__ = ["named_standard", "other_standard"]


def named_standard(kind: str, value: str) -> str:
    return f"{LABELS[kind]} {value}"


def other_standard(kind: str, value: str, target: Candidate, cited: str) -> Finding:
    """The finding on a number whose record has another title than the cited one."""
    name, record = named_standard(kind, value), target.record
    if target.relation != "target":
        message = f"{name} is {describe(record)}; the cited title may be a short one of it"
        return finding("doi", "unverifiable", f"{kind}-unclear", message, found=record.title, record=record)
    return finding(
        "doi",
        "failed",
        f"{kind}-other-work",
        f"{name} is another work: {describe(record)}",
        cited=f"{name} for “{cited}”",
        found=describe(record),
        record=record,
        rule="its record has another title, and other authors or no word of the title in common",
    )
