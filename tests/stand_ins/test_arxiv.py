"""The local arXiv: identifier lists, searches, versions, limits, the error entry."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from tests.stand_ins import FACTS_FILE, load_facts
from tests.stand_ins.arxiv import Arxiv

FACTS = load_facts(FACTS_FILE.with_name("example_facts.yaml"))
ARXIV = Arxiv(FACTS)
NAMES = {
    "a": "http://www.w3.org/2005/Atom",
    "o": "http://a9.com/-/spec/opensearch/1.1/",
    "x": "http://arxiv.org/schemas/atom",
}


def feed(status: int = 200, /, **parameters: str) -> ET.Element:
    reply = ARXIV.answer("/api/query", parameters)
    assert (reply.status, reply.content_type) == (status, "application/atom+xml; charset=utf-8")
    return ET.fromstring(reply.body)  # noqa: S314 - made a line above


def ids(**parameters: str) -> list[str]:
    addresses = [entry.findtext("a:id", "", NAMES) for entry in feed(**parameters).findall("a:entry", NAMES)]
    return [address.removeprefix("http://arxiv.org/abs/") for address in addresses]


def test_an_entry_has_what_arxiv_states() -> None:
    found = feed(id_list="1602.03837")
    assert [found.findtext(f"o:{name}", "", NAMES) for name in ("itemsPerPage", "totalResults", "startIndex")] == [
        "10",
        "1",
        "0",
    ]
    (entry,) = found.findall("a:entry", NAMES)
    assert entry.findtext("a:id", "", NAMES) == "http://arxiv.org/abs/1602.03837v1"
    assert entry.findtext("a:published", "", NAMES) == "2016-02-11T17:57:34Z"
    assert entry.findtext("x:journal_ref", "", NAMES) == "Phys. Rev. Lett. 116, 061102 (2016)"
    assert entry.findtext("x:doi", "", NAMES) == "10.1103/PhysRevLett.116.061102"
    assert entry.find("a:link[@title='doi']", NAMES) is not None
    primary = entry.find("x:primary_category", NAMES)
    assert primary is not None
    assert primary.get("term") == "gr-qc"
    assert [name.text for name in entry.findall("a:author/a:name", NAMES)][:2] == ["B. P. Abbott", "R. Abbott"]


def test_long_titles_are_broken_across_lines() -> None:
    words = ["Observation", "of", "Gravitational", "Waves"] * 4
    work = next(work for work in FACTS.works if work.id == "ligo2016observation")
    assert work.arxiv is not None
    longer = replace(work, arxiv=replace(work.arxiv, title=" ".join(words)))
    body = Arxiv(replace(FACTS, works=(longer,))).answer("/api/query", {"id_list": "1602.03837"}).body
    title = ET.fromstring(body).findtext("a:entry/a:title", "", NAMES)  # noqa: S314
    assert "\n  " in title
    assert title.split() == words


def test_the_latest_version_is_served_unless_another_is_asked_for() -> None:
    assert ids(id_list="1706.03762") == ["1706.03762v7"]
    assert ids(id_list="1706.03762v3") == ["1706.03762v3"]
    assert ids(id_list="1706.03762v8") == []
    first = feed(id_list="1706.03762v1")
    assert first.findtext("a:entry/a:updated", "", NAMES) == first.findtext("a:entry/a:published", "", NAMES)


def test_a_version_has_the_title_that_it_had() -> None:
    work = next(work for work in FACTS.works if work.arxiv and work.arxiv.id == "1706.03762")
    assert work.arxiv is not None
    renamed = replace(work, arxiv=replace(work.arxiv, earlier_titles=("Transduction by attention", "Attention alone")))
    arxiv = Arxiv(replace(FACTS, works=(renamed,)))
    names = "1706.03762v1,1706.03762v2,1706.03762v3,1706.03762"
    body = arxiv.answer("/api/query", {"id_list": names}).body
    titles = [entry.findtext("a:title", "", NAMES) for entry in ET.fromstring(body).findall("a:entry", NAMES)]  # noqa: S314
    assert titles == ["Transduction by attention", "Attention alone", *[work.arxiv.title] * 2]


def test_unknown_identifiers_are_left_out() -> None:
    assert ids(id_list="1706.03762,9912.99999,math/0211159,math.DG/0211159") == [
        "1706.03762v7",
        "math/0211159v1",
        "math/0211159v1",
    ]
    assert feed(id_list="9912.99999").findtext("o:totalResults", "", NAMES) == "0"


def test_results_beyond_the_limit_are_cut_off() -> None:
    found = feed(id_list="1706.03762,1512.03385,1602.03837", max_results="2")
    assert len(found.findall("a:entry", NAMES)) == 2
    assert found.findtext("o:totalResults", "", NAMES) == "3"
    assert ids(id_list="1706.03762,1512.03385,1602.03837", max_results="2", start="2") == ["1602.03837v1"]


@pytest.mark.parametrize(("asked", "found"), [("1706.37", []), ("nonsense", []), ("x,1706.03762", ["1706.03762v7"])])
def test_malformed_identifiers_are_left_out(asked: str, found: list[str]) -> None:
    assert ids(id_list=asked) == found


def test_the_order_is_not_that_of_the_list() -> None:
    forth = ids(id_list="1706.03762,1512.03385,1602.03837")
    assert forth == ids(id_list="1602.03837,1512.03385,1706.03762")
    assert len(forth) == 3


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ('ti:"attention is all you need"', ["1706.03762v7"]),
        ('ti:"attention is you need"', []),
        ('ti:"deep residual learning" AND au:He', ["1512.03385v1"]),
        ('ti:"deep residual learning" AND au:Vaswani', []),
        ("au:polosukhin_i", ["1706.03762v7"]),
        ("au:polosukhin_z", []),
        ("all:need AND all:attention", ["1706.03762v7"]),
        ("ti:attention OR ti:entropy", ["1706.03762v7", "math/0211159v1"]),
        ("all:is ANDNOT ti:attention", []),
        ("cat:gr-qc", ["1602.03837v1"]),
        ("jr:phys", ["1602.03837v1"]),
    ],
)
def test_searches_want_every_word(query: str, found: list[str]) -> None:
    assert sorted(ids(search_query=query)) == found


def test_bad_parameters_give_the_error_entry() -> None:
    assert feed(400, search_query='ti:"open').findtext("a:entry/a:title", "", NAMES) == "Error"
    summary = feed(400, id_list="1706.03762", max_results="many").findtext("a:entry/a:summary", "", NAMES)
    assert summary == "max_results must be an integer"


def test_other_paths_do_not_exist() -> None:
    assert ARXIV.answer("/abs/1706.03762", {}).status == 404


def test_misfiled_submissions_are_others() -> None:
    reply = Arxiv(FACTS, shift=1).answer("/api/query", {"id_list": "1706.03762"})
    assert b"http://arxiv.org/abs/1512.03385v1" in reply.body
