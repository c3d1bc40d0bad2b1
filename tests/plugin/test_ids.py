"""Node ids as people type and copy them."""

from __future__ import annotations

import re

import pytest

BIB = """\
@article{DBLP:conf/nips/Vaswani17, title = {Wheels}, author = {Ada Lovelace}, journal = {Cards}, year = 2999}
@article{x[1]::y, title = {Cogs}, author = {Ada Lovelace}, journal = {Cards}, year = 1845}
"""
OFFLINE = ("--citecheck-offline", "--citecheck-cache=off", "-v", "-p", "no:cacheprovider")
KEY = "DBLP:conf/nips/Vaswani17"


def collected(result: pytest.RunResult) -> set[str]:
    return {line.split(" ")[0] for line in result.outlines if re.search(r" (PASSED|FAILED|SKIPPED)", line)}


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "typed",
    [
        (f"dblp.bib::{KEY}[title]",),
        ("dblp.bib::DBLP%3Aconf%2Fnips%2FVaswani17[title]",),
        ("--citecheck=dblp.bib", f"dblp.bib::{KEY}[title]"),
        ("--citecheck=dblp.bib", "-k", "nips and title"),
    ],
)
def test_a_key_may_be_typed_as_it_is(pytester: pytest.Pytester, typed: tuple[str, ...]) -> None:
    pytester.makefile(".bib", dblp=BIB)
    assert collected(pytester.runpytest_inprocess(*typed, *OFFLINE)) == {f"dblp.bib::{KEY}[title]"}


def test_brackets_and_double_colons_in_keys(pytester: pytest.Pytester) -> None:
    pytester.makefile(".bib", dblp=BIB)
    result = pytester.runpytest_inprocess("dblp.bib::x[1]::y[doi]", *OFFLINE)
    assert collected(result) == {"dblp.bib::x%5B1%5D%3A%3Ay[doi]"}


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["dblp.bib", "paper[1].bib", "a [b]/c.bib"])
def test_a_line_of_the_summary_runs_again_without_options(pytester: pytest.Pytester, name: str) -> None:
    path = pytester.path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(BIB, encoding="utf-8")
    result = pytester.runpytest_inprocess(f"--citecheck={name}", *OFFLINE)
    (failed,) = [line.removeprefix("FAILED ").split(" - ")[0] for line in result.outlines if line.startswith("FAILED ")]
    assert failed == f"{name}::{KEY}[completeness]"
    again = pytester.runpytest_inprocess(failed, *OFFLINE)
    again.assert_outcomes(failed=1)


@pytest.mark.exhaustive
def test_brackets_in_the_name_of_a_file_and_workers(pytester: pytest.Pytester) -> None:
    (pytester.path / "paper[1].bib").write_text(BIB, encoding="utf-8")
    result = pytester.runpytest_subprocess("--citecheck=paper[[]1].bib", "-n", "2", *OFFLINE)
    result.assert_outcomes(failed=1, passed=1, skipped=10)


def test_other_arguments_are_left_alone(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_mine="import pytest\n@pytest.mark.parametrize('x', ['a/b'])\ndef test_x(x): pass\n")
    pytester.runpytest_inprocess("test_mine.py::test_x[a/b]").assert_outcomes(passed=1)
