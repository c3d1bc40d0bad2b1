"""The Library of Congress: books by ISBN and by title, from its own catalogue.

Written from the documentation (loc.gov/standards/sru/resources/lcServers.html) and not from recorded answers. Its cataloguing
is its own: what the title page says is first-hand (`sources.library_catalogues`). Absence: it keeps no thesis and few
books from abroad, so it is no evidence. Author order: the heading comes first, and people are left out. Limits: none are
published for SRU.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_citecheck.model import Query, QueryKind, Record
from pytest_citecheck.sources.base import Rate, Role, Terms, TitleSearch
from pytest_citecheck.sources.library_catalogues import SruCatalogue

if TYPE_CHECKING:
    import xml.etree.ElementTree as ET
    from collections.abc import Mapping


class LibraryOfCongress(SruCatalogue):
    """The catalogue of the Library of Congress as a source of records (see the module)."""

    name = "loc"
    label = "Library of Congress"
    base_url = "http://lx2.loc.gov:210"
    path = "LCDB"
    isbn_index, title_index, name_index = "bath.isbn", "dc.title", "dc.creator"
    documentation = "https://www.loc.gov/standards/sru/resources/lcServers.html"
    batch: Mapping[QueryKind, int] = {"isbn": 10, "title": 5}
    keeps_author_order = False
    rate = Rate(per_second=0.5, concurrency=1)
    limits = "none published for SRU; one request in two seconds is used"
    terms = Terms("open data, may be redistributed with attribution")
    absence = "no evidence: it keeps few books from abroad, and an ISBN may belong to another printing"
    unconfirmed = "the address since the move of the catalogue in 2025, the indexes, `or` between ISBNs and titles"
    authoritative_for = ("identifier", "title", "authors")
    role = Role(catalogue=("isbn",), titles=(TitleSearch("batch", 25, works=("book",)),))
    controls: Mapping[QueryKind, Query] = {
        "isbn": Query("isbn", "9780201558029"),
        "title": Query("title", "Concrete Mathematics: A Foundation for Computer Science", ("Graham",)),
    }

    def read(self, element: ET.Element) -> Record | None:
        from pytest_citecheck.sources.library_catalogues import control_number, field_values, marc_record

        number = "".join(next(field_values(element, "010", "a"), "").split())
        page = f"https://lccn.loc.gov/{number}" if number.isalnum() else ""
        return marc_record(self.name, element, page) if control_number(element, "001") else None


LOC = LibraryOfCongress()
