"""The project's own line format: JSON, one record a line (docs/index-formats.md)."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, get_args

from pytest_citecheck.identifiers.catalogue_keys import CATALOGUES
from pytest_citecheck.index.front_matter import reason_to_skip
from pytest_citecheck.model import Notice, NoticeKind, Person, Record
from pytest_citecheck.services.dumps.base import Context, Head, Problem
from pytest_citecheck.services.dumps.json_values import objects
from pytest_citecheck.services.dumps.record_types import record_type
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


__all__ = ["RECORD_LINES", "LineError", "RecordLines", "stated_record"]

_NAMES = tuple(
    lazy_pattern(rb'"%b"\s*:' % name) for name in (b"source", b"authors", b"year", b"venue", b"arxiv", b"title")
)
_SURROGATES = lazy_pattern("[\ud800-\udfff]")
_REQUIRED = ("source", "id", "title", "authors", "year", "venue", "doi", "arxiv", "url", "type")
_LISTS = frozenset({"authors", "editors", "venues", "isbn", "issn", "other_titles"})
_TEXTS = frozenset({*_REQUIRED, "pmid", *CATALOGUES, "volume", "number", "pages", "subtitle", "publisher"}) - {
    "authors",
    "year",
}
_SAME = frozenset({"pmid", "volume", "number", "pages", "subtitle", "publisher", "isbn", "issn", "other_titles"})
_NOTICES: frozenset[str] = frozenset(get_args(NoticeKind))


class LineError(ValueError):
    """A line is no record; the message names the field and what is wrong with it."""


class RecordLines:
    """Reads the project's own lines; each states its collection itself."""

    name = "records"
    source = ""
    licence = ""
    starts = "{["
    fallback = False

    def recognises(self, head: Head) -> bool:
        """By the names of the fields."""
        return all(name.search(head.data) for name in _NAMES)

    def read(self, chunks: Iterator[bytes], context: Context) -> Iterator[Record | Problem]:
        """One record a line."""
        for item in objects(chunks, context, _is_record):
            if isinstance(item, Problem):
                yield item
                continue
            offset, line, value = item
            title = value["title"]
            if isinstance(title, str) and (skip := reason_to_skip(title)):
                context.skipped[skip] += 1
                continue
            if context.source:
                value["source"] = context.source
            try:
                yield stated_record(_encodable(value))
            except LineError as error:
                stated = value.get("id")
                yield context.problem(offset, str(error), line=line, record=stated if isinstance(stated, str) else "")


def stated_record(line: Mapping[str, Any]) -> Record:
    """The record that an object of the line format states.

    Raises LineError if a field is missing, unknown or of another type, and if source or title is empty.
    """
    _check(line)
    year, venues = line["year"], (line["venue"], *line.get("venues", ()))
    others: dict[str, Any] = {
        name: tuple(value) if name in _LISTS else value for name, value in line.items() if name in _SAME
    }
    return Record(
        source=line["source"],
        id=line["id"],
        url=line["url"],
        title=line["title"],
        authors=_people(line["authors"]),
        authors_complete=line.get("complete", True),
        editors=_people(line.get("editors", ())),
        years=() if year is None else (year,),
        venues=tuple(dict.fromkeys(name for name in venues if name))
        if len(venues) > 1
        else venues
        if venues[0]
        else (),
        type=record_type(line["type"]),
        doi=line["doi"],
        arxiv=line["arxiv"],
        related=tuple((kind, line[kind]) for kind in CATALOGUES if line.get(kind)),
        notices=tuple(_notice(stated, line["source"]) for stated in line.get("notices", ())),
        **others,
    )


def _check(line: Mapping[str, Any]) -> None:
    for name in _REQUIRED:
        if name not in line:
            raise LineError(f"the field `{name}` is missing")
    for name, value in line.items():
        if name in _TEXTS:
            if not isinstance(value, str):
                raise LineError(f"the field `{name}` is not a string")
        elif name in _LISTS:
            if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
                raise LineError(f"the field `{name}` is not a list of strings")
        elif name == "year":
            if value is not None and type(value) is not int:
                raise LineError("the field `year` is neither a whole number nor null")
        elif name == "complete":
            if not isinstance(value, bool):
                raise LineError("the field `complete` is neither true nor false")
        elif name != "notices":
            raise LineError(f"the field `{name}` is not one of the format")
        elif not isinstance(value, list) or not all(map(_is_notice, value)):
            raise LineError(
                f"the field `notices` is not a list of objects with a `kind` ({', '.join(sorted(_NOTICES))})"
            )
    for name in ("source", "title"):
        if not line[name].strip():
            raise LineError(f"the field `{name}` is empty")


def _is_notice(stated: object) -> bool:
    return (
        isinstance(stated, dict)
        and all(isinstance(value, str) for value in stated.values())
        and stated.keys() <= {"kind", "stated_by", "date", "doi"}
        and stated.get("kind") in _NOTICES
    )


def _notice(stated: Mapping[str, Any], source: str) -> Notice:
    """The notice; where a line does not say who states it, its collection does."""
    return Notice(stated["kind"], stated.get("stated_by") or source, stated.get("date", ""), stated.get("doi", ""))


def _people(names: Iterable[str]) -> tuple[Person, ...]:
    """The people of these names; a blank one is no person."""
    return tuple(_person(name) for name in names if name.strip())


@lru_cache(maxsize=1 << 14)
def _person(name: str) -> Person:
    return Person(name)


def _is_record(value: dict[str, Any]) -> bool:
    return "title" in value and "source" in value


def _encodable(value: dict[str, Any]) -> dict[str, Any]:
    """The line without lone surrogates: they can be stated in JSON, but are no characters and cannot be written in UTF-8."""
    try:
        "".join(
            part
            for stated in value.values()
            for part in (stated if isinstance(stated, list) else (stated,))
            if isinstance(part, str)
        ).encode()
    except UnicodeEncodeError:
        return {name: _without_surrogates(stated) for name, stated in value.items()}
    return value


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return _SURROGATES.sub("", value)
    return [_without_surrogates(item) for item in value] if isinstance(value, list) else value


RECORD_LINES = RecordLines()
