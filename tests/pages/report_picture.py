"""The pictures of pages, from real runs: `python -m tests.pages.report_picture docs/report.png`, `… docs/claims.png`.

The second shows claims, from their heading on.
"""

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
_CLAIMS = (
    "pytest --citecheck=fixtures/claims/claims.json --citecheck-claims=fixtures/claims/judges.yaml -W ignore "
    "--citecheck-cassettes=fixtures/claims/cassettes --citecheck-html={page} -q -p no:cacheprovider"
)
_SCROLL = "document.getElementById('claims-head').scrollIntoView()"
_SIZE = (1280, 1000)


def picture(out: Path) -> None:
    """Save a browser's screenshot of the report page."""
    root = Path(__file__).parents[2]
    program = find_chromium()
    assert program is not None, "no Chromium is installed"
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        claims = out.stem == "claims"
        command = f"{Path(sys.executable).parent}/{(_CLAIMS if claims else _COMMAND).format(page=page)}"
        subprocess.run(command, shell=True, cwd=root, capture_output=True, check=False)  # noqa: S602
        with Chromium(program, Path(folder) / "profile") as browser:
            width, height = _SIZE
            browser.call(
                "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
            )
            browser.open(page.as_uri())
            if claims:
                browser.call("Runtime.evaluate", expression=_SCROLL)
            shot = browser.call("Page.captureScreenshot", format="png")
            out.write_bytes(base64.b64decode(shot["data"]))


if __name__ == "__main__":
    picture(Path(sys.argv[1]))
