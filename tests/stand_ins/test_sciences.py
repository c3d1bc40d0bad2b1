"""The local INSPIRE, zbMATH, ADS and bioRxiv: what the sources read from them is what the facts say."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

import pytest

from pytest_citecheck.model import Absent, Answer, Found, Query
from pytest_citecheck.sources import Response, source
from tests.stand_ins import FACTS_FILE, load_facts
from tests.stand_ins.ads import AstrophysicsDataSystem
from tests.stand_ins.biorxiv import BioRxiv
from tests.stand_ins.inspire import Inspire
from tests.stand_ins.replies import Service
from tests.stand_ins.zbmath import ZbMath

FACTS = load_facts(FACTS_FILE)
SERVICES: dict[str, Service] = {
    "inspire": Inspire(FACTS),
    "zbmath": ZbMath(FACTS),
    "ads": AstrophysicsDataSystem(FACTS),
    "biorxiv": BioRxiv(FACTS),
}
KEYS = {"inspire": "texkey", "zbmath": "zbl", "ads": "bibcode"}


def ask(name: str, *queries: Query) -> dict[Query, Answer]:
    asked = source(name)
    assert all(asked.accepts(query) for query in queries)
    url = urlsplit(asked.request(queries).url)
    base = urlsplit(asked.base_url).path
    reply = SERVICES[name].answer(url.path.removeprefix(base), dict(parse_qsl(url.query)))
    return asked.parse(queries, Response(reply.status, reply.body))


@pytest.mark.parametrize("name", KEYS)
def test_every_work_is_found_by_its_key_its_doi_and_its_title(name: str) -> None:
    works = [work for work in FACTS.works if getattr(work, KEYS[name])]
    assert len(works) >= 4
    kind = KEYS[name]
    for start in range(0, len(works), 5):
        some = works[start : start + 5]
        keys = [Query(kind, getattr(work, kind)) for work in some]  # type: ignore[arg-type]
        dois = [Query("doi", work.doi.lower()) for work in some]
        answers = ask(name, *keys) | ask(name, *dois)
        for work, *queries in zip(some, keys, dois, strict=True):
            titled = Query("title", work.title, tuple(name.family for name in work.authors[:1] if name.family))
            for found in (*(answers[query] for query in queries), ask(name, titled)[titled]):
                assert isinstance(found, Found)
                assert work.doi.lower() in {record.doi for record in found.records}
                assert {year for record in found.records for year in record.years} & {work.issued[0], *work.print[:1]}


@pytest.mark.parametrize("name", KEYS)
def test_what_they_do_not_have_is_absent(name: str) -> None:
    unknown = Query("title", "An invented theory of entirely absent gradients in rotating supergravity")
    doi = Query("doi", "10.1000/none")
    assert ask(name, unknown) == {unknown: Absent()}
    assert ask(name, doi) == {doi: Absent()}


def test_every_link_of_a_preprint_is_found_and_other_preprints_have_none() -> None:
    for work in FACTS.works:
        if work.published:
            query = Query("doi", work.doi)
            found = ask("biorxiv", query)[query]
            assert isinstance(found, Found)
            assert found.records[1].doi == work.published
    other = Query("doi", "10.1101/999999")
    assert ask("biorxiv", other) == {other: Absent()}


def test_inspire_finds_works_by_their_places() -> None:
    works = [
        work for work in FACTS.works if work.texkey and work.volume and work.pages.partition("-")[0] not in ("", "1")
    ]
    assert works
    queries = [Query("place", f"{work.container}||{work.volume}|{work.pages.partition('-')[0]}") for work in works]
    nowhere = Query("place", f"{works[0].container}||{works[0].volume}|99999")
    answers = ask("inspire", *queries, nowhere)
    for query, work in zip(queries, works, strict=True):
        answer = answers[query]
        assert isinstance(answer, Found), query
        assert work.doi.lower() in {record.doi for record in answer.records}
    assert answers[nowhere] == Absent()
    assert source("inspire").singles(source("inspire").request(queries))[0] == source("inspire").request(queries[:1])
