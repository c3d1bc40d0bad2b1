"""arXiv: e-prints by id and by title.

Documentation: arXiv API User's Manual, info.arxiv.org/help/api/user-manual.html. Absence: an id that is
well-formed and missing in a whole answer does not exist, as arXiv alone gives ids; a version that is missing says nothing
of the e-print, of which an id without one means the latest (manual, "A Note on Article Versions"); a title that is not
found is no evidence, because the search wants the phrase as arXiv spells it. A list that is cut off says nothing at all
about a title of which it shows no e-print. Author order: as on the e-print, reliable. Limits: one request in three seconds
over one connection (info.arxiv.org/help/api/tou.html).
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from zlib import crc32

from pytest_citecheck.matching import decode, lazy_pattern, normalise_arxiv, without_markup
from pytest_citecheck.model import Absent, Answer, Found, Notice, Person, Query, QueryKind, Record, Unavailable
from pytest_citecheck.sources import base
from pytest_citecheck.sources.dump_json import JsonRecords
from pytest_citecheck.sources.parsing import (
    ATOM,
    Fields,
    answer_with,
    arxiv_id,
    doi_name,
    listing,
    parameter,
    parse_feed,
    query_url,
    stated_name,
    text,
    titled_alike,
    undivided,
    unique,
    whole_number,
    without_absences,
    year_of,
)
from pytest_citecheck.sources.search import any_of, plain_words

if TYPE_CHECKING:
    import xml.etree.ElementTree as ET
    from collections.abc import Iterable, Mapping, Sequence

_NO_SUCH_ID = "arXiv has no such id"
_OPENSEARCH = "{http://a9.com/-/spec/opensearch/1.1/}"
_VERSION = lazy_pattern(r"v\d+$")
_ID_LIST = lazy_pattern(r"\bid_list=([^&\s]*)")
_CLAUSE = lazy_pattern(r'ti:"[^"]*"(?: AND au:"[^"]*")?')
_MOST_WORDS = 25
_SHORT_TITLE = 4
_LEAST_RESULTS, _RESULTS = 10, 5
_SAMPLE = 40  # e-prints of a random day
_AUTHOR_WORDS = 6  # of a title, the longest ones, in a search for works of its author


class Arxiv(base.Source):
    """The arXiv API as a source of records (see the module)."""

    name = "arxiv"
    label = "arXiv"
    base_url = "https://export.arxiv.org"
    documentation = "https://info.arxiv.org/help/api/user-manual.html"
    batch: Mapping[QueryKind, int] = {"arxiv": 50, "title": 10, "author_search": 1, "venue_year": 1, "sample": 1}
    rate = base.Rate(per_second=1 / 3, concurrency=1)
    limits = "one request in three seconds over one connection"
    terms = base.Terms("CC0, may be redistributed")
    absence = "complete for ids, which only arXiv assigns; no evidence for versions and titles"
    authoritative_for = ("identifier", "title", "authors", "year")
    version = 2
    role = base.Role(looks_up=("arxiv",), titles=(base.TitleSearch("batch", works=("preprint",)),))
    controls: Mapping[QueryKind, Query] = {
        "arxiv": Query("arxiv", "1706.03762"),
        "title": Query("title", "Attention Is All You Need", ("Vaswani",)),
    }

    def accepts(self, query: Query) -> bool:
        """Well-formed ids, with or without version, and titles with at least one word."""
        if query.kind == "arxiv":
            return bool(normalise_arxiv(query.value)[0])
        if query.kind == "author_search":
            return not query.value and bool(query.authors and plain_words(query.title))
        if query.kind == "sample":
            return query.value.startswith("preprint ")
        if query.kind == "venue_year":
            return query.value == self.name and bool(query.year)
        return query.kind == "title" and bool(plain_words(query.value))

    def request(self, queries: Sequence[Query]) -> base.Request:
        """``id_list=…`` for ids, ``search_query=ti:"…" OR ti:"…"`` for titles; a short one gets its first author."""
        if queries[0].kind == "arxiv":
            names = ",".join(query.value for query in queries)
            return self._query(("id_list", names), ("max_results", len(queries)))
        first = queries[0]
        if first.kind == "sample":
            return self._query(("search_query", _day(first.value)), ("max_results", _SAMPLE))
        if first.kind == "venue_year":
            dates = f"submittedDate:[{first.year}01010000 TO {first.year}12312359]"
            return self._query(("search_query", dates), ("max_results", _LEAST_RESULTS))
        if first.kind == "author_search":
            words = sorted(set(plain_words(first.title)), key=lambda word: (-len(word), word))[:_AUTHOR_WORDS]
            titles = " OR ".join(f'ti:"{_phrase([word])}"' for word in words)
            author = _phrase(plain_words(first.authors[0].partition(",")[0]))
            return self._query(("search_query", f'au:"{author}" AND ({titles})'), ("max_results", _RESULTS * 2))
        return self._search([_clause(query) for query in queries])

    def _search(self, clauses: Sequence[str]) -> base.Request:
        return self._query(
            ("search_query", any_of(clauses)), ("max_results", max(_LEAST_RESULTS, _RESULTS * len(clauses)))
        )

    def _query(self, *parameters: tuple[str, str | int]) -> base.Request:
        return base.Request(
            self.name, query_url(f"{self.base_url}/api/query", *parameters), accept="application/atom+xml"
        )

    def parse(self, queries: Sequence[Query], response: base.Response) -> dict[Query, Answer]:
        """Records by query. Raises MalformedAnswerError unless the body is a whole feed of e-prints."""
        feed = parse_feed(response.body)
        entries = feed.findall(f"{ATOM}entry")
        refusal = _refusal(entries)
        if refusal:
            return {query: _refused(query, refusal, len(queries)) for query in queries}
        if response.status >= 300:
            raise base.MalformedAnswerError(f"arXiv answered status {response.status} without saying why")
        _require_whole(feed, len(entries))
        records = [record for record in map(arxiv_record, entries) if record]
        if entries and not records:
            raise base.MalformedAnswerError("no entry of arXiv's answer is an e-print")
        asked = _asked(feed)
        if asked and not {record.id for record in records} <= {_VERSION.sub("", name) for name in asked}:
            raise base.MalformedAnswerError("arXiv's answer contains e-prints that were not requested")
        if queries[0].kind in ("author_search", "venue_year", "sample"):
            return dict.fromkeys(queries, answer_with(records))
        cut = _is_cut(feed, len(entries), len(queries))
        answers = {query: _answer(query, records, asked, cut=cut) for query in queries}
        return without_absences(answers, self.label) if len(records) < len(entries) else answers

    def singles(self, request: base.Request) -> tuple[base.Request, ...]:
        """The requests that look up each id of a list, or search for each title, alone."""
        names = parameter(request.url, "id_list")
        if names:
            return tuple(self.request([Query("arxiv", name)]) for name in names.split(","))
        query = parameter(request.url, "search_query")
        if query.startswith(("au:", "submittedDate:")):
            return (request,)
        clauses = _CLAUSE.findall(query)
        return tuple(self._search([clause]) for clause in clauses) or (request,)


def _day(sample: str) -> str:
    """The query for the e-prints of a day, the same one for the same sample: arXiv has no random order."""
    _, period, month, _ = sample.split()
    start, _, end = period.partition("-")
    years = (int(end or month[:4]) - (not end)) - int(start) + 1
    number = crc32(sample.encode())
    day = f"{int(start) + number % years}{1 + number // 97 % 12:02}{1 + number // 1361 % 28:02}"
    return f"submittedDate:[{day}0000 TO {day}2359]"


def _clause(query: Query) -> str:
    # Brackets, colons, quotes and boolean words mean something to the query parser; words in quotes do not.
    words = plain_words(query.value)
    clause = f'ti:"{_phrase(words[:_MOST_WORDS])}"'
    author = _phrase(plain_words(query.authors[0])) if query.authors else ""
    return f'{clause} AND au:"{author}"' if len(words) < _SHORT_TITLE and author else clause


def _phrase(words: Sequence[str]) -> str:
    return " ".join(words).replace("-", " ").replace("/", " ")


def _refusal(entries: Sequence[ET.Element]) -> str:
    """Return the message of arXiv's error entry (manual, section 3.4), or the empty text."""
    for entry in entries:
        if "/api/errors" in (entry.findtext(f"{ATOM}id") or ""):
            return (entry.findtext(f"{ATOM}summary") or "").strip() or "error without a summary"
    return ""


