"""Choice of sources by profile, discipline, entry type and identifiers."""

from __future__ import annotations

import asyncio

import pytest

from pytest_citecheck.evidence import discipline
from pytest_citecheck.inputs import cited_metadata
from pytest_citecheck.lookup import PROFILES, Roles, gather
from pytest_citecheck.model import Reference
from pytest_citecheck.net import TransportSettings
from pytest_citecheck.sources import SOURCES, Rate
from tests.stand_ins.server import LocalServices
from tests.support.evidence_builders import TODAY, entry
from tests.support.suites import first_fast

PEOPLE = "author = {Ada Quillfeather and Tom Nightwhistle}, title = {An invented theory of entirely absent gradients}"


def asked(services: LocalServices, reference: Reference, profile: str = "default") -> list[tuple[str, str]]:
    settings = TransportSettings(base_urls=services.base_urls, rates={source.name: Rate(1000, 4) for source in SOURCES})
    gathered = asyncio.run(gather({"0": reference}, SOURCES, settings, TODAY, profile=PROFILES[profile]))
    return [(line.source, line.query.kind) for line in gathered.evidence["0"].asked]


@pytest.mark.exhaustive
def test_the_arena_asks_five_times_for_a_computer_science_reference_with_a_doi(services: LocalServices) -> None:
    reference = entry(f"@inproceedings{{a, {PEOPLE}, booktitle = {{NeurIPS}}, year = 2019, doi = {{10.1000/none}}}}")
    assert asked(services, reference, "arena") == [
        ("crossref", "doi"),
        ("crossref", "title"),
        ("dblp_sparql", "title"),
        ("arxiv", "title"),
        ("pubmed", "title"),
    ]


@pytest.mark.parametrize(
    ("text", "route"),
    [
        (
            f"@article{{a, {PEOPLE}, journal = {{The Lancet}}, pmid = 12}}",
            ["crossref", "pubmed", "arxiv", "dblp_sparql"],
        ),
        (f"@article{{a, {PEOPLE}, eprint = {{hep-th/9901001}}}}", ["crossref", "arxiv", "dblp_sparql", "pubmed"]),
        (f"@article{{a, {PEOPLE}, journal = {{Econometrica}}}}", ["crossref", "arxiv", "pubmed", "dblp_sparql"]),
        (
            f"@misc{{a, {PEOPLE}, eprint = {{2001.00001}}, primaryclass = {{econ.TH}}}}",
            ["crossref", "pubmed", "dblp_sparql", "arxiv"],
        ),
    ],
    ids=["biomedical", "physics", "other", "social science"],
)
def test_the_order_of_the_arena_by_discipline(text: str, route: list[str]) -> None:
    assert Roles(SOURCES, PROFILES["arena"]).route(cited_metadata(entry(text))) == route


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"@inproceedings{{a, {PEOPLE}, booktitle = {{CVPR}}}}", "computer_science"),
        (f"@article{{a, {PEOPLE}, journal = {{Nature}}, pmcid = {{PMC123}}}}", "biomedical"),
        (f"@article{{a, {PEOPLE}, eprint = {{quant-ph/0001001}}}}", "physics"),
        (f"@article{{a, {PEOPLE}, eprint = {{2001.00001}}, primaryclass = {{q-bio.NC}}}}", "biomedical"),
        (f"@article{{a, {PEOPLE}, url = {{https://aclanthology.org/N19-1423/}}}}", "computer_science"),
        (f"@article{{a, {PEOPLE}, journal = {{Journal of Entirely Invented Results}}}}", "other"),
        (f"@article{{a, {PEOPLE}, journal = {{Phys. Rev. Lett.}}}}", "physics"),
        (f"@article{{a, {PEOPLE}, journal = {{Int. J. Theor. Phys.}}}}", "physics"),
        (f"@article{{a, {PEOPLE}, journal = {{J. Phys. Chem. B}}}}", "other"),
        (f"@article{{a, {PEOPLE}, journal = {{Biophysical Journal}}}}", "other"),
        (f"@article{{a, {PEOPLE}, journal = {{Ann. of Math. (2)}}}}", "mathematics"),
        (f"@article{{a, {PEOPLE}, eprint = {{math/0404188}}}}", "mathematics"),
        (f"@book{{a, {PEOPLE}, publisher = {{Springer}}, mrnumber = {{1234567}}}}", "mathematics"),
        (f"@article{{Maldacena:1997re, {PEOPLE}}}", "physics"),
        (f"@inproceedings{{Vaswani:2017lxt, {PEOPLE}, booktitle = {{NeurIPS}}}}", "computer_science"),
        (f"@article{{a, {PEOPLE}, journal = {{Mathematical Programming}}}}", "computer_science"),
    ],
)
def test_disciplines(text: str, expected: str) -> None:
    assert discipline(cited_metadata(entry(text))) == expected


