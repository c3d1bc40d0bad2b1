"""The versions of an e-print: which of them were seen, and which is nearest to the citation.

arXiv numbers versions from 1 and shows the latest unless another is asked for; each has a title and authors of its own
(info.arxiv.org/help/replace.html, info.arxiv.org/help/api/user-manual.html, "A Note on Article Versions").
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_citecheck.matching.works import Candidate

__all__ = ["all_versions", "nearest_version", "versions_seen"]


def versions_seen(candidates: Iterable[Candidate], arxiv: str) -> frozenset[int]:
    """The numbers of the versions of the e-print with this id that were shown."""
    return frozenset(
        candidate.record.version
        for candidate in candidates
        if candidate.record.version is not None and candidate.record.arxiv == arxiv
    )


def all_versions(seen: frozenset[int]) -> bool:
    """Whether these are all versions of an e-print; the latest is among them, as arXiv shows it to whoever asks for none."""
    return bool(seen) and len(seen) == max(seen)


def nearest_version(candidates: Sequence[Candidate]) -> Candidate:
    """The first candidate, or that version of the same e-print whose people and title are nearest the cited ones."""
    first = candidates[0]
    if first.record.version is None:
        return first
    name = (first.record.source, first.record.id)
    versions = [candidate for candidate in candidates if (candidate.record.source, candidate.record.id) == name]
    return max(versions, key=_nearness)


def _nearness(candidate: Candidate) -> tuple[bool, bool, float]:
    return candidate.same_people, candidate.title.only_function_words, candidate.title.similarity
