"""``pytest --citecheck=arena.yaml``: models are queried, and their answers are collected, checked and ranked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from pytest_citecheck import __version__
from pytest_citecheck.checks import CHECKS
from pytest_citecheck.plugin import distrust, trust
from tests.stand_ins.model_endpoints import Call, ModelEndpoints, Said

ROOT = Path(__file__).parents[2]
HE = """@inproceedings{he2016deep, title={Deep Residual Learning for Image Recognition}, year=2016,
author={He, Kaiming and Zhang, Xiangyu and Ren, Shaoqing and Sun, Jian}, booktitle={CVPR}, doi={10.1109/CVPR.2016.90}}"""
INVENTED = HE.replace("Deep Residual Learning for Image Recognition", "Entirely Invented Residues").replace(
    "{10.1109", "{10.9999"
)
QUERIES = [
    {"query": "residual networks", "discipline": "computer_science", "num_refs": 1, "language": "en"},
    {"query": "残差网络", "discipline": "computer_science", "num_refs": 1},
]
YAML = """
task: {description: Which model knows the literature}
dataset: {path: queries.json}
target_endpoints:
  good: {base_url: URL, api_key: "${ARENA_KEY}", model: good-1}
  bad: {base_url: URL, api_key: "${ARENA_KEY}", model: bad-1, max_concurrency: 2}
