"""Records as text: how all fields but the title stand in the blocks of an index (`pytest_citecheck.index.storage.layout`).

A record is a text of fields parted by U+001F, a field with several values parts them by U+001E, and a value with several parts
(a name, a relation, a notice) parts these by U+001C. Fields beyond the ninth stand there as far as the last that says something.
"""

from __future__ import annotations

import zlib
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from pytest_citecheck.model import Notice, Person, Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

__all__ = [
    "clean", "pack", "packed_fields", "packed_people", "people_of", "primary_year", "split_block", "storable", "unpack",
    "venue_name",
]  # fmt: skip

_UNIT, _ITEM, _RECORD, _PART = "\x1f", "\x1e", "\x1d", "\x1c"
_SEPARATORS = str.maketrans(dict.fromkeys(_UNIT + _ITEM + _RECORD + _PART, " "))
_SHORT = 9  # fields of a record that states no others
_NAME = attrgetter("family", "given", "particle", "suffix", "literal")
_OTHERS = (
    "pmid", "related", "isbn", "volume", "number", "pages", "editors", "publisher", "issn", "authors_complete", "subtitle",
    "other_titles", "agency", "version", "notices", "compiled",
)  # fmt: skip
_STATED = attrgetter(*_OTHERS)
_UNSTATED = _STATED(Record("", ""))


def packed_fields(record: Record, people: str, number_of: Callable[[str], str]) -> str:
    """All fields but the title as one text. people: the authors, packed; ``number_of`` gives what stands for a name that repeats.

    Separators in the fields become spaces, and halves of surrogate pairs question marks.
    """
    venue, *further = list(filter(None, record.venues)) or [""]
    fields = [
        clean(record.id),
        number_of(record.source),
        number_of(record.type),
        number_of(venue),
        ",".join(map(str, record.years)),
        people,
        clean(record.doi),
        clean(record.arxiv),
        clean(record.url),
    ]
    if not further and _STATED(record) == _UNSTATED:
        return _UNIT.join(fields)
    fields += [
        _items(further),
        clean(record.pmid),
        _items(record.related),
        _items(record.isbn),
        clean(record.volume),
        clean(record.number),
        clean(record.pages),
        packed_people(record.editors),
        number_of(record.publisher) if record.publisher else "",
        _items(record.issn),
        "" if record.authors_complete else "-",
        str(len(record.subtitle)) if record.subtitle else "",
        _items(record.other_titles),
        number_of(record.agency) if record.agency else "",
        "" if record.version is None else str(record.version),
        _items([(notice.kind, notice.stated_by, notice.date, notice.doi) for notice in record.notices]),
        "+" if record.compiled else "",
    ]
    return _UNIT.join(fields).rstrip(_UNIT) if not fields[-1] else _UNIT.join(fields)


def _items(values: Sequence[str | tuple[str, ...]]) -> str:
    if not values:
        return ""
    return _ITEM.join(clean(value) if isinstance(value, str) else _PART.join(map(clean, value)) for value in values)


def packed_people(people: Iterable[Person]) -> str:
    """Names as one text: what is stated as one string as it is, all others in parts, of which the sixth marks a group."""
    return _ITEM.join(
        [
            clean(person.literal)
            if person.literal and not any((person.family, person.given, person.particle, person.suffix, person.group))
            else _packed_name(person)
            for person in people
        ]
    )


def _packed_name(person: Person) -> str:
    parts = [*map(clean, _NAME(person)), "g" if person.group else ""]
    while len(parts) > 2 and not parts[-1]:
        parts.pop()
    return _PART.join(parts)


def storable(text: str) -> str:
    """``text`` without halves of surrogate pairs, which cannot be written as UTF-8."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def clean(text: str) -> str:
    """``text`` as it can stand in a field: storable, and without the separators."""
    return text if text.isprintable() else storable(text.translate(_SEPARATORS))


def pack(fields: Iterable[str]) -> bytes:
    """The packed records of a block, compressed with deflate (RFC 1951)."""
    return zlib.compress(_RECORD.join(fields).encode(), 6, -15)


def split_block(data: bytes) -> list[str]:
    """The packed records of a block."""
    return zlib.decompress(data, -15).decode().split(_RECORD)


def unpack(title: str, packed: str, name_of: Callable[[str], str]) -> Record:
    """The record that `packed_fields` made ``packed`` of. title: with the subtitle."""
    fields = packed.split(_UNIT)
    identifier, source, kind, venue, years, authors, doi, arxiv, url = fields[:_SHORT]
    first = name_of(venue)
    record: dict[str, Any] = {
        "source": name_of(source),
        "id": identifier,
        "url": url,
        "title": title,
        "authors": _people(authors),
        "years": tuple(map(int, years.split(","))) if years else (),
        "venues": (first,) if first else (),
        "type": name_of(kind),
        "doi": doi,
        "arxiv": arxiv,
    }
    if len(fields) > _SHORT:
        _add_others(record, fields[_SHORT:], name_of)
    return Record(**record)


def venue_name(packed: str, name_of: Callable[[str], str]) -> str:
    """The primary venue of a packed record."""
    return name_of(packed.split(_UNIT, 4)[3])


def primary_year(packed: str) -> int | None:
    """The primary year of a packed record."""
    stated = packed.split(_UNIT, 5)[4].partition(",")[0]
    return int(stated) if stated else None


def people_of(packed: str) -> tuple[Person, ...]:
    """The authors of a packed record."""
    return _people(packed.split(_UNIT, 6)[5])


def _add_others(record: dict[str, Any], fields: list[str], name_of: Callable[[str], str]) -> None:
    """Put the fields beyond the ninth into a record that is being unpacked."""
    further, *others = fields
    if further:
        record["venues"] += tuple(further.split(_ITEM))
    for name, value in zip(_OTHERS, others, strict=False):
        if not value:
            continue
        if name == "subtitle":
            length = int(value)
            record["title"], record["subtitle"] = record["title"][: -length - 2], record["title"][-length:]
        else:
            record[name] = _READ[name](value) if name in _READ else name_of(value) if name in _NAMES else value


def _texts(value: str) -> tuple[str, ...]:
    return tuple(value.split(_ITEM))


def _people(value: str) -> tuple[Person, ...]:
    return tuple(map(_person, value.split(_ITEM))) if value else ()


@lru_cache(maxsize=1 << 14)
def _person(packed: str) -> Person:
    """The same one in all records that were read lately."""
    if _PART not in packed:
        return Person(packed)
    family, given, particle, suffix, literal, group = (*packed.split(_PART), "", "", "", "")[:6]
    return Person(literal, family, given, particle, suffix, group=bool(group))


_NAMES = frozenset({"publisher", "agency"})
_READ: dict[str, Callable[[str], object]] = {
    "related": lambda value: tuple(tuple(pair.split(_PART)) for pair in value.split(_ITEM)),
    "isbn": _texts,
    "editors": _people,
    "issn": _texts,
    "authors_complete": lambda _: False,
    "other_titles": _texts,
    "version": int,
    "notices": lambda value: tuple(Notice(*stated.split(_PART)) for stated in value.split(_ITEM)),  # type: ignore[arg-type]
    "compiled": lambda _: True,
}
