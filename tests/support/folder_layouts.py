"""Folders of papers and software, and files that end up in them: a generator for tests of folders."""

from __future__ import annotations

import contextlib
import io
import json
import random
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pytest_citecheck.audit import Piece, Unread, pieces_of, read_pieces
from pytest_citecheck.cli import main

MANUSCRIPTS = Path(__file__).parents[2] / "fixtures" / "manuscripts"
Content = Mapping[str, bytes]


def entry(key: str, title: str) -> bytes:
    return f"@article{{{key}, title={{{title}}}, author={{Ada Lovelace}}, journal={{Nature}}, year=2001}}\n".encode()


def tex(*keys: str, bib: str = "refs") -> bytes:
    cites = "".join(f"\\cite{{{key}}}" for key in keys)
    return f"\\documentclass{{article}}\\begin{{document}}{cites}\\bibliography{{{bib}}}\\end{{document}}".encode()


def packed(**members: bytes) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "/").replace("_", "."), content)
    return data.getvalue()


BIB = entry("a", "A Title of Flowers") + entry("b", "A Title of Trees") + entry("c", "A Title of Stones")
LIST = b"References\n\nLovelace, A. (2001). A history of roses. Nature, 4, 1-9.\n\nHopper, G. (1952). Compilers. Tools, 1, 2-3.\n"
BBL = b"\\begin{thebibliography}{1}\\bibitem{b} A. Lovelace. \\newblock Roses. \\newblock Nature, 2001.\\end{thebibliography}"
RIS = b"TY  - JOUR\nAU  - Lovelace, Ada\nTI  - A Title of Rivers\nPY  - 2001\nER  - \n"
CSL = b'[{"id": "x", "type": "book", "title": "A Title of Lakes", "author": [{"family": "Lovelace", "given": "Ada"}]}]'
NUMPYDOC = b'"""Engines.\n\nReferences\n----------\n.. [1] A. Lovelace, "On engines", Journal of Engines, 1843.\n"""\n'
RST = b'.. [1] G. Hopper, "On compilers", Journal of Tools, 1952.\n\nSee [1]_.\n'
NOTEBOOK = (
    b'{"cells": [{"cell_type": "markdown", "metadata": {}, "source": ["## References\\n", '
    b'"\\n", "1. A. Lovelace, \\"On looms\\", Journal of Engines, 1843. doi:10.1000/looms\\n"]}], '
    b'"metadata": {}, "nbformat": 4, "nbformat_minor": 5}'
)
CFF = b"cff-version: 1.2.0\ntitle: engines\ndoi: 10.5281/zenodo.1234567\n"
NOTE = b"---\nbibliography: refs.bib\n---\n\nSee [@a] and [@c].\n"
NOT_FOUND = b"<!DOCTYPE html>\n<html><head><title>404 Not Found</title></head><body>Not Found</body></html>\n"
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n"


def _manuscript(suffix: str) -> bytes:
    return next(path for path in sorted(MANUSCRIPTS.iterdir()) if path.suffix == suffix).read_bytes()


