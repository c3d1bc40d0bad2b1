"""Catalogues of books: K10plus, the Library of Congress and Open Library, and their records in MARC 21 (books and theses).

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
from typing import TYPE_CHECKING, Any

from pytest_citecheck.matching import find_isbns, lazy_pattern, without_markup, words
from pytest_citecheck.model import Absent, Answer, Found, Person, Query, QueryKind, Record, Unavailable
from pytest_citecheck.sources import base
from pytest_citecheck.sources.parsing import (
    Fields,
    answer_with,
    answered,
    doi_name,
    isbn_numbers,
    mapping,
    parameter,
    parse_json,
    parse_xml,
    query_url,
    stated_name,
    titled_alike,
    undivided,
    unique,
    whole_number,
    without_namespaces,
    year_of,
)
from pytest_citecheck.sources.search import main_words, plain_words

if TYPE_CHECKING:
    import xml.etree.ElementTree as ET
    from collections.abc import Mapping, Sequence

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
"""A classic has hundreds of editions; the first publishers are the ones that people cite."""
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


class SruCatalogue(base.Source):
    """A catalogue of books, asked by ISBN and by title with the first author.

    path: below the base URL. isbn_index, title_index, name_index: of its CQL. hits: the most records of an answer.
    """

    path: str
    isbn_index: str
    title_index: str
    name_index: str
    hits = 60
    keeps_author_order = False
    # A book that every library of a university with computer science has.
    controls: Mapping[QueryKind, Query] = {
        "isbn": Query("isbn", "9780201558029"),
        "title": Query("title", "Concrete Mathematics: A Foundation for Computer Science", ("Graham",)),
    }

    @abstractmethod
    def read(self, element: ET.Element) -> Record | None:
        """The record of one MARC record with local names; None if it cannot be read."""

    def request(self, queries: Sequence[Query]) -> base.Request:
        """``searchRetrieve`` for these ISBNs, or for the words of these titles with their first authors."""
        return self._search(" or ".join(map(self._clause, queries)))

    def _search(self, query: str) -> base.Request:
        url = query_url(
            f"{self.base_url}/{self.path}",
            ("version", "1.1"),
            ("operation", "searchRetrieve"),
            ("query", query),
            ("maximumRecords", self.hits),
            ("recordSchema", "marcxml"),
        )
        return base.Request(self.name, url, accept="application/xml, text/xml")

    def _clause(self, query: Query) -> str:
        if query.kind == "isbn":
            return f'{self.isbn_index}="{query.value}"'
        title = main_words(query.value, _MOST_WORDS, with_author=bool(query.authors))
        terms = [(self.title_index, word) for word in title]
        # The last word of a family name is in every form of it, the particles are not.
        terms += [(self.name_index, word) for name in query.authors[:1] for word in plain_words(name)[-1:]]
        return "(" + " and ".join(f'{index}="{word.lower()}"' for index, word in terms) + ")"

    def parse(self, queries: Sequence[Query], response: base.Response) -> dict[Query, Answer]:
        """Records by query. Raises MalformedAnswerError for diagnostics, and for all but whole lists of MARC records."""
        elements, total = self._records(response)
        answer = _numbered if queries[0].kind == "isbn" else titled_alike
        return answered(self.label, queries, elements, self.read, partial(answer, cut=total > len(elements)))

    def _records(self, response: base.Response) -> tuple[list[ET.Element], int]:
        """MARC records of an answer, and their total number in the catalogue."""
        if response.status >= 300:
            raise base.MalformedAnswerError(f"{self.label} answered status {response.status}")
        root = without_namespaces(parse_xml(response.body))
        total = whole_number(root.findtext("numberOfRecords"))
        if root.tag != "searchRetrieveResponse" or total is None or root.find("diagnostics") is not None:
            raise base.MalformedAnswerError(f"{self.label}'s answer is no list of records")
        listed = root.findall("records/record")
        elements = [found for data in listed if (found := data.find("recordData/record")) is not None]
        if len(elements) < len(listed) or len(listed) < min(total, self.hits):
            raise base.MalformedAnswerError(f"{self.label}'s answer contains {len(elements)} of {total} records")
        return elements, total

    def singles(self, request: base.Request) -> tuple[base.Request, ...]:
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


_PAGE = "https://opac.k10plus.de/DB=2.299/PPNSET?PPN={}"


class K10plus(SruCatalogue):
    """K10plus: books and theses by ISBN and by title, from the union catalogue of GBV and BSZ.

    Written from the documentation (wiki.k10plus.de, "SRU"; format.k10plus.de, "MARC 21") and not from recorded answers.
    Libraries catalogue with the book in hand, and take records over from each other, from the Library of Congress and from
    publishers: what the title page says is first-hand (`sources.library_catalogues`), all else shows only that a book exists.
    Absence: no library has every book, so it is no evidence. Author order: catalogues put the heading first, and leave people
    out. Limits: none are published.
    """

    name = "k10plus"
    label = "K10plus"
    base_url = "https://sru.k10plus.de"
    path = "opac-de-627"
    isbn_index, title_index, name_index = "pica.isb", "pica.tit", "pica.per"
    documentation = "https://wiki.k10plus.de/display/K10PLUS/SRU"
    batch: Mapping[QueryKind, int] = {"isbn": 20, "title": 5}
    rate = base.Rate(per_second=2.0, concurrency=1)
    limits = "none published; 2 requests a second are used"
    terms = base.Terms("CC0, may be redistributed")
    absence = "no evidence: no library has every book, and an ISBN may belong to another printing"
    unconfirmed = "the address and the indexes of its SRU service, `or` between ISBNs and titles, the words of roles"
    authoritative_for = ("identifier", "title", "authors")
    derives_from = ("loc", "crossref")
    role = base.Role(looks_up=("isbn",), titles=(base.TitleSearch("batch", 20, works=("book", "thesis")),))

    def read(self, element: ET.Element) -> Record | None:
        return marc_record(self.name, element, _PAGE)


K10PLUS = K10plus()


class LibraryOfCongress(SruCatalogue):
    """The Library of Congress: books by ISBN and by title, from its own catalogue.

    Written from the documentation (loc.gov/standards/sru/resources/lcServers.html) and not from recorded answers. Its
    cataloguing is its own: what the title page says is first-hand (`sources.library_catalogues`). Absence: it keeps no thesis
    and few books from abroad, so it is no evidence. Author order: the heading comes first, and people are left out. Limits:
    none are published for SRU.
    """

    name = "loc"
    label = "Library of Congress"
    base_url = "http://lx2.loc.gov:210"
    path = "LCDB"
    isbn_index, title_index, name_index = "bath.isbn", "dc.title", "dc.creator"
    documentation = "https://www.loc.gov/standards/sru/resources/lcServers.html"
    batch: Mapping[QueryKind, int] = {"isbn": 10, "title": 5}
    rate = base.Rate(per_second=0.5, concurrency=1)
    limits = "none published for SRU; one request in two seconds is used"
    terms = base.Terms("open data, may be redistributed with attribution")
    absence = "no evidence: it keeps few books from abroad, and an ISBN may belong to another printing"
    unconfirmed = "the address since the move of the catalogue in 2025, the indexes, `or` between ISBNs and titles"
    authoritative_for = ("identifier", "title", "authors")
    role = base.Role(catalogue=("isbn",), titles=(base.TitleSearch("batch", 25, works=("book",)),))

    def read(self, element: ET.Element) -> Record | None:
        number = "".join(next(field_values(element, "010", "a"), "").split())
        page = f"https://lccn.loc.gov/{number}" if number.isalnum() else ""
        return marc_record(self.name, element, page) if control_number(element, "001") else None


LOC = LibraryOfCongress()


_HITS = 5
_OPERATORS = frozenset({"AND", "OR", "NOT"})  # of its queries
_MOST_TITLE_WORDS = 25


class OpenLibrary(base.Source):
    """Open Library: books by ISBN and by title.

    Written from the documentation (openlibrary.org/developers/api) and not from recorded answers, so it accepts documented
    forms only. Users contribute its records and machines import them, so it compiles. Absence: a book that no user has entered
    yet is left out of the answer; so it is no evidence. Author order: as somebody entered it, says nothing. Limits: 1 request a
    second, 3 for those whose User-Agent names an address.
    """

    name = "open_library"
    label = "Open Library"
    base_url = "https://openlibrary.org"
    documentation = "https://openlibrary.org/developers/api"
    batch: Mapping[QueryKind, int] = {"isbn": 40, "title": 1}
    keeps_author_order = False
    contact_rate = base.Rate(per_second=3.0, concurrency=1)
    limits = "1 request a second; 3 with a contact address"
    absence = "no evidence: users enter its records, and other sources are queried anyway; titles have no control"
    derives_from = ("loc",)
    role = base.Role(looks_up=("isbn",), titles=(base.TitleSearch("single", 8, works=("book",)),))
    # The book in the examples of the documentation.
    controls: Mapping[QueryKind, Query] = {"isbn": Query("isbn", "9780201558029")}

    def request(self, queries: Sequence[Query]) -> base.Request:
        """``api/books?bibkeys=ISBN:…`` for ISBNs, else ``search.json`` for the title without its subtitle."""

        first = queries[0]
        if first.kind == "isbn":
            url = query_url(
                f"{self.base_url}/api/books",
                ("bibkeys", ",".join(map(_bibkey, queries))),
                ("format", "json"),
                ("jscmd", "data"),
            )
            return base.Request(self.name, url)
        words = (word.lower() if word in _OPERATORS else word for word in _title_words(first)[:_MOST_TITLE_WORDS])
        wanted = [("title", " ".join(words))]
        wanted += [("author", " ".join(plain_words(name))) for name in first.authors[:1] if plain_words(name)]
        url = query_url(f"{self.base_url}/search.json", *wanted, ("fields", FIELDS), ("limit", _HITS))
        return base.Request(self.name, url)

    def parse(self, queries: Sequence[Query], response: base.Response) -> dict[Query, Answer]:
        """Records by query. Raises MalformedAnswerError for all but editions by ``bibkey`` and whole lists of works."""
        body = parse_json(response.body)
        if response.status >= 300 or not isinstance(body, dict) or "error" in body:
            raise base.MalformedAnswerError(f"Open Library refused the request with status {response.status}")
        if queries[0].kind == "isbn":
            if any(not name.startswith("ISBN:") for name in body):
                raise base.MalformedAnswerError("Open Library's answer contains other things than books by ISBN")
            return {query: _edition(query, mapping(body)) for query in queries}
        return answered(
            self.label, queries, _works(mapping(body)), open_library_record, lambda _, records: answer_with(records)
        )

    def singles(self, request: base.Request) -> tuple[base.Request, ...]:
        """The requests that look up each ISBN of a list alone."""
        keys = parameter(request.url, "bibkeys")
        if not keys:
            return (request,)
        return tuple(self.request([Query("isbn", key.removeprefix("ISBN:"))]) for key in keys.split(","))


def _bibkey(query: Query) -> str:
    return f"ISBN:{query.value}"


def _title_words(query: Query) -> tuple[str, ...]:
    """Those before the colon, as titles and subtitles are kept apart, if an author makes up for the rest."""
    title = plain_words(query.value.partition(":")[0]) if query.authors else ()
    return title or plain_words(query.value)


def _edition(query: Query, body: Fields) -> Answer:

    if _bibkey(query) not in body:
        return Absent()
    record = parse_edition(body[_bibkey(query)])
    if record is None or query.value not in record.isbn:
        # A misplaced book is no evidence about the others in the answer.
        return Unavailable("malformed", f"Open Library's book for {query.value} is another one or has no title")
    return Found((record,))


def _works(body: Fields) -> list[Any]:
    """Works of a search; their number must match its count."""

    docs, total = body.get("docs"), body.number("numFound")
    if not isinstance(docs, list) or total is None:
        raise base.MalformedAnswerError("Open Library's answer is not a list of works")
    if len(docs) < min(total, _HITS):
        raise base.MalformedAnswerError(f"Open Library's answer contains {len(docs)} of {total} works")
    return docs


OPEN_LIBRARY = OpenLibrary()


FIELDS = "key,title,subtitle,author_name,first_publish_year,publish_year,publisher"
"""Requested fields of each work that a search finds."""

_EDITED_BY = lazy_pattern(r"\s*(?:\[?edited|editors?\b|\(?eds?\.)", re.IGNORECASE)


def parse_edition(edition: object) -> Record | None:
    """The record of one edition (the value of a ``bibkey``), or None if it has no key or no title."""
    fields = mapping(edition)
    people = _undivided(author.text("name") for author in fields.parts("authors"))
    publishers = [publisher.text("name") for publisher in fields.parts("publishers")]
    edited = _EDITED_BY.match(fields.text("by_statement")) is not None
    numbers = fields.at("identifiers")
    return _book(
        fields,
        authors=() if edited else people,
        editors=people if edited else (),
        years=(fields.year("publish_date"), fields.year("first_publish_year")),
        publishers=publishers,
        isbn=_isbns([*numbers.texts("isbn_13"), *numbers.texts("isbn_10")]),
    )


def open_library_record(work: object) -> Record | None:
    """The record of one work (an item of ``docs``), or None if it has no key or no title.

    It represents all editions: the year of the first edition comes first, then all years.
    """
    fields = mapping(work)
    return _book(
        fields,
        authors=_undivided(fields.texts("author_name")),
        years=[fields.year("first_publish_year"), *sorted(unique(map(year_of, fields.all("publish_year"))))],
        publishers=fields.texts("publisher"),
    )


def _book(
    fields: Fields, *, years: Iterable[int | None], publishers: Iterable[str], **people_and_numbers: Any
) -> Record | None:
    key, title = fields.text("key"), fields.plain("title")
    if not key.startswith("/") or not title:
        return None
    names = unique(map(without_markup, publishers))
    return Record(
        source="open_library",
        id=key,
        url=f"https://openlibrary.org{key}",
        title=title,
        subtitle=fields.plain("subtitle"),
        # Users enter one author of a book and put the others among the contributors, which the answer lacks.
        authors_complete=False,
        years=unique(years),
        type="book",
        publisher="; ".join(names[:_MOST_PUBLISHERS]),
        compiled=True,
        **people_and_numbers,
    )


def _undivided(names: Iterable[str]) -> tuple[Person, ...]:
    return tuple(undivided(name) for name in map(stated_name, names) if name)


def _isbns(values: Iterable[str]) -> tuple[str, ...]:
    """All valid numbers, as 13 digits."""
    return tuple(dict.fromkeys(number for value in values for number in find_isbns(value)[0]))
