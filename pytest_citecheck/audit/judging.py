"""One partition judged: read, looked up, checked, written. What the plugin does for a file, without pytest."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
import time
from typing import TYPE_CHECKING

from pytest_citecheck.absence import PRIOR_OF_MODELS, PRIOR_OF_PAPERS, AbsenceContext, Controls
from pytest_citecheck.audit.inputs.reading import read_pieces
from pytest_citecheck.audit.report_rows import as_row
from pytest_citecheck.audit.tables import REFERENCES, UNREAD, write_rows
from pytest_citecheck.gather import PROFILES, gather
from pytest_citecheck.readers.base import NO_WORKS
from pytest_citecheck.services import SOURCES
from pytest_citecheck.services.web_page.api import WEB_PAGE
from pytest_citecheck.transport.settings import TransportSettings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from pytest_citecheck.audit.inputs.reading import Cited
    from pytest_citecheck.audit.plan import Folder, PlanSettings
    from pytest_citecheck.audit.workbench import Workbench
    from pytest_citecheck.gather import Gathered
    from pytest_citecheck.transport.tally import Tally

__all__ = ["ASKED", "judge_partition", "rows_of"]

ASKED = tuple(source for source in SOURCES if source is not WEB_PAGE)
"""The sources of a run without options."""


def judge_partition(bench: Workbench, number: int) -> int:
    """Judge a partition with what the indexes know, unless that is done; gives its references. Raises OSError."""
    folder = bench.folder
    done = folder.references(number)
    if done.exists():
        return 0
    started = time.process_time()
    cited, unread = read_pieces(bench.plan.partitions[number])
    read = time.process_time()
    bench.propose(number)
    rows, _ = rows_of(cited, bench, TransportSettings(offline=True))
    if unread:
        write_rows(
            folder.unread(number), [{"path": one.path, "row": one.row, "reason": one.reason} for one in unread], UNREAD
        )
    note = {
        "partition": number,
        "references": len(rows),
        "worker": f"{socket.gethostname()}:{os.getpid()}",
        "reading": round(read - started, 4),
        "judging": round(time.process_time() - read, 4),
        "megabytes": _most_memory(),
    }
    _note(folder, note)  # first, so that what is done again shows
    write_rows(done, rows, REFERENCES)
    return len(rows)


def _most_memory() -> int | None:
    """The most memory that this process has had, in MB; None where the system does not say."""
    try:
        import resource  # noqa: PLC0415 - not on Windows
    except ImportError:
        return None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most // (1 << 20 if sys.platform == "darwin" else 1 << 10)


def _note(folder: Folder, line: Mapping[str, Any]) -> None:
    # One write of one line at the end of a file is not mixed with those of other processes.
    handle = os.open(folder.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    try:
        os.write(handle, json.dumps(line).encode() + b"\n")
    finally:
        os.close(handle)


def rows_of(
    cited: Sequence[Cited], bench: Workbench, transport: TransportSettings
) -> tuple[list[dict[str, Any]], Mapping[str, Tally]]:
    """The judged references as rows, in their order, and what asking took by source."""
    settings = bench.plan.settings
    works = {
        str(place): one.reference
        for place, one in enumerate(cited)
        if one.reference.readable and one.reference.type not in NO_WORKS
    }
    gathered: Gathered = asyncio.run(
        gather(works, ASKED, transport, settings.day, None, PROFILES[settings.profile], bench.indexes)
    )
    controls = Controls() if transport.offline else gathered.controls
    rows = []
    for place, one in enumerate(cited):
        state = gathered.states.get(str(place))
        evaluation = None
        if state is not None:
            evaluation = state.evaluate_finally(_absences(one, controls, settings, bench.policy.escape_limit))
        settled = state is None or state.settled
        rows.append(as_row(one, evaluation, bench.policy, strict=settings.strict, settled=settled))
    return rows, gathered.statistics


def _absences(one: Cited, controls: Controls, settings: PlanSettings, limit: float) -> AbsenceContext:
    prior = settings.prior
    if prior is None:
        prior = PRIOR_OF_MODELS if one.answered else PRIOR_OF_PAPERS
    return AbsenceContext(controls, limit, prior)
