"""Without --citecheck the plugin costs a pytest run nothing but its options."""

from __future__ import annotations

import sys

import pytest

from benchmarks.start import start_of

HEAVY = ["httpx", "vcr", "bibtexparser", "rapidfuzz", "yaml", "pylatexenc", "asyncio", "rich", "matplotlib"]
OTHER = [
    *(
        f"pytest_citecheck.inputs.{name}"
        for name in ("pdf", "plain.list_items", "answers", "exchange", "hallmark", "remote")
    ),
    *(
        f"pytest_citecheck.{name}"
        for name in ("net.exchange", "models.chat", "models.answer_log", "benchmark.runs", "benchmark.predictions")
    ),
    *(f"pytest_citecheck.reports.{name}" for name in ("html", "ci", "json_report")),
    *(
        "pytest_citecheck.lookup.index_source",
        "pytest_citecheck.fixing.corrected_values",
        "pytest_citecheck.benchmark.strict_rule",
    ),
]


def test_nothing_heavy_is_imported_for_other_runs(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    # Neither the guard of this suite, which needs sockets, nor what else happens to be installed.
    monkeypatch.setenv("PYTEST_PLUGINS", "pytest_citecheck.plugin")
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makepyfile(
        f"""
        import sys
        def test_modules():
            assert "pytest_citecheck.plugin" in sys.modules
            ours = sorted(name for name in sys.modules if name.startswith("pytest_citecheck"))
            assert [name for name in ours if not name.endswith(".feature")] == [
                "pytest_citecheck", "pytest_citecheck.plugin", "pytest_citecheck.plugin.features",
                "pytest_citecheck.plugin.hookspecs", "pytest_citecheck.plugin.options", "pytest_citecheck.plugin.start",
            ], ours
            assert [name for name in {HEAVY!r} if name in sys.modules] == []
        """
    )
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(passed=1)


def test_modules_of_this_package_are_not_rewritten(pytester: pytest.Pytester) -> None:
    pytester.makefile(".bib", refs="@book{a, title = {Wheels}, year = 1844}")
    pytester.makeconftest(
        """
        import sys
        def pytest_unconfigure():
            ours = [module for name, module in sys.modules.items() if name.startswith("pytest_citecheck.checks.")]
            print("loaders:", len(ours) > 5, {type(module.__spec__.loader).__name__ for module in ours})
        """
    )
    result = pytester.runpytest_subprocess("--citecheck=refs.bib", "--citecheck-offline", "--assert=rewrite")
    result.stdout.fnmatch_lines(["loaders: True {'SourceFileLoader'}"])


@pytest.mark.exhaustive
def test_vcrpy_is_imported_for_cassettes_only(pytester: pytest.Pytester) -> None:
    modules = "import sys, pytest_citecheck.plugin.active; sys.exit('vcr' in sys.modules)"
    assert pytester.run(sys.executable, "-c", modules).ret == 0


@pytest.mark.exhaustive
def test_a_run_over_bibtex_imports_what_it_uses(pytester: pytest.Pytester) -> None:
    """The ceilings are a tenth above the counts of November 2026: 648 modules, 181 of this package, 260 patterns."""
    pytester.makefile(
        ".bib", refs="@article{a, title = {Wheels}, author = {Ada Lovelace}, journal = {Cards}, year = 1844}"
    )
    for name in ("refs.html", "refs.json", "refs.xml", "refs.md"):  # a neighbour costs nothing
        (pytester.path / name).write_text("", encoding="utf-8")
    start = start_of(pytester.path / "refs.bib")
    assert start.code == 3  # nothing was looked up
    assert (start.modules <= 713, start.own <= 200, start.patterns <= 286) == (True, True, True), vars(start)
    assert start.loaded & {*HEAVY, "numpy", "httpcore", *OTHER} <= {
        "bibtexparser",
        "pylatexenc",
        "rapidfuzz",
        "asyncio",
    }


def test_the_hook_imports_nothing_slow_if_nothing_has_changed(pytester: pytest.Pytester) -> None:
    pytester.makefile(".bib", refs="@book{a, title = {Wheels}, year = 1844}")
    pytester.run("git", "init", "-q")
    pytester.run("git", "add", "refs.bib")
    pytester.run("git", "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-qm", "Cite")
    code = (
        "import sys; from pytest_citecheck.cli import main; code = main(['hook', 'refs.bib']); "
        "print(code, *sys.modules)"
    )
    code_, *loaded = pytester.run(sys.executable, "-c", code).stdout.lines[-1].split()
    assert code_ == "0"
    assert set(loaded) & {*HEAVY, "pytest_citecheck.sources.registry", "pytest_citecheck.plugin.session"} == set()
    assert sum(name.startswith("pytest_citecheck") for name in loaded) <= 40
