"""CITATION.cff, codemeta.json, .zenodo.json, Typst with Hayagriva, notebooks and pages in MyST."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from pytest_citecheck.inputs import (
    CFF,
    MARKDOWN,
    NOTEBOOK,
    SOFTWARE_JSON,
    TYPST,
    FolderFiles,
    Surroundings,
    UnreadableDocumentError,
    project_bibliographies,
    reader_for,
)

CITATION = """\
cff-version: 1.2.0
title: Engines
doi: 10.5281/zenodo.1234567
authors: [{family-names: Lovelace, given-names: Ada}]
preferred-citation:
  type: article
  title: "On engines"
  authors:
    - {family-names: Babbage, name-particle: von, given-names: Charles}
    - {name: The Engine Collective}
  journal: Journal of Engines
  year: 1843
  start: 1
  end: 9
  doi: 10.1000/engines
references:
  - {type: conference-paper, title: Looms, year: 1801, authors: [{family-names: Jacquard}], conference: {name: Proc. of Looms}}
  - nonsense
"""
BIB = "@book{knuth, title={Sorting}, author={Knuth, D.}, year=1973, publisher={A}}\n"


def test_a_citation_file_has_a_reference_for_each_work() -> None:
    own, preferred, loom, broken = CFF.read("CITATION.cff", CITATION.encode()).references
    assert (own.type, own.fields) == ("identifier", {"doi": "10.5281/zenodo.1234567"})
    assert preferred.raw["author"] == "von Babbage, Charles and {The Engine Collective}"
    assert (preferred.key, preferred.fields["journal"], preferred.fields["pages"]) == (
        "preferred-citation",
        "Journal of Engines",
        "1-9",
    )
    assert (preferred.location.line, loom.location.line) == (7, 17)
    assert (loom.type, loom.fields["booktitle"]) == ("inproceedings", "Proc. of Looms")
    assert not broken.readable


MALFORMED = {
    "syntax": ("title: [a\nauthors: b\n", "line 2"),
    "tab": ("title:\n\t- a\n", "line 2"),
    "alias": ("a: &x [1]\nb: *x\n", "line 2 has an alias"),
    "scalar": ("just text\n", "no fields"),
    "depth": ("[" * 20_000, "nested too deeply"),
}


@pytest.mark.parametrize("name", sorted(MALFORMED))
def test_a_malformed_citation_file_is_one_clear_finding(name: str) -> None:
    text, message = MALFORMED[name]
    (one,) = CFF.read("CITATION.cff", text.encode()).references
    assert message in one.defects[0].message


def test_metadata_in_json(tmp_path: Path) -> None:
    codemeta = {
        "@context": "https://doi.org/10.5063/schema/codemeta-2.0",
        "referencePublication": {
            "@type": "ScholarlyArticle",
            "name": "On engines",
            "author": [{"familyName": "Lovelace", "givenName": "Ada"}],
            "@id": "https://doi.org/10.1000/engines",
        },
    }
    zenodo = {
        "upload_type": "software",
        "related_identifiers": [
            {"identifier": "10.1000/cited", "relation": "cites"},
            {"identifier": "10.1000/version", "relation": "isNewVersionOf"},
        ],
        "references": ["Lovelace, A. (1843). Notes on engines. Memoirs."],
    }
    for name, content, keys in (
        ("codemeta.json", codemeta, ["ref_1"]),
        (".zenodo.json", zenodo, ["10.1000/cited", "ref_2"]),
    ):
        path = tmp_path / name
        path.write_text(json.dumps(content, indent=1))
        assert reader_for(str(path)) is SOFTWARE_JSON
        found = SOFTWARE_JSON.read(name, path.read_bytes()).references
        assert [one.key for one in found] == keys
    assert not SOFTWARE_JSON.read("x.json", b"[").references[0].readable


@pytest.mark.parametrize(
    "text",
    [
        "word@loom",
        "@a@loom",
        "as @loom, says",
        '#import "@preview/x:0.1.0"\n@loom',
        '"@loom says"',
        '#let sign = "@gone"\n@loom',
        '#show "@gone": it => [#it]\n@loom',
        '#f("x \\" @gone", [see @loom], y: "@gone")',
        '#x.at("@gone").of("@gone") @loom',
        '#{ let s = "@gone"\n [as @loom "@a"] }',
        '#f(y: "//") @loom',
        '5" tall, "@loom" /* @gone " */',
        "/* @gone /* @gone */ @gone */ @loom",
        "// @gone\n@loom",
        "https://example.org//@gone @loom",
        "`@gone` ```typ @gone `@gone``` @loom",
        "\\@gone @loom",
        "“it”@loom",
        "#cite(<loom>, supplement: [as @a])",
        "me@gone.org, you.two@mail.gone.org @loom",
    ],
)
def test_labels_of_typst(tmp_path: Path, text: str) -> None:
    (tmp_path / "refs.bib").write_text("@misc{loom, title={Looms}}\n@misc{a, title={Other}}")
    whole = f'#bibliography("refs.bib")\n{text}, write to me@example.org\n'
    found = TYPST.read_document("m.typ", whole.encode(), Surroundings(FolderFiles(tmp_path)))
    assert "loom" in {one.key for one in found.references}
    assert {one.key for one in found.references} <= {"loom", "a"}


def test_typst_reads_only_files_of_its_folder(tmp_path: Path) -> None:
    outside = tmp_path / "outside.bib"
    outside.write_text(BIB)
    home = tmp_path / "paper"
    home.mkdir()
    (home / "works.yml").write_text(
        'loom:\n  type: Article\n  title: {value: Looms}\n  author: ["Jacquard, J.", {name: Roe, given-name: R.}]\n'
        "  date: 1801-02\n  parent: {type: Periodical, title: J. Looms, volume: 3}\n  serial-number: {doi: 10.1000/loom}\n"
    )
    (home / "chapter.typ").write_text("See #cite(<loom>) // @comment\n")
    text = (
        '#bibliography(("works.yml", "/etc/passwd", "../outside.bib", "link.bib"), style: "apa.csl")\n'
        '#include "chapter.typ"\n#include "/etc/passwd"\n@fig:x and @lom <fig:x> ``` @raw ``` a@mail.org\n'
    )
    (home / "link.bib").symlink_to(outside)
    text += '#import "@preview/cetz:0.3.1": canvas\nWord@loom and @loom@loom "mail@lom.org" \n'
    found = TYPST.read_document("paper/main.typ", text.encode(), Surroundings(FolderFiles(home)))
    loom, missing = found.references
    assert (loom.key, loom.fields["title"], loom.fields["journal"], loom.fields["year"]) == (
        "loom",
        "Looms",
        "J. Looms",
        "1801",
    )
    assert (loom.fields["doi"], loom.location.path) == ("10.1000/loom", "paper/works.yml")
    assert missing.key == "lom"
    assert "nearest key is `loom`" in missing.defects[0].message
    with pytest.raises(UnreadableDocumentError, match="is outside the folders"):
        TYPST.read_document("m.typ", b'#bibliography("../outside.bib") @knuth', Surroundings(FolderFiles(home)))


def notebook(*cells: str, image: int = 0) -> bytes:
    outputs = [{"output_type": "display_data", "data": {"image/png": "A" * image}}]
    code = {"cell_type": "code", "source": ["# doi:10.1000/code\n"], "outputs": outputs}
    texts = [{"cell_type": "markdown", "source": text.splitlines(keepends=True)} for text in cells]
    return json.dumps({"cells": [code, *texts], "nbformat": 4}).encode()


def test_the_place_in_a_notebook_is_its_cell(tmp_path: Path) -> None:
    (tmp_path / "refs.bib").write_text(BIB)
    data = notebook(
        'See {cite}`knuth`, <cite data-cite="1/knuth"></cite> and https://doi.org/10.1000/prose `10.1000/in.code`.',
        "## References\n\n1. Lovelace, A. (1843). Notes on engines. Journal of Engines, 3.\n",
    )
    found = NOTEBOOK.read_document("n.ipynb", data, Surroundings(FolderFiles(tmp_path), given=("refs.bib",)))
    places = {one.key: str(one.location) for one in found.references}
    assert places == {"ref_1": "n.ipynb, cell 3", "10.1000/prose": "n.ipynb, cell 2", "knuth": "refs.bib:1"}


@pytest.mark.exhaustive
def test_a_notebook_with_large_outputs_is_bounded() -> None:
    data = notebook("See https://doi.org/10.1000/prose.", image=100_000_000)
    start = time.monotonic()
    assert [one.key for one in NOTEBOOK.read("n.ipynb", data).references] == ["10.1000/prose"]
    assert time.monotonic() - start < 10
    for broken in (b"{", b'{"cells": 3}', b'{"cells": [1, {"cell_type": "markdown"}]}'):
        with pytest.raises(UnreadableDocumentError):
            NOTEBOOK.read("n.ipynb", broken)


def test_a_page_of_a_project_needs_no_bibliography_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "refs.bib").write_text(BIB)
    around = Surroundings(FolderFiles(tmp_path), given=("refs.bib",), project=True)
    text = "# Page\nThanks to @someone. See {cite:p}`knuth` and doi:10.1000/prose.\n"
    found = MARKDOWN.read_document("page.md", text.encode(), around)
    assert [one.key for one in found.references] == ["10.1000/prose", "knuth"]
    with pytest.raises(UnreadableDocumentError):
        MARKDOWN.read_document("page.md", b"# Page\nThanks to @someone.\n", around)


def test_bibliographies_are_named_by_configurations_that_are_not_executed(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    for name in ("a.bib", "b.bib", "c.bib"):
        (docs / name).write_text(BIB)
    (tmp_path / "outside.bib").write_text(BIB)
    assert [one.name for one in project_bibliographies(docs)] == ["a.bib", "b.bib", "c.bib"]
    (docs / "_config.yml").write_text("sphinx:\n  config:\n    x: 1\nbibtex_bibfiles:\n  - b.bib\n")
    assert [one.name for one in project_bibliographies(docs)] == ["b.bib"]
    (docs / "conf.py").write_text('raise SystemExit\nbibtex_bibfiles = ["a.bib", "../outside.bib", "/etc/passwd"]\n')
    assert sorted(one.name for one in project_bibliographies(docs)) == ["a.bib", "b.bib"]
