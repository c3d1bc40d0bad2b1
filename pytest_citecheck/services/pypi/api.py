"""PyPI: that a package of Python exists, its name and summary, its years.

Documentation: docs.pypi.org/api/json. Absence: the owners of a project can delete it, and PyPI then answers as if it had never
been, so it convicts nobody; as few projects that are cited go, it is worth a warning. Limits: none published; the pages are
kept by a content delivery network.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_citecheck.identifiers.projects import pypi_name
from pytest_citecheck.model import Absent, Answer, Found, Question, QuestionKind
from pytest_citecheck.services.base import MalformedAnswerError, Rate, Request, Response, Role, Source, Terms
from pytest_citecheck.services.parsing.json_body import mapping, parse_json, text
from pytest_citecheck.services.parsing.query_url import path_url

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["PYPI", "PyPI"]

_INDEX = "pypi:"
_NONE_LISTED = "PyPI lists no project of this name; its owners may have deleted it"


class PyPI(Source):
    """PyPI's JSON API as a source of records (see the module)."""

    name = "pypi"
    label = "PyPI"
    base_url = "https://pypi.org"
    documentation = "https://docs.pypi.org/api/json/"
    batch: Mapping[QuestionKind, int] = {"package": 1}
    keeps_author_order = False
    rate = Rate(per_second=5.0, concurrency=2)
    limits = "none published; 5 requests a second are used"
    terms = Terms("facts about packages, may be handed on")
    absence = "no evidence: owners delete projects; it is warned of"
    first_hand = ("identifier",)
    role = Role(looks_up=("package",))
    # The example of the Python Packaging User Guide.
    witnesses: Mapping[QuestionKind, Question] = {"package": Question("package", "pypi:sampleproject")}

    def accepts(self, question: Question) -> bool:
        """Names of PyPI in their normal form."""
        index, _, name = question.value.partition(":")
        return question.kind == "package" and f"{index}:" == _INDEX and name != "" and pypi_name(name) == name

    def request(self, questions: Sequence[Question]) -> Request:
        """``pypi/NAME/json``."""
        name = questions[0].value.removeprefix(_INDEX)
        return Request(self.name, f"{path_url(f'{self.base_url}/pypi', name)}/json")

    def parse(self, questions: Sequence[Question], response: Response) -> dict[Question, Answer]:
        """The project. Raises MalformedAnswerError for all but the one asked for and PyPI's own 404."""
        from pytest_citecheck.services.pypi.record import parse_project

        body = mapping(parse_json(response.body))
        if response.status == 404 and text(body.get("message")).casefold() == "not found":
            return dict.fromkeys(questions, Absent(_NONE_LISTED))
        record = parse_project(body) if response.status < 300 else None
        if record is None or any(question.value != f"{_INDEX}{record.id}" for question in questions):
            raise MalformedAnswerError(f"PyPI's answer with status {response.status} is not the project asked for")
        return dict.fromkeys(questions, Found((record,)))


PYPI = PyPI()
