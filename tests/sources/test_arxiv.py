"""arXiv: requests, entries as records, feeds that are refused."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.model import Absent, Answer, Found, Notice, Person, Query, Record, Unavailable
from pytest_citecheck.sources import ARXIV, MalformedAnswerError, Response

ID = Query("arxiv", "1706.03762")
OLD = Query("arxiv", "math/0309136")
TITLE = Query("title", "Attention Is All You Need", authors=("Vaswani",))

ENTRY = """<entry><id>http://arxiv.org/abs/1706.03762v7</id><title>Attention Is\n  All You Need</title>
<updated>2023-08-02T00:41:18Z</updated><published>2017-06-12T17:57:34Z</published>
<author><name>Ashish Vaswani</name><arxiv:affiliation>Somewhere</arxiv:affiliation></author>
<author><name>ATLAS Collaboration</name></author><author><name>:</name></author></entry>"""


def feed(*entries: str, total: int | None = None, size: int = 10, asked: str = "") -> bytes:
    return (
        '<?xml version="1.0" encoding="UTF-8"?><feed xmlns="http://www.w3.org/2005/Atom"'
        ' xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" xmlns:arxiv="http://arxiv.org/schemas/atom">'
        f"<title>arXiv Query: search_query=&amp;id_list={asked}&amp;start=0&amp;max_results={size}</title>"
        f"<opensearch:totalResults>{len(entries) if total is None else total}</opensearch:totalResults>"
        "<opensearch:startIndex>0</opensearch:startIndex>"
        f"<opensearch:itemsPerPage>{size}</opensearch:itemsPerPage>{''.join(entries)}</feed>"
    ).encode()


def entry(identifier: str = "1706.03762v1", **elements: str) -> str:
    rest = "".join(
        f"<{name.replace('_', ':', 1)}>{escape(value)}</{name.replace('_', ':', 1)}>"
        for name, value in elements.items()
    )
    return f"<entry><id>http://arxiv.org/abs/{identifier}</id>{rest}</entry>"


def error(summary: str) -> str:
    return f"<entry><id>http://arxiv.org/api/errors#x</id><title>Error</title><summary>{summary}</summary></entry>"


def ask(query: Query, body: bytes, status: int = 200) -> Answer:
    return ARXIV.parse([query], Response(status, body))[query]


def record(**elements: str) -> Record:
    answer = ask(ID, feed(entry(**elements)))
    assert isinstance(answer, Found)
    return answer.records[0]


def test_an_entry() -> None:
    expected = Record(
        source="arxiv",
        id="1706.03762",
        url="https://arxiv.org/abs/1706.03762",
        title="Attention Is All You Need",
        authors=(Person(literal="Ashish Vaswani"), Person(literal="ATLAS Collaboration", group=True)),
        years=(2017, 2023),
        venues=("arXiv",),
        type="preprint",
        arxiv="1706.03762",
        version=7,
    )
    assert ask(ID, feed(ENTRY)) == Found((expected,))


def test_the_published_version() -> None:
    found = record(arxiv_journal_ref="Phys. Rev. Lett. 116, 061102 (2016)", arxiv_doi="10.1103/PhysRevLett.116.061102")
    assert found.venues == ("arXiv", "Phys. Rev. Lett", "Phys. Rev. Lett. 116, 061102 (2016)")
    assert found.years == (2016,)
    assert found.related == (("is-preprint-of", "10.1103/physrevlett.116.061102"),)
    assert found.doi == ""


@pytest.mark.parametrize(
    ("reference", "journal", "years"),
    [
        ("Phys.Rev.D76:013009,2007", "Phys.Rev.D", (2007,)),
        (
            "Advances in Neural Information Processing Systems 30 (2017)",
            "Advances in Neural Information Processing Systems",
            (2017,),
        ),
        ("Annals of Mathematics, Vol. 175", "Annals of Mathematics", ()),
        ("JHEP 0712:010,2007", "JHEP", (2007,)),
    ],
)
def test_journal_references(reference: str, journal: str, years: tuple[int, ...]) -> None:
    found = record(arxiv_journal_ref=reference)
    assert found.venues == ("arXiv", journal, reference)
    assert found.years == years


@pytest.mark.parametrize(
    "reference", ["Nature", "Proceedings of the 34th ICML", "In Proc. 2019 ICSE", "2023 IEEE ICSTW"]
)
def test_a_reference_without_a_journal_in_front_stays_whole(reference: str) -> None:
    assert record(arxiv_journal_ref=reference).venues == ("arXiv", reference)


def test_titles_keep_formulas_and_lose_line_breaks() -> None:
    assert record(title="On  $\\ell_1$\n  &amp; p < 0.05").title == "On $\\ell_1$ & p < 0.05"


def test_ids_without_version_and_subject_class() -> None:
    body = feed(entry("math.GT/0309136v2", title="T"), entry("1706.03762v3", title="U"))
    answers = ARXIV.parse([ID, OLD], Response(200, body))
    ids = [answer.records[0].id for answer in answers.values() if isinstance(answer, Found)]
    assert ids == ["1706.03762", "math/0309136"]


def test_an_id_that_is_missing_in_a_whole_answer_is_absent() -> None:
    assert ask(OLD, feed(ENTRY, asked="math/0309136,1706.03762v7")) == Absent("arXiv has no such id")
    assert ask(ID, feed(asked="1706.03762")) == Absent("arXiv has no such id")
    assert ask(TITLE, feed()) == Absent("")


def test_an_answer_about_other_ids_is_no_evidence() -> None:
    with pytest.raises(MalformedAnswerError, match="not requested"):
        ask(OLD, feed(ENTRY, asked="math/0309136"))
    assert ask(OLD, feed(ENTRY, asked="1706.03762")) == Absent("")
    assert ask(OLD, feed()) == Absent("")


def test_a_refused_id() -> None:
    refusal = feed(error("incorrect id format for 1706.03762"))
    assert ask(ID, refusal, 400) == Absent("arXiv has no such id")
    both = ARXIV.parse([ID, OLD], Response(400, refusal))
    assert both[ID] == Absent("arXiv has no such id")
    assert isinstance(both[OLD], Unavailable)


FIRST, THIRD = Query("arxiv", "1706.03762v1"), Query("arxiv", "1706.03762v3")


def test_a_version_is_asked_for_by_its_number() -> None:
    assert ARXIV.accepts(FIRST)
    assert parse_qs(urlsplit(ARXIV.request([ID, FIRST]).url).query)["id_list"] == ["1706.03762,1706.03762v1"]
    body = feed(entry(title="Attention for translation"), asked="1706.03762v1")
    answer = ask(FIRST, body)
    assert isinstance(answer, Found)
    assert [(found.id, found.arxiv, found.version, found.title) for found in answer.records] == [
        ("1706.03762", "1706.03762", 1, "Attention for translation")
    ]
    assert answer.records[0].url == "https://arxiv.org/abs/1706.03762v1"  # the page that has this title


def test_versions_of_one_paper_in_one_answer_are_kept_apart() -> None:
    body = feed(ENTRY, entry(title="Attention for translation"), entry("math/0309136v2", title="U"),
                asked="1706.03762,1706.03762v1,math/0309136v2,1706.03762v3")  # fmt: skip
    queries = [ID, FIRST, Query("arxiv", "math/0309136v2"), THIRD]
    answers = ARXIV.parse(queries, Response(200, body))
    shown = [
        [(record.id, record.version) for record in answer.records] if isinstance(answer, Found) else answer
        for answer in answers.values()
    ]
    assert shown == [[("1706.03762", 7)], [("1706.03762", 1)], [("math/0309136", 2)], Absent("")]


def test_a_paper_of_one_version_is_found_under_both_its_names() -> None:
    for entries in ([entry(title="T")], [entry(title="T"), entry(title="T")]):  # repeated, or once for both
        answers = ARXIV.parse([ID, FIRST], Response(200, feed(*entries, asked="1706.03762,1706.03762v1")))
        versions = [one.records[0].version if isinstance(one, Found) else one for one in answers.values()]
        assert versions == [1, 1]


def test_a_version_that_does_not_exist_is_no_evidence_against_the_paper() -> None:
    assert ask(THIRD, feed(asked="1706.03762v3")) == Absent("")
    assert ask(THIRD, feed(ENTRY, asked="1706.03762v3")) == Absent("")  # another version is shown in its place
    refusal = feed(error("incorrect id format for 1706.03762v3"))
    assert ask(THIRD, refusal, 400) == Absent("")
    answers = ARXIV.parse([ID, THIRD, OLD], Response(400, refusal))
    assert answers[THIRD] == Absent("")
    assert isinstance(answers[ID], Unavailable)
    assert isinstance(answers[OLD], Unavailable)


@pytest.mark.parametrize("summary", ["max_results must be an integer", ""])
def test_other_errors_are_refused(summary: str) -> None:
    with pytest.raises(MalformedAnswerError):
        ask(ID, feed(error(summary)), 400)
    with pytest.raises(MalformedAnswerError):
        ask(TITLE, feed(error(summary)))


@pytest.mark.parametrize(
    "body",
    [
        feed(total=3),
        feed(ENTRY, total=2),
        feed(ENTRY)[:-7],
        feed(ENTRY).replace(b"totalResults", b"totalStuff"),
        feed("<entry><id>http://example.org/1</id></entry>"),
        feed(ENTRY).replace(b"http://www.w3.org/2005/Atom", b"http://example.org/Atom"),
        feed(ENTRY).decode().encode("utf-16"),
        feed(ENTRY).replace(b"Ashish", b"\xff\xfe"),
        feed(ENTRY).replace(b"<title>arXiv", b"<title>&unknown; arXiv"),
    ],
)
def test_feeds_that_are_not_whole_are_refused(body: bytes) -> None:
    for query in (ID, TITLE):
        with pytest.raises(MalformedAnswerError):
            ask(query, body)


def test_an_entity_bomb_is_never_expanded() -> None:
    entities = '<!ENTITY a "aaaaaaaaaa">' + "".join(
        f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">' for i in range(9)
    )
    for declaration in (f"<!DOCTYPE feed [{entities}]>", '<!doctype feed SYSTEM "file:///etc/passwd">'):
        body = feed(entry(title="x")).replace(b"<feed", declaration.encode() + b"<feed", 1).replace(b">x<", b">&j;<")
        with pytest.raises(MalformedAnswerError, match="declaration"):
            ask(ID, body)


def test_deep_nesting_does_no_harm() -> None:
    body = feed(f"<entry>{'<a>' * 5_000}{'</a>' * 5_000}<id>http://arxiv.org/abs/1706.03762v1</id></entry>")
    with pytest.raises(MalformedAnswerError, match="nested more than 100 times"):
        ask(ID, body)


def test_requests() -> None:
    batch = parse_qs(urlsplit(ARXIV.request([ID, OLD]).url).query)
    assert batch == {"id_list": ["1706.03762,math/0309136"], "max_results": ["2"]}
    assert ARXIV.request([ID]).accept == "application/atom+xml"
    title = parse_qs(urlsplit(ARXIV.request([Query("title", 'BERT: "Pre-training" (deep) OR $x$ words')]).url).query)
    assert title["search_query"] == ['ti:"BERT Pre training deep OR words"']
    short = parse_qs(urlsplit(ARXIV.request([Query("title", "Deep learning", authors=("van den Oord",))]).url).query)
    assert short["search_query"] == ['ti:"Deep learning" AND au:"van den Oord"']


def titles_feed(*entries: str, total: int, searches: int) -> bytes:
    echo = " OR ".join(f'ti:"title {number}"' for number in range(searches))
    return feed(*entries, total=total).replace(b"search_query=", f"search_query={escape(echo)}".encode())


BERT = Query("title", "BERT: Pre-training of Deep Bidirectional Transformers")


def test_titles_are_searched_for_together() -> None:
    short = Query("title", "Deep learning", authors=("LeCun",))
    request = ARXIV.request([TITLE, short, BERT])
    query = parse_qs(urlsplit(request.url).query)
    assert query["search_query"] == [
        (
            'ti:"Attention Is All You Need" OR (ti:"Deep learning" AND au:"LeCun") '
            'OR ti:"BERT Pre training of Deep Bidirectional Transformers"'
        )
    ]
    assert query["max_results"] == ["15"]
    assert ARXIV.singles(request) == tuple(ARXIV.request([query]) for query in (TITLE, short, BERT))


def test_each_title_gets_what_resembles_it() -> None:
    other = entry("1810.04805v2", title="BERT: Pre-training of Deep Bidirectional Transformers")
    body = feed(ENTRY, other, entry("2001.00001v1", title="Something else"))
    answers = ARXIV.parse([TITLE, BERT, Query("title", "A third title that is not there")], Response(200, body))
    found = [
        [record.id for record in answer.records] if isinstance(answer, Found) else answer for answer in answers.values()
    ]
    assert found == [["1706.03762"], ["1810.04805"], Absent("")]
    twice = Query("title", "Attention is all you need!")
    assert ARXIV.parse([TITLE, twice], Response(200, body))[twice] == ask(TITLE, body)


def test_a_list_that_is_cut_says_nothing_about_titles_that_it_does_not_show() -> None:
    entries = [ENTRY, *(entry(f"2001.{number:05}v1", title="Another") for number in range(9))]
    cut = titles_feed(*entries, total=100, searches=2)
    assert isinstance(ask(TITLE, cut), Found)
    assert isinstance(ask(BERT, cut), Unavailable)
    assert isinstance(ARXIV.parse([TITLE, BERT], Response(200, feed(*entries, total=100)))[BERT], Unavailable)
    assert ask(BERT, titles_feed(*entries, total=10, searches=2)) == Absent("")
    assert ask(BERT, titles_feed(*entries, total=100, searches=1)) == Absent("")


@pytest.mark.parametrize(
    "value", ["1713.03762", "1706.3762", "17060.3762", "nonsense/0101001", "", "1706.03762,1706.03763"]
)
def test_ids_that_would_spoil_a_batch_are_not_asked(value: str) -> None:
    assert not ARXIV.accepts(Query("arxiv", value))


IDS = st.builds(
    lambda year, month, number: f"{year:02}{month:02}.{number:05}",
    st.integers(15, 26),
    st.integers(1, 12),
    st.integers(1, 99999),
) | st.builds(
    lambda archive, number: f"{archive}/{number:07}",
    st.sampled_from(["math", "hep-th", "cs"]),
    st.integers(9101001, 9912999),
)


VERSIONS = st.sampled_from(["", "v1", "v12"])


@given(st.lists(st.builds(str.__add__, IDS, VERSIONS), min_size=1, max_size=50, unique=True))
def test_a_batch_is_found_again_by_each_of_its_questions(values: list[str]) -> None:
    queries = [Query("arxiv", value) for value in values]
    assert ARXIV.singles(ARXIV.request(queries)) == tuple(ARXIV.request([query]) for query in queries)


TITLES = st.text(alphabet="ab:\"()-'/ORAND,.?$\\", max_size=20).map(lambda text: f"x{text}")


@given(st.lists(st.tuples(TITLES, st.lists(TITLES, max_size=2)), min_size=1, max_size=10))
def test_a_search_is_found_again_by_each_of_its_titles(values: list[tuple[str, list[str]]]) -> None:
    queries = [Query("title", title, tuple(authors)) for title, authors in values]
    assert ARXIV.singles(ARXIV.request(queries)) == tuple(ARXIV.request([query]) for query in queries)


@given(st.text(max_size=30, alphabet=st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff")))
def test_any_text_in_an_entry_is_read(value: str) -> None:
    found = record(title=value, published=value, arxiv_journal_ref=value, arxiv_doi=value)
    assert found.venues[0] == "arXiv"


@pytest.mark.parametrize(
    ("comment", "withdrawn"),
    [
        ("This paper has been withdrawn by the authors due to an error in Lemma 2", True),
        ("This submission has been withdrawn by arXiv administrators", True),
        ("Withdrawn; see the new version", True),
        ("withdrawn from ICML 2020", False),
        ("12 pages; an earlier version has been withdrawn", False),
        ("NIPS 2017", False),
    ],
)
def test_a_withdrawal_stands_in_the_comment(comment: str, *, withdrawn: bool) -> None:
    assert record(arxiv_comment=comment).notices == ((Notice("removal", "arxiv"),) if withdrawn else ())


def test_entries_in_any_order_beside_ids_that_are_left_out() -> None:
    third = Query("arxiv", "1706.99999")
    body = feed(entry("math/0309136v1", title="B"), ENTRY, asked="1706.03762,1706.99999,math/0309136")
    answers = ARXIV.parse([ID, third, OLD], Response(200, body))
    assert [type(answers[query]) for query in (ID, third, OLD)] == [Found, Absent, Found]
    assert answers[third] == Absent("arXiv has no such id")
