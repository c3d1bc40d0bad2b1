"""The judges are asked for the verdicts that are missing, about the pairs whose items are to be run."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_citecheck.arena.answer_log import AnswerLog, ModelAnswer
from pytest_citecheck.arena.asking import Outcome, ask, one_answer, to_ask
from pytest_citecheck.arena.endpoints import chat_endpoint
from pytest_citecheck.chat.models import ChatModels, ChatSettings
from pytest_citecheck.plugin.event_loop import run_to_end
from pytest_citecheck.plugin.progress import progress_line
from pytest_citecheck.transport.cassettes.cassette_file import CassetteError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_citecheck.claims.judges.cells import ClaimCell
    from pytest_citecheck.claims.pairs import ClaimPair
    from pytest_citecheck.gather import Progress
    from pytest_citecheck.plugin.claims.opening import ClaimRun
    from pytest_citecheck.plugin.settings.resolved import Settings

__all__ = ["ask_judges"]


def ask_judges(
    run: ClaimRun, selected: Iterable[tuple[ClaimPair, str]], config: pytest.Config, settings: Settings
) -> tuple[Outcome, tuple[str, ...]]:
    """Ask for the verdicts that are missing; what was done, and notes. Raises pytest.UsageError."""
    wanted: dict[tuple[str, str], ClaimCell] = {}
    for pair, judge in selected:
        wanted |= {cell.key: cell for cell in run.cells(pair, [judge])}
    cells = list(wanted.values())
    if not cells or settings.arena.ask == "none" or (settings.offline and settings.cassettes is None):
        return Outcome(len(cells), len(cells)), ()
    log, notes = AnswerLog(run.log), list[str]()
    reporter = config.pluginmanager.getplugin("terminalreporter")

    def waiting() -> None:
        if reporter is not None:
            reporter.line("citecheck: another run asks the judges; waiting for it")

    try:
        if not to_ask(cells, log, settings.arena.ask):
            return Outcome(len(cells), len(cells)), ()
        with log.opened(waiting), progress_line(config) as progress:
            missing = to_ask(cells, log, settings.arena.ask)  # anew: another run may have asked meanwhile
            outcome = run_to_end(_ask(missing, run, settings, log, progress, notes)) if missing else Outcome(0, 0)
            log.put_in_order(cells)
    except CassetteError as error:
        raise pytest.UsageError(str(error)) from error
    except OSError as error:
        raise pytest.UsageError(f"{run.log}: {error.strerror or error}") from error
    except ValueError as error:
        raise pytest.UsageError(f"--citecheck-claims: {error}") from error
    finally:
        run.forget_answers()
    return replace(outcome, cells=len(cells), kept=len(cells) - outcome.asked), tuple(notes)


async def _ask(
    cells: Sequence[ClaimCell],
    run: ClaimRun,
    settings: Settings,
    log: AnswerLog,
    progress: Progress | None,
    notes: list[str],
) -> Outcome:
    configuration = run.configuration
    chat = ChatSettings(
        limits=configuration.limits,
        total_timeout=settings.timeout,
        cassettes=settings.cassettes,
        record=settings.record if settings.cassettes else None,
        offline=settings.offline,
    )
    endpoints = {cell.endpoint.name: cell.endpoint for cell in cells}
    async with ChatModels([chat_endpoint(one, configuration) for one in endpoints.values()], chat) as models:

        async def converse(cell: ClaimCell) -> ModelAnswer:
            return await one_answer(models[cell.endpoint.name], cell.prompt, cell.question)

        outcome = await ask(cells, log, converse, progress)
        notes += models.notes
        return outcome
