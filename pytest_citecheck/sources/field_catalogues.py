"""Catalogues of a single field: alternatives of identifiers or of titles in one query, one page of results."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_citecheck.matching import asked_place, bibcode, find_isbns, lazy_pattern, without_markup, zbl_number
from pytest_citecheck.model import Absent, Answer, Person, Query, QueryKind, Record, RecordType, Unavailable
from pytest_citecheck.sources import base
from pytest_citecheck.sources.parsing import (
    Fields,
    answer_with,
    answered,
    arxiv_id,
    doi_name,
    inverted,
    listing,
    mapping,
    parameter,
    parse_json,
    plain_text,
    record_type,
    stated_name,
    titled_alike,
    undivided,
    unique,
    year_of,
)
from pytest_citecheck.sources.search import JsonSearch, is_at_place, plain_words, whole_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

Named = tuple[frozenset[tuple[str, str]], Record]
"""A record with all identifiers under which the service knows it, as pairs of a kind of query and a value."""

PAGE, SHORT_PAGE = 100, 10
"""Results asked for: for several queries, and for one title."""
_MOST_WORDS = 8
_FEWEST_WORDS = 4
"""Titles with fewer words have many namesakes, which would crowd out the works of other titles; they are asked alone."""


def title_words(query: Query) -> list[str]:
    """The words of a title that a good record should have, in lower case, as AND, OR and NOT are operators."""
    return [word.lower() for word in whole_words(query.value, _MOST_WORDS)]


def are_few_words(query: Query) -> bool:
    """Return True if a title must be queried alone, and with its first author."""
    return query.kind == "title" and len(title_words(query)) < _FEWEST_WORDS


def first_author(query: Query) -> str:
    """The plain words of the first author's family name, in lower case; empty if no author is stated."""
    return " ".join(plain_words(query.authors[0])).lower() if query.authors else ""


def answers_of_page(
    queries: Sequence[Query], results: Sequence[Named | None], *, total: int, label: str
) -> dict[Query, Answer]:
    """Answer each query from the results of one page, out of ``total`` results.

    None marks an unreadable result: then no work counts as absent. No absence has a scope. Raises MalformedAnswerError
    for a page with fewer results than it should have, or without a readable one.
    """
    if len(results) < min(total, SHORT_PAGE if len(queries) == 1 else PAGE):
        raise base.MalformedAnswerError(f"{label}'s answer contains {len(results)} of {total} results")
    more = total > len(results)
    # A recorded batch is read for one query, too.
    together = len(queries) > 1 or len(results) > SHORT_PAGE

    def answer(query: Query, read: list[Named]) -> Answer:
        if query.kind == "title":
            return titled_alike(query, [record for _, record in read], cut=more and together)
        if query.kind == "place":
            about_query = [record for _, record in read if is_at_place(asked_place(query.value), record)]
        else:
            about_query = [record for names, record in read if (query.kind, query.value) in names]
        if not about_query and more:
            return Unavailable("not-asked", f"{label} has more works for these identifiers than it shows")
        return answer_with(about_query)

    return answered(label, queries, results, lambda result: result, answer)


class FieldCatalogue(JsonSearch):
    """A catalogue as a source of records (see the module).

    unquotable: what would end or bend the clause of a DOI. clauses: by kind, the clause of an identifier.
    title_word, author, both: the clauses of a word of a title and of a family name, and what joins them.
    either: what joins the alternatives of a query. short_page: results for one title.
    """

    unquotable: re.Pattern[str]
    clauses: Mapping[QueryKind, str]
    title_word: str
    author: str
    both: str
    either: str
    short_page = SHORT_PAGE

    def accepts(self, query: Query) -> bool:
        """All well-formed queries but DOIs that would end or bend their clause."""
        return super().accepts(query) and not (query.kind == "doi" and self.unquotable.search(query.value))

    def request(self, queries: Sequence[Query]) -> base.Request:
        """The search with one alternative a query; titles of few words are asked only alone."""
        together = [query for query in queries if not are_few_words(query)] or queries[:1]
        return self._search([self._clause(query) for query in together])

    def _search(self, clauses: Sequence[str]) -> base.Request:
        one_title = len(clauses) == 1 and clauses[0].startswith("(")
        return self.searched(self.either.join(clauses), self.short_page if one_title else PAGE)

    def _clause(self, query: Query) -> str:
        if query.kind == "place":
            asked = asked_place(query.value)
            place = f"{' '.join(plain_words(asked.journal))},{asked.volume},{asked.first}"
            return self.clauses[query.kind].format(place)
        if query.kind in self.clauses:
            return self.clauses[query.kind].format(query.value)
        return self._titled(query)

    def _titled(self, query: Query) -> str:
        clauses = [self.title_word.format(word) for word in title_words(query)]
        author = first_author(query)
        if author and are_few_words(query):
            clauses.append(self.author.format(author))
        return f"({self.both.join(clauses)})"

    def parse(self, queries: Sequence[Query], response: base.Response) -> dict[Query, Answer]:
        """Records by query. Raises MalformedAnswerError for all but a whole page of results with their number."""
        results, total = self.page(response)
        return answers_of_page(queries, [self.read(result) for result in results], total=total, label=self.label)

    def singles(self, request: base.Request) -> tuple[base.Request, ...]:
        """The searches that ask for each alternative alone."""
        return tuple(self._search([clause]) for clause in parameter(request.url, self.form[0][0]).split(self.either))


