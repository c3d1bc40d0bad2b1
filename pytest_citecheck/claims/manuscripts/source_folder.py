"""The texts of cited sources in a folder: ``KEY.txt``, ``KEY.md``, ``KEY.html`` or ``KEY.pdf`` (with pypdf installed)."""

from __future__ import annotations

import importlib
import importlib.util
import io
import re
from html.parser import HTMLParser
from pathlib import Path

from pytest_citecheck.claims.safety import LONGEST_SOURCE
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["ABSTRACT", "SourceFolder", "file_name", "html_text", "pdf_text"]

ABSTRACT = ".abstract.txt"
"""The ending of a file that holds the abstract of a source only."""

_SUFFIXES = (".txt", ".md", ".html", ".htm", ".pdf", ABSTRACT)
_LARGEST = 20_000_000  # bytes of a file
_UNSAFE = lazy_pattern(r'[\\/:*?"<>|\x00-\x1f]')
_SILENT = frozenset({"script", "style", "template", "noscript", "svg", "head"})
_BLOCKS = frozenset(
    {
        "p",
        "div",
        "br",
        "li",
        "ul",
        "ol",
        "tr",
        "table",
        "section",
        "article",
        "header",
        "footer",
        "blockquote",
        "pre",
        "figure",
    }
    | {f"h{level}" for level in range(1, 7)}
)


def file_name(key: str) -> str:
    """The key as the name of a file."""
    return _UNSAFE.sub("_", key)


class SourceFolder:
    """Finds the text of a source by its key. Colons and slashes in a key are ``_`` in a file name."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def text(self, key: str) -> tuple[str, str, str]:
        """The text, the name of its file, and why there is none."""
        names = dict.fromkeys((key, file_name(key)))
        safe = [name for name in names if not _UNSAFE.search(name) and name.strip(".")]
        for name in safe:
            for suffix in _SUFFIXES:
                file = self.path / f"{name}{suffix}"
                if file.is_file():
                    return self._read(file)
        wanted = f"{self.path.name}/{safe[0] if safe else '…'}"
        return "", "", f"there is no {wanted}.txt, .html or .pdf (citecheck claims sources fetches abstracts)"

    def _read(self, file: Path) -> tuple[str, str, str]:
        name = f"{self.path.name}/{file.name}"
        try:
            if file.stat().st_size > _LARGEST:
                return "", name, f"{name} is larger than {_LARGEST // 1_000_000} MB"
            if file.suffix == ".pdf":
                return _pdf_text(file, name)
            text = file.read_bytes().decode("utf-8-sig", "replace")
        except OSError as error:
            return "", name, f"{name} cannot be read: {error.strerror or error}"
        if file.suffix in (".html", ".htm"):
            text = html_text(text)
        return text, name, "" if text.strip() else f"{name} contains no text"


def _pdf_text(file: Path, name: str) -> tuple[str, str, str]:
    if importlib.util.find_spec("pypdf") is None:  # not a dependency
        return "", name, f"{name} cannot be read without pypdf; install it, or save the text as {file.stem}.txt"
    try:
        text = pdf_text(file.read_bytes())
    except ValueError as error:
        return "", name, f"{name} {error}"
    return text, name, "" if text.strip() else f"{name} contains no text (scanned pages?)"


def pdf_text(data: bytes) -> str:
    """The text of a PDF, without hyphens at the ends of lines. Raises ValueError, which says why there is none."""
    if importlib.util.find_spec("pypdf") is None:  # not a dependency
        raise ValueError("is a PDF, which cannot be read without pypdf")
    parts: list[str] = []
    try:
        for page in importlib.import_module("pypdf").PdfReader(io.BytesIO(data)).pages:
            parts.append(page.extract_text() or "")
            if sum(map(len, parts)) > 2 * LONGEST_SOURCE:
                break
    except Exception as error:
        raise ValueError(f"is not a readable PDF: {type(error).__name__}") from error
    return re.sub(r"(?<=\w)-\n(?=[a-z])", "", "\n".join(parts))


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002 - called so by its base
        self._silent += tag in _SILENT
        if tag in _BLOCKS:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        self._silent -= tag in _SILENT and self._silent > 0
        if tag in _BLOCKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.parts.append(data)


def html_text(page: str) -> str:
    """What a reader sees of a page, a block on each line."""
    parser = _Text()
    parser.feed(page)
    parser.close()
    lines = (" ".join(line.split()) for line in "".join(parser.parts).split("\n"))
    return "\n".join(line for line in lines if line)
