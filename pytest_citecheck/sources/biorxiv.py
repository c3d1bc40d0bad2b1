"""bioRxiv and medRxiv: publication, venue and DOI of preprints.

Documentation: api.biorxiv.org (``pubs/{server}/{doi}/na/json``). Absence: no evidence; a preprint that was not
published has no entry there, and their links are found by machine and by authors. First word: they publish the
preprint; they deposit its metadata with Crossref, so both count once. The publication is described by the preprint's
title and authors: that record is compiled, and Crossref is asked for the DOI. Author order: as published. Limits: none
are published.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_citecheck.matching import lazy_pattern
from pytest_citecheck.model import Absent, Answer, Found, Query, QueryKind, Record
from pytest_citecheck.sources.base import LARGEST_RECORD, MalformedAnswerError, Request, Response, Role, Source, Terms
from pytest_citecheck.sources.parsing import doi_name, inverted, mapping, parse_json, path_url, stated_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# Two prefixes. Preprints alone have numbers; the journals of the same prefix have names (``10.1101/gad.``, ``10.1101/gr.``).
_PREPRINT = lazy_pattern(r"10\.(?:1101|64898)/(?:20\d\d\.\d\d\.\d\d\.)?(\d{6,8})")
_OF_MEDRXIV = 8  # digits of the number, which begins with a year


class BioRxiv(Source):
    """The links from preprints to publications as a source of records (see the module)."""

    name = "biorxiv"
    label = "bioRxiv and medRxiv"
    base_url = "https://api.biorxiv.org"
    documentation = "https://api.biorxiv.org"
    batch: Mapping[QueryKind, int] = {"doi": 1}
    largest_body = LARGEST_RECORD
    limits = "none published; 1 request a second is used"
    absence = "no evidence: only published preprints have a link, and not all of these"
    authoritative_for = ("identifier", "title", "authors", "year")
    derives_from = ("crossref",)
    terms = Terms("facts; terms not reviewed, keep cassettes private")
    unconfirmed = "the members of a link, and the words for a preprint without one"
    role = Role(catalogue=("doi",))
    # The preprint of DESeq2.
    controls: Mapping[QueryKind, Query] = {"doi": Query("doi", "10.1101/002832")}

    def accepts(self, query: Query) -> bool:
        """The DOIs of preprints."""
        return query.kind == "doi" and _PREPRINT.fullmatch(query.value) is not None

    def request(self, queries: Sequence[Query]) -> Request:
        """``pubs/{server}/{doi}/na/json``; of medRxiv are the numbers of eight digits."""
        doi = queries[0].value
        match = _PREPRINT.fullmatch(doi)
        server = "medrxiv" if match and len(match[1]) == _OF_MEDRXIV else "biorxiv"
        return Request(self.name, path_url(f"{self.base_url}/pubs/{server}", f"{doi}/na/json"))

    def parse(self, queries: Sequence[Query], response: Response) -> dict[Query, Answer]:
        """Preprint and publication. Raises MalformedAnswerError for all but its links, and its words for none."""
        body = mapping(parse_json(response.body))
        links, messages = body.get("collection"), body.parts("messages")
        statuses = [message.text("status").lower() for message in messages]
        if response.status >= 300 or not isinstance(links, list) or not any(statuses):
            raise MalformedAnswerError(f"bioRxiv's answer is no list of links (status {response.status})")
        return {query: _answer(query, links, statuses) for query in queries}


def _answer(query: Query, links: list[object], statuses: list[str]) -> Answer:

    if not links:
        if any(status.startswith("no posts found") for status in statuses):
            return Absent()
        raise MalformedAnswerError(f"bioRxiv's answer holds no link and does not say why: {statuses[0][:60]}")
    found = [records for link in links if (records := parse_link(link)) and records[0].doi == query.value]
    if not found:
        raise MalformedAnswerError("bioRxiv's answer is about another preprint")
    return Found(found[0])


BIORXIV = BioRxiv()


def parse_link(link: object) -> tuple[Record, ...]:
    """The preprint, and its publication under the preprint's title (compiled); empty without a link.

    The publication's title and authors may have changed: the record shows only its venue.
    """
    fields = mapping(link)
    doi = doi_name(fields.text("biorxiv_doi") or fields.text("preprint_doi"))
    published = fields.doi("published_doi")
    title = fields.plain("preprint_title")
    if not doi or not published or not title:
        return ()
    year = fields.year("preprint_date")
    server = fields.plain("preprint_platform") or "bioRxiv"
    preprint = Record(
        source="biorxiv",
        id=doi,
        url=f"https://doi.org/{doi}",
        title=title,
        authors=tuple(map(inverted, filter(None, map(stated_name, fields.text("preprint_authors").split(";"))))),
        years=(year,) if year else (),
        venues=(server,),
        type="preprint",
        doi=doi,
        related=(("is-preprint-of", published),),
    )
    appeared = fields.year("published_date")
    journal = fields.plain("published_journal")
    publication = replace(
        preprint,
        id=f"{doi} published",
        url=f"https://doi.org/{published}",
        years=(appeared,) if appeared else (),
        venues=(journal,) if journal else (),
        type="article",
        doi=published,
        related=(("has-preprint", doi),),
        compiled=True,
    )
    return preprint, publication
