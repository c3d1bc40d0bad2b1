"""Candidate titles of a printed reference: every pair of boundaries, with the evidence for and against it.

`pytest_citecheck.inputs.plain.citation` handles marked titles. This module handles strings in which only full stops, commas or
years separate the parts, and each of these may or may not be a boundary. A segmentation is scored by its context: names before
the title; a venue, a year or an address after it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pytest_citecheck.inputs.budget import lazy_pattern
from pytest_citecheck.inputs.dates import YEAR
from pytest_citecheck.inputs.plain.cues import (
    ABBREVIATED_END,
    ADDRESS,
    ENDS_IN_INITIAL,
    LAST_ADDRESS,
    Boundary,
    Cued,
    beginning,
    boundaries_in,
    capitalised,
    following,
    inside,
    may_end,
    rejoin_split_urls,
    sentence_breaks,
    sets_apart,
)
from pytest_citecheck.inputs.plain.names import EAST_ASIAN, WORD_LISTS, bibtex_authors, name_share, names_persons

_INITIALS_FIRST = lazy_pattern(r"(?:and\s+|&\s+)?(?:[^\W\d_]{1,3}\.[\s-]?)+[^\W\d_][\w'’-]|and\s|&\s|et al")
_ALL_BY_COMMAS = 2.4
"""Extra weight of a comma after the title if a comma precedes it too, as in IEEE style without quotation marks."""
_FIRST_STARTS, _LAST_STARTS = 24, 24
"""Number of boundaries tried as the start of a title, from the front and from the back: a thousand authors may precede it."""
_NAMES_GO_ON = lazy_pattern(
    r"(?:[^\W\d_]\.-?)++,\s|(?:and\s+|&\s*)?(?:[^\W\d_]{1,3}\.[\s-]?)*(?:(?:van|von|de|der|den|del|di|da|la|le)\s)*[^\W\d_a-z][\w'’-]*"
    r"(?:,\s+(?:[^\W\d_a-z]{1,3}\.|and\s|&|et al"
    r"|[^\W\d_a-z]\w+\s[^\W\d_a-z]\w*,)|\s+(?:and|&)\s+[^\W\d_]\.|\s[A-Z]{1,3},)"
)
"""A family name after or before its initials, and another person: a list of names continues."""
_SUFFIX = lazy_pattern(r"\b(?:Jr|Sr|Inc|Ltd|Co|eds?|Eds?|al)\.$")
_STARTS = 4
_FAR_BEHIND = 5.0
"""Limits on the starts of a title that are tried: the best ones, and none whose weight is further behind the best."""
_VANCOUVER_LIST = lazy_pattern(r"[^.,:]{2,40} [A-Z]{1,3}(?:,|:| and )")
_FURTHEST = 60
"""Number of boundaries tried as the end of a title, counted from its start."""


@dataclass(frozen=True, slots=True)
class Segmentation:
    """One way to split a string: offsets of the title, text before and after it, weight and cues."""

    start: int
    end: int
    before: str
    title: str
    after: str
    year: str
    weight: float
    cues: tuple[str, ...]


_Scored = tuple[Boundary, float, tuple[str, ...]]
_NAMES = "names before the title"


def segmentations(text: str, most: int = 4) -> list[Segmentation]:
    """Return the most probable ways to split a string, the best one first; empty for a string without words."""
    boundaries = boundaries_in(text)
    starts = sorted(_last_names(list(_starts(text, boundaries))), key=lambda scored: -scored[1])[:_STARTS]
    if starts:
        starts = [one for one in starts if one[1] > starts[0][1] - _FAR_BEHIND]
    ends = [*boundaries, Boundary(len(text), len(text), "end")]
    followed: dict[int, Cued] = {}
    found: dict[tuple[int, int], Segmentation] = {}
    for start, weight, cues in starts:
        possible = [number for number, end in enumerate(ends) if end.end > start.start and may_end(text, end)][
            :_FURTHEST
        ]
        ended: list[tuple[float, int, tuple[str, ...]]] = []
        for number in possible:
            end = ends[number]
            words = inside(text[start.start : end.end].strip())
            if number not in followed:
                followed[number] = following(text, end)
            more, further = followed[number]
            if start.kind == end.kind == "comma":
                more += _ALL_BY_COMMAS
            ended.append((words + more, end.end, further))
        for more, end_offset, further in sorted(ended, key=lambda one: -one[0])[:3]:
            found.setdefault(
                (start.start, end_offset),
                Segmentation(
                    start.start, end_offset, people_before(text[: start.end]), text[start.start : end_offset].strip(),
                    text[end_offset:], start.year, weight + more, (*cues, *further),
                ),
            )  # fmt: skip
    return sorted(found.values(), key=lambda one: -one.weight)[:most]


def _starts(text: str, boundaries: list[Boundary]) -> Iterator[_Scored]:
    """Yield the boundaries at which a title may begin, with the evidence for each."""
    yield Boundary(0, 0, "begin"), *_without_authors(text)
    possible = [boundary for boundary in boundaries if not _NAMES_GO_ON.match(text, boundary.start)]
    possible = [*possible[:_FIRST_STARTS], *possible[_FIRST_STARTS:][-_LAST_STARTS:]]
    for boundary in possible:
        if not _may_begin(text, boundary):
            continue
        before = text[: boundary.end]
        weight, cues = _authors(people_before(text[: boundary.end]))
        if weight <= -2:
            continue
        after = text[boundary.start :]
        here = [*cues]
        if boundary.kind == "stop":
            weight += 1
            if ABBREVIATED_END.search(before[-10:]):
                weight -= 0.5 if boundary.initial or _SUFFIX.search(before[-6:]) else 4
        elif boundary.kind == "year":
            weight += 2 if cues else 0.5
            here.append("a year before the title")
        elif boundary.kind == "colon":
            weight += 1
        weight += beginning(after)
        yield boundary, weight, tuple(here)


def people_before(text: str) -> str:
    """Return the text before a title without its final mark, unless the mark belongs to an abbreviation."""
    text = text.strip(" ,;:")
    abbreviated = ENDS_IN_INITIAL.search(text[-7:]) or re.search(r"\b(?:[JS]r|Inc|Ltd)\.$", text[-5:])
    return text if abbreviated else text.rstrip(" .")


def _last_names(starts: list[_Scored]) -> list[_Scored]:
    """Keep the starts after the last names: "Robert A. Dahl" continues after its initial."""
    found: list[_Scored] = []
    names_later = False
    for boundary, weight, cues in reversed(starts):
        if boundary.kind == "stop" and names_later and (_NAMES in cues or boundary.initial):
            weight -= 4
        names_later |= _NAMES in cues
        found.append((boundary, weight, cues))
    return found


def _may_begin(text: str, boundary: Boundary) -> bool:
    """Return True if a title may begin after this boundary: titles and names contain commas and colons, titles contain
    years."""
    if boundary.kind in ("bracket", "dash", "semicolon"):
        return False
    if boundary.kind == "comma":
        if _INITIALS_FIRST.match(text) is None:
            people = bibtex_authors(text[: boundary.end])
            inverted = text[: boundary.end].endswith(".") and people not in ("", f"{{{text[: boundary.end]}}}")
            return inverted or (text.find(",") == boundary.end and people.startswith("{"))
        return _INITIALS_FIRST.match(text, boundary.start) is None and _by_initials(text[: boundary.end])
    if boundary.kind == "year":
        return sets_apart(text, boundary)
    if boundary.kind == "colon":
        return ENDS_IN_INITIAL.search(text[max(0, boundary.end - 7) : boundary.end]) is not None or (
            _VANCOUVER_LIST.match(text) is not None and text[boundary.end - 1].isupper()
        )
    return True


def _by_initials(people: str) -> bool:
    """Return True if every name starts with its initials, as in IEEE, but unlike "L. Breiman, Random Forests"."""
    pieces = re.split(r",\s*+(?:and\s++|&\s*+)?|(?<!\s)\s++(?:and|&)\s++", people)
    return all(
        _INITIALS_FIRST.match(piece) or re.fullmatch(r"(?:[JS]r|et al)\.?|I{2,3}", piece) for piece in pieces if piece
    )


def _without_authors(text: str) -> tuple[float, tuple[str, ...]]:
    first = re.split(r"[.,?!]\s", text, maxsplit=1)[0]
    return (-2.5 if names_persons(first) or len(first.split()) < 3 else -0.5) + beginning(text), ()


@lru_cache(maxsize=512)
def _authors(before: str) -> tuple[float, tuple[str, ...]]:
    """Score the text before a title as its authors."""
    before = re.sub(r"\set al\. (?=[^\W\d_]+$)", " ", before)
    if authors := bibtex_authors(before):
        persons = not authors.startswith("{")
        return (5.0 if persons else 4.0), (_NAMES if persons else "an organisation before the title",)
    share, count = name_share(before)
    sentences = 2.0 * len(sentence_breaks(before))
    if count > 1 and share >= 0.6 and not re.search(r"\d", before):
        return 2.0 + 2.5 * share - sentences, ("mostly names before the title",)
    words = re.sub(r"(?:,\s++|(?<!\s)\s++)(?:and )?et al\.?$", "", before).split()
    if len(words) <= (9 if "," not in before else 25) and capitalised(words) >= 0.99 and not re.search(r"[?!]", before):
        return (2.0 if len(words) <= 5 else 1.0) - sentences, ("a capitalised name before the title",)
    return -3.0, ()


_WORD = lazy_pattern(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_LAST_WORD = lazy_pattern(r"(?<![^\W\d_])([^\W\d_]++)$")
_FIRST_WORD = lazy_pattern(r"[^\W\d_]+")
_ADDRESS = lazy_pattern(r"(?<!\S)(?=\S*+$)\S*?(?:https?://|www\.|doi\.org/|\b10\.\d{4,9}/|arxiv\.org/)", re.IGNORECASE)
_REST_OF_ADDRESS = lazy_pattern(r"(?=\S*[\d/._=&?%-])(?![A-Z][a-z]+\b)\S+")
_DOI = lazy_pattern(r"(?P<start>(?<![\d.])10 ?\. ?\d{4,9}(?: ?\. ?\d{1,4})? ?/) ?(?P<rest>\S[^\n]{0,300})")
_WITHIN = lazy_pattern(r"[\w()/-]*(?:\d|\.\S)[\w()/.-]*")
_LONGEST_ADDRESS = 500
"""Characters before the end of a line in which an address or a divided word begins."""
_KEPT = frozenset(WORD_LISTS["first_parts_of_compounds"])
"""Words that more often precede a real hyphen than form the first half of a divided word."""


def words_of(lines: Iterable[str]) -> Counter[str]:
    """Count the words of the text in lower case; hyphenated words count as one."""
    found: Counter[str] = Counter()
    for line in lines:
        found.update(word.lower() for word in _WORD.findall(line))
    return found


def joined(lines: Sequence[str], known: Counter[str]) -> str:
    """Join the lines. known: word counts of the text, used to decide if a hyphen at a line end belongs to the word."""
    done: list[str] = []
    text = ""
    for part in filter(None, (" ".join(line.split()) for line in lines)):
        text = _added(text, part, known) if text else part
        if len(text) > 2 * _LONGEST_ADDRESS:
            done.append(text[:-_LONGEST_ADDRESS])
            text = text[-_LONGEST_ADDRESS:]
    return _DOI.sub(_in_one_piece, " ".join("".join([*done, text]).replace("\u00ad", "-").split()))


def _in_one_piece(match: re.Match[str]) -> str:
    """Remove the blanks that justified lines add to a DOI at dots and slashes, up to the next part."""
    whole = match["start"].replace(" ", "")
    words = match["rest"].split(" ")
    whole += words[0]
    for number, word in enumerate(words[1:], start=1):
        dotted = whole[-1:] == "." and _WITHIN.fullmatch(word) and not _is_year(word)
        if not word or not (dotted or word[0] in "./-_" or whole[-1:] in "/-_("):
            return " ".join([whole, *words[number:]])
        whole += word
    return whole


def _added(text: str, part: str, known: Counter[str]) -> str:
    if text.endswith(("-", "\u00ad", "‐")):
        return _unhyphenated(text, part, known)
    if _ADDRESS.search(text) and (text.endswith(("/", "_", "=", "%", "?", "&")) or _goes_on(text, part)):
        return f"{text}{part}"
    if text.endswith(("–", "—")) and part[:1].isdigit():  # a page range
        return f"{text}{part}"
    return f"{text} {part}"


def _goes_on(text: str, part: str) -> bool:
    """Return True if the first word of a line continues an address."""
    first = part.split(maxsplit=1)[0]
    if text.endswith((".", ",", ")", ";")) and not text.endswith(("org.", "doi.")):
        number = re.fullmatch(r"\d{4,}+\S*+|\d++\.\d++\S*+", first)
        return text.endswith(".") and number is not None and not _is_year(first)
    return _REST_OF_ADDRESS.fullmatch(first) is not None and not _is_year(first)


def _is_year(word: str) -> bool:
    return re.fullmatch(rf"\(?{YEAR}[a-z]?\)?[.,;]?", word) is not None


def _unhyphenated(text: str, part: str, known: Counter[str]) -> str:
    bare = text[:-1]
    before, after = _LAST_WORD.search(bare), _FIRST_WORD.match(part)
    if _ADDRESS.search(text) or before is None or after is None:
        return f"{bare}-{part}"
    if not after[0][0].islower():
        return f"{bare}-{part}"  # Jean-Paul, GPT-Neo
    whole, parted = f"{before[1]}{after[0]}".lower(), f"{before[1]}-{after[0]}".lower()
    if known[parted] != known[whole]:
        return f"{bare}-{part}" if known[parted] > known[whole] else f"{bare}{part}"
    return f"{bare}-{part}" if before[1].lower() in _KEPT else f"{bare}{part}"


_WORDS: dict[str, str] = WORD_LISTS["labels"]
_CANONICAL = {word: name for name, words in _WORDS.items() for word in words.split()}
_OTHER = tuple(WORD_LISTS["other_labels"])
LABEL_WORDS = "|".join(sorted(map(re.escape, (*_CANONICAL, *_OTHER)), key=len, reverse=True))
_RULE = lazy_pattern(r"[\s|:-]+")


def english_label(word: str) -> str:
    """Return the English name of a label."""
    return _CANONICAL.get(word.strip().lower(), word.strip().lower())


def table_rows(lines: list[str]) -> list[dict[str, str]]:
    """Return the rows of a Markdown table, keyed by column label or, without one, by content; empty without titles."""
    if len(lines) < 3 or not _RULE.fullmatch(lines[1]):
        return []
    rows = [_cells(line) for line in lines[2:]]
    names = [
        _column(head.strip("*_` "), [row[place] for row in rows if place < len(row)])
        for place, head in enumerate(_cells(lines[0]))
    ]
    if "title" not in names:
        named = set(names)
        words = {
            place: sorted(len(row[place]) for row in rows if place < len(row))[len(rows) // 2 : len(rows) // 2 + 1]
            for place, name in enumerate(names)
            if not name
        }
        longest = max(words, key=lambda place: words[place] or [0], default=None)
        if longest is None or not named & {"authors", "doi", "arxiv", "url", "link"}:
            return []
        names[longest] = "title"
    known = {name: place for place, name in reversed([*enumerate(names)]) if name}
    if "authors" in known:
        _tell_pairs(rows, known["authors"])
    return [{name: row[place] for name, place in known.items() if place < len(row) and row[place]} for row in rows]


def _tell_pairs(rows: list[list[str]], place: int) -> None:
    """Split ``Simonyan, Zisserman`` into two people if other cells of the column list family names; otherwise it is
    ambiguous."""
    families = any(_FAMILIES.fullmatch(row[place]) for row in rows if place < len(row))
    for row in rows:
        if place < len(row) and _PAIR.fullmatch(row[place]):
            row[place] = row[place].replace(",", " &") if families else ""


def reference_cells(lines: list[str]) -> list[str]:
    """Return the cells of a Markdown table column that contains whole references: most are long and have a year."""
    if len(lines) < 3 or not _RULE.fullmatch(lines[1]):
        return []
    heads = [head.strip("*_` ").lower() for head in _cells(lines[0])]
    rows = [_cells(line) for line in lines[2:]]
    for place, head in enumerate(heads):
        cells = [row[place] for row in rows if place < len(row) and row[place]]
        whole = sum(_WHOLE_CELL.search(cell) is not None and len(cell) > _SHORTEST_WHOLE for cell in cells)
        mostly = whole > _MOST_CELLS * len(cells) and not any(
            _YEAR_CELL.fullmatch(cell) for row in rows for cell in row
        )
        if cells and (head in _WHOLE or mostly):
            return cells
    return []


def _column(head: str, cells: list[str]) -> str:
    """Classify a column by its heading in any language, or else by its cells; `""` if unknown."""
    for word in (head, *re.split(r"(?<!\s)\s*+[/&(（]\s*+|(?<!\s)\s++(?:and|und|et|y)\s++", head)):
        label = english_label(word.strip(" )）"))
        if label in {*_CANONICAL.values(), *_OTHER}:
            return label
    if head.lower().strip() in _WORKS:
        return "title"
    filled = [cell for cell in cells if cell]
    if filled and sum(_YEAR_CELL.fullmatch(cell) is not None for cell in filled) > len(filled) / 2:
        return "year"
    if filled and sum(_IDENTIFIER_CELL.search(cell) is not None for cell in filled) > len(filled) / 2:
        return "url"
    return ""


def _cells(line: str) -> list[str]:
    return [cell.replace("\\|", "|").strip() for cell in _BAR.split(line.strip().removeprefix("|").removesuffix("|"))]


_WORKS = frozenset(WORD_LISTS["headings_of_titles"])
"""Headings of columns with titles."""
_WHOLE = frozenset(WORD_LISTS["headings_of_references"])
"""Headings of columns with whole references."""
_WHOLE_CELL = lazy_pattern(rf"(?<![\d–-]){YEAR}(?![\d–-])")
_SHORTEST_WHOLE, _MOST_CELLS = 30, 0.6
_PAIR = lazy_pattern(r"[^\W\d_a-z][\w’'-]{2,},\s[^\W\d_a-z][\w’'-]{2,}")
_FAMILIES = lazy_pattern(r"[^\W\d_a-z][\w’'-]+(?:,\s[^\W\d_a-z][\w’'-]{2,}){2,}")
_YEAR_CELL = lazy_pattern(rf"[(\s*]*{YEAR}[a-z]?[)\s*]*")
_IDENTIFIER_CELL = lazy_pattern(r"\b10\.\d{4,9}/|arxiv|https?://", re.IGNORECASE)
_BAR = lazy_pattern(r"(?<!\\)\|")


_LIGATURES = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
    | dict.fromkeys("\u00ad\u200b\ufeff")
)
_BACK_REFERENCE = lazy_pattern(
    r"(?<!\s)\s*+\(?Cited on (?:pages?|pp?\.) [\d, –-]*(?:and \d++)?\.?\)?\.?$", re.IGNORECASE
)
"""Back reference that hyperref prints: "(Cited on pages 2 and 4.)"."""
_MEDIUM = lazy_pattern(r"(?<=\S) \[(?:Internet|Preprint|Online|Electronic resource)\]", re.IGNORECASE)
_FULL_WIDTH = str.maketrans(
    {"，": ", ", "。": ". ", "．": ". ", "：": ": ", "；": "; ", "（": " (", "）": ") ", "［": "[", "］": "]"}
)
_NUMBER = lazy_pattern(
    r"\A\s*+(?:\[\w{0,12}[\d+]\w{0,4}\]|\(\d{1,4}\)|\d{1,4}[.)](?=\s)|\\bibitem(?:\[[^\]\n]*\])?\{[^}\n]*\}|[•▪‣]|[-*]\s)\s*"
)
_HYPHEN = lazy_pattern(r"(?<=[^\W\d_A-Z])[-‐]\s+(?=[^\W\d_A-Z])")
_BOTH = lazy_pattern(r"(?:and|or|to|und|oder|bis|et|ou|y|e|o|en)\b", re.IGNORECASE)
_COMPOUND = lazy_pattern(
    r"\b(?:self|non|pre|post|multi|cross|semi|co|re|sub|meta|pseudo|quasi|anti|inter|intra|ultra|well|high|low|large|small|long"
    r"|short|open|closed|real|time|data|end|to|state|of|the|art|zero|one|few|two|three|fine|deep|off|on|in|out|top|bottom|human"
    r"|machine|model|user|domain|task|graph|text|image|vision|language|knowledge|privacy|energy|context|object|event|agent|risk"
    r"|noise|memory|compute|cost|hand|hard|light|full|half|free|cell|wise|based|aware|level|scale|order|term|shot|rank|class)$",
    re.IGNORECASE,
)
"""First parts of compounds, after which a hyphen at a line end is kept."""
_GLUE = lazy_pattern(
    rf"(?:\b{YEAR}[a-z]?\.|\d\.|{LAST_ADDRESS}\.?|\)\.?)\s+(?=(?:\[\d{{1,4}}\]\s+)?[^\W\d_a-z][\w.'’-]*[ ,.])"
)
_LONG_ENOUGH = 40
_LONGEST_PART, _LONGEST_START, _MOST_TRIES = 1_200, 600, 12
"""Characters of a reference that another one may follow, and of the start of that one; number of places tried for its end."""
_GOOD = 6.5
"""Weight of a segmentation that is a reference by itself: names, a title and suitable text after it."""


def tidied(string: str) -> str:
    """Return the string on one line, with whole words and without a leading number."""
    text = _NUMBER.sub("", string.translate(_LIGATURES), count=1)
    if EAST_ASIAN.search(text):
        text = text.translate(_FULL_WIDTH)
    text = text.replace("``", "“").replace("''", "”")
    text = rejoin_split_urls(_BACK_REFERENCE.sub("", _MEDIUM.sub("", " ".join(text.split()))))
    addresses = [match.span() for match in re.finditer(ADDRESS, text)]

    def joined(match: re.Match[str]) -> str:
        if _BOTH.match(text, match.end()) or any(start <= match.start() < end for start, end in addresses):
            return match[0]
        return "-" if _COMPOUND.search(text, max(0, match.start() - 12), match.start()) else ""

    return _HYPHEN.sub(joined, text)


def separated(text: str) -> list[str]:
    """Split a tidied string into references if several are glued together and each is complete."""
    parts: list[str] = []
    start = tries = 0
    for match in _GLUE.finditer(text):
        first, second = text[start : match.end()].strip(), text[match.end() : match.end() + _LONGEST_START].strip()
        if min(len(first), len(second)) < _LONG_ENOUGH:
            continue
        if tries == _MOST_TRIES or len(first) > _LONGEST_PART:
            break
        number = re.match(r"\[\d{1,4}\]\s", second)
        if number or (_stands_alone(second)):
            parts.append(first)
            start, tries = match.end() + (number.end() if number else 0), 0
        else:
            tries += 1
    return [*parts, text[start:].strip()]


def _stands_alone(text: str) -> bool:
    """Return True if a string begins with persons and has a title and a year."""
    if not re.search(rf"\b{YEAR}", re.sub(ADDRESS, "", text)):
        return False
    best = segmentations(text, 1)
    return bool(best) and best[0].weight >= _GOOD and _are_several(best[0].before)


def _are_several(people: str) -> bool:
    """Return True if these are certainly persons: several, or with initials. Three capitalised words may be a title."""
    return names_persons(people) and re.search(r",|&|\sand\s|\b[^\W\d_]\.", people) is not None
