"""theses.fr: French doctoral theses by their national number and by title.

Written from the documentation (theses.fr/api/v1) and not from recorded answers. Universities catalogue the theses that they
accept, so it is first-hand. Absence: theses before 1985 and medical ones are lacking, so it is no evidence. Author order: there
is one author. Limits: none are published.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pytest_citecheck.matching import nnt, without_markup
from pytest_citecheck.model import Person, Query, QueryKind, Record
from pytest_citecheck.sources.base import Role, TitleSearch
from pytest_citecheck.sources.french_research import FrenchRegister
from pytest_citecheck.sources.parsing import Fields, mapping, stated_parts, texts, unique, year_of
from pytest_citecheck.sources.search import main_words, plain_words

if TYPE_CHECKING:
    from collections.abc import Mapping

_MOST_WORDS = 8


class ThesesFr(FrenchRegister):
    """The search of theses.fr as a source of records (see the module)."""

    name = "theses_fr"
    label = "theses.fr"
    base_url = "https://theses.fr"
    documentation = "https://theses.fr/api/v1/theses/openapi.yaml"
    batch: Mapping[QueryKind, int] = {"nnt": 10, "title": 1}
    absence = "no evidence: theses before 1985 and in medicine are missing, and a search only returns its best matches"
    unconfirmed = "the field names in answers, the field `nnt` in queries, searches for all words"
    authoritative_for = ("identifier", "title", "authors", "year", "venue")
    role = Role(looks_up=("nnt",), titles=(TitleSearch("single", 10, works=("thesis",)),))
    controls: Mapping[QueryKind, Query] = {
        "nnt": Query("nnt", "2010DENS0040"),
        "title": Query(
            "title",
            "Représentations parcimonieuses en apprentissage statistique, traitement d'image et vision par ordinateur",
            ("Mairal",),
        ),
    }

    number, path, field, quoted, hits = "nnt", "api/v1/theses/recherche/", "nnt", "{}", 20

    def parameters(self, query: str) -> tuple[tuple[str, str | int], ...]:
        return ("q", query), ("debut", 0), ("nombre", self.hits), ("tri", "pertinence")

    def titled(self, query: Query) -> str:
        words = main_words(query.value, _MOST_WORDS, with_author=bool(query.authors))
        author = [word for name in query.authors[:1] for word in plain_words(name)[-1:]]
        return " ".join(word.lower() for word in (*words, *author))

    def documents(self, body: Fields) -> tuple[object, object]:
        return body.get("theses"), body.get("totalHits")

    def counts(self, document: object) -> bool:
        """Theses that are being written have no number, and are no evidence of anything."""
        return mapping(document).text("status") != "enCours"

    def read(self, document: object) -> Record | None:

        return parse_thesis(document)


THESES_FR = ThesesFr()


def parse_thesis(thesis: object) -> Record | None:
    """The record of one item of ``theses``, or None if it has no title or no number, as a thesis that is being written."""
    fields = mapping(thesis)
    number = next(filter(None, (nnt(fields.text(name)) for name in ("nnt", "id"))), "")
    titles = list(dict.fromkeys(filter(None, map(without_markup, _titles(fields)))))
    if not number or not titles:
        return None
    parts = [stated_parts(mapping(one).get("nom"), mapping(one).get("prenom")) for one in fields.all("auteurs")]
    school = without_markup(fields.text("etabSoutenanceN") or fields.at("etabSoutenance").text("nom"))
    year = fields.year("dateSoutenance")
    return Record(
        source="theses_fr",
        id=number,
        url=f"https://theses.fr/{number}",
        title=titles[0],
        other_titles=tuple(titles[1:]),
        authors=tuple(Person(family=family, given=given if family else "") for family, given in parts),
        # A number has the year that the school counts; the defence may be in the next one.
        years=unique((year, year_of(number[:4]))),
        venues=(school,) if school else (),
        type="thesis",
        related=(("nnt", number),),
    )


def _titles(fields: object) -> Iterator[str]:
    """The title in the language of the thesis, then all others."""
    known = mapping(fields)
    yield known.text("titrePrincipal")
    yield known.text("titreEN")
    yield from (title for value in known.at("titres").values() for title in texts(value))
