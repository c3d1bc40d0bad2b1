"""Short DOIs are resolved by doi.org, and the DOI is then looked up like any other."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from urllib.parse import unquote

import pytest

from pytest_citecheck.checks import evaluate
from pytest_citecheck.lookup import gather
from pytest_citecheck.model import Finding
from pytest_citecheck.net import TransportSettings
from pytest_citecheck.sources import SOURCES, Rate
from tests.stand_ins.server import LocalServices
from tests.support.evidence_builders import TODAY, entry

CITED = (
    "@article{a, author = {Yann LeCun and Yoshua Bengio and Geoffrey Hinton}, title = {Deep learning}, "
    "journal = {Nature}, year = 2015, doi = {%s}}"
)


def found(services: LocalServices, doi: str, *, offline: bool = False) -> Finding:
    settings = TransportSettings(base_urls=services.base_urls, rates={source.name: Rate(1000, 4) for source in SOURCES})
    reference = entry(CITED % doi)
    if offline:
        settings = replace(settings, offline=True)
    gathered = asyncio.run(gather({"a": reference}, SOURCES, settings, TODAY))
    return evaluate(reference, gathered.evidence["a"], TODAY).findings["doi"]


@pytest.mark.parametrize("written", ["10/bqf3tz", "bqf3tz", "https://doi.org/bqf3tz"])
def test_the_doi_of_a_short_one_is_looked_up(services: LocalServices, written: str) -> None:
    finding = found(services, written)
    assert (finding.outcome, finding.code) == ("passed", "doi-ok")
    assert finding.record is not None
    assert finding.record.doi == "10.1038/nature14539"
    asked = [(request.service, unquote(request.path)) for request in services.requests]
    assert ("doi_org", "/api/handles/10/bqf3tz") in asked
    assert any(service == "crossref" and "10.1038/nature14539" in path for service, path in asked)


def test_a_short_doi_that_does_not_exist(services: LocalServices) -> None:
    finding = found(services, "bqf3tx")
    assert (finding.outcome, finding.code) == ("failed", "doi-unregistered")
    assert "10/bqf3tx" in finding.message


def test_a_doi_that_ends_in_a_slash_is_looked_up_with_it_first(services: LocalServices) -> None:
    finding = found(services, "10.1038/nature14539/")
    assert (finding.outcome, finding.code) == ("passed", "doi-ok")  # without it, as it does not exist with it
    asked = [unquote(request.path) for request in services.requests if request.service == "doi_org"]
    assert "/api/handles/10.1038/nature14539/" in asked


def test_a_short_doi_is_unverifiable_without_a_network(services: LocalServices) -> None:
    finding = found(services, "bqf3tz", offline=True)
    assert (finding.outcome, finding.code) == ("unverifiable", "doi-short")
