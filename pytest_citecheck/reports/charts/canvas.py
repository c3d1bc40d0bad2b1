"""The base of all charts: loading matplotlib, fonts, colours, reproducible files."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from contextlib import chdir, contextmanager
from pathlib import Path
from typing import Any, Literal

from pytest_citecheck.reports.safe_text import safe_line
from pytest_citecheck.text.patterns import lazy_pattern
from pytest_citecheck.whole_file import whole_file

__all__ = ["FORMATS", "ChartFormat", "canvas", "colours", "is_font_missing", "new_figure", "save", "shown"]

ChartFormat = Literal["png", "svg", "pdf"]
FORMATS: tuple[ChartFormat, ...] = ("png", "svg", "pdf")

# Colours that everyone can tell apart (Okabe and Ito, "Color Universal Design", 2008).
_OKABE_ITO = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#000000")
# Chinese, Japanese and Korean fonts of common systems.
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
_CJK = lazy_pattern("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")


def load_matplotlib() -> None:
    """Import matplotlib without reading a ``matplotlibrc`` in the working folder. Raises ModuleNotFoundError.

    matplotlib evaluates parts of that file and can start LaTeX
    (https://matplotlib.org/stable/users/explain/customizing.html). The user's own file still applies.
    """
    with chdir(Path(__file__).parent):
        import matplotlib  # noqa: F401, PLC0415


def new_figure(width: float, height: float) -> Any:
    """An empty matplotlib figure of this size in inches.

    Raises ModuleNotFoundError, which names the extra, if matplotlib is missing.
    """
    try:
        load_matplotlib()
        from matplotlib.figure import Figure  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("charts need matplotlib: pip install 'pytest-citecheck[charts]'") from error
    return Figure(figsize=(width, height), layout="constrained")


def shown(text: object) -> str:
    """A text from outside for matplotlib: one line, without control characters, with dollar signs escaped."""
    return safe_line(str(text)).replace("$", r"\$")


def colours(count: int) -> list[Any]:
    """This many distinct colours: up to eight of Okabe and Ito's, more from a colour map."""
    if count <= len(_OKABE_ITO):
        return list(_OKABE_ITO[:count])
    from matplotlib import colormaps  # noqa: PLC0415

    return [tuple(colormaps["turbo"](place / (count - 1))) for place in range(count)]


def _cjk_font() -> str | None:
    from matplotlib import font_manager  # noqa: PLC0415

    installed = {font.name for font in font_manager.fontManager.ttflist}
    return next((name for name in _CJK_FONTS if name in installed), None)


def is_font_missing(texts: Iterable[str]) -> bool:
    """Whether these texts contain East Asian characters and no known font for them is installed."""
    return any(_CJK.search(text) for text in texts) and _cjk_font() is None


@contextmanager
def canvas() -> Iterator[None]:
    """The matplotlib settings for drawing and saving: fonts for East Asian characters, no random ids."""
    load_matplotlib()
    from matplotlib import rc_context  # noqa: PLC0415

    families = ["DejaVu Sans", *filter(None, [_cjk_font()])]
    with rc_context({"svg.hashsalt": "pytest-citecheck", "font.family": families}), warnings.catch_warnings():
        # is_font_missing reports it once; matplotlib would warn for every character.
        warnings.filterwarnings("ignore", message=r"Glyph \d+ .*missing from")
        yield


def save(figure: Any, path: Path, dpi: int = 150) -> None:
    """Write the figure without a date, so that the same scores give the same file. The suffix selects the format.

    Raises ValueError for a format that matplotlib does not know.
    """
    undated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(path.suffix.lower())
    with whole_file(path) as file:
        figure.savefig(file, dpi=dpi, metadata=undated, format=path.suffix[1:] or None)
