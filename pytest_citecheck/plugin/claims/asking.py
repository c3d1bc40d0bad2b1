"""The judges are asked for the verdicts that are missing, about the pairs whose items are to be run."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import pytest

from pytest_citecheck.arena.answer_log import AnswerLog, ModelAnswer
from pytest_citecheck.arena.asking import Outcome, ask, one_answer, to_ask
from pytest_citecheck.chat.configuration.endpoints import chat_endpoint
from pytest_citecheck.chat.models import ChatModels
from pytest_citecheck.plugin.items.nodeids import file_nodeid
from pytest_citecheck.plugin.missing_answers import ask_for_missing, chat_settings, plans_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_citecheck.chat.plan import ModelPlan
    from pytest_citecheck.claims.judges.cells import ClaimCell
    from pytest_citecheck.claims.pairs import ClaimPair
    from pytest_citecheck.gather import Progress
    from pytest_citecheck.plugin.claims.opening import ClaimRun
    from pytest_citecheck.plugin.settings.resolved import Settings

__all__ = ["ask_judges", "planned"]


def ask_judges(
    run: ClaimRun, selected: Iterable[tuple[ClaimPair, str]], config: pytest.Config, settings: Settings
) -> tuple[Outcome, tuple[str, ...]]:
    """Ask for the verdicts that are missing; what was done, and notes. Raises pytest.UsageError."""
    pairs = list(selected)
    log, notes = AnswerLog(run.log), dict[str, None]()
    total, asked = Outcome(0, 0), dict[tuple[str, str], None]()
    while True:
        # What a cascade asks next depends on its answers so far.
        wanted = {cell.key: cell for pair, judge in pairs for cell in run.cells(pair, [judge])}
        cells = [cell for key, cell in wanted.items() if key not in asked]
        if not cells or settings.arena.ask == "none" or (settings.offline and settings.cassettes is None):
            kept = len(cells)
            return replace(total, cells=total.cells + kept, kept=total.kept + kept), tuple(notes)
        asked |= dict.fromkeys(wanted)
        said: list[str] = []
        try:
            found = ask_for_missing(
                cells,
                log,
                file_nodeid(run.log, config.rootpath),
                config,
                settings,
                run.configuration.calls,
                partial(_ask, run=run, settings=settings, log=log, notes=said),
            )
        finally:
            run.forget_answers()
        notes |= dict.fromkeys(said)
        total = _sum(total, found)


def planned(run: ClaimRun, selected: Iterable[tuple[ClaimPair, str]], settings: Settings) -> list[ModelPlan]:
    """The calls that a run would make for the missing verdicts, as far as cascades show them. Raises OSError."""
    cells = list({cell.key: cell for pair, judge in selected for cell in run.cells(pair, [judge])}.values())
    mode = "missing" if settings.arena.ask == "none" else settings.arena.ask
    return plans_of(to_ask(cells, AnswerLog(run.log), mode), run.configuration.calls)


def _sum(one: Outcome, other: Outcome) -> Outcome:
    failures = Counter(one.failures)
    failures.update(other.failures)
    return Outcome(
        one.cells + other.cells,
        one.kept + other.kept,
        one.asked + other.asked,
        dict(sorted(failures.items())),
        other.spent,
    )


async def _ask(
    cells: Sequence[ClaimCell],
    progress: Progress | None,
    *,
    run: ClaimRun,
    settings: Settings,
    log: AnswerLog,
    notes: list[str],
) -> Outcome:
    configuration = run.configuration
    endpoints = {cell.endpoint.name: cell.endpoint for cell in cells}
    called = [chat_endpoint(one, configuration.calls, configuration.secrets) for one in endpoints.values()]
    chat = chat_settings(configuration.calls, settings, run.log.parent)
    async with ChatModels(called, chat) as models:

        async def converse(cell: ClaimCell) -> ModelAnswer:
            return await one_answer(models[cell.endpoint.name], cell.prompt.text, cell.question)

        outcome = await ask(cells, log, converse, progress)
        notes += models.notes
        return replace(outcome, spent=models.spent)
