"""One paper in each exchange format: the same fields and the correct location; damaged data is an error or is ignored."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_citecheck.inputs import (
    CSL_JSON,
    Bibliography,
    DocumentReader,
    NoFiles,
    Reader,
    Surroundings,
    UnreadableDocumentError,
    reader_for,
)
from pytest_citecheck.model import Reference

CSL = {
    "id": "hs97",
    "type": "article-journal",
    "title": "Long <i>Short-Term</i> Memory & more",
    "author": [
        {"family": "Hochreiter", "given": "Sepp"},
        {"family": "Schmidhuber", "given": "Jürgen", "non-dropping-particle": "von"},
    ],
    "issued": {"date-parts": [[1997, 11]]},
    "container-title": "Neural Computation",
    "volume": 9,
    "DOI": "10.1162/neco.1997.9.8.1735",
}
RIS = """
TY  - JOUR
ID  - hs97
TI  - Long Short-Term Memory & more
AU  - Hochreiter, Sepp
AU  - von Schmidhuber, Jürgen
PY  - 1997/11/01
JO  - Neural Computation
VL  - 9
DO  - 10.1162/neco.1997.9.8.1735
ER  -
"""
NBIB = """
PMID- 9377276
TI  - Long Short-Term Memory &
      more.
LID - 10.1162/neco.1997.9.8.1735 [doi]
FAU - Hochreiter, Sepp
AU  - Hochreiter S
FAU - von Schmidhuber, Jürgen
DP  - 1997 Nov 15
JT  - Neural Computation
VI  - 9
"""
ENDNOTE = """<?xml version="1.0" encoding="UTF-8"?><xml><records>
<record><rec-number>1</rec-number><ref-type name="Journal Article">17</ref-type><label>hs97</label><contributors><authors>
<author><style face="normal">Hochreiter, Sepp</style></author><author>von Schmidhuber, Jürgen</author></authors></contributors>
<titles><title>Long Short-Term Memory &amp; more</title><secondary-title>Neural Computation</secondary-title></titles>
<volume>9</volume><dates><year>1997</year></dates><electronic-resource-num>10.1162/neco.1997.9.8.1735</electronic-resource-num>
</record></records></xml>"""
WIKI = """Recurrent nets.<ref>{{cite journal
 | last1 = Hochreiter | first1 = Sepp | last2 = von Schmidhuber | first2 = [[Jürgen Schmidhuber|Jürgen]]
 | title = Long Short-Term Memory & more | journal = [[Neural Computation (journal)|Neural Computation]] | date = 15 November 1997
 | volume = 9 | doi = 10.1162/neco.1997.9.8.1735 }}</ref>"""
FORMATS = {
    "refs.json": (json.dumps([CSL], indent=1, ensure_ascii=False), 2, "hs97"),
    "one.csljson": (json.dumps(CSL), 1, "hs97"),
    "zotero.json": (json.dumps({"items": [CSL]}), 1, "hs97"),
    "refs.ris": (RIS, 2, "hs97"),
    "refs.nbib": (NBIB, 2, "pmid9377276"),
    "refs.xml": (ENDNOTE, 2, "hs97"),
    "article.wiki": (WIKI, 1, "ref_1"),
}


def reader(name: str, data: bytes, tmp_path_factory: pytest.TempPathFactory) -> Reader:
    path = tmp_path_factory.mktemp("formats") / name
    path.write_bytes(data)
    found = reader_for(str(path))
    assert found is not None
    return found


@pytest.mark.parametrize("name", FORMATS)
def test_one_paper_in_each_format(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    text, line, key = FORMATS[name]
    (one,) = reader(name, text.encode(), tmp_path_factory).read(name, text.encode()).references
    assert (one.key, one.type, one.location.line) == (key, "article", line)
    assert {field: one.fields[field] for field in ("title", "author", "year", "journal", "volume", "doi")} == {
        "title": "Long Short-Term Memory & more",
        "author": "Hochreiter, Sepp and von Schmidhuber, Jürgen",
        "year": "1997",
        "journal": "Neural Computation",
        "volume": "9",
        "doi": "10.1162/neco.1997.9.8.1735",
    }
    assert one.raw["title"] == r"Long Short-Term Memory \& more"


def read(folder: Path, name: str, text: str) -> Bibliography:
    (folder / name).write_text(text, encoding="utf-8")
    found = reader_for(str(folder / name))
    if found is None:
        return Bibliography(name, ())
    if isinstance(found, DocumentReader):
        return found.read_document(name, text.encode(), Surroundings(NoFiles()))
    return found.read(name, text.encode())


IDENTIFIERS = """# to be checked
10.1162/neco.1997.9.8.1735
https://doi.org/10.1038/nature14539
arXiv:1706.03762v5   # attention
https://arxiv.org/abs/hep-th/9711200

