"""Choice of the files of a submission that are its documents."""

from __future__ import annotations

import pytest

from pytest_citecheck.inputs import main_documents

CLASS = b"\\documentclass{article}"
CASES: dict[str, tuple[dict[str, bytes], list[str]]] = {
    "a main file": (
        {"main.tex": CLASS + b"\\cite{a}", "part.tex": b"\\cite{b}", "fig/plot.pdf": b"", "x.bbl": b""},
        ["main.tex"],
    ),
    "citing parts": ({"main.tex": CLASS + b"\\input{part}", "part.tex": b"\\cite{b}"}, ["main.tex"]),
    "a supplement": ({"a.tex": CLASS + b"\\cite{a}", "b.tex": CLASS + b"\\cite{a}"}, ["a.tex", "b.tex"]),
    "slides": ({"slides.tex": CLASS + b"\\input{header}", "header.tex": b"\\usepackage{x}"}, []),
    "a commented class": ({"part.tex": b"% \\documentclass{x}\n\\cite{a}"}, []),
    "a style in a folder": (
        {"src/main.tex": CLASS + b"\\cite{a}", "src/acl/sample.tex": CLASS + b"\\cite{a}"},
        ["src/main.tex"],
    ),
    "only a list": ({"ms.bbl": b"\\bibitem{a}", "fig.pdf": b""}, ["ms.bbl"]),
    "Markdown": ({"p.qmd": b"---\nbibliography: x.bib\n---\n", "README.md": b"# Read"}, ["p.qmd"]),
    "a PDF": ({"paper.pdf": b"%PDF", "README.md": b"x"}, ["paper.pdf"]),
    "figures of a source": ({"part.tex": b"x", "fig.pdf": b"%PDF"}, []),
    "what systems leave": ({"__MACOSX/main.tex": CLASS + b"\\cite{a}", ".git/x.pdf": b""}, []),
}


@pytest.mark.parametrize("name", CASES)
def test_the_documents(name: str) -> None:
    files, chosen = CASES[name]
    assert main_documents(files, files.get) == chosen
