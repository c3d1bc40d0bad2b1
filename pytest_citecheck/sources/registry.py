"""The bibliographic services that can be asked, in the order in which their answers are reported."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from pytest_citecheck.evidence import declare

if TYPE_CHECKING:
    from pytest_citecheck.sources.base import Source
    from pytest_citecheck.sources.dumps import Format

_ROWS = (
    "crossref.CROSSREF", "datacite.DATACITE", "doi_org.DOI_ORG", "doi_org.DOI_RA", "doi_org.DOI_CONTENT", "arxiv.ARXIV",
    "dblp_sparql.DBLP_SPARQL", "acl_anthology.ACL_ANTHOLOGY", "openreview.OPENREVIEW", "openreview.OPENREVIEW_V1",
    "library_catalogues.OPEN_LIBRARY", "library_catalogues.K10PLUS", "library_catalogues.LOC", "french_research.HAL",
    "french_research.THESES_FR", "pubmed.PUBMED", "europe_pmc.EUROPE_PMC", "by_identifier.RFC_EDITOR", "by_identifier.W3C",
    "by_identifier.CRAN", "by_identifier.PYPI", "by_identifier.GITHUB", "by_identifier.HUGGING_FACE", "biorxiv.BIORXIV",
    "field_catalogues.ZBMATH", "field_catalogues.INSPIRE", "field_catalogues.ADS", "web_page.WEB_PAGE", "openalex.OPENALEX",
    "semantic_scholar.SEMANTIC_SCHOLAR", "proceedings.PMLR", "proceedings.PMLR_PAGE", "proceedings.NEURIPS", "proceedings.ICLR",
    "proceedings.ACL_EVENTS", "proceedings.CVF", "crossref.CROSSREF_ISBN", "openreview.OPENREVIEW_VENUE",
    "openreview.OPENREVIEW_V1_VENUE",
)  # fmt: skip
"""Module and name of each."""

SOURCES: tuple[Source, ...] = tuple(
    getattr(import_module(f"{__package__}.{module}"), name) for module, _, name in (row.partition(".") for row in _ROWS)
)
"""Every source, registered. A new service is one new file, and its module and name in ``_ROWS``."""

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
    modules = dict.fromkeys((*(type(registered).__module__ for registered in SOURCES), f"{__package__}.dblp"))
    return tuple(form for module in modules for form in getattr(import_module(module), "DUMPS", ()))
