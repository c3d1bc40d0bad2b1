"""A document on which a reader takes too many steps is one failing item with its line; the others are checked."""

from __future__ import annotations

import io
import zipfile

import pytest

from pytest_citecheck.inputs import BIBTEX, DOCX, MARKDOWN, PLAIN_TEXT, Bibliography, Reader, read_together, reader_for

GOOD = "@article{good, title={Alpha}, author={Ada Lovelace}, journal={Nature}, year={2001}}\n"
ITEMS = "".join(f"[{number}] Doe, J. 2017. The {number}th title of some words. Nature.\n" for number in range(1, 60))
SLOW = f"\nReferences\n\n{ITEMS}"


@pytest.fixture(autouse=True)
def tight(monkeypatch: pytest.MonkeyPatch) -> None:
    """Allow 40 steps for each byte: these entries take 8, and these lists more than 100."""
    monkeypatch.setattr("pytest_citecheck.inputs.budget.STEPS_PER_BYTE", 40)
    monkeypatch.setattr("pytest_citecheck.inputs.budget.FREE_STEPS", 0)


def test_the_run_goes_on(pytester: pytest.Pytester) -> None:
    (pytester.path / "a.bib").write_text(GOOD)
    (pytester.path / "b.md").write_text(SLOW)
    (pytester.path / "c.bib").write_text(GOOD.replace("good", "better").replace("Alpha", "Beta"))
    named = [f"--citecheck={name}" for name in ("a.bib", "b.md", "c.bib")]
    result = pytester.runpytest(*named, "--citecheck-offline", "--citecheck-cache=off", "-k", "syntax or completeness")
    outcomes = result.parseoutcomes()
    assert (outcomes["passed"], outcomes["failed"]) == (2, 1)
    message = "b.md:* document syntax: the reader gave up at line * of b.md: * steps are too many*"
    result.stdout.fnmatch_lines([message])


def given_up(read: Bibliography) -> int:
    """Return the line at which the reader of a document gave up, or 0."""
    (first, *_), path = read.references, read.path
    fatal = next((one for one in first.defects if one.fatal), None)
    if fatal is None:
        return 0
    assert f"the reader gave up at line {fatal.line} of {path}" in fatal.message
    assert first.location.line == fatal.line
    return fatal.line


@pytest.mark.parametrize("reader", [MARKDOWN, PLAIN_TEXT])
def test_the_message_names_the_line(reader: Reader) -> None:
    assert given_up(reader.read("x", (20 * "Prose about it.\n\n" + SLOW).encode())) > 40
    assert given_up(BIBTEX.read("x.bib", GOOD.encode())) == 0


def test_one_of_several_bibtex_files_may_be_slow() -> None:
    damaged = "@misc{k, x = " + '"' * 400
    first, second, third = read_together([("a", GOOD.encode()), ("b", damaged.encode()), ("c", GOOD.encode())])
    assert [given_up(first), given_up(second), given_up(third)] == [0, 1, 0]


def test_unpacked_text_counts_by_its_own_size() -> None:
    word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    paragraphs = "".join(f"<w:p><w:r><w:t>{one}</w:t></w:r></w:p>" for one in ["Prose. " * 4000, *SLOW.split("\n")])
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("word/document.xml", f'<w:document xmlns:w="{word}"><w:body>{paragraphs}</w:body></w:document>')
    assert len(packed.getvalue()) < len(SLOW)
    assert len(DOCX.read("x.docx", packed.getvalue()).references) == 59


def test_a_document_in_an_archive_has_its_own_budget() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr("main.md", f"---\nbibliography: refs.bib\n---\n\n# A\n{SLOW}[@good]")
        file.writestr("refs.bib", GOOD)
    reader = reader_for("x.zip")
    assert reader is not None
    assert [one.key for one in reader.read("x.zip", packed.getvalue()).references] == ["good"]
