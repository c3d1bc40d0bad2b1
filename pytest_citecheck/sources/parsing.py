"""Answers of services in JSON or XML: parse the whole body or refuse it, read fields without trusting their types.

XML from an untrusted source has no declarations and no custom entities.
"""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET  # parses nothing: `root_of` parses, after declarations have been refused
from collections.abc import Mapping
from dataclasses import fields, replace
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import parse_qs, quote, unquote, urlsplit

from pytest_citecheck.matching import (
    MOST_AUTHORS,
    MOST_STATED,
    compare_titles,
    find_isbns,
    lazy_pattern,
    longest,
    normalise_arxiv,
    root_of,
    without_markup,
)
from pytest_citecheck.model import Absent, Answer, Found, Person, Query, Record, Unavailable
from pytest_citecheck.sources.base import MalformedAnswerError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

    from pytest_citecheck.model import RecordType

_T = TypeVar("_T", bound="Hashable")
_YEAR = lazy_pattern(r"(?<!\d)(1[4-9]\d\d|20\d\d)(?!\d)")
_SURROGATES = lazy_pattern("[\ud800-\udfff]")

# An answer of 8 MB has 400,000 commas and brackets at the density of services' answers (one in 20 bytes, at most one in
# 17). With nothing but empty arrays, it would have three times as many, and take 230 MB.
_MOST_VALUES = 500_000
# Ten levels of JSON and fourteen of XML are the most that a service sends.
_DEEPEST = 100


def parse_json(body: bytes) -> Any:
    """The JSON value (RFC 8259) that fills the whole body.

    Raises MalformedAnswerError for an empty or truncated body, another encoding than UTF-8, an HTML or XML
    page, and for documents of too many values, nested too deeply, or with numbers of thousands of digits.
    """
    try:
        decoded = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise MalformedAnswerError(f"the body is not UTF-8: {error}") from error
    if not decoded.strip():
        raise MalformedAnswerError("the body is empty")
    if decoded.lstrip().startswith("<"):
        raise MalformedAnswerError("the body is a page in HTML or XML, not JSON")
    if sum(map(decoded.count, ",[{")) > _MOST_VALUES:
        raise MalformedAnswerError(f"the body contains more than {_MOST_VALUES:,} values")
    try:
        value = json.loads(decoded)
    except (ValueError, RecursionError) as error:
        raise MalformedAnswerError(f"the body is not JSON: {type(error).__name__}: {error}") from error
    if _is_deep(value):
        raise MalformedAnswerError(f"the body is nested more than {_DEEPEST} times")
    return value


def _is_deep(value: object) -> bool:
    level = [value]
    for _ in range(_DEEPEST):
        inner = (member for one in level for member in _members(one))
        level = [member for member in inner if isinstance(member, (dict, list))]
        if not level:
            return False
    return True


def _members(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


class Fields(Mapping[str, Any]):
    """A JSON object of a service, whose members are read as what they should be; a member of another type counts as absent."""

    __slots__ = ("_members",)

    def __init__(self, members: dict[str, Any]) -> None:
        self._members = members

    def __getitem__(self, name: str) -> Any:
        return self._members[name]

    def get(self, name: str, default: Any = None) -> Any:
        """The member as it is."""
        return self._members.get(name, default)

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def __contains__(self, name: object) -> bool:
        return name in self._members

    def at(self, name: str) -> Fields:
        """The object in this member, else an empty one."""
        value = self._members.get(name)
        return Fields(value) if type(value) is dict else _NO_FIELDS

    def reach(self, path: str) -> Any:
        """The member at a path of names joined by dots."""
        value: object = self
        for name in path.split("."):
            value = mapping(value).get(name)
        return value

    def all(self, name: str) -> list[Any]:
        """See `listing`."""
        return listing(self._members.get(name))

    def parts(self, name: str) -> list[Fields]:
        """The items of an array as objects."""
        return [mapping(item) for item in listing(self._members.get(name))]

    def text(self, name: str) -> str:
        """See `text`."""
        value = self._members.get(name)
        return value.strip() if type(value) is str and value.isascii() else text(value)  # mostly

    def plain(self, name: str) -> str:
        """Its text without markup."""
        return without_markup(self.text(name))

    def texts(self, name: str) -> tuple[str, ...]:
        """See `texts`."""
        return texts(self._members.get(name))

    def plains(self, name: str) -> tuple[str, ...]:
        """`texts` without markup, each once."""
        return plain_texts(self._members.get(name))

    def name(self, name: str) -> str:
        """See `stated_name`."""
        return stated_name(self._members.get(name))

    def doi(self, name: str) -> str:
        """See `doi_name`."""
        return doi_name(self.text(name))

    def arxiv(self, name: str) -> str:
        """See `arxiv_id`."""
        return arxiv_id(self.text(name))

    def first(self, name: str) -> str:
        """See `first_text`."""
        return first_text(self._members.get(name))

    def number(self, name: str) -> int | None:
        """See `whole_number`."""
        return whole_number(self._members.get(name))

    def year(self, name: str) -> int | None:
        """See `year_of`."""
        return year_of(self._members.get(name))


_NO_FIELDS = Fields({})


def mapping(value: object) -> Fields:
    """The members of a JSON object; none for another value."""
    if type(value) is Fields:  # isinstance would take longer than all else here
        return value
    return Fields(value) if isinstance(value, dict) else _NO_FIELDS


def listing(value: object) -> list[Any]:
    """The value if it is a JSON array, an empty list for null, else a list of this one value.

    Services that translate XML into JSON write a single element without its array.
    """
    if isinstance(value, list):
        return value
    return [] if value is None else [value]


def text(value: object) -> str:
    """The value as one string: numbers are written out, anything else that is no string becomes empty."""
    if isinstance(value, str):
        return value.strip() if value.isascii() else _SURROGATES.sub("", value).strip()
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value) if abs(value) < 10**18 else ""
    return ""


