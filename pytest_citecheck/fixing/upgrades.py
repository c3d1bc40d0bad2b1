"""A preprint that has been published, cited as published."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_citecheck.fixing.entry_edits import TYPE
from pytest_citecheck.model import Finding, Record, Reference
from pytest_citecheck.venues.wording import worded_as
from pytest_citecheck.verdict.evaluation import Evaluation

__all__ = ["published_version"]

_FIELDS = {"article": "journal", "inproceedings": "booktitle"}
"""Types of records, and the field that names what contains them."""
_VENUES = ("journal", "journaltitle", "booktitle", "howpublished")
_OF_THE_PREPRINT = ("number", "volume", "pages", "publisher", "institution")


def published_version(evaluation: Evaluation) -> tuple[Finding, Mapping[str, str]] | None:
    """The finding that a preprint has been published, and the fields of its publication; None if it says nothing of the kind."""
    finding = evaluation.findings["venue"]
    if finding.code != "venue-preprint-published":
        return None
    published = (work.record for work in evaluation.case.works if not work.preprint and not work.record.compiled)
    usable = (one for one in published if one.type in _FIELDS and one.years and one.venues)
    record = next(usable, None)
    return (finding, _as_published(evaluation.case.reference, record)) if record is not None else None


def _as_published(reference: Reference, record: Record) -> dict[str, str]:
    fields = reference.fields
    name = _FIELDS[record.type]
    if name == "journal" and "journaltitle" in fields:
        name = "journaltitle"
    fixes: dict[str, str] = {} if reference.type == record.type else {TYPE: record.type}
    fixes |= {field: "" for field in (*_VENUES, *_OF_THE_PREPRINT) if field in fields and field != name}
    fixes[name] = worded_as("", record.venues, record.years[0])
    fixes |= {part: str(getattr(record, part)) for part in ("volume", "number", "pages") if getattr(record, part)}
    year = "year" if "year" in fields or "date" not in fields else "date"
    if str(record.years[0]) != fields.get(year):
        fixes[year] = str(record.years[0])
    if record.doi and not record.doi.startswith("10.48550/"):
        fixes["doi"] = record.doi
    return fixes
