"""pytest's own rules apply to folders of papers; ``citecheck_exclude_files`` leaves out files by name."""

from __future__ import annotations

import json

import pytest

ENTRY = (
    "@article{{{key}, title={{On the motion of stars}}, author={{Lovelace, Ada}}, journal={{Nature}}, year={{2001}}}}\n"
)
LIST = "# P\n\n## References\n\n1. A. Lovelace. On the motion of stars. Nature, 2001.\n"
FOLDERS = ("", "old", "drafts", "build", "kept")
OFFLINE = ("--citecheck-offline", "--citecheck-cache=off", "--citecheck-json=r.json")
BY_PYTEST = "left out by a rule of pytest (--ignore, norecursedirs, collect_ignore)"


@pytest.fixture
def papers(pytester: pytest.Pytester) -> pytest.Pytester:
    for name in FOLDERS:
        folder = pytester.path / "papers" / name
        folder.mkdir(parents=True)
        (folder / "refs.bib").write_text(ENTRY.format(key=name or "top"))
    return pytester


def reading(pytester: pytest.Pytester) -> tuple[set[str], dict[str, str]]:
    """Keys of the references that were read, and the files that were not, with the reason."""
    report = json.loads((pytester.path / "r.json").read_text("utf-8"))
    unread = {one["path"]: one["reason"] for one in report["unread"]}
    return {one["key"] for one in report["references"]}, unread


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("arguments", "left_out"),
    [
        ((), {"build"}),
        (("--ignore=papers/old",), {"build", "old"}),
        (("--ignore-glob=*dr*fts",), {"build", "drafts"}),
        (("-o", "norecursedirs=kept"), {"kept"}),
        (
            ("-o", "norecursedirs=", "--citecheck-exclude-files=old", "--citecheck-exclude-files=dra*"),
            {"old", "drafts"},
        ),
    ],
)
def test_what_a_rule_leaves_out_is_listed(
    papers: pytest.Pytester, arguments: tuple[str, ...], left_out: set[str]
) -> None:
    result = papers.runpytest("--citecheck=papers", *OFFLINE, *arguments)
    keys, unread = reading(papers)
    assert keys == {name or "top" for name in FOLDERS} - left_out
    assert set(unread) == {f"papers/{name}" for name in left_out}
    assert set(unread.values()) == {
        "left out by citecheck_exclude_files" if "exclude" in "".join(arguments) else BY_PYTEST
    }
    result.stdout.fnmatch_lines([f"not read ({len(left_out)} file*"])


def test_collect_ignore(papers: pytest.Pytester) -> None:
    papers.makeconftest('collect_ignore = ["papers/old"]')
    papers.runpytest("--citecheck=papers", "--confcutdir=.", *OFFLINE)
    assert reading(papers)[1]["papers/old"] == BY_PYTEST


@pytest.mark.exhaustive
def test_a_folder_of_papers_loads_no_conftest_of_tests(pytester: pytest.Pytester) -> None:
    for name in ("tests", "papers"):
        (pytester.path / name).mkdir()
    (pytester.path / "tests" / "conftest.py").write_text("raise RuntimeError('loaded')")
    (pytester.path / "papers" / "paper.md").write_text(LIST)
    result = pytester.runpytest_subprocess("--citecheck=papers", *OFFLINE)
    assert "loaded" not in result.stdout.str() + result.stderr.str()
    assert result.ret == 3


@pytest.mark.exhaustive
def test_a_bibliography_without_the_option(papers: pytest.Pytester) -> None:
    result = papers.runpytest_subprocess("papers/refs.bib")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*to check its references, pass --citecheck: pytest --citecheck=papers/refs.bib*"])
