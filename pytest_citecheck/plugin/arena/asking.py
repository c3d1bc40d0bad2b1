"""The answers to an arena are had before collection, by the process that controls the run."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_citecheck.arena.answer_log import AnswerLog, ModelAnswer
from pytest_citecheck.arena.asking import Outcome, ask, bare_answer, to_ask
from pytest_citecheck.arena.searching import searched_answer
from pytest_citecheck.arena.under_way import UnderWay
from pytest_citecheck.chat.configuration.endpoints import chat_endpoint
from pytest_citecheck.chat.models import ChatModels
from pytest_citecheck.chat.search.sources import SourceSearch
from pytest_citecheck.plugin.missing_answers import ask_for_missing, chat_settings, plans_of
from pytest_citecheck.services import SOURCES
from pytest_citecheck.transport.client import Transport

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_citecheck.arena.cells import Cell
    from pytest_citecheck.chat.plan import ModelPlan
    from pytest_citecheck.gather import Progress
    from pytest_citecheck.plugin.arena.opening import Arena
    from pytest_citecheck.plugin.settings.resolved import Settings

__all__ = ["ask_models", "planned", "said_of"]

_MANY = 5


def ask_models(arena: Arena, config: pytest.Config, settings: Settings) -> tuple[Outcome, tuple[str, ...]]:
    """Ask for the answers that are missing; what was done, and notes. Raises pytest.UsageError."""
    log, notes = AnswerLog(arena.log), list[str]()
    outcome = ask_for_missing(
        arena.cells,
        log,
        arena.shown,
        config,
        settings,
        arena.configuration.calls,
        lambda cells, progress: _ask(cells, arena, settings, log, progress, notes),
    )
    return outcome, tuple(notes)


async def _ask(
    cells: Sequence[Cell],
    arena: Arena,
    settings: Settings,
    log: AnswerLog,
    progress: Progress | None,
    notes: list[str],
) -> Outcome:
    configuration = arena.configuration
    under_way = UnderWay(log.path.with_name("conversations.jsonl"))
    if settings.arena.ask == "all":
        under_way.forget()
    endpoints = {cell.endpoint.name: cell.endpoint for cell in cells}
    called = [chat_endpoint(one, configuration.calls, configuration.secrets) for one in endpoints.values()]
    async with contextlib.AsyncExitStack() as stack:
        search = None
        if any(one.search is not None and one.search.provider == "sources" for one in called):
            transport = await stack.enter_async_context(Transport(settings.transport(SOURCES)))
            search = SourceSearch(transport, [source for source in SOURCES if transport.admits(source, "title")])
        chat = chat_settings(configuration.calls, settings, arena.folder)
        models = await stack.enter_async_context(ChatModels(called, chat, sources=search))

        async def converse(cell: Cell) -> ModelAnswer:
            model, tools = models[cell.endpoint.name], models.tools(cell.endpoint.name)
            if tools:
                again = [under_way.tool(tool, cell) for tool in tools]
                return await searched_answer(under_way.model(model, cell), cell, again, configuration.calls.timeout)
            return await bare_answer(model, cell)

        outcome = await ask(cells, log, converse, progress)
        if not outcome.failed:
            under_way.forget()
        notes += models.notes
        return replace(outcome, spent=models.spent)


def planned(arena: Arena, settings: Settings) -> list[ModelPlan]:
    """The calls that a run would make for the missing answers. Raises OSError."""
    mode = "missing" if settings.arena.ask == "none" else settings.arena.ask
    return plans_of(to_ask(arena.cells, AnswerLog(arena.log), mode), arena.configuration.calls)


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
