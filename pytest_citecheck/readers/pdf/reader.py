"""The reader of PDFs: the items of their reference sections as reference strings, each with its page.

PDFium reads the pages (pypdfium2, from the extra ``documents``), in a process of its own that a broken or hostile file
cannot take this one down with (`readers.pdf.extract`). If there is a GROBID, its TEI is read instead.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from pytest_citecheck.model import Defect, Location, Reference
from pytest_citecheck.readers.base import Bibliography
from pytest_citecheck.readers.documents.base import Surroundings, UnreadableDocumentError
from pytest_citecheck.readers.documents.files import NoFiles
from pytest_citecheck.readers.pdf.section import reference_items
from pytest_citecheck.readers.pdf.tei import references_of_tei
from pytest_citecheck.readers.plain.strings import read_reference_strings

__all__ = ["PDF", "PdfReader"]

_EXTRACT = Path(__file__).with_name("extract.py")
_SECONDS = 180  # by the clock, on a machine that has much else to do
_LARGEST = 500_000_000  # bytes of extracted lines
_ADVICE = "with --citecheck-grobid=URL a GROBID reads it; else save the references as text or .bib"


class PdfReader:
    """Reads ``.pdf`` files; see `read_document`."""

    suffixes = frozenset((".pdf",))
    format = "a PDF"
    lenient = True

    def reads(self, head: bytes) -> bool:
        """By its signature, which may stand after some other bytes."""
        return b"%PDF-" in head[:1024]

    def read(self, path: str, data: bytes) -> Bibliography:
        """Read a PDF."""
        return self.read_document(path, data, Surroundings(NoFiles()))

    def read_document(self, path: str, data: bytes, around: Surroundings) -> Bibliography:
        """The references of the reference sections. Raises UnreadableDocumentError."""
        if around.tei is not None:
            references = references_of_tei(path, around.tei(data))
            if references:
                return Bibliography(path, tuple(references))
            raise UnreadableDocumentError(f"{path}: GROBID finds no reference in it")
        pages = _pages(path, data)
        items = [item for item in reference_items(pages) if item.kind != "outside"]
        if not items:
            empty = not any(line[0].strip() for page in pages for line in page)
            why = "contains no text (scanned pages?)" if empty else "has no reference section that can be told apart"
            raise UnreadableDocumentError(f"{path} {why}; {_ADVICE}")
        references = []
        for number, item in enumerate(items, start=1):
            place = Location(path, item.lines[0].page, item.lines[-1].page, "page")
            for part, one in enumerate(read_reference_strings([(item.text, place)])):
                key = f"ref_{item.label or number}"
                references.append(replace(one, key=key if not part else f"{key}+{part}"))
        return Bibliography(path, tuple(_unique(references)), (_read_from(path, items[0].lines[0].page, len(items)),))


PDF = PdfReader()


def _read_from(path: str, page: int, count: int) -> Defect:
    noun = "reference" if count == 1 else "references"
    return Defect("pdf-read", f"{count} {noun} read from page {page} on: {path}", page, note=True)


def _unique(references: list[Reference]) -> list[Reference]:
    """Two lists of one paper number from 1 each: the later ones are told apart."""
    seen: dict[str, int] = {}
    result = []
    for one in references:
        seen[one.key] = seen.get(one.key, 0) + 1
        result.append(one if seen[one.key] == 1 else replace(one, key=f"{one.key}.{seen[one.key]}"))
    return result


def _pages(path: str, data: bytes) -> list[list[tuple[str, float, float, float, float]]]:
    if importlib.util.find_spec("pypdfium2") is None:
        raise UnreadableDocumentError(f"{path}: PDFs need pypdfium2: pip install 'pytest-citecheck[documents]'")
    try:
        done = subprocess.run(  # noqa: S603 - this interpreter, a file of this package
            [sys.executable, str(_EXTRACT)], input=data, capture_output=True, timeout=_SECONDS, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise UnreadableDocumentError(f"{path} was not read within {_SECONDS} s; {_ADVICE}") from error
    if done.returncode or len(done.stdout) > _LARGEST:
        why = "takes too long or too much memory to read" if not done.stderr else "cannot be read: its reader broke off"
        raise UnreadableDocumentError(f"{path} {why}; {_ADVICE}")
    said: dict[str, Any] = json.loads(done.stdout)
    if "problem" in said:
        raise UnreadableDocumentError(f"{path} {said['problem']}")
    pages: list[list[tuple[str, float, float, float, float]]] = [
        [(str(text), left, right, bottom, height) for text, left, right, bottom, height in page]
        for page in said["pages"]
    ]
    return pages
