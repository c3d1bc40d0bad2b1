"""CRAN: that a package of R exists, its name and title, its authors, its years.

Asked through crandb, the database of all versions of all packages (github.com/r-hub/crandb). Absence: CRAN keeps what it takes
off its list in an archive, and crandb is said to have it: complete, if it shows its witness, a package that CRAN archived in
2023. Packages of Bioconductor and of GitHub are not on CRAN: only who is cited by CRAN's own address can be absent from it.
Limits: none published.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_citecheck.model import Absent, Answer, Found, Question, QuestionKind
from pytest_citecheck.services.base import MalformedAnswerError, Rate, Request, Response, Role, Source, Terms
from pytest_citecheck.services.parsing.json_body import mapping, parse_json, text
from pytest_citecheck.services.parsing.query_url import path_url
from pytest_citecheck.text.patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["CRAN", "Cran"]

_INDEX = "cran:"
_NAME = lazy_pattern(r"[A-Za-z][A-Za-z0-9.]{0,60}[A-Za-z0-9]")
_NEVER_THERE = "neither CRAN nor its archive has a package of this name"


class Cran(Source):
    """CRAN's packages by name (see the module)."""

    name = "cran"
    label = "CRAN"
    base_url = "https://crandb.r-pkg.org"
    documentation = "https://github.com/r-hub/crandb"
    batch: Mapping[QuestionKind, int] = {"package": 1}
    keeps_author_order = True
    rate = Rate(per_second=2.0, concurrency=1)
    limits = "none published; 2 requests a second are used"
    terms = Terms("facts about packages, may be handed on")
    absence = "complete: CRAN keeps what it takes off its list, as its witness shows, which was archived"
    unconfirmed = "all versions of a package in one answer, archived packages among them"
    first_hand = ("identifier",)
    role = Role(looks_up=("package",))
    # Archived on 16 October 2023: who does not have it is no complete source.
    witnesses: Mapping[QuestionKind, Question] = {"package": Question("package", "cran:rgdal")}

    def accepts(self, question: Question) -> bool:
        """Names of packages of R."""
        index, _, name = question.value.partition(":")
        return question.kind == "package" and f"{index}:" == _INDEX and _NAME.fullmatch(name) is not None

    def request(self, questions: Sequence[Question]) -> Request:
        """``NAME/all``."""
        name = questions[0].value.removeprefix(_INDEX)
        return Request(self.name, f"{path_url(self.base_url, name)}/all")

    def parse(self, questions: Sequence[Question], response: Response) -> dict[Question, Answer]:
        """The package. Raises MalformedAnswerError for all but the one asked for and the database's own "missing"."""
        from pytest_citecheck.services.cran.record import parse_package

        body = mapping(parse_json(response.body))
        if response.status == 404 and text(body.get("error")) == "not_found":
            return dict.fromkeys(questions, Absent(_NEVER_THERE))
        record = parse_package(body) if response.status < 300 else None
        if record is None or any(question.value != f"{_INDEX}{record.id}" for question in questions):
            raise MalformedAnswerError(f"crandb's answer with status {response.status} is not the package asked for")
        return dict.fromkeys(questions, Found((record,)))


CRAN = Cran()
