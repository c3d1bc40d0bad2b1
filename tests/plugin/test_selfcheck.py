"""``--citecheck-selfcheck``: a model is queried several times about references that databases leave open."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_citecheck.checks import CHECKS
from pytest_citecheck.plugin import trust
from tests.stand_ins.model_endpoints import Call, ModelEndpoints, Said

ROOT = Path(__file__).parents[2]
BIB = """@inproceedings{he2016deep, title={Deep Residual Learning for Image Recognition}, year=2016,
author={He, Kaiming and Zhang, Xiangyu and Ren, Shaoqing and Sun, Jian}, booktitle={CVPR}, doi={10.1109/CVPR.2016.90}}
@misc{dream2020, title={Entirely Invented Residues of Nothing}, year=2020, author={Nobody, Ann}}
"""
YAML = """
target_endpoints:
  one: {base_url: URL, api_key: "${SELF_KEY}", model: one-1, price: {prompt: 1, completion: 1}}
  two: {base_url: URL, api_key: "${SELF_KEY}", model: two-1}
evaluation: {retry_times: 1, BUDGET}
selfcheck: {threshold: 0.4, MORE}
"""


def script(call: Call) -> Said:
    asked = str(call.messages[-1]["content"])
    known = "Deep Residual" in str(call.messages) and "number 2" not in asked
    if "AUTHORS" in asked:
        names = "Kaiming He, Xiangyu Zhang, Shaoqing Ren, Jian Sun" if known else f"Ann {chr(65 + len(_SEEN))}mläut"
        _SEEN.append(asked)
        return Said(f"AUTHORS: {names}")
    return Said("Yes" if known else "No")


_SEEN: list[str] = []


@pytest.fixture
def endpoints(monkeypatch: pytest.MonkeyPatch, pytester: pytest.Pytester) -> Iterator[ModelEndpoints]:
    monkeypatch.setenv("SELF_KEY", "sk-secret-0123456789")
    Path("refs.bib").write_text(BIB, encoding="utf-8")
    _SEEN.clear()
    trust(Path.cwd())
    with ModelEndpoints(script) as served:
        configure(served)
        yield served


def configure(served: ModelEndpoints, more: str = "", budget: str = "") -> None:
    text = YAML.replace("URL", served.base_urls["openai"]).replace("MORE", more).replace("BUDGET", budget)
    Path("models.yaml").write_text(text, encoding="utf-8")


def run(pytester: pytest.Pytester, methods: str = "iq,dq", *arguments: str, model: str = "one") -> pytest.RunResult:
    options = (f"--citecheck-selfcheck={methods}", f"--citecheck-selfcheck-model=models.yaml::{model}")
    return pytester.runpytest("--citecheck=refs.bib", "--citecheck-cache=off", *options, *arguments)


ALL = ("--citecheck-selfcheck-for=all", "-k", "selfcheck")


@pytest.mark.exhaustive
def test_a_model_that_does_not_agree_with_itself_fails_items_of_their_own(
    pytester: pytest.Pytester, endpoints: ModelEndpoints
) -> None:
    result = run(pytester, "iq,dq", *ALL, "-v", "--junitxml=j.xml")
    result.stdout.fnmatch_lines([
        "citecheck: self-check of references of 2: at most 66 calls, about 3,737 tokens, $0.00",
        "refs.bib::he2016deep?selfcheck-iq? PASSED*",
        "refs.bib::he2016deep?selfcheck-dq3? PASSED*",
        "refs.bib::he2016deep?selfcheck? PASSED*",
        "refs.bib::dream2020?selfcheck-iq? FAILED*",
        "self-check of a language model, not proof: asked about “Entirely Invented Residues of Nothing”: one",
        "score 0.000, threshold 0.400 (as configured)",
        "answer 1: AUTHORS: Ann ?mläut",
        "citecheck: self-check by one: 10 scored, 5 low, 0 skipped; *not proof; answers in selfcheck.jsonl",
    ])  # fmt: skip
    assert result.parseoutcomes() == {"passed": 5, "failed": 5, "deselected": 2 * len(CHECKS)}
    text = Path("selfcheck.jsonl").read_text(encoding="utf-8")
    assert "sk-secret" not in text
    assert {json.loads(line)["key"] for line in text.splitlines()} == {"refs.bib::he2016deep", "refs.bib::dream2020"}
    # Q1, faults 1 and 2: what is sent.
    assert {(call.body["temperature"], call.body["max_tokens"]) for call in endpoints.calls} == {(1.0, 15), (1.0, 300)}


@pytest.mark.exhaustive
def test_q15_answers_are_replayed_without_key_and_network_for_what_databases_leave_open(
    pytester: pytest.Pytester, endpoints: ModelEndpoints, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(pytester, "iq,dq1", *ALL)
    asked = len(endpoints.calls)
    run(pytester, "iq,dq1", *ALL)
    assert len(endpoints.calls) == asked
    monkeypatch.delenv("SELF_KEY")
    recorded = f"--citecheck-cassettes={ROOT / 'cassettes'}"
    plain = pytester.runpytest("--citecheck=refs.bib", recorded, "--citecheck-json=plain.json")
    result = run(pytester, "iq,dq1", recorded, "--citecheck-json=self.json", "-rs")
    assert len(endpoints.calls) == asked
    result.stdout.fnmatch_lines(
        ["*he2016deep self-check of a language model, not proof: not queried: databases found verified*"]
    )
    # Neither the checks nor the verdict change.
    report = json.loads(Path("self.json").read_bytes())
    block = report.pop("selfcheck")
    assert report == json.loads(Path("plain.json").read_bytes())
    left_out, asked = sorted(block["references"], key=lambda one: len(one["models"]))
    assert (asked["id"], asked["models"]) == ("refs.bib::dream2020", ["one"])
    assert {name: (one["score"], one["low"], len(one["answers"])) for name, one in asked["scores"].items()} == {
        "iq": (0.0, True, 3), "dq1": (0.0, True, 3), "selfcheck": (0.0, True, 0),
    }  # fmt: skip
    assert left_out["scores"]["iq"]["reason"].startswith("not queried: databases found verified")
    assert plain.parseoutcomes()["passed"] + 0 == result.parseoutcomes()["passed"]


@pytest.mark.exhaustive
def test_what_was_not_recorded_is_skipped_offline(pytester: pytest.Pytester, endpoints: ModelEndpoints) -> None:
    result = run(pytester, "iq", *ALL, "--citecheck-offline", "-rs")
    result.stdout.fnmatch_lines(["SKIPPED*not asked: one: offline: no model is called in this run*"])
    assert result.ret == 0
    assert endpoints.calls == []


@pytest.mark.exhaustive
def test_a_budget_stops_the_run_and_says_so(pytester: pytest.Pytester, endpoints: ModelEndpoints) -> None:
    configure(endpoints, budget="budget: {calls: 4}")
    result = run(pytester, "dq1", *ALL, "-rs")
    assert len(endpoints.calls) == 4
    result.stdout.fnmatch_lines(
        ["SKIPPED*the budget of 4 calls has no room for a call of up to 1 call: 4 calls billed*"]
    )
    configure(endpoints)
    run(pytester, "dq1", *ALL)
    assert len(endpoints.calls) == 6  # the four are kept


@pytest.mark.exhaustive
def test_workers_share_the_budget(pytester: pytest.Pytester, endpoints: ModelEndpoints) -> None:
    """One of the two has nothing to ask: the other has all of it."""
    configure(endpoints, budget="budget: {calls: 3}")
    result = run(pytester, "dq1", *ALL, "-k", "dream2020 and selfcheck", "-n2", "-p", "no:randomly")
    assert result.parseoutcomes() == {"failed": 1}
    assert len(endpoints.calls) == 3


def test_fault_3_the_failure_of_a_provider_is_an_error_and_not_a_low_score(
    pytester: pytest.Pytester, endpoints: ModelEndpoints
) -> None:
    endpoints.fault("401", None)
    result = run(pytester, "dq1", *ALL)
    assert result.parseoutcomes() == {"errors": 2, "deselected": 2 * len(CHECKS)}
    result.stdout.fnmatch_lines(["selfcheck: one: http-401: *", "*, 2 failed calls; *"])


def test_a_low_score_may_be_a_warning(pytester: pytest.Pytester, endpoints: ModelEndpoints) -> None:
    configure(endpoints, "severity: warning")
    result = run(pytester, "dq1", *ALL, "-W", "default::pytest_citecheck.SelfcheckWarning")
    assert result.parseoutcomes() == {"passed": 2, "warnings": 1, "deselected": 2 * len(CHECKS)}
    result.stdout.fnmatch_lines(["*SelfcheckWarning: selfcheck-low: the answers of one about dream2020 do not agree*"])


def test_q14_a_threshold_comes_from_labelled_references(pytester: pytest.Pytester, endpoints: ModelEndpoints) -> None:
    rows = ["label,dq1"] + ["G,1"] * 20 + ["H,1"] + ["H,.9"] * 9
    Path("labelled.csv").write_text("\n".join(rows), encoding="utf-8")
    configure(endpoints, "calibration: labelled.csv, target_fdr: 0.05")
    result = run(pytester, "dq1", *ALL)
    result.stdout.fnmatch_lines(
        ["score 0.000, threshold 0.900 (for at most 0.05 false discoveries in 30 labelled references,*"]
    )


def test_two_models_are_compared(pytester: pytest.Pytester, endpoints: ModelEndpoints) -> None:
    result = run(pytester, "cross", *ALL, "-v", model="one,two")
    result.stdout.fnmatch_lines([
        "refs.bib::he2016deep?selfcheck-cross? PASSED*",
        "refs.bib::dream2020?selfcheck-cross? FAILED*",
        "*asked about “Entirely Invented Residues of Nothing”: one and two",
    ])  # fmt: skip


@pytest.mark.exhaustive
def test_the_model_that_gave_a_reference_is_asked(pytester: pytest.Pytester, endpoints: ModelEndpoints) -> None:
    lines = [{"model": model, "query": "q", "answer": BIB} for model in ("two", "three")]
    Path("answers.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    options = ("--citecheck-selfcheck=dq1,dq3", "--citecheck-selfcheck-model=models.yaml", *ALL)
    result = pytester.runpytest("--citecheck=answers.jsonl", "--citecheck-cache=off", *options, "-rs", "-v")
    assert {call.model for call in endpoints.calls} == {"two-1"}
    result.stdout.fnmatch_lines([
        "answers.jsonl::two::q1::he2016deep?selfcheck-dq1? PASSED*",
        "answers.jsonl::two::q1::dream2020?selfcheck-dq3? FAILED*",
        "*models.yaml has no endpoint 'three', which returned this reference",
    ])  # fmt: skip


def test_references_of_an_arena_are_put_to_its_own_models(pytester: pytest.Pytester, endpoints: ModelEndpoints) -> None:
    Path("queries.json").write_text(
        json.dumps([{"query": "networks", "num_refs": 1, "language": "en"}]), encoding="utf-8"
    )
    text = Path("models.yaml").read_text(encoding="utf-8")
    more = "task: {description: d}\ndataset: {path: queries.json}\noutput: {output_dir: out}\n"
    Path("arena.yaml").write_text(more + text, encoding="utf-8")
    endpoints.script = lambda call: Said(BIB) if "networks" in str(call.messages) else script(call)
    result = pytester.runpytest(
        "--citecheck=arena.yaml", "--citecheck-cache=off", "--citecheck-selfcheck=dq1", *ALL, "-v"
    )
    result.stdout.fnmatch_lines([
        "arena.yaml::one::q1::he2016deep?selfcheck-dq1? PASSED*",
        "arena.yaml::two::q1::dream2020?selfcheck-dq1? FAILED*",
    ])  # fmt: skip
    result.stdout.no_fnmatch_line("*unknown key*")


@pytest.mark.exhaustive
def test_scores_and_answers_stand_in_the_reports(pytester: pytest.Pytester, endpoints: ModelEndpoints) -> None:
    run(pytester, "iq,dq1", *ALL, "--citecheck-html=r.html", "--citecheck-markdown=r.md", "--citecheck-language=both")
    page, text = Path("r.html").read_text("utf-8"), Path("r.md").read_text("utf-8")
    assert page.count("AUTHORS: Ann ") == 3
    assert "Self-checks are not proof" in page
    assert "| `refs.bib::dream2020` | one | **0.000** | **0.000** | **0.000** |" in text
    assert text.index("dream2020` | one") < text.index("he2016deep` | one")
    assert "## 模型自检" in text


@pytest.mark.exhaustive
def test_workers_give_the_same_items(pytester: pytest.Pytester, endpoints: ModelEndpoints) -> None:
    first = run(pytester, "iq,dq", *ALL, "-n", "2")
    asked = len(endpoints.calls)
    assert first.parseoutcomes() == {"passed": 5, "failed": 5}
    again = run(pytester, "iq,dq", *ALL)
    assert len(endpoints.calls) == asked
    assert again.parseoutcomes() == {"passed": 5, "failed": 5, "deselected": 2 * len(CHECKS)}


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--citecheck-selfcheck=dq9"], "'dq9' is none of iq, dq1"),
        (["--citecheck-selfcheck=iq"], "needs a model"),
        (["--citecheck-selfcheck-for=all"], "needs --citecheck-selfcheck"),
        (["--citecheck-selfcheck=cross", "--citecheck-selfcheck-model=models.yaml::one"], "compares two models"),
        (
            ["--citecheck-selfcheck=iq", "--citecheck-selfcheck-model=models.yaml::three"],
            "no endpoint 'three', but one, two",
        ),
        (["--citecheck-selfcheck=iq", "--citecheck-selfcheck-model=none.yaml::one"], "none.yaml: No such file"),
    ],
)
def test_what_cannot_be_asked_for_is_said_at_once(
    pytester: pytest.Pytester, endpoints: ModelEndpoints, arguments: list[str], problem: str
) -> None:
    result = pytester.runpytest("--citecheck=refs.bib", *arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*{problem}*"])
