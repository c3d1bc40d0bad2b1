"""Locators: volume, number, pages and article numbers in one normal form, and their comparison.

Authors and services write the same place in many ways: ``12(3)``, ``e104151``, ``S12--S19``, ``311-9``, ``23:1-23:30``,
``10138 LNCS``. Everything that compares or searches places uses the forms of this module.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from pytest_citecheck.matching.text import lazy_pattern, without_latex_and_markup

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

LocatorRelation = Literal["same", "inside", "volume", "pages", "unknown"]
"""Result of a comparison. ``inside``: the cited page is a later page of the same article. ``volume``, ``pages``: what differs."""

_DASH = lazy_pattern(r"(?<!\s)\s*+[-\u2010-\u2015\u2212]++\s*+")
_LABEL = lazy_pattern(
    r"^(?:vol(?:ume)?s?|pp?|pages?|art(?:icle)?(?:\s*(?:no|id|number))?)(?:\.\s*|\s+|(?=\d))", re.IGNORECASE
)
_VOLUME = lazy_pattern(
    r"(?P<before>[A-Z]{0,3}-?)(?P<digits>\d{1,7})(?P<after>[A-Z]?)(?![A-Za-z\d])(?:\s*(?:\((?P<issue>[^()]*)\)?|[:N](?P<no>\d+)))?",
    re.IGNORECASE,
)
_ISSUE = lazy_pattern(r"(?P<digits>\d{1,7})N(?P<issue>\d+)", re.IGNORECASE)
_DIGITS = lazy_pattern(r"\d{1,9}")
_SUPPLEMENT = lazy_pattern(r"supp|spec|\bS\d+\s*$|\dS\s*$", re.IGNORECASE)
_ROMAN = lazy_pattern(r"(?=[MDCLXVI])M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})", re.IGNORECASE)
_PAGE = lazy_pattern(r"(?P<letters>[A-Za-z]{0,4})\.?\s?(?P<digits>\d{1,12})(?P<after>[A-Za-z]?)")
_COUNT = lazy_pattern(r"^\d+\s*(?:pages|pp)\b", re.IGNORECASE)
_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
_ARTICLE_DIGITS = 4
"""Digits from which ``e104151`` and ``104151`` are one article number; PNAS prints pages E68 and 68 in one volume."""
_MONTHS = 12
_OTHER_KIND = 3
"""Difference in digits between an article number and a page."""
_ARTICLE_FIELDS = ("eid", "articleno", "article-number", "elocation-id")


def roman_value(text: str) -> int:
    """Return the value of a roman number in any case; 0 for any other text."""
    if not text or not _ROMAN.fullmatch(text):
        return 0
    values = [_VALUES[letter] for letter in text.upper()]
    return sum(-one if one < after else one for one, after in zip(values, [*values[1:], 0], strict=True))


def volume_and_number(text: str) -> tuple[str, str]:
    """Return a volume and the issue that the same field states: ``12(3)`` and ``28N5``; both empty for ``PP`` or ``forthcoming``.

    A letter of a section follows the digits: ``B741`` and ``741B`` are one volume.
    """
    text = _LABEL.sub("", without_latex_and_markup(text).strip())
    if value := roman_value(text.rstrip(".")):
        return str(value), ""
    if (issue := _ISSUE.match(text)) is not None:
        return str(int(issue["digits"])), issue["issue"]
    found = _VOLUME.match(text)
    if found is None:
        return "", ""
    if not (found["issue"] or found["no"]) and _SUPPLEMENT.search(rest := text[found.end() :]):
        return str(int(found["digits"])), rest.strip()
    letters = (found["before"].strip("-") or found["after"]).upper()
    return f"{int(found['digits'])}{letters}", (found["issue"] or found["no"] or "").strip()


class Pages(NamedTuple):
    """First and last page in normal form; ``last`` is empty if it is not stated."""

    first: str
    last: str


def pages_of(text: str) -> Pages:
    """Return the first and last page, or an article number, of a field of pages.

    ``311-9`` ends on page 319, ``23:1-23:30`` is article 23, and a number of pages ("41 pp") is no page.
    """
    text = without_latex_and_markup(text).partition(";")[0].partition(",")[0].strip()
    if not text or _COUNT.match(text):
        return Pages("", "")
    start, *rest = _DASH.sub("-", _LABEL.sub("", text)).split("-")
    article = start.rpartition(":")[0]
    first = _page(article or start)
    last = "" if article or not rest else _page(rest[0])
    return Pages(first, _completed(first, last))


def _page(text: str) -> str:
    text = _LABEL.sub("", text.strip().rstrip("+.f"))
    found = _PAGE.fullmatch(text)
    if found is None:
        return text.lower() if roman_value(text) else ""
    return f"{found['letters'].upper()}{found['digits']}{found['after'].lower()}"


def _completed(first: str, last: str) -> str:
    """The last page with the digits and letters that a shortened form leaves out."""
    letters, digits = split_page(first)
    its_letters, its_digits = split_page(last)
    if not digits or not its_digits or its_letters not in ("", letters):
        return last
    if int(its_digits) < int(digits) and len(its_digits) < len(digits):
        its_digits = digits[: -len(its_digits)] + its_digits
    return f"{letters}{its_digits}"


def split_page(page: str) -> tuple[str, str]:
    """Return letters and digits of a page in normal form; no digits for roman pages."""
    digits = page.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    return (page[: len(page) - len(digits)], digits) if digits.isdigit() else ("", "")


@dataclass(frozen=True, slots=True)
class Locator:
    """A place in a journal in normal form; empty where it is not stated. articles: article numbers stated beside the pages."""

    volume: str
    number: str
    first: str
    last: str
    articles: tuple[str, ...] = ()

    @property
    def starts(self) -> tuple[str, ...]:
        """First page and article numbers, the most specific first."""
        return tuple(dict.fromkeys(filter(None, (*self.articles, self.first))))

    @property
    def identifies(self) -> bool:
        """True if at most one work has this place. Journals without through paging begin each paper on page 1."""
        return bool(self.volume) and any(start.lstrip("0") != "1" for start in self.starts)

    @property
    def supplement(self) -> bool:
        """True if the number names a supplement or a special issue, whose pages may begin anew."""
        return _SUPPLEMENT.search(self.number) is not None

    @property
    def page_range(self) -> tuple[int, int] | None:
        """First and last page as numbers; None for article numbers with letters, roman pages and single pages."""
        letters, first = split_page(self.first)
        if letters or not first:
            return None
        its_letters, last = split_page(self.last)
        end = int(last) if last and not its_letters else int(first)
        return int(first), max(end, int(first))


def cited_locator_of(fields: Mapping[str, str]) -> Locator:
    """Return the place that the fields of a reference state."""
    volume, issue = volume_and_number(fields.get("volume", ""))
    pages = pages_of(fields.get("pages", ""))
    articles = tuple(filter(None, (pages_of(fields.get(name, "")).first for name in _ARTICLE_FIELDS)))
    return Locator(
        volume, fields.get("number", "") or fields.get("issue", "") or issue, pages.first, pages.last, articles
    )


@lru_cache(maxsize=1 << 14)
def locator(volume: str, number: str, pages: str) -> Locator:
    """Return the place that a record states."""
    its_volume, issue = volume_and_number(volume)
    return Locator(its_volume, number or issue, *pages_of(pages))


def same_volume(first: str, second: str) -> bool:
    """Return True if two volumes in normal form may be the same: one may leave out the letter of its section."""
    if first == second:
        return True
    bare = [text.rstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ") for text in (first, second)]
    return bare[0] == bare[1] != "" and (first in bare or second in bare)


def same_number(first: str, second: str) -> bool:
    """Return True if two issues are stated and certainly the same."""
    numbers = [_DIGITS.findall(text) for text in (first, second)]
    return bool(numbers[0]) and list(map(int, numbers[0])) == list(map(int, numbers[1]))


def same_start(first: str, second: str) -> bool:
    """Return True if two first pages or article numbers are the same: ``E104151`` and ``104151`` are."""
    if first == second:
        return first != ""
    (letters, digits), (its_letters, its_digits) = split_page(first), split_page(second)
    digits, its_digits = digits.lstrip("0"), its_digits.lstrip("0")
    if letters == its_letters:
        return digits == its_digits != ""
    return digits == its_digits and len(digits) >= _ARTICLE_DIGITS and {letters, its_letters} == {"", "E"}


def compare_locators(cited: Locator, found: Locator, years: Iterable[int] = ()) -> LocatorRelation:
    """Compare the places of a citation and of a record of the same journal.

    years: of the record, for volumes that are written as years.
    """
    if not (cited.volume and found.volume):
        return "unknown"
    if not same_volume(cited.volume, found.volume):
        dated = any(_is_date(volume, year) for volume in (cited.volume, found.volume) for year in years)
        return "unknown" if dated or cited.supplement or found.supplement else "volume"
    return _compare_pages(cited, found)


def _compare_pages(cited: Locator, found: Locator) -> LocatorRelation:
    """Compare places in one volume."""
    if any(same_start(one, other) for one, other in _pairs(cited, found)):
        return "same"
    incomplete = not (cited.starts and found.starts) or cited.supplement or found.supplement
    if incomplete or any(map(_are_of_other_kinds, _pairs(cited, found))):
        return "unknown"
    cited_pages, found_pages = cited.page_range, found.page_range
    if cited_pages and found_pages and found_pages[0] <= cited_pages[0] <= found_pages[1]:
        return "inside"
    number_of_pages = (
        cited_pages and found_pages and not cited.last and cited_pages[0] == found_pages[1] - found_pages[0] + 1
    )
    return "unknown" if number_of_pages else "pages"


def _is_date(volume: str, year: int) -> bool:
    """Return True if a volume is written as its year, or as year and month: JHEP 0412 is volume 12 of 2004."""
    month = volume.zfill(4)
    return volume == str(year) or (
        month.isdigit() and month[:2] == f"{year % 100:02}" and 1 <= int(month[2:]) <= _MONTHS
    )


def _pairs(cited: Locator, found: Locator) -> Iterator[tuple[str, str]]:
    return ((one, other) for one in cited.starts for other in found.starts)


def _are_of_other_kinds(pair: tuple[str, str]) -> bool:
    """Return True if one is a page and the other an article number, or either is page 1: then they cannot contradict."""
    (letters, digits), (its_letters, its_digits) = map(split_page, pair)
    if "1" in (digits.lstrip("0"), its_digits.lstrip("0")) or not digits or not its_digits or letters != its_letters:
        return True
    return abs(len(digits) - len(its_digits)) >= _OTHER_KIND


class Asked(NamedTuple):
    """A place as a query names it. first: empty in a query for a whole volume."""

    journal: str
    issn: str
    volume: str
    first: str

    @property
    def value(self) -> str:
        """As the value of a query."""
        return "|".join(part.replace("|", " ") for part in self)


def asked_place(value: str) -> Asked:
    """Return the place that the value of a query names."""
    return Asked(*(*value.split("|"), "", "", "", "")[:4])
