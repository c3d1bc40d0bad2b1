"""OpenReview: all papers that a conference accepted, by the id of the venue.

Documentation: docs.openreview.net, "Getting notes by venue id": ``/notes?content.venueid=ICLR.cc/2024/Conference`` names what was
accepted; rejected and withdrawn submissions have other venue ids. At most 1,000 notes come in one answer, so a list has parts:
every one but the last is full, and the last one is not. Since 2026 these are shown to those who are logged in only.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_citecheck.services.base import Credentials, MalformedAnswerError
from pytest_citecheck.services.openreview.api import LOGIN
from pytest_citecheck.services.parsing.json_body import mapping, parse_json, whole_number
from pytest_citecheck.services.parsing.query_url import query_url
from pytest_citecheck.services.proceedings.venue_year_lists import VenueYearLists

if TYPE_CHECKING:
    from pytest_citecheck.model import Record
    from pytest_citecheck.venues.lists import VenueYearList

__all__ = ["OPENREVIEW_V1_VENUE", "OPENREVIEW_VENUE", "OpenReviewVenue"]

_LIMIT = 1000


class OpenReviewVenue(VenueYearLists):
    """The venues of one version of the API (see the module)."""

    limits = "as for openreview"
    unconfirmed = "raw bodies of answers"
    accept = "application/json"
    credentials = Credentials(
        variable="OPENREVIEW_TOKEN", header="Authorization", scheme="Bearer", required=True, login=LOGIN
    )

    def __init__(self, name: str, label: str, base_url: str, documentation: str, of: str) -> None:
        """``of`` is the name of the source that asks this version for single submissions."""
        self.name = name
        self.label = label
        self.base_url = base_url
        self.documentation = documentation
        self.derives_from = (of,)

    def address(self, listed: VenueYearList, part: int) -> str:
        """``notes?content.venueid=…``, a thousand at a time."""
        return query_url(
            f"{self.base_url}/notes",
            ("content.venueid", listed.at),
            ("sort", "number:asc"),
            ("limit", _LIMIT),
            ("offset", (part - 1) * _LIMIT),
        )

    def read(self, listed: VenueYearList, part: int, body: bytes) -> list[Record]:
        """The notes. Raises MalformedAnswerError unless all are there and of this venue."""
        from pytest_citecheck.services.openreview.record import parse_note

        answer = mapping(parse_json(body))
        notes, count = answer.get("notes"), whole_number(answer.get("count"))
        if not isinstance(notes, list):
            raise MalformedAnswerError("OpenReview's answer has no notes")
        last = part == listed.parts
        if (len(notes) >= _LIMIT) == last or (count is not None and last and count != (part - 1) * _LIMIT + len(notes)):
            raise MalformedAnswerError(f"{len(notes)} notes in part {part} of {listed.parts} of {listed.name}")
        records = [
            record for record in map(parse_note, notes) if record and record.title and listed.year in record.years
        ]
        if len(records) != len(notes):
            raise MalformedAnswerError("a note is no paper of this venue and year")
        return [replace(record, source=self.derives_from[0]) for record in records]


OPENREVIEW_VENUE = OpenReviewVenue(
    "openreview_venue",
    "OpenReview (venues)",
    "https://api2.openreview.net",
    "https://docs.openreview.net/reference/api-v2",
    "openreview",
)
OPENREVIEW_V1_VENUE = OpenReviewVenue(
    "openreview_v1_venue",
    "OpenReview (venues, API 1)",
    "https://api.openreview.net",
    "https://docs.openreview.net/reference/api-v1",
    "openreview_v1",
)
