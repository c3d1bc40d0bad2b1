"""The Markdown report, in English, Chinese or both: what a run found, and how tools and models score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from pytest_citecheck.model import CHECKS
from pytest_citecheck.reports.markdown_text import code, plain, table
from pytest_citecheck.reports.scores import (
    ARENA_SCORES,
    LOWER_IS_BETTER,
    SCORES,
    arena_models,
    best,
    group_columns,
    number,
    ranked_tools,
    score_text,
    share,
)
from pytest_citecheck.reports.whole_file import write_whole
from pytest_citecheck.reports.wording import CODES, LANGUAGES, TEXTS, Language

__all__ = ["markdown_page", "write_markdown"]

Data = Mapping[str, Any]
Lines = list[str]


def write_markdown(result: Data, path: Path, language: Language | Literal["both"] = "en") -> None:
    """Write the report of a run. result: its JSON report as data (docs/json-report.md). Raises OSError."""
    write_whole(path, markdown_page(result, language))


def markdown_page(result: Data, language: Language | Literal["both"] = "en") -> str:
    """The whole report; ``both`` gives the English one and then the Chinese one. The same result gives the same text."""
    chosen: Sequence[Language] = LANGUAGES if language == "both" else (language,)
    return "\n---\n\n".join("\n".join(_report(result, one)) for one in chosen)


def _report(result: Data, language: Language) -> Lines:
    words = TEXTS[language]
    return [
        *_head(result, words),
        *_summary(result, words),
        *_checks(result, words),
        *_tools(result, words),
        *_arena(result, words),
        *_notices(result, words),
        *_failing(result, words, language),
        *_sources(result, words),
        *_notes(result, words),
    ]


def _head(result: Data, words: Mapping[str, str]) -> Lines:
    paths = dict.fromkeys(str(reference.get("path", "")) for reference in result.get("references") or ())
    files = ", ".join(code(path) for path in paths if path)
    version = plain(result.get("version") or "")
    return [
        f"# {words['title']}",
        "",
        *([f"{words['files']}: {files}", ""] if files else []),
        *([words["version"].format(version=version), ""] if version else []),
    ]


def _summary(result: Data, words: Mapping[str, str]) -> Lines:
    summary = result.get("summary")
    if not summary:
        return []
    total = int(number(summary.get("references")) or 0)
    rows = [
        [words[name], str(count), share(count / total if total else None)]
        for name, count in (summary.get("verdicts") or {}).items()
        if name in words
    ]
    rows.append([f"**{words['references']}**", str(total), ""])
    return [f"## {words['summary']}", "", *table([words["verdict"], words["count"], words["share"]], rows)]


def _check_name(check: str, words: Mapping[str, str]) -> str:
    return words["check_title"] if check == "title" else words.get(check, plain(check))


def _checks(result: Data, words: Mapping[str, str]) -> Lines:
    checks = (result.get("summary") or {}).get("checks") or {}
    rows = []
    for check in ("syntax", *CHECKS):
        if check in checks:
            counts = [int(number(checks[check].get(name)) or 0) for name in ("passed", "failed", "unverifiable")]
            decided = counts[0] + counts[1]
            rows.append([_check_name(check, words), *map(str, counts), share(counts[0] / decided if decided else None)])
    if not rows:
        return []
    head = [words[name] for name in ("check", "passed", "failed", "unverifiable", "share_passed")]
    return [f"## {words['accuracy_by_check']}", "", words["accuracy_note"], "", *table(head, rows)]


def _tools(result: Data, words: Mapping[str, str]) -> Lines:
    """The ranking of the run and of other tools by their scores against labels, and the groups behind it."""
    tools = ranked_tools(result)
    if not tools:
        return []
    names = [plain(tool.get("tool_name") or "pytest-citecheck") for tool in tools]
    lines = [f"## {words['ranking']}", "", words["ranking_note"], ""]
    lines += _ranking(words["tool"], SCORES, list(zip(names, tools, strict=True)), words)
    for title, first, field, score in (
        ("per_tier", "type", "per_tier_metrics", "detection_rate"),
        ("per_type", "type", "per_type_metrics", "detection_rate"),
        ("per_method", "method", "per_generation_method", "detection_rate"),
        ("subtests", "subtest", "subtest_metrics", "accuracy"),
    ):
        groups = group_columns(tools, field, score)
        if groups:
            rows = [
                [
                    words["tier"].format(tier=name) if title == "per_tier" and name.isdigit() else plain(name),
                    *map(share, values),
                ]
                for name, values in groups.items()
            ]
            lines += [f"### {words[title]}", "", *table([words[first], *names], rows)]
    return lines


def _ranking(first: str, scores: Sequence[str], tools: Sequence[tuple[str, Data]], words: Mapping[str, str]) -> Lines:
    """One row a tool, best first, the best value of each column in bold; columns that nobody fills are left out."""
    shown = [name for name in scores if any(number(tool.get(name)) is not None for _, tool in tools)]
    tops = {name: best([number(tool.get(name)) for _, tool in tools], lower=name in LOWER_IS_BETTER) for name in shown}
    rows = []
    for rank, (tool_name, tool) in enumerate(tools, start=1):
        cells = [str(tool.get("rank", rank)), tool_name]
        for name in shown:
            written = score_text(tool, name)
            is_best = tops[name] is not None and number(tool.get(name)) == tops[name]
            cells.append(f"**{written}**" if is_best else written)
        rows.append(cells)
    return table([words["rank"], first, *(words[name] for name in shown)], rows)


def _arena(result: Data, words: Mapping[str, str]) -> Lines:
    """Models: ranking, one table a discipline, and which source verified how much."""
    models = arena_models(result)
    if not models:
        return []
    named = [(plain(name), scores) for name, scores in models.items()]
    lines = [f"## {words['arena_ranking']}", "", words["arena_note"], ""]
    lines += _ranking(words["model"], ARENA_SCORES, named, words)
    disciplines = sorted({discipline for _, scores in named for discipline in scores.get("by_discipline") or {}})
    columns = ("verification_rate", "hallucination_rate", "avg_confidence")
    for discipline in disciplines:
        rows = [
            [
                name,
                plain(part.get("total_refs", "")),
                plain(part.get("verified", "")),
                *(score_text(part, one) for one in columns),
            ]
            for name, scores in named
            if (part := (scores.get("by_discipline") or {}).get(discipline))
        ]
        head = [words["model"], words["total_refs"], words["verified"], *(words[name] for name in columns)]
        lines += [f"### {words['discipline'].format(discipline=plain(discipline))}", "", *table(head, rows)]
    sources = sorted({source for _, scores in named for source in scores.get("verified_by_source") or {}})
    if sources:
        rows = [
            [name, *(plain((scores.get("verified_by_source") or {}).get(source, 0)) for source in sources)]
            for name, scores in named
        ]
        lines += [f"### {words['verified_by_source']}", "", *table([words["model"], *map(plain, sources)], rows)]
    return lines


def _notices(result: Data, words: Mapping[str, str]) -> Lines:
    rows = [
        [
            code(reference.get("key") or ""),
            words.get(str(notice.get("kind")), plain(notice.get("kind", ""))),
            *(plain(notice.get(name) or "") for name in ("date", "doi", "stated_by")),
        ]
        for reference in result.get("references") or ()
        for notice in reference.get("notices") or ()
        if notice.get("alarming")
    ]
    head = [words[name] for name in ("reference", "notice", "date", "doi", "stated_by")]
    return [f"## {words['notices']}", "", *table(head, rows)] if rows else []


def _failing(result: Data, words: Mapping[str, str], language: Language) -> Lines:
    """Each reference of which a check failed, with cited and found values and the fix."""
    if not result.get("references"):
        return []
    lines: Lines = [f"## {words['failing']}", ""]
    for reference in result["references"]:
        failed = {
            check: finding
            for check, finding in (reference.get("checks") or {}).items()
            if finding["outcome"] == "failed"
        }
        if failed:
            lines += _failing_reference(reference, failed, words, language)
    return lines if len(lines) > 2 else [*lines, words["no_failing"], ""]


def _failing_reference(
    reference: Data, failed: Mapping[str, Data], words: Mapping[str, str], language: Language
) -> Lines:
    where = code(f"{reference.get('path', '')}:{reference.get('line', '')}")
    verdict = words.get((reference.get("verdict") or {}).get("name", ""), "")
    head = [words[name] for name in ("check", "reason", "cited", "found", "fix")]
    rows = []
    for check, finding in failed.items():
        said = CODES.get(finding["code"]) if language == "zh" else None
        reason = f"{code(finding['code'])} {plain(said or finding.get('message') or '')}"
        if finding.get("waived"):
            reason += f" ({words['waived']})"
        fixes = "<br>".join(
            code(f"{field} = {{{value}}}") if value else words["drop_field"].format(field=code(field))
            for field, value in (finding.get("fixes") or {}).items()
        )
        rows.append(
            [
                _check_name(check, words),
                reason,
                plain(finding.get("cited") or ""),
                plain(finding.get("found") or ""),
                fixes,
            ]
        )
    facts = " · ".join(filter(None, (where, f"**{verdict}**" if verdict else "")))
    return [f"### {code(reference.get('key') or '–')}", "", facts, "", *table(head, rows)]


def _sources(result: Data, words: Mapping[str, str]) -> Lines:
    columns = ("requests", "replayed", "cached", "local", "answered")
    rows = []
    for source in result.get("sources") or ():
        missing = ", ".join(f"{reason} {count}" for reason, count in (source.get("unavailable") or {}).items())
        counts = (plain(source.get(name, 0)) for name in columns)
        rows.append([plain(source.get("label") or source.get("name")), *counts, plain(missing or "0")])
    head = [words["source"], *(words[name] for name in columns), words["unavailable"]]
    return [f"## {words['sources']}", "", *table(head, rows)] if rows else []


def _notes(result: Data, words: Mapping[str, str]) -> Lines:
    notes = [f"- {plain(note)}" for note in result.get("notes") or ()]
    return [f"## {words['notes']}", "", *notes, ""] if notes else []
