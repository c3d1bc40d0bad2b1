"""An answer as JSON: every field of the model comes back, and nothing else is taken for an answer."""

from __future__ import annotations

import dataclasses
import json
import pickle
import types
import typing
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.model import Absent, Found, Notice, Person, Query, QueryResult, Record, Unavailable
from pytest_citecheck.net import AnswerJsonError, decode, encode

# Halves of surrogate pairs as well, alone and side by side.
TEXTS = st.text(st.characters() | st.characters(categories=["Cs"]) | st.sampled_from('\x00"\\\ud83d\ude00'), max_size=6)
SCALARS: dict[type, st.SearchStrategy[Any]] = {
    str: TEXTS,
    int: st.integers(),
    float: st.floats(0, 1),
    bool: st.booleans(),
}
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)


def every(hint: Any) -> st.SearchStrategy[Any]:
    """Return a strategy for all values of a type of the model, with any fields."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint in SCALARS:
        return SCALARS[hint]
    if origin is typing.Literal:
        return st.sampled_from(arguments)
    if origin is types.UnionType:
        return st.one_of([st.none() if part is types.NoneType else every(part) for part in arguments])
    if origin is tuple and arguments[1:] == (...,):
        return st.lists(every(arguments[0]), max_size=2).map(tuple)
    if origin is tuple:
        return st.tuples(*map(every, arguments))
    assert dataclasses.is_dataclass(hint), hint
    kind = typing.cast("type", hint)
    hints = typing.get_type_hints(kind)
    return st.builds(kind, **{part.name: every(hints[part.name]) for part in dataclasses.fields(hint)})


@given(every(QueryResult))
def test_any_answer_comes_back(asked: QueryResult) -> None:
    again = decode(encode(asked))
    assert again == asked
    # Equality takes True for 1 and would not see a list within a list.
    assert repr(again) == repr(asked)


@given(every(Record))
def test_any_record_comes_back(record: Record) -> None:
    asked = QueryResult("crossref", Query("doi", "10.1/x"), Found((record,)))
    assert repr(decode(encode(asked))) == repr(asked)


def test_defaults_are_left_out() -> None:
    asked = QueryResult("arxiv", Query("arxiv", "1706.03762"), Found((Record("arxiv", "1706.03762"),)))
    assert json.loads(encode(asked)) == {
        "source": "arxiv",
        "query": {"kind": "arxiv", "value": "1706.03762"},
        "answer": {"is": "found", "records": [{"source": "arxiv", "id": "1706.03762"}]},
    }


def test_text_stays_readable() -> None:
    record = Record("dblp", "x", title="Über Gödel", authors=(Person(family="Gödel", given="Kurt"),))
    assert "Über Gödel".encode() in encode(QueryResult("dblp", Query("title", "Über Gödel"), Found((record,))))


@pytest.mark.parametrize(
    "answer",
    [
        Found(({"title": "x"},)),  # type: ignore[arg-type]
        Found((Record("s", "i", years=(object(),)),)),  # type: ignore[arg-type]
        "found",
        None,
    ],
)
def test_what_the_model_does_not_know_is_not_read(answer: Any) -> None:
    with pytest.raises((TypeError, AnswerJsonError)):
        decode(encode(QueryResult("s", Query("doi", "10.1/x"), answer)))


RECORD = Record(
    "crossref",
    "10.1/x",
    title="Causal Abstraction",
    authors=(Person(family="Geiger", given="Atticus"),),
    years=(2021,),
    notices=(Notice("correction", "crossref"),),
)
WHOLE = QueryResult(
    "crossref", Query("doi", "10.1/x"), Found((RECORD,), "all"), "https://api.example.org/", "2026-11-21"
)


def test_no_part_of_an_answer_is_one() -> None:
    data = encode(WHOLE)
    for end in range(len(data)):
        with pytest.raises(AnswerJsonError):
            decode(data[:end])


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("source",), None),
        (("date",), 2026),
        (("extra",), "x"),
        (("query",), ["doi", "10.1/x"]),
        (("query", "year"), "2021"),
        (("query", "authors"), "Geiger"),
        (("answer",), {"records": []}),
        (("answer", "is"), "unknown"),
        (("answer", "is"), ["found"]),
        (("answer", "is"), "absent"),
        (("answer", "records"), {}),
        (("answer", "records", 0), None),
        (("answer", "records", 0, "title"), ["Causal", "Abstraction"]),
        (("answer", "records", 0, "authors"), "Geiger"),
        (("answer", "records", 0, "authors", 0), "Geiger"),
        (("answer", "records", 0, "authors", 0, "group"), 1),
        (("answer", "records", 0, "authors_complete"), 0),
        (("answer", "records", 0, "years"), [2021.0]),
        (("answer", "records", 0, "version"), True),
        (("answer", "records", 0, "related"), [["is-preprint-of"]]),
        (("answer", "records", 0, "related"), ["ab"]),
        (("answer", "records", 0, "notices", 0, "doi"), None),
        (("answer", "records", 0, "colour"), "red"),
    ],
)
def test_other_types_are_refused(path: tuple[Any, ...], value: object) -> None:
    data = json.loads(encode(WHOLE))
    place = data
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    with pytest.raises(AnswerJsonError):
        decode(json.dumps(data).encode())


@pytest.mark.parametrize("name", ["source", "query", "answer"])
def test_nothing_may_be_missing(name: str) -> None:
    data = json.loads(encode(WHOLE))
    del data[name]
    with pytest.raises(AnswerJsonError):
        decode(json.dumps(data).encode())


@pytest.mark.parametrize("data", [pickle.dumps(WHOLE), b"\xff\xfe", b"[" * 100_000, b"null", b"NaN", b"1" * 5000])
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(AnswerJsonError):
        decode(data)


@given(st.sampled_from(["source", "question", "answer", "endpoint"]), JSON)
def test_what_is_read_is_an_answer(name: str, value: object) -> None:
    data = json.loads(encode(WHOLE)) | {name: value}
    try:
        asked = decode(json.dumps(data).encode())
    except AnswerJsonError:
        return
    assert decode(encode(asked)) == asked
    assert isinstance(asked.answer, Found | Absent | Unavailable)
    assert all(isinstance(text, str) for text in (asked.source, asked.query.value, asked.endpoint, asked.date))
