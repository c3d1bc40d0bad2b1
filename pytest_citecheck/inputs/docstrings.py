"""Reader for Python files: references in docstrings and identifiers in comments.

A file is parsed with `ast` and never imported. A file that does not parse, or a Cython file, is read as text.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pytest_citecheck.inputs.base import Bibliography, text_of, unify_line_ends, with_unique_keys
from pytest_citecheck.inputs.budget import lazy_pattern
from pytest_citecheck.inputs.citations import Citations
from pytest_citecheck.inputs.documents import Surroundings, TextDocumentReader, may_refer
from pytest_citecheck.inputs.restructured_text import (
    Text,
    cited_keys,
    placed_references,
    read_text,
    referring,
    unlinked,
    with_cited,
)
from pytest_citecheck.model import Defect, Reference

_HINT = lazy_pattern(r"references?\b|bibliography|literature|\.\. ?\[|\]_|\b10\.\d|doi|arxiv|pmid|cite", re.IGNORECASE)
"""A sign of a reference in a docstring; most have none and are not read line by line."""
_LARGEST = 20_000_000
_OWNERS = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True)
class Docstring:
    """A docstring: the qualified name of its object (empty for a module) and its numbered lines without indentation."""

    name: str
    lines: tuple[tuple[int, str], ...]


class DocstringReader(TextDocumentReader):
    """Reader for ``.py``, ``.pyi`` and ``.pyx`` files."""

    suffixes = frozenset((".py", ".pyi", ".pyx"))
    format = "a Python file"

    def read_document(self, path: str, data: bytes, around: Surroundings) -> Bibliography:
        """Return the references in the docstrings and comments of a file. Raise UnreadableDocumentError if it has none."""
        references: list[Reference] = []
        findings: list[Reference] = []
        citations = Citations()
        notes: tuple[Defect, ...] = ()
        if len(data) <= _LARGEST and may_refer(data):
            source, notes = _decoded(data)
            found, why = docstrings_of(source, parsed=not path.lower().endswith(".pyx"))
            if why:
                notes = (*notes, Defect("unparsed", f"{path} is read as text: {why}", 1, note=True))
            lines = source.split("\n")
            for docstring in found:
                if not _HINT.search("\n".join(line for _, line in docstring.lines)):
                    continue
                text = read_text(docstring.lines)
                prefix = f"{docstring.name}::" if docstring.name else ""
                references += placed_references(path, text, prefix, lines)
                findings += unlinked(path, text, prefix)
                for key, place in cited_keys(docstring.lines, path).places.items():
                    citations.add(key, place)
            within = {number for one in found for number, _ in one.lines}
            comments = Text(others=list(_comments(lines, within)))
            known = {value.lower() for one in references for value in one.fields.values()}
            mentioned = placed_references(path, comments, columns=lines)
            references += [one for one in mentioned if not {value.lower() for value in one.fields.values()} & known]
        nothing = "contains no reference in its docstrings and comments"
        read = with_cited(path, citations, with_unique_keys(references), around, nothing, notes)
        return replace(read, unlinked=tuple(findings))


DOCSTRINGS = DocstringReader()


def _decoded(data: bytes) -> tuple[str, tuple[Defect, ...]]:
    """Decode a file by its coding cookie, else as any text."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return unify_line_ends(data.decode(encoding)), ()
    except (SyntaxError, UnicodeDecodeError, LookupError):
        return text_of(data)


def docstrings_of(source: str, *, parsed: bool = True) -> tuple[list[Docstring], str]:
    """Return the docstrings of a file in order. The text explains why it could not be parsed, or is empty."""
    why = ""
    if parsed:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(source)
            lines = source.split("\n")
            return [Docstring(name, _numbered(node, lines)) for name, node in _constants(tree)], ""
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            line = getattr(error, "lineno", None)
            why = f"{getattr(error, 'msg', '') or 'it cannot be parsed'}{f' (line {line})' if line else ''}"
    return list(_in_text(source)), why


