"""What is recorded replays: the same findings, in whatever order and however fast the services answered."""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_citecheck.cli import Engine, main
from tests.stand_ins.facts import Work
from tests.stand_ins.facts_file import load_facts
from tests.stand_ins.replies import Reply
from tests.stand_ins.server import FACTS_FILE, LocalServices

ROOT = Path(__file__).parents[2]
ENTRIES = [
    f"@{text}"
    for name in ("refs", "hallucinated")
    for text in (ROOT / f"fixtures/{name}.bib").read_text("utf-8").split("\n@")[1:]
]
SHARE_LACKING = 0.4
LONGEST = 0.01  # seconds that a service takes to answer


_SILENCE = {"not-recorded": "unavailable"}
"""Outages are not recorded, and both mean that nobody answered."""


class Unsteady(LocalServices):
    """Services that lack some works at random, and take a random time for each answer."""

    def __init__(self, number: int) -> None:
        super().__init__(load_facts(FACTS_FILE), lacking=self._lacks)
        self._number = number

    def _lacks(self, service: str, work: Work) -> bool:
        return random.Random(f"{self._number} {service} {work.title}").random() < SHARE_LACKING  # noqa: S311

    def respond(self, method: str, target: str, headers: Mapping[str, str], body: bytes = b"") -> tuple[str, Reply]:
        time.sleep(random.uniform(0, LONGEST))  # noqa: S311
        kind, reply = super().respond(method, target, headers, body)
        stated = {name: value for name, value in reply.headers.items() if not name.lower().startswith("x-rate-limit")}
        return kind, replace(reply, headers=stated)  # nobody has to wait for the limit of the service


def _findings(folder: Path, urls: Mapping[str, str], *further: str) -> dict[str, Any]:
    chosen = argparse.Namespace(
        config=None,
        citecheck_cassettes=str(folder / "evidence"),
        citecheck_base_url=[f"{name}={url}" for name, url in urls.items()],
        citecheck_rate=[f"{name}=1000" for name in urls],
    )
    engine = Engine(chosen, "citecheck record", further)
    try:
        known = engine.evaluations({"refs.bib": (folder / "refs.bib").read_bytes()})
    finally:
        engine.close()
    return {
        f"{reference.key} {name}": (finding.outcome, _SILENCE.get(finding.code, finding.code))
        for reference, evaluation in known.values()
        for name, finding in evaluation.findings.items()
    }


def _shuffled(folder: Path, entries: list[str], dice: random.Random) -> None:
    (folder / "refs.bib").write_text("\n\n".join(dice.sample(entries, len(entries))), "utf-8")


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "number", [pytest.param(number, marks=[] if number == 0 else pytest.mark.exhaustive) for number in range(12)]
)
def test_a_recording_replays(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    dice = random.Random(number)  # noqa: S311
    entries = dice.sample(ENTRIES, dice.choice((1, 3, 8, 20)))
    _shuffled(tmp_path, entries, dice)
    with Unsteady(number) as services:
        online = _findings(tmp_path, services.base_urls, "--citecheck-record=new")
        (tmp_path / "again").mkdir()
        (tmp_path / "evidence").rename(tmp_path / "again" / "evidence")
        live = [f"--base-url={name}={url}" for name, url in services.base_urls.items()]
        live += [f"--rate={name}=1000" for name in services.base_urls]
        recorded = main(["record", "refs.bib", "--cassettes=evidence", *live]), capsys.readouterr().out.splitlines()[1:]
    assert (
        main(["record", "refs.bib", "--cassettes=evidence", "--check"]),
        capsys.readouterr().out.splitlines(),
    ) == recorded
    for folder in (tmp_path / "again", tmp_path):
        _shuffled(folder, entries, dice)
        assert _findings(folder, {}, "--citecheck-offline") == online