_ADS_FIELDS = "bibcode,title,author,author_count,year,pub,bibstem,volume,issue,page,page_range,doi,identifier,doctype"


class AstrophysicsDataSystem(FieldCatalogue):
    """NASA Astrophysics Data System: astronomy, physics and arXiv, by bibcode, identifier and title; with a key alone.

    Documentation: ui.adsabs.harvard.edu/help/api, github.com/adsabs/adsabs-dev-api ("Search API"). It compiles what publishers,
    arXiv and Crossref send, so it has no first word. Absence: no evidence. Author order: as published. Limits: 5,000 requests a
    day with a token (x-ratelimit-remaining).
    """

    name = "ads"
    label = "NASA ADS"
    base_url = "https://api.adsabs.harvard.edu/v1"
    documentation = "https://ui.adsabs.harvard.edu/help/api/"
    batch: Mapping[QueryKind, int] = {"bibcode": 25, "doi": 25, "arxiv": 25, "title": 5}
    limits = "5,000 requests a day with a key"
    absence = "no evidence: it compiles other sources, which are queried anyway"
    derives_from = ("arxiv", "crossref")
    terms = base.Terms("facts; terms not reviewed, keep cassettes private")
    unconfirmed = 'alternatives in one query (`doi:"a" OR doi:"b"`)'
    role = base.Role(
        catalogue=("bibcode", "doi", "arxiv"),
        disciplines=("physics",),
        titles=(base.TitleSearch("batch", 60, ("physics",), ("article", "paper", "report", "misc", "thesis")),),
    )
    credentials = base.Credentials(
        "ADS_API_TOKEN",
        header="Authorization",
        scheme="Bearer",
        required=True,
        obtained="https://ui.adsabs.harvard.edu/user/settings/token",
    )
    # Riess and others on the accelerating universe.
    controls: Mapping[QueryKind, Query] = {
        "bibcode": Query("bibcode", "1998AJ....116.1009R"),
        "doi": Query("doi", "10.1086/300499"),
        "arxiv": Query("arxiv", "astro-ph/9805201"),
        "title": Query(
            "title",
            "Observational Evidence from Supernovae for an Accelerating Universe and a Cosmological Constant",
            ("Riess",),
        ),
    }

    path = "search/query"
    unquotable = lazy_pattern(r"[\s\"\\]")
    clauses: Mapping[QueryKind, str] = {
        "bibcode": 'identifier:"{}"',
        "doi": 'doi:"{}"',
        "arxiv": 'identifier:"arXiv:{}"',
    }
    title_word, author, both, either = "title:{}", 'author:"{}"', " ", " OR "

    form = (("q", "{query}"), ("fl", _ADS_FIELDS), ("rows", "{hits}"))
    results, total, problems = "response.docs", "response.numFound", ("error.msg", "error")

    def read(self, result: object) -> Named | None:

        return parse_doc(result)


ADS = AstrophysicsDataSystem()


