"""Docstrings and reStructuredText with corrections written into them: only words of the reference change.

Line breaks, indentation, quotes and everything else stay byte for byte. A correction is refused unless the changed file reads as
intended and its code is the same.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from difflib import SequenceMatcher

from pytest_citecheck.fixing.corrected_values import TYPE, Correction, Edit
from pytest_citecheck.fixing.file_edits import FileBytes, FixedFile, RequestedEdits
from pytest_citecheck.inputs import DOCSTRINGS, RESTRUCTURED_TEXT
from pytest_citecheck.matching import fold, lazy_pattern
from pytest_citecheck.model import Reference

TEXT_SUFFIXES = DOCSTRINGS.suffixes | RESTRUCTURED_TEXT.suffixes
_WORD = lazy_pattern(r"[^\s]+")
_CLOSING = lazy_pattern(r"(?<![ \t])[ \t]*+(?:\"\"\"|'''|\"|')[ \t]*+\)?[ \t]*+$")
_ROLE = lazy_pattern(r":(doi):`", re.IGNORECASE)
_LONGEST_LINE = 79
_UNWRITABLE = lazy_pattern(r"[\"'\\`<>{}\n]")


def text_references(path: str, data: bytes) -> tuple[Reference, ...]:
    """Return the references of a Python or reStructuredText file; none if it has none."""
    from pytest_citecheck.inputs import UnreadableDocumentError  # noqa: PLC0415 - only to be caught

    reader = RESTRUCTURED_TEXT if path.lower().endswith(".rst") else DOCSTRINGS
    try:
        return reader.read(path, data).references
    except UnreadableDocumentError:
        return ()


def fixed_text_file(path: str, data: bytes, requested_edits: RequestedEdits) -> FixedFile:
    """Write corrections into the text of references. requested_edits: as for `fixing.file_edits.fixed_file`."""
    file = FileBytes(data)
    before = text_references(path, data)
    edits: dict[int, list[Edit]] = {}
    refused: dict[int, str] = {}
    for number, (reference, corrections) in requested_edits.items():
        try:
            edits[number] = _edits(file.text, reference, corrections)
        except ValueError as error:
            refused[number] = str(error)
    current = data
    kept: dict[int, list[Edit]] = {}
    for number in sorted(edits):
        trial = {**kept, number: edits[number]}
        replaced = file.replaced([edit for group in trial.values() for edit in group])
        if replaced is not None and _as_intended(path, data, replaced, before, number, requested_edits, kept):
            kept, current = trial, replaced
        else:
            refused[number] = "the correction cannot be written in this text"
    return FixedFile(current, tuple(kept), refused)


def _edits(text: str, reference: Reference, corrections: Sequence[Correction]) -> list[Edit]:
    start, end = _span(text, reference)
    edits: list[Edit] = []
    for one in corrections:
        if one.field in (TYPE, "archiveprefix"):
            continue
        if not one.value or (_UNWRITABLE.search(one.value) and one.field != "doi"):
            raise ValueError(f"`{one.field}` cannot be written in a text")
        old = reference.fields.get(one.field, "")
        write = _WRITERS.get(one.field, _whole_value)
        if not old and one.field == "doi":
            edits.append(_added_doi(text, start, end, one.value))
        elif not old:
            raise ValueError(f"a missing `{one.field}` cannot be added to a text")
        else:
            edits += write(text, start, end, old, one.value)
    if not edits:
        raise ValueError("nothing of the correction is part of the text")
    return edits


def _span(text: str, reference: Reference) -> tuple[int, int]:
    """Return the offsets of the lines of a reference, without the quotes that end a docstring."""
    starts = [0, *(match.end() for match in re.finditer(r"\r\n|\r|\n", text))]
    last = reference.location.end_line
    start = starts[reference.location.line - 1]
    end = starts[last] if last < len(starts) else len(text)
    end = start + len(text[start:end].rstrip("\r\n "))
    closing = _CLOSING.search(text, start, end)
    return start, closing.start() if closing else end


def _found(text: str, start: int, end: int, value: str) -> tuple[int, int]:
    """Return the offsets of a value, which may extend over lines. Raise ValueError unless it occurs once."""
    pattern = r"\s+".join(map(re.escape, value.split()))
    found = [match.span() for match in re.compile(rf"(?<!\w){pattern}(?!\w)", re.IGNORECASE).finditer(text, start, end)]
    if len(found) != 1:
        raise ValueError(f"“{value[:60]}” occurs {len(found)} times in the text of the reference")
    return found[0]


def _whole_value(text: str, start: int, end: int, old: str, new: str) -> list[Edit]:
    return [(*_found(text, start, end, old), new)]


def _title(text: str, start: int, end: int, old: str, new: str) -> list[Edit]:
    """Replace the words that differ; the line breaks stay."""
    first, last = _found(text, start, end, old)
    spans = [match.span() for match in _WORD.finditer(text, first, last)]
    words, better = [text[a:b] for a, b in spans], new.split()
    edits: list[Edit] = []
    matcher = SequenceMatcher(None, [_key(word) for word in words], [_key(word) for word in better], autojunk=False)
    for kind, i1, i2, j1, j2 in matcher.get_opcodes():
        if kind == "replace":
            edits.append((spans[i1][0], spans[i2 - 1][1], " ".join(better[j1:j2])))
        elif kind == "insert" and i1:
            edits.append((spans[i1 - 1][1], spans[i1 - 1][1], "".join(f" {word}" for word in better[j1:j2])))
        elif kind == "insert":
            edits.append((first, first, "".join(f"{word} " for word in better[j1:j2])))
        elif kind == "delete":
            edits.append((spans[i1 - 1][1] if i1 else first, spans[i2 - 1][1], ""))
    return edits


def _key(word: str) -> str:
    return re.sub(r"\W", "", fold(word)) or word


def _authors(text: str, start: int, end: int, old: str, new: str) -> list[Edit]:
    """Replace family names that differ, if the lists are equally long."""
    cited, found = ([name.partition(",") for name in names.split(" and ")] for names in (old, new))
    if len(cited) != len(found):
        raise ValueError("people are missing or added: a text gives them no places")
    edits = []
    for (family, comma, _), (better, _, _) in zip(cited, found, strict=True):
        if fold(family) != fold(better):
            if not comma:
                raise ValueError(f"the family name in “{family}” is not certain")
            edits.append((*_found(text, start, end, family), better.strip("{}")))
    return edits


_WRITERS: dict[str, Callable[[str, int, int, str, str], list[Edit]]] = {
    "title": _title,
    "author": _authors,
    "editor": _authors,
}


def _added_doi(text: str, start: int, end: int, doi: str) -> Edit:
    """Add a DOI at the end of a reference, in the form that the file uses most: a role, an address or ``doi:``."""
    roles = _ROLE.findall(text)
    addresses, plain = text.count("https://doi.org/10."), len(re.findall(r"(?i)\bdoi:\s?10\.", text))
    if roles and len(roles) >= max(addresses, plain):
        written = f":{max(roles, key=roles.count)}:`{doi}`"
    else:
        written = f"https://doi.org/{doi}" if addresses > plain else f"doi:{doi}"
    line = max(text.rfind("\n", 0, end), text.rfind("\r", 0, end)) + 1
    if end - line + 1 + len(written) <= _LONGEST_LINE:
        return end, end, f" {written}"
    head = text[line:end]
    indent = head[: len(head) - len(head.lstrip())]
    if line <= start:  # the first line of the reference: its further lines are indented
        indent += "   "
    ending = "\r\n" if "\r\n" in text else "\n" if "\n" in text else "\r"
    return end, end, f"{ending}{indent}{written}"


def _as_intended(
    path: str,
    data: bytes,
    changed: bytes,
    before: Sequence[Reference],
    number: int,
    requested_edits: RequestedEdits,
    kept: Mapping[int, object],
) -> bool:
    """Return True if the references read as corrected, the others as before, and the code is the same."""
    after = text_references(path, changed)
    if len(after) != len(before) or (path.lower().endswith((".py", ".pyi")) and _code(data) != _code(changed)):
        return False
    for place, (old, new) in enumerate(zip(before, after, strict=True)):
        fixes = {one.field: one.value for one in requested_edits[place][1]} if place == number or place in kept else {}
        if old.key != new.key:
            return False
        for name in {*old.fields, *new.fields, *fixes} - {TYPE, "archiveprefix"}:
            if name in fixes:
                if not _agrees(name, new.fields.get(name, ""), fixes[name]):
                    return False
            elif not fixes and old.fields.get(name) != new.fields.get(name):
                return False
    return True


def _agrees(name: str, read: str, value: str) -> bool:
    if name in ("author", "editor"):
        families = [[one.partition(",")[0] for one in names.split(" and ")] for names in (read, value)]
        return [fold(one) for one in families[0]] == [fold(one.strip("{}")) for one in families[1]]
    return [_key(word) for word in read.split()] == [_key(word) for word in value.split()]


def _code(data: bytes) -> str:
    """Return the code of a Python file without its docstrings; its bytes if it cannot be parsed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            node.value.value = ""
    return ast.dump(tree)
