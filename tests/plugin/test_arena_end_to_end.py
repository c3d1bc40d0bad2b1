"""The arena of the fixtures, from its recordings: models, searches and services."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.stand_ins.arena_models import QUERIES

ARENA = Path(__file__).parents[2] / "fixtures" / "arena"
_WORDS = re.compile(r"[A-Za-z][a-z]+(?: [a-z]+){3,}")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One run of the whole arena: its files, its JSON report and its terminal."""
    place = tmp_path_factory.mktemp("arena")
    for name in ("arena.yaml", "queries.json"):
        shutil.copy(ARENA / name, place)
    arguments = [
        "--citecheck=arena.yaml", f"--citecheck-cassettes={ARENA / 'cassettes'}", "--citecheck-json=r.json",
        "--citecheck-arena-output=files", "--citecheck-markdown=zh.md", "--citecheck-language=zh", "--junitxml=r.xml",
        "--citecheck-fail-under=verification_rate>=.3,failed_calls<=0,cost_per_verified<=.01", "-q", "-p", "no:cacheprovider",
    ]  # fmt: skip
    command = [sys.executable, "-m", "pytest", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=place)
    (place / "out.txt").write_text(done.stdout + done.stderr, encoding="utf-8")
    (place / "code").write_text(str(done.returncode))
    return place


def data(folder: Path, name: str) -> Any:
    return json.loads((folder / name).read_text(encoding="utf-8"))


@pytest.mark.exhaustive
def test_models_are_ranked_and_nothing_is_missing_from_the_recordings(folder: Path) -> None:
    report = data(folder, "r.json")
    models = {one["model"]: one for one in report["arena"]["rankings"]}
    assert list(models) == ["careful-search", "careful", "eager"]
    log = folder / "evaluation_results" / "ref_hallucination_arena" / "answers.jsonl"
    assert log.read_bytes().count(b"\n") == 36
    assert [models[name]["verified"] for name in models] == [26, 21, 8]
    eager = models["eager"]
    assert (eager["refusals"], eager["usage"]["cut_off"], models["careful"]["duplicates"]) == (2, 1, 1)
    searching = models["careful-search"]["usage"]
    assert (searching["searches"], searching["fallbacks"], searching["calls"]) == (13, 1, 26)
    assert {pair["kind"] for pair in report["arena"]["comparisons"]} == {"models", "tool"}
    unanswered = [reason for source in report["sources"] for reason in source["unavailable"]]
    assert "not-recorded" not in unanswered
    strict = {one["model"]: one["verified"] for one in report["arena"]["strict"]["rankings"]}
    assert strict == {"careful-search": 26, "careful": 22, "eager": 11}  # a repeated work counts twice there
    assert (folder / "code").read_text() == "0"  # the thresholds hold
    said = (folder / "out.txt").read_text(encoding="utf-8").splitlines()
    assert "passed  verification_rate>=.3: 0.3636 (eager)" in said
    ranked = said[said.index("Ranking by the Arena's strict rule") :]
    assert [line.split()[:3] for line in ranked[2:5]] == [
        ["careful-search", "1", "100.0"], ["careful", "2", "100.0"], ["eager", "3", "52.4"],
    ]  # fmt: skip
    compared = {line.split("  ")[0]: line.split()[-2:] for line in said if " – " in line}
    assert compared["eager – careful-search"] == ["0.0015", "careful-search"]
    assert compared["careful – careful-search"] == ["0.1250", "–"]  # within chance


