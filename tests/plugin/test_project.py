"""Code and documentation of a project: collected beside its own tests, never imported, looked up once."""

from __future__ import annotations

import json
from collections.abc import Coroutine, Mapping
from typing import Any

import pytest

from pytest_citecheck.checks import CHECKS
from pytest_citecheck.lookup import Gathered, gather
from pytest_citecheck.model import Reference
from pytest_citecheck.plugin import gathering
from tests.support.outcomes import UNDECIDED

OFFLINE = ("--citecheck-offline", "--citecheck-cache=off", "-p", "no:cacheprovider")
BROKEN = 'raise RuntimeError("imported")\n'
MODULE = '''"""Engines.

References
----------
.. [1] A. Lovelace, "On engines", Journal of Engines, 1843. :doi:`10.1000/engines`
"""
raise RuntimeError("imported")


def minimize():
    """Minimize [5]_.

    References
    ----------
    .. [5] G. Hopper, "Compilers for splines", Journal of Tools, 1952.
    """
'''


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    package = pytester.mkdir("src") / "engines"
    package.mkdir()
    for name in ("__init__.py", "conftest.py"):
        (package / name).write_text(BROKEN)
    (package / "core.py").write_text(MODULE)
    (package / "plain.py").write_text("x = 1\n")
    (package / "broken.py").write_text("def (:\n")
    docs = pytester.mkdir("docs")
    (docs / "conf.py").write_text(BROKEN + 'bibtex_bibfiles = ["refs.bib"]\n')
    (docs / "refs.bib").write_text("@book{knuth, title={Sorting}, author={Knuth, D.}, year=1973, publisher={A}}\n")
    (docs / "index.rst").write_text("See :cite:p:`knuth`.\n")
    (pytester.path / "CITATION.cff").write_text("title: engines\ndoi: 10.5281/zenodo.1234567\n")
    tests = pytester.mkdir("tests")
    (tests / "test_own.py").write_text("def test_own():\n    pass\n")
    (tests / "conftest.py").write_text("")
    return pytester


def references(result: pytest.RunResult) -> list[str]:
    lines = [line for line in result.outlines if line.endswith("[title]")]
    return [line.removesuffix("[title]") for line in lines]


ENGINES = ["src/engines/core.py::1", "src/engines/core.py::minimize::5"]


def test_a_folder_is_collected_without_importing_anything(project: pytest.Pytester) -> None:
    result = project.runpytest_inprocess("--citecheck=src", "--citecheck=docs", "--collect-only", "-q", *OFFLINE)
    assert references(result) == [*ENGINES, "docs/index.rst::knuth"]
    result = project.runpytest_inprocess("--citecheck=src,CITATION.cff", *OFFLINE)
    result.assert_outcomes(skipped=3 * UNDECIDED, passed=3)


SETTINGS = {
    "files": "[pytest]\ntestpaths = tests\ncitecheck_files =\n  src\n  docs\n  CITATION.cff\n",
    "addopts": "[pytest]\ntestpaths = tests\naddopts = --citecheck=src --citecheck=docs --citecheck=CITATION.cff\n",
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", sorted(SETTINGS))
@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["one", "two"])
def test_the_tests_of_the_project_run_too(project: pytest.Pytester, name: str, workers: tuple[str, ...]) -> None:
    project.makefile(".ini", pytest=SETTINGS[name])
    result = project.runpytest_subprocess("-v", *workers, *OFFLINE)
    assert "tests/test_own.py::test_own" in result.stdout.str()
    assert "docs/index.rst::knuth[doi]" in result.stdout.str()
    assert result.parseoutcomes()["passed"] >= 4
    assert result.ret == 3  # no source was asked


def test_a_node_id_selects(project: pytest.Pytester) -> None:
    project.makefile(".ini", pytest=SETTINGS["files"])
    for argument, count in (
        ("src/engines/core.py::minimize::5[authors]", 1),
        ("src/engines/core.py::minimize::5", len(CHECKS)),
        ("src/engines/core.py::minimize", len(CHECKS)),
        ("tests/test_own.py::test_own", 1),
    ):
        result = project.runpytest_inprocess(argument, "--collect-only", "-q", *OFFLINE)
        result.stdout.fnmatch_lines([f"{count} test* collected*"])


