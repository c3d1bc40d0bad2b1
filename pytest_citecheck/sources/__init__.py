"""The bibliographic services that can be asked, in the order in which their answers are reported."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_citecheck.sources.arxiv import ARXIV
from pytest_citecheck.sources.crossref import CROSSREF
from pytest_citecheck.sources.datacite import DATACITE
from pytest_citecheck.sources.dblp import DBLP
from pytest_citecheck.sources.doi_org import DOI_ORG, DOI_RA

if TYPE_CHECKING:
    from pytest_citecheck.sources.base import Source

__all__ = ["SOURCES", "source"]

SOURCES: tuple[Source, ...] = (CROSSREF, DATACITE, DOI_ORG, DOI_RA, ARXIV, DBLP)
"""Every source, registered. A new service is one new module and one name here."""

_BY_NAME = {registered.name: registered for registered in SOURCES}


def source(name: str) -> Source:
    """The source of that name (``crossref``). Raises KeyError, naming the known ones, if there is none."""
    try:
        return _BY_NAME[name]
    except KeyError:
        raise KeyError(f"no source is named {name!r}; known are {', '.join(_BY_NAME)}") from None
