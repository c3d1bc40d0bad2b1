"""Answers as places that can be changed one by one: JSON, XML, BibTeX and HTML.

A place is a path from the outside in, written with slashes: ``message/items/*/DOI``. ``*`` is any element of an array;
an attribute is ``@name``. A namespace is written where it begins: ``{http://www.w3.org/2005/Atom}feed/entry``.
"""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET  # xml_body has parsed this body
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields, replace
from functools import cache, partial
from html.parser import HTMLParser
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Protocol

from pytest_citecheck.matching import lazy_pattern
from pytest_citecheck.model import Found, Record
from pytest_citecheck.sources import MalformedAnswerError, parse_json, parse_xml

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from pytest_citecheck.model import Answer, Query
    from pytest_citecheck.sources import Response, Source

_YEAR = lazy_pattern(r"(?<!\d)(?:1[4-9]|20)\d\d(?!\d)")
_PAGE = lazy_pattern(r"\s*+(?:<\?xml[^<>]*>\s*+)?(?:<!doctype\s+html|<html)", re.IGNORECASE)
_GONE = object()
_Change = Callable[[Any], Any]


class Body(Protocol):
    """The body of an answer in one format."""

    format: str

    def places(self) -> Mapping[str, frozenset[str]]:
        """All places with their types."""
        ...

    def without(self, place: str) -> bytes:
        """The body without anything at this place."""
        ...

    def altered(self, place: str) -> Iterator[bytes]:
        """The body with other values of the same type at this place: longer words, other years."""
        ...

    def only(self, places: Collection[str]) -> bytes:
        """The body with only these places; unchanged if a part cannot be removed."""
        ...


def body_of(body: bytes) -> Body | None:
    """The body in its format; None for another format."""
    try:
        return _Json(parse_json(body))
    except MalformedAnswerError:
        pass
    text = body.decode("utf-8", "replace")
    # A page may happen to be valid XML, but the next one may not be.
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
    """A body in which a place is renamed, so that parsers cannot find it."""

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


# The shape of an answer: the places that its parser reads, and their changes in a current answer.


_NULL = frozenset({"null"})
_ALWAYS = frozenset({"source", "id"})
_RECORD = tuple((one.name, one.default) for one in fields(Record) if one.name not in _ALWAYS)


@dataclass(frozen=True, slots=True)
class Shape:
    """Structure that a parser reads in one answer.

    record: the fields of records that it fills. needed, read: places with their types. unread: all other places.
    """

    format: str
    record: tuple[str, ...]
    needed: Mapping[str, frozenset[str]]
    read: Mapping[str, frozenset[str]]
    unread: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """Changes of an answer; all empty: none. ``lacking`` and ``new`` alone are not faults.

    missing: needed places that are absent. retyped: places of another type, in words. lost: fields of the record
    without a value. lacking: absent places whose data is also elsewhere. new: unknown places.
    """

    missing: tuple[str, ...] = ()
    retyped: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()
    new: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.missing or self.retyped or self.lost)

    @property
    def is_partial(self) -> bool:
        """True if a part of an entry is missing, or has another name: more than that the entry is not there."""
        beside = {place.rpartition("/")[0] for place in self.new}
        around = [place.rpartition("/")[0] for place in self.missing]
        return bool(self.retyped) or any("*" in place or place in beside for place in around)


def read_shape(source: Source, query: Query, response: Response) -> Shape:
    """The shape of this answer. Raises ValueError unless the parser finds the work, in a body of a known format."""
    body, answer = body_of(response.body), _parsed(source, query, response)
    if body is None or not isinstance(answer, Found):
        raise ValueError(f"{source.name} does not show {query.value} in this answer")

    def differs(bodies: Iterable[bytes]) -> bool:
        return any(_parsed(source, query, replace(response, body=one)) != answer for one in bodies)

    places = body.places()
    if differs([body.only(places.keys())]):
        raise ValueError(f"{source.name} reads this answer otherwise when it is written anew")
    needed = {place: types for place, types in places.items() if differs([body.without(place)])}
    stating = [place for place in places if place not in needed and differs(body.altered(place))]
    # Reading a nested place includes its parent.
    read = {place: types for place, types in places.items() if place not in needed and _is_around(place, stating)}
    unread = tuple(place for place in places if place not in needed and place not in read)
    return Shape(body.format, _filled(answer.records), needed, read, unread)


