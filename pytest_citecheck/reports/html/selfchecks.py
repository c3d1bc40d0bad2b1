"""Self-checks in the HTML report: the scores of each reference, and the answers behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_citecheck.reports.html.markup import table, text

__all__ = ["selfcheck_section"]

Data = Mapping[str, Any]


def selfcheck_section(result: Data) -> str:
    """A block for each reference; empty if there are none. result: a JSON report."""
    selfcheck = result.get("selfcheck")
    if not selfcheck:
        return ""
    references = "".join(_reference(one, selfcheck["methods"]) for one in selfcheck["references"])
    head = f'<h2 id="selfcheck-head">Self-checks</h2><p class="quiet">{text(selfcheck["note"])}</p>'
    return f'<section aria-labelledby="selfcheck-head">{head}{references}</section>'


def _reference(reference: Data, methods: Sequence[str]) -> str:
    scores: Mapping[str, Data] = reference["scores"]
    shown = [
        f"{name} {scores[name]['score']:.3f}"
        for name in methods
        if name in scores and scores[name]["score"] is not None
    ]
    said = ", ".join(shown) or next((score["reason"] for score in scores.values() if score["reason"]), "no score")
    opened = " open" if any(score["low"] for score in scores.values()) else ""
    asked = f' <span class="quiet">{text(", ".join(reference["models"]))}</span>' if reference["models"] else ""
    rows = [
        (
            text(name),
            "–" if score["score"] is None else text(f"{score['score']:.3f}{' (low)' if score['low'] else ''}"),
            "–" if score["threshold"] is None else text(f"{score['threshold']:.3f}"),
            "<br>".join("–" if answer is None else text(answer) for answer in score["answers"])
            or text(score["reason"])
            or "–",
        )
        for name in methods
        if (score := scores.get(name)) is not None
    ]
    caption = f"Self-checks of {text(reference['id'])}"
    body = table(caption, ("Method", "Score", "Threshold", "Answers"), rows, has_heading=True)
    return f"<details{opened}><summary><b>{text(reference['id'])}</b> {text(said)}{asked}</summary>{body}</details>"
