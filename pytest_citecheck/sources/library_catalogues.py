"""Conversion of MARC 21 records of libraries (books and theses).

Source: MARC 21 Format for Bibliographic Data (loc.gov/marc/bibliographic), with ISBD punctuation at the end of
subfields. Headings (fields 100 and 700) are names in the form of the catalogue, which is often another one than on the
title page (Trockij for Trotsky), and include translators and others. The statement of responsibility (245 $c) is what
the title page says. So a record convicts nobody (it is ``compiled``) unless the statement has the names, and the record
is of one whole book in Latin script.
"""

from __future__ import annotations

import re
import unicodedata
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from pytest_citecheck.matching import lazy_pattern, words
from pytest_citecheck.model import Absent, Answer, Found, Person, Query, Record, Unavailable
from pytest_citecheck.sources.base import MalformedAnswerError, Request, Response, Source
from pytest_citecheck.sources.parsing import (
    answered,
    doi_name,
    isbn_numbers,
    parameter,
    query_url,
    stated_name,
    titled_alike,
    undivided,
    unique,
    whole_number,
)
from pytest_citecheck.sources.search import main_words, plain_words
from pytest_citecheck.sources.xml import parse_xml, without_namespaces

if TYPE_CHECKING:
    import xml.etree.ElementTree as ET
    from collections.abc import Sequence

_PUNCTUATION = " /:;,="
_YEAR = lazy_pattern(r"(?<!\d)(1[4-9]\d\d|20\d\d)(?!\d)")
_UNSORTED = lazy_pattern("[\u0088\u0089\u0098\u009c]")
"""Brackets around an article that is ignored in sorting (ISO 6630)."""
_AUTHORS = frozenset(
    {"aut", "cre", "dis", "author", "verfasser", "verfasserin", "creator", "dissertant", "joint author"}
)
_EDITORS = frozenset({"edt", "edc", "editor", "herausgeber", "herausgeberin", "hrsg", "ed", "compiler", "com"})
_EDITED = lazy_pattern(
    r"\W*(?:(?:\w+ ){0,3}edited|editors?\b|\(?eds?\.|hrsg|hg\.|herausgegeben|herausgeber|sous la dir|dirigé|édité|a cura|"
    r"compiled|ed\. )",
    re.IGNORECASE,
)
_ROLE_ENDS = " .,;:"
_FULL_STOP = lazy_pattern(r"(?<=\w\w)\.\Z")
_BETWEEN_NAMES = lazy_pattern(r",|;|\band\b|\bund\b|\bet\b|\by\b|&")
_NAME = lazy_pattern(r"(?:[^\W\d_][\w.'’-]*\s+){1,4}[^\W\d_][\w.'’-]*")
_BY = lazy_pattern(r"(?:written by|by|von|par|di|de|por)\s++", re.IGNORECASE)
_TWO_YEARS = frozenset("rtpmcd")
"""The types of dates (008/06) of which the second one is a year too: of the original, of the copyright, of the last volume."""
_PARTS = frozenset("abc")
_OTHER_SCRIPTS = frozenset({
    "rus", "ukr", "bel", "bul", "mac", "srp", "gre", "grc", "heb", "yid", "ara", "per", "urd", "hin", "san", "ben", "tam", "arm",
    "geo", "chi", "jpn", "kor", "tha", "mon", "kaz",
})  # fmt: skip
"""Languages (MARC Code List for Languages) that are written in other scripts."""
_MOST_PUBLISHERS = 10
_MOST_TITLES = 20


