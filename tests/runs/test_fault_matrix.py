"""No outage accuses: every source against every fault, as the page docs/evidence/reliability.md shows it.

A cell is a real run of gathering and checks against the local services; only the pauses between requests are skipped.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from pytest_citecheck.checks import evaluate
from pytest_citecheck.inputs import read_bibtex
from pytest_citecheck.lookup import gather
from pytest_citecheck.net import Tally, TransportSettings
from pytest_citecheck.sources import SOURCES, Rate, source
from tests.pages.reliability import reliability_page, tried_of, words_of
from tests.stand_ins.generated import generated_world
from tests.stand_ins.server import LocalServices
from tests.support.fault_matrix import (
    DENIALS,
    FAULTS,
    NAMES,
    TODAY,
    WARNED,
    WRONG,
    Cell,
    Fault,
    asked_sources,
    facts,
    hurried,
    play,
    scene,
    struck,
    text,
)

PAGE = Path(__file__).parents[2] / "docs" / "evidence" / "reliability.md"

# Seconds: what a run with one failing service may take, and what its client may wait between requests (of all tasks).
MOST_SECONDS = 30
MOST_WAITING = 60

_FEW = ("crossref", "dblp_sparql")
"""The sources of the fast suite."""

_FAST = {number: _FEW[number // 2 % len(_FEW)] for number in range(0, len(FAULTS), 2)}
"""The fast suite tries every second fault with one source; the exhaustive suite tries all faults with all sources."""


def cells() -> list[object]:
    """The sources of the matrix, all but a few of them for the exhaustive suite."""
    return [pytest.param(name, marks=() if name in _FEW else pytest.mark.exhaustive) for name in NAMES]


_undisturbed: dict[str, Cell] = {}


@pytest.fixture(scope="module")
def world() -> Iterator[LocalServices]:
    with LocalServices(facts()) as running:
        yield running


def undisturbed(name: str, services: LocalServices) -> Cell:
    if name not in _undisturbed:
        _undisturbed[name] = play(name, None, services)
    return _undisturbed[name]


@pytest.fixture(scope="module")
def shown() -> Mapping[tuple[str, str], str]:
    return words_of(PAGE.read_text(encoding="utf-8"))


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", cells())
def test_without_a_fault_each_source_answers_for_right_references(name: str, world: LocalServices) -> None:
    cell = undisturbed(name, world)
    assert cell.tally.answered
    assert not cell.tally.unavailable
    assert not cell.others
    assert {key for key, _ in cell.failing} - WARNED == (scene(name).keys() & WRONG) - WARNED
    assert scene(name).keys() - WRONG


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("name", "title"),
    [
        pytest.param(name, title, marks=() if name == _FAST.get(number) else pytest.mark.exhaustive)
        for name in NAMES
        for number, title in enumerate(FAULTS)
    ],
)
def test_a_fault_accuses_nobody_and_is_named(
    name: str, title: str, world: LocalServices, shown: Mapping[tuple[str, str], str]
) -> None:
    before, cell = undisturbed(name, world), play(name, FAULTS[title], world)
    assert cell.failing <= before.failing
    assert not {key for key, _ in cell.failing} - WRONG
    assert not cell.verified & WRONG
    answered = FAULTS[title].answered
    if answered is not None:
        assert bool(cell.tally.unavailable) is not answered
        assert bool(cell.tally.answered) is answered
    if answered:
        assert cell.failing == before.failing
    if not FAULTS[title].hangs:
        host = urlsplit(source(name).base_url).netloc
        assert all(urlsplit(source(other).base_url).netloc == host for other in cell.others)
    assert cell.seconds < MOST_SECONDS
    assert cell.waited < MOST_WAITING
    # A source may be given up at the first answer or the second, before each of its reasons was met.
    assert set(cell.word.split(", ")) <= set(shown[name, title].split(", ")), (
        "docs/evidence/reliability.md: python -m tests.pages.reliability"
    )


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("name", "fault", "seed"),
    [
        pytest.param(
            name, fault, seed, id=f"{name}-{fault.title}-{seed}",
            marks=() if (name, seed) == (_FEW[number % len(_FEW)], 1) else pytest.mark.exhaustive,
        )
        for name in NAMES
        for number, fault in enumerate(DENIALS)
        for seed in ((1, 2, 3) if fault.rate < 1 else (1,))
    ],
)  # fmt: skip
def test_what_is_denied_now_and_then_accuses_nobody(name: str, fault: Fault, seed: int, world: LocalServices) -> None:
    before, cell = undisturbed(name, world), play(name, replace(fault, seed=seed), world)
    assert cell.failing <= before.failing
    assert not {key for key, _ in cell.failing} - WRONG
    assert not cell.verified & WRONG


@pytest.mark.exhaustive
@pytest.mark.parametrize("title", ["nothing found", "unreadable entry", "missing entry"])
@pytest.mark.parametrize("name", NAMES)
def test_denials_while_another_source_is_down_accuse_nobody(name: str, title: str, world: LocalServices) -> None:
    """For sources queried while all others are up, the outage of another one makes no difference."""
    before = undisturbed(name, world)
    for down in sorted(play(name, FAULTS[title], world).asked - {name}):
        cell = play(name, FAULTS[title], world, down)
        assert cell.failing <= before.failing, down
        assert not {key for key, _ in cell.failing} - WRONG, down
        assert not cell.verified & WRONG, down


def test_the_page_is_up_to_date(shown: Mapping[tuple[str, str], str]) -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert reliability_page(shown, tried_of(page)) == page


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("name", "title"),
    [
        pytest.param(NAMES[number % len(NAMES)], title, marks=() if number % 8 == 0 else pytest.mark.exhaustive)
        for number, title in enumerate(FAULTS)
    ],
)
def test_the_command_names_the_source_and_stays_green(
    name: str, title: str, world: LocalServices, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each fault and each source once, with the plugin itself and the correct references."""
    keys = scene(name).keys() - WRONG
    pytester.path.joinpath("refs.bib").write_text(text(keys), encoding="utf-8")
    fault, asked = FAULTS[title], asked_sources(name)
    monkeypatch.setattr("pytest_citecheck.plugin.gathering.SOURCES", asked)
    urls = struck(name, fault, world)
    options = [f"--citecheck-base-url={one.name}={urls[one.name]}" for one in asked]
    try:
        with hurried(fault.patience):
            result = pytester.runpytest("-v", "--citecheck=refs.bib", "--citecheck-cache=off", *options)
    finally:
        world.heal(name)
    assert result.ret == 0
    outcomes = result.parseoutcomes()
    assert not outcomes.keys() - {"passed", "skipped"}
    assert outcomes["passed"] + outcomes.get("skipped", 0) == 6 * len(keys)
    lines = [line for line in result.outlines if line.startswith(f"  {source(name).label}: ")]
    assert lines
    if fault.answered is not None:
        assert any("unanswered" in line for line in lines) is not fault.answered
    assert "Traceback" not in str(result.stdout) + str(result.stderr)


