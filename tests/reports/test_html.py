"""The HTML page as a file: content, escaping and size."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from pytest_citecheck.benchmark import METRICS
from pytest_citecheck.reports import WRONG_SHOWN, write_html
from tests.support.report_data import HOSTILE, finding, html_page, reference, report, scores


class Page(HTMLParser):
    """The elements of a page with their attributes, and the text inside each script and style."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.raw: dict[str, list[str]] = {"script": [], "style": []}
        self._inside = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._inside = tag

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside in self.raw:
            self.raw[self._inside].append(data)


def payload(text: str) -> dict[str, Any]:
    return dict(json.loads(Page(text).raw["script"][0]))


def hostile() -> dict[str, Any]:
    bad = reference(HOSTILE, "fabricated", path=HOSTILE, type=HOSTILE, notices=[{"kind": HOSTILE}])
    bad["checks"]["title"] = finding(
        "failed", HOSTILE, message=HOSTILE, cited=HOSTILE, diff=HOSTILE, fixes={HOSTILE: HOSTILE}
    )
    bad["evidence"] = [{"source": HOSTILE, "question": {"kind": HOSTILE, "value": HOSTILE}, "endpoint": HOSTILE}]
    source = {"name": HOSTILE, "label": HOSTILE, "requests": HOSTILE, "unavailable": {HOSTILE: HOSTILE}}
    tool = scores(HOSTILE, 0.5, per_generation_method={HOSTILE: {"detection_rate": 0.1}})
    confusion = {"rows": [HOSTILE], "columns": [HOSTILE], "counts": [[HOSTILE]]}
    own = tool | {"type_confusion": confusion, "detection_rate_ci": [HOSTILE, 1]}
    arena = {"rankings": [{"model": HOSTILE, "overall_accuracy": 0.5}]}
    return report(bad, version=HOSTILE, notes=[HOSTILE], sources=[source], tools=[tool], metrics=own, arena=arena)


def test_nothing_from_outside_becomes_markup() -> None:
    tame = json.loads(json.dumps(hostile()).replace(json.dumps(HOSTILE)[1:-1], "tame"))
    shapes = [[tag for tag, _ in Page(html_page(data)).elements] for data in (hostile(), tame)]
    assert shapes[0] == shapes[1]
    assert "img" not in shapes[0]
    text = html_page(hostile())
    assert not set("\x00\u202e\u2028") & set(text)
    assert payload(text)["references"][0]["key"].startswith("</script><img src=x onerror=")


def test_the_policy_allows_only_the_own_script_and_style() -> None:
    page = Page(html_page(report(reference("a"))))
    policy = next(str(attributes["content"]) for tag, attributes in page.elements if attributes.get("http-equiv"))
    for kind, content in (("script", page.raw["script"][-1]), ("style", page.raw["style"][0])):
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}';" in policy
    assert policy.startswith("default-src 'none';")
    # Whatever the policy would refuse must not be there.
    assert all(not {"style", "onclick", "src", "srcdoc"} & attributes.keys() for _, attributes in page.elements)


def test_what_is_said_often_is_stored_once() -> None:
    record = {"source": "crossref", "id": "10.1/x", "url": "https://doi.org/10.1/x", "title": "T", "venue": ""}
    asked = {"source": "crossref", "endpoint": "https://api.crossref.org/works/10.1/x", "answer": "absent", "scope": ""}
    references = [
        reference(key, checks={"title": finding(record=record), "doi": finding(record=record)}, evidence=[asked, asked])
        for key in "ab"
    ]
    data = payload(html_page(report(*references)))
    assert data["records"] == [{"source": "Crossref", "id": "10.1/x", "url": "https://doi.org/10.1/x", "title": "T"}]
    assert data["endpoints"] == [["https://api.crossref.org/works/10.1/x", 0]]
    assert data["answers"] == [{"answer": "absent"}]
    assert [one["checks"] for one in data["references"]] == [{"title": 0, "doi": 0}] * 2
    assert data["findings"][0]["record"] == 0
    # A probability of zero is a statement, an empty field is none.
    assert data["references"][0]["verdict"]["probability"] == 0.0
    assert "cited" not in data["findings"][0]


