"""Collection: the items, their names, and their selection on the command line."""

from __future__ import annotations

import re

import pytest

from pytest_citecheck.checks import CHECKS
from tests.support.suites import first_fast

TWO = """
@article{alpha2020,
  author = {Ann Alpha}, title = {First Things}, journal = {Journal of Things}, year = {2020}
}
@book{beta2021,
  author = {Bob Beta}, title = {Second Things}, publisher = {Press}, year = {2021}
}
"""


def ids(result: pytest.RunResult) -> list[str]:
    return [line for line in result.outlines if "::" in line and not line.startswith(("=", "<"))]


def collect(pytester: pytest.Pytester, *args: str) -> list[str]:
    return ids(pytester.runpytest("--co", "-q", "--citecheck-offline", *args))


def test_a_reference_becomes_one_item_a_check_in_the_order_of_the_checks(pytester: pytest.Pytester) -> None:
    pytester.makefile(".bib", refs=TWO)
    assert collect(pytester, "--citecheck=refs.bib") == [
        f"refs.bib::{key}[{check}]" for key in ("alpha2020", "beta2021") for check in CHECKS
    ]


def test_the_option_leaves_the_test_suite_of_the_project_alone(pytester: pytest.Pytester) -> None:
    pytester.makefile(".bib", refs=TWO)
    pytester.makepyfile("def test_mine(): pass")
    assert all(name.startswith("refs.bib") for name in collect(pytester, "--citecheck=refs.bib"))
    named = collect(pytester, "--citecheck=refs.bib", "test_the_option_leaves_the_test_suite_of_the_project_alone.py")
    assert len(named) == 2 * len(CHECKS) + 1


@pytest.mark.exhaustive
def test_the_option_leaves_the_conftest_of_the_test_suite_alone(pytester: pytest.Pytester) -> None:
    pytester.makefile(".bib", refs=TWO)
    pytester.makeini("[pytest]\ntestpaths = tests\n")
    (pytester.mkdir("tests") / "conftest.py").write_text("raise RuntimeError('needs a database')")
    assert len(collect(pytester, "--citecheck=refs.bib")) == 2 * len(CHECKS)
    pytester.makeconftest("def pytest_collection_modifyitems(items): del items[1:]")
    assert len(collect(pytester, "--citecheck=*.bib")) == 1


@pytest.mark.exhaustive
def test_files_by_repetition_commas_and_globs(pytester: pytest.Pytester) -> None:
    pytester.makefile(".bib", a=TWO, b=TWO)
    pytester.makefile(".bib", **{"with,comma": TWO})
    assert len(collect(pytester, "--citecheck=a.bib", "--citecheck=b.bib")) == 4 * len(CHECKS)
    assert len(collect(pytester, "--citecheck=a.bib, b.bib")) == 4 * len(CHECKS)
    assert len(collect(pytester, "--citecheck=*.bib")) == 6 * len(CHECKS)
    assert len(collect(pytester, "--citecheck=with,comma.bib")) == 2 * len(CHECKS)
    assert len(collect(pytester, "--citecheck=a.bib,*.bib")) == 6 * len(CHECKS)


@pytest.mark.exhaustive
def test_bare_option_takes_files_and_folders_from_the_arguments(pytester: pytest.Pytester) -> None:
    pytester.makefile(".bib", a=TWO, b=TWO)
    folder = pytester.mkdir("paper")
    (folder / "c.bib").write_text(TWO)
    (folder / ".venv").mkdir()
    (folder / ".venv" / "d.bib").write_text(TWO)
    assert len(collect(pytester, "a.bib", "b.bib", "--citecheck")) == 4 * len(CHECKS)
    assert len(collect(pytester, "--citecheck", "--", "paper")) == 2 * len(CHECKS)
    assert len(collect(pytester, "--citecheck=paper")) == 2 * len(CHECKS)
    assert len(collect(pytester, "--citecheck")) == 6 * len(CHECKS)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", first_fast(["refs.bibtex", "refs.biblatex", "REFS.BIB", "Refs.BibTeX"], 2))