def _refused(query: Query, refusal: str, asked: int) -> Answer:
    if query.kind == "arxiv" and "incorrect id format" in refusal.lower():
        if asked == 1 or re.search(rf"(?<![\w-]){re.escape(query.value)}(?!\w)", refusal):
            return Absent("" if _VERSION.search(query.value) else _NO_SUCH_ID)
        return Unavailable("http-400", f"arXiv refused the whole list: {refusal}")
    raise base.MalformedAnswerError(f"arXiv refused the request: {refusal}")


def _count(feed: ET.Element, name: str) -> int | None:
    return whole_number(feed.findtext(f"{_OPENSEARCH}{name}"))


def _require_whole(feed: ET.Element, entries: int) -> None:
    """Raise unless the feed has as many entries as it counts: arXiv sometimes serves empty pages."""
    total, size, start = (_count(feed, name) for name in ("totalResults", "itemsPerPage", "startIndex"))
    if total is None:
        raise base.MalformedAnswerError("arXiv's answer does not say how many results there are")
    expected = max(min(total - (start or 0), total if size is None else size), 0)
    if entries < expected:
        raise base.MalformedAnswerError(f"arXiv's answer contains {entries} of {expected} entries")


def _is_cut(feed: ET.Element, entries: int, queries: int) -> bool:
    """Return True if the feed answers several searches and more was found than it shows; its title repeats the query."""
    searches = len(_CLAUSE.findall(feed.findtext(f"{ATOM}title") or ""))
    return max(searches, queries) > 1 and entries < (_count(feed, "totalResults") or 0)


