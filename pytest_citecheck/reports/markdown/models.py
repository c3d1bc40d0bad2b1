"""The scores of models as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_citecheck.checks.codes import CODES, TRANSLATIONS
from pytest_citecheck.linking.source_names import source_name
from pytest_citecheck.reports.groups import Rate, rate_text
from pytest_citecheck.reports.markdown.scores import rank_text, score_table
from pytest_citecheck.reports.markdown.text import code, plain, table
from pytest_citecheck.reports.model_rows import ModelTable, comparison_table, coverage_table, scope_text, usage_table
from pytest_citecheck.reports.models import (
    FIELDS,
    MODEL_RATES,
    arena_models,
    discipline_rates,
    field_rates,
    model_rates,
    unranked,
    without_empty,
)
from pytest_citecheck.reports.references import answer_of
from pytest_citecheck.reports.scores import ARENA_SCORES, score_text, share
from pytest_citecheck.reports.wording import Language

__all__ = ["model_lines"]

Data = Mapping[str, Any]
Lines = list[str]
Words = Mapping[str, str]
Models = Sequence[tuple[str, Data]]

_PATTERNS = 8  # of a model
_LONGEST_TITLE = 100


def model_lines(result: Data, words: Words, language: Language) -> Lines:
    """Models: their ranking, what was delivered of what was asked, fields, the Arena's scores and rankings, disciplines and
    languages, comparisons, what the answers took, errors with cases, sources.
    """
    named = list(arena_models(result).items())
    models = [(plain(name), scores) for name, scores in named]
    if not models:
        return []
    arena = result.get("arena") or {}
    return [
        *(f"## {words['arena_ranking']}", "", words["arena_note"], ""),
        *((plain(scope), "") if (scope := scope_text(arena, words)) else ()),
        *_rates(models, words),
        *_unranked_lines(arena, words),
        *_titled("delivery", "coverage_note", coverage_table(named, words), words),
        *_fields(models, words),
        *(f"### {words['arena_scores']}", ""),
        *score_table(words["model"], ARENA_SCORES, models, words, ranked=len(models) > 1),
        *_profiles(arena, words),
        *_groups(models, "by_discipline", "discipline", words),
        *_groups(models, "by_language", "language", words),
        *(_groups(models, "by_sample", "sample", words) if _has_samples(models) else ()),
        *_titled("comparisons", "comparisons_note", comparison_table(arena, words), words),
        *_titled("usage", "", usage_table(named, words), words),
        *_patterns(models, result, words, language),
        *_verified_by_source(models, words),
    ]


def _unranked_lines(arena: Data, words: Words) -> Lines:
    names = unranked(arena)
    least = share(arena.get("least_coverage"))
    return [words["unranked"].format(models=", ".join(map(plain, names)), least=least), ""] if names else []


def _has_samples(models: Models) -> bool:
    return any(len(scores.get("by_sample") or {}) > 1 for _, scores in models)


def _titled(title: str, note: str, content: ModelTable, words: Words) -> Lines:
    """A table under its heading, with a note; nothing without rows."""
    head, rows = content
    said = [words[note], ""] if note else []
    return [f"### {words[title]}", "", *said, *table(head, [list(map(plain, row)) for row in rows])] if rows else []


def _profiles(arena: Data, words: Words) -> Lines:
    """The rankings under the Arena's own rules, from the same evidence."""
    lines: Lines = []
    for profile in ("strict", "lenient"):
        theirs = arena_models({"arena": arena.get(profile)})
        models = [(plain(name), scores) for name, scores in theirs.items()]
        if models:
            names = [name for name in ARENA_SCORES if name != "venue_accuracy"]
            lines += [f"### {words[f'{profile}_ranking']}", "", words[f"{profile}_note"], ""]
            lines += score_table(words["model"], names, models, words, ranked=True)
    return lines


