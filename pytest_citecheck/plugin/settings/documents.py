"""What a run was asked to do with documents: manuscripts, and folders of submissions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from pytest_citecheck.plugin.settings.outputs import output_file

__all__ = ["DocumentSettings", "read_document_settings"]


@dataclass(frozen=True, slots=True)
class DocumentSettings:
    """everything: take in entries that a document does not cite. grobid: where a GROBID answers; empty if nowhere.

    table: the file of a table that spreadsheets read; None if none is wanted.
    """

    everything: bool = False
    grobid: str = ""
    table: Path | None = None


def read_document_settings(value: Callable[[str], Any]) -> DocumentSettings:
    """From the values of the options. Raises pytest.UsageError."""
    grobid = value("citecheck_grobid") or ""
    parts = urlsplit(grobid)
    if grobid and (parts.scheme not in ("http", "https") or not parts.hostname):
        raise pytest.UsageError(f"--citecheck-grobid takes the address of a GROBID, not {grobid!r}")
    return DocumentSettings(
        everything=bool(value("citecheck_all")), grobid=grobid.rstrip("/"), table=output_file(value("citecheck_csv"))
    )
