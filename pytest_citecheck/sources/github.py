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
from pytest_citecheck.model import Absent, Person, Query, QueryKind, Record
from pytest_citecheck.sources.base import Credentials, Rate, Response, Role, Terms
from pytest_citecheck.sources.by_identifier import ByIdentifier
from pytest_citecheck.sources.parsing import Fields, mapping, path_url, years_between

if TYPE_CHECKING:
    from collections.abc import Mapping


class GitHub(ByIdentifier):
    """GitHub's REST API as a source of records (see the module)."""

    name = "github"
    label = "GitHub"
    base_url = "https://api.github.com"
    documentation = "https://docs.github.com/en/rest/repos/repos"
    kind: QueryKind = "repository"
    prefix = "github.com/"
    work = "a repository"
    absent = Absent("GitHub shows no such repository; it may have been deleted or be private")
    accept = "application/vnd.github+json"
    rate = Rate(per_second=1.0, concurrency=1)
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

    def names(self, value: str) -> bool:
        return repository({"url": f"{self.prefix}{value}"}) == f"{self.prefix}{value}"

    def url(self, value: str) -> str:
        return path_url(f"{self.base_url}/repos", value)

    def denies(self, response: Response, body: Fields) -> bool:
        return response.status in (404, 410) and body.text("message").casefold() == "not found"

    def read(self, body: Fields, value: str) -> Record | None:  # noqa: ARG002 - it may have a new name
        return parse_repository(body)


GITHUB = GitHub()


def parse_repository(repository: object) -> Record | None:
    """Return the record of one repository; None if it states no name."""
    fields = mapping(repository)
    full_name, name = fields.text("full_name"), fields.text("name")
    owner = fields.at("owner")
    login = owner.text("login")
    if not name or full_name != f"{login}/{name}":
        return None
    return Record(
        source="github",
        id=full_name,
        url=f"https://github.com/{full_name}",
        title=name,
        subtitle=fields.text("description"),
        other_titles=(full_name,),
        authors=(Person(literal=login, group=owner.text("type") == "Organization"),),
        authors_complete=False,
        years=years_between((fields.get("created_at"), fields.get("pushed_at"))),
        type="project",
        publisher="GitHub",
    )
