"""Gathering: queries for each reference, their order and number, and when it stops."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from pytest_citecheck.lookup import Gathered, gather
from pytest_citecheck.model import Reference
from pytest_citecheck.net import TransportSettings
from pytest_citecheck.sources import SOURCES, Rate
from tests.stand_ins.server import LocalServices
from tests.support.evidence_builders import TODAY, entry

RESNET = """@inproceedings{a, author = {Kaiming He and Xiangyu Zhang and Shaoqing Ren and Jian Sun}, %s
    title = {Deep Residual Learning for Image Recognition}, booktitle = {CVPR}, year = {2016}}"""
ADAM = """@misc{a, author = {Diederik P. Kingma and Jimmy Ba}, title = {Adam: A Method for Stochastic Optimization},
    year = {2014}, eprint = {1412.6980}, archiveprefix = {arXiv}}"""
INVENTED = """@inproceedings{a, author = {Ada Quillfeather and Tom Nightwhistle}, %s
    title = {Spectral gradients for entirely invented learning problems}, booktitle = {ICML}, year = {2016}}"""


def ask(services: LocalServices, *references: Reference) -> Gathered:
    settings = TransportSettings(base_urls=services.base_urls, rates={source.name: Rate(1000, 4) for source in SOURCES})
    return asyncio.run(gather({str(number): item for number, item in enumerate(references)}, SOURCES, settings, TODAY))


def queries(gathered: Gathered, name: str = "0") -> list[tuple[str, str]]:
    return [(asked.source, asked.query.kind) for asked in gathered.evidence[name].asked]


def sent(services: LocalServices) -> Counter[str]:
    return Counter(request.service for request in services.requests)


def test_a_doi_that_settles_everything_costs_one_look_up_and_a_second_opinion(services: LocalServices) -> None:
    gathered = ask(services, entry(RESNET % "doi = {10.1109/CVPR.2016.90},"))
    assert queries(gathered) == [("crossref", "doi"), ("semantic_scholar", "doi")]


def test_an_arxiv_id_is_asked_of_arxiv(services: LocalServices) -> None:
    assert queries(ask(services, entry(ADAM)))[0] == ("arxiv", "arxiv")


def test_without_identifier_titles_are_searched(services: LocalServices) -> None:
    gathered = ask(services, entry(RESNET % ""))
    assert queries(gathered) == [("semantic_scholar", "title"), ("crossref", "doi")]


@pytest.mark.exhaustive
def test_an_unknown_doi_goes_to_the_agencies_and_to_the_registry(services: LocalServices) -> None:
    asked = queries(ask(services, entry(RESNET % "doi = {10.1109/CVPR.2016.99999},")))
    assert asked[:4] == [("crossref", "doi"), ("datacite", "doi"), ("doi_org", "doi"), ("doi_ra", "prefix")]


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "identifier", ["", "doi = {10.1109/CVPR.2016.99999},", "eprint = {1604.99999}, archiveprefix = {arXiv},"]
)
def test_an_invented_reference_costs_at_most_four_requests_of_its_own(services: LocalServices, identifier: str) -> None:
    asked = queries(ask(services, entry(INVENTED % identifier)))
    batches: dict[str, dict[str, int]] = {
        source.name: {str(kind): size for kind, size in source.batch.items()} for source in SOURCES
    }
    assert len([kind for source, kind in asked if batches[source].get(kind) == 1]) <= 4
    assert len(asked) == len(set(asked))


@pytest.mark.exhaustive
def test_an_invented_reference_alone_and_without_identifier_costs_at_most_four_requests_and_a_proof_of_each_denial(
    services: LocalServices,
) -> None:
    """A denied query is repeated, with the witness in the same request, or after it if a request allows one query.

    Two more queries check that a source has the venue at all, and one searches for the title where it was not searched for.
    """
    asked = queries(ask(services, entry((INVENTED % "").replace("ICML", "Journal of Entirely Invented Results"))))
    assert len(asked) <= 6
    assert sent(services) == {"semantic_scholar": 3, "dblp_sparql": 2, "crossref": 2, "openalex": 1}


def test_whether_a_volume_is_listed_is_asked_once_for_all_and_only_if_nobody_was_found_in_it(
    services: LocalServices,
) -> None:
    invented = entry(INVENTED % "")
    other = entry((INVENTED % "").replace("Spectral", "Stochastic").replace("Quillfeather", "Inkpot"))
    ask(services, invented, other)
    volumes = [
        request for request in services.requests if request.service == "dblp_sparql" and "LIMIT%201%20" in request.path
    ]
    assert len(volumes) == 1
    listed = entry((INVENTED % "").replace("Ada Quillfeather", "Koray Kavukcuoglu"))
    assert ("dblp_sparql", "venue_year") not in queries(ask(services, listed))


def test_a_work_cited_twice_is_looked_up_once(services: LocalServices) -> None:
    one = entry(RESNET % "doi = {10.1109/CVPR.2016.90},")
    gathered = ask(services, one, one, one)
    assert sent(services) == {"crossref": 1, "semantic_scholar": 1}
    assert len({gathered.evidence[name] for name in ("0", "1", "2")}) == 1


def test_identifiers_are_asked_in_batches(services: LocalServices) -> None:
    months = [f"14{month:02}.1980" for month in range(1, 13)]
    ask(services, *(entry(ADAM.replace("1412.6980", identifier)) for identifier in months))
    arxiv = [request.path for request in services.requests if request.service == "arxiv" and months[0] in request.path]
    assert len(arxiv) == 2  # what is denied with consequences, once more
    assert all(identifier in path for identifier in months for path in arxiv)


CATALOGUED = "author = {Ada Quillfeather}, title = {Spectral gradients of entirely invented cathedrals}, year = {2011}"


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("entry_type", "place"),
    [
        ("book", "publisher = {Wiley}"),
        ("phdthesis", "school = {University of Graz}"),
        ("phdthesis", "school = {Universit\\'e Paris-Sud}"),
        ("dataset", "publisher = {Zenodo}"),
        ("standard", "organization = {ISO}"),
    ],
)
def test_catalogues_are_asked_for_other_works_before_semantic_scholar(
    services: LocalServices, entry_type: str, place: str
) -> None:
    asked = queries(ask(services, entry(f"@{entry_type}{{a, {CATALOGUED}, {place}}}")))
    titles = [source for source, kind in asked if kind == "title" and source != "arxiv"]
    assert titles[-1] == "semantic_scholar"
    assert len(titles) > 1
    requested = [request.service for request in services.requests]
    catalogues = {one.name for one in SOURCES if one.role and "batch" in {search.stage for search in one.role.titles}}
    assert not (catalogues - {"arxiv"}).intersection(requested[requested.index("semantic_scholar") :])


def test_a_book_in_a_catalogue_is_not_searched_for_at_semantic_scholar(services: LocalServices) -> None:
    book = """@book{a, author = {Harold Abelson and Gerald Jay Sussman and Julie Sussman}, year = {1996}, edition = {2},
        title = {Structure and Interpretation of Computer Programs}, publisher = {MIT Press}}"""
    asked = queries(ask(services, entry(book)))
    assert ("k10plus", "title") in asked
    assert ("semantic_scholar", "title") not in asked


def test_a_book_is_not_looked_for_among_preprints(services: LocalServices) -> None:
    book = entry(
        "@book{a, author = {Ada Quillfeather}, title = {An invented history of gradients}, publisher = {Springer}}"
    )
    assert "arxiv" not in {source for source, _ in queries(ask(services, book))}


def test_a_venue_that_dblp_does_not_have_is_not_searched_there(services: LocalServices) -> None:
    article = entry(
        "@article{a, author = {Ada Quillfeather}, title = {An invented cure for gradients}, journal = {The Lancet}}"
    )
    assert ("dblp_sparql", "title") not in queries(ask(services, article))


def test_without_a_title_nothing_is_searched(services: LocalServices) -> None:
    assert (
        queries(ask(services, entry("@article{a, author = {Ada Quillfeather}, journal = {Nature}, year = 2001}"))) == []
    )


def test_a_title_of_one_word_is_searched_with_its_author(services: LocalServices) -> None:
    ask(
        services,
        entry("@inproceedings{a, author = {Ada Quillfeather}, title = {Gradients}, booktitle = {ICML}, year = 2016}"),
    )
    single = [request for request in services.requests if request.service != "semantic_scholar"]
    titles = [request.path.lower() for request in single if "gradient" in request.path.lower()]
    assert titles
    assert all("quillfeather" in target for target in titles)


def test_a_list_of_the_cited_people_is_not_asked_for_a_work_by_others(services: LocalServices) -> None:
    stolen = entry(
        (RESNET % "").replace("Kaiming He and Xiangyu Zhang and Shaoqing Ren and Jian Sun", "Ada Quillfeather")
    )
    assert ("dblp_sparql", "author_search") not in queries(ask(services, stolen))


@pytest.mark.exhaustive
def test_a_source_that_is_down_is_evidence_too(services: LocalServices) -> None:
    services.fault("crossref", "500")
    gathered = ask(services, entry(RESNET % ""))
    answers = {asked.source: type(asked.answer).__name__ for asked in gathered.evidence["0"].asked}
    assert answers["crossref"] == "Unavailable"
    assert answers["dblp_sparql"] == "Found"


def test_progress_ends_where_the_questions_end(services: LocalServices) -> None:
    told: list[tuple[str, int, int]] = []
    settings = TransportSettings(base_urls=services.base_urls, rates={source.name: Rate(1000, 4) for source in SOURCES})
    references = {"0": entry(RESNET % "doi = {10.1109/CVPR.2016.90},")}
    asyncio.run(gather(references, SOURCES, settings, TODAY, lambda *step: told.append(step)))
    assert [done for _, done, _ in told] == sorted(done for _, done, _ in told)
    assert told[-1][1:] == (2, 2)


def test_nobody_is_asked_offline(services: LocalServices) -> None:
    settings = TransportSettings(base_urls=services.base_urls, offline=True)
    gathered = asyncio.run(gather({"0": entry(RESNET % "")}, SOURCES, settings, TODAY))
    assert services.requests == []
    assert {asked.answer.reason for asked in gathered.evidence["0"].asked if hasattr(asked.answer, "reason")} == {
        "offline"
    }
