"""The picture of the README, from a real run: `python -m tests.pages.readme_picture > docs/output.svg`."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

_COMMAND = (
    "pytest --citecheck=fixtures/hallucinated.bib --citecheck-cassettes=cassettes "
    "-k 'near-miss-title-2 or hypergradient'"
)
_WIDTH = 124


def picture() -> str:
    """Return an SVG of the command's output, in the colours of a terminal."""
    root = Path(__file__).parents[2]
    program = f"{Path(sys.executable).parent}/{_COMMAND} --color=yes --no-header -p no:cacheprovider"
    environment = os.environ | {"COLUMNS": str(_WIDTH - 2), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    environment["PYTEST_PLUGINS"] = "pytest_citecheck.plugin"
    run = subprocess.run(program, shell=True, cwd=root, env=environment, capture_output=True, text=True, check=False)  # noqa: S602
    console = Console(record=True, width=_WIDTH, file=io.StringIO(), force_terminal=True)
    console.print(f"$ {_COMMAND}", style="bold", highlight=False)
    console.print(Text.from_ansi(run.stdout.rstrip()))
    return without_fonts(console.export_svg(title="pytest-citecheck", unique_id="citecheck"))


def without_fonts(svg: str) -> str:
    """Return the picture without fonts from the network: any fixed-width font will do."""
    return re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL).replace("Fira Code", "monospace")


if __name__ == "__main__":
    print(picture())
