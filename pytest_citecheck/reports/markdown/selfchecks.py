"""Self-checks as Markdown: a table of references and methods, and what the models said where they do not agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_citecheck.reports.markdown.text import code, plain, table
from pytest_citecheck.reports.wording import Language

__all__ = ["selfcheck_lines"]

Data = Mapping[str, Any]
Lines = list[str]

_WORDS: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "title": "Self-checks",
        "note": "How far models agree with themselves about references: self-checks of language models, not proof. The lowest "
        "score stands first; a score in bold is not above its threshold ({thresholds}).",
        "reference": "Reference",
        "model": "Model",
        "not_asked": "Not asked about: {count}",
    },
    "zh": {
        "title": "模型自检",
        "note": "模型对参考文献的回答在多大程度上自相一致:这是语言模型的自检,并非证明。"
        "得分最低者在前;粗体得分未超过阈值({thresholds})。",
        "reference": "参考文献",
        "model": "模型",
        "not_asked": "未提问:{count}",
    },
}


def selfcheck_lines(result: Data, language: Language) -> Lines:
    """All about self-checks; nothing if there are none. result: a JSON report."""
    selfcheck = result.get("selfcheck")
    if not selfcheck:
        return []
    words = _WORDS[language]
    methods: Sequence[str] = selfcheck["methods"]
    references: Sequence[Data] = selfcheck["references"]
    asked = [one for one in references if any(score["score"] is not None for score in one["scores"].values())]
    asked.sort(key=lambda one: min(score["score"] for score in one["scores"].values() if score["score"] is not None))
    bounds = {name: score["threshold"] for one in asked for name, score in one["scores"].items()}
    thresholds = ", ".join(f"{plain(name)} {bounds[name]:.3f}" for name in methods if bounds.get(name) is not None)
    rows = [
        [code(one["id"]), plain(", ".join(one["models"])), *(_score(one["scores"].get(name)) for name in methods)]
        for one in asked
    ]
    lines = [f"## {words['title']}", "", words["note"].format(thresholds=thresholds or "–"), ""]
    if rows:
        lines += table([words["reference"], words["model"], *map(plain, methods)], rows)
    left = len(references) - len(asked)
    return [*lines, *([words["not_asked"].format(count=left), ""] if left else [])]


def _score(score: Data | None) -> str:
    if score is None or score["score"] is None:
        return "–"
    return f"**{score['score']:.3f}**" if score["low"] else f"{score['score']:.3f}"
