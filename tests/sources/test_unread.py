"""An unreadable entry in a response may be the requested work, so such a response never proves absence."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urlsplit

import pytest

from pytest_citecheck.model import Absent, Answer, Found, Query, QueryKind, Unavailable
from pytest_citecheck.sources import SOURCES, MalformedAnswerError, Response, Source, VenueYearLists, without_absences
from tests.stand_ins.server import LocalServices
from tests.support.suites import first_fast

UNKNOWN = {
    "doi": "10.1000/nowhere",
    "prefix": "10.9999",
    "arxiv": "1999.00001",
    "pmid": "99999999",
    "pmcid": "PMC99999999",
    "isbn": "9783161484100",
    "acl": "P99-9999",
    "dblp": "conf/nips/Nobody99",
    "author_search": "conf/nobody",
    "hal": "hal-09999999",
    "nnt": "1999DENS9999",
    "zbl": "9999.99999",
    "texkey": "Nobody:1999zz",
    "bibcode": "1999Natur.999..999N",
    "title": "Entirely invented considerations of nothing in particular",
}
BATCHES = [
    (source, kind)
    for source in SOURCES
    for kind, size in source.batch.items()
    # A publisher's list is one answer: what is unreadable in it is tried in test_venue_year_lists.py.
    # That a place has no work in a service is no evidence, whatever the answer contains (test_places_over_http.py).
    if size > 1 and source.base_url and not isinstance(source, VenueYearLists) and kind != "place"
]
KNOWN = {"title": "Moderated estimation of fold change and dispersion for RNA-seq data with DESeq2"}


def answers(source: Source, kind: QueryKind, services: LocalServices) -> dict[Query, Answer]:
    """Return the source's answers to a query that the service can answer and to one that it cannot."""
    known = source.controls.get(kind) or Query(kind, KNOWN[kind])
    queries = [known, replace(known, value=UNKNOWN[kind])]
    request = source.request(queries)
    url = urlsplit(request.url)
    path = url.path.removeprefix(urlsplit(source.base_url).path)
    method = "POST" if request.body else "GET"
    _, reply = services.respond(method, f"/{source.name}{path}?{url.query}", {}, request.body)
    return source.parse(queries, Response(reply.status, reply.body, {"content-type": reply.content_type}))


@pytest.mark.parametrize(("source", "kind"), first_fast(BATCHES, 6), ids=lambda one: getattr(one, "name", one))
def test_beside_an_entry_that_cannot_be_read_nothing_is_absent(
    source: Source, kind: QueryKind, services: LocalServices
) -> None:
    known, unknown = answers(source, kind, services).values()
    assert isinstance(known, Found)
    assert isinstance(unknown, Absent)
    services.fault(source.name, "unreadable-entry")
    try:
        read = answers(source, kind, services)
    except MalformedAnswerError:
        return
    if source.name == "open_library":  # each book stands under the number that was asked for
        known, unknown = read.values()
        assert isinstance(known, Unavailable)
        return
    assert not any(isinstance(answer, Absent) for answer in read.values())


def test_a_list_with_a_gap_is_not_one_of_all() -> None:
    one, other, third = (Query("title", value) for value in "abc")
    unavailable = Unavailable("not-asked")
    found = without_absences({one: Absent("all"), other: Found((), "all"), third: unavailable}, "Fake")
    assert isinstance(found[one], Unavailable)
    assert found[other] == Found(())
    assert found[third] == unavailable
