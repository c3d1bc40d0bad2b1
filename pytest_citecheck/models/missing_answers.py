"""The answers of models that a file of answers lacks: asked for by one process at a time, and kept as they arrive."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import pytest

from pytest_citecheck.matching import safe_line
from pytest_citecheck.models.answer_log import AnswerLog, Askable, ModelAnswer, One, Outcome, ask, to_ask
from pytest_citecheck.models.chat import LEDGER, ChatModels, ChatSettings, ModelPlan, Prices, model_plan
from pytest_citecheck.models.settings import of_arena, replays
from pytest_citecheck.net import CassetteError
from pytest_citecheck.plugin import progress_line, run_to_end
from pytest_citecheck.reports import number_of
from pytest_citecheck.screen import SafeReporter, redraw

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from pytest_citecheck.lookup import Progress
    from pytest_citecheck.models.chat import CallOptions, Endpoint, SourceSearch
    from pytest_citecheck.plugin import Settings


def plans_of(cells: Sequence[Askable], calls: CallOptions) -> list[ModelPlan]:
    """The calls that these answers take, by model."""
    prices = calls.prices or Prices.read()
    plans = []
    for endpoint in _endpoints(cells):
        asked = [(cell.spoken, cell.expected) for cell in cells if cell.endpoint.name == endpoint.name]
        iterations = endpoint.iterations + 1 if endpoint.search is not None else 1
        plans.append(model_plan(endpoint, prices.of(endpoint), asked, iterations))
    return plans


def _endpoints(cells: Sequence[Askable]) -> list[Endpoint]:
    return list({cell.endpoint.name: cell.endpoint for cell in cells}.values())


PLANS = pytest.StashKey[list[ModelPlan]]()
"""The calls that a run would make, in the state of a run."""


def write_plans(plans: Sequence[ModelPlan], reporter: SafeReporter) -> None:
    """Write a table of the calls that a run would make."""
    reporter.line(f"{'model':<32}{'calls':>8}{'tokens':>12}{'dollars':>15}{'at most':>12}{'time':>10}", bold=True)
    for plan in plans:
        dollars = "price unknown" if plan.dollars is None else f"${plan.dollars:.4f}"
        most = "" if plan.most is None else f"${plan.most:.4f}"
        time = f"{plan.seconds:.0f} s" if plan.seconds < 100 else f"{plan.seconds / 60:.0f} min"
        reporter.line(f"{safe_line(plan.model):<32}{plan.calls:>8,}{plan.tokens:>12,}{dollars:>15}{most:>12}{time:>10}")
    known = [plan.dollars for plan in plans if plan.dollars is not None]
    unknown = len(plans) - len(known)
    total = f"${sum(known):.4f}" + (f" and {number_of(unknown, 'model')} without a price" if unknown else "")
    reporter.line(
        f"model calls: {sum(plan.calls for plan in plans):,}, {total}; “at most” assumes the longest answers without "
        "retries; --citecheck-budget=DOLLARS confirms before a more expensive run"
    )


def demand_consent(plans: Sequence[ModelPlan], config: pytest.Config, settings: Settings) -> None:
    """Ask the user before calls that may cost more than ``--citecheck-budget``. Raises pytest.UsageError for a no.

    Without a terminal nobody can answer, so such a run is refused.
    """
    budget = of_arena(settings).budget
    if budget is None or replays(settings) or settings.offline:
        return
    unknown = [plan.model for plan in plans if plan.most is None]
    most = sum(plan.most or 0.0 for plan in plans)
    if not unknown and most <= budget:
        return
    calls = sum(plan.calls for plan in plans)
    cost = f"an unknown amount (no price for {', '.join(unknown)})" if unknown else f"up to ${most:.2f}"
    problem = f"{calls:,} calls may cost {cost}, but --citecheck-budget is ${budget:g}"
    if not _agrees(config, f"citecheck: {problem}. Go on? [y/N] "):
        raise pytest.UsageError(
            f"{problem}; nothing was sent. Raise --citecheck-budget, lower max_tokens, or add prices (docs/models.md)"
        )


def _agrees(config: pytest.Config, question: str) -> bool:
    capture = config.pluginmanager.getplugin("capturemanager")
    if capture is not None:
        capture.suspend_global_capture(in_=True)
    try:
        if not (sys.stdin is not None and sys.stdin.isatty()):
            return False
        redraw(question)
        return sys.stdin.readline().strip().lower() in ("y", "yes")
    finally:
        if capture is not None:
            capture.resume_global_capture()


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


def planned_calls(
    cells: Sequence[Askable],
    log: AnswerLog,
    settings: Settings,
    calls: CallOptions,
    unreadable: Callable[[ModelAnswer], bool] | None = None,
) -> list[ModelPlan]:
    """The calls that a run would make for the missing answers. Raises OSError."""
    mode = "missing" if of_arena(settings).ask == "none" else of_arena(settings).ask
    return plans_of(to_ask(cells, log, mode, unreadable), calls)


def may_ask(settings: Settings) -> bool:
    """Return True if a run with these settings asks for answers, or takes them from recordings."""
    return of_arena(settings).ask != "none" and not (settings.offline and settings.cassettes is None)


def ask_for_missing(
    cells: Sequence[One],
    log: AnswerLog,
    shown: str,
    config: pytest.Config,
    settings: Settings,
    calls: CallOptions,
    converse: Callable[[ChatModels, One], Awaitable[ModelAnswer]],
    unreadable: Callable[[ModelAnswer], bool] | None = None,
    search: Callable[[Sequence[Endpoint]], AbstractAsyncContextManager[SourceSearch | None]] = lambda _: nullcontext(),
) -> Outcome:
    """Ask for the cells that ``--citecheck-ask`` chooses. shown: what they are of, in messages. Raises pytest.UsageError.

    converse: gets the answer to a cell from the models. unreadable: which answers ``--citecheck-ask=failed`` requests again.
    search: of the endpoints that search in the sources.
    """

    async def asked(missing: Sequence[One], progress: Progress | None) -> Outcome:
        called = _endpoints(missing)
        async with (
            search(called) as sources,
            ChatModels(called, chat_settings(calls, settings, log.path.parent), sources=sources) as models,
        ):
            outcome = await ask(missing, log, partial(converse, models), progress)
            return replace(outcome, spent=models.spent, notes=models.notes)

    mode = of_arena(settings).ask
    reporter = config.pluginmanager.getplugin("terminalreporter")
    reporter = SafeReporter(reporter) if reporter is not None else None

    def waiting() -> None:
        if reporter is not None:
            reporter.line(f"citecheck: another run is requesting the answers in {shown}; waiting for it")

    try:
        wanted = to_ask(cells, log, mode, unreadable)
        if not wanted:
            return Outcome(len(cells), len(cells))
        if of_arena(settings).budget is not None:
            demand_consent(plans_of(wanted, calls), config, settings)
        with log.opened(waiting), progress_line(config) as progress:
            missing = to_ask(cells, log, mode, unreadable)  # anew: another run may have asked meanwhile
            outcome = run_to_end(asked(missing, progress)) if missing else Outcome(0, 0)
            log.put_in_order(cells)
    except KeyboardInterrupt:
        if reporter is not None:
            left = len(to_ask(cells, log, "missing"))
            reporter.line(f"citecheck: {shown} contains the answers so far; the next run requests the other {left}")
        raise
    except CassetteError as error:
        raise pytest.UsageError(str(error)) from error
    except OSError as error:
        raise pytest.UsageError(f"{shown}: {error.strerror or error}") from error
    except ValueError as error:  # it names the endpoint
        raise pytest.UsageError(str(error)) from error
    return replace(outcome, cells=len(cells), kept=len(cells) - outcome.asked)