def _asked(feed: ET.Element) -> frozenset[str]:
    """The ids that the feed echoes; its title repeats the query (manual, section 3.3.1)."""
    echo = _ID_LIST.search(feed.findtext(f"{ATOM}title") or "")
    names = echo.group(1).split(",") if echo else ()
    return frozenset(name.strip() for name in names if name.strip())


def _answer(query: Query, records: Sequence[Record], asked: frozenset[str], *, cut: bool) -> Answer:
    if query.kind == "arxiv":
        return _identified(query.value, records, asked)
    return titled_alike(query, records, cut=cut)


def _identified(name: str, records: Sequence[Record], asked: frozenset[str]) -> Answer:
    """The requested version, else the latest version in the feed."""
    identifier, version = normalise_arxiv(name)
    about_query = [record for record in records if record.id == identifier]
    if version is not None:
        page = f"https://arxiv.org/abs/{identifier}v{version}"
        that = tuple(replace(record, url=page) for record in about_query if record.version == version)
        return Found(that[:1]) if that else Absent()
    if about_query:
        return Found((max(about_query, key=lambda record: record.version or 0),))
    # Without the echo of the id it is not sure that arXiv's silence is about this id.
    return Absent(_NO_SUCH_ID if name in asked else "")


ARXIV = Arxiv()


_ARXIV = "{http://arxiv.org/schemas/atom}"
# "Phys.Rev.D76:013009,2007": the journal ends where volume, issue, pages and year begin.
_NUMBERS = lazy_pattern(r"[\d(\[]")
_VOLUME_WORD = lazy_pattern(r"\b(?:vol(?:ume)?|no|bd|issue)[\s.,:;]*\Z", re.IGNORECASE)
_OPEN_END = lazy_pattern(r"(?:\A|\s)(?:the|of|on|in|an?|and|for|to|der|des|le|la|proc\.?|proceedings)\Z", re.IGNORECASE)
_YEAR_IN_BRACKETS = lazy_pattern(r"\(((?:19|20)\d\d)\)")
_RECORD_VERSION = lazy_pattern(r"v(?P<number>\d{1,4})")
_DOIS = lazy_pattern(r"[\s,;]+")  # of several publications
# "This paper has been withdrawn by the author(s) due to ..."; "withdrawn from ICML" is no withdrawal from arXiv.
_WITHDRAWN = lazy_pattern(
    r"\s*(?:(?:this|the)\s+(?:paper|article|submission|manuscript|preprint|work|version)\s+(?:has\s+been|is|was)\s+)?"
    r"withdrawn\b(?!\s+from\b)",
    re.IGNORECASE,
)
_LAST_YEAR = lazy_pattern(r"(?<!\d)((?:19|20)\d\d)\W*\Z")


def _text(element: ET.Element, name: str) -> str:
    return without_markup(element.findtext(name) or "")