LAYOUTS: dict[str, Content] = {
    "a bibliography": {"refs.bib": BIB},
    "a paper": {"main.tex": tex("a", "b", "c"), "refs.bib": BIB},
    "a paper with an unused bibliography": {"main.tex": tex("a"), "refs.bib": BIB, "old.bib": entry("z", "Left Over")},
    "a paper in a subfolder": {"paper/main.tex": tex("a", "c"), "paper/refs.bib": BIB},
    "a paper with chapters": {
        "main.tex": b"\\documentclass{book}\\begin{document}\\include{ch/one}\\bibliography{refs}\\end{document}",
        "ch/one.tex": b"\\cite{a,b}",
        "refs.bib": BIB,
    },
    "two papers": {"p/main.tex": tex("a"), "p/refs.bib": BIB, "q/main.tex": tex("b", "gone"), "q/refs.bib": BIB},
    "a paper and a bibliography": {"p/main.tex": tex("a"), "p/refs.bib": BIB, "bibs/more.bib": entry("m", "More")},
    "bibliographies": {"a.bib": BIB, "deep/er/b.bib": entry("d", "Depth"), "c.ris": RIS, "d.json": CSL},
    "a bbl": {"paper.bbl": BBL},
    "a bbl and a PDF": {"paper.bbl": BBL, "paper.pdf": b"%PDF-1.5 broken"},
    "a note": {"note.md": NOTE, "refs.bib": BIB},
    "a list": {"list.txt": LIST},
    "a list and a bibliography": {"list.md": LIST, "x/refs.bib": BIB},
    "a Word file": {"paper.docx": _manuscript(".docx")},
    "a PDF": {"paper.pdf": _manuscript(".pdf")},
    "an archive": {"paper.zip": packed(main_tex=tex("a"), refs_bib=BIB)},
    "an archive and a bibliography": {"paper.zip": packed(main_tex=tex("a"), refs_bib=BIB), "refs.bib": BIB},
    "a package": {"engines/__init__.py": b"", "engines/core.py": NUMPYDOC},
    "a package with a paper": {
        "src/engines/__init__.py": b"",
        "src/engines/core.py": NUMPYDOC,
        "paper/paper.md": NOTE,
        "paper/refs.bib": BIB,
        "pyproject.toml": b"[project]\nname = 'engines'\n",
    },
    "documentation": {
        "docs/conf.py": b'bibtex_bibfiles = ["refs.bib"]\n',
        "docs/refs.bib": BIB,
        "docs/index.rst": b"See :cite:p:`a`.\n",
    },
    "pages": {"index.rst": RST},
    "a notebook": {"look.ipynb": NOTEBOOK},
    "a notebook and a bibliography": {"look.ipynb": NOTEBOOK, "refs.bib": BIB},
    "a paper and its code": {"main.tex": tex("a", "b"), "refs.bib": BIB, "code/train.py": NUMPYDOC},
    "software that is cited": {"CITATION.cff": CFF},
    "a Typst paper": {"main.typ": b'See @a and @b.\n#bibliography("refs.bib")\n', "refs.bib": BIB},
    "an auxiliary file": {"main.aux": b"\\citation{a}\n\\bibdata{refs}\n", "refs.bib": BIB},
    "a paper below source code": {"src/paper/main.tex": tex("a"), "src/paper/refs.bib": BIB, "src/run.py": b"x = 1\n"},
    "a submission with a bbl": {"main.tex": tex("b"), "main.bbl": BBL, "fig.pdf": b"%PDF-1.5"},
    "old versions": {"v1/main.tex": tex("a"), "v1/refs.bib": BIB, "v2/main.tex": tex("c"), "v2/refs.bib": BIB},
}
"""Files by name. Each folder has at least one reference."""

_ANYWHERE: tuple[tuple[tuple[str, ...], bytes], ...] = (
    (("plot.py", "setup.py", "conftest.py", "__init__.py", "conf.py"), b"import os\n"),
    (("engines.py", "pkg/__init__.py", "code/core.pyi"), NUMPYDOC),
    (("look.ipynb", "run.ipynb"), NOTEBOOK),
    (("index.rst", "README.rst", "docs/index.rst"), RST),
    (("cited.rst", "docs/cited.rst"), b"See :cite:p:`a`.\n"),
    (("CITATION.cff",), CFF),
    (("codemeta.json", ".zenodo.json"), b'{"@type": "SoftwareSourceCode", "name": "engines"}'),
    (("pyproject.toml", "setup.cfg", "Makefile", "requirements.txt", "_config.yml"), b"[project]\nname = 'engines'\n"),
    (("pkg/__init__.py", "pkg/sub/__init__.py"), b""),
    (("README.md", "notes.md", "CHANGELOG.md"), b"# Engines\n\nSee https://doi.org/10.1000/engines.\n"),
    (("README.md", "list.md", "list.txt"), LIST),
    (("note.md",), NOTE),
    (("figure.png", "logo.svg", "data.bin"), b"\x89PNG\r\n\x1a\n\0\0"),
    (("figure.pdf", "figures/plot.pdf", "paper.pdf", "main.pdf"), b"%PDF-1.5 broken"),
    (("paper.docx", "main.docx", "cover.odt"), b"PK damaged"),
    (("paper.docx", "main.odt"), packed(hello_txt=b"Hello")),
    (("data.zip", "code.tar.gz", "old.tgz"), packed(readme_txt=b"Hello")),
    (("supplement.zip",), packed(main_tex=tex("a"), refs_bib=BIB)),
    ((".gitignore", ".hidden.bib", ".latexmkrc", ".venv/pyvenv.cfg"), b"build\n"),
    (("empty.bib", "refs2.bib", "more.ris", "empty.json", "paper.bbl", "empty.tex"), b""),
    (("page.bib", "library.bib"), NOT_FOUND),
    (("pointer.bib", "library.bib"), POINTER),
    (("more.bib", "library.bibtex"), entry("n", "New") + b"@article{broken, title={Open\n"),
    (("supplement.tex", "response.tex", "slides.tex"), b"\\documentclass{letter}\\begin{document}Dear\\end{document}"),
    (("supplement.tex",), tex("a", bib="nowhere")),
    (("macros.tex", "style.sty", "main.log", "main.blg"), b"\\newcommand{\\x}{y}\n"),
    (("main.aux", "other.aux"), b"\\citation{a}\n\\bibdata{refs}\n"),
    (("package.json", "settings.json", "data.csv"), b'{"name": "engines"}'),
    (("answers.jsonl",), b'{"model": "m", "query": "q", "answer": "y"}\n'),
    (("template.typ",), b"#let page = 1\n"),
    (("index.html", "page.xml"), NOT_FOUND),
)


