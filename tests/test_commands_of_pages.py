"""Every command of the pages runs as it is written, in a folder with the files that it names."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from itertools import groupby
from pathlib import Path

import pytest

from tests.test_docs import ROOT, commands

ELSEWHERE = {
    "--live": "asks services or models",
    "--contact": "asks services",
    "--citecheck-contact": "asks services",
    "citecheck record": "asks services; tests/cli/test_record.py",
    "works.index": "needs dumps; tests/cli/test_index.py, tests/audit",
    "citecheck report audit": "needs an audit; tests/audit/test_report.py",
    "--citecheck-selfcheck-model=models.yaml": "asks a model; tests/plugin/test_selfcheck.py",
    "shard-*.xml": "needs the runs of all shards",
}
"""Reasons why a command with these words is not run here, and the test that covers it."""

SETTINGS = "[pytest]\ncitecheck_cassettes = cassettes\ncitecheck_offline = true\ncitecheck_cache = off\n"

FILES = {
    "arena.yaml": "fixtures/arena/arena.yaml",
    "sources": "fixtures/claims/sources",
    "claims.json": "fixtures/claims/claims.json",
    "judges.yaml": "fixtures/claims/judges.yaml",
}
"""Names of user files in the pages, and their substitutes."""


MADE = """set -e
citecheck mutate fixtures/refs.bib --out split.jsonl --per-type 2
citecheck dataset baseline doi_presence --split split.jsonl --out tool.jsonl
for name in dev_public other_split test; do cp split.jsonl $name.jsonl; done
head -n 20 split.jsonl > dev.jsonl
cp dev.jsonl new.jsonl
mkdir published
for name in one other mine model; do cp tool.jsonl $name.jsonl; done
citecheck score predictions --split dev_public.jsonl model.jsonl --json published/model.json >/dev/null
sed s/vaswani2017attention/vaswani2017/ fixtures/refs.bib > refs.bib
citecheck check fixtures/hallucinated.bib --cassettes=cassettes --offline --json=before.json -q >/dev/null || true
cp before.json after.json
cp fixtures/refs.bib references.bib
printf '\\\\cite{he2016deep}\\n\\\\bibliography{references}\\n' > main.tex
python -m zipfile -c project.zip main.tex references.bib
"""
"""Makes the files of a benchmark, of earlier runs and of a manuscript, as users have them."""


def example(page: str, kind: str) -> str:
    """The first block of a kind on a page."""
    found = re.search(rf"^```{kind}\n(.*?)^```", (ROOT / "docs" / page).read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def run(folder: Path, command: str) -> subprocess.CompletedProcess[str]:
    home = {name: str(folder / ".home") for name in ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME")}
    environment = os.environ | home | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    environment["CITECHECK_OFFLINE"] = "1"  # a command without recordings is understood, and decides nothing
    environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), environment.get("PYTHONPATH", "")])
    for name in ("PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT", "PYTEST_CURRENT_TEST"):
        environment.pop(name, None)
    return subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=240
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder as the pages assume it: the fixtures, a bibliography, and the output of earlier commands."""
    shutil.copytree(ROOT / "fixtures", tmp_path / "fixtures")
    (tmp_path / "cassettes").symlink_to(ROOT / "cassettes")
    (tmp_path / "evidence").symlink_to(ROOT / "cassettes")
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    (tmp_path / "test_paper.py").write_text("def test_paper(): pass\n", encoding="utf-8")
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "journal.toml").write_text(example("policies.md", "toml"), encoding="utf-8")
    for name, source in FILES.items():
        (tmp_path / name).symlink_to(tmp_path / source)
    paper = (ROOT / "fixtures" / "claims" / "paper.tex").read_text("utf-8")
    named = paper.replace(r"\end{document}", "\\bibliography{refs}\n\\end{document}")
    (tmp_path / "paper.tex").write_text(named, encoding="utf-8")
    for name in ("src", "docs"):
        (tmp_path / name).mkdir()
    cited = 'Lovelace, A. (1843). "On engines", Journal of Engines, 12, 1-9.'
    (tmp_path / "src" / "engines.py").write_text(
        f'"""Engines.\n\nReferences\n----------\n.. [1] {cited}\n"""\n', encoding="utf-8"
    )
    (tmp_path / "docs" / "index.rst").write_text(f"See [1]_.\n\n.. [1] {cited}\n", encoding="utf-8")
    (tmp_path / "CITATION.cff").write_text("title: engines\ndoi: 10.5281/zenodo.1234567\n", encoding="utf-8")
    (tmp_path / "pytest.ini").write_text(SETTINGS, encoding="utf-8")
    made = run(tmp_path, MADE)
    assert made.returncode == 0, made.stderr
    return tmp_path


PAGES = {page: [command for _, command in shown] for page, shown in groupby(commands(), key=lambda one: one[0])}


@pytest.mark.exhaustive
@pytest.mark.timeout(600)
@pytest.mark.parametrize("page", PAGES)
def test_the_commands_of_a_page_run(page: str, folder: Path) -> None:
    failed = []
    for command in PAGES[page]:
        if any(words in command for words in ELSEWHERE):
            continue
        done = run(folder, command)
        said = f"{done.stdout}\n{done.stderr}"
        unanswered = done.returncode == 3 and (
            "nothing was checked" in said or "no source answered" in said or "no service answered" in said
        )
        if (
            (done.returncode not in (0, 1) and not unanswered)
            or "Traceback (most recent" in said
            or "INTERNALERROR" in said
        ):
            failed.append(f"$ {command}\n{done.returncode}: {said.strip()[-700:]}")
    assert failed == [], "\n\n".join(failed)


def test_most_commands_are_run() -> None:
    shown = [command for page in PAGES.values() for command in page]
    run_here = [command for command in shown if not any(words in command for words in ELSEWHERE)]
    assert len(run_here) > 0.6 * len(shown)
    assert all(any(words in command for command in shown) for words in ELSEWHERE), "a reason without a command"
