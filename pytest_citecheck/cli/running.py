"""Execution of a command: each failure becomes one line and an exit code."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from pytest_citecheck.cli.commands import UsageError, argument, complain
from pytest_citecheck.exit_codes import ERRORS, INTERRUPTED, USAGE

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from pytest_citecheck.cli.commands import Commands


class _Interrupt(KeyboardInterrupt):
    """A KeyboardInterrupt that supports weak references."""


class _Once:
    """A SIGINT handler that raises KeyboardInterrupt, but not while an earlier one still propagates."""

    def __init__(self) -> None:
        self._last: weakref.ref[_Interrupt] | None = None

    @property
    def under_way(self) -> bool:
        return self._last is not None and self._last() is not None

    def __call__(self, _number: int, _frame: object) -> None:
        if not self.under_way:
            raise self._begun()

    def _begun(self) -> _Interrupt:
        # Create it outside the frame that raises it: otherwise traceback and frame would keep it alive for ever.
        interrupt = _Interrupt()
        self._last = weakref.ref(interrupt)
        return interrupt


@contextlib.contextmanager
def interrupted_once() -> Iterator[None]:
    """Raise KeyboardInterrupt in the block at the first SIGINT, and ignore further ones while it propagates.

    Python drops an exception raised in a destructor or a weak reference callback; the next SIGINT then raises again. After the
    interrupt has left the block, SIGINT stays ignored, because the process is about to end. Outside the main thread, or if
    SIGINT already has another handler, this does nothing.
    """
    in_main_thread = threading.current_thread() is threading.main_thread()
    if not in_main_thread or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    once = _Once()
    signal.signal(signal.SIGINT, once)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN if once.under_way else signal.default_int_handler)


_OF_EXTRAS = frozenset(
    {
        *("numpy", "choix", "scipy", "junitparser", "pyarrow", "duckdb", "fsspec", "shtab"),
        *("mcp", "pygls", "lsprotocol", "starlette", "uvicorn", "python_multipart"),
    }
)


class NotDoneError(Exception):
    """The files are readable, but the command failed; the message has the reason. code: the exit code."""

    def __init__(self, message: str, code: int = ERRORS) -> None:
        super().__init__(message)
        self.code = code


def guarded(
    name: str, run: Callable[[argparse.Namespace], int] | str, *, extra: str = "metrics", interrupted: str = ""
) -> Callable[[argparse.Namespace], int]:
    """The command with its errors caught: ``ERRORS`` for NotDoneError, ``USAGE`` for UsageError, a missing extra
    or a file that cannot be read or written, ``INTERRUPTED`` for Ctrl-C.

    run: the function, or ``module:function`` if it is slow to import.

    extra: the extra that installs the optional libraries. interrupted: the state of the files after Ctrl-C, if the
    KeyboardInterrupt does not state it. A second Ctrl-C during the cleanup is ignored.
    """

    def run_guarded(chosen: argparse.Namespace) -> int:
        try:
            with interrupted_once():
                if not isinstance(run, str):
                    return run(chosen)
                module, _, function = run.partition(":")
                return int(getattr(import_module(f"pytest_citecheck.{module}"), function)(chosen))
        except UsageError as error:
            complain(f"{name}: error: {error}")
            return USAGE
        except ModuleNotFoundError as error:
            if error.name not in _OF_EXTRAS:
                raise
            complain(f"{name}: error: this command needs {error.name}: pip install '.[{extra}]' in a checkout")
            return USAGE
        except NotDoneError as error:
            complain(f"{name}: {error}")
            return error.code
        except KeyboardInterrupt as interrupt:
            state = interrupt.args[0] if interrupt.args else interrupted
            complain(f"{name}: interrupted; {state}" if state else f"{name}: interrupted")
            return INTERRUPTED
        except BrokenPipeError:  # such as `| head`
            sys.stdout = None
            return 1
        except OSError as error:
            if error.filename is None:
                raise
            complain(f"{name}: error: {error.filename}: {error.strerror or error}")
            return USAGE

    return run_guarded


def command(
    commands: Commands, name: str, summary: str, about: str, run: Callable[[argparse.Namespace], int] | str, **more: str
) -> argparse.ArgumentParser:
    """Add a command. more: as for `guarded`. summary, about: its help in the list of commands, and on its own."""
    parser = commands.add_parser(name, help=summary, description=about)
    parser.set_defaults(run=guarded(parser.prog, run, **more))
    return parser


def refuse_overwrite(outputs: Iterable[Path | None], inputs: Iterable[Path]) -> None:
    """Raise UsageError if an output is one of the inputs, also under another name. None is an output that is not written.

    Only regular files count: a terminal can be both.
    """
    read = [path for path in inputs if path.exists()]
    for out in outputs:
        if out is not None and out.is_file() and any(out.samefile(path) for path in read):
            raise UsageError(f"refusing to overwrite the input file {out}")


def number(value: float | None, digits: int = 3) -> str:
    """A count unchanged, a share with this many digits, and a dash for None."""
    if value is None:
        return "-"
    return str(value) if isinstance(value, int) else f"{value:.{digits}f}"


def cell(value: object, digits: int = 3) -> str:
    """A value of a record for a table: an interval as ``0.1..0.2``, a truth as a word."""
    if isinstance(value, list | tuple) and len(value) == 2:
        return f"{value[0]:.3f}..{value[1]:.3f}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else number(cast("float | None", value), digits)


Column = tuple[str, str] | tuple[str, str, int]
"""Head of a column, path of its value in a record (``kept/fdr``), and its digits if they are not three."""


def table_of(
    records: Iterable[Mapping[str, Any]], columns: Mapping[str, str] | Sequence[Column], style: str = "text"
) -> str:
    """A table of records in a style of ``--format``. columns: or heads with paths. A value that a record lacks is a dash."""
    from pytest_citecheck.reports import TABLE_FORMATS  # noqa: PLC0415 - slow to import

    wanted = list(columns.items()) if isinstance(columns, Mapping) else columns
    rows = []
    for record in records:
        row = []
        for _, path, *digits in wanted:
            value: Any = record
            for key in path.split("/"):
                value = value.get(key) if isinstance(value, Mapping) else None
            row.append(cell(value, *digits))
        rows.append(row)
    return TABLE_FORMATS[style]([head for head, *_ in wanted], rows)


def add_format(parser: argparse.ArgumentParser, *further: str, about: str = "output format") -> None:
    """Add ``--format`` with the formats of tables, and further ones."""
    names = ("text", "csv", "latex", *further, "markdown")
    argument(parser, "--format", f"{about} (default: text)", choices=names, default="text")
