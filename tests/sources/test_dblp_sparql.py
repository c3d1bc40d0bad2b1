"""DBLP over SPARQL: queries, rows as records, tables that are refused."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

import pytest

from pytest_citecheck.model import Absent, Answer, Found, Query, Record, Unavailable
from pytest_citecheck.net import batches
from pytest_citecheck.sources import DBLP_SPARQL, MOST_TITLED, MalformedAnswerError, Response, beginning, query_of
from tests.stand_ins import FACTS_FILE, load_facts
from tests.stand_ins.dblp_sparql import DblpSparql

LOCAL = DblpSparql(load_facts(FACTS_FILE))
BYLINE = Query("author_search", "conf/nips", ("Vaswani",), 2017)
VOLUME = Query("venue_year", "conf/nips", (), 2017)
RESNET = Query("doi", "10.1109/cvpr.2016.90")
AT_CVPR = Query("author_search", "conf/cvpr", ("He",), 2016)


def row(**values: str) -> dict[str, Any]:
    stated = {
        "asked": "https://doi.org/10.1109/CVPR.2016.90",
        "publication": "https://dblp.org/rec/conf/cvpr/HeZRS16",
        "title": "Deep Residual Learning for Image Recognition.",
        "type": "http://purl.org/net/nknouf/ns/bibtex#Inproceedings",
        "year": "2016",
        "venue": "CVPR",
        "creators": "2",
        "signatures": "2 Jian Sun 0001|1 Kaiming He",
    } | values
    return {name: {"type": "literal", "value": value} for name, value in stated.items() if value}


def table(*rows: object) -> bytes:
    return json.dumps({"head": {"vars": ["publication"]}, "results": {"bindings": rows}}).encode()


def read(query: Query, *rows: object) -> Answer:
    return DBLP_SPARQL.parse([query], Response(200, table(*rows)))[query]


def only(answer: Answer) -> Record:
    assert isinstance(answer, Found)
    (record,) = answer.records
    return record


def ask(*queries: Query) -> dict[Query, Answer]:
    """Return the answers of the local endpoint, which parses the query."""
    request = DBLP_SPARQL.request(queries)
    parts = urlsplit(request.url)
    reply = (
        LOCAL.post(parts.path, {}, request.body)
        if request.body
        else LOCAL.answer(parts.path, dict(parse_qsl(parts.query)))
    )
    return DBLP_SPARQL.parse(queries, Response(reply.status, reply.body))


def ids(answer: Answer) -> list[str]:
    return [record.id for record in answer.records] if isinstance(answer, Found) else []


def test_authors_stand_in_the_order_of_their_ordinals_and_without_homonym_numbers() -> None:
    names = "|".join(f"{number} Author {chr(96 + number)}" for number in (10, 2, 1, 3, 4, 5, 6, 7, 8, 9))
    assert [str(one) for one in only(read(RESNET, row())).authors] == ["Kaiming He", "Jian Sun"]
    ten = only(read(RESNET, row(signatures=names, creators="10")))
    assert [str(one) for one in ten.authors] == [f"Author {letter}" for letter in "abcdefghij"]


def test_a_publication() -> None:
    record = only(read(RESNET, row(pages="770-778")))
    assert (record.source, record.id, record.url) == (
        "dblp",
        "conf/cvpr/HeZRS16",
        "https://dblp.org/rec/conf/cvpr/HeZRS16",
    )
    assert record.title == "Deep Residual Learning for Image Recognition"
    assert (record.years, record.venues, record.type) == ((2016,), ("CVPR",), "inproceedings")
    assert (record.doi, record.pages) == ("10.1109/cvpr.2016.90", "770-778")


def test_a_paper_of_corr_is_a_preprint_with_its_arxiv_id() -> None:
    key = Query("dblp", "journals/corr/abs-1706-03762")
    stated = row(
        asked="", publication="https://dblp.org/rec/journals/corr/abs-1706-03762", venue="CoRR",
        volume="abs/1706.03762", type="http://purl.org/net/nknouf/ns/bibtex#Article",
    )  # fmt: skip
    record = only(read(key, stated))
    assert (record.type, record.arxiv) == ("preprint", "1706.03762")


def test_the_key_does_not_say_where_a_paper_was_published() -> None:
    found = ask(Query("dblp", "journals/corr/KingmaB14"))
    assert only(next(iter(found.values()))).venues == ("ICLR (Poster)",)
    assert only(next(iter(found.values()))).type == "inproceedings"


def test_dois_are_asked_for_in_upper_case_and_together() -> None:
    awkward = Query("doi", "10.1002/(sici)1097-0258(19980815/30)17:15/16<1661::aid-sim968>3.0.co;2-2")
    query = query_of(DBLP_SPARQL.request([RESNET, awkward]))
    assert "<https://doi.org/10.1109/CVPR.2016.90>" in query
    assert "16%3C1661::AID-SIM968%3E3.0.CO;2-2>" in query
    found = ask(RESNET, awkward)
    assert ids(found[RESNET]) == ["conf/cvpr/HeZRS16"]
    assert found[awkward] == Absent()


def test_the_witnesses_are_found_and_that_of_titles_has_other_capitals() -> None:
    for query in DBLP_SPARQL.controls.values():
        assert isinstance(ask(query)[query], Found)
    assert only_title(DBLP_SPARQL.controls["title"]) != DBLP_SPARQL.controls["title"].value


def only_title(query: Query) -> str:
    answer = ask(query)[query]
    assert isinstance(answer, Found)
    return answer.records[0].title


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Attention Is All You Need", "attention is all you need"),
        ("BERT: Pre-training of Deep Bidirectional Transformers", "bert: pre-training of deep bidirectional"),
        ("Playing  Atari with Deep Reinforcement Learning: a study", "playing atari with deep reinforcement le"),
        ("A long enough beginning of self-supervised things", "a long enough beginning of self"),
        ("Blitz", "blit"),  # nothing sorts directly behind a z
        ('The "why" of it', "the"),
        ("王明", ""),
    ],
)
def test_the_beginning_of_a_title(title: str, expected: str) -> None:
    assert beginning(title) == expected


def test_several_titles_in_one_query_each_with_its_own_answer() -> None:
    resnet = Query("title", "deep residual learning for IMAGE recognition", ("He",))
    book = Query("title", "Deep Learning", ("Goodfellow",))
    other = Query("title", "An invented theory of entirely absent gradients", ("Quillfeather",))
    found = ask(resnet, book, other)
    assert "conf/cvpr/HeZRS16" in ids(found[resnet])
    assert ids(found[book]) == ["books/daglib/0040158"]  # the article of that name is by others
    assert found[other] == Absent()


def test_a_short_title_needs_an_author() -> None:
    assert not DBLP_SPARQL.accepts(Query("title", "Deep Learning"))
    assert DBLP_SPARQL.accepts(Query("title", "Deep Learning", ("Müller",)))
    assert '"ller"' in query_of(DBLP_SPARQL.request([Query("title", "Deep Learning", ("Müller",))]))


def test_an_answer_that_is_full_denies_no_title() -> None:
    query = Query("title", "A survey of the many things that there are", ("Doe",))
    full = [
        row(
            asked=beginning(query.value),
            publication=f"https://dblp.org/rec/conf/x/A{number}",
            title=f"Another {number}.",
        )
        for number in range(MOST_TITLED)
    ]
    assert isinstance(read(query, *full), Unavailable)
    assert read(query, *full[1:]) == Absent()


def test_all_authors_of_a_volume_are_looked_for_in_one_list() -> None:
    nobody = Query("author_search", "conf/nips", ("Quillfeather", "Müller"), 2017)
    elsewhere = Query("author_search", "conf/cvpr", ("He",), 2016)
    assert [len(batch) for batch in batches(DBLP_SPARQL, [BYLINE, elsewhere, nobody])] == [2, 1]
    found = ask(BYLINE, nobody)
    assert ids(found[BYLINE]) == ["conf/nips/VaswaniSPUJGKP17"]
    listed = found[BYLINE]
    assert found[nobody] == Absent("DBLP lists no work in conf/nips 2017 by an author named Quillfeather or Müller")
    assert isinstance(listed, Found)
    assert listed.scope == "DBLP lists 1 works in conf/nips 2017 by an author named Vaswani"


def test_accents_do_not_matter_in_a_list() -> None:
    listed = row(stream="https://dblp.org/streams/conf/cvpr", total="1", signatures="1 Jörg Müller 0003|2 Ana Íñiguez")
    for name in ("Müller", "Muller", "Íñiguez", "Iniguez"):
        assert only(read(Query("author_search", "conf/cvpr", (name,), 2016), listed)).id == "conf/cvpr/HeZRS16"


def test_a_list_that_is_not_whole_says_nothing() -> None:
    listed = row(stream="https://dblp.org/streams/conf/cvpr", total="2")
    with pytest.raises(MalformedAnswerError, match="1 of 2"):
        read(AT_CVPR, listed)
    lacking = row(stream="https://dblp.org/streams/conf/cvpr", total="1", creators="3", signatures="1 A B")
    with pytest.raises(MalformedAnswerError):
        read(AT_CVPR, lacking)


def test_a_volume_is_shown_by_one_of_its_papers() -> None:
    found = ask(VOLUME)[VOLUME]
    assert isinstance(found, Found)
    assert found.scope == "DBLP lists conf/nips 2017"
    assert ask(Query("venue_year", "conf/nips", (), 1901)) == {Query("venue_year", "conf/nips", (), 1901): Absent()}
    with pytest.raises(MalformedAnswerError, match="outside"):
        read(VOLUME, row(stream="https://dblp.org/streams/conf/cvpr"))


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html></html>",
        b"{}",
        b'{"head":{"vars":["publication"]}}',
        b'{"exception":"Invalid SPARQL query"}',
        table({}),
    ],
)
def test_what_is_no_table_is_refused(body: bytes) -> None:
    with pytest.raises(MalformedAnswerError):
        DBLP_SPARQL.parse([RESNET], Response(200, body))


def test_a_refused_query_is_named() -> None:
    with pytest.raises(MalformedAnswerError, match="Invalid SPARQL"):
        DBLP_SPARQL.parse([RESNET], Response(400, b'{"exception":"Invalid SPARQL query"}'))


def test_an_entry_that_cannot_be_read_denies_nothing() -> None:
    other = Query("doi", "10.1000/none")
    answers = DBLP_SPARQL.parse([RESNET, other], Response(200, table(row(), row(signatures="x y"))))
    assert isinstance(answers[RESNET], Found)
    assert isinstance(answers[other], Unavailable)


def test_long_queries_are_posted_as_a_form() -> None:
    short = DBLP_SPARQL.request([RESNET])
    assert not short.body
    assert parse_qs(urlsplit(short.url).query).keys() == {"query"}
    long = DBLP_SPARQL.request([Query("doi", f"10.1000/{number}") for number in range(40)])
    assert (long.url, long.body_type) == ("https://sparql.dblp.org/sparql", "application/x-www-form-urlencoded")
    assert "10.1000/39" in query_of(long)


@pytest.mark.parametrize(
    "queries",
    [
        [RESNET, Query("doi", "10.1002/(sici)1097-0258(19980815/30)17:15/16<1661::aid-sim968>3.0.co;2-2")],
        [Query("dblp", "conf/nips/VaswaniSPUJGKP17"), Query("dblp", "conf/cvpr/HeZRS16")],
        [Query("title", "Deep Learning", ("Goodfellow",)), Query("title", "Attention is all you need", ("Vaswani",))],
        [BYLINE, AT_CVPR],
    ],
    ids=lambda queries: queries[0].kind,
)
def test_the_questions_of_a_batch_alone(queries: list[Query]) -> None:
    request = DBLP_SPARQL.request(queries)
    assert list(DBLP_SPARQL.singles(request)) == [DBLP_SPARQL.request([query]) for query in queries]


def test_what_is_accepted() -> None:
    assert not DBLP_SPARQL.accepts(Query("dblp", "homepages/w/X"))
    assert not DBLP_SPARQL.accepts(Query("author_search", "conf/nips", ("王",), 2017))
    assert not DBLP_SPARQL.accepts(Query("venue_year", "conf/nips> ?x", (), 2017))
    assert not DBLP_SPARQL.accepts(Query("arxiv", "1706.03762"))