def marc_record(source: str, element: ET.Element, url: str) -> Record | None:
    """The record of one MARC record with local names, or None if it has no control number or no title.

    url: page for people; ``{}`` is replaced by the control number.
    """
    number = control_number(element, "001")
    title = _plain(_first(element, "245", "a"))
    if not number or not title:
        return None
    names, parts = list(_part_titles(element, title)), list(field_values(element, "245", "np"))
    statement = _plain(_first(element, "245", "c"))
    authors, editors, certain = _people(element, statement)
    thesis = [_plain(value) for value in (*field_values(element, "502", "c"), *field_values(element, "502", "a"))]
    publishers = [_plain(value) for tag in ("264", "260") for value in field_values(element, tag, "b")]
    doi = [value for field in _fields(element, "024") if _sub(field, "2") == "doi" for value in _subs(field, "a")]
    leader = element.findtext("leader") or ""
    whole = not parts and leader[19:20] not in _PARTS and not _is_romanised(element)
    return Record(
        source=source,
        id=number,
        url=url.format(number),
        title=title,
        subtitle=_plain(_first(element, "245", "b")),
        other_titles=tuple(dict.fromkeys(names))[:_MOST_TITLES],
        authors=authors,
        # Rules of cataloguing leave out the fourth and later authors, or all after the first of many.
        authors_complete=False,
        editors=editors,
        years=tuple(dict.fromkeys(_years(element))),
        venues=unique(thesis)[:2],
        type="thesis" if any(thesis) and not publishers else "chapter" if leader[7:8] == "a" else "book",
        publisher="; ".join(list(dict.fromkeys(filter(None, publishers)))[:_MOST_PUBLISHERS]),
        doi=next(filter(None, map(doi_name, doi)), ""),
        isbn=isbn_numbers(value for value in field_values(element, "020", "a")),
        compiled=not (certain and whole),
    )


def _is_romanised(element: ET.Element) -> bool:
    """Return True if the title page is in another script than Latin: names and titles are transliterated in one of many ways."""
    spoken = {
        control_number(element, "008").ljust(38)[35:38],
        *(value[:3] for value in field_values(element, "041", "a")),
    }
    return not spoken.isdisjoint(_OTHER_SCRIPTS) or any(True for _ in _fields(element, "880"))


def control_number(element: ET.Element, tag: str) -> str:
    """Value of a control field, without blanks; empty if missing."""
    found = (field.text or "" for field in element.findall("controlfield") if field.get("tag") == tag)
    return next(found, "").strip()


def field_values(element: ET.Element, tag: str, codes: str) -> Iterator[str]:
    """The values of these subfields of all fields with this tag."""
    for field in _fields(element, tag):
        for code in codes:
            yield from _subs(field, code)


def _fields(element: ET.Element, tag: str) -> Iterator[ET.Element]:
    return (field for field in element.findall("datafield") if field.get("tag") == tag)


def _subs(field: ET.Element, code: str) -> list[str]:
    found = (sub.text or "" for sub in field.findall("subfield") if sub.get("code") == code)
    return [unicodedata.normalize("NFC", _UNSORTED.sub("", text)).strip() for text in found if text.strip()]


def _sub(field: ET.Element, code: str) -> str:
    return next(iter(_subs(field, code)), "")


def _first(element: ET.Element, tag: str, code: str) -> str:
    return next(field_values(element, tag, code), "")


def _plain(value: str) -> str:
    """The value without the punctuation before the next subfield, and without the cataloguer's brackets."""
    return value.replace("[", "").replace("]", "").strip(_PUNCTUATION).removesuffix(" .").strip()


def _part_titles(element: ET.Element, title: str) -> Iterator[str]:
    """Other forms of the title: of a part of a set, parallel, on the cover, of the original, in the original script."""
    for field in _fields(element, "245"):
        numbers, own = _subs(field, "n"), [_plain(value) for value in _subs(field, "p")]
        for name in own:
            yield from (name, f"{title}: {name}")
        yield from (f"{title}: {_plain(number)}" for number in numbers)
    for field in _fields(element, "880"):
        if _sub(field, "6").startswith("245"):
            yield _with_rest(field)
    for tag in ("246", "240", "130", "740", "242"):
        yield from filter(None, map(_with_rest, _fields(element, tag)))
    for tag in ("765", "775", "776"):
        yield from filter(None, map(_plain, field_values(element, tag, "t")))


