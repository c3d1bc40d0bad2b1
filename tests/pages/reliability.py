"""The page docs/evidence/reliability.md: `python -m tests.pages.reliability [ATTACKS]` plays the whole fault matrix.

The figures come from the constants of the code, the table from runs against the local services.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from pytest_citecheck.lookup.planning import PROFILES
from pytest_citecheck.net import cache as answer_cache
from pytest_citecheck.net import client, resolver
from pytest_citecheck.net import controls as control
from pytest_citecheck.net import http as redirects
from pytest_citecheck.net import http as response
from pytest_citecheck.net import rate_limits as breaker
from pytest_citecheck.net import rate_limits as leases
from pytest_citecheck.net import rate_limits as retry
from pytest_citecheck.net.delivery import LONGEST_WAIT
from pytest_citecheck.net.rate_limits import LONGEST_HOLD
from pytest_citecheck.net.settings import TransportSettings
from pytest_citecheck.sources.base import LARGEST_BODY
from tests.stand_ins.server import LocalServices
from tests.support.fault_matrix import FAULTS, NAMES, facts, play

__all__ = ["reliability_page", "tried_of", "words_of"]

_SETTINGS = TransportSettings()
_STATUSES = ", ".join(map(str, sorted(retry.RETRIED_STATUSES)))
_PAUSES = f"{retry._FIRST_PAUSE:g} s, doubled for each further one, at most {retry._LONGEST_PAUSE:g} s"
_PROBES = f"{breaker._FIRST_COOL_DOWN:g} s, doubled each time up to {breaker._LONGEST_COOL_DOWN:g} s"
_HOLD = f"{LONGEST_HOLD / 60:g} minutes"
_DAY = 86_400

_HEAD = f"""# Reliability

Written by `python -m tests.pages.reliability [ATTACKS]`: the figures are those of the code, the table is what
runs against local services came to.

## What happens when a service does not answer

An outage is never an absence, nor is "nothing found" from a service that does not find what it certainly has
([sources.md](../sources.md#what-an-absence-means)). A question without an answer decides nothing: what the other services do not
settle is `unverifiable`, which is a skipped test. The summary at the end names the service, how many of its questions went
unanswered, and why. If no service at all could be reached, one line says so.

| exit code | meaning |
|---|---|
| 0 | nothing failed; outages do not change that |
| 1 | a check failed; with `--citecheck-strict` also: a check was unverifiable |
| 2 | interrupted; what had been answered is kept in the cache, or in the cassettes |
| 4 | the command line or a cassette cannot be used |

In continuous integration, record cassettes and replay them: then no service is needed. `--citecheck-strict` is for those who
would rather not pass than not know.

## Limits

| what | limit |
|---|---|
| one exchange, from the connection to the last byte | {_SETTINGS.timeout:g} s |
| looking up a host's name, and again connecting to it | {_SETTINGS.connect_timeout:g} s |
| all asking together | `--citecheck-timeout`, else no limit; what is not answered then is unverifiable (`deadline`) |
| the same, where nothing at all has answered | {_SETTINGS.silence_timeout:g} s from the first request (`silent`) |
| body of an answer, decompressed | {LARGEST_BODY / 1e6:g} MB; it is cut off there (`too-large`) |
| exchanges under way, over all services and pages | {response.EXCHANGES_AT_ONCE} |
| names being looked up at a time | {resolver.LOOKUPS_AT_ONCE} |
| redirects | {redirects.MOST_REDIRECTS}, within the service, never to a private address |
| tries after the first: statuses {_STATUSES}, broken connections | {retry.RETRIES} |
| tries after the first: time-outs, unreadable answers | 1 |
| random pause before a try, up to | {_PAUSES} |
| rounds in which failed questions are asked again, if the service answers most others | {client._ROUNDS} |
| `Retry-After` that is waited for | {LONGEST_WAIT:g} s; beyond that the service is skipped, by other runs for {_HOLD} at most |
| status 429 | halves the rate of the service, for a while |
| failures in a row after which a service is skipped (`breaker`) | {breaker.FAILURES_IN_A_ROW} |
| until one question probes whether it is back | {_PROBES}; nobody waits for it |
| questions asked for one reference alone | {PROFILES["default"].own_questions}; one that is denied is asked twice |
| time for which a service that found something needs no witness for what it denies | {control.MOMENT:g} s |

The rate of each service stands in [sources.md](../sources.md). Runs of one user on one machine share it: two at once ask no
faster than one. A run that is killed gives its place back after {leases.LEASE_SECONDS:g} s.

Answers are kept from run to run: records for {answer_cache._FOUND / _DAY:g} days, absences and searches that did not find the
title for {answer_cache._NOT_FOUND / _DAY:g} day, outages never. So a run that was cut short goes on where it was. The cache
takes up to {answer_cache.MOST_BYTES / 1e6:g} MB; if its file is broken it is set aside, and a full disk or a lock only costs its
benefit.

## Every source, every fault

A bibliography of right and wrong references is checked while one service fails all the time (or once, where it says so).
In every cell: no exception, no right reference fails, no check fails that does not fail without the fault.

`answered`: the services were heard in the end. A word such as `http-503` is the reason that the summary gives for the
questions of this source that went unanswered. `unwitnessed`: it denied what it certainly has as well. With the wrong record,
`answered` means that records nobody asked for were left out of account, `malformed` that the answer was refused for them.

"""


_TRIED = """## What was tried

`python -m benchmarks.attacks > FILE` tries everything on the files of the tests, and `python -m tests.pages.reliability FILE`
puts its table here. Without a table below, that has not been done for this version.

"""


def reliability_page(words: Mapping[tuple[str, str], str], tried: str) -> str:
    """The whole page; ``words`` are the outcomes by source and title of the fault, ``tried`` is the table of attacks."""
    lines = ["| | " + " | ".join(FAULTS) + " |", "|---" * (len(FAULTS) + 1) + "|"]
    lines += [f"| `{name}` | " + " | ".join(words.get((name, title), "") for title in FAULTS) + " |" for name in NAMES]
    return _HEAD + "\n".join(lines) + "\n\n" + _TRIED + tried


def words_of(page: str) -> dict[tuple[str, str], str]:
    """The outcomes that a page shows."""
    table = page.partition(_TRIED)[0].rstrip().rpartition("\n\n")[2]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    head, _, *body = rows
    return {(row[0].strip("`"), title): word for row in body for title, word in zip(head[1:], row[1:], strict=True)}


def tried_of(page: str) -> str:
    """The table of attacks that a page shows."""
    return page.partition(_TRIED)[2]


def _played() -> dict[tuple[str, str], str]:
    with LocalServices(facts()) as services:
        return {(name, title): play(name, FAULTS[title], services).word for name in NAMES for title in FAULTS}


if __name__ == "__main__":
    # The attacks take longer, and are made by a command of their own: what the page had of them stays.
    page = Path(__file__).parents[2] / "docs" / "evidence" / "reliability.md"
    attacks = Path(sys.argv[1]).read_text(encoding="utf-8") if len(sys.argv) > 1 else tried_of(page.read_text("utf-8"))
    page.write_text(reliability_page(_played(), attacks), encoding="utf-8")
