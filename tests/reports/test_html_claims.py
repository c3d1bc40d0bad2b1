"""Claims in the HTML report."""

from __future__ import annotations

from typing import Any

from pytest_citecheck.models.claims import ResultRow, strict_metrics
from tests.support.report_data import html_page

HOSTILE = '<script>alert("x")</script>'


def answer(**more: Any) -> dict[str, Any]:
    blank = {
        "judge": "m",
        "verdict": "Supported",
        "confidence": 90,
        "comments": "",
        "reason_type": "",
        "quote": "",
        "error": "",
    }
    return {**blank, "quote_status": "empty", "passage": [], "flags": [], **more}


def test_claim_passage_and_answers_stand_side_by_side() -> None:
    pair = {"id": "row_1", "path": "c.json", "line": 3, "claim": "It <is>.", "label": "Supported", "not_judged": ""}
    answers = [
        answer(quote="is high", passage=["The tower ", "is high", " indeed."]),
        answer(
            judge="n",
            verdict="Not supported",
            quote="is red",
            quote_status="not-found",
            comments="No.",
            flags=["canary"],
        ),
        answer(judge="o", verdict="ERROR", error="http-500", confidence=None),
    ]
    judges = {"m": strict_metrics([ResultRow("row_1", "m", truth="Supported", verdict="Not supported")])}
    page = html_page({"claims": {"judges": judges, "pairs": [{**pair, "answers": answers}]}})
    assert "The tower <mark>is high</mark> indeed." in page
    assert '<s>is red</s> <span class="quiet">not-found</span>' in page
    assert "<details open><summary><strong>row_1</strong> supported / not supported / no answer" in page
    assert "It &lt;is&gt;." in page
    assert "0.0 % (below)" in page
    assert 'id="claims-head"' not in html_page({})


def test_nothing_of_a_source_is_markup() -> None:
    pair = {
        "id": HOSTILE,
        "path": HOSTILE,
        "line": 1,
        "claim": HOSTILE,
        "cites": HOSTILE,
        "label": HOSTILE,
        "not_judged": HOSTILE,
    }
    one = answer(
        quote=HOSTILE, passage=[HOSTILE] * 3, comments=HOSTILE, judge=HOSTILE, verdict=HOSTILE, flags=[HOSTILE]
    )
    page = html_page({"claims": {"judges": {}, "pairs": [{**pair, "answers": [one]}]}})
    assert HOSTILE not in page
