"""doi.org content negotiation: the metadata of a DOI as its own registration agency states them, whichever that is.

Documentation: DOI Handbook, "Content negotiation" (doi.org/the-identifier/resources/factsheets/doi-resolution-documentation),
and the agencies' common guide (citation.doi.org/docs.html). doi.org redirects to the agency; one that does not take part
leads to the publisher's page, which is no answer. Absence: doi.org's page "DOI Not Found" is no documented form, so its word
here has no scope (the source ``doi_org`` asks the registry itself). Author order: as deposited, reliable. Limits: none are
published; the agencies ask for moderation, so 2 requests a second.
"""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from pytest_citecheck.model import Absent, Answer, Found, Question, QuestionKind, Record
from pytest_citecheck.services.base import (
    MalformedAnswerError,
    Rate,
    Request,
    Response,
    Role,
    Source,
    Terms,
)
from pytest_citecheck.services.parsing.identifiers import doi_name
from pytest_citecheck.services.parsing.json_body import parse_json
from pytest_citecheck.services.parsing.query_url import path_url

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["DOI_CONTENT", "DoiContent"]

_ACCEPT = "application/vnd.citationstyles.csl+json, application/vnd.crossref.unixref+xml;q=0.9, application/json;q=0.5"
_NOT_FOUND = ("doi not found", "cannot be found in the doi system")


class DoiContent(Source):
    """Content negotiation for DOIs as a source of records (see the module)."""

    name = "doi_content"
    label = "doi.org content negotiation"
    base_url = "https://doi.org"
    documentation = "https://citation.doi.org/docs.html"
    batch: Mapping[QuestionKind, int] = {"doi": 1}
    keeps_author_order = True
    rate = Rate(per_second=2.0, concurrency=1)
    limits = "none published; 2 requests a second, as each goes on to a registration agency"
    terms = Terms("facts about registrations")
    absence = "no evidence: not all agencies take part; the registry itself is the source doi_org"
    first_hand = ("identifier", "title", "authors", "year", "venue")
    role = Role(doi_content=True)
    follows = True
    witnesses: Mapping[QuestionKind, Question] = {"doi": Question("doi", "10.1186/s13059-014-0550-8")}

    def accepts(self, question: Question) -> bool:
        """Every DOI; it is of use for those of agencies other than Crossref and DataCite."""
        return question.kind == "doi" and bool(doi_name(question.value))

    def request(self, questions: Sequence[Question]) -> Request:
        """The DOI itself, with the media types that can be read."""
        return Request(self.name, path_url(self.base_url, questions[0].value), accept=_ACCEPT)

    def parse(self, questions: Sequence[Question], response: Response) -> dict[Question, Answer]:
        """The record of the DOI from CSL-JSON (one item) or Crossref's XML.

        Raises MalformedAnswerError for everything else: a page, a formatted reference, BibTeX, several items, another DOI.
        """
        return {question: _answer(question.value, response) for question in questions}


def _answer(doi: str, response: Response) -> Answer:
    if response.status >= 300:
        if response.status == 404 and _denies(doi, response.body):
            return Absent()
        raise MalformedAnswerError(f"doi.org or the agency answered status {response.status}")
    record = _from_xml(doi, response.body) if _is_xml(response.body) else _from_json(doi, response.body)
    return Found((record,))


def _denies(doi: str, body: bytes) -> bool:
    """Whether this is doi.org's own page about an unknown DOI: it says so twice and names the DOI."""
    page = html.unescape(body.decode("utf-8", "replace")).lower()
    return doi in page and all(words in page for words in _NOT_FOUND)


def _is_xml(body: bytes) -> bool:
    return body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")


def _from_xml(doi: str, body: bytes) -> Record:
    from pytest_citecheck.services.doi_content.unixref import parse_unixref
    from pytest_citecheck.services.parsing.xml_body import parse_xml

    record = parse_unixref(parse_xml(body, doctype=True), doi)
    if record is None:
        raise MalformedAnswerError(f"the XML does not describe {doi}")
    return record


def _from_json(doi: str, body: bytes) -> Record:
    from pytest_citecheck.services.doi_content.csl_item import item_names, parse_item

    stated = parse_json(body)
    item = stated[0] if isinstance(stated, list) and len(stated) == 1 else stated
    if not isinstance(item, dict):
        raise MalformedAnswerError("the answer is not one item of CSL-JSON")
    names = item_names(item)
    if doi not in names:
        raise MalformedAnswerError(f"the answer describes {', '.join(sorted(names)) or 'no DOI'} instead of {doi}")
    record = parse_item(item, doi)
    if not record.title and not item.get("DOI"):
        raise MalformedAnswerError("the answer has neither a title nor a field for its DOI")
    return record


DOI_CONTENT = DoiContent()
