"""The generated parts of the README and of the landing page: `python -m tests.pages` writes them anew."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

from pytest_citecheck.cli import DEMO, main
from pytest_citecheck.sources import SOURCES
from pytest_citecheck.thresholds import PRIOR_OF_MODELS, PRIOR_OF_PAPERS
from tests.pages.regions import in_region

_README = Path(__file__).parents[2] / "README.md"
LANDING = Path(__file__).parents[2] / "docs" / "index.md"
_COMMAND = "python -m tests.pages"


def readme() -> str:
    """The README with the output of the demonstration and the figures of today."""
    page = _with_demo(_README)
    services = len({source.label for source in SOURCES})
    page = in_region(
        page,
        "services",
        _COMMAND,
        f"citecheck queries up to {services} services ([sources](docs/sources.md)). Each reference gets one verdict:\n",
    )
    return in_region(
        page,
        "prior",
        _COMMAND,
        f"A missing reference means more where many are invented. citecheck expects {PRIOR_OF_PAPERS:.2%} in papers and "
        f"{PRIOR_OF_MODELS:.0%} in answers of\nlanguage models; `--citecheck-prior` changes that.\n",
    )


def landing() -> str:
    """The landing page with the output of the demonstration."""
    return _with_demo(LANDING)


def _with_demo(page: Path) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as shown:
        main(["demo"])
    output = shown.getvalue().replace(str(DEMO), "…/demo_data")
    return in_region(page.read_text(encoding="utf-8"), "demo", _COMMAND, f"```text\n{output}```\n")
