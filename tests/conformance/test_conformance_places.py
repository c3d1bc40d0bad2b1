"""Places as authors write them, complete volumes, and recorded answers about places."""

from __future__ import annotations

import json
import os
import re
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from pytest_citecheck.matching import cited_locator_of, compare_locators, locator
from pytest_citecheck.model import Absent, Found, Query
from pytest_citecheck.sources import CROSSREF, PUBMED, Response
from tests.conformance.recorded import needs_recordings

pytestmark = needs_recordings

FOLDER = Path(os.environ.get("CITECHECK_SHARED", "/nowhere"))


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / "places" / name).read_text(encoding="utf-8").splitlines()]


def body(name: str) -> bytes:
    return (FOLDER / "responses" / "places" / name).read_bytes()


KINDS = {
    "issue in the volume": re.compile(r"^\d+ ?\("),
    "section": re.compile(r"^[A-Z]\d+$|^\d+[A-Z]$"),
    "roman": re.compile(r"^[ivxlIVXL]+$"),
    "range": re.compile(r"^\d+ ?[-–] ?\d+$"),
    "supplement": re.compile(r"suppl", re.IGNORECASE),
}


@pytest.mark.parametrize("kind", KINDS)
def test_volumes_of_each_kind_are_read(kind: str) -> None:
    written = {row["volume"] for row in rows("dev.jsonl") if KINDS[kind].search(row["volume"])}
    assert written
    assert [volume for volume in written if not cited_locator_of({"volume": volume}).volume] == []


def test_nearly_all_places_are_read() -> None:
    cited = rows("dev.jsonl")
    unread = Counter(
        part
        for row in cited
        for part, value in (
            ("volume", cited_locator_of({"volume": row["volume"]}).volume),
            ("page", cited_locator_of({"pages": row["first"]}).first),
        )
        if not value
    )
    assert unread["volume"] <= len(cited) / 200
    assert unread["page"] <= len(cited) / 200


def test_works_of_a_complete_volume_have_places_of_their_own() -> None:
    at: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in rows("volumes.jsonl"):
        at[row["journal"], row["volume"]].append(row)
    for works in at.values():
        places = [locator(row["volume"], "", f"{row['first']}-{row['last']}") for row in works]
        paged = [place for place in places if place.identifies]
        for one, other in pairwise(paged):
            assert compare_locators(one, one) == "same"
            assert compare_locators(one, other) != "same", (one, other)


@pytest.mark.parametrize("name", ["ecitmatch_found.txt", "ecitmatch_mixed.txt", "ecitmatch_single.txt"])
def test_recorded_lines_of_pubmed_are_read_by_their_keys(name: str) -> None:
    query = Query("place", "N Engl J Med||382|727", ("Zhu",), 2020)
    (line,) = re.findall(r"bdata=([^&]+)", PUBMED.request([query]).url)
    key = line.split("%7C")[5]
    assert PUBMED.parse([query], Response(200, body(name)))[query] == Absent()
    ours = body(name).replace(b"|Art4|", f"|{key}|".encode()).replace(b"|covid1|", f"|{key}|".encode())
    answer = PUBMED.parse([query], Response(200, ours))[query]
    assert isinstance(answer, Found) == (ours != body(name))


def test_recorded_works_of_a_journal_are_read() -> None:
    query = Query("volume", "PLOS ONE|1932-6203|17|", (), 2022)
    answer = CROSSREF.parse([query], Response(200, body("journals_1932-6203_works_cursor1.json")))[query]
    assert isinstance(answer, Found)
    assert {record.volume for record in answer.records} == {"17"}
    assert any(locator(record.volume, "", record.pages).first.startswith("E") for record in answer.records)
    assert not answer.scope  # 30 of 274,684
    assert CROSSREF.parse([query], Response(404, body("journals_issn_works_404.txt")))[query] == Absent()