@pytest.mark.parametrize(
    ("label", "verdict", "decision"),
    [
        ("VALID", "verified", "right"),
        ("VALID", "misdescribed", "wrong"),
        ("VALID", "fabricated", "wrong"),
        ("HALLUCINATED", "verified", "wrong"),
        ("HALLUCINATED", "misdescribed", "right"),
        ("HALLUCINATED", "fabricated", "right"),
        ("HALLUCINATED", "undecided", "undecided"),
    ],
)
def test_a_labelled_reference_shows_whether_the_verdict_is_right(label: str, verdict: str, decision: str) -> None:
    data = payload(html_page(report(reference("a", verdict, gold={"label": label}))))
    assert data["references"][0]["decision"] == decision
    assert "decision" not in payload(html_page(report(reference("a", verdict))))["references"][0]


@pytest.mark.parametrize(
    ("title_check", "other", "shown"),
    [
        (finding(found="Found"), {}, "Found"),
        (finding(found="Found"), {"title": "Stated"}, "Stated"),
        (finding("failed", "title-other", cited="Cited", found="Found"), {}, "Cited"),
        # What was found is of another work.
        (finding("unverifiable", "other-title", found="Found", record={"title": "Record"}), {}, ""),
    ],
)
def test_the_title_shown_is_the_cited_one(title_check: dict[str, Any], other: dict[str, Any], shown: str) -> None:
    data = payload(html_page(report(reference("a", checks={"title": title_check}, **other))))
    assert data["references"][0]["title"] == shown


def test_the_best_value_is_marked_and_columns_without_values_are_left_out() -> None:
    page = html_page(report(tools=[scores("one", 0.25, ece=0.5), scores("two", 0.75, ece=0.25, ece_ci=[0.125, 0.5])]))
    assert re.findall(r"<strong>(.*?)</strong>", page) == ["75.0 %", "0.750", "0.250"]
    assert "<strong>0.250</strong><small>[0.125, 0.500]</small>" in page
    assert "AUROC" not in page
    # Higher scores first; the type "valid" has no hallucination to detect.
    assert page.index(">two<") < page.index(">one<")
    assert 'heat-7">75.0 %' in page
    assert '<th scope="row">valid</th>' not in page


def test_a_rate_of_nothing_is_a_dash_with_its_count() -> None:
    types = {
        "near_miss_title": {"detection_rate": 0.75, "num_hallucinated": 47, "tp": 3, "fn": 1},
        "wrong_venue": {"detection_rate": 0.0, "num_hallucinated": 76, "tp": 0, "fn": 0},
    }
    page = html_page({"metrics": scores("T", 0.75, per_type_metrics=types)})
    assert '<td class="heat-7">75.0 %<small>(3 of 4 decided, 47 in all)</small></td>' in page
    assert "<td>–<small>(none of 76 decided)</small></td>" in page


def test_types_are_confused_only_where_some_are_predicted() -> None:
    confusion = {"rows": ["wrong_venue", "valid"], "columns": ["wrong_venue", "VALID"], "counts": [[0, 2], [0, 1]]}
    assert "predicted type" not in html_page({"metrics": {"type_confusion": confusion}})
    page = html_page({"metrics": {"type_confusion": confusion | {"counts": [[2, 0], [0, 0]]}}})
    table = page[page.index("<caption>Labelled type") :].partition("</table>")[0]
    # Rows and columns of nothing are left out; a name may break behind an underscore.
    assert re.findall(r"<t[hd](?: [^>]*)?>(.*?)</t[hd]>", table) == ["", "wrong_<wbr>venue", "wrong_<wbr>venue", "2"]


def test_only_several_tools_are_ranked() -> None:
    assert "Ranking" in html_page({"tools": [scores("one", 0.5), scores("two", 0.5)]})
    assert "Ranking" not in html_page({"metrics": scores("one", 0.5)})