def _constants(tree: ast.Module) -> Iterator[tuple[str, ast.Constant]]:
    """Yield the docstrings of the module, its classes, functions and attributes, with their qualified names."""
    pending: list[tuple[str, ast.AST]] = [("", tree)]
    found: list[tuple[str, ast.Constant]] = []
    while pending:
        name, node = pending.pop()
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            body = getattr(node, field, None)
            if not isinstance(body, list):
                continue
            before: ast.AST | None = None
            for place, child in enumerate(body):
                value = child.value if isinstance(child, ast.Expr) else None
                if isinstance(value, ast.Constant) and isinstance(value.value, str):
                    if place == 0 and field == "body" and isinstance(node, (ast.Module, *_OWNERS)):
                        found.append((name, value))
                    elif attribute := _attribute(before):
                        found.append((f"{name}.{attribute}" if name else attribute, value))
                elif isinstance(child, _OWNERS):
                    pending.append((f"{name}.{child.name}" if name else child.name, child))
                else:
                    pending.append((name, child))
                before = child
    yield from sorted(found, key=lambda one: (one[1].lineno, one[1].col_offset))


def _attribute(node: ast.AST | None) -> str:
    """Return the name that a statement assigns, or an empty string."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return targets[0].id if len(targets) == 1 and isinstance(targets[0], ast.Name) else ""


def _numbered(node: ast.Constant, source: Sequence[str]) -> tuple[tuple[int, str], ...]:
    """Return the lines of a literal with their numbers in the file."""
    assert isinstance(node.value, str)  # noqa: S101 - see _constants
    texts = node.value.split("\n")
    first, last = node.lineno, node.end_lineno or node.lineno
    if len(texts) == last - first + 1:
        return _dedented([(first + place, text) for place, text in enumerate(texts)])
    numbered, at = [], first  # escapes, or several literals: lines are found by their text
    for text in texts:
        bare = re.split(r"[\"'\\]", text.strip(), maxsplit=1)[0][:40]  # the rest may be written with escapes
        if bare:
            at = next((number for number in range(at, last + 1) if bare in source[number - 1]), at)
        numbered.append((at, text))
    return _dedented(numbered)


def _dedented(lines: Sequence[tuple[int, str]]) -> tuple[tuple[int, str], ...]:
    """Remove common indentation as `inspect.cleandoc` does; its first line counts separately."""
    expanded = [(number, text.expandtabs()) for number, text in lines]
    margin = min((len(text) - len(text.lstrip()) for _, text in expanded[1:] if text.strip()), default=0)
    head = [(number, text.lstrip()) for number, text in expanded[:1]]
    return (*head, *((number, text[margin:].rstrip()) for number, text in expanded[1:]))


_BEGINS = lazy_pattern(
    r"([ \t]*+)(?:(?:async|cdef|cpdef)[ \t]++){0,3}(?:class|def|cdef|cpdef)\b[^(:=]{0,200}?(\w{1,200})[ \t]*+[(:]"
)
_OPENS = lazy_pattern(r"[ \t]*[rRuUbB]{0,2}(\"\"\"|''')")


def _in_text(source: str) -> Iterator[Docstring]:
    """Yield the triple-quoted strings that begin a line, with the name of the last object with less indentation."""
    owners: list[tuple[int, str]] = []
    lines = source.split("\n")
    place = 0
    while place < len(lines):
        line = lines[place]
        if match := _BEGINS.match(line):
            owners = [one for one in owners if one[0] < len(match[1])] + [(len(match[1]), match[2])]
        opens = _OPENS.match(line)
        if opens is None:
            place += 1
            continue
        indent = len(line) - len(line.lstrip())
        name = ".".join(name for depth, name in owners if depth < indent)
        body = [(place + 1, line[opens.end() :])]
        while opens[1] not in body[-1][1] and place + 1 < len(lines):
            place += 1
            body.append((place + 1, lines[place]))
        number, last = body[-1]
        body[-1] = (number, last.partition(opens[1])[0])
        yield Docstring(name, _dedented(body))
        place += 1


def _comments(lines: Sequence[str], within: set[int]) -> Iterator[tuple[int, str]]:
    """Yield the comments that may contain an identifier, outside docstrings."""
    for number, line in enumerate(lines, start=1):
        if "#" not in line or number in within or len(line) > 2000 or not any(referring(line.partition("#")[2])):
            continue
        try:
            tokens = list(tokenize.generate_tokens(io.StringIO(line.lstrip()).readline))
        except (tokenize.TokenError, SyntaxError):
            tokens = []
        comment = next((token.string for token in tokens if token.type == tokenize.COMMENT), "")
        if comment or line.lstrip().startswith("#"):
            yield number, comment or line
