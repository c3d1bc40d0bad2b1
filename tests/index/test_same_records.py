"""A work yields the same record from its service's response and from its dump."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET  # of samples that stand here
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path

import pytest

from pytest_citecheck.index import read
from pytest_citecheck.matching import CATALOGUES
from pytest_citecheck.model import Notice, Person, Record
from pytest_citecheck.sources import (
    CITATIONS,
    acl_record,
    arxiv_record,
    crossref_record,
    dump_formats,
    openalex_record,
    parse_article,
    parse_note,
    parse_publication,
    parse_xml,
    without_namespaces,
)
from tests.support.dump_samples import DUMPS

OTHER_ITEMS = {  # besides those of tests/dumps, what these do not show
    "crossref.jsonl": {
        "DOI": "10.1016/S0140-6736(97)11096-0", "prefix": "10.1016", "type": "journal-article", "deposited": {},
        "title": ["RETRACTED: Ileal-lymphoid-nodular hyperplasia", "A second title"], "subtitle": ["In children"],
        "original-title": ["Originaltitel"], "short-title": ["Ileal"], "container-title": ["The Lancet"],
        "short-container-title": ["Lancet"], "publisher": "Elsevier BV", "ISSN": ["0140-6736"], "ISBN": ["978-0-306-40615-7"],
        "author": [{"family": "Wakefield", "given": "AJ", "suffix": "Jr."}, {"name": "The Lancet Group"}, {"family": "Plato"}],
        "editor": [{"family": "Horton", "given": "Richard"}], "volume": "351", "issue": "9103", "page": "637-641",
        "issued": {"date-parts": [[1998, 2]]}, "published-online": {"date-parts": [[1999]]},
        "relation": {"has-preprint": [{"id": "10.48550/arXiv.1706.03762", "id-type": "doi"}]},
        "updated-by": [{"type": "retraction", "DOI": "10.1016/s0140-6736(10)60175-4", "source": "retraction-watch",
                        "updated": {"date-parts": [[2010, 2, 6]]}}],
    },
    "openalex_part_000.jsonl": {
        "id": "https://openalex.org/W9", "title": "A <i>retracted</i> work", "publication_year": 2001, "type": "article",
        "authorships": [{"raw_author_name": "Lovelace, Ada"}], "is_retracted": True,
        "primary_location": {"source": {"display_name": "Nature", "type": "journal", "issn": ["0028-0836"],
                                        "host_organization_name": "Springer"}},
    },
}  # fmt: skip


def lines(name: str) -> list[object]:
    return [json.loads(line) for line in (DUMPS / name).read_bytes().splitlines()] + [OTHER_ITEMS[name]]


def notes(name: str) -> list[object]:
    text = (DUMPS / name).read_text(encoding="utf-8")
    return json.loads(text)["notes"] if name.endswith(".json") else list(map(json.loads, text.splitlines()))


def answered(items: list[object], parse: Callable[[object], Record | None]) -> dict[str, Record]:
    """Return the records that the service's parser produces from the items of a response."""
    return {record.id: record for record in map(parse, items) if record}


def dumped(path: Path, source: str) -> dict[str, Record]:
    """The records of a dump, without the keys by which an index finds them."""
    records = [item for item in read(path) if isinstance(item, Record)]
    assert {record.source for record in records} == {source}
    own = [tuple(pair for pair in record.related if pair[0] not in CATALOGUES) for record in records]
    return {record.id: replace(record, related=pairs) for record, pairs in zip(records, own, strict=True)}


def assert_same(first: Record, second: Record) -> None:
    for field in fields(Record):
        assert getattr(first, field.name) == getattr(second, field.name), f"{first.id}: {field.name}"


@pytest.mark.parametrize(
    ("name", "source", "parse"),
    [("crossref.jsonl", "crossref", crossref_record), ("openalex_part_000.jsonl", "openalex", openalex_record)],
)
def test_works_of_answers_and_dumps(
    name: str, source: str, parse: Callable[[object], Record | None], tmp_path: Path
) -> None:
    items = lines(name)
    (tmp_path / name).write_text("\n".join(map(json.dumps, items)), encoding="utf-8")
    by_service, by_dump = answered(items, parse), dumped(tmp_path / name, source)
    assert len(by_dump) >= 2
    for identifier, record in by_dump.items():
        assert_same(by_service[identifier], record)