def texts(value: object) -> tuple[str, ...]:
    """The non-empty strings of an array, or of one string."""
    return tuple(item for item in map(text, listing(value)) if item)


def unique(values: Iterable[_T | None]) -> tuple[_T, ...]:
    """The values that are not empty, each once."""
    return tuple(dict.fromkeys(value for value in values if value))


def plain_text(value: object) -> str:
    """`text` without markup."""
    return without_markup(text(value))


def plain_texts(value: object) -> tuple[str, ...]:
    """`texts` without markup, each once."""
    return unique(map(without_markup, texts(value)))


def first_text(value: object) -> str:
    """The first non-empty string of an array, or the string itself; empty if there is none."""
    found = texts(value)
    return found[0] if found else ""


def whole_number(value: object) -> int | None:
    """A count that is stated as a number or as a string of digits; None if it is neither."""
    digits = text(value)
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 12 else None


def year_of(value: object) -> int | None:
    """The first four-digit year (1400 to 2099) in a date, a number or a string; None if there is none."""
    match = _YEAR.search(text(value))
    return int(match.group()) if match else None


def years_between(values: Iterable[object]) -> tuple[int, ...]:
    """All years from the earliest to the latest stated one; empty without any."""
    years = sorted(year for year in map(year_of, values) if year)
    return tuple(range(years[0], years[-1] + 1)) if years else ()


_RESOLVER = lazy_pattern(r"(?:https?://)?(?:dx\.|www\.)?doi\.org/|doi:\s*", re.IGNORECASE)
_DOI = lazy_pattern(r"10\.\d[\d.]*/\S", re.IGNORECASE)
_ARXIV_DOI = "10.48550/arxiv."
_PUBMED_ID = lazy_pattern(r"[1-9]\d{0,7}", re.ASCII)
_PMC_ID = lazy_pattern(r"(PMC[1-9]\d{0,8})(?:\.\d+)?", re.ASCII)


def doi_name(value: str) -> str:
    """The DOI in lower case without its resolver; empty if the value is no DOI."""
    value = value.strip()
    match = _RESOLVER.match(value)
    if match:
        value = value[match.end() :]
        if "%" in value:
            value = unquote(value)
    return value.lower() if _DOI.match(value) else ""


def arxiv_id(value: str) -> str:
    """The arXiv id without version and subject class (``math/0309136`` of ``math.GT/0309136v1``), else ""."""
    return normalise_arxiv(value)[0]


def arxiv_id_of_doi(doi: str) -> str:
    """The arXiv id in a DOI that DataCite registered for arXiv, or empty."""
    return arxiv_id(doi[len(_ARXIV_DOI) :]) if doi.lower().startswith(_ARXIV_DOI) else ""


def isbn_numbers(stated: Iterable[str]) -> tuple[str, ...]:
    """The ISBNs that are right, as 13 digits each, in their order."""
    return tuple(dict.fromkeys(number for value in stated for number in find_isbns(value.rpartition("/")[2])[0]))