def dropped(rng: random.Random, layout: Content) -> tuple[str, bytes]:
    """Return a file, under a new name, for one of the folders of a layout or for a new subfolder."""
    places = [*sorted({str(parent) for name in layout for parent in Path(name).parents}), "extra"]
    while True:
        names, content = rng.choice(_ANYWHERE)
        name = (Path(rng.choice(places)) / rng.choice(names)).as_posix()
        if name not in layout:
            return name, content


def write(folder: Path, files: Content) -> None:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a run checked and left out. references: file and name of each. unread: reason by file. notes: texts of notes."""

    references: frozenset[tuple[str, str]]
    unread: Mapping[str, str]
    notes: tuple[str, ...] = ()

    def accounts_for(self, file: str) -> bool:
        """Return True if a line says why references of this file are not checked."""
        left_out = any(file == one or file.startswith(f"{one}/") for one in self.unread)
        return left_out or any(file in note for note in self.notes)


def by_command(folder: Path, report: Path) -> Reading:
    """Read a folder with ``citecheck check``; run it beside the folder."""
    report.unlink(missing_ok=True)
    with contextlib.suppress(SystemExit):
        main(["check", folder.name, "--offline", "--cache=off", f"--json={report}"])
    found = json.loads(report.read_text()) if report.exists() else {"references": [], "unread": [], "notes": []}
    own = f"{folder.name}/"
    return Reading(
        frozenset((one["path"].removeprefix(own), one["key"]) for one in found["references"]),
        {one["path"].removeprefix(own): one["reason"] for one in found.get("unread", ())},
        tuple(str(note) for note in found.get("notes", ())),
    )


def by_audit(folder: Path) -> Reading:
    """Read a folder as ``citecheck audit`` does. A bibliography that a document names is read as far as it is cited."""
    pieces = list(pieces_of([str(folder)], 500))
    cited, unread = read_pieces(one for one in pieces if isinstance(one, Piece))
    unread += [one for one in pieces if isinstance(one, Unread)]
    found = frozenset((one.reference.location.path.removeprefix("./"), one.reference.key) for one in cited)
    named = tuple(sorted({one.reference.location.path for one in cited} - {one.document for one in cited}))
    return Reading(found, {Path(one.path).relative_to(folder).as_posix(): one.reason for one in unread}, named)


def lost(before: Reading, after: Reading) -> list[str]:
    """Return the files whose references are no longer checked without a line that says so."""
    return sorted({file for file, _ in before.references - after.references if not after.accounts_for(file)})


def folders(count: int, seed: int, start: Path) -> Iterator[tuple[str, str, Path]]:
    """Yield layout, dropped file, and the folder with it."""
    rng = random.Random(seed)  # noqa: S311 - no secret
    for number in range(count):
        name = rng.choice(sorted(LAYOUTS))
        file, content = dropped(rng, LAYOUTS[name])
        write(start / f"f{number}", {**LAYOUTS[name], file: content})
        yield name, file, start / f"f{number}"
