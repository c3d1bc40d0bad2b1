"""Split the lines of a reference list, from a page (with coordinates) or a text, into items.

Several segmentations of the whole list compete: by numbers, labels, hanging or first-line indentation, gaps, the wording of the
lines, or one item per line. The winner is the one whose items look most like references. Every line of the section belongs to
an item: a reference, an unreadable item, or text before or after the list.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from statistics import median
from typing import Literal

from pytest_citecheck.inputs.budget import lazy_pattern
from pytest_citecheck.inputs.citations import ends_references, is_references_heading
from pytest_citecheck.inputs.dates import YEAR
from pytest_citecheck.inputs.plain.names import bibtex_authors, names_persons
from pytest_citecheck.inputs.plain.segments import joined, words_of

Kind = Literal["reference", "unread", "outside", "again"]


@dataclass(frozen=True, slots=True)
class Line:
    """A line with its coordinates in points.

    page: from 1. number: of the line or paragraph in a text, from 1; 0 on pages.
    """

    text: str
    page: int
    left: float
    right: float
    bottom: float
    height: float
    number: int = 0


@dataclass(frozen=True, slots=True)
class Item:
    """Lines of a section and their joined text.

    label: number or label as printed, or `""`. kind: ``reference``; ``unread``: a list item that cannot be read as a reference;
    ``outside``: text before or after the list; ``again``: a short form of an earlier item, such as "Ibid., 12".
    """

    text: str
    lines: tuple[Line, ...]
    label: str = ""
    kind: Kind = "reference"


_Starts = list[tuple[int, str]]

_MARKERS = (
    lazy_pattern(r"\s*\[\^(\d{1,4})\]:\s*"),
    lazy_pattern(rf"\s*\[\s*(?!{YEAR})(\d{{1,4}})\s*\]\s*"),
    lazy_pattern(rf"\s*(?!{YEAR})(\d{{1,4}})\.\s+(?=\D)"),
    lazy_pattern(rf"\s*\((?!{YEAR})(\d{{1,4}})\)\s*"),
    lazy_pattern(rf"\s*(?!{YEAR})(\d{{1,4}})\)\s+"),
    lazy_pattern(r"\s*(\d{1,3})\s+(?=[^\W\d_])"),
    lazy_pattern(rf"\s*(?!{YEAR})(\d{{1,4}})\.(?=[^\W\d_])"),
)
_LABEL = lazy_pattern(r"\s*\[([^\W\d_][^\[\]\s]{1,12}\d\d[a-z]?)\]\s*")
_LONG_LABEL = lazy_pattern(r"\A\s*\[[^\W\d_][^\[\]]{1,80}?\d\d[a-z]?\]\s*")  # [Abelson et al., 1996]
_BULLET = lazy_pattern(r"\A\s*+(?:[•▪‣◦·*+–—-]\s++|\[\^[^\[\]]{1,20}\]:\s*+)(?=\S)")
_YEAR = lazy_pattern(rf"(?<!\d){YEAR}(?!\d)")
_DATED = lazy_pattern(
    rf"(?<![\d.–-]){YEAR}(?!\d|\s?[–-]\s?\d{{3}})|\b(?:in press|forthcoming|in prep\w*|submitted|to appear"
    r"|accepted|unpublished|n\.\s?d\.|im druck"
    r"|im erscheinen|i\.\s?e\.|o\.\s?j\.|i\.\s?v\.|manuscript|à paraître|en prensa|no prelo|in begutachtung|under review"
    r"|(?:various|several|diverse|versch\w*\.?) (?:years?|issues|dates|volumes|jahre|jahrg[äa]nge?|ausgaben))(?!\w)"
    r"|印刷中|(?:昭和|平成|令和)\d",
    re.IGNORECASE,
)
_IDENTIFIED = lazy_pattern(r"\b10\.\d{4,9}/\S|\barxiv\b|https?:|\bwww\.|\bISBN\b|\bPMID\b|\burn:", re.IGNORECASE)
_REACHED = lazy_pattern(r"\w@\w|\bTel\.|\bPhone\b|\bFax\b", re.IGNORECASE)
"""Signs of contact details."""
_CAP = r"[^\W\d_a-zß-öø-ÿ](?:(?!-[^\W\d_a-zß-öø-ÿ])[\w'’´`-])*+"
"""A capitalised word; a hyphen before another capital divides words, so that each text has one division."""
_PARTICLE = (
    r"(?:(?:van|von|vom|zu|zur|zum|de|del|della|der|den|di|da|dos|das|du|la|le|los|te|ten|ter|op|al|el|bin|d['’])\s*)"
)
_NAMED = lazy_pattern(
    rf"[\s\"“„*_]*(?:[-–—_]{{2,}}|(?:ders|dies|idem)\.?[,:(\s]"
    rf"|{_PARTICLE}{{0,3}}{_CAP}(?:[ -]{_CAP}){{0,3}},?\s?\(?(?:Hrsg|Hg|eds?)\b"
    rf"|{_PARTICLE}{{0,3}}{_CAP}(?:[ -]{_CAP}){{0,2}},\s*(?:{_CAP}|[A-ZÄÖÜ]\.)"
    rf"|(?:[A-ZÄÖÜ]\.[ -]?){{1,4}}\s?{_PARTICLE}{{0,3}}{_CAP}"
    rf"|{_PARTICLE}{{0,3}}{_CAP}(?:[ -]{_CAP}){{0,2}}\s[A-Z]{{1,3}}(?:[,.:(]|\s\(|$)"
    rf"|{_CAP}(?:\s{_CAP}|\s[A-Z]\.){{1,3}}(?:[,:/](?!\s*(?:\d|[Vv]ol|[Nn]o\b|Heft|H\.|[Jj]g|Bd))"
    rf"|\.\s|\s(?:and|und|&)\s|\s(?:et al|u\. ?a)\.)"
    rf"|\[[^\W\d_][^\[\]]{{1,60}}(?:\]|,$)"
    rf"|{_CAP}\s?[/&]\s?{_CAP}"
    rf"|(?=[^\W\d_a-zß-öø-ÿ])(?:[^\s.]+\s){{0,8}}?[^\s.,]+[.,:]?\s(?:\({YEAR}[a-z]?[).:,]|{YEAR}[a-z]?[.:,]\s\S))"
)
"""Start of a reference: a name, several names, editors, an organisation and a year, or a dash for the same authors."""
_GOES_ON = lazy_pattern(
    rf"(?!\s*{_PARTICLE}{{1,3}}{_CAP}(?:[ -]{_CAP}){{0,2}}(?:,|\s[A-Z]{{1,3}}[,.(]))"
    rf"\s*(?:[a-zß-öø-ÿ](?!\.\s?[A-Z])|\d|[),;:/&]|pp?\.|S\.\s?\d|In:|Vol\.|Bd\.|No\.|Nr\.|https?:|www\.|doi\b|\({YEAR}"
    r"|(?:Accessed|Retrieved|Available|Downloaded|Zugriff|Abgerufen|Abruf|Letzter|Zuletzt|Verfügbar|Online|Consulté|Hämtad)\b"
    r"|(?:Jan|Feb|M[aä]r|Apr|Ma[iy]|Jun|Jul|Aug|Sep|O[ck]t|Nov|De[cz])[a-zäé]*\.?\s\d|\(Orig)"
)
"""Start of a continuation line."""
_SEE = lazy_pattern(r"\A\s*(?:[Vv]gl\.|[Ss]iehe|[Ss]ee|[Cc]f\.|s\.)(?: auch| also)?\s+(?![A-Z]{1,3},)")
"""A word of a note before the work that it cites; "See, K.", "See K," and "S. Lee" are names."""
_AGAIN = lazy_pattern(
    r"(?:ibid|ebd|ebenda)\b"
    r"|[^\d“„‘\"]{2,60}?(?:\bop\. ?cit|\bloc\. ?cit|\ba\. ?a\. ?O|\((?:wie|siehe|s\.) (?:Anm|Fn)\.|\(n \d)",
    re.IGNORECASE,
)
"""A note that cites the work of an earlier note."""
_SHORT_FORM = lazy_pattern(
    r"(?P<name>[^\W\d_]+)[^\d]{0,100}?,[”’“]? (?:(?:pp?|S)\. ?)?\d{1,4}(?: ?(?:ff?|[–-] ?\d{1,4})\.?)?\.?"
)
"""A name, perhaps words of a title, and a page."""
_LONGEST_HEAD = 300
_PERSONS_AND_YEAR = lazy_pattern(
    rf"(?P<people>[^\d“”\"„()?!]{{4,300}}?)(?P<between>[ ,]*\(?){YEAR}[a-z]?(?:\s?\[\d{{4}}\])?(?:[).:,]|\s?\[)"
)
_INITIAL = lazy_pattern(r"\b[A-Z]\.")
_PERSON_MARK = lazy_pattern(r",|\b[A-Z]\.|\s[A-Z]{1,3}$")
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
_SAID = frozenset({
    "is", "are", "was", "were", "be", "been", "that", "which", "this", "these", "those", "have", "has", "had",
    "not", "can", "could", "may", "might", "will", "would", "they", "we", "it", "its", "their", "our", "his",
    "her", "he", "she", "ist", "sind", "war", "wird", "werden", "wurde", "wurden", "dass", "daß", "nicht",
    "auch", "sich", "sie", "es", "wir", "haben", "hat", "kann", "können", "diese", "dieser", "dieses", "durch",
    "jedoch", "est", "sont", "que", "qui", "nous", "cette", "pas", "son", "una", "los", "se",
})  # fmt: skip
"""Words that are frequent in sentences and rare in titles."""
_SERIES_NUMBER = re.compile(r"(?:Nr|No|Heft|Number)\.?\s*+\d{1,4}(?!\d)", re.IGNORECASE)
_SERIES_WORDS = 2
"""Maximum number of different words in a series' name. Of 5,884 real references with such a number, none has fewer than twelve
words.
"""
_MOST_SAID, _MOST_SAID_NAMED = 3, 8
"""Number of such words that makes an item prose, and the number for an item with names and a year, which may be annotated."""
_SAID_SHARE = 0.06
_PROSE_LENGTH, _PROSE_ITEMS, _LIST_BEFORE_PROSE = 300, 2, 5
"""Characters and paragraphs of prose that end a list, and the number of references required before them."""
_LEAST_STRONG = 0.4
"""Minimum share of items with names and a date in a list without numbers."""
_FEWEST_STRONG = 4
"""Minimum number of such items in a list without a heading, or in one that fills less than half of its section."""
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
_SHORTEST, _SHORTEST_ALONE = 12, 30
_NAMED_WEIGHT, _PLAIN_WEIGHT, _CONTINUED_WEIGHT = 1.0, 0.3, -1.0
_DATED_WEIGHT, _UNDATED_WEIGHT, _SHORT_WEIGHT = 0.5, -0.7, -0.7
_HIDDEN_WEIGHT = -0.6
"""Weight of each line inside an item that looks like the start of a reference, after one that looks like an end."""
_TRUST = {
    "numbers": 1.0, "labels": 1.0, "bullets": 0.6, "hanging": 0.6, "gaps": 0.2, "first lines": 0.2, "short lines": 0.0,
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
        if len(_YEAR.findall(" ".join(line.text for line in section[:40]))) >= min(3, len(section) // 6 + 1):
            found.append(section)
    return found or ([] if headed else _headless(lines))


def _headless(lines: Sequence[Line]) -> list[list[Line]]:
    """Find the last list that is numbered from 1 and mostly dated: physics journals print it without a heading."""
    numberings = [_Numbering(lines, marker) for marker in _MARKERS]
    firsts = {place for numbering in numberings[:5] for place in numbering.ones}
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
    start, end = _densest([1.0 if one else _BETWEEN_STARTS for one in begins])
    if sum(begins[start:end]) < _FEWEST_STRONG:
        return []
    while (
        end < len(lines)
        and not begins[end]
        and lines[end].page == lines[end - 1].page
        and not _ended(lines[end - 1].text)
    ):
        end += 1
    return [list(lines[start:end])]


def items_of(section: Sequence[Line], known: Counter[str] | None = None) -> list[Item]:
    """Return items in order that together contain every line of a section. known: word counts of the document, for hyphens."""
    known = words_of(line.text for line in section) if known is None else known
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
    told = judged(items, numbered=numbered)
    after = [_item(rest, known, "outside")] if rest else []
    return [*before, *told, *after]


def judged(items: Sequence[Item], *, numbered: bool = False) -> list[Item]:
    """Classify the items of one list."""
    kinds = _kinds(items, numbered=numbered)
    return [Item(one.text, one.lines, one.label, kind) for one, kind in zip(items, kinds, strict=True)]


def _item(lines: Sequence[Line], known: Counter[str], kind: Kind = "reference", label: str = "") -> Item:
    text = joined([line.text for line in lines], known)
    if label:
        text = _SEE.sub("", _without_marker(text))
    return Item(
        _BULLET.sub("", _LONG_LABEL.sub("", text), count=1) if kind == "reference" else text, tuple(lines), label, kind
    )


def _without_marker(text: str) -> str:
    for marker in (*_MARKERS, _LABEL):
        if (match := marker.match(text)) is not None:
            return text[match.end() :]
    return text


_FAMILY_FIRST = lazy_pattern(
    r"[^\W\d_a-z][\w'’-]++(?:\s[^\W\d_a-z][\w'’-]++)?,\s(?:[^\W\d_a-z]\.[\s-]?)+(?=,|&|and\b|\(|[^\W\d_])"
)


def _kinds(items: Sequence[Item], *, numbered: bool) -> list[Kind]:
    """Return the kind of each item. The list is the run with the most references; items before and after it are outside."""
    plausible = [_is_plausible(item, numbered=numbered) for item in items]
    again = _short_forms(items)
    end = _prose_after(items, plausible)
    values = [0.0 if repeats else 2.0 * one - 1.0 for one, repeats in zip(plausible, again, strict=True)]
    first, last = _densest(values[:end])
    strong = sum(
        one and _is_strong(item.text) for one, item in zip(plausible[first:last], items[first:last], strict=True)
    )
    while not numbered and first < last and not _is_strong(items[first].text):
        first += 1
    for place in range(last, end):  # an item without a year at the edge of the list
        if first == last or numbered or not _is_undated(items[place].text):
            break
        plausible[place], last = True, place + 1
    few = strong < _FEWEST_STRONG and len(items) > 2 * (last - first)
    if not numbered and (few or strong < _LEAST_STRONG * (last - first)):
        return ["outside"] * len(items)
    return [
        "outside" if not first <= place < last else "again" if again[place] else "reference" if one else "unread"
        for place, one in enumerate(plausible)
    ]


def _short_forms(items: Sequence[Item]) -> list[bool]:
    """Return which items only cite the work of an earlier item again."""
    found, names = [], set[str]()
    for item in items:
        short = None if _DATED.search(item.text) else _SHORT_FORM.fullmatch(item.text)
        found.append(_AGAIN.match(item.text) is not None or (short is not None and short["name"] in names))
        names.update(re.findall(r"[^\W\d_]+", item.text[:_LONGEST_HEAD]))
    return found


def _prose_after(items: Sequence[Item], plausible: Sequence[bool]) -> int:
    """Return the index at which prose follows the list: biographies, imprints, the volumes of a series."""
    length = count = before = 0
    said = False
    for place, (item, one) in enumerate(zip(items, plausible, strict=True)):
        if one and (item.label or _is_strong(item.text)):
            before += 1
            length = count = 0
            said = False
        else:
            length += len(item.text)
            count += 1
            said |= _prose_words(item.text) >= _MOST_SAID
            if said and before >= _LIST_BEFORE_PROSE and length >= _PROSE_LENGTH and count >= _PROSE_ITEMS:
                return place - count + 1
    return len(items)


def _densest(values: Sequence[float]) -> tuple[int, int]:
    """Return the slice with the greatest sum."""
    best, chosen, total, start = 0.0, (0, 0), 0.0, 0
    for place, value in enumerate(values):
        if total <= 0:
            total, start = 0.0, place
        total += value
        if total >= best and total > 0:
            best, chosen = total, (start, place + 1)
    return chosen


def _is_plausible(item: Item, *, numbered: bool) -> bool:
    text = item.text
    if len(text) < _SHORTEST or not re.search(r"[^\W\d_]{2}", text) or _is_number_of_a_series(text):
        return False
    named = _NAMED.match(text) is not None and _GOES_ON.match(text) is None
    if _prose_words(text) >= (_MOST_SAID_NAMED if named or item.label else _MOST_SAID):
        return False
    if _DATED.search(text) or (_IDENTIFIED.search(text) and not _REACHED.search(text)):
        return True
    return numbered and bool(item.label) and named


def _is_undated(text: str) -> bool:
    """Return True if a text without a year begins with a family name and initials, and ends like a reference."""
    return (
        _FAMILY_FIRST.match(text) is not None
        and text.rstrip().endswith((".", ")", "]"))
        and len(text) >= _SHORTEST_ALONE
        and _prose_words(text) < _MOST_SAID
    )


def _is_number_of_a_series(text: str) -> bool:
    """Return True if an item only has a series name, a number and a year, as in a list of volumes after the references."""
    rest = _SERIES_NUMBER.sub(" ", text)
    return rest != text and "," not in rest and len(set(re.sub(r"\d+", " ", rest).split())) <= _SERIES_WORDS


def kind_alone(text: str) -> Kind:
    """Classify an item outside a list: a reference must begin like one, be dated and not be a sentence."""
    short = len(text) < _SHORTEST_ALONE
    strong = (_is_strong(text) or text[:1] in '"“„‘') and _DATED.search(text) is not None
    return "reference" if strong and not short and _prose_words(text) < _MOST_SAID else "outside"


def _is_strong(text: str) -> bool:
    return _NAMED.match(text) is not None and _DATED.search(text) is not None


def _prose_words(text: str) -> int:
    """Count the sentence words of a text; 0 if they are a small share of its words."""
    words = re.findall(r"[^\W\d_]+", text.lower())
    said = sum(word in _SAID for word in words)
    return said if said >= _SAID_SHARE * len(words) else 0


def _best(section: Sequence[Line]) -> tuple[_Starts, bool]:
    """Return the starts of the segmentation whose items look most like references, and True if they are numbered."""
    if not section:
        return [], False
    texts = [line.text for line in section]
    facts = _facts_of(section)
    ways: dict[str, Callable[[], _Starts]] = {
        "numbers": lambda: _numbered(section),
        "labels": lambda: _labelled(section),
        "bullets": lambda: _bulleted(texts),
        "hanging": lambda: _indented(section, facts),
        "first lines": lambda: _first_lines(section, facts),
        "gaps": lambda: _spaced(section),
        "short lines": lambda: _spaced(section, gaps=False),
        "names": lambda: _by_names(facts),
        "lines": lambda: [(place, "") for place in range(len(section))],
    }
    found = []
    for name, way in ways.items():
        starts = way()
        if starts:
            repaired = (_with_gaps_filled if name in ("numbers", "labels") else _repaired)(starts, facts)
            found.append((_weight(repaired, facts, _TRUST[name]), name, repaired))
    _, name, starts = max(found, key=lambda one: one[0])
    return starts, name in ("numbers", "labels")


@dataclass(frozen=True, slots=True)
class _Facts:
    """Features of a line: its beginning, whether it is dated, and whether the previous line ended a reference.

    after_open: the previous line ends within a phrase. heads: it begins with persons and a year, which starts a reference even
    if the previous one has no full stop.
    """

    named: bool
    goes_on: bool
    dated: bool
    after_end: bool
    after_open: bool
    apart: bool
    heads: bool
    length: int


def _facts_of(section: Sequence[Line]) -> list[_Facts]:
    texts = [_BULLET.sub("", _without_marker(line.text), count=1) for line in section]
    facts: list[_Facts] = []
    for place, (line, text) in enumerate(zip(section, texts, strict=True)):
        before = section[place - 1] if place else None
        quoted = _within_quotation(texts, place)
        goes_on = quoted or _GOES_ON.match(text) is not None
        after_open = before is not None and _OPEN_END.search(before.text[-12:]) is not None
        in_names = before is not None and (
            _OPEN_NAMES.search(before.text[-_LONGEST_HEAD:]) or before.text.endswith(";")
        )
        facts.append(
            _Facts(
                named=not goes_on and _NAMED.match(text) is not None,
                goes_on=goes_on,
                dated=_DATED.search(text) is not None or _IDENTIFIED.search(text) is not None,
                after_end=before is None or (not quoted and _ended(before.text)),
                after_open=after_open or (bool(in_names) and not _ended(before.text if before else "")),
                apart=before is not None
                and before.page == line.page
                and before.bottom - line.bottom > _APART * max(line.height, 6),
                heads=not goes_on
                and before is not None
                and not after_open
                and begins_with_persons(text, texts[place + 1] if place + 1 < len(texts) else ""),
                length=len(text),
            )
        )
    return facts


def begins_with_persons(text: str, following: str = "") -> bool:
    """Return True if a line, together with the next, begins with names and a year, or with names in brackets (apalike)."""
    match = _PERSONS_AND_YEAR.match(f"{text[:_LONGEST_HEAD]} {following[:_LONGEST_HEAD]}")
    if match is None:
        return False
    people = match["people"].replace("/", ", ").strip()
    bare = match["between"].startswith(",")  # "Education, Jossey-Bass, 1996." is a publisher
    if (_INITIAL.search(people) if bare else _PERSON_MARK.search(people)) is None:
        return False
    at_end = match.end() >= len(text.rstrip())
    if at_end and (not following or (_NAMED.match(following) and _YEAR.search(following))):
        return False
    return any(
        names_persons(text) or bibtex_authors(text) not in ("", f"{{{text}}}")
        for text in (people, people.rstrip("., "))
    )


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
    if _OPEN_NAMES.search(text[-_LONGEST_HEAD:]):
        return False
    return (
        text.endswith((".", "]", ")", "/", ">", "”", "“", '"', "?", "!", "。", "．"))
        or (text.endswith(";") and _YEAR.search(text) is not None)
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
        if sum(one.length for one in facts[start:end]) < _SHORTEST:
            total += _SHORT_WEIGHT
    return total


def _with_gaps_filled(starts: _Starts, facts: Sequence[_Facts]) -> _Starts:
    """Add starts for missing numbers if a line between the neighbours begins with persons."""
    result: _Starts = []
    for (start, label), (end, following) in pairwise([*starts, (len(facts), "")]):
        result.append((start, label))
        if label.isdecimal() and following.isdecimal() and int(following) > int(label) + 1:
            places = [place for place in range(start + 1, end) if facts[place].heads and facts[place].after_end]
            result += [(place, "") for place in places[: int(following) - int(label) - 1]]
    return result


def _repaired(starts: _Starts, facts: Sequence[_Facts]) -> _Starts:
    """Drop starts within a reference, and add those hidden in an item between two dated parts."""
    kept = [
        (place, label)
        for place, label in starts
        if place == starts[0][0] or not (facts[place].goes_on and not facts[place].named)
    ]
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
    return ended and len(text) < _LONGEST_HEADING and text[:1].isupper() | text[:1].isdigit() and not _YEAR.search(text)


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
            counts = (
                _DATED.search(text)
                or _AGAIN.match(note := _SEE.sub("", _without_marker(text)))
                or _SHORT_FORM.fullmatch(note)
            )
            dated[place] = (counts is not None) + dated.get(after, 0)
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


def _by_names(facts: Sequence[_Facts]) -> _Starts:
    """Return the starts at lines that look like the start of a reference, after a line that looks like the end of one."""
    return [(place, "") for place, one in enumerate(facts) if not place or (one.named and one.after_end)]


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
