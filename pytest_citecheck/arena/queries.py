"""The queries of an arena: ``.json`` (a list, or an object with ``queries``) or ``.jsonl`` (one object a line)."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_citecheck.readers.encoding import decode_bytes

__all__ = ["Queries", "Query", "QueryError", "read_queries"]

CONSTRAINTS = ("exact", "min_year", "max_year")
_MANY = 20


class QueryError(ValueError):
    """A file of queries that cannot be used; the text has a line for each problem, with the place of the query."""


@dataclass(frozen=True, slots=True)
class Query:
    """One query.

    number: its place in the file, from 1, whatever is shuffled or left out. earliest, latest: the years that it allows,
    inclusive. constraint: as the file states them.
    """

    number: int
    text: str
    discipline: str = "other"
    num_refs: int = 5
    language: str = "zh"
    constraint: Mapping[str, int] = field(default_factory=dict)
    id: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def earliest(self) -> int | None:
        """The first year that it allows; None without a bound."""
        return self.constraint.get("exact", self.constraint.get("min_year"))

    @property
    def latest(self) -> int | None:
        """The last year that it allows; None without a bound."""
        return self.constraint.get("exact", self.constraint.get("max_year"))


@dataclass(frozen=True, slots=True)
class Queries:
    """The queries of a run in their order. in_file: how many the file has; omitted: what is wrong with those left out."""

    queries: tuple[Query, ...]
    in_file: int
    omitted: tuple[str, ...] = ()


def read_queries(
    path: Path, data: bytes, *, shuffle: bool = False, seed: int = 0, most: int | None = None, lenient: bool = False
) -> Queries:
    """Read a file of queries, then shuffle (with the seed) and cut to ``most``.

    lenient: an invalid query is left out and counted. Raises QueryError, which names every invalid query with its place.
    """
    queries: list[Query] = []
    problems: list[str] = []
    number = 0
    for number, (place, value) in enumerate(_objects(path, decode_bytes(data)[0]), start=1):
        try:
            if isinstance(value, ValueError):
                raise value
            queries.append(_query(number, value))
        except ValueError as error:
            problems.append(f"{place}: {error}")
    if problems and not lenient:
        more = len(problems) - _MANY
        advice = "--citecheck-lenient leaves them out"
        raise QueryError("\n".join([*problems[:_MANY], *([f"and {more} more"] if more > 0 else []), advice]))
    if not queries:
        raise QueryError(f"{path.name}: no query in it")
    if shuffle:
        random.Random(seed).shuffle(queries)  # noqa: S311 - an order, not a secret
    return Queries(tuple(queries[:most]), number, tuple(problems))


def _objects(path: Path, text: str) -> Iterator[tuple[str, Any]]:
    """Place and value of each query; the value is a ValueError where there is none."""
    suffix = path.suffix.lower()
    if suffix == ".jsonl":
        for line, source in enumerate(text.split("\n"), start=1):
            if source.strip():
                yield f"{path.name}:{line}", _parsed(source)
        return
    if suffix != ".json":
        raise QueryError(f"{path.name}: queries are in a .json or .jsonl file")
    document = _parsed(text)
    if isinstance(document, ValueError):
        raise QueryError(f"{path.name}: {document}")
    listed = document.get("queries") if isinstance(document, dict) else document
    if not isinstance(listed, list):
        raise QueryError(f"{path.name}: a list of queries is expected, or an object with “queries”")
    for place, value in enumerate(listed, start=1):
        yield f"{path.name}: query {place}", value


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        return ValueError(f"not valid JSON: {error}")


def _query(number: int, value: Any) -> Query:
    """Raises ValueError, which says what is wrong."""
    if not isinstance(value, dict):
        raise ValueError("a query must be a JSON object")
    text = value.get("query")
    if not isinstance(text, str) or not text.strip():
        raise ValueError("query must be non-empty text")
    for name in ("discipline", "language"):
        if not isinstance(value.get(name), str | None):
            raise ValueError(f"{name} must be text")
    metadata = value.get("metadata")
    if not isinstance(metadata, dict | None):
        raise ValueError("metadata must be an object")
    identifier = value.get("id")
    return Query(
        number=number,
        text=text,
        discipline=value.get("discipline") or "other",
        num_refs=_integer(value.get("num_refs", 5), "num_refs", 1, 20),
        language=value.get("language") or "zh",
        constraint=_constraint(value.get("year_constraint")),
        id="" if identifier is None else str(identifier),
        metadata=metadata or {},
    )


def _integer(value: Any, name: str, low: int, high: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise ValueError(f"{name} must be a whole number from {low} to {high}, not {json.dumps(value)[:40]}")
    return value


def _constraint(value: Any) -> dict[str, int]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ValueError("year_constraint must be an object")
    if unknown := sorted(set(value) - set(CONSTRAINTS)):
        raise ValueError(f"year_constraint allows {', '.join(CONSTRAINTS)}, not {', '.join(unknown)}")
    return {
        name: _integer(value[name], f"year_constraint.{name}", 1, 9999)
        for name in CONSTRAINTS
        if value.get(name) is not None
    }
