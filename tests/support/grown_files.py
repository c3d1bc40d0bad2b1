"""Files in every format that repeat a separator or marker of any format: a reader must not take superlinear work on them."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

from pytest_citecheck.inputs import (
    _FORMATS,
    Budget,
    DocumentReader,
    NoFiles,
    Reader,
    Surroundings,
    UnreadableDocumentError,
    all_readers,
)

Frame = Callable[[str], bytes]

MARKERS: dict[str, list[str]] = json.loads(Path(__file__).with_name("markers.json").read_text("utf-8"))
"""Separators and markers by family of formats. ‹i› is the number of the repetition, ‹j› the one before, ‹a› letters."""

_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_TEXT = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"
_ENTRY = "@article{a, title={Random forests}, author={Breiman, Leo}, year={2001}}\n"
_BODY = r"\documentclass{article}\begin{document}\cite{a}"


def _plain(text: str) -> bytes:
    return text.encode()


def _between(before: str, after: str = "", *, quoted: bool = False) -> Frame:
    return lambda text: f"{before}{json.dumps(text)[1:-1] if quoted else text}{after}".encode()


def _zipped(**parts: Frame) -> Frame:
    def made(text: str) -> bytes:
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as file:
            for name, part in parts.items():
                file.writestr(name.replace("__", "/").replace("_", "."), part(text))
        return packed.getvalue()

    return made


def _printable(text: str) -> str:
    return escape("".join(one for one in text if one >= " " or one in "\t\n"))


def _paragraphs(before: str, opening: str, closing: str, after: str) -> Frame:
    def made(text: str) -> bytes:
        lines = ["References", *_printable(text).split("\n")]
        return f"{before}{''.join(f'{opening}{one}{closing}' for one in lines)}{after}".encode()

    return made


def _pdf(text: str) -> bytes:
    """A page of the lines of the text, broken at 90 characters."""
    lines = [line[at : at + 90] for line in ["References", *text.split("\n")] for at in range(0, max(1, len(line)), 90)]
    written = [line.encode("latin-1", "replace").translate(None, b"\0\r\f") for line in lines]
    shown = b"".join(
        b"(%s) Tj T* " % one.replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)") for one in written
    )
    stream = b"BT /F 9 Tf 1 TL 70 700 Td " + shown + b"ET"
    font = b"<< /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>"
    objects = (
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources %s >>" % font,
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
    )
    data, places = b"%PDF-1.5\n", []
    for number, content in enumerate(objects, start=1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"trailer\n<< /Size 5 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % len(data)
    return data + b"xref\n0 5\n0000000000 65535 f \n" + table + end


_CELLS = (
    '{"nbformat": 4, "cells": [{"cell_type": "markdown", "source": "## References\\n\\n',
    '"}, {"cell_type": "markdown", "source": "a"}]}',
)
FRAMES: dict[str, tuple[Frame, ...]] = {
    "BIBTEX": (
        _plain,
        _between("@misc{k, title = {", "}}\n"),
        _between('@misc{k, author = "', '"}\n'),
        _between("@misc{k, note = ", "}\n"),
        _between('@string{k = "a"', "}\n@misc{a, note = k}\n"),
        _between("@misc{k, ", "}\n"),
    ),
    "HALLMARK": (
        _plain,
        _between('{"bibtex_key": "a", "bibtex_type": "misc", "fields": {"title": "', '"}}', quoted=True),
    ),
    "SOFTWARE_JSON": (
        _plain,
        _between(
            '{"@context": "https://doi.org/10.5063/schema/codemeta-2.0", "name": "a", "referencePublication": "',
            '"}',
            quoted=True,
        ),
    ),
    "ANSWERS": (_plain, _between('{"model": "m", "query": "q", "answer": "', '"}\n', quoted=True)),
    "LATEX": (
        _plain,
        _between(_BODY),
        _between(_BODY + "\\begin{thebibliography}{9}\\bibitem{a} "),
        _between("\\newcommand{\\acite}[1]{", "}" + _BODY),
    ),
    "BBL": (
        _plain,
        _between("\\begin{thebibliography}{9}\n\\bibitem{a} ", "\n\\end{thebibliography}"),
        _between("\\entry{a}{article}{}\n", "\\endentry\n"),
    ),
    "AUX": (_plain, _between("\\citation{a}\\bibdata{refs}\n")),
    "BCF": (
        _plain,
        _between(
            '<?xml version="1.0"?>\n<bcf:controlfile xmlns:bcf="https://sourceforge.net/projects/biblatex">',
            "</bcf:controlfile>",
        ),
    ),
    "PDF": (_pdf,),
    "MARKDOWN": (
        _plain,
        _between("# References\n\n"),
        _between("---\nbibliography: refs.bib\n---\n\n"),
        _between("---\n", "\n---\n[@a]"),
        _between("# References\n\n- a 2017 [@a], "),
    ),
    "DOCX": (
        _zipped(
            word__document_xml=_paragraphs(
                f'<w:document xmlns:w="{_WORD}"><w:body>',
                "<w:p><w:r><w:t>",
                "</w:t></w:r></w:p>",
                "</w:body></w:document>",
            )
        ),
        _zipped(word__document_xml=_plain),
    ),
    "ODT": (
        _zipped(
            content_xml=_paragraphs(f'<office xmlns:text="{_TEXT}"><body>', "<text:p>", "</text:p>", "</body></office>")
        ),
        _zipped(content_xml=_plain),
    ),
    "HTML": (_plain, _between("<h2>References</h2><ol><li>"), _between("<h2>References</h2><p>")),
    "CSL_JSON": (
        _plain,
        _between('[{"title": "', '", "DOI": "10.1/a", "type": "book"}]', quoted=True),
        _between('{"items": [', '{"title": "A b", "type": "book"}]}'),
    ),
    "RIS": (_plain, _between("TY  - JOUR\nTI  - ", "\nER  - \n"), _between("TY  - JOUR\nAU  - ", "\nER  - \n")),
    "NBIB": (_plain, _between("PMID- 1\nTI  - ", "\n")),
    "ENDNOTE": (
        _plain,
        _between("<xml><records>", "</records></xml>"),
        lambda text: (
            f"<xml><records><record><titles><title>{_printable(text)}</title></titles></record></records></xml>".encode()
        ),
    ),
    "WIKITEXT": (_plain, _between("{{cite journal|title=", "}}"), _between("{{cite journal|title=a|author=")),
    "PLAIN_TEXT": (_plain, _between("References\n\n"), _between("[1] Doe, J. 2017. A title of it. Nature.\n[2] ")),
    "DOCSTRINGS": (
        _plain,
        _between('def f():\n    """A.\n\n    References\n    ----------\n    .. [1] ', '\n    """\n'),
        _between('"""A.\n\nReferences\n----------\n', '\n"""\n'),
    ),
    "RESTRUCTURED_TEXT": (_plain, _between("References\n==========\n\n"), _between(".. [1] ")),
    "NOTEBOOK": (
        _plain,
        _between(*_CELLS, quoted=True),
        _between('{"cells": [', '{"cell_type": "markdown", "source": "doi:10.1000/a"}]}'),
    ),
    "TYPST": (_plain, _between('#bibliography("refs.bib")\n@a ')),
    "CFF": (
        _plain,
        _between("cff-version: 1.2.0\ntitle: A\nreferences:\n"),
        _between("cff-version: 1.2.0\ntitle: A\nreferences:\n- title: "),
    ),
    "": (_zipped(refs_bib=_plain), _zipped(main_tex=_between(_BODY), refs_bib=_between(_ENTRY))),
}
"""Files of each format with the repetitions at the top, and in the places that its reader parses further."""


class RefsBib(NoFiles):
    """A folder in which every name is a bibliography with one entry."""

    def read(self, name: str) -> bytes | None:
        return _ENTRY.encode() if name.endswith(".bib") else None


@dataclass(frozen=True, slots=True)
class Case:
    """A reader, the place of the repetitions (index of its frames), the unit, and if the file belongs to a project."""

    name: str
    frame: int
    unit: str
    project: bool = False

    def __str__(self) -> str:
        return f"{self.name or 'ARCHIVE'}[{self.frame}]{' in a project' if self.project else ''} × {self.unit!r}"

    def read(self, characters: int) -> Callable[[], object]:
        """Return the reading of a file with about this many characters of repetitions."""
        data = FRAMES[self.name][self.frame](repeated(self.unit, characters))
        return lambda: read(self.name, data, project=self.project)


def reader_of(name: str) -> Reader:
    """Return the reader of this name in the registry."""
    return all_readers()[[row[1] for row in _FORMATS].index(name)]


def read(name: str, data: bytes, *, project: bool = False) -> object:
    """Read a file as a run does."""
    reader = reader_of(name)
    try:
        if isinstance(reader, DocumentReader):
            around = Surroundings(RefsBib(), everything=True, given=("refs.bib",), project=project)
            return reader.read_document(f"x{min(reader.suffixes)}", data, around)
        return reader.read(f"x{min(reader.suffixes)}", data)
    except UnreadableDocumentError as error:
        return error


def repeated(unit: str, characters: int) -> str:
    """Repeat a unit to about this many characters."""
    times = characters // len(unit) + 1
    if "‹" not in unit:
        return unit * times
    return "".join(
        unit.replace("‹i›", str(one)).replace("‹j›", str(one - 1)).replace("‹a›", _letters(one))
        for one in range(1, times + 1)
    )


def _letters(number: int) -> str:
    return str(number).translate(str.maketrans("0123456789", "abcdefghij"))


_PAGES = ("MARKDOWN", "DOCSTRINGS", "RESTRUCTURED_TEXT", "NOTEBOOK", "TYPST")
"""Readers that read a file of a software project in another way."""


def cases() -> Iterator[Case]:
    """Yield each reader and place with each unit of all formats."""
    for name, frames in FRAMES.items():
        for project in (False, True)[: 1 + (name in _PAGES)]:
            for frame in range(len(frames)):
                for unit in dict.fromkeys(unit for units in MARKERS.values() for unit in units):
                    yield Case(name, frame, unit, project)


MOST_GROWTH = 2.3
"""Allowed growth of the work when a file doubles: 2 is linear, and n log n is below 2.3 for these sizes."""


def charged(action: Callable[[], object]) -> int:
    """Count the steps that readers charge to their budgets, without a limit: work inside patterns is not executed lines."""
    total = 0

    def counting(_budget: Budget, steps: int, _text: str | bytes, _place: int = 0) -> None:
        nonlocal total
        total += steps

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Budget, "charge", counting)
        action()
    return total


Count = Callable[[Callable[[], object]], int]


def growth(case: Case, characters: int, count: Count) -> float:
    """By how much the counted work grows at each of two doublings; the lesser, since one may pass a limit of the reader."""
    case.read(characters // 2)()  # what is computed once in a process
    one, two, four = (count(case.read(characters * times)) for times in (1, 2, 4))
    return min(two / max(one, 1), four / max(two, 1))


def is_superlinear(case: Case, characters: int, count: Count) -> bool:
    """Return True if the work grows too fast; also on a text eight times as long, which passes the limits of most loops."""
    return all(growth(case, size, count) > MOST_GROWTH for size in (characters, 8 * characters))