def parse_doc(doc: object) -> Named | None:
    """The record of one document with all its identifiers; None if it has no bibcode or no title."""
    fields = mapping(doc)
    code = bibcode(fields.text("bibcode"))
    titles = [without_markup(title) for title in fields.texts("title")]
    titles = [title for title in titles if title]
    if not code or not titles:
        return None
    stated = fields.texts("identifier")
    dois = list(dict.fromkeys(filter(None, map(doi_name, (*fields.texts("doi"), *stated)))))
    own = [doi for doi in dois if not doi.startswith("10.48550/")]
    eprints = list(dict.fromkeys(filter(None, map(arxiv_id, stated))))
    codes = {code, *filter(None, map(bibcode, stated))}
    authors = tuple(person for person in map(_person, fields.all("author")) if person)
    kind = record_type(fields.text("doctype").lower()) or "other"
    names = {("bibcode", one) for one in codes} | {("doi", doi) for doi in dois} | {("arxiv", one) for one in eprints}
    record = Record(
        source="ads",
        id=code,
        url=f"https://ui.adsabs.harvard.edu/abs/{code.replace('&', '%26')}/abstract",
        title=titles[0],
        other_titles=tuple(titles[1:]),
        authors=authors,
        authors_complete=len(authors) >= (fields.number("author_count") or 0),
        years=tuple(filter(None, [fields.year("year")])),
        venues=_venues(fields),
        type=kind,
        doi=own[0] if own else "",
        arxiv=eprints[0] if eprints else "",
        volume=fields.text("volume"),
        number=fields.text("issue"),
        pages=fields.text("page_range") or next(iter(fields.texts("page")), ""),
        related=tuple(("is-identical-to", doi) for doi in own[1:]),
        compiled=True,
    )
    return frozenset(names), record


def _person(stated: object) -> Person | None:
    name = stated_name(stated)
    return inverted(name) if name else None


def _venues(fields: Fields) -> tuple[str, ...]:
    stated = (fields.text("pub"), *fields.texts("bibstem")[:1])
    return unique(map(without_markup, stated))


class ZbMath(FieldCatalogue):
    """zbMATH Open: the publications of mathematics since 1868, catalogued by its editors, by number, DOI and title.

    Documentation: api.zbmath.org/v1 and zbmath.org/general-help (``an:``, ``en:``, ``ti:``, ``au:``, ``|`` for or, ``&`` for
    and). Absence: no evidence; a work may be indexed under another number, or not yet. First word: data that its editors
    catalogue from the publication. If a work has a DOI, its registry has the first word; if it is not in English, the title is
    a translation and the names are transliterated. Such records count as compiled. Author order: as published; names in the
    form of its authority file. Limits: none are published; one request a second is used.
    """

    name = "zbmath"
    label = "zbMATH Open"
    base_url = "https://api.zbmath.org/v1"
    documentation = "https://api.zbmath.org/v1/"
    batch: Mapping[QueryKind, int] = {"zbl": 25, "doi": 25, "title": 5}
    limits = "none published; 1 request a second is used"
    absence = "no evidence: a work may be indexed under another number, or not yet"
    authoritative_for = ("title", "authors", "year", "venue")
    terms = base.Terms("CC BY-SA 4.0, unless a publisher's licence forbids it")
    unconfirmed = "alternatives in one query (`an:a | an:b`), DOIs as `en:`, and the form of an empty result"
    role = base.Role(
        catalogue=("zbl", "doi"),
        disciplines=("mathematics",),
        titles=(
            base.TitleSearch("batch", 45, ("mathematics",), ("article", "paper", "report", "misc", "thesis", "book")),
        ),
    )
    # Wiles on Fermat's Last Theorem.
    controls: Mapping[QueryKind, Query] = {
        "zbl": Query("zbl", "0823.11029"),
        "doi": Query("doi", "10.2307/2118559"),
        "title": Query("title", "Modular elliptic curves and Fermat's Last Theorem", ("Wiles",)),
    }

    path = "document/_search"
    unquotable = lazy_pattern(r"[\s\"'\\()|&!]")
    clauses: Mapping[QueryKind, str] = {"zbl": "an:{}", "doi": "en:{}"}
    title_word, author, both, either = "ti:{}", 'au:"{}"', " & ", " | "

    form = (("search_string", "{query}"), ("page", "0"), ("results_per_page", "{hits}"))
    results, total, problems = "result", "status.nr_total_results", ("status.internal_code",)

    def read(self, result: object) -> Named | None:

        return zbmath_record(result)

    def parse(self, queries: Sequence[Query], response: base.Response) -> dict[Query, Answer]:
        """As all catalogues of a field; what was not found has its own 404."""
        if response.status == 404 and _found_nothing(mapping(parse_json(response.body))):
            return dict.fromkeys(queries, Absent())
        return super().parse(queries, response)


