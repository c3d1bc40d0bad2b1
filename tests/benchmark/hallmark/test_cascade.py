"""A tool first, then a model for the cases that the tool leaves open."""

from __future__ import annotations

from pytest_citecheck.benchmark import aggressive, cascade, pair
from pytest_citecheck.inputs import LabelledEntry, Prediction


def stages(predictions: list[Prediction]) -> str:
    return " ".join(f"{said.label[0]}{(said.stage or '-')[5:6]}" for said in predictions)


def test_what_a_tool_leaves_open() -> None:
    tool = [
        Prediction("sure", "VALID", 0.85),
        Prediction("unsure", "VALID", 0.84),
        Prediction("typed", "HALLUCINATED", 0.6, type="wrong_venue"),
        Prediction("untyped", "HALLUCINATED", 0.9),
        Prediction("open", "UNCERTAIN", type="near_miss_title", sources=("dblp",), seconds=1.0, calls=2),
        Prediction("screened", "HALLUCINATED", 0.8, stage="prescreening"),
    ]
    model = [
        Prediction(key, "HALLUCINATED", 0.9, sources=("llm",), seconds=2.0, calls=1)
        for key in ("sure", "unsure", "typed", "open")
    ]
    keys = ["sure", "unsure", "typed", "untyped", "open", "screened", "missing"]
    said = cascade(keys, tool, model)
    assert stages(said) == "V1 H2 H1 U2 H2 Hr U2"
    # The model has no type of its own; the tool suspected one.
    assert [one.type for one in said] == [None, None, "wrong_venue", None, "near_miss_title", None, None]
    assert (said[4].sources, said[4].seconds, said[4].calls) == (("dblp", "llm"), 3.0, 3)
    # A tool that states no types keeps what it calls hallucinated.
    assert stages(cascade(["untyped"], [tool[3]], model)) == "H1"


def test_the_status_of_bibtex_updater_tells_what_is_open() -> None:
    tool = [
        Prediction("a", "VALID", 0.52, status="verified"),
        Prediction("b", "HALLUCINATED", 0.9, status="partial_match"),
        Prediction("c", "VALID", 0.9, status="strict_warn_year"),
        Prediction("d", "VALID", 0.9),
        Prediction("e", "HALLUCINATED", 0.85, status="unconfirmed", source="prescreening_override"),
    ]
    assert stages(cascade("abcde", tool, [])) == "V1 U2 U2 U2 Hr"


def test_the_aggressive_mode_keeps_the_stage() -> None:
    model = [Prediction("a", "VALID", 0.7), Prediction("b", "VALID", 0.69), Prediction("c", "UNCERTAIN")]
    said = cascade("abcd", [], model, aggressive=True)
    assert stages(said) == "V2 H2 H2 H2"
    assert [one.confidence for one in said] == [0.7, 0.55, 0.55, 0.55]
    # So does the aggressive mode of the scores.
    entries = [LabelledEntry(key, "misc", {}, "VALID") for key in "abcd"]
    forced = aggressive(pair(entries, cascade("abcd", [], model)))
    assert [answer.stage for answer in forced.answers if answer] == ["stage2_diagnosis"] * 4
