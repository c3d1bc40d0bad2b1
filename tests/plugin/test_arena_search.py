"""``pytest --citecheck=arena.yaml`` with a model that searches the bibliographic sources before it answers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_citecheck.plugin import trust
from tests.stand_ins.model_endpoints import Call, ModelEndpoints, Said

TITLE = "Deep Residual Learning for Image Recognition"
HE = f"""@inproceedings{{he2016deep, title={{{TITLE}}}, year=2016, booktitle={{CVPR}},
author={{He, Kaiming and Zhang, Xiangyu and Ren, Shaoqing and Sun, Jian}}}}"""
YAML = """
task: {description: d}
dataset: {path: queries.json}
target_endpoints:
  finder: {base_url: URL, api_key: "${ARENA_KEY}", model: m, tool_config: {enabled: true, provider: sources}}
output: {output_dir: out}
report: {chart: {enabled: false}}
"""


def script(call: Call) -> Said:
    found = [str(message["content"]) for message in call.messages if message["role"] == "tool"]
    if not found:
        return Said(None, (("web_search", json.dumps({"query": TITLE})),))
    return Said(HE if "Kaiming He" in found[0] else "Nothing.")


@pytest.mark.exhaustive
def test_a_model_searches_the_sources(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, live: list[str]
) -> None:
    monkeypatch.setenv("ARENA_KEY", "sk-secret-0123456789")
    trust(Path.cwd())
    Path("queries.json").write_text(json.dumps([{"query": "residual networks", "num_refs": 1, "language": "en"}]))
    with ModelEndpoints(script) as local:
        Path("arena.yaml").write_text(YAML.replace("URL", local.base_urls["openai"]))
        result = pytester.runpytest("--citecheck=arena.yaml", *live)
        result.stdout.fnmatch_lines(["*1 query, 1 answer in out/answers.jsonl: 1 requested now*"])
        assert [len(call.messages) for call in local.calls] == [2, 4]
    logged = json.loads(Path("out/answers.jsonl").read_text())
    assert TITLE in logged["answer"]
    assert (logged["call"]["searches"], logged["call"]["iterations"], logged["call"]["calls"]) == (1, 2, 2)
    result.assert_outcomes(passed=5, skipped=1)
