"""fixtures/selfcheck: twelve references, and the recorded answers of two models about them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_citecheck.benchmark import value_of
from pytest_citecheck.models.chat import LEDGER, Ledger
from pytest_citecheck.models.selfcheck import CallLog, scores_of_calls
from tests.stand_ins.model_endpoints import Call, ModelEndpoints, Said
from tests.stand_ins.self_answers import FOLDER, SelfAnswers, configuration

LOG = FOLDER / "calls.jsonl"


def options(model: str, log: Path, models: Path = FOLDER / "models.yaml") -> list[str]:
    """Self-checks of all references by all methods."""
    return [
        *(f"--citecheck={FOLDER / 'refs.bib'}", f"--citecheck-selfcheck-model={models}::{model}", "-m", "selfcheck"),
        *("--citecheck-selfcheck=all", f"--citecheck-selfcheck-log={log}", "--citecheck-selfcheck-for=all"),
    ]


def replayed(pytester: pytest.Pytester, model: str, log: Path, *more: str) -> dict[str, str]:
    """The outcome of each item, from recorded answers: without key and network."""
    result = pytester.runpytest(*options(model, log), "--citecheck-offline", "-rA", "-q", *more)
    ends = {"PASSED": "passed", "FAILED": "failed", "SKIPPED": "skipped", "ERROR": "error"}
    lines = [line.split(" ") for line in result.outlines if "[selfcheck" in line]
    return {line[1].rpartition("::")[2]: ends[line[0]] for line in lines if line[0] in ends}


@pytest.mark.exhaustive
def test_q15_all_methods_of_both_models_replay_offline(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SELFCHECK_KEY", raising=False)
    before = LOG.read_bytes()
    careful, eager = (replayed(pytester, model, LOG) for model in ("careful", "eager"))
    assert len(careful) == len(eager) == 12 * 7
    assert {*careful.values(), *eager.values()} == {"passed", "failed"}
    assert all(end == "passed" for name, end in careful.items() if "invented" not in name)
    assert all(end == "failed" for name, end in careful.items() if "invented" in name and "[selfcheck]" in name)
    # A model that says yes to everything passes direct queries for what nobody wrote.
    assert all(end == "passed" for name, end in eager.items() if "[selfcheck-dq" in name)
    assert LOG.read_bytes() == before


def test_the_model_that_knows_the_works_tells_them_apart_and_the_other_hardly_does_by_direct_queries() -> None:
    found = scores_of_calls(LOG, FOLDER / "labels.csv")
    areas = {model: {name: value_of(scores.of(name)) for name in scores.scores} for model, scores in found.items()}
    assert areas["careful"]["iq+dq"] == 1
    assert (areas["eager"]["dq1"] or 0) < 0.7 < (areas["eager"]["iq"] or 0)
    assert (areas["careful"]["iq-cross"] or 0) > 0.8


@pytest.mark.exhaustive
def test_workers_replay_the_same(pytester: pytest.Pytester) -> None:
    assert replayed(pytester, "eager", LOG, "-n", "2") == replayed(pytester, "eager", LOG)


@pytest.mark.exhaustive
def test_fault_4_a_killed_run_goes_on_where_it_stopped(pytester: pytest.Pytester, tmp_path: Path) -> None:
    log, models = tmp_path / "calls.jsonl", tmp_path / "models.yaml"
    answers = SelfAnswers()

    def slowly(call: Call) -> Said:
        time.sleep(0.01)
        return answers(call)

    environment = {**os.environ, "SELFCHECK_KEY": "sk-stand-in", "PYTHONPATH": os.pathsep.join(sys.path)}
    with ModelEndpoints(slowly) as served:
        models.write_text(configuration(served.base_urls["openai"]), encoding="utf-8")
        command = [sys.executable, "-m", "pytest", *options("careful", log, models), "-q", "-p", "no:cacheprovider"]
        command.append("--citecheck-allow-endpoint=127.0.0.1")
        killed = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL)
        while not log.is_file() or len(log.read_bytes().splitlines()) < 30:
            assert killed.poll() is None
            time.sleep(0.01)
        killed.kill()
        killed.wait()
        whole = log.read_bytes().splitlines(keepends=True)
        log.write_bytes(b"".join(whole)[:-20])  # a line that was being written
        kept = CallLog(log).known.keys()
        assert len(kept) >= 29
        subprocess.run(command, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL, check=False)
        calls = len(served.calls)
    known = CallLog(log).known
    assert kept <= known.keys()
    asked = [(call.key, call.method, call.sample) for call in known.values()]
    assert len(asked) == len(set(asked))
    assert calls <= len(known) + 7  # those under way when it was killed, and the line that was cut off
    assert replayed(pytester, "careful", log) == replayed(pytester, "careful", LOG)


@pytest.mark.exhaustive
def test_workers_share_a_budget_that_suffices(tmp_path: Path) -> None:
    """Bookings of all workers together exceed it, but the bills do not: no self-check is skipped."""
    answers = SelfAnswers()

    def slowly(call: Call) -> Said:
        time.sleep(0.05)
        return replace(answers(call), tokens=(10, 2))  # a call books more than 1,000

    models, ledger = tmp_path / "models.yaml", tmp_path / LEDGER
    environment = {**os.environ, "SELFCHECK_KEY": "sk-stand-in", "PYTHONPATH": os.pathsep.join(sys.path)}
    with ModelEndpoints(slowly) as served:
        text = configuration(served.base_urls["openai"])
        models.write_text(text.replace("evaluation: {", "evaluation: {budget: {tokens: 12000}, "), encoding="utf-8")
        command = [sys.executable, "-m", "pytest", *options("careful", tmp_path / "calls.jsonl", models), "-q"]
        command += ["--citecheck-allow-endpoint=127.0.0.1", "-n", "4", "-p", "no:cacheprovider"]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        billed = sum(served.billed)
    assert "84 scored, 42 low, 0 skipped" in done.stdout
    assert billed < 12_000
    assert Ledger(ledger).total.tokens == billed
    # A worker that appends while another one does may start with an empty line, see `append_line`.
    booked = [json.loads(line) for line in ledger.read_bytes().splitlines() if line]
    assert len({entry["process"] for entry in booked if "process" in entry}) == 4
