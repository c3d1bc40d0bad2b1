"""Phase 1 in one process: what is looked up here, what others looked up, and what is known of a reference until it is checked.

Without pytest-xdist one process does it all. With it, each worker looks up its share of the references in what lies on this
machine: the local indexes and, if the run is offline, the cache. The controller queries the network about what is left.
"""

from __future__ import annotations

import datetime
import pickle
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import pytest

from pytest_citecheck.absence import AbsenceContext, Controls
from pytest_citecheck.gather import PROFILES, LookupState, forecast, gather, looked_up
from pytest_citecheck.plugin.event_loop import run_to_end
from pytest_citecheck.plugin.extensions import changed_sources
from pytest_citecheck.plugin.results.evidence_store import packed, unpacked
from pytest_citecheck.services import SOURCES
from pytest_citecheck.services.web_page.api import WEB_PAGE
from pytest_citecheck.transport.client import CassetteError

if TYPE_CHECKING:
    from pytest_citecheck.gather import Forecast, Profile, Progress
    from pytest_citecheck.gather.index_source import IndexSource
    from pytest_citecheck.model import Reference
    from pytest_citecheck.plugin.settings.resolved import Settings
    from pytest_citecheck.services.base import Source
    from pytest_citecheck.transport.settings import TransportSettings
    from pytest_citecheck.transport.tally import Tally
    from pytest_citecheck.verdict import Evaluation

__all__ = ["Gathering"]

_CONTROLS = ""
"""The name under which the controls travel with the evidence; no reference has it."""


