"""Estimated cost of model calls before they are made, and the confirmation above a budget."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from pytest_citecheck import screen
from pytest_citecheck.models import missing_answers
from tests.stand_ins.model_endpoints import ModelEndpoints, Said

YAML = """
task: {description: d}
dataset: {path: queries.json}
target_endpoints:
  known: {base_url: URL, api_key: k, model: gpt-4o, max_concurrency: 2, extra_params: {max_tokens: 1000}}
  local: {base_url: URL, api_key: k, model: unheard-of}
output: {output_dir: out}
report: {enabled: false}
"""
BIB = "@misc{a, title={Entirely Invented Residues of Nothing}, year=2020, author={Nobody, Ann}}\n"


@pytest.fixture
def endpoints(pytester: pytest.Pytester) -> Iterator[ModelEndpoints]:
    queries = [{"query": f"topic {number}", "language": "en", "num_refs": 4} for number in range(10)]
    Path("queries.json").write_text(json.dumps(queries), encoding="utf-8")
    Path("refs.bib").write_text(BIB, encoding="utf-8")
    with ModelEndpoints(lambda _: Said("None.")) as served:
        Path("arena.yaml").write_text(YAML.replace("URL", served.base_urls["openai"]), encoding="utf-8")
        yield served


def run(pytester: pytest.Pytester, *options: str) -> pytest.RunResult:
    return pytester.runpytest("--citecheck-cache=off", "--citecheck-timeout=60", *options)


def test_the_plan_states_calls_tokens_dollars_and_time(pytester: pytest.Pytester, endpoints: ModelEndpoints) -> None:
    result = run(pytester, "--citecheck=arena.yaml", "--citecheck-plan")
    result.stdout.re_match_lines([
        r"model +calls +tokens +dollars +at most +time",
        r"known +10 +1\d,\d{3} +\$0\.1\d{3} +\$0\.1\d{3} +\d+ (s|min)",
        r"local +10 +1\d,\d{3} +price unknown +\d+ s",
        r"model calls: 20, \$0\.1\d{3} and 1 model without a price; .*--citecheck-budget=DOLLARS confirms",
        r".*nothing would be sent to services; references in answers that are not requested yet are unknown",
    ])  # fmt: skip
    assert endpoints.calls == []


def test_the_plan_counts_what_is_missing(pytester: pytest.Pytester, endpoints: ModelEndpoints) -> None:
    run(pytester, "--citecheck=arena.yaml", "--citecheck-queries=1-4", "--citecheck-models=known", "-k", "nothing")
    result = run(pytester, "--citecheck=arena.yaml", "--citecheck-models=known", "--citecheck-plan")
    result.stdout.re_match_lines([r"known +6 "])


def test_the_plan_of_self_checks(pytester: pytest.Pytester, endpoints: ModelEndpoints) -> None:
    options = ("--citecheck-selfcheck=iq", "--citecheck-selfcheck-model=arena.yaml::known")
    result = run(pytester, "--citecheck=refs.bib", *options, "--citecheck-plan", "--citecheck-offline")
    result.stdout.re_match_lines([r"known +3 +\d+ +\$0\.\d{4}"])


def test_a_run_above_the_budget_is_refused_where_nobody_can_be_asked(
    pytester: pytest.Pytester, endpoints: ModelEndpoints
) -> None:
    only = ("--citecheck=arena.yaml", "-k", "nothing", "--citecheck-models=known")
    result = run(pytester, *only, "--citecheck-budget=0.1")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*10 calls may cost up to $0.1?, but --citecheck-budget is $0.1; nothing was sent*"])
    assert endpoints.calls == []
    run(pytester, *only, "--citecheck-budget=0.2")
    assert len(endpoints.calls) == 10
    unknown = run(pytester, "--citecheck=arena.yaml", "-k", "nothing", "--citecheck-budget=5")
    unknown.stderr.fnmatch_lines(["*may cost an unknown amount (no price for local), but --citecheck-budget is $5*"])
    selfcheck = (
        "--citecheck-selfcheck=iq",
        "--citecheck-selfcheck-model=arena.yaml::known",
        "--citecheck-selfcheck-for=all",
    )
    run(pytester, "--citecheck=refs.bib", *selfcheck, "--citecheck-budget=0")
    assert len(endpoints.calls) == 10


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.sample(1)
@pytest.mark.parametrize(("said", "calls"), [("y\n", 20), ("n\n", 0), ("", 0)])
def test_a_run_above_the_budget_asks_at_a_terminal(
    pytester: pytest.Pytester, endpoints: ModelEndpoints, monkeypatch: pytest.MonkeyPatch, said: str, calls: int
) -> None:
    # pytester takes the standard input away.
    streams = SimpleNamespace(stdin=Terminal(said), stdout=sys.stdout, stderr=io.StringIO())
    monkeypatch.setattr(missing_answers, "sys", streams)
    monkeypatch.setattr(screen, "sys", streams)
    run(pytester, "--citecheck=arena.yaml", "-k", "nothing", "--citecheck-budget=0")
    assert len(endpoints.calls) == calls
    assert "citecheck: 20 calls may cost an unknown amount (no price for local)" in streams.stderr.getvalue()


@pytest.mark.parametrize("wrong", ["much", "-1", "inf", "nan"])
def test_a_budget_is_an_amount(pytester: pytest.Pytester, endpoints: ModelEndpoints, wrong: str) -> None:
    result = run(pytester, "--citecheck=arena.yaml", f"--citecheck-budget={wrong}")
    result.stderr.fnmatch_lines(["*citecheck_budget is a number of US dollars, not*"])
