"""A changed answer is found in each format, and nothing else is called a change."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_citecheck.doctor import (
    INDEX,
    Change,
    Examined,
    body_of,
    change,
    expected_shape,
    judged,
    read_shape,
    write_bodies,
)
from pytest_citecheck.model import Absent, Answer, Found, Query, Record, Unavailable
from pytest_citecheck.net import Reply
from pytest_citecheck.sources import SOURCES, MalformedAnswerError, Response, Source, parse_xml
from tests.stand_ins.facts import Facts
from tests.stand_ins.server import HOLDING_WORKS, LocalServices
from tests.stand_ins.shapes import shape_files, standing_in
from tests.stand_ins.venue_year_lists import LISTS
from tests.support.transport_support import FakeSource

PLAYED = {*HOLDING_WORKS, *LISTS}
QUESTION = Query("doi", "10.1/x")
JSON = '{"n": 1, "items": [{"DOI": "10.1/x", "names": {"title": "Tides", "year": 1999}, "score": 2.5}]}'
XML = '<feed xmlns="urn:a"><entry id="10.1/x"><title>Tides</title><year>1999</year><score/></entry></feed>'
BIBTEX = "@article{x,\n  title = {Tides},\n  doi = {10.1/x},\n  year = 1999,\n  score = {2},\n}\n"
HTML = (
    '<!doctype html><html><head><title>Shop</title><meta name="citation_title" content="Tides">'
    '<meta name="citation_doi" content="10.1/x"></head><body class="score"><h1>1999</h1></body></html>'
)


class Reader(FakeSource):
    """Reads DOI, title and year from a body in one of the formats."""

    def parse(self, queries: Sequence[Query], response: Response) -> dict[Query, Answer]:
        text = response.body.decode()
        doi, title, year = self._read(text)
        if not doi:
            raise MalformedAnswerError("no DOI")
        record = Record("fake", doi, title=title, doi=doi, years=(int(year),) if year else ())
        return {query: Found((record,)) if query.value == doi else Absent() for query in queries}

    def _read(self, text: str) -> tuple[str, str, str]:
        if text.startswith("{"):
            (item,) = json.loads(text)["items"]
            names = item.get("names", {})
            return item.get("DOI", ""), names.get("title", ""), str(names.get("year", ""))
        if text.startswith("<feed"):
            entry = parse_xml(text.encode())[0]
            return entry.get("id", ""), entry.findtext("{urn:a}title") or "", entry.findtext("{urn:a}year") or ""
        if text.startswith("@"):
            fields: Mapping[str, str] = dict(re.findall(r"(\w+) = \{?([^{}\n,]*)", text))
            return fields.get("doi", ""), fields.get("title", ""), fields.get("year", "")
        metas: Mapping[str, str] = dict(re.findall(r'<meta name="(\w+)" content="([^"]*)"', text))
        heading = re.search(r"<h1>(\d+)", text)
        return metas.get("citation_doi", ""), metas.get("citation_title", ""), heading[1] if heading else ""


def changed(body: str, now: str) -> Change:
    source = Reader()
    expected = read_shape(source, QUESTION, Response(200, body.encode()))
    try:
        answer = source.parse([QUESTION], Response(200, now.encode()))[QUESTION]
    except Exception:  # noqa: BLE001 - as the examination does
        answer = None
    return change(expected, now.encode(), answer)


@pytest.mark.parametrize(
    ("body", "old", "new", "missing"),
    [
        (JSON, '"DOI"', '"doi"', ["items/*/DOI"]),
        (JSON, '"names"', '"called"', ["items/*/names"]),
        (JSON, '"Tides"', "null", ["items/*/names/title"]),
        (XML, "title>", "heading>", ["{urn:a}feed/entry/title"]),
        (XML, ' id="', ' key="', ["{urn:a}feed/entry/@id"]),
        (XML, "urn:a", "urn:b", ["{urn:a}feed"]),
        (BIBTEX, "title =", "booktitle =", ["title"]),
        (HTML, "citation_title", "dc.title", ["meta[name=citation_title]"]),
        (HTML, "h1>", "h2>", ["h1"]),
    ],
)
def test_what_a_parser_reads_is_missed(body: str, old: str, new: str, missing: list[str]) -> None:
    assert list(changed(body, body.replace(old, new)).missing) == missing


@pytest.mark.parametrize(
    ("body", "old", "new", "said"),
    [
        (JSON, '"Tides"', '{"en": "Tides"}', "items/*/names/title is object, not string"),
        (JSON, "1999", '"1999"', "items/*/names/year is string, not number"),
        (XML, "<year>1999</year>", "<year><v>1999</v></year>", "{urn:a}feed/entry/year is element, not text"),
        (JSON, JSON, HTML, "the body is HTML, not JSON"),
        (XML, XML, XML[:40], "the body is no whole XML"),
    ],
)
def test_another_type_is_told(body: str, old: str, new: str, said: str) -> None:
    assert said in changed(body, body.replace(old, new)).retyped


@pytest.mark.parametrize(
    ("body", "old", "new"),
    [
        (JSON, '"score": 2.5', '"rank": "first"'),
        (JSON, '"n": 1, ', ""),
        (XML, "<score/>", "<rank>1</rank>"),
        (BIBTEX, "score", "rank"),
        (HTML, "Shop", "Store"),
    ],
)
def test_what_no_parser_reads_may_change(body: str, old: str, new: str) -> None:
    assert not changed(body, body.replace(old, new))


def test_new_places_and_lost_fields_are_told() -> None:
    now = JSON.replace('"n": 1', '"n": 1, "next": {"cursor": 2}').replace("1999", '""')
    found = changed(JSON, now)
    assert found.new == ("next",)
    assert found.lost == ("years",)


def test_places_keep_strange_names() -> None:
    body = body_of(b'{"a/b~": {"c": 1}}')
    assert body is not None
    assert "a~1b~0/c" in body.places()
    assert json.loads(body.without("a~1b~0/c")) == {"a/b~": {}}
    assert json.loads(body.only({"", "a~1b~0"})) == {"a/b~": {}}


def test_each_source_with_works_has_a_sample_of_one_kind_at_least() -> None:
    assert [source.name for source in SOURCES if not source.samples()] == ["web_page"]  # which answers for any address


def test_each_source_with_works_has_the_shape_of_each_witness() -> None:
    lacking = [
        (source.name, kind)
        for source in SOURCES
        if source.name in PLAYED
        for kind, query in source.samples().items()
        if expected_shape(source, query) is None
    ]
    assert not lacking, "python -m tests.stand_ins.shapes"


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(one, marks=() if one.name == "arxiv" else pytest.mark.exhaustive)
        for one in SOURCES
        if one.samples()
    ],
    ids=lambda one: one.name,
)
def test_every_place_that_a_source_needs_is_missed(source: Source) -> None:
    with LocalServices(Facts(())) as services:
        answers = {query: standing_in(services, source, query) for query in source.samples().values()}
    for query, response in answers.items():
        body, expected = body_of(response.body), expected_shape(source, query)
        if body is None or expected is None:
            continue
        assert judged(source, query, Reply("", None, response), has_key=False).state == "reachable"
        for place in filter(None, expected.needed):
            reply = Reply("", None, replace(response, body=body.without(place)))
            found = judged(source, query, reply, has_key=False)
            assert found.state in ("shape changed", "control not found"), place
            assert found.change.missing or found.change.retyped or found.change.lost, place


@pytest.mark.exhaustive
def test_the_shapes_are_those_of_the_stand_ins() -> None:
    for path, text in shape_files().items():
        assert path.read_text(encoding="utf-8") == text, f"{path}: python -m tests.stand_ins.shapes"


def examined(reply: Reply) -> Examined:
    source = Reader()
    return Examined(source, {}, key="", mirrored=False, look_ups=(judged(source, QUESTION, reply, has_key=False),))


def answered(body: str, status: int = 200) -> Reply:
    headers = {"content-type": "text/plain"}
    return Reply("https://api.example.org/x", response=Response(status, body.encode(), headers, date="2026-11-01"))


@pytest.mark.parametrize(
    ("body", "kept", "left"),
    [(JSON, '{"items":[{"DOI":"10.1/x","names":{"title":"Tides","year":1999}}]}', "score"), (XML, "Tides", "score")],
)
def test_a_recorded_answer_is_what_the_parser_reads(body: str, kept: str, left: str, tmp_path: Path) -> None:
    assert write_bodies(tmp_path, [examined(answered(body))]) == (1, 0)
    (row,) = rows_of(tmp_path)
    assert (row["service"], row["kind"], row["control"]) == ("fake", "doi", "10.1/x")
    assert (row["places"], row["status"], row["date"]) == (False, 200, "2026-11-01")
    written = (tmp_path / row["file"]).read_text(encoding="utf-8")
    assert kept in "".join(written.split())
    assert left not in written
    again = Response(row["status"], written.encode())
    assert Reader().parse([QUESTION], again) == Reader().parse([QUESTION], Response(200, body.encode()))


@pytest.mark.parametrize("body", [BIBTEX, HTML, '{"n": 1, "items": [{"doi": "10.1/x"}]}'])
def test_of_other_answers_the_places_are_recorded(body: str, tmp_path: Path) -> None:
    assert write_bodies(tmp_path, [examined(answered(body))]) == (0, 1)
    (row,) = rows_of(tmp_path)
    assert row["places"]
    known = json.loads((tmp_path / row["file"]).read_text(encoding="utf-8"))
    shown = body_of(body.encode())
    assert shown is not None
    assert known.keys() == shown.places().keys()


@pytest.mark.parametrize(
    "reply",
    [
        Reply("https://api.example.org/x", failure=Unavailable("timeout", "no answer")),
        answered(JSON, 429),
        answered(JSON, 500),
        answered(JSON, 403),
        answered(""),
    ],
)
def test_without_an_answer_nothing_is_recorded_and_earlier_answers_stay(reply: Reply, tmp_path: Path) -> None:
    assert write_bodies(tmp_path, [examined(reply)]) == (0, 0)
    assert rows_of(tmp_path) == []
    write_bodies(tmp_path, [examined(answered(JSON))])
    before = rows_of(tmp_path)
    assert write_bodies(tmp_path, [examined(reply)]) == (0, 0)
    assert rows_of(tmp_path) == before
    assert write_bodies(tmp_path, [examined(answered(BIBTEX))]) == (0, 1)
    assert [row["places"] for row in rows_of(tmp_path)] == [True]


def rows_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / INDEX).read_text(encoding="utf-8").splitlines()]
