"""Which files contain claims, by their names and first bytes. Every run with such a name asks, so this module imports little."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck.matching import lazy_pattern
from pytest_citecheck.models import of_claims
from pytest_citecheck.plugin import files_named, matching_files

if TYPE_CHECKING:
    import pytest

    from pytest_citecheck.plugin import Settings

MANUSCRIPTS = frozenset({".tex", ".md"})
SUFFIXES = frozenset({".json", ".csv", ".jsonl", *MANUSCRIPTS})
HEAD_SIZE = 1 << 16

EVIDENCE_KEYS = ("evidence", "references")
LABEL_KEYS = ("label", "attribution_label")
Keys = tuple[tuple[str, ...], ...]
"""A row has one key of each group."""
LINES: dict[str, Keys] = {
    "SciFact": (("claim",), ("cited_doc_ids",)),
    "FEVER": (("claim",), ("verifiable",), ("evidence",)),
    "WiCE, VitaminC or AttributionBench": (("claim",), EVIDENCE_KEYS, LABEL_KEYS),
}
"""The keys of data sets in JSON Lines."""
LISTS: dict[str, Keys] = {"AVeriTeC": (("claim",), ("questions",)), "ALCE": (("output",), ("docs",))}
"""The keys of data sets in JSON."""

REVIEW_COLUMNS = frozenset({"id", "claim_text", "source_text"})
_CLAIM = lazy_pattern(rb'"claim(?:_text)?"\s*:')
_RESULT = lazy_pattern(rb'"predicted_verdict"\s*:')


def holds_claims(path: Path, *, manuscripts: bool) -> bool:
    """Return True if a file is one of claims. manuscripts: whether citations in manuscripts count. Raises OSError."""
    suffix = path.suffix.lower()
    if suffix in MANUSCRIPTS:
        return manuscripts
    if suffix not in SUFFIXES:
        return False
    with path.open("rb") as file:
        head = file.read(HEAD_SIZE)
    if suffix == ".csv":
        return all(name.encode() in head.split(b"\n", 1)[0] for name in REVIEW_COLUMNS)
    return _is_data_set(head) or (suffix == ".json" and _is_list(head))


def _is_data_set(head: bytes) -> bool:
    start = head.lstrip(b"\xef\xbb\xbf \r\n")
    lines = LINES if start[:1] == b"{" and b'"data":' not in start[:2000] else {}
    first = start.split(b"\n", 1)[0] if lines else start
    return any(
        all(any(f'"{name}"'.encode() in first for name in names) for names in keys)
        for keys in (*lines.values(), *LISTS.values())
    )


def _is_list(head: bytes) -> bool:
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    return start[:1] in (b"[", b"{") and _CLAIM.search(head) is not None and _RESULT.search(head) is None


def claim_files(config: pytest.Config, settings: Settings) -> list[Path]:
    """Return the files of a run that contain claims. Raises OSError."""
    typed = config.args if config.args_source is config.ArgsSource.ARGS else []
    named = (part for name in (*settings.files, *typed) for part in files_named(name.split("::", 1)[0]))
    files = (file for part in named if not Path(part).is_dir() for file in matching_files(part))
    paths = dict.fromkeys(Path(os.path.abspath(file)) for file in files)  # noqa: PTH100 - links keep their names
    return [path for path in paths if path.is_file() and holds_claims(path, manuscripts=of_claims(settings).wanted)]
