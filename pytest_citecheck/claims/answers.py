"""Reads the verdict out of what a model answered.

`judgement` recovers what can be recovered; `published_judgement` reads as alex-o-748/citation-checker-script does, with its
faults, so that its figures can be computed again.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pytest_citecheck.claims.verdicts import PARSE_ERROR, UNKNOWN, Verdict, canonical
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["Judgement", "PublishedJudgement", "judgement", "published_judgement"]

_LONGEST = 200_000  # characters of an answer that are read
_QUOTES = ("quote", "source_quote", "supporting_quote")
_FENCE = lazy_pattern(r"```(?:[A-Za-z]++)?+\s*+(.*?)```", re.DOTALL)
_EMPHASIS = lazy_pattern(r"\*|__")
_VERDICT = lazy_pattern(r"verdict[\s:\"'“”‘’]+([A-Za-z_ -]+)", re.IGNORECASE)
_LENIENT_VERDICT = lazy_pattern(r"\bverdict\b[\s:=\"'“”‘’]+([A-Za-z_][A-Za-z_ -]*)", re.IGNORECASE)
_THINKING = lazy_pattern(r"<(/?)(think|thinking|reasoning)>", re.IGNORECASE)
_STRINGS = lazy_pattern(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_TRAILING_COMMA = lazy_pattern(r",(?=\s*[}\]])")
_CONFIDENCE = lazy_pattern(r"\bconfidence\b[\s:=\"'“”‘’]+(-?\d{1,4}(?:\.\d{1,9})?\s*%?)", re.IGNORECASE)
_NUMBER = lazy_pattern(r"(-?\d{1,4}(?:\.\d{1,9})?)\s*(%?)")
_TEXT_FIELD = r'"{name}"\s*:\s*"((?:[^"\\]|\\.)*)"'


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a model says of a claim.

    verdict: None if the answer has none. confidence: 0 to 100; None if it states none. quote: from the source, as the model
    gives it. flags: ``recovered`` (the JSON was broken), ``rescaled`` (the confidence was a share or a text with a percent sign),
    ``multiple`` (more than one answer; the first one counts), ``no-verdict``.
    """

    verdict: Verdict | None
    confidence: float | None = None
    comments: str = ""
    reason_type: str = ""
    quote: str = ""
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PublishedJudgement:
    """What the reference system reads: verdict is one of `VERDICTS`, UNKNOWN or PARSE_ERROR; confidence is as it is written."""

    verdict: str
    confidence: object = None
    comments: str = ""
    quote: str = ""


def judgement(text: str) -> Judgement:
    """The verdict and what stands beside it."""
    said = _without_thinking(text[:_LONGEST])
    objects = [value for value in _objects(said) if _is_answer(value)]
    if objects:
        first = objects[0]
        answers = [value for value in objects[1:] if _field(value, "verdict") is not None]
        return _of_object(first, ("multiple",) if answers else ())
    return _of_text(said)


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """The JSON objects of a text in their order: braces are balanced outside of strings."""
    position = text.find("{")
    while position >= 0:
        end = _closing(text, position)
        if end is None:
            position = text.find("{", position + 1) if text.count("{", position) < 50 else -1
            continue
        value = _parsed(text[position:end])
        if isinstance(value, dict):
            yield value
            position = text.find("{", end)
        else:
            position = text.find("{", position + 1)


def _closing(text: str, start: int) -> int | None:
    depth, position, in_string = 0, start, False
    while position < len(text):
        character = text[position]
        if in_string:
            if character == "\\":
                position += 1
            elif character == '"':
                in_string = False
        elif character == '"':
            in_string = True
        elif character == "{":
            depth += 1
        elif character == "}":
            depth -= 1
            if not depth:
                return position + 1
        position += 1
    return None


def _parsed(text: str) -> Any:
    for one in (text, _without_trailing_commas(text)):
        try:
            return json.loads(one)
        except (ValueError, RecursionError):
            continue
    return None


def _without_trailing_commas(text: str) -> str:
    parts, last = [], 0
    for string in _STRINGS.finditer(text):
        parts += [_TRAILING_COMMA.sub("", text[last : string.start()]), string[0]]
        last = string.end()
    return "".join((*parts, _TRAILING_COMMA.sub("", text[last:])))