def _found_nothing(body: Fields) -> bool:
    """Return True if a 404 is the service's own word for an empty result."""
    code = body.at("status").number("status_code")
    return body.get("result") in (None, []) and "result" in body and code == 404


ZBMATH = ZbMath()


_WITHHELD = lazy_pattern(r"contents? (?:is |are )?unavailable due to conflicting licen[sc]es", re.IGNORECASE)
_TYPES: Mapping[str, RecordType] = {"j": "article", "a": "chapter", "b": "book", "p": "preprint"}
_SERIES = lazy_pattern(
    r"\.? (?:First|Second|Third|Fourth|Fifth|New) Series\.?\Z|\.? (?:Series|Ser\.) [A-Z]\Z", re.IGNORECASE
)


def zbmath_record(document: object) -> Named | None:
    """The record of one document with its identifiers; None if it has no number or no title that may be shown."""
    fields = mapping(document)
    number = zbl_number(_shown(fields.get("identifier"))) or fields.text("id")
    titles = fields.at("title")
    title = _shown(titles.get("title"))
    if not number or not title:
        return None
    links = {mapping(link).text("type"): mapping(link).text("identifier") for link in fields.all("links")}
    doi, eprint = doi_name(links.get("doi", "")), arxiv_id(links.get("arxiv", ""))
    source = fields.at("source")
    series = source.parts("series")
    books = source.parts("book")
    first = series[0] if series else mapping(None)
    people = fields.at("contributors")
    languages = [language.lower() for language in fields.at("language").texts("languages")]
    years = [fields.get("year"), *(item.get("year") for item in (*series, *books))]
    isbn = tuple(isbn for book in books for item in book.all("isbn") for isbn in find_isbns(_number(item))[0])
    record = Record(
        source="zbmath",
        id=number,
        url=fields.text("zbmath_url") or f"https://zbmath.org/{number}",
        title=title,
        subtitle=_shown(titles.get("subtitle")),
        other_titles=tuple(filter(None, (_shown(titles.get("original")), _shown(titles.get("addition"))))),
        authors=tuple(_people(people.get("authors"))),
        editors=tuple(_people(people.get("editors"))),
        years=unique(map(year_of, years)),
        venues=tuple(dict.fromkeys(_journals_and_books(series, books))),
        type=_TYPES.get(fields.at("document_type").text("code"), "other"),
        publisher=next((name for book in books if (name := _shown(book.get("publisher")))), ""),
        doi=doi,
        arxiv=eprint,
        volume=_shown(first.get("volume")),
        number=_shown(first.get("issue")),
        pages=_shown(source.get("pages")),
        isbn=isbn,
        issn=unique(_number(item) for item in first.all("issn")),
        compiled=bool(doi or eprint) or languages != ["english"],
    )
    return frozenset({("zbl", number), ("doi", doi), ("arxiv", eprint)}), record


def _shown(value: object) -> str:
    """The value as plain text; empty where a licence forbids to show it."""
    stated = plain_text(value)
    return "" if _WITHHELD.search(stated) else stated


def _number(item: object) -> str:
    """An ISBN or ISSN: a string, or an object with its ``number``."""
    return _shown(mapping(item).get("number")) or _shown(item)


def _people(stated: object) -> Iterator[Person]:
    yield from (inverted(stated_name(_shown(mapping(person).get("name")))) for person in listing(stated))


def _journals_and_books(series: list[Fields], books: list[Fields]) -> Iterator[str]:
    """Names of the journal, with and without the number of its series, and of the book."""
    for item in series:
        for name in filter(None, (_shown(item.get("title")), _shown(item.get("short_title")))):
            bare = _SERIES.sub("", name)
            yield from (bare, name)
    for book in books:
        yield from filter(None, [_shown(book.get("title"))])


_INSPIRE_FIELDS = (
    "titles,authors.full_name,authors.inspire_roles,author_count,collaborations,corporate_author,publication_info,dois,"
    "arxiv_eprints,texkeys,document_type,imprints,isbns,thesis_info,preprint_date,control_number"
)


