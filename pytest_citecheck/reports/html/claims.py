"""Claims in the HTML report: each with its passage, the quote marked, and what the judges say side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_citecheck.reports.html.markup import table, text
from pytest_citecheck.reports.scores import score_text, share

__all__ = ["claims_section"]

Data = Mapping[str, Any]


def claims_section(result: Data) -> str:
    """A table of judges, and the claims; empty if there are none. result: a JSON report."""
    claims = result.get("claims")
    if not claims:
        return ""
    judges = _judges(claims["judges"]) if claims["judges"] else ""
    pairs = "".join(map(_pair, claims["pairs"]))
    return f'<section aria-labelledby="claims-head"><h2 id="claims-head">Claims</h2>{judges}{pairs}</section>'


def _judges(judges: Mapping[str, Data]) -> str:
    head = (
        "Judge",
        "Answers",
        "Exact",
        "95 % interval",
        "Always one answer",
        "Kappa",
        "Quotes in the source",
        "No verdict",
        "Errors",
    )
    rows = []
    for name, scores in judges.items():
        exact, quotes = scores["exact"], scores["quotes"]
        low, high = exact["interval"] or (None, None)
        mark = " (below)" if exact["belowMajority"] else ""
        rows.append(
            (
                text(name),
                text(scores["answered"]),
                share(exact["value"]) + mark,
                f"{share(low)} – {share(high)}" if low is not None else "–",
                share(exact["majority"]),
                score_text(scores, "kappa"),
                text(f"{quotes['verified']} / {quotes['offered']}"),
                text(scores["parseErrors"]),
                text(scores["errors"]),
            )
        )
    return table("Judges", head, rows)


def _pair(pair: Data) -> str:
    answers: Sequence[Data] = pair["answers"]
    verdicts = list(dict.fromkeys(_said(answer) for answer in answers))
    if pair.get("not_judged"):
        verdicts = [f"not judged: {pair['not_judged']}"]
    opened = " open" if set(verdicts) - {"Supported"} and not pair.get("not_judged") else ""
    label = f' <span class="quiet">label: {text(pair["label"])}</span>' if pair.get("label") else ""
    heading = f"<summary><b>{text(pair['id'])}</b> {text(' / '.join(verdicts))}{label}</summary>"
    place = f'<p class="quiet">{text(pair["path"])}:{text(pair["line"])} · {text(pair.get("cites", ""))}</p>'
    claim = f"<blockquote><p>{text(pair['claim'])}</p></blockquote>"
    head = ("Judge", "Verdict", "Confidence", "Passage of the source", "Reason", "Marks")
    rows = [
        (
            text(answer["judge"]),
            text(_said(answer)),
            "–" if answer["confidence"] is None else text(f"{answer['confidence']:g} %"),
            _passage(answer),
            text(": ".join(filter(None, (answer["reason_type"], answer["comments"])))),
            text(", ".join(answer["flags"])),
        )
        for answer in answers
    ]
    body = table(f"What judges say of {text(pair['id'])}", head, rows, has_heading=True) if rows else ""
    return f"<details{opened}>{heading}{place}{claim}{body}</details>"


def _said(answer: Data) -> str:
    if answer["error"]:
        return "no answer"
    return "no verdict" if answer["verdict"] == "PARSE_ERROR" else str(answer["verdict"])


def _passage(answer: Data) -> str:
    if answer["passage"]:
        before, quote, after = answer["passage"]
        left, right = " " * before[-1:].isspace(), " " * after[:1].isspace()
        return f"{text(before).rstrip()}{left}<mark>{text(quote)}</mark>{right}{text(after).lstrip()}"
    if answer["quote"]:
        return f'<s>{text(answer["quote"])}</s> <span class="quiet">{text(answer["quote_status"])}</span>'
    return "–"
