"""MD5 (RFC 1321) and SHA-256 (FIPS 180-4) of files, and the files beside them that state these."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["checksum_like", "is_checksum", "stated_checksum"]

_ALGORITHMS = {32: "md5", 64: "sha256"}  # by their hexadecimal digits
_DIGITS = re.compile(r"(?<![0-9A-Za-z])(?:[0-9a-fA-F]{64}|[0-9a-fA-F]{32})(?![0-9A-Za-z])")


def is_checksum(text: str) -> bool:
    """Whether ``text`` is an MD5 or a SHA-256 in hexadecimal digits."""
    return _DIGITS.fullmatch(text) is not None


def checksum_like(checksum: str, path: Path) -> str:
    """The checksum of a file, of the same kind as ``checksum`` (`is_checksum`), in lower case."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, _ALGORITHMS[len(checksum)]).hexdigest()


def stated_checksum(text: str, name: str) -> str:
    """The checksum that a file of checksums states for the file ``name``, in lower case; empty if it states none.

    Forms: the digits alone, ``<digits>  <name>`` in lines (``md5sum``, ``sha256sum``), ``MD5 (<name>) = <digits>`` (BSD).
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    found = []
    for line in lines:
        digits = _DIGITS.findall(line)
        words = re.split(r"[\s*()=/]+", line)
        if len(digits) == 1 and (name in words or len(lines) == 1):
            found.append(digits[0].lower())
    return found[0] if len(set(found)) == 1 else ""
