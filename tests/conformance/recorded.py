"""Real responses of the services, from the folder in CITECHECK_SHARED.

Without that variable, the tests that read them are skipped. A body is complete (shape ``full_response``) or the part of a
response that its shape names; some are in base64.
"""

from __future__ import annotations

import base64
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pytest_citecheck.model import Record

_FOLDER = Path(os.environ["CITECHECK_SHARED"], "responses") if os.environ.get("CITECHECK_SHARED") else None

needs_recordings = pytest.mark.skipif(_FOLDER is None, reason="CITECHECK_SHARED is not set")

MARKUP = re.compile(r"</?[a-z:]+[ >/]|&(?:[a-z]+|#\d+);|\n|\t|  ", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Recorded:
    """One recorded body with its place in the folder, the requested URL, its status and its shape."""

    file: str
    url: str
    status: int
    shape: str

    @property
    def whole(self) -> bool:
        return self.shape == "full_response"

    @property
    def body(self) -> bytes:
        assert _FOLDER is not None
        stored = (_FOLDER / self.file).read_bytes()
        return base64.b64decode(stored) if stored.startswith((b"eyJ", b"PD9")) else stored

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def recordings(*services: str) -> list[Recorded]:
    """The recorded bodies of these services (of all, if none is named) in the order of the index; none without a folder."""
    if _FOLDER is None:
        return []
    lines = (_FOLDER / "index.jsonl").read_text(encoding="utf-8").splitlines()
    return [
        Recorded(line["file"], line["url"] or "", line["status"], line["shape"])
        for line in map(json.loads, lines)
        if not services or line["service"] in services
    ]


def file_ids(recorded: Recorded) -> str:
    """The file's name without its folder, as the id of a test."""
    return recorded.file.partition("/")[2]


def the(recorded: list[Recorded], name: str) -> Recorded:
    """The one recorded body whose file name ends so."""
    found = [item for item in recorded if item.file.endswith(name)]
    assert len(found) == 1, f"{len(found)} recorded bodies end with {name}"
    return found[0]


def assert_plausible(record: Record) -> None:
    """Assert the properties of every record of every source: an identifier, text without markup, sane years."""
    assert record.id
    names = [str(person) for person in (*record.authors, *record.editors)]
    for text in (record.title, record.subtitle, *record.other_titles, *names, *record.venues, record.publisher):
        assert not MARKUP.search(text), text
        assert text == text.strip()
    assert all(names)
    assert all(1400 <= year <= 2100 for year in record.years)
    assert record.doi == record.doi.lower()
