"""Hugging Face: that a model or a data set exists, its name, its owner, its years.

Documentation: "Hub API Endpoints" (huggingface.co/docs/hub/api). The Hub sends from the old name of a repository to its new one.
Absence: what is private or gone is refused (401) like what never was, so it is no evidence. Limits: about 500 requests in five
minutes for everybody.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_citecheck.matching import repository
from pytest_citecheck.model import Person, Query, QueryKind, Record
from pytest_citecheck.sources.base import Rate, Response, Role, Terms
from pytest_citecheck.sources.by_identifier import ByIdentifier
from pytest_citecheck.sources.parsing import Fields, mapping, path_url, years_between

if TYPE_CHECKING:
    from collections.abc import Mapping


class HuggingFace(ByIdentifier):
    """The Hugging Face Hub as a source of records (see the module)."""

    name = "hugging_face"
    label = "Hugging Face"
    base_url = "https://huggingface.co/api"
    documentation = "https://huggingface.co/docs/hub/api"
    kind: QueryKind = "repository"
    prefix = "huggingface.co/"
    work = "a repository"
    rate = Rate(per_second=1.5, concurrency=1)
    limits = "about 500 requests in five minutes"
    terms = Terms("facts about repositories; terms not reviewed, keep cassettes private")
    absence = "no evidence: private and deleted repositories look like ones that never existed"
    unconfirmed = "the status of a missing repository, and the fields with dates"
    authoritative_for = ("identifier",)
    controls: Mapping[QueryKind, Query] = {
        "repository": Query("repository", "huggingface.co/models/openai-community/gpt2")
    }
    role = Role(looks_up=("repository",))

    def names(self, value: str) -> bool:
        return repository({"url": f"{self.prefix}{value}".replace("/models/", "/", 1)}) == f"{self.prefix}{value}"

    def url(self, value: str) -> str:
        return path_url(self.base_url, value)

    def denies(self, response: Response, body: Fields) -> bool:
        return response.status == 404 and "not found" in body.text("error").casefold()

    def read(self, body: Fields, value: str) -> Record | None:
        return parse_repository(body, value.partition("/")[0])


HUGGING_FACE = HuggingFace()


def parse_repository(repository: object, kind: str) -> Record | None:
    """The record of one repository of this kind (``models`` or ``datasets``); None if it states no name."""
    fields = mapping(repository)
    name = fields.text("id")
    owner, _, last = name.rpartition("/")
    if not last:
        return None
    other = fields.at("cardData").text("pretty_name")
    return Record(
        source="hugging_face",
        id=f"{kind}/{name}",
        url=f"https://huggingface.co/{'datasets/' if kind == 'datasets' else ''}{name}",
        title=last,
        other_titles=tuple(filter(None, (name if owner else "", other))),
        authors=(Person(literal=owner, group=True),) if owner else (),
        authors_complete=False,
        years=years_between((fields.get("createdAt"), fields.get("lastModified"))),
        type="project",
        publisher="Hugging Face",
    )
