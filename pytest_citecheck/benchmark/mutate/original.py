"""The references to mutate: what each must have, and which cannot be used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from pytest_citecheck.identifiers.doi import is_placeholder, normalise_doi
from pytest_citecheck.model import CitedMetadata, Reference
from pytest_citecheck.names.comparison import Name, parse
from pytest_citecheck.readers.cited_metadata import cited_metadata

__all__ = ["Original", "Unfit", "originals"]

_NEEDS_VENUE = frozenset({
    "article", "inproceedings", "conference", "incollection", "book", "phdthesis", "mastersthesis", "thesis",
    "techreport", "report",
})  # fmt: skip
# Fields merged from other entries, notes of reference managers, and other keys of the entry.
_NOT_OF_THE_WORK = frozenset({
    "crossref", "xref", "xdata", "ids", "related", "file", "local-url", "owner", "timestamp", "groups", "mendeley-groups",
    "annote", "annotation", "comment", "review", "readstatus", "priority", "ranking", "date-added", "date-modified",
})  # fmt: skip
_ATTACHED_FILE = "bdsk-file-"


@dataclass(frozen=True, slots=True, eq=False)
class Original:
    """A complete reference that its owner declares correct.

    cited: its cited metadata without the ``url``. fields: BibTeX values as written, with LaTeX; the year has its own field.
    names: the parsed authors. families: their folded family names.
    """

    reference: Reference
    cited: CitedMetadata
    fields: Mapping[str, str]
    names: tuple[Name, ...]
    families: frozenset[str]

    @property
    def key(self) -> str:
        return self.reference.key

    @property
    def year(self) -> int:
        return self.cited.year or 0

    @property
    def doi(self) -> str:
        """The DOI in the field ``doi``, normalised; empty without one."""
        return normalise_doi(self.fields.get("doi", ""))

    @property
    def persons(self) -> bool:
        """Whether all authors are persons."""
        return not any(name.group for name in self.names)


@dataclass(frozen=True, slots=True)
class Unfit:
    """A reference that cannot be used, and why: a clause such as "it has no key"."""

    reference: Reference
    reason: str


def originals(references: Iterable[Reference]) -> tuple[list[Original], list[Unfit]]:
    """The usable references in their order, and the others."""
    fit: list[Original] = []
    unfit: list[Unfit] = []
    seen: set[str] = set()
    for reference in references:
        stated = cited_metadata(_without_address(reference))
        reason = "its key is a duplicate" if reference.key in seen else _reason(stated)
        seen.add(reference.key)
        if reason:
            unfit.append(Unfit(reference, reason))
        else:
            fit.append(_original(reference, stated))
    return fit, unfit


def _reason(stated: CitedMetadata) -> str:
    reference, identifiers = stated.reference, stated.identifiers
    defects = [defect.code for defect in reference.defects if not defect.note]
    if defects:
        return f"it has a defect ({defects[0]})"
    if not reference.key:
        return "it has no key"
    if not stated.title:
        return "it has no title"
    if stated.edited or not stated.people.names:
        return "it has no author"
    if stated.year is None:
        return "it has no year"
    if reference.type in _NEEDS_VENUE and not stated.venue:
        return "it has no venue"
    if identifiers.doi_problem or identifiers.arxiv_problem or identifiers.isbn_problem or identifiers.issn_problem:
        return "one of its identifiers is malformed"
    if is_placeholder(identifiers.doi):
        return "its DOI is a placeholder that is never registered"
    return ""


def _without_address(reference: Reference) -> Reference:
    """The reference without its URL, which often leads to the work; benchmarks hide it from checkers."""
    fields = {name: value for name, value in reference.fields.items() if name != "url"}
    raw = {name: value for name, value in reference.raw.items() if name != "url"}
    return replace(reference, fields=fields, raw=raw)


def _original(reference: Reference, stated: CitedMetadata) -> Original:
    names = tuple(map(parse, stated.people.names))
    written = {**reference.fields, **reference.raw}
    of_the_work = {name: value for name, value in written.items() if _is_of_the_work(name) and value.strip()}
    return Original(
        reference=reference,
        cited=stated,
        fields={"year": str(stated.year), **of_the_work},
        names=names,
        families=frozenset(key for name in names for key in (name.full_key, name.family_key)),
    )


def _is_of_the_work(name: str) -> bool:
    return name not in _NOT_OF_THE_WORK and not name.startswith(_ATTACHED_FILE)
