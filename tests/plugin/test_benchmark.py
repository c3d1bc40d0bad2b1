"""Benchmark splits as test suites: labels, scores, thresholds, shards, workers, predictions."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from pytest_citecheck.benchmark import load_predictions, score
from pytest_citecheck.checks import CHECKS
from pytest_citecheck.cli import main
from pytest_citecheck.index import build
from pytest_citecheck.inputs import load_split
from tests.support.prediction_schema import misfits
from tests.support.records import work
from tests.support.suites import first_fast

WORKS = [
    ("Deep Residual Learning for Image Recognition", ("Kaiming He", "Xiangyu Zhang", "Shaoqing Ren", "Jian Sun"), 2016),
    ("Densely Connected Convolutional Networks", ("Gao Huang", "Zhuang Liu", "Kilian Q. Weinberger"), 2017),
    ("Focal Loss for Dense Object Detection", ("Tsung-Yi Lin", "Priya Goyal", "Ross B. Girshick"), 2017),
    ("Aggregated Residual Transformations for Deep Neural Networks", ("Saining Xie", "Ross B. Girshick"), 2017),
]
INDEX = [
    work("dblp", str(n), title, authors, year, "CVPR", f"10.1109/cvpr.{year}.{n}", type="inproceedings")
    for n, (title, authors, year) in enumerate(WORKS)
]
RIGHT = dict.fromkeys(
    ("doi_resolves", "title_exists", "authors_match", "venue_correct", "fields_complete", "cross_db_agreement"), True
)


def entry(key: str, work: int, label: str = "VALID", kind: str | None = None, **fields: str) -> dict[str, Any]:
    title, authors, year = WORKS[work]
    stated = {
        "title": title, "author": " and ".join(authors), "booktitle": "CVPR", "year": str(year),
        "doi": f"10.1109/CVPR.{year}.{work}", "url": "https://example.org/secret",
    } | fields  # fmt: skip
    line: dict[str, Any] = {
        "bibtex_key": key, "bibtex_type": "inproceedings", "fields": {k: v for k, v in stated.items() if v},
        "label": label, "explanation": "secret", "generation_method": "scraped" if kind is None else "perturbation",
        "subtests": RIGHT,
    }  # fmt: skip
    if kind is not None:
        false = {"near_miss_title": "title_exists", "swapped_authors": "authors_match", "wrong_venue": "venue_correct"}
        line |= {"hallucination_type": kind, "difficulty_tier": 3 if kind == "near_miss_title" else 2}
        line["subtests"] = RIGHT | {false[kind]: False, "cross_db_agreement": False}
    return line


SPLIT = [
    *(entry(f"right{n}", n) for n in range(4)),
    entry("title", 0, "HALLUCINATED", "near_miss_title", title="Deep Recurrent Learning for Image Recognition"),
    entry("authors", 1, "HALLUCINATED", "swapped_authors", author="Tsung-Yi Lin and Priya Goyal and Ross B. Girshick"),
    entry("venue", 2, "HALLUCINATED", "wrong_venue", booktitle="NeurIPS"),
    # Right, but labelled wrong: a false negative; and one of which nothing is known.
    entry("noise", 3, "HALLUCINATED", "near_miss_title"),
    entry("unknown", 0, title="On an altogether unheard-of matter", author="Ada Quillfeather", doi=""),
    entry("__canary__1", 0),
]  # fmt: skip


@pytest.fixture
def split(pytester: pytest.Pytester) -> Path:
    build(pytester.path / "my.index", INDEX)
    return write(SPLIT)


def write(lines: list[dict[str, Any]], *more: str, name: str = "split.jsonl") -> Path:
    path = Path(name)
    path.write_text("\n".join([*map(json.dumps, lines), *more]) + "\n", encoding="utf-8")
    return path


def run(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    return pytester.runpytest(
        "--citecheck=split.jsonl",
        "--citecheck-index=my.index",
        "--citecheck-offline",
        "--citecheck-cache=off",
        *arguments,
    )


def metrics(name: str = "r.json") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(name).read_text(encoding="utf-8"))["metrics"]
    return found


@pytest.mark.exhaustive
def test_scores_of_a_split(pytester: pytest.Pytester, split: Path) -> None:
    result = run(pytester, "--citecheck-json=r.json")
    assert sum(result.parseoutcomes().get(name, 0) for name in ("passed", "failed", "skipped")) == 9 * len(CHECKS)
    found = metrics()
    # By hand: three of four hallucinated ones are seen, no right one is accused, one is open.
    assert found["counts"] == {"tp": 3, "fp": 0, "tn": 4, "fn": 1, "uncertain": 1, "missing": 0}
    assert found["detection_rate"] == 0.75
    assert found["false_positive_rate"] == 0
    assert found["committed_coverage"] == 8 / 9
    assert found["per_type_metrics"]["wrong_venue"]["detection_rate"] == 1
    result.stdout.fnmatch_lines([
        "*Scores against the labels*",
        "split.jsonl: References 9, Hallucinated 4, Valid 5, TP 3, FP 0, TN 4, FN 1, Undecided 1, Missing 0",
        "Tool *Undecided references *Detection rate *False positive rate *F1*",
        "split.jsonl *excluded *75.0 % *0.0 %*",
        "Detection rate by hallucination type",
        "near_miss_title *50.0 % (1 of 2)",
        "swapped_authors *100.0 % (1 of 1)",
        "wrong_venue *100.0 % (1 of 1)",
    ])  # fmt: skip
    gold = {one["key"]: one.get("gold") for one in json.loads(Path("r.json").read_text(encoding="utf-8"))["references"]}
    assert gold["venue"] == {
        "label": "HALLUCINATED", "hallucination_type": "wrong_venue", "difficulty_tier": 2,
        "generation_method": "perturbation",
    }  # fmt: skip


@pytest.mark.exhaustive
def test_nothing_that_judges_a_reference_sees_its_label(pytester: pytest.Pytester, split: Path) -> None:
    pytester.makeconftest("""
        def pytest_collection_modifyitems(items):
            seen = repr([vars(item.reference) if hasattr(item.reference, "__dict__") else item.reference for item in items])
            for secret in ("secret", "HALLUCINATED", "near_miss", "title_exists", "perturbation"):
                assert secret not in seen, secret
        """)
    assert run(pytester).parseoutcomes()["passed"] > 20


@pytest.mark.exhaustive
def test_workers_and_shards_give_the_same_scores(pytester: pytest.Pytester, split: Path) -> None:
    run(pytester, "--citecheck-json=r.json", "--junitxml=one.xml")
    run(pytester, "--citecheck-json=two.json", "--junitxml=two.xml", "-n", "2")
    shards = [f"shard{part}.xml" for part in (1, 2, 3)]
    for part, name in enumerate(shards, start=1):
        run(pytester, f"--citecheck-shard={part}/3", f"--junitxml={name}")
    whole = metrics()
    assert metrics("two.json") == whole
    for files in (["one.xml"], ["two.xml"], shards, [*reversed(shards)], ["one.xml", *shards]):
        assert main(["score", "junit", *files, "--json", "s.json"]) == 0
        assert json.loads(Path("s.json").read_text(encoding="utf-8")) == {"tools": [whole]}, files


@pytest.mark.exhaustive
def test_what_occurs_twice_in_junit_files_counts_once(
    pytester: pytest.Pytester, split: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(pytester, "--junitxml=one.xml")
    text = Path("one.xml").read_text(encoding="utf-8")
    Path("other.xml").write_text(
        text.replace('name="citecheck.verdict" value="verified"', 'name="citecheck.verdict" value="fabricated"'),
        encoding="utf-8",
    )
    capsys.readouterr()
    assert main(["score", "junit", "one.xml", "other.xml", "--fail-under=fpr<=0.01,f1=0.99"]) == 1
    out, err = capsys.readouterr()
    assert "54 repeated cases (30 with another outcome or verdict); the first of each counts" in err
    assert out.splitlines()[-2:] == ["passed  fpr<=0.01: 0.0000", "FAILED  f1=0.99: 0.8571"]


CASE = (
    "<testsuites><testsuite><testcase name='a'><properties><property name='citecheck.verdict' value='verified'/>"
    "</properties></testcase></testsuite></testsuites>"
)


@pytest.mark.parametrize(
    ("content", "code", "said"),
    [
        (None, 2, "other.xml: No such file"),
        ("", 1, "not JUnit XML"),
        (
            "<testsuites><testsuite><testcase name='a'/></testsuite></testsuites>",
            1,
            "these files contain no labelled references",
        ),
        ("<html/>", 1, "not JUnit XML"),
        ("<!DOCTYPE x [<!ENTITY a 'b'>]><testsuites/>", 1, "must not declare a document type"),
        (CASE, 1, "missing property 'citecheck.file'"),
    ],
)
def test_junit_files_that_cannot_be_scored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    content: str | None, code: int, said: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    if content is not None:
        Path("other.xml").write_text(content)
    assert main(["score", "junit", "other.xml"]) == code
    assert said in capsys.readouterr().err


@pytest.mark.exhaustive
def test_shards_are_whole_and_disjoint(pytester: pytest.Pytester, split: Path) -> None:
    seen: list[str] = []
    for part in (1, 2, 3):
        run(pytester, f"--citecheck-shard={part}/3", "--citecheck-json=r.json")
        references = json.loads(Path("r.json").read_text(encoding="utf-8"))["references"]
        assert all(len(one["checks"]) == len(CHECKS) for one in references)
        seen += [one["key"] for one in references]
    assert sorted(seen) == sorted(line["bibtex_key"] for line in SPLIT[:-1])
    assert run(pytester, "--citecheck-shard=4/3").ret == pytest.ExitCode.USAGE_ERROR


@pytest.mark.parametrize(
    ("gates", "code", "said"),
    [
        ("f1=0.8,fpr<=0.03", 0, ["passed  f1=0.8: 0.8571", "passed  fpr<=0.03: 0.0000"]),
        ("f1=0.8,dr>0.9", 1, ["passed  f1=0.8: 0.8571", "FAILED  dr>0.9: 0.7500"]),
        ("f2=1", 4, ["*unknown metric 'f2' in 'f2=1'; choose from *"]),
    ],
)
def test_thresholds_decide_the_exit_code(
    pytester: pytest.Pytester, split: Path, gates: str, code: int, said: list[str]
) -> None:
    result = run(pytester, f"--citecheck-fail-under={gates}")
    assert result.ret == code
    (result.stderr if code == 4 else result.stdout).fnmatch_lines(said)


@pytest.mark.exhaustive
def test_thresholds_do_not_excuse_other_tests(pytester: pytest.Pytester, split: Path) -> None:
    pytester.makepyfile(test_other="def test_it(): assert False")
    assert run(pytester, "--citecheck-fail-under=f1=0.8", "test_other.py").ret == pytest.ExitCode.TESTS_FAILED


def test_thresholds_need_labels(pytester: pytest.Pytester, split: Path) -> None:
    write([{name: line[name] for name in ("bibtex_key", "bibtex_type", "fields")} for line in SPLIT])
    result = run(pytester, "--citecheck-fail-under=f1=0.1")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["FAILED  f1=0.1: no labelled reference was checked"])
    result.stdout.no_fnmatch_line("*scores on*")


@pytest.mark.exhaustive
def test_the_checker_under_test(pytester: pytest.Pytester, split: Path) -> None:
    result = run(pytester, "--citecheck-expect=truth", "--citecheck-json=r.json", "-rA")
    lines = result.stdout.str().splitlines()
    passed = {line.split("::")[1].split()[0] for line in lines if line.startswith("PASSED split")}
    failed = {line.split("::")[1].split()[0] for line in lines if line.startswith("FAILED split")}
    assert {"right0[title]", "title[title]", "authors[authors]", "venue[venue]", "title[authors]"} <= passed
    # What is labelled wrong although it is right contradicts the checks.
    assert {"noise[title]", "noise[cross_db]"} <= failed
    assert not any(name.startswith("right") for name in failed)
    assert metrics()["counts"]["tp"] == 3  # scores do not depend on what an item tests
    result.stdout.fnmatch_lines(["*title_exists is labelled false, but the check passed*"])


@pytest.mark.exhaustive
def test_the_checker_under_test_by_the_label_alone(pytester: pytest.Pytester, split: Path) -> None:
    write([{name: value for name, value in line.items() if name != "subtests"} for line in SPLIT])
    result = run(pytester, "--citecheck-expect=truth", "-rf", "-k", "title]")
    result.stdout.fnmatch_lines(
        ["the entry is labelled HALLUCINATED, but the verdict is verified", "FAILED *noise?title?*"]
    )
    assert result.parseoutcomes()["failed"] == 1


@pytest.mark.exhaustive
def test_predictions_can_be_scored_by_others(pytester: pytest.Pytester, split: Path) -> None:
    run(pytester, "--citecheck-predictions=p.jsonl", "--citecheck-json=r.json")
    assert list(misfits(Path("p.jsonl"))) == []
    written = load_predictions(Path("p.jsonl"))
    assert written.problems == ()
    labels = {prediction.key: prediction.label for prediction in written.predictions}
    assert labels == {
        **{f"right{n}": "VALID" for n in range(4)}, "noise": "VALID", "unknown": "UNCERTAIN",
        **dict.fromkeys(("title", "authors", "venue"), "HALLUCINATED"),
    }  # fmt: skip
    (title,) = [prediction for prediction in written.predictions if prediction.key == "title"]
    assert title.subtests["title_exists"] is False
    assert title.reason
    again = score(load_split(split).entries, written.predictions)
    assert again["counts"] == metrics()["counts"]
    assert again["ece"] == metrics()["ece"]


BROKEN = [
    '{"bibtex_key": "cut", "bibtex_type": "article", "fields": {"title": "Never',
    json.dumps(SPLIT[0]),
    '{"bibtex_key": "types", "bibtex_type": "article", "fields": [1], "label": "VALID"}',
]


@pytest.mark.exhaustive
def test_a_broken_split_is_refused(pytester: pytest.Pytester, split: Path) -> None:
    write(SPLIT, *BROKEN)
    result = run(pytester)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines([
        "split.jsonl:11: *", "split.jsonl:13: types: *",
        "--citecheck-lenient checks the others, with a failing item for each of these",
    ])  # fmt: skip
    assert "Traceback" not in result.stdout.str()


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "workers",
    [pytest.param((), id="one process"), pytest.param(("-n", "2"), id="workers", marks=pytest.mark.exhaustive)],
)
def test_a_broken_split_read_leniently(pytester: pytest.Pytester, split: Path, workers: tuple[str, ...]) -> None:
    write(SPLIT, *BROKEN)
    result = run(pytester, "--citecheck-lenient", "--citecheck-json=r.json", "-rf", *workers)
    assert metrics()["counts"] == {"tp": 3, "fp": 0, "tn": 4, "fn": 1, "uncertain": 1, "missing": 0}
    result.stdout.fnmatch_lines_random([
        "FAILED split.jsonl::cut?syntax?*",
        "FAILED split.jsonl::types?syntax?*",
    ])  # fmt: skip


@pytest.mark.exhaustive
def test_the_items_of_a_reference_go_to_one_worker(pytester: pytest.Pytester, split: Path) -> None:
    write([entry(f"k{n}", n % 4) for n in range(41)])
    result = run(pytester, "-n", "2", "-v")
    workers: dict[str, set[str]] = defaultdict(set)
    for worker, key in re.findall(r"\[(gw\d+)\].* split\.jsonl::(k\d+)\[", result.stdout.str()):
        workers[key].add(worker)
    assert len(workers) == 41
    assert all(len(held) == 1 for held in workers.values())
    assert set.union(*workers.values()) == {"gw0", "gw1"}


@pytest.mark.exhaustive
def test_several_splits_have_scores_each(pytester: pytest.Pytester, split: Path) -> None:
    write(SPLIT[:4], name="other.jsonl")
    run(pytester, "--citecheck=other.jsonl", "--citecheck-json=r.json")
    tools = json.loads(Path("r.json").read_text(encoding="utf-8"))["tools"]
    assert [(tool["tool_name"], tool["num_entries"]) for tool in tools] == [("other.jsonl", 4), ("split.jsonl", 9)]


@pytest.mark.parametrize(
    "option", first_fast(["--citecheck-json", "--citecheck-html", "--citecheck-markdown", "--citecheck-predictions"])
)
def test_no_report_takes_the_place_of_what_is_read(pytester: pytest.Pytester, split: Path, option: str) -> None:
    before = split.read_bytes()
    for name in ("split.jsonl", "./split.jsonl", "my.index"):
        result = run(pytester, f"{option}={name}")
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines(["*refusing to overwrite the input file *"])
    assert split.read_bytes() == before
    if option != "--citecheck-json":
        assert run(pytester, f"{option}=r", "--citecheck-json=r").ret == pytest.ExitCode.USAGE_ERROR


@pytest.mark.exhaustive
def test_a_report_that_cannot_be_written_costs_only_itself(pytester: pytest.Pytester, split: Path) -> None:
    write(SPLIT[:4])
    pytester.makeconftest("""
        import pathlib
        def pytest_collection_finish():
            pathlib.Path("gone").rmdir()
            pathlib.Path("gone").write_text("a file now")
        """)
    result = run(pytester, "--citecheck-json=gone/r.json", "--citecheck-predictions=p.jsonl")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*Scores against the labels*", "citecheck: *r.json could not be written: *"])
    assert len(load_predictions(Path("p.jsonl")).predictions) == 4


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "other.jsonl is empty"),
        ('{"bibtex_key": "a", "label": "VALID"}\n', "other.jsonl is neither a split (*) nor a file of answers (*"),
    ],
)
def test_a_file_that_is_no_split(pytester: pytest.Pytester, content: str, said: str) -> None:
    Path("other.jsonl").write_text(content)
    result = pytester.runpytest("--citecheck=other.jsonl")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*{said}"])


def test_a_doi_that_leads_to_another_work_resolves(pytester: pytest.Pytester, split: Path) -> None:
    write(
        [
            entry(
                "stolen",
                0,
                "HALLUCINATED",
                "near_miss_title",
                title="Notes on an altogether different matter",
                author="Lena Quist",
            )
        ]
    )
    result = run(pytester, "--citecheck-expect=truth", "--citecheck-predictions=p.jsonl", "-rA")
    (prediction,) = load_predictions(Path("p.jsonl")).predictions
    assert prediction.label == "HALLUCINATED"
    assert prediction.subtests["doi_resolves"] is True
    result.stdout.fnmatch_lines(["PASSED split.jsonl::stolen?doi?"])


@pytest.mark.exhaustive
def test_unlabelled_references_are_not_compared(pytester: pytest.Pytester, split: Path) -> None:
    write([{name: line[name] for name in ("bibtex_key", "bibtex_type", "fields")} for line in SPLIT])
    result = run(pytester, "--citecheck-expect=truth", "-rs")
    assert set(result.parseoutcomes()) == {"skipped"}
    result.stdout.fnmatch_lines(["*no-label: the pair has no label that this could be compared with*"])
