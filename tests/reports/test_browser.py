"""The HTML page in a real browser: it filters, sorts and opens, and scripts in titles never run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_citecheck.reports import write_html
from tests.support.chromium import Chromium, find_chromium
from tests.support.report_data import HOSTILE, finding, reference, report

PROGRAM = find_chromium()
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="there is no Chromium")

SIZE = 120


def large_report() -> dict[str, Any]:
    """Return a report of 120 references: every tenth is fabricated, and the last fabricated one is hostile."""
    references = [
        reference(f"key{place}", "fabricated" if place % 10 == 0 else "verified", line=place + 1)
        for place in range(SIZE)
    ]
    for one in references[::10]:
        one["checks"]["title"] = finding("failed", "title-not-found", message="nobody knows it", cited="Invented")
    record = {"source": "crossref", "id": "x", "url": "javascript:document.title='owned'", "title": HOSTILE}
    failed = finding(
        "failed",
        "title-near-miss",
        message=HOSTILE,
        cited=HOSTILE,
        diff="Time, [-Locks-]{+<b>clocks</b>+}",
        record=record,
        fixes={"title": HOSTILE},
    )
    evidence = [
        {
            "source": "dblp",
            "question": {"kind": "title", "value": HOSTILE},
            "endpoint": "https://dblp.org/search?q=x",
            "date": "2026-01-15T09:00:00Z",
            "answer": "found",
            "records": ["https://dblp.org/rec/x", "data:text/html,x"],
        }
    ]
    references[110] = reference(HOSTILE, "fabricated", checks={"title": failed}, evidence=evidence, title=HOSTILE)
    notice = {"kind": "retraction", "date": "2020-01-01", "doi": "10.1/r", "stated_by": "crossref", "alarming": True}
    references[110]["notices"] = [notice, notice | {"kind": "correction", "alarming": False}]
    return report(*references, notes=[HOSTILE])


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    with Chromium(str(PROGRAM), tmp_path_factory.mktemp("profile")) as started:
        yield started


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    path: Path = tmp_path_factory.mktemp("page") / "report.html"
    write_html(large_report(), path)
    return path.as_uri()


@pytest.fixture(autouse=True)
def _nothing_is_complained_of(browser: Chromium) -> Iterator[None]:
    browser.console.clear()
    yield
    browser.run("0")  # fetches what was told meanwhile
    assert browser.console == []


def count(browser: Chromium) -> str:
    return str(browser.run("document.getElementById('count').textContent"))


def keys(browser: Chromium) -> list[str]:
    """The first words of the lines below the titles, of the rows that are drawn."""
    script = "[...document.querySelectorAll('#list .where')].map((line) => line.textContent.split(' ')[0])"
    return [str(key) for key in browser.run(script)]


def choose(browser: Chromium, name: str, value: str) -> None:
    field = f"document.getElementById('filters').elements[{json.dumps(name)}]"
    browser.run(f"{field}.value = {json.dumps(value)}; {field}.dispatchEvent(new Event('input', {{bubbles: true}}))")


@pytest.mark.exhaustive
def test_filters_reduce_the_rows_and_stay_in_the_address(browser: Chromium, address: str) -> None:
    browser.open(address)
    assert count(browser) == "120 of 120 references"
    choose(browser, "verdict", "fabricated")
    assert count(browser) == "12 of 120 references"
    choose(browser, "code", "title-not-found")
    assert count(browser) == "11 of 120 references"
    choose(browser, "q", "key10 INVENTED")
    assert keys(browser) == ["key10", "key100"]
    assert browser.run("location.hash") == "#q=key10+INVENTED&verdict=fabricated&code=title-not-found"
    browser.open(browser.run("location.href"))
    assert keys(browser) == ["key10", "key100"]
    browser.run("document.querySelector('#filters [type=reset]').click()")
    browser.run("new Promise((done) => setTimeout(done))")
    assert count(browser) == "120 of 120 references"
    assert browser.run("location.hash") == ""


@pytest.mark.exhaustive
def test_an_address_may_ask_for_anything(browser: Chromium, address: str) -> None:
    browser.open(f"{address}#verdict=%3Cimg%3E&check=__proto__&sort=constructor&q=%00%E0%A4%A&x=y")
    assert browser.run("document.getElementById('filters').elements.verdict.value") == ""
    assert browser.run("document.querySelectorAll('img').length") == 0


@pytest.mark.exhaustive
def test_a_column_stands_for_every_check_that_ran(browser: Chromium, tmp_path: Path) -> None:
    checks = {"syntax": finding(), "doi": finding("failed", "doi-other-work")}
    gold = {"label": "HALLUCINATED", "hallucination_type": "hybrid_fabrication", "difficulty_tier": 2}
    labelled = reference("a", "fabricated", checks=checks | {"title": finding()}, gold=gold)
    labelled["verdict"]["type"] = "merged_citation"
    write_html(report(labelled), tmp_path / "one.html")
    browser.open((tmp_path / "one.html").as_uri() + "#predicted=merged_citation")
    heads = browser.run("[...document.querySelectorAll('#list th')].map((head) => head.textContent)")
    assert heads == ["Reference", "Verdict", "P(wrong)", "Syntax", "DOI", "Title", "Label", "Decision"]
    cells = browser.run("[...document.querySelectorAll('#list tbody td')].slice(1).map((cell) => cell.textContent)")
    assert cells == [
        "fabricatedmerged_citation",
        "0.90",
        "✓passed",
        "✗failed",
        "✓passed",
        "hybrid_fabrication",
        "right",
    ]
    browser.run("document.querySelector('.open-row').click()")
    detail = browser.run("document.querySelector('.detail').textContent")
    assert "Labelled HALLUCINATED, hybrid_fabrication, tier 2" in detail
    assert "fabricated (looks like merged_citation): because" in detail


@pytest.mark.exhaustive
def test_answers_are_filtered_and_sorted_by_model_and_query(browser: Chromium, tmp_path: Path) -> None:
    answers = [
        reference(f"{model}{query}", id=f"a.jsonl::{model}::q{query}::k", path="a.jsonl")
        for model in ("one", "two")
        for query in ("10", "2", "2~2")
    ]
    answers[0]["verdict"] |= {"name": "fabricated", "type": "merged_citation"}
    write_html(report(*answers), tmp_path / "answers.html")
    browser.open((tmp_path / "answers.html").as_uri())
    heads = browser.run("[...document.querySelectorAll('#list th')].map((head) => head.textContent)")
    assert heads == ["Reference", "Model", "Query", "Verdict", "P(wrong)", "Title"]
    cells = browser.run("[...document.querySelectorAll('#list td')].slice(1, 4).map((cell) => cell.innerText)")
    assert [cell.split("\n") for cell in cells] == [["one"], ["10"], ["fabricated"]]
    browser.run("document.querySelector('[data-name=query] button').click()")
    assert keys(browser) == ["one2", "two2", "one2~2", "two2~2", "one10", "two10"]
    choose(browser, "model", "two")
    assert count(browser) == "3 of 6 references"
    choose(browser, "query", "2")
    assert keys(browser) == ["two2"]
    # A type of hallucination is shown beside a label only.
    assert "merged_citation" not in (tmp_path / "answers.html").read_text(encoding="utf-8")


@pytest.mark.exhaustive
def test_fields_that_a_report_has_no_use_for_are_hidden(browser: Chromium, address: str) -> None:
    browser.open(address)
    hidden = (
        "[...document.querySelectorAll('#filters label')].filter((l) => l.hidden).map((l) => l.firstChild.data.trim())"
    )
    assert browser.run(hidden) == [
        *("Submission", "File", "Model", "Query", "Looks like", "Label", "Decision", "Hallucination")
    ]


def test_rows_are_drawn_as_they_are_needed_and_all_for_print(browser: Chromium, address: str) -> None:
    browser.open(address)
    assert len(keys(browser)) < SIZE
    browser.run("dispatchEvent(new Event('beforeprint'))")
    assert len(keys(browser)) == SIZE
    assert browser.run("document.getElementById('more').hidden") is True


@pytest.mark.exhaustive
def test_a_column_sorts_both_ways_and_says_so(browser: Chromium, address: str) -> None:
    browser.open(address)
    head = "document.querySelector('[data-name=probability]')"
    sorted_by = []
    for _ in range(3):
        browser.run(f"{head}.querySelector('button').click()")
        sorted_by.append((browser.run(f"{head}.getAttribute('aria-sort')"), keys(browser)[0]))
    assert sorted_by == [("ascending", "key1"), ("descending", "key0"), (None, "key0")]


def test_a_tile_filters_by_its_verdict_and_again_by_none(browser: Chromium, address: str) -> None:
    browser.open(address)
    tile = "document.querySelector('[data-filter=verdict][value=fabricated]')"
    counts = []
    for _ in range(2):
        browser.run(f"{tile}.click()")
        counts.append((count(browser), browser.run(f"{tile}.getAttribute('aria-pressed')")))
    assert counts == [("12 of 120 references", "true"), ("120 of 120 references", "false")]


def test_severities_of_a_policy_are_seen_and_filtered_by(browser: Chromium, tmp_path: Path) -> None:
    other = finding(
        "failed", "authors-other", severity="error", said="hallucinated reference (policy p)", message="others"
    )
    slip = finding("failed", "title-near-miss", severity="warning")
    unsaid = finding("unverifiable", "venue-unclear", severity="error", demanded=True)
    waived = finding("failed", "doi-other-work", severity="error", waived=True)
    ignored = finding("failed", "field-missing", severity="ignore")
    references = [
        reference("both", "misdescribed", checks={"title": slip, "authors": other, "completeness": ignored}),
        reference("slip", "misdescribed", checks={"title": slip}),
        reference("demanded", checks={"title": finding(severity="ignore"), "venue": unsaid}),
        reference("waived", "misdescribed", checks={"title": finding(severity="ignore"), "doi": waived}),
    ]
    policy = {"policy": "p", "strict": True, "calls": {"error": "hallucinated reference"}}
    write_html(report(*references, **policy), tmp_path / "p.html")
    browser.open((tmp_path / "p.html").as_uri())
    codes = "[...cell.querySelectorAll('.codes')].map((line) => line.textContent)"
    lines = f"[...document.querySelectorAll('#list .what')].map((cell) => {codes})"
    assert browser.run(lines) == [
        ["error: authors-other", "warning: title-near-miss"],
        ["warning: title-near-miss"],
        [],
        ["strict: venue-unclear"],
    ]
    tiles = "[...document.querySelectorAll('[data-filter=severity]')]"
    assert browser.run(f"{tiles}.map((tile) => tile.innerText.split('\\n'))") == [
        ["1", "with errors", "hallucinated reference"],
        ["1", "with errors by --citecheck-strict"],
        ["2", "with warnings"],
    ]
    found = []
    for place in range(3):
        browser.run(f"{tiles}[{place}].click()")
        found.append(keys(browser))
    assert found == [["both"], ["demanded"], ["both", "slip"]]
    # Name, outcome, code and severity are those of one check.
    choose(browser, "check", "authors")
    assert keys(browser) == []
    browser.open((tmp_path / "p.html").as_uri() + "#severity=error")
    browser.run("document.querySelector('.open-row').click()")
    shown = browser.run("document.querySelector('.detail').innerText")
    assert "failed, error" in shown
    assert "hallucinated reference (policy p)" in shown


def test_the_probability_is_explained_and_a_dash_where_nobody_could_be_asked(browser: Chromium, tmp_path: Path) -> None:
    silent = {"source": "dblp", "question": {"kind": "title", "value": "x"}, "answer": "unavailable"}
    knows_none = {**silent, "source": "crossref", "answer": "absent"}
    references = [
        reference("silent", "undecided", evidence=[silent]),
        reference("asked", "undecided", evidence=[silent, knows_none]),
        reference("itself", "misdescribed", evidence=[silent]),
    ]
    for one in references:
        one["verdict"]["probability"] = 0.6
    write_html(report(*references), tmp_path / "p.html")
    browser.open((tmp_path / "p.html").as_uri())
    cells = "[...document.querySelectorAll('#list tbody td:nth-child(3)')].map((cell) => cell.textContent)"
    assert browser.run(cells) == ["0.60", "–", "0.60"]
    assert "For missing references it assumes that 0.04% of" in browser.run(
        "document.querySelector('[data-name=probability]').title"
    )
    assert "For missing references it assumes that 0.04% of" in browser.run(
        "document.getElementById('probability-note').innerText"
    )


def test_a_hostile_reference_is_text_everywhere(browser: Chromium, address: str) -> None:
    browser.open(f"{address}#code=title-near-miss")
    title = browser.run("document.title")
    button = "document.querySelector('.open-row')"
    browser.run(f"{button}.click()")
    assert browser.run(f"{button}.getAttribute('aria-expanded')") == "true"
    assert browser.run("document.querySelectorAll('.finding').length") == 1
    assert "</script><img src=x" in browser.run("document.querySelector('.finding p, .finding dd').textContent")
    assert browser.run("document.querySelector('.finding del').textContent") == "Locks"
    assert browser.run("document.querySelector('.finding ins').textContent") == "<b>clocks</b>"
    # Only http and https become links.
    links = browser.run("[...document.querySelectorAll('.detail a')].map((link) => link.href)")
    assert links == ["https://dblp.org/search?q=x", "https://dblp.org/rec/x"]
    assert browser.run("document.querySelectorAll('img, b:not(.tile b)').length") == 0
    assert browser.run("document.title") == title
    notices = "[...document.querySelectorAll('.notice, .detail p.failed')].map((line) => line.textContent)"
    assert browser.run(notices) == ["retraction", "retraction, 2020-01-01, 10.1/r, Crossref"]
    browser.run(f"{button}.click()")
    assert browser.run("document.querySelectorAll('.detail').length") == 0


def test_markup_that_got_in_could_not_run(browser: Chromium, address: str) -> None:
    browser.open(address)
    browser.run("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"document.title=1\">')")
    browser.run("new Promise((done) => setTimeout(done, 50))")
    assert browser.run("document.title") != "1"
    assert any("Content Security Policy" in line for line in browser.console)
    browser.console.clear()


def test_every_field_has_a_name_for_a_screen_reader(browser: Chromium, address: str) -> None:
    browser.open(address)
    nodes = browser.call("Accessibility.getFullAXTree")["nodes"]
    controls = [node for node in nodes if node["role"]["value"] in ("button", "combobox", "searchbox")]
    assert len(controls) > 100
    assert all(node["name"]["value"].strip() for node in controls)


def test_the_theme_changes_with_the_button(browser: Chromium, address: str) -> None:
    browser.open(address)
    colour = "getComputedStyle(document.body).backgroundColor"
    seen = [browser.run(colour)]
    for _ in range(2):
        browser.run("document.getElementById('theme').click()")
        seen.append(browser.run(colour))
    assert seen[0] == seen[2] != seen[1]


def test_the_worst_come_first_and_files_are_filtered(browser: Chromium, tmp_path: Path) -> None:
    references = [
        reference("fine"),
        reference("slip", "misdescribed", checks={"title": finding("failed", "title-near-miss")}, path="b.bib"),
        reference("made-up", "fabricated", checks={"title": finding("failed", "title-not-found")}),
        reference("lost", "unfindable"),
    ]
    write_html(report(*references), tmp_path / "p.html")
    browser.open((tmp_path / "p.html").as_uri())
    assert keys(browser) == ["made-up", "lost", "slip", "fine"]
    colours = "[...document.querySelectorAll('.badge')].map((badge) => getComputedStyle(badge).color)"
    assert len(set(browser.run(colours))) == 4
    choose(browser, "path", "b.bib")
    assert keys(browser) == ["slip"]
    choose(browser, "path", "")
    choose(browser, "severity", "error")
    assert keys(browser) == ["made-up", "slip"]


def test_corrected_entries_are_copied_one_by_one_and_all(browser: Chromium, tmp_path: Path) -> None:
    entries = ["@misc{a,\n  title  = {</script>A},\n}", "@misc{b,\n  title = {B},\n}"]
    references = [reference(key, "misdescribed", corrected=entry) for key, entry in zip("ab", entries, strict=True)]
    write_html(report(*references, reference("fine")), tmp_path / "p.html")
    browser.open((tmp_path / "p.html").as_uri())
    browser.run("window.copied = []; navigator.clipboard.writeText = async (text) => window.copied.push(text); 0")
    assert browser.run("document.getElementById('copy-all').textContent") == "Copy 2 corrected entries"
    browser.run("document.getElementById('copy-all').click()")
    browser.run("document.querySelector('.open-row').click()")
    browser.run("document.querySelector('.copy').click()")
    assert browser.run("window.copied") == ["\n\n".join(entries) + "\n", entries[0]]
    choose(browser, "verdict", "verified")
    assert browser.run("document.getElementById('copy-all').hidden") is True


def test_a_narrow_screen_needs_no_scroll_bar(browser: Chromium, address: str) -> None:
    browser.call("Emulation.setDeviceMetricsOverride", width=390, height=800, deviceScaleFactor=1, mobile=False)
    try:
        browser.open(address)
        browser.run("document.querySelector('.open-row').click()")
        wider = (
            "[document.documentElement, ...document.querySelectorAll('.scroll')]"
            ".filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.className || one.tagName)"
        )
        assert browser.run(wider) == []
    finally:
        browser.call("Emulation.clearDeviceMetricsOverride")
