"""Data kept to the end of a run is compressed, shared or dropped: tens of thousands of references fit into a gigabyte.

`benchmarks.plugin_memory` measures the total.
"""

from __future__ import annotations

import gc
import json
from collections import Counter
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from pytest_citecheck.index import build
from pytest_citecheck.lookup import IndexSource
from pytest_citecheck.model import Absent, Evidence, Query, QueryResult, Unavailable
from pytest_citecheck.net import Tally
from pytest_citecheck.plugin import AnswersStore, FindingsStore, lines_of, packed, unpacked
from pytest_citecheck.reports import ReferenceResult, RunResult, report_data, write_json
from tests.plugin.test_index import ADAM, REFERENCES, RESNET


def payload(name: str, check: str, **more: object) -> dict[str, object]:
    return {"id": name, "check": check, "pair": ("a", 1), **more}


def test_findings_come_out_as_they_went_in_and_in_their_order() -> None:
    store = FindingsStore()
    put = [
        payload("b", "doi"),
        payload("b", "title"),
        payload("a", "doi"),
        payload("b", "doi", again=True),
        payload("c", "x"),
    ]
    for one in put:
        store.put(one)
    assert list(store) == ["b", "a", "c"]
    assert dict(store) == {"b": {"doi": put[3], "title": put[1]}, "a": {"doi": put[2]}, "c": {"x": put[4]}}
    assert len(store) == 3
    with pytest.raises(KeyError):
        store["d"]


def test_evidence_comes_out_as_it_went_in() -> None:
    asked = QueryResult("crossref", Query("doi", "10.1/x"), Absent("all"), "https://api", "2026-11-01")
    for evidence in (Evidence((asked,)), Evidence()):
        assert unpacked(packed(evidence)) == evidence


def test_answers_are_counted_for_each_reference() -> None:
    doi = Query("doi", "10.1/x")
    here = QueryResult("index", doi, Absent(), "my.index")
    off = QueryResult("crossref", doi, Unavailable("offline", "not queried"), "https://api")
    cached = QueryResult("datacite", doi, Absent("all"), "https://api", "2026-11-01")
    store = AnswersStore()
    for name in ("a", "b", "a"):  # of the checks of "a" some ran in another process
        store.put(name, lines_of(Evidence((here, off, cached))))
    for _ in range(2):
        tallies = store.tallies({"index", "crossref"}, {"index"})
        assert tallies == {"index": Tally(local=2, answered=2), "crossref": Tally(unavailable=Counter(offline=2))}
        store.release()
    assert store.get("a") is None
    store.put("a", lines_of(Evidence((cached,))))
    assert store.tallies({"datacite"}, {"index"}) == {"datacite": Tally(cached=1, answered=1)}


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_report_in_pieces_is_the_report(tmp_path: Path, count: int) -> None:
    finding: Any = dict.fromkeys(
        ("severity", "said", "demanded", "waived", "code", "also", "cited", "found", "diff", "rule", "fixes", "record"),
        "",
    ) | {"outcome": "passed", "message": 'says "references": [] and\nmore\u2028'}
    references = tuple(
        ReferenceResult(f"r::{n}", str(n), "misc", "Tides", "r", n, n, None, {"doi": finding}, (), ())
        for n in range(count)
    )
    result = RunResult("1", references, (), ('a note with "references": []',))
    write_json(tmp_path / "r.json", result)
    text = (tmp_path / "r.json").read_text(encoding="utf-8")
    data = report_data(result)
    assert json.loads(text) == json.loads(json.dumps(data))
    assert list(json.loads(text)) == list(data)
    assert len(text.splitlines()) > 15 * (count + 1)  # readable, and a change is seen beside its reference


KEEPING = """
import pytest
from collections import Counter
from itertools import groupby
from _pytest.junitxml import xml_key
from pytest_citecheck.checks import CHECKS

@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    reports = [report for kept in reporter.stats.values() for report in kept if hasattr(report, "nodeid")]
    assert len(reports) == 4 * len(CHECKS)
    assert not any(hasattr(report, "citecheck") for report in reports)
    assert not any(item.finding or item.user_properties for item in session.items)
    pairs = [pair for report in reports for pair in report.user_properties]
    assert len(set(map(id, pairs))) == len(set(pairs)) < len(pairs) / 2
    cases = [reporter.to_xml() for reporter in session.config.stash[xml_key].node_reporters_ordered]
    parts = [part for case in cases for part in case.iterfind("properties/property")]
    assert len(parts) == len(pairs)
    assert len(set(map(id, parts))) == len(set(pairs))
    print("all is let go of")
"""


def test_reports_and_items_keep_little(pytester: pytest.Pytester) -> None:
    build(pytester.path / "my.index", [RESNET, ADAM])
    pytester.makefile(".bib", refs=REFERENCES)
    pytester.makeconftest(KEEPING)
    options = (
        "--citecheck=refs.bib",
        "--citecheck-index=my.index",
        "--citecheck-offline",
        "--junitxml=r.xml",
        "-p",
        "no:xdist",
    )
    result = pytester.runpytest(*options, "-s")
    result.stdout.fnmatch_lines(["*all is let go of*"])
    assert "INTERNALERROR" not in result.stdout.str() + result.stderr.str()


@pytest.mark.sample(1)
@pytest.mark.parametrize(("options", "looked_up"), [((), 120), (("-x",), 50), (("-p", "xdist", "-n0"), 120)])
def test_local_data_is_looked_up_in_groups(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], looked_up: int
) -> None:
    asked: list[str] = []

    def noted(what: str, method: Any) -> Any:
        def call(*given: Any) -> Any:
            asked.append(what)
            return method(*given)

        return call

    monkeypatch.setattr(IndexSource, "queries", noted("reference", IndexSource.queries))
    monkeypatch.setattr(IndexSource, "ask", noted("index", IndexSource.ask))
    build(pytester.path / "my.index", [RESNET, ADAM])
    entries = (f"@misc{{k{n}, title={{An Example Title {n}}}, author={{Doe, Jane}}, year={{{n}}}}}" for n in range(120))
    pytester.makefile(".bib", refs="\n".join(entries))
    pytester.inline_run(
        "--citecheck=refs.bib", "--citecheck-index=my.index", "--citecheck-offline", "--citecheck-strict", *options
    )
    groups = [len(list(group)) for what, group in groupby(asked) if what == "reference"]
    assert sum(groups) == looked_up
    assert max(groups) == 50


@pytest.mark.exhaustive
@pytest.mark.parametrize("frozen_before", [False, True], ids=["nothing frozen", "frozen by the caller"])
def test_no_object_stays_frozen_after_a_run(pytester: pytest.Pytester, frozen_before: bool) -> None:
    pytester.makefile(".bib", refs="@misc{a, title={An Example Title}, author={Doe, Jane}, year={2001}}")
    gc.unfreeze()
    if frozen_before:
        gc.freeze()
    try:
        before = gc.get_freeze_count()
        pytester.inline_run("--citecheck=refs.bib", "--citecheck-offline", "--citecheck-cache=off")
        # Frozen objects that are released count no longer.
        assert (gc.get_freeze_count() > 0.5 * before) if frozen_before else (gc.get_freeze_count() <= before)
    finally:
        gc.unfreeze()