def _patterns(models: Models, result: Data, words: Words, language: Language) -> Lines:
    """What each model does wrong, most frequent first, with cases."""
    known = {str(one.get("id")): one for one in result.get("references") or ()}
    lines: Lines = []
    for name, scores in models:
        rows = []
        for pattern in (scores.get("patterns") or ())[:_PATTERNS]:
            named = str(pattern.get("code", ""))
            meaning = _translated(named) if language == "zh" else CODES.get(named, "")
            cases = [_case(known[one], words) for one in pattern.get("cases") or () if one in known]
            shown = share(pattern.get("share"))
            rows.append([code(named), plain(meaning), plain(pattern.get("count", "–")), shown, "<br>".join(cases)])
        if rows:
            head = [words[one] for one in ("finding", "meaning", "count", "share", "cases")]
            lines += [f"#### {name}", "", *table(head, rows)]
    return [f"### {words['patterns']}", "", *lines] if lines else []


def _translated(named: str) -> str:
    return TRANSLATIONS.get(("failed", named)) or TRANSLATIONS.get(("unverifiable", named), "")


def _case(reference: Data, words: Words) -> str:
    """The reference that a model gave, and to which query."""
    answer = answer_of(reference)
    query = f"{words['query'].format(query=plain(answer[1]))}: " if answer else ""
    title = str(reference.get("title") or "")
    shown = title if len(title) <= _LONGEST_TITLE else f"{title[:_LONGEST_TITLE]}…"
    return f"{query}{code(reference.get('key') or '–')} {plain(shown)}".rstrip()


def _rates(models: Models, words: Words) -> Lines:
    rates = [model_rates(scores) for _, scores in models]
    shown = [name for name in MODEL_RATES if any(_is_stated(of[name]) for of in rates)]
    rows = [
        [
            rank_text(scores, rank),
            name,
            plain(scores.get("total_refs", "–")),
            plain(scores.get("errors", "–")),
            *(rate_text(of[one], words) for one in shown),
        ]
        for rank, ((name, scores), of) in enumerate(zip(models, rates, strict=True), start=1)
    ]
    head = [words[name] for name in ("rank", "model", "total_refs", "not_checked", *shown)]
    return table(head, rows)


def _is_stated(rate: Rate) -> bool:
    return rate.value is not None or rate.decided is not None


def _fields(models: Models, words: Words) -> Lines:
    rates = [(name, field_rates(scores)) for name, scores in models]
    if not any(of for _, of in rates):
        return []
    rows = [[name, *(rate_text(of.get(field, Rate()), words) for field in FIELDS)] for name, of in rates]
    head = [words["model"], *(words[f"{field}_accuracy"] for field in FIELDS)]
    return [f"### {words['per_field']}", "", *table(head, rows)]


def _groups(models: Models, field: str, title: str, words: Words) -> Lines:
    """A table for each discipline, language or sample."""
    lines: Lines = []
    for group in sorted({group for _, scores in models for group in scores.get(field) or {}}):
        rows = []
        for name, scores in models:
            part = (scores.get(field) or {}).get(group)
            if part:
                counts = (plain(part.get(count, "–")) for count in ("total_refs", "errors"))
                rates = (rate_text(rate, words) for rate in discipline_rates(part).values())
                rows.append([name, *counts, *rates, score_text(without_empty(part), "avg_confidence")])
        head = [words[name] for name in ("model", "total_refs", "not_checked", *MODEL_RATES[:2], "avg_confidence")]
        lines += [f"### {words[title].format(**{title: _group_name(group, words)})}", "", *table(head, rows)]
    return lines


def _group_name(group: str, words: Words) -> str:
    return words.get(f"group_{group}", plain(group))


def _verified_by_source(models: Models, words: Words) -> Lines:
    sources = sorted({source for _, scores in models for source in scores.get("verified_by_source") or {}})
    if not sources:
        return []
    rows = [
        [name, *(plain((scores.get("verified_by_source") or {}).get(source, 0)) for source in sources)]
        for name, scores in models
    ]
    head = [words["model"], *(plain(source_name(source)) for source in sources)]
    return [f"### {words['verified_by_source']}", "", *table(head, rows)]
