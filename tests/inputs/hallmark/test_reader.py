"""The entries of a split as references: as from a .bib file, one by one, and blind."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.checks import check_syntax
from pytest_citecheck.inputs import (
    BIBTEX,
    HALLMARK,
    Bibliography,
    LabelledEntry,
    blind_reference,
    cited_metadata,
    read_bibtex,
    read_hallmark,
    reader_for,
)
from pytest_citecheck.matching import compare_titles
from pytest_citecheck.model import CitedMetadata, Location, Reference
from tests.support.parameter_ids import readable_id

FIELDS = {"title": "On Nothing", "author": "Ada Nobody", "year": "2020"}
ENTRY: dict[str, Any] = {"bibtex_key": "a", "bibtex_type": "article", "fields": FIELDS, "label": "VALID"}


def read(*lines: object) -> Bibliography:
    encoded = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
    return read_hallmark("s.jsonl", b"\n".join(encoded))


def reference(**fields: str) -> Reference:
    (only,) = read(ENTRY | {"fields": fields}).references
    return only


def test_an_entry_is_what_it_would_be_in_a_bib_file() -> None:
    r"""Covers every kind of field: LaTeX in names and titles, escapes in identifiers, journal macros, an unchanged abstract."""
    fields = {
        "author": r"G{\"o}del, Kurt and {\'E}. Galois and others",
        "title": r"{{B}ERT} \& the na{\"\i}ve $\alpha$:" + "\n  a study---of {\\em all}",
        "journal": r"J. Mach. Learn. Res.",
        "doi": r"10.1000/a\_b",
        "abstract": r"100\% {\em raw}",
        "year": "2020",
    }
    body = "".join(f"  {name} = {{{fields[name]}}},\n" for name in sorted(fields))
    text = f"@article{{a,\n{body}}}"
    (expected,) = read_bibtex("s.bib", text.encode()).references
    found = reference(**fields)
    assert expected.defects == ()
    assert found == dataclasses.replace(expected, location=Location("s.jsonl", 1, 1))
    assert found.text == text


SECRETS = {
    "label": "HALLUCINATED",
    "hallucination_type": "wrong_venue",
    "difficulty_tier": 2,
    "explanation": "secret-explanation",
    "generation_method": "secret-method",
    "source_conference": "secret-conference",
    "source": "secret-source",
    "publication_date": "secret-date",
    "added_to_benchmark": "secret-added",
    "subtests": {"venue_correct": False, "cross_db_agreement": True},
    "relabeled_from": "secret-relabel",
    "relabel_reason": "secret-reason",
    "matched_id": "secret-id",
}


def test_nothing_of_the_labels_can_be_seen() -> None:
    """Everything else of the lines is equal, so everything of the references is."""
    shown = read(ENTRY | SECRETS | {"fields": FIELDS | {"url": "https://secret", "URL": "secret"}})
    assert shown == read({name: ENTRY[name] for name in ("bibtex_key", "bibtex_type", "fields")})


def test_the_bibtex_source_is_shown_if_there_is_one() -> None:
    (found,) = read(ENTRY | {"raw_bibtex": "@article{a, title = {On Nothing}}"}).references
    assert found.text == "@article{a, title = {On Nothing}}"


@pytest.mark.parametrize(
    ("author", "raw", "readable"),
    [
        (r"Ada Nobody and Herv{\'e", r"Ada Nobody and Herv{\'e}", "Ada Nobody and Hervé"),  # a cut accent is closed
        ("A {B and C", "A B and C", "A B and C"),
        ("A } B", "A  B", "A B"),
    ],
)
def test_braces_that_do_not_balance_reach_no_other_field_or_entry(author: str, raw: str, readable: str) -> None:
    first, second = read(ENTRY | {"fields": FIELDS | {"author": author}}, ENTRY | {"bibtex_key": "b"}).references
    assert (first.raw["author"], first.fields["author"]) == (raw, readable)
    assert {name: first.fields[name] for name in ("title", "year")} == {"title": "On Nothing", "year": "2020"}
    assert [defect.code for defect in first.defects] == ["unbalanced-braces"]
    assert (second.key, second.defects, second.location.line) == ("b", (), 2)


TRAPS: list[tuple[dict[str, str], Callable[[CitedMetadata], object], object]] = [
    ({"author": "Ada Nobody 0001 and Bo Li 0042"}, lambda found: [*map(str, found.people.names)], ["Ada Nobody", "Bo Li"]),
    ({"author": "Ada Nobody and others"}, lambda metadata: (len(metadata.people.names), metadata.people.others), (1, True)),
    ({"author": "Ada Nobody and et al."}, lambda metadata: (len(metadata.people.names), metadata.people.others), (1, True)),
    (
        {"title": "On {\\em Nothing}\n  &amp; More."},
        lambda metadata: compare_titles(metadata.title, "On Nothing & More").relation,
        "same",
    ),
    ({"doi": "10.48550/ARXIV.2602.12271V1"}, lambda metadata: metadata.identifiers.doi, "10.48550/arxiv.2602.12271"),
    ({"doi": "10.1109/CVPR52729.2023.00373"}, lambda metadata: metadata.identifiers.doi, "10.1109/cvpr52729.2023.00373"),
    ({"booktitle": "Mach. Learn."}, lambda metadata: (metadata.venue_field, metadata.venue), ("booktitle", "Mach. Learn")),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "of", "expected"), TRAPS, ids=[readable_id(fields) for fields, *_ in TRAPS])
def test_traps_of_the_published_splits(
    fields: dict[str, str], of: Callable[[CitedMetadata], object], expected: object
) -> None:
    assert of(cited_metadata(reference(**FIELDS | fields))) == expected


def test_names_and_types_are_in_lower_case_and_occur_once() -> None:
    (found,) = read(ENTRY | {"bibtex_type": "InProceedings", "fields": {"Title": "A", "TITLE": "B"}}).references
    assert (found.type, dict(found.fields)) == ("inproceedings", {"title": "A"})
    assert [defect.code for defect in found.defects] == ["duplicate-field"]


def test_nul_characters_are_left_out_and_told() -> None:
    found = reference(title="On\0 Nothing")
    assert found.fields["title"] == "On Nothing"
    assert [defect.code for defect in found.defects] == ["nul-byte"]


def test_keys_stay_as_they_are() -> None:
    keys = ["a b:", "x[1]::y", "(a, b)", "..\\..", "é"]
    assert [one.key for one in read(*(ENTRY | {"bibtex_key": key} for key in keys)).references] == keys


def test_a_line_that_cannot_be_read_is_a_failing_reference() -> None:
    found = read(
        ENTRY,
        b'{"bibtex_key": "broken", "fields',
        ENTRY,
        ENTRY | {"bibtex_key": "c", "fields": 1},
        ENTRY | {"bibtex_key": "d"},
    )
    assert [(one.key, one.location.line, one.readable) for one in found.references] == [
        ("a", 1, True),
        ("broken", 2, False),
        ("c", 4, False),
        ("d", 5, True),
    ]
    said = [check_syntax(one) for one in found.references if not one.readable]
    assert {finding.outcome for finding in said} == {"failed"}
    assert said[1].message == "“fields” is 1, not an object"
    assert [(note.line, note.message) for note in found.notes] == [(3, "a: duplicate key: the entry on line 1 counts")]


def test_what_was_odd_is_in_the_notes() -> None:
    found = read(ENTRY | {"fields": FIELDS | {"year": 2020}}, {"bibtex_key": "__canary__"}, b"")
    assert [one.fields for one in found.references] == [FIELDS]
    assert [(note.line, note.note) for note in found.notes] == [(1, True)]


def test_a_pointer_of_git_lfs_is_a_failing_reference() -> None:
    (found,) = read(b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\n").references
    assert not found.readable
    assert "git lfs pull" in found.defects[0].message


@pytest.mark.parametrize(
    ("head", "claimed"),
    [
        (json.dumps(ENTRY), True),
        ("\ufeff\n" + json.dumps(ENTRY), True),
        ('{"broken\n' + json.dumps(ENTRY), True),
        ("version https://git-lfs.github.com/spec/v1\n", True),
        ('{"bibtex_key": "a", "label": "VALID", "confidence": 1}', False),  # a prediction
        (json.dumps({"model": "m", "answer": json.dumps(ENTRY)}), False),  # an entry inside an answer
        ('{"a": 1}', False),
        ("", False),
    ],
)
def test_splits_are_told_from_other_lines_of_json(tmp_path: Path, head: str, claimed: bool) -> None:
    file = tmp_path / "x.JSONL"
    file.write_text(head, encoding="utf-8")
    assert (reader_for(str(file)) is HALLMARK) == claimed


def test_a_bib_file_is_one_whatever_it_begins_with(tmp_path: Path) -> None:
    file = tmp_path / "x.bib"
    file.write_text(json.dumps(ENTRY))
    assert reader_for(str(file)) is BIBTEX
    assert reader_for(str(tmp_path / "none.bib")) is BIBTEX
    assert reader_for(str(tmp_path / "none.xyz")) is None


LATEX = st.text(st.sampled_from("aé {}\\\"'$%&~^_\n@=,#\0"), max_size=12)


@given(st.dictionaries(st.sampled_from(["title", "author", "journal", "doi", "url", "x y", ""]), LATEX), LATEX)
def test_any_value_makes_one_readable_reference(fields: dict[str, str], key: str) -> None:
    entry = LabelledEntry(key, "misc", fields, line=3)
    found = blind_reference(entry, "s")
    assert set(found.fields) == set(found.raw) == set(fields) - {"url"}
    assert found.readable
    assert found.location == Location("s", 3, 3)
    assert all(value.count("{") == value.count("}") for value in found.raw.values())
