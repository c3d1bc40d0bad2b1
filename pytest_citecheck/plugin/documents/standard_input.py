"""``--citecheck=-``: what comes from standard input, in a file whose ending says the format."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path

import pytest

from pytest_citecheck.plugin.items.nodeids import file_nodeid
from pytest_citecheck.readers.documents.base import LARGEST, megabytes
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["STANDARD_INPUT", "format_of", "may_name_elsewhere", "shown_path", "take_standard_input"]

STANDARD_INPUT = "-"

_PREFIX = "citecheck-stdin-"

_FORMATS = (
    (lazy_pattern(rb"\A.{0,1020}%PDF-", re.DOTALL), ".pdf"),
    (lazy_pattern(rb"\APK.*word/", re.DOTALL), ".docx"),
    (lazy_pattern(rb"\APK.*opendocument", re.DOTALL), ".odt"),
    (lazy_pattern(rb"(?:\A|\n)TY  ?-"), ".ris"),
    (lazy_pattern(rb"(?:\A|\n)PMID *-"), ".nbib"),
    (lazy_pattern(rb"\\documentclass|\\begin\{document\}"), ".tex"),
    (lazy_pattern(rb"\\bibitem|\\endentry"), ".bbl"),
    (lazy_pattern(rb"(?:\A|\n)[ \t]*+@[A-Za-z]++\s*+[{(]"), ".bib"),
    (lazy_pattern(rb"\A\s*[\[{]"), ".json"),
    (lazy_pattern(rb"\{\{\s*cit", re.IGNORECASE), ".wiki"),
    (lazy_pattern(rb"\A\s*<(?:!doctype html|html)", re.IGNORECASE), ".html"),
    (lazy_pattern(rb"\A\s*<"), ".xml"),
    (lazy_pattern(rb"\A---\n|(?:\A|\n)#{1,6} "), ".md"),
)
_HEAD = 1 << 16
_ELSEWHERE = re.compile(
    r"(?:https?:|doi|arxiv|openreview|(?<![a-z-])[a-z-]++(?:\.[a-z]{2})?/\d{7}|\d{2,4}\.\d{4}|(?:www|export|dx)\.)",
    re.IGNORECASE,
)
"""Beginnings of identifiers and addresses that can be fetched (see `documents.fetching`)."""


def shown_path(path: Path, rootpath: Path) -> str:
    """The file as places name it: its node id, or ``<stdin>``."""
    return "<stdin>" if path.parent.name.startswith(_PREFIX) else file_nodeid(path, rootpath)


def format_of(data: bytes) -> str:
    """The ending of a file with this content, by its first bytes."""
    head = data[:_HEAD].removeprefix(b"\xef\xbb\xbf")
    return next((suffix for pattern, suffix in _FORMATS if pattern.search(head)), ".txt")


def may_name_elsewhere(config: pytest.Config) -> bool:
    """Whether an argument looks like an identifier or an address and names no file."""
    given: list[str] | None = config.getoption("citecheck")
    names = [part.partition("::")[0] for value in (*(given or ()), *config.args) for part in (value, *value.split(","))]
    return given is not None and any(
        _ELSEWHERE.match(name) and not os.path.exists(name)  # noqa: PTH110 - Path.exists raises for a long address
        for name in names
    )


def take_standard_input(config: pytest.Config) -> None:
    """Put a file in the place of ``-`` among the values of ``--citecheck``; it goes with the run. Raises pytest.UsageError."""
    given: list[str] = config.getoption("citecheck") or []
    if STANDARD_INPUT not in given:
        return
    capture = config.pluginmanager.getplugin("capturemanager")
    if capture is not None:
        capture.suspend_global_capture(in_=True)
    try:
        data = sys.stdin.buffer.read(LARGEST + 1)
    finally:
        if capture is not None:
            capture.resume_global_capture()
    if not data.strip():
        raise pytest.UsageError("--citecheck=-: standard input is empty")
    if len(data) > LARGEST:
        raise pytest.UsageError(f"--citecheck=-: standard input has more than {megabytes(LARGEST)}")
    folder = tempfile.TemporaryDirectory(prefix=_PREFIX)
    config.add_cleanup(folder.cleanup)
    path = Path(folder.name) / f"stdin{format_of(data)}"
    path.write_bytes(data)
    # With pytest-xdist the workers get this value.
    config.option.citecheck = [str(path) if one == STANDARD_INPUT else one for one in given]
