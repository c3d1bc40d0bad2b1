"""The texts of cited sources: files in a folder, pages and PDFs, decoded to what a reader sees."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from types import MappingProxyType

from pytest_citecheck.confinement import outside, within
from pytest_citecheck.inputs import UnreadableDocumentError, body_lines, decode_bytes, pages_of
from pytest_citecheck.matching import lazy_pattern
from pytest_citecheck.models.claims.usable import unusable

ABSTRACT = ".abstract.txt"
"""The ending of a file that holds the abstract of a source only."""

_SUFFIXES = (".txt", ".md", ".html", ".htm", ".pdf", ABSTRACT)
_LARGEST = 50_000_000  # bytes of a file
_PARAGRAPH = 1.9  # heights of a line between two paragraphs
_CHINESE = 0.9  # share of foreign bytes beside another one, in a text in a Chinese encoding
_UNSAFE = lazy_pattern(r'[\\/:*?"<>|\x00-\x1f]')
_LINES = dict.fromkeys(
    "p div br li ul ol tr table section article header footer blockquote pre figure h1 h2 h3 h4 h5 h6".split(),  # noqa: SIM905
    "\n",
)


def file_name(key: str) -> str:
    """The key as the name of a file."""
    return _UNSAFE.sub("_", key)


class SourceFolder:
    """Finds the text of a source by its key. Colons and slashes in a key are ``_`` in a file name.

    allowed: further folders that links in it may lead to; without any, the folder itself may be a link.
    """

    def __init__(self, path: Path, allowed: Iterable[Path] = ()) -> None:
        self.path = path
        self._allowed = [*allowed] or [path]

    def text(self, key: str) -> tuple[str, str, str]:
        """The text, the name of its file, and why there is none."""
        names = dict.fromkeys((key, file_name(key)))
        safe = [name for name in names if not _UNSAFE.search(name) and name.strip(".")]
        for name in safe:
            for suffix in _SUFFIXES:
                file = self.path / f"{name}{suffix}"
                if file.is_file():
                    refused = within(file, self._allowed) is None
                    return ("", "", f"{file.name} {outside('--citecheck-root')}") if refused else self._read(file)
        wanted = f"{self.path.name}/{safe[0] if safe else '…'}"
        return "", "", f"there is no {wanted}.txt, .html or .pdf (citecheck claims sources fetches texts)"

    def _read(self, file: Path) -> tuple[str, str, str]:
        name = f"{self.path.name}/{file.name}"
        try:
            if file.stat().st_size > _LARGEST:
                return "", name, f"{name} is larger than {_LARGEST // 1_000_000} MB"
            data = file.read_bytes()
        except OSError as error:
            return "", name, f"{name} cannot be read: {error.strerror or error}"
        if file.suffix == ".pdf":
            try:
                text = pdf_text(data, name)
            except ValueError as error:
                return "", name, str(error)
            return text, name, "" if text.strip() else f"{name} contains no text (scanned pages?)"
        text = html_text(decoded_page(data)) if file.suffix in (".html", ".htm") else decoded_text(data)
        if not text.strip():
            return text, name, f"{name} contains no text"
        problem = unusable(text)  # a short text may be one that a person wrote down
        return text, name, "" if not problem or "almost no text" in problem else f"{name} is no source: {problem}"


def pdf_text(data: bytes, name: str = "the PDF") -> str:
    """The text of a PDF, a paragraph on each line. Raises ValueError, which says why there is none."""
    try:
        lines = body_lines(pages_of(name, data))
    except UnreadableDocumentError as error:
        raise ValueError(str(error)) from error
    parts: list[str] = []
    for before, line in zip((None, *lines), lines, strict=False):
        text = line.text.strip()
        gap = before is not None and before.page == line.page and before.bottom - line.bottom > _PARAGRAPH * line.height
        if parts and parts[-1].endswith("\u00ad"):
            parts[-1] = parts[-1][:-1] + text
        elif parts and not gap:
            hyphened = parts[-1][-1:] == "-" and parts[-1][-2:-1].isalpha() and text[:1].islower()
            parts[-1] = parts[-1][:-1] + text if hyphened else f"{parts[-1]} {text}"
        else:
            parts.append(text)
    return "\n".join(parts)


_META = re.compile(
    rb"<meta[^<>]{0,200}?charset\s*+=\s*+[\"']?+\s*+([\w.:-]{2,40})|<\?xml[^<>]{0,100}?encoding\s*+=\s*+[\"']([\w.:-]{2,40})",
    re.IGNORECASE,
)
_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_WIDER = {
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "euc_kr": "cp949",
    "shift_jis": "cp932",
}
_FOREIGN = re.compile(rb"[\x80-\xff]++")


def decoded_page(data: bytes, charset: str = "") -> str:
    """A page as text. charset: that HTTP states; empty for none."""
    if data.startswith(_MARKS):
        return decoded_text(data)
    meta = _META.search(data[:8192])
    stated = [charset, (meta[1] or meta[2]).decode("ascii", "replace") if meta else ""]
    names = [name for label in stated if (name := _codec(label))]
    for name in (*names, "utf-8"):
        try:
            return data.decode(name)
        except (UnicodeDecodeError, LookupError):
            continue
    return data.decode(names[0], "replace") if names and names[0] != "utf-8" else decoded_text(data)


def _codec(name: str) -> str:
    """The encoding that browsers use for a name; empty for none that is known. UTF-16 is never stated in the bytes it encodes."""
    try:
        found = codecs.lookup(name.strip()).name if name else ""
    except (LookupError, ValueError):
        return ""
    return _WIDER.get(found, found)


def decoded_text(data: bytes) -> str:
    """A text that states no encoding: UTF-8 or UTF-16, else Chinese if all its foreign bytes come in pairs, else Windows-1252."""
    try:
        return data.decode("utf-8-sig") if b"\0" not in data[:1000] else decode_bytes(data)[0]
    except UnicodeDecodeError:
        pass
    runs = [len(match[0]) for match in _FOREIGN.finditer(data)]
    if sum(run for run in runs if run > 1) > _CHINESE * sum(runs) and not data.startswith(_MARKS):
        try:
            return data.decode("gb18030")
        except UnicodeDecodeError:
            pass
    return decode_bytes(data)[0]


SILENT = frozenset({"script", "style", "template", "noscript", "svg", "head"})
"""Elements whose text nobody reads."""

_EMPTY = frozenset("area base br col embed hr img input link meta source track wbr".split())  # noqa: SIM905
_DEEPEST = 400  # elements around one another; browsers stop at 512


@dataclass(eq=False, slots=True)
class Element:
    """One element. parts: texts and elements in their order."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    parts: list[str | Element] = field(default_factory=list)

    @property
    def classes(self) -> frozenset[str]:
        """Its classes."""
        return frozenset(self.attributes.get("class", "").split())

    def walk(self) -> Iterator[Element]:
        """This element and all within, in the order of the page."""
        left = [self]
        while left:
            element = left.pop()
            yield element
            left += [part for part in reversed(element.parts) if isinstance(part, Element)]

    def text(self, most: int | None = None, edges: Mapping[str, str] = MappingProxyType({"br": " "})) -> str:
        """Its visible text. most: stop as soon as there are this many characters. edges: text around elements, by tag."""
        found: list[str] = []
        left: list[str | Element] = [self]
        length = 0
        while left and (most is None or length <= most):
            part = left.pop()
            if isinstance(part, str):
                found.append(part)
                length += len(part)
            elif part.tag not in SILENT:
                edge = edges.get(part.tag, "")
                left += [edge, *reversed(part.parts), edge]
        return "".join(found)


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open = [Element("")]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].parts.append(element)
        if tag not in _EMPTY and len(self.open) < _DEEPEST:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        # One that was never opened ends nothing.
        for place in range(len(self.open) - 1, 0, -1):
            if self.open[place].tag == tag:
                del self.open[place:]
                return

    def handle_data(self, data: str) -> None:
        self.open[-1].parts.append(data)


def parse_page(page: str) -> Element:
    """The element around the whole page."""
    builder = _Builder()
    builder.feed(page)
    builder.close()
    return builder.open[0]


def html_text(page: str) -> str:
    """Visible text of a page, one block on each line."""
    lines = (" ".join(line.split()) for line in parse_page(page).text(edges=_LINES).split("\n"))
    return "\n".join(line for line in lines if line)
