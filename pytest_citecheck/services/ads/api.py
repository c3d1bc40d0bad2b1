"""NASA Astrophysics Data System: astronomy, physics and arXiv, by bibcode, identifier and title; with a key alone.

Documentation: ui.adsabs.harvard.edu/help/api, github.com/adsabs/adsabs-dev-api ("Search API"). It compiles what publishers,
arXiv and Crossref send, so it has no first word. Absence: no evidence. Author order: as published. Limits: 5,000 requests a
day with a token (x-ratelimit-remaining).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_citecheck.identifiers.catalogue_keys import bibcode
from pytest_citecheck.model import Question, QuestionKind
from pytest_citecheck.services.base import Credentials, Rate, Role, Terms, TitleSearch
from pytest_citecheck.services.catalogues.field_catalogue import FieldCatalogue
from pytest_citecheck.services.parsing.identifiers import arxiv_id
from pytest_citecheck.services.parsing.json_body import mapping, text
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_citecheck.services.catalogues.alternatives import Named

__all__ = ["ADS", "AstrophysicsDataSystem"]


class AstrophysicsDataSystem(FieldCatalogue):
    """The search API of the Astrophysics Data System as a source of records (see the module)."""

    name = "ads"
    label = "NASA ADS"
    base_url = "https://api.adsabs.harvard.edu/v1"
    documentation = "https://ui.adsabs.harvard.edu/help/api/"
    batch: Mapping[QuestionKind, int] = {"bibcode": 25, "doi": 25, "arxiv": 25, "title": 5}
    rate = Rate(per_second=1.0, concurrency=1)
    limits = "5,000 requests a day with a key"
    absence = "no evidence: it compiles other sources; they are queried all the same"
    derives_from = ("arxiv", "crossref")
    terms = Terms("facts, terms unread: keep cassettes private")
    unconfirmed = 'several alternatives in one query (`doi:"a" OR doi:"b"`)'
    role = Role(
        catalogue=("bibcode", "doi", "arxiv"),
        disciplines=("physics",),
        titles=(TitleSearch("batch", 60, ("physics",), ("article", "paper", "report", "misc", "thesis")),),
    )
    credentials = Credentials(
        "ADS_API_TOKEN",
        header="Authorization",
        scheme="Bearer",
        required=True,
        obtained="https://ui.adsabs.harvard.edu/user/settings/token",
    )
    # Riess and others on the accelerating universe.
    witnesses: Mapping[QuestionKind, Question] = {
        "bibcode": Question("bibcode", "1998AJ....116.1009R"),
        "doi": Question("doi", "10.1086/300499"),
        "arxiv": Question("arxiv", "astro-ph/9805201"),
        "title": Question(
            "title",
            "Observational Evidence from Supernovae for an Accelerating Universe and a Cosmological Constant",
            ("Riess",),
        ),
    }

    path = "search/query"
    identifiers: Mapping[QuestionKind, Callable[[str], str]] = {"bibcode": bibcode, "arxiv": arxiv_id}
    unquotable = lazy_pattern(r"[\s\"\\]")
    clauses: Mapping[QuestionKind, str] = {
        "bibcode": 'identifier:"{}"',
        "doi": 'doi:"{}"',
        "arxiv": 'identifier:"arXiv:{}"',
    }
    title_word, author, both, either = "title:{}", 'author:"{}"', " ", " OR "

    def parameters(self, query: str, hits: int) -> tuple[tuple[str, str | int], ...]:
        from pytest_citecheck.services.ads.record import FIELDS

        return ("q", query), ("fl", FIELDS), ("rows", hits)

    def page(self, body: Mapping[str, Any]) -> tuple[object, object, object]:
        page, error = mapping(body.get("response")), body.get("error")
        return page.get("docs"), page.get("numFound"), text(mapping(error).get("msg")) or text(error)

    def read(self, result: object) -> Named | None:
        from pytest_citecheck.services.ads.record import parse_doc

        return parse_doc(result)


ADS = AstrophysicsDataSystem()