def test_last_failed_works(project: pytest.Pytester) -> None:
    project.makefile(".ini", pytest=SETTINGS["files"])
    (project.path / "docs/index.rst").write_text("See :cite:p:`knuht`.\n")
    offline = OFFLINE[:2]
    project.runpytest_inprocess(*offline).assert_outcomes(failed=1, passed=5, skipped=4 * UNDECIDED)
    result = project.runpytest_inprocess("--lf", *offline)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["docs/index.rst:1 knuht *missing-entry*"])


@pytest.mark.exhaustive
def test_a_work_cited_in_forty_docstrings_is_looked_up_once(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    functions = [
        f'def f{number}():\n    """F.\n\n    References\n    ----------\n'
        '    .. [1] G. Hopper, "Compilers for splines", Tools, 1952.\n    """\n'
        for number in range(40)
    ]
    (project.path / "src/engines/core.py").write_text("\n".join(functions))
    looked_up: list[int] = []

    def counted(names: Mapping[str, Reference], *rest: Any) -> Coroutine[Any, Any, Gathered]:
        looked_up.append(len(names))
        return gather(names, *rest)

    monkeypatch.setattr(gathering, "gather", counted)
    result = project.runpytest_inprocess("--citecheck=src", "--citecheck-json=report.json", *OFFLINE)
    assert looked_up == [1]
    assert result.parseoutcomes()["passed"] == 40
    assert len(json.loads((project.path / "report.json").read_text())["references"]) == 40


def test_unlinked_references_are_reported_on_request(project: pytest.Pytester) -> None:
    (project.path / "policy.toml").write_text('[codes]\nuncited-reference = "error"\n')
    given = ("--citecheck=src", *OFFLINE)
    assert "uncited" not in project.runpytest_inprocess(*given).stdout.str()
    result = project.runpytest_inprocess(*given, "--citecheck-policy=policy.toml")
    result.stdout.fnmatch_lines(["src/engines/core.py:5 1 syntax: * [[]uncited-reference]"])
    result.assert_outcomes(failed=1, passed=2, skipped=2 * UNDECIDED)


def test_a_folder_of_bibliographies_and_code_is_the_union_of_both(pytester: pytest.Pytester) -> None:
    folder = pytester.mkdir("papers")
    (folder / "refs.bib").write_text("@book{knuth, title={Sorting}, author={Knuth, D.}, year=1973, publisher={A}}\n")
    (folder / "train.py").write_text(MODULE)
    result = pytester.runpytest_inprocess("--citecheck=papers", "--collect-only", "-q", *OFFLINE)
    code = ["papers/train.py::1", "papers/train.py::minimize::5"]
    assert sorted(references(result)) == ["papers/refs.bib::knuth", *code]


@pytest.mark.exhaustive
def test_forty_thousand_files(pytester: pytest.Pytester) -> None:
    package = pytester.mkdir("src") / "engines"
    package.mkdir()
    (package / "__init__.py").write_text("")
    for number in range(200):
        folder = package / f"part{number}"
        folder.mkdir()
        for other in range(200):
            (folder / f"m{other}.py").write_text(MODULE if number % 20 == other == 0 else "class A:\n    x = 1\n" * 20)
    result = pytester.runpytest_subprocess("--citecheck=src", "--collect-only", "-q", *OFFLINE)
    assert len(references(result)) == 20
    assert result.duration < 20


def test_a_folder_of_pages_needs_no_project(pytester: pytest.Pytester) -> None:
    pages = pytester.mkdir("pages")
    (pages / "index.rst").write_text('.. [1] A. Lovelace, "On engines", Journal of Engines, 1843.\n\nSee [1]_.\n')
    result = pytester.runpytest_inprocess("--citecheck=pages", "-v", *OFFLINE)
    assert references(result)[:1] == []
    assert sum("pages/index.rst::" in line and "[title]" in line for line in result.outlines) == 1
