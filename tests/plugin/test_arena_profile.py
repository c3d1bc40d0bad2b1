"""``--citecheck-profile=arena`` over loopback: the sources of each discipline, and the content of the leaderboard's files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.stand_ins.model_endpoints import Call, ModelEndpoints, Said

if TYPE_CHECKING:
    from tests.stand_ins.server import LocalServices

PEOPLE = "author={Quillfeather, Ada and Nightwhistle, Tom}, year=2019"
REAL = """@inproceedings{he2016, title={Deep Residual Learning for Image Recognition}, year=2016, booktitle={CVPR},
author={He, Kaiming and Zhang, Xiangyu and Ren, Shaoqing and Sun, Jian}, doi={10.1109/CVPR.2016.90}}"""
ROUTES = {
    "computer_science": ["crossref", "dblp_sparql", "arxiv", "pubmed"],
    "biomedical": ["crossref", "pubmed", "arxiv", "dblp_sparql"],
    "physics": ["crossref", "arxiv", "dblp_sparql", "pubmed"],
    "mathematics": ["crossref", "arxiv", "pubmed", "dblp_sparql"],
    "chemistry": ["crossref", "pubmed", "arxiv", "dblp_sparql"],
    "social_science": ["crossref", "pubmed", "dblp_sparql", "arxiv"],
    "interdisciplinary": ["crossref", "arxiv", "pubmed", "dblp_sparql"],
    "alchemy": ["crossref", "arxiv", "pubmed", "dblp_sparql"],
    "other": ["crossref", "arxiv", "pubmed", "dblp_sparql"],
}
YAML = """
task: {description: Which model knows the literature}
dataset: {path: queries.json}
target_endpoints:
  knowing: {base_url: URL, api_key: "none", model: knowing-1}
  inventing: {base_url: URL, api_key: "none", model: inventing-1}
output: {output_dir: out}
report: {language: en, chart: {enabled: false}}
"""


def invented(discipline: str) -> str:
    """A reference that does not reveal the discipline of its query."""
    title = f"An invented theory of entirely absent gradients number {list(ROUTES).index(discipline)}"
    return f"@inproceedings{{{discipline}, title={{{title}}}, {PEOPLE}, booktitle={{NeurIPS}}}}"


def script(call: Call) -> Said:
    asked = str(call.messages[-1]["content"])
    return Said(REAL if call.model == "knowing-1" else invented(next(one for one in reversed(ROUTES) if one in asked)))


def data(name: str) -> Any:
    return json.loads(Path(name).read_text(encoding="utf-8"))


@pytest.fixture
def report(pytester: pytest.Pytester, services: LocalServices, live: list[str]) -> Any:
    """The JSON report of a run in which one model cites the same real paper each time, and the other invents one each time."""
    queries = [{"query": f"papers on {name}", "discipline": name, "num_refs": 1, "language": "en"} for name in ROUTES]
    queries[0] |= {"year_constraint": {"max_year": 2015}}  # which the real paper violates
    with ModelEndpoints(script) as endpoints:
        Path("queries.json").write_text(json.dumps(queries), encoding="utf-8")
        Path("arena.yaml").write_text(YAML.replace("URL", endpoints.base_urls["openai"]), encoding="utf-8")
        pytester.runpytest("--citecheck=arena.yaml", "--citecheck-profile=arena", "--citecheck-json=r.json", *live)
    return data("r.json")


def test_each_discipline_searches_its_sources_in_the_order_of_the_arena(report: Any) -> None:
    asked = {
        one["key"]: [(line["source"], line["question"]["kind"]) for line in one["evidence"]]
        for one in report["references"]
    }
    assert asked.pop("he2016") == [("crossref", "doi")]  # the first record that verifies ends the search
    assert asked == {name: [(source, "title") for source in route] for name, route in ROUTES.items()}


@pytest.mark.exhaustive
def test_the_files_of_the_leaderboard_have_the_results_of_the_run(report: Any) -> None:
    count = len(ROUTES)
    results = data("out/evaluation_results.json")
    assert results["rankings"] == [["knowing", 1.0], ["inventing", 0.0]]
    totals = {"total_queries": count, "total_references": 2 * count, "total_verified": count, "overall_accuracy": 0.5}
    assert {name: results[name] for name in totals} == totals
    knowing, inventing = (results["model_scores"][name] for name in ("knowing", "inventing"))
    assert (knowing["verified_count"], knowing["verified_by_source"]) == (count, {"crossref": count})
    assert (inventing["not_found_count"], inventing["error_count"], inventing["doi_accuracy"]) == (count, 0, 0.0)
    years = ("year_constrained_refs", "year_compliant_count", "year_compliance_rate")
    assert [knowing[name] for name in years] == [1, 0, 0.0]
    for scores, rate in ((knowing, 1.0), (inventing, 0.0)):
        assert {name: part["verification_rate"] for name, part in scores["discipline_scores"].items()} == dict.fromkeys(
            ROUTES, rate
        )
    assert results["citecheck"] == report["arena"]
    assert [one["discipline"] for one in data("out/queries.json")] == list(ROUTES)
    records = data("out/verification_results.json")
    assert [one["results"][0]["status"] for one in records["knowing"]] == ["verified"] * count
    assert [one["results"][0]["source"] for one in records["inventing"]] == [""] * count
    assert [records["knowing"][0][f"year_{name}"] for name in ("compliant", "noncompliant")] == [0, 1]
    assert [one["responses"]["knowing"] for one in data("out/responses.json")] == [REAL] * count
    extracted = data("out/extracted_refs.json")
    assert [extracted["inventing"][str(place)][0]["key"] for place in range(count)] == list(ROUTES)
    page = Path("out/evaluation_report.md").read_text(encoding="utf-8")
    lines = page.splitlines()
    place = lines.index("### Share verified by discipline")
    rows = [line.split(" | ")[:2] for line in lines[place + 4 : place + 4 + 2 * count]]
    assert [model for _, model in rows] == ["knowing", "inventing"] * count
    assert len({discipline for discipline, _ in rows}) == count
    ranks = [line.split(" | ")[:2] for line in lines if " | 1 | " in line or " | 2 | " in line]
    assert ranks[:2] == [["| knowing", "1"], ["| inventing", "2"]]
