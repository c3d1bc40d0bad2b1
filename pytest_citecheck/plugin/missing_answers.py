"""The answers of models that a file of answers lacks: asked for by one process at a time, and kept as they arrive."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from pytest_citecheck.arena.answer_log import AnswerLog, Kept
from pytest_citecheck.arena.asking import Outcome, to_ask
from pytest_citecheck.chat.models import ChatSettings
from pytest_citecheck.chat.spending import LEDGER
from pytest_citecheck.plugin.event_loop import run_to_end
from pytest_citecheck.plugin.progress import progress_line
from pytest_citecheck.transport.cassettes.cassette_file import CassetteError

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_citecheck.chat.configuration.call_options import CallOptions
    from pytest_citecheck.gather import Progress
    from pytest_citecheck.plugin.settings.resolved import Settings

__all__ = ["ask_for_missing", "chat_settings"]

One = TypeVar("One", bound=Kept)


def chat_settings(calls: CallOptions, settings: Settings, folder: Path) -> ChatSettings:
    """The settings of calls from the configuration and the options of the run. folder: of the ledger."""
    return ChatSettings(
        limits=calls.limits,
        total_timeout=settings.timeout,
        cassettes=settings.cassettes,
        record=settings.record if settings.cassettes else None,
        offline=settings.offline,
        prices=calls.prices,
        ledger=folder / LEDGER,
    )


def ask_for_missing(
    cells: Sequence[One],
    log: AnswerLog,
    shown: str,
    config: pytest.Config,
    settings: Settings,
    ask: Callable[[Sequence[One], Progress | None], Coroutine[Any, Any, Outcome]],
) -> Outcome:
    """Ask for the cells that ``--citecheck-ask`` chooses. shown: what they are of, in messages. Raises pytest.UsageError."""
    mode = settings.arena.ask
    reporter = config.pluginmanager.getplugin("terminalreporter")

    def waiting() -> None:
        if reporter is not None:
            reporter.line(f"citecheck: another run asks for the answers in {shown}; waiting for it")

    try:
        if not to_ask(cells, log, mode):
            return Outcome(len(cells), len(cells))
        with log.opened(waiting), progress_line(config) as progress:
            missing = to_ask(cells, log, mode)  # anew: another run may have asked meanwhile
            outcome = run_to_end(ask(missing, progress)) if missing else Outcome(0, 0)
            log.put_in_order(cells)
    except KeyboardInterrupt:
        if reporter is not None:
            left = len(to_ask(cells, log, "missing"))
            reporter.line(f"citecheck: {shown} keeps the answers so far; the next run asks for the other {left}")
        raise
    except CassetteError as error:
        raise pytest.UsageError(str(error)) from error
    except OSError as error:
        raise pytest.UsageError(f"{shown}: {error.strerror or error}") from error
    except ValueError as error:  # it names the endpoint
        raise pytest.UsageError(str(error)) from error
    return replace(outcome, cells=len(cells), kept=len(cells) - outcome.asked)
