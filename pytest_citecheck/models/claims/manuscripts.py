r"""The sentences with citations in a manuscript: ``\cite{key}`` and its kin in LaTeX, ``[@key]`` and ``@key`` in Markdown."""

from __future__ import annotations

import importlib
import importlib.util
import io
import re
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

from pytest_citecheck.inputs.citations import (
    LATEX_CITATION,
    MARKDOWN_CITATION,
    blanked_latex,
    blanked_markdown,
    keys_of,
    spaces,
)
from pytest_citecheck.matching.text import decode, lazy_pattern
from pytest_citecheck.models.claims.pairs import LONGEST_SOURCE, ClaimFile, ClaimPair

__all__ = ["ABSTRACT", "SourceFolder", "file_name", "html_text", "pdf_text", "read_manuscript"]


# The texts of cited sources in a folder: ``KEY.txt``, ``KEY.md``, ``KEY.html`` or ``KEY.pdf`` (with pypdf installed).


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


_SHORTEST = 10  # characters of a sentence that says something

# Citations that are part of the sentence, as its subject or object.
_TEXTUAL = lazy_pattern(r"\\(?:citet|Citet|citeauthor|Citeauthor|textcite|Textcite|newcite)")
_AUTHORS = "the authors"

_VERBATIM = (r"verbatim\*?", "lstlisting", "comment", "thebibliography", r"equation\*?", r"align\*?", "minted")
_PREAMBLE = lazy_pattern(r"\A.*?\\begin\{document\}", re.DOTALL)
_BREAKS = lazy_pattern(
    r"\n[ \t]*\n|\\(?:par|item|section|subsection|subsubsection|paragraph|chapter|begin|end|caption|title|maketitle)\b"
    r"(?:\*?(?:\[[^\]]*\])?\{(?:[^{}]|\{[^{}]*\})*\})?|^[ \t]*(?:[-*+]|\d+\.|\#{1,6}|>)[ \t]+",
    re.MULTILINE,
)
_END = lazy_pattern(r"(?P<mark>[.!?]['\"”’)]*)(?=\s|\Z|\\|\[)")
_ABBREVIATIONS = lazy_pattern(
    r"(?:\b(?:e\.g|i\.e|cf|vs|al|etc|fig|figs|eq|eqs|sec|ch|no|nos|vol|pp|approx|resp|ca|dr|prof|mr|mrs|st|ref|refs)|\b[A-Z])\.\Z",
    re.IGNORECASE,
)


def read_manuscript(text: str, where: str, suffix: str, sources: SourceFolder) -> ClaimFile:
    """One pair for each citation of each key, in the order of the text."""
    latex = suffix == ".tex"
    blanked = _blanked(text, latex=latex)
    times: Counter[str] = Counter()
    pairs = []
    known: dict[str, tuple[str, str, str]] = {}
    for start, end in _sentences(blanked, latex=latex):
        for place, key in _keys(blanked, start, end, latex=latex):
            times[key] += 1
            claim = _plain(blanked[start:end], latex=latex)
            source, name, problem = known.setdefault(key, sources.text(key))
            if len(claim) < _SHORTEST:
                problem = "the sentence is too short"
            pairs.append(
                ClaimPair(
                    id=key if times[key] == 1 else f"{key}~{times[key]}",
                    claim=claim,
                    source=source,
                    version="manuscript",
                    unfit=problem,
                    cites=key,
                    path=where,
                    line=text.count("\n", 0, place) + 1,
                    source_name=name,
                    abstract=name.endswith(ABSTRACT),
                )
            )
    return ClaimFile(where, tuple(pairs))


def _blanked(text: str, *, latex: bool) -> str:
    """The text with spaces where nothing is said: places stay as they are."""
    if not latex:
        return blanked_markdown(text)
    return _PREAMBLE.sub(lambda match: spaces(match[0]), blanked_latex(text, _VERBATIM))


def _sentences(text: str, *, latex: bool) -> Iterator[tuple[int, int]]:
    start = 0
    for part in (*_BREAKS.finditer(text), None):
        stop = part.start() if part else len(text)
        yield from _within(text, start, stop, latex=latex)
        start = part.end() if part else stop


def _within(text: str, start: int, stop: int, *, latex: bool) -> Iterator[tuple[int, int]]:
    """The sentences of one paragraph. A citation right after a full stop belongs to the sentence before it."""
    position = start
    while position < stop:
        end = stop
        for mark in _END.finditer(text, position, stop):
            if _ABBREVIATIONS.search(text, max(position, mark.start() - 10), mark.start() + 1):
                continue
            end = mark.end()
            pattern = LATEX_CITATION if latex else MARKDOWN_CITATION
            after = re.compile(r"[\s~]*").match(text, end, stop)
            follows = pattern.match(text, after.end(), stop) if after else None
            while follows is not None and _stands_alone(text, follows.end(), stop, latex=latex, match=follows):
                end = follows.end()
                after = re.compile(r"[\s~]*").match(text, end, stop)
                follows = pattern.match(text, after.end(), stop) if after else None
            break
        yield position, end
        position = end


def _stands_alone(text: str, end: int, stop: int, *, latex: bool, match: re.Match[str]) -> bool:
    """Return True if a citation behind a full stop begins no sentence of its own: a capital letter, or the end, follows."""
    if latex and _TEXTUAL.match(match[0]):
        return False
    if not latex and match["group"] is None:
        return False
    rest = text[end:stop].lstrip(" \t\n~")
    return not rest or rest[0].isupper() or rest[0] in "\\[(“\"'."


def _keys(text: str, start: int, end: int, *, latex: bool) -> Iterator[tuple[int, str]]:
    """Each key that is cited there, once, with its place."""
    seen: set[str] = set()
    for match in (LATEX_CITATION if latex else MARKDOWN_CITATION).finditer(text, start, end):
        for key in keys_of(match):
            if key not in seen and key != "*":
                seen.add(key)
                yield match.start(), key


def _plain(sentence: str, *, latex: bool) -> str:
    """The words of a sentence without its citations and markup."""
    if latex:
        bare = LATEX_CITATION.sub(lambda match: _AUTHORS if _TEXTUAL.match(match[0]) else "", sentence)
        bare = re.sub(r"\\(?:label|ref|autoref|cref|footnotemark|index)\*?\{[^{}]*\}", "", bare)
        bare = decode(bare.replace("~", " "))
    else:
        bare = MARKDOWN_CITATION.sub(lambda match: "" if match["group"] is not None else _AUTHORS, sentence)
        bare = re.sub(r"!?\[([^\[\]]*)\]\([^()]*\)", r"\1", bare)
        bare = re.sub(r"(\*\*|__|(?<!\w)[*_]|[*_](?!\w))", "", bare)
    return re.sub(r" ([.,;:!?)])", r"\1", " ".join(bare.split())).strip(" ,;")
