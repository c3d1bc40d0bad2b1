"""zbMATH Open: the publications of mathematics since 1868, catalogued by its editors, by number, DOI and title.

Documentation: api.zbmath.org/v1 and zbmath.org/general-help (``an:``, ``en:``, ``ti:``, ``au:``, ``|`` for or, ``&`` for and).
Absence: no evidence; a work may be indexed under another number, or not yet. First word: what its editors catalogue from the
publication. Where a work has a DOI its registry has the first word, and where it is not in English the title is a translation
and the names are transliterated; such records count as compiled. Author order: as published; names in the form of its
authority file. Limits: none are published; one request a second is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_citecheck.identifiers.catalogue_keys import zbl_number
from pytest_citecheck.model import Absent, Answer, Question, QuestionKind
from pytest_citecheck.services.base import Rate, Response, Role, Terms, TitleSearch
from pytest_citecheck.services.catalogues.field_catalogue import FieldCatalogue
from pytest_citecheck.services.parsing.json_body import mapping, parse_json, text, whole_number
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_citecheck.services.catalogues.alternatives import Named

__all__ = ["ZBMATH", "ZbMath"]


class ZbMath(FieldCatalogue):
    """The API of zbMATH Open as a source of records (see the module)."""

    name = "zbmath"
    label = "zbMATH Open"
    base_url = "https://api.zbmath.org/v1"
    documentation = "https://api.zbmath.org/v1/"
    batch: Mapping[QuestionKind, int] = {"zbl": 25, "doi": 25, "title": 5}
    rate = Rate(per_second=1.0, concurrency=1)
    limits = "none published; 1 request a second is used"
    absence = "no evidence: a work may be indexed under another number, or not yet"
    first_hand = ("title", "authors", "year", "venue")
    terms = Terms("CC BY-SA 4.0 where no licence of a publisher withholds it")
    unconfirmed = (
        "several alternatives in one query (`an:a | an:b`), DOIs as `en:`, and how it says that it found nothing"
    )
    role = Role(
        catalogue=("zbl", "doi"),
        disciplines=("mathematics",),
        titles=(TitleSearch("batch", 45, ("mathematics",), ("article", "paper", "report", "misc", "thesis", "book")),),
    )
    # Wiles on Fermat's Last Theorem.
    witnesses: Mapping[QuestionKind, Question] = {
        "zbl": Question("zbl", "0823.11029"),
        "doi": Question("doi", "10.2307/2118559"),
        "title": Question("title", "Modular elliptic curves and Fermat's Last Theorem", ("Wiles",)),
    }

    path, query = "document/_search", "search_string"
    identifiers: Mapping[QuestionKind, Callable[[str], str]] = {"zbl": zbl_number}
    unquotable = lazy_pattern(r"[\s\"'\\()|&!]")
    clauses: Mapping[QuestionKind, str] = {"zbl": "an:{}", "doi": "en:{}"}
    title_word, author, both, either = "ti:{}", 'au:"{}"', " & ", " | "

    def parameters(self, query: str, hits: int) -> tuple[tuple[str, str | int], ...]:
        return ("search_string", query), ("page", 0), ("results_per_page", hits)

    def page(self, body: Mapping[str, Any]) -> tuple[object, object, object]:
        status = mapping(body.get("status"))
        return body.get("result"), status.get("nr_total_results"), text(status.get("internal_code"))

    def read(self, result: object) -> Named | None:
        from pytest_citecheck.services.zbmath.record import parse_document

        return parse_document(result)

    def parse(self, questions: Sequence[Question], response: Response) -> dict[Question, Answer]:
        """As all catalogues of a field; what was not found has its own 404."""
        if response.status == 404 and _found_nothing(mapping(parse_json(response.body))):
            return dict.fromkeys(questions, Absent())
        return super().parse(questions, response)


def _found_nothing(body: Mapping[str, Any]) -> bool:
    """Whether a 404 is the service's own word for an empty result."""
    code = whole_number(mapping(body.get("status")).get("status_code"))
    return body.get("result") in (None, []) and "result" in body and code == 404


ZBMATH = ZbMath()
