"""The page of ``citecheck serve`` in a real browser: a wrong reference is found without a terminal."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.doors.serving import PATIENCE, Server, page_server
from tests.support.chromium import Chromium, find_chromium

pytest.importorskip("starlette")
PROGRAM = find_chromium()
pytestmark = [
    pytest.mark.exhaustive,
    pytest.mark.skipif(PROGRAM is None, reason="there is no Chromium (apt-get install chromium)"),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with page_server(tmp_path_factory.mktemp("serve") / "tmp") as started:
        yield started


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    with Chromium(str(PROGRAM), tmp_path_factory.mktemp("profile")) as browser:
        browser.call("Target.setAutoAttach", autoAttach=True, waitForDebuggerOnStart=False, flatten=True)
        yield browser


@pytest.fixture
def browser(started: Chromium, server: Server) -> Iterator[Chromium]:
    started.console.clear()
    started.open(server.address)
    yield started
    started.call("Page.navigate", url="about:blank")
    until(lambda: not server.files)
    assert started.console == []


def until(holds: Any) -> Any:
    end = time.monotonic() + PATIENCE
    while not (value := holds()):
        assert time.monotonic() < end
        time.sleep(0.05)
    return value


def shows(browser: Chromium, part: str) -> bool:
    return bool(browser.run(f"!document.getElementById('{part}').hidden"))


def check(browser: Chromium, *paths: Path) -> None:
    """Choose files, check them, and wait for the report."""
    browser.frames.clear()
    browser.choose_files("document.getElementById('files')", *paths)
    browser.run("document.querySelector('.main').click()")
    until(lambda: shows(browser, "result"))


def in_report(browser: Chromium, script: str) -> Any:
    """The value of an expression in the frame of the report, once it has loaded."""
    browser.run("0")
    frame = until(lambda: browser.run("0") == 0 and browser.frames[-1:])[0]
    with browser.within(frame):
        until(
            lambda: browser.run("document.readyState === 'complete' && !!document.getElementById('count').textContent")
        )
        return browser.run(script)


def test_a_wrong_reference_is_found_and_corrected(browser: Chromium, few: Path, tmp_path: Path) -> None:
    browser.call("Page.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path / "down"))
    check(browser, few)
    assert browser.run("document.activeElement.id") == "result"
    assert in_report(browser, "document.getElementById('count').textContent") == "4 of 4 references"
    assert "does not exist" in in_report(browser, "document.body.textContent")
    assert in_report(browser, "window.origin") == "null"
    in_report(browser, "document.querySelector('.open-row').click()")
    in_report(browser, "document.querySelector('.copy').click()")
    assert until(lambda: in_report(browser, "document.querySelector('.copy').textContent") == "Copied")
    assert browser.run("document.querySelector('#fixes button').textContent") == "Download corrected refs.bib"
    browser.run("document.querySelector('#fixes button').click()")
    corrected = tmp_path / "down" / "refs-corrected.bib"
    until(corrected.exists)
    assert until(corrected.read_bytes) != few.read_bytes()
    browser.run("document.getElementById('csv').click()")
    until((tmp_path / "down" / "report.csv").exists)


def test_the_keyboard_is_enough(browser: Chromium) -> None:
    browser.run("document.getElementById('text').focus()")
    browser.call(
        "Input.insertText", text="@misc{x, title = {Quantum Zonal Gradients of Imaginary Cats}, year = {2021}}"
    )
    for _ in range(3):  # the box, the settings, the button
        browser.type("Tab", 9)
    assert browser.run("document.activeElement.textContent") == "Check"
    browser.type("Enter", 13)
    until(lambda: shows(browser, "result"))
    browser.run("document.getElementById('again').focus()")
    browser.type("Enter", 13)
    assert until(lambda: shows(browser, "form"))
    assert browser.run("document.activeElement.id") == "files"


def test_problems_are_announced(browser: Chromium, tmp_path: Path) -> None:
    browser.run("document.querySelector('.main').click()")
    until(lambda: shows(browser, "problem"))
    assert browser.run("document.querySelector('[role=alert]').textContent") == "Choose a file, or paste references."
    assert all("422" in one for one in browser.console)
    browser.console.clear()
    broken = tmp_path / "broken.docx"
    broken.write_bytes(b"nothing")
    browser.choose_files("document.getElementById('files')", broken)
    browser.run("document.querySelector('.main').click()")
    said = "broken.docx is not a Word document"
    until(lambda: browser.run("document.getElementById('problem').textContent") == said)
    assert shows(browser, "form")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 375])
def test_every_control_has_a_name_and_fits(browser: Chromium, few: Path, width: int, theme: str) -> None:
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
    browser.call("Emulation.setDeviceMetricsOverride", **size)
    browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
    browser.run("document.querySelector('details').open = true")
    seen = nameless(browser)
    assert browser.run("document.documentElement.scrollWidth") <= width
    check(browser, few)
    assert [*seen, *nameless(browser)] == []
    assert browser.run("document.documentElement.scrollWidth") <= width
    dark = browser.run("getComputedStyle(document.body).backgroundColor") == "rgb(20, 23, 26)"
    assert dark == (theme == "dark")


def nameless(browser: Chromium) -> list[str]:
    """Roles of the controls without a name in the tree for screen readers."""
    roles = {"button", "link", "textbox", "checkbox", "combobox", "progressbar", "Iframe"}
    nodes = [one for one in browser.call("Accessibility.getFullAXTree")["nodes"] if not one["ignored"]]
    found = [one for one in nodes if one["role"]["value"] in roles]
    assert found
    return [one["role"]["value"] for one in found if not one.get("name", {}).get("value")]
