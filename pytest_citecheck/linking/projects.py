"""Records of projects (packages, repositories, models) beside citations of them.

A project is cited under many titles ("The NumPy library", "scikit-learn: Machine Learning in Python"), by its team, by who
maintains it or by who wrote its paper, and with the year of any version. So its record shows that it exists and what it is
called; it may confirm people, and contradicts nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pytest_citecheck.model import CitedMetadata, Record
from pytest_citecheck.names.lists import AuthorComparison
from pytest_citecheck.text.normal_form import words
from pytest_citecheck.titles.comparison import TitleComparison, compare_titles

if TYPE_CHECKING:
    from pytest_citecheck.linking.candidates import Candidate

__all__ = ["is_project", "names_project", "of_project", "outranked"]

_OTHERS_SAY = "the record of a project names who holds it, not everybody who wrote it"


def is_project(record: Record) -> bool:
    """Whether a record is of a project."""
    return record.type == "project"


def names_project(title: str, record: Record) -> TitleComparison:
    """How a cited title relates to a project: ``same`` if it names the project, or is its description."""
    described = (f"{record.title}: {record.subtitle}", record.subtitle) if record.subtitle else ()
    compared = compare_titles(title, record.title, "", (*record.other_titles, *described))
    if compared.relation in ("same", "short") or not _holds(words(title), _key(record.title)):
        return compared
    return TitleComparison("same", 1.0, (), record.title)


def _holds(cited: Sequence[str], name: str) -> bool:
    """Whether some words of a title that follow each other are this name, however it is parted."""
    if not name:
        return False
    for first in range(len(cited)):
        run = ""
        for word in cited[first:]:
            run += word
            if run == name:
                return True
            if len(run) >= len(name):
                break
    return False


def _key(name: str) -> str:
    return "".join(words(name))


def of_project(compared: AuthorComparison) -> AuthorComparison:
    """What a comparison of people says where the record is of a project: nothing against the citation.

    Contributors come and go, so that all who are cited may be some of those of the record.
    """
    if compared.code == "authors-truncated":
        return AuthorComparison("", "", compared.pairs)
    return AuthorComparison("", "", abstain=True, reason=_OTHERS_SAY) if compared.code else compared


def outranked(cited: CitedMetadata, found: Sequence[Candidate]) -> bool:
    """Whether other records show which work is meant, so that a project only stands beside it.

    Who cites the paper about a software gives the address of its repository as well.
    """
    return any(
        candidate.relation in ("work", "near", "target")
        or (candidate.relation == "similar" and candidate.title.relation == "near" and bool(cited.people.names))
        for candidate in found
        if not is_project(candidate.record)
    )
