"""Europe PMC: the records of PubMed and PubMed Central, with preprints, theses and patents, by identifier and title.

Documentation: Europe PMC RESTful web service, europepmc.org/RestfulWebService, and its search syntax,
europepmc.org/searchsyntax. Absence: no evidence, since it takes over what others have, days later; and a search for a
title wants words that its index may split in another way. Author order: as in PubMed. Limits: none are published; about
ten requests a second are customary.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_citecheck.matching import compare_titles, lazy_pattern, lookup
from pytest_citecheck.model import (
    Absent,
    Answer,
    CitedMetadata,
    Found,
    Person,
    Query,
    QueryKind,
    Record,
    RecordType,
    Unavailable,
)
from pytest_citecheck.sources import base
from pytest_citecheck.sources.field_catalogues import PAGE, FieldCatalogue, are_few_words, first_author, title_words
from pytest_citecheck.sources.parsing import (
    Fields,
    answered,
    mapping,
    parse_json,
    pmc_id,
    pubmed_id,
    stated_parts,
    undivided,
    unique,
    year_of,
)
from pytest_citecheck.sources.pubmed import cited_doi, journal_names, medline_notices, medline_title, other_version

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


class EuropePmc(FieldCatalogue):
    """The Europe PMC web service as a source of records (see the module)."""

    name = "europe_pmc"
    label = "Europe PMC"
    base_url = "https://www.ebi.ac.uk/europepmc/webservices/rest"
    documentation = "https://europepmc.org/RestfulWebService"
    batch: Mapping[QueryKind, int] = {"doi": 25, "pmid": 25, "pmcid": 25, "title": 8}
    rate = base.Rate(per_second=5.0, concurrency=2)
    limits = "none published; about 10 requests a second are customary"
    terms = base.Terms("may be redistributed with attribution, except publishers' abstracts")
    absence = "no evidence: it compiles other sources, which are queried anyway; titles have no control"
    derives_from = ("pubmed",)  # europepmc.org/About: it contains all of PubMed
    role = base.Role(looks_up=("pmcid",), titles=(base.TitleSearch("batch", works=("article",)),))
    controls: Mapping[QueryKind, Query] = {
        "doi": base.DESEQ2["doi"],
        "pmid": base.DESEQ2["pmid"],
        "pmcid": base.DESEQ2["pmcid"],
    }

    path, either, short_page = "search", " OR ", PAGE
    form = (("query", "{query}"), ("resultType", "core"), ("pageSize", "{hits}"), ("format", "json"))
    # A quote or a backslash would end or bend the phrase in which a DOI is asked for.
    unquotable = lazy_pattern(r"[\"\\\s]")
    clauses: Mapping[QueryKind, str] = {"doi": 'DOI:"{}"', "pmid": "(EXT_ID:{} AND SRC:MED)", "pmcid": "PMCID:{}"}

    def may_list(self, cited: CitedMetadata) -> bool:
        """Not preprints, nor what appeared where DBLP lists it: that is of another field."""
        venue = lookup(cited.venue)
        return not (cited.preprint or (venue is not None and venue.dblp))

    def _titled(self, query: Query) -> str:
        clause, author = f"TITLE:({' AND '.join(title_words(query))})", first_author(query)
        return f'({clause} AND AUTH:"{author}")' if author and are_few_words(query) else clause

    def read(self, result: object) -> Record | None:
        return parse_result(result)

    def parse(self, queries: Sequence[Query], response: base.Response) -> dict[Query, Answer]:
        """Records by query. Raises MalformedAnswerError for all but a whole page of results."""
        if response.status >= 300:
            raise base.MalformedAnswerError(f"Europe PMC answered status {response.status}")
        body = mapping(parse_json(response.body))
        results, more = _results(body)
        # A recorded batch is read for one query, too.
        together = len(queries) > 1 or self.either in body.at("request").text("queryString")

        def answer(query: Query, records: list[Record]) -> Answer:
            about_query = tuple(record for record in records if _is_about(query, record))
            return Found(about_query) if about_query else _nothing(query, more=more, together=together)

        return answered(self.label, queries, results, self.read, answer)


def _results(envelope: Fields) -> tuple[list[Any], bool]:
    """The results of a page, and whether there are more than these."""
    results = envelope.at("resultList").get("result")
    count = envelope.number("hitCount")
    if count is None or not isinstance(results, list):
        problem = envelope.text("errMsg") or "it has no hitCount and resultList"
        raise base.MalformedAnswerError(f"Europe PMC's answer is not a page of results: {problem}")
    size = envelope.at("request").number("pageSize") or PAGE
    if len(results) < min(count, size):
        raise base.MalformedAnswerError(f"Europe PMC's answer contains {len(results)} of {min(count, size)} results")
    return results, count > len(results)


def _is_about(query: Query, record: Record) -> bool:
    if query.kind != "title":
        names = {("doi", record.doi), ("pmid", record.pmid), *record.related}
        return (query.kind, query.value) in names
    if not record.title:
        return False
    return compare_titles(query.value, record.title, others=record.other_titles).relation != "different"


def _nothing(query: Query, *, more: bool, together: bool) -> Answer:
    if query.kind != "title":
        if more:
            raise base.MalformedAnswerError("Europe PMC found more works than were requested")
        return Absent()
    if together and (more or are_few_words(query)):
        return Unavailable("not-asked", "works of other titles crowd this one out: it must be queried alone")
    return Absent()


EUROPE_PMC = EuropePmc()


# Sources whose metadata come from PubMed and PubMed Central; all others are collected from elsewhere.
_OF_PUBMED = frozenset({"MED", "PMC"})
_TYPES: Mapping[str, RecordType] = {
    "preprint": "preprint",
    "book": "book",
    "book chapter": "chapter",
    "book-chapter": "chapter",
    "thesis": "thesis",
    "dissertation": "thesis",
    "academic dissertation": "thesis",
    "conference proceedings": "proceedings",
    "technical report": "report",
}
_INITIALS = lazy_pattern(r"(.+\S)\s+([A-Z]{1,4})")


def parse_result(result: object) -> Record | None:
    """The record of one item of ``resultList.result``; None without ``source`` and ``id``.

    The first year is the year of the issue. A work that was listed in an earlier year was out by then, so that year
    counts as well: some issues are dated a year late.
    """
    fields = mapping(result)
    source, identifier = fields.text("source"), fields.text("id")
    if not source or not identifier:
        return None
    journal_info, book = fields.at("journalInfo"), fields.at("bookOrReportDetails")
    journal = journal_info.at("journal")
    types = fields.at("pubTypeList").texts("pubType")
    links = [
        (mapping(link).text("type"), mapping(link).text("reference"))
        for link in fields.at("commentCorrectionList").all("commentCorrection")
    ]
    kind = _type(source, types, in_journal=bool(journal))
    publisher = book.plain("publisher")
    venues = journal_names(*(journal.text(name) for name in ("title", "isoabbreviation", "medlineAbbreviation")))
    venues += unique(
        (
            book.plain("comprisingTitle"),
            book.plain("seriesName"),
            # The "publisher" of a preprint is its server, of a thesis its university.
            publisher if kind in ("preprint", "thesis") else "",
        )
    )
    return Record(
        source="europe_pmc",
        id=f"{source}:{identifier}",
        url=f"https://europepmc.org/article/{source}/{identifier}",
        title=medline_title(fields.text("title")),
        authors=tuple(map(_person, fields.at("authorList").all("author"))),
        years=_years(fields, journal_info, book),
        venues=tuple(dict.fromkeys(venues)),
        type=kind,
        publisher=publisher,
        doi=fields.doi("doi"),
        pmid=pubmed_id(fields.text("pmid")),
        volume=journal_info.text("volume"),
        number=journal_info.text("issue"),
        pages=fields.text("pageInfo"),
        isbn=unique((book.text("isbn13"), book.text("isbn10"))),
        issn=unique((journal.text("issn"), journal.text("essn"))),
        related=_related(fields, links),
        notices=medline_notices(links, types, "europe_pmc"),
        compiled=source not in _OF_PUBMED,
    )


def _type(source: str, types: Iterable[str], *, in_journal: bool) -> RecordType:
    stated = [kind.lower() for kind in types]
    if source == "PPR" or "preprint" in stated:
        return "preprint"
    if in_journal:
        return "article"
    return next((_TYPES[kind] for kind in stated if kind in _TYPES), "other")


def _person(author: object) -> Person:
    fields = mapping(author)
    group = fields.name("collectiveName")
    if group:
        return Person(literal=group, group=True)
    given = fields.name("firstName") or fields.name("initials")
    family, given = stated_parts(fields.get("lastName"), given)
    if family:
        return Person(family=family, given=given, suffix=fields.plain("suffix"))
    full = fields.name("fullName") or given
    match = _INITIALS.fullmatch(full)
    if match:
        return Person(family=match.group(1), given=match.group(2))
    return undivided(full)


def _years(fields: Fields, journal_info: Fields, book: Fields) -> tuple[int, ...]:
    printed, work = journal_info.get, fields.get
    stated = [
        printed("yearOfPublication"),
        work("pubYear"),
        book.get("yearOfPublication"),
        printed("dateOfPublication"),
    ]
    stated += [printed("printPublicationDate"), work("electronicPublicationDate"), work("firstPublicationDate")]
    years, listed = unique(map(year_of, stated)), year_of(work("dateOfCreation"))
    return (*years, listed) if listed and years and listed < min(years) else years


def _related(fields: Fields, links: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """The id in PubMed Central, preprint and publication of the same work."""
    related = [("pmcid", pmc_id(fields.text("pmcid")))]
    related += [(other_version(link), cited_doi(reference)) for link, reference in links]
    return tuple(dict.fromkeys((relation, target) for relation, target in related if relation and target))
