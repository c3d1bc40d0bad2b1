"""Publishers' lists of a venue and year: whole ones are read, and everything else is no list."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from urllib.parse import parse_qsl, urlsplit

import pytest

from pytest_citecheck.matching import VenueYearList, all_lists, venue_year_list
from pytest_citecheck.model import Answer, Found, Query, Unavailable
from pytest_citecheck.sources import MalformedAnswerError, Response, VenueYearLists, source
from tests.stand_ins.facts import Event, Facts, Name, Work
from tests.stand_ins.venue_year_lists import LISTS

PLACES = {
    "pmlr": ("colt", 2012),
    "pmlr_page": ("colt", 2012),
    "neurips": ("neurips", 2010),
    "iclr": ("iclr", 2017),
    "acl_events": ("naacl", 2016),
    "cvf": ("wacv", 2021),
    "crossref_isbn": ("kdd", 2016),
    "openreview_v1_venue": ("iclr", 2021),
}
"""A small list of each source."""


def reply(kept: VenueYearLists, query: Query, *works: Work) -> Response:
    """Return the local publisher's response to the request for this query."""
    service = LISTS[kept.name](Facts(works))
    target = kept.request([query]).url.removeprefix(kept.base_url)
    parts = urlsplit(target)
    answer = service.answer(parts.path, dict(parse_qsl(parts.query)))
    return Response(answer.status, answer.body)


def listed(name: str, *, authors: tuple[str, ...] = ("Quillfeather",), title: str = "") -> tuple[VenueYearLists, Query]:
    kept = source(name)
    assert isinstance(kept, VenueYearLists)
    venue, year = PLACES[name]
    return kept, Query("author_search", venue, authors, year, title)


def answer(name: str, body: bytes | None = None, status: int = 200, **asked: str) -> Answer:
    kept, query = listed(name, authors=(asked.pop("author", "Quillfeather"),), **asked)
    return kept.parse([query], Response(status, whole(name) if body is None else body))[query]


@cache
def whole(name: str) -> bytes:
    """The small list of a source."""
    return reply(*listed(name)).body


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", PLACES)
def test_a_list_shows_the_works_of_an_author_and_says_how_many_it_has(name: str) -> None:
    found = answer(name, author="Üblich")
    assert isinstance(found, Found)
    assert len(found.records) >= 30
    record = found.records[0]
    assert (record.year, len(record.authors), bool(record.venue)) == (PLACES[name][1], 2, True)
    assert str(record.authors[1]) in ("Søren Üblich", "Üblich, Søren")
    assert re.search(r" lists [\d,]+ works of \w+ \d{4}, \d+ by an author named Üblich", found.scope)


def test_a_list_without_works_of_an_author_is_the_proof_of_their_absence() -> None:
    found = answer("pmlr")
    assert isinstance(found, Found)
    assert found.records == ()
    assert "none by an author named Quillfeather" in found.scope


@pytest.mark.parametrize("name", PLACES)
def test_a_work_with_nearly_the_cited_title_is_shown_whoever_wrote_it(name: str) -> None:
    stated = venue_year_list(name, *PLACES[name])
    assert stated is not None
    title = f"{stated.control}s"
    found = answer(name, title=title)
    assert isinstance(found, Found)
    assert [str(person) for record in found.records for person in record.authors] in (
        ["Wanda Witness"],
        ["Witness, Wanda"],
    )


def damages(body: bytes) -> dict[str, bytes]:
    """Return incomplete or damaged versions of a list."""
    middle = len(body) // 2
    page = b"<!DOCTYPE html><html><head><title>Just a moment</title></head><body>Checking your browser</body></html>"
    return {
        "cut": body[:middle],
        "cut at the end": body[:-40],
        "empty": b"",
        "a page": page,
        "an object": b"{}",
        "without its end": body[: body.rindex(b"Elderholt")],
        "without its witness": re.sub(
            rb"Wanda|Witness", b"", body.replace(b"Thompson", b"Tomson"), flags=re.IGNORECASE
        ),
    }


@pytest.mark.parametrize("name", PLACES)
def test_what_is_no_whole_list_is_no_answer(name: str) -> None:
    kept, query = listed(name)
    stated = venue_year_list(name, *PLACES[name])
    assert stated is not None
    body = whole(name)
    for what, damaged in damages(body).items():
        if what == "without its witness":
            damaged = body.replace(stated.control.split()[-1].encode(), b"Nothing")
        with pytest.raises(MalformedAnswerError):
            pytest.fail(f"{what}: {kept.parse([query], Response(200, damaged))}")


@pytest.mark.parametrize("name", PLACES)
@pytest.mark.parametrize("status", [400, 404, 410])
def test_a_wrong_address_costs_an_answer_and_denies_nothing(name: str, status: int) -> None:
    assert answer(name, b"Not Found", status) == Unavailable(f"http-{status}", answer_detail(name))


def answer_detail(name: str) -> str:
    stated = venue_year_list(name, *PLACES[name])
    assert stated is not None
    return f"{source(name).label} has no list of {stated.name} at this address"


def test_a_list_in_parts_is_whole_if_each_part_is_full_but_the_last() -> None:
    kept, first = source("openreview_v1_venue"), Query("author_search", "iclr", ("Üblich",), 2022)
    second = Query("author_search", "iclr#2", ("Üblich",), 2022)
    assert isinstance(kept, VenueYearLists)
    bodies = [reply(kept, part) for part in (first, second)]
    assert all(
        isinstance(kept.parse([part], body)[part], Found) for part, body in zip((first, second), bodies, strict=True)
    )
    for part, body in zip((second, first), bodies, strict=True):
        with pytest.raises(MalformedAnswerError):
            kept.parse([part], body)
    assert not kept.accepts(Query("author_search", "iclr#3", ("Üblich",), 2022))


def test_a_paper_of_findings_is_on_the_page_of_its_event_under_its_own_volume() -> None:
    work = Work(
        "a", "Weaving with Engines", "proceedings-article", authors=(Name("Ada", "Quillfeather"),), issued=(2016,),
        container="Findings of the Association for Computational Linguistics: NAACL 2016",
    )  # fmt: skip
    beside = replace(work, event=Event("NAACL", "NAACL 2016"))
    kept, query = listed("acl_events")
    found = kept.parse([query], reply(kept, query, beside))[query]
    assert isinstance(found, Found)
    assert [record.venues for record in found.records] == [(work.container,)]


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "stated", all_lists(), ids=lambda stated: f"{stated.sources[0]}-{stated.name}".replace(" ", "-")
)
def test_every_list_of_the_table_is_asked_for_and_read(stated: VenueYearList) -> None:
    for name in stated.sources:
        kept = source(name)
        assert isinstance(kept, VenueYearLists)
        for value in stated.values:
            query = Query("author_search", value, ("Quillfeather",), stated.year)
            assert kept.accepts(query)
            assert isinstance(kept.parse([query], reply(kept, query))[query], Found)
