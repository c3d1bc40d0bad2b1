"""The published splits and predictions are read completely, and entries that break parsers stay separate entries."""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from pathlib import Path

import pytest

from pytest_citecheck.benchmark import BASELINES, load_predictions, validate
from pytest_citecheck.cli import main
from pytest_citecheck.inputs import (
    FALSE_SUBTESTS,
    HALLMARK,
    TIERS,
    LabelledEntry,
    cited_metadata,
    load_split,
    read_hallmark,
    reader_for,
)
from pytest_citecheck.model import Reference

SHARED = Path(os.environ.get("CITECHECK_SHARED", "/nowhere")) / "hallmark"
pytestmark = pytest.mark.skipif(not SHARED.exists(), reason="CITECHECK_SHARED names no folder with the splits")

DEV, TEMPORAL = SHARED / "dev_public.jsonl", SHARED / "temporal_448.jsonl"


def entries(path: Path) -> tuple[LabelledEntry, ...]:
    split = load_split(path)
    assert split.problems == ()
    return split.entries


def references(path: Path) -> tuple[Reference, ...]:
    return read_hallmark("split", path.read_bytes()).references


@pytest.mark.parametrize(
    ("path", "labels", "tiers"),
    [
        (DEV, {"VALID": 513, "HALLUCINATED": 606}, {None: 513, 1: 149, 2: 280, 3: 177}),
        (TEMPORAL, {"VALID": 300, "HALLUCINATED": 148}, {None: 300, 1: 58, 2: 52, 3: 38}),
    ],
)
def test_labels_and_tiers(path: Path, labels: dict[str, int], tiers: dict[int | None, int]) -> None:
    read = entries(path)
    assert Counter(entry.label for entry in read) == labels
    assert Counter(entry.tier for entry in read) == tiers
    assert all(TIERS[entry.hallucination_type or ""] == entry.tier for entry in read if entry.tier)


def test_generation_methods() -> None:
    expected = {"scraped": 486, "perturbation": 414, "llm_generated": 113, "adversarial": 60, "real_world": 46}
    assert Counter(entry.generation_method for entry in entries(DEV)) == expected


@pytest.mark.parametrize("path", [DEV, TEMPORAL])
def test_the_truth_table_of_subtests_holds(path: Path) -> None:
    for entry in entries(path):
        for name in FALSE_SUBTESTS.get(entry.hallucination_type or "", ()):
            assert entry.subtests.get(name, False) is False, (entry.key, name)


def test_validation_finds_the_noise_that_is_known() -> None:
    """DOI outcomes for entries without a DOI: 48 hallucinated entries of dev, 168 valid ones of the temporal split."""
    count, problems = validate("dev", (DEV.read_bytes(),))
    assert count == 1119
    assert sum("the entry has no DOI" in problem.message for problem in problems) == 48
    _, problems = validate("temporal", (TEMPORAL.read_bytes(),))
    assert sum("doi_resolves` is false, but the label is VALID" in problem.message for problem in problems) == 168


def test_each_entry_is_one_reference_and_only_seven_have_a_defect() -> None:
    assert reader_for(str(DEV)) is HALLMARK
    start = time.process_time()
    read = references(DEV)
    assert time.process_time() - start < 0.5
    assert [reference.key for reference in read] == [entry.key for entry in entries(DEV)]
    assert [reference.location.line for reference in read] == list(range(1, 1120))
    damaged = {reference.key for reference in read if reference.defects}
    assert damaged == {
        "a687f76f3a21", "dae1eb71d49a", "aaefe29933ae", "c080618bff76", "e7b8d9a1670b", "c74be625b875", "fdcf8e3071b7",
    }  # fmt: skip
    assert all(reference.readable for reference in read)
    for reference, entry in zip(read, entries(DEV), strict=True):
        assert set(reference.fields) == set(entry.fields) - {"url"}


