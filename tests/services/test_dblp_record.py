"""DBLP's records by key."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.model import Absent, Answer, Found, Notice, Person, Query, Record
from pytest_citecheck.sources import DBLP_RECORD, MalformedAnswerError, Response

KEY = Query("dblp", "conf/nips/VaswaniSPUJGKP17")
PAPER = """<inproceedings key="conf/nips/VaswaniSPUJGKP17" mdate="2021-01-21">
<author>Ashish Vaswani</author><author pid="1/2" orcid="0000-0000-0000-0000">Noam Shazeer 0001</author>
<title>Attention is All you Need.</title><pages>5998-6008</pages><year>2017</year><booktitle>NIPS</booktitle>
<ee type="oa">https://proceedings.example/attention.html</ee><ee>https://doi.org/10.5555/3295222.3295349</ee>
<crossref>conf/nips/2017</crossref><url>db/conf/nips/nips2017.html#VaswaniSPUJGKP17</url></inproceedings>"""


def whole(*elements: str) -> bytes:
    return f'<?xml version="1.0" encoding="US-ASCII"?>\n<dblp>{"".join(elements)}</dblp>\n'.encode()


def ask(body: bytes, query: Query = KEY, status: int = 200) -> Answer:
    return DBLP_RECORD.parse([query], Response(status, body))[query]


def record(element: str, key: str = "x/y/Z1") -> Record:
    found = ask(whole(element.replace("KEY", f'key="{key}"')), Query("dblp", key))
    assert isinstance(found, Found)
    return found.records[0]


def test_a_paper_of_a_conference() -> None:
    expected = Record(
        source="dblp",
        id=KEY.value,
        url="https://dblp.org/rec/conf/nips/VaswaniSPUJGKP17",
        title="Attention is All you Need",
        authors=(Person(literal="Ashish Vaswani"), Person(literal="Noam Shazeer")),
        years=(2017,),
        venues=("NIPS",),
        type="inproceedings",
        doi="10.5555/3295222.3295349",
        pages="5998-6008",
    )
    assert ask(whole(PAPER)) == Found((expected,))
    assert ask(PAPER.encode()) == ask(whole(PAPER))
    assert ask(b'<?xml version="1.0"?><!DOCTYPE dblp SYSTEM "dblp.dtd"><dblp>' + PAPER.encode() + b"</dblp>") == ask(
        whole(PAPER)
    )


def test_a_preprint() -> None:
    element = """<article publtype="informal" KEY><author>A B</author><title>On <i>k</i>-SAT and H<sub>2</sub>O?</title>
    <year>2017</year><volume>abs/1706.03762</volume><journal>CoRR</journal><ee>http://arxiv.org/abs/1706.03762</ee></article>"""
    found = record(element, "journals/corr/VaswaniSPUJGKP17")
    assert (found.title, found.type, found.arxiv, found.venues) == (
        "On k-SAT and H2O?",
        "preprint",
        "1706.03762",
        ("CoRR",),
    )
    assert found.notices == ()
    withdrawn = record(element.replace('"informal"', '"informal withdrawn"'), "journals/corr/abs-1706-03762")
    assert (withdrawn.type, withdrawn.notices) == ("preprint", (Notice("removal", "dblp"),))


@pytest.mark.parametrize(
    ("element", "kind", "venues"),
    [
        ("<article KEY><title>T</title><journal>J</journal></article>", "article", ("J",)),
        ('<article publtype="informal" KEY><title>T</title><journal>J</journal></article>', "other", ("J",)),
        ("<incollection KEY><title>T</title><booktitle>B</booktitle></incollection>", "chapter", ("B",)),
        ("<book KEY><title>T</title><series>S</series></book>", "book", ("S",)),
        ("<phdthesis KEY><title>T</title><school>U</school></phdthesis>", "thesis", ("U",)),
        ("<mastersthesis KEY><title>T</title><school>U</school></mastersthesis>", "thesis", ("U",)),
        ("<data KEY><title>T</title></data>", "dataset", ()),
        ("<www KEY><title>T</title></www>", "other", ()),
    ],
)
def test_kinds_of_publications(element: str, kind: str, venues: tuple[str, ...]) -> None:
    found = record(element)
    assert (found.type, found.venues) == (kind, venues)


