"""One repository as GitHub describes it, as a record.

Source: GitHub REST API, "Get a repository" (docs.github.com/en/rest/repos/repos). The authors of a software are not stated there,
only whose account holds it.
"""

from __future__ import annotations

from pytest_citecheck.model import Person, Record
from pytest_citecheck.services.parsing.json_body import mapping, text, years_between

__all__ = ["parse_repository"]


def parse_repository(repository: object) -> Record | None:
    """The record of one repository; None if it states no name of its own."""
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
