"""The stages of an audit, one after the other; what is written already is not done again."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck.audit.engines.base import Job
from pytest_citecheck.audit.exact_join import join
from pytest_citecheck.audit.inputs.pieces import Piece, Unread, partitioned, pieces_of
from pytest_citecheck.audit.online import ask_online
from pytest_citecheck.audit.plan import Folder, Plan, PlanSettings
from pytest_citecheck.audit.tables import UNREAD, read_rows, write_rows
from pytest_citecheck.audit.workbench import Workbench, workbench
from pytest_citecheck.index.export import export_keys
from pytest_citecheck.index.reader import LocalIndex

if TYPE_CHECKING:
    from pytest_citecheck.audit.engines.base import Engine
    from pytest_citecheck.transport.settings import TransportSettings

__all__ = ["Done", "Told", "audited", "planned", "unread_of"]

Told = Callable[[str, int, int, int], object]
"""Called with the stage, the partitions that are done, those in all, and the references that were judged since the start."""


@dataclass(frozen=True, slots=True)
class Done:
    """What an audit amounts to. left: references for which the budget of requests did not suffice."""

    partitions: int
    judged: int
    requests: int = 0
    left: int = 0


def planned(folder: Folder, inputs: Iterable[str], settings: PlanSettings, weight: int) -> Plan:
    """The plan of the audit, new or as it stands in the folder. weight: references of a partition.

    Raises OSError, OtherAuditError.
    """
    given = tuple(_resolved(name) for name in inputs)
    pieces: list[Piece] = []
    unread: list[Unread] = []
    for item in pieces_of(given, weight):
        if isinstance(item, Piece):
            pieces.append(item)
        else:
            unread.append(item)
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
    folder: Folder,
    plan: Plan,
    engine: Engine,
    told: Told,
    *,
    online: TransportSettings | None = None,
    budget: int = 0,
) -> Done:
    """Do what is not done yet. online, budget: how to ask further sources, and the most requests to send.

    Raises OSError, EngineError, IndexFileError, OtherAuditError.
    """
    parts = range(len(plan.partitions))
    bench = workbench(str(folder.path))
    if plan.settings.joined:
        _stage("keys", folder, [number for number in parts if not folder.keys(number).exists()], engine, told)
        join(folder, parts, _exported(bench))
    judged = _stage(
        "judge", folder, [number for number in parts if not folder.references(number).exists()], engine, told
    )
    requests = left = 0
    if online is not None and budget:
        for number, sent, skipped in ask_online(bench, online, budget):
            requests, left = requests + sent, left + skipped
            told("online", number + 1, len(parts), judged)
    if plan.unread:
        rows = [{"path": one.path, "row": one.row, "reason": one.reason} for one in plan.unread]
        write_rows(folder.path / "unread" / "inputs.parquet", rows, UNREAD)
    return Done(len(parts), judged, requests, left)


def _stage(stage: str, folder: Folder, numbers: list[int], engine: Engine, told: Told) -> int:
    total = len(numbers)
    references = 0
    told(stage, 0, total, 0)
    jobs = [Job(str(folder.path), stage, number) for number in numbers]  # type: ignore[arg-type]
    for done, outcome in enumerate(engine.run(jobs), 1):
        references += outcome.references
        told(stage, done, total, references)
    return references


def _exported(bench: Workbench) -> Path:
    """The exact keys of the index, written once for all audits in this folder."""
    out = bench.folder.path / "index-keys.parquet"
    if not out.exists():
        with LocalIndex(bench.indexes[0].path) as index:
            export_keys(index, out)
    return out


def unread_of(folder: Folder) -> list[Unread]:
    """What could not be read, in the order of the input. Raises OSError."""
    files = sorted((folder.path / "unread").glob("*.parquet"))
    return [Unread(**row) for file in files for row in read_rows(file)]
