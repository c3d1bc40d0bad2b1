"""Claims in the Markdown report."""

from __future__ import annotations

import pytest

from pytest_citecheck.models.claims import ResultRow, latency, strict_metrics
from tests.reports.test_html_claims import HOSTILE, answer
from tests.support.report_data import markdown_page


def rows(judge: str, *verdicts: str, confidence: float, seconds: float) -> list[ResultRow]:
    truths = ("Supported", "Supported", "Not supported", "Not supported")
    return [
        ResultRow(
            f"row_{place}",
            judge,
            truth=truth,
            verdict=verdict,
            confidence=confidence + place % 3,
            latency=1000 * seconds,
        )
        for place, (truth, verdict) in enumerate(zip(truths, verdicts, strict=True))
    ]


def test_w30_judges_are_ranked_and_the_best_fastest_and_best_calibrated_are_named() -> None:
    n, s = "Not supported", "Supported"
    judged = {
        "slow|one": rows("slow|one", s, s, n, n, confidence=90, seconds=3),
        "quick": rows("quick", n, n, n, s, confidence=24.25, seconds=0.2),
    }
    judges = {name: {**strict_metrics(own), "latency": latency(own)} for name, own in reversed(judged.items())}
    page = markdown_page({"claims": {"judges": judges, "pairs": []}})
    assert page.index("| slow&#124;one | 4 | 4/4 = 100.0 %") < page.index("| quick | 4 | 1/4 = 25.0 % (below)")
    assert "- Most often right: slow&#124;one (100.0 %)." in page
    assert "- Best calibrated: quick (ECE 0.000)." in page
    assert "- Fastest: quick (0.200 s on average)." in page
    assert "| supported | 0 | 0 | 2 | 0 | 0 |" in page
    assert "Claims" not in markdown_page({})


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_is_not_supported_is_shown_and_nothing_of_it_is_markup(language: str) -> None:
    one = answer(verdict="Not supported", comments=HOSTILE, judge=HOSTILE, passage=[HOSTILE] * 3)
    pair = {"id": "a", "path": "c.json", "line": 1, "claim": HOSTILE, "cites": HOSTILE, "answers": [one, answer()]}
    page = markdown_page({"claims": {"judges": {}, "pairs": [pair]}}, language)  # type: ignore[arg-type]
    assert "<script" not in page
    assert page.count("&lt;script&gt;") == 7