@pytest.mark.exhaustive
def test_the_files_of_the_arena_are_aligned_with_the_queries(folder: Path) -> None:
    files = folder / "files"
    names = {path.name for path in files.iterdir()}
    charts = {"verification_chart.svg", "discipline_chart.svg"} if find_spec("matplotlib") else set[str]()
    assert names == charts | {
        "queries.json", "responses.json", "extracted_refs.json", "verification_results.json", "evaluation_results.json",
        "evaluation_report.md",
    }  # fmt: skip
    responses, records = data(files, "responses.json"), data(files, "verification_results.json")
    assert [one["query"] for one in responses] == list(QUERIES)
    assert all(set(one["responses"]) == {"careful", "eager", "careful-search"} for one in responses)
    assert [one["query"] for one in records["eager"]] == list(QUERIES)
    extracted = data(files, "extracted_refs.json")
    assert list(extracted["careful"]) == [str(number) for number in range(12)]
    assert extracted["careful"]["5"] == []  # refused
    assert extracted["careful"]["2"][0]["doi"] == "10.1038/s41586-021-03819-2"
    assert records["careful-search"][0]["results"][0]["status"] == "verified"


@pytest.mark.exhaustive
def test_each_language_keeps_to_itself(folder: Path) -> None:
    """Text that models or users wrote is exempt: titles, keys, the task."""
    both = (folder / "files" / "evaluation_report.md").read_text(encoding="utf-8")
    english, chinese = both.split("\n---\n")
    own = [line for line in english.splitlines() if not line.startswith("|")]
    assert not re.search("[\u4e00-\u9fff]", "\n".join(own))
    assert "请" in english  # a query
    for page in (chinese, (folder / "zh.md").read_text(encoding="utf-8")):
        lines = [line for line in page.splitlines() if not line.startswith(("|", "#")) and "场景" not in line]
        assert _WORDS.findall("\n".join(lines)) == []
    for line in (folder / "zh.md").read_text(encoding="utf-8").splitlines():
        cells = line.split(" | ")
        if line.startswith("| ") and len(cells) == 5:  # check, finding, cited, found, fix
            assert not _WORDS.search(re.sub(r"`[^`]*`", "", cells[1])), line
    assert "### 与" not in chinese
    assert chinese.count("## ") == english.count("## ")


@pytest.mark.exhaustive
def test_the_tour_with_a_stand_in_ranks_its_models(tmp_path: Path) -> None:
    """The files of docs/arena.md, on a free port; services answer from recordings, so the invented paper is unchecked."""
    page = (ARENA.parents[1] / "docs" / "arena.md").read_text(encoding="utf-8")
    blocks = dict(re.findall(r"^```(json|python|yaml)\n(.*?)^```", page, re.MULTILINE | re.DOTALL))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    (tmp_path / "queries.json").write_text(blocks["json"], encoding="utf-8")
    (tmp_path / "stand_in.py").write_text(blocks["python"], encoding="utf-8")
    (tmp_path / "arena.yaml").write_text(blocks["yaml"].replace("8765", port), encoding="utf-8")
    server = subprocess.Popen([sys.executable, "stand_in.py", port], cwd=tmp_path, stderr=subprocess.DEVNULL)
    try:
        while True:
            with socket.socket() as client:
                if client.connect_ex(("127.0.0.1", int(port))) == 0:
                    break
            assert server.poll() is None
        command = [
            sys.executable,
            "-m",
            "pytest",
            "--citecheck=arena.yaml",
            "-p",
            "no:cacheprovider",
            "--citecheck-cache=off",
        ]
        subprocess.run([*command, "-k", "nothing"], cwd=tmp_path, capture_output=True, check=False)
        assert (tmp_path / "results" / "answers.jsonl").read_bytes().count(b"\n") == 4
        replay = [
            f"--citecheck-cassettes={ARENA.parents[1] / 'cassettes'}",
            "--citecheck-ask=none",
            "--citecheck-html=m.html",
        ]
        done = subprocess.run([*command, *replay], cwd=tmp_path, capture_output=True, text=True, check=False)
    finally:
        server.kill()
        server.wait()
    assert re.search(r"^honest +1 +2 +0 +100.0 % \(2 of 2\)", done.stdout, re.MULTILINE)
    html = (tmp_path / "m.html").read_text(encoding="utf-8")
    answer = html.index("Which model invents references?")
    assert answer < html.index("pytest-citecheck ", html.index("<h1>"))
    assert "honest: 0.0 % of 2 checked references." in html[answer : answer + 300]
