"""The reader of archives: of the documents in them, as if they lay in a folder of the archive's name."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from pytest_citecheck.readers.archives.unpacking import unpacked
from pytest_citecheck.readers.base import Bibliography, Reader
from pytest_citecheck.readers.bibtex.together import read_together
from pytest_citecheck.readers.documents.base import DocumentReader, Surroundings, UnreadableDocumentError
from pytest_citecheck.readers.documents.choice import main_documents
from pytest_citecheck.readers.documents.files import ArchiveFiles, NoFiles

__all__ = ["ArchiveReader"]


class ArchiveReader:
    """Reads ``.zip``, ``.tar`` and their compressed kin; see `read_document`. readers: for what is in them."""

    suffixes = frozenset((".zip", ".tar", ".tgz", ".gz", ".txz", ".xz"))
    format = "an archive"
    lenient = True

    def __init__(self, readers: Callable[[], Iterable[Reader]]) -> None:
        self._readers = readers

    def reads(self, head: bytes) -> bool:
        """By its signature."""
        return head[:2] in (b"PK", b"\x1f\x8b") or head[:6] == b"\xfd7zXZ\x00" or head[257:262] == b"ustar"

    def read(self, path: str, data: bytes) -> Bibliography:
        """Read an archive."""
        return self.read_document(path, data, Surroundings(NoFiles()))

    def read_document(self, path: str, data: bytes, around: Surroundings) -> Bibliography:
        """The references of the documents of an archive; of its .bib files if it has none. Raises UnreadableDocumentError."""
        content = unpacked(path, data)
        documents = main_documents(content, content.get)
        found: list[Bibliography] = []
        problems: list[str] = []
        for name in documents:
            reader = next((one for one in self._readers() if posixpath.splitext(name)[1].lower() in one.suffixes), None)
            if isinstance(reader, DocumentReader):
                inside = replace(around, files=ArchiveFiles(content, posixpath.dirname(name)), given=())
                try:
                    found.append(reader.read_document(f"{path}/{name}", content[name], inside))
                except UnreadableDocumentError as error:
                    problems.append(str(error))
        if not documents:
            found = read_together(
                (f"{path}/{name}", content[name]) for name in sorted(content) if name.lower().endswith(".bib")
            )
        if not any(one.references for one in found):
            why = (
                "; ".join(problems)
                or f"{path} holds no document with references: no main .tex, .bbl, .md, .docx, .odt or .pdf"
            )
            raise UnreadableDocumentError(why)
        return _merged(path, found)


def _merged(path: str, found: Sequence[Bibliography]) -> Bibliography:
    """All references, each once: a paper and its supplement cite from one bibliography."""
    references = {(one.key, one.location): one for whole in found for one in whole.references}
    return Bibliography(path, tuple(references.values()), tuple(note for whole in found for note in whole.notes))
