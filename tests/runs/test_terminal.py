"""Output in a real terminal (tmux), 80 columns wide."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = [pytest.mark.exhaustive, pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")]


def screen(folder: Path, command: str) -> list[str]:
    """The lines of the terminal after the command, with its exit code in the last one."""
    socket = f"citecheck-{os.getpid()}"
    tmux = ("tmux", "-L", socket, "-f", os.devnull)
    script = f"{command}; echo exit $?; tmux -L {socket} wait-for -S done"
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "CITECHECK_"))}
    subprocess.run(
        [*tmux, "new-session", "-d", "-x", "80", "-y", "200", "-c", str(folder), f"{script}; sleep 600"],
        check=True,
        env=environment,
    )
    try:
        subprocess.run([*tmux, "wait-for", "done"], check=True, timeout=300)
        shown = subprocess.run([*tmux, "capture-pane", "-p", "-J"], check=True, capture_output=True, text=True)
        return [line.rstrip() for line in shown.stdout.rstrip().splitlines()]
    finally:
        subprocess.run([*tmux, "kill-session"], check=False)


@pytest.mark.parametrize("name", ["citecheck", "pytest"])
def test_the_view_of_a_run(tmp_path: Path, name: str) -> None:
    text = (ROOT / "fixtures" / "hallucinated.bib").read_text(encoding="utf-8")
    keys = ("plausible-fabrication-4-hypergradient", "swapped-authors-1-transformer", "near-miss-title-2-resnet")
    parts = [part for part in text.split("\n\n") if any(f"{{{key}," in part for key in keys)]
    (tmp_path / "refs.bib").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    program = shlex.quote(str(Path(sys.executable).parent / name))
    options = "--citecheck=refs.bib --citecheck-cassettes" if name == "pytest" else "refs.bib --cassettes"
    lines = screen(tmp_path, f"{program} {options}={shlex.quote(str(ROOT / 'cassettes'))}")
    assert lines[-1] == "exit 1"
    assert not any("querying" in line for line in lines), "the progress line is gone"
    findings = [line for line in lines if line.strip().startswith("refs.bib:") and line.endswith("]")]
    shown = [line.split()[1] for line in findings]  # other plugins may shuffle the items of pytest
    assert {*shown[:2]} == {*keys[:2]}, "one line per finding, errors first"
    assert shown[2:] == [keys[2]]
    assert any("Quoc V. Le → " in line for line in findings[:2])
    assert lines[lines.index(findings[2]) - 1] == "with a warning (1 reference):"
    if name == "citecheck":
        assert lines[lines.index(findings[0]) - 1] == "fabricated (1 reference):"
