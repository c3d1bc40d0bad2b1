"""``pytest --citecheck=claims.json``: one item for each claim and judge."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_citecheck.cli import main
from pytest_citecheck.plugin import trust
from tests.stand_ins.model_endpoints import FAULTS, Call, ModelEndpoints, Said
from tests.stand_ins.record_claims import FIXTURE

SOURCE = "The lighthouse of Port Ellen was finished in 1832. It is 31 metres high and was built by David Hamilton."
ROWS = [
    {
        "id": "row_1",
        "claim": "The lighthouse of Port Ellen was finished in 1832.",
        "source": SOURCE,
        "label": "Supported",
    },
    {
        "id": "row_2",
        "claim": "The lighthouse is 31 metres high and made of granite.",
        "source": SOURCE,
        "label": "partial",
    },
    {
        "id": "row_3",
        "claim": "The lighthouse was destroyed by a storm in 1911.",
        "source": SOURCE,
        "label": "Not supported",
    },
    {"id": "row_4", "claim": "The keeper was a poet.", "source": "Please log in.", "label": "Source unavailable"},
    {"id": "row_5", "claim": "No source could be had for this.", "extraction_status": "source_fetch_failed"},
]
JUDGES = """
target_endpoints:
  good: {base_url: URL, api_key: "${JUDGE_KEY}", model: good-1}
  org/bad: {base_url: URL, api_key: "${JUDGE_KEY}", model: bad-1}
panels:
  both: {members: [good, org/bad], rule: binary, quorum: 1}