def _field(value: dict[str, Any], *names: str) -> Any:
    lower = {str(key).strip().lower(): one for key, one in value.items()}
    return next((lower[name] for name in names if lower.get(name) is not None), None)


def _is_answer(value: dict[str, Any]) -> bool:
    return _field(value, "verdict", "confidence") is not None


def _of_object(value: dict[str, Any], flags: tuple[str, ...]) -> Judgement:
    verdict = canonical(_field(value, "verdict"), strict=True)
    confidence, rescaled = _confidence(_field(value, "confidence"))
    if rescaled:
        flags = (*flags, "rescaled")
    if verdict is None:
        flags = (*flags, "no-verdict")
    return Judgement(
        verdict,
        confidence,
        _text(_field(value, "comments", "comment", "explanation")),
        _text(_field(value, "reason_type")).strip().lower(),
        _text(_field(value, *_QUOTES)),
        flags,
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _confidence(value: object) -> tuple[float | None, bool]:
    """From 0 to 100, and whether it was written otherwise. A share is what lies strictly between 0 and 1."""
    if isinstance(value, bool) or value is None:
        return None, False
    percent = False
    if isinstance(value, str):
        match = _NUMBER.fullmatch(value.strip())
        if match is None:
            return None, False
        percent = bool(match[2])
        value = float(match[1])
    if not isinstance(value, int | float) or not -1e9 < value < 1e9 or math.isnan(value):
        return None, False
    number = value
    if 0 < number < 1 and not percent:
        number, percent = round(number * 100, 6), True
    if not 0 <= number <= 100:
        return None, percent
    return (int(number) if number == int(number) else number), percent


def _of_text(text: str) -> Judgement:
    """Where there is no whole JSON object: the words after “verdict” and “confidence”."""
    plain = _EMPHASIS.sub("", text)
    found = next(
        (verdict for match in _LENIENT_VERDICT.finditer(plain) if (verdict := canonical(match[1], strict=True))), None
    )
    stated = _CONFIDENCE.search(plain)
    confidence, rescaled = _confidence(stated[1] if stated else None)
    flags = ("recovered", *(("rescaled",) if rescaled else ())) if found else ("no-verdict",)
    return Judgement(
        found,
        confidence,
        _written(text, "comments") if found else "",
        _written(text, "reason_type").lower() if found else "",
        next((quote for name in _QUOTES if (quote := _written(text, name))), "") if found else "",
        flags,
    )


def _without_thinking(text: str) -> str:
    """The text without what stands between an opening and a closing sign of reasoning of the same name."""
    kept, end, opened = [], 0, None
    closings: dict[str, int] = {}  # the last one of each name: an opening after it is never closed
    signs = list(_THINKING.finditer(text))
    for sign in signs:
        if sign[1]:
            closings[sign[2].lower()] = sign.start()
    for sign in signs:
        name = sign[2].lower()
        if opened is None and not sign[1] and closings.get(name, -1) > sign.start():
            opened = name
            kept.append(text[end : sign.start()])
        elif opened == name and sign[1]:
            opened, end = None, sign.end()
    return " ".join((*kept, text[end:]))


def _written(text: str, name: str) -> str:
    match = re.search(_TEXT_FIELD.format(name=name), text, re.DOTALL | re.IGNORECASE)
    if match is None:
        return ""
    value = _parsed(f'"{match[1]}"')
    return value if isinstance(value, str) else match[1]


def published_judgement(text: str) -> PublishedJudgement:
    """The verdict as the reference system reads it: a fence or the outermost braces as JSON, else the word after “verdict”."""
    fence = _FENCE.search(text)
    start, end = text.find("{"), text.rfind("}")
    block = fence[1] if fence else text[start : end + 1] if 0 <= start < end else text
    try:
        value = json.loads(block)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict):
        stated = value.get("verdict")
        verdict = UNKNOWN if stated is None else canonical(stated) or PARSE_ERROR
        quote = next((value[name] for name in _QUOTES if value.get(name)), "")
        return PublishedJudgement(verdict, value.get("confidence"), _text(value.get("comments")), _text(quote))
    match = _VERDICT.search(_EMPHASIS.sub("", text))
    found = canonical(match[1]) if match else None
    if found is None:
        return PublishedJudgement(PARSE_ERROR, None, text[:200])
    return PublishedJudgement(found)