def pubmed_id(value: str) -> str:
    """The PubMed id, 1 to 8 digits; otherwise empty."""
    return value if _PUBMED_ID.fullmatch(value) else ""


def pmc_id(value: str) -> str:
    """The id in PubMed Central without its version (``PMC2883744`` of ``PMC2883744.1``); otherwise empty."""
    match = _PMC_ID.fullmatch(value)
    return match.group(1) if match else ""


_MONTHS, _DAYS = 12, 31


def _parts(value: object) -> list[Any]:
    """Year, month and day as stated; of a range only its beginning."""
    parts = listing(mapping(value).get("date-parts"))
    return listing(parts[0]) if parts else []


def partial_year(value: object) -> int | None:
    """The year of a date (of a range: the first), or None."""
    parts = _parts(value)
    if parts and (year := year_of(parts[0])):
        return year
    return year_of(text(mapping(value).get("raw")) or text(mapping(value).get("literal")))


def iso_date(value: object) -> str:
    """The date in ISO 8601 as far as known (``2015``, ``2015-05``, ``2015-05-04``), or empty."""
    parts = _parts(value)
    year = partial_year(value)
    if year is None:
        return ""
    month, day = (whole_number(part) for part in (*parts[1:3], None, None)[:2])
    if not month or month > _MONTHS:
        return f"{year}"
    return f"{year}-{month:02}-{day:02}" if day and day <= _DAYS else f"{year}-{month:02}"


# Canonical request URLs: fixed order of parameters, one way of percent-encoding (RFC 3986).
def query_url(base: str, *parameters: tuple[str, str | int]) -> str:
    """The URL with the parameters in the given order; all but unreserved characters is encoded."""
    return base + "?" + "&".join(f"{quote(name, safe='.-')}={_encoded(str(value))}" for name, value in parameters)


@lru_cache(maxsize=1024)
def _encoded(value: str) -> str:
    """The value, percent-encoded: many services are asked for the same title."""
    return quote(value, safe="")


def path_url(base: str, name: str) -> str:
    """URL of a resource whose name may contain slashes (a DOI); slashes stay, all else is encoded."""
    return f"{base}/{quote(name, safe='/')}"


def parameter(url: str, name: str) -> str:
    """The decoded value of a query parameter of the URL, empty if it has none."""
    values = parse_qs(urlsplit(url).query, keep_blank_values=True).get(name)
    return values[0] if values else ""


_LISTS = ("authors", "editors")
_TEXTS = tuple((field.name, longest(field.name)) for field in fields(Record) if field.type == "str")
_STATED = tuple(
    (field.name, longest(field.name))
    for field in fields(Record)
    if str(field.type).startswith("tuple") and field.name not in _LISTS
)
_PARTS = attrgetter(*(field.name for field in fields(Person) if field.type == "str"))
_LONGEST_NAME = longest("family")


def within_lengths(answer: Answer) -> Answer:
    """The answer with lists of authors cut; Unavailable (``malformed``) if a record is too long to be one."""
    if not isinstance(answer, Found):
        return answer
    records = []
    for record in answer.records:
        cut = _with_fewer_people(record)
        if problem := _beyond(cut):
            return Unavailable("malformed", f"a record of {cut.source[:100]} holds {problem}")
        records.append(cut)
    changed = any(new is not old for new, old in zip(records, answer.records, strict=True))
    return replace(answer, records=tuple(records)) if changed else answer


def _with_fewer_people(record: Record) -> Record:
    if len(record.authors) > MOST_AUTHORS:
        record = replace(record, authors=record.authors[:MOST_AUTHORS], authors_complete=False)
    if len(record.editors) > MOST_AUTHORS:
        record = replace(record, editors=record.editors[:MOST_AUTHORS])
    return record


def _beyond(record: Record) -> str:
    """Part of a record that is too long, in words; empty if there is none."""
    for name, limit in _TEXTS:
        if len(text := getattr(record, name)) > limit:
            return f"{len(text):,} characters as its {name}, and at most {limit:,} can be one"
    for name, limit in _STATED:
        stated = getattr(record, name)
        if len(stated) > MOST_STATED:
            return f"{len(stated):,} {name}, and at most {MOST_STATED:,} can be of one work"
        for item in stated:
            if isinstance(item, str) and len(item) > limit:
                return f"{len(item):,} characters in its {name}, and at most {limit:,} can be one"
    for person in (*record.authors, *record.editors):
        if (length := max(map(len, _PARTS(person)))) > _LONGEST_NAME:
            return f"a name of {length:,} characters, and at most {_LONGEST_NAME:,} can be one"
    return ""


