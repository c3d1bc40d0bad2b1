"""The lanes of a run: one a host, or one a pool of requests that a service counts apart."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pytest_citecheck.transport.delivery import Lane
from pytest_citecheck.transport.limits.allowance import Allowance

if TYPE_CHECKING:
    from pytest_citecheck.services.base import Source
    from pytest_citecheck.transport.limits.budget import Budget
    from pytest_citecheck.transport.limits.pacer import Clock, Sleep
    from pytest_citecheck.transport.secrets.identity import Identity
    from pytest_citecheck.transport.settings import TransportSettings

__all__ = ["Lanes"]


class Lanes:
    """Makes each lane once. ``budget`` is that of all processes, None before the run and without a cache."""

    def __init__(self, settings: TransportSettings, identity: Identity, clock: Clock, sleep: Sleep) -> None:
        self._settings = settings
        self._identity = identity
        self._clock = clock
        self._sleep = sleep
        self._lanes: dict[str, Lane] = {}
        self.budget: Budget | None = None

    @property
    def hosts(self) -> set[str]:
        """The names of the lanes in the budget."""
        return {lane.host for lane in self._lanes.values()}

    @property
    def notes(self) -> list[str]:
        """What the user is to hear of lanes that were given up."""
        return [lane.note for lane in self._lanes.values() if lane.note]

    def lane(self, source: Source, host: str, pool: str = "") -> Lane:
        """The lane to this host for requests of this pool; services that share it keep the stricter of their rates."""
        settings = self._settings
        wanted = settings.rates.get(source.name)
        rate = wanted or self._identity.rate(source, pool)
        name = f"{host} {pool}".rstrip()
        lane = self._lanes.get(name)
        if lane is None:
            mirror = settings.base_urls.get(source.name)
            # A mirror has a budget of its own, but not its neighbours on the same machine.
            shared = f"{name} at {urlsplit(mirror).hostname}:{urlsplit(mirror).port or ''}" if mirror else name
            lane = self._lanes[name] = Lane(shared, rate, self._clock, self._sleep, self.budget)
            lane.allowance = Allowance(self._identity.dollars(source))
        else:
            lane.pacer.tighten(rate)
        if wanted is not None:
            lane.pacer.limit(wanted.per_second)
        return lane
