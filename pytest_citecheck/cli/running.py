"""Running a command: its failures as one line each, with their exit codes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from pytest_citecheck.cli.interruption import interrupted_once
from pytest_citecheck.cli.screen import UsageError, complain

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

__all__ = ["NotDoneError", "guarded"]

_OF_EXTRAS = frozenset({"numpy", "choix", "scipy", "junitparser"})
_INTERRUPTED = 130


class NotDoneError(Exception):
    """The files can be read, but there is nothing in them that can be done; the text says why."""


def guarded(
    name: str, run: Callable[[argparse.Namespace], int], *, extra: str = "metrics", interrupted: str = ""
) -> Callable[[argparse.Namespace], int]:
    """The command with its errors caught: 1 for NotDoneError, 4 for UsageError and a missing extra, 130 for Ctrl-C.

    extra: which one has the libraries that may be missing. interrupted: how Ctrl-C leaves the files, where the KeyboardInterrupt
    does not say so itself. A second Ctrl-C while the first one is cleaned up after is not heard.
    """

    def run_guarded(chosen: argparse.Namespace) -> int:
        try:
            with interrupted_once():
                return run(chosen)
        except UsageError as error:
            complain(f"{name}: error: {error}")
            return 4
        except ModuleNotFoundError as error:
            if error.name not in _OF_EXTRAS:
                raise
            complain(f"{name}: error: it needs {error.name}: pip install 'pytest-citecheck[{extra}]'")
            return 4
        except NotDoneError as error:
            complain(f"{name}: {error}")
            return 1
        except KeyboardInterrupt as interrupt:
            state = interrupt.args[0] if interrupt.args else interrupted
            complain(f"{name}: interrupted; {state}" if state else f"{name}: interrupted")
            return _INTERRUPTED
        except BrokenPipeError:  # of a reader such as head
            sys.stdout = None
            return 1

    return run_guarded