def without_absences(answers: Mapping[Query, Answer], label: str) -> dict[Query, Answer]:
    """The answers without absences, because the unreadable entry may be the requested one.

    An absence becomes `Unavailable`, and a list no longer counts as complete. label: display name of the source.
    """
    unread = Unavailable("malformed", f"an entry of {label}'s answer could not be read, so nothing is absent from it")
    return {
        query: unread
        if isinstance(answer, Absent)
        else replace(answer, scope="")
        if isinstance(answer, Found)
        else answer
        for query, answer in answers.items()
    }


_Read = TypeVar("_Read")


def answered(
    label: str,
    queries: Sequence[Query],
    items: Sequence[object],
    read: Callable[[Any], _Read | None],
    answer: Callable[[Query, list[_Read]], Answer],
) -> dict[Query, Answer]:
    """Answer each query from the items of one response. An unreadable item leaves no absences.

    read: None for an item that it cannot read. Raises MalformedAnswerError if that is every item.
    """
    known = [one for item in items if (one := read(item)) is not None]
    if items and not known:
        raise MalformedAnswerError(f"no item of {label}'s answer could be read")
    answers = {query: answer(query, known) for query in queries}
    return without_absences(answers, label) if len(known) < len(items) else answers


def answer_with(records: Iterable[Record], scope: str = "") -> Found | Absent:
    """An answer with these records; without any, an absence that is no evidence."""
    known = tuple(records)
    return Found(known, scope) if known else Absent()


# Codes for unknown information: DataCite Metadata Schema, appendix 3.
_CODE = lazy_pattern(r"\(?:(?:unac|unal|unap|unas|unav|unkn|none|null|tba|etal)\)?", re.IGNORECASE)
_PLACEHOLDERS = frozenset({"&na;", "n/a", "n.a.", "na", "none", "null", "anonymous", "unknown", "unpublished"})
# With a further part they are names: people are called Na, Null and None.
_ALSO_NAMES = frozenset({"na", "none", "null"})
_GROUP = lazy_pattern(r"\b(?:collaborations?|consortium|working group|study group)\s*\Z", re.IGNORECASE)


def is_unknown(value: str) -> bool:
    """Return True if the value is a code for "unknown" (``(:unav)``)."""
    return _CODE.fullmatch(value) is not None


def stated_name(value: object) -> str:
    """The value as a name in plain text; empty for codes, placeholders (``&NA;``) and anything without a letter."""
    name = without_markup(text(value))
    if not any(map(str.isalpha, name)) or name.lower() in _PLACEHOLDERS or is_unknown(name):
        return ""
    return name


def stated_parts(family: object, given: object) -> tuple[str, str]:
    """The parts of a name, each as `stated_name` reads it; of a family name like ``Na`` or ``Null`` the given name decides."""
    known = stated_name(given)
    plain = without_markup(text(family))
    return (plain if known and plain.lower() in _ALSO_NAMES else stated_name(family)), known


def person(family: object, given: object, suffix: object = "") -> Person:
    """The person with a name in parts; one part alone is a whole name."""
    last, first = stated_parts(family, given)
    return Person(family=last, given=first, suffix=plain_text(suffix)) if last and first else undivided(last or first)


def inverted(name: str) -> Person:
    """The person of ``Family, Given``; a name without a comma is not divided."""
    family, comma, given = name.partition(",")
    return Person(family=family.strip(), given=given.strip()) if comma else undivided(name)


def undivided(name: str) -> Person:
    """The person that a name in one string states, or the group if it ends like the name of one."""
    return Person(literal=name, group=_GROUP.search(name) is not None)


def titled_alike(query: Query, records: Iterable[Record], *, cut: bool) -> Answer:
    """Records with a title similar to the query's; one record may belong to several queries.

    ``cut``: the answer has only some of the results for all queries together, so a query without a record is
    `Unavailable`, and is sent again in a smaller batch. Otherwise it is `Absent`.
    """
    about_query = tuple(record for record in records if record.title and _resembles(query.value, record))
    if about_query:
        return Found(about_query)
    if cut:
        return Unavailable("malformed", "the answer was full before it came to this title")
    return Absent()


