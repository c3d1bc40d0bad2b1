"""ACL Anthology, events: all that was published at a conference in a year, with Findings, demonstrations and workshops.

Written from what is known of the pages (aclanthology.org/events/acl-2020) and not from recorded answers: volumes are links to
``/volumes/ID/``, papers links in ``<strong>`` to ``/ID/``, and behind each the authors as links to ``/people/…``; attributes
stand without quotation marks. A paper of a workshop or of Findings that is cited with the conference is on the page of the event,
under the name of its own volume. Author order: as published, reliable. Limits: none are published for this static site.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_citecheck.identifiers.catalogue_keys import acl_id
from pytest_citecheck.services.base import (
    MalformedAnswerError,
    Terms,
)
from pytest_citecheck.services.proceedings.papers import attribute, inside, listed_paper, page_text, plain
from pytest_citecheck.services.proceedings.venue_year_lists import VenueYearLists
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from pytest_citecheck.model import Record
    from pytest_citecheck.venues.lists import VenueYearList

__all__ = ["ACL_EVENTS"]

_HOME = r"(?:https://aclanthology\.org)?"
_REST = r"[^<>]{0,300}>"


def _link(path: str) -> str:
    """The pattern of the start of a link to this path."""
    return r"<a\s(?:[^<>]{0,300}\s)?" + attribute("href", _HOME + path) + _REST


_VOLUME = lazy_pattern(_link(r"/volumes/[\w.-]{1,80}/") + inside("a"))
_PAPER = lazy_pattern(r"<strong>\s*" + _link(r"/([\w-]{1,60}(?:\.[\w-]{1,60}){0,2})/?") + inside("a"))
_PERSON = lazy_pattern(_link(r"/people/[^\s<>\"']{1,300}") + r"([^<>]{1,300})</a>")
_STRONG = lazy_pattern(r"<strong>\s*<a\s")


class AclEvents(VenueYearLists):
    """The events of the ACL Anthology (see the module)."""

    name = "acl_events"
    label = "ACL Anthology (events)"
    base_url = "https://aclanthology.org"
    documentation = "https://aclanthology.org/events/"
    derives_from = ("acl_anthology",)
    largest_body = 32_000_000  # 4,400 papers with their abstracts are 16 MB, and read within a second
    unconfirmed = "the form of pages"
    terms = Terms("CC BY, may be handed on with the source named")

    def address(self, listed: VenueYearList, part: int) -> str:  # noqa: ARG002 - in one part
        """``events/acl-2020/``."""
        return f"{self.base_url}/events/{listed.at}/"

    def read(self, listed: VenueYearList, part: int, body: bytes) -> list[Record]:  # noqa: ARG002 - in one part
        """The papers of all volumes. Raises MalformedAnswerError unless all of them could be read."""
        text = page_text(body)
        papers = list(_PAPER.finditer(text))
        if len(papers) != len(_STRONG.findall(text)):
            raise MalformedAnswerError("a paper could not be read")
        volumes = iter([*_VOLUME.finditer(text), None])
        ends = [*(match.start() for match in papers), len(text)][1:]
        records, volume, following = [], "", next(volumes)
        for paper, end in zip(papers, ends, strict=True):
            while following is not None and following.start() < paper.start():
                volume, following = plain(following[1]), next(volumes)
            identifier = acl_id(paper[1])
            if not identifier or not volume:
                raise MalformedAnswerError(f"{paper[1]} is no paper of a volume")
            until = min(end, following.start()) if following is not None else end
            people = (plain(person[1]) for person in _PERSON.finditer(text, paper.end(), until))
            url = f"https://aclanthology.org/{identifier}/"
            records.append(listed_paper("acl_anthology", listed, identifier, url, plain(paper[2]), people, volume))
        return records


ACL_EVENTS = AclEvents()
