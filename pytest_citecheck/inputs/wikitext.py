"""Citation templates of Wikipedia: ``{{cite journal | last1 = … | title = … }}`` and ``{{Citation | … }}``.

Documentation: Wikipedia, "Help:Citation Style 1" and "Template:Cite journal".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pytest_citecheck.inputs.base import Bibliography, LineIndex, text_of
from pytest_citecheck.inputs.budget import lazy_pattern
from pytest_citecheck.inputs.dates import FOUR_DIGITS
from pytest_citecheck.inputs.documents import ListReader
from pytest_citecheck.inputs.exchange import exchanged, joined_names, key_of
from pytest_citecheck.inputs.tables import names_of
from pytest_citecheck.model import Location, Reference

_START = lazy_pattern(r"\{\{\s*+(cit(?:e|ation)(?:[ _][a-z -]*+)?)\s*+\|", re.IGNORECASE)
_MARKS = re.compile(r"\{\{|\}\}|\[\[|\]\]|\||<!--")
_TYPES, _FIELDS = names_of("wikitext", "types"), names_of("wikitext", "fields")
_LINK = lazy_pattern(r"\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]|\[https?://\S+ ([^\[\]]*)\]")
_MARKUP = lazy_pattern(r"'{2,5}|<ref[^<>]*+>|</?[a-z]++[^<>]*+>|&nbsp;")
_LONGEST = 20_000
_DEEPEST = 20


class WikitextReader(ListReader):
    """Reader for ``.wiki`` and ``.wikitext`` files; see `read_document`."""

    suffixes = frozenset((".wiki", ".wikitext", ".mediawiki"))
    format = "wikitext"
    nothing = "contains no citation template, such as {{cite journal | title = …}}"

    def read(self, path: str, data: bytes) -> Bibliography:
        """Return one reference per citation template, located at its first line."""
        text, notes = text_of(data)
        lines = LineIndex(text)
        references: list[Reference] = []
        for start, end, name, parameters in _templates(text):
            place = Location(path, lines.line(start), lines.line(end))
            references.append(_reference(name, parameters, place, len(references) + 1, text[start:end]))
        return Bibliography(path, tuple(references), notes)


WIKITEXT = WikitextReader()


def _templates(text: str) -> Iterator[tuple[int, int, str, dict[str, str]]]:
    position = 0
    while (start := _START.search(text, position)) is not None:
        parts, end = _parts(text, start.end())
        position = end if parts is not None else start.end()
        if parts is not None:
            parameters: dict[str, str] = {}
            for part in parts:
                name, equals, value = part.partition("=")
                if equals and value.strip():
                    parameters.setdefault(name.strip().lower().replace("_", "-"), _plain(value))
            yield start.start(), end, start[1].lower().replace("_", " ").strip(), parameters


def _parts(text: str, position: int) -> tuple[list[str] | None, int]:
    """Split the template that is open at ``position`` at its bars, and return the parts and its end; None if it is unclosed."""
    parts: list[str] = []
    begun, depth = position, 0
    for mark in _MARKS.finditer(text, position, position + _LONGEST):
        if mark[0] in ("{{", "[["):
            depth += 1
            if depth > _DEEPEST:
                return None, position
        elif mark[0] in ("}}", "]]"):
            if mark[0] == "}}" and depth == 0:
                return [*parts, text[begun : mark.start()]], mark.end()
            depth = max(0, depth - 1)
        elif mark[0] == "|" and depth == 0:
            parts.append(text[begun : mark.start()])
            begun = mark.end()
    return None, position


def _plain(value: str) -> str:
    value = re.sub(r"<!--.*?(?:-->|\Z)", "", value, flags=re.DOTALL)  # an unclosed one hides the rest
    value = re.sub(r"\{\{(?:'|nbsp|spaced?ndash)[^{}]*\}\}", " ", value, flags=re.IGNORECASE)
    value = _LINK.sub(lambda match: match[1] or match[2] or "", value)
    return " ".join(_MARKUP.sub("", value).replace("{{!}}", "|").split())


def _reference(name: str, parameters: dict[str, str], place: Location, number: int, text: str) -> Reference:
    what = name.partition(" ")[2]
    stated: dict[str, str] = {}
    for foreign, ours in _FIELDS.items():
        if foreign in parameters:
            stated.setdefault(ours, parameters[foreign])
    kind = _TYPES.get(what, "")
    if not kind:
        of = {"journal": "article", "booktitle": "inproceedings", "publisher": "book"}
        kind = next((of[field] for field in of if field in stated), "misc")
    if chapter := stated.pop("chapter", ""):
        stated["booktitle"], stated["title"], kind = stated.get("title", ""), chapter, "incollection"
    if "year" in stated:
        year = FOUR_DIGITS.search(stated["year"])
        stated["year"] = year[0] if year else ""
    if "eprint" in stated:
        stated["archiveprefix"] = "arXiv"
    if "pmcid" in stated:
        stated["pmcid"] = f"PMC{stated['pmcid'].removeprefix('PMC')}"
    names = {"author": _people(parameters, ""), "editor": _people(parameters, "editor")}
    if parameters.get("vauthors"):
        people = [one.strip().rpartition(" ") for one in parameters["vauthors"].split(",") if one.strip()]
        names["author"] = joined_names([(family or given, given if family else "", "") for family, _, given in people])
    if parameters.get("display-authors", "").lower() in ("etal", "et al", "et al.") and names["author"]:
        names["author"] += " and others"
    own = parameters.get("ref", "")
    return exchanged(key_of("" if "{" in own else own, number), kind, stated, place, text, names=names)


def _people(parameters: dict[str, str], role: str) -> str:
    families: dict[int, str] = {}
    givens: dict[int, str] = {}
    for name, value in parameters.items():
        bare = name
        if role:
            if not name.startswith(role):
                continue
            bare = name[len(role) :].lstrip("-")
            if not bare or bare.isdigit():
                bare = f"author{bare}"
        match = re.fullmatch(r"(author-?)?(last|first|surname|given|author|)(-?)(\d{0,3})(?:-(last|first))?", bare)
        if match is None or not (match[1] or match[2]):
            continue
        number = int(match[4] or 1)
        part = match[5] or match[2] or "author"
        (givens if part in ("first", "given") else families).setdefault(number, value)
    return joined_names(
        (families[number], givens[number], "") if number in givens else _whole(families[number])
        for number in sorted(families)
    )


def _whole(name: str) -> tuple[str, str, str]:
    family, comma, given = name.partition(",")
    return (family.strip(), given.strip(), "") if comma else (name, "", "")
