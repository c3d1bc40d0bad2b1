"""Reader for Typst: the entries of ``#bibliography`` that ``@key`` and ``#cite`` cite."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence

from pytest_citecheck.inputs.base import Bibliography, LineIndex, decode_bytes, text_of
from pytest_citecheck.inputs.budget import lazy_pattern
from pytest_citecheck.inputs.citation_files import hayagriva_references
from pytest_citecheck.inputs.citations import Citations, named_sources, not_followed, select_cited, spaces
from pytest_citecheck.inputs.documents import Surroundings, TextDocumentReader, UnreadableDocumentError
from pytest_citecheck.model import Defect, Location

_TOKEN = lazy_pattern(
    r"(?P<ticks>`{3,})|(?P<blank>`[^`]*+`|\bhttps?://[^\s\"<>\[\]()]*+|//[^\n]*+|\\.)|(?P<block>/\*)|(?P<quote>\")"
    r"|#(?P<statement>(?:import|include|let|set|show|if|for|while|return|context)\b)?|(?P<sign>[\[\](){}\n;])",
    re.DOTALL,
)
_COMMENT_MARK = lazy_pattern(r"/\*|\*/")
_QUOTED = lazy_pattern(r"\"(?:[^\"\\]++|\\.)*+\"", re.DOTALL)
_CALLED = lazy_pattern(r"[\w.-]*+")
_CLOSING = {"[": "]", "(": ")", "{": "}"}
_BIBLIOGRAPHY = lazy_pattern(r"\bbibliography\s*+\(([^)]{0,2000})\)")
_STRING = lazy_pattern(r"\"([^\"\n]{1,300})\"")
_NAMED = lazy_pattern(r"[a-z-]+\s*:\s*(?:\"[^\"\n]*\"|[^,()\"]*)")
_INCLUDE = lazy_pattern(r"#(?:include|import)\s++\"([^\"\n]{1,300}\.typ)\"")
_KEY = lazy_pattern(
    r"(?P<glued>(?<=[\w@.]))?@(?P<key>[A-Za-z_][\w:.-]*\w|\w)|#?\bcite\s*+\(\s*<(?P<argument>[^<>\s]{1,200})>|#?\bcite\s*+\(\s*label\(\"(?P<label>[^\"\n]{1,200})\"\)"
)
_LABEL = lazy_pattern(r"(?<!cite\()<([A-Za-z_][\w:.-]*)>")
_HAYAGRIVA = (".yml", ".yaml")
_MOST_FILES = 200


class TypstReader(TextDocumentReader):
    """Reader for ``.typ`` files."""

    suffixes = frozenset((".typ",))
    format = "a Typst document"

    def read_document(self, path: str, data: bytes, around: Surroundings) -> Bibliography:
        """Return the entries that a document cites. Raise UnreadableDocumentError if it names no bibliography."""
        notes = [*decode_bytes(data)[1]]
        citations, names, labels = Citations(), list[str](), set[str]()
        glued = Citations()  # to a word, as in an address (a@b.org): citations if there is such an entry
        for place, text in _parts(path, data, around, notes):
            lines = LineIndex(text)
            labels.update(match[1] for match in _LABEL.finditer(text))
            for match in _BIBLIOGRAPHY.finditer(text):
                folder = posixpath.dirname(posixpath.relpath(place, posixpath.dirname(path) or "."))
                for name in _STRING.findall(_NAMED.sub("", match[1])):
                    names.append(
                        name.lstrip("/") if name.startswith("/") else posixpath.normpath(posixpath.join(folder, name))
                    )
            for match in _KEY.finditer(text):
                line = lines.line(match.start())
                key = match["key"] or match["argument"] or match["label"]
                (glued if match["glued"] is not None else citations).add(key, Location(place, line, line))
        if not names:
            raise UnreadableDocumentError(f"{path} has no #bibliography")
        sources, absent = _sources(path, names, around)
        if not sources:
            raise UnreadableDocumentError(f"{path} names {', '.join(absent)}")
        known = {reference.key for one in sources for reference in one.references}
        for key in known & glued.places.keys():
            citations.add(key, glued.places[key])
        for key in [key for key in citations.places if key not in known and key in labels]:
            del citations.places[key]  # a cross-reference to a figure or section
        return select_cited(path, citations, sources, everything=around.everything, absent=absent, notes=notes)


TYPST = TypstReader()


def _sources(path: str, names: Sequence[str], around: Surroundings) -> tuple[list[Bibliography], list[str]]:
    """Return the bibliographies with these names, and the names that cannot be read."""
    home = posixpath.dirname(path)
    sources, absent = named_sources(around.files, [one for one in names if not one.endswith(_HAYAGRIVA)], home)
    for name in dict.fromkeys(one for one in names if one.endswith(_HAYAGRIVA)):
        found, shown = around.files.read(name), posixpath.normpath(posixpath.join(home, name))
        if found is None:
            absent.append(around.files.absence(name))
        else:
            sources.append(Bibliography(shown, tuple(hayagriva_references(shown, found))))
    return sources, absent


def _parts(path: str, data: bytes, around: Surroundings, notes: list[Defect]) -> Iterator[tuple[str, str]]:
    """Yield the document and the files that it includes, with code and comments blanked out. notes: get one for others."""
    home = posixpath.dirname(path)
    pending, seen = [("", data)], {""}
    while pending:
        name, content = pending.pop()
        text = _without_code_and_comments(text_of(content)[0])
        yield (posixpath.normpath(posixpath.join(home, name)) if name else path), text
        for match in _INCLUDE.finditer(text):
            included = posixpath.normpath(posixpath.join(posixpath.dirname(name), match[1].lstrip("/")))
            if included not in seen and len(seen) < _MOST_FILES:
                seen.add(included)
                if (found := around.files.read(included)) is not None:
                    pending.append((included, found))
                else:
                    notes.append(not_followed(around.files.absence(included)))


class _Modes:
    """Brackets that are open at a place: their closing signs, and True for code. A statement ends with its line."""

    def __init__(self) -> None:
        self.open: list[tuple[str, bool]] = [("", False)]
        self.called = -1  # where the brackets of a call in markup begin

    @property
    def code(self) -> bool:
        """True within code, where quotes begin strings."""
        return self.open[-1][1]

    def pass_sign(self, sign: str, place: int) -> None:
        """Open or close brackets."""
        if sign in _CLOSING:
            code = sign != "[" and (self.code or place == self.called)
            if code or sign == "[":
                self.open.append((_CLOSING[sign], code))
            return
        if self.open[-1][0] == "\n" and sign in "\n;]})":
            self.open.pop()
        if sign == self.open[-1][0]:
            self.open.pop()


def _without_code_and_comments(text: str) -> str:
    """Blank out comments, raw text, escapes and addresses, and ``@`` in strings of code, preserving offsets."""
    parts, position, modes, place = list[str](), 0, _Modes(), 0
    while (token := _TOKEN.search(text, place)) is not None:
        place, blank = token.end(), ""
        kind = token.lastgroup
        if kind == "sign":
            modes.pass_sign(token[0], token.start())
            if token[0] in ")}" and not modes.code:
                modes.called = _end_of_name(text, place)
        elif kind == "statement":
            modes.open.append(("\n", True))
        elif kind == "quote":
            found = _QUOTED.match(text, token.start()) if modes.code or token.start() == modes.called else None
            place = found.end() if found else place
            blank = found[0].replace("@", " ") if found else ""
        elif kind is None:  # an expression in markup
            modes.called = _end_of_name(text, place)
        else:
            place = _end_of_block(text, token)
            blank = spaces(text[token.start() : place])
        if blank:
            parts += [text[position : token.start()], blank]
            position = place
    return "".join([*parts, text[position:]])


def _end_of_name(text: str, place: int) -> int:
    match = _CALLED.match(text, place)
    return match.end() if match else place


def _end_of_block(text: str, token: re.Match[str]) -> int:
    """Return the end of raw text or a comment; an unclosed comment takes in the rest of the text."""
    if token["ticks"]:
        end = text.find(token["ticks"], token.end())
        return end + len(token["ticks"]) if end >= 0 else len(text)
    if not token["block"]:
        return token.end()
    depth = 1
    for mark in _COMMENT_MARK.finditer(text, token.end()):
        depth += 1 if mark[0] == "/*" else -1
        if depth == 0:
            return mark.end()
    return len(text)
