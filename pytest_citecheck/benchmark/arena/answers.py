"""The references of models' answers, put together again from the properties of their checks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import repeat
from typing import Any, cast

from pytest_citecheck.benchmark.arena.figures import ArenaReference
from pytest_citecheck.benchmark.hallmark.cases import share

__all__ = ["arena_references"]

_PREFIX = "citecheck.answer."
_DELIVERY = {"answer-missing": "failed", "answer-empty": "empty"}

Properties = Mapping[str, str]


def arena_references(cases: Iterable[Properties]) -> list[ArenaReference]:
    """The references of all cases that are of an answer, in the order of files and lines, whatever the order of the cases.

    cases: the properties of each check, as in JUnit XML (docs/ci.md). Of a case that occurs twice the first counts.
    Raises ValueError if a property is missing or not of the form in which it is written.
    """
    try:
        return _arena_references(cases)
    except KeyError as error:
        raise ValueError(f"the property {error} is missing") from error


def _arena_references(cases: Iterable[Properties]) -> list[ArenaReference]:
    together: dict[tuple[str, int, str], dict[str, Properties]] = {}
    for properties in cases:
        if f"{_PREFIX}model" in properties:
            place = (properties["citecheck.file"], int(properties["citecheck.line"]), properties["citecheck.id"])
            together.setdefault(place, {}).setdefault(properties["citecheck.check"], properties)
    return [reference for place in sorted(together) for reference in _references(together[place])]


def _references(checks: Mapping[str, Properties]) -> Iterator[ArenaReference]:
    """A reference, and again for each time that its answer repeats it."""
    # A syntax item knows neither verdict nor record: any of the six checks tells more.
    one = next((properties for check, properties in checks.items() if check != "syntax"), checks.get("syntax", {}))
    said = {name.removeprefix(_PREFIX): value for name, value in one.items() if name.startswith(_PREFIX)}
    verdict = one.get("citecheck.verdict", "")
    reference = ArenaReference(
        model=said["model"],
        query=said["query"],
        sample=int(said.get("sample", "1")),
        discipline=said.get("discipline", "other"),
        requested=_number(said.get("requested")),
        delivery=cast("Any", _DELIVERY.get(said.get("delivery", ""), "reference")),
        verdict=verdict,
        outcomes={check: cast("Any", properties["citecheck.outcome"]) for check, properties in checks.items()},
        codes={check: properties["citecheck.code"] for check, properties in checks.items()},
        cited=frozenset(said.get("cited", "").split()),
        year=_number(said.get("year")),
        found_years=tuple(map(int, said.get("found_years", "").split())),
        source=said.get("found_by", ""),
        confidence=1 - share(one["citecheck.probability"]) if verdict else 0.0,
        earliest=_number(said.get("earliest")),
        latest=_number(said.get("latest")),
    )
    yield reference
    yield from repeat(replace(reference, duplicate=True), _number(said.get("repeated")) or 0)


def _number(text: str | None) -> int | None:
    return int(text) if text else None
