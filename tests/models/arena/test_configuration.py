"""The YAML of an arena."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_citecheck.models.arena import ArenaConfiguration, read_configuration
from pytest_citecheck.models.chat import ConfigurationError

EVERY_KEY = """
task:
  description: Which model knows the literature
  scenario: reading lists
dataset: {path: queries.json, shuffle: true, max_queries: 0}
target_endpoints:
  bare:
    base_url: https://models.example/v1
    api_key: ${MODEL_KEY}
    model: some-model
    system_prompt: Give {num_refs} works as {json}.
    extra_params: {temperature: 0, stream: true, top_k: 5, extra_body: {enable_thinking: false}}
    max_concurrency: 100
  tool:
    base_url: "${HOST}/v1"
    api_key: none
    model: some-model
    tool_config: {enabled: true, tavily_api_key: "${SEARCH_KEY}", max_iterations: 30, search_depth: basic}
verification: {crossref_mailto: a@b.example, pubmed_api_key: "${SEARCH_KEY}", max_workers: 10, timeout: 30,
               verified_threshold: 0.7}
evaluation: {timeout: 120, retry_times: 3}
output: {output_dir: ./out, save_queries: true, save_responses: false, save_details: true}
report:
  enabled: true
  language: en
  include_examples: 10
  chart: {enabled: true, title: T, dpi: 72, format: svg, show_values: false, orientation: horizontal, highlight_best: false}
"""
ENVIRONMENT = {"MODEL_KEY": "m-secret", "SEARCH_KEY": "s-secret", "HOST": "https://tool.example"}
LEAST = """
task: {description: d}
dataset: {path: q.json}
target_endpoints:
  one: {base_url: http://127.0.0.1/v1, api_key: k, model: m}
"""


def read(text: str, environment: dict[str, str] = ENVIRONMENT, *, secrets: bool = True) -> ArenaConfiguration:
    return read_configuration(Path("arena.yaml"), text, environment, secrets=secrets)


def test_every_key_of_the_arena_is_read() -> None:
    arena = read(EVERY_KEY)
    bare, tool = arena.endpoints
    assert (bare.name, bare.api_key, bare.concurrency) == ("bare", "m-secret", 100)
    assert bare.parameters == {"temperature": 0, "top_k": 5, "extra_body": {"enable_thinking": False}}
    assert tool.search is not None
    assert (tool.base_url, tool.search.api_key, tool.iterations) == ("https://tool.example/v1", "s-secret", 30)
    assert tool.search.depth == "basic"
    assert (arena.dataset.shuffle, arena.dataset.max_queries) == (True, None)
    assert (arena.calls.timeout, arena.calls.tries, arena.mailto) == (120.0, 3, "a@b.example")
    assert (arena.output.folder, arena.output.responses) == ("./out", False)
    assert (arena.report.language, arena.report.examples) == ("en", 10)
    chart = arena.report.chart
    assert (chart.dpi, chart.file_format, chart.orientation, chart.highlight_best) == (72, "svg", "horizontal", False)
    assert [text.partition(":")[0] for _, text in arena.remarks] == [
        "target_endpoints.bare.extra_params.stream", "verification.max_workers", "verification.timeout",
    ]  # fmt: skip
    assert "secret" not in repr(arena)


def test_defaults_are_those_of_the_arena() -> None:
    arena = read(LEAST)
    (one,) = arena.endpoints
    assert (one.concurrency, one.search, one.iterations, arena.calls.timeout) == (5, None, 10, 120.0)
    assert (arena.report.language, arena.report.examples, arena.report.chart.dpi) == ("zh", 3, 300)
    assert (arena.output.folder, arena.output.stated) == ("./evaluation_results/ref_hallucination_arena", False)
    assert arena.remarks == ()


def test_an_unknown_key_is_remarked_on_with_the_nearest_and_its_line() -> None:
    arena = read(LEAST + "evaluation: {time_out: 5}\nreports: {}\n")
    assert arena.remarks == (
        (6, "evaluation.time_out: unknown key, ignored; did you mean timeout?"),
        (7, "reports: unknown key, ignored; did you mean report?"),
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (LEAST.replace("api_key: k", "api_key: '${GONE}'"), "arena.yaml:5: target_endpoints.one.api_key: the environment"),
        (LEAST.replace("model: m", "max_concurrency: 101"), "arena.yaml:5: target_endpoints.one.model: is required"),
        (LEAST.replace("model: m", "max_concurrency: 101"), "max_concurrency: must be a whole number from 1 to 100, not 101"),
        (LEAST + "report: {language: fr}\n", "arena.yaml:6: report.language: must be one of zh, en, both, not 'fr'"),
        (LEAST + "report: {chart: {dpi: 71}}\n", "report.chart.dpi: must be a whole number from 72 to 300, not 71"),
        (LEAST + "evaluation: {retry_times: true}\n", "evaluation.retry_times: must be a whole number from 1 upwards"),
        (LEAST + "task: {description: again}\n", "arena.yaml:6: task: duplicate, first in line 2"),
        (LEAST.split("target")[0], "arena.yaml:1: target_endpoints: is required"),
        ("- a list", "arena.yaml: a configuration is a mapping of keys to values"),
        ("a: [", "arena.yaml: not valid YAML:"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_line_and_key(text: str, said: str) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(said)):
        read(text)


def test_w23_an_unset_secret_is_an_error_unless_nothing_is_asked() -> None:
    """An empty key could make a client fall back to another service's key."""
    with pytest.raises(ConfigurationError, match="the environment variable MODEL_KEY is not set"):
        read(EVERY_KEY, {"HOST": "https://tool.example", "SEARCH_KEY": "s"})
    assert read(EVERY_KEY, {"HOST": "h"}, secrets=False).endpoints[0].api_key == ""
    with pytest.raises(ConfigurationError, match=r"target_endpoints\.tool\.base_url: the environment variable HOST"):
        read(EVERY_KEY, {}, secrets=False)
