"""The answers to an arena are had before collection, by the process that controls the run."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_citecheck.arena.answer_log import AnswerLog, ModelAnswer
from pytest_citecheck.arena.asking import Outcome, ask, bare_answer, to_ask
from pytest_citecheck.arena.endpoints import chat_endpoint
from pytest_citecheck.arena.searching import searched_answer
from pytest_citecheck.arena.under_way import UnderWay
from pytest_citecheck.chat.models import ChatModels, ChatSettings
from pytest_citecheck.chat.prices import Prices
from pytest_citecheck.chat.search.sources import SourceSearch
from pytest_citecheck.plugin.event_loop import run_to_end
from pytest_citecheck.plugin.progress import progress_line
from pytest_citecheck.services import SOURCES
from pytest_citecheck.transport.cassettes.cassette_file import CassetteError
from pytest_citecheck.transport.client import Transport

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_citecheck.arena.cells import Cell
    from pytest_citecheck.gather import Progress
    from pytest_citecheck.plugin.arena.opening import Arena
    from pytest_citecheck.plugin.settings.resolved import Settings

__all__ = ["ask_models", "said_of"]

_MANY = 5


def ask_models(arena: Arena, config: pytest.Config, settings: Settings) -> tuple[Outcome, tuple[str, ...]]:
    """Ask for the answers that are missing; what was done, and notes. Raises pytest.UsageError."""
    log = AnswerLog(arena.log)
    reporter = config.pluginmanager.getplugin("terminalreporter")

    def waiting() -> None:
        if reporter is not None:
            reporter.line(f"citecheck: another run asks for the answers in {arena.shown}; waiting for it")

    try:
        if not to_ask(arena.cells, log, settings.arena.ask):
            return Outcome(len(arena.cells), len(arena.cells)), ()
        with log.opened(waiting), progress_line(config) as progress:
            cells = to_ask(arena.cells, log, settings.arena.ask)  # anew: another run may have asked meanwhile
            notes: list[str] = []
            outcome = run_to_end(_ask(cells, arena, settings, log, progress, notes)) if cells else Outcome(0, 0)
            log.put_in_order(arena.cells)
    except KeyboardInterrupt:
        if reporter is not None:
            left = len(to_ask(arena.cells, log, "missing"))
            reporter.line(f"citecheck: {arena.shown} keeps the answers so far; the next run asks for the other {left}")
        raise
    except CassetteError as error:
        raise pytest.UsageError(str(error)) from error
    except OSError as error:
        raise pytest.UsageError(f"{arena.shown}: {error.strerror or error}") from error
    except ValueError as error:
        raise pytest.UsageError(f"{arena.path.name}: {error}") from error
    return replace(outcome, cells=len(arena.cells), kept=len(arena.cells) - outcome.asked), tuple(notes)


async def _ask(
    cells: Sequence[Cell],
    arena: Arena,
    settings: Settings,
    log: AnswerLog,
    progress: Progress | None,
    notes: list[str],
) -> Outcome:
    configuration = arena.configuration
    chat = ChatSettings(
        limits=configuration.limits,
        total_timeout=settings.timeout,
        cassettes=settings.cassettes,
        record=settings.record if settings.cassettes else None,
        offline=settings.offline,
        prices=_prices(arena),
    )
    under_way = UnderWay(log.path.with_name("conversations.jsonl"))
    if settings.arena.ask == "all":
        under_way.forget()
    endpoints = {cell.endpoint.name: cell.endpoint for cell in cells}
    called = [chat_endpoint(one, configuration) for one in endpoints.values()]
    async with contextlib.AsyncExitStack() as stack:
        search = None
        if any(one.search is not None and one.search.provider == "sources" for one in called):
            transport = await stack.enter_async_context(Transport(settings.transport(SOURCES)))
            search = SourceSearch(transport, [source for source in SOURCES if transport.admits(source, "title")])
        models = await stack.enter_async_context(ChatModels(called, chat, sources=search))

        async def converse(cell: Cell) -> ModelAnswer:
            model, tools = models[cell.endpoint.name], models.tools(cell.endpoint.name)
            if tools:
                again = [under_way.tool(tool, cell) for tool in tools]
                return await searched_answer(under_way.model(model, cell), cell, again, configuration.timeout)
            return await bare_answer(model, cell)

        outcome = await ask(cells, log, converse, progress)
        if not outcome.failed:
            under_way.forget()
        notes += models.notes
        return outcome


def _prices(arena: Arena) -> Prices | None:
    """The prices that the configuration names; None for those of the package. Raises ValueError."""
    stated = arena.configuration.prices
    if not stated:
        return None
    try:
        return Prices.read(arena.path.parent / stated)
    except OSError as error:
        raise ValueError(f"evaluation.prices: cannot read {stated}: {error.strerror or error}") from error


def said_of(arena: Arena, outcome: Outcome | None) -> str:
    """One line about the answers to an arena. outcome: None if this process asks for none."""
    models = len({cell.endpoint.name for cell in arena.cells})
    queries = len({cell.query.number for cell in arena.cells})
    counts = ((models, "model", "models"), (queries, "query", "queries"), (len(arena.cells), "answer", "answers"))
    line = f"{arena.nodeid}: {', '.join(f'{count} {one if count == 1 else more}' for count, one, more in counts)}"
    if outcome is None or not outcome.asked:
        missing = len(to_ask(arena.cells, AnswerLog(arena.log), "missing"))
        return f"{line} in {arena.shown}" + (f", {missing} still to ask" if missing else "")
    reasons = ", ".join(f"{count} {reason}" for reason, count in list(outcome.failures.items())[:_MANY])
    failed = f", {outcome.failed} failed ({reasons}; the next run asks again)" if reasons else ""
    return f"{line} in {arena.shown}: {outcome.asked} asked now{failed}, {outcome.kept} kept"
