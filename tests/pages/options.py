"""The page docs/options.md from the table of options: `python -m tests.pages`."""

from __future__ import annotations

from pytest_citecheck.plugin import OPTIONS

_HEAD = """# Options

You can set an option on the command line, in the environment or in the ini file (`pytest.ini`, or `[tool.pytest.ini_options]`
in `pyproject.toml`). The command line overrides the environment, and the environment overrides the ini file. A relative path
in the ini file is relative to that file.

`pytest --help` lists the options that most runs need. All others work too: set them in the ini file, or pass the flag.

`citecheck FILE…` takes the same options without the prefix: `--citecheck-offline` becomes `--offline`. It reads a
settings file only if you name it with `--config=FILE` or trust its folder (`citecheck trust`), and never takes servers or keys
from it.

| flag | ini file | environment | meaning |
|---|---|---|---|
| `--citecheck[=PATH]` | `citecheck_files` | | Check the references in this file, folder or glob; repeatable, comma-separated. \
Several files are one bibliography: `@string` macros, `crossref` and `xdata` reach across them, in any order. \
With a path, the project's own tests run only if you name them too. Without one, check the BibTeX files (`.bib`, `.bibtex`, \
`.biblatex`) and folders given as arguments. Files named in the ini file are checked together with the tests of a plain \
`pytest` run. |
"""

_TAIL = """
## Markers

`-m doi` selects the checks of DOIs, `-m "doi or title"` two checks, `-m citecheck` all checks of references: every item has
the marker of its [check](checks.md), such as `doi` or `syntax`, and `citecheck(check='…')`. If your project uses one of these
names for its own tests, select by the namespaced form:

```console
pytest --citecheck=refs.bib -m "citecheck(check='title')"   # the checks of titles, not your own tests marked `title`
pytest --citecheck=refs.bib test_paper.py -m "not citecheck"  # your own tests only
```

Names that your ini file registers keep your description in `pytest --markers`.

`python -m tests.pages` writes this page from the table in
`pytest_citecheck/plugin/options.py`.
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