def test_every_suffix_of_bibtex_is_collected_alike(pytester: pytest.Pytester, name: str) -> None:
    folder = pytester.mkdir("paper")
    (folder / name).write_text(TWO + "@article{broken, title = {T")
    assert len(collect(pytester, f"--citecheck=paper/{name}")) == 13
    assert len(collect(pytester, "--citecheck=paper")) == 13
    pytester.makeini(f"[pytest]\ncitecheck_files = paper/{name}\n")
    assert len(collect(pytester)) == 13


@pytest.mark.exhaustive
def test_files_from_the_ini_file_come_on_top_of_the_usual_tests(pytester: pytest.Pytester) -> None:
    pytester.makefile(".bib", refs=TWO)
    pytester.makeini("[pytest]\ncitecheck_files = *.bib\ncitecheck_offline = true\n")
    module = pytester.makepyfile("def test_mine(): pass")
    assert len(ids(pytester.runpytest("--co", "-q"))) == 13
    assert len(ids(pytester.runpytest("--co", "-q", module.name))) == 1
    assert len(collect(pytester, "--citecheck")) == 2 * len(CHECKS)


def test_without_the_option_a_bib_file_is_none_of_our_business(pytester: pytest.Pytester) -> None:
    pytester.makefile(".bib", refs=TWO)
    module = pytester.makepyfile("def test_mine(): pass")
    assert ids(pytester.runpytest("--co", "-q")) == [f"{module.name}::test_mine"]


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (("refs.bib::alpha2020[doi]",), ["refs.bib::alpha2020[doi]"]),
        (("refs.bib::alpha2020",), [f"refs.bib::alpha2020[{check}]" for check in CHECKS]),
        (("-k", "alpha2020 and title"), ["refs.bib::alpha2020[title]"]),
        (("-m", "doi or venue", "-k", "beta2021"), ["refs.bib::beta2021[doi]", "refs.bib::beta2021[venue]"]),
        (("--deselect", "refs.bib::alpha2020", "-m", "cross_db"), ["refs.bib::beta2021[cross_db]"]),
    ],
)
def test_selection_as_for_functions(pytester: pytest.Pytester, args: tuple[str, ...], expected: list[str]) -> None:
    pytester.makefile(".bib", refs=TWO)
    assert collect(pytester, "--citecheck=refs.bib", *args) == expected


def test_every_check_has_a_registered_marker(pytester: pytest.Pytester) -> None:
    pytester.makefile(".bib", refs=TWO)
    result = pytester.runpytest("--citecheck=refs.bib", "--citecheck-offline", "--strict-markers", "--co", "-q")
    assert result.ret == 0
    pytester.runpytest("--citecheck=refs.bib", "--markers").stdout.fnmatch_lines(
        [
            "@pytest.mark.citecheck(check): *",
            *(f"@pytest.mark.{check}: citecheck(check='{check}'), *" for check in CHECKS),
        ]
    )


@pytest.mark.exhaustive
def test_markers_of_the_project_are_left_as_they_are(pytester: pytest.Pytester) -> None:
    pytester.makefile(".bib", refs=TWO)
    pytester.makeini("[pytest]\nmarkers =\n  title: of a page\n  doi(prefix): of ours")
    pytester.makepyfile("import pytest\n@pytest.mark.title\ndef test_page(): pass")
    markers = pytester.runpytest("--citecheck=refs.bib", "--markers").stdout.str()
    for name, own in (("title", "title: of a page"), ("doi", "doi(prefix): of ours")):
        lines = [line for line in markers.splitlines() if re.match(rf"@pytest\.mark\.{name}\b", line)]
        assert lines == [f"@pytest.mark.{own}"]
    files = (
        "--citecheck=refs.bib",
        "refs.bib",
        "test_markers_of_the_project_are_left_as_they_are.py",
        "--strict-markers",
    )
    mine = [name for name in collect(pytester, *files, "-m", "title") if name.endswith("test_page")]
    assert len(mine) == 1
    ours = collect(pytester, *files, "-m", "citecheck(check='title')")
    assert ours
    assert all(name.endswith("[title]") for name in ours)
    assert collect(pytester, *files, "-m", "not citecheck") == mine


