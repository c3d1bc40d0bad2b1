"""Texts that may slow down a regular expression: repeated matches of its own parts, followed by a mismatch.

A pattern is superlinear if a repeating part can be entered or left at many places of a text before the rest fails. Every pump
therefore repeats the match of one repeating part, the text leading to it, or both.
"""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

AnyText = str | bytes

_CANDIDATES = " \n\taAz1.,:;-_()[]{}<>&$%\"'#@/\\=~^+*|!?`’–“”éЖ中等ー\u0301\u200b³"
_SUFFIXES = ("\n\x01", "")
_REPRESENTATIVES = 4
_ENOUGH = 0.3
"""Seconds that no load can explain for a text of this length; longer runs need no second measurement."""
_MANY = 50
"""Repetitions from which a bounded repeat counts as unbounded."""


def pumps(pattern: re.Pattern[str] | re.Pattern[bytes]) -> list[tuple[str, str, str]]:
    """Pairs of prefix, body and suffix: the text is the prefix, the body repeated, and the suffix; each once."""
    tree = _parser.parse(pattern.pattern, pattern.flags)
    alphabet = sorted(_alphabet(tree))
    bodies: dict[tuple[str, str], None] = {("", character): None for character in alphabet}
    whole = _samples(tree)
    for sample in whole:
        bodies["", sample] = None
        if len(sample) > 1:
            bodies["", sample[:-1]] = None
            bodies["", sample[1:]] = None
    for before, repeated in _repeats(tree, [""]):
        for lead in before[:3]:
            bodies["", lead] = None
            for sample in repeated:
                bodies[lead, sample] = None
                bodies["", lead + sample] = None
            for first, second in itertools.permutations(repeated[:3], 2):
                bodies[lead, first + second] = None
    return [(prefix, body, suffix) for prefix, body in bodies if body for suffix in _SUFFIXES]


def _alphabet(tree: Any) -> set[str]:
    found: set[str] = set()
    for op, argument in tree:
        if op is sre.LITERAL:
            found.add(chr(argument))
        elif op in (sre.NOT_LITERAL, sre.IN, sre.ANY):
            found.update(_of_class(op, argument))
        else:
            for inner in _inner(op, argument):
                found |= _alphabet(inner)
    return found


def _inner(op: Any, argument: Any) -> list[Any]:
    if op in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
        return [argument[2]]
    if op is sre.SUBPATTERN:
        return [argument[-1]]
    if op is sre.BRANCH:
        return list(argument[1])
    if op in (sre.ASSERT, sre.ASSERT_NOT):
        return [argument[1]]
    if op is sre.ATOMIC_GROUP:
        return [argument]
    if op is sre.GROUPREF_EXISTS:
        return [inner for inner in argument[1:] if inner is not None]
    return []


def _of_class(op: Any, argument: Any) -> list[str]:
    """Some characters that one position takes."""
    if op is sre.ANY:
        return ["a", " ", "1"]
    own = [chr(value) for kind, value in argument if kind is sre.LITERAL] if op is sre.IN else []
    own += [chr(low) for kind, value in argument if kind is sre.RANGE for low in value[:1]] if op is sre.IN else []
    matches = _class_test(op, argument)
    taken = [character for character in dict.fromkeys([*own, *_CANDIDATES]) if matches(character)]
    return taken[:_REPRESENTATIVES]


def _class_test(op: Any, argument: Any) -> Callable[[str], bool]:
    categories: dict[Any, Callable[[str], bool]] = {
        sre.CATEGORY_DIGIT: str.isdigit,
        sre.CATEGORY_SPACE: str.isspace,
        sre.CATEGORY_WORD: lambda text: text.isalnum() or text == "_",
    }
    negated = {
        sre.CATEGORY_NOT_DIGIT: sre.CATEGORY_DIGIT,
        sre.CATEGORY_NOT_SPACE: sre.CATEGORY_SPACE,
        sre.CATEGORY_NOT_WORD: sre.CATEGORY_WORD,
    }

    def one(kind: Any, value: Any, text: str) -> bool:
        if kind is sre.LITERAL:
            return bool(ord(text) == value)
        if kind is sre.RANGE:
            return bool(value[0] <= ord(text) <= value[1])
        if kind is sre.CATEGORY:
            if value in negated:
                return not categories[negated[value]](text)
            return bool(categories[value](text))
        return False

    if op is sre.NOT_LITERAL:
        return lambda text: ord(text) != argument
    items = [item for item in argument if item[0] is not sre.NEGATE]
    inverted = len(items) != len(argument)
    return lambda text: any(one(kind, value, text) for kind, value in items) is not inverted


def _samples(tree: Any) -> list[str]:
    """A few texts that the tree matches, assertions aside."""
    texts = [""]
    for op, argument in tree:
        parts = _part(op, argument)
        if not parts:
            continue
        # Not the product: each variant of one part with the first of all others, so that the number stays small.
        texts = [texts[0] + part for part in parts] + [text + parts[0] for text in texts[1:]]
        texts = list(dict.fromkeys(texts))[: 2 * _REPRESENTATIVES]
    return texts


