"""One model or data set as the Hugging Face Hub describes it, as a record.

Source: "Hub API Endpoints" (huggingface.co/docs/hub/api). Its authors are not stated there, only whose account holds it.
"""

from __future__ import annotations

from pytest_citecheck.model import Person, Record
from pytest_citecheck.services.parsing.json_body import mapping, text, years_between

__all__ = ["parse_repository"]


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
