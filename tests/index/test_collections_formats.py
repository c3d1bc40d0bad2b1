"""Each dump format, read from the small file of it in tests/dumps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_citecheck.index import read
from pytest_citecheck.matching import CATALOGUES
from pytest_citecheck.model import Record
from pytest_citecheck.sources import Problem
from tests.support.dump_samples import DUMPS, entries, problems, readings
from tests.support.records import own_key

if TYPE_CHECKING:
    from pathlib import Path

VASWANI = (
    "Ashish Vaswani", "Noam Shazeer", "Niki Parmar", "Jakob Uszkoreit", "Llion Jones", "Aidan N. Gomez", "Lukasz Kaiser",
    "Illia Polosukhin",
)  # fmt: skip
BERT = "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding"
DEVLIN = ("Jacob Devlin", "Ming-Wei Chang", "Kenton Lee", "Kristina Toutanova")
NAACL = (
    "Proceedings of the 2019 Conference of the North American Chapter of the Association for Computational Linguistics: "
    "Human Language Technologies, Volume 1 (Long and Short Papers)"
)
RESNET = "Deep Residual Learning for Image Recognition"
CVPR = "2016 IEEE Conference on Computer Vision and Pattern Recognition (CVPR)"
_CROSSREF = [
    {"id": "10.1109/cvpr.2016.90", "title": RESNET, "authors": ("Kaiming He", "Jian Sun, Jr."), "year": 2016, "venue": CVPR,
     "further": ("CVPR 2016",), "type": "inproceedings", "pages": "770-778", "isbn": ("9781467388511",)},
    {"title": "Clinical Characteristics of Patients & Others", "subtitle": "A Study",
     "authors": ("The COVID Group",), "year": 2020},
]  # fmt: skip
_OPENALEX = [
    {"id": "W2194775991", "title": RESNET, "authors": ("Kaiming He", "Jian Sun"), "year": 2016, "venue": "CVPR",
     "doi": "10.1109/cvpr.2016.90", "arxiv": "1512.03385", "type": "inproceedings", "pmid": "12345678", "pages": "770-778",
     "further": ("arXiv (Cornell University)",)},
]  # fmt: skip
_CSL = [
    {"source": "library-refs", "id": "he2016", "title": RESNET, "authors": ("Kaiming He", "Ann van Gogh"), "year": 2016,
     "doi": "10.1109/cvpr.2016.90", "venue": "CVPR", "type": "inproceedings"},
    {"id": "adam", "authors": ("Diederik P. Kingma",), "year": 2014, "arxiv": "1412.6980", "type": "preprint"},
]  # fmt: skip

EXPECTED: dict[str, tuple[str, str, list[dict[str, Any]], dict[str, int]]] = {
    "dblp.xml": ("dblp-xml", "dblp", [
        {"id": "journals/neco/HochreiterS97", "dblp": "journals/neco/HochreiterS97", "title": "Long Short-Term Memory",
         "authors": ("Sepp Hochreiter", "Jürgen Schmidhuber"), "year": 1997, "venue": "Neural Comput.", "volume": "9",
         "number": "8", "pages": "1735-1780", "doi": "10.1162/neco.1997.9.8.1735", "type": "article",
         "url": "https://dblp.org/rec/journals/neco/HochreiterS97"},
        {"title": "Attention is All you Need", "authors": VASWANI, "venue": "NIPS", "doi": "", "type": "inproceedings"},
        {"venue": "CoRR", "arxiv": "1706.03762", "type": "preprint"},
        {"type": "proceedings", "authors": (), "editors": ("Isabelle Guyon", "Ulrike von Luxburg"), "venue": "NIPS"},
        {"title": "On O(n2) Bounds & H2O <Notes>", "authors": ("Wei Wang",), "type": "chapter"},
        {"title": "Semantic Parsing with Little Data", "authors": ("Anna Müller",), "type": "thesis",
         "venue": "University of Stuttgart, Germany"},
        {"doi": "10.5281/zenodo.7654321", "type": "dataset"},
    ], {"person": 1}),
    "N19.xml": ("acl-xml", "acl_anthology", [
        {"id": "N19-1", "acl": "N19-1", "title": NAACL, "year": 2019, "type": "proceedings", "editors": ("Jill Burstein",)},
        {"id": "N19-1423", "acl": "N19-1423", "title": BERT, "doi": "10.18653/v1/n19-1423", "venue": NAACL, "year": 2019,
         "authors": DEVLIN, "pages": "4171-4186"},
        {"id": "N19-1007", "title": "On O(n2) Decoding with Müller Trees", "authors": ("Plato",)},
        {"id": "N19-2", "title": "Industry Papers"},
        {"id": "N19-2031", "venue": "Industry Papers"},
    ], {"front matter": 1}),
    "W19.xml": ("acl-xml", "acl_anthology", [{"id": "W19-1"}, {"id": "W19-0102", "authors": ("Bo Chen",)}], {}),
    "2024.tacl.xml": ("acl-xml", "acl_anthology", [
        {"id": "2024.tacl-1"},
        {"id": "2024.tacl-1.9", "type": "article", "volume": "12", "doi": "10.1162/tacl_a_00638",
         "venue": "Transactions of the Association for Computational Linguistics"},
    ], {}),
    "anthology.bib": ("bibtex", "acl_anthology", [
        {"id": "naacl-2019-conference", "type": "proceedings", "editors": ("Jill Burstein",)},
        {"id": "devlin-etal-2019-bert", "title": BERT, "acl": "N19-1423", "doi": "10.18653/v1/n19-1423",
         "authors": DEVLIN, "pages": "4171-4186",
         "url": "https://aclanthology.org/N19-1423/"},
        {"title": "Über die Naivität", "authors": ("Jörg Müller",), "authors_complete": False, "year": 2001},
    ], {}),
    "refs.csl.json": ("csl-json", "library-refs", _CSL, {}),
    "refs.csl.jsonl": ("csl-json", "library-refs", _CSL, {}),
    "refs.ris": ("ris", "library-refs", [
        {"id": "lstm", "authors": ("Sepp Hochreiter", "Jürgen Schmidhuber"), "year": 1997, "pages": "1735-1780",
         "doi": "10.1162/neco.1997.9.8.1735", "venue": "Neural Computation", "type": "article"},
        {"title": "A Title That Goes On in the Next Line", "venue": "Handbook of Things", "isbn": ("9780306406157",)},
    ], {}),
    "arxiv.json": ("arxiv", "arxiv", [
        {"id": "1706.03762", "arxiv": "1706.03762", "title": "Attention Is All You Need", "year": 2017, "doi": "",
         "authors": ("Ashish Vaswani", "Noam Shazeer"), "venue": "arXiv", "type": "preprint"},
        {"id": "hep-ex/0307015", "title": "Search for $\\nu_\\mu$ in M\\\"unster", "doi": "",
         "authors": ("J. Müller, Jr", "OPAL Collaboration"), "further": ("Eur.Phys.J. C",
         "Eur.Phys.J. C31 (2003) 17-29"), "year": 2003},
    ], {}),
    "crossref.jsonl": ("crossref", "crossref", _CROSSREF, {"no work": 1, "front matter": 1, "no title": 1}),
    "crossref_items.json": ("crossref", "crossref", _CROSSREF, {"no work": 1, "front matter": 1, "no title": 1}),
    "crossref_page.json": ("crossref", "crossref", _CROSSREF, {"no work": 1, "front matter": 1, "no title": 1}),
    "openalex_part_000.jsonl": ("openalex", "openalex", _OPENALEX, {"front matter": 1, "no title": 1}),
    "openalex_page.json": ("openalex", "openalex", _OPENALEX, {"front matter": 1, "no title": 1}),
    "pubmed24n0001.xml": ("pubmed-xml", "pubmed", [
        {"id": "9377276", "pmid": "9377276", "title": "Long short-term memory", "authors": ("S Hochreiter", "J Schmidhuber"),
         "year": 1997, "venue": "Neural computation", "further": ("Neural Comput", "Neural computation (Cambridge)"),
         "doi": "10.1162/neco.1997.9.8.1735"},
        {"title": "Effects of CO2 on cells", "authors": ("The Cell Group",), "authors_complete": False, "year": 1998},
        {"title": "Huntington Disease", "venue": "GeneReviews®", "type": "chapter", "isbn": ("9780306406157",)},
    ], {}),
    "openreview_v1.jsonl": ("openreview", "openreview", [{"openreview": "HkwoSDPgg", "venue": "ICLR 2017", "year": 2017}], {}),
    "openreview_v2.json": ("openreview", "openreview", [
        {"openreview": "YicbFdNTTy", "authors": ("Alexey Dosovitskiy", "Lucas Beyer"), "year": 2021, "type": "inproceedings"},
        {"authors": ("Ann Lee",), "type": "preprint", "venue": "OpenReview"},
    ], {"review or comment": 1}),
    "papers.json": ("openreview", "openreview", [
        {"title": "Generative Agents", "authors": ("Joon Sung Park", "Joseph O'Brien"), "doi": "10.1145/3586183.3606763"},
        {"authors": ("Ann Lee", "Bo Chen"), "type": "submission", "openreview": "zzzzzzzzzz"},
        {"authors": ("Ann Lee", "Bo Chen", "Cy Twombly"), "year": 2020, "venue": "KDD 2020"},
    ], {}),
    "entries.jsonl": ("records", "mine", [{"id": "a1", "pmid": "9377276", "further": ("Neural Comput.",)}], {"front matter": 1}),
}  # fmt: skip


def stated(record: Record, field: str) -> object:
    """A field of the record, names as text; or its key in a catalogue, or its ``further`` venues."""
    if field in CATALOGUES:
        return own_key(record, field)
    if field == "further":
        return record.venues[1:]
    value = getattr(record, field)
    return tuple(map(str, value)) if field in ("authors", "editors") else value


def test_every_file_is_expected() -> None:
    assert sorted(EXPECTED) == sorted(path.name for path in DUMPS.iterdir())


@pytest.mark.parametrize("name", EXPECTED)
def test_file(name: str) -> None:
    form, source, expected, skipped = EXPECTED[name]
    reading = read(DUMPS / name)
    items = list(reading)
    assert problems(items) == []
    found = entries(items)
    assert len(found) == len(expected)
    for entry, fields in zip(found, expected, strict=True):
        assert entry.source == source
        assert {field: stated(entry, field) for field in fields} == fields
    assert reading.formats == [form]
    assert reading.skipped == skipped


def test_deleted_ids_of_pubmed() -> None:
    reading = read(DUMPS / "pubmed24n0001.xml")
    list(reading)
    assert reading.deleted == ["111", "222"]


@pytest.mark.parametrize("name", EXPECTED)
def test_source_given(name: str) -> None:
    of_users = name.endswith((".bib", ".csl.json", ".csl.jsonl", ".ris"))  # no authority under a name that nobody knows
    expected = "library-ours" if of_users else "ours"
    assert {entry.source for entry in entries(list(read(DUMPS / name, source="ours")))} == {expected}
    assert {entry.source for entry in entries(list(read(DUMPS / name, source="dblp-2024")))} == {"dblp-2024"}


def _dblp(fields: str, tag: str = "article", attributes: str = "") -> bytes:
    return f"<dblp>\n<{tag} key='journals/x/A1' {attributes}>{fields}</{tag}>\n</dblp>".encode()


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (_dblp("<title>What?</title>"), {"title": "What?"}),
        (_dblp("<title>And so on...</title>"), {"title": "And so on..."}),
        (_dblp("<title>A\n  B.</title><author>Ann\n Lee 0002</author>"), {"title": "A B", "authors": ("Ann Lee",)}),
        (_dblp("<!-- note --><title>A.</title><note/>"), {"title": "A"}),
        (_dblp("<title>A.</title><ee>https://doi.org/10.1002/(SICI)1097(1)3:1&lt;1::AID&gt;3.0</ee>"),
         {"doi": "10.1002/(sici)1097(1)3:1<1::aid>3.0"}),
        (_dblp("<title>A.</title><ee>http://doi.acm.org/10.1145/1%3C2</ee>"), {"doi": "10.1145/1<2"}),
        (_dblp("<title>A.</title><ee>http://dx.doi.org/10.1007/978 3</ee>"), {"doi": ""}),
        (_dblp("<title>A.</title><journal>CoRR</journal><ee>https://doi.org/10.48550/arXiv.2301.00001</ee>",
               attributes="publtype='informal withdrawn'"), {"arxiv": "2301.00001", "type": "preprint"}),
        (_dblp("<title>A.</title><journal>CoRR</journal><volume>cs.LG/0501001</volume>"), {"arxiv": "cs/0501001"}),
        (_dblp("<title>A.</title><journal>Notes</journal>", attributes="publtype='informal'"), {"type": "other"}),
        (_dblp("<title>A.</title><year>c2001</year>"), {"year": 2001}),
    ],
)  # fmt: skip
def test_dblp_record(data: bytes, expected: dict[str, Any], tmp_path: Path) -> None:
    (entry,) = readings(tmp_path / "dblp.xml", data)
    assert isinstance(entry, Record), entry
    assert {field: stated(entry, field) for field in expected} == expected


def test_dblp_venue_through_crossref(tmp_path: Path) -> None:
    volume = b"<proceedings key='conf/x/2001'><title>Proc.</title><booktitle>X</booktitle></proceedings>"
    paper = b"<inproceedings key='conf/x/A01'><title>A.</title><crossref>conf/x/2001</crossref></inproceedings>"
    found = entries(readings(tmp_path / "dblp.xml", b"<dblp>" + volume + paper + b"</dblp>"))
    assert [entry.venue for entry in found] == ["X", "X"]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"<dblp><article><title>A.</title></article></dblp>", "no key"),
        (b"<dblp><article key='a/b'><title>A.</article></dblp>", "not well-formed"),
        (b"<dblp><article key='a/b'><author>A<title>B</title></author></article>", "<title> is within <author>"),
        (b"<dblp></article></dblp>", "closes nothing"),
        (b"<dblp>words<www key='homepages/a'><title>Home Page</title></www></dblp>", "belongs to no record"),
        (b"<dblp><article key='a/b'><title>A.</title>", "has no end"),
        (b"<dblp><article key='a/b'><!DOCTYPE x><title>A</title></article></dblp>", "declaration"),
        (b'{"id": "x", "title": "A", "authors_parsed": []}\n', "the id is none of arXiv"),
        (b'{"DOI": "none", "title": ["A"], "type": "book"}\n', "no DOI"),
        (b'[{"DOI": "10.1000/a", "title": ["A"]}', "ends within the list"),
        (b"", "empty"),
        (b"nothing that is known", "none of the known formats"),
        ((DUMPS / "entries.jsonl").read_bytes().replace(b"1997,", b'"1997",'), "the field `year` is neither"),
        (b"TI  - A\nER  - \nTY  - JOUR\nTI  - B\nER  -\n", "belongs to no reference"),
    ],
)  # fmt: skip
def test_problem(data: bytes, reason: str, tmp_path: Path) -> None:
    found = problems(readings(tmp_path / "file", data))
    assert len(found) == 1, found
    assert reason in found[0].reason
    assert found[0].file == str(tmp_path / "file")


def test_problem_names_its_place() -> None:
    assert str(Problem("a.xml", 12, "it has no end", record="conf/x/A1")) == "a.xml, byte 12: conf/x/A1: it has no end"
    assert str(Problem("a.jsonl", 12, "it is broken", line=3)) == "a.jsonl, line 3: it is broken"


def test_record_that_takes_in_others(tmp_path: Path) -> None:
    """A record that is cut off within a list is valid JSON together with all that follows."""
    rows = ['{"DOI": "10.1000/%d", "prefix": "10.1000", "title": ["Title %d"]}' % (n, n) for n in range(3)]  # noqa: UP031
    broken = '{"DOI": "10.1000/x", "prefix": "10.1000", "title": ["Broken"'
    data = '{"items": [' + ",\n".join([rows[0], broken, *rows[1:]]) + "]}"
    items = readings(tmp_path / "a.json", data.encode())
    assert [entry.doi for entry in entries(items)] == ["10.1000/0", "10.1000/1", "10.1000/2"]
    assert [problem.record for problem in problems(items)] == ["10.1000/x"]


def test_two_records_on_a_line(tmp_path: Path) -> None:
    rows = (DUMPS / "arxiv.json").read_bytes().splitlines()
    items = readings(tmp_path / "a.json", rows[0][:40] + rows[1] + b"\n" + rows[0])
    assert [entry.id for entry in entries(items)] == ["hep-ex/0307015", "1706.03762"]
    assert [problem.line for problem in problems(items)] == [1]


def test_strings_of_bibtex_hold_for_later_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_citecheck.index.collections._PART", 400)
    items = readings(tmp_path / "anthology.bib", (DUMPS / "anthology.bib").read_bytes())
    assert items == list(read(DUMPS / "anthology.bib"))
    broken = (DUMPS / "anthology.bib").read_bytes() + b'@article{cut, title = "No End'
    (problem,) = problems(readings(tmp_path / "anthology.bib", broken))
    assert (problem.line, problem.record) == (31, "cut")
    assert broken[problem.offset :].startswith(b"@article{cut")
