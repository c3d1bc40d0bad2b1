"""How a command runs: each failure becomes one line and an exit code."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from pytest_citecheck.cli.interruption import interrupted_once
from pytest_citecheck.cli.screen import USAGE, UsageError, complain

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

__all__ = ["NotDoneError", "guarded"]

_OF_EXTRAS = frozenset({"numpy", "choix", "scipy", "junitparser", "pyarrow", "duckdb", "fsspec", "shtab"})
_INTERRUPTED = 130


class NotDoneError(Exception):
    """The files are readable, but the command cannot do its work with them; the message says why."""


def guarded(
    name: str,
    run: Callable[[argparse.Namespace], int],
    *,
    extra: str = "metrics",
    interrupted: str = "",
) -> Callable[[argparse.Namespace], int]:
    """The command with its errors caught: exit code 1 for NotDoneError, 4 for UsageError or a missing extra, 130 for Ctrl-C.

    extra: the extra that installs the optional libraries. interrupted: the state of the files after Ctrl-C, if the
    KeyboardInterrupt does not state it. A second Ctrl-C during the cleanup is ignored.
    """

    def run_guarded(chosen: argparse.Namespace) -> int:
        try:
            with interrupted_once():
                return run(chosen)
        except UsageError as error:
            complain(f"{name}: error: {error}")
            return USAGE
        except ModuleNotFoundError as error:
            if error.name not in _OF_EXTRAS:
                raise
            complain(f"{name}: error: this command needs {error.name}: pip install 'pytest-citecheck[{extra}]'")
            return USAGE
        except NotDoneError as error:
            complain(f"{name}: {error}")
            return 1
        except KeyboardInterrupt as interrupt:
            state = interrupt.args[0] if interrupt.args else interrupted
            complain(f"{name}: interrupted; {state}" if state else f"{name}: interrupted")
            return _INTERRUPTED
        except BrokenPipeError:  # such as `| head`
            sys.stdout = None
            return 1

    return run_guarded