output: {output_dir: out}
report: {chart: {enabled: false}}
"""


def script(call: Call) -> Said:
    return Said(HE if call.model == "good-1" else INVENTED)


@pytest.fixture
def endpoints(monkeypatch: pytest.MonkeyPatch, pytester: pytest.Pytester) -> Iterator[ModelEndpoints]:
    monkeypatch.setenv("ARENA_KEY", "sk-secret-0123456789")
    trust(Path.cwd())
    with ModelEndpoints(script) as served:
        Path("queries.json").write_text(json.dumps(QUERIES), encoding="utf-8")
        Path("arena.yaml").write_text(YAML.replace("URL", served.base_urls["openai"]), encoding="utf-8")
        yield served


def run(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    """Query the models live; the sources have no network, which does not matter for these tests."""
    return pytester.runpytest("--citecheck=arena.yaml", "--citecheck-cache=off", "--citecheck-timeout=60", *arguments)


def checked(pytester: pytest.Pytester, *arguments: str) -> dict[str, Any]:
    """The scores, with sources from the recordings and answers from the file."""
    recorded = (f"--citecheck-cassettes={ROOT / 'cassettes'}", "--citecheck-ask=none", "--citecheck-json=r.json")
    pytester.runpytest("--citecheck=arena.yaml", *recorded, *arguments)
    found: dict[str, Any] = json.loads(Path("r.json").read_text(encoding="utf-8"))["arena"]
    return found


@pytest.mark.exhaustive
def test_models_are_asked_once_and_ranked(pytester: pytest.Pytester, endpoints: ModelEndpoints) -> None:
    first = run(pytester, "--citecheck-offline")
    assert endpoints.calls == []  # offline
    first.stdout.fnmatch_lines(["*answer-not-asked*"])
    asked = run(pytester, "-k", "nothing")
    asked.stdout.fnmatch_lines(
        ["citecheck: arena.yaml: 2 models, 2 queries, 4 answers in out/answers.jsonl: 4 requested now, 0 kept"]
    )
    assert len(endpoints.calls) == 4
    again = run(pytester, "-k", "nothing")
    again.stdout.fnmatch_lines(["citecheck: arena.yaml: 2 models, 2 queries, 4 answers in out/answers.jsonl"])
    assert len(endpoints.calls) == 4
    scores = checked(pytester)
    assert [(one["model"], one["verified"], one["total_refs"]) for one in scores["rankings"]] == [
        ("good", 2, 2),
        ("bad", 0, 2),
    ]
    assert [one["verification_rate"] for one in scores["strict"]["rankings"]] == [1.0, 0.0]
    texts = [path.read_text(encoding="utf-8") for path in (*Path("out").iterdir(), Path("r.json")) if path.is_file()]
    assert not any("sk-secret" in text for text in (*texts, str(asked.stdout)))


@pytest.mark.sample(1)
@pytest.mark.parametrize("option", ["--collect-only", "--citecheck-plan", "--citecheck-ask=none"])
def test_nothing_is_asked_where_nothing_is_to_be_run(
    pytester: pytest.Pytester, endpoints: ModelEndpoints, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    """No key is needed either: a missing answer is a separate item."""
    monkeypatch.delenv("ARENA_KEY")
    result = run(pytester, option, "--citecheck-models=good", "--citecheck-queries=2", "-v")
    assert endpoints.calls == []
    if option != "--citecheck-plan":
        result.stdout.fnmatch_lines(
            ["*arena.yaml::good::q2::answer?syntax?*" if "ask" in option else "*answer?syntax?*"]
        )
        result.stdout.no_fnmatch_line("*::bad*")
        result.stdout.fnmatch_lines(
            ["citecheck: arena.yaml: 1 model, 1 query, 1 answer in out/answers.jsonl, 1 not requested yet"]
        )


@pytest.mark.exhaustive
def test_failed_calls_are_items_and_asked_again(pytester: pytest.Pytester, endpoints: ModelEndpoints) -> None:
    endpoints.fault("400", 2, model="bad-1")
    result = run(pytester, "-k", "answer")
    result.stdout.fnmatch_lines([
        "citecheck: arena.yaml: *4 requested now, 2 failed (2 http-400; the next run retries), 0 kept",
        "*no answer from bad: the call failed (http-400)*",
    ])  # fmt: skip
    run(pytester, "-k", "nothing")
    assert len(endpoints.calls) == 6


@pytest.mark.exhaustive
def test_workers_read_what_the_controller_asked(pytester: pytest.Pytester, endpoints: ModelEndpoints) -> None:
    run(pytester, "-n", "2", "-k", "nothing")
    assert len(endpoints.calls) == 4
    assert checked(pytester, "-n", "2") == checked(pytester)


def test_items_are_chosen_by_node_id(pytester: pytest.Pytester, endpoints: ModelEndpoints) -> None:
    run(pytester, "-k", "nothing")
    one = pytester.runpytest("arena.yaml::good::q1", "--citecheck", "--citecheck-ask=none", "--collect-only", "-q")
    one.stdout.fnmatch_lines(["arena.yaml::good::q1::he2016deep?doi?", f"*{len(CHECKS)} tests collected*"])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (YAML.replace("queries.json", "gone.json"), "*arena.yaml: dataset.path: no such file: gone.json"),
        (YAML.replace("ARENA_KEY", "ARENA_GONE"), "*good.api_key: the environment variable ARENA_GONE is not set*"),
        (YAML.replace("model: bad-1,", ""), "*arena.yaml:6: target_endpoints.bad.model: is required"),
    ],
)  # fmt: skip
def test_w25_what_cannot_be_used_is_a_usage_error(
    pytester: pytest.Pytester, endpoints: ModelEndpoints, text: str, said: str
) -> None:
    Path("arena.yaml").write_text(text.replace("URL", "http://127.0.0.1:9"), encoding="utf-8")
    result = run(pytester)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([said])


def test_a_settings_file_of_a_stranger_names_no_arena(pytester: pytest.Pytester, endpoints: ModelEndpoints) -> None:
    Path("pytest.ini").write_text("[pytest]\ncitecheck_files = arena.yaml\n")
    distrust(Path.cwd())
    result = pytester.runpytest()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*the arena arena.yaml in the settings file is ignored unless its folder is trusted*"])
    assert endpoints.calls == []


def test_other_yaml_is_refused(pytester: pytest.Pytester) -> None:
    Path("other.yaml").write_text("a: 1\n")
    result = pytester.runpytest("--citecheck=other.yaml")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*other.yaml is not the configuration of an arena*"])


@pytest.mark.exhaustive
def test_a_run_that_asks_nothing_takes_no_identity_from_a_stranger(
    pytester: pytest.Pytester, endpoints: ModelEndpoints, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its variables would go to services."""
    distrust(Path.cwd())
    text = Path("arena.yaml").read_text(encoding="utf-8")
    stated = 'verification: {crossref_mailto: "${ARENA_KEY}@x.example", pubmed_api_key: "${ARENA_KEY}"}\n'
    Path("arena.yaml").write_text(text + stated, encoding="utf-8")
    pytester.makeconftest("""
        def pytest_collection_finish(session):
            from pytest_citecheck.plugin import session as run_of
            settings = session.config.stash[run_of.KEY].settings
            print("TAKEN", "sk-secret" in settings.contact, "pubmed" in settings.servers.keys)
    """)
    assert "TAKEN False False" in str(run(pytester, "--citecheck-ask=none", "--collect-only", "-s").stdout)
    assert "TAKEN True True" in str(run(pytester, "--collect-only", "-s").stdout)


