"""Answers as places that can be changed one by one: JSON, XML, BibTeX and HTML.

A place is a path from the outside in, written with slashes: ``message/items/*/DOI``. ``*`` is any element of an array; an
attribute is ``@name``. A namespace stands where it begins: ``{http://www.w3.org/2005/Atom}feed/entry``.
"""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET  # what is handled here has been parsed by xml_body
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import partial
from html.parser import HTMLParser
from typing import Any, Protocol

from pytest_citecheck.services.base import MalformedAnswerError
from pytest_citecheck.services.parsing.json_body import parse_json
from pytest_citecheck.services.parsing.xml_body import parse_xml
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["Body", "body_of"]

_YEAR = lazy_pattern(r"(?<!\d)(?:1[4-9]|20)\d\d(?!\d)")
_PAGE = lazy_pattern(r"\s*+(?:<\?xml[^<>]*>\s*+)?(?:<!doctype\s+html|<html)", re.IGNORECASE)
_GONE = object()
_Change = Callable[[Any], Any]


class Body(Protocol):
    """The body of an answer in one format."""

    format: str

    def places(self) -> Mapping[str, frozenset[str]]:
        """Every place with the types that stand there."""
        ...

    def without(self, place: str) -> bytes:
        """The body without anything at this place."""
        ...

    def altered(self, place: str) -> Iterator[bytes]:
        """The body with other values of the same type at this place: longer words, other years."""
        ...

    def only(self, places: Collection[str]) -> bytes:
        """The body with nothing but these places; as it is where a part cannot be taken out."""
        ...


def body_of(body: bytes) -> Body | None:
    """The body in its format; None for what has none of these."""
    try:
        return _Json(parse_json(body))
    except MalformedAnswerError:
        pass
    text = body.decode("utf-8", "replace")
    # Also a page that happens to be XML: the next one may not be.
    if _PAGE.match(text):
        return _Html(text)
    try:
        return _Xml(parse_xml(body, doctype=True))
    except MalformedAnswerError:
        pass
    return _Bibtex(text) if re.search(r"^[ \t]*+@\w+[ \t]*+\{", text, re.MULTILINE) else None


def _longer(text: str) -> str:
    return f"{text} Qz"


def _of_another_year(text: str) -> str:
    return _YEAR.sub(lambda year: str(int(year[0]) - 7), text)


_CHANGES = (_longer, _of_another_year)


def _gone(_: object) -> object:
    return _GONE