def test_a_retracted_work_of_crossref_keeps_all_that_checks_look_at(tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_text(json.dumps(OTHER_ITEMS["crossref.jsonl"]), encoding="utf-8")
    (record,) = dumped(tmp_path / "c.jsonl", "crossref").values()
    assert record.notices[0] == Notice("retraction", "retraction-watch", "2010-02-06", "10.1016/s0140-6736(10)60175-4")
    assert record.authors[0] == Person(family="Wakefield", given="AJ", suffix="Jr.")
    assert record.authors[1] == Person("The Lancet Group", group=True)
    assert record.years == (1998, 1999)
    assert (record.subtitle, record.issn, record.isbn) == ("In children", ("0140-6736",), ("9780306406157",))
    assert record.other_titles == ("Ileal-lymphoid-nodular hyperplasia", "A second title", "Originaltitel", "Ileal")


@pytest.mark.parametrize("name", ["openreview_v1.jsonl", "openreview_v2.json"])
def test_notes_of_openreview(name: str) -> None:
    by_service, by_dump = answered(notes(name), parse_note), dumped(DUMPS / name, "openreview")
    assert by_dump
    for identifier, record in by_dump.items():
        assert_same(by_service[identifier], record)


def test_citations_of_pubmed() -> None:
    root = parse_xml((DUMPS / "pubmed24n0001.xml").read_bytes(), doctype=True)
    by_service = {record.id: record for one in root if one.tag in CITATIONS if (record := parse_article(one))}
    by_dump = dumped(DUMPS / "pubmed24n0001.xml", "pubmed")
    assert by_dump.keys() == by_service.keys()
    for identifier, record in by_dump.items():
        assert_same(by_service[identifier], record)


ATOM = """<entry xmlns="http://www.w3.org/2005/Atom" xmlns:arxiv="http://arxiv.org/schemas/atom">
<id>http://arxiv.org/abs/1706.03762v7</id><title>Attention Is All\n  You Need</title>
<updated>2023-08-02T00:41:18Z</updated><published>2017-06-12T17:57:34Z</published>
<author><name>Ashish Vaswani</name></author><author><name>Noam Shazeer</name></author></entry>"""
XML = """<dblp><inproceedings key="conf/naacl/DevlinCLT19"><author>Jacob Devlin</author><author>Ming-Wei Chang</author>
<author>Kenton Lee 0001</author><author>Kristina Toutanova</author>
<title>BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding.</title><pages>4171-4186</pages>
<year>2019</year><booktitle>NAACL-HLT (1)</booktitle><ee type="oa">https://doi.org/10.18653/v1/n19-1423</ee></inproceedings></dblp>"""
MODS = """<mods xmlns="http://www.loc.gov/mods/v3"><titleInfo>
<title>BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding</title></titleInfo>
{authors}<originInfo><dateIssued>2019-06</dateIssued></originInfo><typeOfResource>text</typeOfResource>
<relatedItem type="host"><titleInfo><title>Proceedings of the 2019 Conference of the North American Chapter of the Association
 for Computational Linguistics: Human Language Technologies, Volume 1 (Long and Short Papers)</title></titleInfo>
<name type="personal"><namePart type="given">Jill</namePart><namePart type="family">Burstein</namePart>
<role><roleTerm type="text">editor</roleTerm></role></name>
<originInfo><publisher>Association for Computational Linguistics</publisher></originInfo>
<genre authority="marcgt">conference publication</genre></relatedItem>
<identifier type="doi">10.18653/v1/N19-1423</identifier><location><url>https://aclanthology.org/N19-1423/</url></location>
<part><date>2019-06</date><extent unit="page"><start>4171</start><end>4186</end></extent></part></mods>""".format(
    authors="".join(
        f'<name type="personal"><namePart type="given">{given}</namePart><namePart type="family">{family}</namePart>'
        '<role><roleTerm type="text">author</roleTerm></role></name>'
        for given, family in (("Jacob", "Devlin"), ("Ming-Wei", "Chang"), ("Kenton", "Lee"), ("Kristina", "Toutanova"))
    )
)
# Of two formats for one work: what the service answers, the file and the record in it, and the fields in which the formats
# themselves differ, each with the reason.
TWO_FORMATS: dict[str, tuple[Callable[[], Record | None], str, str, dict[str, str]]] = {
    "arXiv, feed and snapshot": (
        lambda: arxiv_record(ET.fromstring(ATOM)),  # noqa: S314
        "arxiv.json",
        "1706.03762",
        {"authors": "the snapshot parts family and given name, the feed has names in one piece"},
    ),
    "dblp, element and dump": (
        lambda: parse_publication(parse_xml(XML.encode())[0]),
        "dblp-bert.xml",
        "conf/naacl/DevlinCLT19",
        {},
    ),
    "ACL Anthology, MODS and XML": (
        lambda: acl_record(without_namespaces(ET.fromstring(MODS))),  # noqa: S314
        "N19.xml",
        "N19-1423",
        {},
    ),
}


@pytest.mark.parametrize("case", TWO_FORMATS)
def test_two_formats_of_one_work(case: str, tmp_path: Path) -> None:
    parse, name, identifier, reasons = TWO_FORMATS[case]
    path = DUMPS / name
    if not path.exists():
        path = tmp_path / name
        path.write_text(XML, encoding="utf-8")
    by_service = parse()
    assert by_service is not None
    by_dump = dumped(path, by_service.source)[identifier]
    different = {
        field.name for field in fields(Record) if getattr(by_service, field.name) != getattr(by_dump, field.name)
    }
    assert different == set(reasons), {name: (getattr(by_service, name), getattr(by_dump, name)) for name in different}


def test_every_service_with_a_dump_is_compared() -> None:
    compared = {"crossref", "openalex", "openreview", "pubmed-xml", "arxiv", "dblp-xml", "acl-xml"}
    assert {form.name for form in dump_formats()} == compared
