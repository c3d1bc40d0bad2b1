"""``citecheck doctor`` with healthy services, and with services that each have a different problem."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_citecheck.cli import main
from pytest_citecheck.model import Found, Query, QueryResult, Record
from pytest_citecheck.net import AnswerCache
from pytest_citecheck.plugin import trust
from pytest_citecheck.sources import SOURCES
from tests.stand_ins.faults import KINDS, TRANSMISSION_KINDS
from tests.stand_ins.server import HOLDING_WORKS, LocalServices
from tests.stand_ins.venue_year_lists import LISTS

KEY = "k3y-0f-my-0wn"
SAMPLED = [one for one in SOURCES if one.samples() and one.name in {*HOLDING_WORKS, *LISTS}]
STATES = {
    "openalex": "unreachable",
    "dblp_sparql": "walled",
    "semantic_scholar": "key refused",
    "openreview": "refused",
    "doi_org": "failing",
    "datacite": "rate-limited",
    "arxiv": "shape changed",
    "crossref": "shape changed",
    "europe_pmc": "control not found",
    "pubmed": "reachable",
    "web_page": "on",
}
"""Problems by source, the worst first."""

FAULTS = {
    "dblp_sparql": "wall-429",
    "semantic_scholar": "403",
    "openreview": "challenge",
    "doi_org": "500",
    "datacite": "429-retry-after",
    "arxiv": "renamed",
    "crossref": "captcha",
    "europe_pmc": "nothing-found",
}


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    for name in ("CITECHECK_CONTACT", "CITECHECK_BASE_URL", "CITECHECK_RATE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def services() -> Iterator[LocalServices]:
    with LocalServices() as running:
        yield running


@pytest.fixture
def closed_port() -> str:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{one.getsockname()[1]}"


def options(services: LocalServices, **other: str) -> list[str]:
    urls = services.mirrors | other
    return ["--cache=off"] + [
        text for name, url in urls.items() for text in (f"--base-url={name}={url}", f"--rate={name}=1000")
    ]


def doctor(arguments: Sequence[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, Any]]:
    """The exit code, and the sources of the JSON in their order, by name."""
    code = main(["doctor", "--json", *arguments])
    found = json.loads(capsys.readouterr().out)
    assert found["schema"] == "citecheck-doctor/2"
    return code, {one["name"]: one for one in found["sources"]}


@pytest.mark.exhaustive
def test_all_is_well(services: LocalServices, capsys: pytest.CaptureFixture[str]) -> None:
    before = len(services.requests)
    # Publishers' lists are long; the exhaustive suite looks them up.
    sampled = [one for one in SAMPLED if one.name in HOLDING_WORKS]
    code, found = doctor(["--live", *options(services), *(f"--source={one.name}" for one in sampled)], capsys)
    assert code == 0
    assert {one["state"] for one in found.values()} == {"reachable"}
    look_ups = [look_up for one in found.values() for look_up in one["look_ups"]]
    assert not any(look_up["lost"] for look_up in look_ups)
    assert len(services.requests) - before == len(look_ups) == sum(len(one.samples()) for one in sampled)
    assert found["crossref"]["limit"] == "1/s public-array"
    assert found["crossref"]["headers"]["x-concurrency-limit"] == "1"


@pytest.mark.exhaustive
def test_each_fault_is_told_rightly(
    services: LocalServices, closed_port: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SEMANTIC_SCHOLAR_API_KEY", KEY)
    for name, kind in FAULTS.items():
        services.fault(name, kind)
    try:
        arguments = ["--live", *options(services, openalex=closed_port), *(f"--source={name}" for name in STATES)]
        code, found = doctor(arguments, capsys)
        assert main(["doctor", *arguments[:-1]]) == 1
    finally:
        for name in FAULTS:
            services.heal(name)
    assert code == 1
    assert {name: one["state"] for name, one in found.items()} == STATES
    assert [one["state"] for one in found.values()] == sorted(
        (STATES[name] for name in found), key=list(STATES.values()).index
    )
    said = {name: " ".join(look_up["detail"] for look_up in one["look_ups"]) for name, one in found.items()}
    assert "refused the connection" in said["openalex"]
    assert "demands a browser" in said["dblp_sparql"]
    assert "asks to wait 1 s" in said["datacite"]
    assert "no longer read: title" in said["arxiv"]
    assert said["crossref"].count("the body is a page in HTML or XML, not JSON") == 3
    assert found["semantic_scholar"]["key"] == {"variable": "SEMANTIC_SCHOLAR_API_KEY", "found": True}
    shown = capsys.readouterr().out
    assert KEY not in shown + json.dumps(found)
    assert max(map(len, shown.splitlines())) <= 100


def test_without_live_nothing_is_sent(
    services: LocalServices, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    query = Query("doi", "10.1/x")
    cache = AnswerCache(tmp_path / "cache", now=lambda: 1_790_000_000.0)
    cache.put_many(2, [QueryResult("crossref", query, Found((Record("crossref", "10.1/x", title="T"),)), "", "")])
    cache.close()
    before = len(services.requests)
    code, found = doctor(
        [f"--cache={tmp_path / 'cache'}", f"--base-url=crossref={services.mirrors['crossref']}"], capsys
    )
    assert code == 0
    assert len(services.requests) == before
    assert found["crossref"]["last_answer"] == "2026-09-21T14:13:20Z"
    assert found["datacite"]["last_answer"] is None
    assert (found["crossref"]["state"], found["crossref"]["mirror"]) == ("on", True)
    assert found["ads"]["not_asked"]["title"].startswith("key needed")
    assert found["ads"]["state"] == "off"
    assert not found["dblp_sparql"]["confirmed"]
    assert not found["semantic_scholar"]["terms"]["raw"]


def test_a_table_fits_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--cache=off", *(f"--source={one.name}" for one in SOURCES)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:3] == ["source", "state", "key"]
    assert max(map(len, lines)) <= 100
    assert any("off: key " in line for line in lines)
    assert any(line.startswith("    terms: raw responses may not be redistributed") for line in lines)


@pytest.mark.parametrize(
    "wrong",
    [
        "--source=nothing",
        "--bogus",
        "--rate=crossref=x",
        "--base-url=nothing=http://x.example",
        "--config=/no/such.ini",
        "more",
    ],
)
def test_a_usage_error_has_the_code_of_all_commands(wrong: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code = main(["doctor", wrong])
    except SystemExit as stop:
        code = stop.code  # type: ignore[assignment]
    assert code == 2
    assert capsys.readouterr().err


def test_a_trusted_settings_file_names_servers_but_no_key_goes_there(
    services: LocalServices, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SEMANTIC_SCHOLAR_API_KEY", KEY)
    url = services.mirrors["semantic_scholar"]
    path = tmp_path / "pytest.ini"
    path.write_text(
        f"[pytest]\ncitecheck_base_url = semantic_scholar={url}\ncitecheck_rate = semantic_scholar=1000\n"
        f"citecheck_cache = off\ncitecheck_api_key = openalex={KEY}\n"
    )
    arguments = ["--source=semantic_scholar", "--source=openalex"]
    _, found = doctor([*arguments, "--cache=off"], capsys)
    assert not found["semantic_scholar"]["mirror"]
    assert not found["openalex"]["key"]["found"]
    trust(tmp_path)
    before = len(services.requests)
    code, found = doctor([*arguments[:1], "--live"], capsys)
    assert (code, found["semantic_scholar"]["state"]) == (0, "reachable")
    assert not found["semantic_scholar"]["key"]["found"]
    assert all("x-api-key" not in request.headers for request in services.requests[before:])
    _, found = doctor(arguments, capsys)
    assert found["openalex"]["key"]["found"]


def test_a_key_goes_to_its_service_alone(
    services: LocalServices, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SEMANTIC_SCHOLAR_API_KEY", KEY)
    before = len(services.requests)
    chosen = ["--source=semantic_scholar", "--source=crossref", "--contact=me@example.org"]
    code, _ = doctor(["--live", *chosen, *options(services)], capsys)
    assert code == 0
    with_key = {one.service for one in services.requests[before:] if KEY in str(one.headers) + one.path}
    assert with_key == {"semantic_scholar"}
    assert all("me@example.org" in one.headers["user-agent"] for one in services.requests[before:])


_EXPECTED: dict[str, Sequence[str]] = {
    **dict.fromkeys(("429", "429-retry-after"), ("rate-limited",)),
    **dict.fromkeys(("500", "503", "503-year-9999"), ("failing",)),
    **dict.fromkeys(("403", "challenge"), ("refused",)),
    **dict.fromkeys(("wall", "wall-429", "wall-500"), ("walled",)),
    **dict.fromkeys(TRANSMISSION_KINDS - {"huge"} | {"redirect-loop", "redirect-private"}, ("unreachable",)),
    **dict.fromkeys(("captcha", "malformed", "truncated", "empty", "xml-bomb", "huge"), ("shape changed",)),
    "nothing-found": ("control not found",),
    "renamed": ("shape changed", "control not found"),
    "wrong-content-type": ("reachable",),
}


_NOT_FIRST_HAND = frozenset({"biorxiv", "cran", "github", "hal", "hugging_face", "k10plus", "loc", "pypi", "theses_fr"})
"""Sources that have none of the renamed fields first-hand."""


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", sorted(KINDS & _EXPECTED.keys()))
def test_every_fault_of_every_source(kind: str, services: LocalServices, capsys: pytest.CaptureFixture[str]) -> None:
    for one in SAMPLED:
        services.fault(one.name, kind)
    try:
        patience = ["--timeout=3"] if kind in ("timeout", "timeout-body") else []
        _, found = doctor(["--live", *patience, *options(services)], capsys)
    finally:
        for one in SAMPLED:
            services.heal(one.name)
    # Publishers' lists are none of the facts, and long.
    states = {name: one["state"] for name, one in found.items() if one["look_ups"] and name in HOLDING_WORKS}
    if kind == "nothing-found":  # and that PubMed has no citation at all is no denial
        assert states.pop("pubmed") == "shape changed"
        assert (
            states.pop("hugging_face") == "refused"
        )  # nor is 401, with which the Hub answers for what it does not have
    if kind == "renamed":  # a field that the source does not state first-hand may be absent from a record
        assert {name for name, state in states.items() if state == "reachable"} <= _NOT_FIRST_HAND
        states = {name: state for name, state in states.items() if name not in _NOT_FIRST_HAND}
    assert {name: state for name, state in states.items() if state not in _EXPECTED[kind]} == {}


@pytest.mark.parametrize("arguments", [["--calibrate"], ["--calibrate", "--works=0"]])
def test_a_calibration_wants_a_folder_and_a_number_of_works(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["doctor", "--cache=off", *arguments]) == 2
    assert "--calibrate" in capsys.readouterr().err or "--works" in arguments[-1]


@pytest.mark.exhaustive
def test_a_calibration_counts_by_search_and_resumes(
    services: LocalServices, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["doctor", f"--calibrate={tmp_path}", "--works=2", *options(services)]
    assert main(command) == 0
    printed = capsys.readouterr().out
    assert "found by the other services" in printed
    assert "Semantic Scholar: " in printed
    table = (tmp_path / "calibration.json").read_bytes()
    before = len([one for one in services.requests if "sample=" in one.path])
    assert main(command) == 0
    assert (tmp_path / "calibration.json").read_bytes() == table
    assert len([one for one in services.requests if "sample=" in one.path]) <= 2 * before


def test_a_command_of_another_package_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "citecheck"
    for code, body in ((0, "import pytest_citecheck"), (1, "import another_package")):
        script.write_text(f"#!/usr/bin/env python3\n{body}\n")
        script.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
        assert main(["doctor", "--cache=off", "--source=crossref"]) == code
        said = capsys.readouterr().err
        assert (f"{script} is the command of another package; use pytest-citecheck" in said) == bool(code)
