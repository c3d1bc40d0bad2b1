"""The pictures of docs/reports.md and docs/serve.md, from real runs on the fixtures: `python -m tests.pages.screens`."""

from __future__ import annotations

import base64
import io
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.text import Text

from tests.doors.serving import page_server
from tests.support.chromium import Chromium, find_chromium

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "screens"
_CHECK = ["check", "fixtures/hallucinated.bib", "fixtures/refs.bib", "--cassettes=cassettes"]
_SELECTED = ["-k", "near-miss-title-2 or hypergradient"]
_COLUMNS = 80


def write_screens() -> None:
    """Write the pictures of the page at two widths, dark and printed, of a terminal, and of `citecheck serve`."""
    FOLDER.mkdir(exist_ok=True)
    _write_serve()
    program = Path(sys.executable).parent / "citecheck"
    with tempfile.TemporaryDirectory() as name:
        page = Path(name) / "page.html"
        subprocess.run([program, *_CHECK, "-q", f"--html={page}"], cwd=ROOT, capture_output=True, check=False)
        with Chromium(str(find_chromium()), Path(name) / "profile") as browser:
            for picture, width, height, media, theme in (
                ("page-390", 390, 1100, "screen", "light"),
                ("page-1280", 1280, 900, "screen", "light"),
                ("page-dark", 1280, 900, "screen", "dark"),
                ("page-print", 794, 1123, "print", "light"),
            ):
                browser.call(
                    "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
                )
                browser.call("Emulation.setEmulatedMedia", media=media)
                browser.open(page.as_uri() + ("#verdict=fabricated" if media == "print" else ""))
                browser.run(f"document.documentElement.dataset.theme = '{theme}'")
                if width > 1000:
                    browser.run("document.querySelectorAll('.open-row')[8].click()")
                    browser.run("document.getElementById('references').scrollIntoView()") if theme == "dark" else None
                _save(browser, picture)
    run = subprocess.run([program, *_CHECK, *_SELECTED], cwd=ROOT, capture_output=True, text=True, check=False)
    console = Console(record=True, width=_COLUMNS, file=io.StringIO(), force_terminal=True)
    console.print(f"$ citecheck {' '.join([_CHECK[0], _CHECK[1], *_CHECK[3:]])} -k …", style="bold", highlight=False)
    console.print(Text.from_ansi(run.stdout.rstrip()))
    svg = console.export_svg(title="citecheck check", unique_id="citecheck")
    text = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL).replace("Fira Code", "monospace")
    (FOLDER / "terminal-80.svg").write_text(text, encoding="utf-8")


def _write_serve() -> None:
    with (
        tempfile.TemporaryDirectory() as name,
        page_server(Path(name) / "tmp") as server,
        Chromium(str(find_chromium()), Path(name) / "profile") as browser,
    ):
        size = {"width": 1000, "height": 700, "deviceScaleFactor": 1, "mobile": False}
        browser.call("Emulation.setDeviceMetricsOverride", **size)
        browser.open(server.address)
        browser.choose_files("document.getElementById('files')", ROOT / "fixtures" / "hallucinated.bib")
        _save(browser, "serve-form")
        browser.run("document.querySelector('.main').click()")
        while browser.run("document.getElementById('result').hidden"):
            time.sleep(0.1)
        time.sleep(2)  # the report draws itself in another process
        _save(browser, "serve-result")


def _save(browser: Chromium, picture: str) -> None:
    taken = browser.call("Page.captureScreenshot", format="png")
    (FOLDER / f"{picture}.png").write_bytes(base64.b64decode(taken["data"]))


if __name__ == "__main__":
    write_screens()
