"""Accessibility of the site, of `citecheck serve` and of the HTML report: `python -m tests.pages.axe` runs axe-core on each page.

It needs npm for axe-core, and Chromium, and prints why it skips where one is missing. Build the site first (mkdocs build).
"""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.doors.serving import page_server
from tests.support.chromium import Chromium, find_chromium

ROOT = Path(__file__).parents[2]
SITE = ROOT / "build" / "site"
_AXE = ROOT / "build" / "axe"
_VERSION = "4.14.1"
_SECONDS = 60  # for the installation of axe-core
_WITHOUT_MENU = "{exclude: [['.md-sidebar--primary']]}"  # it is the same on each page of the site
_THEMES: dict[str, dict[str, Any]] = {"light": {}, "dark": {"runOnly": ["color-contrast", "link-in-text-block"]}}
"""Options of axe-core by theme: the second theme differs in its colours only."""


def axe_core() -> str:
    """The script of axe-core. Raises OSError or subprocess.SubprocessError if it cannot be installed."""
    script = _AXE / "node_modules" / "axe-core" / "axe.min.js"
    if not script.exists():
        npm = shutil.which("npm") or "npm"
        line = [npm, "install", "--prefix", str(_AXE), "--ignore-scripts", f"axe-core@{_VERSION}"]
        subprocess.run(line, check=True, timeout=_SECONDS, capture_output=True)
    return script.read_text("utf-8")


def violations(browser: Chromium, script: str, context: str = "document") -> Iterator[str]:
    """The violations on the page that the browser shows in both themes, with the first element of each."""
    browser.run(f"{script};0")
    for theme, options in _THEMES.items():
        browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
        asked = json.dumps({"resultTypes": ["violations"], "preload": False, **options})
        found = browser.run(f"axe.run({context}, {asked}).then((one) => JSON.stringify(one.violations))")
        yield from (f"{theme}: {_line(one)}" for one in json.loads(found))


def _line(one: Any) -> str:
    first = one["nodes"][0]
    said = " ".join(f"{first['html'][:160]} {first['failureSummary'][:300]}".split())
    return f"{one['id']}, {len(one['nodes'])} elements: {said}"


@contextlib.contextmanager
def _served() -> Iterator[str]:
    """The address of the site on a server: a file has no search."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Silent, directory=str(SITE))) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class _Silent(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Write nothing."""


def _pages(browser: Chromium, site: str, folder: Path) -> Iterator[str]:
    """Open each page after the other; yields its name."""
    for page in sorted(set(SITE.rglob("*.html")) - {SITE / "404.html"}):  # its links begin at the root of a server
        name = page.relative_to(SITE).as_posix()
        browser.open(f"{site}/{name}")
        yield name
    report = folder / "report.html"
    line = ["check", "fixtures/hallucinated.bib", "--cassettes=cassettes", "-q", f"--html={report}"]
    subprocess.run([sys.executable, "-m", "pytest_citecheck", *line], cwd=ROOT, capture_output=True, check=False)
    browser.open(f"{report.as_uri()}#verdict=misdescribed")
    browser.run("document.querySelectorAll('.open-row')[1].click()")
    yield "the HTML report"
    with page_server(folder / "tmp") as server:
        browser.open(server.address)
        browser.run("document.querySelector('details').open = true")
        yield "citecheck serve"
        browser.choose_files("document.getElementById('files')", ROOT / "fixtures" / "conventions.bib")
        browser.run("document.querySelector('.main').click()")
        while browser.run("document.getElementById('result').hidden"):
            time.sleep(0.1)
        yield "the result of citecheck serve"


def main() -> int:
    """Print each violation. Returns 1 if there is one."""
    program = find_chromium()
    if program is None or not SITE.exists():
        print("skipped: there is no Chromium" if program is None else f"skipped: {SITE} does not exist")
        return 0
    try:
        script = axe_core()
    except (OSError, subprocess.SubprocessError) as error:
        print(f"skipped: axe-core cannot be installed ({error})")
        return 0
    pages, found = 0, 0
    with _served() as site, tempfile.TemporaryDirectory() as name, Chromium(program, Path(name) / "profile") as browser:
        for page in _pages(browser, site, Path(name)):
            pages += 1
            for one in violations(browser, script, "document" if page == "index.html" else _WITHOUT_MENU):
                found += 1
                print(f"{page}, {one}")
    print(f"{pages} pages, {found} violations")
    return min(found, 1)


if __name__ == "__main__":
    sys.exit(main())