PMID: 9377276
"""


def test_a_list_of_identifiers(tmp_path: Path) -> None:
    found = read(tmp_path, "ids.txt", IDENTIFIERS).references
    stated: list[str] = [one.fields.get("doi") or one.fields.get("eprint") or one.fields["pmid"] for one in found]
    assert stated == ["10.1162/neco.1997.9.8.1735", "10.1038/nature14539", "1706.03762v5", "hep-th/9711200", "9377276"]
    assert [one.location.line for one in found] == [2, 3, 4, 5, 7]
    assert {one.type for one in found} == {"identifier"}


def test_organisations_and_suffixes_in_names(tmp_path: Path) -> None:
    people = [
        {"literal": "The Cancer Genome Atlas and Friends"},
        {"family": "King", "given": "Martin", "suffix": "Jr."},
        "Plato",
    ]
    (one,) = read(tmp_path, "x.json", json.dumps([{"title": "T", "DOI": "10.1/a", "author": people}])).references
    assert one.raw["author"] == "{The Cancer Genome Atlas and Friends} and King, Jr., Martin and Plato"


HOSTILE = {
    "numbers.json": json.dumps(
        [{"title": 5, "type": [], "author": 3, "issued": {"date-parts": [[{}]]}, "DOI": {"a": 1}}, 7, None]
    ),
    "cut.json": '[{"title": "A", "DOI": "10.1/a", "author": [{"family": "B"}',
    "deep.json": '{"title":' * 3000,
    "empty.json": "{}",
    "bomb.xml": "<!DOCTYPE x [<!ENTITY a 'b'><!ENTITY c '&a;&a;'>]><xml><record><contributors/>&c;</record></xml>",
    "deep.xml": "<record><contributors>" * 900,
    "empty.xml": "<xml/>",
    "open.wiki": "{{cite journal | title = " * 2000,
    "nothing.wiki": "A page.",
    "prose.txt": "This says nothing of any work.\n\nNor does this.",
    "blank.txt": "\n \n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_errors_or_hold_little(tmp_path: Path, name: str) -> None:
    try:
        found: tuple[Reference, ...] = read(tmp_path, name, HOSTILE[name]).references
    except UnreadableDocumentError:
        found = ()
    assert [one for one in found if one.fields.get("title", "") not in ("", "5")] == []


@pytest.mark.parametrize("tag", ["M3", "L3", "ID", "UR", "AN", "DO"])
def test_a_doi_in_any_tag_of_ris(tmp_path: Path, tag: str) -> None:
    address = "https://doi.org/" if tag == "UR" else ""
    text = f"TY  - JOUR\nAU  - Ada, B\nTI  - On stars\n{tag}  - {address}10.1000/loom\nPY  - 2020\nER  - \n"
    assert read(tmp_path, "x.ris", text).references[0].fields["doi"] == "10.1000/loom"


@pytest.mark.parametrize(
    "people",
    [
        "AU  - Lovelace, Ada; Turing, Alan; Hopper, Grace",
        "AU  - Lovelace, Ada\nA1  - Turing, Alan; Hopper, Grace;",
        "AU  - Lovelace, Ada and Turing, Alan\nA1  - Hopper, Grace",
        "AU  - Lovelace, Ada, Turing, Alan and Hopper, Grace",
        "AU  - Lovelace, Ada\nAU  - Turing, Alan\nAU  - Hopper, Grace",
    ],
)
def test_several_people_in_a_line_of_ris(tmp_path: Path, people: str) -> None:
    (one,) = read(tmp_path, "x.ris", f"TY  - JOUR\n{people}\nTI  - On stars\nER  - \n").references
    assert one.fields["author"] == "Lovelace, Ada and Turing, Alan and Hopper, Grace"


@pytest.mark.parametrize(
    ("written", "year"),
    [
        ("2015///", "2015"),
        ("2015/03/12/", "2015"),
        ("201X", "201X"),
        ("-0499", "-0499"),
        ("2010/2015", "2010/2015"),
        ("", ""),
    ],
)
def test_dates_of_tagged_files(tmp_path: Path, written: str, year: str) -> None:
    text = f"TY  - JOUR\nTI  - On stars\nPY  - {written}\nER  - \n"
    assert read(tmp_path, "x.ris", text).references[0].fields.get("year", "") == year


@pytest.mark.parametrize(
    ("issued", "year"),
    [({"date-parts": [[2010], [2015]]}, "2010/2015"), ({"date-parts": [[2010, 3], [2010, 4]]}, "2010"),
     ({"date-parts": [[2010], [0]]}, "2010/"), ({"literal": "201X"}, "201X"), ({"raw": "499 BCE"}, "499 BCE")],
)  # fmt: skip
def test_dates_of_csl(tmp_path: Path, issued: object, year: str) -> None:
    text = json.dumps([{"type": "book", "title": "On stars", "publisher": "Skies", "issued": issued}])
    assert read(tmp_path, "x.json", text).references[0].fields["year"] == year


def test_several_people_and_dois_in_other_formats(tmp_path: Path) -> None:
    nbib = "PMID- 12\nTI  - On stars\nFAU - Lovelace, Ada; Turing, Alan\nSO  - Skies. 2015;1(1):2. doi: 10.1000/loom.\n"
    csl = json.dumps([{"type": "book", "title": "On stars", "author": [{"literal": "Lovelace, Ada; Turing, Alan"}]}])
    found = [read(tmp_path, "x.nbib", nbib).references[0], read(tmp_path, "x.json", csl).references[0]]
    assert [one.fields["author"] for one in found] == ["Lovelace, Ada and Turing, Alan"] * 2
    assert found[0].fields["doi"] == "10.1000/loom"


def test_tags_that_belong_to_nothing(tmp_path: Path) -> None:
    assert (
        read(tmp_path, "x.ris", "AU  - Nobody\nER  -\n\nTY  - JOUR\nTI  - Cut").references[0].fields["title"] == "Cut"
    )
    assert read(tmp_path, "x.nbib", "no tags").references == ()


@pytest.mark.parametrize("form", ["abs", "pdf", "html"])
def test_an_address_of_arxiv_in_a_note_is_an_identifier(form: str) -> None:
    note = f"Available at: https://arxiv.org/{form}/1412.6980"
    data = json.dumps([{"id": "a", "type": "article-journal", "title": "Adam", "note": note}]).encode()
    (found,) = CSL_JSON.read("a.json", data).references
    assert found.fields["eprint"] == "1412.6980"
