"""The references of models' answers, rebuilt from the properties of their checks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import repeat
from typing import Any, cast

from pytest_citecheck.benchmark.arena.scores import ArenaReference
from pytest_citecheck.benchmark.arena.strict_rule import StrictResult
from pytest_citecheck.benchmark.arena.usage import read_usage
from pytest_citecheck.benchmark.hallmark.check_results import parse_probability

__all__ = ["arena_references"]

_PREFIX = "citecheck.answer."
_STRICT = "citecheck.answer.strict"
_USAGE = "citecheck.answer.usage"
_DELIVERY = {
    "answer-missing": "failed",
    "answer-empty": "empty",
    "answer-unread": "unread",
    "answer-not-asked": "not asked",
}

Properties = Mapping[str, str]


def arena_references(cases: Iterable[Properties]) -> list[ArenaReference]:
    """The references of all answers, in the order of files and lines, independent of the order of the cases.

    cases: the properties of each check, as in JUnit XML (docs/ci.md). If a case occurs twice, the first counts. Raises
    ValueError if a property is missing or invalid.
    """
    try:
        return _arena_references(cases)
    except KeyError as error:
        raise ValueError(f"missing property {error}") from error


def _arena_references(cases: Iterable[Properties]) -> list[ArenaReference]:
    together: dict[tuple[str, int, str], dict[str, Properties]] = {}
    for properties in cases:
        if f"{_PREFIX}model" in properties:
            place = (properties["citecheck.file"], int(properties["citecheck.line"]), properties["citecheck.id"])
            together.setdefault(place, {}).setdefault(properties["citecheck.check"], properties)
    return [reference for place in sorted(together) for reference in _references(together[place])]


def _references(checks: Mapping[str, Properties]) -> Iterator[ArenaReference]:
    """A reference, and a duplicate for each time that its answer repeats it."""
    # The syntax check has neither verdict nor record: prefer one of the six other checks.
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
        confidence=1 - parse_probability(one["citecheck.probability"]) if verdict else 0.0,
        earliest=_number(said.get("earliest")),
        latest=_number(said.get("latest")),
        language=said.get("language", ""),
        id=one["citecheck.id"],
        usage=next((read_usage(data[_USAGE]) for data in checks.values() if _USAGE in data), None),
        tool=said.get("tool") == "yes",
        served=said.get("served", ""),
        strict=next((StrictResult.from_text(data[_STRICT]) for data in checks.values() if _STRICT in data), None),
    )
    yield reference
    yield from repeat(replace(reference, duplicate=True), _number(said.get("repeated")) or 0)


def _number(text: str | None) -> int | None:
    return int(text) if text else None
