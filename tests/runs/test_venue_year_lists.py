"""Publishers' lists in a run without DBLP: inventions for a listed venue and year are convicted, and no real paper is."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import pytest

from pytest_citecheck.lookup import Gathered, gather
from pytest_citecheck.matching import VenueYearList, venue_year_lists
from pytest_citecheck.model import Reference
from pytest_citecheck.net import TransportSettings
from pytest_citecheck.sources import SOURCES, Rate
from tests.stand_ins.facts import Event, Facts, Name, Work
from tests.stand_ins.server import LocalServices
from tests.stand_ins.venue_year_lists import LISTS, Listed, listed_papers
from tests.support.evidence_builders import TODAY, entry
from tests.support.fault_matrix import hurried

PLACES = (
    ("neurips", 2014), ("neurips", 2017), ("neurips", 2020), ("icml", 2015), ("icml", 2016), ("aistats", 2019), ("aistats", 2020),
    ("acl", 2019), ("acl", 2020), ("emnlp", 2018), ("emnlp", 2020), ("naacl", 2019), ("coling", 2018), ("coling", 2020),
    ("cvpr", 2016), ("cvpr", 2020), ("iccv", 2019), ("iclr", 2018), ("iclr", 2020), ("kdd", 2016),
)  # fmt: skip
INVENTED = Listed(
    "Spectral gradients for entirely invented learning problems", ("Ada Quillfeather", "Tom Nightwhistle")
)


def reference(listed: VenueYearList, paper: Listed) -> Reference:
    people = " and ".join(paper.authors)
    return entry(
        f"@inproceedings{{a, title = {{{paper.title}}}, author = {{{people}}}, booktitle = {{{listed.venue.names[1]}}}, "
        f"year = {{{listed.year}}}}}"
    )


@contextmanager
def without_dblp(facts: Facts | None = None) -> Iterator[LocalServices]:
    with LocalServices(facts or Facts(())) as services:
        services.fault("dblp_sparql", "503")
        yield services


def run(services: LocalServices, references: Sequence[Reference]) -> Gathered:
    rates = {source.name: Rate(1000, 4) for source in SOURCES}
    settings = TransportSettings(base_urls=services.base_urls, rates=rates)
    cited = {str(number): item for number, item in enumerate(references)}
    with hurried():
        return asyncio.run(gather(cited, SOURCES, settings, TODAY))


def verdicts(gathered: Gathered) -> list[str]:
    return [state.evaluate_so_far().verdict.name for state in gathered.states.values()]


def sent(services: LocalServices) -> Counter[str]:
    return Counter(request.service for request in services.requests if request.service in LISTS)


def at(venue: str, year: int) -> VenueYearList:
    return venue_year_lists(venue, year)[0]


@pytest.mark.exhaustive
def test_one_request_brings_the_list_for_all_references() -> None:
    listed = at("icml", 2016)
    real = listed_papers(listed)[5]
    with without_dblp() as services:
        invented = [INVENTED._replace(title=f"{INVENTED.title} {word}") for word in ("twice", "again", "anew")]
        gathered = run(services, [reference(listed, paper) for paper in (real, *invented)])
        assert verdicts(gathered) == ["verified", *["fabricated"] * 3]
        assert sent(services) == {"pmlr": 1}
    finding = gathered.states["1"].evaluate_so_far().findings["title"]
    assert finding.code == "title-not-in-venue"
    assert "PMLR lists" in finding.message
    assert "retrieved 20" in finding.message


def test_the_page_of_a_volume_is_asked_where_its_file_is_not_to_be_had() -> None:
    with without_dblp() as services:
        services.fault("pmlr", "404")
        assert verdicts(run(services, [reference(at("icml", 2016), INVENTED)] * 2)) == ["fabricated"] * 2
        assert sent(services) == {"pmlr": 1, "pmlr_page": 1}


def test_a_list_corroborates_that_dblp_lacks_a_paper() -> None:
    with LocalServices() as services:
        assert verdicts(run(services, [reference(at("neurips", 2017), INVENTED)])) == ["fabricated"]
        assert sent(services) == {"neurips": 1}


@pytest.mark.exhaustive
def test_without_any_answer_to_a_search_a_list_convicts_nobody() -> None:
    with without_dblp() as services:
        for name in set(services.base_urls) - set(LISTS):
            services.fault(name, "503")
        gathered = run(services, [reference(at("icml", 2016), INVENTED), reference(at("acl", 2020), INVENTED)])
    assert verdicts(gathered) == ["undecided", "undecided"]


BESIDE = Work(
    "beside", "Weaving Algebraical Patterns with Engines", "proceedings-article", issued=(2020,),
    authors=(Name("Ada", "Quillfeather"), Name("Tom", "Nightwhistle")), event=Event("ACL", "ACL 2020"),
)  # fmt: skip


def test_while_a_broad_search_is_silent_a_work_may_be_of_another_year() -> None:
    with without_dblp() as services:
        services.fault("semantic_scholar", "429")
        gathered = run(services, [reference(at("neurips", 2014), INVENTED)])
    assert gathered.states["0"].evaluate_so_far().findings["title"].code == "title-not-in-venue"
    assert verdicts(gathered) == ["misdescribed"]


VOLUMES = (
    "Findings of the Association for Computational Linguistics: ACL 2020",
    "Proceedings of the 58th Annual Meeting of the Association for Computational Linguistics: System Demonstrations",
    "Proceedings of the 58th Annual Meeting of the Association for Computational Linguistics: Student Research Workshop",
    "Proceedings of the 58th Annual Meeting of the Association for Computational Linguistics: Industry Track",
    "Proceedings of the First Workshop on Weaving",
)


def test_what_stands_beside_the_main_proceedings_is_not_called_invented() -> None:
    works = [
        replace(BESIDE, id=str(number), title=f"{BESIDE.title} of the {word} Kind", container=volume)
        for number, (volume, word) in enumerate(
            zip(VOLUMES, ("First", "Second", "Third", "Fourth", "Fifth"), strict=True)
        )
    ]
    cited = [reference(at("acl", 2020), Listed(work.title, tuple(map(str, work.authors)))) for work in works]
    with without_dblp(Facts(tuple(works))) as services:
        for name in set(services.base_urls) - set(LISTS):
            services.fault(name, "503")
        gathered = run(services, cited)
    assert "fabricated" not in verdicts(gathered)
    titles = [state.evaluate_so_far().findings["title"].outcome for state in gathered.states.values()]
    assert titles == ["passed"] * len(works)


@pytest.mark.exhaustive
def test_a_list_in_parts_convicts_when_all_of_them_have_come() -> None:
    invented = [reference(at("iclr", 2022), INVENTED)]
    with without_dblp() as services:
        services.fault("iclr", "404")
        services.fault("openreview_v1_venue", "404", times=1)
        assert verdicts(run(services, invented)) == ["undecided"]
        assert verdicts(run(services, invented)) == ["fabricated"]
        assert sent(services)["openreview_v1_venue"] == 4


@pytest.mark.exhaustive
@pytest.mark.parametrize(("venue", "year"), PLACES, ids=lambda part: str(part))
def test_twenty_venues_and_years(venue: str, year: int) -> None:
    listed = at(venue, year)
    papers = listed_papers(listed)
    real = [papers[7], papers[len(papers) // 2], papers[-1]]
    with without_dblp() as services:
        gathered = run(services, [reference(listed, paper) for paper in (*real, INVENTED)])
        assert verdicts(gathered) == [*["verified"] * len(real), "fabricated"]
        assert sent(services) == {listed.sources[0]: 1}


FAULTS = ("404", "403", "503", "captcha", "empty", "early-close", "truncated", "wall")


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", FAULTS)
@pytest.mark.parametrize(("venue", "year"), PLACES, ids=lambda part: str(part))
def test_a_list_that_is_not_whole_accuses_nobody(venue: str, year: int, kind: str) -> None:
    listed = at(venue, year)
    real = listed_papers(listed)[3]
    with without_dblp() as services:
        for name in LISTS:
            services.fault(name, kind)
        assert "fabricated" not in verdicts(run(services, [reference(listed, paper) for paper in (real, INVENTED)]))