class _Json:
    format = "JSON"

    def __init__(self, value: Any) -> None:
        self._value = value

    def places(self) -> Mapping[str, frozenset[str]]:
        found: dict[str, set[str]] = defaultdict(set)

        def walk(value: Any, place: str) -> None:
            found[place].add(_json_type(value))
            for name, member in _members(value):
                walk(member, _named(place, name))

        walk(self._value, "")
        return {place: frozenset(types) for place, types in found.items()}

    def without(self, place: str) -> bytes:
        return self._changed({place}, _gone)

    def altered(self, place: str) -> Iterator[bytes]:
        for change in _CHANGES:
            yield self._changed({place}, partial(_altered, change))

    def only(self, places: Collection[str]) -> bytes:
        return self._changed(self.places().keys() - set(places), _gone)

    def _changed(self, places: AbstractSet[str], change: _Change) -> bytes:
        def rebuilt(value: Any, at: str) -> Any:
            if at in places:
                return change(value)
            changed = [(name, rebuilt(member, _named(at, name))) for name, member in _members(value)]
            left = [(name, member) for name, member in changed if member is not _GONE]
            if isinstance(value, dict):
                return dict(left)
            return [member for _, member in left] if isinstance(value, list) else value

        whole = rebuilt(self._value, "")
        return b"" if whole is _GONE else json.dumps(whole, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _members(value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, dict):
        return list(value.items())
    return [("*", member) for member in value] if isinstance(value, list) else []


def _named(place: str, name: str) -> str:
    return _joined(place, name.replace("~", "~0").replace("/", "~1"))


def _joined(place: str, name: str) -> str:
    return f"{place}/{name}" if place else name


def _json_type(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "object" if isinstance(value, dict) else "array" if isinstance(value, list) else "null"


def _altered(change: Callable[[str], str], value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1 if change is _longer else value - 7
    return change(value) if isinstance(value, str) else value


class _Xml:
    format = "XML"

    def __init__(self, root: ET.Element) -> None:
        self._root = root

    def places(self) -> Mapping[str, frozenset[str]]:
        found: dict[str, set[str]] = defaultdict(set)

        def walk(element: ET.Element, place: str, space: str) -> None:
            found[place].add("text" if _has_text(element) else "element")
            for name in element.attrib:
                found[f"{place}/@{name}"].add("attribute")
            for child in element:
                walk(child, *_below(child, place, space))

        walk(self._root, *_below(self._root, "", ""))
        return {place: frozenset(types) for place, types in found.items()}

    def without(self, place: str) -> bytes:
        return self._changed({place}, _gone)

    def altered(self, place: str) -> Iterator[bytes]:
        for change in _CHANGES:
            yield self._changed({place}, partial(_altered_text, change))

    def only(self, places: Collection[str]) -> bytes:
        return self._changed(self.places().keys() - set(places), _gone)

    def _changed(self, places: AbstractSet[str], change: _Change) -> bytes:
        def rebuilt(element: ET.Element, at: str, space: str) -> ET.Element | None:
            text = change(element.text or "") if at in places else element.text
            if text is _GONE:
                return None
            copy = ET.Element(element.tag)
            copy.text, copy.tail = text, element.tail
            for name, stated in element.attrib.items():
                value = change(stated) if f"{at}/@{name}" in places else stated
                if value is not _GONE:
                    copy.set(name, value)
            for child in element:
                made = rebuilt(child, *_below(child, at, space))
                if made is not None:
                    copy.append(made)
            return copy

        root = rebuilt(self._root, *_below(self._root, "", ""))
        return b"" if root is None else _serialised(root).encode("utf-8", "surrogatepass")


def _serialised(root: ET.Element) -> str:
    """The document with the first namespace as the default one, as services write it."""
    written = ET.tostring(root, encoding="unicode")
    return re.sub(r"(</?)ns0:", r"\1", written.replace(" xmlns:ns0=", " xmlns=", 1))


def _altered_text(change: Callable[[str], str], text: str) -> str:
    return change(text) if text.strip() else text


def _has_text(element: ET.Element) -> bool:
    return any((text or "").strip() for text in (element.text, *(child.tail for child in element)))


def _below(element: ET.Element, place: str, space: str) -> tuple[str, str]:
    """The place of an element and its namespace, which is written only where it changes."""
    own, _, name = element.tag.rpartition("}")
    return _joined(place, name if own == space else element.tag), own


class _Lexical:
    """A body in which a place is renamed where it is written, so that nobody finds it any more."""

    format = ""

    def __init__(self, text: str) -> None:
        self._text = text

    def without(self, place: str) -> bytes:
        return self._renamed(place).encode()

    def altered(self, place: str) -> Iterator[bytes]:
        for change in _CHANGES:
            yield self._rewritten(place, change).encode()

    def only(self, places: Collection[str]) -> bytes:  # noqa: ARG002 - what is not at a place is text too
        return self._text.encode()

    def _renamed(self, place: str) -> str:
        raise NotImplementedError

    def _rewritten(self, place: str, change: Callable[[str], str]) -> str:
        raise NotImplementedError


class _Bibtex(_Lexical):
    format = "BibTeX"
    _ENTRY = lazy_pattern(r"^[ \t]*+@(\w++)[ \t]*+\{", re.MULTILINE)
    _FIELD = lazy_pattern(r"^([ \t]*+)(\w[\w-]*+)([ \t]*+=[ \t]*+[{\"]?)(?=([^\n]*))", re.MULTILINE)

    def places(self) -> Mapping[str, frozenset[str]]:
        kinds = {f"@{kind.lower()}" for kind in self._ENTRY.findall(self._text)}
        fields = {name.lower() for _, name, _, _ in self._FIELD.findall(self._text)}
        return dict.fromkeys(kinds, frozenset({"entry"})) | dict.fromkeys(fields, frozenset({"field"}))

    def _renamed(self, place: str) -> str:
        if place.startswith("@"):
            return re.sub(
                rf"^([ \t]*+@){re.escape(place[1:])}\b", r"\1comment", self._text, flags=re.MULTILINE | re.IGNORECASE
            )
        return re.sub(
            rf"^([ \t]*+){re.escape(place)}(?=[ \t]*+=)", r"\1gone", self._text, flags=re.MULTILINE | re.IGNORECASE
        )

    def _rewritten(self, place: str, change: Callable[[str], str]) -> str:
        def longer(field: re.Match[str]) -> str:
            if field[2].lower() != place:
                return field[0]
            return f"{field[1]}{field[2]}{field[3]}" + (
                "Qz " if change is _longer and not field[4][:1].isdigit() else ""
            )

        def other(line: str) -> str:
            return change(line) if re.match(rf"[ \t]*+{re.escape(place)}[ \t]*+=", line, re.IGNORECASE) else line

        return (
            self._FIELD.sub(longer, self._text) if change is _longer else "\n".join(map(other, self._text.split("\n")))
        )


_MARKING = frozenset({"class", "id", "itemprop", "name", "property"})


class _Html(_Lexical):
    format = "HTML"

    def places(self) -> Mapping[str, frozenset[str]]:
        found: dict[str, frozenset[str]] = {}

        class Reader(HTMLParser):
            def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
                found[tag] = frozenset({"element"})
                for name, value in attrs:
                    stated = (value or "").split() if name == "class" else [value or ""]
                    for word in filter(None, stated) if name in _MARKING else ():
                        found[f"{tag}[{name}={word}]"] = frozenset({"element"})

        Reader().feed(self._text)
        return found

    def _renamed(self, place: str) -> str:
        tag, _, marked = place.rstrip("]").partition("[")
        if not marked:
            return re.sub(rf"(</?){re.escape(tag)}(?=[\s>/])", r"\1gone", self._text, flags=re.IGNORECASE)
        name, _, value = marked.partition("=")
        stated = rf"(\s{name}\s*=\s*(?:\"(?:[^\"]*\s)?|'(?:[^']*\s)?)?){re.escape(value)}(?=[\"'\s>])"
        return re.sub(stated, r"\1gone", self._text, flags=re.IGNORECASE)

    def _rewritten(self, place: str, change: Callable[[str], str]) -> str:
        tag, _, marked = place.rstrip("]").partition("[")
        value = re.escape(marked.partition("=")[2])

        def rewritten(element: re.Match[str]) -> str:
            head, inner = element[1], element[2]
            content = re.sub(r"(\scontent\s*=\s*\"?)([^\">]+)", lambda part: part[1] + change(part[2]), head)
            return content + (change(inner) if inner.strip() else inner)

        return re.sub(
            rf"(<{re.escape(tag)}\b(?=[^<>]*{value})[^<>]*>)([^<]*)", rewritten, self._text, flags=re.IGNORECASE
        )
