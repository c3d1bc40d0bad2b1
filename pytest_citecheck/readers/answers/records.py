"""Files of answers: what a model was asked and what it said.

Two forms. JSON lines, an object a line: ``model``, ``query``, ``answer`` (text or null), and optionally ``discipline``,
``num_refs``, ``language``, ``year_constraint``, ``id``, ``tool``, and in ``call`` what the call took. And the file
``responses.json`` of the Reference Hallucination Arena of OpenJudge: a list of objects with ``query`` and ``responses``, which
maps the name of a model to its answer.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_citecheck.readers.base import NO_USAGE, AnswerGroup, Usage
from pytest_citecheck.readers.lines import LineIndex

__all__ = ["AnswerRecord", "InvalidRecord", "read_records"]

_CONSTRAINTS = ("exact", "min_year", "max_year")
_BETWEEN = " \t\r\n,"
_LONGEST_WORD = 40  # of a reason
_LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class AnswerRecord:
    """One answer: to what, its text (None if the call failed), and the line (from 1) of its object in the file."""

    group: AnswerGroup
    text: str | None
    line: int


@dataclass(frozen=True, slots=True)
class InvalidRecord:
    """An object that is no answer: its line, and what is wrong with it."""

    line: int
    message: str
    text: str


def read_records(text: str) -> list[AnswerRecord | InvalidRecord]:
    """All answers of a file in their order. Never raises on account of the content.

    Queries are numbered from 1 in the order in which they first occur; a second answer of a model to a query is its second
    ``sample``.
    """
    numbers: dict[str, int] = {}
    samples: Counter[tuple[str, int]] = Counter()
    records: list[AnswerRecord | InvalidRecord] = []
    for line, source, value in _objects(text):
        try:
            if isinstance(value, ValueError):
                raise value
            answers = list(_answers(value))
            query = _text(value, "query")
        except ValueError as error:
            records.append(InvalidRecord(line, str(error), source))
            continue
        number = numbers.setdefault(query, len(numbers) + 1)
        for model, answer in answers:
            samples[model, number] += 1
            group = _group(value, model, query, number, samples[model, number])
            records.append(AnswerRecord(group, answer, line))
    return records


def _objects(text: str) -> Iterator[tuple[int, str, Any]]:
    """Line, source text and value of every object; the value is a ValueError where there is none."""
    if text.lstrip().startswith("["):
        yield from _array(text)
        return
    # Only LF ends a line: JSON allows other separators of Unicode inside strings.
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                value = _clean(json.loads(line))
            except (ValueError, RecursionError) as error:
                value = ValueError(f"is not a JSON object: {error}")
            yield number, line, value


def _array(text: str) -> Iterator[tuple[int, str, Any]]:
    lines = LineIndex(text)
    decoder = json.JSONDecoder()
    position = text.index("[") + 1
    while True:
        while position < len(text) and text[position] in _BETWEEN:
            position += 1
        if text[position : position + 1] == "]":
            return
        line = lines.line(position)
        try:
            value, end = decoder.raw_decode(text, position)
            value = _clean(value)
        except (ValueError, RecursionError) as error:
            yield line, text[position:], ValueError(f"the list is incomplete or invalid JSON here: {error}")
            return
        yield line, text[position:end], value
        position = end


def _clean(value: Any) -> Any:
    """The value without lone surrogates, which JSON can write and no file can hold."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, list):
        return [_clean(item) for item in value]
    if isinstance(value, dict):
        return {_clean(key): _clean(item) for key, item in value.items()}
    return value


def _answers(value: Any) -> Iterator[tuple[str, str | None]]:
    """Model and answer of each answer in an object; raises ValueError if the object is not valid."""
    if not isinstance(value, dict):
        raise ValueError("an answer must be a JSON object")
    _text(value, "query")
    _requested(value)
    _year_range(value)
    for name in ("discipline", "language"):
        if not isinstance(value.get(name, ""), str | None):
            raise ValueError(f"{name} must be text")
    if "responses" in value:
        responses = value["responses"]
        if not isinstance(responses, dict):
            raise ValueError("responses must be an object that maps models to answers")
        for model, answer in responses.items():
            yield _text({"model": model}, "model"), _answer(answer)
    else:
        model = _text(value, "model")
        if "answer" not in value:
            raise ValueError("answer is missing (use null for a failed call)")
        yield model, _answer(value["answer"])


def _answer(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise ValueError("answer must be text or null")


def _text(value: Mapping[str, Any], name: str) -> str:
    found = value.get(name)
    if not isinstance(found, str) or not found.strip():
        raise ValueError(f"{name} must be non-empty text")
    return found


def _requested(value: Mapping[str, Any]) -> int | None:
    number = value.get("num_refs")
    if number is None:
        return None
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise ValueError("num_refs must be a positive integer")
    return number


def _year_range(value: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """The first and the last year allowed, both inclusive; ``exact`` wins over the others, as in the Arena."""
    constraint = value.get("year_constraint")
    if constraint is None:
        return None, None
    if not isinstance(constraint, dict):
        raise ValueError("year_constraint must be an object")
    if unknown := sorted(set(constraint) - set(_CONSTRAINTS)):
        raise ValueError(f"year_constraint allows {', '.join(_CONSTRAINTS)}, not {', '.join(unknown)}")
    years = {}
    for name, year in constraint.items():
        if year is not None and (not isinstance(year, int) or isinstance(year, bool)):
            raise ValueError(f"year_constraint.{name} must be an integer")
        years[name] = year
    exact = years.get("exact")
    return (exact, exact) if exact is not None else (years.get("min_year"), years.get("max_year"))


def _group(value: Mapping[str, Any], model: str, query: str, number: int, sample: int) -> AnswerGroup:
    earliest, latest = _year_range(value)
    identifier = value.get("id")
    return AnswerGroup(
        model=model,
        query=query,
        number=number,
        sample=sample,
        discipline=value.get("discipline") or "other",
        language=value.get("language") or "",
        requested=_requested(value),
        earliest=earliest,
        latest=latest,
        id="" if identifier is None else str(identifier),
        tool=value.get("tool") is True,
        served=str(value.get("served", ""))[:_LONGEST_NAME],
        usage=_usage(value.get("call")),
    )


def _usage(value: Any) -> Usage:
    """What the call took, as an arena writes it down; what has another type is not known."""
    if not isinstance(value, dict):
        return NO_USAGE

    def whole(name: str, default: Any) -> Any:
        found = value.get(name, default)
        return found if isinstance(found, int) and not isinstance(found, bool) and found >= 0 else default

    cost = value.get("cost")
    return Usage(
        calls=whole("calls", 1),
        searches=whole("searches", 0),
        iterations=whole("iterations", 0),
        fallback=value.get("fallback") is True,
        prompt_tokens=whole("prompt_tokens", None),
        completion_tokens=whole("completion_tokens", None),
        cost=float(cost) if isinstance(cost, int | float) and 0 <= cost < float("inf") else None,
        finish=str(value.get("finish", ""))[:_LONGEST_WORD],
        failure=str(value.get("failure", ""))[:_LONGEST_WORD],
    )
