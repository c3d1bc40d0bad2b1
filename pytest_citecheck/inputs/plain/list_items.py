"""Split the lines of a reference list, from a page (with coordinates) or a text, into items.

Several segmentations of the whole list compete: by numbers, labels, hanging or first-line indentation, gaps, the wording of the
lines, or one item per line. The winner is the one whose items look most like references. Every line of the section belongs to
an item: a reference, an unreadable item, or text before or after the list.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise, zip_longest
from statistics import median

from pytest_citecheck.inputs.budget import lazy_pattern
from pytest_citecheck.inputs.citations import ends_references, is_references_heading
from pytest_citecheck.inputs.dates import A_YEAR, YEAR
from pytest_citecheck.inputs.plain.item_kinds import (
    DATED,
    FEWEST_STRONG,
    GOES_ON,
    IDENTIFIED,
    ITEM_WORD,
    LONGEST_HEAD,
    NAMED,
    SEE,
    SHORTEST,
    Item,
    Kind,
    Line,
    begins_with_persons,
    cites_again,
    densest,
    judged,
)
from pytest_citecheck.inputs.plain.segments import joined

_Starts = list[tuple[int, str]]

_MARKERS = (
    lazy_pattern(r"\s*\[\^(\d{1,4})\]:\s*"),
    lazy_pattern(rf"\s*\[\s*R?(?!{YEAR})(\d{{1,4}})\s*\]\s*"),
    lazy_pattern(rf"\s*(?:\*\*)?(?!{YEAR})(\d{{1,4}})\.(?:\*\*)?\s+(?=\D)"),
    lazy_pattern(rf"\s*\((?!{YEAR})(\d{{1,4}})\)\s*"),
    lazy_pattern(rf"\s*(?!{YEAR})(\d{{1,4}})\)\s+"),
    lazy_pattern(rf"\s*[［【〔（]\s*(?!{YEAR})(\d{{1,4}})\s*[］】〕）]\s*"),
    lazy_pattern(rf"\s*(?:#|№\s?|{ITEM_WORD}\s?)(\d{{1,4}})(?:[.:：)]\s*|\s+)"),
    lazy_pattern(rf"\s*(?!{YEAR})(\d{{1,4}})(?:\s*[:：、．]\s*|\s[–—-]\s)(?=[^\W\d_])"),
    lazy_pattern(r"\s*\^(\d{1,3})\^?\s*(?=[^\W\d_])"),
    lazy_pattern(r"\s*(\d{1,3})\s+(?=[^\W\d_])"),
    lazy_pattern(rf"\s*(?!{YEAR})(\d{{1,4}})\.(?=[^\W\d_])"),
)
_PUNCTUATED = _MARKERS[:9]
"""Numbers that no reference begins with. They may not rise: Markdown numbers each item 1, and some lists count down."""
_FOOTNOTE = lazy_pattern(r"\s*\[\^[^\[\]\s]{1,20}\]:")
_LABEL = lazy_pattern(r"\s*\[([^\W\d_][^\[\]\s]{1,12}\d\d[a-z]?)\]\s*")
_LONG_LABEL = lazy_pattern(r"\A\s*\[[^\W\d_][^\[\]]{1,80}?\d\d[a-z]?\]\s*")  # [Abelson et al., 1996]
_BULLET = lazy_pattern(
    r"\A\s*+(?:(?:[•▪‣◦·*+–—-]|\(?[a-z]\)|\([ivx]{2,5}\))\s++|[\u2460-\u2473\u2776-\u2793]\s*+|[–—-]{2,3}\s++(?=[^\W\d_])|\[\^[^\[\]]{1,20}\]:\s*+)(?=\S)"
)
_OPEN_END = lazy_pattern(
    r"(?:[,&/(:–-]|\b(?:and|und|et|y|in|by|von|of|the|for|with|to|on|eds?|hg|hrsg|der|die|das|für|mit|zu|trans|vol)\.?)\s*$",
    re.IGNORECASE,
)
"""End of a line after which names belong to the same reference."""
_OPEN_NAMES = lazy_pattern(
    r"(?:^|[\s,.-])[^\W\d_a-z]\.$|^(?:[^\W\d_a-z][^\s\d]*\s|(?:and|et|und|y|van|von|de|der|den|da|di|la|le|al\.)\s|&\s){2,40}+"
    rf"(?<=\.\s){YEAR}[a-z]?\.$"
)
"""A line that ends in an initial, or in names and their year: "and Paul Hand. 2020." A title follows, or another name."""
_QUOTED_LINES = 3
_BETWEEN_STARTS = -0.15
"""Weight of a continuation line in the search for a list without a heading: an item takes up to six lines."""
_FEWEST_NUMBERED, _SAME_EDGE = 3, 3.0
_INDENTED = 4.0
"""Minimum indentation of continuation lines, in points."""
_HEADING = lazy_pattern(r"\s*+(?:(?:[A-Z]|\d{1,2})?[.)]?\s*+)?[A-Z][^,;]*[^,;.\u00ad-]")
_APART = 2.6
"""Minimum distance between the bottoms of two unrelated lines, in line heights. Double spacing has 2.4."""
_MOST_COLUMNS, _LONGEST_HEADING = 1000, 50
_MOST_LINES = 80
"""Maximum number of lines in an item: twice as many as 100 authors need."""
_NAMED_WEIGHT, _PLAIN_WEIGHT, _CONTINUED_WEIGHT = 1.0, 0.3, -1.0
_DATED_WEIGHT, _UNDATED_WEIGHT, _SHORT_WEIGHT = 0.5, -0.7, -0.7
_HIDDEN_WEIGHT = -0.6
"""Weight of each line inside an item that looks like the start of a reference, after one that looks like an end."""
_TRUST = {
    "numbers": 1.0, "labels": 1.0, "bullets": 1.0, "hanging": 0.6, "gaps": 0.2, "first lines": 0.2, "short lines": 0.0,
    "names": 0.0, "lines": 0.0,
}  # fmt: skip
"""Weight per item of each segmentation."""


def sections_of(lines: Sequence[Line], *, headed: bool = False) -> list[list[Line]]:
    """Return the lines of each reference section, from its heading to the next one.

    Unless ``headed`` is true, also look for a list without a heading.
    """
    starts = [number for number, line in enumerate(lines) if is_references_heading(line.text)]
    found = []
    for place, start in enumerate(starts):
        stop = starts[place + 1] if place + 1 < len(starts) else len(lines)
        section = list(lines[start + 1 : stop])
        # The heading also occurs in tables of contents and at the end of sentences.
        if len(A_YEAR.findall(" ".join(line.text for line in section[:40]))) >= min(3, len(section) // 6 + 1):
            found.append(section)
    return found or ([] if headed else _headless(lines))


def _headless(lines: Sequence[Line]) -> list[list[Line]]:
    """Find the last list that is numbered from 1 and mostly dated: physics journals print it without a heading."""
    numberings = [_Numbering(lines, marker) for marker in _MARKERS]
    firsts = {place for numbering in numberings[: len(_PUNCTUATED)] for place in numbering.ones}
    for first in sorted(firsts, reverse=True):
        numbering, start = _longest(numberings, first, len(lines))
        many = numbering.items[start] >= 2 * _FEWEST_NUMBERED
        if many and numbering.dated[start] >= 0.8 * numbering.items[start]:
            return [list(lines[first:])]
    facts = _facts_of(lines)
    begins = [
        one.named and one.after_end and any(other.dated for other in facts[place : place + 2])
        for place, one in enumerate(facts)
    ]
    start, end = densest([1.0 if one else _BETWEEN_STARTS for one in begins])
    if sum(begins[start:end]) < FEWEST_STRONG:
        return []
    last = lines[end - 1].page
    while end < len(lines) and not begins[end] and lines[end].page == last and not _ended(lines[end - 1].text):
        end += 1
    return [list(lines[start:end])]


def items_of(section: Sequence[Line], known: Counter[str]) -> list[Item]:
    """Return items in order that together contain every line of a section. known: word counts of the document, for hyphens."""
    inside = _until_next_heading(section)
    starts, numbered = _best(inside)
    if not starts:
        return [_item(section, known, "outside")] if section else []
    before = [_item(inside[: starts[0][0]], known, "outside")] if starts[0][0] else []
    ends = [place for place, _ in starts[1:]] + [len(inside)]
    usual_length = median(end - start for (start, _), end in zip(starts, ends, strict=True))
    heights = median(line.height for line in inside)
    items = []
    rest: Sequence[Line] = section[len(inside) :]
    for (start, label), end in zip(starts, ends, strict=True):
        lines = inside[start:end]
        if end == len(inside):
            kept = _last(lines, usual_length, heights)
            rest = [*lines[len(kept) :], *rest]
            lines = kept
        items.append(_item(lines, known, label=label))
    notes = any(_FOOTNOTE.match(line.text) for line in inside)
    told = judged(items, numbered=numbered, notes=notes)
    after = [_item(rest, known, "outside")] if rest else []
    return [*before, *told, *after]


def _item(lines: Sequence[Line], known: Counter[str], kind: Kind = "reference", label: str = "") -> Item:
    text = joined([line.text for line in lines], known)
    if label or (kind == "reference" and any(marker.match(text) for marker in _PUNCTUATED)):
        text = SEE.sub("", _without_marker(text))
    return Item(
        _BULLET.sub("", _LONG_LABEL.sub("", text), count=1) if kind == "reference" else text, tuple(lines), label, kind
    )


def _without_marker(text: str) -> str:
    return text[match.end() :] if (match := _marker(text)) else text


def _marker(text: str) -> re.Match[str] | None:
    """The number or label that a line begins with."""
    return next(filter(None, (marker.match(text) for marker in (*_MARKERS, _LABEL))), None)


def _number(text: str) -> int:
    marker = _marker(text)
    return int(marker[1]) if marker and marker[1].isdecimal() else -1


def _best(section: Sequence[Line]) -> tuple[_Starts, bool]:
    """Return the starts of the segmentation whose items look most like references, and True if they are numbered."""
    if not section:
        return [], False
    texts = [line.text for line in section]
    facts = _facts_of(section)
    ways = {
        "numbers": _numbered(section),
        "labels": _labelled(section),
        "bullets": _bulleted(texts),
        "hanging": _indented(section, facts),
        "first lines": _first_lines(section, facts),
        "gaps": _spaced(section),
        "short lines": _spaced(section, gaps=False),
        "names": [(place, "") for place, one in enumerate(facts) if not place or (one.named and one.after_end)],
        "lines": [(place, "") for place in range(len(section))],
    }
    repairs = dict.fromkeys(("numbers", "labels", "bullets"), _with_gaps_filled)
    found = {name: repairs.get(name, _repaired)(starts, facts) for name, starts in ways.items() if starts}
    best = max(found, key=lambda name: _weight(found[name], facts, _TRUST[name]))
    return found[best], best in ("numbers", "labels")


@dataclass(frozen=True, slots=True)
class _Facts:
    """Features of a line: its beginning, whether it is dated, and whether the previous line ended a reference.

    after_open: the previous line ends within a phrase. heads: it begins with persons and a year, which starts a reference even
    if the previous one has no full stop. number: with which it begins, before persons and after an end; -1 without one.
    """

    named: bool
    goes_on: bool
    dated: bool
    length: int
    after_end: bool = True
    after_open: bool = False
    apart: bool = False
    heads: bool = False
    number: int = -1


def _facts_of(section: Sequence[Line]) -> list[_Facts]:
    texts = [_BULLET.sub("", _without_marker(line.text), count=1) for line in section]
    facts: list[_Facts] = []
    for place, (line, text) in enumerate(zip(section, texts, strict=True)):
        before = section[place - 1] if place else None
        quoted = _within_quotation(texts, place)
        goes_on = quoted or GOES_ON.match(text) is not None
        named = not goes_on and NAMED.match(text) is not None
        dated = DATED.search(text) is not None or IDENTIFIED.search(text) is not None
        if before is None:
            facts.append(_Facts(named, goes_on, dated, len(text)))
            continue
        ended, open_end = _ended(before.text), _OPEN_END.search(before.text[-12:]) is not None
        in_names = _OPEN_NAMES.search(before.text[-LONGEST_HEAD:]) or before.text.endswith(";")
        apart = before.page == line.page and before.bottom - line.bottom > _APART * max(line.height, 6)
        heads = not goes_on and not open_end and begins_with_persons(text, "".join(texts[place + 1 : place + 2]))
        after_open = open_end or (bool(in_names) and not ended)
        number = _number(line.text) if ended and not quoted and (named or heads) else -1
        facts.append(_Facts(named, goes_on, dated, len(text), not quoted and ended, after_open, apart, heads, number))
    within = _wrapped_in_paragraphs(section, facts)
    return [
        replace(one, named=False, heads=False, after_open=True) if place in within else one
        for place, one in enumerate(facts)
    ]


def _wrapped_in_paragraphs(section: Sequence[Line], facts: Sequence[_Facts]) -> set[int]:
    """The lines that begin like a reference, within paragraphs of one reference each; empty if there are no such paragraphs.

    A paragraph may have several references. Then some of them begin after a line that had room for their first word.
    """
    firsts = [place for place, _ in _spaced(section)]
    if (
        len(firsts) < _FEWEST_NUMBERED
        or 2 * len(firsts) > len(facts)
        or not all(facts[place].named for place in firsts)
    ):
        return set()
    within = {place for place, one in enumerate(facts) if one.named and one.after_end} - {*firsts}
    edge = max(line.right for line in section)
    for before, line in ((section[place - 1], section[place]) for place in within):
        first_word = line.text.split(maxsplit=1)[0]
        if before.right + (line.right - line.left) * (1 + len(first_word)) / len(line.text) <= edge:
            return set()
    return within


def _within_quotation(texts: Sequence[str], place: int) -> bool:
    """Return True if a quotation that began on an earlier line ends on this line or a later one."""
    before = " ".join(texts[max(0, place - _QUOTED_LINES) : place])
    after = " ".join(texts[place : place + _QUOTED_LINES])
    for opening, closing in (("„", "“"), ("“", "”")):
        opened = before.rfind(opening)
        if opened > before.rfind(closing) and (opened == 0 or before[opened - 1] in " (["):
            return 0 <= after.find(closing) < (after.find(opening) if opening in after else len(after))
    return False


def _ended(text: str) -> bool:
    text = text.rstrip()
    if _OPEN_NAMES.search(text[-LONGEST_HEAD:]):
        return False
    return (
        text.endswith((".", "]", ")", "/", ">", "”", "“", '"', "?", "!", "。", "．"))
        or (text.endswith(";") and A_YEAR.search(text) is not None)
        or text[-1:].isdigit()
        or "//" in text[-60:]
    )


def _weight(starts: _Starts, facts: Sequence[_Facts], trust: float) -> float:
    total = 0.0
    for (start, _), (end, _) in pairwise([*starts, (len(facts), "")]):
        first = facts[start]
        total += trust + (
            _CONTINUED_WEIGHT if first.goes_on or first.after_open else _NAMED_WEIGHT if first.named else _PLAIN_WEIGHT
        )
        total += _DATED_WEIGHT if any(one.dated for one in facts[start:end]) else _UNDATED_WEIGHT
        total += _HIDDEN_WEIGHT * sum((one.named and one.after_end) or one.heads for one in facts[start + 1 : end])
        if sum(one.length for one in facts[start:end]) < SHORTEST:
            total += _SHORT_WEIGHT
    return total


def _with_gaps_filled(starts: _Starts, facts: Sequence[_Facts]) -> _Starts:
    """Add starts for missing numbers if a line between the neighbours begins with persons, and for numbers out of order."""
    result: _Starts = []
    for (start, label), (end, following) in pairwise([*starts, (len(facts), "")]):
        result.append((start, label))
        missing = int(following) - int(label) - 1 if label.isdecimal() and following.isdecimal() else 0
        stray = _out_of_order(int(label), range(start + 1, end), facts, missing) if label.isdecimal() else {}
        places = [place for place in range(start + 1, end) if facts[place].heads and facts[place].after_end]
        result += sorted({**dict.fromkeys(places[: max(missing, 0)], ""), **stray}.items())
    return result


def _out_of_order(before: int, places: range, facts: Sequence[_Facts], missing: int) -> dict[int, str]:
    """Return the lines within an item that begin another item, with their numbers.

    Such a number repeats a neighbouring one, follows it, or replaces a missing one. Any other number is that of a volume.
    """
    numbered = [place for place in places if facts[place].number >= 0]
    found: dict[int, str] = {}
    for place, after in zip_longest(numbered, numbered[1:], fillvalue=-1):
        number = facts[place].number
        beside = (before, *((facts[after].number,) if after >= 0 else ()))
        if facts[place].heads or len(found) < missing or any(abs(number - one) <= 1 for one in beside):
            found[place], before = str(number), number
    return found


def _repaired(starts: _Starts, facts: Sequence[_Facts]) -> _Starts:
    """Drop starts within a reference, and add those hidden in an item between two dated parts."""
    first, *others = starts
    kept = [first, *((place, label) for place, label in others if not facts[place].goes_on)]
    result: _Starts = []
    for (start, label), (end, _) in pairwise([*kept, (len(facts), "")]):
        result.append((start, label))
        dated = facts[start].dated
        for place in range(start + 1, end):
            one = facts[place]
            begins = one.named and one.after_end and any(other.dated for other in facts[place : min(end, place + 4)])
            apart = one.apart and not one.goes_on and (one.after_end or one.named)
            if apart or (dated and (one.heads or begins)):
                result.append((place, ""))
                dated = False
            dated |= one.dated
    return result


def _until_next_heading(section: Sequence[Line]) -> Sequence[Line]:
    usual = median(line.height for line in section) if section else 0
    for place, line in enumerate(section):
        if not place or not _may_head(line, section[place - 1]):
            continue
        if ends_references(line.text):
            return section[:place]
        if line.height > 1.15 * usual and line.height - usual > 1.5 and _HEADING.fullmatch(line.text):
            return section[:place]
    return section


def _may_head(line: Line, before: Line) -> bool:
    """Return True if this may be a heading: a short line without a year, after the end of an item."""
    text = line.text.strip()
    ended = before.text.rstrip().endswith((".", "]", ")", "/")) or before.text.rstrip()[-1:].isdigit()
    return (
        ended and len(text) < _LONGEST_HEADING and text[:1].isupper() | text[:1].isdigit() and not A_YEAR.search(text)
    )


class _Numbering:
    """Lines that begin with one kind of number.

    ones: places of the number 1, in order. following: the line on which a list continues, by the place of one of its lines.
    items, dated: numbers of items, and of dated ones or short forms, from a line to the end of its list.
    """

    def __init__(self, lines: Sequence[Line], marker: re.Pattern[str]) -> None:
        self._lines = lines
        self.labels = {place: match[1] for place, line in enumerate(lines) if (match := marker.match(line.text))}
        self.ones = [place for place, label in self.labels.items() if int(label) == 1]
        self.following: dict[int, int] = {}
        self.items = {-1: 0}
        nearest: dict[int, int] = {}
        for place, label in reversed(self.labels.items()):
            number = int(label)
            # Numbers that were not extracted cost only one item each.
            after = [nearest[one] for one in range(number + 1, number + 4) if one in nearest]
            if after:
                self.following[place] = min(after)
            self.items[place] = 1 + self.items[min(after, default=-1)]
            nearest[number] = place

    @cached_property
    def dated(self) -> dict[int, int]:
        dated: dict[int, int] = {}
        for place in reversed(self.labels):
            after = self.following.get(place, len(self._lines))
            text = " ".join(line.text for line in self._lines[place : min(after, place + _MOST_LINES)])
            counts = DATED.search(text) is not None or cites_again(SEE.sub("", _without_marker(text)))
            dated[place] = counts + dated.get(after, 0)
        return dated

    def start_from(self, first: int) -> int:
        """Return the first line of a list at or after this line: numbered 1, or with any number if it is this line; else -1."""
        place = bisect_left(self.ones, first)
        return first if first in self.labels else self.ones[place] if place < len(self.ones) else -1

    def starts(self, start: int) -> _Starts:
        """Return the lines of a list that begin with its numbers, and the numbers."""
        found = [(start, self.labels[start])]
        while (place := self.following.get(found[-1][0])) is not None:
            found.append((place, self.labels[place]))
        return found


def _longest(numberings: Sequence[_Numbering], first: int, end: int) -> tuple[_Numbering, int]:
    """Return the numbering with the longest list in the lines from the first to the end, and its start; -1 if it is no list."""
    found = [(one, one.start_from(first)) for one in numberings]
    best, start = max(found, key=lambda one: one[0].items[one[1]])
    items, before, size = best.items[start], start - first, end - first
    enough = items >= _FEWEST_NUMBERED or (not before and size < 4 * items + 8)
    return best, start if enough and before < max(4, size // 4) else -1


def _numbered(section: Sequence[Line]) -> _Starts:
    """Return the starts of items numbered from 1; empty if they are not numbered."""
    numbering, start = _longest([_Numbering(section, marker) for marker in _MARKERS], 0, len(section))
    return numbering.starts(start) if start >= 0 else []


def _labelled(section: Sequence[Line]) -> _Starts:
    """Return the starts of items with a label: [VSP+17]."""
    found = [(place, match[1]) for place, line in enumerate(section) if (match := _LABEL.match(line.text))]
    return found if len(found) >= _FEWEST_NUMBERED else []


def _bulleted(texts: Sequence[str]) -> _Starts:
    found = [(place, "") for place, text in enumerate(texts) if _BULLET.match(text)]
    return found if len(found) >= 2 else []


def _indented(section: Sequence[Line], facts: Sequence[_Facts]) -> _Starts:
    """Return the starts of items with hanging indentation; each column has its own edge."""
    starts: _Starts = []
    edges = _edges(section, facts)
    hanging = 0
    for place, line in enumerate(section):
        offset = line.left - edges[place]
        if offset <= _SAME_EDGE:
            starts.append((place, ""))
        elif offset >= _INDENTED:
            hanging += 1
    if not starts or hanging < 0.15 * len(section):
        return []
    return starts


def _first_lines(section: Sequence[Line], facts: Sequence[_Facts]) -> _Starts:
    """Return the starts of items whose first line is indented like a paragraph."""
    edges = _edges(section, facts)
    starts = [(place, "") for place, line in enumerate(section) if line.left - edges[place] >= _INDENTED]
    return starts if len(starts) >= 0.15 * len(section) else []


def _edges(section: Sequence[Line], facts: Sequence[_Facts]) -> list[float]:
    """Return, for each line, the left edge of its column on its page."""
    columns: list[list[int]] = []
    for place, line in enumerate(section):
        before = section[place - 1] if place else None
        fresh = before is None or line.page != before.page or line.bottom > before.bottom + 3 * max(line.height, 1)
        if fresh or not columns:
            columns.append([])
        columns[-1].append(place)
    # A file with irregular line positions has no columns.
    usual = [0.0] * len(columns) if len(columns) > _MOST_COLUMNS else _usual_edges(section, facts, columns)
    return [edge for column, edge in zip(columns, usual, strict=True) for _ in column]


def _usual_edges(section: Sequence[Line], facts: Sequence[_Facts], columns: Sequence[Sequence[int]]) -> list[float]:
    """Return the left edge of each column: the position at which most names begin.

    A column with only continuation lines gets the edge of a neighbouring column.
    """
    edges = []
    for column in columns:
        named = Counter(
            round(section[place].left / _SAME_EDGE) for place in column if facts[place].named and facts[place].after_end
        )
        first = min(section[place].left for place in column)
        place, times = max(named.items(), key=lambda one: (one[1], -one[0]), default=(0, 0))
        edges.append(max(first, (place - 0.5) * _SAME_EDGE) if times > 1 else first)
    result = []
    for column, edge in zip(columns, edges, strict=True):
        near = [other for other in edges if 0 < edge - other < 40]
        # Mirrored margins shift pages by some points; a short column has too few lines to decide.
        result.append(min(near) if near and len(column) < 4 else edge)
    return result


def _spaced(section: Sequence[Line], *, gaps: bool = True) -> _Starts:
    """Return the starts of items after a wider gap (if ``gaps``), or after a short line that ends a sentence."""
    steps = [a.bottom - b.bottom for a, b in pairwise(section) if a.page == b.page and a.bottom > b.bottom]
    usual = median(steps) if steps else 0.0
    wide = gaps and any(step > 1.25 * usual for step in steps)
    if gaps and not wide:
        return []
    rights = Counter(round(line.right) for line in section)
    edge = max((right for right, count in rights.items() if count > 1), default=0)
    starts = [(0, "")]
    for place in range(1, len(section)):
        before, line = section[place - 1], section[place]
        gap = before.bottom - line.bottom
        if before.page == line.page and gap > 0 and wide:
            if gap > 1.25 * usual:
                starts.append((place, ""))
            continue
        ended = before.text.rstrip().endswith((".", "]", ")")) and (before.right < edge - 30 or not wide)
        if ended and line.text[:1].isupper():
            starts.append((place, ""))
    return starts


def _last(lines: Sequence[Line], usual: float, height: float) -> Sequence[Line]:
    """Return the lines of the last item; a wider gap separates it from text without a known heading."""
    for place in range(1, len(lines)):
        before, line = lines[place - 1], lines[place]
        ended = before.text.rstrip().endswith((".", "]", ")"))
        gap = before.bottom - line.bottom
        apart = line.page != before.page or gap > 1.6 * height or gap < 0
        if ended and (apart or place > 3 * usual + 2):
            return lines[:place]
    return lines[: int(4 * usual + 8)]
