"""Trivial tools, and several tools together."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_citecheck import __version__
from pytest_citecheck.benchmark import BASELINES, BaselineError, Voting, ensemble, load_predictions
from pytest_citecheck.checks import CHECKS
from pytest_citecheck.cli import main
from pytest_citecheck.inputs import LabelledEntry, Prediction, Verdict3
from tests.support.prediction_schema import misfits


def entry(key: str, doi: str = "", fields: dict[str, str] | None = None, **subtests: bool | None) -> LabelledEntry:
    return LabelledEntry(key, "misc", {**(fields or {}), **({"doi": doi} if doi else {})}, "VALID", subtests=subtests)


ENTRIES = [
    entry("a", "10.1000/a", {"title": "On tides", "year": "2026"}, title_exists=True, venue_correct=False),
    entry("b", "", {"title": "On  Shores"}, title_exists=False, venue_correct=True),
    entry("c", "10.1000/c", {"title": "On shores", "year": "in press"}, title_exists=None),
    entry("d", " ", {"year": "2027"}),
]
RUN = [
    Prediction("a", "VALID", subtests={"doi_resolves": True}),
    Prediction("c", "VALID", subtests={"doi_resolves": False}),
]


def letters(predictions: list[Prediction]) -> str:
    return "".join(prediction.label[0] for prediction in predictions)


@pytest.mark.parametrize(
    ("name", "labels"),
    [
        ("always_hallucinated", "HHHH"),
        ("always_valid", "VVVV"),
        # Python's generator, seed 42: .639, .025, .275, .223.
        ("random", "VHHH"),
        ("doi_presence", "VHVH"),
        ("gold_title", "VHVV"),
        ("gold_venue", "HVVV"),
        ("future_year", "VVVH"),
        ("duplicate_title", "VHHV"),
    ],
)
def test_what_the_baselines_say(name: str, labels: str) -> None:
    predictions = BASELINES[name].predict(ENTRIES)
    assert [prediction.key for prediction in predictions] == ["a", "b", "c", "d"]
    assert letters(predictions) == labels
    assert {prediction.source for prediction in predictions} == {name}
    assert BASELINES[name].predict(ENTRIES) == predictions


def test_the_answers_about_dois_are_those_of_a_run() -> None:
    entries = [*ENTRIES, entry("e", "10.1000/e")]
    predictions = BASELINES["doi_resolution"].predict(entries, [RUN])
    assert letters(predictions) == "VUHUU"
    assert [prediction.reason for prediction in predictions] == [
        "the DOI resolves",
        "the entry has no DOI",
        "the DOI does not resolve",
        "the entry has no DOI",
        "the DOI was not resolved",
    ]
    plain = BASELINES["doi_only_no_prescreening"].predict(entries, [RUN])
    assert (letters(plain), [said.confidence for said in plain]) == ("VVHVV", [0.85, 0.5, 0.75, 0.5, 0.5])
    # d is of 2027, which prescreening sees.
    screened = BASELINES["doi_only"].predict(entries, [RUN])
    assert (letters(screened), [said.confidence for said in screened]) == ("VVHHV", [0.85, 0.5, 0.75, 0.95, 0.5])
    assert [said.stage for said in screened] == [None, None, None, "prescreening", None]


def test_oracles_know_the_valid_entries_of_another_split() -> None:
    pool = [
        entry("p", "", {"title": "ON SHORES", "booktitle": "ICML"}),
        entry("a", "", {"title": "On tides", "journal": "icml"}),
        entry("q", "", {"title": "On moons", "booktitle": "ICLR"}),
        LabelledEntry("h", "misc", {"title": "On stars", "booktitle": "ICLR"}, "HALLUCINATED"),
    ]
    # Not a: it is itself the entry of the pool that has its title.
    assert letters(BASELINES["title_oracle"].predict(ENTRIES, pool=pool)) == "VHHV"
    asked = [entry(venue, "", {"booktitle": venue} if venue else {}) for venue in ("Icml", "ICLR", "JMLR", "")]
    assert letters(BASELINES["venue_oracle"].predict(asked, pool=pool)) == "VHHV"
    for name in ("title_oracle", "venue_oracle"):
        with pytest.raises(BaselineError, match=f"{name} needs a pool with VALID entries"):
            BASELINES[name].predict(ENTRIES, pool=pool[3:])
    with pytest.raises(BaselineError, match="random takes no pool"):
        BASELINES["random"].predict(ENTRIES, pool=pool)


def test_each_baseline_is_documented() -> None:
    page = (Path(__file__).parents[3] / "docs" / "benchmark-formats.md").read_text(encoding="utf-8")
    assert [name for name in BASELINES if f"`{name}`" not in page] == []


def test_the_oracles_are_marked() -> None:
    assert {name for name, baseline in BASELINES.items() if baseline.leaks} == {
        "title_oracle", "venue_oracle", "gold_title", "gold_venue",
    }  # fmt: skip
    assert all("diagnostic" in prediction.reason for prediction in BASELINES["gold_title"].predict(ENTRIES))


def test_what_is_missing_is_said() -> None:
    with pytest.raises(BaselineError, match=r"doi_only needs the predictions of 1 tool$"):
        BASELINES["doi_only"].predict(ENTRIES)
    with pytest.raises(BaselineError, match="doi_only takes the predictions of only one tool"):
        BASELINES["doi_only"].predict(ENTRIES, [RUN, RUN])
    with pytest.raises(BaselineError, match="no prediction states whether a DOI resolves"):
        BASELINES["doi_only"].predict(ENTRIES, [[Prediction("a", "VALID")]])
    with pytest.raises(BaselineError, match="random takes the predictions of no tool"):
        BASELINES["random"].predict(ENTRIES, [RUN])
    with pytest.raises(BaselineError, match="ensemble_vote needs the predictions of 2 tools"):
        BASELINES["ensemble_vote"].predict(ENTRIES, [RUN])
    with pytest.raises(BaselineError, match=r"needs `subtests\.title_exists`, which no entry"):
        BASELINES["gold_title"].predict([entry("a")])


def said(*votes: tuple[Verdict3, float]) -> list[list[Prediction]]:
    return [[Prediction("k", label, confidence)] for label, confidence in votes]


# Vote: the confidences of HALLUCINATED over the number of deciding tools. Mean and maximum: of these and 1 minus those of VALID.
@pytest.mark.parametrize(
    ("votes", "rule", "label", "confidence"),
    [
        (said(("HALLUCINATED", 0.9), ("VALID", 0.6)), "vote", "VALID", 0.55),
        (said(("HALLUCINATED", 0.6), ("HALLUCINATED", 0.7), ("VALID", 0.9)), "vote", "VALID", 1 - 1.3 / 3),
        (said(("HALLUCINATED", 0.8), ("HALLUCINATED", 0.8), ("VALID", 1.0)), "vote", "HALLUCINATED", 1.6 / 3),
        (said(("HALLUCINATED", 0.5), ("VALID", 0.5)), "vote", "VALID", 0.75),
        (said(("HALLUCINATED", 1.0), ("VALID", 1.0)), "vote", "VALID", 0.5),
        (said(("HALLUCINATED", 0.9), ("VALID", 0.6)), "mean", "HALLUCINATED", (0.9 + 0.4) / 2),
        (said(("HALLUCINATED", 0.6), ("VALID", 0.9), ("VALID", 0.8)), "mean", "VALID", 1 - (0.6 + 0.1 + 0.2) / 3),
        (said(("HALLUCINATED", 0.9), ("UNCERTAIN", 0.9)), "vote", "HALLUCINATED", 0.9),
        (said(("HALLUCINATED", 0.9), ("UNCERTAIN", 0.9)), "vote_decided", "HALLUCINATED", 0.9),
        (said(("HALLUCINATED", 0.6), ("VALID", 0.9)), "max", "VALID", 0.9),
        (said(("HALLUCINATED", 0.6), ("UNCERTAIN", 0.9)), "max", "HALLUCINATED", 0.6),
        (said(("HALLUCINATED", 0.9), ("VALID", 0.9)), "max", "HALLUCINATED", 0.9),  # of equals the first
        (said(("VALID", 0.9), ("HALLUCINATED", 0.9)), "max", "VALID", 0.9),
        (said(("HALLUCINATED", 0.6), ("VALID", 0.9)), "any", "HALLUCINATED", 0.6),
        (said(("VALID", 0.7), ("VALID", 0.9)), "any", "VALID", 0.7),
        (
            said(("HALLUCINATED", 0.3), ("VALID", 0.9)),
            "any",
            "VALID",
            0.7,
        ),  # whoever doubts its own label says the other
        (said(("HALLUCINATED", 0.9), ("UNCERTAIN", 0.9)), "mean", "HALLUCINATED", 0.9),
        (said(("UNCERTAIN", 0.9), ("UNCERTAIN", 0.9)), "vote", "UNCERTAIN", 0.5),
        ([[], []], "max", "UNCERTAIN", 0.5),
    ],
)
def test_rules_of_ensembles(votes: list[list[Prediction]], rule: str, label: str, confidence: float) -> None:
    (decision,) = ensemble(["k"], votes, rule)
    assert (decision.label, decision.source) == (label, f"ensemble_{rule}")
    assert decision.confidence == pytest.approx(confidence, abs=1e-12)


def test_votes_have_weights_and_a_threshold() -> None:
    votes = said(("HALLUCINATED", 0.9), ("VALID", 0.6), ("UNCERTAIN", 1.0))
    (heavy,) = ensemble(["k"], votes, "vote", Voting((2.0, 1.0, 5.0)))
    assert heavy.label == "HALLUCINATED"
    assert heavy.confidence == pytest.approx(1.8 / 3)
    (strict,) = ensemble(["k"], votes, "vote", Voting((2.0, 1.0, 5.0), 0.6000001))
    assert strict.label == "VALID"
    assert strict.confidence == pytest.approx(1 - 1.8 / 3)
    (light,) = ensemble(["k"], votes, "vote", Voting(threshold=0.45))
    assert (light.label, light.confidence) == ("VALID", 0.55)
    # A tool without a prediction keeps its weight out of the sum.
    (one,) = ensemble(["k"], [[], *votes[:1]], "vote", Voting((9.0, 2.0)))
    assert (one.label, one.confidence) == ("HALLUCINATED", 0.9)
    with pytest.raises(BaselineError, match="1 weights for 2 tools"):
        BASELINES["ensemble_vote"].predict([entry("k")], votes[:2], voting=Voting((1.0,)))
    with pytest.raises(BaselineError, match="ensemble_mean takes no weights and no threshold"):
        BASELINES["ensemble_mean"].predict([entry("k")], votes[:2], voting=Voting((1.0, 1.0)))


def test_each_baseline_has_the_published_confidences() -> None:
    def sure(name: str, **given: Any) -> list[float]:
        return [one.confidence for one in BASELINES[name].predict(ENTRIES, **given)]

    pool = [entry("p", "", {"title": "ON SHORES"})]
    assert sure("always_hallucinated") == sure("always_valid") == [1.0] * 4
    assert sure("doi_presence") == [0.6, 0.8, 0.6, 0.8]  # VALID with a DOI
    assert sure("title_oracle", pool=pool) == [0.5, 0.8, 0.8, 0.5]
    assert sure("doi_only_no_prescreening", runs=[RUN]) == [0.85, 0.5, 0.75, 0.5]


def test_an_ensemble_costs_what_its_tools_cost() -> None:
    runs = [
        [Prediction("k", "VALID", sources=("b", "a"), seconds=1.5, calls=2)],
        [Prediction("k", "UNCERTAIN"), Prediction("k", "UNCERTAIN", sources=("c",), seconds=0.5, calls=1)],
    ]
    (decision,) = ensemble(["k"], runs, "vote")
    assert (decision.sources, decision.seconds, decision.calls) == (("a", "b", "c"), 2.0, 3)
    assert decision.reason == "0 of 1 deciding tools predict HALLUCINATED"


@pytest.fixture
def split(tmp_path: Path) -> Path:
    path = tmp_path / "split.jsonl"
    rows = [
        {
            "bibtex_key": key,
            "bibtex_type": "misc",
            "fields": fields,
            "label": "VALID",
            "subtests": {"title_exists": True},
        }
        for key, fields in (("a", {"doi": "10.1000/a"}), ("b", {}))
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_the_command(split: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, two, both = (split.with_name(name) for name in ("one.jsonl", "two.jsonl", "both.jsonl"))
    assert main(["dataset", "baseline", "doi_presence", "--split", str(split), "--out", str(one)]) == 0
    assert capsys.readouterr().out == f"wrote 2 predictions to {one}\n"
    assert main(["dataset", "baseline", "gold_title", "--split", str(split), "--out", str(two)]) == 0
    assert "reads gold labels" in capsys.readouterr().err
    assert (
        main(
            [
                "dataset",
                "baseline",
                "ensemble_vote",
                "--split",
                str(split),
                "--out",
                str(both),
                "--predictions",
                str(one),
                str(two),
            ]
        )
        == 0
    )
    # b: HALLUCINATED with .8 against VALID.
    assert [(row.label, row.confidence) for row in load_predictions(both).predictions] == [
        ("VALID", 1.0),
        ("VALID", 0.6),
    ]
    arguments = ["dataset", "baseline", "ensemble_vote", "--split", str(split), "--out", str(both), "--predictions"]
    assert main([*arguments, str(one), str(two), "--weights", "3", "1", "--voting-threshold", "0.55"]) == 0
    assert [row.label for row in load_predictions(both).predictions] == ["VALID", "HALLUCINATED"]
    oracle = ["dataset", "baseline", "title_oracle", "--split", str(split), "--out", str(both)]
    assert main([*oracle, "--pool", str(split), str(split)]) == 0
    assert main([*arguments, str(one), str(two), "--voting-threshold", "2"]) == 2


def test_blind_splits_and_lists_of_checksums(split: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [json.loads(line) for line in split.read_text().splitlines()]
    rows[0]["fields"]["url"] = "https://example.org"
    split.write_text("".join(json.dumps(row) + "\n" for row in rows))
    blind, listed = split.with_name("blind.jsonl"), split.with_name("manifest.json")
    assert main(["dataset", "blind", "--split", str(split), "--output", str(blind)]) == 0
    assert [json.loads(line) for line in blind.read_text().splitlines()] == [
        {"bibtex_key": "a", "bibtex_type": "misc", "fields": {"doi": "10.1000/a"}, "raw_bibtex": None},
        {"bibtex_key": "b", "bibtex_type": "misc", "fields": {}, "raw_bibtex": None},
    ]
    assert main(["dataset", "manifest", str(split), str(blind), "--manifest", str(listed)]) == 0
    assert main(["dataset", "manifest", "--manifest", str(listed)]) == 0
    split.write_text("")
    blind.unlink()
    capsys.readouterr()
    assert main(["dataset", "manifest", "--manifest", str(listed)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        f"{blind}: missing",
        f"{split}: differs",
        "2 files, 2 not as listed",
    ]
    listed.write_text("[]")
    assert main(["dataset", "manifest", "--manifest", str(listed)]) == 2


def test_scores_are_appended_to_a_history(split: Path) -> None:
    one, history = split.with_name("one.jsonl"), split.with_name("history.jsonl")
    assert main(["dataset", "baseline", "doi_presence", "--split", str(split), "--out", str(one)]) == 0
    for _ in range(2):
        assert main(["score", "predictions", "--split", str(split), str(one), "--history", str(history)]) == 0
    rows = [json.loads(line) for line in history.read_text().splitlines()]
    assert [(row["tool_name"], row["split_name"], row["version"]) for row in rows] == [
        ("one", "split", __version__)
    ] * 2
    # As in the published files: counts by row and column, and 0 for rates over nothing. JSON has no NaN.
    assert rows[0]["type_confusion"]["valid"]["VALID"] == 1
    assert (rows[0]["precision"], rows[0]["type_accuracy"]["overall"]) == (0.0, None)


def test_repeated_keys_are_reported_and_the_rest_is_scored(
    split: Path, pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    with split.open("a") as file:
        file.write(
            json.dumps({"bibtex_key": "a", "bibtex_type": "misc", "fields": {"title": "Other"}, "label": "VALID"})
            + "\n"
        )
    one = split.with_name("one.jsonl")
    assert main(["dataset", "baseline", "always_valid", "--split", str(split), "--out", str(one)]) == 0
    assert "duplicate key: the entry on line 1 counts" in capsys.readouterr().err
    assert [row.key for row in load_predictions(one).predictions] == ["a", "b"]
    result = pytester.runpytest(f"--citecheck={split}", "--citecheck-offline", "--collect-only", "-q")
    result.stdout.fnmatch_lines([f"*{2 * len(CHECKS)} tests collected*"])
    result = pytester.runpytest(f"--citecheck={split}", "--citecheck-offline")
    result.stdout.fnmatch_lines(["note: *a: duplicate key: the entry on line 1 counts"])


@pytest.mark.exhaustive
def test_every_file_of_a_baseline_fits_the_published_schema(split: Path) -> None:
    run = split.with_name("run.jsonl")
    run.write_text('{"bibtex_key": "a", "label": "VALID", "subtest_results": {"doi_resolves": true}}\n')
    for name, baseline in BASELINES.items():
        out = split.with_name(f"{name}.jsonl")
        given = ["--predictions", *[str(run)] * baseline.runs[0]] if baseline.runs[0] else []
        pool = ["--pool", str(split)] if baseline.pooled else []
        subtests = [] if name == "gold_venue" else ["a", "b"]
        assert main(["dataset", "baseline", name, "--split", str(split), "--out", str(out), *given, *pool]) == (
            0 if subtests else 2
        )
        if subtests:
            assert list(misfits(out)) == []
            assert [json.loads(line)["bibtex_key"] for line in out.read_text().splitlines()] == subtests


def test_an_oracle_needs_a_pool(split: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(split.with_name("o.jsonl"))
    assert main(["dataset", "baseline", "title_oracle", "--split", str(split), "--out", out]) == 2
    assert "name it with --pool" in capsys.readouterr().err
    assert (
        main(["dataset", "baseline", "title_oracle", "--split", str(split), "--out", str(split), "--pool", str(split)])
        == 2
    )
    assert main(["dataset", "baseline", "cascade", "--split", str(split), "--out", out, "--predictions", out]) == 2
    assert "the predictions of 2 tools, one file each" in capsys.readouterr().err


def test_wrong_usage(split: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = split.with_name("out.jsonl")
    empty = split.with_name("empty.jsonl")
    empty.write_text('{"bibtex_key": "\\u001b[2J"}\n')
    assert main(["dataset", "baseline", "doi_only", "--split", str(split), "--out", str(out)]) == 2
    assert main(["dataset", "baseline", "random", "--split", str(split.with_name("none")), "--out", str(out)]) == 2
    assert main(["dataset", "baseline", "random", "--split", str(empty), "--out", str(out)]) == 2
    assert (
        main(["dataset", "baseline", "doi_only", "--split", str(split), "--out", str(out), "--predictions", str(empty)])
        == 2
    )
    assert main(["dataset", "baseline", "random", "--split", str(split), "--out", str(split)]) == 2
    assert main(["dataset", "baseline", "random", "--split", str(split), "--out", str(split / "no folder")]) == 2
    with pytest.raises(SystemExit) as stop:
        main(["dataset", "baseline", "best", "--split", str(split), "--out", str(out)])
    assert stop.value.code == 2
    assert not out.exists()
    assert "\x1b" not in capsys.readouterr().err
    assert len(split.read_text().splitlines()) == 2


def test_many_problems_are_counted(split: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with split.open("a") as file:
        file.write("[]\n" * 25)
    assert main(["dataset", "baseline", "random", "--split", str(split), "--out", str(split.with_name("out"))]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert (len(lines), lines[-1]) == (21, f"{split}: and 5 more problems")
