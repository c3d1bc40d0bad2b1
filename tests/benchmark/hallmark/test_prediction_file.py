"""Predictions are read under all names they go by, and written in the one schema that is published."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.benchmark import PredictionFile, prediction_line, predictions_text, read_predictions
from pytest_citecheck.inputs import SUBTESTS, TIERS, Prediction
from tests.support.prediction_schema import misfits_of

PLAIN: dict[str, Any] = {"bibtex_key": "a", "label": "HALLUCINATED"}
WHOLE = Prediction(
    key="a",
    label="HALLUCINATED",
    confidence=0.9,
    reason="no such venue",
    subtests={"venue_correct": False, "doi_resolves": None},
    sources=("crossref", "dblp"),
    seconds=1.5,
    calls=3,
    source="tool",
    type="wrong_venue",
    stage="stage1_db",
)
WHOLE_LINE = (
    '{"bibtex_key": "a", "label": "HALLUCINATED", "confidence": 0.9, "reason": "no such venue", '
    '"subtest_results": {"doi_resolves": null, "venue_correct": false}, "api_sources_queried": ["crossref", "dblp"], '
    '"wall_clock_seconds": 1.5, "api_calls": 3, "source": "tool", "predicted_hallucination_type": "wrong_venue", '
    '"cascade_stage": "stage1_db"}'
)


def read(*lines: object) -> PredictionFile:
    encoded = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
    return read_predictions("p.jsonl", (b"\n".join(encoded),))


def only(file: PredictionFile) -> Prediction:
    (prediction,) = file.predictions
    return prediction


def test_a_whole_row_is_read_and_written() -> None:
    assert prediction_line(WHOLE) == WHOLE_LINE
    file = read(WHOLE_LINE.encode())
    assert (file.predictions, file.problems) == ((WHOLE,), ())


def test_what_is_not_stated_has_the_defaults_of_the_schema() -> None:
    assert only(read(PLAIN)) == Prediction("a", "HALLUCINATED", confidence=0.5)
    optional = list(json.loads(WHOLE_LINE))[2:]
    assert only(read(PLAIN | dict.fromkeys(optional))) == Prediction("a", "HALLUCINATED")


def test_the_names_of_bibtex_updater() -> None:
    row = {
        "bibtex_key": "a",
        "gold_label": "VALID",
        "pred_label": "HALLUCINATED",
        "pred_confidence": 0.25,
        "pred_type": None,
        "btu_status": "not_found",
        "btu_api_sources": ["crossref", "openalex"],
    }
    # Both services were asked once.
    assert only(read(row)) == Prediction(
        "a", "HALLUCINATED", 0.25, sources=("crossref", "openalex"), calls=2, status="not_found"
    )


def test_a_label_named_prediction_is_refused_with_its_right_name() -> None:
    file = read({"bibtex_key": "a", "prediction": "VALID"})
    assert [str(problem) for problem in file.problems] == [
        "p.jsonl:1: error: a: unknown field `prediction`; the schema calls it `label`"
    ]
    assert file.predictions == ()
    # Beside a label it is one of many names that nobody knows.
    assert only(read(PLAIN | {"prediction": "VALID"})).label == "HALLUCINATED"


def test_repeated_keys_are_told_and_kept_in_order() -> None:
    file = read(PLAIN, PLAIN | {"label": "VALID"}, PLAIN | {"bibtex_key": "b"})
    assert [(row.key, row.label) for row in file.predictions] == [
        ("a", "HALLUCINATED"),
        ("a", "VALID"),
        ("b", "HALLUCINATED"),
    ]
    assert [str(problem) for problem in file.problems] == [
        "p.jsonl:2: warning: a: repeated prediction for this entry, first on line 1"
    ]


def test_canaries_are_dropped() -> None:
    assert read({"bibtex_key": "__canary__x", "label": 5}) == PredictionFile("p.jsonl", (), ())


def test_nan_counts_as_not_stated() -> None:
    line = b'{"bibtex_key": "a", "label": "VALID", "confidence": NaN, "reason": NaN, "extra": NaN}'
    file = read(line)
    assert only(file) == Prediction("a", "VALID")
    assert [problem.message for problem in file.problems] == ["“confidence” is NaN and is ignored"]


def test_the_former_name_of_a_subtest() -> None:
    assert only(read(PLAIN | {"subtest_results": {"venue_real": False}})).subtests == {"venue_correct": False}


def test_a_type_may_be_suspected_without_a_decision() -> None:
    row = {"label": "UNCERTAIN", "predicted_hallucination_type": "wrong_venue"}
    assert only(read(PLAIN | row)).type == "wrong_venue"


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"bibtex_key": ""}, "“bibtex_key” is missing"),
        ({"label": None}, "missing `label`"),
        ({"label": "valid"}, "“label” is 'valid', not one of VALID, HALLUCINATED, UNCERTAIN"),
        ({"confidence": 1.01}, "`confidence` is 1.01, not between 0 and 1"),
        ({"confidence": -0.5}, "`confidence` is -0.5, not between 0 and 1"),
        ({"confidence": float("inf")}, "“confidence” is not a finite number"),
        ({"confidence": True}, "“confidence” is True, not a number"),
        ({"confidence": "high"}, "“confidence” is 'high', not a number"),
        ({"predicted_hallucination_type": "typo"}, None),
        (
            {"label": "VALID", "predicted_hallucination_type": "wrong_venue"},
            "`predicted_hallucination_type` is wrong_venue, but the label is VALID",
        ),
        ({"cascade_stage": "first"}, None),
        ({"subtest_results": {"title_exists": "pass"}}, None),
        ({"api_sources_queried": "crossref"}, "“api_sources_queried” is not a list of texts"),
        ({"wall_clock_seconds": -1}, "`wall_clock_seconds` and `api_calls` must not be negative"),
        ({"api_calls": -1}, "`wall_clock_seconds` and `api_calls` must not be negative"),
        ({"api_calls": 1.5}, "“api_calls” is 1.5, not a whole number"),
        ({"reason": ["x"]}, "“reason” is ['x'], not text"),
    ],
)
def test_an_error_costs_its_row_only(changed: dict[str, Any], said: str | None) -> None:
    file = read(PLAIN | changed, PLAIN | {"bibtex_key": "b"})
    assert [row.key for row in file.predictions] == ["b"]
    (problem,) = file.problems
    assert (problem.line, problem.severity) == (1, "error")
    assert said in (None, problem.message)


def test_a_number_that_is_text_is_read_with_a_warning() -> None:
    file = read(PLAIN | {"confidence": "0.75"})
    assert only(file).confidence == 0.75
    assert [problem.severity for problem in file.problems] == ["warning"]


def test_no_number_is_written_that_json_does_not_have() -> None:
    with pytest.raises(ValueError, match="JSON"):
        prediction_line(Prediction("a", "VALID", float("nan")))


def test_a_line_holds_what_the_published_schema_takes() -> None:
    assert misfits_of(prediction_line(Prediction("a", "VALID"))) == []
    assert misfits_of(prediction_line(Prediction("a", "VALID", type="wrong_venue"))) == []
    assert json.loads(prediction_line(Prediction("a", "VALID")))["wall_clock_seconds"] == 0.0
    # What the test would say of a line that stops the published evaluator.
    wrong = '{"bibtex_key": "a", "label": "VALID", "wall_clock_seconds": null, "type": "x"}'
    assert misfits_of(wrong) == ["wall_clock_seconds: None", "type: 'x'"]


OUTCOMES = st.dictionaries(st.sampled_from(list(SUBTESTS)), st.none() | st.booleans())
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
PREDICTIONS = st.builds(
    Prediction,
    key=TEXT.filter(lambda key: bool(key.strip()) and not key.startswith("__canary__")),
    label=st.sampled_from(["HALLUCINATED", "UNCERTAIN"]),
    confidence=st.floats(0, 1),
    reason=TEXT,
    subtests=OUTCOMES,
    sources=st.lists(TEXT, max_size=3).map(tuple),
    seconds=st.floats(0, 1e6),
    calls=st.integers(0, 10**6),
    source=TEXT,
    type=st.none() | st.sampled_from(list(TIERS)),
    stage=st.sampled_from([None, "stage1_db", "stage2_diagnosis", "prescreening"]),
)


@pytest.mark.exhaustive
@given(st.lists(PREDICTIONS, max_size=4, unique_by=lambda prediction: prediction.key))
def test_what_is_written_reads_the_same(predictions: list[Prediction]) -> None:
    text = predictions_text(predictions)
    assert text.isascii()
    assert len(text.splitlines()) == len(predictions)
    assert [misfits_of(line) for line in text.splitlines()] == [[] for _ in predictions]
    assert read_predictions("p", (text.encode(),)) == PredictionFile("p", tuple(predictions), ())
