"""Plain text: a list of references or of identifiers, but not a letter that mentions a year."""

from __future__ import annotations

import pytest

from pytest_citecheck.inputs import BIBTEX, PLAIN_TEXT, FolderFiles, Surroundings, UnreadableDocumentError, reader_for

LIST = """Lovelace, A. (1843). Notes on the analytical engine. Scientific Memoirs, 3, 666-731.

Report of the year 1844.
"""


def read(text: str, around: Surroundings) -> list[dict[str, str]]:
    references = PLAIN_TEXT.read_document("a.txt", text.encode(), around).references
    return [dict(one.fields) for one in references]


@pytest.fixture
def around(tmp_path_factory: pytest.TempPathFactory) -> Surroundings:
    return Surroundings(FolderFiles(tmp_path_factory.mktemp("empty")))


def test_of_a_list_nothing_is_lost(around: Surroundings) -> None:
    first, second = read(LIST, around)
    assert (first["title"], first["year"]) == ("Notes on the analytical engine", "1843")
    assert second == {"title": "Report of the year 1844"}
    assert read("10.1000/x\n10.1000/y\n", around) == [{"doi": "10.1000/x"}, {"doi": "10.1000/y"}]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Nothing here.\n",
        "We thank the reviewers. This was hard in 2019.\nAnd then we went home.\n",
        "Dear all,\n\nplease find the paper attached. It was finished in 2019.\n\nBest,\nBob\n",
    ],
)
def test_prose_with_a_year_is_no_list(text: str, around: Surroundings) -> None:
    with pytest.raises(UnreadableDocumentError, match=r"^a\.txt contains no reference"):
        read(text, around)


def test_bibtex_in_a_text_file_and_an_image_that_is_called_bib(around: Surroundings) -> None:
    assert read(
        "Entries:\n\n@article{a, title={On computable numbers}, author={Turing, A. M.}, year={1936}}\n", around
    ) == [{"title": "On computable numbers", "author": "Turing, A. M.", "year": "1936"}]
    assert (
        read(
            "@article{a, title={Über Zahlen}, author={Turing, A. M.}, year={1936}}".encode("utf-16").decode("utf-16"),
            around,
        )[0]["year"]
        == "1936"
    )
    assert not BIBTEX.reads(b"\x89PNG\r\n")


def test_line_breaks_in_a_paragraph_of_a_page_set_references_apart() -> None:
    cited = ("Kingma, D. (2015). A method for optimization. ICLR.", "He, K. (2016). Deep learning for images. CVPR.")
    page = f"<h2>References</h2><p>{'<br>'.join(cited)}</p><p>He, K.<br>A second title.<br>Nature, 2017.</p>"
    read = reader_for("a.html")
    assert read is not None
    found = read.read("a.html", page.encode()).references
    assert [one.text for one in found] == [*cited, "He, K. A second title. Nature, 2017."]
