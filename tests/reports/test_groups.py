"""Rates by group: values, denominators and formatting."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_citecheck.benchmark import group_tables
from pytest_citecheck.reports import TEXTS, Rate, answer_of, as_markdown, rate_cell

WORDS = TEXTS["en"]


@pytest.mark.parametrize(
    ("rate", "written"),
    [
        (Rate(1.0, 15, 15, 47), "100.0 % (15 of 15 decided, 47 in all)"),
        (Rate(0.5, 1, 2, 2), "50.0 % (1 of 2)"),
        (Rate(0.5, 1, 2), "50.0 % (1 of 2)"),
        (Rate.of(0.0, 0, 0, 76), "– (none of 76 decided)"),
        (Rate.of(0.0, 0, 0, 0), "–"),
        (Rate.of(0.5, None, None, 8), "50.0 % (8 in all)"),
        (Rate.of(0.5, None, 8, 8), "50.0 % (8 in all)"),
        (Rate.of("0.5", None, None, None), "–"),
        (Rate(0.5, 1, 2, 2, [0.125, 1]), "50.0 % [12.5 %, 100.0 %] (1 of 2)"),
        (Rate(0.5, 1, 2, 2, [None, 1]), "50.0 % (1 of 2)"),
    ],
)
def test_a_rate_is_written_with_what_is_behind_it(rate: Rate, written: str) -> None:
    assert as_markdown(rate_cell(rate, WORDS)) == written


def test_counts_are_said_in_chinese_too() -> None:
    assert "已判定 15 条中的 15 条,共 47 条" in as_markdown(rate_cell(Rate(1.0, 15, 15, 47), TEXTS["zh"]))


def block(hallucinated: tuple[int, int, int], valid: tuple[int, int, int]) -> dict[str, Any]:
    """A block of the scores: of the hallucinated entries TP, FN and all of them, of the valid ones FP, TN and all."""
    (tp, fn, positives), (fp, tn, negatives) = hallucinated, valid
    return {
        "detection_rate": tp / (tp + fn) if tp + fn else 0.0,
        "false_positive_rate": fp / (fp + tn) if fp + tn else 0.0,
        "num_hallucinated": positives,
        "num_valid": negatives,
        "tp": tp,
        "fn": fn,
        "fp": fp,
        "tn": tn,
    }


def tables_of(**scores: Any) -> dict[str, dict[str, tuple[Rate, ...]]]:
    return {table.title: dict(table.rows) for table in group_tables([("one", scores)])}


def test_a_group_has_the_rates_of_the_entries_that_it_has() -> None:
    found = tables_of(
        per_generation_method={
            "perturbation": block((3, 1, 6), (0, 0, 0)),
            "scraped": block((0, 0, 0), (1, 3, 5)),
            "mixed": block((0, 0, 2), (0, 2, 2)),
        }
    )
    assert found["per_method"] == {"mixed": (Rate(None, 0, 0, 2),), "perturbation": (Rate(0.75, 3, 4, 6),)}
    assert found["accused_per_method"] == {"mixed": (Rate(0.0, 0, 2, 2),), "scraped": (Rate(0.25, 1, 4, 5),)}


def test_scores_of_other_tools_state_no_counts() -> None:
    published = {"detection_rate": 0.5, "false_positive_rate": 0.0, "f1": 0.5, "count": 4}
    found = tables_of(per_type_metrics={"near_miss_title": published, "valid": published}, subtest_metrics=None)
    assert found == {"per_type": {"near_miss_title": (Rate(0.5, None, None, 4),)}}


def test_a_subtest_is_shown_as_published_and_without_null_labels() -> None:
    cleaned = {"accuracy": 1.0, "count": 2, "correct": 2}
    own = {"subtest_metrics": {"doi_resolves": {"accuracy": 0.5, "count": 4, "correct": 2, "cleaned": cleaned}}}
    other = {"subtest_metrics": {"title_exists": {"accuracy": 0.0, "count": 0, "correct": 0}}}
    (table,) = group_tables([("own", own), ("other", other)])
    assert table.columns == (("own", "published"), ("own", "cleaned"), ("other", "published"))
    assert table.rows == {
        "doi_resolves": (Rate(0.5, 2, 4, 4), Rate(1.0, 2, 2, 2), Rate()),
        "title_exists": (Rate(), Rate(), Rate(None, 0, 0, 0)),
    }


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("answers.jsonl::m::q1::key", ("m", "1")),
        ("a/b.jsonl::some%2Fmodel%3Ax::q12~2::key", ("some/model:x", "12~2")),
        ("refs.bib::key", None),
        ("refs.bib::q1", None),
        ("refs.bib::a::b::c", None),
        (None, None),
    ],
)
def test_model_and_query_stand_in_the_id(name: str | None, found: tuple[str, str] | None) -> None:
    assert answer_of({"id": name}) == found
