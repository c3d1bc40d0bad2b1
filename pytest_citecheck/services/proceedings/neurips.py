"""The proceedings of NeurIPS and of ICLR: a page for each year, with the title and the authors of every paper.

Written from what is known of the pages (papers.nips.cc/paper_files/paper/2020) and not from recorded answers: a link to
``…/hash/…`` with the title, and behind it the authors in ``<i>`` or ``<span class="paper-authors">``. Author order: as published,
reliable. Limits: none are published for these static sites.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_citecheck.services.base import MalformedAnswerError
from pytest_citecheck.services.proceedings.papers import inside, listed_paper, page_text, plain
from pytest_citecheck.services.proceedings.venue_year_lists import VenueYearLists
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from pytest_citecheck.model import Record
    from pytest_citecheck.venues.lists import VenueYearList

__all__ = ["ICLR", "NEURIPS"]

_PAPER = lazy_pattern(
    r"""<a\s(?:[^<>]{0,500}\s)?href\s*=\s*["']?[^"'<>\s]{0,200}/paper/(\d{4})/hash/([\w.-]{1,100}?)\.html["']?[^<>]{0,200}>"""
)
_TITLE = lazy_pattern(inside("a"))
_AUTHORS = lazy_pattern(
    r"""<i\s*>""" + inside("i") + r"""|<span\s+class\s*=\s*["']?(?:paper-)?authors["']?\s*>""" + inside("span")
)


class ProceedingsSite(VenueYearLists):
    """One of the sites (see the module)."""

    def __init__(self, name: str, label: str, base_url: str, unconfirmed: str) -> None:
        self.name = name
        self.label = label
        self.base_url = base_url
        self.documentation = base_url
        self.unconfirmed = unconfirmed

    def address(self, listed: VenueYearList, part: int) -> str:  # noqa: ARG002 - in one part
        """``paper_files/paper/2020``."""
        return f"{self.base_url}/paper_files/paper/{listed.at}"

    def read(self, listed: VenueYearList, part: int, body: bytes) -> list[Record]:  # noqa: ARG002 - in one part
        """The papers of the page. Raises MalformedAnswerError unless all of it could be read."""
        text = page_text(body)
        starts = list(_PAPER.finditer(text))
        ends = [*(match.start() for match in starts), len(text)][1:]
        records = {}
        for match, end in zip(starts, ends, strict=True):
            if match[1] != str(listed.year):
                raise MalformedAnswerError(f"a paper of {match[1]} instead of {listed.year}")
            title = _TITLE.match(text, match.end(), end)
            authors = _AUTHORS.search(text, title.end(), end) if title else None
            if title is None or authors is None:
                raise MalformedAnswerError(f"the paper {match[2]} has no title or no authors")
            url = f"{self.base_url}/paper_files/paper/{match[1]}/hash/{match[2]}.html"
            people = map(plain, (authors[1] or authors[2] or "").split(","))
            records[match[2]] = listed_paper(self.name, listed, match[2], url, plain(title[1]), people)
        return list(records.values())


NEURIPS = ProceedingsSite("neurips", "NeurIPS proceedings", "https://papers.nips.cc", "the form of pages")
ICLR = ProceedingsSite(
    "iclr",
    "ICLR proceedings",
    "https://proceedings.iclr.cc",
    "the form of pages, and which years there are before 2024",
)