@pytest.mark.exhaustive
def test_keys_are_escaped_unique_and_selectable(pytester: pytest.Pytester) -> None:
    keys = ["a:b/c", "x[1]::y", "müller&co", "smith@2020", "twice", "twice", ""]
    entries = [f"@misc{{{key},\n title = {{T {n}}}, year = 2000\n}}" for n, key in enumerate(keys)]
    pytester.makefile(".bib", refs="\n\n".join(entries))
    names = [name.removeprefix("refs.bib::") for name in collect(pytester, "--citecheck=refs.bib", "-m", "title")]
    assert names == [
        "a:b/c[title]", "x%5B1%5D%3A%3Ay[title]", "müller&co[title]", "smith%402020[title]",
        "twice[title]", "twice~2[title]", "line-25[title]",
    ]  # fmt: skip
    for name in names:
        assert collect(pytester, f"refs.bib::{name}", "--citecheck") == [f"refs.bib::{name}"]


def test_a_file_outside_the_root_folder(pytester: pytest.Pytester) -> None:
    pytester.makefile(".bib", refs=TWO)
    inner = pytester.mkdir("inner")
    (inner / "pytest.ini").write_text("[pytest]\n")
    result = pytester.runpytest(
        "--rootdir",
        str(inner),
        "-c",
        str(inner / "pytest.ini"),
        "--co",
        "-q",
        "--citecheck=refs.bib",
        "--citecheck-offline",
    )
    assert ids(result)[0] == "../refs.bib::alpha2020[doi]"


def test_unreadable_blocks_and_repaired_entries_have_a_syntax_item(pytester: pytest.Pytester) -> None:
    pytester.makefile(
        ".bib",
        refs="""
@article{good, author = {A. B.}, title = {T}, journal = {J}, year = 2000}
@article{nocomma, author = {A. B.} title = {T}, journal = {J}, year = 2000}
@article{good, author = {C. D.}, title = {Other}, journal = {J}, year = 2001}
""",
    )
    names = collect(pytester, "--citecheck=refs.bib", "-m", "syntax")
    assert names == ["refs.bib::nocomma[syntax]", "refs.bib::good~2[syntax]"]
    result = pytester.runpytest("--citecheck=refs.bib", "--citecheck-offline", "-m", "syntax", "-rf", "-p", "no:xdist")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(
        ["refs.bib:2 nocomma syntax: * [[]missing-comma]", "refs.bib:3 good syntax: * [[]duplicate-key]"]
    )


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--citecheck=none.bib",), "no such file: none.bib"),
        (("--citecheck=notes.epub",), "no reader for files like notes.epub"),
        (("--citecheck=refs.bib", "--citecheck-record=new"), "needs --citecheck-cassettes=DIR"),
        (("--citecheck=refs.bib", "--citecheck-cassettes=nowhere"), "no such folder of cassettes"),
        (("--citecheck=refs.bib", "--citecheck-base-url=crossref"), "NAME=URL"),
        (("--citecheck=refs.bib", "--citecheck-rate=crossref=0"), "NAME=N"),
        (("--citecheck=refs.bib", "--citecheck-rate=nobody=3"), "unknown source 'nobody'"),
        (("--citecheck=refs.bib", "--citecheck-contact=me"), "the contact is an e-mail address"),
        (("--citecheck=refs.bib", "--citecheck-json=refs.bib/x.json"), "cannot write"),
        (
            ("--citecheck=refs.bib", "--citecheck-offline", "--citecheck-record=all", "--citecheck-cassettes=c"),
            "exclude",
        ),
    ],
)
def test_usage_errors(pytester: pytest.Pytester, args: tuple[str, ...], message: str) -> None:
    pytester.makefile(".bib", refs=TWO)
    pytester.makefile(".epub", notes="")
    result = pytester.runpytest(*args)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*{message}*"])


def test_an_empty_file_collects_nothing_and_says_so(pytester: pytest.Pytester) -> None:
    pytester.makefile(".bib", refs="% nothing yet\n")
    result = pytester.runpytest("--citecheck=refs.bib", "--citecheck-offline")
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED
    result.stdout.fnmatch_lines(["citecheck: no entry in refs.bib*"])


def test_offline_wins_over_recording_in_the_ini_file(pytester: pytest.Pytester) -> None:
    pytester.makefile(".bib", refs=TWO)
    pytester.mkdir("c")
    pytester.makeini("[pytest]\ncitecheck_record = new\ncitecheck_cassettes = c\n")
    assert pytester.runpytest("--citecheck=refs.bib", "--citecheck-offline").ret == 3
