"""The chart of outcomes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.support.suites import first_fast

# Imported here, as numpy refuses to be imported again by a run inside this process.
pytest.importorskip("matplotlib.figure")

REFS = "@misc{a, title = {T}, year = 2000}"


@pytest.mark.exhaustive
@pytest.mark.parametrize("suffix", first_fast(["png", "svg", "pdf"]))
def test_a_chart_is_drawn(pytester: pytest.Pytester, suffix: str) -> None:
    pytester.makefile(".bib", refs=REFS)
    result = pytester.runpytest("--citecheck=refs.bib", "--citecheck-offline", f"--citecheck-chart=out/c.{suffix}")
    assert result.ret == 3  # nothing was looked up
    head = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[suffix]
    assert Path(pytester.path / "out" / f"c.{suffix}").read_bytes().startswith(head)


def test_what_cannot_be_drawn_is_said_at_the_start(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    pytester.makefile(".bib", refs=REFS)
    assert pytester.runpytest("--citecheck=refs.bib", "--citecheck-chart=c.gif").ret == pytest.ExitCode.USAGE_ERROR
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = pytester.runpytest("--citecheck=refs.bib", "--citecheck-chart=c.png")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*charts need matplotlib*"])
