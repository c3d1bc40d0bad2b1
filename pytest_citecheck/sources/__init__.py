"""The bibliographic services that can be asked, in the order in which their answers are reported."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_citecheck.sources.acl_anthology import ACL_ANTHOLOGY
from pytest_citecheck.sources.arxiv import ARXIV
from pytest_citecheck.sources.crossref import CROSSREF
from pytest_citecheck.sources.datacite import DATACITE
from pytest_citecheck.sources.dblp import DBLP
from pytest_citecheck.sources.dblp_record import DBLP_RECORD
from pytest_citecheck.sources.doi_content import DOI_CONTENT
from pytest_citecheck.sources.doi_org import DOI_ORG, DOI_RA
from pytest_citecheck.sources.europe_pmc import EUROPE_PMC
from pytest_citecheck.sources.open_library import OPEN_LIBRARY
from pytest_citecheck.sources.openalex import OPENALEX
from pytest_citecheck.sources.openreview import OPENREVIEW, OPENREVIEW_V1
from pytest_citecheck.sources.pubmed import PUBMED
from pytest_citecheck.sources.semantic_scholar import SEMANTIC_SCHOLAR
from pytest_citecheck.sources.web_page import WEB_PAGE

if TYPE_CHECKING:
    from pytest_citecheck.sources.base import Source

__all__ = ["SOURCES", "source"]

SOURCES: tuple[Source, ...] = (
    CROSSREF,
    DATACITE,
    DOI_ORG,
    DOI_RA,
    DOI_CONTENT,
    ARXIV,
    DBLP,
    DBLP_RECORD,
    ACL_ANTHOLOGY,
    OPENREVIEW,
    OPENREVIEW_V1,
    OPEN_LIBRARY,
    PUBMED,
    EUROPE_PMC,
    WEB_PAGE,
    OPENALEX,
    SEMANTIC_SCHOLAR,
)
"""Every source, registered. A new service is one new module and one name here."""

_BY_NAME = {registered.name: registered for registered in SOURCES}


def source(name: str) -> Source:
    """The source of that name (``crossref``). Raises KeyError, naming the known ones, if there is none."""
    try:
        return _BY_NAME[name]
    except KeyError:
        raise KeyError(f"no source is named {name!r}; known are {', '.join(_BY_NAME)}") from None
