"""``citecheck doctor --models``: endpoints of models that are well, and others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_citecheck.cli import main
from tests.stand_ins.model_endpoints import Call, ModelEndpoints, Said

KEY = "sk-0123456789abcdef"
FAULTS = {"401": "key refused", "429-quota": "no credit", "429": "rate-limited", "400": "failing", "empty": "no answer"}


def arena(local: ModelEndpoints, folder: Path, *models: str, variable: str = "MODEL_KEY") -> str:
    lines = [
        f"  {model}: {{base_url: {local.base_urls['openai']}, model: m-{model}, api_key: '${{{variable}}}'}}"
        for model in models
    ]
    file = folder / "arena.yaml"
    file.write_text("\n".join(["task: {description: d}", "dataset: {path: q.json}", "target_endpoints:", *lines]))
    return str(file)


def test_each_endpoint_is_called_once_and_the_worst_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MODEL_KEY", KEY)

    def script(call: Call) -> Said:
        return Said("yes")

    with ModelEndpoints(script) as local:
        for kind in FAULTS:
            local.fault(kind, model=f"m-{kind}")
        file = arena(local, tmp_path, "well", *FAULTS)
        assert main(["doctor", f"--models={file}", "--live", "--allow-endpoint=127.0.0.1", "--json"]) == 1
        said = json.loads(capsys.readouterr().out)
        assert {one["name"]: one["state"] for one in said["models"]} == {**FAULTS, "well": "reachable"}
        assert [one["name"] for one in said["models"]] == ["401", "429-quota", "400", "429", "empty", "well"]
        assert (said["models"][-1]["served"], said["models"][-1]["tokens"]) == ("m-well-2026", 18)
        assert len(local.calls) == len(FAULTS) + 1
        assert main(["doctor", f"--models={file}", "--live", "--allow-endpoint=127.0.0.1"]) == 1
        shown = capsys.readouterr().out
        assert "HTTP status 401: Incorrect API key provided" in shown
        assert KEY not in shown + json.dumps(said)
        assert max(map(len, shown.splitlines())) <= 100


def test_a_missing_key_is_named_and_nothing_is_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("GONE", raising=False)
    with ModelEndpoints() as local:
        file = arena(local, tmp_path, "one", variable="GONE")
        for live in ([], ["--live", "--allow-endpoint=127.0.0.1"]):
            assert main(["doctor", f"--models={file}", *live]) == 1
            out, err = capsys.readouterr()
            assert "key missing" in out
            assert "target_endpoints.one.api_key: the environment variable GONE is not set" in err
        assert local.calls == []
        monkeypatch.setenv("GONE", KEY)
        assert main(["doctor", f"--models={file}"]) == 0
        assert "configured" in capsys.readouterr().out


@pytest.mark.exhaustive
def test_check_calls_no_model_unless_it_is_told_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The configuration may be a stranger's: it says which variables go to which servers."""
    monkeypatch.setenv("MODEL_KEY", KEY)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.json").write_text('[{"query": "q", "num_refs": 1}]')
    with ModelEndpoints() as local:
        file = arena(local, tmp_path, "one")
        main(["check", file, "--cache=off"])
        assert local.calls == []
        main(["check", file, "--cache=off", "--ask=missing", "--allow-endpoint=127.0.0.1"])
        assert len(local.calls) == 1


def test_any_configuration_of_models_will_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "models.yaml"
    file.write_text("target_endpoints: {one: {base_url: http://h, model: m, api_key: k}}\nselfcheck: {cut: 5}\n")
    assert main(["doctor", f"--models={file}"]) == 0
    assert "configured" in capsys.readouterr().out


@pytest.mark.parametrize("text", [None, "task: 5", "\xff"])
def test_what_is_no_configuration_is_a_usage_error(
    text: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "arena.yaml"
    if text is not None:
        file.write_bytes(text.encode("latin-1"))
    assert main(["doctor", f"--models={file}"]) == 2
    assert "arena.yaml" in capsys.readouterr().err
