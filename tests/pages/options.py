"""The page docs/options.md from the table of options: `python -m tests.pages.options > docs/options.md`."""

from __future__ import annotations

from pytest_citecheck.plugin.settings.options import OPTIONS

__all__ = ["options_page"]

_HEAD = """# Options

Written from the table in `pytest_citecheck/plugin/settings/options.py` by `python -m tests.pages.options > docs/options.md`.
Precedence: command line, then environment, then ini file (`pytest.ini`, or `[tool.pytest.ini_options]` in
`pyproject.toml`), then default. Relative paths in the ini file are relative to it.

`citecheck check FILE…` takes the same options without the prefix: `--citecheck-offline` is `--offline` there. Settings files it
reads only if named with `--config=FILE`, or if their folder is trusted (`citecheck trust`), and never servers or keys from them.

| flag | ini file | environment | meaning |
|---|---|---|---|
| `--citecheck[=PATH]` | `citecheck_files` | | Check the references of this bibliography; repeatable, comma-separated, globs. \
With a path, the project's tests do not run unless they are named too. Without one: the BibTeX files named as arguments \
(`.bib`, `.bibtex`, `.biblatex`), or \
found in the folders named. Files in the ini file are checked along with the tests of a plain `pytest`. |
"""

_TAIL = """
## Markers

`-m doi` selects the checks of DOIs, `-m "doi or title"` two checks, `-m citecheck` all checks of references: every item has
the marker of its check (`doi`, `title`, `authors`, `venue`, `completeness`, `cross_db`, `syntax`) and
`citecheck(check='…')`. If your project uses one of these names for its own tests, select by the namespaced form:

```console
pytest --citecheck=refs.bib -m "citecheck(check='title')"   # the checks of titles, not your own tests marked `title`
pytest --citecheck=refs.bib -m "not citecheck"              # your own tests only
```

Names that your ini file registers keep your description in `pytest --markers`.
"""


def options_page() -> str:
    """The whole page."""
    rows = []
    for option in OPTIONS:
        flag = (
            option.flag
            and f"`{option.flag}{'=' + option.metavar.replace('|', chr(92) + '|') if option.metavar else ''}`"
        )
        ini = option.ini and f"`{option.ini}`"
        env = option.env and f"`{option.env}`"
        rows.append(f"| {flag} | {ini} | {env} | {option.help.replace('|', chr(92) + '|')} |\n")
    return _HEAD + "".join(rows) + _TAIL


if __name__ == "__main__":
    print(options_page(), end="")
