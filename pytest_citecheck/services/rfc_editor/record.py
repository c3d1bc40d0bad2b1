"""One RFC as the RFC Editor describes it, as a record.

Source: the files ``rfcNNNN.json`` beside the RFCs (www.rfc-editor.org/rfc). Authors stand in order, by their initials, with "Ed."
where they edited; what an RFC obsoletes, and by what it is obsoleted, is no error of a citation.
"""

from __future__ import annotations

from pytest_citecheck.model import Person, Record
from pytest_citecheck.services.parsing.identifiers import doi_name
from pytest_citecheck.services.parsing.json_body import mapping, text, texts, year_of
from pytest_citecheck.services.parsing.stated_names import stated_name
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["parse_rfc"]

_ID = lazy_pattern(r"RFC0*([1-9]\d{0,4})")
_EDITOR = lazy_pattern(r"\(?\bEds?\.?\)?$")
_PERSON = lazy_pattern(r"((?:[A-Z][A-Za-z]?\.[ -]?)+)\s*(.+)")


def parse_rfc(rfc: object) -> Record | None:
    """The record of one RFC; None if it states no number or no title."""
    fields = mapping(rfc)
    match = _ID.fullmatch(text(fields.get("doc_id")).upper())
    title = " ".join(text(fields.get("title")).split())
    if not match or not title:
        return None
    number, year = match[1], year_of(fields.get("pub_date"))
    return Record(
        source="rfc_editor",
        id=f"RFC{number}",
        url=f"https://www.rfc-editor.org/info/rfc{number}",
        title=title,
        other_titles=(f"RFC {number}: {title}", f"{title} (RFC {number})"),
        authors=tuple(_person(name) for name in map(stated_name, texts(fields.get("authors"))) if name),
        years=(year,) if year else (),
        venues=("RFC Editor", "Request for Comments", "RFC", "IETF", "Internet Engineering Task Force"),
        type="report",
        publisher="RFC Editor; Internet Engineering Task Force; IETF",
        doi=doi_name(text(fields.get("doi"))),
        number=number,
    )


def _person(stated: str) -> Person:
    """``T. Bray, Ed.``; who has no initials is a group."""
    name = _EDITOR.sub("", stated.strip()).rstrip(" ,")
    match = _PERSON.fullmatch(name)
    return Person(given=match[1].strip(), family=match[2].strip()) if match else Person(literal=name, group=True)
