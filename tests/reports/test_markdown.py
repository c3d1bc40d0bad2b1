"""The Markdown report: both languages, escaping, the numbers."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from string import Formatter
from typing import Any

from pytest_citecheck.reports import WRONG_SHOWN, write_markdown
from tests.support.report_data import finding, markdown_page, reference, report, scores

ROOT = Path(__file__).parents[2]


def test_both_languages_have_the_same_places_to_fill() -> None:
    tables = sorted((ROOT / "pytest_citecheck").rglob("words.toml"))
    assert len(tables) == 4
    for key, row in (item for table in tables for item in tomllib.loads(table.read_text(encoding="utf-8")).items()):
        places = [{name for _, name, _, _ in Formatter().parse(row[one]) if name} for one in ("en", "zh")]
        assert places[0] == places[1], key


def test_what_could_not_be_decided_is_said_in_chinese_where_a_policy_holds_it() -> None:
    held = finding("unverifiable", "not-found", message="nobody knows it", severity="error")
    page = markdown_page(report(reference("a", "undecided", checks={"title": held})), "zh")
    assert "| `not-found` 所查数据源均无该文献的记录 |" in page


def misdescribed() -> dict[str, Any]:
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
        "| `title = {Time, clocks}`<br>remove `note` |"
    )
    assert row in page
    assert "`good`" not in page
    assert "| verified | 1 | 50.0 % |" in page
    assert "| Title | 1 | 1 | 0 | 50.0 % |" in page


def test_a_second_problem_of_one_check_is_told_in_both_languages() -> None:
    message = "“20x1” is not a four-digit year; '0028-0837' is not an ISSN"
    both = finding("failed", "year-malformed", also=["issn-invalid"], message=message)
    data = report(reference("a", checks={"title": finding(), "completeness": both}))
    assert f"| `year-malformed` `issn-invalid` {message} |" in markdown_page(data)
    assert "| `year-malformed` `issn-invalid` 年份格式错误; ISSN 无效 |" in markdown_page(data, "zh")


def test_errors_warnings_and_what_an_option_demands_stand_apart() -> None:
    checks = {
        "title": finding("failed", "title-near-miss", severity="warning"),
        "authors": finding("failed", "authors-other", severity="error"),
        "venue": finding("unverifiable", "venue-unclear", severity="error", demanded=True),
        "doi": finding("unverifiable", "doi-not-cited", severity="ignore"),
    }
    data = report(reference("a", "misdescribed", checks=checks), calls={"error": "a | b", "warning": "slip"})
    lines = [
        line for line in markdown_page(data).splitlines() if re.match("## Ref|## Undecided|### |.* `[a-z]+-", line)
    ]
    assert [re.sub(r"(`[a-z-]+`).*", r"\1", line) for line in lines] == [
        *("## References with failures: a &#124; b", "### `a`", "| Authors | `authors-other`"),
        *("## Undecided references (--citecheck-strict)", "### `a`", "| Venue | `venue-unclear`"),
        *("## References with warnings: slip", "### `a`", "| Title | `title-near-miss`"),
    ]
    checks = {"title": finding("failed", "title-near-miss", severity="warning")}
    page = markdown_page(report(reference("a", "misdescribed", checks=checks)))
    assert "## References with failures\n\nNo check failed.\n\n## References with warnings\n" in page


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
    assert "| high | 1 | **75.0 %** | **0.750** |\n| low | 2 | 25.0 % [12.5 %, 50.0 %] | 0.250 |" in page
    assert "| near_miss_title | 75.0 % | 25.0 % |" in page


def model(name: str, verified: int, wrong: int, errors: int, **other: Any) -> dict[str, Any]:
    """The scores of a model, as far as they follow from these counts."""
    decided = verified + wrong
    rates = {
        "verification_rate": verified / decided if decided else 0.0,
        "hallucination_rate": wrong / decided if decided else 0.0,
    }
    counts = {"total_refs": decided + errors, "verified": verified, "suspect": wrong, "not_found": 0, "errors": errors}
    return {"model": name, **counts, **rates, "overall_accuracy": rates["verification_rate"], **other}


def test_models_are_shown_with_what_could_be_checked() -> None:
    title = {"right": 3, "wrong": 1, "absent": 0, "undecided": 2, "accuracy": 0.75}
    nothing = {"right": 0, "wrong": 0, "absent": 2, "undecided": 0, "accuracy": 0.0}
    years = {"compliant": 1, "noncompliant": 0, "unknown": 3, "rate": 1.0, "interval": None}
    good = model(
        *("a", 3, 1, 2),
        rank=1,
        fields={"title": title, "doi": nothing},
        title_accuracy=0.5,
        year_compliance=years,
        by_discipline={"physics": model("", 3, 1, 0), "law": model("", 0, 0, 2)},
        verified_by_source={"dblp": 3},
    )
    page = markdown_page({"arena": {"rankings": [good, model("b", 0, 0, 2, rank=None)], "least_coverage": 0.9}})
    assert (
        "| Model | Rank | References | Not checked | Share verified | Hallucination rate | Years kept | Coverage (checked) |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- |\n"
        "| a | 1 | 6 | 2 | 75.0 % (3 of 4 decided, 6 in all) | 25.0 % (1 of 4 decided, 6 in all) "
        "| 100.0 % (1 of 1 decided, 4 in all) | 66.7 % (4 of 6) |\n"
        "| b | – | 2 | 2 | – (none of 2 decided) | – (none of 2 decided) | – | 0.0 % (0 of 2) |\n"
    ) in page
    assert "No rank for b: less than 90.0 % of the references could be checked." in page
    # Accuracy where decided, and separately the Arena's share of all.
    assert "| a | 75.0 % (3 of 4 decided, 6 in all) | – (none of 2 decided) |" in page
    arena = page[page.index("Scores of the Reference Hallucination Arena") :]
    assert "| Model | Rank | Overall | Title | Hallucination rate |" in arena
    assert "| a | 1 | 75.0 % | 50.0 % | 25.0 % |\n| b | – | – | – | – |" in arena
    assert "### Share verified by discipline" in page
    assert "| physics | a | 4 | 0 | 75.0 % (3 of 4) | 25.0 % (1 of 4) |" in page
    assert "| law | a | 2 | 2 | – (none of 2 decided) | – (none of 2 decided) |" in page
    assert "| Model | DBLP |\n| --- | --- |\n| a | 3 |\n| b | 0 |" in page


def test_a_single_tool_is_not_ranked_and_its_readings_are_shown() -> None:
    excluded = {"detection_rate": 0.0, "false_positive_rate": 0.5, "precision": 0.0, "f1_hallucination": 0.0}
    own = {
        **scores("T", 0.0),
        **excluded,
        "counts": {"tp": 0, "fp": 1, "tn": 1, "fn": 0, "uncertain": 4, "missing": 0},
        "num_hallucinated": 3,
        "num_valid": 3,
        "readings": {"excluded": excluded, "as_valid": excluded, "as_hallucinated": {"detection_rate": 1.0}},
    }
    page = markdown_page({"metrics": own})
    assert "## Scores against the labels" in page
    assert "Rank" not in page
    # No hallucinated entry was decided: there is no detection rate until the undecided ones are read as something.
    assert "| Tool | False positive rate | Precision |\n| --- | --- | --- |\n| T | 50.0 % | 0.0 % |\n" in page
    assert "| T | excluded | – | 50.0 % | 0.0 % | – |" in page
    assert "| T | counted as VALID | 0.0 % | 50.0 % | 0.0 % | 0.000 |" in page
    assert "| T | counted as HALLUCINATED | 100.0 % | – | – | – |" in page


def judged(key: str, label: str, verdict: str, **other: Any) -> dict[str, Any]:
    checks = {"title": finding("failed", "title-other") if verdict != "verified" else finding()}
    return reference(key, verdict, checks=checks, gold={"label": label, **other})


def test_of_labelled_references_only_those_that_were_judged_wrongly_are_listed() -> None:
    page = markdown_page(
        report(
            judged("missed", "HALLUCINATED", "verified", hallucination_type="near_miss_title"),
            judged("accused", "VALID", "fabricated"),
            judged("right", "HALLUCINATED", "fabricated"),
            judged("open", "VALID", "undecided"),
        )
    )
    assert "| `accused` refs.bib:1 | VALID | fabricated | `title-other` |\n| `missed` refs.bib:1" in page
    assert "| HALLUCINATED (near_miss_title) | verified |  |" in page
    assert "`right`" not in page
    assert "`open`" not in page
    assert "References with failures" not in page


def test_a_long_list_of_wrong_verdicts_ends_with_how_many_are_left() -> None:
    wrong = [judged(f"key{place}", "VALID", "fabricated") for place in range(WRONG_SHOWN + 7)]
    page = markdown_page(report(*wrong, reference("unlabelled", "fabricated", checks=wrong[0]["checks"])))
    assert page.count("| `key") == WRONG_SHOWN
    assert "and 7 more" in page
    assert "### `unlabelled`" in page  # what has no label is to be mended
    assert "No verdict contradicts its label." in markdown_page(report(judged("a", "VALID", "verified")))


def test_a_reference_of_an_answer_names_its_model_and_query() -> None:
    failed = misdescribed() | {"id": "answers.jsonl::some%3Amodel::q2~3::lamport", "path": "answers.jsonl"}
    page = markdown_page(report(failed))
    assert "`answers.jsonl:1` · some:model · query 2\\~3 · **misdescribed**" in page


def test_types_of_hallucination_are_for_labelled_references() -> None:
    accused = judged("accused", "VALID", "fabricated")
    accused["verdict"]["type"] = "merged_citation"
    assert "| VALID | fabricated (merged_citation) |" in markdown_page(report(accused))
    own = misdescribed()
    own["verdict"]["type"] = "merged_citation"
    page = markdown_page(report(own), "both")
    assert "· **misdescribed**" in page
    assert "merged_citation" not in page


def test_a_run_without_failures_says_so_and_names_retracted_works() -> None:
    notice = {"kind": "retraction", "date": "2020-01-01", "doi": "10.1/r", "stated_by": "crossref", "alarming": True}
    page = markdown_page(report(reference("a", notices=[notice, notice | {"kind": "correction", "alarming": False}])))
    assert "No check failed." in page
    assert "| `a` | retraction | 2020-01-01 | 10.1/r | Crossref |" in page
    assert "correction" not in page


def test_without_verifying_sources_there_is_no_table_of_them() -> None:
    def headings(*models: dict[str, object]) -> int:
        return markdown_page({"arena": {"rankings": list(models), "least_coverage": 0.9}}).count("\n### ")

    without = model("a", 3, 1, 2, rank=1)
    assert headings({**without, "verified_by_source": {"dblp": 3}}) == headings(without) + 1
    assert headings({**without, "verified_by_source": {}}) == headings(without)
