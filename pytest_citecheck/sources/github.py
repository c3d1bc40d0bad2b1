"""GitHub: existence, name, description, owner and years of a repository.

Documentation: "Get a repository" (docs.github.com/en/rest/repos/repos) and "Rate limits for the REST API". GitHub is
queried instead of Software Heritage, which archives repositories: both show without a key that a repository exists (60
requests an hour here, 120 there), but only GitHub has the name, the owner and the dates that citations state. A
repository that was renamed or transferred is found under its old name (301). CITATION.cff would name authors, but costs
a second request of sixty. Absence: a repository can be deleted or made private, so an absence is only a warning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_citecheck.matching import repository
from pytest_citecheck.model import Absent, Answer, Found, Person, Query, QueryKind, Record
from pytest_citecheck.sources.base import (
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
from pytest_citecheck.sources.parsing import mapping, parse_json, path_url, text, years_between

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_HOST = "github.com/"
_NONE_SHOWN = "GitHub shows no such repository; it may have been deleted or be private"


class GitHub(Source):
    """GitHub's REST API as a source of records (see the module)."""

    name = "github"
    label = "GitHub"
    base_url = "https://api.github.com"
    documentation = "https://docs.github.com/en/rest/repos/repos"
    batch: Mapping[QueryKind, int] = {"repository": 1}
    keeps_author_order = False
    rate = Rate(per_second=1.0, concurrency=1)
    largest_body = LARGEST_RECORD
    limits = "60 requests an hour without a key, 5,000 with one"
    terms = Terms("facts about repositories; terms not reviewed, keep cassettes private")
    absence = "no evidence: repositories are deleted and made private, so a missing one is a warning"
    authoritative_for = ("identifier",)
    role = Role(looks_up=("repository",))
    # The repository in the examples of the documentation.
    controls: Mapping[QueryKind, Query] = {"repository": Query("repository", "github.com/octocat/hello-world")}
    credentials = Credentials(
        variable="GITHUB_TOKEN",
        header="authorization",
        scheme="Bearer",
        rate=Rate(per_second=1.0, concurrency=1),
        obtained="https://github.com/settings/tokens",
    )

    def accepts(self, query: Query) -> bool:
        """Repositories of GitHub."""
        named = query.kind == "repository" and query.value.startswith(_HOST)
        return named and repository({"url": query.value}) == query.value

    def request(self, queries: Sequence[Query]) -> Request:
        """``repos/OWNER/NAME``."""
        name = queries[0].value.removeprefix(_HOST)
        return Request(self.name, path_url(f"{self.base_url}/repos", name), accept="application/vnd.github+json")

    def parse(self, queries: Sequence[Query], response: Response) -> dict[Query, Answer]:
        """The repository, perhaps under a new name. Raises MalformedAnswerError for all but that and GitHub's own 404."""

        body = mapping(parse_json(response.body))
        if response.status in (404, 410) and text(body.get("message")).casefold() == "not found":
            return dict.fromkeys(queries, Absent(_NONE_SHOWN))
        record = parse_repository(body) if response.status < 300 else None
        if record is None:
            raise MalformedAnswerError(f"GitHub's answer with status {response.status} is no repository")
        return dict.fromkeys(queries, Found((record,)))


GITHUB = GitHub()


# One repository as GitHub describes it, as a record.


def parse_repository(repository: object) -> Record | None:
    """Return the record of one repository; None if it states no name."""
    fields = mapping(repository)
    full_name, name = text(fields.get("full_name")), text(fields.get("name"))
    owner = mapping(fields.get("owner"))
    login = text(owner.get("login"))
    if not name or full_name != f"{login}/{name}":
        return None
    return Record(
        source="github",
        id=full_name,
        url=f"https://github.com/{full_name}",
        title=name,
        subtitle=text(fields.get("description")),
        other_titles=(full_name,),
        authors=(Person(literal=login, group=text(owner.get("type")) == "Organization"),),
        authors_complete=False,
        years=years_between((fields.get("created_at"), fields.get("pushed_at"))),
        type="project",
        publisher="GitHub",
    )
