r"""The reader of ``.bbl`` files: what BibTeX or biber made of a bibliography for LaTeX to print.

BibTeX writes ``\bibitem`` with text (`readers.latex.bibitems`), biber entries with fields (`readers.latex.biblatex`).
"""

from __future__ import annotations

from pytest_citecheck.model import Reference
from pytest_citecheck.readers.base import Bibliography
from pytest_citecheck.readers.documents.base import Surroundings, UnreadableDocumentError
from pytest_citecheck.readers.encoding import decode_bytes
from pytest_citecheck.readers.latex.bibitems import read_bibitems
from pytest_citecheck.readers.latex.biblatex import is_biblatex, read_entries
from pytest_citecheck.readers.lines import unify_line_ends

__all__ = ["BBL", "BblReader", "read_bbl"]


class BblReader:
    """Reads ``.bbl`` files; see `read_bbl`."""

    suffixes = frozenset((".bbl",))
    format = "a .bbl file"
    lenient = True

    def reads(self, head: bytes) -> bool:  # noqa: ARG002
        """Whatever it begins with."""
        return True

    def read(self, path: str, data: bytes) -> Bibliography:
        """Read a whole file; ``path`` is only repeated in locations."""
        return read_bbl(path, data)

    def read_document(self, path: str, data: bytes, around: Surroundings) -> Bibliography:  # noqa: ARG002
        """Read a whole file. Raises UnreadableDocumentError if it holds no reference."""
        read = self.read(path, data)
        if not read.references:
            raise UnreadableDocumentError(f"{path} holds no \\bibitem and no \\entry of biblatex")
        return read


BBL = BblReader()


def read_bbl(path: str, data: bytes) -> Bibliography:
    """The references of a ``.bbl`` file, or of the ``thebibliography`` environments of a document. Never raises."""
    decoded, notes = decode_bytes(data)
    text = unify_line_ends(decoded)
    references: list[Reference] = read_entries(path, text) if is_biblatex(text) else read_bibitems(path, text)
    return Bibliography(path, tuple(references), notes)
