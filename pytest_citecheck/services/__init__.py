"""The bibliographic services that can be asked, in the order in which their answers are reported."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from pytest_citecheck.linking.provenance import declare
from pytest_citecheck.services.acl_anthology.api import ACL_ANTHOLOGY
from pytest_citecheck.services.ads.api import ADS
from pytest_citecheck.services.arxiv.api import ARXIV
from pytest_citecheck.services.biorxiv.api import BIORXIV
from pytest_citecheck.services.cran.api import CRAN
from pytest_citecheck.services.crossref.api import CROSSREF
from pytest_citecheck.services.crossref.proceedings import CROSSREF_ISBN
from pytest_citecheck.services.datacite.api import DATACITE
from pytest_citecheck.services.dblp.api import DBLP
from pytest_citecheck.services.dblp.by_key import DBLP_RECORD
from pytest_citecheck.services.dblp.sparql import DBLP_SPARQL
from pytest_citecheck.services.doi_content.api import DOI_CONTENT
from pytest_citecheck.services.doi_org.api import DOI_ORG, DOI_RA
from pytest_citecheck.services.europe_pmc.api import EUROPE_PMC
from pytest_citecheck.services.github.api import GITHUB
from pytest_citecheck.services.hal.api import HAL
from pytest_citecheck.services.hugging_face.api import HUGGING_FACE
from pytest_citecheck.services.inspire.api import INSPIRE
from pytest_citecheck.services.k10plus.api import K10PLUS
from pytest_citecheck.services.loc.api import LOC
from pytest_citecheck.services.open_library.api import OPEN_LIBRARY
from pytest_citecheck.services.openalex.api import OPENALEX
from pytest_citecheck.services.openreview.api import OPENREVIEW, OPENREVIEW_V1
from pytest_citecheck.services.openreview.venue import OPENREVIEW_V1_VENUE, OPENREVIEW_VENUE
from pytest_citecheck.services.proceedings.acl_events import ACL_EVENTS
from pytest_citecheck.services.proceedings.cvf import CVF
from pytest_citecheck.services.proceedings.neurips import ICLR, NEURIPS
from pytest_citecheck.services.proceedings.pmlr import PMLR, PMLR_PAGE
from pytest_citecheck.services.pubmed.api import PUBMED
from pytest_citecheck.services.pypi.api import PYPI
from pytest_citecheck.services.rfc_editor.api import RFC_EDITOR
from pytest_citecheck.services.semantic_scholar.api import SEMANTIC_SCHOLAR
from pytest_citecheck.services.theses_fr.api import THESES_FR
from pytest_citecheck.services.w3c.api import W3C
from pytest_citecheck.services.web_page.api import WEB_PAGE
from pytest_citecheck.services.zbmath.api import ZBMATH

if TYPE_CHECKING:
    from pytest_citecheck.services.base import Source
    from pytest_citecheck.services.dumps.base import Format

__all__ = ["SOURCES", "dump_formats", "source"]

SOURCES: tuple[Source, ...] = (
    CROSSREF,
    DATACITE,
    DOI_ORG,
    DOI_RA,
    DOI_CONTENT,
    ARXIV,
    DBLP_SPARQL,
    DBLP,
    DBLP_RECORD,
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
    """The source of that name (``crossref``). Raises KeyError, naming the known ones, if there is none."""
    try:
        return _BY_NAME[name]
    except KeyError:
        raise KeyError(f"no source is named {name!r}; known are {', '.join(_BY_NAME)}") from None


def dump_formats() -> tuple[Format, ...]:
    """The formats of the files that services publish: `DUMPS` in the module ``dump`` beside a service's ``api``."""
    packages = dict.fromkeys(type(registered).__module__.rpartition(".")[0] for registered in SOURCES)
    modules = (f"{package}.dump" for package in packages if find_spec(f"{package}.dump"))
    return tuple(form for module in modules for form in import_module(module).DUMPS)
