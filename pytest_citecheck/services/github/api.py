"""GitHub: that a repository exists, its name, its description, its owner, its years.

Documentation: "Get a repository" (docs.github.com/en/rest/repos/repos) and "Rate limits for the REST API". GitHub is asked and
not Software Heritage, which archives repositories: both tell without a key that there is one (60 requests an hour here, 120
there), but only GitHub knows its name, its owner and its dates, under which it is cited. A repository that was renamed or given
away is found under its old name (301). CITATION.cff would name authors, but costs a second request of sixty.
Absence: a repository can be deleted or made private, so that GitHub shows none convicts nobody; it is worth a warning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_citecheck.identifiers.projects import repository
from pytest_citecheck.model import Absent, Answer, Found, Question, QuestionKind
from pytest_citecheck.services.base import (
    LARGEST_RECORD,
    Credentials,
    MalformedAnswerError,
    Rate,
    Request,
    Response,
    Role,
    Source,
    Terms,
)
from pytest_citecheck.services.parsing.json_body import mapping, parse_json, text
from pytest_citecheck.services.parsing.query_url import path_url

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["GITHUB", "GitHub"]

_HOST = "github.com/"
_NONE_SHOWN = "GitHub shows no such repository; it may have been deleted or be private"


class GitHub(Source):
    """GitHub's REST API as a source of records (see the module)."""

    name = "github"
    label = "GitHub"
    base_url = "https://api.github.com"
    documentation = "https://docs.github.com/en/rest/repos/repos"
    batch: Mapping[QuestionKind, int] = {"repository": 1}
    keeps_author_order = False
    rate = Rate(per_second=1.0, concurrency=1)
    largest_body = LARGEST_RECORD
    limits = "60 requests an hour without a key, 5,000 with one"
    terms = Terms("facts about repositories, terms unread: keep cassettes private")
    absence = "no evidence: repositories are deleted and made private; it is warned of"
    first_hand = ("identifier",)
    role = Role(looks_up=("repository",))
    # The repository in the examples of the documentation.
    witnesses: Mapping[QuestionKind, Question] = {
        "repository": Question("repository", "github.com/octocat/hello-world")
    }
    credentials = Credentials(
        variable="GITHUB_TOKEN",
        header="authorization",
        scheme="Bearer",
        rate=Rate(per_second=1.0, concurrency=1),
        obtained="https://github.com/settings/tokens",
    )

    def accepts(self, question: Question) -> bool:
        """Repositories of GitHub."""
        named = question.kind == "repository" and question.value.startswith(_HOST)
        return named and repository({"url": question.value}) == question.value

    def request(self, questions: Sequence[Question]) -> Request:
        """``repos/OWNER/NAME``."""
        name = questions[0].value.removeprefix(_HOST)
        return Request(self.name, path_url(f"{self.base_url}/repos", name), accept="application/vnd.github+json")

    def parse(self, questions: Sequence[Question], response: Response) -> dict[Question, Answer]:
        """The repository, perhaps under a new name. Raises MalformedAnswerError for all but that and GitHub's own 404."""
        from pytest_citecheck.services.github.record import parse_repository

        body = mapping(parse_json(response.body))
        if response.status in (404, 410) and text(body.get("message")).casefold() == "not found":
            return dict.fromkeys(questions, Absent(_NONE_SHOWN))
        record = parse_repository(body) if response.status < 300 else None
        if record is None:
            raise MalformedAnswerError(f"GitHub's answer with status {response.status} is no repository")
        return dict.fromkeys(questions, Found((record,)))


GITHUB = GitHub()