def test_keys_of_the_temporal_split_stay_as_they_are() -> None:
    read = references(TEMPORAL)
    assert len(read) == 448
    assert [reference.key for reference in read] == [entry.key for entry in entries(TEMPORAL)]
    assert sum(reference.key.endswith(":") for reference in read) == 144
    assert all(reference.defects == () for reference in read)


def test_numbers_of_homonyms_are_no_part_of_a_name() -> None:
    """dblp distinguishes people with the same name by four digits; all valid entries of the temporal split have some."""
    read = references(TEMPORAL)
    assert sum("0001" in reference.raw["author"] for reference in read) > 200
    people = [person for reference in read for person in cited_metadata(reference).people.names]
    assert len(people) > 1000
    assert not [person for person in people if any(map(str.isdigit, str(person)))]


def test_and_others_is_no_person() -> None:
    cut = [reference for reference in references(DEV) if reference.raw["author"].endswith("and others")]
    assert len(cut) >= 5
    for reference in cut:
        assert "others" not in {str(person).lower() for person in cited_metadata(reference).people.names}


@pytest.mark.parametrize(
    ("name", "rows", "keys", "calls"),
    [
        ("bibtexupdater_dev_public", 1119, 1119, 1.990170),
        ("agentic_openai_dev_public", 1119, 1119, 2.622878),
        ("gemini_pro_dev_public", 1119, 1119, 1),
        ("llama_4_maverick_dev_public", 1119, 1119, 1),
        ("claude_sonnet_4_6_temporal_448", 448, 448, 1),
        ("gpt_5_1_temporal_448", 480, 448, 1),
        ("gemini_flash_cutoff_aware_temporal_448", 448, 448, 1),
    ],
)
def test_published_predictions(name: str, rows: int, keys: int, calls: float) -> None:
    file = load_predictions(SHARED / "predictions" / f"{name}.jsonl")
    assert (len(file.predictions), len({row.key for row in file.predictions})) == (rows, keys)
    assert [problem.severity for problem in file.problems] == ["warning"] * (rows - keys)
    assert sum(row.calls for row in file.predictions) / rows == pytest.approx(calls, abs=1e-6)


# F1 that is published of these two on dev: .703 and .500.
@pytest.mark.parametrize(("name", "f1"), [("always_hallucinated", 0.703), ("doi_presence", 0.500)])
def test_published_anchors(name: str, f1: float) -> None:
    read = entries(DEV)
    outcomes = Counter((entry.label, row.label) for entry, row in zip(read, BASELINES[name].predict(read), strict=True))
    hits = outcomes["HALLUCINATED", "HALLUCINATED"]
    wrong = outcomes["VALID", "HALLUCINATED"] + outcomes["HALLUCINATED", "VALID"]
    assert 2 * hits / (2 * hits + wrong) == pytest.approx(f1, abs=5e-4)


def test_a_file_that_repeats_14_keys_is_scored(
    pytester: pytest.Pytester, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As ``llm_generated.jsonl``: each repeat is reported, and the other entries are checked and scored."""
    lines = [line for line in DEV.read_text(encoding="utf-8").splitlines() if '"llm_generated"' in line][:40]
    split, said = tmp_path / "llm_generated.jsonl", tmp_path / "said.jsonl"
    split.write_text("\n".join([*lines, *lines[:14]]) + "\n", encoding="utf-8")
    assert main(["dataset", "baseline", "doi_presence", "--split", str(split), "--out", str(said)]) == 0
    capsys.readouterr()
    assert main(["score", "predictions", "--split", str(split), str(said), "--format", "json"]) == 0
    shown = capsys.readouterr()
    assert shown.err.count("duplicate key: the entry on line") == 14
    (scored,) = json.loads(shown.out)
    assert (scored["num_entries"], scored["coverage"]) == (40, 1.0)

    result = pytester.runpytest(f"--citecheck={split}", "--citecheck-offline", "-q")
    out = result.stdout.str()
    assert out.count("duplicate key: the entry on line") == 14
    assert ": References 40, Hallucinated " in out
