r"""The readers of ``.aux`` and ``.bcf`` files: what LaTeX tells BibTeX, and biblatex tells biber, to look up.

``\citation{key}``, ``\bibdata{files}`` and ``\@input{chapter.aux}`` (O. Patashnik, *BibTeXing*, 1988, section 4);
``bcf:citekey`` and ``bcf:datasource`` of biber's control file. An .aux of biblatex names no files: its .bcf does.
"""

from __future__ import annotations

import posixpath
import re

from pytest_citecheck.model import Location
from pytest_citecheck.readers.base import Bibliography
from pytest_citecheck.readers.documents.base import Surroundings, UnreadableDocumentError
from pytest_citecheck.readers.documents.cited import Citations, select_cited
from pytest_citecheck.readers.documents.files import Files, NoFiles
from pytest_citecheck.readers.documents.sources import named_sources
from pytest_citecheck.readers.documents.xml import local_name, parse_xml
from pytest_citecheck.readers.encoding import decode_bytes
from pytest_citecheck.readers.lines import LineIndex, unify_line_ends
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["AUX", "BCF", "AuxReader", "BcfReader"]

_LINE = lazy_pattern(
    r"^\\(?:(?P<citation>citation)\{(?P<keys>[^{}]*)\}|abx@aux@cite(?:\{\d+\})?\{(?P<key>[^{}]*)\}"
    r"|(?P<all>abx@aux@nociteall)|bibdata\{(?P<files>[^{}]*)\}|@input\{(?P<input>[^{}]*)\})",
    re.MULTILINE,
)
_MOST_FILES = 300


class AuxReader:
    """Reads ``.aux`` files; see `read_document`."""

    suffixes = frozenset((".aux",))
    format = "an .aux file of LaTeX"
    lenient = True

    def reads(self, head: bytes) -> bool:  # noqa: ARG002
        """Whatever it begins with."""
        return True

    def read(self, path: str, data: bytes) -> Bibliography:
        """Read a file without those that it names."""
        return self.read_document(path, data, Surroundings(NoFiles()))

    def read_document(self, path: str, data: bytes, around: Surroundings) -> Bibliography:
        """The references that the document cites. Raises UnreadableDocumentError."""
        folder, main = posixpath.split(path)
        citations, names = _followed(folder, main, data, around.files)
        if not names:
            control = f"{posixpath.splitext(main)[0]}.bcf"
            found = around.files.read(control)
            if found is not None:
                names = _control(found)[1]
        return _read(path, citations, names or [*around.given], around)


class BcfReader:
    """Reads ``.bcf`` files; see `read_document`."""

    suffixes = frozenset((".bcf",))
    format = "a control file of biber"
    lenient = True

    def reads(self, head: bytes) -> bool:
        """By its root element."""
        return b"controlfile" in head

    def read(self, path: str, data: bytes) -> Bibliography:
        """Read a file without those that it names."""
        return self.read_document(path, data, Surroundings(NoFiles()))

    def read_document(self, path: str, data: bytes, around: Surroundings) -> Bibliography:
        """The references that the document cites. Raises UnreadableDocumentError."""
        try:
            keys, names = _control(data)
        except ValueError as error:
            raise UnreadableDocumentError(f"{path}: {error}") from error
        text = unify_line_ends(decode_bytes(data)[0])
        citations = Citations()
        lines = LineIndex(text)
        for key in keys:
            line = lines.line(max(0, text.find(f">{key}<")))
            citations.add(key, Location(path, line, line))
        return _read(path, citations, names, around)


AUX, BCF = AuxReader(), BcfReader()


def _followed(folder: str, main: str, data: bytes, files: Files) -> tuple[Citations, list[str]]:
    """What the file and those that it inputs cite, and the .bib files that they name."""
    citations, names = Citations(), list[str]()
    pending, seen = [(main, data)], {main}
    while pending:
        name, content = pending.pop(0)
        text = unify_line_ends(decode_bytes(content)[0])
        lines = LineIndex(text)
        shown = posixpath.normpath(posixpath.join(folder, name))
        for match in _LINE.finditer(text):
            line = lines.line(match.start())
            for key in [match["key"]] if match["key"] else (match["keys"] or "").split(","):
                if key.strip():
                    citations.add(key.strip(), Location(shown, line, line))
            citations.everything = citations.everything or bool(match["all"])
            for one in (match["files"] or "").split(","):
                bare = one.strip().strip('"')
                if bare and not bare.endswith("-blx"):  # biblatex's own, for BibTeX
                    names.append(bare if bare.endswith(".bib") else f"{bare}.bib")
            if match["input"] and match["input"] not in seen and len(seen) < _MOST_FILES:
                seen.add(match["input"])
                found = files.read(match["input"])
                if found is not None:
                    pending.append((match["input"], found))
    return citations, list(dict.fromkeys(names))


def _control(data: bytes) -> tuple[list[str], list[str]]:
    """The keys and the .bib files of a control file. Raises ValueError if it is no XML."""
    keys: list[str] = []
    names: list[str] = []
    for element in parse_xml(data).iter():
        name, text = local_name(element), (element.text or "").strip()
        if name == "citekey" and text and element.get("type") != "set":
            keys.append(text)
        elif name == "datasource" and text and element.get("type", "file") == "file":
            names.append(text if posixpath.splitext(text)[1] else f"{text}.bib")
    return list(dict.fromkeys(keys)), list(dict.fromkeys(names))


def _read(path: str, citations: Citations, names: list[str], around: Surroundings) -> Bibliography:
    if not names:
        raise UnreadableDocumentError(f"{path} names no .bib file")
    sources, absent = named_sources(around.files, names, posixpath.dirname(path))
    if not sources:
        raise UnreadableDocumentError(f"{path} names {', '.join(absent)}, which is not there")
    if not citations.places and not citations.everything and not around.everything:
        raise UnreadableDocumentError(f"{path} cites nothing; --citecheck-all checks every entry")
    return select_cited(path, citations, sources, everything=around.everything, absent=absent)
