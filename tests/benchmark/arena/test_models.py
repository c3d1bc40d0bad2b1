"""Usage, error patterns, comparisons and thresholds of models, with values computed by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pytest_citecheck.benchmark import (
    FIGURES,
    ArenaReference,
    StrictResult,
    arena_scores,
    compared_models,
    error_patterns,
    figures_of,
    gate_lines,
    parse_gates,
    query_scores,
    read_usage,
    strict_scores,
    usage_scores,
    usage_text,
)
from pytest_citecheck.inputs import Usage

GOOD = ArenaReference(
    "m", "1", requested=2, verdict="verified", outcomes={"title": "passed"}, codes={"title": "title-ok"}
)
FAKE = replace(GOOD, verdict="fabricated", outcomes={"title": "failed"}, codes={"title": "title-not-found"})
REFUSED = ArenaReference("m", "1", requested=2, delivery="empty")
PRICED = Usage(searches=2, iterations=3, prompt_tokens=100, completion_tokens=10, cost=0.5)


def test_usage_counts_each_answer_once() -> None:
    first = [replace(GOOD, usage=PRICED), replace(FAKE, usage=PRICED)]
    second = [replace(GOOD, query="2", usage=replace(PRICED, finish="length", fallback=True, cost=0.25))]
    failed = replace(REFUSED, query="3", delivery="failed", usage=Usage(calls=0, failure="http-500"))
    usage = usage_scores([*first, *second, failed], verified=2)
    expected = {"calls": 2, "prompt_tokens": 200, "searches": 4, "iterations": 6, "cut_off": 1, "fallbacks": 1}
    assert {name: usage[name] for name in expected} == expected
    assert (usage["cost"], usage["cost_per_verified"], usage["unpriced"]) == (0.75, 0.375, 0)
    unknown = usage_scores([*first, replace(GOOD, query="4", usage=replace(PRICED, cost=None))], verified=2)
    assert (unknown["cost"], unknown["unpriced"], unknown["cost_per_verified"]) == (0.5, 1, None)
    assert usage_scores([GOOD], verified=1)["prompt_tokens"] is None


def test_usage_travels_as_text() -> None:
    assert read_usage(usage_text(PRICED)) == PRICED
    assert usage_text(Usage()) == "{}"
    with pytest.raises(ValueError):
        read_usage('{"other": 1}')


def test_patterns_show_cases_of_different_queries() -> None:
    wrong = [replace(FAKE, query=query, id=f"{query}{number}") for query in "ab" for number in (1, 2)]
    slip = replace(FAKE, verdict="misdescribed", query="c", id="c1", codes={"title": "title-near-miss"})
    first, second = error_patterns([*wrong, slip, GOOD])
    assert (first["code"], first["count"], first["share"]) == ("title-not-found", 4, 4 / 6)
    assert first["cases"] == ["a1", "b1", "a2"]
    assert (second["code"], second["cases"]) == ("title-near-miss", ["c1"])


def of(model: str, verified: str, **more: Any) -> list[ArenaReference]:
    """Answers to queries 1, 2 …: how many of two requested references are verified, ``x`` for a refusal."""
    answers = []
    for number, count in enumerate(verified, start=1):
        one = replace(GOOD, model=model, query=str(number), **more)
        wrong = replace(FAKE, model=model, query=str(number), **more)
        many = 0 if count == "x" else int(count)
        answers += (
            [replace(REFUSED, model=model, query=str(number))] if count == "x" else [one] * many + [wrong] * (2 - many)
        )
    return answers


def test_models_are_compared_query_by_query() -> None:
    pairs = compared_models([*of("a", "222222"), *of("b", "1111x1"), *of("c", "2")])
    (pair,) = pairs  # c has one query in common with the others
    assert (pair["first"], pair["second"], pair["queries"], pair["better"], pair["worse"]) == ("a", "b", 6, 6, 0)
    assert pair["difference"] == pytest.approx((5 * 0.5 + 1) / 6)
    assert pair["p_value"] == 2 / 64  # all six gaps have one sign: two of the 64 changes of signs are as far from 0
    assert pair["interval"][0] > 0
    assert pair["kind"] == "models"


def test_no_difference_is_none_and_several_tests_are_paid_for() -> None:
    pairs = compared_models([*of("a", "21212121"), *of("b", "21212121"), *of("c", "xxxxxxxx")])
    by_name = {(pair["first"], pair["second"]): pair for pair in pairs}
    assert (by_name["a", "b"]["p_value"], by_name["a", "b"]["equal"]) == (1.0, 8)
    assert by_name["a", "c"]["p_value"] == 2 / 256
    assert [by_name[pair]["p_adjusted"] for pair in (("a", "c"), ("b", "c"))] == [6 / 256, 6 / 256]


def test_the_tool_is_compared_with_the_bare_model() -> None:
    bare, tool = of("a", "1x1x", served="m-1"), of("a-tool", "2222", served="m-1", tool=True)
    (pair,) = compared_models([*tool, *bare])
    assert (pair["kind"], pair["difference"]) == ("tool", 0.75)


def test_what_was_not_asked_counts_nowhere_and_what_was_not_checked_for_neither_side() -> None:
    unasked = replace(REFUSED, query="9", delivery="not asked")
    unchecked = replace(FAKE, query="8", verdict="undecided", codes={"title": "unavailable"})
    assert query_scores([GOOD, unchecked]) == {"m": {"1": (0.5, 0.5), "8": (0.0, 0.5)}}
    (scores,) = arena_scores([GOOD, unasked])["rankings"]
    assert (scores["not_asked"], scores["requested"], scores["answers"]) == (1, 2, 1)


UNCHECKED = replace(FAKE, verdict="undecided", codes={"title": "unavailable"})


def answers(model: str, queries: int, *given: ArenaReference, requested: int = 3) -> list[ArenaReference]:
    """The same answer to each of this many queries."""
    return [
        replace(one, model=model, query=str(number), requested=requested)
        for number in range(1, queries + 1)
        for one in given
    ]


def test_a_model_whose_inventions_nobody_can_check_is_not_better() -> None:
    """Three models and 50 queries: two real papers; the same two and an invented third that no service answers for; none."""
    honest, boastful = answers("honest", 50, GOOD, GOOD), answers("boastful", 50, GOOD, GOOD, UNCHECKED)
    silent = answers("silent", 50, REFUSED)
    arena = arena_scores([*boastful, *honest, *silent])
    ranks = {one["model"]: (one["rank"], one["checked_rate"]) for one in arena["rankings"]}
    assert ranks == {"honest": (1, 1.0), "silent": (2, None), "boastful": (None, 2 / 3)}
    pairs = {(one["first"], one["second"]): one for one in compared_models([*boastful, *honest, *silent])}
    pair = pairs["boastful", "honest"]
    assert (pair["winner"], pair["difference"], pair["bounds"]) == (None, None, [0.0, pytest.approx(1 / 3)])
    assert (pair["better"], pair["worse"], pair["undecided"], pair["p_value"]) == (0, 0, 50, 1.0)
    assert pairs["honest", "silent"]["winner"] == "honest"
    assert pairs["boastful", "silent"]["winner"] is None  # better under both, but too little of it was checked
    assert [one["winner"] for one in compared_models([*boastful, *silent], least=0.5)] == ["boastful"]


def test_models_are_better_only_if_no_unchecked_reference_can_reverse_it() -> None:
    """One of ten references is unchecked: it hides a small difference and leaves a large one."""
    one_open = [*[GOOD] * 8, FAKE, UNCHECKED]
    for fakes, winner in ((1, None), (5, "a")):
        other = [*[GOOD] * (9 - fakes), *[FAKE] * fakes, UNCHECKED]
        both = [*answers("a", 30, *one_open, requested=10), *answers("b", 30, *other, requested=10)]
        (pair,) = compared_models(both)
        assert pair["winner"] == winner
        ranks = [one["rank"] for one in arena_scores(both)["rankings"]]
        assert ranks == ([1, 1] if winner is None else [1, 2])


def test_silence_and_repetition_do_not_pay() -> None:
    """One model answers all; one only the query it is sure of; one repeats its one paper."""
    twice = replace(GOOD, duplicate=True)
    whole = answers("whole", 6, GOOD, GOOD, FAKE)
    careful = [*answers("careful", 1, GOOD, GOOD, GOOD), *answers("careful", 6, REFUSED)[1:]]
    parrot = answers("parrot", 6, GOOD, twice, twice)
    arena = arena_scores([*parrot, *careful, *whole])
    assert [(one["model"], one["rank"]) for one in arena["rankings"]] == [("whole", 1), ("parrot", 2), ("careful", 3)]
    assert [one["verified_of_requested"] for one in arena["rankings"]] == [2 / 3, 1 / 3, 1 / 6]
    unnumbered = [replace(one, requested=None) for one in (*parrot, *whole)]
    assert query_scores(unnumbered)["parrot"]["1"] == (1 / 3, 1 / 3)


def test_answers_that_nobody_can_read_are_unchecked() -> None:
    unread = answers("m", 1, replace(REFUSED, query="9", delivery="unread"))
    (scores,) = arena_scores([*answers("m", 2, GOOD, GOOD, GOOD)[3:], *unread])["rankings"]
    assert (scores["rank"], scores["unchecked"], scores["checked_rate"]) == (None, 3, 0.5)
    assert scores["bounds"]["verified_of_requested"] == (0.5, 1.0)
    assert query_scores(unread) == {"m": {"1": (0.0, 1.0)}}


def test_thresholds_hold_whatever_unchecked_references_are() -> None:
    arena = arena_scores([replace(GOOD, usage=PRICED), *[GOOD] * 8, replace(UNCHECKED, id="x")])
    gates = "verification_rate>=.9,verification_rate>=.95,hallucination_rate<=.1,hallucination_rate<=.05"
    lines = dict(gate_lines(f"{gates},cost_per_verified<=.06,cost_per_verified<=.052", [], (), arena))
    assert [name.split(":")[0] for name, passed in lines.items() if passed] == [
        "verification_rate>=.9", "hallucination_rate<=.1", "cost_per_verified<=.06",
    ]  # fmt: skip
    assert any("0.9000 to 1.0000, as unchecked references are wrong or right" in name for name in lines)
    nothing = arena_scores([replace(UNCHECKED, usage=PRICED)])
    assert gate_lines("verification_rate>=.1,cost_per_verified<=9", [], (), nothing) == [
        ("verification_rate>=.1: 0.0000 to 1.0000, as unchecked references are wrong or right", False),
        ("cost_per_verified<=9: 0.5000 to unbounded, as unchecked references are wrong or right", False),
    ]


def test_the_rankings_of_the_arena_need_coverage_too() -> None:
    good, unknown = StrictResult("VERIFIED", 1.0), StrictResult("ERROR", 0.0)
    many = [replace(GOOD, strict=good)] * 9
    for profile in ("strict", "lenient"):
        (scores,) = strict_scores([*many, replace(UNCHECKED, strict=unknown)], profile)["rankings"]
        assert (scores["rank"], scores["bounds"]["verification_rate"]) == (1, (0.9, 1.0))
        (scores,) = strict_scores([*many[1:], *[replace(UNCHECKED, strict=unknown)] * 2], profile)["rankings"]
        assert (scores["rank"], scores["checked_rate"]) == (None, 0.8)


def test_every_figure_can_be_a_threshold() -> None:
    strict = StrictResult("VERIFIED", 1.0)
    arena = arena_scores([replace(GOOD, usage=PRICED, strict=strict), replace(FAKE, strict=strict)])
    ((model, figures),) = figures_of(arena | {"strict": {"rankings": [{"model": "m", "total_refs": 2, "errors": 0,
                                                                       "verification_rate": 1.0}]}})  # fmt: skip
    assert model == "m"
    assert set(figures) == set(FIGURES)
    assert (figures["verification_rate"], figures["strict_verification_rate"], figures["cost"]) == (0.5, 1.0, 0.5)
    assert (figures["failed_calls"], figures["lenient_verification_rate"]) == (0, None)
    for name, higher in FIGURES.items():
        (gate,) = parse_gates(f"{name}=1")
        assert (gate.comparison, gate.subject) == (">=" if higher else "<=", "answer of a model")
    lines = gate_lines("verification_rate>=.8,cost_per_verified<=1", [], (), arena)
    assert lines == [("verification_rate>=.8: 0.5000", False), ("cost_per_verified<=1: 0.5000", True)]
