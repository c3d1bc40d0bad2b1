"""The page docs/evidence/reliability.md: `python -m tests.pages.reliability [ATTACKS]` plays the whole fault matrix.

The figures come from the constants of the code, the table from runs against the local services.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from pytest_citecheck.inputs import FREE_STEPS, STEPS_PER_BYTE
from pytest_citecheck.lookup import PROFILES
from pytest_citecheck.net import (
    EXCHANGES_AT_ONCE,
    LONGEST_HOLD,
    LONGEST_WAIT,
    LOOKUPS_AT_ONCE,
    MOMENT,
    MOST_REDIRECTS,
    TransportSettings,
    client,
)
from pytest_citecheck.net import cache as answer_cache
from pytest_citecheck.net import http as retry
from pytest_citecheck.net import queues as breaker
from pytest_citecheck.sources import LARGEST_BODY
from tests.stand_ins.server import LocalServices
from tests.support.fault_matrix import FAULTS, NAMES, facts, play

_SETTINGS = TransportSettings()
_STATUSES = ", ".join(map(str, sorted(retry.RETRIED_STATUSES)))
_PAUSES = f"{retry._FIRST_PAUSE:g} s, doubled for each further one, at most {retry._LONGEST_PAUSE:g} s"
_PROBES = f"{breaker._FIRST_COOL_DOWN:g} s, doubled each time up to {breaker._LONGEST_COOL_DOWN:g} s"
_HOLD = f"{LONGEST_HOLD / 60:g} minutes"
_DAY = 86_400

_HEAD = f"""# Reliability

`python -m tests.pages.reliability [ATTACKS]` writes this page: limits come from the code, and the table from runs against local
services.

## Services that do not answer

An outage is never an absence. A failed query decides nothing: if other services do not settle the reference, it is
`unverifiable`, which is a skipped test. The summary names the service, the number of failed queries and the reason.

A run that is interrupted keeps its answers in the cache or in the cassettes. If no source answered at all, it ends with 3
([exit codes](../ci.md#exit-codes)).

Use `--citecheck-strict` if an undecided reference should fail the run. In CI, replay cassettes: then no service is needed.

## Limits

| limit | value |
|---|---|
| timeout of one exchange | {_SETTINGS.timeout:g} s |
| timeout of a DNS look-up, and of a connection | {_SETTINGS.connect_timeout:g} s |
| all queries together | `--citecheck-timeout`, default none; unfinished queries are unverifiable (`deadline`) |
| all queries together, if no service answers at all | {_SETTINGS.silence_timeout:g} s from the first request (`silent`) |
| work of a reader on a document | {STEPS_PER_BYTE:,} steps for each byte and {FREE_STEPS:,} more, then `unreadable-document` |
| body of a response, decompressed | {LARGEST_BODY / 1e6:g} MB, then cut off (`too-large`) |
| exchanges at the same time, over all services and pages | {EXCHANGES_AT_ONCE} |
| DNS look-ups at the same time | {LOOKUPS_AT_ONCE} |
| redirects | {MOST_REDIRECTS}, within the service, never to a private address |
| retries: statuses {_STATUSES}, broken connections | {retry.RETRIES} |
| retries: timeouts, malformed responses | 1 |
| random pause before a retry, up to | {_PAUSES} |
| rounds that repeat failed queries, if the service answers most others | {client._ROUNDS} |
| longest `Retry-After` that is honoured | {LONGEST_WAIT:g} s; beyond that the service is skipped (other runs: {_HOLD} at most) |
| status 429 | halves the rate of the service for a while |
| failures in a row after which a service is skipped (`breaker`) | {breaker.FAILURES_IN_A_ROW} |
| time until one query probes the service again | {_PROBES} |
| queries for one reference alone | {PROFILES["default"].own_questions}; an absence is queried twice |
| time for which a service that found something needs no control | {MOMENT:g} s |

[Sources](../sources.md) lists the rate of each service. Runs of one user on one machine share the rates. A killed run
frees its place at once.

Answers are cached: records for {answer_cache._FOUND / _DAY:g} days, absences and unsuccessful title searches for
{answer_cache._NOT_FOUND / _DAY:g} day, outages never. So an interrupted run continues where it stopped. The cache takes up to
{answer_cache.MOST_BYTES / 1e6:g} MB. A broken cache file is set aside; a full disk or a lock only costs its benefit.

## Every source, every fault

A bibliography of correct and wrong references is checked while one service fails all the time, or once where stated. In
every cell: no exception, no correct reference fails, and no check fails that does not fail without the fault.

`answered`: the service answered in the end. A word such as `http-503` is the reason that the summary reports.
`uncontrolled`: the service did not find its control either. With the wrong record, `answered` means that unrelated
records were ignored, and `malformed` that the response was refused.

"""


_TRIED = """## Attacks

`python -m benchmarks.attacks > FILE` runs all attacks on the files of the tests. `python -m tests.pages.reliability
FILE` puts the table here. Without a table, this was not done for this version.

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


def write_page(attacks: Path | None = None) -> None:
    """Run the matrix and write the page. attacks: file with the table of attacks; None keeps the table on the page."""
    page = Path(__file__).parents[2] / "docs" / "evidence" / "reliability.md"
    tried = attacks.read_text(encoding="utf-8") if attacks else tried_of(page.read_text(encoding="utf-8"))
    page.write_text(reliability_page(_played(), tried), encoding="utf-8")


if __name__ == "__main__":
    write_page(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