def _is_around(place: str, places: Iterable[str]) -> bool:
    return any(other == place or other.startswith(f"{place}/") for other in places)


def _parsed(source: Source, query: Query, response: Response) -> Answer | None:
    """Result of the parser; None if it rejects the answer."""
    try:
        return source.parse([query], response).get(query)
    except Exception:  # noqa: BLE001 - however it fails, it has not read the answer
        return None


def _filled(records: Iterable[Record]) -> tuple[str, ...]:
    """The fields that any of these records states."""
    known = list(records)
    return tuple(name for name, empty in _RECORD if any(getattr(record, name) != empty for record in known))


def change(expected: Shape, body: bytes, answer: Answer | None) -> Change:
    """Differences of this body, and of its parsed records (None: none), from the expected ones."""
    read = body_of(body)
    lost = (
        tuple(name for name in expected.record if name not in _filled(answer.records))
        if isinstance(answer, Found)
        else ()
    )
    if read is None or read.format != expected.format:
        found = f"no whole {expected.format}" if read is None else f"{read.format}, not {expected.format}"
        return Change(retyped=(f"the body is {found}",), lost=lost)
    places = read.places()
    stated = {place: types - _NULL for place, types in places.items() if types - _NULL}
    return Change(
        _outermost(expected.needed.keys() - stated.keys()),
        tuple(sorted(_retyped(expected, stated))),
        lost,
        _outermost(expected.read.keys() - stated.keys()),
        _outermost(places.keys() - {*expected.needed, *expected.read, *expected.unread}),
    )


def _retyped(expected: Shape, stated: Mapping[str, frozenset[str]]) -> Iterable[str]:
    for place, types in {**expected.read, **expected.needed}.items():
        if place in stated and not stated[place] & types:
            yield f"{place or 'the whole'} is {_words(stated[place])}, not {_words(types - _NULL)}"


def _words(types: Iterable[str]) -> str:
    return " or ".join(sorted(types))


def _outermost(places: Iterable[str]) -> tuple[str, ...]:
    """These places without those that lie within another of them."""
    chosen: list[str] = []
    for place in sorted(places):
        if not chosen or not place.startswith(f"{chosen[-1]}/"):
            chosen.append(place)
    return tuple(chosen)


def shape_file(source: type[Source]) -> Traversable:
    """The file of the shapes that the parsers of the source's module read: ``sources/shapes/MODULE.json``."""
    return files("pytest_citecheck.sources") / "shapes" / f"{source.__module__.rpartition('.')[2]}.json"


def expected_shape(source: Source, query: Query) -> Shape | None:
    """The shipped shape of the answer to this query; None without one."""
    stated = _shapes(type(source)).get(source.name, {}).get(query.kind)
    if stated is None:
        return None
    return Shape(
        stated["format"],
        tuple(stated["record"]),
        {place: frozenset(types.split("|")) for place, types in stated["needed"].items()},
        {place: frozenset(types.split("|")) for place, types in stated["read"].items()},
        tuple(stated["unread"]),
    )


@cache
def _shapes(source: type[Source]) -> Mapping[str, Any]:
    file = shape_file(source)
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}


def written(shapes: Mapping[str, Mapping[str, Shape]]) -> str:
    """The text of a file with the shapes of these sources, by name and kind of query."""

    def plain(shape: Shape) -> dict[str, object]:
        return {
            "format": shape.format,
            "record": list(shape.record),
            "needed": _plain(shape.needed),
            "read": _plain(shape.read),
            "unread": sorted(shape.unread),
        }

    value = {name: {kind: plain(shape) for kind, shape in kinds.items()} for name, kinds in shapes.items()}
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def _plain(places: Mapping[str, frozenset[str]]) -> dict[str, str]:
    return {place: "|".join(sorted(types)) for place, types in sorted(places.items())}
