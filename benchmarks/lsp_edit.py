"""Time until an edited entry of a big bibliography is diagnosed by ``citecheck lsp``, and the memory of the server.

    python -m benchmarks.lsp_edit [--index=FILE] [--entries=2000] [--edits=10] [--steps]

The entries are from the index (a tenth with a wrong year); without one, an index of made-up works is built. A real server
process is edited over its standard input: an edit changes a word of one entry, and every second edit also adds a line. The wall
time contains the pause of 80 ms after the last key stroke. ``--steps`` shows the functions that use most time, from the same
edits in this process.
"""

from __future__ import annotations

import argparse
import contextlib
import cProfile
import json
import os
import pstats
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.generated import works
from pytest_citecheck.doors import DoorSession, TextLines, changed_part, record_bibtex
from pytest_citecheck.index import IndexFileError, LocalIndex, build
from pytest_citecheck.inputs import NoFiles

_ROOT = Path(__file__).parents[1]
_CODE = "import sys; from pytest_citecheck.cli import main; sys.exit(main())"
_TICKS = os.sysconf("SC_CLK_TCK")


def entries_of(index: Path, count: int) -> list[str]:
    """BibTeX of works that are spread over the index, each with its own key."""
    records = []
    with LocalIndex(index) as opened:
        for number in range(0, len(opened), max(len(opened) // (2 * count), 1)):
            with contextlib.suppress(IndexFileError):  # numbers have gaps
                records += [one for one in opened.records([number]) if one.title and one.authors]
    made = []
    for number, record in enumerate(records[:count]):
        entry = re.sub(r"\{[^{},]*,", f"{{key{number},", record_bibtex(record), count=1)
        made.append(re.sub(r"year = \{\d+\}", "year = {1971}", entry) if number % 10 == 0 else entry)
    return made


def edits_of(entries: list[str], count: int) -> Iterator[str]:
    """Texts of the file after each edit."""
    chosen, texts = random.Random(1), list(entries)
    for number in range(count):
        at = chosen.randrange(len(texts))
        letter = "abcdefghij"[number % 10]
        texts[at] = re.sub(r"(title = \{+\w*)", rf"\1{letter}", texts[at], count=1) + "\n" * (number % 2)
        yield "\n\n".join(texts)


class RawClient:
    """A client that neither checks nor converts messages, so that its own time hardly counts."""

    def __init__(self, index: Path) -> None:
        command = [sys.executable, "-c", _CODE, "lsp", f"--index={index}", "--offline"]
        environment = {**os.environ, "PYTHONPATH": str(_ROOT)}
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, env=environment, cwd=tempfile.gettempdir())

    def send(self, method: str, params: Any, number: int | None = None) -> None:
        body = json.dumps(
            {"jsonrpc": "2.0", "method": method, "params": params} | ({} if number is None else {"id": number})
        ).encode()
        assert self.process.stdin
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def receive(self) -> bytes:
        assert self.process.stdout
        length = 0
        while (line := self.process.stdout.readline()) not in (b"\r\n", b""):
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        return self.process.stdout.read(length)

    def diagnosed(self, version: int) -> list[Any]:
        """Wait for the findings of a version."""
        while body := self.receive():
            if b"publishDiagnostics" in body:
                params = json.loads(body)["params"]
                if params.get("version") == version:
                    return list(params["diagnostics"])
        raise SystemExit("the server ended")

    @property
    def cpu(self) -> float:
        """Seconds of CPU that the server has used."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    @property
    def waited(self) -> float:
        """Seconds that its threads could have run on an idle machine."""
        tasks = Path(f"/proc/{self.process.pid}/task").glob("*/schedstat")
        return sum(int(task.read_text().split()[1]) for task in tasks) / 1e9

    def megabytes(self, name: str) -> float:
        """Memory of the server by its name in /proc: VmHWM or RssAnon."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.findall(rf"{name}:\s+(\d+)", status)[0]) / 1024


def edited(index: Path, entries: list[str], count: int) -> None:
    """Print the times of a real server."""
    client, uri = RawClient(index), "file:///tmp/refs.bib"
    client.send("initialize", {"processId": None, "rootUri": None, "capabilities": {}}, 1)
    client.receive()
    client.send("initialized", {})
    started = time.perf_counter()
    text = "\n\n".join(entries)
    document = {"uri": uri, "languageId": "bibtex", "version": 0, "text": text}
    client.send("textDocument/didOpen", {"textDocument": document})
    found = client.diagnosed(0)
    print(f"opened: {len(entries)} entries, {len(found)} findings, {time.perf_counter() - started:.1f} s")
    wall, cpu, waits = [], [], []
    for version, after in enumerate(edits_of(entries, count), 1):
        time.sleep(0.5)
        change = _change(text, after)
        before, waited, started = client.cpu, client.waited, time.perf_counter()
        client.send(
            "textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": [change]}
        )
        client.diagnosed(version)
        wall.append(time.perf_counter() - started)
        cpu.append(client.cpu - before)
        waits.append(client.waited - waited)
        text = after
    for name, values in (("wall", wall), ("CPU", cpu), ("waiting for a processor", waits)):
        shown = [1000 * value for value in values]
        print(f"an edit, {name}: median {statistics.median(shown):.0f} ms, at most {max(shown):.0f} ms")
    print(f"memory: {client.megabytes('VmHWM'):.0f} MB at most, {client.megabytes('RssAnon'):.0f} MB without the files")
    client.send("shutdown", None, 2)
    client.receive()
    client.send("exit", None)
    client.process.wait(20)


def _change(before: str, after: str) -> dict[str, Any]:
    """The change of a text as an editor sends it."""
    start, end, new = changed_part(before, after)
    lines = TextLines(before)
    places = [lines.place(at) for at in (start, end)]
    first, last = (
        {"line": line, "character": len(lines.line(line)[:column].encode("utf-16-le")) // 2} for line, column in places
    )
    return {"range": {"start": first, "end": last}, "text": new}


def steps(index: Path, entries: list[str], count: int) -> None:
    """Print the functions that use most time in the session."""
    chosen = argparse.Namespace(config=None, citecheck_index=[str(index)], citecheck_offline=True)
    session = DoorSession(chosen, "citecheck lsp")
    session.checked(session.read("refs.bib", "\n\n".join(entries).encode(), NoFiles()))
    profile = cProfile.Profile()
    for after in edits_of(entries, count):
        profile.enable()
        session.checked(session.read("refs.bib", after.encode(), NoFiles())).problems  # noqa: B018 - computed on access
        profile.disable()
    session.close()
    pstats.Stats(profile).sort_stats("cumulative").print_stats(25)


@contextlib.contextmanager
def _index(path: Path | None, count: int) -> Iterator[Path]:
    if path is not None:
        yield path.absolute()
        return
    with tempfile.TemporaryDirectory() as name:
        build(Path(name) / "works.index", works(2 * count))
        yield Path(name) / "works.index"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--index", type=Path)
    parser.add_argument("--entries", type=int, default=2000)
    parser.add_argument("--edits", type=int, default=10)
    parser.add_argument("--steps", action="store_true", help="profile the session")
    chosen = parser.parse_args()
    with _index(chosen.index, chosen.entries) as index:
        (steps if chosen.steps else edited)(index, entries_of(index, chosen.entries), chosen.edits)


if __name__ == "__main__":
    main()
