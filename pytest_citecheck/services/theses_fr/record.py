"""Theses as theses.fr describes them, as records.

Source: the answers of its search (theses.fr/api/v1/theses/openapi.yaml; github.com/abes-esr/theses-api-recherche).
"""

from __future__ import annotations

from collections.abc import Iterator

from pytest_citecheck.identifiers.repository_ids import nnt
from pytest_citecheck.model import Person, Record
from pytest_citecheck.services.parsing.json_body import listing, mapping, text, texts, year_of
from pytest_citecheck.services.parsing.stated_names import stated_parts
from pytest_citecheck.text.markup import without_markup

__all__ = ["parse_thesis"]


def parse_thesis(thesis: object) -> Record | None:
    """The record of one item of ``theses``, or None if it has no title or no number, as a thesis that is being written."""
    fields = mapping(thesis)
    number = next(filter(None, (nnt(text(fields.get(name))) for name in ("nnt", "id"))), "")
    titles = list(dict.fromkeys(filter(None, map(without_markup, _titles(fields)))))
    if not number or not titles:
        return None
    parts = [
        stated_parts(mapping(one).get("nom"), mapping(one).get("prenom")) for one in listing(fields.get("auteurs"))
    ]
    school = without_markup(
        text(fields.get("etabSoutenanceN")) or text(mapping(fields.get("etabSoutenance")).get("nom"))
    )
    year = year_of(fields.get("dateSoutenance"))
    return Record(
        source="theses_fr",
        id=number,
        url=f"https://theses.fr/{number}",
        title=titles[0],
        other_titles=tuple(titles[1:]),
        authors=tuple(Person(family=family, given=given) for family, given in parts if family),
        # A number has the year that the school counts; the defence may be in the next one.
        years=tuple(dict.fromkeys(one for one in (year, year_of(number[:4])) if one)),
        venues=(school,) if school else (),
        type="thesis",
        related=(("nnt", number),),
    )


def _titles(fields: object) -> Iterator[str]:
    """The title in the language of the thesis, then all others."""
    known = mapping(fields)
    yield text(known.get("titrePrincipal"))
    yield text(known.get("titreEN"))
    yield from (title for value in mapping(known.get("titres")).values() for title in texts(value))
