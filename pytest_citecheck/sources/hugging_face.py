"""Hugging Face: that a model or a data set exists, its name, its owner, its years.

Documentation: "Hub API Endpoints" (huggingface.co/docs/hub/api). The Hub sends from the old name of a repository to its new one.
Absence: what is private or gone is refused (401) like what never was, so it is no evidence. Limits: about 500 requests in five
minutes for everybody.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_citecheck.matching import repository
from pytest_citecheck.model import Absent, Answer, Found, Person, Query, QueryKind, Record
from pytest_citecheck.sources.base import (
    LARGEST_RECORD,
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

_HOST = "huggingface.co/"


class HuggingFace(Source):
    """The Hugging Face Hub as a source of records (see the module)."""

    name = "hugging_face"
    label = "Hugging Face"
    base_url = "https://huggingface.co/api"
    documentation = "https://huggingface.co/docs/hub/api"
    batch: Mapping[QueryKind, int] = {"repository": 1}
    keeps_author_order = False
    rate = Rate(per_second=1.5, concurrency=1)
    largest_body = LARGEST_RECORD
    limits = "about 500 requests in five minutes"
    terms = Terms("facts about repositories; terms not reviewed, keep cassettes private")
    absence = "no evidence: private and deleted repositories look like ones that never existed"
    unconfirmed = "the status of a missing repository, and the fields with dates"
    authoritative_for = ("identifier",)
    controls: Mapping[QueryKind, Query] = {
        "repository": Query("repository", "huggingface.co/models/openai-community/gpt2")
    }
    role = Role(looks_up=("repository",))

    def accepts(self, query: Query) -> bool:
        """Models and data sets of the Hub."""
        if query.kind != "repository" or not query.value.startswith(_HOST):
            return False
        return repository({"url": query.value.replace("/models/", "/", 1)}) == query.value

    def request(self, queries: Sequence[Query]) -> Request:
        """``models/OWNER/NAME`` or ``datasets/OWNER/NAME``."""
        return Request(self.name, path_url(self.base_url, queries[0].value.removeprefix(_HOST)))

    def parse(self, queries: Sequence[Query], response: Response) -> dict[Query, Answer]:
        """The repository, perhaps under a new name. Raises MalformedAnswerError for all but that and the Hub's own 404."""

        body = mapping(parse_json(response.body))
        if response.status == 404 and "not found" in text(body.get("error")).casefold():
            return dict.fromkeys(queries, Absent())
        kind = queries[0].value.removeprefix(_HOST).partition("/")[0]
        record = parse_repository(body, kind) if response.status < 300 else None
        if record is None:
            raise MalformedAnswerError(f"Hugging Face's answer with status {response.status} is no repository")
        return dict.fromkeys(queries, Found((record,)))


HUGGING_FACE = HuggingFace()


# One model or data set as the Hugging Face Hub describes it, as a record.


def parse_repository(repository: object, kind: str) -> Record | None:
    """The record of one repository of this kind (``models`` or ``datasets``); None if it states no name."""
    fields = mapping(repository)
    name = text(fields.get("id"))
    owner, _, last = name.rpartition("/")
    if not last:
        return None
    other = text(mapping(fields.get("cardData")).get("pretty_name"))
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
