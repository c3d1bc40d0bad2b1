"""Asks the models about references, within the limits of the run."""

from __future__ import annotations

import asyncio
import datetime
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pytest

from pytest_citecheck.chat.models import ChatModels
from pytest_citecheck.plugin.event_loop import run_to_end
from pytest_citecheck.plugin.missing_answers import chat_settings
from pytest_citecheck.plugin.settings.selfcheck import CROSS
from pytest_citecheck.selfcheck.asking import AskedModel, ModelCallError, NotAnsweredError, score_of
from pytest_citecheck.selfcheck.call_log import CallLog
from pytest_citecheck.selfcheck.scores import MethodScore, cross_model
from pytest_citecheck.transport.cassettes.cassette_file import CassetteError

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_citecheck.chat.endpoint import Endpoint
    from pytest_citecheck.gather import Progress
    from pytest_citecheck.plugin.selfcheck.opening import Selfchecks
    from pytest_citecheck.plugin.settings.resolved import Settings
    from pytest_citecheck.selfcheck.subject import Subject

__all__ = ["Asker", "Outcome", "Wanted"]

Outcome = MethodScore | NotAnsweredError | ModelCallError
"""What is known of one method for one reference: a score, or why there is none."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """One reference to ask about, and whom."""

    subject: Subject
    asked: tuple[Endpoint, ...]


class Asker:
    """Asks in this process. folder: of the ledger. is_worker: whether other processes ask too."""

    def __init__(self, selfchecks: Selfchecks, settings: Settings, folder: Path, *, is_worker: bool) -> None:
        self.selfchecks = selfchecks
        self.calls = 0
        self._log: CallLog | None = None
        self.notes: tuple[str, ...] = ()
        chat = chat_settings(selfchecks.configuration.calls, settings, folder)
        if is_worker and settings.record != "none":
            # Two processes cannot write one cassette; what they record is the file of calls.
            chat = replace(chat, cassettes=None, record=None)
        self._chat = replace(chat, offline=True) if settings.arena.ask == "none" else chat

    def ask(self, wanted: Iterable[Wanted], progress: Progress | None = None) -> dict[str, dict[str, Outcome]]:
        """The outcome of each method for each reference, by its key. Raises pytest.UsageError."""
        try:
            return run_to_end(self._ask(list(wanted), progress))
        except CassetteError as error:
            raise pytest.UsageError(str(error)) from error
        except OSError as error:
            raise pytest.UsageError(f"{self.selfchecks.settings.log}: {error.strerror or error}") from error
        except ValueError as error:
            raise pytest.UsageError(f"{self.selfchecks.configuration.path.name}: {error}") from error

    async def _ask(self, wanted: list[Wanted], progress: Progress | None) -> dict[str, dict[str, Outcome]]:
        endpoints = {endpoint.name: endpoint for one in wanted for endpoint in one.asked}
        log = self._log = self._log or CallLog(self.selfchecks.settings.log)
        done = 0
        found: dict[str, dict[str, Outcome]] = {}
        async with ChatModels(endpoints.values(), self._chat) as chats:
            models = {name: AskedModel(endpoint, log, chats[name], _now) for name, endpoint in endpoints.items()}

            async def about(one: Wanted) -> None:
                nonlocal done
                found[one.subject.key] = await self._about(one, models)
                done += 1
                if progress is not None:
                    progress("asking about references", done, len(wanted))

            try:
                async with asyncio.TaskGroup() as group:
                    for one in wanted:
                        group.create_task(about(one))
            except BaseExceptionGroup as errors:
                raise errors.exceptions[0] from None
            finally:
                self.calls += sum(model.calls for model in models.values())
                self.notes = chats.notes
        return found

    async def _about(self, wanted: Wanted, models: Mapping[str, AskedModel]) -> dict[str, Outcome]:
        options, subject = self.selfchecks.configuration.options, wanted.subject
        first = models[wanted.asked[0].name]
        methods = self.selfchecks.methods

        async def one(method: str) -> Outcome:
            try:
                if method == CROSS:
                    return await self._cross(wanted, models)
                return await score_of(first, subject, method, options)  # type: ignore[arg-type]
            except (NotAnsweredError, ModelCallError) as error:
                return error

        wanted_methods = [*methods, *([CROSS] if CROSS in self.selfchecks.settings.methods else [])]
        scores = await asyncio.gather(*(one(method) for method in wanted_methods))
        return dict(zip(wanted_methods, scores, strict=True))

    async def _cross(self, wanted: Wanted, models: Mapping[str, AskedModel]) -> MethodScore:
        """The answers of two models to ``iq``, compared."""
        options = replace(self.selfchecks.configuration.options, agree_after=None)
        one, other = [await models[endpoint.name].samples(wanted.subject, "iq", options) for endpoint in wanted.asked]
        return MethodScore("iq", cross_model("iq", one, other), (*one, *other))


def _now() -> str:
    return datetime.datetime.now(tz=datetime.UTC).isoformat(timespec="seconds")