def _with_rest(field: ET.Element) -> str:
    return ": ".join(filter(None, (_plain(_sub(field, "a")), _plain(_sub(field, "b")))))


def _years(element: ET.Element) -> Iterator[int]:
    """All years of the edition: of printing, copyright, thesis, and reprinted work."""
    for tag in ("264", "260"):
        for value in field_values(element, tag, "c"):
            yield from map(int, _YEAR.findall(value))
    fixed = control_number(element, "008").ljust(15)
    # The first field of 008 is a date of six digits, which no blanks precede.
    dates = [fixed[7:11], fixed[11:15] if fixed[6] in _TWO_YEARS else ""]
    yield from (int(date) for date in dates if _YEAR.fullmatch(date))
    for tag, codes in (("502", "da"), ("534", "c"), ("250", "a")):
        for value in field_values(element, tag, codes):
            yield from map(int, _YEAR.findall(value))


def _people(element: ET.Element, statement: str) -> tuple[tuple[Person, ...], tuple[Person, ...], bool]:
    """Authors, editors, and whether the statement of responsibility confirms them."""
    said, first = set(words(statement)), statement.partition(";")[0]
    edited = _EDITED.match(first) is not None
    authors: list[tuple[Person, bool]] = []
    editors: list[tuple[Person, bool]] = []
    for tag in ("100", "700", "110", "710"):
        for field in _fields(element, tag):
            person = _person(field, group=tag.endswith("10"))
            role = _role(field)
            if person is None or (tag[0] == "7" and _subs(field, "t")):
                continue  # the author of another work that is only named here
            on_page = _is_among(person, said)
            if role == "author" or (not role and not edited and (tag[0] == "1" or _is_in(person, first, statement))):
                authors.append((person, on_page))
            elif role == "editor" or (not role and edited and _is_in(person, first, statement)):
                editors.append((person, on_page))
    certain = [person for person, on_page in (*authors, *editors) if on_page and not person.group]
    if not certain and first and not edited:
        named = tuple(_named_in(first))
        if named:
            return named, (), False
    return _persons(authors, certain), _persons(editors, certain), bool(certain)


def _persons(people: Iterable[tuple[Person, bool]], certain: list[Person]) -> tuple[Person, ...]:
    """The persons that the title page names; all if it names none; groups only where there are no persons."""
    persons = [person for person, on_page in people if not person.group and (on_page or not certain)]
    return tuple(dict.fromkeys(persons or (person for person, _ in people if not certain)))


def _is_in(person: Person, first: str, statement: str) -> bool:
    """Return True if the first part of the statement, before translators and others, names somebody; without it, all
    names count."""
    return not statement or _is_among(person, set(words(first)))


def _is_among(person: Person, said: set[str]) -> bool:
    """Return True if the longest word of a family name, which is no particle, is among the words of a statement."""
    return max(words(person.family or person.literal), key=len, default="") in said


def _person(field: ET.Element, *, group: bool) -> Person | None:
    name = stated_name(_plain(_sub(field, "a")))
    if not name:
        return None
    if group:
        unit = _plain(_sub(field, "b"))
        return Person(literal=f"{name}, {unit}" if unit else name, group=True)
    family, comma, given = name.partition(",")
    if field.get("ind1") != "1" or not comma or not given.strip():
        return undivided(name)
    suffix = next((value for value in map(_plain, _subs(field, "c")) if re.fullmatch(r"[JS]r\.?|I{2,3}|IV", value)), "")
    # A field ends in a full stop; so does an initial.
    return Person(family=family.strip(), given=_FULL_STOP.sub("", given.strip()), suffix=suffix)


def _role(field: ET.Element) -> str:
    """``author``, ``editor``, ``other``, or empty if none is stated."""
    stated = {value.rstrip(_ROLE_ENDS).lower() for value in (*_subs(field, "4"), *_subs(field, "e"))}
    stated = {value.rpartition("/")[2] for value in stated}
    if not stated:
        return ""
    if stated & _AUTHORS:
        return "author"
    return "editor" if stated & _EDITORS else "other"


