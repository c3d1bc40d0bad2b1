"""The report of an arena: what was asked, the scores of its models, and cases of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from pytest_citecheck.reports.arena_facts import ArenaFacts
from pytest_citecheck.reports.markdown.models import model_lines
from pytest_citecheck.reports.markdown.text import code, plain, table
from pytest_citecheck.reports.models import arena_models
from pytest_citecheck.reports.references import answer_of
from pytest_citecheck.reports.wording import LANGUAGES, TEXTS, Language

__all__ = ["arena_page"]

Data = Mapping[str, Any]
Lines = list[str]
Words = Mapping[str, str]

_LONGEST_QUERY = 80
_VERIFIED = ("verified",)
_INVENTED = ("fabricated", "unfindable")


def arena_page(result: Data, facts: ArenaFacts, language: Language | Literal["both"] = "en") -> str:
    """The report; ``both`` gives English, then Chinese. result: the JSON report as data (docs/json-report.md)."""
    chosen: Sequence[Language] = LANGUAGES if language == "both" else (language,)
    return "\n---\n\n".join("\n".join(_page(result, facts, one)) for one in chosen)


def _page(result: Data, facts: ArenaFacts, language: Language) -> Lines:
    words = TEXTS[language]
    size = words["dataset_size"].format(asked=len(facts.queries), in_file=facts.in_file, path=code(facts.dataset))
    rows = [
        [plain(one.name), code(one.model), words["with_search" if one.search else "without_search"]]
        for one in facts.endpoints
    ]
    return [
        *(f"# {plain(facts.task)}", ""),
        *([f"{words['scenario']}: {plain(facts.scenario)}", ""] if facts.scenario else []),
        *(f"{words['dataset']}: {size}", ""),
        *(f"## {words['endpoints']}", ""),
        *table([words[name] for name in ("endpoint", "served", "search")], rows),
        *model_lines(result, words, language),
        *_examples(result, facts, words),
        *(words["version"].format(version=plain(result.get("version") or "")), ""),
    ]


def _examples(result: Data, facts: ArenaFacts, words: Words) -> Lines:
    """Of each model, for some queries, a reference that is real and one that is nowhere to be found."""
    by_model: dict[str, dict[str, list[Data]]] = {}
    for reference in result.get("references") or ():
        answer = answer_of(reference)
        if answer is not None and reference.get("verdict"):
            by_model.setdefault(answer[0], {}).setdefault(answer[1].partition("~")[0], []).append(reference)
    lines: Lines = []
    for model in arena_models(result):
        rows = []
        answers = by_model.get(model) or {}
        # First the queries that show both.
        ordered = sorted(answers, key=lambda query: -len(_pair(answers[query])))
        for query in ordered[: facts.examples]:
            text = facts.queries.get(query, "")
            shown = text if len(text) <= _LONGEST_QUERY else f"{text[:_LONGEST_QUERY]}…"
            for kind, reference in _pair(answers[query]).items():
                rows.append([plain(shown), words[kind], code(reference.get("key") or "–"), _title(reference)])
        if rows:
            lines += [f"### {plain(model)}", "", *table(_head(words), rows)]
    return [f"## {words['examples']}", "", *lines] if lines else []


def _pair(references: Iterable[Data]) -> dict[str, Data]:
    kinds = (("a_verified", _VERIFIED), ("an_invented", _INVENTED))
    found = {}
    for kind, verdicts in kinds:
        of_kind = [one for one in references if (one.get("verdict") or {}).get("name") in verdicts]
        if of_kind:
            found[kind] = of_kind[0]
    return found


def _head(words: Words) -> list[str]:
    return [words[name] for name in ("dataset", "verdict", "reference", "check_title")]


def _title(reference: Data) -> str:
    return plain(reference.get("title") or "–")
