"""Answer files: both forms, groups, and no silent losses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_citecheck.inputs import ANSWERS, Answered, AnswerGroup, read_answers, reader_for
from pytest_citecheck.model import Location

FIXTURES = Path(__file__).parents[3] / "fixtures"
ENTRY = "@article{a, title={One}}"


def lines(*values: Any) -> bytes:
    return "\n".join(value if isinstance(value, str) else json.dumps(value) for value in values).encode()


def test_json_lines() -> None:
    data = lines(
        {"model": "gpt", "query": "q one", "answer": ENTRY, "discipline": "physics", "num_refs": 3, "id": 17},
        "",
        {
            "model": "gpt",
            "query": "q two",
            "answer": f"{ENTRY}\n@misc{{b, title={{one}}, doi={{10.1000/1}}}}",
            "language": "en",
        },
        {"model": "gpt", "query": "q one", "answer": ENTRY, "year_constraint": {"min_year": 2019}},
    )
    found = read_answers("answers.jsonl", data)
    assert [(reference.key, reference.location) for reference in found.references] == [
        ("a", Location("answers.jsonl", 1, 1)),
        ("a", Location("answers.jsonl", 3, 3)),
        ("b", Location("answers.jsonl", 3, 3)),
        ("a", Location("answers.jsonl", 4, 4)),
    ]
    two = AnswerGroup("gpt", "q two", 2, language="en")
    assert found.answered == (
        Answered(AnswerGroup("gpt", "q one", 1, discipline="physics", requested=3, id="17")),
        Answered(two),
        Answered(two),  # "One" has too few letters to stand for a work
        Answered(AnswerGroup("gpt", "q one", 1, sample=2, earliest=2019)),
    )


def test_the_arenas_list_of_responses() -> None:
    data = json.dumps(
        [
            {
                "query": "q one",
                "discipline": None,
                "num_refs": 5,
                "language": "zh",
                "responses": {"m1": ENTRY, "m2": None},
            },
            {"query": "q two", "discipline": "biomedical", "num_refs": 2, "language": "en", "responses": {"m1": "No."}},
        ],
        indent=1,
    ).encode()
    found = read_answers("responses.json", data)
    assert [(reference.key, [defect.code for defect in reference.defects]) for reference in found.references] == [
        ("a", []),
        ("answer", ["answer-missing"]),
        ("answer", ["answer-empty"]),
    ]
    assert [
        one and (one.group.model, one.group.number, one.group.discipline, one.group.requested) for one in found.answered
    ] == [("m1", 1, "other", 5), ("m2", 1, "other", 5), ("m1", 2, "biomedical", 2)]
    # Line 1 is the bracket; the first object has ten lines with this indentation.
    assert [reference.location.line for reference in found.references] == [2, 2, 12]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{broken", "not a JSON object"),
        ("[" * 100000, "list is incomplete"),
        ('"text"', "must be a JSON object"),
        ({"model": "m", "answer": ""}, "query must be non-empty text"),
        ({"model": " ", "query": "q", "answer": ""}, "model must be non-empty text"),
        ({"model": "m", "query": "q"}, "answer is missing"),
        ({"model": "m", "query": "q", "answer": 3}, "text or null"),
        ({"model": "m", "query": "q", "answer": "", "num_refs": 0}, "num_refs"),
        ({"model": "m", "query": "q", "answer": "", "num_refs": True}, "num_refs"),
        ({"model": "m", "query": "q", "answer": "", "discipline": 1}, "discipline"),
        ({"model": "m", "query": "q", "answer": "", "year_constraint": {"after": 2020}}, "not after"),
        ({"model": "m", "query": "q", "answer": "", "year_constraint": {"exact": "2020"}}, "integer"),
        ({"model": "m", "query": "q", "answer": "", "year_constraint": 2020}, "must be an object"),
        ({"query": "q", "responses": []}, "maps models to answers"),
    ],
)
def test_a_line_that_is_no_answer_is_said(line: Any, message: str) -> None:
    found = read_answers("answers.jsonl", lines(line))
    (reference,) = found.references
    (defect,) = reference.defects
    assert (reference.key, defect.code, defect.fatal, defect.line) == ("line_1", "answer-invalid", True, 1)
    assert message in defect.message
    assert found.answered == (None,)


@pytest.mark.parametrize(
    ("constraint", "bounds"),
    [
        ({"exact": 2020, "min_year": 2010}, (2020, 2020)),
        ({"min_year": 2010, "max_year": 2015}, (2010, 2015)),
        ({"max_year": 2015, "min_year": None}, (None, 2015)),
        ({}, (None, None)),
        (None, (None, None)),
    ],
)
def test_year_constraints(constraint: Any, bounds: tuple[int | None, int | None]) -> None:
    data = lines({"model": "m", "query": "q", "answer": ENTRY, "year_constraint": constraint})
    (answered,) = read_answers("answers.jsonl", data).answered
    assert answered is not None
    assert (answered.group.earliest, answered.group.latest) == bounds


def test_a_bad_line_costs_no_other() -> None:
    answer = {"model": "m", "query": "q\u2028r \ud800", "answer": ENTRY}
    found = read_answers("answers.jsonl", lines(answer, "{", answer))
    assert [reference.key for reference in found.references] == ["a", "line_2", "a"]
    assert found.answered[2] == Answered(AnswerGroup("m", "q\u2028r ?", 1, sample=2))


def test_a_list_that_breaks_off_keeps_what_came_before() -> None:
    whole = json.dumps([{"query": "q", "responses": {"m": ENTRY}}, {"query": "r", "responses": {"m": ENTRY}}])
    found = read_answers("responses.json", whole[:-20].encode())
    assert [reference.key for reference in found.references] == ["a", "line_1"]


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b'{"model": "m", "query": "q", "answer": "', True),
        (b'[{"query": "q", "responses": {', True),
        (b'{"bibtex_key": "k", "fields": {"title": "the \\"answer\\": a \\"query\\": "}}', False),
        (b'{"key": "k", "label": "VALID"}', False),
        (b"", False),
    ],
)
def test_a_file_of_answers_is_known_by_its_names(head: bytes, expected: bool) -> None:
    assert ANSWERS.reads(head) is expected


def test_the_shipped_answers() -> None:
    path = FIXTURES / "answers.jsonl"
    assert reader_for(str(path)) is ANSWERS
    found = read_answers("answers.jsonl", path.read_bytes())
    models = {one.group.model for one in found.answered if one}
    assert models == {"candid-1", "dreamer-2", "terse-3"}
    assert all(one is not None for one in found.answered)
    assert [one.duplicate_of for one in found.answered if one and one.duplicate_of] == ["vaswani2017attention"]
    codes = [defect.code for reference in found.references for defect in reference.defects if defect.fatal]
    assert codes == ["answer-empty", "unreadable-entry", "answer-missing"]
