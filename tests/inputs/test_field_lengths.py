"""Fields longer than any real one are truncated and reported; the rest of the entry and the file is kept."""

from __future__ import annotations

import json

import pytest

from pytest_citecheck.checks import check_syntax
from pytest_citecheck.inputs import (
    OVERLONG,
    name_list,
    read_bibtex,
    read_hallmark,
    readable_within_length,
    written_within_length,
)
from pytest_citecheck.matching import longest


def test_up_to_the_limit_a_value_is_as_it_was() -> None:
    for name, limit in (("title", 1_000_000), ("author", longest("author")), ("abstract", 1_000_000)):
        value = "a" * limit
        assert written_within_length(name, value, 1, "k") == (value, None)
        assert written_within_length(name, value + "a", 1, "k") != (value + "a", None)
    value = "a" * longest("title")
    assert readable_within_length("title", value, 1, "k") == (value, None)


def test_braces_and_commands_are_not_counted() -> None:
    (only,) = read_bibtex("refs.bib", b"@misc{k, title = {" + b"{" * 10_000 + b"x" + b"}" * 10_000 + b"}}").references
    assert (only.fields["title"], only.defects) == ("x", ())


def test_a_longer_one_is_cut_and_told() -> None:
    cut, defect = readable_within_length("title", "a" * (longest("title") + 1), 7, "k")
    assert len(cut) == longest("title")
    assert defect is not None
    assert (defect.code, defect.line, defect.fatal, defect.note) == (OVERLONG, 7, False, False)
    assert all(word in defect.message for word in ("`title`", "`k`", "5,001", "5,000"))


@pytest.mark.exhaustive
def test_a_list_of_people_that_is_cut_says_so() -> None:
    cut, defect = written_within_length("author", "Ada Lovelace and " * 50_000 + "Alan Turing", 1, "k")
    assert defect is not None
    named = name_list(cut)
    assert named.others
    assert {person.family for person in named.names} == {"Lovelace"}


def test_the_rest_of_a_file_is_read_as_ever() -> None:
    text = "@misc{a, year = 1999,\n  title = {" + "{word} " * 20_000 + "},\n  doi = {10.1000/1}}\n@misc{b, title = {T}}"
    first, second = read_bibtex("refs.bib", text.encode()).references
    assert len(first.fields["title"]) <= longest("title")
    assert first.raw["title"].count("{") == first.raw["title"].count("}")
    assert (first.fields["year"], first.fields["doi"], second.fields["title"]) == ("1999", "10.1000/1", "T")
    assert second.defects == ()
    finding = check_syntax(first)
    assert (finding.outcome, finding.code) == ("failed", OVERLONG)
    assert "(line 2)" in finding.message
    assert "99,999 characters" in finding.message


def test_entries_of_a_split_are_measured_alike() -> None:
    entry = {
        "bibtex_key": "a",
        "bibtex_type": "misc",
        "fields": {"title": "word " * 10_000, "year": "1999"},
        "label": "VALID",
    }
    (only,) = read_hallmark("s.jsonl", json.dumps(entry).encode()).references
    assert [defect.code for defect in only.defects] == [OVERLONG]
    assert len(only.fields["title"]) <= longest("title")
    assert only.fields["year"] == "1999"
