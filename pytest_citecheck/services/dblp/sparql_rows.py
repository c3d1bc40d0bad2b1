"""The rows of an answer of DBLP's SPARQL endpoint, as records.

Documentation: SPARQL 1.1 Query Results JSON Format (W3C 2013), the dblp RDF schema (dblp.org/rdf/docu). A row is one
publication with all of its signatures, each an ordinal and a name; the ordinals give the order of the authors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_citecheck.services.base import MalformedAnswerError, Response
from pytest_citecheck.services.dblp.record import KEY, PREPRINTS, publication
from pytest_citecheck.services.dblp.sparql_query import RECORD
from pytest_citecheck.services.parsing.json_body import mapping, parse_json, text, whole_number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_citecheck.model import Record

__all__ = ["Row", "rows_of"]

_FIELDS = {"title": "title", "year": "year", "venue": "booktitle", "volume": "volume", "pages": "pages", "doi": "ee"}
_ELEMENTS = {
    "article": "article", "inproceedings": "inproceedings", "incollection": "incollection", "inbook": "incollection",
    "proceedings": "proceedings", "book": "book", "phdthesis": "phdthesis", "mastersthesis": "mastersthesis",
}  # fmt: skip
# What the first part of a key says, for rows without a type.
_KEYS = {"journals": "article", "conf": "inproceedings", "books": "book", "phd": "phdthesis", "series": "incollection"}


@dataclass(frozen=True, slots=True)
class Row:
    """One row: its values by variable, and its record; None if the publication cannot be read or lacks authors."""

    values: Mapping[str, str]
    record: Record | None


def rows_of(response: Response) -> list[Row]:
    """The rows of an answer. Raises MalformedAnswerError for everything that is no table of publications."""
    body = mapping(parse_json(response.body))
    if response.status >= 300 or "exception" in body:
        problem = text(body.get("exception"))[:200]
        raise MalformedAnswerError(f"DBLP refused the query: {problem or response.status}")
    variables, found = mapping(body.get("head")).get("vars"), mapping(body.get("results")).get("bindings")
    if not isinstance(variables, list) or "publication" not in variables or not isinstance(found, list):
        raise MalformedAnswerError("DBLP's answer is not a table of publications")
    rows = [_row(binding) for binding in found]
    if rows and not any(row.record for row in rows):
        raise MalformedAnswerError("no row of DBLP's answer is a publication")
    return rows


def _row(binding: Any) -> Row:
    values = {name: text(mapping(cell).get("value")) for name, cell in mapping(binding).items()}
    return Row(values, _record(values))


def _record(values: Mapping[str, str]) -> Record | None:
    key = values.get("publication", "").removeprefix(RECORD)
    people = _people(values.get("signatures", ""))
    creators = whole_number(values.get("creators"))
    if not KEY.fullmatch(key) or people is None or (creators is not None and len(people) < creators):
        return None
    stated = values.get("type", "").rpartition("#")[2].lower()
    element = _ELEMENTS.get(stated) or _KEYS.get(key.partition("/")[0], "www")
    kinds = ("informal",) if values.get("venue", "").lower() in PREPRINTS else ()
    fields = [(element_name, values[name]) for name, element_name in _FIELDS.items() if values.get(name)]
    # An asked DOI is one of the publication.
    if "doi" not in values and "/10." in values.get("asked", ""):
        fields.append(("ee", values["asked"]))
    return publication(key, element, kinds, [*(("author", name) for name in people), *fields])


def _people(signatures: str) -> list[str] | None:
    """The names in the order of their ordinals; None if one of them has no ordinal or no name."""
    people = []
    for signature in filter(None, signatures.split("|")):
        ordinal, _, name = signature.partition(" ")
        if not (ordinal.isascii() and ordinal.isdigit() and len(ordinal) < 9 and name):
            return None
        people.append((int(ordinal), name))
    return [name for _, name in sorted(people)]
