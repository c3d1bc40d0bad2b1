"""The shape of an answer: the places that its parser reads, and what has changed in an answer of today.

Which places a parser reads is found out from outside, so that it holds for each format and parser: a place is *needed* if the
parser reads something else, or nothing, where it lacks, and *read* if it does so where the place says something else. The
expected shapes are files beside the parsers (``services/NAME/shape.json``).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from pytest_citecheck.doctor.bodies import body_of
from pytest_citecheck.model import Found, Record

if TYPE_CHECKING:
    from pytest_citecheck.model import Answer, Question
    from pytest_citecheck.services.base import Response, Source

__all__ = ["FILE", "Change", "Shape", "change", "expected_shape", "package_of", "read_shape", "written"]

FILE = "shape.json"

_NULL = frozenset({"null"})
_ALWAYS = frozenset({"source", "id"})
_RECORD = tuple((one.name, one.default) for one in fields(Record) if one.name not in _ALWAYS)


@dataclass(frozen=True, slots=True)
class Shape:
    """What a parser reads in one answer.

    record: the fields of records that it fills. needed, read: places with their types. unread: all other places.
    """

    format: str
    record: tuple[str, ...]
    needed: Mapping[str, frozenset[str]]
    read: Mapping[str, frozenset[str]]
    unread: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """What has changed; all empty: nothing. ``lacking`` and ``new`` alone are no fault.

    missing: needed places that are not there. retyped: places of another type, in words. lost: fields of the record that
    nothing fills any more. lacking: places that were read beside others that say the same. new: places that nobody knew.
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
        """Whether a part of an entry is missing, or has another name: more than that the entry is not there."""
        beside = {place.rpartition("/")[0] for place in self.new}
        around = [place.rpartition("/")[0] for place in self.missing]
        return bool(self.retyped) or any("*" in place or place in beside for place in around)


def read_shape(source: Source, question: Question, response: Response) -> Shape:
    """The shape of this answer. Raises ValueError unless the parser finds the work, in a body of a known format."""
    body, answer = body_of(response.body), _parsed(source, question, response)
    if body is None or not isinstance(answer, Found):
        raise ValueError(f"{source.name} does not show {question.value} in this answer")

    def differs(bodies: Iterable[bytes]) -> bool:
        return any(_parsed(source, question, replace(response, body=one)) != answer for one in bodies)

    places = body.places()
    if differs([body.only(places.keys())]):
        raise ValueError(f"{source.name} reads this answer otherwise when it is written anew")
    needed = {place: types for place, types in places.items() if differs([body.without(place)])}
    stating = [place for place in places if place not in needed and differs(body.altered(place))]
    # Who reads what is within, reads the outside.
    read = {place: types for place, types in places.items() if place not in needed and _is_around(place, stating)}
    unread = tuple(place for place in places if place not in needed and place not in read)
    return Shape(body.format, _filled(answer.records), needed, read, unread)


def _is_around(place: str, places: Iterable[str]) -> bool:
    return any(other == place or other.startswith(f"{place}/") for other in places)


def _parsed(source: Source, question: Question, response: Response) -> Answer | None:
    """What the parser says; None if it refuses the answer."""
    try:
        return source.parse([question], response).get(question)
    except Exception:  # noqa: BLE001 - however it fails, it has not read the answer
        return None


def _filled(records: Iterable[Record]) -> tuple[str, ...]:
    """The fields that any of these records states."""
    known = list(records)
    return tuple(name for name, empty in _RECORD if any(getattr(record, name) != empty for record in known))


def change(expected: Shape, body: bytes, answer: Answer | None) -> Change:
    """How this body, and what the parser has read in it (None: nothing), differ from what is expected."""
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


def package_of(source: Source) -> str:
    """The package that holds the parser of a source."""
    return type(source).__module__.rpartition(".")[0]


def expected_shape(source: Source, question: Question) -> Shape | None:
    """The shipped shape of the answer to this question; None if there is none."""
    stated = _shapes(package_of(source)).get(source.name, {}).get(question.kind)
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
def _shapes(package: str) -> Mapping[str, Any]:
    file = files(package) / FILE if package else None
    return json.loads(file.read_text(encoding="utf-8")) if file is not None and file.is_file() else {}


def written(shapes: Mapping[str, Mapping[str, Shape]]) -> str:
    """The text of a file with the shapes of these sources, by name and kind of question."""

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
