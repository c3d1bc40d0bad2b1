"""HAL: documents of the open archive of French research by id, theses and reports by title.

Written from the documentation (api.archives-ouvertes.fr/docs/search) and not from recorded answers. Authors deposit their works
and describe them; theses come from the national register. Absence: documents are withdrawn and joined, so it is no evidence.
Author order: as published, reliable. Limits: none are published.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_citecheck.identifiers.repository_ids import hal_id
from pytest_citecheck.model import Question, QuestionKind, Record
from pytest_citecheck.services.base import Role, TitleSearch
from pytest_citecheck.services.parsing.json_body import mapping
from pytest_citecheck.services.parsing.libraries.french_research import FrenchRegister
from pytest_citecheck.services.parsing.search_words import main_words, plain_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["HAL", "Hal"]

_MOST_WORDS = 8


class Hal(FrenchRegister):
    """HAL's search API as a source of records (see the module)."""

    name = "hal"
    label = "HAL"
    base_url = "https://api.archives-ouvertes.fr"
    documentation = "https://api.archives-ouvertes.fr/docs/search"
    batch: Mapping[QuestionKind, int] = {"hal": 40, "title": 5}
    absence = "no evidence: documents are withdrawn and joined, and a search ranks"
    unconfirmed = "that the fields `title_t` and `authLastName_t` are searched without accents, `OR` between titles"
    first_hand = ("identifier", "title", "authors", "year")
    derives_from = ("arxiv", "crossref", "theses_fr")
    role = Role(looks_up=("hal",), titles=(TitleSearch("batch", 30, works=("thesis", "report")),))
    witnesses: Mapping[QuestionKind, Question] = {
        "hal": Question("hal", "hal-00650905"),
        "title": Question("title", "Scikit-learn: Machine Learning in Python", ("Pedregosa",)),
    }

    number, path, field, quoted, hits = "hal", "search/", "halId_s", '"{}"', 50

    def normal_form(self, number: str) -> str:
        return hal_id(number)

    def parameters(self, query: str) -> tuple[tuple[str, str | int], ...]:
        from pytest_citecheck.services.hal.record import FIELDS

        return ("q", query), ("fl", FIELDS), ("rows", self.hits), ("wt", "json")

    def titled(self, question: Question) -> str:
        words = main_words(question.value, _MOST_WORDS, with_author=bool(question.authors))
        terms = [f"title_t:({_all_of(words)})"]
        terms += [
            f"authLastName_t:({_all_of(plain_words(name)[-1:])})" for name in question.authors[:1] if plain_words(name)
        ]
        return "(" + " AND ".join(terms) + ")"

    def documents(self, body: Mapping[str, Any]) -> tuple[object, object]:
        answer = mapping(body.get("response"))
        return answer.get("docs"), answer.get("numFound")

    def read(self, document: object) -> Record | None:
        from pytest_citecheck.services.hal.record import parse_document

        return parse_document(document)


def _all_of(words: Sequence[str]) -> str:
    return " AND ".join(f'"{word.lower()}"' for word in words)


HAL = Hal()
