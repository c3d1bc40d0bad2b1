"""The reader of PDFs: the items of their reference sections as reference strings, each with its page.

PDFium reads the pages (pypdfium2, from the extra ``documents``), in a process of its own that a broken or hostile file
cannot take this one down with (`readers.pdf.extract`). If there is a GROBID, its TEI is read instead.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from pytest_citecheck.model import Defect
from pytest_citecheck.readers.base import Bibliography
from pytest_citecheck.readers.documents.base import Surroundings, UnreadableDocumentError
from pytest_citecheck.readers.documents.files import NoFiles
from pytest_citecheck.readers.pdf.section import highest_citation, reference_items
from pytest_citecheck.readers.pdf.tei import references_of_tei
from pytest_citecheck.readers.plain.ledger import read_items

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
        items = reference_items(pages)
        references, notes = read_items(path, items, "page")
        if not any(one.fields for one in references):
            empty = not any(line[0].strip() for page in pages for line in page)
            why = "contains no text (scanned pages?)" if empty else "has no reference section that can be told apart"
            raise UnreadableDocumentError(f"{path} {why}; {_ADVICE}")
        first = min(one.location.line for one in references)
        numbers = [int(item.label) for item in items if item.label.isdecimal()]
        if numbers and (cited := highest_citation(pages)) > max(numbers):
            message = f"the text of {path} cites up to [{cited}], but the list ends at {max(numbers)}"
            notes.append(Defect("list-short", message, first, note=True))
        return Bibliography(path, tuple(references), (_read_from(path, first, len(references)), *notes))


PDF = PdfReader()


def _read_from(path: str, page: int, count: int) -> Defect:
    noun = "reference" if count == 1 else "references"
    return Defect("pdf-read", f"{count} {noun} read from page {page} on: {path}", page, note=True)


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
