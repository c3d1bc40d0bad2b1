"""No network, or interrupted queries. (Services that fail one at a time: test_fault_matrix.py.)"""

from __future__ import annotations

import asyncio
import datetime
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from pytest_citecheck.checks import CHECKS, evaluate
from pytest_citecheck.inputs import read_bibtex
from pytest_citecheck.lookup import gather
from pytest_citecheck.model import Evidence, Reference
from pytest_citecheck.net import TransportSettings
from pytest_citecheck.sources import SOURCES, Rate
from tests.stand_ins.server import LocalServices
from tests.support.fault_matrix import hurried

FIXTURES = Path(__file__).parents[2] / "fixtures"
TODAY = datetime.date(2026, 11, 21)


@cache
def references() -> dict[str, Reference]:
    """Return correct and wrong references of every kind, with only every third of the correct ones."""
    right = read_bibtex("refs.bib", (FIXTURES / "refs.bib").read_bytes()).references[::3]
    wrong = read_bibtex("hallucinated.bib", (FIXTURES / "hallucinated.bib").read_bytes()).references
    return {f"{reference.location.path}::{reference.key}": reference for reference in (*right, *wrong)}


def failing(services: LocalServices) -> set[tuple[str, str]]:
    """Reference and check of every failure."""
    rates = {source.name: Rate(1000.0, 8) for source in SOURCES}
    settings = TransportSettings(base_urls=services.base_urls, rates=rates)
    with hurried():
        gathered = asyncio.run(gather(references(), SOURCES, settings, TODAY))
    return failed(gathered.evidence)


def failed(evidence: Mapping[str, Evidence]) -> set[tuple[str, str]]:
    """Reference and check of every failure in the light of this evidence."""
    found = set()
    for name, reference in references().items():
        findings = evaluate(reference, evidence[name], TODAY).findings
        found |= {(name, check) for check in CHECKS if findings[check].outcome == "failed"}
    return found


@pytest.mark.exhaustive
def test_all_services_down_fail_nothing_that_needs_them(services: LocalServices) -> None:
    for source in SOURCES:
        services.fault(source.name, "503")
    by_themselves = failed(dict.fromkeys(references(), Evidence()))  # a DOI of another venue or year than the cited one
    assert failing(services) <= by_themselves
    assert {check for _, check in by_themselves} == {"completeness", "doi"}
    assert {check for name, check in by_themselves if name.startswith("refs.bib")} <= {"completeness"}


@pytest.mark.exhaustive
def test_unplugged_says_so_once_and_exits_with_three(pytester: pytest.Pytester) -> None:
    text = (FIXTURES / "refs.bib").read_text(encoding="utf-8").partition("@inproceedings{ribeiro2016why,")[0]
    assert text.count(" title ") >= 6
    (pytester.path / "refs.bib").write_text(text, encoding="utf-8")
    result = pytester.runpytest("--citecheck=refs.bib")
    assert result.ret == 3
    outcomes = result.parseoutcomes()
    assert outcomes["skipped"] == 5 * outcomes["passed"]  # only completeness needs nobody
    lines = [line for line in result.outlines if line.startswith("nothing was checked: ")]
    assert len(lines) == 1
    assert pytester.runpytest("--citecheck=refs.bib", "--citecheck-strict").ret == pytest.ExitCode.TESTS_FAILED


@pytest.mark.skipif(sys.platform == "win32", reason="no process can send itself SIGINT there")
@pytest.mark.exhaustive
def test_interrupted_gathering_keeps_what_was_recorded(pytester: pytest.Pytester, services: LocalServices) -> None:
    (pytester.path / "refs.bib").write_text((FIXTURES / "refs.bib").read_text(encoding="utf-8"), encoding="utf-8")
    pytester.makeconftest(
        """
        import inspect, signal, os
        from pathlib import Path
        def pytest_citecheck_sources(config, sources):
            dblp = next(source for source in sources if source.name == "dblp_sparql")
            ask = dblp.request
            def interrupt(questions):
                frames = [(Path(frame.filename).name, frame.function) for frame in inspect.stack()]
                if ("run.py", "ask") not in frames:  # there requests are only counted
                    os.kill(os.getpid(), signal.SIGINT)
                return ask(questions)
            sources[sources.index(dblp)] = type("Interrupting", (), {name: getattr(dblp, name) for name in dir(dblp)
                                                if not name.startswith("__")} | {"request": staticmethod(interrupt)})()
        """
    )
    urls = [f"--citecheck-base-url={name}={url}" for name, url in services.base_urls.items()]
    rates = [f"--citecheck-rate={source.name}=500" for source in SOURCES]
    result = pytester.runpytest_subprocess(
        "--citecheck=refs.bib", "--citecheck-cassettes=c", "--citecheck-record=new", *urls, *rates
    )
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert (pytester.path / "c" / "crossref.json").stat().st_size > 1000
    assert not list((pytester.path / "c").glob("*.tmp"))
