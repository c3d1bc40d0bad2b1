"""One project as PyPI describes it, as a record.

Source: "JSON API" (docs.pypi.org/api/json). Authors are one free line, which may name the first of many ("Travis E. Oliphant et
al."), a team, or nobody.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pytest_citecheck.identifiers.projects import pypi_name
from pytest_citecheck.model import Record
from pytest_citecheck.services.parsing.json_body import listing, mapping, text, years_between
from pytest_citecheck.services.parsing.stated_names import stated_name, undivided
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["parse_project"]

_ADDRESSED = lazy_pattern(r'(?<![^"<>,])([^"<>,]{2,80}+)"?(?:\s(?!\s))?+<[^<>]{0,200}+>')
_SEPARATOR = lazy_pattern(r"[,;&]|\band\b")
_OTHERS = lazy_pattern(r"\b(?:et al\.?|and (?:others|contributors)|and many others)$", re.IGNORECASE)


def parse_project(project: object) -> Record | None:
    """The record of one project; None if it states no name."""
    info = mapping(mapping(project).get("info"))
    name = text(info.get("name"))
    if not pypi_name(name):
        return None
    return Record(
        source="pypi",
        id=pypi_name(name),
        url=f"https://pypi.org/project/{pypi_name(name)}/",
        title=name,
        subtitle=text(info.get("summary")),
        authors=tuple(map(undivided, dict.fromkeys(_names(info)))),
        authors_complete=False,
        years=years_between(_dates(mapping(mapping(project).get("releases")))),
        type="project",
        publisher="PyPI",
    )


def _names(info: Any) -> Iterator[str]:
    for field in ("author", "maintainer"):
        addressed = " ".join(text(info.get(f"{field}_email")).split())
        stated = " ".join(text(info.get(field)).split()) or ", ".join(_ADDRESSED.findall(addressed))
        names = _SEPARATOR.split(_OTHERS.sub("", stated))
        yield from filter(None, (stated_name(name.strip()) for name in names))


def _dates(releases: Any) -> Iterator[object]:
    for files in releases.values():
        for file in listing(files):
            yield mapping(file).get("upload_time")
