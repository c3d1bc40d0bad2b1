"""Reads the verdict out of what a model answered, and looks its quote up in the source."""

from __future__ import annotations

import html
import json
import math
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final, Literal, get_args

from pytest_citecheck.matching import lazy_pattern
from pytest_citecheck.model import ClaimVerdict as Verdict
from pytest_citecheck.model import Judgement

QuoteStatus = Literal["exact", "normalized", "partial", "not-found", "too-short", "empty", "no-source"]

VERIFIED = ("exact", "normalized")
"""The statuses of a quote that is in the source."""

_SHORTEST = 12  # characters of a quote, or of one of its parts, that say where it is from
_PAIRS = frozenset({'""', "''", "“”", "‘’", "„“", "„”", "‚‘", "«»", "»«", "‹›", "「」", "『』", "``"})
_ELLIPSIS = lazy_pattern(r"\[\s*(?:\.\.\.|…)\s*\]|\.\.\.|…")
_END = ".,;:"

_QUOTATION = "\"'`´“”„‟‘’‚‛«»‹›″′‵‶「」『』〝〞＂＇"
_DASHES = "-‐‑‒–—―−﹘﹣－"
_INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
_MAPPED: dict[str, str] = {
    **dict.fromkeys(_QUOTATION, '"'),
    **dict.fromkeys(_DASHES, "-"),
    **dict.fromkeys(_INVISIBLE, ""),
    "…": "...",
}
_TABLE = str.maketrans(_MAPPED)
_ENTITY = lazy_pattern(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,10});")
_SPACES = lazy_pattern(r"\s+")
# What normalises together: characters that stay as they are, an entity, or a character with the marks that combine with it.
_MARKS = "[\u0300-\u036f\u1ab0-\u1aff\u20d0-\u20ff]"
_CLUSTER = lazy_pattern(
    rf"(?P<plain>[!#$%()*+,./0-9:;<=>?@A-Z\[\\\]^_a-z{{|}}~]+)(?!{_MARKS})"
    rf"|&(?:\#\d{{1,7}}|\#[xX][0-9a-fA-F]{{1,6}}|[A-Za-z]{{2,10}});|.{_MARKS}*",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class QuoteMatch:
    """Where a quote is.

    verified: its text, taken from the source only; start, end: of that in the source, -1 if there is none.
    """

    status: QuoteStatus
    verified: str = ""
    start: int = -1
    end: int = -1

    @property
    def is_verified(self) -> bool:
        """True if all of the quote is in the source."""
        return self.status in VERIFIED


@lru_cache(maxsize=8192)
def match_quote(quote: str | None, source: str | None) -> QuoteMatch:
    """Look a quote up in its source."""
    bare = _unwrapped(quote or "")
    if not bare:
        return QuoteMatch("empty")
    if not source or not source.strip():
        return QuoteMatch("no-source")
    wanted = _normal(bare)
    if len(wanted) < _SHORTEST:
        return QuoteMatch("too-short")
    start = source.find(bare)
    if start >= 0:
        return QuoteMatch("exact", bare, start, start + len(bare))
    return _in_segments(wanted, source)


def _in_segments(wanted: str, source: str) -> QuoteMatch:
    parts = [part for part in (piece.strip() for piece in _ELLIPSIS.split(wanted)) if part]
    if not _located(parts, _normal(source))[0]:
        return QuoteMatch("not-found")
    text, places = _mapped(source)
    found, missing = _located(parts, text)
    if not found:
        return QuoteMatch("not-found")
    spans = [(places[start][0], places[end - 1][1]) for start, end in found]
    verified = " … ".join(source[start:end] for start, end in spans)
    return QuoteMatch("partial" if missing else "normalized", verified, spans[0][0], spans[-1][1])


def _located(parts: list[str], text: str) -> tuple[list[tuple[int, int]], int]:
    """Where the parts are, in their order, and how many are not there. Short ones are forgiven where there are several."""
    found: list[tuple[int, int]] = []
    missing = cursor = 0
    for part in parts:
        short = len(part) < _SHORTEST and len(parts) > 1
        place = _find(part, text, cursor)
        if place is None:
            missing += not short
        else:
            found.append(place)
            cursor = place[1]
    says_something = any(end - start >= _SHORTEST - 1 for start, end in found)
    return (found if says_something or not missing else []), missing


def _find(part: str, text: str, cursor: int) -> tuple[int, int] | None:
    for wanted in dict.fromkeys((part, part.rstrip(_END).rstrip())):
        start = text.find(wanted, cursor) if wanted else -1
        if start >= 0:
            return start, start + len(wanted)
    return None


def _unwrapped(text: str) -> str:
    """Without the quotation marks around it."""
    text = text.strip()
    while len(text) > 1 and text[0] + text[-1] in _PAIRS:
        text = text[1:-1].strip()
    return text


def _decoded(match: re.Match[str]) -> str:
    return html.unescape(match[0])


@lru_cache(maxsize=256)
def _normal(text: str) -> str:
    """Lower case, with one kind of quotation mark, dash and space, and nothing that cannot be seen."""
    folded = _ENTITY.sub(_decoded, unicodedata.normalize("NFKC", text)).translate(_TABLE)
    return _SPACES.sub(" ", folded).replace("- ", "-").strip().lower()


@lru_cache(maxsize=32)
def _mapped(source: str) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The normal form, and for each of its characters where it begins and ends in the source."""
    starts: list[int] = []
    ends: list[int] = []
    normal: list[str] = []
    last = " "
    for match in _CLUSTER.finditer(source):
        start, end = match.span()
        if match.lastgroup == "plain":
            normal.append(match[0].lower())
            starts += range(start, end)
            ends += range(start + 1, end + 1)
            last = ""
            continue
        piece = _ENTITY.sub(_decoded, unicodedata.normalize("NFKC", match[0])).translate(_TABLE).lower()
        for character in piece:
            one = " " if character.isspace() else character
            if one == " " and last in (" ", "-"):
                continue  # spaces are squeezed, and none follows a dash
            normal.append(one)
            starts.append(start)
            ends.append(end)
            last = one
    return "".join(normal), tuple(zip(starts, ends, strict=True))


VERDICTS: Final[tuple[Verdict, ...]] = get_args(Verdict)

PARSE_ERROR = "PARSE_ERROR"
"""Stands in files of results for an answer without a verdict."""
UNDECIDED = "UNDECIDED"
"""The verdict of a judge that abstains: neither support nor a contradiction is shown."""

POSITIVE: Final[frozenset[Verdict]] = frozenset({"Supported", "Partially supported"})
FLAGGED: Final[frozenset[Verdict]] = frozenset({"Partially supported", "Not supported"})
REVIEWED: Final[frozenset[Verdict]] = frozenset({"Partially supported", "Not supported", "Source unavailable"})

_PREFIXES: tuple[tuple[str, Verdict], ...] = (
    ("NOT", "Not supported"),
    ("PARTIAL", "Partially supported"),
    ("UNAVAIL", "Source unavailable"),
    ("SOURCE", "Source unavailable"),
    ("SUPPORT", "Supported"),
)
# Words that begin like a verdict and are none.
_TRAPS = lazy_pattern(r"NOT(?![A-Z])|PARTIAL|UNAVAIL|SOURCE(?![A-Z])|SUPPORT")


def canonical(text: object, *, strict: bool = False) -> Verdict | None:
    """The verdict that a text begins with; None if there is none.

    strict: words that only begin like one are none: ``nothing`` is not NOT, ``Sourced`` is not SOURCE.
    """
    if not isinstance(text, str):
        return None
    upper = _SPACES.sub(" ", text.upper().replace("_", " ")).strip()
    if strict and not _TRAPS.match(upper):
        return None
    return next((verdict for prefix, verdict in _PREFIXES if upper.startswith(prefix)), None)


def is_supporting(verdict: str | None) -> bool:
    """Return True if it says that the source supports the claim, at least in part."""
    return verdict in POSITIVE


_MOST_OPEN = 50  # braces without an end, after which no object is looked for
_LONGEST = 200_000  # characters of an answer that are read
_QUOTES = ("quote", "source_quote", "supporting_quote")
_EMPHASIS = lazy_pattern(r"\*|__|`")
_MARKS_OF_YES, _MARKS_OF_NO = "✅✔☑🟢👍", "❌✖✗✘🚫🔴👎"
_QUOTED = r"[\"'“”‘’\s]*+"
_LENIENT_VERDICT = lazy_pattern(
    r"(?P<key>\"verdict\\?\"\s*:)?(?:\b(?P<final>final)\W)?\bverdict\b"
    rf"[\s:=\"'“”‘’|>\\–—→{_MARKS_OF_YES}{_MARKS_OF_NO}]+(?:- )?(?P<said>[A-Za-z_][A-Za-z_ -]*)"
    rf"(?P<question>{_QUOTED}\?)?"
    rf"(?P<more>{_QUOTED}(?:[|/,]|\bor\b){_QUOTED}(?:NOT|PARTIAL|SUPPORT|SOURCE)(?:LY)?[ _-]?(?:S|UN|\"|\W|\Z))?",
    re.IGNORECASE,
)
# Signs around the thoughts of models: each opening with its closing.
_THINKING = lazy_pattern(
    r"</?(?:seed:)?(?:think|thinking|thought|thoughts|reasoning|reflection|analysis|scratchpad)>|\[/?THINK\]|◁/?think▷"
    r"|<\|(?:START|END)_THINKING\|>|<\|channel\|>(?:analysis|commentary|final)(?:<\|message\|>)?",
    re.IGNORECASE,
)
_TRAILING_COMMA = lazy_pattern(r'("(?:[^"\\]|\\.)*+")|,(?=\s*+[}\]])', re.DOTALL)
_BRACES = lazy_pattern(r'"(?:[^"\\]|\\.)*+"|[{}"]', re.DOTALL)
_CONFIDENCE = lazy_pattern(r"\bconfidence\b[\s:=\"'“”‘’|>\\]+(-?\d{1,4}(?:\.\d{1,9})?\s*%?)", re.IGNORECASE)
_NUMBER = lazy_pattern(r"(-?\d{1,4}(?:\.\d{1,9})?)\s*(%?)")
_TEXT_FIELD = r'"{name}"\s*:\s*"((?:[^"\\]|\\.)*)"'

# A verdict as it may be written. What follows it may give the reason, and nothing else.
_WORDS: tuple[tuple[re.Pattern[str], Verdict], ...] = (
    (lazy_pattern(r"NOT[ _-]?SUPPORT(?:ED|S)?"), "Not supported"),
    (lazy_pattern(r"PARTIAL(?:LY)?(?:[ _-]?SUPPORT(?:ED|S)?)?"), "Partially supported"),
    (lazy_pattern(r"(?:SOURCE[ _-]?)?UNAVAILABLE"), "Source unavailable"),
    (lazy_pattern(r"SUPPORT(?:ED|S)?"), "Supported"),
)
_CONTINUED = lazy_pattern(
    r"(?:\s+(?:BY|WITH|BECAUSE|SINCE|AS|CONFIDENCE|REASON|COMMENTS?|IN)\b(?!.*\b(?:NOT|BUT|HOWEVER|UN)).*)?\Z"
)
_ORNAMENT = lazy_pattern("[\u2600-\u27bf\u2b00-\u2bff\ufe0f\U0001f000-\U0001faff]")
_EDGES = " \t\r\n\"'“”‘’.,;:!#>-–—|[](){}"
_REFUSAL = lazy_pattern(
    r"\b(?:I(?:[’']m| am) (?:sorry|unable|not able)|I (?:can(?:[’']t|not| not)|won[’']t|must decline|do not feel|don[’']t feel)"
    r"|as an AI"
    r"|against my|I apologi[sz]e|unable to (?:help|assist|comply|provide)|can(?:no|[’'])t (?:help|assist|comply))",
    re.IGNORECASE,
)
_SHORT = 2_000  # characters of a refusal


def judgement(text: str, finish: str = "") -> Judgement:
    """The verdict and the text beside it. finish: why the answer ends; ``length`` if it is cut off."""
    text = text[:_LONGEST]
    said = _without_thinking(text)
    objects = [value for _, value in _objects(said) if _is_answer(value)]
    if objects:
        first = objects[0]
        answers = [value for value in objects[1:] if _field(value, "verdict") is not None]
        found = _of_object(first, ("multiple",) if answers else ())
    else:
        found = _of_text(said)
    return found if found.verdict is not None else replace(found, problem=_problem(text, said, found, finish))


def _problem(text: str, said: str, found: Judgement, finish: str) -> str:
    """Why an answer has no verdict."""
    cut = finish == "length"
    rules = (
        (not text.strip(), f"the answer is empty{': reasoning used all tokens' if cut else ''}"),
        (not said.strip(), f"the answer is only thoughts{', which are cut off' if cut or '</' not in text else ''}"),
        (found.problem, found.problem),
        (cut, "the answer is cut off before its verdict"),
        (finish.lower() in ("content_filter", "safety", "refusal"), "a filter of the provider stopped the answer"),
        (len(said) < _SHORT and _REFUSAL.search(said), "the model refuses to answer"),
    )
    return next((problem for applies, problem in rules if applies), "the answer contains no verdict")


def _stated(value: object) -> Verdict | None:
    """The verdict that a text is, with a reason behind it or none. “Not clearly supported” is none."""
    if not isinstance(value, str):
        return None
    marks = {sign for sign in value if sign in _MARKS_OF_YES + _MARKS_OF_NO}
    bare = _SPACES.sub(" ", _EMPHASIS.sub("", _ORNAMENT.sub("", value))).strip(_EDGES).upper()
    for pattern, verdict in _WORDS:
        match = pattern.match(bare)
        if match is None:
            continue
        rest = bare[match.end() :]
        if rest[:1].isalnum() or not _CONTINUED.match(
            rest.rstrip(_EDGES).replace("_", " ").lstrip(",.;:(—–-") if rest else ""
        ):
            return None
        against = _MARKS_OF_NO if verdict == "Supported" else _MARKS_OF_YES if verdict == "Not supported" else ""
        return None if any(sign in against for sign in marks) else verdict
    return None


def _objects(text: str) -> Iterator[tuple[tuple[int, int], dict[str, Any]]]:
    """The JSON objects of a text in their order, with their places: braces are balanced outside of strings."""
    position = text.find("{")
    while position >= 0:
        end = _closing(text, position)
        value = _parsed(text[position:end]) if end is not None else None
        if isinstance(value, dict) and end is not None:
            yield (position, end), value
        elif end is None and text.count("{", position) >= _MOST_OPEN:
            return
        position = text.find("{", end if isinstance(value, dict) else position + 1)


def _closing(text: str, start: int) -> int | None:
    depth = 0
    for token in _BRACES.finditer(text, start):
        if token[0] == '"':  # a string without an end
            return None
        depth += {"{": 1, "}": -1}.get(token[0], 0)
        if not depth:
            return token.end()
    return None


def _parsed(text: str) -> Any:
    for written in (text, _TRAILING_COMMA.sub(lambda found: found[1] or "", text)):
        try:
            return json.loads(written)
        except (ValueError, RecursionError):
            continue
    return None


def _field(value: dict[str, Any], *names: str) -> Any:
    lower = {str(key).strip().lower(): member for key, member in value.items()}
    return next((lower[name] for name in names if lower.get(name) is not None), None)


def _is_answer(value: dict[str, Any]) -> bool:
    return _field(value, "verdict", "confidence") is not None


def _of_object(value: dict[str, Any], flags: tuple[str, ...]) -> Judgement:
    stated = _field(value, "verdict")
    verdict = _stated(stated)
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
        "" if verdict else "the answer has no verdict" if stated is None else f"{str(stated)[:60]!r} is not a verdict",
        _text(_field(value, "more")),
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
    plain = _EMPHASIS.sub(
        "", _ORNAMENT.sub(lambda mark: mark[0] if mark[0] in _MARKS_OF_YES + _MARKS_OF_NO else "", text)
    )
    found, problem = _in_prose(plain)
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
        problem,
    )


def _in_prose(text: str) -> tuple[Verdict | None, str]:
    """The verdict after the word “verdict”, or on a line of its own; and why there is none."""
    keyed: list[Verdict] = []
    final: list[Verdict] = []
    others: list[Verdict] = []
    unclear = ""
    for match in _LENIENT_VERDICT.finditer(text):
        if match["more"] or match["question"]:
            unclear = unclear or "the answer repeats the list of verdicts"
            continue
        beside = match[0] + text[match.end() : match.end() + 3]
        verdict = _stated("".join(sign for sign in beside if sign in _MARKS_OF_YES + _MARKS_OF_NO) + match["said"])
        if verdict is None:
            unclear = unclear or f"{' '.join(match['said'].split())[:60]!r} is not a verdict"
        else:
            (keyed if match["key"] else final if match["final"] else others).append(verdict)
    for found in (keyed[:1], final[-1:], others):
        if len(set(found)) > 1:
            return None, "the answer gives several verdicts"
        if found:
            return found[0], ""
    lines = [line for line in text.split("\n") if line.strip()]
    alone = {verdict for line in (lines[:1] + lines[-1:]) if (verdict := _stated(line)) is not None}
    if len(alone) == 1 and not unclear:
        return alone.pop(), ""
    return None, "the answer gives several verdicts" if alone and not unclear else unclear


def _without_thinking(text: str) -> str:
    """The text without thoughts.

    A closing sign without an opening ends thoughts that began with the text; an opening without a closing begins thoughts that
    are cut off. Signs within a JSON object are text.
    """
    signs = list(_THINKING.finditer(text))
    if not signs:
        return text
    inside = [place for place, value in _objects(text) if _is_answer(value)]
    kept: list[str] = []
    end, opened = 0, ""
    for sign in signs:
        if any(start < sign.start() < stop for start, stop in inside):
            continue
        kind, closes = _kind_of(sign)
        if closes:
            if not opened:
                kept.clear()
            if not opened or opened == kind:
                opened, end = "", sign.end()
        elif not opened:
            kept.append(text[end : sign.start()])
            opened = kind
    return " ".join(kept if opened else (*kept, text[end:]))


def _kind_of(sign: re.Match[str]) -> tuple[str, bool]:
    """The kind of a sign, and whether it closes thoughts."""
    said = sign[0].lower()
    if "channel" in said:
        return "harmony", "final" in said
    return re.sub(r"/|seed:|start_|end_", "", said), "/" in said or "end_" in said


def _written(text: str, name: str) -> str:
    match = re.search(_TEXT_FIELD.format(name=name), text, re.DOTALL | re.IGNORECASE)
    if match is None:
        return ""
    value = _parsed(f'"{match[1]}"')
    return value if isinstance(value, str) else match[1]
