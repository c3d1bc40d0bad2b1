"""The stages of an audit, in order; completed work is not repeated."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_citecheck.audit.engines import Job
from pytest_citecheck.audit.inputs import Unread, parted, partitioned, pieces_of, read_pieces
from pytest_citecheck.audit.worker import (
    ASKED,
    REFERENCES,
    UNREAD,
    Folder,
    Plan,
    PlanSettings,
    WorkerState,
    extract_keys,
    join,
    judge_partition,
    metadata_of,
    read_rows,
    rows_of,
    worker_state,
    works_of,
    write_rows,
)
from pytest_citecheck.lookup import PROFILES, forecast

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_citecheck.audit.engines import Engine
    from pytest_citecheck.audit.inputs import Cited
    from pytest_citecheck.net import TransportSettings


STAGES: Mapping[str, Callable[[WorkerState, int], int]] = {"read": extract_keys, "join": join, "judge": judge_partition}


# The last stage: query further sources about references that the indexes left open, document by document, within a
# budget of requests.
_REQUESTS = "requests"


def spent(bench: WorkerState) -> int:
    """The requests of earlier starts. Raises OSError."""
    files = (bench.folder.part("online", number) for number in range(len(bench.plan.partitions)))
    return sum(int(metadata_of(file).get(_REQUESTS, 0)) for file in files if file.exists())


def ask_online(bench: WorkerState, transport: TransportSettings, budget: int) -> Iterator[tuple[int, int, int]]:
    """Query open references, partition by partition: yield number, requests sent, and references left when the budget
    is spent.

    Raises OSError.
    """
    left = budget - spent(bench)
    for number, pieces in enumerate(bench.plan.partitions):
        if bench.folder.part("online", number).exists():
            continue
        rows = read_rows(bench.folder.part("references", number))
        if all(row["settled"] for row in rows):
            continue
        cited, _ = read_pieces(pieces)
        bench.propose(number)
        requests = skipped = 0
        replaced: list[dict[str, Any]] = []
        for _, grouped in groupby(zip(cited, rows, strict=True), key=lambda pair: pair[0].document):
            pairs = list(grouped)
            open_rows = sum(not row["settled"] for _, row in pairs)
            of_document = [each for each, _ in pairs]
            if not open_rows or _most(of_document, bench, transport) > left:
                skipped += open_rows
                replaced += [row for _, row in pairs]
                continue
            fresh, statistics = rows_of(of_document, bench, transport)
            used = sum(tally.requests for tally in statistics.values())
            requests, left = requests + used, left - used
            replaced += fresh
        if not skipped:  # else there is more to ask with another budget
            write_rows(bench.folder.part("online", number), replaced, REFERENCES, {_REQUESTS: str(requests)})
        yield number, requests, skipped


def _most(cited: Sequence[Cited], bench: WorkerState, transport: TransportSettings) -> int:
    settings = bench.plan.settings
    expected = asyncio.run(
        forecast(works_of(cited), ASKED, transport, settings.day, PROFILES[settings.profile], bench.indexes)
    )
    return sum(one.most for one in expected)


Told = Callable[[str, int, int, int], object]
"""Called with the stage, the partitions that are done, those in all, and the references that were judged since the start."""


@dataclass(frozen=True, slots=True)
class Done:
    """Result of an audit. left: references for which the budget of requests did not suffice."""

    partitions: int
    judged: int
    requests: int = 0
    left: int = 0


def planned(
    folder: Folder, inputs: Iterable[str], settings: PlanSettings, weight: int, roots: Iterable[Path] = ()
) -> Plan:
    """The plan of the audit, new or read from the folder. weight: references of a partition. roots: as of `Piece`.

    Raises OSError, OtherAuditError.
    """
    given, allowed = tuple(_resolved(name) for name in inputs), tuple(map(str, roots))
    found, unread = parted(pieces_of(given, weight))
    pieces = [replace(piece, roots=allowed) for piece in found]
    stamps = tuple(f"{path} {_stamp(path)}" for path in dict.fromkeys((*given, *(piece.path for piece in pieces))))
    plan = Plan(stamps, settings, tuple(map(tuple, partitioned(pieces, weight))), tuple(unread))
    return folder.write(plan)


def _resolved(name: str) -> str:
    return str(Path(name).absolute()) if "://" not in name else name


def _stamp(path: str) -> str:
    try:
        state = Path(path).stat()
    except OSError:
        return "missing"
    return f"{state.st_size} {state.st_mtime_ns}" if Path(path).is_file() else "folder"


def audited(
    folder: Folder, plan: Plan, engine: Engine, told: Told, *, online: TransportSettings | None = None, budget: int = 0
) -> Done:
    """Do the remaining work. online, budget: access to further sources, and the maximum number of requests.

    Raises OSError, EngineError, IndexFileError, OtherAuditError.
    """
    parts = range(len(plan.partitions))
    if plan.settings.joined:
        _stage("read", folder, [number for number in parts if not folder.part("keys", number).exists()], engine, told)
        if not all(folder.part("exact", number).exists() for number in parts):
            _stage("join", folder, [0], engine, told)
    judged = _stage(
        "judge", folder, [number for number in parts if not folder.part("references", number).exists()], engine, told
    )
    requests = left = 0
    if online is not None and budget:
        for number, sent, skipped in ask_online(worker_state(str(folder.path)), online, budget):
            requests, left = requests + sent, left + skipped
            told("online", number + 1, len(parts), judged)
    if plan.unread:
        write_rows(folder.path / "unread" / "inputs.parquet", list(map(asdict, plan.unread)), UNREAD)
    return Done(len(parts), judged, requests, left)


def _stage(stage: str, folder: Folder, numbers: list[int], engine: Engine, told: Told) -> int:
    total = len(numbers)
    references = 0
    told(stage, 0, total, 0)
    jobs = [Job(str(folder.path), stage, number) for number in numbers]  # type: ignore[arg-type]
    for done, new in enumerate(engine.run(jobs), 1):
        references += new
        told(stage, done, total, references)
    return references


def unread_of(folder: Folder) -> list[Unread]:
    """Unread inputs, in the order of the input. Raises OSError."""
    files = sorted((folder.path / "unread").glob("*.parquet"))
    return [Unread(**row) for file in files for row in read_rows(file)]
