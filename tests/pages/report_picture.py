"""The picture of the page in docs/reports.md, from a real run: `python -m tests.pages.report_picture docs/report.png`."""

from __future__ import annotations

import base64
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.support.chromium import Chromium, find_chromium

_COMMAND = (
    "pytest --citecheck=fixtures/refs.bib --citecheck-selftest --citecheck-cassettes=cassettes "
    "--citecheck-html={page} -q -p no:cacheprovider"
)
_SIZE = (1280, 1000)


def picture(out: Path) -> None:
    """Write what a browser shows of the page of the command."""
    root = Path(__file__).parents[2]
    program = find_chromium()
    assert program is not None, "no Chromium is installed"
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        command = f"{Path(sys.executable).parent}/{_COMMAND.format(page=page)}"
        subprocess.run(command, shell=True, cwd=root, capture_output=True, check=False)  # noqa: S602
        with Chromium(program, Path(folder) / "profile") as browser:
            width, height = _SIZE
            browser.call(
                "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
            )
            browser.open(page.as_uri())
            shot = browser.call("Page.captureScreenshot", format="png")
            out.write_bytes(base64.b64decode(shot["data"]))


if __name__ == "__main__":
    picture(Path(sys.argv[1]))
