"""Open references are looked up in further sources, within the budget; the files then agree with the plugin."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_citecheck.audit import ASKED, WorkerState, ask_online, read_rows, spent
from pytest_citecheck.cli import main
from pytest_citecheck.net import TransportSettings
from pytest_citecheck.sources import Rate
from tests.audit.conftest import entry
from tests.stand_ins.server import LocalServices

RESNET = """@inproceedings{resnet, author = {Kaiming He and Xiangyu Zhang and Shaoqing Ren and Jian Sun},
    title = {Deep Residual Learning for Image Recognition}, booktitle = {CVPR}, year = {2016}, doi = {10.1109/CVPR.2016.90}}"""


def test_services_are_asked_only_with_a_budget(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path(tmp_path, "known.bib").write_text(entry(0, "known"))
    command = ["audit", str(tmp_path / "known.bib"), "-o", str(tmp_path / "out"), "-n", "0"]
    assert main([*command, "--online=1"]) == 3
    assert "online: 0 requests; 1 open reference left" in capsys.readouterr().out
    assert main(command) == 3
    assert "online" not in capsys.readouterr().out


def test_what_is_open_is_asked_within_the_budget(tmp_path: Path, index: Path, services: LocalServices) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    Path(corpus, "known.bib").write_text(entry(0, "known"))
    Path(corpus, "open.bib").write_text(RESNET)
    assert (
        main(["audit", str(corpus), "-o", str(tmp_path / "out"), "--index", str(index), "-n", "0", "--partition", "1"])
        == 0
    )
    transport = TransportSettings(
        base_urls=services.base_urls, rates={source.name: Rate(1000, 4) for source in ASKED}, cache=tmp_path / "cache"
    )
    bench = WorkerState(tmp_path / "out")
    assert list(ask_online(bench, transport, 1)) == [(1, 0, 1)]  # the most that it may take is more than one
    assert not services.requests
    ((number, sent, skipped),) = ask_online(bench, transport, 10_000)
    assert (number, skipped) == (1, 0)
    assert 0 < sent == spent(bench)
    assert [read_rows(bench.folder.judged(part))[0]["verdict"] for part in (0, 1)] == ["verified", "verified"]
    assert read_rows(bench.folder.part("references", 1))[0]["verdict"] == "undecided"
    assert list(ask_online(bench, transport, 10_000)) == []