def _named_in(first: str) -> Iterator[Person]:
    """The names in the first part of a statement of responsibility, if it is nothing but names."""
    stated = [part.strip(" .") for part in _BETWEEN_NAMES.split(first)]
    parts = [part[by.end() :] if (by := _BY.match(part)) else part for part in stated]
    if all(_NAME.fullmatch(part) for part in filter(None, parts)):
        yield from (undivided(part) for part in parts if part)


_MOST_WORDS = 6
_NEXT_TITLE = lazy_pattern(r"(?<=\)) or (?=\()")


class SruCatalogue(Source):
    """A catalogue of books, asked by ISBN and by title with the first author.

    path: below the base URL. isbn_index, title_index, name_index: of its CQL. hits: the most records of an answer.
    """

    path: str
    isbn_index: str
    title_index: str
    name_index: str
    hits = 60

    @abstractmethod
    def read(self, element: ET.Element) -> Record | None:
        """The record of one MARC record with local names; None if it cannot be read."""

    def request(self, queries: Sequence[Query]) -> Request:
        """``searchRetrieve`` for these ISBNs, or for the words of these titles with their first authors."""
        return self._search(" or ".join(map(self._clause, queries)))

    def _search(self, query: str) -> Request:
        url = query_url(
            f"{self.base_url}/{self.path}",
            ("version", "1.1"),
            ("operation", "searchRetrieve"),
            ("query", query),
            ("maximumRecords", self.hits),
            ("recordSchema", "marcxml"),
        )
        return Request(self.name, url, accept="application/xml, text/xml")

    def _clause(self, query: Query) -> str:
        if query.kind == "isbn":
            return f'{self.isbn_index}="{query.value}"'
        title = main_words(query.value, _MOST_WORDS, with_author=bool(query.authors))
        terms = [(self.title_index, word) for word in title]
        # The last word of a family name is in every form of it, the particles are not.
        terms += [(self.name_index, word) for name in query.authors[:1] for word in plain_words(name)[-1:]]
        return "(" + " and ".join(f'{index}="{word.lower()}"' for index, word in terms) + ")"

    def parse(self, queries: Sequence[Query], response: Response) -> dict[Query, Answer]:
        """Records by query. Raises MalformedAnswerError for diagnostics, and for all but whole lists of MARC records."""
        elements, total = self._records(response)
        answer = _numbered if queries[0].kind == "isbn" else titled_alike
        return answered(self.label, queries, elements, self.read, partial(answer, cut=total > len(elements)))

    def _records(self, response: Response) -> tuple[list[ET.Element], int]:
        """MARC records of an answer, and their total number in the catalogue."""
        if response.status >= 300:
            raise MalformedAnswerError(f"{self.label} answered status {response.status}")
        root = without_namespaces(parse_xml(response.body))
        total = whole_number(root.findtext("numberOfRecords"))
        if root.tag != "searchRetrieveResponse" or total is None or root.find("diagnostics") is not None:
            raise MalformedAnswerError(f"{self.label}'s answer is no list of records")
        held = root.findall("records/record")
        elements = [found for data in held if (found := data.find("recordData/record")) is not None]
        if len(elements) < len(held) or len(held) < min(total, self.hits):
            raise MalformedAnswerError(f"{self.label}'s answer contains {len(elements)} of {total} records")
        return elements, total

    def singles(self, request: Request) -> tuple[Request, ...]:
        """The requests that ask for each ISBN or title of a query alone."""
        query = parameter(request.url, "query")
        clauses = _NEXT_TITLE.split(query) if query.startswith("(") else query.split(" or ")
        return tuple(map(self._search, clauses))


def _numbered(query: Query, records: Sequence[Record], *, cut: bool) -> Answer:
    """Records with the ISBN; without one, an absence only if the answer shows all results."""
    about_query = tuple(record for record in records if query.value in record.isbn)
    if about_query:
        return Found(about_query)
    return Unavailable("malformed", "the answer was full before it came to this ISBN") if cut else Absent()
