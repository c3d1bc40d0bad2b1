"""An arena run that is killed, or runs twice at once: no call is paid for twice."""

from __future__ import annotations

import json
import os
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.stand_ins.arena_models import ROOT, arena_script
from tests.stand_ins.model_endpoints import ModelEndpoints
from tests.stand_ins.server import LocalServices
from tests.support.killing_models import KillingModels
from tests.support.pytest_processes import Forked

pytestmark = pytest.mark.exhaustive

_QUERIES = (1, 3, 5, 7, 9, 11)  # in English
_MOMENTS = 20
_UNDER_WAY = 6  # calls at the same time: two of each endpoint
_PATIENCE = 300.0  # seconds
_YAML = """
task: {description: d}
dataset: {path: queries.json}
target_endpoints:
  careful: {base_url: URL, api_key: k-1234567, model: careful-1, max_concurrency: 2}
  eager: {base_url: URL, api_key: k-1234567, model: eager-2, max_concurrency: 2}
  careful-search:
    base_url: URL
    api_key: k-1234567
    model: careful-1
    max_concurrency: 2
    tool_config: {enabled: true, max_iterations: 4, tavily_api_key: t-1234567, search_url: SEARCH}
output: {output_dir: out}
report: {language: en, chart: {enabled: false}}
"""


@pytest.fixture(scope="module")
def services() -> Iterator[LocalServices]:
    with LocalServices() as local:
        yield local


def prepared(folder: Path, endpoints: ModelEndpoints) -> Path:
    folder.mkdir()
    queries = json.loads((ROOT / "fixtures" / "arena" / "queries.json").read_text(encoding="utf-8"))
    (folder / "queries.json").write_text(json.dumps([queries[number - 1] for number in _QUERIES]), encoding="utf-8")
    text = _YAML.replace("URL", endpoints.base_urls["openai"]).replace("SEARCH", endpoints.search_url)
    (folder / "arena.yaml").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cache of the services' answers: only the first run has to wait for them."""
    return tmp_path_factory.mktemp("cache")


def start(folder: Path, services: LocalServices, cache: Path) -> Forked:
    options = ["pytest", "--citecheck=arena.yaml", f"--citecheck-cache={cache}", "--citecheck-json=r.json", "-q"]
    for name, url in services.base_urls.items():
        options += [f"--citecheck-base-url={name}={url}", f"--citecheck-rate={name}=1000"]
    return Forked([*options, "--tb=no", "-p", "no:cacheprovider"], folder, os.environ)


def finish(run: Forked) -> str:
    code, output, errors = run.communicate(_PATIENCE)
    assert code == pytest.ExitCode.TESTS_FAILED, output + errors  # some references are invented
    return output


def results(folder: Path) -> dict[str, Any]:
    report = json.loads((folder / "r.json").read_text(encoding="utf-8"))
    references = [{name: one[name] for name in ("id", "line", "verdict", "checks")} for one in report["references"]]
    page = (folder / "out" / "evaluation_report.md").read_text(encoding="utf-8")
    return {"references": references, "arena": report["arena"], "page": page}


@pytest.fixture(scope="module")
def undisturbed(
    tmp_path_factory: pytest.TempPathFactory, services: LocalServices, kept: Path
) -> tuple[dict[str, Any], int]:
    """The results of a run that nothing disturbs, and its calls of models."""
    models = KillingModels(arena_script)
    with ModelEndpoints(models.script) as endpoints:
        folder = prepared(tmp_path_factory.mktemp("undisturbed") / "run", endpoints)
        finish(start(folder, services, kept))
    assert max(Counter(models.asked).values()) == 1
    return results(folder), len(models.asked)


@pytest.mark.parametrize("moment", range(_MOMENTS))
def test_a_killed_run_is_continued(
    tmp_path: Path, services: LocalServices, kept: Path, undisturbed: tuple[dict[str, Any], int], moment: int
) -> None:
    expected, calls = undisturbed
    models = KillingModels(arena_script)
    models.moment = 1 + moment * (calls - 1) // (_MOMENTS - 1)
    with ModelEndpoints(models.script) as endpoints:
        folder = prepared(tmp_path / "run", endpoints)
        models.victim = start(folder, services, kept)
        assert models.victim.communicate(_PATIENCE)[0] == -signal.SIGKILL
        finish(start(folder, services, kept))
    assert results(folder) == expected
    assert max(Counter(models.asked).values()) <= 2
    assert len(models.asked) <= calls + _UNDER_WAY  # what was under way may have begun long before
    assert not (folder / "out" / "conversations.jsonl").exists()


def test_w16_a_run_that_is_repeated_asks_neither_models_nor_services(
    tmp_path: Path, services: LocalServices, undisturbed: tuple[dict[str, Any], int]
) -> None:
    models = KillingModels(arena_script)
    with ModelEndpoints(models.script) as endpoints:
        folder, kept = prepared(tmp_path / "run", endpoints), tmp_path / "cache"
        finish(start(folder, services, kept))
        asked, requests = len(models.asked), len(services.requests)
        finish(start(folder, services, kept))
        assert len(models.asked) == asked
        assert len(services.requests) == requests
    assert results(folder) == undisturbed[0]


def test_two_runs_at_once_do_not_ask_twice(
    tmp_path: Path, services: LocalServices, kept: Path, undisturbed: tuple[dict[str, Any], int]
) -> None:
    models = KillingModels(arena_script)
    with ModelEndpoints(models.script) as endpoints:
        folder = prepared(tmp_path / "run", endpoints)
        first = start(folder, services, kept)
        second = start(folder, services, kept)
        finish(first)
        finish(second)
    assert len(models.asked) == undisturbed[1]
    assert results(folder) == undisturbed[0]
