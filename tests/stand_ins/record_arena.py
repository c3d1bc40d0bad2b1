"""Record the cassettes of `fixtures/arena`: `python -m tests.stand_ins.record_arena [DIR]`.

The models are played by `tests.stand_ins.arena_models`, the services by the facts behind the other fixtures.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import pytest

from tests.stand_ins.arena_models import ROOT, arena_script
from tests.stand_ins.model_endpoints import ModelEndpoints
from tests.stand_ins.server import LocalServices

FOLDER = ROOT / "fixtures" / "arena"
_ANSWERED = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
_KEYS = ("CAREFUL_API_KEY", "EAGER_API_KEY", "TAVILY_API_KEY")


def record_arena(cassettes: Path) -> int:
    """Record everything anew; return 0 if models and services were reachable."""
    cassettes = cassettes.absolute()
    for path in cassettes.glob("*.json"):
        path.unlink()
    with LocalServices() as services, ModelEndpoints(arena_script) as models, tempfile.TemporaryDirectory() as scratch:
        models.hits = [
            {"title": "A catalogue of papers", "url": "https://papers.example/1", "content": "Titles and authors."}
        ]
        text = (FOLDER / "arena.yaml").read_text(encoding="utf-8")
        text = text.replace("https://models.example/v1", models.base_urls["openai"])
        text = text.replace(
            "      max_iterations: 4\n", f"      max_iterations: 4\n      search_url: {models.search_url}\n"
        )
        (Path(scratch) / "arena.yaml").write_text(text, encoding="utf-8")
        (Path(scratch) / "queries.json").write_bytes((FOLDER / "queries.json").read_bytes())
        os.environ.update({name: f"key-of-the-recording-{name.lower()}" for name in _KEYS})
        os.chdir(scratch)
        options = ["--citecheck=arena.yaml", f"--citecheck-cassettes={cassettes}", "--citecheck-record=all"]
        for name, url in services.base_urls.items():
            options += [f"--citecheck-base-url={name}={url}", f"--citecheck-rate={name}=200"]
        options += ["-W", "ignore::pytest.PytestAssertRewriteWarning", "--citecheck-allow-endpoint=127.0.0.1"]
        code = pytest.main([*options, "-q", "--tb=no", "-rN", "-p", "no:cacheprovider"])
    return 0 if code in _ANSWERED else int(code)


if __name__ == "__main__":
    sys.exit(record_arena(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER / "cassettes"))
