"""The local catalogues, HAL and theses.fr, and what the sources read from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from urllib.parse import parse_qsl, urlsplit

import pytest

from pytest_citecheck.model import Answer, Found, Query, Record
from pytest_citecheck.sources import HAL, K10PLUS, LOC, THESES_FR, Response, Source
from tests.stand_ins import FACTS_FILE, load_facts
from tests.stand_ins.facts import Work
from tests.stand_ins.hal import Hal
from tests.stand_ins.k10plus import K10plus
from tests.stand_ins.loc import LibraryOfCongress
from tests.stand_ins.replies import Service
from tests.stand_ins.theses_fr import ThesesFr

FACTS = load_facts(FACTS_FILE)
BOOKS = [work for work in FACTS.works if work.isbn and work.type == "book"]
PLAYED: list[tuple[Source, Callable[..., Service]]] = [
    (K10PLUS, K10plus), (LOC, LibraryOfCongress), (HAL, Hal), (THESES_FR, ThesesFr)
]  # fmt: skip


def ask(source: Source, make: Callable[..., Service], *queries: Query, shift: int = 0) -> dict[Query, Answer]:
    url = urlsplit(source.request(queries).url)
    reply = make(FACTS, shift=shift).answer(url.path, dict(parse_qsl(url.query)))
    return source.parse(queries, Response(reply.status, reply.body))


def record(answer: Answer) -> Record:
    assert isinstance(answer, Found)
    assert len(answer.records) == 1
    return answer.records[0]


def agree(found: Record, work: Work, people: Sequence[str]) -> None:
    assert found.title + (f": {found.subtitle}" if found.subtitle else "") == work.title
    assert list(map(str, found.authors or found.editors)) == people
    assert work.issued[0] in found.years
    assert not found.compiled


@pytest.mark.parametrize(("source", "make"), PLAYED[:2], ids=["k10plus", "loc"])
def test_books_are_found_by_number_and_by_title(source: Source, make: Callable[..., Service]) -> None:
    assert len(BOOKS) >= 20
    for work in BOOKS[:20]:
        people = list(map(str, work.authors or work.editors))
        shown = people if source is K10PLUS or len(people) < 4 else people[:1]
        number = Query("isbn", work.isbn[0])
        agree(record(ask(source, make, number)[number]), work, shown)
        name = (work.authors or work.editors)[0]
        title = Query("title", work.title, (name.family or name.literal,))
        assert isinstance(ask(source, make, title)[title], Found)


def test_theses_and_reports() -> None:
    works = [work for work in FACTS.works if work.hal and not work.vernacular]
    for work in works:
        query = Query("hal", work.hal)
        agree(record(ask(HAL, Hal, query)[query]), work, list(map(str, work.authors)))
    thesis = next(work for work in FACTS.works if work.nnt)
    query = Query("nnt", thesis.nnt)
    found = record(ask(THESES_FR, ThesesFr, query)[query])
    assert (found.title, found.other_titles) == (thesis.vernacular, (thesis.title,))


@pytest.mark.parametrize(("source", "make"), PLAYED[:3], ids=["k10plus", "loc", "hal"])
def test_another_work_in_the_place_of_the_one_asked_for_is_no_answer(
    source: Source, make: Callable[..., Service]
) -> None:
    for kind, control in source.controls.items():
        if kind != "title":
            assert not isinstance(ask(source, make, control, shift=1)[control], Found)
