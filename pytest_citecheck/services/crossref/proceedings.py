"""Crossref: all papers of a volume of proceedings, by its ISBN.

Documentation: Crossref REST API, filters ``isbn`` and ``type`` (api.crossref.org/swagger-ui). Only for volumes of a registrant
that deposits every paper (ACM). The list is whole if it holds as many works as the API counts; up to 1,000 come in one answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_citecheck.services.base import MalformedAnswerError
from pytest_citecheck.services.crossref.api import CROSSREF
from pytest_citecheck.services.parsing.json_body import listing, mapping, parse_json, whole_number
from pytest_citecheck.services.parsing.query_url import query_url
from pytest_citecheck.services.proceedings.venue_year_lists import VenueYearLists

if TYPE_CHECKING:
    from pytest_citecheck.model import Record
    from pytest_citecheck.venues.lists import VenueYearList

__all__ = ["CROSSREF_ISBN", "CrossrefIsbn"]

_ROWS = 1000


class CrossrefIsbn(VenueYearLists):
    """The volumes of proceedings that Crossref holds (see the module)."""

    name = "crossref_isbn"
    label = "Crossref (volumes)"
    base_url = CROSSREF.base_url
    documentation = CROSSREF.documentation
    derives_from = ("crossref",)
    rate = CROSSREF.rate
    contact = CROSSREF.contact
    contact_rate = CROSSREF.contact_rate
    limits = "as for lists of crossref"
    terms = CROSSREF.terms
    accept = "application/json"

    def address(self, listed: VenueYearList, part: int) -> str:  # noqa: ARG002 - in one part
        """``works?filter=isbn:…,type:proceedings-article``."""
        from pytest_citecheck.services.crossref.record import SELECT

        wanted = f"isbn:{listed.at},type:proceedings-article"
        return query_url(f"{self.base_url}/works", ("filter", wanted), ("rows", _ROWS), ("select", SELECT))

    def read(self, listed: VenueYearList, part: int, body: bytes) -> list[Record]:  # noqa: ARG002 - in one part
        """The works of the volume. Raises MalformedAnswerError unless all that are counted could be read."""
        from pytest_citecheck.services.crossref.record import parse_work

        message = mapping(mapping(parse_json(body)).get("message"))
        works, total = listing(message.get("items")), whole_number(message.get("total-results"))
        records = [record for work in works if (record := parse_work(work)) and listed.at in record.isbn]
        if total is None or len(records) != total:
            raise MalformedAnswerError(f"{len(records)} works of ISBN {listed.at} instead of {total}")
        return records


CROSSREF_ISBN = CrossrefIsbn()
