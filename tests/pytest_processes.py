"""Runs of pytest in processes of their own, which ask the local services."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

__all__ = ["arguments", "start"]


def arguments(base_urls: Mapping[str, str], rate: float, *options: str, module: str = "pytest") -> list[str]:
    """The command line of a run over refs.bib that asks each of these services ``rate`` times a second at most."""
    return [
        sys.executable,
        "-m",
        module,
        "--citecheck=refs.bib",
        "-p",
        "no:cacheprovider",
        "--tb=no",
        *(f"--citecheck-base-url={name}={url}" for name, url in base_urls.items()),
        *(f"--citecheck-rate={name}={rate:g}" for name in base_urls),
        *options,
    ]


def start(command: list[str], folder: Path, environment: Mapping[str, str]) -> subprocess.Popen[str]:
    """Start a run in this folder; of what is installed beside, it loads nothing but this plugin."""
    own = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_PLUGINS": "pytest_citecheck.plugin"}
    return subprocess.Popen(
        command,
        cwd=folder,
        env={**environment, **own},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