@pytest.mark.exhaustive
def test_a_partial_run_leaves_the_results_of_the_whole(pytester: pytest.Pytester, endpoints: ModelEndpoints) -> None:
    """Its files are in a separate folder, and every report shows its coverage."""
    checked(pytester, "--citecheck-ask=missing", "--citecheck-offline")
    run(pytester, "-k", "nothing")
    whole = checked(pytester)
    kept = {path: path.read_bytes() for path in Path("out").glob("*.*")}
    assert {path.name for path in kept} >= {"queries.json", "verification_results.json", "evaluation_report.md"}
    arguments = ("--citecheck=arena.yaml", f"--citecheck-cassettes={ROOT / 'cassettes'}", "--citecheck-ask=none")
    part = pytester.runpytest(*arguments, "-k", "bad and q2", "--citecheck-html=r.html", "--citecheck-markdown=r.md")
    part.stdout.fnmatch_lines(
        [
            "Models covered: bad (1 of 2). Queries covered: 2 (1 of 2). Answers: 1 / 4.",
            "*this run covers 1 of 4 answers of the arena: its files are in *partial*",
        ],
        consecutive=False,
    )
    assert {path: path.read_bytes() for path in kept} == kept
    results = json.loads(Path("out/partial/evaluation_results.json").read_bytes())
    assert (results["covered"]["complete"], list(results["model_scores"])) == ({"bad": ["2"]}, ["bad"])
    assert [one["query"] for one in json.loads(Path("out/partial/queries.json").read_bytes())] == ["残差网络"]
    report = Path("out/partial/evaluation_report.md").read_text(encoding="utf-8")
    assert f"核查工具:pytest-citecheck {__version__}。" in report
    assert "涵盖的模型:bad(2 中的 1)" in report
    assert "2 条里的 1 条" in report
    for name in ("r.html", "r.md"):
        assert "Queries covered: 2 (1 of 2)" in Path(name).read_text(encoding="utf-8")
    # One check of every reference is a part, too; the whole replaces the whole.
    pytester.runpytest(*arguments, "-k", "title")
    assert {path: path.read_bytes() for path in kept} == kept
    assert checked(pytester) == whole
    assert {path.name for path in kept} == {path.name for path in Path("out").glob("*.*")}


