"""INSPIRE-HEP: papers, theses, reports and books of high-energy physics and its neighbours, by identifier and title.

Documentation: github.com/inspirehep/rest-api-doc (records, ``q``, ``fields``, ``size``) and the search syntax of
inspirehep.net (help.inspirehep.net, "INSPIRE search"). It harvests arXiv and publishers and curates what it takes, so the
registry of the DOI or e-print that it names is asked for its word; its own only shows that a work exists. Absence: no
evidence; it is complete for one field, and a work may be there under another identifier. Author order: as published; of
collaborations all members, with the collaboration beside them. Limits: 15 requests in 5 seconds for each address, then 429.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_citecheck.identifiers.catalogue_keys import texkey
from pytest_citecheck.model import Question, QuestionKind
from pytest_citecheck.services.base import Rate, Role, Terms, TitleSearch
from pytest_citecheck.services.catalogues.field_catalogue import FieldCatalogue
from pytest_citecheck.services.parsing.identifiers import arxiv_id
from pytest_citecheck.services.parsing.json_body import mapping, text
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_citecheck.services.catalogues.alternatives import Named

__all__ = ["INSPIRE", "Inspire"]


class Inspire(FieldCatalogue):
    """The REST API of INSPIRE-HEP as a source of records (see the module)."""

    name = "inspire"
    label = "INSPIRE-HEP"
    base_url = "https://inspirehep.net/api"
    documentation = "https://github.com/inspirehep/rest-api-doc"
    batch: Mapping[QuestionKind, int] = {"doi": 25, "arxiv": 25, "texkey": 25, "title": 5}
    rate = Rate(per_second=2.5, concurrency=1)
    limits = "15 requests in 5 seconds, then 429"
    absence = "no evidence: it is of one field; other sources are queried all the same"
    derives_from = ("arxiv", "crossref")
    terms = Terms("CC0, may be handed on")
    unconfirmed = "several alternatives in one query (`doi:a or doi:b`), and words of titles joined by `and`"
    role = Role(
        catalogue=("doi", "arxiv", "texkey"),
        disciplines=("physics",),
        titles=(TitleSearch("batch", 40, ("physics",), ("article", "paper", "report", "misc", "thesis", "book")),),
    )
    # The paper on the AdS/CFT correspondence, and one of Higgs: among the most cited that it has.
    witnesses: Mapping[QuestionKind, Question] = {
        "doi": Question("doi", "10.1103/physrevlett.13.508"),
        "arxiv": Question("arxiv", "hep-th/9711200"),
        "texkey": Question("texkey", "Maldacena:1997re"),
        "title": Question(
            "title", "The Large N limit of superconformal field theories and supergravity", ("Maldacena",)
        ),
    }

    path = "literature"
    identifiers: Mapping[QuestionKind, Callable[[str], str]] = {"arxiv": arxiv_id, "texkey": texkey}
    unquotable = lazy_pattern(r"[\s\"'\\()]")
    clauses: Mapping[QuestionKind, str] = {"doi": "doi:{}", "arxiv": "arxiv:{}", "texkey": "texkeys:{}"}
    title_word, author, both, either = "t {}", "a {}", " and ", " or "

    def parameters(self, query: str, hits: int) -> tuple[tuple[str, str | int], ...]:
        from pytest_citecheck.services.inspire.record import FIELDS

        return ("q", query), ("size", hits), ("fields", FIELDS)

    def page(self, body: Mapping[str, Any]) -> tuple[object, object, object]:
        hits = mapping(body.get("hits"))
        return hits.get("hits"), hits.get("total"), text(body.get("message"))

    def read(self, result: object) -> Named | None:
        from pytest_citecheck.services.inspire.record import parse_hit

        return parse_hit(result)


INSPIRE = Inspire()
