"""The arithmetic of one host's request budget: slots, holds, and the rate after a 429. Pure; knows no file and no clock."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

__all__ = ["FARTHEST", "LEAST_STATED", "LONGEST_HOLD", "Booking", "Ledger"]

FARTHEST = 60.0
"""Seconds from now within which a slot can be booked. Who would have to wait longer comes back later, so that nobody
stands behind somebody who is much slower.
"""

LONGEST_HOLD = 3600.0
"""Seconds for which one answer can stop everybody. Who asks for more is asked again after an hour: a service that means it
says so again, and one that was mistaken, or a broken file, costs nobody more than that.
"""

LEAST_STATED = 0.1
"""Requests a second: a service that states less is mistaken, or wants us to wait for ever."""

# Slots use this share of what a service allows. It counts arrivals, and they come a little later or earlier than they were
# sent: with 5 % to spare it never sees one too many in a second, even if they are shifted by 50 ms against each other.
_PACE = 0.95
# What of these 5 % may be used up here, by a process that wakes up late; the rest is for the network.
_LATE_SHARE = 0.025
_AT_ONCE = 1e-6  # seconds: shorter waits are below what a wall clock resolves

_SLOWEST = 1 / 16
_CALM_SECONDS = 30.0
_STATEMENT_SECONDS = 3600.0
_LONGEST_INTERVAL = (
    60.0  # seconds between two requests, however little is stated and often slowed; less often only by request
)
_CLOCK_SLACK = (
    1.0  # seconds by which a moment may lie ahead of what is possible; no clock is set by less without a reason
)


class Booking(NamedTuple):
    """A slot that was booked: its moment, when that was done, and which slot had been the last one before."""

    slot: float
    booked_at: float
    before: float

    def wait(self, now: float) -> float:
        """Seconds until the slot; 0 if it has come."""
        return _rounded(self.slot - now)


@dataclass(frozen=True, slots=True)
class Ledger:
    """What all who ask one host know together. Times are seconds of one common clock.

    written: when this was written. last: the latest slot that was booked. held: until when the host is on hold. share: of the
    rate, at the moment ``slowed`` of the last 429. stated: requests a second that the service named at ``stated_at``.
    """

    written: float = -math.inf
    last: float = -math.inf
    held: float = -math.inf
    share: float = 1.0
    slowed: float = -math.inf
    stated: float = math.inf
    stated_at: float = -math.inf

    def as_of(self, now: float) -> Ledger:
        """The same at this moment: if the clock was set back meanwhile, all times go back with it.

        What cannot be is left out: a slot, a hold or a 429 that is farther ahead than anybody can have put it, and what is no
        number. It comes from a broken file, or from a clock that was wrong for a while.
        """
        jump = self.written - now
        if math.isnan(jump) or jump == math.inf:
            return replace(self, written=now).as_of(now)
        if jump > 0:
            return replace(
                self,
                written=now,
                last=self.last - jump,
                held=self.held - jump,
                slowed=self.slowed - jump,
                stated_at=self.stated_at - jump,
            ).as_of(now)
        latest = now + _CLOCK_SLACK
        # Somebody has asked the host: now, for all that is known.
        last = self.last if self.last <= latest + FARTHEST else now
        held = self.held if self.held <= latest + LONGEST_HOLD else -math.inf
        share, slowed = self.share, self.slowed
        if not (0 < share <= 1 and slowed <= latest):
            share, slowed = 1.0, -math.inf
        stated, stated_at = self.stated, self.stated_at
        if not (stated > 0 and stated_at <= latest):
            stated, stated_at = math.inf, -math.inf
        sound = Ledger(self.written, last, held, share, slowed, stated, stated_at)
        return self if sound == self else sound

    def share_at(self, now: float) -> float:
        """The share of the rate that is used, 1/16 to 1: each 30 seconds without a 429 double it."""
        if self.share >= 1:
            return 1.0
        calm_periods = int(min(4.0, max(0.0, now - self.slowed) / _CALM_SECONDS))
        return min(1.0, max(_SLOWEST, self.share) * float(2**calm_periods))

    def per_second(self, now: float, rate: float) -> float:
        """Requests a second at present, for a host to which ``rate`` is allowed."""
        stated = max(self.stated, LEAST_STATED) if now - self.stated_at < _STATEMENT_SECONDS else math.inf
        return max(min(rate, stated) * self.share_at(now), min(rate, 1 / _LONGEST_INTERVAL))

    def slow_down(self, now: float, sent: float) -> Ledger:
        """Halve the rate for a 429 to a request of the moment ``sent``; once only for requests under way together."""
        if sent < self.slowed:
            return self
        return replace(self, share=max(_SLOWEST, self.share_at(now) / 2), slowed=now)

    def hold(self, now: float, until: float) -> Ledger:
        """Let no process send a request until then, or for `LONGEST_HOLD` if that is earlier."""
        return replace(self, held=max(self.held, min(until, now + LONGEST_HOLD))) if until > now else self

    def note(self, now: float, rate: float) -> Ledger:
        """Take up the rate that the service names; it counts for an hour."""
        return replace(self, stated=rate, stated_at=now)

    def joined(self, other: Ledger, now: float) -> Ledger:
        """What two know together, at this moment: of each part the stricter."""
        slower = min(self, other, key=lambda ledger: ledger.share_at(now))
        current = [each for each in (self, other) if now - each.stated_at < _STATEMENT_SECONDS]
        stricter = min(current, key=lambda ledger: ledger.stated, default=self)
        return Ledger(
            now,
            max(self.last, other.last),
            max(self.held, other.held),
            slower.share,
            slower.slowed,
            stricter.stated,
            stricter.stated_at,
        )

    def stands(self, booking: Booking, now: float, rate: float) -> bool:
        """Whether a slot booked earlier can still be used: not held, and not missed by more than jitter explains."""
        tolerance = _LATE_SHARE * max(1.0, 1 / self.per_second(now, rate))
        return booking.booked_at <= now <= booking.slot + tolerance and booking.slot >= self.held

    def book(self, now: float, rate: float, instead: Booking | None) -> tuple[Ledger, Booking | None, float]:
        """Book the next slot: the ledger, the booking, and the seconds after which to look at it again.

        ``instead``: give back this booking, which was not used. There is no booking if the slot is more than `FARTHEST`
        away, but an answer when it will be half as far.
        """
        last = instead.before if instead is not None and instead.slot == self.last else self.last
        slot = max(last + 1 / (_PACE * self.per_second(now, rate)), self.held, now)
        if slot - now > FARTHEST:
            return replace(self, last=last), None, slot - now - FARTHEST / 2
        booking = Booking(slot, now, last)
        return replace(self, last=slot), booking, booking.wait(now)


def _rounded(seconds: float) -> float:
    return seconds if seconds > _AT_ONCE else 0.0
