"""The tables of docs/checks.md, docs/checks/ and docs/evidence/levels.md, and the navigation: `python -m tests.pages`."""

from __future__ import annotations

import json
import re
from importlib import import_module
from pathlib import Path

from pytest_citecheck.checks import CHECKS, DUPLICATES, TABLE, level_table, rules
from pytest_citecheck.rows import TABLES
from tests.pages.regions import cell, in_region

_ROOT = Path(__file__).parents[2]
_DOCS = _ROOT / "docs"
_COMMAND = "python -m tests.pages"
_HEAD = "| code | outcome | meaning | rests on | default severity |\n|---|---|---|---|---|\n"
_RULES_HEAD = "| rule | example | code | outcome |\n|---|---|---|---|\n"
_INDEX_HEAD = "| check | passed | failed | unverifiable |\n|---|---|---|---|\n"
_NAMES = {"error": "error", "warning": "warning", "info": "hint"}
_COUNTS = Path(__file__).parent / "rule_counts.json"
_PART = re.compile(r"\{0[^{}]*\}")
_LEVELS_HEAD = (
    "| code | evidence | right | false | precision | lower bound | ratio | level | basis |\n" + "|---" * 9 + "|\n"
)


def _codes(check: str) -> str:
    rows = [row for row in TABLE if row.check == check]
    return _HEAD + "".join(
        f"| `{row.name}` | {row.outcome} | {cell(row.sentence)} | {row.basis or '–'} | {row.severity} |\n"
        for row in rows
    )


def _rules(check: str) -> str:
    rows = [row for row in rules() if row.check == check]
    return _RULES_HEAD + "".join(
        f"| {cell(row.rule)} | {cell(row.example)} | {', '.join(f'`{code}`' for code in row.codes)} | {row.outcome} |\n"
        for row in rows
    )


def _index() -> str:
    def names(check: str, outcome: str) -> str:
        return ", ".join(f"`{row.name}`" for row in TABLE if (row.check, row.outcome) == (check, outcome))

    lines = []
    for check in (*CHECKS, "syntax", DUPLICATES, "any"):
        link = check if check == "any" else f"[{check}](checks/{check}.md)"
        cells = (names(check, outcome) for outcome in ("passed", "failed", "unverifiable"))
        lines.append(f"| {link} | {' | '.join(cells)} |\n")
    return _INDEX_HEAD + "".join(lines)


def _levels() -> str:
    return _LEVELS_HEAD + "".join(
        f"| `{row.code}` | {row.evidence} | {row.right:g} | {row.false:g} | {row.precision:.1%} | {row.bound:.1%} "
        f"| {row.ratio:.0f} | {_NAMES[row.name()]} | {row.basis} |\n"
        for row in sorted(level_table().values(), key=lambda row: (row.code == "*", row.code))
    )


def _decisions(check: str) -> str:
    """The tables of rules that a page lists, with the counts of ``python -m benchmarks.rules --write``."""
    counts = json.loads(_COUNTS.read_text(encoding="utf-8"))
    head = f"| rule | meaning | {' | '.join(counts['places'])} |\n|{'---|' * (2 + len(counts['places']))}\n"
    uncounted = " | ".join("–" * len(counts["places"]))
    parts = []
    for table in TABLES.values():
        if table.page == f"checks/{check}":
            known = counts["tables"].get(table.name, {})
            rows = (
                f"| {rule.name} | {cell(_PART.sub('…', rule.sentence)) or '–'} "
                f"| {' | '.join(f'{count:,}' for count in known[rule.name]) if rule.name in known else uncounted} |\n"
                for rule in table.rules
            )
            parts.append(
                f"{table.name.partition(': ')[2].capitalize()}; the first rule that applies decides:\n\n{head}{''.join(rows)}"
            )
    return "\n".join(parts)


def _new_page(check: str) -> str:
    """The page of a new check without its tables; the docstring of its module is the first paragraph."""
    said = (import_module(f"pytest_citecheck.checks.{check}").__doc__ or "").partition(": ")[2].strip()
    codes, rules_ = (f"<!-- {name}: {_COMMAND} -->\n<!-- end of {name} -->\n" for name in ("codes", "rules"))
    shared = "Codes that all checks share (`unavailable`, `not-found` …) are in [checks.md](../checks.md).\n"
    head = f"# The check `{check}`\n\n{said[:1].upper()}{said[1:]}\n"
    return f"{head}\n## Codes\n\n{codes}\n{shared}\n## Rules\n\n{rules_}"


def _navigation() -> str:
    """mkdocs.yml with a line for the page of each check."""
    lines = "".join(f"      - Check {check}: checks/{check}.md\n" for check in (*CHECKS, "syntax", DUPLICATES))
    text = (_ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    return re.sub(r"(?: *- Check \w+: checks/\w+\.md\n)+", lines, text)


def checks_pages() -> dict[Path, str]:
    """The pages by their paths, with the tables as they should be."""
    index = _DOCS / "checks.md"
    text = in_region(index.read_text(encoding="utf-8"), "index", _COMMAND, _index())
    pages = {index: in_region(text, "codes", _COMMAND, _codes("any")), _ROOT / "mkdocs.yml": _navigation()}
    measured = _DOCS / "evidence" / "levels.md"
    pages[measured] = in_region(measured.read_text(encoding="utf-8"), "levels", _COMMAND, _levels())
    for check in (*CHECKS, "syntax", DUPLICATES):
        path = _DOCS / "checks" / f"{check}.md"
        former = path.read_text(encoding="utf-8") if path.exists() else _new_page(check)
        page = in_region(former, "codes", _COMMAND, _codes(check))
        page = in_region(page, "rules", _COMMAND, _rules(check))
        pages[path] = in_region(page, "decisions", _COMMAND, _decisions(check)) if _decisions(check) else page
    return pages
