"""A killed run over claims: no successful call is repeated, and the report is the same as for an uninterrupted run."""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.stand_ins.model_endpoints import ModelEndpoints
from tests.stand_ins.record_claims import FIXTURE, answer
from tests.support.killing_models import KillingModels
from tests.support.pytest_processes import Forked

pytestmark = pytest.mark.exhaustive

_MOMENTS = 20
_CONCURRENCY = 2
_PATIENCE = 300.0  # seconds
_JUDGES = """
target_endpoints:
  steady: {base_url: URL, api_key: k-1234567, model: steady-1, max_concurrency: 2}
  careful: {base_url: URL, api_key: k-1234567, model: careful-1, max_concurrency: 2}
  hasty: {base_url: URL, api_key: k-1234567, model: hasty-1, max_concurrency: 2}
panels: {panel: {members: [steady, careful, hasty]}}
cascades: {cascade: {members: [hasty, steady]}}
output: {output_dir: out}
"""


def prepared(folder: Path, endpoints: ModelEndpoints) -> Path:
    folder.mkdir()
    shutil.copy(FIXTURE / "claims.json", folder)
    (folder / "judges.yaml").write_text(_JUDGES.replace("URL", endpoints.base_urls["openai"]), encoding="utf-8")
    return folder


def start(folder: Path) -> Forked:
    options = ["pytest", "--citecheck=claims.json", "--citecheck-claims=judges.yaml", "--citecheck-cache=off"]
    return Forked([*options, "--citecheck-json=r.json", "-q", "--tb=no", "-p", "no:cacheprovider"], folder, os.environ)


def finish(run: Forked) -> None:
    code, output, errors = run.communicate(_PATIENCE)
    assert code == pytest.ExitCode.TESTS_FAILED, output + errors  # some claims are not supported


def claims_of(folder: Path) -> Any:
    return json.loads((folder / "r.json").read_text(encoding="utf-8"))["claims"]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, int]:
    """The claims of a run that nothing disturbs, and its calls."""
    models = KillingModels(answer)
    with ModelEndpoints(models.script) as endpoints:
        folder = prepared(tmp_path_factory.mktemp("undisturbed") / "run", endpoints)
        finish(start(folder))
    assert max(Counter(models.asked).values()) == 1
    return claims_of(folder), len(models.asked)


@pytest.mark.parametrize("moment", range(_MOMENTS))
def test_w18_a_killed_run_is_continued(tmp_path: Path, undisturbed: tuple[Any, int], moment: int) -> None:
    expected, calls = undisturbed
    models = KillingModels(answer)
    models.moment = 1 + moment * (calls - 1) // (_MOMENTS - 1)
    with ModelEndpoints(models.script) as endpoints:
        folder = prepared(tmp_path / "run", endpoints)
        models.victim = start(folder)
        assert models.victim.communicate(_PATIENCE)[0] == -signal.SIGKILL
        finish(start(folder))
    assert claims_of(folder) == expected
    # The calls under way when it was killed: at most the concurrency of each endpoint, however late one of them is.
    repeated = Counter(json.loads(call)["model"] for call, count in Counter(models.asked).items() if count > 1)
    assert max(repeated.values(), default=0) <= _CONCURRENCY
    assert len(models.asked) - calls == repeated.total()


def test_w16_two_runs_at_once_do_not_ask_twice(tmp_path: Path, undisturbed: tuple[Any, int]) -> None:
    models = KillingModels(answer)
    with ModelEndpoints(models.script) as endpoints:
        folder = prepared(tmp_path / "run", endpoints)
        first, second = start(folder), start(folder)
        finish(first)
        finish(second)
    assert len(models.asked) == undisturbed[1]
    assert claims_of(folder) == undisturbed[0]
