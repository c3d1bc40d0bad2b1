"""The properties of checks and of the run in JUnit XML."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import Element

import pytest
from _pytest.junitxml import xml_key

from pytest_citecheck import __version__
from pytest_citecheck.reports import coverage_properties

if TYPE_CHECKING:
    from pytest_citecheck.plugin.settings import Shard
    from pytest_citecheck.reports import RunResult

_RECENT = 1 << 10
"""Size of the caches of recent texts: most of the 17 properties of a case are the same for all checks of its reference."""


def case_properties(payload: dict[str, Any]) -> list[tuple[str, str]]:
    """Name and value of the properties of one test case. All metrics can be computed from them."""
    record = payload["record"]
    properties = [
        ("citecheck.id", payload["id"]),
        ("citecheck.key", payload["key"]),
        ("citecheck.check", payload["check"]),
        ("citecheck.file", payload["file"]),
        ("citecheck.line", str(payload["line"])),
        *([("citecheck.place", "{}:{}-{}:{}".format(*payload["place"]))] if payload.get("place") else []),
        ("citecheck.outcome", payload["outcome"]),
        ("citecheck.code", payload["code"]),
        *([("citecheck.also", " ".join(payload["also"]))] if payload["also"] else []),
        ("citecheck.severity", payload["severity"]),
        ("citecheck.verdict", payload["verdict"]["name"] if payload["verdict"] else ""),
        ("citecheck.probability", str(payload["verdict"]["probability"]) if payload["verdict"] else ""),
        ("citecheck.type", payload["verdict"].get("type", "") if payload["verdict"] else ""),
        *([("citecheck.label", payload["verdict"]["label"])] if "label" in (payload["verdict"] or {}) else []),
        ("citecheck.record", record["url"] if record else ""),
        ("citecheck.notices", " ".join(f"{notice['kind']}={notice['doi']}" for notice in payload["notices"])),
        ("citecheck.sources", " ".join(f"{name}={answer}" for name, answer in payload["sources"].items())),
        *payload["truth"].items(),
        *payload["answer"].items(),
    ]
    return [_shared(name, value) for name, value in properties]


@lru_cache(maxsize=_RECENT)
def _shared(name: str, value: str) -> tuple[str, str]:
    return name, value


@lru_cache(maxsize=_RECENT)
def shared_text(text: str) -> str:
    """The same text as one object, if it was used recently."""
    return text


@lru_cache(maxsize=_RECENT)
def _element(tag: str, attributes: tuple[tuple[str, str], ...], text: str | None) -> Element:
    element = Element(tag, dict(attributes))
    element.text = text
    return element


class _Finished:
    """A finished case. It replaces pytest's object, which takes four times the memory."""

    __slots__ = ("_case",)

    def __init__(self, case: Element) -> None:
        self._case = case

    def to_xml(self) -> Element:
        return self._case


def close_case(config: pytest.Config, report: pytest.TestReport) -> None:
    """Finish the case of a check. pytest does this at the teardown report, which a check does not have."""
    xml = config.stash.get(xml_key, None)
    if xml is None:
        return
    # Keyed by a structured id since pytest 9.2, by the node id before.
    name: Any = getattr(report, "id", report.nodeid)
    reporter = xml.node_reporters.get((name, getattr(report, "node", None)))
    if reporter is None:
        return
    xml.finalize(report)
    # pytest keeps all cases until the end. An element has no parent pointer, so that several cases can share it.
    for parent in (case := reporter.to_xml()), *case.iterfind("properties"):
        for place, one in enumerate(parent):
            if not len(one):
                parent[place] = _element(one.tag, tuple(one.attrib.items()), one.text)
    case.attrib.update({name: shared_text(value) for name, value in case.attrib.items()})
    ordered: list[Any] = xml.node_reporters_ordered
    if ordered[-1] is reporter:
        ordered[-1] = _Finished(case)
    if xml.open_reports and xml.open_reports[-1] is report:
        xml.open_reports.pop()


def add_run_properties(config: pytest.Config, result: RunResult, shard: Shard | None) -> None:
    """Add the properties of the run, also under xdist, which loses ``record_testsuite_property`` (pytest-dev/pytest#7767)."""
    xml = config.stash.get(xml_key, None)
    if xml is None:
        return
    xml.add_global_property("citecheck.version", __version__)
    xml.add_global_property("citecheck.policy", result.policy)
    if shard is not None:
        xml.add_global_property("citecheck.shard", f"{shard.part}/{shard.parts}")
    xml.add_global_property("citecheck.references", str(len(result.references)))
    for name, count in result.verdicts().items():
        xml.add_global_property(f"citecheck.verdict.{name}", str(count))
    for name, value in coverage_properties(result.coverage) if result.coverage else ():
        xml.add_global_property(name, value)
    for source in result.sources:
        xml.add_global_property(f"citecheck.requests.{source.name}", str(source.requests))
        xml.add_global_property(f"citecheck.unavailable.{source.name}", str(sum(source.unavailable.values())))
