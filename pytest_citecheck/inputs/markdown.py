"""Reader for Markdown, Quarto and R Markdown: entries of the header's ``bibliography`` cited with ``[@key]``, or a final list.

The header and the citations follow pandoc (user's guide, "Citations" and "Metadata variables").
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Any

from pytest_citecheck.inputs.base import Bibliography, FileReader, LineIndex, decode_bytes, text_of
from pytest_citecheck.inputs.bibtex.reader import read_bibtex
from pytest_citecheck.inputs.budget import lazy_pattern
from pytest_citecheck.inputs.citation_files import loaded_yaml
from pytest_citecheck.inputs.citations import (
    MARKDOWN_CITATION,
    Citations,
    blanked_markdown,
    demand_citations,
    keys_of,
    named_sources,
    select_cited,
)
from pytest_citecheck.inputs.documents import Files, Surroundings, TextDocumentReader, UnreadableDocumentError
from pytest_citecheck.inputs.exchange import csl_reference, identifier_lines, is_csl_item
from pytest_citecheck.inputs.notebooks import prose_references
from pytest_citecheck.inputs.plain.references import read_list
from pytest_citecheck.inputs.restructured_text import cited_keys, with_cited
from pytest_citecheck.model import Defect, Location, Reference

_HEADER = lazy_pattern(r"\A---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_LONGEST_HEADER = 500_000
_PROJECT = ("_quarto.yml", "_quarto.yaml", "_bookdown.yml", "_metadata.yml")
# Quarto and pandoc-crossref use the same sign for cross-references.
_CROSS_REFERENCE = lazy_pattern(r"(?:fig|tbl|tab|sec|eq|lst|thm|lem|cor|prp|cnj|def|exm|exr|alg|rem|sol|nte|tip)[-:]")
_DIVISION = lazy_pattern(r"^[ \t]*+(?:</?div\b[^>\n]*>|:{3,}[^\n]*)[ \t]*$", re.IGNORECASE | re.MULTILINE)
"""A line with a tag or a fence around a list or an item, which says nothing itself."""
_KEY = lazy_pattern(r"@(\*|[\w:.#$%&+?<>~/-]*\w)")


class MarkdownReader(TextDocumentReader):
    """Reader for ``.md``, ``.qmd`` and ``.Rmd`` files; see `read_document`."""

    suffixes = frozenset((".md", ".qmd", ".rmd", ".markdown"))
    format = "a Markdown document"

    def read_document(self, path: str, data: bytes, around: Surroundings) -> Bibliography:
        """Return the references that a document cites, or its list if it has no bibliography. Raise UnreadableDocumentError."""
        text, notes = text_of(data)
        header = _header(text)
        names = _names(header) or _project_names(around.files)
        inline = _inline(header, path)
        folder = posixpath.dirname(path)
        if not names and not inline and around.project:
            return _page(path, text, notes, around)
        if not names and not inline:
            listed, more = read_list(path, _DIVISION.sub("", text).split("\n"), whole=False)
            if any(one.fields for one in listed):
                return Bibliography(path, tuple(listed), (*notes, *more))
            if not (names := [*around.given]):
                why = "has no `bibliography` in its header and no list of references under a heading"
                raise UnreadableDocumentError(f"{path} {why}")
        sources, absent = named_sources(around.files, names, folder)
        if inline:
            sources.append(Bibliography(path, tuple(inline)))
        known = {reference.key for one in sources for reference in one.references}
        citations = _citations(path, text, header, known)
        demand_citations(path, citations, sources, absent, everything=around.everything)
        return select_cited(path, citations, sources, everything=around.everything, absent=absent, notes=notes)


MARKDOWN = MarkdownReader()


def _page(path: str, text: str, notes: tuple[Defect, ...], around: Surroundings) -> Bibliography:
    """Return the references of a page of documentation: its list, its identifiers, and the entries that its roles cite."""
    lines = list(enumerate(text.split("\n"), start=1))
    own = prose_references(path, lines)
    return with_cited(path, cited_keys(lines, path), own, around, "contains no reference", notes)


def _header(text: str) -> Mapping[str, Any]:
    match = _HEADER.match(text[:_LONGEST_HEADER])
    return _loaded(match[1]) if match else {}


def _loaded(text: str) -> Mapping[str, Any]:
    try:
        loaded = loaded_yaml(text.replace("&", "＆"))  # an anchor may repeat its content endlessly
    except ValueError:
        return {}
    return loaded if isinstance(loaded, dict) else {}


def _names(header: Mapping[str, Any]) -> list[str]:
    """Return the files of ``bibliography``: a name, a list of names, or names by topic."""
    value = header.get("bibliography")
    values = [*value.values()] if isinstance(value, dict) else value if isinstance(value, list) else [value]
    return [one.strip() for one in values if isinstance(one, str) and one.strip()]


def _project_names(files: Files) -> list[str]:
    for name in _PROJECT:
        data = files.read(name)
        if data is not None and (found := _names(_loaded(decode_bytes(data[:_LONGEST_HEADER])[0]))):
            return found
    return []


def _inline(header: Mapping[str, Any], path: str) -> list[Reference]:
    """Return the CSL entries in the header."""
    items = header.get("references")
    return [
        csl_reference(item, Location(path, 1, 1), number)
        for number, item in enumerate(items if isinstance(items, list) else (), start=1)
        if isinstance(item, dict) and is_csl_item(item)
    ]


def _citations(path: str, text: str, header: Mapping[str, Any], known: set[str]) -> Citations:
    citations = Citations()
    said = blanked_markdown(text)
    lines = LineIndex(text)
    for match in MARKDOWN_CITATION.finditer(said):
        line = lines.line(match.start())
        for key in keys_of(match):
            if key in known or not _CROSS_REFERENCE.match(key):
                citations.add(key, Location(path, line, line))
    for key in _nocite(header):
        citations.add(key, Location(path, 1, 1))
    return citations


def _nocite(header: Mapping[str, Any]) -> Iterator[str]:
    value = header.get("nocite")
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, str):
            yield from _KEY.findall(one)


_BIBTEX = lazy_pattern(
    r"^[ \t]*@(?:article|inproceedings|incollection|inbook|book|misc|online|phdthesis|mastersthesis"
    r"|techreport)[ \t]*[{(][^\s,]*,",
    re.IGNORECASE | re.MULTILINE,
)
TELLING = (
    ("author", "title"),
    ("author", "journal", "volume", "pages"),
    *((name,) for name in ("doi", "eprint", "url", "isbn", "pmid", "pmcid")),
)
"""Groups of fields, each enough to identify the cited work."""


class PlainTextReader(FileReader):
    """Reader for ``.txt`` files; see `read_document`."""

    suffixes = frozenset((".txt", ".text", ".lst", ".ids"))
    format = "a list of references or identifiers"

    def reads(self, head: bytes) -> bool:
        """Accept any text."""
        return b"\0" not in head[:1024] or head[:2] in (b"\xff\xfe", b"\xfe\xff")

    def read(self, path: str, data: bytes) -> Bibliography:
        """Return the identifiers, one per line, or the list items (of the reference section, if there is one)."""
        text, notes = text_of(data)
        if _BIBTEX.search(text) and (entries := read_bibtex(path, data)).references:
            return entries
        references = identifier_lines(path, text)
        if references is None:
            references, more = read_list(path, text.split("\n"), whole=True)
            notes = (*notes, *more)
        return Bibliography(path, tuple(references), notes)

    def read_document(self, path: str, data: bytes, around: Surroundings) -> Bibliography:  # noqa: ARG002
        """Read a whole file. Raise UnreadableDocumentError if it has no reference, or only prose that mentions a year."""
        read = self.read(path, data)
        if not any(_tells_a_work(reference) for reference in read.references):
            raise UnreadableDocumentError(
                f"{path} contains no reference: no line or paragraph has people, a title and a year, or an identifier"
            )
        return read


def _tells_a_work(reference: Reference) -> bool:
    fields = reference.fields
    return any(all(name in fields for name in names) for names in TELLING)


PLAIN_TEXT = PlainTextReader()
