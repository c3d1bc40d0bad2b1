"""The picture of an editor, from Neovim with a real server: `python -m tests.doors.editor_picture > docs/editor.svg`.

Needs Neovim and the package pyte, which plays the terminal.
"""

from __future__ import annotations

import io
import json
import os
import pty
import select
import shutil
import struct
import tempfile
import time
from fcntl import ioctl
from pathlib import Path
from termios import TIOCSWINSZ

import pyte  # type: ignore[import-not-found,import-untyped,unused-ignore]
from rich.console import Console
from rich.style import Style
from rich.text import Text

from tests.doors.conftest import OFFLINE, ROOT, command
from tests.doors.conftest import environment as environment_of
from tests.pages.readme_picture import without_fonts

_WIDTH, _HEIGHT, _SECONDS = 124, 20, 20.0
_KEYS = ("fabricated-doi-1-lamport", "future-date-1-seq2seq")
_LUA = """
vim.opt.laststatus, vim.opt.showcmd, vim.opt.signcolumn, vim.opt.cmdheight = 0, false, "yes", 1
vim.diagnostic.config({ virtual_text = { prefix = "■" } })
vim.cmd("syntax on | edit refs.bib")
local command = vim.fn.json_decode(vim.env.CITECHECK_COMMAND)
local id = vim.lsp.start_client({ name = "citecheck", cmd = command, root_dir = vim.fn.getcwd() })
vim.lsp.buf_attach_client(0, id)
"""


def screen(folder: Path) -> pyte.Screen:
    """Return the screen of Neovim once the server has shown its findings."""
    script = folder / "editor.lua"
    script.write_text(_LUA)
    server = json.dumps(command("lsp", *OFFLINE))
    environment = environment_of() | {"TERM": "xterm-256color", "LANG": "C.UTF-8", "CITECHECK_COMMAND": server}
    process, terminal = pty.fork()
    if not process:
        os.chdir(folder)
        os.execvpe("nvim", ["nvim", "--clean", "-n", "-i", "NONE", "-c", f"luafile {script}"], environment)  # noqa: S606
    ioctl(terminal, TIOCSWINSZ, struct.pack("HHHH", _HEIGHT, _WIDTH, 0, 0))
    shown = pyte.Screen(_WIDTH, _HEIGHT)
    stream, end = pyte.ByteStream(shown), time.monotonic() + _SECONDS
    while time.monotonic() < end:
        if select.select([terminal], [], [], 0.2)[0]:
            stream.feed(os.read(terminal, 65536))
    os.write(terminal, b"\x1b:qall!\r")
    os.waitpid(process, 0)
    return shown


def picture() -> str:
    """Return an SVG of the screen."""
    parts = (ROOT / "fixtures/hallucinated.bib").read_text("utf-8").split("\n\n")
    chosen = [part[part.index("@") :].strip() for key in _KEYS for part in parts if f"{{{key}," in part]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "refs.bib").write_text("\n\n".join(chosen) + "\n", "utf-8")
        shown = screen(folder)
    console = Console(record=True, width=_WIDTH, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    for row in range(_HEIGHT - 1):
        line = Text()
        for column in range(_WIDTH):
            cell = shown.buffer[row][column]
            line.append(cell.data, Style(color=_colour(cell.fg), bold=cell.bold))
        console.print(line, no_wrap=True, overflow="crop")
    return without_fonts(console.export_svg(title="refs.bib - Neovim", unique_id="editor"))


def _colour(name: str) -> str | None:
    if name == "default":
        return None
    if len(name) == 6 and set(name) <= set("0123456789abcdef"):
        return f"#{name}"
    return name.replace("brown", "yellow").replace("bright", "bright_")


if __name__ == "__main__":
    if shutil.which("nvim") is None:
        raise SystemExit("Neovim is not installed")
    print(picture())
