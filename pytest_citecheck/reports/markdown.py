"""The Markdown report, in English, Chinese or both: findings of a run and scores of tools and models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from pytest_citecheck.atomic_write import write_whole
from pytest_citecheck.checks import translation
from pytest_citecheck.evidence import source_name
from pytest_citecheck.matching import lazy_pattern
from pytest_citecheck.reports.explanation import (
    REPORT_SEVERITIES,
    WRONG_SHOWN,
    answer_of,
    codes_of,
    is_reported,
    place_of,
    report_severity,
    verdict_text,
    wrong_verdicts,
)
from pytest_citecheck.reports.groups import number, share
from pytest_citecheck.reports.markdown_models import (
    claim_lines,
    code,
    model_lines,
    plain,
    selfcheck_lines,
    table,
    tool_lines,
)
from pytest_citecheck.reports.results import coverage_of_report
from pytest_citecheck.reports.wording import LANGUAGES, TEXTS, Language

Data = Mapping[str, Any]
Lines = list[str]

_NOTE = lazy_pattern(r"\A(?P<place>.+?:\d{1,9}): (?P<code>[a-z][a-z-]{1,60}): ")
_HEADINGS = {"error": "failing", "demanded": "demanded", "warning": "warned"}


def write_markdown(result: Data, path: Path, language: Language | Literal["both"] = "en") -> None:
    """Write the Markdown report. result: the JSON report as data (docs/json-report.md). Raises OSError."""
    write_whole(path, markdown_page(result, language))


def markdown_page(result: Data, language: Language | Literal["both"] = "en") -> str:
    """The whole report; ``both`` means English, then Chinese. Equal results give equal texts."""
    chosen: Sequence[Language] = LANGUAGES if language == "both" else (language,)
    return "\n---\n\n".join("\n".join(_report(result, one)) for one in chosen)


def _report(result: Data, language: Language) -> Lines:
    words = TEXTS[language]
    return [
        *_head(result, words),
        *_summary(result, words),
        *_checks(result, words),
        *tool_lines(result, words),
        *model_lines(result, words, language),
        *claim_lines(result, language),
        *selfcheck_lines(result, language),
        *_notices(result, words),
        *_wrong(result, words),
        *_failing(result, words, language),
        *_sources(result, words),
        *_notes(result, words, language),
    ]


def _head(result: Data, words: Mapping[str, str]) -> Lines:
    paths = dict.fromkeys(str(reference.get("path", "")) for reference in result.get("references") or ())
    files = ", ".join(code(path) for path in paths if path)
    version = plain(result.get("version") or "")
    policy = plain(result.get("policy") or "default")
    return [
        f"# {words['title']}",
        "",
        *([f"{words['files']}: {files}", ""] if files else []),
        *([words["version"].format(version=version), ""] if version else []),
        *([words["policy"].format(policy=policy), ""] if policy != "default" else []),
    ]


def _summary(result: Data, words: Mapping[str, str]) -> Lines:
    summary = result.get("summary")
    if not summary:
        return []
    total = int(number(summary.get("references")) or 0)
    rows = [
        [words[name], f"{count:.0f}", share(count / total if total else None)]
        for name, stated in (summary.get("verdicts") or {}).items()
        if name in words and (count := number(stated)) is not None
    ]
    rows.append([f"**{words['references']}**", str(total), ""])
    coverage = coverage_of_report(result)
    said = [plain(coverage.sentence), ""] if coverage is not None and coverage.sentence else []
    return [f"## {words['summary']}", "", *said, *table([words["verdict"], words["count"], words["share"]], rows)]


def _check_name(check: str, words: Mapping[str, str]) -> str:
    return words["check_title"] if check == "title" else words.get(check, plain(check))


def _checks(result: Data, words: Mapping[str, str]) -> Lines:
    checks = (result.get("summary") or {}).get("checks") or {}
    rows = []
    for check, outcomes in checks.items():
        counts = [int(number(outcomes.get(name)) or 0) for name in ("passed", "failed", "unverifiable")]
        decided = counts[0] + counts[1]
        rows.append([_check_name(check, words), *map(str, counts), share(counts[0] / decided if decided else None)])
    if not rows:
        return []
    head = [words[name] for name in ("check", "passed", "failed", "unverifiable", "share_passed")]
    return [f"## {words['accuracy_by_check']}", "", words["accuracy_note"], "", *table(head, rows)]


def _notices(result: Data, words: Mapping[str, str]) -> Lines:
    rows = [
        [
            code(reference.get("key") or ""),
            words.get(str(notice.get("kind")), plain(notice.get("kind", ""))),
            *(plain(notice.get(name) or "") for name in ("date", "doi")),
            plain(source_name(str(notice.get("stated_by") or ""))),
        ]
        for reference in result.get("references") or ()
        for notice in reference.get("notices") or ()
        if notice.get("alarming")
    ]
    head = [words[name] for name in ("reference", "notice", "date", "doi", "stated_by")]
    return [f"## {words['notices']}", "", *table(head, rows)] if rows else []


def _wrong(result: Data, words: Mapping[str, str]) -> Lines:
    """The labelled references with a wrong verdict, at most `WRONG_SHOWN`."""
    if not any(reference.get("gold") for reference in result.get("references") or ()):
        return []
    wrong = wrong_verdicts(result)
    lines: Lines = [f"## {words['wrong']}", ""]
    if not wrong:
        return [*lines, words["no_wrong"], ""]
    head = [words[name] for name in ("reference", "label", "verdict", "finding")]
    lines += [words["wrong_note"], "", *table(head, [_wrong_row(one, words) for one in wrong[:WRONG_SHOWN]])]
    more = len(wrong) - WRONG_SHOWN
    return [*lines, words["more"].format(count=more), ""] if more > 0 else lines


def _wrong_row(reference: Data, words: Mapping[str, str]) -> Lines:
    gold = reference["gold"]
    label = ", ".join(plain(part) for part in (gold.get("label"), gold.get("hallucination_type")) if part)
    codes = (code(one) for finding in _failed_checks(reference).values() for one in codes_of(finding))
    return [
        f"{code(reference.get('key') or '–')} {_where(reference, words)}",
        label,
        _verdict(reference, words),
        " ".join(codes),
    ]


def _where(reference: Data, words: Mapping[str, str]) -> str:
    """File and line; for a model's answer also the model and the query."""
    place = code(place_of(reference))
    answer = answer_of(reference)
    if answer is None:
        return place
    return " · ".join((place, plain(answer[0]), words["query"].format(query=plain(answer[1]))))


