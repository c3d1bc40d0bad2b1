"""Claims as sections of a report: the judges by accuracy, a table for each, and the claims with their passages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from pytest_citecheck.reports import (
    NONE,
    Block,
    Data,
    Fold,
    Inline,
    Items,
    Language,
    Note,
    Row,
    Section,
    Span,
    Table,
    Words,
    joined,
    read_texts,
    share,
    with_interval,
    written,
)

_VERDICTS = ("Supported", "Partially supported", "Not supported", "Source unavailable")
_SCORES = ("answers", "exact", "always", "lenient", "binary", "rest", "macro", "kappa", "cost", "verified_quotes")


@cache
def _texts() -> Mapping[Language, Words]:
    return read_texts(__package__)


def claim_sections(result: Data, language: Language = "en") -> Iterator[Section]:
    """All about claims. result: a JSON report; times only if its judges state a ``latency``."""
    claims, words = result.get("claims"), _texts()[language]
    if claims:
        judges: Mapping[str, Data] = claims["judges"]
        pairs: Sequence[Data] = claims["pairs"]
        unfit = sum(bool(pair.get("not_judged")) for pair in pairs)
        overview = words["overview"].format(pairs=len(pairs), unfit=unfit, judges=", ".join(judges) or NONE)
        blocks: list[Block] = [
            Note(overview if pairs else ""),
            _ranking(judges, words),
            Items(list(_superlatives(judges, words))),
            *(block for name, scores in judges.items() if scores["answered"] for block in _judge(name, scores, words)),
            *(_pair(pair, words) for pair in pairs),
        ]
        yield Section(words["claims"], blocks, "claims")


def _ranking(judges: Mapping[str, Data], words: Words) -> Table:
    rows: list[Row] = []
    for name, scores in sorted(judges.items(), key=lambda one: -(one[1]["exact"]["value"] or 0.0)):
        exact, quotes = scores["exact"], scores["quotes"]
        mark = f" ({words['below']})" if exact["belowMajority"] else ""
        value = f"{exact['correct']}/{exact['n']} = {share(exact['value'])}{mark}"
        rows.append(
            [
                name,
                str(scores["answered"]),
                with_interval(value, exact["interval"], share),
                share(exact["majority"]),
                *(share(scores[rule]["value"]) for rule in ("lenient", "binary", "supportedVsRest")),
                *(written(scores[key], "{:.3f}") for key in ("macroF1", "kappa")),
                written(scores["cost"]["perCorrect"], "${:.4f}"),
                f"{quotes['verified']} / {quotes['offered']}",
                *(str(scores[key]) for key in ("parseErrors", "errors")),
            ]
        )
    return Table("", [words[name] for name in ("judge", *_SCORES, "no_verdict", "errors")], rows)


def _superlatives(judges: Mapping[str, Data], words: Words) -> Iterator[str]:
    """The judge that is right most often, the best calibrated one, and the fastest."""
    figures: tuple[tuple[str, dict[str, Any]], ...] = (
        ("best", {name: -(one["exact"]["value"] or 0.0) for name, one in judges.items() if one["exact"]["n"]}),
        ("calibrated", {name: one["calibration"]["ece"] for name, one in judges.items()}),
        ("fastest", {name: (one.get("latency") or {}).get("avg") for name, one in judges.items()}),
    )
    for what, values in figures:
        known = {name: value for name, value in values.items() if value is not None}
        if len(known) > 1:
            name = min(known, key=lambda one: known[one])
            value = known[name] / 1000 if what == "fastest" else known[name]
            yield words[what].format(name=name, value=share(-value) if what == "best" else written(value, "{:.3f}"))


def _judge(name: str, scores: Data, words: Words) -> Iterator[Block]:
    matrix, flags, said = scores["confusionMatrix"], scores["flags"], [*_VERDICTS, "PARSE_ERROR"]
    rows = [[words[truth], *(str(matrix[truth][verdict]) for verdict in said)] for truth in _VERDICTS]
    yield Table(
        name, [words["matrix"], *(words["unparsed"] if key == "PARSE_ERROR" else words[key] for key in said)], rows
    )
    lines = [words["flags"].format(precision=share(flags["precision"]))] if flags["predicted"] else []
    if found := flags.get("threshold"):
        lines.append(words["threshold"].format(**{**found, "bound": share(found["bound"])}))
    yield Items([*lines])


def _pair(pair: Data, words: Words) -> Fold:
    """A claim with the answers of the judges; open if one of them does not support it."""
    answers: Sequence[Data] = pair["answers"]
    verdicts = list(dict.fromkeys(_verdict_label(answer, words) for answer in answers))
    if pair.get("not_judged"):
        verdicts = [words["not_judged"].format(reason=pair["not_judged"])]
    label: Inline = [" ", Span(f"{words['label']}: {pair['label']}", "quiet")] if pair.get("label") else []
    place = joined([f"{pair['path']}:{pair['line']}", pair.get("cites") or ""], " · ")
    rows: list[Row] = [
        [
            answer["judge"],
            _verdict_label(answer, words),
            written(answer["confidence"], "{:g} %"),
            _passage(answer, words),
            ": ".join(filter(None, (answer["reason_type"], answer["comments"]))),
            ", ".join(answer["flags"]) or NONE,
        ]
        for answer in answers
    ]
    head = [words[name] for name in ("judge", "verdict", "confidence", "passage", "reason", "marks")]
    blocks: list[Block] = [Note(place, "quiet"), Note(pair["claim"]), Table("", head, rows)]
    is_open = bool(set(verdicts) - {words["Supported"]}) and not pair.get("not_judged")
    return Fold([Span(pair["id"], "strong"), f" {' / '.join(verdicts)}", label], blocks, is_open)


def _verdict_label(answer: Data, words: Words) -> str:
    if answer["error"]:
        return words["no_answer"]
    return words.get(answer["verdict"], str(answer["verdict"]))


def _passage(answer: Data, words: Words) -> Inline:
    if answer["passage"]:
        before, quote, after = answer["passage"]
        return [before, Span(quote, "mark"), after]
    quoted: list[Inline] = (
        [Span(answer["quote"], "deleted"), " ", Span(answer["quote_status"], "quiet")] if answer["quote"] else []
    )
    nearest = [Span(words["nearest"].format(text=text), "small") for text in answer.get("nearest", ())]
    return [*quoted, *nearest] or NONE