class Inspire(FieldCatalogue):
    """INSPIRE-HEP: papers, theses, reports and books of high-energy physics and its neighbours, by identifier and title.

    Documentation: github.com/inspirehep/rest-api-doc (records, ``q``, ``fields``, ``size``) and the search syntax of
    inspirehep.net (help.inspirehep.net, "INSPIRE search"). It harvests arXiv and publishers and curates what it takes, so the
    registry of the DOI or e-print that it names is asked for its word; its own only shows that a work exists. Absence: no
    evidence; it is complete for one field, and a work may be there under another identifier. Author order: as published; of
    collaborations all members, with the collaboration beside them. Limits: 15 requests in 5 seconds for each address, then 429.
    """

    name = "inspire"
    label = "INSPIRE-HEP"
    base_url = "https://inspirehep.net/api"
    documentation = "https://github.com/inspirehep/rest-api-doc"
    batch: Mapping[QueryKind, int] = {"doi": 25, "arxiv": 25, "texkey": 25, "title": 5, "place": 25}
    rate = base.Rate(per_second=2.5, concurrency=1)
    limits = "15 requests in 5 seconds, then 429"
    absence = "no evidence: it covers one field, and other sources are queried anyway"
    derives_from = ("arxiv", "crossref")
    terms = base.Terms("CC0, may be redistributed")
    unconfirmed = "alternatives in one query (`doi:a or doi:b`), and words of titles joined by `and`"
    role = base.Role(
        catalogue=("doi", "arxiv", "texkey"),
        disciplines=("physics",),
        titles=(base.TitleSearch("batch", 40, ("physics",), ("article", "paper", "report", "misc", "thesis", "book")),),
    )
    # The paper on the AdS/CFT correspondence, and one of Higgs: among the most cited that it has.
    controls: Mapping[QueryKind, Query] = {
        "doi": Query("doi", "10.1103/physrevlett.13.508"),
        "arxiv": Query("arxiv", "hep-th/9711200"),
        "texkey": Query("texkey", "Maldacena:1997re"),
        "title": Query("title", "The Large N limit of superconformal field theories and supergravity", ("Maldacena",)),
    }

    path = "literature"
    unquotable = lazy_pattern(r"[\s\"'\\()]")
    clauses: Mapping[QueryKind, str] = {"doi": "doi:{}", "arxiv": "arxiv:{}", "texkey": "texkeys:{}", "place": "j {}"}
    title_word, author, both, either = "t {}", "a {}", " and ", " or "

    form = (("q", "{query}"), ("size", "{hits}"), ("fields", _INSPIRE_FIELDS))
    results, total, problems = "hits.hits", "hits.total", ("message",)

    def read(self, result: object) -> Named | None:

        return inspire_record(result)


INSPIRE = Inspire()


_DOCUMENT_TYPES: Mapping[str, RecordType] = {
    "article": "article",
    "conference paper": "inproceedings",
    "proceedings": "proceedings",
    "book": "book",
    "book chapter": "chapter",
    "thesis": "thesis",
    "report": "report",
    "note": "report",
    "activity report": "report",
}
# Notes on a work have its identifiers in their own names.
_BESIDE = frozenset({"erratum", "addendum", "editorial note", "corrigendum"})
_SUFFIX = lazy_pattern(r"(?:Jr|Sr|I{2,3}|IV)\.?", re.IGNORECASE)


