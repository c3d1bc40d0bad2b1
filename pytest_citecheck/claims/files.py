"""Which files hold claims, and their reading."""

from __future__ import annotations

from pathlib import Path

from pytest_citecheck.claims.json_files import is_claims, read_claims
from pytest_citecheck.claims.manuscripts.citations import read_manuscript
from pytest_citecheck.claims.manuscripts.source_folder import SourceFolder
from pytest_citecheck.claims.pairs import ClaimFile, ClaimFileError
from pytest_citecheck.claims.review import is_review, read_review
from pytest_citecheck.claims.wice import is_wice, read_wice

__all__ = ["MANUSCRIPTS", "SUFFIXES", "holds_claims", "read_claim_file"]

MANUSCRIPTS = frozenset({".tex", ".md"})
SUFFIXES = frozenset({".json", ".csv", ".jsonl", *MANUSCRIPTS})
_HEAD = 1 << 16


def holds_claims(path: Path, *, manuscripts: bool) -> bool:
    """Whether a file is one of claims. manuscripts: whether citations in manuscripts count. Raises OSError."""
    suffix = path.suffix.lower()
    if suffix in MANUSCRIPTS:
        return manuscripts
    if suffix not in SUFFIXES:
        return False
    with path.open("rb") as file:
        head = file.read(_HEAD)
    known = {".json": is_claims, ".csv": is_review, ".jsonl": is_wice}[suffix]
    return known(head)


def _parts_of(path: Path) -> str:
    """The file with the parts of WiCE's claims: ``subclaim/NAME`` beside the folder of the claims. Raises OSError."""
    file = path.parent.parent / "subclaim" / path.name
    return file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""


def read_claim_file(path: Path, where: str, *, version: str = "all", sources: Path | None = None) -> ClaimFile:
    """The pairs of a file. where: its name in messages. sources: the folder for citations of a manuscript.

    Raises ClaimFileError and OSError.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ClaimFileError(f"{where} is not in UTF-8 (byte {error.start + 1})") from error
    suffix = path.suffix.lower()
    if suffix in MANUSCRIPTS:
        return read_manuscript(text, where, suffix, SourceFolder(sources or path.parent / "sources"))
    if suffix == ".csv":
        return read_review(text, where, version=version)
    if suffix == ".jsonl":
        return read_wice(text, where, parts=_parts_of(path), version=version)
    return read_claims(text, where, version=version)
