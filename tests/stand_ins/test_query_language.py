"""The Lucene subset: precedence, fields, escapes, refusals; and that no text makes the parser fail otherwise."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.stand_ins.query_language import QuerySyntaxError, parse_query
from tests.stand_ins.search import words

DOCUMENT = {"ti": "Deep learning for water\nA second title", "au": "Yann LeCun\nYoshua Bengio", "id": "10.1000/x"}


@pytest.mark.parametrize(
    ("query", "matches"),
    [
        ("deep", True),
        ("shallow", False),
        ("DEEP Learning", True),
        ("deep shallow", False),
        ("deep OR shallow", True),
        ("deep AND shallow", False),
        ("shallow AND deep OR water", True),
        ("shallow AND (deep OR water)", False),
        ("deep NOT shallow", True),
        ("deep ANDNOT water", False),
        ("NOT shallow", True),
        ("ti:deep", True),
        ("au:deep", False),
        ("au:(LeCun Bengio)", True),
        ('au:"LeCun Bengio"', False),
        ("au:(LeCun AND au:Bengio)", True),
        ('"deep learning"', True),
        ('"learning deep"', False),
        ('"water second"', False),  # not across two values
        ('ti:"learning for"', True),
        ('ti:"deep \\"learning\\""', True),
        ("id:10.1000\\/x", True),
        ("deep-learning", True),
    ],
)
def test_queries_on_one_document(query: str, matches: bool) -> None:
    assert parse_query(query).matches(DOCUMENT) is matches


@pytest.mark.parametrize("query", ["", "  ", "(deep", "deep)", '"deep', "AND", "deep AND", "OR deep", "ti:", "NOT"])
def test_refusals(query: str) -> None:
    with pytest.raises(QuerySyntaxError):
        parse_query(query)


def test_operands_behind_not_do_not_count() -> None:
    operands = parse_query('ti:(deep OR "a b") NOT (au:x OR y)').operands
    assert [(one.field, one.text, one.phrase) for one in operands] == [("ti", "deep", False), ("ti", "a b", True)]


@given(st.text(alphabet='ab :()"\\ANDORT', max_size=30))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    try:
        query = parse_query(text)
    except QuerySyntaxError:
        return
    assert query.matches(DOCUMENT) in (True, False)


@given(st.text(max_size=40))
def test_folding_is_stable_and_case_does_not_matter(text: str) -> None:
    folded = words(text)
    assert words(" ".join(folded)) == folded
    assert all(word == word.lower() for word in folded)
