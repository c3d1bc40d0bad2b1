"""The files of tests/dumps, taken apart into records, so that tests can put broken ones between them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck.index import Reading, read
from pytest_citecheck.model import Record
from pytest_citecheck.sources import Problem

if TYPE_CHECKING:
    from collections.abc import Sequence

DUMPS = Path(__file__).parents[1] / "dumps"


@dataclass(frozen=True)
class Sample:
    """One file: the text before, between and after its records."""

    name: str
    start: bytes
    records: tuple[bytes, ...]
    between: bytes
    end: bytes

    def file(self, records: Sequence[bytes] | None = None) -> bytes:
        return self.start + self.between.join(self.records if records is None else records) + self.end


def readings(path: Path, data: bytes, **options: str) -> list[Record | Problem]:
    """Everything that is read of a file with these bytes."""
    path.write_bytes(data)
    reading = read(path, **options)
    assert isinstance(reading, Reading)
    return list(reading)


def entries(items: Sequence[Record | Problem]) -> list[Record]:
    return [item for item in items if isinstance(item, Record)]


def problems(items: Sequence[Record | Problem]) -> list[Problem]:
    return [item for item in items if isinstance(item, Problem)]


def _elements(name: str, tags: str, most: int = 100) -> Sample:
    data = (DUMPS / name).read_bytes()
    found = list(re.finditer(rf"<({tags})(?=[\s>]).*?</\1>".encode(), data, re.DOTALL))[:most]
    return Sample(name, data[: found[0].start()], tuple(match[0] for match in found), b"\n", data[found[-1].end() :])


def _split(name: str, start: str) -> Sample:
    """Records that begin where the pattern matches."""
    data = (DUMPS / name).read_bytes()
    places = [match.start() for match in re.finditer(start.encode(), data, re.MULTILINE)]
    records = tuple(data[at:end] for at, end in zip(places, [*places[1:], len(data)], strict=True))
    return Sample(name, data[: places[0]], records, b"\n", b"")


def _lines(name: str) -> Sample:
    return Sample(name, b"", tuple((DUMPS / name).read_bytes().splitlines()), b"\n", b"\n")


def _array(name: str, start: str, end: str, key: str = "") -> Sample:
    value = json.loads((DUMPS / name).read_bytes())
    for part in filter(None, key.split(".")):
        value = value[part]
    return Sample(name, start.encode(), tuple(json.dumps(row).encode() for row in value), b",\n", end.encode())


SAMPLES = (
    _elements("dblp.xml", "article|inproceedings|proceedings|incollection|phdthesis|data|www"),
    _elements("pubmed24n0001.xml", "PubmedArticle|PubmedBookArticle|DeleteCitation"),
    _elements("N19.xml", "paper", most=2),
    _split("anthology.bib", "^@(?!string)"),
    _split("refs.ris", "^TY"),
    _lines("entries.jsonl"),
    _lines("arxiv.json"),
    _lines("crossref.jsonl"),
    _lines("openalex_part_000.jsonl"),
    _lines("refs.csl.jsonl"),
    _array("crossref_items.json", '{"items": [', "]}\n", "items"),
    _array(
        "crossref_page.json",
        '{"status": "ok", "message-type": "work-list", "message": {"items": [',
        "]}}\n",
        "message.items",
    ),
    _array("openalex_page.json", '{"meta": {"count": 3}, "results": [', '], "group_by": []}\n', "results"),
    _array("refs.csl.json", "[\n", "\n]\n"),
    _array("openreview_v2.json", '{"notes": [', '], "count": 3}', "notes"),
    _array("papers.json", "[", "]"),
)
