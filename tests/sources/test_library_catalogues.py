"""K10plus and the Library of Congress over SRU: queries, answers to several questions, answers that are refused."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

from pytest_citecheck.model import Absent, Found, Query, Unavailable
from pytest_citecheck.sources import K10PLUS, LOC, MalformedAnswerError, Response
from tests.stand_ins.facts import Facts, Name, Work
from tests.stand_ins.k10plus import K10plus
from tests.stand_ins.loc import LibraryOfCongress
from tests.stand_ins.replies import Reply

PIERCE, MACKAY, ABSENT = (Query("isbn", number) for number in ("9780262162098", "9780521642989", "9780262035613"))
TYPES = Query("title", "Types and Programming Languages", ("Pierce",))
INFORMATION = Query("title", "Information Theory, Inference, and Learning Algorithms", ("MacKay",))
FACTS = Facts((
    Work("tapl", "Types and Programming Languages", "book", authors=(Name("Benjamin C.", "Pierce"),),
         publisher="MIT Press", issued=(2002,), isbn=(PIERCE.value,)),
    Work("itila", "Information Theory, Inference, and Learning Algorithms", "book", authors=(Name("David J. C.", "MacKay"),),
         publisher="CUP", issued=(2003,), isbn=(MACKAY.value,)),
))  # fmt: skip


HELD = (
    b"<searchRetrieveResponse><numberOfRecords>1</numberOfRecords><records><record><recordData>{}</recordData></record></records>"
    b"</searchRetrieveResponse>"
)


def query(url: str) -> str:
    return parse_qs(urlsplit(url).query)["query"][0]


def answered(source: object, *queries: Query, reply: Reply | None = None) -> dict[Query, object]:
    service, stand_in = (K10PLUS, K10plus) if source is K10PLUS else (LOC, LibraryOfCongress)
    address = urlsplit(service.request(queries).url)
    parameters = {name: values[0] for name, values in parse_qs(address.query).items()}
    sent = reply or stand_in(FACTS).answer(address.path, parameters)
    return dict(service.parse(queries, Response(sent.status, sent.body)))


def test_queries() -> None:
    assert query(K10PLUS.request([PIERCE, MACKAY]).url) == 'pica.isb="9780262162098" or pica.isb="9780521642989"'
    assert query(K10PLUS.request([TYPES, INFORMATION]).url) == (
        '(pica.tit="types" and pica.tit="programming" and pica.tit="languages" and pica.per="pierce") or '
        '(pica.tit="information" and pica.tit="theory" and pica.tit="inference" and pica.tit="learning" and '
        'pica.tit="algorithms" and pica.per="mackay")'
    )
    assert query(LOC.request([PIERCE]).url) == 'bath.isbn="9780262162098"'
    subtitled = Query("title", "Surveiller et punir: Naissance de la prison", ("Foucault",))
    assert (
        query(K10PLUS.request([subtitled]).url)
        == '(pica.tit="surveiller" and pica.tit="punir" and pica.per="foucault")'
    )


@pytest.mark.parametrize("queries", [(PIERCE, MACKAY), (TYPES, INFORMATION)])
def test_a_batch_is_found_by_its_single_requests(queries: tuple[Query, ...]) -> None:
    assert K10PLUS.singles(K10PLUS.request(queries)) == tuple(K10PLUS.request([one]) for one in queries)


def test_each_question_gets_its_records() -> None:
    for source in (K10PLUS, LOC):
        answers = answered(source, PIERCE, MACKAY, ABSENT)
        assert [answer.records[0].title for answer in answers.values() if isinstance(answer, Found)] == [
            "Types and Programming Languages",
            "Information Theory, Inference, and Learning Algorithms",
        ]
        assert answers[ABSENT] == Absent()
    titles = answered(K10PLUS, TYPES, INFORMATION)
    assert all(isinstance(answer, Found) and len(answer.records) == 1 for answer in titles.values())


def test_an_answer_that_was_cut_denies_nothing() -> None:
    whole = K10plus(FACTS).answer("/opac-de-627", {"operation": "searchRetrieve", "query": 'pica.isb="9780262162098"'})
    many = whole.body.replace(b"<zs:numberOfRecords>1<", b"<zs:numberOfRecords>400<")
    records = many.replace(b"</zs:records>", b"")
    start, end = records.index(b"<zs:record>"), records.index(b"</zs:record>") + len(b"</zs:record>")
    full = records[:start] + records[start:end] * K10PLUS.hits + b"</zs:records></zs:searchRetrieveResponse>"
    answers = answered(K10PLUS, PIERCE, ABSENT, reply=Reply(200, "text/xml", full))
    assert isinstance(answers[PIERCE], Found)
    assert isinstance(answers[ABSENT], Unavailable)


@pytest.mark.parametrize(
    "body",
    [
        b'<zs:searchRetrieveResponse xmlns:zs="http://www.loc.gov/zing/srw/"><zs:version>1.1</zs:version></zs:searchRetrieveResponse>',
        b"<searchRetrieveResponse><numberOfRecords>3</numberOfRecords></searchRetrieveResponse>",
        b"<searchRetrieveResponse><numberOfRecords>many</numberOfRecords></searchRetrieveResponse>",
        HELD.replace(b"{}", b"&lt;record/&gt;"),
        HELD.replace(b"{}", b"<record/>"),
        K10plus(FACTS).answer("/opac-de-627", {"operation": "searchRetrieve", "query": 'dc.nothing="x"'}).body,
    ],
)
def test_what_is_no_list_of_records(body: bytes) -> None:
    """Also a diagnostic, as to an index that the server does not have: a wrong guess at its queries denies nothing."""
    with pytest.raises(MalformedAnswerError):
        answered(K10PLUS, PIERCE, reply=Reply(200, "text/xml", body))
