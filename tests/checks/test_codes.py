"""The table of codes: complete, translated, and with a test for each code."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from pytest_citecheck import checks
from pytest_citecheck.checks import CHECKS, CODES, DEFAULT, HARMS, TABLE, Code, PolicyContext, harm_of
from pytest_citecheck.model import Finding

TESTS = Path(__file__).parents[1]
SOURCES = "\n".join(
    path.read_text(encoding="utf-8")
    for folder in ("checks", "inputs", "runs", "plugin", "models/arena")
    for path in sorted((TESTS / folder).rglob("*.py"))
    if path != Path(__file__)
)


def test_no_code_stands_twice_with_one_outcome_of_one_check() -> None:
    keys = [(row.check, row.outcome, row.name) for row in TABLE]
    assert len(keys) == len(set(keys))
    assert {row.check for row in TABLE} == {"any", *CHECKS, "syntax", "duplicates"}


def in_words(row: Code) -> str:
    return f"{row.name}-{row.outcome}"


def is_expected(name: str) -> bool:
    halves = (
        re.escape(name) if not name.startswith(("doi-", "arxiv-")) else rf"{name}|(?<=\}})-{name.partition('-')[2]}"
    )
    return re.search(rf"[\"'](?:{halves})\b", SOURCES) is not None


def test_a_test_expects_each_code() -> None:
    assert [name for name in CODES if not is_expected(name)] == []


def test_every_row_is_whole() -> None:
    stilted = re.compile(r"\b(?:behind|nobody|whoever|those who|yet to come|voice|claim)\b")
    assert [in_words(row) for row in TABLE if bool(row.basis) != (row.outcome != "unverifiable")] == []
    translated = {in_words(row) for row in TABLE if row.translation}
    assert translated == {in_words(row) for row in TABLE if row.outcome != "passed"}
    assert [in_words(row) for row in TABLE if stilted.search(row.sentence)] == []


def test_without_a_policy_the_table_says_how_severe_a_finding_is() -> None:
    given = {
        in_words(row): DEFAULT.severity(
            Finding("doi" if row.check == "any" else row.check, row.outcome, row.name, ""), PolicyContext()
        )
        for row in TABLE
    }
    assert given == {in_words(row): row.severity for row in TABLE}


MODULES = [
    path for path in sorted(Path(checks.__file__).parent.glob("*.py")) if path.stem not in {"explanations", "policies"}
]
"""The modules of the checks, except those with counts, rules and settings, which write no messages."""


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_numbers_in_messages_come_from_the_table_of_thresholds(path: Path) -> None:
    """A number written by hand would stay when the threshold changes.

    Standards fix the lengths of ISBN and ISSN, and HTTP its statuses; a text below an assignment is its documentation.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    silent = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    written = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in silent
        and " " in node.value
    ]
    fixed = re.compile(
        r"\{0[.][\w.]+\}|\bISBN has 10 or 13 digits\b|\bISSN has 8 digits\b|\banswered 404 or 410\b|\bW3C\b"
    )
    assert [text for text in written if re.search(r"\d", fixed.sub("", text))] == []


_WARNINGS = (
    "venue-workshop", "year-submission", "package-gone", "repository-gone", "number-mistaken",
    "title-unfindable", "doi-retraction", "doi-removal", "doi-concern",
)  # fmt: skip
"""Versions other than the cited one, numbers beside it, what is gone, and a measured absence."""


def test_each_code_has_a_severity_and_what_failed_a_harm() -> None:
    for row in TABLE:
        warned = row.name in _WARNINGS
        open_or_passed = ("info", "ignore", *(["warning"] if warned else []))
        assert row.severity in (("error", "warning") if row.outcome == "failed" else open_or_passed), in_words(row)
        assert row.outcome != "failed" or harm_of(row.name) in HARMS, in_words(row)


def test_invented_misleading_and_slip() -> None:
    expected = {
        "title-not-found": "invented",
        "venue-other": "misleading",
        "title-near-miss": "slip",
        "title-similar": "slip",
        "title-published": "slip",
        "title-mixed": "slip",
        "title-subtitle": "slip",
        "venue-elsewhere": "misleading",
        "venue-main": "misleading",
        "year-other": "misleading",
        "authors-other": "invented",
        "missing-comma": "slip",
    }
    assert {code: harm_of(code) for code in expected} == expected
    assert harm_of("a-code-of-a-hook") == "misleading"
