"""One entry of a BibTeX file of records, as a record.

The grammar is the one of the BibTeX reader (inputs/bibtex/reader.py). Records contain no guesses: an entry that was cut
off gives none, although the reader repairs it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_citecheck.inputs import name_list
from pytest_citecheck.matching import CATALOGUES, cited_identifiers
from pytest_citecheck.model import Record
from pytest_citecheck.sources.parsing import record_type, year_of

if TYPE_CHECKING:
    from pytest_citecheck.model import Reference

_VENUES = ("booktitle", "journal", "journaltitle", "series", "school", "institution", "howpublished")
_VOLUMES = frozenset({"proceedings", "mvproceedings", "collection", "mvcollection"})
_CUT_OFF = frozenset({"unclosed-entry", "unclosed-value", "unopened-value", "stray-text", "mismatched-delimiter"})


def broken(reference: Reference) -> str:
    """Reason, as a sentence, why an entry differs from the file; empty if it is complete."""
    defects = [defect for defect in reference.defects if defect.fatal or defect.code in _CUT_OFF]
    if defects:
        return defects[0].message
    return "the braces of title or authors do not match" if _is_unbalanced(reference) else ""


def _is_unbalanced(reference: Reference) -> bool:
    values = (reference.raw.get("title", ""), reference.raw.get("author", ""))
    return any(value.count("{") != value.count("}") for value in values)


def entry_record(reference: Reference, source: str) -> Record:
    """The record of one entry of a collection that is called ``source``."""
    fields = reference.fields
    identifiers = cited_identifiers(reference)
    title = fields.get("title", "")
    if reference.type in _VOLUMES and not title:
        title = fields.get("booktitle", "")
    authors = name_list(reference.raw.get("author", ""))
    year = year_of(fields.get("year", "")) or year_of(fields.get("date", ""))
    return Record(
        source=source,
        id=reference.key,
        url=identifiers.url,
        title=title,
        subtitle=fields.get("subtitle", "") if title else "",
        authors=authors.names,
        authors_complete=not authors.others,
        editors=name_list(reference.raw.get("editor", "")).names,
        years=(year,) if year else (),
        venues=tuple(dict.fromkeys(fields[name] for name in _VENUES if fields.get(name) and fields[name] != title)),
        type=record_type(reference.type),
        publisher=fields.get("publisher", ""),
        doi=identifiers.doi,
        arxiv=identifiers.arxiv,
        pmid=identifiers.pmid,
        volume=fields.get("volume", ""),
        number=fields.get("number", "") or fields.get("issue", ""),
        pages=fields.get("pages", "").replace("--", "-"),
        isbn=identifiers.isbn,
        issn=identifiers.issn,
        related=tuple((kind, value) for kind in CATALOGUES if (value := getattr(identifiers, kind))),
    )
