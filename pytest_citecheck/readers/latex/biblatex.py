r"""The entries that biber writes for biblatex: ``\entry{key}{type}{}`` with ``\name``, ``\field``, ``\list``, ``\verb``.

The format is that of biblatex 3 (``biblatex.sty``, "data file"; the manual, section 4.2.4, "Data Interface").
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pytest_citecheck.model import Location, Reference
from pytest_citecheck.readers.bibtex.reader import readable_value
from pytest_citecheck.readers.lines import LineIndex
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["is_biblatex", "read_entries"]

_ENTRY = lazy_pattern(r"\\entry\{(?P<key>[^{}]*)\}\{(?P<type>[^{}]*)\}")
_END = "\\endentry"
_COMMAND = lazy_pattern(r"\\(?P<command>name|list|field|strng|verb|range)\{(?P<name>\w+)\}")
_NAMES = lazy_pattern(r"(?P<part>family|given|prefix|suffix)=\{")
_SPACING = lazy_pattern(
    r"\\(?:bibinitperiod|bibnamedelim[a-z]|bibinithyphendelim|bibinitdelim|addabbrvspace)(?![A-Za-z])\s*"
)
_RANGE = lazy_pattern(r"\\bibrangedash(?![A-Za-z])\s*")
_INTERNAL = {
    "extradate": "",
    "labeltitle": "",
    "sortinit": "",
    "sortinithash": "",
    "labelnamesource": "",
    "labeltitlesource": "",
}
_MOST_GROUPS = 5000


def is_biblatex(text: str) -> bool:
    """Whether the file is biblatex's: ``\\entry`` stands in it."""
    return _ENTRY.search(text) is not None and "\\endentry" in text


def read_entries(path: str, text: str) -> list[Reference]:
    """One reference an entry; an entry that stands in several lists is read once."""
    lines = LineIndex(text)
    found: dict[str, Reference] = {}
    for match in _ENTRY.finditer(text):
        end = text.find(_END, match.end())
        if end < 0 or match["key"] in found:
            continue
        raw = dict(_fields(text[match.end() : end]))
        place = Location(path, lines.line(match.start()), lines.line(end))
        found[match["key"]] = Reference(
            key=match["key"],
            type=match["type"].lower(),
            fields={name: readable_value(name, value) for name, value in raw.items()},
            location=place,
            raw=raw,
            text=text[match.start() : end + len(_END)],
        )
    return list(found.values())


def _fields(body: str) -> Iterator[tuple[str, str]]:
    position = 0
    while (match := _COMMAND.search(body, position)) is not None:
        command, name = match["command"], match["name"]
        if command == "verb":
            end = body.find("\\endverb", match.end())
            value = body[match.end() : end if end >= 0 else len(body)].strip().removeprefix("\\verb").strip()
            position = end if end >= 0 else len(body)
            if name in ("doi", "url", "eprint"):
                yield name, value
            continue
        groups, position = _groups(body, match.end(), 3 if command == "name" else 2 if command == "list" else 1)
        if not groups:
            continue
        value = groups[-1]
        if command == "name" and name in ("author", "editor", "translator"):
            if people := _people(value, more=f"\\true{{more{name}}}" in body):
                yield name, people
        elif command == "list":
            parts = [part for part, _ in _each_group(value)]
            yield name, " and ".join(_clean(part) for part in parts)
        elif command == "field" and name not in _INTERNAL:
            yield name, _clean(value)


def _clean(value: str) -> str:
    value = _RANGE.sub("--", value).replace("\\bibrangessep", ", ").replace("%\n", "")
    return " ".join(_SPACING.sub(" ", value).split())


def _people(value: str, *, more: bool) -> str:
    """The names as BibTeX writes them. A name is ``{{options}{parts}}``."""
    names = []
    for outer, _ in _each_group(value):
        groups = [inner for inner, _ in _each_group(outer)]
        parts: dict[str, str] = {}
        body = groups[-1] if groups else ""
        for match in _NAMES.finditer(body):
            if body[: match.start()].count("{") != body[: match.start()].count("}"):
                continue
            text, _ = _group(body, match.end() - 1)
            parts.setdefault(match["part"], _clean(text))
        family = " ".join(part for part in (parts.get("prefix", ""), parts.get("family", "")) if part)
        if not family:
            continue
        if not parts.get("given"):
            names.append(f"{{{family}}}" if " " in family else family)
        else:
            names.append(", ".join(part for part in (family, parts.get("suffix", ""), parts["given"]) if part))
    return " and ".join([*names, *(["others"] if more and names else [])])


def _groups(text: str, position: int, count: int) -> tuple[list[str], int]:
    """The next ``count`` groups in braces from here on, and where they end."""
    found = []
    for _ in range(count):
        while position < len(text) and text[position] in " \n\t%":
            position += 1
        if position >= len(text) or text[position] != "{":
            break
        group, position = _group(text, position)
        found.append(group)
    return found, position


def _each_group(text: str) -> Iterator[tuple[str, int]]:
    position = 0
    for _ in range(_MOST_GROUPS):
        start = text.find("{", position)
        if start < 0:
            return
        group, position = _group(text, start)
        yield group, start


def _group(text: str, start: int) -> tuple[str, int]:
    """The text in the braces that open at ``start``, and the offset after them."""
    depth = 0
    for match in re.compile(r"\\.|[{}]", re.DOTALL).finditer(text, start):
        if match[0] == "{":
            depth += 1
        elif match[0] == "}":
            depth -= 1
            if depth == 0:
                return text[start + 1 : match.start()], match.end()
    return text[start + 1 :], len(text)