def _resembles(title: str, record: Record) -> bool:
    return compare_titles(title, record.title, record.subtitle, record.other_titles).relation != "different"


_DECLARATION = lazy_pattern(r"<!\s*(?:DOCTYPE|ENTITY|ELEMENT|ATTLIST|NOTATION)", re.IGNORECASE)
# XML 1.0, productions 28 and 75, without the internal subset, where entities would be declared.
_LITERAL = r"""(?:"[^"<>&]*"|'[^'<>&]*')"""
_EXTERNAL_TYPE = lazy_pattern(
    r"(\A\s*(?:<\?xml[^<>]*\?>\s*)?)"
    rf"<!DOCTYPE\s+[\w:.-]+(?:\s+SYSTEM\s+{_LITERAL}|\s+PUBLIC\s+{_LITERAL}\s+{_LITERAL})?\s*>"
)

# Tags and attributes: an answer of 8 MB has 300,000 at the usual density (one in 30 bytes), 900,000 at the highest.
# This many empty elements, or attributes of one, take up to a second.
_MOST_MARKS = 500_000


def parse_xml(body: bytes, *, doctype: bool = False) -> ET.Element:
    """Parse the root element of the body.

    With ``doctype``, one document type that only names an external definition is allowed; it is removed, and the
    definition is never fetched. Raises MalformedAnswerError, and nothing else, for another encoding than UTF-8, any
    other declaration (so neither expansion bombs nor external entities can occur), too many elements and attributes,
    too deep ones, and text that is not well-formed.
    """
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise MalformedAnswerError(f"the body is not UTF-8: {error}") from error
    if "\0" in text:
        raise MalformedAnswerError("the body is not UTF-8 text")
    if doctype:
        text = _EXTERNAL_TYPE.sub(r"\1", text, count=1)
    if _DECLARATION.search(text):
        raise MalformedAnswerError("the body contains a document type or entity declaration")
    try:
        return root_of(text, marks=_MOST_MARKS, depth=_DEEPEST)
    except ValueError as error:
        raise MalformedAnswerError(f"the body {error}") from error


_OUTER = lazy_pattern(r"\A<[^<>]*>|</[^<>]*>\Z")


def without_namespaces(root: ET.Element) -> ET.Element:
    """The same tree with local names; services leave namespaces out or change them from version to version."""
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    return root


def marked_text(element: ET.Element | None) -> str:
    """The plain text of an element, whose markup (faces, formulas) is read like that in other services' titles."""
    if element is None:
        return ""
    if not len(element):
        return without_markup(element.text or "")
    tail, element.tail = element.tail, None
    written = ET.tostring(element, encoding="unicode")
    element.tail = tail
    return without_markup(_OUTER.sub("", written))


def marked_texts(parent: ET.Element | None, path: str) -> list[str]:
    """The plain texts of all elements at a path below the parent, without empty ones."""
    found = [] if parent is None else parent.findall(path)
    return [text for text in map(marked_text, found) if text]


# Atom feeds (RFC 4287) from an untrusted source: all or nothing.
ATOM = "{http://www.w3.org/2005/Atom}"


def parse_feed(body: bytes) -> ET.Element:
    """The ``feed`` element that fills the whole body. Raises MalformedAnswerError for anything else."""
    root = parse_xml(body)
    if root.tag != f"{ATOM}feed":
        raise MalformedAnswerError(f"the body is not an Atom feed but {root.tag[:60]}")
    return root


_WORDS: Mapping[RecordType, str] = {
    "article": "article article-journal article-magazine article-newspaper journal-article review letter editorial",
    "inproceedings": "inproceedings conference paper-conference conference-paper proceedings-article",
    "book": "book monograph edited-book reference-book",
    "chapter": "chapter incollection inbook book-chapter book-section book-part book-track reference-entry entry "
    "entry-dictionary entry-encyclopedia",
    "proceedings": "proceedings",
    "preprint": "preprint posted-content eprint",
    "submission": "submission",
    "thesis": "thesis phdthesis mastersthesis dissertation",
    "report": "report techreport report-component",
    "dataset": "dataset database",
    "software": "software",
}
_TYPES = {word: kind for kind, words in _WORDS.items() for word in words.split()}


def record_type(stated: str) -> RecordType:
    """Map the type that a collection states in its own words; ``other`` if it is unknown, empty if there is none."""
    return _TYPES.get(stated, "other") if stated else ""
