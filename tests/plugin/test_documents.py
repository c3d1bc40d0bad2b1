r"""``pytest --citecheck=paper.tex``: cited entries, missing keys, and duplicates in the bibliography."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_citecheck.checks import CHECKS

OFFLINE = ("--citecheck-offline", "--citecheck-cache=off")
TITLES = ("Alpha", "Beta", "Gamma", "Delta", "Epsilon", "Zeta", "Eta", "Theta", "Iota", "Kappa")


def entry(key: str, title: str, year: int = 2001, more: str = "") -> str:
    return f"@article{{{key}, title={{{title}}}, author={{Ada Lovelace}}, journal={{Nature}}, year={year}{more}}}\n"


@pytest.fixture
def paper(pytester: pytest.Pytester) -> Path:
    """Write 200 entries, 90 of them cited; two missing keys; one duplicate work and one duplicate key."""
    names = [
        f"{one} and {other} in the {number} plants" for number, one in enumerate(TITLES) for other in (*TITLES, *TITLES)
    ]
    entries = [entry(f"k{number}", f"{title} {number}") for number, title in enumerate(names)]
    entries[150] = entry("again", f"{names[3]} 3")
    (pytester.path / "refs.bib").write_text("".join(entries))
    cites = ["\\cite{again}", *(f"\\citep{{k{number}}}" for number in range(89))]
    body = "\n".join([*cites, "\\cite{k10000}", "\\input{more}"])
    (pytester.path / "paper.tex").write_text(f"\\documentclass{{article}}\n{body}\n\\bibliography{{refs}}\n")
    (pytester.path / "more.tex").write_text("\n\\cite{nowhere-near}\n")
    return pytester.path


def said(pytester: pytest.Pytester, *options: str) -> pytest.RunResult:
    return pytester.runpytest("--citecheck=paper.tex", *OFFLINE, "-k", "syntax or completeness or duplicates", *options)


@pytest.mark.exhaustive
@pytest.mark.usefixtures("paper")
def test_what_is_cited_is_checked_and_nothing_else(pytester: pytest.Pytester) -> None:
    result = said(pytester)
    result.assert_outcomes(passed=90, failed=3, deselected=90 * (len(CHECKS) - 1))
    result.stdout.fnmatch_lines(
        [
            "paper.tex:92 k10000 syntax: no entry has the key `k10000` in refs.bib; the nearest key is `k1*",
            "more.tex:2 nowhere-near syntax: no entry has the key `nowhere-near` in refs.bib [[]missing-entry]",
            "refs.bib:151 [[]duplicates[]] duplicate-work: `k3` (refs.bib:4) and `again` (refs.bib:151) cite one work: *",
            "note: paper.tex:1: uncited: 110 entries are not cited and not checked (--citecheck-all checks them): refs.bib",
        ]
    )
    said(pytester, "--lf").assert_outcomes(failed=3)


@pytest.mark.exhaustive
@pytest.mark.usefixtures("paper")
def test_workers_check_the_same(pytester: pytest.Pytester) -> None:
    said(pytester, "-n", "2").assert_outcomes(passed=90, failed=3)
    said(pytester, "-n", "2", "--lf").assert_outcomes(failed=3)


@pytest.mark.exhaustive
@pytest.mark.usefixtures("paper")
def test_all_takes_everything_in_and_a_bibliography_given_with_its_paper_is_read_once(
    pytester: pytest.Pytester,
) -> None:
    result = said(pytester, "--citecheck-all", "--citecheck=refs.bib", "--co", "-q")
    lines = [line for line in result.outlines if "::" in line]
    assert len(lines) == 200 + 2 + 1
    assert all(line.startswith("paper.tex::") for line in lines)
    assert "paper.tex::[duplicates]" in lines


def test_pairs_across_files_and_versions(pytester: pytest.Pytester) -> None:
    (pytester.path / "a.bib").write_text(
        entry("x", "The Evolution of Flowers") + entry("y", "A Theory of Colour Vision")
    )
    (pytester.path / "b.bib").write_text(
        entry("x", "A Theory of Everything Else") + entry("y", "A Theory of Colour Vision", 2002)
    )
    preprint = "@misc{q, title={Learning to Rank Proteins}, author={Lovelace, A.}, eprint={2001.01234}, year=2020}"
    (pytester.path / "c.bib").write_text(entry("p", "Learning to Rank Proteins") + preprint)
    result = pytester.runpytest("--citecheck=a.bib,b.bib,c.bib", *OFFLINE, "-k", "duplicates", "-rs")
    result.assert_outcomes(failed=1, skipped=1, deselected=6 * len(CHECKS))
    result.stdout.fnmatch_lines(
        [
            "b.bib:1 [[]duplicates[]] key-of-two-works: `x` (a.bib:1, b.bib:1) is used for two works: *",
            "  `y` (a.bib:2, b.bib:2) describes one work twice, with differences in year",
            "*c.bib:*duplicate-version: *preprint and its publication*",
        ]
    )


def test_a_waiver_for_a_pair(pytester: pytest.Pytester) -> None:
    (pytester.path / "a.bib").write_text(
        entry("x", "The Evolution of Flowers") + entry("y", "The Evolution of Flowers")
    )
    pytester.makeini("[pytest]\ncitecheck_ignore = y duplicates both editors want it\n")
    result = pytester.runpytest("--citecheck=a.bib", *OFFLINE, "-k", "duplicates")
    result.assert_outcomes(xfailed=1, deselected=2 * len(CHECKS))


@pytest.mark.exhaustive
def test_a_document_without_references_is_an_error_with_its_reason(pytester: pytest.Pytester) -> None:
    (pytester.path / "paper.tex").write_text("\\documentclass{article}\\cite{a}")
    result = pytester.runpytest("--citecheck=paper.tex", *OFFLINE)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["paper.tex cites 1 key but has no bibliography *"])


@pytest.mark.parametrize(("severity", "counts"), [("error", {"failed": 1}), ("warning", {"passed": 1, "warnings": 1})])
def test_a_policy_says_how_severe_a_pair_is(pytester: pytest.Pytester, severity: str, counts: dict[str, int]) -> None:
    entry = "@article{%s, title = {Looms of time}, author = {Ada Lovelace}, journal = {C}, year = 1843, doi = {10.1000/x}}\n"
    pytester.makefile(".bib", refs=entry % "a" + entry % "b")
    pytester.makefile(".toml", own=f'[codes]\nduplicate-work = "{severity}"\n')
    options = ("--citecheck=refs.bib", "--citecheck-offline", "--citecheck-policy=own.toml", "-m", "duplicates")
    pytester.runpytest(*options, "-W", "default").assert_outcomes(deselected=2 * len(CHECKS), **counts)


@pytest.fixture
def two(pytester: pytest.Pytester) -> Path:
    """A paper that cites one of two entries of refs.bib; other.bib belongs to no document."""
    (pytester.path / "refs.bib").write_text(entry("cited", "The Evolution of Flowers") + entry("left", "Of Looms"))
    (pytester.path / "other.bib").write_text(entry("alone", "A Theory of Colour Vision"))
    (pytester.path / "paper.tex").write_text(r"\documentclass{article}\cite{cited}\bibliography{refs}")
    return pytester.path


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--citecheck=paper.tex,refs.bib,other.bib"], ["other.bib::alone", "paper.tex::cited"]),
        (["--citecheck=refs.bib,paper.tex"], ["paper.tex::cited"]),
        (["--citecheck=refs.bib,other.bib"], ["other.bib::alone", "refs.bib::cited", "refs.bib::left"]),
        (["--citecheck", "refs.bib"], ["refs.bib::cited", "refs.bib::left"]),
        (["--citecheck=refs.bib", "paper.tex"], ["paper.tex::cited"]),
    ],
)
@pytest.mark.usefixtures("two")
def test_the_entries_of_a_bibliography_belong_to_the_document_that_cites_them(
    pytester: pytest.Pytester, arguments: list[str], expected: list[str]
) -> None:
    result = pytester.runpytest(*arguments, *OFFLINE, "--co", "-q", "-k", "title")
    assert sorted(line.removesuffix("[title]") for line in result.outlines if "::" in line) == expected
