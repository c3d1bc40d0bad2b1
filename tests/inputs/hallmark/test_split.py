"""Splits are read line by line; each rule of the schema, and each way to break it, by itself."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.inputs import LabelledEntry, Problem, Split, iterate_split, read_split
from pytest_citecheck.inputs import hallmark_lines as json_lines

FIELDS = {"title": "On Nothing", "author": "Ada Nobody", "year": "2020"}
VALID: dict[str, Any] = {"bibtex_key": "a", "bibtex_type": "article", "fields": FIELDS, "label": "VALID"}
WRONG = {**VALID, "label": "HALLUCINATED", "hallucination_type": "wrong_venue", "difficulty_tier": 2}


def read(*lines: object) -> Split:
    """Read a split from lines that are objects or raw bytes."""
    encoded = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
    return read_split("s.jsonl", (b"\n".join(encoded),))


def only(split: Split) -> LabelledEntry:
    (entry,) = split.entries
    return entry


def message(split: Split) -> str:
    """The one error, which cost the only line."""
    assert split.entries == ()
    (problem,) = split.problems
    assert problem.severity == "error"
    return problem.message


def test_a_whole_entry() -> None:
    split = read(
        {
            **WRONG,
            "explanation": "another venue",
            "generation_method": "perturbation",
            "source_conference": "ICML",
            "source": "dblp",
            "publication_date": "2020-05",
            "added_to_benchmark": "2026-02-14",
            "subtests": {"venue_correct": False, "doi_resolves": None, "title_exists": True},
            "raw_bibtex": "@article{a}",
            "schema_version": "1.0",
            "relabeled_from": "VALID",
        }
    )
    assert split.problems == ()
    assert only(split) == LabelledEntry(
        key="a",
        type="article",
        fields=FIELDS,
        label="HALLUCINATED",
        hallucination_type="wrong_venue",
        tier=2,
        explanation="another venue",
        generation_method="perturbation",
        source_conference="ICML",
        source="dblp",
        publication_date="2020-05",
        added="2026-02-14",
        subtests={"venue_correct": False, "doi_resolves": None, "title_exists": True},
        raw="@article{a}",
        line=1,
    )


def test_what_is_null_or_missing_is_empty() -> None:
    nulls = dict.fromkeys(
        ["hallucination_type", "difficulty_tier", "explanation", "source", "subtests", "raw_bibtex", "publication_date"]
    )
    assert only(read(VALID | nulls)) == only(read(VALID))
    assert only(read(json.dumps(VALID | dict.fromkeys(nulls, float("nan"))).encode())) == only(read(VALID))


def test_a_valid_entry_has_no_type() -> None:
    entry = only(read(VALID | {"hallucination_type": "wrong_venue", "difficulty_tier": 2}))
    assert (entry.hallucination_type, entry.tier) == (None, None)


def test_a_blind_line_has_no_label() -> None:
    blind = only(read({name: VALID[name] for name in ("bibtex_key", "bibtex_type", "fields")}))
    assert blind.label is None


def test_the_former_name_of_a_subtest() -> None:
    assert only(read(VALID | {"subtests": {"venue_real": True}})).subtests == {"venue_correct": True}
    both = {"venue_real": True, "venue_correct": False}
    assert only(read(VALID | {"subtests": both})).subtests == {"venue_correct": False}
    assert only(read(VALID | {"subtests": {"is_nice": True}})).subtests == {}


def test_canaries_are_dropped_even_if_they_are_no_entries() -> None:
    split = read(VALID, {"bibtex_key": "__canary__1", "fields": 7})
    assert (len(split.entries), split.problems) == (1, ())


def test_blank_lines_and_a_byte_order_mark_are_passed_over() -> None:
    line = json.dumps(VALID).encode()
    split = read_split("s", (b"\xef\xbb\xbf" + line + b"\r\n\r\n  \t\n" + line.replace(b'"a"', b'"b"') + b"\n\n",))
    assert [(entry.key, entry.line) for entry in split.entries] == [("a", 1), ("b", 4)]
    assert split.problems == ()


def test_of_a_repeated_key_the_first_entry_stays() -> None:
    split = read(VALID, VALID | {"bibtex_key": "b"}, WRONG)
    assert [(entry.key, entry.label) for entry in split.entries] == [("a", "VALID"), ("b", "VALID")]
    assert [str(problem) for problem in split.problems] == [
        "s.jsonl:3: error: a: duplicate key: the entry on line 1 counts"
    ]


def test_an_unknown_type_is_a_warning() -> None:
    split = read(WRONG | {"hallucination_type": "typo"})
    assert only(split).hallucination_type == "typo"
    assert [str(problem) for problem in split.problems] == [
        "s.jsonl:1: warning: a: “hallucination_type” is 'typo', which is not a known type"
    ]


def test_a_number_where_text_is_due_and_the_reverse() -> None:
    split = read(WRONG | {"fields": FIELDS | {"year": 2020, "doi": None}, "difficulty_tier": "2"})
    assert only(split).fields == FIELDS
    assert only(split).tier == 2
    assert [problem.severity for problem in split.problems] == ["warning"] * 3
    assert only(read(WRONG | {"difficulty_tier": 2.0})).tier == 2


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"bibtex_key": None}, "“bibtex_key” is missing"),
        ({"bibtex_key": " "}, "“bibtex_key” is missing"),
        ({"bibtex_key": ["a"]}, "“bibtex_key” is ['a'], not text"),
        ({"bibtex_type": None}, "“bibtex_type” is missing"),
        ({"fields": None}, "“fields” is missing"),
        ({"fields": "title"}, "“fields” is 'title', not an object"),
        ({"fields": {"title": ["T"]}}, "“fields.title” is ['T'], not text"),
        ({"fields": {"year": True}}, "“fields.year” is True, not text"),
        ({"fields": {"year": 20.5}}, "“fields.year” is 20.5, not text"),
        ({"label": "UNCERTAIN"}, "“label” is 'UNCERTAIN', not one of VALID, HALLUCINATED"),
        ({"label": {}}, "“label” is {}, not one of VALID, HALLUCINATED"),
        ({"hallucination_type": None}, "“hallucination_type” is missing"),
        ({"difficulty_tier": None}, "“difficulty_tier” is missing"),
        ({"difficulty_tier": 7}, "“difficulty_tier” is 7, not 1, 2 or 3"),
        ({"difficulty_tier": 1.5}, "“difficulty_tier” is 1.5, not a whole number"),
        ({"difficulty_tier": True}, "“difficulty_tier” is True, not a number"),
        ({"difficulty_tier": float("inf")}, "“difficulty_tier” is not a finite number"),
        ({"difficulty_tier": 10**400}, "“difficulty_tier” is not a finite number"),
        ({"subtests": []}, "“subtests” is [], not an object"),
        ({"subtests": {"title_exists": "true"}}, "“subtests.title_exists” is 'true', not true, false or null"),
        ({"subtests": {"title_exists": 1}}, "“subtests.title_exists” is 1, not true, false or null"),
        ({"explanation": {}}, "“explanation” is {}, not text"),
        ({"raw_bibtex": []}, "“raw_bibtex” is [], not text"),
    ],
)
def test_values_of_another_type_cost_the_line(changed: dict[str, Any], said: str) -> None:
    assert message(read(WRONG | changed)) == said


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"[1]", "the line is JSON but not an object"),
        (b'"text"', "the line is JSON but not an object"),
        (b"title = {T}", "the line is not JSON: Expecting value (column 1)"),
        (b'{"bibtex_key": "a\0"}', "the line is not JSON: Invalid control character at (column 18)"),
        (b'{"bibtex_key": "M\xfcller"}', "byte 0xFC is not UTF-8"),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "the line cannot be read as JSON: nested too deep"),
    ],
    ids=["list", "text", "bibtex", "nul", "latin-1", "deep"],
)
def test_lines_that_are_no_objects_cost_only_themselves(line: bytes, said: str) -> None:
    split = read(VALID, line, VALID | {"bibtex_key": "b"})
    assert [entry.key for entry in split.entries] == ["a", "b"]
    assert [(problem.line, problem.message) for problem in split.problems] == [(2, said)]


def test_a_number_of_too_many_digits() -> None:
    assert "digits" in message(read(b'{"bibtex_key": "a", "n": ' + b"1" * 5000 + b"}"))


def test_a_truncated_last_line_names_its_key() -> None:
    whole = json.dumps(VALID).encode()
    split = read(whole, whole.replace(b'"a"', b'"b"')[:-5])
    assert [entry.key for entry in split.entries] == ["a"]
    assert [(problem.line, problem.key, problem.severity) for problem in split.problems] == [(2, "b", "error")]


def test_halves_of_surrogate_pairs_cannot_reach_a_file() -> None:
    split = read(VALID | {"fields": {"title": "\ud800x \U0001f600"}})
    assert only(split).fields["title"] == "\ufffdx \U0001f600"


def test_a_pointer_of_git_lfs_is_said_to_be_one() -> None:
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"
    assert "Git LFS" in message(read_split("s", (pointer,)))


class Endless(io.RawIOBase):
    """A file with a single endless line, up to a limit of bytes; ``largest`` is the largest read request."""

    def __init__(self, size: int, tail: bytes) -> None:
        self.left = size
        self.tail = tail
        self.largest = 0

    def read(self, size: int = -1, /) -> bytes:
        self.largest = max(self.largest, size if size >= 0 else self.left)
        if not self.left:
            tail, self.tail = self.tail, b""
            return tail
        given = min(size, self.left)
        self.left -= given
        return b"x" * given


def test_a_line_that_is_too_long_is_skipped_without_being_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_lines, "LONGEST_LINE", 1000)
    file = Endless(5_000_000, b"\n" + json.dumps(VALID).encode())
    split = read_split("s", file)
    assert [(entry.key, entry.line) for entry in split.entries] == [("a", 2)]
    assert [problem.message for problem in split.problems] == ["the line is longer than 1,000 bytes"]
    assert file.largest <= 1 << 16


def test_an_overlong_last_line_is_a_problem_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_lines, "LONGEST_LINE", 10)
    assert message(read_split("s", (b"x" * 6, b"x" * 6))) == "the line is longer than 10 bytes"


def test_entries_come_before_the_file_has_ended() -> None:
    def endless() -> Iterator[bytes]:
        number = 0
        while True:
            yield json.dumps(VALID | {"bibtex_key": str(number)}).encode() + b"\n"
            number += 1

    entries = iterate_split("s", endless())
    keys = [entry.key for _, entry in zip(range(3), entries, strict=False) if isinstance(entry, LabelledEntry)]
    assert keys == ["0", "1", "2"]


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
NAMES = st.sampled_from([*WRONG, "subtests", "explanation", "raw_bibtex", "source", "publication_date"])


@pytest.mark.exhaustive
@given(st.lists(st.dictionaries(NAMES, JSON_VALUES).map(WRONG.__or__), max_size=5))
def test_every_line_is_an_entry_or_an_error(lines: list[dict[str, Any]]) -> None:
    split = read(*lines)
    errors = [problem for problem in split.problems if problem.severity == "error"]
    dropped = sum(str(line["bibtex_key"]).startswith("__canary__") for line in lines)
    assert len(split.entries) + len(errors) + dropped == len(lines)
    assert all(type(value) is str for entry in split.entries for value in entry.fields.values())


@given(st.binary(max_size=300), st.integers(1, 20))
def test_any_bytes_in_any_pieces_read_the_same(data: bytes, size: int) -> None:
    data = data.replace(b"a", b'{"bibtex_key": "k"}\n')
    pieces = [data[start : start + size] for start in range(0, len(data), size)]
    assert list(iterate_split("s", pieces)) == list(iterate_split("s", io.BytesIO(data)))
    assert all(isinstance(item, Problem) for item in iterate_split("s", pieces))
