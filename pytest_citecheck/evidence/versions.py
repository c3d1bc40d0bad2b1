"""The versions of an e-print: which of them were seen, and which is nearest to the citation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_citecheck.evidence.relations import Candidate
from pytest_citecheck.model import CitedMetadata, Evidence, Found, Query


def versions_seen(evidence: Evidence, arxiv: str) -> frozenset[int]:
    """The numbers of the versions of the e-print with this id that were shown."""
    return frozenset(version for version, _ in _shown(evidence, arxiv))


def all_versions_seen(evidence: Evidence, arxiv: str) -> bool:
    """Return True if every version of this e-print was shown, and that the last of them is the latest (queried without a
    version)."""
    shown = list(_shown(evidence, arxiv))
    latest = max((version for version, query in shown if query.value != f"{arxiv}v{version}"), default=0)
    return latest > 0 and {version for version, _ in shown}.issuperset(range(1, latest + 1))


def unseen_version_may_be_meant(metadata: CitedMetadata, evidence: Evidence, arxiv: str) -> bool:
    """Return True if a version of this e-print without a record may be the cited one; a cited version number is
    trusted."""
    cited = metadata.identifiers.arxiv_version if metadata.identifiers.arxiv == arxiv else None
    return cited not in versions_seen(evidence, arxiv) and not all_versions_seen(evidence, arxiv)


def _shown(evidence: Evidence, arxiv: str) -> Iterator[tuple[int, Query]]:
    """Versions of an e-print in the answers, with their queries."""
    for asked in evidence.asked:
        if isinstance(asked.answer, Found):
            for record in asked.answer.records:
                if record.version is not None and record.arxiv == arxiv:
                    yield record.version, asked.query


def nearest_version(candidates: Sequence[Candidate]) -> Candidate:
    """The first candidate, or that version of the same e-print whose people and title are nearest the cited ones."""
    first = candidates[0]
    if first.record.version is None:
        return first
    name = (first.record.source, first.record.id)
    versions = [candidate for candidate in candidates if (candidate.record.source, candidate.record.id) == name]
    return max(versions, key=_nearness)


def newest_version(metadata: CitedMetadata, found: Candidate, candidates: Sequence[Candidate]) -> Candidate:
    """The newest version of an e-print that was found, of those seen; the found one itself if the citation names a version."""
    if found.record.version is None or metadata.identifiers.arxiv_version is not None:
        return found
    name = (found.record.source, found.record.id)
    versions = [candidate for candidate in candidates if (candidate.record.source, candidate.record.id) == name]
    return max(versions, key=lambda candidate: candidate.record.version or 0, default=found)


def _nearness(candidate: Candidate) -> tuple[bool, bool, float]:
    # The title distance of a work by other people means nothing.
    related = candidate.same_people or candidate.title.relation != "different"
    similarity = candidate.title.similarity if related else 0.0
    return candidate.same_people, candidate.title.only_function_words, similarity
