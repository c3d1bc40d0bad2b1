"""Explanation of each code: meaning, evidence, example and suppression, for ``citecheck explain`` and SARIF.

Like the pages below docs/checks, it is generated from the table of codes (`codes`) and the table of rules
(``rules.toml``).
"""

from __future__ import annotations

import difflib
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from textwrap import fill
from typing import Final

from pytest_citecheck.checks.codes import CODES, TABLE, Basis, Code
from pytest_citecheck.checks.levels import Level, level_table

_WHY: Final[dict[Basis, str]] = {
    "": "The evidence is not sufficient, so the check does not fail.",
    "entry": "The entry itself is wrong; no source is needed.",
    "record": "The record of a first-hand source shows it; the message links to the record.",
    "several records": "Records of several independent sources show it.",
    "registry": "The registry that assigns these identifiers does not have it. The answer counts only if the "
    "registry finds its control, and is confirmed by a second query.",
    "complete list": "A list that is complete for the cited venue and year, or for the registrant, does not contain "
    "the work. The message shows the list and its date.",
    "coverage of the sources": "The sources that answered have nearly all works of this kind. The run tests this.",
    "form of the identifier": "The form of the identifier shows its publisher, venue, volume or year.",
    "web server": "The web server answered 404 or 410.",
}
_LEVELS: Final = "Levels, as measured on findings that were judged by hand (`--citecheck-prior` raises them):"
_WIDTH = 100


@dataclass(frozen=True, slots=True)
class RuleRow:
    """A rule of a check. rule, example: Markdown; an example may be empty."""

    check: str
    rule: str
    codes: tuple[str, ...]
    outcome: str
    example: str = ""


@cache
def rules() -> tuple[RuleRow, ...]:
    """All rules, in the order of the pages."""
    text = (files(__package__) / "data" / "rules.toml").read_text(encoding="utf-8")
    return tuple(RuleRow(**{**row, "codes": tuple(row["codes"])}) for row in tomllib.loads(text)["rule"])


def nearest_codes(name: str) -> list[str]:
    """At most three codes that are spelled like this name, the nearest first."""
    return difflib.get_close_matches(name.lower(), CODES, n=3, cutoff=0.6)


def explanation(code: str) -> str:
    """The explanation as plain text; a code that a hook added is only named."""
    return "\n".join(
        "\n".join(
            fill(_plain(line), _WIDTH, subsequent_indent=" " * (len(line) - len(line.lstrip(" -")))) for line in part
        )
        for part in _parts(code)
    )


def explanation_markdown(code: str) -> str:
    """The explanation as Markdown."""
    return "\n".join("\n".join(line.removeprefix("  ") for line in part) for part in _parts(code))


def _parts(code: str) -> list[list[str]]:
    rows = [row for row in TABLE if row.name == code]
    if not rows:
        return [[f"`{code}` belongs to a check that a plugin added."]]
    stated = [rule for rule in rules() if code in rule.codes]
    parts = [[f"`{code}` (check {' and '.join(dict.fromkeys(row.check for row in rows))})", ""]]
    parts += [[*(f"  - {row.outcome}, {_does(row)}: {row.sentence}" for row in rows), ""]]
    parts += [["Why:", "", *(f"  - {why}" for why in dict.fromkeys(_WHY[row.basis] for row in rows)), ""]]
    if earned := [level for (name, _), level in level_table().items() if name == code]:
        parts += [[_LEVELS, "", *(f"  - {_earned(level)}" for level in earned), ""]]
    if stated:
        parts += [["Rules:", "", *(f"  - {_rule(rule)}" for rule in stated), ""]]
    return [*parts, _suppression(rows)]


def _earned(level: Level) -> str:
    counts = f"{level.right:g} right, {level.false:g} false, {level.basis}"
    return f"{level.evidence}: {level.name()}, {level.precision:.0%} right ({counts})"


def _does(row: Code) -> str:
    return {"error": "fails", "warning": "is a warning", "info": "is a hint", "ignore": "does nothing"}[row.severity]


def _rule(rule: RuleRow) -> str:
    return f"{rule.rule}: {rule.outcome}" + (f". Example: {rule.example}" if rule.example else "")


def _suppression(rows: list[Code]) -> list[str]:
    loud = [row for row in rows if row.severity in ("error", "warning")]
    if not loud:
        return ["To suppress: not needed, it never fails."]
    check, code = loud[0].check, loud[0].name
    in_ini = f"a line `KEY {check} REASON` in `citecheck_ignore` of the ini file (docs/checks.md, waivers)"
    return [
        "To suppress:",
        "",
        f"  - of one entry, until it is edited: `citecheck waive KEY {code} FILE --reason=TEXT`",
        f"  - of one entry: a comment `% citecheck: ignore[{code}] REASON` above it, or {in_ini}",
        f"  - everywhere: a policy that assigns another severity to `{code}` (docs/policies.md)",
    ]


def _plain(text: str) -> str:
    return re.sub(r"\[([^\[\]]*+)\]\([^()]*+\)", r"\1", text).replace("`", "")
