"""One work as a collection states it: what goes into a local index and what comes out of it.

The line format is JSON, one object a line: ``source``, ``id``, ``title``, ``authors``, ``year``, ``venue``, ``doi``,
``arxiv``, ``url`` and ``type`` stand in every line, the other fields of `Entry` only where they say something.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Entry", "EntryError"]


class EntryError(ValueError):
    """A line is no entry; the message names the field and what is wrong with it."""


class Entry(NamedTuple):
    """What one collection says about one work.

    source: name of the collection; ``id``: the collection's own key of the work, empty if it has none.
    authors, editors: names as the collection states them, "Given Family" or "Family, Given"; ``complete`` is False where the
        list of authors is known to be cut.
    year: of publication, None if not stated. ``venues``: further names of ``venue``.
    doi: lower case, without resolver; ``arxiv``: without version; ``pmid``: digits; ``acl``: ``P19-1001``; ``openreview``: id of
        the submission; ``dblp``: ``conf/nips/VaswaniSPUJGKP17``; ``isbn``: 13 digits each. Empty where not stated.
    type: in the words of the collection (``inproceedings``, ``article``, ``preprint``, ``submission`` …).

    A named tuple, because millions are made: a frozen dataclass takes five times as long.
    """

    source: str
    id: str
    title: str
    authors: tuple[str, ...] = ()
    year: int | None = None
    venue: str = ""
    doi: str = ""
    arxiv: str = ""
    url: str = ""
    type: str = ""
    pmid: str = ""
    acl: str = ""
    openreview: str = ""
    dblp: str = ""
    isbn: tuple[str, ...] = ()
    venues: tuple[str, ...] = ()
    volume: str = ""
    number: str = ""
    pages: str = ""
    editors: tuple[str, ...] = ()
    complete: bool = True

    @classmethod
    def from_json(cls, line: Mapping[str, Any]) -> Entry:
        """The entry that an object of the line format states.

        Raises EntryError if a field is missing, unknown or of another type, and if source or title is empty.
        """
        values = dict(line)
        for name in cls._fields:
            if name in _REQUIRED and name not in values:
                raise EntryError(f"the field '{name}' is missing")
        for name, value in values.items():
            if name in _LISTS:
                if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
                    raise EntryError(f"the field '{name}' is no list of strings")
                values[name] = tuple(value)
            elif name == "year":
                if value is not None and type(value) is not int:
                    raise EntryError("the field 'year' is neither a whole number nor null")
            elif name == "complete":
                if not isinstance(value, bool):
                    raise EntryError("the field 'complete' is neither true nor false")
            elif name not in cls._fields:
                raise EntryError(f"the field '{name}' is not one of the format")
            elif not isinstance(value, str):
                raise EntryError(f"the field '{name}' is no string")
        for name in ("source", "title"):
            if not values[name].strip():
                raise EntryError(f"the field '{name}' is empty")
        return cls(**values)

    def to_json(self) -> dict[str, Any]:
        """The object of the line format; `from_json` reads it back unchanged."""
        line: dict[str, Any] = {}
        for name, value, default in zip(self._fields, self, _DEFAULTS, strict=True):
            if name in _REQUIRED or value != default:
                line[name] = list(value) if isinstance(value, tuple) else value
        return line


_REQUIRED = frozenset({"source", "id", "title", "authors", "year", "venue", "doi", "arxiv", "url", "type"})
_LISTS = frozenset({"authors", "isbn", "venues", "editors"})
_DEFAULTS = tuple(Entry._field_defaults.get(name, "") for name in Entry._fields)
