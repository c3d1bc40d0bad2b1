"""Sorting the files of a folder into submissions, bibliographies and files that are not read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pytest_citecheck.inputs import folder_contents

ENTRY = b"@misc{a, title={Roses}, author={Ada Lovelace}, year=2001}"
MAIN = b"\\documentclass{article}\\begin{document}\\cite{a}\\bibliography{refs}\\end{document}"
LIST = b"References\n\nLovelace, A. (2001). A history of roses. Nature, 4, 1-9.\n"
CASES: dict[str, tuple[dict[str, bytes], dict[str, str], list[str], dict[str, str]]] = {
    "a stray bibliography beside a PDF": (
        {"a.pdf": b"%PDF", "stray.bib": ENTRY},
        {"a.pdf": "a.pdf"},
        ["stray.bib"],
        {},
    ),
    "a bibliography beside PDFs in a subfolder": (
        {"s/a.pdf": b"%PDF", "s/b.pdf": b"%PDF", "s/x.bib": ENTRY},
        {"s/a.pdf": "s/a.pdf", "s/b.pdf": "s/b.pdf"},
        ["s/x.bib"],
        {},
    ),
    "a source and what lies beside it": (
        {"main.tex": MAIN, "refs.bib": ENTRY, "old.bib": ENTRY, "fig.pdf": b"%PDF", "part.tex": b"x", "a.png": b"x"},
        {"main.tex": "folder"},
        [],
        {"a.png": "no reader for .png files", "fig.pdf": "main.tex is read", "old.bib": "main.tex does not use it"},
    ),
    "subfolders at different depths": (
        {"p/main.tex": MAIN, "p/refs.bib": ENTRY, "q/r/s/main.tex": MAIN, "q/t.docx": b"PK", "q/u.zip": b"PK"},
        {"p/main.tex": "p", "q/r/s/main.tex": "q/r/s", "q/t.docx": "q/t.docx", "q/u.zip": "q/u.zip"},
        [],
        {},
    ),
    "one paper in two formats": (
        {"a.docx": b"PK", "a.pdf": b"%PDF", "b.bbl": b"\\bibitem{a}", "b.pdf": b"%PDF"},
        {"a.docx": "a.docx", "b.bbl": "b.bbl"},
        [],
        {"a.pdf": "a.docx is read", "b.pdf": "b.bbl is read"},
    ),
    "figures": ({"p/a.pdf": b"%PDF", "p/figures/f.pdf": b"%PDF"}, {"p/a.pdf": "p"}, [], {"p/figures/f.pdf": "figures"}),
    "broken documents are submissions": ({"a.pdf": b"", "b.zip": b"PKx"}, {"a.pdf": "a.pdf", "b.zip": "b.zip"}, [], {}),
    "broken bibliographies": (
        {"a.bib": b"\x89PNG\r\n\x1a\n", "b.bib": b"", "c.doc": b"x", "d": b"x"},
        {},
        [],
        {"a.bib": "it is not a BibTeX file", "b.bib": "it is empty", "c.doc": "save it as", "d": "without an ending"},
    ),
    "texts": (
        {"list.txt": LIST, "licence.txt": b"1. You may copy this.\n2. You may sell this.\n", "notes.md": b"# Notes\n"},
        {"list.txt": "list.txt"},
        [],
        {"licence.txt": "no", "notes.md": "no"},
    ),
    "brackets": ({"a[1].pdf": b"%PDF", "[b]/c.pdf": b"%PDF"}, {"[b]/c.pdf": "[b]", "a[1].pdf": "a[1].pdf"}, [], {}),
    "hidden files": ({".a.pdf": b"%PDF", ".git/b.pdf": b"%PDF", "node_modules/c.bib": ENTRY}, {}, [], {}),
    "answers of models": ({"a.json": b'[{"query": "x", "answer": "y"}]'}, {}, [], {"a.json": "only if you pass"}),
}


@pytest.mark.parametrize("name", CASES)
def test_the_contents_of_a_folder(tmp_path: Path, name: str) -> None:
    files, submissions, bibliographies, unread = CASES[name]
    folder = tmp_path / "folder"
    folder.mkdir()
    for file, content in files.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_bytes(content)
    found = folder_contents(folder)
    named = {path.relative_to(folder).as_posix(): one.name for one in found.submissions for path in one.documents}
    assert named == submissions
    assert [path.relative_to(folder).as_posix() for path in found.bibliographies] == bibliographies
    reasons = {path.relative_to(folder).as_posix(): why for path, why in found.unread.items()}
    assert sorted(reasons) == sorted(unread)
    assert {file: why for file, why in unread.items() if why not in reasons[file]} == {}


ONE_TEXT = "@article{a, title={T}, author={Lovelace, Ada}, journal={J}, year=2001}\n"


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "name", ["a.tex", "a.bib", "a.md", "a.txt", "a.py", "a.json", "a.bbl", "conf.py", "_config.yml", "a.aux", "a.typ"]
)
@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_a_pipe_or_a_device_is_named_and_never_opened(tmp_path: Path, name: str, kind: str) -> None:
    (tmp_path / "refs.bib").write_text(ONE_TEXT)
    if kind == "pipe":
        os.mkfifo(tmp_path / name)
    else:
        (tmp_path / name).symlink_to("/dev/zero")
    found = folder_contents(tmp_path)
    assert [path.name for path in found.bibliographies] == ["refs.bib"]
    assert tmp_path / name in found.unread


@pytest.mark.parametrize("name", [b"raw\x9b.json", b"raw\x9b.bib", b"raw\xff.tex", b"raw\xff.bbl", b"raw\x80.pdf"])
def test_a_name_that_is_not_utf_8_costs_nothing_else(tmp_path: Path, name: bytes) -> None:
    (tmp_path / "refs.bib").write_text(ONE_TEXT)
    (tmp_path / "m.tex").write_text(r"\documentclass{article}\begin{document}\cite{a}\bibliography{refs}\end{document}")
    with open(os.path.join(os.fsencode(tmp_path), name), "wb") as file:  # noqa: PTH118, PTH123 - a name in bytes
        file.write(b"x")
    assert [str(path.name) for one in folder_contents(tmp_path).submissions for path in one.documents][:1] == ["m.tex"]


def test_a_name_that_pytest_reads_otherwise_is_named(tmp_path: Path) -> None:
    (tmp_path / "ok.bib").write_text(ONE_TEXT)
    (tmp_path / "x::y.bib").write_text(ONE_TEXT)
    found = folder_contents(tmp_path)
    assert [path.name for path in found.bibliographies] == ["ok.bib"]
    assert "pytest takes for the name of a test" in found.unread[tmp_path / "x::y.bib"]
