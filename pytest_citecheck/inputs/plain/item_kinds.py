"""Classify the items of a reference list: references, unreadable items, text around the list, short forms of earlier items.

A note may contain several works, and a remark before them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pytest_citecheck.inputs.budget import lazy_pattern
from pytest_citecheck.inputs.dates import A_YEAR, YEAR
from pytest_citecheck.inputs.plain.names import WORD_LISTS, bibtex_authors, names_persons

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


DATED = lazy_pattern(
    rf"(?<![\d.–-]){YEAR}(?!\d|\s?[–-]\s?\d{{3}})|\b(?:in press|forthcoming|in prep\w*|submitted|to appear"
    r"|accepted|unpublished|n\.\s?d\.|im druck"
    r"|im erscheinen|i\.\s?e\.|o\.\s?j\.|i\.\s?v\.|manuscript|à paraître|en prensa|no prelo|in begutachtung|under review"
    r"|(?:various|several|diverse|versch\w*\.?) (?:years?|issues|dates|volumes|jahre|jahrg[äa]nge?|ausgaben))(?!\w)"
    r"|印刷中|(?:昭和|平成|令和)\d",
    re.IGNORECASE,
)
IDENTIFIED = lazy_pattern(r"\b10\.\d{4,9}/\S|\barxiv\b|https?:|\bwww\.|\bISBN\b|\bPMID\b|\burn:", re.IGNORECASE)
_REACHED = lazy_pattern(r"\w@\w|\bTel\.|\bPhone\b|\bFax\b", re.IGNORECASE)
"""Signs of contact details."""
_CAP = r"[^\W\d_a-zß-öø-ÿ](?:(?!-[^\W\d_a-zß-öø-ÿ])[\w'’´`-])*+"
"""A capitalised word; a hyphen before another capital divides words, so that each text has one division."""
_PARTICLE = (
    r"(?:(?:van|von|vom|zu|zur|zum|de|del|della|der|den|di|da|dos|das|du|la|le|los|te|ten|ter|op|al|el|bin|d['’])\s*)"
)
NAMED = lazy_pattern(
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
GOES_ON = lazy_pattern(
    rf"(?!\s*{_PARTICLE}{{1,3}}{_CAP}(?:[ -]{_CAP}){{0,2}}(?:,|\s[A-Z]{{1,3}}[,.(]))"
    rf"\s*(?:[a-zß-öø-ÿ](?!\.\s?[A-Z])|\d|[),;:/&]|pp?\.|S\.\s?\d|In:|Vol\.|Bd\.|No\.|Nr\.|https?:|www\.|doi\b|\({YEAR}"
    r"|(?:Accessed|Retrieved|Available|Downloaded|Zugriff|Abgerufen|Abruf|Letzter|Zuletzt|Verfügbar|Online|Consulté|Hämtad)\b"
    r"|(?:Jan|Feb|M[aä]r|Apr|Ma[iy]|Jun|Jul|Aug|Sep|O[ck]t|Nov|De[cz])[a-zäé]*\.?\s\d|\(Orig)"
)
"""Start of a continuation line."""
ITEM_WORD = r"(?:[Rr]ef(?:erence)?|[Pp]aper|参考文献|文献)\.?"
"""A word before the number of an item: "Ref. 3"."""
SEE = lazy_pattern(r"\A\s*(?:[Vv]gl\.|[Ss]iehe|[Ss]ee|[Cc]f\.|s\.)(?: auch| also)?\s+(?![A-Z]{1,3},)")
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
LEAD = lazy_pattern(
    r"\A\s*(?:(?:unter anderem|vgl|siehe|see|cf|(?-i:s)|so|dazu|hierzu|ähnlich|etwa|z\.\s?b|e\.\s?g|also|auch|but|compare"
    r"|contrast|for example|for instance|ausführlich|u\.\s?a|zum beispiel"
    r"|voir|véase|ver|vgl\.\s?auch|see also|siehe auch|exemplarisch|stellvertretend|beispielsweise|insbesondere"
    r"|zitiert nach)\b(?![-’'])(?!,\s(?-i:[A-Z]{1,3})[.,\s])[.:,]*\s*)+",
    re.IGNORECASE,
)
"""Words of a note before the first work that it cites."""
_SEES = r"\b(?:[Ss]ee|[Cc]f\.|[Cc]ompare|[Vv]gl\.|[Ss]iehe|[Vv]oir)(?: also| auch| aussi)?\s+"
_POINTER = lazy_pattern(_SEES)
_SAID_BEFORE = lazy_pattern(rf"(?<=[^\W\d_]{{3}})[.:]\s+(?=[^\W\d_a-z])|{_SEES}")
"""Possible boundary between the words of a note and the work that it cites."""
_FIRST_PART = lazy_pattern(r"[^,:“”\"‘„*_(]{4,120}(?=[,:])")
_NEXT = lazy_pattern(
    r"(?<=[^\s;]);\s+(?=(?:(?:vgl|siehe|see|cf|but|compare|contrast|also|sowie|and|und)\.?\s+)*[^\W\d_a-zß-öø-ÿ„“\"])|(?<=\w\w)\.\s+(?=(?:Vgl|Siehe|See|Cf)\b)"
)
"""Separator between two works in one note."""
_TITLE_BEGINS = lazy_pattern(rf"[:“”\"‘„*(]|{YEAR}")
"""The end of the people of an item, if the title has marks."""
LONGEST_HEAD = 300
_PERSONS_AND_YEAR = lazy_pattern(
    rf"(?P<people>[^\d“”\"„()?!]{{4,300}}?)(?P<between>[ ,]*\(?){YEAR}[a-z]?(?:\s?\[\d{{4}}\])?(?:[).:,]|\s?\[)"
)
_INITIAL = lazy_pattern(r"\b[A-Z]\.")
_PERSON_MARK = lazy_pattern(r",|\b[A-Z]\.|\s[A-Z]{1,3}$")
_SAID = frozenset(WORD_LISTS["words_of_sentences"])
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
FEWEST_STRONG = 4
"""Minimum number of such items in a list without a heading, or in one that fills less than half of its section."""
SHORTEST, _SHORTEST_ALONE = 12, 30


def judged(items: Sequence[Item], *, numbered: bool = False, notes: bool = False) -> list[Item]:
    """Classify the items of one list. A note that cites several works becomes several items with the same lines.

    notes: True for footnotes, which need not cite anything.
    """
    notes = notes or any(cites_again(item.text) for item in items)
    if notes:  # "So" and "Ver" begin names in a bibliography, and a semicolon stands between names
        items = [replace(item, text=text) for item in items for text in works_of_note(item.text)]
    kinds = _kinds(items, numbered=numbered, notes=notes)
    return [replace(one, kind=kind) for one, kind in zip(items, kinds, strict=True)]


def works_of_note(text: str) -> list[str]:
    """The works that a note cites, if it says nothing else but short forms and words before a work; else the whole text."""
    parts = [part for part in parts_of_note(text) if part[1] is not None]
    works = [cited for cited, kind in parts if kind == "reference"]
    is_clear = all(kind != "outside" for _, kind in parts) and all(map(_names_people, works[1:]))
    return works if works and is_clear else [text]


def parts_of_note(text: str) -> Iterator[tuple[str, Kind | None]]:
    """Split a note into works, short forms and other text. The kind is None for the words before a work.

    "For the figures see John Smith, *A Title* (2001), 3; Ibid." has words before a work, a reference and a short form.
    """
    for part in _NEXT.split(text):
        cited = LEAD.sub("", part, count=1).strip()
        if not cited:
            continue
        if cites_again(cited):
            yield cited, "again"
            continue
        boundary = _SAID_BEFORE if kind_alone(cited) != "reference" else _POINTER
        begins = (at.end() for at in boundary.finditer(cited) if _names_people(cited[at.end() :]))
        if not _names_people(cited) and (begin := next(begins, 0)):
            yield cited[:begin].strip(), None
            cited = cited[begin:]
        yield cited, kind_alone(cited)


def cites_again(text: str) -> bool:
    """Return True if a note only cites the work of an earlier note."""
    return _AGAIN.match(text) is not None or (DATED.search(text) is None and _SHORT_FORM.fullmatch(text) is not None)


def _names_people(text: str) -> bool:
    """Return True if a text begins with people and a year, or with people before a comma or colon."""
    first = _FIRST_PART.match(text)
    return begins_with_persons(text) or (first is not None and names_persons(first[0].replace("/", ", ")))


_FAMILY_FIRST = lazy_pattern(
    r"[^\W\d_a-z][\w'’-]++(?:\s[^\W\d_a-z][\w'’-]++)?,\s(?:[^\W\d_a-z]\.[\s-]?)+(?=,|&|and\b|\(|[^\W\d_])"
)


def _kinds(items: Sequence[Item], *, numbered: bool, notes: bool) -> list[Kind]:
    """Return the kind of each item. The list is the run with the most references; items before and after it are outside."""
    plausible = [_is_plausible(item, numbered=numbered) for item in items]
    again = _short_forms(items)
    end = _prose_after(items, plausible)
    values = [0.0 if repeats else 2.0 * one - 1.0 for one, repeats in zip(plausible, again, strict=True)]
    first, last = densest(values[:end])
    strong = sum(
        one and _is_strong(item.text) for one, item in zip(plausible[first:last], items[first:last], strict=True)
    )
    while not numbered and first < last and not _is_strong(items[first].text):
        first += 1
    for place in range(last, end):  # an item without a year at the edge of the list
        if first == last or numbered or not _is_undated(items[place].text):
            break
        plausible[place], last = True, place + 1
    few = strong < FEWEST_STRONG and len(items) > 2 * (last - first)
    if not numbered and (few or strong < _LEAST_STRONG * (last - first)):
        return ["outside"] * len(items)
    kinds: list[Kind] = ["outside"] * len(items)
    for place in range(first, last):
        kinds[place] = (
            "again" if again[place] else "reference" if plausible[place] else _kind_within(items[place], notes)
        )
    return kinds


def _kind_within(item: Item, notes: bool) -> Kind:
    """The kind of an item within a list that is no reference. A note may say anything, but a short form cites a work."""
    return "outside" if notes and not cites_again(item.text) else "unread"


def _short_forms(items: Sequence[Item]) -> list[bool]:
    """Return which items only cite the work of an earlier item again."""
    found, names = [], set[str]()
    for item in items:
        short = None if DATED.search(item.text) else _SHORT_FORM.fullmatch(item.text)
        found.append(_AGAIN.match(item.text) is not None or (short is not None and short["name"] in names))
        people = _TITLE_BEGINS.split(item.text[:LONGEST_HEAD], maxsplit=1)[0]
        names.update(re.findall(r"[^\W\d_]+", people))
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


def densest(values: Sequence[float]) -> tuple[int, int]:
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
    if len(text) < SHORTEST or not re.search(r"[^\W\d_]{2}", text) or _is_number_of_a_series(text):
        return False
    named = NAMED.match(text) is not None and GOES_ON.match(text) is None
    if _prose_words(text) >= (_MOST_SAID_NAMED if named or item.label else _MOST_SAID):
        return False
    if DATED.search(text) or (IDENTIFIED.search(text) and not _REACHED.search(text)):
        return True
    return numbered and bool(item.label) and named


def _is_undated(text: str) -> bool:
    """Return True if a text without a year begins with a family name and initials, and ends like a reference."""
    ended = text.rstrip().endswith((".", ")", "]")) and len(text) >= _SHORTEST_ALONE
    return _FAMILY_FIRST.match(text) is not None and ended and _prose_words(text) < _MOST_SAID


def _is_number_of_a_series(text: str) -> bool:
    """Return True if an item only has a series name, a number and a year, as in a list of volumes after the references."""
    rest = _SERIES_NUMBER.sub(" ", text)
    return rest != text and "," not in rest and len(set(re.sub(r"\d+", " ", rest).split())) <= _SERIES_WORDS


def kind_alone(text: str) -> Kind:
    """Classify an item outside a list: a reference must begin like one, be dated and not be a sentence."""
    short = len(text) < _SHORTEST_ALONE
    strong = (_is_strong(text) or text[:1] in '"“„‘') and DATED.search(text) is not None
    return "reference" if strong and not short and _prose_words(text) < _MOST_SAID else "outside"


def _is_strong(text: str) -> bool:
    return NAMED.match(text) is not None and DATED.search(text) is not None


def _prose_words(text: str) -> int:
    """Count the sentence words of a text; 0 if they are a small share of its words."""
    words = re.findall(r"[^\W\d_]+", text.lower())
    said = sum(word in _SAID for word in words)
    return said if said >= _SAID_SHARE * len(words) else 0


def begins_with_persons(text: str, following: str = "") -> bool:
    """Return True if a line, together with the next, begins with names and a year, or with names in brackets (apalike)."""
    match = _PERSONS_AND_YEAR.match(f"{text[:LONGEST_HEAD]} {following[:LONGEST_HEAD]}")
    if match is None:
        return False
    people = match["people"].replace("/", ", ").strip()
    bare = match["between"].startswith(",")  # "Education, Jossey-Bass, 1996." is a publisher
    if (_INITIAL.search(people) if bare else _PERSON_MARK.search(people)) is None:
        return False
    at_end = match.end() >= len(text.rstrip())
    if at_end and (not following or (NAMED.match(following) and A_YEAR.search(following))):
        return False
    ways = (people, people.rstrip("., "))
    return any(names_persons(one) or bibtex_authors(one) not in ("", f"{{{one}}}") for one in ways)