def test_proceedings_and_their_editors() -> None:
    element = """<proceedings KEY><editor>Ed Itor 0002</editor><title>Proceedings of X</title><volume>12</volume>
    <year>2008</year><isbn>978-3-540-87876-6</isbn><booktitle>X</booktitle><series>LNCS</series><publisher>P</publisher>
    </proceedings>"""
    found = record(element)
    assert (found.authors, found.editors) == ((), (Person(literal="Ed Itor"),))
    assert (found.type, found.venues, found.isbn) == ("proceedings", ("X", "LNCS"), ("9783540878766",))
    assert (found.volume, found.publisher, found.years) == ("12", "P", (2008,))


def test_a_book_with_authors_and_editors() -> None:
    found = record("<book KEY><author>A B</author><editor>C D</editor><title>T</title></book>")
    assert (found.authors, found.editors) == ((Person(literal="A B"),), (Person(literal="C D"),))


def test_letters_beyond_ascii() -> None:
    body = whole(PAPER.replace("Ashish", "J&#252;rgen"))
    found = ask(body)
    assert isinstance(found, Found)
    assert found.records[0].authors[0] == Person(literal="Jürgen Vaswani")


@pytest.mark.parametrize(
    "body",
    [
        whole(PAPER.replace("GKP17", "GKP18")),
        whole(PAPER.replace("VaswaniSPUJGKP17", "vaswanispujgkp17")),
        whole(PAPER.replace('key="', 'kay="')),
        whole(PAPER.replace("Attention is All you Need.", "")),
        whole(PAPER, PAPER),
        whole(),
        whole(PAPER)[:-10],
        whole(PAPER.replace("Ashish", "J&uuml;rgen")),
        whole('<www key="homepages/v/AshishVaswani"><author>Ashish Vaswani</author><title>Home Page</title></www>'),
        b'<?xml version="1.0"?><dblpperson name="A"><r></r></dblpperson>',
        b"<html><body>Too many requests</body></html>",
        b'<!DOCTYPE dblp [<!ENTITY a "b">]><dblp/>',
        b"",
    ],
)
def test_everything_but_that_one_publication_is_refused(body: bytes) -> None:
    with pytest.raises(MalformedAnswerError):
        ask(body)


def test_a_key_that_dblp_does_not_have() -> None:
    assert ask(b"<html><title>dblp: Error 404</title><body>not found</body></html>", status=404) == Absent("")
    for status, body in (
        (404, b"<html>404 Not Found (proxy)</html>"),
        (404, b"dblp 404"),
        (410, b"<html>dblp 404</html>"),
    ):
        with pytest.raises(MalformedAnswerError):
            ask(body, status=status)


@pytest.mark.parametrize(
    ("key", "accepted"),
    [
        ("conf/nips/VaswaniSPUJGKP17", True),
        ("journals/corr/abs-1706-03762", True),
        ("phd/dnb/Muller+10", True),
        ("homepages/v/AshishVaswani", False),
        ("conf", False),
        ("conf/nips/../../x", False),
        ("conf/nips/x?y", False),
        ("conf/nips/a b", False),
        ("", False),
    ],
)
def test_keys_that_are_asked(key: str, accepted: bool) -> None:
    assert DBLP_RECORD.accepts(Query("dblp", key)) == accepted


def test_the_request() -> None:
    assert DBLP_RECORD.request([KEY]).url == "https://dblp.org/rec/conf/nips/VaswaniSPUJGKP17.xml"
    assert DBLP_RECORD.request([KEY]).accept == "application/xml"


@given(
    st.text(alphabet=st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="<&\ufffe\uffff"), max_size=30)
)
def test_any_text_is_read(value: str) -> None:
    body = whole(
        f'<article key="a/b/C"><author>{value}</author><title>x{value}</title><year>{value}</year><ee>{value}</ee>'
        f"<volume>{value}</volume><journal>{value}</journal></article>"
    )
    assert isinstance(ask(body, Query("dblp", "a/b/C")), Found)
