"""Claim files: both forms of the benchmark, tables for people, WiCE; claims that cannot be judged have a reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_citecheck.models.claims import (
    ClaimFileError,
    content_hash,
    holds_claims,
    read_claim_file,
    read_claims,
    read_lines,
    read_review,
    review_csv,
)

ROW = {
    "id": "row_2",
    "claim_text": "The tower, “old”,\nis high.",
    "source_text": "It is, high.\r\nVery.",
    "ground_truth": "Supported",
}
FAILED = {**ROW, "id": "row_3", "extraction_status": "source_fetch_failed", "source_text": "", "dataset_version": "v2"}
WAITING = {**ROW, "id": "row_4", "needs_manual_review": True}


def test_w1_both_shapes_are_read() -> None:
    bare, whole = (
        read_claims(json.dumps(value), "x") for value in ([ROW, FAILED], {"metadata": {"a": 1}, "rows": [ROW, FAILED]})
    )
    assert bare.pairs == whole.pairs
    assert whole.metadata == {"a": 1}
    assert [(pair.id, pair.version, pair.runs) for pair in bare.pairs] == [
        ("row_2", "v1", True),
        ("row_3", "v2", False),
    ]


def test_w2_rows_that_cannot_be_judged_say_why_and_w19_versions() -> None:
    found = read_claims(json.dumps([ROW, FAILED, WAITING, {**ROW, "id": 5, "claim_text": " "}]), "x")
    assert found.unfit() == {
        "the source could not be fetched": 1,
        "needs manual review first": 1,
        "there is no claim": 1,
    }
    assert [pair.id for pair in read_claims(json.dumps([ROW, FAILED]), "x", version="v2").pairs] == ["row_3"]


@pytest.mark.parametrize(
    "text",
    ["{}", "[1]", '{"rows": 3}', "[", '[{"claim": "a", "label": "maybe"}]', '[{"id": 1}, {"id": 1}]', "[" * 10_000],
)
def test_files_that_are_none(text: str) -> None:
    with pytest.raises(ClaimFileError):
        read_claims(text, "x.json")


def test_w32_a_pair_is_known_by_its_content() -> None:
    before, after = read_claims(json.dumps([ROW]), "x"), read_claims(json.dumps([FAILED, {**ROW, "id": "row_9"}]), "x")
    assert content_hash(before.pairs[0]) == content_hash(after.pairs[1])
    assert content_hash(before.pairs[0]) != content_hash(after.pairs[0])


def test_w24_a_table_goes_to_people_and_back() -> None:
    pairs = read_claims(json.dumps([ROW, FAILED, {**ROW, "id": "=1+1"}]), "x").pairs
    text = review_csv(pairs)
    back = read_review(text, "x").pairs
    assert [(pair.id, pair.claim, pair.source, pair.truth, pair.version, pair.unfit) for pair in back] == [
        (pair.id, pair.claim, pair.source, pair.truth, pair.version, pair.unfit) for pair in pairs
    ]
    assert "'=1+1" in text  # no formula for a spreadsheet
    mended = text.replace(
        "the source could not be fetched,,,,,",
        'the source could not be fetched,,"The ""tower""\r\nis high.",Not supported,Kim,2026-11-20',
    )
    changed = read_review(mended, "x").pairs[1]
    assert (changed.source, changed.truth, changed.runs) == ('The "tower"\r\nis high.', "Not supported", True)
    assert changed.overridden == "manual_source_override, manual_ground_truth by Kim, 2026-11-20"
    with pytest.raises(ClaimFileError, match="needs reviewed_by and reviewed_at"):
        read_review(mended.replace("Kim", ""), "x")


def test_w31_wice(tmp_path: Path) -> None:
    rows = [
        {
            "label": "supported",
            "claim": "a b c",
            "evidence": ["[metadata] Title", "One.", "Two."],
            "meta": {"id": "dev1"},
        },
        {
            "label": "partially_supported",
            "claim": "d",
            "evidence": ["x" * 30_000, "y" * 30_000],
            "supporting_sentences": [[1]],
        },
        {"label": "not_supported", "claim": "e", "evidence": []},
    ]
    path = tmp_path / "dev.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert holds_claims(path, manuscripts=False)
    first, cut, empty = read_claim_file(path, "dev.jsonl").pairs
    assert (first.id, first.truth, first.source) == ("dev1", "Supported", "Title One. Two.")
    assert (cut.truth, len(cut.source), cut.details) == (
        "Partially supported",
        30_000,
        {"annotated_sentence_cut": True},
    )
    assert empty.unfit == "there is no text of the source"
    with pytest.raises(ClaimFileError, match="not a label"):
        read_lines(json.dumps({"label": "maybe", "claim": "a", "evidence": []}), "x", tmp_path)


def test_w31_the_parts_of_a_claim_make_its_projection(tmp_path: Path) -> None:
    claims = [
        {"claim": f"Claim {name}.", "evidence": ["Evidence."], "label": "supported", "meta": {"id": name}}
        for name in ("dev1", "dev2", "dev3")
    ]
    parts = [("dev1-0", "supported"), ("dev1-1", "supported"), ("dev2-0", "supported"), ("dev2-1", "not_supported")]
    for folder in ("claim", "subclaim"):
        (tmp_path / folder).mkdir()
    own = "\n".join(json.dumps({"label": label, "meta": {"id": name}}) for name, label in parts)
    (tmp_path / "subclaim" / "dev.jsonl").write_text(f"{own}\nno JSON", encoding="utf-8")
    file = tmp_path / "claim" / "dev.jsonl"
    file.write_text("\n".join(map(json.dumps, claims)), encoding="utf-8")
    versions = {pair.id: pair.version for pair in read_claim_file(file, "dev.jsonl").pairs}
    assert versions == {"dev1": "unanimous", "dev2": "mixed", "dev3": "wice"}
    assert [pair.id for pair in read_claim_file(file, "dev.jsonl", version="mixed").pairs] == ["dev2"]


@pytest.mark.parametrize(
    ("row", "truth"),
    [
        ({"claim": "A claim.", "evidence": "One text.", "label": "SUPPORTS"}, "Supported"),
        ({"claim": "A claim.", "evidence": "One text.", "label": "REFUTES"}, "Not supported"),
        ({"claim": "A claim.", "evidence": "One text.", "label": "NOT ENOUGH INFO"}, "Not supported"),
        ({"claim": "A claim.", "evidence": ["One", "text."], "label": "entailment"}, "Supported"),
        ({"claim": "A claim.", "references": ["One text."], "attribution_label": "not attributable"}, "Not supported"),
        (
            {"claim": "A claim.", "evidence": ["T."], "label": "Conflicting Evidence/Cherrypicking"},
            "Partially supported",
        ),
    ],
)
def test_labels_of_other_data_sets(tmp_path: Path, row: dict[str, object], truth: str) -> None:
    path = tmp_path / "dev.jsonl"
    path.write_text(json.dumps(row), encoding="utf-8")
    assert holds_claims(path, manuscripts=False)
    (pair,) = read_claim_file(path, "dev.jsonl").pairs
    assert (pair.truth, pair.version, pair.runs) == (truth, "v1", True)
    (again,) = read_claims(json.dumps([{"claim": "A.", "source": "S.", "label": truth}]), "c.json").pairs
    assert again.truth == truth


@pytest.mark.parametrize("evidence", [[[["id", 1, "Page", 0]]], {"4983": []}, None])
def test_evidence_without_a_text_is_an_error(tmp_path: Path, evidence: object) -> None:
    row = json.dumps({"claim": "A claim.", "evidence": evidence, "label": "SUPPORTS"})
    with pytest.raises(ClaimFileError, match=r"fever\.jsonl:1: the evidence must be a text or a list of sentences"):
        read_lines(row, "fever.jsonl", tmp_path)
