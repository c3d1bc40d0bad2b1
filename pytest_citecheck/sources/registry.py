"""The bibliographic services that can be asked, in the order in which their answers are reported."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from pytest_citecheck.evidence import declare
from pytest_citecheck.sources.acl_anthology import ACL_ANTHOLOGY
from pytest_citecheck.sources.ads import ADS
from pytest_citecheck.sources.arxiv import ARXIV
from pytest_citecheck.sources.biorxiv import BIORXIV
from pytest_citecheck.sources.cran import CRAN
from pytest_citecheck.sources.crossref import CROSSREF, CROSSREF_ISBN
from pytest_citecheck.sources.datacite import DATACITE
from pytest_citecheck.sources.dblp_sparql import DBLP_SPARQL
from pytest_citecheck.sources.doi_content import DOI_CONTENT
from pytest_citecheck.sources.doi_org import DOI_ORG, DOI_RA
from pytest_citecheck.sources.europe_pmc import EUROPE_PMC
from pytest_citecheck.sources.github import GITHUB
from pytest_citecheck.sources.hal import HAL
from pytest_citecheck.sources.hugging_face import HUGGING_FACE
from pytest_citecheck.sources.inspire import INSPIRE
from pytest_citecheck.sources.k10plus import K10PLUS
from pytest_citecheck.sources.loc import LOC
from pytest_citecheck.sources.open_library import OPEN_LIBRARY
from pytest_citecheck.sources.openalex import OPENALEX
from pytest_citecheck.sources.openreview import OPENREVIEW, OPENREVIEW_V1, OPENREVIEW_V1_VENUE, OPENREVIEW_VENUE
from pytest_citecheck.sources.proceedings import ACL_EVENTS, CVF, ICLR, NEURIPS, PMLR, PMLR_PAGE
from pytest_citecheck.sources.pubmed import PUBMED
from pytest_citecheck.sources.pypi import PYPI
from pytest_citecheck.sources.rfc_editor import RFC_EDITOR
from pytest_citecheck.sources.semantic_scholar import SEMANTIC_SCHOLAR
from pytest_citecheck.sources.theses_fr import THESES_FR
from pytest_citecheck.sources.w3c import W3C
from pytest_citecheck.sources.web_page import WEB_PAGE
from pytest_citecheck.sources.zbmath import ZBMATH

if TYPE_CHECKING:
    from pytest_citecheck.sources.base import Source
    from pytest_citecheck.sources.dumps import Format

SOURCES: tuple[Source, ...] = (
    CROSSREF,
    DATACITE,
    DOI_ORG,
    DOI_RA,
    DOI_CONTENT,
    ARXIV,
    DBLP_SPARQL,
    ACL_ANTHOLOGY,
    OPENREVIEW,
    OPENREVIEW_V1,
    OPEN_LIBRARY,
    K10PLUS,
    LOC,
    HAL,
    THESES_FR,
    PUBMED,
    EUROPE_PMC,
    RFC_EDITOR,
    W3C,
    CRAN,
    PYPI,
    GITHUB,
    HUGGING_FACE,
    BIORXIV,
    ZBMATH,
    INSPIRE,
    ADS,
    WEB_PAGE,
    OPENALEX,
    SEMANTIC_SCHOLAR,
    PMLR,
    PMLR_PAGE,
    NEURIPS,
    ICLR,
    ACL_EVENTS,
    CVF,
    CROSSREF_ISBN,
    OPENREVIEW_VENUE,
    OPENREVIEW_V1_VENUE,
)
"""Every source, registered. A new service is one new folder, an import and an entry here."""

declare(SOURCES)

_BY_NAME = {registered.name: registered for registered in SOURCES}


def source(name: str) -> Source:
    """Return the source with this name (``crossref``). Raises KeyError with the known names."""
    try:
        return _BY_NAME[name]
    except KeyError:
        raise KeyError(f"unknown source {name!r}; known are {', '.join(_BY_NAME)}") from None


def dump_formats() -> tuple[Format, ...]:
    """Formats of the files that services publish: `DUMPS` in the module of a service, and the file of DBLP."""
    modules = dict.fromkeys((*(type(registered).__module__ for registered in SOURCES), f"{__package__}.dblp_dump"))
    return tuple(form for module in modules for form in getattr(import_module(module), "DUMPS", ()))
