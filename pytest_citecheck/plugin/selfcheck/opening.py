"""The self-checks of a run: its models, thresholds and file of answers, read before anything is asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_citecheck.chat.configuration.endpoints import chat_endpoint
from pytest_citecheck.chat.plan import ModelPlan
from pytest_citecheck.chat.prices import Prices
from pytest_citecheck.plugin.settings.selfcheck import CROSS
from pytest_citecheck.plugin.settings.trust import TrustError, key_rules
from pytest_citecheck.selfcheck.configuration import ConfigurationError, SelfcheckConfiguration, read_selfcheck
from pytest_citecheck.selfcheck.estimate import estimate

if TYPE_CHECKING:
    from pytest_citecheck.chat.endpoint import Endpoint
    from pytest_citecheck.plugin.arena.opening import Arena
    from pytest_citecheck.plugin.settings.resolved import Settings
    from pytest_citecheck.plugin.settings.selfcheck import SelfcheckSettings
    from pytest_citecheck.readers.base import Answered
    from pytest_citecheck.selfcheck.subject import Method

__all__ = ["ENSEMBLE", "Bound", "Selfchecks", "open_selfchecks"]

ENSEMBLE = "selfcheck"
"""The item of the weighted mean of all methods."""

_SECONDS_OF_CALL = 2.0


@dataclass(frozen=True, slots=True)
class Bound:
    """A score of at most ``value`` is too low. said: how the threshold came about."""

    value: float
    said: str = "as configured"


@dataclass(frozen=True, slots=True)
class Selfchecks:
    """What is asked, and of whom. endpoints: by name, the first one first. bounds: by item, for those that are calibrated."""

    settings: SelfcheckSettings
    configuration: SelfcheckConfiguration
    endpoints: Mapping[str, Endpoint]
    bounds: Mapping[str, Bound]

    @property
    def methods(self) -> tuple[Method, ...]:
        """The methods that put questions to one model."""
        return tuple(method for method in self.settings.methods if method != CROSS)  # type: ignore[misc]

    @property
    def items(self) -> tuple[str, ...]:
        """The items of each reference, without their prefix."""
        weighed = [method for method in self.methods if self.configuration.options.weights.get(method, 0.0) > 0]
        return (*self.settings.methods, *([ENSEMBLE] if len(weighed) > 1 else []))

    def bound(self, item: str) -> Bound:
        """The threshold of an item."""
        return self.bounds.get(item, Bound(self.configuration.options.threshold))

    def asked(self, place: Answered | None) -> tuple[Endpoint, ...]:
        """Who is asked about a reference: the model that gave it, none if it is unknown; or the chosen one, two for ``cross``."""
        if place is not None and not self.settings.models:
            known = self.endpoints.get(place.group.model)
            return (known,) if known is not None else ()
        chosen = self.settings.models or tuple(self.endpoints)[:1]
        return tuple(self.endpoints[name] for name in chosen)

    def planned(self, references: int) -> ModelPlan:
        """The most that asking about so many references takes."""
        first = self.endpoints[self.settings.models[0]] if self.settings.models else next(iter(self.endpoints.values()))
        price = (self.configuration.calls.prices or Prices.read()).of(first)
        twice: tuple[Method, ...] = ("iq", "iq") if CROSS in self.settings.methods else ()
        found = estimate(references, (*self.methods, *twice), self.configuration.options, price)
        seconds = found.calls * _SECONDS_OF_CALL / first.concurrency
        return ModelPlan(first.name, found.calls, found.tokens, found.cost, found.cost, seconds)

    def estimated(self, references: int) -> str:
        """The same in words."""
        plan = self.planned(references)
        cost = "price unknown" if plan.most is None else f"${plan.most:.2f}"
        return f"at most {plan.calls:,} calls, about {plan.tokens:,} tokens, {cost}"


def open_selfchecks(
    settings: Settings, arenas: Iterable[Arena], environment: Mapping[str, str], *, asks: bool
) -> Selfchecks:
    """The self-checks that the options ask for. asks: whether models are called. Raises pytest.UsageError."""
    wanted = settings.selfcheck
    assert wanted is not None  # noqa: S101 - the caller looked
    path = wanted.file or next((arena.path for arena in arenas), None)
    if path is None:
        raise pytest.UsageError("--citecheck-selfcheck needs a model: --citecheck-selfcheck-model=FILE::NAME")
    try:
        keys = key_rules(path, settings.arena.hosts) if asks else None
        configuration = read_selfcheck(path, path.read_text(encoding="utf-8-sig"), environment, secrets=asks, keys=keys)
        endpoints = {
            one.name: chat_endpoint(one, configuration.calls, configuration.secrets) for one in configuration.endpoints
        }
    except (ConfigurationError, ValueError, TrustError) as error:
        raise pytest.UsageError(f"--citecheck-selfcheck-model: {error}") from error
    except OSError as error:
        raise pytest.UsageError(
            f"--citecheck-selfcheck-model: {error.filename or path}: {error.strerror or error}"
        ) from error
    for name in wanted.models:
        if name not in endpoints:
            raise pytest.UsageError(
                f"--citecheck-selfcheck-model: {path.name} has no endpoint {name!r}, but {', '.join(endpoints)}"
            )
    return Selfchecks(wanted, configuration, endpoints, _calibrated(configuration))


def _calibrated(configuration: SelfcheckConfiguration) -> dict[str, Bound]:
    """The thresholds that a labelled file gives. Raises pytest.UsageError."""
    if not configuration.calibration:
        return {}
    from pytest_citecheck.benchmark.metrics.separation.kept import threshold_for  # noqa: PLC0415 - needs numpy
    from pytest_citecheck.benchmark.selfcheck.labelled_file import read_labelled  # noqa: PLC0415
    from pytest_citecheck.benchmark.selfcheck.table_file import TableError  # noqa: PLC0415

    try:
        labelled = read_labelled(configuration.path.parent / Path(configuration.calibration))
    except TableError as error:
        raise pytest.UsageError(f"selfcheck.calibration: {error}") from error
    bounds = {}
    for name in labelled.scores:
        found = threshold_for(labelled.of(name), configuration.target_fdr)
        if found is None or found.kept.interval is None:
            continue
        low, high = found.kept.interval
        said = (
            f"for at most {configuration.target_fdr:g} false discoveries in {len(labelled.grounded)} labelled references, where "
            f"it reaches {found.kept.fdr:.3f} (95 %: {low:.3f} to {high:.3f})"
        )
        bounds[ENSEMBLE if name == "iq+dq" else name] = Bound(max(0.0, found.value), said)
    return bounds
