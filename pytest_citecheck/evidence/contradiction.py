"""Who may contradict a citation: the kind of evidence that records are against it.

A record contradicts a citation only if it is the registration agency's record of the cited identifier, or if two records of
independent origin do. Everything else is a single record, however many copies of it there are. All checks ask
`kind_of_evidence`; the table of levels (`pytest_citecheck.checks.levels`) turns the kind into an error, a warning or a hint.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from pytest_citecheck.evidence.provenance import Field, is_registry, joined, origins_of, upstream
from pytest_citecheck.evidence.relations import Candidate
from pytest_citecheck.matching import lazy_pattern
from pytest_citecheck.model import CitedMetadata, EvidenceKind

REGISTRIES: Final[Mapping[str, frozenset[str]]] = MappingProxyType({
    "doi": frozenset({"crossref", "datacite", "doicontent"}),
    "arxiv": frozenset({"arxiv"}),
    "openreview": frozenset({"openreview", "openreviewv1"}),
    "acl": frozenset({"acl"}),
    "dblp": frozenset({"dblpsparql"}),
    "pmid": frozenset({"pubmed"}),
    "pmcid": frozenset({"pubmed"}),
    "hal": frozenset({"hal"}),
    "nnt": frozenset({"thesesfr"}),
    "rfc": frozenset({"rfceditor"}),
    "w3c": frozenset({"w3c"}),
})  # fmt: skip
"""Upstreams that assign identifiers of a kind, and describe the works behind them. Any other source that states such an
identifier has copied it."""

_PAGE: Final = lazy_pattern(r"https?://(?:www\.|papers\.|dx\.)?([^/?#]+)([^#]*)")
_NO_PAGES: Final = frozenset({"dblp.org", "doi.org"})
"""Hosts of addresses that lead to the record itself, or to wherever a DOI leads: they do not show what was copied."""
_FORUM: Final = re.compile(r"(?:forum|pdf)\?id=([\w-]+)")


def kind_of_evidence(cited: CitedMetadata, against: Sequence[Candidate], field: Field) -> EvidenceKind:
    """Return the kind of evidence of records that contradict a field of a citation.

    A preprint is no registry record of a publication: its title, people and year may differ.
    """
    first_hand = [one for one in against if not one.record.compiled]
    if any(_is_of_registry(cited, one, field) for one in first_hand):
        return "registry"
    if not first_hand:
        return "compiled record"
    return "two records" if independent_records(first_hand) > 1 else "single record"


def _is_of_registry(cited: CitedMetadata, one: Candidate, field: Field) -> bool:
    keepers = REGISTRIES.get(one.matched_identifier, frozenset())
    meant = cited.preprint or not one.preprint or field in ("identifier", "title")
    return meant and upstream(one.upstream) in keepers and is_registry(one.record.source, field)


def independent_records(records: Iterable[Candidate]) -> int:
    """Return the number of independent origins of records.

    The origin follows the data: records of sources that copy from each other, and records that name the same page (an
    OpenReview forum, a page of the proceedings), are one.
    """
    known = [(upstream(one.upstream), _page(one.record.url)) for one in records]
    origins = origins_of({name for name, _ in known})
    return len(joined(origins[name] | ({page} if page else set()) for name, page in known if name in origins))


def _page(url: str) -> str:
    """The page that a record was taken from, in one form for all addresses of it; empty if it names none."""
    found = _PAGE.match(url)
    if found is None or found[1] in _NO_PAGES:
        return ""
    forum = _FORUM.search(found[2])
    return (
        f"{found[1]} {forum[1]}"
        if forum
        else f"{found[1]}{re.sub(r'(?:-abstract)?[.]html?$|[.]pdf$|/$', '', found[2])}"
    )
