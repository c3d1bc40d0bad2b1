"""Recorded bodies that are read, and those of endpoints that are never queried, with the reason."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.conformance.recorded import Recorded, needs_recordings, recordings

pytestmark = needs_recordings

READ = frozenset({
    "arxiv", "crossref", "datacite", "datacite_record", "dblp_xml", "doi_cn", "doi_ra", "europepmc",
    "ncbi", "openalex", "semanticscholar",
})  # fmt: skip
"""Services whose bodies the other modules here read, except for the parts below."""

NOT_ASKED = {
    ("arxiv_oai", ""): "harvesting of whole sets; single e-prints come from the Atom API",
    ("crossref", "agency.json"): "the agency of a prefix is asked at doi.org",
    ("crossref", "funders"): "funders are no works",
    ("crossref", "licenses"): "licences are no works",
    ("crossref", "members"): "members are no works",
    ("crossref_xml", ""): "Crossref's JSON says the same, and Crossref is asked before content negotiation",
    ("datacite", "re3data"): "repositories are no works",
    ("datacite", "reports"): "usage reports are no works",
    ("dblp", ""): "the API answers programs with a page for browsers; the SPARQL endpoint is asked",
    ("doi_cn", "unixsd"): "Crossref's JSON says the same",
    ("doi_cn", ".bib"): "BibTeX says less than CSL-JSON",
    ("doi_cn", ".txt"): "formatted references; a refusal of a format that is not asked for",
    ("doi_cn", "301_"): "redirects are followed before a source sees them",
    ("html_pages", ""): "lists of accepted papers, each in a form of its own",
    ("semanticscholar_v1", ""): "a version of the API that has been shut down",
    ("unpaywall", ""): "tells where a copy can be read, with Crossref's metadata",
    ("zenodo", ""): "its DOIs are DataCite's, where all of its works are",
}
"""Service and part of a file name, and the reason why such a body is never requested.

The modules of READ services refuse their unrequested bodies.
"""


def reason(item: Recorded) -> str:
    service, _, name = item.file.partition("/")
    return next((why for (of, part), why in NOT_ASKED.items() if of == service and part in name), "")


def services() -> frozenset[str]:
    return READ | {service for service, _ in NOT_ASKED}


def test_every_body_is_read_or_has_a_reason(capsys: pytest.CaptureFixture[str]) -> None:
    recorded = recordings()
    unasked = Counter((item.file.partition("/")[0], reason(item)) for item in recorded if reason(item))
    read = Counter(item.file.partition("/")[0] for item in recorded if not reason(item))
    with capsys.disabled():
        print(f"\nread: {sum(read.values())}, not asked: {sum(unasked.values())}, of {len(recorded)} recorded bodies")
        for service, count in sorted(read.items()):
            print(f"  read {count:4} {service}")
        for (service, why), count in sorted(unasked.items()):
            print(f"  not asked {count:4} {service}: {why}")
    assert set(read) <= READ
    assert {item.file.partition("/")[0] for item in recorded} <= services()


@pytest.mark.parametrize(("service", "part"), NOT_ASKED, ids=lambda value: str(value))
def test_each_reason_is_needed(service: str, part: str) -> None:
    assert any(item.file.startswith(f"{service}/") and part in item.file for item in recordings())
