"""Any content of a file that a command reads: a result or a one-line error, never a traceback."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_citecheck.cli import main
from tests.support.mistyped_json import mistyped
from tests.support.report_data import finding, reference, report, scores

pytest.importorskip("numpy")
pytestmark = pytest.mark.usefixtures("few_replicates")

RECORD = {
    "source": "crossref",
    "id": "10.1/x",
    "url": "https://doi.org/10.1/x",
    "title": "Tides",
    "authors": ["Ada Author"],
}
ASKED = {
    "source": "crossref", "question": {"kind": "doi", "value": "10.1/x"}, "answer": "found", "records": [RECORD],
    "endpoint": "https://api.crossref.org/works?a=b&c=d", "date": "2026-11-01",
}  # fmt: skip
RUN = report(
    reference("a", gold={"label": "HALLUCINATED", "hallucination_type": "near_miss_title"}, evidence=[ASKED]),
    reference(
        "b", "fabricated", notices=[{"kind": "retraction", "alarming": True, "date": "2020", "doi": "10.1/r", "stated_by": "x"}],
        checks={"title": finding("failed", "title-near-miss", also=["title-other"], severity="error", record=RECORD,
                                 fixes={"title": "Tides"})},
    ),
    policy="strictest", calls={"error": "errors"}, strict=True, notes=["refs.bib:1: a note"],
    sources=[{"name": "crossref", "label": "Crossref", "requests": 1, "unavailable": {"timeout": 1}}],
    metrics=scores(
        "mine", 0.5, counts={"tp": 1, "fp": 0, "tn": 1, "fn": 1}, detection_rate_ci=[0.1, 0.9],
        reliability=[{"low": 0.0, "high": 0.5, "accuracy": 0.4, "count": 3}], roc=[[0, 0], [1, 1]], pr=[[0, 1], [1, 0]],
        risk_coverage=[{"coverage": 0.5, "risk": 0.1}, {"coverage": 1.0, "risk": 0.2}],
        type_confusion={"rows": ["near_miss_title"], "columns": ["near_miss_title", "VALID"], "counts": [[1, 0]]},
        per_tier_metrics={"3": {"detection_rate": 0.5, "tp": 1, "fn": 1, "count": 2}},
        subtest_metrics={"doi_resolves": {"accuracy": 0.5, "correct": 1, "count": 2, "cleaned": {"accuracy": 1.0}}},
        per_generation_method={"perturbation": {"num_valid": 1, "fp": 0, "tn": 1, "false_positive_rate": 0.0}},
        readings={"as_valid": {"detection_rate": 0.4}}, cost={"cost_usd": 0.1, "total_seconds": 3},
        num_hallucinated=2, num_valid=1,
    ),
    tools=[scores("other", 0.4, cost={"cost_usd": 0.2})],
    arena={"rankings": [{
        "model": "m", "rank": 1, "total_refs": 4, "errors": 1, "verified": 2, "suspect": 1, "not_found": 0, "requested": 5,
        "delivered": 4, "coverage": 0.8, "verification_rate": 0.5, "hallucination_rate": 0.2, "overall_accuracy": 0.5,
        "title_accuracy": 0.5, "verification_interval": [0.1, 0.9], "avg_confidence": 0.5, "completeness": 0.5,
        "year_compliance": {"rate": 0.5, "compliant": 1, "noncompliant": 1, "unknown": 0}, "year_constrained_refs": 2,
        "fields": {"title": {"accuracy": 0.5, "right": 1, "wrong": 1, "absent": 0, "undecided": 0}},
        "by_discipline": {"physics": {"total_refs": 2, "verified": 1, "verification_rate": 0.5}},
        "verified_by_source": {"crossref": 2},
    }]},
)  # fmt: skip
ENTRY = {
    "bibtex_key": "a", "bibtex_type": "article", "fields": {"title": "A study of tides and of shores", "author": "Ada Author",
    "year": "2001", "journal": "Nature", "doi": "10.1/x"}, "label": "HALLUCINATED", "hallucination_type": "near_miss_title",
    "difficulty_tier": 3, "explanation": "said so", "generation_method": "perturbation", "source_conference": "Nature",
    "publication_date": "2001-02-03", "added_to_benchmark": "2026-01-01",
    "subtests": {"doi_resolves": True, "title_exists": False, "cross_db_agreement": False}, "raw_bibtex": "@article{a}",
}  # fmt: skip
RIGHT = {
    **{name: value for name, value in ENTRY.items() if name not in ("hallucination_type", "difficulty_tier", "subtests")},
    "bibtex_key": "b", "label": "VALID", "fields": {**ENTRY["fields"], "title": "Another study of rain"},  # type: ignore[dict-item]
}  # fmt: skip
PREDICTION = {
    "bibtex_key": "a", "label": "HALLUCINATED", "confidence": 0.9, "reason": "said so",
    "subtest_results": {"doi_resolves": False},
    "api_sources_queried": ["crossref"], "wall_clock_seconds": 1.5, "api_calls": 2, "source": "tool",
    "predicted_hallucination_type": "near_miss_title",
}  # fmt: skip
OTHER = {"bibtex_key": "b", "label": "VALID", "confidence": 0.8}


def lines(*objects: str) -> str:
    return "".join(f"{line}\n" for line in objects)


def jsonl(folder: Path, name: str, seed: int | None, value: Any, other: Any) -> str:
    """Two objects, the first of them mistyped."""
    first = json.dumps(value) if seed is None else mistyped(value, seed)
    (folder / name).write_text(lines(first, json.dumps(other)), encoding="utf-8")
    return str(folder / name)


def reports(folder: Path, seed: int) -> list[str]:
    (folder / "run.json").write_text(mistyped(RUN, seed), encoding="utf-8")
    options = ["--html", str(folder / "r.html"), "--markdown", str(folder / "r.md"), "--language", "both"]
    return ["report", str(folder / "run.json"), *options]


def charts(folder: Path, seed: int) -> list[str]:
    (folder / "run.json").write_text(mistyped(RUN, seed), encoding="utf-8")
    return ["report", str(folder / "run.json"), "--charts", str(folder / "charts"), "--format", "svg"]


def validated(folder: Path, seed: int) -> list[str]:
    known = jsonl(folder, "known.jsonl", None, {**ENTRY, "bibtex_key": "c"}, {**RIGHT, "bibtex_key": "d"})
    return [
        "validate",
        jsonl(folder, "new.jsonl", seed, ENTRY, RIGHT),
        "--all",
        *(["--against", known] if seed % 2 else []),
    ]


def scored(folder: Path, seed: int) -> list[str]:
    split = jsonl(folder, "split.jsonl", seed if seed % 2 else None, ENTRY, RIGHT)
    predictions = jsonl(folder, "tool.jsonl", None if seed % 2 else seed, PREDICTION, OTHER)
    return [
        "score",
        "predictions",
        "--split",
        split,
        predictions,
        "--bootstrap",
        "0",
        "--format",
        ["text", "csv", "json"][seed % 3],
    ]


def ranked(folder: Path, seed: int) -> list[str]:
    split = jsonl(folder, "split.jsonl", None, ENTRY, RIGHT)
    one = jsonl(folder, "one.jsonl", seed, PREDICTION, OTHER)
    return ["rank", "--split", split, one, jsonl(folder, "two.jsonl", None, OTHER, PREDICTION), "--bootstrap", "2"]


def published(folder: Path, seed: int) -> list[str]:
    split = jsonl(folder, "split.jsonl", None, ENTRY, RIGHT)
    result = {"tool_name": "llm", "num_entries": 2, "num_hallucinated": 1, "num_valid": 1, "f1_hallucination": 0.5,
              "detection_rate": 1.0, "mcc": 0.1, "num_uncertain": 0, "coverage": 1.0}  # fmt: skip
    (folder / "result.json").write_text(
        mistyped({"tools": [result, result]} if seed % 2 else result, seed), encoding="utf-8"
    )
    tool = jsonl(folder, "tool.jsonl", None, PREDICTION, OTHER)
    return ["rank", "--split", split, tool, str(folder / "result.json"), "--bootstrap", "2"]


def diagnosed(folder: Path, seed: int) -> list[str]:
    split = jsonl(folder, "split.jsonl", seed, ENTRY, RIGHT)
    action = ["stats", "inspect", "diagnose"][seed % 3]
    return ["dataset", action, "--split", split]


def reviewed(folder: Path, seed: int) -> list[str]:
    steps = [{"date": "2026-01-01", "by": "ada", "state": "submitted", "note": ""},
             {"date": "2026-01-02", "by": "bea", "state": "approved", "note": "yes"}]  # fmt: skip
    stored = {"id": "x", "file": "new.jsonl", "entries": [RIGHT], "warnings": ["odd"], "log": steps}
    queue = folder / f"queue{seed}"
    queue.mkdir()
    (queue / "x.json").write_text(mistyped(stored, seed), encoding="utf-8")
    named = ["--queue", str(queue)]
    if seed % 2:
        return ["dataset", "accept", "x", *named, "--split", str(folder / f"into{seed}.jsonl"), "--by", "cyd"]
    return ["dataset", "review", *(["x"] if seed % 4 else []), *named]


def compared(folder: Path, seed: int) -> list[str]:
    split = jsonl(folder, "split.jsonl", seed if seed % 2 else None, ENTRY, RIGHT)
    tool = jsonl(folder, "tool.jsonl", None if seed % 2 else seed, PREDICTION, OTHER)
    action = [["union", "--by-cost"], ["cutoff", "--date", "2001-02-03"], ["contamination", "--corpus", split]][
        seed % 3
    ]
    return ["compare", action[0], "--split", split, tool, *action[1:]]


def baseline(folder: Path, seed: int) -> list[str]:
    split = jsonl(folder, "split.jsonl", seed if seed % 2 else None, ENTRY, RIGHT)
    runs = [jsonl(folder, f"{name}.jsonl", None if seed % 2 else seed, PREDICTION, OTHER) for name in ("one", "two")]
    name = ["ensemble_vote", "cascade", "gold_title", "doi_only", "random"][seed % 5]
    needed = {"ensemble_vote": runs, "cascade": runs, "doi_only": runs[:1]}.get(name, [])
    return [
        "dataset",
        "baseline",
        name,
        "--split",
        split,
        "--out",
        str(folder / "out.jsonl"),
        *(["--predictions", *needed] if needed else []),
    ]


def mutated(folder: Path, seed: int) -> list[str]:
    return ["mutate", jsonl(folder, "split.jsonl", seed, RIGHT, ENTRY), "--out", str(folder / "out.jsonl")]


def dumps(folder: Path, seed: int) -> list[str]:
    samples = ("entries.jsonl", "crossref.jsonl", "crossref_page.json", "openalex_page.json", "openreview_v1.jsonl",
               "openreview_v2.json", "papers.json", "refs.csl.json", "arxiv.json")  # fmt: skip
    source = Path(__file__).parents[1] / "dumps" / samples[seed % len(samples)]
    text = source.read_text(encoding="utf-8")
    try:
        changed = mistyped(json.loads(text), seed)
    except ValueError:
        first, *others = text.splitlines()
        changed = lines(mistyped(json.loads(first), seed), *others)
    (folder / source.name).write_text(changed, encoding="utf-8")
    return ["index", "build", str(folder / "my.index"), str(folder / source.name)]


def declared(folder: Path, seed: int) -> list[str]:
    scopes = [
        {"collection": "made", "venue": "NeurIPS", "years": "2018-2023", "why": "compared"},
        {"collection": "made", "venue": "ICML", "years": [2018, "2019"], "complete": False, "why": "half"},
        {"collection": "made", "derives_from": ["dblp"]},
    ]
    (folder / "scopes.yaml").write_text(mistyped(scopes, seed), encoding="utf-8")
    (folder / "made.jsonl").write_text(
        lines(json.dumps({"source": "made", "id": "1", "title": "Tides", "authors": ["Ada Author"], "year": 2019,
                          "venue": "ICML", "doi": "", "arxiv": "", "url": "", "type": ""})), encoding="utf-8"
    )  # fmt: skip
    return [
        "index",
        "build",
        str(folder / "my.index"),
        str(folder / "made.jsonl"),
        "--scopes",
        str(folder / "scopes.yaml"),
    ]


COMMANDS: list[Callable[[Path, int], list[str]]] = [
    reports, validated, scored, ranked, published, diagnosed, reviewed, compared, baseline, mutated, dumps, declared,
]  # fmt: skip


def run(command: Callable[[Path, int], list[str]], folder: Path, seed: int, capsys: pytest.CaptureFixture[str]) -> int:
    """Return the exit code. Assert that the output is lines of text and that an error names a file."""
    arguments = command(folder, seed)
    try:
        code = main(arguments)
    except Exception as error:
        raise AssertionError(f"{command.__name__} {seed}: {type(error).__name__}: {error}") from error
    said = capsys.readouterr()
    assert code in (0, 1, 2), (seed, code)
    assert "Traceback" not in said.err
    assert code != 2 or str(folder) in said.err, (seed, said.err)
    return code


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    "seeds", [range(2), pytest.param(range(2, 40), marks=pytest.mark.exhaustive)], ids=["few", "many"]
)
@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_mistyped_is_no_traceback(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: Callable[[Path, int], list[str]], seeds: range
) -> None:
    codes = Counter(run(command, tmp_path, seed, capsys) for seed in seeds)
    assert codes[0] > 0 or len(seeds) < 10  # of a few, all may be refused


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        (("references",), {}, "references: expected a list, found an object"),
        (("references", 0), None, "references[0]: expected an item, found null"),
        (("references", 1, "checks", "title", "outcome"), None, "references[1].checks.title.outcome: missing"),
        (("summary", "verdicts", "verified"), "1", "summary.verdicts.verified: expected a number, found text"),
        (("notes",), "a note", "notes: expected a list, found text"),
        (("tools", 0), [], "tools[0]: expected an object, found a list"),
        (("metrics", "type_confusion", "counts"), [1],
         "metrics.type_confusion.counts[0]: expected a list, found a number"),
        (("arena", "rankings", 0, "by_discipline"), True,
         "arena.rankings[0].by_discipline: expected an object, found true"),
    ],
)  # fmt: skip
def test_the_place_of_what_is_mistyped_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], place: tuple[Any, ...], value: Any, said: str
) -> None:
    changed = json.loads(json.dumps(RUN))
    holder = changed
    for key in place[:-1]:
        holder = holder[key]
    holder[place[-1]] = value
    path = tmp_path / "run.json"
    path.write_text(json.dumps(changed), encoding="utf-8")
    assert main(["report", str(path), "--html", str(tmp_path / "r.html")]) == 2
    assert capsys.readouterr().err == f"citecheck report: error: {path}: {said}\n"
    assert not (tmp_path / "r.html").exists()


@pytest.mark.parametrize(("levels", "code"), [(90, 0), (110, 2), (100_000, 2)])
def test_a_report_is_not_nested_without_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], levels: int, code: int
) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps(RUN)[:-1] + f', "more": {"[" * levels}{"]" * levels}}}', encoding="utf-8")
    assert main(["report", str(path), "--html", str(tmp_path / "r.html")]) == code
    assert ("nested" in capsys.readouterr().err) == bool(code)


def test_a_declaration_says_itself_what_is_complete(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = declared(tmp_path, 0)
    scopes = tmp_path / "scopes.yaml"
    for stated, said in (
        ('"complete": "false"', "complete is neither true nor false"),
        ('"complete": 0', "complete is neither true nor false"),
    ):
        text = f'[{{"collection": "made", "venue": "ICML", "years": 2018, "why": "half", {stated}}}]'
        scopes.write_text(text, encoding="utf-8")
        assert main(arguments) == 2
        assert said in capsys.readouterr().err


CASE = {
    "id": "s.jsonl::a", "key": "a", "check": "doi", "file": "s.jsonl", "line": "1", "outcome": "failed", "code": "doi-x",
    "severity": "error", "verdict": "fabricated", "probability": "0.9", "sources": "crossref=found",
    "truth.label": "HALLUCINATED",
    "truth.hallucination_type": "near_miss_title", "truth.tier": "3", "truth.subtests": "doi_resolves=false",
}  # fmt: skip
ANSWER = {
    **{name: text for name, text in CASE.items() if "truth" not in name},
    "answer.model": "m",
    "answer.query": "1",
}


@pytest.mark.parametrize(
    ("case", "thorough"),
    [
        pytest.param(CASE, False, id="labelled, a few"),
        pytest.param(CASE, True, id="labelled", marks=pytest.mark.exhaustive),
        pytest.param(ANSWER, True, id="answer", marks=pytest.mark.exhaustive),
    ],
)
def test_properties_of_another_form_are_no_traceback(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], case: dict[str, str], *, thorough: bool
) -> None:
    path = tmp_path / "r.xml"

    def code(properties: dict[str, str]) -> int:
        written = "".join(f'<property name="citecheck.{name}" value="{text}"/>' for name, text in properties.items())
        path.write_text(
            f'<testsuites><testsuite><testcase name="a" classname="b"><properties>{written}</properties></testcase>'
            "</testsuite></testsuites>",
            encoding="utf-8",
        )
        return main(["score", "junit", str(path), "--bootstrap", "0"])

    assert code(case) == 0
    names = [name for name in case if thorough or name in ("line", "outcome", "probability", "truth.tier")]
    for name in names:
        for text in ("", "NaN", "inf", "-1", "0.5", "9" * 5_000, "true", "1/0", "="):
            assert code({**case, name: text}) in (0, 1)
        assert code({other: text for other, text in case.items() if other != name}) in (0, 1)
    assert "Traceback" not in capsys.readouterr().err
    assert code({**case, "probability": "NaN"}) == 1
    assert "'NaN' is not a probability" in capsys.readouterr().err
