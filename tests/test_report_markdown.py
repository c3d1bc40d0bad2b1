"""The Markdown report: both languages, escaping, the numbers."""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter

from pytest_citecheck.reports.markdown import markdown_page, write_markdown
from pytest_citecheck.reports.wording import CODES, TEXTS
from tests.report_data import finding, reference, report, scores

ROOT = Path(__file__).parent.parent


def test_both_languages_have_the_same_texts_with_the_same_places_to_fill() -> None:
    assert TEXTS["en"].keys() == TEXTS["zh"].keys()
    for key, text in TEXTS["en"].items():
        places = [{name for _, name, _, _ in Formatter().parse(one) if name} for one in (text, TEXTS["zh"][key])]
        assert places[0] == places[1], key


def test_every_failing_code_is_said_in_chinese() -> None:
    rows = [line.split("|") for line in (ROOT / "docs" / "checks.md").read_text(encoding="utf-8").splitlines()]
    failing = {code for row in rows if len(row) == 6 for code in re.findall(r"`([a-z]+-[a-z-]+)`", row[3])}
    assert len(failing) > 20
    assert failing == CODES.keys()


def misdescribed() -> dict[str, object]:
    failed = finding(
        "failed",
        "title-near-miss",
        message="a slightly different title",
        cited="Time | Locks",
        found="Time, clocks",
        fixes={"title": "Time, clocks", "note": ""},
    )
    return reference("lamport", "misdescribed", checks={"title": failed})


def test_a_failing_reference_has_cited_and_found_value_and_the_fix() -> None:
    page = markdown_page(report(reference("good"), misdescribed()))
    assert "### `lamport`\n\n`refs.bib:1` · **misdescribed**\n" in page
    row = (
        "| Title | `title-near-miss` a slightly different title | Time &#124; Locks | Time, clocks "
        "| `title = {Time, clocks}`<br>drop `note` |"
    )
    assert row in page
    assert "`good`" not in page
    assert "| verified | 1 | 50.0 % |" in page
    assert "| Title | 1 | 1 | 0 | 50.0 % |" in page


def test_the_chinese_report_holds_no_english_words_of_its_own() -> None:
    page = markdown_page(report(misdescribed(), tools=[scores("T", 0.5)]), "zh")
    assert "| 标题 | `title-near-miss` 标题与实际略有出入 |" in page
    ours = re.sub(r"`[^`]*`|pytest-citecheck|Time[^|]*|near_miss_title|\bT\b|F1|&#124;|<br>", "", page)
    assert re.findall(r"[A-Za-z]{2,}", ours) == []


def test_both_is_english_then_chinese(tmp_path: Path) -> None:
    data = report(misdescribed())
    write_markdown(data, tmp_path / "r.md", "both")
    text = (tmp_path / "r.md").read_text(encoding="utf-8")
    assert text == f"{markdown_page(data, 'en')}\n---\n\n{markdown_page(data, 'zh')}"


def test_the_ranking_shows_the_best_first_with_intervals() -> None:
    tools = [scores("low", 0.25, detection_rate_ci=[0.125, 0.5]), scores("high", 0.75)]
    page = markdown_page({"tools": tools})
    assert "| 1 | high | **75.0 %** | **0.750** |\n| 2 | low | 25.0 % [12.5 %, 50.0 %] | 0.250 |" in page
    assert "| near_miss_title | 75.0 % | 25.0 % |" in page


def test_models_are_shown_by_discipline_and_source() -> None:
    physics = {"total_refs": 4, "verified": 3, "verification_rate": 0.75, "hallucination_rate": 0.25}
    rankings = [
        {
            "rank": 1,
            "model": "a",
            "overall_accuracy": 0.75,
            "year_compliance_rate": 0.0,
            "by_discipline": {"physics": physics},
        },
        {"rank": 1, "model": "b", "overall_accuracy": 0.75, "verified_by_source": {"dblp": 2}},
    ]
    page = markdown_page({"arena": {"rankings": rankings}})
    # No query limited the years, so that nothing can be said of them; models that are equal share a rank.
    assert "| Rank | Model | Overall |\n| --- | --- | --- |\n| 1 | a | 75.0 % |\n| 1 | b | 75.0 % |" in page
    assert "### Discipline: physics" in page
    assert "| a | 4 | 3 | 75.0 % | 25.0 % | – |" in page
    assert "| Model | dblp |\n| --- | --- |\n| a | 0 |\n| b | 2 |" in page


def test_a_run_without_failures_says_so_and_names_retracted_works() -> None:
    notice = {"kind": "retraction", "date": "2020-01-01", "doi": "10.1/r", "stated_by": "crossref", "alarming": True}
    page = markdown_page(report(reference("a", notices=[notice, notice | {"kind": "correction", "alarming": False}])))
    assert "No check failed." in page
    assert "| `a` | retraction | 2020-01-01 | 10.1/r | crossref |" in page
    assert "correction" not in page
