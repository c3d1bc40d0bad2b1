"""Markdown: ``[@key]`` citations from the header's bibliography, or a final list; plain text and HTML."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_citecheck.inputs import (
    Bibliography,
    DocumentReader,
    FolderFiles,
    Surroundings,
    UnreadableDocumentError,
    reader_for,
)

BIB = "@article{a2017, title={A}}\n@article{b:2018, title={B}}\n@article{c.2019, title={C}}\n"
HEADER = "---\ntitle: x\nbibliography: refs.bib\n---\n"
LSTM = "Hochreiter, S., & Schmidhuber, J. (1997). Long short-term memory. Neural Computation, 9(8), 1735–1780."
FORESTS = "Breiman, L. (2001). Random forests. Machine Learning, 45(1), 5–32."


def read(folder: Path, name: str, text: str) -> Bibliography:
    (folder / "refs.bib").write_text(BIB)
    (folder / name).write_text(text, encoding="utf-8")
    reader = reader_for(str(folder / name))
    assert isinstance(reader, DocumentReader)
    return reader.read_document(name, text.encode(), Surroundings(FolderFiles(folder)))


def keys(whole: Bibliography) -> list[str]:
    return [one.key for one in whole.references]


CITING = {
    "a group": ("As shown [@a2017; see @c.2019, p. 3].", ["a2017", "c.2019"]),
    "in the sentence": ("As @b:2018 [p. 2] shows.", ["b:2018"]),
    "braces": ("[-@{c.2019}]", ["c.2019"]),
    "code and comments": ("@a2017 `@b:2018`\n```\n@c.2019\n```\n<!-- @b:2018 -->", ["a2017"]),
    "addresses": ("me@example.org and @a2017", ["a2017"]),
    "parts of the document": ("@fig-one, [@tbl:two] and @sec-three after @a2017", ["a2017"]),
    "a missing key": ("@a2018", ["a2018"]),
}


@pytest.mark.parametrize("name", CITING)
def test_what_is_cited(tmp_path: Path, name: str) -> None:
    text, cited = CITING[name]
    assert keys(read(tmp_path, "paper.qmd", HEADER + text)) == cited


HEADERS = {
    "list": "---\nbibliography: [refs.bib]\n---\n@a2017",
    "by subject": "---\nbibliography:\n  main: refs.bib\n---\n@a2017",
    "nocite": "---\nbibliography: refs.bib\nnocite: |\n  @a2017\n---\n",
    "inline": "---\nreferences:\n- id: a2017\n  type: book\n  title: A\n  issued: {year: 2017}\n---\n@a2017",
}


@pytest.mark.parametrize("name", HEADERS)
def test_headers(tmp_path: Path, name: str) -> None:
    assert keys(read(tmp_path, "paper.Rmd", HEADERS[name])) == ["a2017"]


def test_all_and_a_project(tmp_path: Path) -> None:
    assert len(read(tmp_path, "p.md", "---\nbibliography: refs.bib\nnocite: '@*'\n---\n").references) == 3
    (tmp_path / "_quarto.yml").write_text("bibliography: refs.bib\n")
    assert keys(read(tmp_path, "p.qmd", "@a2017")) == ["a2017"]


LISTS = {
    "numbers": "# Paper\n\nText of 2001.\n\n## References\n\n"
    f"1. {LSTM}\n2. {FORESTS}\n\n## Appendix\n\n3. Not 2002 a reference\n",
    "bullets": f"# References\n\n- {LSTM}\n- {FORESTS}\n",
    "paragraphs": f"References\n----------\n\n{LSTM}\n\n{FORESTS}\n",
    "lines": f"# References\n\n{LSTM}\n{FORESTS}\n",
    "wrapped": "# References\n\n* " + LSTM.replace("Neural", "\n  Neural") + f"\n* {FORESTS}\n",
    "footnotes": f"# References\n\n[^1]: {LSTM}\n[^2]: {FORESTS}\n",
}


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("suffix", [".md", ".txt"])
def test_a_list_at_the_end(tmp_path: Path, name: str, suffix: str) -> None:
    whole = read(tmp_path, f"paper{suffix}", LISTS[name])
    assert [one.text for one in whole.references] == [LSTM, FORESTS]
    lines = LISTS[name].split("\n")
    assert [lines[one.location.line - 1].endswith(one.text[-20:]) or name == "wrapped" for one in whole.references] == [
        True,
        True,
    ]


PAGE = f"""<html><head><title>1999</title></head><body><p>Of 2001.</p><h2>References</h2>
<ol><li id="a">{LSTM.replace("&", "&amp;")} <a href="https://doi.org/10.1162/neco.1997.9.8.1735">link</a></li>
<li>{FORESTS}</li></ol><h2>Footer</h2><p>Made in 2003 by hand</p></body></html>"""
META = """<head>
<meta name="citation_reference" content="citation_title=Random forests; citation_author=L Breiman; citation_publication_date=2001;
 citation_journal_title=Machine Learning; citation_volume=45; citation_doi=10.1023/A:1010933404324">
</head><body>x</body>"""
COINS = """<div><span class="Z3988" title="ctx_ver=Z39.88-2004&amp;rft.atitle=Random+forests&amp;rft.jtitle=Machine+Learning&amp;
rft.volume=45&amp;rft.date=2001&amp;rft.aulast=Breiman&amp;rft.aufirst=L&amp;rft_id=info%3Adoi%2F10.1023%2FA%3A1010933404324"></span></div>"""


def test_a_page_with_a_list(tmp_path: Path) -> None:
    first, second = read(tmp_path, "page.html", PAGE).references
    assert first.fields["doi"] == "10.1162/neco.1997.9.8.1735"
    assert (first.location.line, second.location.line, second.text) == (2, 3, FORESTS)


@pytest.mark.parametrize("page", [META, COINS])
def test_a_page_that_states_its_references(tmp_path: Path, page: str) -> None:
    (one,) = read(tmp_path, "page.html", page).references
    stated = {name: one.fields[name] for name in ("title", "author", "year", "journal", "doi")}
    assert stated == {
        "title": "Random forests",
        "author": "Breiman, L",
        "year": "2001",
        "journal": "Machine Learning",
        "doi": "10.1023/A:1010933404324",
    }


UNREADABLE = {
    "paper.md": ("Nothing [@a2017].", "no `bibliography` in its header"),
    "gone.md": ("---\nbibliography: gone.bib\n---\n@a", "gone.bib, which does not exist"),
    "silent.md": (HEADER, "contains no citation"),
    "anchors.md": ("---\na: &a [1]\nb: [*a, *a]\nbibliography: gone.bib\n---\n@a", "not there|no `bibliography`"),
    "broken.md": ("---\n{[\n---\n@a", "no `bibliography`"),
    "page.html": ("<p>Nothing of 1999.</p>", "no list of references"),
    "deep.html": ("<div class='references'>" * 3000, "no list of references"),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_holds_nothing_says_why(tmp_path: Path, name: str) -> None:
    text, why = UNREADABLE[name]
    with pytest.raises(UnreadableDocumentError, match=why):
        read(tmp_path, name, text)
