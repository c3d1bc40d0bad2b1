"""CVF open access: CVPR, ICCV and WACV, a page for each year with an entry in BibTeX of every paper.

Written from what is known of the pages (openaccess.thecvf.com/CVPR2020?day=all) and not from recorded answers: each paper is a
``<dt class="ptitle">`` followed by a ``<div class="bibref …">`` with its entry. Workshops have pages of their own. Author order:
as published, reliable. Limits: none are published for this static site.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from pytest_citecheck.services.base import MalformedAnswerError
from pytest_citecheck.services.proceedings.papers import bibtex_papers, inside, page_text
from pytest_citecheck.services.proceedings.venue_year_lists import VenueYearLists
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from pytest_citecheck.model import Record
    from pytest_citecheck.venues.lists import VenueYearList

__all__ = ["CVF"]

_TITLE = lazy_pattern(r"""<dt\s+class\s*=\s*["']?ptitle""")
_ENTRY = lazy_pattern(r"""<div\s+class\s*=\s*["']?bibref[^<>]{0,100}>""" + inside("div"))
_BREAK = lazy_pattern(r"<br\s*/?>", re.IGNORECASE)


class Cvf(VenueYearLists):
    """The open access pages of the Computer Vision Foundation (see the module)."""

    name = "cvf"
    label = "CVF open access"
    base_url = "https://openaccess.thecvf.com"
    documentation = "https://openaccess.thecvf.com/menu"
    unconfirmed = "the form of pages, and day=all for the years before 2021"

    def address(self, listed: VenueYearList, part: int) -> str:  # noqa: ARG002 - in one part
        """``CVPR2020?day=all``."""
        return f"{self.base_url}/{listed.at}"

    def read(self, listed: VenueYearList, part: int, body: bytes) -> list[Record]:  # noqa: ARG002 - in one part
        """The entries of the page. Raises MalformedAnswerError unless there is one for each title."""
        text = page_text(body)
        entries = [html.unescape(_BREAK.sub("\n", entry)) for entry in _ENTRY.findall(text)]
        records = bibtex_papers("cvf", listed, "\n\n".join(entries).encode())
        if len(records) != len(_TITLE.findall(text)):
            raise MalformedAnswerError("a paper of the page has no entry")
        return records


CVF = Cvf()