def _verdict(reference: Data, words: Mapping[str, str]) -> str:
    name, kind = verdict_text(reference)
    return ", ".join(filter(None, (words.get(name, ""), plain(kind))))


def _failed_checks(reference: Data) -> dict[str, Data]:
    checks = (reference.get("checks") or {}).items()
    return {check: finding for check, finding in checks if is_reported(finding)}


def _failing(result: Data, words: Mapping[str, str], language: Language) -> Lines:
    """The references with errors, then those with warnings, with cited and found values and the fix.

    Labelled references are omitted: a hallucination is expected to fail.
    """
    references = [reference for reference in result.get("references") or () if not reference.get("gold")]
    if not references:
        return []
    lines: Lines = []
    for kind in REPORT_SEVERITIES:
        shown: Lines = []
        for reference in references:
            checks = {check: one for check, one in _failed_checks(reference).items() if report_severity(one) == kind}
            if checks:
                shown += _failing_reference(reference, checks, words, language)
        if shown or kind == "error":
            heading = ": ".join(
                filter(None, (words[_HEADINGS[kind]], plain((result.get("calls") or {}).get(kind, ""))))
            )
            lines += [f"## {heading}", "", *(shown or [words["no_failing"], ""])]
    return lines


def _failing_reference(
    reference: Data, failed: Mapping[str, Data], words: Mapping[str, str], language: Language
) -> Lines:
    verdict = _verdict(reference, words)
    head = [words[name] for name in ("check", "reason", "cited", "found", "fix")]
    rows = []
    for check, finding in failed.items():
        codes = codes_of(finding)
        translated = [translation(finding["outcome"], one) for one in codes]
        said = "; ".join(translated) if language == "zh" and all(translated) else ""
        reason = f"{' '.join(map(code, codes))} {plain(said or finding.get('message') or '')}"
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
    facts = " · ".join(filter(None, (_where(reference, words), f"**{verdict}**" if verdict else "")))
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


def _notes(result: Data, words: Mapping[str, str], language: Language) -> Lines:
    """All notes; in Chinese only place and code, because the texts are in English."""
    said = list(map(str, result.get("notes") or ()))
    if language == "en":
        notes = [f"- {plain(note)}" for note in said]
    else:
        found = [match for match in map(_NOTE.match, said) if match]
        notes = [f"- {code(match['place'])} {code(match['code'])}" for match in found]
        if len(found) < len(said):
            notes.append(f"- {words['more_notes'].format(count=len(said) - len(found))}")
    return [f"## {words['notes']}", "", *notes, ""] if notes else []
