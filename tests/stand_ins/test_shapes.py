"""The local services have the shape of the real ones: no member and no type that real bodies do not have.

Real bodies are found through CITECHECK_SHARED (responses/index.jsonl); without it these tests are skipped.
"""

from __future__ import annotations

import json
import os
import xml.etree.ElementTree as ET
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.stand_ins import FACTS_FILE, load_facts
from tests.stand_ins.arxiv import Arxiv
from tests.stand_ins.crossref import Crossref
from tests.stand_ins.datacite import DataCite
from tests.stand_ins.doi_org import DoiOrg

if TYPE_CHECKING:
    from collections.abc import Iterator

SHARED = os.environ.get("CITECHECK_SHARED", "")
pytestmark = pytest.mark.skipif(not SHARED, reason="CITECHECK_SHARED is not set")

FACTS = load_facts(FACTS_FILE)
COMMON = 0.97
"""A member that this share of real bodies has must not be missing."""


@cache
def bodies(service: str) -> tuple[bytes, ...]:
    folder = Path(SHARED) / "responses"
    lines = (folder / "index.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if row["service"] == service and row["status"] in (200, None)]
    return tuple((folder / row["file"]).read_bytes() for row in rows)


def parsed(service: str) -> list[Any]:
    values = []
    for body in bodies(service):
        try:
            values.append(json.loads(body))
        except ValueError:
            continue  # recorded error pages
    return values


def types(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield every path of a JSON value with its type; list positions do not count."""
    kind = "number" if isinstance(value, int | float) and not isinstance(value, bool) else type(value).__name__
    yield path, kind
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from types(inner, f"{path}.{key}")
    if isinstance(value, list):
        for inner in value:
            yield from types(inner, f"{path}[]")


def assert_shaped(local: list[Any], real: list[Any], invented: frozenset[str] = frozenset()) -> None:
    known = defaultdict(set)
    for value in real:
        for path, kind in types(value):
            known[path].add(kind)
    strange = {
        (path, kind)
        for value in local
        for path, kind in types(value)
        if kind not in known[path] and path not in invented
    }
    assert not strange
    counts = Counter(key for value in real for key in value)
    for value in local:
        assert {key for key, count in counts.items() if count >= COMMON * len(real)} <= set(value)


def real_works() -> list[Any]:
    works = []
    for body in parsed("crossref"):
        message = body.get("message", body) if isinstance(body, dict) else {}
        items = message.get("items", [message]) if isinstance(message, dict) else []
        works += [item for item in items if isinstance(item, dict) and "indexed" in item and "DOI" in item]
    return works


def test_works_of_crossref() -> None:
    real = real_works()
    assert len(real) > 150
    reply = json.loads(Crossref(FACTS).answer("/works", {"rows": "1000"}).body)
    local = reply["message"]["items"]
    assert len(local) > 80
    assert_shaped(local, real)


def test_envelopes_of_crossref() -> None:
    real = [body for body in parsed("crossref") if isinstance(body, dict) and body.get("message-type") == "work-list"]
    local = json.loads(Crossref(FACTS).answer("/works", {"query": "deep", "rows": "1"}).body)
    for body in (local, *real):
        body["message"].pop("items")
    assert_shaped([local], real)
    assert_shaped([local["message"]], [body["message"] for body in real])


def test_dois_of_datacite() -> None:
    real = [
        body["data"] for body in parsed("datacite") if isinstance(body, dict) and isinstance(body.get("data"), dict)
    ]
    real = [resource for resource in real if resource.get("type") == "dois"]
    assert len(real) > 20
    body = json.loads(DataCite(FACTS).answer("/dois", {"page[size]": "1000"}).body)
    assert len(body["data"]) > 50
    # Members that the metadata schema introduced after the recordings.
    later = frozenset({".attributes.relatedItems"})
    assert_shaped(body["data"], real, later)
    always = Counter(key for resource in real for key in resource["attributes"])
    # Left out of lists: the XML and the counts by month.
    heavy = {"xml", "viewsOverTime", "downloadsOverTime", "citationsOverTime"}
    for resource in body["data"]:
        assert {key for key, count in always.items() if count == len(real)} - heavy <= set(resource["attributes"])


def test_agencies_of_doi_org() -> None:
    local = json.loads(DoiOrg(FACTS).answer("/ra/10.1038,10.1145", {}).body)
    assert_shaped(local, [item for body in parsed("doi_ra") for item in body])


def test_feeds_of_arxiv() -> None:
    def elements(body: bytes) -> set[tuple[str, ...]]:
        """Every element with its parent and the names of its attributes."""
        found = set()
        for parent in ET.fromstring(body).iter():  # noqa: S314 - kept files
            for child in parent:
                found.add((parent.tag, child.tag, *sorted(child.attrib)))
        return found

    real = set().union(*map(elements, bodies("arxiv")))
    ids = ",".join(work.arxiv.id for work in FACTS.works if work.arxiv)
    local = elements(Arxiv(FACTS).answer("/api/query", {"id_list": ids, "max_results": "100"}).body)
    assert len(local) > 15
    assert local <= real
