"""Semantic Scholar without a key: a pool that is full of others costs a run seconds, and one line."""

from __future__ import annotations

import asyncio

import pytest

from pytest_citecheck.lookup import Gathered, gather
from pytest_citecheck.net import TransportSettings
from pytest_citecheck.sources import Rate, source
from tests.stand_ins.server import LocalServices
from tests.support.evidence_builders import TODAY, entry
from tests.support.fault_matrix import hurried
from tests.support.suites import first_fast

NAME = "semantic_scholar"
REFERENCES = {
    "a": entry("""@inproceedings{a, author = {Kaiming He and Xiangyu Zhang and Shaoqing Ren and Jian Sun}, year = 2016,
        title = {Deep Residual Learning for Image Recognition}, booktitle = {CVPR}, doi = {10.1109/CVPR.2016.90}}"""),
    "b": entry("""@inproceedings{b, author = {Ada Quillfeather and Tom Nightwhistle}, booktitle = {ICML}, year = 2016,
        title = {Spectral gradients for entirely invented learning problems}}"""),
}


def run(services: LocalServices, keys: dict[str, str] | None = None) -> tuple[Gathered, float]:
    """Return the evidence of a run from Semantic Scholar alone, and the length of its pauses in seconds."""
    settings = TransportSettings(base_urls=services.base_urls, keys=keys or {}, rates={"crossref": Rate(1000, 4)})
    with hurried() as clock:
        sources = [source("crossref"), source(NAME)]
        return asyncio.run(gather(REFERENCES, sources, settings, TODAY)), clock.seconds


@pytest.mark.parametrize("seed", first_fast(range(8), 2))
def test_a_third_of_the_requests_refused(services: LocalServices, seed: int) -> None:
    services.fault(NAME, "429", rate=1 / 3, seed=seed)
    gathered, seconds = run(services)
    assert seconds <= 12
    assert sum(NAME in problem or "Semantic Scholar" in problem for problem in gathered.problems) <= 1


def test_a_full_pool_is_given_up_after_one_retry_with_one_line_on_how_to_get_a_key(services: LocalServices) -> None:
    services.fault(NAME, "429")
    gathered, seconds = run(services)
    assert services.statuses(NAME) == {429: 2}
    assert seconds <= 4
    (told,) = gathered.problems
    assert "SEMANTIC_SCHOLAR_API_KEY" in told
    assert "https://www.semanticscholar.org/product/api" in told


def test_one_refusal_does_not_slow_a_run_down(services: LocalServices) -> None:
    services.fault(NAME, "429", times=1)
    gathered, seconds = run(services)
    assert not gathered.statistics[NAME].unavailable
    assert not gathered.problems
    assert seconds <= 12


def test_with_a_key_a_refusal_is_our_own(services: LocalServices) -> None:
    services.fault(NAME, "429")
    gathered, _ = run(services, {NAME: "a-key"})
    assert services.statuses(NAME)[429] > 2
    assert not gathered.problems
