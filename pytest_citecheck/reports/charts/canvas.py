"""What all charts share: matplotlib if it is there, fonts that have the characters, distinct colours, the same bytes again."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator
from contextlib import chdir, contextmanager
from pathlib import Path
from typing import Any, Literal

from pytest_citecheck.reports.safe_text import safe_line
from pytest_citecheck.whole_file import whole_file

__all__ = ["FORMATS", "ChartFormat", "canvas", "colours", "lacking_font", "new_figure", "save", "shown"]

ChartFormat = Literal["png", "svg", "pdf"]
FORMATS: tuple[ChartFormat, ...] = ("png", "svg", "pdf")

# Colours that stay apart for every kind of colour vision (Okabe and Ito, "Color Universal Design", 2008).
_OKABE_ITO = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#000000")
# Chinese, Japanese and Korean fonts under the names that common systems give them.
_CJK_FONTS = (
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Noto Sans SC",
    "Source Han Sans SC",
    "WenQuanYi Zen Hei",
    "WenQuanYi Micro Hei",
    "Droid Sans Fallback",
    "PingFang SC",
    "Hiragino Sans GB",
    "Microsoft YaHei",
    "SimHei",
    "Arial Unicode MS",
)
_CJK = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")


def load_matplotlib() -> None:
    """Import matplotlib, if it has not been, without the ``matplotlibrc`` that may lie in the working folder.

    matplotlib evaluates parts of that file, and starts LaTeX if it says so
    (https://matplotlib.org/stable/users/explain/customizing.html). That of the user counts. Raises ModuleNotFoundError.
    """
    with chdir(Path(__file__).parent):
        import matplotlib  # noqa: F401, PLC0415


def new_figure(width: float, height: float) -> Any:
    """An empty matplotlib figure of this size in inches.

    Raises ModuleNotFoundError, naming the extra, without matplotlib.
    """
    try:
        load_matplotlib()
        from matplotlib.figure import Figure  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("a chart needs matplotlib: pip install pytest-citecheck[charts]") from error
    return Figure(figsize=(width, height), layout="constrained")


def shown(text: object) -> str:
    """A name from outside as matplotlib draws it: one line, no control characters, a dollar sign is no formula."""
    return safe_line(str(text)).replace("$", r"\$")


def colours(count: int) -> list[Any]:
    """As many distinct colours: up to eight of Okabe and Ito's, more from one end of a colour map to the other."""
    if count <= len(_OKABE_ITO):
        return list(_OKABE_ITO[:count])
    from matplotlib import colormaps  # noqa: PLC0415

    return [tuple(colormaps["turbo"](place / (count - 1))) for place in range(count)]


def _cjk_font() -> str | None:
    from matplotlib import font_manager  # noqa: PLC0415

    installed = {font.name for font in font_manager.fontManager.ttflist}
    return next((name for name in _CJK_FONTS if name in installed), None)


def lacking_font(texts: Iterable[str]) -> bool:
    """Whether these texts hold characters of East Asian scripts for which no known font is installed."""
    return any(_CJK.search(text) for text in texts) and _cjk_font() is None


@contextmanager
def canvas() -> Iterator[None]:
    """Draw and save within this: with fonts for East Asian characters where there are any, and without random ids."""
    load_matplotlib()
    from matplotlib import rc_context  # noqa: PLC0415

    families = ["DejaVu Sans", *filter(None, [_cjk_font()])]
    with rc_context({"svg.hashsalt": "pytest-citecheck", "font.family": families}), warnings.catch_warnings():
        # lacking_font says it once; matplotlib would say it for every character.
        warnings.filterwarnings("ignore", message=r"Glyph \d+ .*missing from")
        yield


def save(figure: Any, path: Path) -> None:
    """Write the figure without a date, so that the same scores give the same file. The suffix chooses the format.

    Raises ValueError for a format that matplotlib does not know.
    """
    undated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(path.suffix.lower())
    with whole_file(path) as file:
        figure.savefig(file, dpi=150, metadata=undated, format=path.suffix[1:] or None)
