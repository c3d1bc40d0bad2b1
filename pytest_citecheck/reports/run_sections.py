"""Sections about a run that every report has: results by check, notices, wrong verdicts, sources, notes."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_citecheck.evidence import source_name
from pytest_citecheck.matching import lazy_pattern
from pytest_citecheck.reports.document import (
    Block,
    Data,
    Figure,
    Group,
    Inline,
    Items,
    Note,
    Row,
    Section,
    Span,
    Table,
    joined,
)
from pytest_citecheck.reports.explanation import (
    WRONG_SHOWN,
    answer_of,
    codes_of,
    is_reported,
    place_of,
    verdict_text,
    wrong_verdicts,
)
from pytest_citecheck.reports.svg import stacked_bars
from pytest_citecheck.reports.values import NONE, number, share
from pytest_citecheck.reports.wording import Language, Words

_OUTCOMES = ("passed", "failed", "unverifiable")
_SOURCE = ("requests", "replayed", "cached", "local", "answered")
_NOTE = lazy_pattern(r"\A(?P<place>.+?:\d{1,9}): (?P<code>[a-z][a-z-]{1,60}): ")


def check_name(check: str, words: Words) -> str:
    """The name of a check for readers."""
    return words["check_title"] if check == "title" else words.get(check, check)


def check_section(result: Data, words: Words) -> Section:
    """Outcomes by check, as a chart and as a table."""
    checks = (result.get("summary") or {}).get("checks") or {}
    rows = [
        (check_name(check, words), {name: int(number(outcomes.get(name)) or 0) for name in _OUTCOMES})
        for check, outcomes in checks.items()
    ]
    lines = []
    for check, counts in rows:
        decided = counts["passed"] + counts["failed"]
        passed = share(counts["passed"] / decided if decided else None)
        lines.append([check, *map(str, counts.values()), passed])
    head = [words[name] for name in ("check", *_OUTCOMES, "share_passed")]
    chart = Figure(stacked_bars(words["accuracy_by_check"], rows) if rows else "")
    return Section(words["accuracy_by_check"], [Group([chart, Table("", head, lines, words["accuracy_note"])])])


def notice_section(result: Data, words: Words) -> Section:
    """Retractions and other alarming notices of cited works."""
    rows: list[Row] = [
        [
            Span(reference.get("key") or NONE, "code"),
            words.get(str(notice.get("kind")), str(notice.get("kind") or "")),
            *(str(notice.get(name) or "") for name in ("date", "doi")),
            source_name(str(notice.get("stated_by") or "")),
        ]
        for reference in result.get("references") or ()
        for notice in reference.get("notices") or ()
        if notice.get("alarming")
    ]
    head = [words[name] for name in ("reference", "notice", "date", "doi", "stated_by")]
    return Section(words["notices"], [Table("", head, rows)])


def wrong_section(result: Data, words: Words) -> Section:
    """The labelled references with a wrong verdict, at most `WRONG_SHOWN`; empty for a run without labels."""
    wrong = wrong_verdicts(result)
    more = len(wrong) - WRONG_SHOWN
    head = [words[name] for name in ("reference", "label", "verdict", "finding")]
    blocks: list[Block] = [
        Note(words["wrong_note" if wrong else "no_wrong"]),
        Table("", head, [_wrong_row(one, words) for one in wrong[:WRONG_SHOWN]]),
        Note(Span(words["more"].format(count=more), "link", "decision=wrong") if more > 0 else ""),
    ]
    labelled = any(reference.get("gold") for reference in result.get("references") or ())
    return Section(words["wrong"], blocks if labelled else [])


def _wrong_row(reference: Data, words: Words) -> Row:
    gold, checks = reference["gold"], (reference.get("checks") or {}).values()
    codes = (Span(code, "code") for finding in checks if is_reported(finding) for code in codes_of(finding))
    return [
        [Span(reference.get("key") or NONE, "code"), Span(" · ".join(where(reference, words)), "small")],
        _with_type(str(gold.get("label") or ""), str(gold.get("hallucination_type") or "")),
        verdict_shown(reference, words),
        joined(codes, " "),
    ]


def _with_type(name: str, kind: str) -> Inline:
    return [name, Span(f"({kind})", "small")] if kind else name


def verdict_shown(reference: Data, words: Words) -> Inline:
    """The verdict, and for a labelled reference the type of hallucination."""
    name, kind = verdict_text(reference)
    return _with_type(words.get(name, name), kind)


def where(reference: Data, words: Words) -> tuple[str, ...]:
    """File and line; for a model's answer also the model and the query."""
    answer = answer_of(reference)
    asked = (answer[0], words["query"].format(query=answer[1])) if answer is not None else ()
    return (place_of(reference), *asked)


def source_section(result: Data, words: Words) -> Section:
    """Requests and answers of each source."""
    rows = []
    for source in result.get("sources") or ():
        missing = ", ".join(f"{reason} {count}" for reason, count in (source.get("unavailable") or {}).items())
        counts = (str(source.get(name, 0)) for name in _SOURCE)
        rows.append([str(source.get("label") or source.get("name")), *counts, missing or "0"])
    head = [words["source"], *(words[name] for name in _SOURCE), words["unavailable"]]
    return Section(words["sources"], [Table("", head, rows)])


def note_sections(result: Data, words: Words, language: Language) -> Iterator[Section]:
    """The files that were not read, and all notes; in Chinese only place and code, because the texts are in English."""
    unread = [f"{one['path']}: {one['reason']}" for one in result.get("unread") or ()]
    yield Section(words["unread"], [Items(unread)])
    notes = list(map(str, result.get("notes") or ()))
    shown: list[Inline] = [*notes]
    if language != "en":
        found = [match for match in map(_NOTE.match, notes) if match]
        shown = [[Span(match["place"], "code"), " ", Span(match["code"], "code")] for match in found]
        shown += [words["more_notes"].format(count=len(notes) - len(found))] if len(found) < len(notes) else []
    yield Section(words["notes"], [Items(shown)])
