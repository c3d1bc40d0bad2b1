"""K10plus: books and theses by ISBN and by title, from the union catalogue of GBV and BSZ.

Written from the documentation (wiki.k10plus.de, "SRU"; format.k10plus.de, "MARC 21") and not from recorded answers. Libraries
catalogue with the book in hand, and take records over from each other, from the Library of Congress and from publishers: what
the title page says is first-hand (`sources.library_catalogues`), all else shows only that a book exists. Absence: no
library has every book, so it is no evidence. Author order: catalogues put the heading first, and leave people out. Limits:
none are published.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_citecheck.model import Query, QueryKind, Record
from pytest_citecheck.sources.base import Rate, Role, Terms, TitleSearch
from pytest_citecheck.sources.library_catalogues import SruCatalogue

if TYPE_CHECKING:
    import xml.etree.ElementTree as ET
    from collections.abc import Mapping

_PAGE = "https://opac.k10plus.de/DB=2.299/PPNSET?PPN={}"


class K10plus(SruCatalogue):
    """K10plus as a source of records (see the module)."""

    name = "k10plus"
    label = "K10plus"
    base_url = "https://sru.k10plus.de"
    path = "opac-de-627"
    isbn_index, title_index, name_index = "pica.isb", "pica.tit", "pica.per"
    documentation = "https://wiki.k10plus.de/display/K10PLUS/SRU"
    batch: Mapping[QueryKind, int] = {"isbn": 20, "title": 5}
    keeps_author_order = False
    rate = Rate(per_second=2.0, concurrency=1)
    limits = "none published; 2 requests a second are used"
    terms = Terms("CC0, may be redistributed")
    absence = "no evidence: no library has every book, and an ISBN may belong to another printing"
    unconfirmed = "the address and the indexes of its SRU service, `or` between ISBNs and titles, the words of roles"
    authoritative_for = ("identifier", "title", "authors")
    derives_from = ("loc", "crossref")
    role = Role(looks_up=("isbn",), titles=(TitleSearch("batch", 20, works=("book", "thesis")),))
    # A book that every library of a university with computer science has.
    controls: Mapping[QueryKind, Query] = {
        "isbn": Query("isbn", "9780201558029"),
        "title": Query("title", "Concrete Mathematics: A Foundation for Computer Science", ("Graham",)),
    }

    def read(self, element: ET.Element) -> Record | None:
        from pytest_citecheck.sources.library_catalogues import marc_record

        return marc_record(self.name, element, _PAGE)


K10PLUS = K10plus()