def identifier_of(entry: ET.Element) -> str:
    """The arXiv id of an entry without version, or empty."""
    return arxiv_id(_text(entry, f"{ATOM}id"))


def _journal(reference: str) -> str:
    head, *numbers = _NUMBERS.split(reference, maxsplit=1)
    name = _VOLUME_WORD.sub("", head).strip(" ,.:;@-")
    return "" if not numbers or len(name) < 2 or _OPEN_END.search(name) else name


def _journal_year(reference: str) -> int | None:
    match = _YEAR_IN_BRACKETS.search(reference) or _LAST_YEAR.search(reference)
    return int(match.group(1)) if match else None


def arxiv_record(entry: ET.Element) -> Record | None:
    """The record of one entry, or None if it names no e-print."""
    identifier = identifier_of(entry)
    if not identifier:
        return None
    stated = [author.findtext(f"{ATOM}name", "") for author in entry.findall(f"{ATOM}author")]
    names = [stated_name(name) for name in stated if stated_name(name) or not name]  # ":" follows a collaboration
    return _eprint(
        identifier,
        title=_text(entry, f"{ATOM}title"),
        authors=tuple(map(undivided, names)),
        dates=[_text(entry, f"{ATOM}published"), _text(entry, f"{ATOM}updated")],
        reference=_text(entry, f"{_ARXIV}journal_ref"),
        dois=[without_markup(element.text or "") for element in entry.findall(f"{_ARXIV}doi")],
        version=normalise_arxiv(_text(entry, f"{ATOM}id"))[1],
        comment=_text(entry, f"{_ARXIV}comment"),
    )


def parse_line(value: Fields) -> Record | None:
    """The record of one line of the metadata snapshot, or None if it names no e-print.

    Its fields: id, title, authors_parsed (family, given, suffix, affiliations), doi, journal-ref, versions, update_date.
    """
    identifier = value.arxiv("id")
    if not identifier:
        return None
    versions = value.parts("versions")
    created = [version.text("created") for version in versions]
    last = _RECORD_VERSION.fullmatch(text(versions[-1].get("version"))) if versions else None
    return _eprint(
        identifier,
        title=value.plain("title"),
        authors=tuple(map(_person, value.all("authors_parsed"))),
        dates=[*created[:1], *created[-1:]] or [value.text("update_date")],
        reference=value.plain("journal-ref"),
        dois=_DOIS.split(value.text("doi")),
        version=int(last["number"]) if last else None,
        comment=value.text("comments"),
    )


def _person(parts: object) -> Person:
    """The person of the parts that arXiv separates, in TeX; the fourth and further ones are affiliations."""
    family, given, suffix = (stated_name(decode(text(part))) for part in [*listing(parts), "", "", ""][:3])
    if family and given:
        return Person(family=family, given=given, suffix=suffix)
    return undivided(family or given)


def _eprint(
    identifier: str, *, dates: Sequence[str], reference: str, dois: Iterable[str], comment: str, **as_they_are: Any
) -> Record:
    """Return the record of one e-print, from metadata in any form.

    Years: first version, last version, journal reference. Venues are arXiv, then the journal, then its reference as the
    authors wrote it. A DOI stated by the authors belongs to the published version and goes into ``related``. Only the
    comment shows a withdrawal.
    """
    years = [*map(year_of, dates), _journal_year(reference)]
    return Record(
        source="arxiv",
        id=identifier,
        url=f"https://arxiv.org/abs/{identifier}",
        years=unique(years),
        venues=unique(("arXiv", _journal(reference), reference)),
        type="preprint",
        arxiv=identifier,
        notices=(Notice("removal", "arxiv"),) if _WITHDRAWN.match(comment) else (),
        related=tuple(("is-preprint-of", doi) for doi in dict.fromkeys(map(doi_name, dois)) if doi),
        **as_they_are,
    )


_MARK = lazy_pattern(rb'"(?:authors_parsed|journal-ref)"\s*:')


def _is_eprint(value: dict[str, Any]) -> bool:
    return "id" in value and "title" in value and ("authors_parsed" in value or "authors" in value)


ARXIV_LINES = JsonRecords("arxiv", "CC0-1.0", _MARK.search, _is_eprint, parse_line, "the id is none of arXiv")
DUMPS = (ARXIV_LINES,)