def inspire_record(hit: object) -> Named | None:
    """The record of one hit with all its identifiers; None if it has no title or does not say what it is of."""
    fields = mapping(hit).at("metadata")
    number = fields.text("control_number") or mapping(hit).text("id")
    titles = [_titled(title) for title in fields.parts("titles")]
    titles = [title for title in titles if title[0]]
    dois = _dois(fields)
    eprints = [arxiv_id(value) for value in _values(fields, "arxiv_eprints")]
    keys = fields.texts("texkeys")
    names = {("doi", doi) for doi, _ in dois} | {("arxiv", name) for name in eprints if name}
    names |= {("texkey", key) for key in keys}
    if not number or not titles:
        return None
    places = [place for place in fields.parts("publication_info") if not _is_beside(place)]
    place = next((one for one in places if one.text("journal_title")), places[0] if places else mapping(None))
    own = [doi for doi, beside in dois if not beside]
    authors = tuple(_authors(fields))
    count = fields.number("author_count") or 0
    record = Record(
        source="inspire",
        id=number,
        url=f"https://inspirehep.net/literature/{number}",
        title=titles[0][0],
        subtitle=titles[0][1],
        other_titles=tuple(dict.fromkeys(title for title, _ in titles[1:])),
        authors=authors,
        authors_complete=len(authors) >= count,
        editors=tuple(person for person, role in _people_with_roles(fields) if role == "editor"),
        years=_years(fields, places),
        venues=tuple(dict.fromkeys(_journals_and_schools(fields, places))),
        type=_type(fields, published=bool(place), eprint=any(eprints)),
        publisher=next(filter(None, _values(fields, "imprints", "publisher")), ""),
        doi=own[0] if own else "",
        arxiv=next(filter(None, eprints), ""),
        volume=place.text("journal_volume"),
        number=place.text("journal_issue"),
        pages=_pages(place),
        isbn=tuple(number for value in _values(fields, "isbns") for number in find_isbns(value)[0]),
        related=tuple(("is-identical-to", doi) for doi in own[1:]),
        compiled=True,
    )
    return frozenset(names), record


def _values(fields: Fields, name: str, key: str = "value") -> list[str]:
    return [mapping(item).text(key) for item in fields.all(name)]


def _titled(title: Fields) -> tuple[str, str]:
    return title.plain("title"), title.plain("subtitle")


def _is_beside(item: Fields) -> bool:
    return item.text("material").lower() in _BESIDE


def _dois(fields: Fields) -> list[tuple[str, bool]]:
    """DOIs, each with True if it belongs to an erratum or similar notice."""
    stated = [(item.doi("value"), _is_beside(item)) for item in fields.parts("dois")]
    return [(doi, beside) for doi, beside in dict.fromkeys(stated) if doi]


def _people_with_roles(fields: Fields) -> Iterator[tuple[Person, str]]:
    for author in fields.parts("authors"):
        roles = {role.lower() for role in author.texts("inspire_roles")}
        role = "editor" if "editor" in roles else "supervisor" if "supervisor" in roles else "author"
        yield _person_with_suffix(author.name("full_name")), role


def _person_with_suffix(name: str) -> Person:
    """``Family, Given`` or ``Family, Given, Jr.``; a name without a comma is not divided."""
    family, *rest = [part.strip() for part in name.split(",")]
    suffix = rest.pop() if len(rest) > 1 and _SUFFIX.fullmatch(rest[-1]) else ""
    return Person(family=family, given=" ".join(rest), suffix=suffix) if rest else undivided(family)


def _authors(fields: Fields) -> Iterator[Person]:
    """The authors, and after them the collaborations for which they sign."""
    yield from (person for person, role in _people_with_roles(fields) if role == "author")
    for collaboration in fields.parts("collaborations"):
        if name := collaboration.name("value"):
            yield Person(literal=name if "ollaboration" in name else f"{name} Collaboration", group=True)
    yield from (Person(literal=name, group=True) for name in map(stated_name, fields.all("corporate_author")) if name)


def _years(fields: Fields, places: list[Fields]) -> tuple[int, ...]:
    stated = [place.get("year") for place in places]
    stated += [item.get("date") for item in fields.parts("imprints")]
    stated += [fields.at("thesis_info").get("date"), fields.get("preprint_date")]
    return unique(map(year_of, stated))


def _journals_and_schools(fields: Fields, places: list[Fields]) -> Iterator[str]:
    for place in places:
        if name := place.plain("journal_title"):
            yield name
    for school in fields.at("thesis_info").all("institutions"):
        if name := mapping(school).plain("name"):
            yield name


def _type(fields: Fields, *, published: bool, eprint: bool) -> RecordType:
    kind: RecordType = next(
        (_DOCUMENT_TYPES[kind] for kind in fields.texts("document_type") if kind in _DOCUMENT_TYPES), "other"
    )
    return "preprint" if kind == "article" and eprint and not published else kind


def _pages(place: Fields) -> str:
    first, last = place.text("page_start"), place.text("page_end")
    return f"{first}-{last}" if first and last else first or place.text("artid")
