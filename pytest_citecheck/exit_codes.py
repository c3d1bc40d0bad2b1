"""Exit codes: one table for the commands that check references, and for pytest with the plugin."""

from __future__ import annotations

from typing import Final, NamedTuple

CHECKED: Final = 0
ERRORS: Final = 1
USAGE: Final = 2
UNCHECKED: Final = 3
NOTHING: Final = 5
INTERNAL: Final = 70  # EX_SOFTWARE in sysexits.h
INTERRUPTED: Final = 130


class ExitCode(NamedTuple):
    """A row. in_pytest: how a run of pytest differs, whose own codes come first; empty if it does not."""

    code: int
    meaning: str
    in_pytest: str = ""


EXIT_CODES: Final = (
    ExitCode(CHECKED, "checked, without an error"),
    ExitCode(ERRORS, "errors were found, or a score threshold was missed"),
    ExitCode(
        USAGE, "wrong usage, or a file that cannot be read",
        "pytest reports wrong usage as 4, and a file that cannot be read, or Ctrl-C, as 2",
    ),
    ExitCode(
        UNCHECKED, "not enough evidence: no source answered, no claim was decided, or `--min-checked` was missed",
        "also an internal error of pytest",
    ),
    ExitCode(NOTHING, "nothing to check: no reference in the files, or none of the selected checks"),
    ExitCode(INTERNAL, "internal error", "3"),
    ExitCode(INTERRUPTED, "interrupted (Ctrl-C)", "2"),
)  # fmt: skip
SUMMARY: Final = "Exit code: 0 no error, 1 errors, 2 usage, 3 not enough evidence, 5 nothing to check."
"""For the help of commands."""
