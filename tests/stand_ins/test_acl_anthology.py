"""The local ACL Anthology, and what the source reads from it."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

import pytest

from pytest_citecheck.model import Absent, Answer, Found, Query
from pytest_citecheck.sources import ACL_ANTHOLOGY, MalformedAnswerError, Response
from tests.stand_ins import FACTS_FILE, load_facts
from tests.stand_ins.acl_anthology import AclAnthology
from tests.stand_ins.facts import Event, Facts, Name, Work

FACTS = load_facts(FACTS_FILE)
PAPERS = [work for work in FACTS.works if work.acl]


def ask(identifier: str, facts: Facts = FACTS, *, shift: int = 0) -> Answer:
    query = Query("acl", identifier)
    url = urlsplit(ACL_ANTHOLOGY.request([query]).url)
    reply = AclAnthology(facts, shift=shift).answer(url.path, dict(parse_qsl(url.query)))
    return ACL_ANTHOLOGY.parse([query], Response(reply.status, reply.body))[query]


def test_there_are_enough_papers() -> None:
    assert len(PAPERS) > 4


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.id)
def test_a_paper(paper: Work) -> None:
    answer = ask(paper.acl)
    assert isinstance(answer, Found)
    (record,) = answer.records
    assert (record.id, record.title, record.doi) == (paper.acl, paper.title, paper.doi.lower())
    assert [(person.given, person.family) for person in record.authors] == [
        (name.given, name.family) for name in paper.authors
    ]
    assert record.venues == (paper.container,)
    assert record.years == (int(paper.dblp[0].year),)
    assert record.pages == (paper.dblp[0].pages or paper.pages)


def test_groups_suffixes_editors_and_signs_of_xml() -> None:
    people = (Name(given="Ada B.", family="O'Neil", suffix="Jr."), Name(literal="A & B Group"))
    paper = Work(
        "x", "Less < more", "proceedings-article", authors=people, editors=people[:1], event=Event(), issued=(2020,),
        acl="2020.acl-main.1",
    )  # fmt: skip
    answer = ask(paper.acl, Facts((paper,)))
    assert isinstance(answer, Found)
    (record,) = answer.records
    assert record.title == "Less < more"
    assert list(map(str, record.authors)) == ["Ada B. O'Neil, Jr.", "A & B Group"]
    assert [person.family for person in record.editors] == ["O'Neil"]


def test_what_it_does_not_have_is_a_page_of_its_own() -> None:
    assert ask("Z99-9999") == Absent()
    assert AclAnthology(FACTS).answer("/N19-1423", {}).status == 404


def test_misfiled_answers_are_refused() -> None:
    with pytest.raises(MalformedAnswerError):
        ask(PAPERS[0].acl, shift=1)
