"""Rules of the services for their clients since 2026: rates, access, and the form of queries."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

from pytest_citecheck.model import Absent, Query
from pytest_citecheck.net import Identity
from pytest_citecheck.sources import Rate, Response, openalex_record, query_of, source

ANYBODY, SOMEBODY = Identity(), Identity("jane@example.org")
TITLE = Query("title", "C++ Templates and C# AND Beyond", ("Vandevoorde",))


@pytest.mark.parametrize(
    ("name", "pool", "anybody", "somebody"),
    [
        ("datacite", "", Rate(1.6, 2), Rate(3.3, 2)),
        ("crossref", "", Rate(1.0, 1), Rate(3.0, 3)),
        ("crossref", "single", Rate(5.0, 1), Rate(10.0, 3)),
        ("dblp_sparql", "", Rate(1.0, 1), Rate(1.0, 1)),
        ("arxiv", "", Rate(1 / 3, 1), Rate(1 / 3, 1)),
    ],
)
def test_rates(name: str, pool: str, anybody: Rate, somebody: Rate) -> None:
    for identity, rate in ((ANYBODY, anybody), (SOMEBODY, somebody)):
        stated = identity.rate(source(name), pool)
        assert stated.concurrency == rate.concurrency
        assert stated.per_second == pytest.approx(rate.per_second, rel=0.01)


def test_crossref_learns_the_address_as_a_parameter_too() -> None:
    crossref = source("crossref")
    request, headers = SOMEBODY.signed(crossref, crossref.request([TITLE]), mirrored=False)
    assert parse_qs(urlsplit(request.url).query)["mailto"] == ["jane@example.org"]
    assert "mailto:jane@example.org" in headers["user-agent"]


def test_copies_of_famous_works_do_not_crowd_the_real_one_out() -> None:
    """They fill the first seven places of a search."""
    (rows,) = parse_qs(urlsplit(source("crossref").request([TITLE]).url).query)["rows"]
    assert int(rows) > 7


def test_who_is_asked_without_a_key() -> None:
    for name in ("openalex", "semantic_scholar", "crossref"):
        assert ANYBODY.admitted(source(name), "title")
    for name in ("openreview", "openreview_v1"):
        assert ANYBODY.admitted(source(name), "title")
        assert not ANYBODY.admitted(source(name), "openreview")


def test_a_paper_of_a_conference_at_openalex() -> None:
    record = openalex_record({"id": "https://openalex.org/W1", "title": "Engines", "type": "conference-paper"})
    assert record is not None
    assert record.type == "inproceedings"


def test_an_empty_list_of_openreview_is_an_answer_without_a_count() -> None:
    answer = source("openreview").parse([TITLE], Response(200, b'{"notes": []}'))[TITLE]
    assert answer == Absent()


def test_symbols_of_a_title_are_kept_where_they_are_searched_for() -> None:
    """DBLP sorts whole titles, Crossref ranks them; the others index words alone, and read a plus as a sign of their queries."""
    assert '"c++ templates and c# and beyond"' in query_of(source("dblp_sparql").request([TITLE]))
    assert (
        "C++ Templates" in parse_qs(urlsplit(source("crossref").request([TITLE]).url).query)["query.bibliographic"][0]
    )
    for name in ("openalex", "open_library", "semantic_scholar"):
        url = urlsplit(source(name).request([TITLE]).url)
        assert not {"+", "#"} & set(str(parse_qs(url.query)))
    assert " and " in parse_qs(urlsplit(source("open_library").request([TITLE]).url).query)["title"][0]
