"""What bioRxiv says of a preprint that was published: records of the preprint and of the publication.

Source: the members of ``pubs`` at api.biorxiv.org. Names are ``Family, G. N.; Family, G.``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_citecheck.model import Person, Record
from pytest_citecheck.services.parsing.identifiers import doi_name
from pytest_citecheck.services.parsing.json_body import mapping, text, year_of
from pytest_citecheck.services.parsing.stated_names import stated_name, undivided
from pytest_citecheck.text.markup import without_markup

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["parse_link"]


def parse_link(link: object) -> tuple[Record, ...]:
    """The preprint, and its publication under the preprint's title (compiled); empty if the link is none.

    The publication's title and authors may be others by now: the record shows its place, no more.
    """
    fields = mapping(link)
    doi = doi_name(text(fields.get("biorxiv_doi")) or text(fields.get("preprint_doi")))
    published = doi_name(text(fields.get("published_doi")))
    title = without_markup(text(fields.get("preprint_title")))
    if not doi or not published or not title:
        return ()
    year = year_of(fields.get("preprint_date"))
    server = without_markup(text(fields.get("preprint_platform"))) or "bioRxiv"
    preprint = Record(
        source="biorxiv",
        id=doi,
        url=f"https://doi.org/{doi}",
        title=title,
        authors=tuple(_people(text(fields.get("preprint_authors")))),
        years=(year,) if year else (),
        venues=(server,),
        type="preprint",
        doi=doi,
        related=(("is-preprint-of", published),),
    )
    appeared = year_of(fields.get("published_date"))
    journal = without_markup(text(fields.get("published_journal")))
    publication = replace(
        preprint,
        id=f"{doi} published",
        url=f"https://doi.org/{published}",
        years=(appeared,) if appeared else (),
        venues=(journal,) if journal else (),
        type="article",
        doi=published,
        related=(("has-preprint", doi),),
        compiled=True,
    )
    return preprint, publication


def _people(stated: str) -> Iterator[Person]:
    for name in map(stated_name, stated.split(";")):
        family, comma, given = name.partition(",")
        if name:
            yield Person(family=family.strip(), given=given.strip()) if comma else undivided(name)
