"""CRAN: that a package of R exists, its name and title, its authors, its years.

Asked through crandb, the database of all versions of all packages (github.com/r-hub/crandb). Absence: CRAN archives the
packages that it removes, and crandb is documented to have them: complete, if it finds its control, a package that CRAN
archived in 2023. Packages of Bioconductor and of GitHub are not on CRAN: only a package cited by CRAN's own address can
be absent from it. Limits: none published.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pytest_citecheck.matching import lazy_pattern
from pytest_citecheck.model import Absent, Person, Query, QueryKind, Record
from pytest_citecheck.sources.base import LARGEST_BODY, Rate, Response, Role, Terms
from pytest_citecheck.sources.by_identifier import ByIdentifier
from pytest_citecheck.sources.parsing import Fields, mapping, path_url, stated_name, undivided, years_between

if TYPE_CHECKING:
    from collections.abc import Mapping

_NAME = lazy_pattern(r"[A-Za-z][A-Za-z0-9.]{0,60}[A-Za-z0-9]")


class Cran(ByIdentifier):
    """CRAN's packages by name (see the module)."""

    name = "cran"
    label = "CRAN"
    base_url = "https://crandb.r-pkg.org"
    documentation = "https://github.com/r-hub/crandb"
    kind: QueryKind = "package"
    prefix = "cran:"
    work = "the package asked for"
    absent = Absent("neither CRAN nor its archive has a package of this name")
    largest_body = LARGEST_BODY  # all versions in one answer
    keeps_author_order = True
    rate = Rate(per_second=2.0, concurrency=1)
    limits = "none published; 2 requests a second are used"
    terms = Terms("facts about packages, may be redistributed")
    absence = "complete: CRAN archives removed packages; its control is an archived one"
    unconfirmed = "all versions of a package in one answer, including archived packages"
    authoritative_for = ("identifier",)
    role = Role(looks_up=("package",))
    # Archived on 2023-10-16: a source without it is not complete.
    controls: Mapping[QueryKind, Query] = {"package": Query("package", "cran:rgdal")}

    def names(self, value: str) -> bool:
        return _NAME.fullmatch(value) is not None

    def url(self, value: str) -> str:
        return f"{path_url(self.base_url, value)}/all"

    def denies(self, response: Response, body: Fields) -> bool:
        return response.status == 404 and body.text("error") == "not_found"

    def read(self, body: Fields, value: str) -> Record | None:
        record = parse_package(body)
        return record if record is not None and record.id == value else None


CRAN = Cran()


_REMARK = lazy_pattern(r"\([^()]*\)|<[^<>]*>")
_PERSON = lazy_pattern(r"(?<![^\[\],])([^\[\],]{2,120}+)\[([a-z, ]{2,60}+)\]")
_SEPARATOR = lazy_pattern(r"[,;&]|\band\b|\bwith contributions (?:from|by)\b")
_LONGEST = 20_000
_MOST_REMARKS = 3  # one in another


def parse_package(package: object) -> Record | None:
    """The record of one package; None if it states no name or no version."""
    fields = mapping(package)
    name, latest = fields.text("name"), fields.text("latest")
    versions = fields.at("versions")
    described = versions.at(latest) or mapping(next(reversed(list(versions.values())), None))
    if not name or not described:
        return None
    dates = (*fields.at("timeline").values(), *(mapping(one).get("date") for one in versions.values()))
    return Record(
        source="cran",
        id=name,
        url=f"https://CRAN.R-project.org/package={name}",
        title=name,
        subtitle=" ".join(described.text("Title").split()),
        authors=tuple(dict.fromkeys(_people(described))),
        authors_complete=False,
        years=years_between(dates),
        type="project",
        publisher="CRAN",
    )


def _people(described: Any) -> Iterator[Person]:
    """Those with the role of an author, or all where no roles are stated."""
    stated = " ".join(described.text("Author").split())[:_LONGEST]
    for _ in range(_MOST_REMARKS):
        stated = _REMARK.sub("", stated)
    with_roles = _PERSON.findall(stated)
    if with_roles:
        names = [name.strip() for name, roles in with_roles if "aut" in roles.replace(",", " ").split()]
    else:
        names = [name.strip() for name in _SEPARATOR.split(stated)]
    yield from map(undivided, filter(None, map(stated_name, names)))
