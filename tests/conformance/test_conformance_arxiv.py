"""arXiv's recorded feeds: parsed records compared with the XML."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from pytest_citecheck.model import Absent, Found, Query, Record
from pytest_citecheck.sources import ARXIV, Response
from tests.conformance.recorded import Recorded, assert_plausible, file_ids, needs_recordings, recordings, the

pytestmark = needs_recordings

RECORDED = recordings("arxiv")
ANY_TITLE = Query("title", "nothing that resembles one of them")
NAMES = {"atom": "http://www.w3.org/2005/Atom", "arxiv": "http://arxiv.org/schemas/atom"}


def squeeze(text: str | None) -> str:
    """Return the text on one line; some recordings contain UTF-8 that was decoded as Latin-1."""
    line = " ".join((text or "").split())
    return line.encode("latin-1").decode("utf-8") if re.search(r"[Ïâ\xc3][\x80-\xbf]", line) else line


def entries(item: Recorded) -> list[ET.Element]:
    return ET.fromstring(item.body).findall("atom:entry", NAMES)  # noqa: S314 - recorded and known


def compare(record: Record, entry: ET.Element) -> None:
    """Field by field, with the raw entry."""
    assert_plausible(record)
    identifier = squeeze(entry.findtext("atom:id", "", NAMES)).partition("/abs/")[2]
    assert record.id == record.arxiv == re.sub(r"v\d+$", "", identifier)
    assert record.title == squeeze(entry.findtext("atom:title", "", NAMES))
    authors = [squeeze(name.text) for name in entry.findall("atom:author/atom:name", NAMES)]
    assert [str(person) for person in record.authors] == authors
    assert record.years[0] == int(entry.findtext("atom:published", "", NAMES)[:4])
    assert int(entry.findtext("atom:updated", "", NAMES)[:4]) in record.years
    assert record.venues[0] == "arXiv"
    reference = squeeze(entry.findtext("arxiv:journal_ref", "", NAMES))
    assert record.venues[-1] == (reference or "arXiv")
    doi = entry.findtext("arxiv:doi", "", NAMES)
    assert record.related == ((("is-preprint-of", doi.lower()),) if doi else ())


def test_there_are_recordings() -> None:
    assert len(RECORDED) >= 13
    assert sum(len(entries(item)) for item in RECORDED) > 70


@pytest.mark.parametrize("item", RECORDED, ids=file_ids)
def test_every_feed_is_read_field_by_field(item: Recorded) -> None:
    raw = entries(item)
    assert ARXIV.parse([ANY_TITLE], Response(item.status, item.body)) == {ANY_TITLE: Absent("")}
    for entry in raw:
        by_title = Query("title", squeeze(entry.findtext("atom:title", "", NAMES)))
        by_id = Query("arxiv", re.sub(r"v\d+$", "", entry.findtext("atom:id", "", NAMES).partition("/abs/")[2]))
        answers = ARXIV.parse([by_title], Response(item.status, item.body))
        answers |= ARXIV.parse([by_id], Response(item.status, item.body))
        titled, identified = answers[by_title], answers[by_id]
        assert isinstance(titled, Found)
        assert isinstance(identified, Found)
        (record,) = identified.records
        assert record in titled.records
        compare(record, entry)


def test_an_id_that_does_not_exist_is_absent_beside_one_that_does() -> None:
    item = the(RECORDED, "id_0808.05394_1707.08567_s0_m100.xml")
    known, unknown = Query("arxiv", "1707.08567"), Query("arxiv", "0808.05394")
    answers = ARXIV.parse([unknown, known], Response(200, item.body))
    assert isinstance(answers[known], Found)
    assert answers[unknown] == Absent("arXiv has no such id")


@pytest.mark.parametrize("name", ["2104.12255v1", "quant-ph/0201082v1"])
def test_a_version_is_recorded_under_its_number(name: str) -> None:
    item = the(RECORDED, f"id_{name.replace('/', '_')}_s0_m100.xml")
    first, second = Query("arxiv", name), Query("arxiv", name.replace("v1", "v2"))
    answers = ARXIV.parse([first, second], Response(item.status, item.body))
    answer = answers[first]
    assert isinstance(answer, Found)
    assert [(record.id, record.version) for record in answer.records] == [(name.removesuffix("v1"), 1)]
    assert answers[second] == Absent("")


FACTS = {
    "id_1605.08386_s0_m100.xml": ("1605.08386", "Heat-bath random walks with Markov bases", 2, 2016),
    "id_quant-ph_0201082v1_s0_m100.xml": (
        "quant-ph/0201082",
        "Quantum Computers and Quantum Computer Languages: Quantum Assembly Language and Quantum C Language",
        1,
        2002,
    ),
    "id_1707.08567_s0_m100.xml": (
        "1707.08567",
        "Proceedings of Workshop AEW10: Concepts in Information Theory and Communications",
        None,
        2017,
    ),
}
"""Id, title, number of authors and year, as a reader of the feeds notes them."""


@pytest.mark.parametrize("name", FACTS)
def test_facts_about_single_works(name: str) -> None:
    identifier, title, count, year = FACTS[name]
    query = Query("arxiv", identifier)
    answer = ARXIV.parse([query], Response(200, the(RECORDED, name).body))[query]
    assert isinstance(answer, Found)
    record = answer.records[0]
    assert (record.title, record.years[0], record.type) == (title, year, "preprint")
    assert count in (None, len(record.authors))


def test_the_journal_of_a_published_preprint() -> None:
    query = Query("title", "Study Paper on Test Case generation for GUI Based Testing")
    answer = ARXIV.parse([query], Response(200, the(RECORDED, "q_testing_s0_m15.xml").body))[query]
    assert isinstance(answer, Found)
    assert [record.title for record in answer.records] == [query.value]
    assert answer.records[0].venues[1] == "International Journal of Software Engineering & Applications"
