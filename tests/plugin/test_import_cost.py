"""Without --citecheck the plugin costs a pytest run nothing but its options."""

from __future__ import annotations

import sys

import pytest

HEAVY = ["httpx", "vcr", "bibtexparser", "rapidfuzz", "yaml", "pylatexenc", "asyncio", "rich", "matplotlib"]


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
            assert ours == ["pytest_citecheck", "pytest_citecheck.plugin", "pytest_citecheck.plugin.hookspecs",
                            "pytest_citecheck.plugin.settings", "pytest_citecheck.plugin.settings.options"], ours
            assert [name for name in {HEAVY!r} if name in sys.modules] == []
        """
    )
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(passed=1)


@pytest.mark.exhaustive
def test_vcrpy_is_imported_for_cassettes_only(pytester: pytest.Pytester) -> None:
    modules = "import sys, pytest_citecheck.plugin.active; sys.exit('vcr' in sys.modules)"
    assert pytester.run(sys.executable, "-c", modules).ret == 0