@pytest.mark.parametrize(
    ("text", "sources"),
    first_fast([
        (f"@book{{a, {PEOPLE}, publisher = {{Springer}}, isbn = {{9780262035613}}}}", {"open_library", "crossref"}),
        (f"@phdthesis{{a, {PEOPLE}, school = {{MIT}}}}", {"datacite", "crossref"}),
        (f"@dataset{{a, {PEOPLE}, publisher = {{Zenodo}}}}", {"datacite", "crossref"}),
        (f"@software{{a, {PEOPLE}, publisher = {{Zenodo}}}}", {"datacite", "crossref"}),
        (f"@techreport{{a, {PEOPLE}, institution = {{NBER}}}}", {"datacite", "crossref"}),
        (f"@incollection{{a, {PEOPLE}, booktitle = {{A Handbook of Nothing}}}}", {"crossref"}),
        (f"@standard{{a, {PEOPLE}, organization = {{ISO}}}}", {"crossref"}),
        (f"@misc{{a, {PEOPLE}, howpublished = {{SSRN working paper}}}}", {"crossref", "datacite"}),
        (f"@article{{a, {PEOPLE}, journal = {{The Lancet}}}}", {"europe_pmc", "crossref"}),
        (f"@article{{a, {PEOPLE}, journal = {{The Lancet}}, pmid = 99999999}}", {"pubmed", "europe_pmc", "crossref"}),
        (f"@inproceedings{{a, {PEOPLE}, booktitle = {{ACL}}, url = {{https://aclanthology.org/N19-9999}}}}", {"acl_anthology"}),
        (f"@misc{{a, {PEOPLE}, url = {{https://openreview.net/forum?id=abcdefghij}}}}", {"openreview"}),
        (f"@inproceedings{{DBLP:conf/x/Y01, {PEOPLE}, booktitle = {{X}}}}", {"dblp_sparql"}),
    ], 5),
    ids=lambda value: value.split("{")[0] if isinstance(value, str) else "",
)  # fmt: skip
def test_every_type_has_a_route_that_makes_sense(services: LocalServices, text: str, sources: set[str]) -> None:
    assert sources <= {source for source, _ in asked(services, entry(text))}


@pytest.mark.parametrize("kind", first_fast(["patent", "online", "movie"]))
def test_what_no_source_lists_is_not_searched(services: LocalServices, kind: str) -> None:
    reference = entry(f"@{kind}{{a, {PEOPLE}, number = {{US123}}, url = {{https://example.org/x}}, year = 2020}}")
    assert asked(services, reference) == [("web_page", "url")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"@software{{a, {PEOPLE}, url = {{https://github.com/octocat/absent}}}}", [("github", "repository")]),
        (f"@misc{{a, {PEOPLE}, howpublished = {{https://pypi.org/project/absent}}}}", [("pypi", "package")]),
        (f"@manual{{a, {PEOPLE}, url = {{https://CRAN.R-project.org/package=absent}}}}", [("cran", "package")]),
        (
            f"@misc{{a, {PEOPLE}, howpublished = {{RFC 9999}}, url = {{https://github.com/a/b}}}}",
            [("rfc_editor", "rfc")],
        ),
        (f"@article{{a, {PEOPLE}, journal = {{Nature}}, url = {{https://github.com/octocat/absent}}}}", []),
        (f"@misc{{a, {PEOPLE}, eprint = {{2001.00001}}, note = {{https://github.com/octocat/absent}}}}", []),
    ],
    ids=["software", "misc", "manual", "standard", "article", "preprint"],
)
def test_packages_and_repositories_are_asked_for_where_they_are_cited(
    services: LocalServices, text: str, expected: list[tuple[str, str]]
) -> None:
    kinds = ("rfc", "w3c", "package", "repository")
    assert [one for one in asked(services, entry(text)) if one[1] in kinds] == expected


def test_a_dblp_key_takes_the_place_of_a_search(services: LocalServices) -> None:
    reference = entry(f"@inproceedings{{DBLP:conf/x/Y01, {PEOPLE}, booktitle = {{X}}}}")
    assert ("dblp_sparql", "title") not in asked(services, reference)


def test_services_that_need_a_key_are_not_asked_without_one(services: LocalServices) -> None:
    rates = {source.name: Rate(1000, 4) for source in SOURCES}
    keyed = {source.name for source in SOURCES if source.credentials and source.credentials.required}
    assert keyed == {"ads", "openreview", "openreview_v1", "openreview_venue", "openreview_v1_venue"}
    mirrors = {name: url for name, url in services.base_urls.items() if name not in keyed}
    reference = entry(f"@phdthesis{{a, {PEOPLE}, school = {{MIT}}}}")
    gathered = asyncio.run(gather({"0": reference}, SOURCES, TransportSettings(base_urls=mirrors, rates=rates), TODAY))
    assert not keyed & {line.source for line in gathered.evidence["0"].asked}
    with_key = TransportSettings(base_urls=services.base_urls, rates=rates, keys={"openreview": "secret-key"})
    gathered = asyncio.run(gather({"0": entry(OPENREVIEW)}, SOURCES, with_key, TODAY))
    assert "openreview" in {line.source for line in gathered.evidence["0"].asked}


OPENREVIEW = (
    f"@inproceedings{{a, {PEOPLE}, booktitle = {{NeurIPS}}, url = {{https://openreview.net/forum?id=abcdefghij}}}}"
)


def test_a_source_without_its_key_does_not_stand_in_the_way_of_the_next(services: LocalServices) -> None:
    mirrors = {name: url for name, url in services.base_urls.items() if not name.startswith("openreview")}
    settings = TransportSettings(base_urls=mirrors, rates={source.name: Rate(1000, 4) for source in SOURCES})
    gathered = asyncio.run(gather({"0": entry(OPENREVIEW)}, SOURCES, settings, TODAY))
    assert ("dblp_sparql", "title") in [(line.source, line.query.kind) for line in gathered.evidence["0"].asked]


def test_a_source_that_was_removed_does_not_stand_in_the_way_of_the_next(services: LocalServices) -> None:
    sources = [source for source in SOURCES if source.name != "dblp_sparql"]
    settings = TransportSettings(base_urls=services.base_urls, rates={source.name: Rate(1000, 4) for source in SOURCES})
    reference = entry(f"@inproceedings{{a, {PEOPLE}, booktitle = {{Proceedings of Nothing}}}}")
    gathered = asyncio.run(gather({"0": reference}, sources, settings, TODAY))
    assert ("crossref", "title") in [(line.source, line.query.kind) for line in gathered.evidence["0"].asked]
