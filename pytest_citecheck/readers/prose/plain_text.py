"""The reader of plain text: a list of identifiers, or a list of references."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_citecheck.readers.base import Bibliography
from pytest_citecheck.readers.bibtex.reader import read_bibtex
from pytest_citecheck.readers.documents.base import Surroundings, UnreadableDocumentError
from pytest_citecheck.readers.encoding import decode_bytes
from pytest_citecheck.readers.exchange.identifiers import identifier_lines
from pytest_citecheck.readers.lines import unify_line_ends
from pytest_citecheck.readers.plain.ledger import read_list
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from pytest_citecheck.model import Reference

__all__ = ["PLAIN_TEXT", "PlainTextReader"]

_BIBTEX = lazy_pattern(
    r"^[ \t]*@(?:article|inproceedings|incollection|inbook|book|misc|online|phdthesis|mastersthesis"
    r"|techreport)[ \t]*[{(][^\s,]*,",
    re.IGNORECASE | re.MULTILINE,
)
_IDENTIFYING = ("doi", "eprint", "url", "isbn", "pmid", "pmcid")


class PlainTextReader:
    """Reads ``.txt`` files; see `read_document`."""

    suffixes = frozenset((".txt", ".text", ".lst", ".ids"))
    format = "a list of references or identifiers"
    lenient = True

    def reads(self, head: bytes) -> bool:
        """Whatever is text."""
        return b"\0" not in head[:1024] or head[:2] in (b"\xff\xfe", b"\xfe\xff")

    def read(self, path: str, data: bytes) -> Bibliography:
        """The identifiers, one a line, or the items of the list: of its reference section, if it has one."""
        decoded, notes = decode_bytes(data)
        text = unify_line_ends(decoded)
        if _BIBTEX.search(text) and (entries := read_bibtex(path, data)).references:
            return entries
        references = identifier_lines(path, text)
        if references is None:
            references, more = read_list(path, text.split("\n"), whole=True)
            notes = (*notes, *more)
        return Bibliography(path, tuple(references), notes)

    def read_document(self, path: str, data: bytes, around: Surroundings) -> Bibliography:  # noqa: ARG002
        """Read a whole file. Raises UnreadableDocumentError if it holds no reference, or only prose with a year in it."""
        read = self.read(path, data)
        if not any(_tells_a_work(reference) for reference in read.references):
            raise UnreadableDocumentError(
                f"{path} holds no reference: no line or paragraph states people, a title and a year, or an identifier"
            )
        return read


def _tells_a_work(reference: Reference) -> bool:
    fields = reference.fields
    return ("author" in fields and "title" in fields) or any(name in fields for name in _IDENTIFYING)


PLAIN_TEXT = PlainTextReader()
