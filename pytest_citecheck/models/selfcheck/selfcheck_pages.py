"""Self-checks as a section of a report: a table of references and methods, and the answers behind the scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from pytest_citecheck.reports import (
    NONE,
    Block,
    Data,
    Fold,
    Inline,
    Language,
    Note,
    Row,
    Section,
    Span,
    Table,
    Words,
    joined,
    read_texts,
    written,
)


@cache
def _texts() -> Mapping[Language, Words]:
    return read_texts(__package__, "data/words.toml")


def selfcheck_sections(result: Data, language: Language = "en") -> Iterator[Section]:
    """All about self-checks. result: a JSON report."""
    selfcheck, words = result.get("selfcheck"), _texts()[language]
    if not selfcheck:
        return
    methods: Sequence[str] = selfcheck["methods"]
    references: Sequence[Data] = selfcheck["references"]
    asked = [reference for reference in references if _lowest(reference) is not None]
    asked.sort(key=lambda one: _lowest(one) or 0.0)
    bounds = {name: score["threshold"] for reference in asked for name, score in reference["scores"].items()}
    known = [f"{name} {bounds[name]:.3f}" for name in methods if bounds.get(name) is not None]
    rows: list[Row] = [
        [Span(one["id"], "code"), ", ".join(one["models"]), *(_score(one["scores"].get(name)) for name in methods)]
        for one in asked
    ]
    left = len(references) - len(asked)
    blocks: list[Block] = [
        Note(words["note"].format(thresholds=", ".join(known) or NONE), "quiet"),
        Table("", [words["reference"], words["model"], *methods], rows),
        Note(words["not_asked"].format(count=left) if left else ""),
        *(_reference(reference, methods, words) for reference in references),
    ]
    yield Section(words["title"], blocks, "selfcheck")


def _lowest(reference: Data) -> float | None:
    return min((score["score"] for score in reference["scores"].values() if score["score"] is not None), default=None)


def _score(score: Data | None) -> Inline:
    shown = written(score and score["score"], "{:.3f}")
    return Span(shown, "strong") if score and score["low"] else shown


def _reference(reference: Data, methods: Sequence[str], words: Words) -> Fold:
    """The answers of the models about a reference; open if a score is low."""
    scores: Mapping[str, Data] = reference["scores"]
    rows: list[Row] = [
        [
            name,
            _score(score),
            written(score["threshold"], "{:.3f}"),
            joined([NONE if answer is None else answer for answer in score["answers"]], Span("", "break"))
            or score["reason"]
            or NONE,
        ]
        for name in methods
        if (score := scores.get(name)) is not None
    ]
    head = [words[name] for name in ("method", "score", "threshold", "answers")]
    asked = Span(", ".join(reference["models"]), "quiet")
    is_open = any(score["low"] for score in scores.values())
    return Fold([Span(reference["id"], "strong"), " ", asked], [Table("", head, rows)], is_open)