MIXED = ("429", "429-retry-after", "500", "503", "reset", "early-close", "empty", "truncated", "captcha", "malformed")
SHARE = 0.022  # of each: together they strike a fifth of all requests
FOUND = (1, 2, 3)
UNLUCKY = (10,)
"""A seed with which a service answers garbage to every try at a question."""


def mixed(seed: int | None) -> tuple[Mapping[tuple[str, str], tuple[str, str]], Mapping[str, Tally]]:
    """Return outcome and code by reference and check of 200 references, and the cost of the queries; no faults without a
    seed."""
    generated = generated_world(200)
    references = {one.key: one for one in read_bibtex("refs.bib", generated.bibliography.encode()).references}
    with LocalServices(generated.facts) as services, hurried():
        for number, kind in enumerate(MIXED if seed is not None else ()):
            for name in services.base_urls:
                services.fault(name, kind, rate=SHARE, seed=100 * (seed or 0) + number)
        rates = {one.name: Rate(1000.0, 8) for one in SOURCES}
        settings = TransportSettings(base_urls=services.base_urls, rates=rates)
        gathered = asyncio.run(gather(references, SOURCES, settings, TODAY))
    found = {}
    for key, one in references.items():
        for check, finding in evaluate(one, gathered.evidence[key], TODAY).findings.items():
            found[key, check] = finding.outcome, finding.code
    return found, gathered.statistics


@pytest.fixture(scope="module")
def right() -> Mapping[tuple[str, str], tuple[str, str]]:
    found, statistics = mixed(None)
    assert Counter(outcome for outcome, _ in found.values())["passed"] > 1000
    assert not any(tally.unavailable for tally in statistics.values())
    return found


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", FOUND)
def test_what_fails_now_and_then_is_found_in_the_end(
    seed: int, right: Mapping[tuple[str, str], tuple[str, str]]
) -> None:
    found, statistics = mixed(seed)
    assert sum(tally.retries for tally in statistics.values()) >= 8
    assert found == right


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", UNLUCKY)
def test_what_fails_at_every_try_is_left_open(seed: int, right: Mapping[tuple[str, str], tuple[str, str]]) -> None:
    found, statistics = mixed(seed)
    changed = {place for place in right if found[place] != right[place]}
    assert all(found[place][0] == "unverifiable" for place in changed)
    assert len(changed) < 30
    assert bool(changed) <= any(tally.unavailable for tally in statistics.values())
