"""Whatever lies in the working folder, the citecheck command runs none of it."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from pytest_citecheck.cli import isolate, own_environment

ROOT = Path(__file__).parents[2]
COMMAND = Path(sys.executable).parent / "citecheck"
BOMB = "import pathlib\npathlib.Path('executed').touch()\n"
MODULES = (
    "pytest",
    "_pytest",
    "conftest",
    "plugin_of_mine",
    "pluggy",
    "httpx",
    "yaml",
    "rapidfuzz",
    "matplotlib",
    "numpy",
)
REPORT = '{"schema": "citecheck-report/1", "references": [], "statistics": {}, "summary": {}}'


@pytest.fixture
def stranger(pytester: pytest.Pytester) -> Path:
    """A folder that would run code in a pytest started there, or in any Python that imports from it."""
    folder = pytester.path
    for module in MODULES:
        (folder / f"{module}.py").write_text(BOMB)
    for name in ("pytest.ini", "tox.ini"):
        (folder / name).write_text(
            "[pytest]\npythonpath = .\naddopts = -p plugin_of_mine --no-such-option\n"
            "required_plugins = pytest-none-of-these\nfilterwarnings = error\n"
        )
    (folder / "pyproject.toml").write_text(
        "[tool.pytest.ini_options]\npythonpath = ['.']\naddopts = ['-p', 'plugin_of_mine']\n"
    )
    metadata = folder / "stranger.egg-info"
    metadata.mkdir()
    (metadata / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: stranger\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text("[pytest11]\ncitecheck = plugin_of_mine\nother = plugin_of_mine\n")
    (folder / "matplotlibrc").write_text("text.usetex: True\n")
    (folder / "test_mine.py").write_text("def test_mine(): assert False\n")
    (folder / "refs.bib").write_text("@misc{a, title = {T}, year = 2000}\n")
    (folder / "report.json").write_text(REPORT)
    return folder


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "path",
    [
        pytest.param("", id="as it is"),
        pytest.param(".", id="relative", marks=pytest.mark.exhaustive),
        pytest.param(os.pathsep, id="empty entries", marks=pytest.mark.exhaustive),
    ],
)
@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "--offline", "refs.bib"),
        pytest.param(("cache", "info"), marks=pytest.mark.exhaustive),
        pytest.param(("report", "report.json", "--markdown=out.md"), marks=pytest.mark.exhaustive),
    ],
    ids=lambda arguments: arguments[0],
)
def test_nothing_in_the_folder_is_run(
    stranger: Path, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, arguments: Sequence[str], path: str
) -> None:
    before = {one.name for one in stranger.rglob("*")}
    # What the interpreter itself imports at its start is up to the user's PYTHONPATH, whatever the command does.
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([os.environ["PYTHONPATH"], path]))
    monkeypatch.setenv("PYTEST_PLUGINS", "plugin_of_mine")
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p plugin_of_mine --no-such-option")
    result = pytester.run(COMMAND, *arguments)
    assert result.ret in (0, 3), result.stderr.str()  # 3: a check without a network
    left = {one.name for one in stranger.rglob("*")} - before - {"stdout", "stderr", "out.md"}
    assert not left


@pytest.mark.exhaustive
def test_plugins_of_the_environment_are_off(
    pytester: pytest.Pytester, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "noisy.py").write_text("raise RuntimeError('loaded')")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([os.environ["PYTHONPATH"], str(tmp_path / "elsewhere")]))
    monkeypatch.setenv("PYTEST_PLUGINS", "noisy")
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p noisy")
    pytester.makefile(".bib", refs="@misc{a, title = {T}, year = 2000}")
    assert pytester.run(COMMAND, "check", "--offline", "refs.bib").ret == 3


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_only_absolute_paths_apart_from_the_folder_are_imported_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link").symlink_to(tmp_path)
    monkeypatch.setattr(
        sys, "path", ["", ".", "src", str(tmp_path), str(tmp_path / "link"), str(ROOT), "/usr/lib/python"]
    )
    isolate()
    assert sys.path == [str(ROOT), "/usr/lib/python"]


def test_pytest_sees_no_plugins_and_arguments_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_ADDOPTS", "-x")
    monkeypatch.setenv("PYTEST_PLUGINS", "mine")
    before = dict(os.environ)
    with own_environment():
        assert {name for name in os.environ if name.startswith("PYTEST_")} & {
            "PYTEST_ADDOPTS",
            "PYTEST_PLUGINS",
        } == set()
        assert os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] == "1"
    assert dict(os.environ) == before


def test_the_folder_that_holds_this_package_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(sys, "path", [str(ROOT)])
    isolate()
    assert sys.path == [str(ROOT)]


@pytest.mark.exhaustive
def test_a_matplotlibrc_in_the_folder_is_not_read(stranger: Path, pytester: pytest.Pytester) -> None:
    pytest.importorskip("matplotlib")
    for path in stranger.glob("*.py"):
        path.unlink()
    code = "from pytest_citecheck.reports.charts import new_figure; new_figure(1, 1); import matplotlib; "
    result = pytester.run(sys.executable, "-P", "-c", code + "print(matplotlib.rcParams['text.usetex'])")
    assert result.outlines == ["False"]