def test_the_readings_of_what_was_not_decided_are_shown() -> None:
    readings = {"excluded": {"detection_rate": 1.0}, "as_valid": {"detection_rate": 0.25}, "as_hallucinated": None}
    page = html_page({"metrics": scores("T", 1.0, readings=readings)})
    assert '<th scope="row">T</th><td>excluded</td><td>100.0 %</td>' in page
    assert '<th scope="row">T</th><td>counted as VALID</td><td>25.0 %</td>' in page
    assert "counted as HALLUCINATED" not in page


def test_wrong_verdicts_are_listed_and_the_rest_of_them_linked() -> None:
    accused = reference("accused", "fabricated", gold={"label": "VALID"})
    accused["verdict"]["type"] = "fabricated_doi"
    accused["checks"]["title"] = finding("failed", "title-not-found")
    row = "<td>VALID</td><td>fabricated<small>(fabricated_doi)</small></td><td><code>title-not-found</code></td>"
    assert f"<code>accused</code><small>refs.bib:1</small></th>{row}" in html_page(report(accused))
    page = html_page(report(*[accused] * (WRONG_SHOWN + 3)))
    assert page.count("<small>refs.bib:1</small>") == WRONG_SHOWN
    assert '<a href="#decision=wrong">and 3 more</a>' in page
    assert "Wrongly judged" not in html_page(report(reference("a")))


def test_one_reference_is_one_and_no_heading_stands_twice() -> None:
    source = {"name": "crossref", "label": "Crossref", "requests": 1}
    page = html_page(report(reference("a"), sources=[source]))
    assert "<b>1</b> reference</span>" in page
    assert page.count(">Sources queried<") == 1


def test_a_reference_of_an_answer_has_model_and_query() -> None:
    data = payload(html_page(report(reference("a", id="x.jsonl::some%2Fmodel::q2::a"), reference("b"))))
    assert [(one.get("model"), one.get("query")) for one in data["references"]] == [("some/model", "2"), (None, None)]


def test_models_are_shown_by_discipline() -> None:
    physics = {"physics": {"verification_rate": 0.75, "verified": 3, "total_refs": 6, "errors": 2}}
    rankings = [{"model": "m1", "overall_accuracy": 0.75, "by_discipline": physics}, {"model": "m2"}]
    page = html_page({"arena": {"rankings": rankings}})
    assert (
        '<th scope="row">physics</th><td>m1</td><td>6</td><td>2</td><td class="heat-7">75.0 %<small>(3 of 4 decided, 6 in all)'
        in page
    )


def test_a_rate_of_a_model_has_its_interval() -> None:
    one = {
        "model": "m1",
        "verification_rate": 0.75,
        "verification_interval": [0.5, 1.0],
        "verified": 3,
        "total_refs": 4,
    }
    page = html_page({"arena": {"rankings": [one]}})
    assert "75.0 %<small>[50.0 %, 100.0 %]</small><small>(3 of 4)</small></td>" in page


def test_a_page_without_anything_is_a_page(tmp_path: Path) -> None:
    path = tmp_path / "out" / "page.html"
    write_html({}, path)
    assert [tag for tag, _ in Page(path.read_text(encoding="utf-8")).elements][:2] == ["html", "head"]
    assert list(path.parent.iterdir()) == [path]


def test_half_a_surrogate_pair_is_written_as_an_escape(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    write_html(report(reference("\ud800")), path)
    # JSON reads the escape as the same half.
    assert payload(path.read_text(encoding="utf-8"))["references"][0]["key"] == "\ud800"


def test_the_page_and_the_terminal_show_one_ece() -> None:
    column = next(row for row in METRICS if row.column == "ECE")
    assert (column.name, column.label) == ("ece_tie_safe", "ECE")
    page = html_page(report(metrics={"ece": 0.25, "ece_tie_safe": 0.125, "detection_rate": 0.5}))
    assert '<th scope="col">ECE</th>' in page
    assert "<td>0.125</td>" in page
