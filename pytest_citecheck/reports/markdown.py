"""The Markdown report, in English, Chinese or both: findings of a run and scores of tools and models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from pytest_citecheck.atomic_write import write_whole
from pytest_citecheck.checks import translation
from pytest_citecheck.reports.document import Block, Data, Inline, Layout, Note, Row, Section, Span, Table, joined
from pytest_citecheck.reports.explanation import REPORT_SEVERITIES, codes_of, is_reported, report_severity
from pytest_citecheck.reports.renderers import as_text, markdown_lines
from pytest_citecheck.reports.results import coverage_of_report
from pytest_citecheck.reports.run_sections import (
    check_name,
    check_section,
    note_sections,
    notice_section,
    source_section,
    verdict_shown,
    where,
    wrong_section,
)
from pytest_citecheck.reports.values import NONE, number, share
from pytest_citecheck.reports.wording import LANGUAGES, TEXTS, Language, Words

_HEADINGS = {"error": "failing", "demanded": "demanded", "warning": "warned"}


def write_markdown(
    result: Data, path: Path, language: Language | Literal["both"] = "en", layouts: Sequence[Layout] = ()
) -> None:
    """Write the Markdown report. result: the JSON report as data (docs/json-report.md). Raises OSError."""
    write_whole(path, markdown_page(result, language, layouts))


def markdown_page(result: Data, language: Language | Literal["both"] = "en", layouts: Sequence[Layout] = ()) -> str:
    """The whole report; ``both`` means English, then Chinese. Equal results give equal texts.

    layouts: of the features, for further sections.
    """
    chosen: Sequence[Language] = LANGUAGES if language == "both" else (language,)
    return "\n---\n\n".join("\n".join(markdown_lines([_report(result, one, layouts)], 1)) for one in chosen)


def _report(result: Data, language: Language, layouts: Sequence[Layout]) -> Section:
    words = TEXTS[language]
    blocks: list[Block] = [
        *_head(result, words),
        _summary(result, words),
        check_section(result, words),
        *(section for layout in layouts for section in layout(result, language)),
        notice_section(result, words),
        wrong_section(result, words),
        *_failing(result, words, language),
        source_section(result, words),
        *note_sections(result, words, language),
    ]
    return Section(words["title"], blocks)


def _head(result: Data, words: Words) -> list[Block]:
    paths = dict.fromkeys(str(reference.get("path", "")) for reference in result.get("references") or ())
    files = joined((Span(path, "code") for path in paths if path), ", ")
    version, policy = result.get("version"), str(result.get("policy") or "default")
    return [
        Note([f"{words['files']}: ", files] if files else ""),
        Note(words["version"].format(version=version) if version else ""),
        Note(words["policy"].format(policy=policy) if policy != "default" else ""),
    ]


def _summary(result: Data, words: Words) -> Section:
    summary, coverage = result.get("summary") or {}, coverage_of_report(result)
    total = int(number(summary.get("references")) or 0)
    rows: list[Row] = [
        [words[name], f"{count:.0f}", share(count / total if total else None)]
        for name, stated in (summary.get("verdicts") or {}).items()
        if name in words and (count := number(stated)) is not None
    ]
    rows.append([Span(words["references"], "strong"), str(total), ""])
    head = [words[name] for name in ("verdict", "count", "share")]
    blocks: list[Block] = [Note(coverage.sentence if coverage is not None else ""), Table("", head, rows)]
    return Section(words["summary"], blocks if summary else [])


def _failing(result: Data, words: Words, language: Language) -> Iterator[Section]:
    """The references with errors, then those with warnings, with cited and found values and the fix.

    Labelled references are omitted: a hallucination is expected to fail.
    """
    references = [reference for reference in result.get("references") or () if not reference.get("gold")]
    for kind in REPORT_SEVERITIES if references else ():
        shown: list[Block] = []
        for reference in references:
            checks = (reference.get("checks") or {}).items()
            failed = {name: one for name, one in checks if is_reported(one) and report_severity(one) == kind}
            if failed:
                shown.append(_failing_reference(reference, failed, words, language))
        if not shown and kind == "error":
            shown.append(Note(words["no_failing"]))
        yield Section(": ".join(filter(None, (words[_HEADINGS[kind]], (result.get("calls") or {}).get(kind)))), shown)


def _failing_reference(reference: Data, failed: Mapping[str, Data], words: Words, language: Language) -> Section:
    head = [words[name] for name in ("check", "reason", "cited", "found", "fix")]
    rows: list[Row] = []
    for check, finding in failed.items():
        codes = codes_of(finding)
        translated = [translation(finding["outcome"], one) for one in codes]
        said = "; ".join(translated) if language == "zh" and all(translated) else ""
        waived = f" ({words['waived']})" if finding.get("waived") else ""
        reason: list[Inline] = [
            *(part for one in codes for part in (Span(one, "code"), " ")),
            f"{said or finding.get('message') or ''}{waived}",
        ]
        fixes = [_fix(field, value, words) for field, value in (finding.get("fixes") or {}).items()]
        values = (str(finding.get(name) or "") for name in ("cited", "found"))
        rows.append([check_name(check, words), reason, *values, joined(fixes, Span("", "break"))])
    place, *asked = where(reference, words)
    verdict = Span(as_text(verdict_shown(reference, words)), "strong")
    facts = joined([Span(place, "code"), *asked, verdict if verdict.text else ""], " · ")
    return Section(Span(reference.get("key") or NONE, "code"), [Note(facts), Table("", head, rows)])


def _fix(field: str, value: str, words: Words) -> Inline:
    if value:
        return Span(f"{field} = {{{value}}}", "code")
    before, _, after = words["drop_field"].format(field="\0").partition("\0")
    return [before, Span(field, "code"), after]
