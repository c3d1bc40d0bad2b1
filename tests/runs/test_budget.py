"""Runs that are killed, run at once or answered badly: the provider never bills more than the budget of their output folder."""

from __future__ import annotations

import json
import os
import signal
from collections import Counter
from pathlib import Path

import pytest

from tests.stand_ins.model_endpoints import ModelEndpoints, Said
from tests.support.killing_models import KillingModels
from tests.support.pytest_processes import Forked

pytestmark = pytest.mark.exhaustive

_PATIENCE = 300.0  # seconds
_APIS = ("openai", "anthropic", "gemini")
_QUERIES = [{"query": f"topic {number}", "language": "en", "num_refs": 1} for number in range(40)]
_ANSWER = Said("@misc{k, title={A Title}}", tokens=(1_000, 1_000))
_COST = 0.018  # of an answer


def prepared(folder: Path, endpoints: ModelEndpoints, dollars: float, more: str = "", at_once: int = 100) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "queries.json").write_text(json.dumps(_QUERIES), encoding="utf-8")
    named = "".join(
        f"  {api}: {{api: {api}, base_url: '{endpoints.base_urls[api]}', api_key: k-1234567, model: m-{api}, "
        f"max_concurrency: {at_once}, price: {{prompt: 3, completion: 15}}, "
        f"extra_params: {{{'maxOutputTokens' if api == 'gemini' else 'max_tokens'}: 1000}}}}\n"
        for api in _APIS
    )
    (folder / "arena.yaml").write_text(
        f"task: {{description: d}}\ndataset: {{path: queries.json}}\ntarget_endpoints:\n{named}"
        f"evaluation: {{budget: {{dollars: {dollars}}}, {more}}}\n"
        "output: {output_dir: out}\nreport: {enabled: false}\n",
        encoding="utf-8",
    )
    return folder


def started(folder: Path, *options: str) -> Forked:
    command = ["pytest", "--citecheck=arena.yaml", "--citecheck-cache=off", "-k", "nothing", "-p", "no:cacheprovider"]
    return Forked([*command, *options], folder, os.environ)


def finished(run: Forked) -> str:
    _, output, errors = run.communicate(_PATIENCE)
    return output + errors


def billed(endpoints: ModelEndpoints) -> float:
    read, written = endpoints.billed
    return (read * 3 + written * 15) / 1e6


@pytest.mark.parametrize("kind", ["", "malformed", "timeout", "cut", "500"])
def test_three_models_at_full_concurrency(tmp_path: Path, kind: str) -> None:
    with ModelEndpoints(lambda _: _ANSWER) as endpoints:
        if kind:
            endpoints.fault(kind)
        folder = prepared(
            tmp_path / "run", endpoints, 0.3, f"timeout: {1 if kind == 'timeout' else 30}, retry_times: 2"
        )
        said = finished(started(folder))
        assert len(endpoints.calls) > 0
        assert billed(endpoints) <= 0.3
        if not kind:
            assert len(endpoints.calls) == 16  # all that fit
            assert f"{len(_QUERIES) * 3 - 16} budget" in said
            assert "budget of $0.3: $0.288 billed, $0 booked" in said


def test_a_run_that_is_killed_and_resumed_five_times(tmp_path: Path) -> None:
    models = KillingModels(lambda _: _ANSWER)
    with ModelEndpoints(models.script) as endpoints:
        folder = prepared(tmp_path / "run", endpoints, 0.5, at_once=1)
        for _ in range(5):
            models.moment = len(models.asked) + 3
            models.victim = started(folder)
            assert models.victim.communicate(_PATIENCE)[0] == -signal.SIGKILL
        assert billed(endpoints) <= 0.5
        models.moment = 0
        prepared(folder, endpoints, 0.5)
        said = finished(started(folder))
        assert billed(endpoints) <= 0.5
        ids = Counter(call.headers["x-client-request-id"] for call in endpoints.calls)
        assert max(ids.values()) > 1  # the provider's log shows which calls were sent again
        assert len(ids) < len(endpoints.calls)
        assert "sent again" in said


def test_three_runs_at_once(tmp_path: Path) -> None:
    with ModelEndpoints(lambda _: _ANSWER) as endpoints:
        folder = prepared(tmp_path / "run", endpoints, 0.2)
        runs = [started(folder), started(folder), started(folder, "--citecheck-ask=all")]
        for run in runs:
            finished(run)
        assert 0.2 - _COST <= billed(endpoints) <= 0.2
