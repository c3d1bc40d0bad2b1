"""Models' answers as test suites: items by model and query, scores of the models, also from JUnit XML."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from pytest_citecheck.cli import main

ROOT = Path(__file__).parents[2]
ANSWERS = ROOT / "fixtures" / "answers.jsonl"


def run(pytester: pytest.Pytester, *arguments: str, file: str = "answers.jsonl") -> pytest.RunResult:
    if not Path("answers.jsonl").exists():
        Path("answers.jsonl").write_bytes(ANSWERS.read_bytes())
    return pytester.runpytest(f"--citecheck={file}", f"--citecheck-cassettes={ROOT / 'cassettes'}", *arguments)


def arena(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(name).read_text(encoding="utf-8"))["arena"]
    return found


@pytest.mark.exhaustive
def test_models_are_scored(pytester: pytest.Pytester) -> None:
    result = run(pytester, "--citecheck-json=r.json")
    scores = {one["model"]: one for one in arena("r.json")["rankings"]}
    # The file says who is candid, who invents, and who says next to nothing.
    assert list(scores) == ["candid-1", "dreamer-2", "terse-3"]
    assert scores["candid-1"]["verification_rate"] == 1
    assert scores["dreamer-2"]["hallucination_rate"] == 4 / 6
    assert (scores["terse-3"]["failed_calls"], scores["terse-3"]["refusals"]) == (1, 1)
    assert scores["dreamer-2"]["duplicates"] == 1
    assert scores["candid-1"]["year_compliance_rate"] == 1
    result.stdout.fnmatch_lines([
        "note: answers.jsonl:4: repeated: transformer2017 cites the work of vaswani2017attention again (dreamer-2, query 1)",
        "*= Models =*",
        "candid-1 * 6 * 0 * 100.0 % (6 of 6) * 0.0 % (0 of 6)*",
        "dreamer-2 * 6 * 0 * 33.3 % (2 of 6) * 66.7 % (4 of 6)*",
        "Delivered and requested",
        "Model * Failed calls * Without references * Cut off * Not requested * Repeated *",
    ])  # fmt: skip


def test_nothing_is_ranked_if_no_service_can_be_reached(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("two.jsonl").write_text(
        "".join(
            json.dumps(
                {"model": model, "query": "q", "num_refs": 1, "answer": f"@article{{a, title={{Words {model}}}}}"}
            )
            + "\n"
            for model in ("one", "two")
        ),
        encoding="utf-8",
    )
    gate = "--citecheck-fail-under=verification_rate>=0.1"
    result = pytester.runpytest(
        "--citecheck=two.jsonl", "--citecheck-offline", "--citecheck-html=r.html", gate, "--junitxml=r.xml"
    )
    assert result.ret == 1
    result.stdout.fnmatch_lines([
        "one * 1 * 1 * 0.0 % (0 of 1)",
        "No rank for one, two: less than 90.0 % of the references could be checked.",
        "FAILED  verification_rate>=0.1: 0.0000 to 1.0000, as unchecked references are wrong or right (one)",
    ])  # fmt: skip
    assert "No rank for one, two" in Path("r.html").read_text(encoding="utf-8")
    capsys.readouterr()
    assert main(["score", "junit", "r.xml", "--format=csv"]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("one,,1,")


@pytest.mark.exhaustive
def test_junit_files_of_answers_are_merged_by_id(pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]) -> None:
    """Two models may use the same key for different references."""
    result = run(pytester, "--junitxml=one.xml", "--citecheck-fail-under=verification_rate>=0.9")
    result.stdout.fnmatch_lines(["*verification_rate>=0.9: 0.3333 (dreamer-2)*"])
    assert result.ret == 1
    capsys.readouterr()
    assert main(["score", "junit", "one.xml", "--fail-under", "verification_rate>=0.3"]) == 1
    out, err = capsys.readouterr()
    assert err == ""
    assert "passed  verification_rate>=0.3: 0.3333 (dreamer-2)" in out.splitlines()
    assert main(["score", "junit", "one.xml", "one.xml"]) == 0
    repeated = capsys.readouterr().err
    assert re.fullmatch(r"citecheck score junit: \d+ repeated cases; the first of each counts\n", repeated)


@pytest.mark.exhaustive
def test_workers_and_junit_give_the_same_scores(pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]) -> None:
    run(pytester, "--citecheck-json=one.json", "--junitxml=one.xml")
    run(pytester, "--citecheck-json=two.json", "--junitxml=two.xml", "-n", "2")
    for part in (1, 2):
        run(pytester, f"--citecheck-shard={part}/2", f"--junitxml=shard{part}.xml")
    assert arena("two.json") == arena("one.json")
    for files in (["one.xml"], ["two.xml"], ["shard2.xml", "shard1.xml"]):
        capsys.readouterr()
        assert main(["score", "junit", *files, "--json", "s.json"]) == 0
        assert arena("s.json") == arena("one.json"), files
        assert capsys.readouterr().out.splitlines()[1].startswith("candid-1 ")


@pytest.mark.exhaustive
def test_items_are_chosen_by_model_and_query(pytester: pytest.Pytester) -> None:
    run(pytester, "--collect-only")
    one = pytester.runpytest("answers.jsonl::dreamer-2::q1", "--citecheck", "--collect-only", "-q")
    one.stdout.fnmatch_lines(["answers.jsonl::dreamer-2::q1::vaswani2017attention?doi?"])
    one.stdout.no_fnmatch_line("*candid*")
    one.stdout.no_fnmatch_line("*transformer2017*")  # the same work again
    every = pytester.runpytest("answers.jsonl::candid-1", "--citecheck", "--collect-only", "-q")
    every.stdout.fnmatch_lines(["*36 tests collected*"])
    single = pytester.runpytest("answers.jsonl::candid-1::q1::he2016deep[doi]", "--citecheck", "--citecheck-offline")
    assert sum(single.parseoutcomes().values()) == 1


@pytest.mark.exhaustive
def test_a_line_that_is_no_answer_is_refused_and_the_rest_scored_leniently(pytester: pytest.Pytester) -> None:
    Path("answers.jsonl").write_bytes(ANSWERS.read_bytes() + b'{"model": "x", "query": 7}\n')
    refused = run(pytester)
    assert refused.ret == pytest.ExitCode.INTERRUPTED
    refused.stdout.fnmatch_lines(["answers.jsonl:10: *", "--citecheck-lenient checks the others, *"])
    run(pytester, "--citecheck-lenient", "--citecheck-json=r.json")
    assert arena("r.json")["total_references"] == 13


def test_the_arena_s_own_files(pytester: pytest.Pytester) -> None:
    text = "@inproceedings{he2016deep, title={Deep Residual Learning for Image Recognition}, year=2016,\n"
    text += "doi={10.1109/CVPR.2016.90}, booktitle={CVPR},\n"
    text += "author={Kaiming He and Xiangyu Zhang and Shaoqing Ren and Jian Sun}}"
    answers = [{
        "query": "papers", "discipline": "computer_science", "num_refs": 1, "language": "en",
        "responses": {"model/one:x": text, "two": None},
    }]  # fmt: skip
    Path("responses.json").write_text(json.dumps(answers))
    result = run(pytester, "--citecheck-json=r.json", "-v", file="responses.json")
    assert [(one["model"], one["verified"]) for one in arena("r.json")["rankings"]] == [("model/one:x", 1), ("two", 0)]
    result.stdout.fnmatch_lines(["responses.json::model%2Fone%3Ax::q1::he2016deep?doi? PASSED*"])