def _part(op: Any, argument: Any) -> list[str]:
    if op is sre.LITERAL:
        return [chr(argument)]
    if op in (sre.NOT_LITERAL, sre.IN, sre.ANY):
        return _of_class(op, argument)
    if op in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
        low, _, inner = argument
        inners = _samples(inner)
        if low > 1:
            return [sample * min(low, 20) for sample in inners]
        return inners if low else [*inners[:2], ""]
    if op is sre.SUBPATTERN:
        return _samples(argument[-1])
    if op is sre.BRANCH:
        branches = [_samples(branch) for branch in argument[1]]
        firsts = [branch[0] for branch in branches if branch]
        return [*firsts[:_REPRESENTATIVES], *branches[-1][:1]]
    if op is sre.ATOMIC_GROUP:
        return _samples(argument)
    return []


def _repeats(tree: Any, before: list[str]) -> Iterator[tuple[list[str], list[str]]]:
    """Yield, for each unbounded repeat, the text leading to it and its match."""
    lead = before
    for op, argument in tree:
        if op in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            _, high, inner = argument
            if high is sre.MAXREPEAT or high >= _MANY:
                yield lead, _samples(inner)
        for inner in _inner(op, argument):
            yield from _repeats(inner, lead)
        parts = _part(op, argument)
        if parts:
            lead = [first + second for first in lead[:2] for second in parts[:2]]


@dataclass(frozen=True, slots=True)
class Growth:
    """Processor seconds on a text of ``size`` characters, and on one four times as long."""

    size: int
    short: float
    long: float

    @property
    def superlinear(self) -> bool:
        return self.long > 0.05 and self.long > 8 * self.short


def _seconds(run: Callable[[AnyText], object], text: AnyText, limit: float) -> float:
    """The least of up to three measurements; one is enough if it stays under the limit. A single long one may be due to a
    collection of garbage."""
    best = float("inf")
    for before in range(3):
        begin = time.thread_time()
        run(text)
        best = min(best, time.thread_time() - begin)
        if best < limit or (before and best > _ENOUGH):
            break
    return best


def growth(
    run: Callable[[AnyText], object], text: Callable[[int], AnyText], *, size: int = 8192, floor: float = 0.003
) -> Growth | None:
    """Measure the growth of ``run``'s time with its text; None if it is short for all sizes.

    text: returns a text of about this many characters. floor: seconds allowed for a text of ``size``. A run that is slow on a
    short text is not tried on longer ones.
    """
    lengths = [length for length in (16, 20, 24, 32, 48, 72, 108, 162, 243, 512, 2048) if length < size] + [size]
    for length in lengths:
        seconds = _seconds(run, text(length), floor)
        if seconds >= floor:
            break
    else:
        return None
    if length < 256:
        # Exponential, unless a quarter of the text takes its share of the time: the function is slow, or the machine is.
        return Growth(length // 4, _seconds(run, text(length // 4), 0), max(seconds, 0.06))
    while seconds < 0.01:
        length *= 2
        seconds = _seconds(run, text(length), 0)
        if length > 64 * size:
            return None
    grown = Growth(length, seconds, _seconds(run, text(4 * length), 0.05))
    if grown.superlinear:  # one measurement may have met a collection of garbage, another process or another clock rate
        again = (
            Growth(length, _seconds(run, text(length), 0), _seconds(run, text(4 * length), 0.05)) for _ in range(2)
        )
        grown = min(grown, *again, key=lambda pair: pair.long / pair.short)
    return grown


def growth_of_repetition(
    run: Callable[[str], object], unit: str, *, prefix: str = "", suffix: str = ""
) -> Growth | None:
    """Measure the growth of ``run``'s time with the repetitions of a unit; None if it is short for all sizes."""
    number = itertools.count()  # never the same text, which would be remembered
    return growth(
        lambda text: run(f"{text!s}{next(number)}"),
        lambda length: f"{prefix}{unit * (length // len(unit) + 1)}{suffix}",
        size=4096,
        floor=0.05,
    )


def superlinear_pumps(
    pattern: re.Pattern[str] | re.Pattern[bytes], methods: Iterable[str], *, most: int | None = None
) -> Iterator[tuple[tuple[str, str, str], Growth]]:
    """Yield the first pump on which each way of applying the pattern takes more than linear time, with its growth.

    methods: names of pattern methods; methods that scan a whole text are tried as ``subn``. most: number of pumps to try,
    spread over all of them; None: all.
    """
    ways = {"search" if method not in ("match", "fullmatch") else method for method in methods} or {"search"}
    nothing: Any = b"" if isinstance(pattern.pattern, bytes) else ""
    runs: dict[str, Callable[[Any], object]] = {
        "search": lambda text: pattern.subn(nothing, text),
        "match": pattern.match,
        "fullmatch": pattern.fullmatch,
    }
    every = pumps(pattern)
    chosen = every[:: max(1, len(every) // most)] if most else every
    for way in sorted(ways):
        for prefix, body, suffix in chosen:

            def text(length: int, pump: tuple[str, str, str] = (prefix, body, suffix)) -> AnyText:
                made = pump[0] + pump[1] * (length // len(pump[1]) + 1) + pump[2]
                return made.encode() if isinstance(pattern.pattern, bytes) else made

            grown = growth(runs[way], text)
            if grown and grown.superlinear:
                yield (prefix, body, suffix), grown
                break
