"""One package as CRAN describes it in all its versions, as a record.

Source: the README of crandb (github.com/r-hub/crandb) and "Writing R Extensions", section 1.1.1, "The DESCRIPTION file", on the
field ``Author``: names with their roles in brackets (``aut``: who may be cited) and remarks in parentheses.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pytest_citecheck.model import Person, Record
from pytest_citecheck.services.parsing.json_body import mapping, text, years_between
from pytest_citecheck.services.parsing.stated_names import stated_name, undivided
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["parse_package"]

_REMARK = lazy_pattern(r"\([^()]*\)|<[^<>]*>")
_PERSON = lazy_pattern(r"(?<![^\[\],])([^\[\],]{2,120}+)\[([a-z, ]{2,60}+)\]")
_SEPARATOR = lazy_pattern(r"[,;&]|\band\b|\bwith contributions (?:from|by)\b")
_LONGEST = 20_000
_MOST_REMARKS = 3  # one in another


def parse_package(package: object) -> Record | None:
    """The record of one package; None if it states no name or no version."""
    fields = mapping(package)
    name, latest = text(fields.get("name")), text(fields.get("latest"))
    versions = mapping(fields.get("versions"))
    described = mapping(versions.get(latest)) or mapping(next(reversed(list(versions.values())), None))
    if not name or not described:
        return None
    dates = (*mapping(fields.get("timeline")).values(), *(mapping(one).get("date") for one in versions.values()))
    return Record(
        source="cran",
        id=name,
        url=f"https://CRAN.R-project.org/package={name}",
        title=name,
        subtitle=" ".join(text(described.get("Title")).split()),
        authors=tuple(dict.fromkeys(_people(described))),
        authors_complete=False,
        years=years_between(dates),
        type="project",
        publisher="CRAN",
    )


def _people(described: Any) -> Iterator[Person]:
    """Those with the role of an author, or all where no roles are stated."""
    stated = " ".join(text(described.get("Author")).split())[:_LONGEST]
    for _ in range(_MOST_REMARKS):
        stated = _REMARK.sub("", stated)
    with_roles = _PERSON.findall(stated)
    if with_roles:
        names = [name.strip() for name, roles in with_roles if "aut" in roles.replace(",", " ").split()]
    else:
        names = [name.strip() for name in _SEPARATOR.split(stated)]
    yield from map(undivided, filter(None, map(stated_name, names)))
