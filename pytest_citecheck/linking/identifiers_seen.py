"""Which of the cited identifiers some source has seen.

An identifier is seen if its registry, agency or an index answered that it exists, or if a record of the work states it. A record
also states what follows from what it states: arXiv's DOIs are made from its ids ("arXiv identifier", 10.48550), and the ACL
Anthology's from its keys.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pytest_citecheck.model import CitedMetadata, Evidence, Found, Record

__all__ = ["registered", "unseen_identifiers"]

_ARXIV = "10.48550/arxiv."
_ACL = ("10.18653/v1/", "10.3115/v1/")
_OWN_KEYS = frozenset({"openreview", "dblp", "pmcid", "hal", "nnt"})


def registered(evidence: Evidence, kind: str, value: str) -> bool:
    """Whether a source answered that this identifier exists."""
    return any(
        asked.question.kind == kind and asked.question.value == value and isinstance(asked.answer, Found)
        for asked in evidence.asked
    )


def unseen_identifiers(
    metadata: CitedMetadata, evidence: Evidence, records: Iterable[Record]
) -> tuple[tuple[str, str], ...]:
    """Kind (``doi``, ``arxiv``) and value of each cited identifier that nothing shows. records: those of the work."""
    named = (("doi", metadata.identifiers.doi), ("arxiv", metadata.identifiers.arxiv))
    cited = [(kind, value) for kind, value in named if value and not registered(evidence, kind, value)]
    if not cited:
        return ()
    stated = {name for record in records for name in _of_record(record)}
    return tuple((kind, value) for kind, value in cited if value.lower() not in stated)


def _of_record(record: Record) -> Iterator[str]:
    names = [record.doi, record.arxiv]
    for relation, name in record.related:
        if relation == "acl":
            names += (prefix + name for prefix in _ACL)
        elif relation not in _OWN_KEYS:
            names.append(name)
    for name in (name.lower() for name in names if name):
        yield name
        yield name.removeprefix(_ARXIV) if name.startswith(_ARXIV) else _ARXIV + name