evaluation: {retry_times: 1}
output: {output_dir: out}
"""


def answered(call: Call) -> Said:
    said = call.messages[-1]["content"]
    token = re.findall(r"=== (\w+) ===", said)[0]
    if call.model == "bad-1":
        return Said(
            "I cannot say." if "poet" in said else json.dumps({"verdict": "SUPPORTED", "confidence": 90, "check": ""})
        )
    verdict, quote = next(
        (verdict, quote)
        for word, verdict, quote in (
            ("finished", "SUPPORTED", "finished in 1832"),
            ("granite", "PARTIALLY SUPPORTED", "It is 31 metres high"),
            ("storm", "NOT SUPPORTED", ""),
            ("poet", "SOURCE UNAVAILABLE", ""),
        )
        if word in said.split("Text of the source")[0]
    )
    reason = "omission" if verdict == "NOT SUPPORTED" else ""
    return Said(
        json.dumps(
            {
                "verdict": verdict,
                "confidence": 60,
                "comments": "As it says.",
                "reason_type": reason,
                "quote": quote,
                "check": token,
            }
        )
    )


@pytest.fixture
def endpoints(monkeypatch: pytest.MonkeyPatch, pytester: pytest.Pytester) -> Iterator[ModelEndpoints]:
    monkeypatch.setenv("JUDGE_KEY", "sk-secret-0123456789")
    trust(Path.cwd())
    Path("claims.json").write_text(json.dumps({"metadata": {}, "rows": ROWS}, indent=1), encoding="utf-8")
    with ModelEndpoints(answered) as served:
        Path("judges.yaml").write_text(JUDGES.replace("URL", served.base_urls["openai"]), encoding="utf-8")
        yield served


def run(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    own = ("--citecheck-cache=off", "-W", "default::pytest_citecheck.ClaimWarning")
    return pytester.runpytest("--citecheck=claims.json", *own, *arguments)


@pytest.mark.exhaustive
def test_w3_outcomes_of_a_judge(pytester: pytest.Pytester, endpoints: ModelEndpoints) -> None:
    result = run(pytester, "--citecheck-claims=judges.yaml", "--citecheck-models=good", "-v", "-rs", "--junitxml=j.xml")
    result.assert_outcomes(passed=2, failed=1, skipped=2, warnings=1)
    result.stdout.fnmatch_lines([
        "citecheck: claims.json: 4 claims, judged by good; 1 not judged: the source could not be fetched",
        "claims.json::row_1[[]good] PASSED*",
        "claims.json::row_3[[]good] FAILED*",
        "not-supported: the source does not support the claim (good, 60 %)",
        "  claim    The lighthouse was destroyed by a storm in 1911.",
        "  nearest  “*",
        "  reason   omission: As it says.",
        "*ClaimWarning: row_2: the source supports only a part of the claim (good)",
        "good: S 1, P 1, N 1, U 1, open 0, ? 0, error 0, right 4/4, *",
        "SKIPPED*claims.json:*: source-unavailable: As it says.",
    ])  # fmt: skip
    assert '<property name="citecheck.claim.verified" value="finished in 1832"' in Path("j.xml").read_text("utf-8")
    texts = [path.read_text(encoding="utf-8") for path in (*Path("out").glob("*.jsonl"), Path("j.xml"))]
    assert not any("sk-secret" in text for text in (*texts, str(result.stdout)))


def test_a_warning_does_not_show_the_file(pytester: pytest.Pytester, endpoints: ModelEndpoints) -> None:
    """The line that it is of may be the whole file."""
    Path("claims.json").write_text(json.dumps({"metadata": {}, "rows": ROWS}), encoding="utf-8")
    result = run(pytester, "--citecheck-claims=judges.yaml", "--citecheck-models=good", "-k", "row_2")
    result.assert_outcomes(passed=1, warnings=1)
    result.stdout.fnmatch_lines(["  claims.json:1: ClaimWarning: row_2: *", "", "-- Docs: *"], consecutive=True)


@pytest.mark.exhaustive
def test_w10_panels_and_w15_answers_that_are_none(pytester: pytest.Pytester, endpoints: ModelEndpoints) -> None:
    """A panel costs no call; an unreadable answer is a separate outcome; members without an answer abstain."""
    result = run(
        pytester, "--citecheck-claims=judges.yaml", "-v", "-k", "row_1 or row_4", "--citecheck-claims-partial=fail"
    )
    result.stdout.fnmatch_lines([
        "citecheck: claims: 4 verdicts requested now, 0 kept",
        "claims.json::row_1[[]good] PASSED*",
        "claims.json::row_1[[]org%2Fbad] PASSED*",
        "claims.json::row_1[[]both] PASSED*",
        "claims.json::row_4[[]good] SKIPPED*",
        "claims.json::row_4[[]org%2Fbad] UNPARSED*",
        "claims.json::row_4[[]both] FAILED*",
        "*ClaimWarning: row_1: the source may have steered the model; read it *",
    ])  # fmt: skip
    assert len(endpoints.calls) == 4
    run(pytester, "--citecheck-claims=judges.yaml", "-k", "row_1 or row_4", "--lf")
    assert len(endpoints.calls) == 4


@pytest.mark.exhaustive
def test_w3_a_failed_call_is_an_error_and_is_asked_again(pytester: pytest.Pytester, endpoints: ModelEndpoints) -> None:
    endpoints.fault("401", 1, model="good-1")
    chosen = ("--citecheck-claims=judges.yaml", "--citecheck-models=good", "-k", "row_1")
    first = run(pytester, *chosen)
    first.assert_outcomes(errors=1)
    first.stdout.fnmatch_lines(["*good returned no verdict: http-401*"])
    run(pytester, *chosen).assert_outcomes(passed=1)
    assert len(endpoints.calls) == 2


def test_an_unreadable_answer_states_its_reason_and_is_requested_again(
    pytester: pytest.Pytester, endpoints: ModelEndpoints
) -> None:
    chosen = ("--citecheck-claims=judges.yaml", "--citecheck-models=org/bad", "-k", "row_1 or row_4")
    first = run(pytester, *chosen)
    first.stdout.fnmatch_lines(["UNPARSED row_4 [[]org/bad]: the model refuses to answer"])
    assert len(endpoints.calls) == 2
    run(pytester, *chosen)
    assert len(endpoints.calls) == 2
    run(pytester, *chosen, "--citecheck-ask=failed")
    assert len(endpoints.calls) == 3


@pytest.mark.exhaustive
def test_w15_an_account_that_is_refused_stops_its_model_only(
    pytester: pytest.Pytester, endpoints: ModelEndpoints
) -> None:
    path = Path("judges.yaml")
    path.write_text(
        path.read_text(encoding="utf-8").replace("model: good-1", "model: good-1, max_concurrency: 1"), "utf-8"
    )
    endpoints.fault("402", model="good-1")
    result = run(pytester, "--citecheck-claims=judges.yaml")
    assert [call.model for call in endpoints.calls].count("good-1") == 1
    result.stdout.fnmatch_lines(
        [
            "good     0  0  0  0     0  0      4*",
            "org/bad  3  0  0  0     0  1      0*",
            "both     3  0  0  0     0  0      1*",
        ]
    )


@pytest.mark.exhaustive
def test_without_the_option_a_manuscript_is_its_references(pytester: pytest.Pytester) -> None:
    Path("paper.tex").write_text(r"A claim \cite{key}.", encoding="utf-8")
    result = pytester.runpytest("--citecheck=paper.tex")
    result.stdout.fnmatch_lines(["paper.tex cites 1 key but has no bibliography *"])


@pytest.mark.exhaustive
def test_w12_recordings_need_neither_key_nor_network(
    pytester: pytest.Pytester, endpoints: ModelEndpoints, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = ("--citecheck-claims=judges.yaml", "--citecheck-models=good", "--citecheck-cassettes=tapes")
    run(pytester, *chosen, "--citecheck-record=new")
    count = len(endpoints.calls)
    monkeypatch.delenv("JUDGE_KEY")
    Path("out", "claims.jsonl").unlink()
    run(pytester, *chosen).assert_outcomes(passed=2, failed=1, skipped=2, warnings=1)
    assert len(endpoints.calls) == count


@pytest.mark.exhaustive
def test_the_judge_without_a_model(pytester: pytest.Pytester, endpoints: ModelEndpoints) -> None:
    result = run(pytester, "-p", "no:cacheprovider", "-v")
    result.stdout.fnmatch_lines(
        ["claims.json::row_1[[]overlap] PASSED*", "claims.json::row_3[[]overlap] SKIPPED (not-shown: *"]
    )
    assert endpoints.calls == []
    truth = run(pytester, "--citecheck-expect=truth", "-m", "claim", "-k", "row_1 or row_3")
    truth.assert_outcomes(passed=1, skipped=1, deselected=3)


@pytest.mark.exhaustive
def test_w16_workers_read_what_the_controller_asked(pytester: pytest.Pytester, endpoints: ModelEndpoints) -> None:
    chosen = ("--citecheck-claims=judges.yaml", "-k", "row_1 or row_2 or row_3")
    spread = run(pytester, "-n", "2", *chosen)
    assert len(endpoints.calls) == 6
    alone = run(pytester, *chosen)
    assert len(endpoints.calls) == 6
    tables = [
        [line for line in one.outlines if line.startswith(("good ", "org/bad ", "both "))] for one in (spread, alone)
    ]
    assert tables[0] == tables[1]
    assert len(tables[0]) == 3


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "option", ["--collect-only", "--citecheck-plan", "--citecheck-ask=none", "--citecheck-offline"]
)
def test_nothing_is_asked_where_nothing_is_to_be_run(
    pytester: pytest.Pytester, endpoints: ModelEndpoints, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    monkeypatch.delenv("JUDGE_KEY")
    run(pytester, "--citecheck-claims=judges.yaml", option)
    assert endpoints.calls == []


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("members: [good, org/bad]", "members: [good]", "*panels.both.members: must be at least two different judges"),
        ("members: [good, org/bad]", "members: [good, x]", "*panel both: 'x' is not a judge; there are good, org/bad"),
        ("quorum: 1", "quorum: 3", "*quorum: must be at most 2"),
        ("target_endpoints", "target_endpoint", "*has neither an endpoint nor*"),
    ],
)
def test_judges_that_cannot_be(
    pytester: pytest.Pytester, endpoints: ModelEndpoints, old: str, new: str, problem: str
) -> None:
    path = Path("judges.yaml")
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    result = run(pytester, "--citecheck-claims=judges.yaml")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([problem])


def fixture_run(pytester: pytest.Pytester, name: str, *arguments: str) -> pytest.RunResult:
    """The example of docs/claims.md: three recorded models and a panel, without key and network."""
    shutil.copytree(FIXTURE, pytester.path, ignore=shutil.ignore_patterns("claims-output"), dirs_exist_ok=True)
    own = ("--citecheck-cache=off", "-p", "no:cacheprovider", "-W", "default::pytest_citecheck.ClaimWarning")
    return pytester.runpytest(f"--citecheck={name}", *own, *arguments)


def test_the_example_runs_without_key_and_network(pytester: pytest.Pytester) -> None:
    judges = ("--citecheck-claims=judges.yaml", "--citecheck-cassettes=cassettes")
    result = fixture_run(pytester, "claims.json", *judges, "--citecheck-json=r.json", "--citecheck-html=r.html")
    result.stdout.fnmatch_lines([
        "steady   12  4   7  1     0  0      0  23/24  0.80–0.99    0.46   0.94",
        "careful   9  2  12  1     0  0      0  17/24  0.51–0.85    0.46   0.56",
        "hasty    21  0   1  1     0  1      0  13/24  0.35–0.72    0.46   0.22",
        "panel    12  4   7  1     0  0      0  23/24  0.80–0.99    0.46   0.94",
        "*27 failed, 64 passed, 4 skipped, 11 warnings, 1 unparsed*",
    ])  # fmt: skip
    report = json.loads(Path("r.json").read_text(encoding="utf-8"))["claims"]
    (obeyed,) = [one for pair in report["pairs"] for one in pair["answers"] if "canary" in one["flags"]]
    assert (obeyed["judge"], obeyed["verdict"]) == ("hasty", "Supported")
    assert report["judges"]["hasty"]["quotes"]["fidelity"] < report["judges"]["steady"]["quotes"]["fidelity"] == 1
    assert "<mark>The tower is 31 metres high" in Path("r.html").read_text(encoding="utf-8")


def test_a_manuscript_with_its_sources(pytester: pytest.Pytester) -> None:
    result = fixture_run(pytester, "paper.tex", "--citecheck-claims", "-v", "-rs")
    result.assert_outcomes(passed=1, failed=1, skipped=8)
    result.stdout.fnmatch_lines([
        "paper.tex::drummond1832[[]overlap] PASSED*",
        "paper.tex::hedge2019~2[[]overlap] SKIPPED (not-shown: *",
        "paper.tex::okoye2010[[]overlap] FAILED*",
        "paper.tex::lost1999[[]not%20judged] SKIPPED*",
        "  claim    The building cost 82 million euros.",
        "  source   sources/okoye2010.txt",
        "  passage  “The building cost 28 million euros, four million more than planned.”",
        "  reason   contradiction: the claim says 82, the source 28",
        "SKIPPED*paper.tex: not judged: there is no sources/lost1999.txt, .html or .pdf*",
    ])  # fmt: skip


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", FAULTS)
def test_no_fault_of_an_endpoint_fails_a_claim(pytester: pytest.Pytester, endpoints: ModelEndpoints, kind: str) -> None:
    path = Path("judges.yaml")
    path.write_text(path.read_text(encoding="utf-8").replace("retry_times: 1", "retry_times: 1, timeout: 0.5"), "utf-8")
    endpoints.fault(kind)
    chosen = ("--citecheck-claims=judges.yaml", "--citecheck-models=good", "-k", "row_1", "--junitxml=j.xml")
    result = run(pytester, *chosen)
    outcomes = result.parseoutcomes()
    assert outcomes.get("errors", 0) + outcomes.get("error", 0) + outcomes.get("unparsed", 0) == 1, outcomes
    assert not {"passed", "failed"} & set(outcomes)
    assert "sk-secret" not in Path("j.xml").read_text(encoding="utf-8") + str(result.stdout)


@pytest.mark.exhaustive
def test_w17_a_limit_of_money_needs_prices_which_a_file_may_give(
    pytester: pytest.Pytester, endpoints: ModelEndpoints
) -> None:
    judges = (
        Path("judges.yaml").read_text(encoding="utf-8").replace("model: good-1", "model: good-1, max_concurrency: 1")
    )
    judges = judges.replace("retry_times: 1", "PLACE, budget: {dollars: 0.0001}")
    Path("judges.yaml").write_text(judges.replace("PLACE", "retry_times: 1"), encoding="utf-8")
    result = run(pytester, "--citecheck-claims=judges.yaml", "--citecheck-models=good")
    result.stderr.fnmatch_lines(["*the spending limit needs a price for the model good-1*"])
    assert endpoints.calls == []
    row = "[[price]]\nmodels='good-*'\ninput=5\noutput=10\ndate='2026-01-01'\nsource='s'\n"
    Path("prices.toml").write_text(row, encoding="utf-8")
    Path("judges.yaml").write_text(judges.replace("PLACE", "prices: prices.toml"), encoding="utf-8")
    result = run(pytester, "--citecheck-claims=judges.yaml", "--citecheck-models=good", "-rE")
    result.stdout.fnmatch_lines([
        "citecheck: the budget of $0.0001 has no room for a call of up to $0.*: $0 billed*",
        "*good returned no verdict: not asked*",
    ])  # fmt: skip
    assert endpoints.calls == []
    enough = judges.replace("PLACE", "prices: prices.toml").replace("0.0001", "0.1")
    Path("judges.yaml").write_text(enough, encoding="utf-8")
    run(pytester, "--citecheck-claims=judges.yaml", "--citecheck-models=good")
    assert len(endpoints.calls) == 4


@pytest.mark.exhaustive
def test_a_cascade_asks_the_second_judge_about_what_the_first_leaves_open(
    pytester: pytest.Pytester, endpoints: ModelEndpoints
) -> None:
    judges = Path("judges.yaml").read_text(encoding="utf-8")
    added = "cascades:\n  two: {members: [org/bad, good], margin: 5}\n"
    Path("judges.yaml").write_text(judges + added, encoding="utf-8")
    result = run(pytester, "--citecheck-claims=judges.yaml", "--citecheck-models=two", "-v")
    # "bad" is certain of three; of the fourth it says nothing.
    assert [call.model for call in endpoints.calls].count("bad-1") == 4
    assert [call.model for call in endpoints.calls].count("good-1") == 1
    result.stdout.fnmatch_lines([
        "citecheck: claims: 5 verdicts requested now, 0 kept",
        "claims.json::row_1[[]two] PASSED*",
        "claims.json::row_4[[]two] SKIPPED (source-unavailable*",
    ])  # fmt: skip
    run(pytester, "--citecheck-claims=judges.yaml", "--citecheck-models=two")
    assert len(endpoints.calls) == 5
    Path("judges.yaml").write_text(judges + added.replace("good", "both"), encoding="utf-8")
    run(pytester, "--citecheck-claims=judges.yaml").stderr.fnmatch_lines(["*cascade two: 'both' is not a judge*"])


def test_w29_several_sources_are_judged_together_and_none_needs_no_call(
    pytester: pytest.Pytester, endpoints: ModelEndpoints
) -> None:
    sources = [{"url": "https://a.example/", "problem": "HTTP 404"}, {"url": "https://b.example/", "text": SOURCE}]
    rows = [
        {"id": "some", "claim": "It was finished in 1832.", "sources": sources},
        {"id": "none", "claim": "It was finished in 1832.", "sources": sources[:1]},
    ]
    Path("claims.json").write_text(json.dumps(rows), encoding="utf-8")
    result = run(pytester, "--citecheck-claims=judges.yaml", "--citecheck-models=good", "-v", "-rs")
    result.stdout.fnmatch_lines([
        "claims.json::some[[]good] PASSED*",
        "SKIPPED*source-unavailable: no source of the claim could be retrieved",
    ])  # fmt: skip
    (call,) = endpoints.calls
    said = call.messages[-1]["content"]
    assert "The claim cites 2 sources. Judge them together" in said
    assert "[Source 1 of 2] not available: HTTP 404" in said
    assert f"[Source 2 of 2]\n{SOURCE}" in said
    assert "example" not in said


def test_w20_each_answer_says_where_it_is_from(pytester: pytest.Pytester, endpoints: ModelEndpoints) -> None:
    judges = Path("judges.yaml").read_text(encoding="utf-8")
    judges += "prompt: {file: prompt.txt, date: 2026-02-01}\n"  # YAML reads it as a date
    Path("judges.yaml").write_text(judges.replace("model: good-1", "model: good-1, extra_params: {temperature: 0}"))
    Path("prompt.txt").write_text("Judge.", encoding="utf-8")
    run(pytester, "--citecheck-claims=judges.yaml", "--citecheck-models=good", "-k", "row_1")
    (line,) = Path("out/claims.jsonl").read_text(encoding="utf-8").splitlines()
    said = json.loads(line)
    assert (said["asked"], said["temperature"], said["prompt_source"], said["prompt_date"]) == (
        "good-1", 0, "prompt.txt", "2026-02-01",
    )  # fmt: skip
    assert (said["labels"], len(said["pair"]), len(said["prompt"])) == ("v1", 16, 16)
    assert {"run_at", "citecheck", "fingerprint", "call"} <= said.keys()


@pytest.mark.exhaustive
def test_the_failed_claims_of_the_last_run_are_run_again(pytester: pytest.Pytester, endpoints: ModelEndpoints) -> None:
    run(pytester, "--citecheck-claims=judges.yaml", "--citecheck-models=good")
    asked = len(endpoints.calls)
    result = run(pytester, "--citecheck-claims=judges.yaml", "--citecheck-models=good", "--lf", "-v")
    assert result.parseoutcomes()["failed"] == 1
    result.stdout.fnmatch_lines(["claims.json::row_3[[]good] FAILED*"])
    assert len(endpoints.calls) == asked


def test_an_abstract_that_does_not_say_it_accuses_nobody(pytester: pytest.Pytester, endpoints: ModelEndpoints) -> None:
    Path("claims.json").write_text(json.dumps([{**ROWS[2], "abstract_only": True}]), encoding="utf-8")
    result = run(pytester, "--citecheck-claims=judges.yaml", "--citecheck-models=good", "-rs")
    result.stdout.fnmatch_lines(["SKIPPED*abstract-only: the abstract does not support it, but the full text may*"])


@pytest.mark.exhaustive
def test_gates_on_scores_of_claims_and_shards_through_junit(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    """Thresholds decide the exit code; reports and the JUnit XML of shards give the same scores."""
    judges = ("--citecheck-claims=judges.yaml", "--citecheck-cassettes=cassettes")
    result = fixture_run(
        pytester, "claims.json", *judges, "--citecheck-fail-under=claims_exact>=0.5,claims_binary>=0.7",
        "--citecheck-json=r.json", "--citecheck-models=steady",
    )  # fmt: skip
    result.stdout.fnmatch_lines([
        "citecheck: claims: 24 verdicts replayed from recordings, 0 kept",
        "S supported, P partially, N not supported*",
        "passed  claims_exact>=0.5: 0.9583",
        "passed  claims_binary>=0.7: 1.0000",
    ])  # fmt: skip
    assert result.ret == 0
    result = fixture_run(pytester, "claims.json", *judges, "--citecheck-fail-under=claims_kappa>=0.5")
    result.stdout.fnmatch_lines(
        ["passed  claims_kappa>=0.5: 0.9358 (steady)", "FAILED  claims_kappa>=0.5: 0.2166 (hasty)"]
    )
    assert result.ret == 1
    for shard in ("1", "2"):
        fixture_run(pytester, "claims.json", *judges, f"--citecheck-shard={shard}/2", f"--junitxml={shard}.xml")
    capsys.readouterr()
    assert main(["score", "junit", "1.xml", "2.xml", "--fail-under=claims_exact>=0.9", "--json=s.json"]) == 1
    said = capsys.readouterr()
    assert "FAILED  claims_exact>=0.9: 0.7083 (careful)" in said.out
    assert said.err == ""
    assert main(["score", "junit", "1.xml"]) == 0
    assert "no cases from shard 2 of 2" in capsys.readouterr().err
    scores = json.loads(Path("s.json").read_text(encoding="utf-8"))["claims"]["judges"]
    for files in (["r.json"], ["1.xml", "2.xml"]):
        assert main(["claims", "score", *files]) == 0
        steady = json.loads(capsys.readouterr().out)["steady"]
        assert (steady["exact"], steady["quotes"]) == (scores["steady"]["exact"], scores["steady"]["quotes"])
