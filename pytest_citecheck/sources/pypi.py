"""PyPI: existence, name, summary and years of a Python package.

Documentation: docs.pypi.org/api/json. Absence: the owners of a project can delete it, and PyPI then answers as if it
had never existed, so an absence is only a warning, since few cited projects are deleted. Limits: none published; the
pages are kept by a content delivery network.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pytest_citecheck.matching import lazy_pattern, pypi_name
from pytest_citecheck.model import Absent, Query, QueryKind, Record
from pytest_citecheck.sources.base import LARGEST_BODY, Rate, Response, Role, Terms
from pytest_citecheck.sources.by_identifier import ByIdentifier
from pytest_citecheck.sources.parsing import Fields, listing, mapping, path_url, stated_name, undivided, years_between

if TYPE_CHECKING:
    from collections.abc import Mapping


class PyPI(ByIdentifier):
    """PyPI's JSON API as a source of records (see the module)."""

    name = "pypi"
    label = "PyPI"
    base_url = "https://pypi.org"
    documentation = "https://docs.pypi.org/api/json/"
    kind: QueryKind = "package"
    prefix = "pypi:"
    work = "the project asked for"
    absent = Absent("PyPI lists no project of this name; its owners may have deleted it")
    largest_body = LARGEST_BODY  # all releases in one answer
    rate = Rate(per_second=5.0, concurrency=2)
    limits = "none published; 5 requests a second are used"
    terms = Terms("facts about packages, may be redistributed")
    absence = "no evidence: owners delete projects, so a missing one is a warning"
    authoritative_for = ("identifier",)
    role = Role(looks_up=("package",))
    # The example of the Python Packaging User Guide.
    controls: Mapping[QueryKind, Query] = {"package": Query("package", "pypi:sampleproject")}

    def names(self, value: str) -> bool:
        return value != "" and pypi_name(value) == value

    def url(self, value: str) -> str:
        return f"{path_url(f'{self.base_url}/pypi', value)}/json"

    def denies(self, response: Response, body: Fields) -> bool:
        return response.status == 404 and body.text("message").casefold() == "not found"

    def read(self, body: Fields, value: str) -> Record | None:
        record = parse_project(body)
        return record if record is not None and record.id == value else None


PYPI = PyPI()


_ADDRESSED = lazy_pattern(r'(?<![^"<>,])([^"<>,]{2,80}+)"?(?:\s(?!\s))?+<[^<>]{0,200}+>')
_SEPARATOR = lazy_pattern(r"[,;&]|\band\b")
_OTHERS = lazy_pattern(r"\b(?:et al\.?|and (?:others|contributors)|and many others)$", re.IGNORECASE)


def parse_project(project: object) -> Record | None:
    """The record of one project; None if it states no name."""
    info = mapping(project).at("info")
    name = info.text("name")
    if not pypi_name(name):
        return None
    return Record(
        source="pypi",
        id=pypi_name(name),
        url=f"https://pypi.org/project/{pypi_name(name)}/",
        title=name,
        subtitle=info.text("summary"),
        authors=tuple(map(undivided, dict.fromkeys(_names(info)))),
        authors_complete=False,
        years=years_between(_dates(mapping(project).at("releases"))),
        type="project",
        publisher="PyPI",
    )


def _names(info: Any) -> Iterator[str]:
    for field in ("author", "maintainer"):
        addressed = " ".join(info.text(f"{field}_email").split())
        stated = " ".join(info.text(field).split()) or ", ".join(_ADDRESSED.findall(addressed))
        names = _SEPARATOR.split(_OTHERS.sub("", stated))
        yield from filter(None, (stated_name(name.strip()) for name in names))


def _dates(releases: Any) -> Iterator[object]:
    for files in releases.values():
        for file in listing(files):
            yield mapping(file).get("upload_time")
