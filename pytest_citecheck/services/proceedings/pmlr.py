"""PMLR: the Proceedings of Machine Learning Research, a volume for each conference and year.

Written from what is known of the site (proceedings.mlr.press) and not from recorded answers. A volume has its papers in BibTeX,
and on its page: ``<div class="paper">`` with title, authors and links. The page is asked where the file is not to be had. Author
order: as published, reliable. Limits: none are published for this static site.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_citecheck.services.base import MalformedAnswerError
from pytest_citecheck.services.proceedings.papers import bibtex_papers, inside, listed_paper, page_text, plain
from pytest_citecheck.services.proceedings.venue_year_lists import VenueYearLists
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from pytest_citecheck.model import Record
    from pytest_citecheck.venues.lists import VenueYearList

__all__ = ["PMLR", "PMLR_PAGE"]

_PAPER = lazy_pattern(r"""<div\s+class\s*=\s*["']?paper["'\s>]""")
_TITLE = lazy_pattern(r"""<p\s+class\s*=\s*["']?title["']?\s*>""" + inside("p"))
_AUTHORS = lazy_pattern(r"""<span\s+class\s*=\s*["']?authors["']?\s*>""" + inside("span"))
_LINK = lazy_pattern(r"""href\s*=\s*["']?(?:https?:)?[\w/:.-]{0,60}/(v\d{1,4}/[\w.-]{1,80})\.html""")


class Pmlr(VenueYearLists):
    """The volumes of PMLR in BibTeX (see the module)."""

    name = "pmlr"
    label = "PMLR"
    base_url = "https://proceedings.mlr.press"
    documentation = "https://proceedings.mlr.press"
    unconfirmed = "the addresses of volumes in BibTeX"
    accept = "application/x-bibtex, text/plain, */*"

    def address(self, listed: VenueYearList, part: int) -> str:  # noqa: ARG002 - in one part
        """``v97/assets/bib/bibliography.bib``."""
        return f"{self.base_url}/{listed.at}/assets/bib/bibliography.bib"

    def read(self, listed: VenueYearList, part: int, body: bytes) -> list[Record]:  # noqa: ARG002 - in one part
        """The entries of the file."""
        return bibtex_papers("pmlr", listed, body)


class PmlrPage(VenueYearLists):
    """The pages of the volumes of PMLR (see the module)."""

    name = "pmlr_page"
    label = "PMLR (pages)"
    base_url = "https://proceedings.mlr.press"
    documentation = "https://proceedings.mlr.press"
    derives_from = ("pmlr",)
    unconfirmed = "the form of pages"

    def address(self, listed: VenueYearList, part: int) -> str:  # noqa: ARG002 - in one part
        """``v97/``."""
        return f"{self.base_url}/{listed.at}/"

    def read(self, listed: VenueYearList, part: int, body: bytes) -> list[Record]:  # noqa: ARG002 - in one part
        """The papers of the page. Raises MalformedAnswerError unless all of it could be read."""
        papers = _PAPER.split(page_text(body))[1:]
        return [_paper(listed, text) for text in papers]


def _paper(listed: VenueYearList, text: str) -> Record:
    title, authors, link = _TITLE.search(text), _AUTHORS.search(text), _LINK.search(text)
    if title is None or authors is None:
        raise MalformedAnswerError("a paper without title or authors")
    key = link[1] if link else ""
    url = f"https://proceedings.mlr.press/{key}.html" if key else ""
    people = map(plain, authors[1].split(","))
    return listed_paper("pmlr", listed, key, url, plain(title[1]), people)


PMLR = Pmlr()
PMLR_PAGE = PmlrPage()
