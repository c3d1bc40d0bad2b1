"""The pictures of docs/reports.md, from real runs on the fixtures: `python -m tests.pages.screens`."""

from __future__ import annotations

import base64
import io
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

from tests.support.chromium import Chromium, find_chromium

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "screens"
_CHECK = ["check", "fixtures/hallucinated.bib", "fixtures/refs.bib", "--cassettes=cassettes"]
_SELECTED = ["-k", "near-miss-title-2 or hypergradient"]
_COLUMNS = 80


def write_screens() -> None:
    """Write the pictures of the page at two widths, dark and printed, and of a terminal."""
    FOLDER.mkdir(exist_ok=True)
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
                taken = browser.call("Page.captureScreenshot", format="png")
                (FOLDER / f"{picture}.png").write_bytes(base64.b64decode(taken["data"]))
    run = subprocess.run([program, *_CHECK, *_SELECTED], cwd=ROOT, capture_output=True, text=True, check=False)
    console = Console(record=True, width=_COLUMNS, file=io.StringIO(), force_terminal=True)
    console.print(f"$ citecheck {' '.join([_CHECK[0], _CHECK[1], *_CHECK[3:]])} -k …", style="bold", highlight=False)
    console.print(Text.from_ansi(run.stdout.rstrip()))
    svg = console.export_svg(title="citecheck check", unique_id="citecheck")
    text = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL).replace("Fira Code", "monospace")
    (FOLDER / "terminal-80.svg").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_screens()