def test_outputs_go_beside_the_configuration_and_not_into_the_current_folder(
    pytester: pytest.Pytester, endpoints: ModelEndpoints, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = Path("arena.yaml").read_text(encoding="utf-8")
    for name, output in (("named", "output: {output_dir: out}"), ("default", "")):
        folder = pytester.mkdir(name)
        (folder / "queries.json").write_text(json.dumps(QUERIES), encoding="utf-8")
        (folder / "arena.yaml").write_text(text.replace("output: {output_dir: out}", output), encoding="utf-8")
        trust(folder)
    away = pytester.mkdir("away")
    monkeypatch.chdir(away)
    for name, output in (("named", "out"), ("default", "evaluation_results/ref_hallucination_arena")):
        done = pytester.runpytest(f"--citecheck=../{name}/arena.yaml", "--citecheck-cache=off", "-k", "nothing")
        done.stdout.fnmatch_lines(
            [f"citecheck: *{name}/arena.yaml: * in *{name}/{output}/answers.jsonl: 4 requested now, 0 kept"]
        )
        assert (away.parent / name / output / "answers.jsonl").is_file()
    assert not any(one for one in away.iterdir() if one.name != ".pytest_cache")


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("options", "ending"),
    [
        (
            (),
            "about 60 s at the services' limits (Crossref is the slowest); about 20 s with --citecheck-contact=ADDRESS",
        ),
        (("--citecheck-contact=a@example.org",), "about 20 s at the services' limits (Crossref is the slowest)"),
        (
            ("--citecheck-contact=a@example.org", "--citecheck-rate=crossref=0.6"),
            "about 2 min at the services' limits (Crossref is the slowest); a local index needs fewer requests",
        ),
    ],
    ids=["no address", "an address", "slow"],
)
def test_a_run_says_at_its_start_how_long_it_takes_and_what_shortens_it(
    pytester: pytest.Pytester, endpoints: ModelEndpoints, options: tuple[str, ...], ending: str
) -> None:
    endpoints.script = lambda _: Said("\n".join(cited(number) for number in range(60)))
    run(pytester, "-k", "nothing", "--citecheck-models=good", "--citecheck-queries=1")
    services = ("--citecheck-sources=crossref", "--citecheck-base-url=crossref=http://127.0.0.1:9")
    done = run(
        pytester, *services, "--citecheck-ask=none", "--citecheck-models=good", "--citecheck-queries=1", *options
    )
    assert f"citecheck: 60 references, {ending}" in done.outlines


def cited(number: int) -> str:
    title = f"Wheels of the kind {number} and their axles"
    return f"@article{{a{number}, title={{{title}}}, author={{Doe, Jane}}, year=2019, journal={{Nature}}}}"


@pytest.mark.exhaustive
def test_the_files_have_the_fields_of_the_arena(pytester: pytest.Pytester, endpoints: ModelEndpoints) -> None:
    run(pytester, "-k", "nothing")
    scores = checked(pytester)
    records = json.loads(Path("out/verification_results.json").read_bytes())
    (first, _) = records["good"]
    assert {
        name: first[name] for name in ("model_name", "query", "discipline", "total_refs", "verified", "errors", "not_found")
    } == {
        "model_name": "good", "query": "residual networks", "discipline": "computer_science", "total_refs": 1, "verified": 1,
        "errors": 0, "not_found": 0,
    }  # fmt: skip
    (result,) = first["results"]
    assert (result["status"], result["reference"]["doi"]) == ("verified", "10.1109/cvpr.2016.90")
    assert result["match_detail"]["title_match"] == 1.0
    assert result["match_detail"]["matched_title"] == "Deep Residual Learning for Image Recognition"
    assert result["match_detail"]["matched_year"] == "2016"
    assert records["bad"][0]["results"][0]["match_detail"] is None
    document = json.loads(Path("out/evaluation_results.json").read_bytes())
    assert document["rankings"] == [["good", 1.0]]  # nothing of the other could be checked
    assert document["model_scores"]["good"]["model_name"] == "good"
    assert (document["model_scores"]["bad"]["error_count"], document["model_scores"]["bad"]["total_refs"]) == (2, 2)
    assert document["model_scores"]["bad"]["discipline_scores"]["computer_science"]["verified"] == 0
    assert document["citecheck"] == scores
    try:  # the original, if it is installed
        schema = import_module("cookbooks.ref_hallucination_arena.schema")
    except ImportError:
        return
    for model in records.values():
        for record in model:
            schema.ModelVerificationResult.model_validate(record)
    schema.ArenaResult.model_validate(document)