class Gathering:
    """The sources of a run, and the answers that this process has for references.

    statistics: what asking took, by source; of what lies on this machine the reports count it from the answers.
    """

    def __init__(self, config: pytest.Config, settings: Settings, today: datetime.date) -> None:
        self.settings = settings
        self.sources: list[Source] = list(SOURCES)
        self.indexes: list[IndexSource] = []
        self.statistics: Mapping[str, Tally] = {}
        self._config = config
        self._today = today
        self._transport: TransportSettings | None = None
        self._problems: dict[str, None] = {}
        self._states: dict[str, LookupState] = {}
        self._packed: dict[str, bytes] = {}
        self._controls = Controls()
        self._open = ""  # the reference that is being checked
        self._left: Counter[str] = Counter()

    # --- what is queried

    @property
    def local(self) -> bool:
        """Whether nothing needs to be queried but what lies on this machine and any process can read."""
        return self.settings.offline and self.settings.cassettes is None

    @property
    def names_of_local(self) -> Collection[str]:
        """The sources that are only looked up on this machine."""
        return [*(index.name for index in self.indexes), *(source.name for source in self.sources if self.local)]

    def open(self) -> TransportSettings:
        """Open the local indexes and let hooks change the sources. Raises pytest.UsageError for what cannot be used."""
        if self._transport is None:
            self._transport = self._settings_of_transport()
            if self.settings.indexes:
                self._open_indexes()
        return self._transport

    def _open_indexes(self) -> None:
        from pytest_citecheck.gather.index_source import IndexSource  # noqa: PLC0415 - for runs with an index
        from pytest_citecheck.index.storage.layout import IndexFileError  # noqa: PLC0415

        for number, path in enumerate(self.settings.indexes, start=1):
            try:
                self.indexes.append(IndexSource(path, f"index-{number}" if number > 1 else "index"))
            except IndexFileError as error:
                raise pytest.UsageError(str(error)) from error

    def _settings_of_transport(self) -> TransportSettings:
        self.sources = changed_sources(self._config, self.sources)
        names = dict.fromkeys(source.name for source in (*SOURCES, *self.sources))
        if not self.settings.urls:
            self.sources = [source for source in self.sources if source is not WEB_PAGE]
        for name in self.settings.servers.names:
            if name not in names:
                raise pytest.UsageError(f"no source is named {name!r}; there are {', '.join(names)}")
        chosen, left_out = (self._named(given, names) for given in (self.settings.sources, self.settings.exclude))
        self.sources = [
            source
            for source in self.sources
            if (not self.settings.sources or source.name in chosen) and source.name not in left_out
        ]
        try:
            return self.settings.transport(self.sources)
        except ValueError as error:
            raise pytest.UsageError(str(error)) from error

    @staticmethod
    def _named(given: Iterable[str], names: Iterable[str]) -> set[str]:
        """The sources with these names, and all of a family: ``dblp`` has several. Raises pytest.UsageError."""
        found: set[str] = set()
        for name in given:
            family = {one for one in names if one == name or one.startswith(f"{name}_")}
            if not family:
                near = get_close_matches(name, list(names), n=1)
                hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(names)}"
                raise pytest.UsageError(f"no source is named {name!r}: {hint}")
            found |= family
        return found

    @property
    def problems(self) -> tuple[str, ...]:
        """What the user should hear of."""
        damage = (index.damage for index in self.indexes if index.damage)
        return (*self._told_of_indexes(), *damage, *self._problems)

    def _told_of_indexes(self) -> Iterator[str]:
        for index in self.indexes:
            if index.age(self._today) > self.settings.index_max_age:
                yield f"{index.path} is of {index.date}: rebuild it (citecheck_index_max_age)"
            if index.only_own:
                yield f"{index.path} holds only your own references: they help to find works, and confirm or convict none"

    @property
    def _profile(self) -> Profile:
        return PROFILES[self.settings.profile]

    def forecast(self, references: Mapping[str, Reference]) -> tuple[Forecast, ...]:
        """What `gather` would send for these references."""
        transport = self.open()
        try:
            return run_to_end(forecast(references, self.sources, transport, self._today, self._profile, self.indexes))
        except CassetteError as error:
            raise pytest.UsageError(str(error)) from error

    # --- one process, or the controller

    def gather(
        self,
        references: Mapping[str, Reference],
        progress: Progress | None = None,
        shares: Mapping[str, bytes | None] | None = None,
    ) -> None:
        """Ask the sources about these references. shares: what `look_up` gave on the workers."""
        transport, known = self.open(), shares or {}
        left = {name: reference for name, reference in references.items() if known.get(name, b"") is not None}
        try:
            result = run_to_end(
                gather(
                    left,
                    self.sources,
                    transport,
                    self._today,
                    progress,
                    self._profile,
                    self.indexes,
                    {name: unpacked(blob) for name, blob in known.items() if blob is not None},
                )
            )
        except CassetteError as error:
            raise pytest.UsageError(str(error)) from error
        self.statistics = self.statistics or result.statistics
        self._problems.update(dict.fromkeys(result.problems))
        self._states.update(result.states)
        if not self.local:  # each process would count its share alone
            self._controls = result.controls

    def published(self) -> dict[str, bytes]:
        """What was gathered, for the workers, which check; this process lets go of it."""
        blobs = {name: packed(state.evidence()) for name, state in self._states.items()}
        self._states.clear()
        return {**blobs, _CONTROLS: pickle.dumps(self._controls, protocol=pickle.HIGHEST_PROTOCOL)}

    # --- a worker

    def look_up(self, references: Mapping[str, Reference]) -> dict[str, bytes | None]:
        """Look up a share of the references: for each None if that settled it, else what is known so far."""
        if not (self.local or self.settings.indexes):
            return {}
        self.open()
        if self.local:
            self.gather(references)
            return dict.fromkeys(references)
        states = looked_up(references, self.indexes, self._today)
        # Whether a cited page exists is asked for what is settled too.
        done = {name for name, state in states.items() if state.settled and not self.settings.urls}
        self._states.update((name, states[name]) for name in done)
        return {name: None if name in done else packed(state.evidence()) for name, state in states.items()}

    def receive(self, evidence: Mapping[str, bytes]) -> None:
        """Take what the controller has gathered."""
        self._packed.update(evidence)
        if _CONTROLS in self._packed:
            self._controls = pickle.loads(self._packed.pop(_CONTROLS))  # noqa: S301 - written by the controller of this run

    def told(self) -> dict[str, Any]:
        """What the controller has to hear of at the end, as plain data."""
        return {
            "damaged": {index.name: sorted(index.damaged_rows) for index in self.indexes},
            "problems": list(self._problems),
        }

    def hear(self, told: Mapping[str, Any]) -> None:
        """Take what a worker has told."""
        for index in self.indexes:
            index.damaged_rows.update((table, row) for table, row in told["damaged"].get(index.name, ()))
        self._problems.update(dict.fromkeys(told["problems"]))

    # --- phase 2

    def expect(self, names: Iterable[str]) -> None:
        """References with a check to come, each as often as it has checks."""
        self._left.update(names)

    def evaluation(self, name: str, reference: Reference, prior: float) -> Evaluation:
        """All findings and the verdict for a reference. prior: the share of invented ones among those like it."""
        if name != self._open:
            self._put_away()
            self._open = name
            if name not in self._states:
                self._states[name] = self._found(name, reference)
        absences = AbsenceContext(self._controls, self.settings.policy.escape_limit, prior)
        return self._states[name].evaluate_finally(absences)

    def _found(self, name: str, reference: Reference) -> LookupState:
        blob = self._packed.get(name)
        if blob is not None:
            return LookupState.of(reference, self._today, unpacked(blob))
        # It was in the share of another worker, which has kept what it found, or somebody runs its checks once more.
        if hasattr(self._config, "workerinput"):
            self.look_up({name: reference})
        else:
            self.gather({name: reference})
        return self._states.get(name) or LookupState.of(reference, self._today)

    def _put_away(self) -> None:
        """Pack the evidence of the last reference if checks of it are still to come, between those of others."""
        state = self._states.pop(self._open, None)
        if state is not None and self._left[self._open] > 0:
            self._packed[self._open] = packed(state.evidence())

    def checked(self, name: str) -> None:
        """Note that a check of a reference is done; after the last one its evidence is let go of with the next reference."""
        self._left[name] -= 1
        if self._left[name] <= 0:
            self._left.pop(name)
            self._packed.pop(name, None)

    def close(self) -> None:
        """Close the indexes."""
        for index in self.indexes:
            index.close()
