"""State that a worker keeps open between partitions: the plan, the indexes, the policy."""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import hashlib
import json
import os
import re
import shutil
import socket
import sys
import threading
import time
from dataclasses import asdict, dataclass, field
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

import pyarrow as pa
import pyarrow.parquet as pq

from pytest_citecheck import __version__
from pytest_citecheck.atomic_write import append_line, atomic_write, write_whole
from pytest_citecheck.audit.inputs import Piece, Unread, read_pieces
from pytest_citecheck.checks import CHECKS, SEVERITIES, PolicyContext, check_syntax, named_policy, read_policy
from pytest_citecheck.evidence import AbsenceContext, Controls
from pytest_citecheck.index import IndexFileError, LocalIndex, export_keys, is_sealed, shard_path, shard_paths, writing
from pytest_citecheck.inputs import NO_WORKS
from pytest_citecheck.lookup import PROFILES, IndexSource, LookupState, gather
from pytest_citecheck.model import Found
from pytest_citecheck.net import TransportSettings, user_cache
from pytest_citecheck.reports import (
    ReferenceResult,
    asked_json,
    notices_json,
    placed_finding_json,
    reference_data,
    verdict_json,
)
from pytest_citecheck.sources import SOURCES, WEB_PAGE
from pytest_citecheck.thresholds import PRIOR_OF_MODELS, PRIOR_OF_PAPERS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_citecheck.audit.inputs import Cited
    from pytest_citecheck.checks import Evaluation, Policy
    from pytest_citecheck.lookup import Gathered
    from pytest_citecheck.model import Evidence, Finding, Reference
    from pytest_citecheck.net import Tally

# Plan of an audit: its inputs cut into partitions, and all that its verdicts depend on. It is written before any work,
# so that every worker, and every later start, does the same.
_FORMAT = 1


class OtherAuditError(ValueError):
    """The folder contains an audit of other inputs, with another index or other settings."""


@dataclass(frozen=True, slots=True)
class PlanSettings:
    """All that verdicts depend on besides the references.

    indexes: addresses, each with the identity of its content. today: ISO 8601, of the start. policy: its name;
    policy_text: the content of its file, if it has one. joined: True if exact look-ups are one join.
    """

    indexes: tuple[tuple[str, str], ...]
    today: str
    policy: str = "default"
    policy_text: str = ""
    prior: float | None = None
    strict: bool = False
    profile: str = "default"
    joined: bool = False

    @property
    def day(self) -> datetime.date:
        return datetime.date.fromisoformat(self.today)

    def read_policy(self) -> Policy:
        """The policy of this name, or in this text."""
        text, name = self.policy_text, self.policy
        return read_policy(text, name, name) if text else named_policy(name)


@dataclass(frozen=True, slots=True)
class Plan:
    """inputs: each file with the identity of its content. unread: files that could not be opened."""

    inputs: tuple[str, ...]
    settings: PlanSettings
    partitions: tuple[tuple[Piece, ...], ...]
    unread: tuple[Unread, ...] = field(default=())

    def continues(self, earlier: Plan) -> bool:
        """Return True if it is the same audit, be it begun on another day."""
        return _compared(self) == _compared(earlier)


def _compared(plan: Plan) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(json.dumps(asdict(plan)))  # what was read has lists for tuples
    data["settings"].pop("today")
    return data


class Folder:
    """The files of an audit."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def plan_file(self) -> Path:
        return self.path / "plan.json"

    def part(self, kind: Literal["keys", "exact", "references", "online", "unread"], number: int) -> Path:
        """File of a partition: its exact look-ups, their results of the join, its references as judged, the same after further
        sources were queried, its unread inputs."""
        return self.path / kind / f"part-{number:06}.parquet"

    def judged(self, number: int) -> Path:
        """The last word on the references of a partition."""
        online = self.part("online", number)
        return online if online.exists() else self.part("references", number)

    @property
    def log(self) -> Path:
        """A line for each partition that a worker has done."""
        return self.path / "work.jsonl"

    def write(self, plan: Plan) -> Plan:
        """Keep the plan, or take the one that is there. Raises OSError, OtherAuditError."""
        if self.plan_file.exists():
            earlier = self.plan()
            if not plan.continues(earlier):
                raise OtherAuditError(
                    f"{self.path} holds an audit of other inputs, another index or other settings: choose another folder"
                )
            return earlier
        data = {"format": _FORMAT, "version": __version__, **asdict(plan)}
        write_whole(self.plan_file, json.dumps(data, ensure_ascii=False, indent=1))
        return plan

    def plan(self) -> Plan:
        """Read the plan. Raises OSError, or OtherAuditError if the folder has no plan of this version."""
        try:
            data = json.loads(self.plan_file.read_bytes())
            if data["format"] != _FORMAT or data["version"] != __version__:
                raise OtherAuditError(f"{self.path} was begun with version {data['version']}; this is {__version__}")
            settings = data["settings"]
            settings["indexes"] = tuple(map(tuple, settings["indexes"]))
            return Plan(
                tuple(data["inputs"]),
                PlanSettings(**settings),
                tuple(tuple(Piece(**piece) for piece in pieces) for pieces in data["partitions"]),
                tuple(Unread(**unread) for unread in data["unread"]),
            )
        except (ValueError, LookupError, TypeError) as error:
            if isinstance(error, OtherAuditError):
                raise
            raise OtherAuditError(f"{self.plan_file} is not the plan of an audit") from error


_PATIENCE = 86_400.0  # seconds to wait for another worker of this machine that copies the index
_SEAL = 4  # bytes at the end of an index: the checksum of all before it


def identity(address: str) -> str:
    """Identity of the content of an index: the size of each file, and the checksum at its end.

    Raises IndexFileError.
    """
    try:
        filesystem, files = _opened(address)
        return " ".join(_identity_of_file(filesystem, file) for file in files)
    except FileNotFoundError as error:  # from fsspec, its message is only the path
        raise IndexFileError(f"{address}: the index cannot be opened: no such file") from error
    except Exception as error:  # each fsspec file system raises its own errors; botocore errors are not OSErrors
        raise IndexFileError(f"{address}: the index cannot be opened: {error}") from error


def _identity_of_file(filesystem: Any, file: str) -> str:
    size = int(filesystem.size(file))
    return f"{size}:{filesystem.read_block(file, max(size - _SEAL, 0), _SEAL).hex()}"


def local_index(address: str, expected: str, copies: Path | None = None) -> Path:
    """Local copy of the index at an address: a file or a set of files. expected: its `identity`.

    An index at an fsspec address (``s3://…``) is copied once into ``copies``, by default the user's cache, and its
    checksum compared. Other workers of the machine wait for the copy. Raises IndexFileError if it is not the expected
    index, or cannot be copied.
    """
    if "://" not in address:
        _demand(address, expected)
        return Path(address)
    folder = (copies or user_cache() / "indexes") / hashlib.sha256(f"{address} {expected}".encode()).hexdigest()[:16]
    copy = folder / re.split(r"[?#]", address)[0].rstrip("/").rpartition("/")[2]  # rows contain the name of the file
    if not _is_copied(copy, expected):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with writing(copy, _PATIENCE):
                if not _is_copied(copy, expected):  # by the worker before this one
                    _fetch(address, expected, copy)
        except IndexFileError:
            raise
        except Exception as error:  # as above
            raise IndexFileError(f"{address}: the index cannot be copied to {folder}: {error}") from error
    return copy


def _is_copied(copy: Path, expected: str) -> bool:
    return copy.exists() and identity(str(copy)) == expected


def _demand(address: str, expected: str) -> None:
    if identity(address) != expected:
        raise IndexFileError(f"{address} is another index than at the start of the audit")


def _fetch(address: str, expected: str, copy: Path) -> None:
    _demand(address, expected)
    filesystem, files = _opened(address)
    size = sum(int(part.partition(":")[0]) for part in expected.split())
    scratch = copy.with_name(f".{copy.name}.tmp")
    shutil.rmtree(scratch, ignore_errors=True)  # of a worker that was killed
    scratch.mkdir(0o700)
    try:
        free = shutil.disk_usage(scratch).free
        if free < size:
            raise IndexFileError(
                f"{address} has {size:,} bytes, and {copy.parent} has {free:,} bytes free: make room, or use another cache folder"
            )
        fresh = scratch / "index"
        if len(files) > 1:
            fresh.mkdir()
        for number, file in enumerate(files):
            filesystem.get_file(file, str(shard_path(fresh, number) if len(files) > 1 else fresh))
        arrived = sum(path.stat().st_size for path in shard_paths(fresh))
        if arrived < size:
            raise IndexFileError(
                f"{address}: the copy was cut short: {arrived:,} of {size:,} bytes; run the audit again"
            )
        if identity(str(fresh)) != expected or not all(map(is_sealed, shard_paths(fresh))):
            raise IndexFileError(
                f"{address} is another index than at the start of the audit, or was damaged on its way"
            )
        if copy.is_dir():  # a damaged copy
            shutil.rmtree(copy)
        fresh.replace(copy)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _opened(address: str) -> tuple[Any, list[str]]:
    """The file system of an address or path, and the files of the index there. Raises OSError, ValueError."""
    import fsspec  # noqa: PLC0415 - of an extra

    if "://" not in address:
        return fsspec.filesystem("file"), list(map(str, shard_paths(Path(address))))
    filesystem, remote = fsspec.core.url_to_fs(address)
    if filesystem.info(remote)["type"] != "directory":
        return filesystem, [remote]
    return filesystem, sorted(filesystem.glob(f"{remote}/shard-*.index"))


_KEPT = threading.local()  # an open index is good for one thread


class WorkerState:
    """One audit as a worker sees it."""

    def __init__(self, path: Path) -> None:
        """Raises OSError, OtherAuditError, IndexFileError."""
        self.folder = Folder(path)
        self.plan = self.folder.plan()
        settings = self.plan.settings
        self.policy = settings.read_policy()
        self.indexes = [
            IndexSource(local_index(address, expected), f"index-{number}" if number > 1 else "index")
            for number, (address, expected) in enumerate(settings.indexes, 1)
        ]

    def propose(self, number: int) -> None:
        """Pass the results of the join for a partition, if any, to the first index."""
        if self.plan.settings.joined:
            rows = read_rows(self.folder.part("exact", number))
            self.indexes[0].propose({row["text"]: row["numbers"] for row in rows})


def worker_state(path: str) -> WorkerState:
    """The one of this thread."""
    kept: tuple[str, WorkerState] | None = getattr(_KEPT, "bench", None)
    if kept is None or kept[0] != path:
        kept = _KEPT.bench = path, WorkerState(Path(path))
    return kept[1]


_TEXT, _TEXTS = pa.string(), pa.list_(pa.string())
_FINDING = pa.struct({"outcome": _TEXT, "code": _TEXT, "also": _TEXTS, "severity": _TEXT, "message": _TEXT})
REFERENCES = pa.schema(
    {
        **dict.fromkeys(("document", "id", "key"), _TEXT),
        "line": pa.int64(),
        **dict.fromkeys(("type", "title"), _TEXT),
        "year": pa.int32(),
        **dict.fromkeys(("venue", "verdict"), _TEXT),
        "probability": pa.float64(),
        **dict.fromkeys(("reason", "hallucination", "severity"), _TEXT),
        **{f"check_{check}": _FINDING for check in ("syntax", *CHECKS)},
        "evidence": _TEXTS,
        "settled": pa.bool_(),
        "report": _TEXT,
    }
)
"""One row a reference. check_…: the findings; severity: the worst of the findings. evidence: ids of the records found,
each after its source. settled: True if no further source must be queried. report: the reference as in the JSON report.
"""
UNREAD = pa.schema({"path": _TEXT, "row": pa.int64(), "reason": _TEXT})


def write_rows(
    path: Path, rows: Sequence[Mapping[str, Any]], schema: pa.Schema, metadata: Mapping[str, str] | None = None
) -> None:
    """Write a table; a reader never sees half of it. Raises OSError."""
    table = pa.Table.from_pylist(list(rows), schema=schema.with_metadata(dict(metadata or {})))
    with atomic_write(path) as file:
        pq.write_table(table, file, compression="zstd")


def read_rows(path: Path, columns: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """The rows of a table. Raises OSError, pyarrow.ArrowException."""
    with pq.ParquetFile(path) as file:
        rows: list[dict[str, Any]] = file.read(columns=columns).to_pylist()
    return rows


def metadata_of(path: Path) -> dict[str, str]:
    """Metadata written beside the rows."""
    stated = pq.read_schema(path).metadata or {}
    return {name.decode(): value.decode() for name, value in stated.items() if not name.startswith(b"ARROW:")}


_KEYS = pa.schema({"part": pa.int64(), "text": _TEXT, "bucket": pa.uint32(), "low": pa.uint32()})
_FOUND = pa.schema({"text": _TEXT, "numbers": pa.list_(pa.uint32())})


def extract_keys(bench: WorkerState, number: int) -> int:
    """Write the exact look-ups of a partition, unless that is done; return the number of keys."""
    out = bench.folder.part("keys", number)
    if out.exists():
        return 0
    index = bench.indexes[0]
    keys: dict[str, tuple[int, int]] = {}
    for cited in read_pieces(bench.plan.partitions[number])[0]:
        if cited.reference.readable and cited.reference.type not in NO_WORKS:
            state = LookupState.of(cited.reference, bench.plan.settings.day)
            keys |= index.exact_keys(index.queries(state))
    rows = [{"part": number, "text": text, "bucket": place, "low": low} for text, (place, low) in keys.items()]
    write_rows(out, rows, _KEYS)
    return len(rows)


def join(bench: WorkerState, _: int) -> int:
    """Write the records of the index under the keys of all partitions. Raises OSError.

    The keys of the index are written once for all audits in this folder.
    """
    import duckdb  # noqa: PLC0415 - of an extra

    folder = bench.folder
    wanted = [number for number in range(len(bench.plan.partitions)) if not folder.part("exact", number).exists()]
    if not wanted:
        return 0
    exported = folder.path / "index-keys.parquet"
    if not exported.exists():
        with LocalIndex(bench.indexes[0].path) as index:
            export_keys(index, exported)
    files = [str(folder.part("keys", number)) for number in wanted]
    with duckdb.connect() as database:
        found = database.execute(
            "SELECT k.part, k.text, list(i.number ORDER BY i.number) FILTER (i.number IS NOT NULL) "
            "FROM read_parquet($1) k LEFT JOIN read_parquet($2) i ON k.bucket = i.bucket AND k.low = i.low "
            "GROUP BY k.part, k.text ORDER BY k.part, k.text",
            [files, str(exported)],
        )
        batches = iter(lambda: found.fetchmany(10_000), [])
        for part, keys in groupby(chain.from_iterable(batches), key=itemgetter(0)):
            rows = [{"text": text, "numbers": numbers or []} for _, text, numbers in keys]
            write_rows(folder.part("exact", part), rows, _FOUND)
    for number in wanted:  # those without any key
        if not folder.part("exact", number).exists():
            write_rows(folder.part("exact", number), [], _FOUND)
    return 0


def as_row(
    cited: Cited, evaluation: Evaluation | None, policy: Policy, *, strict: bool, settled: bool
) -> dict[str, Any]:
    """The row of a reference. evaluation: None for an entry that is no reference to a work, or is unreadable."""
    data = reference_data(_result(cited, evaluation, policy, strict=strict))
    checks = data["checks"]
    severities = [finding["severity"] for finding in checks.values()]
    metadata = evaluation.case.cited if evaluation is not None else None
    verdict = data["verdict"] or {}
    return {
        "document": cited.document,
        **{name: data[name] for name in ("id", "key", "line", "type", "title")},
        "year": metadata.year if metadata is not None else None,
        "venue": metadata.venue if metadata is not None else "",
        "verdict": verdict.get("name"),
        "probability": verdict.get("probability"),
        "reason": verdict.get("reason"),
        "hallucination": verdict.get("type", ""),
        "severity": min(severities, key=SEVERITIES.index) if severities else None,
        **{
            f"check_{check}": {name: checks[check][name] for name in ("outcome", "code", "also", "severity", "message")}
            for check in checks
        },
        "evidence": _evidence_ids(evaluation.case.evidence) if evaluation is not None else [],
        "settled": settled,
        "report": json.dumps(data, ensure_ascii=False),
    }


def _evidence_ids(evidence: Evidence) -> list[str]:
    found = (
        f"{asked.source} {record.source}:{record.id or record.url}"
        for asked in evidence.asked
        if isinstance(asked.answer, Found)
        for record in asked.answer.records
    )
    return list(dict.fromkeys(found))


def _result(cited: Cited, evaluation: Evaluation | None, policy: Policy, *, strict: bool) -> ReferenceResult:
    reference = cited.reference
    found: dict[str, Finding] = {}
    if any(not defect.note for defect in reference.defects):
        found["syntax"] = check_syntax(reference)
    verdict: Any = None
    notices: tuple[Any, ...] = ()
    evidence: Sequence[Any] = ()
    if evaluation is not None:
        found |= {check: evaluation.findings[check] for check in CHECKS}
        verdict = verdict_json(evaluation.verdict, evaluation.case.miss_probability)
        notices, evidence = notices_json(evaluation.case), asked_json(evaluation.case.evidence)
    findings = {}
    for check, finding in found.items():
        context = PolicyContext() if check == "syntax" or evaluation is None else PolicyContext.of(evaluation)
        decision = policy.decide(finding, context, demanded=strict)
        named = {name: getattr(decision, name) for name in ("severity", "said", "demanded")}
        findings[check] = placed_finding_json(finding, reference, check) | named | {"waived": False}
    return ReferenceResult.of(
        reference, cited.id, verdict, cast("Mapping[str, Any]", findings), notices=notices, evidence=evidence
    )


ASKED = tuple(source for source in SOURCES if source is not WEB_PAGE)
"""The sources of a run without options."""


def judge_partition(bench: WorkerState, number: int) -> int:
    """Evaluate a partition with the indexes, unless that is done; return its references. Raises OSError."""
    folder = bench.folder
    done = folder.part("references", number)
    if done.exists():
        return 0
    started = time.process_time()
    cited, unread = read_pieces(bench.plan.partitions[number])
    read = time.process_time()
    bench.propose(number)
    rows, _ = rows_of(cited, bench, TransportSettings(offline=True))
    if unread:
        write_rows(folder.part("unread", number), list(map(asdict, unread)), UNREAD)
    note = {
        "partition": number,
        "references": len(rows),
        "worker": f"{socket.gethostname()}:{os.getpid()}",
        "reading": round(read - started, 4),
        "judging": round(time.process_time() - read, 4),
        "megabytes": _most_memory(),
    }
    append_line(folder.log, json.dumps(note).encode())  # first, so that repeated work is visible
    write_rows(done, rows, REFERENCES)
    return len(rows)


def _most_memory() -> int | None:
    """Peak memory of this process in MB; None if the system does not report it."""
    # On Linux, ru_maxrss starts with the memory of the process that started this one.
    with contextlib.suppress(OSError):
        if found := re.search(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text()):
            return int(found[1]) >> 10
    try:
        import resource  # noqa: PLC0415 - not on Windows
    except ImportError:
        return None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most // (1 << 20 if sys.platform == "darwin" else 1 << 10)


def works_of(cited: Sequence[Cited]) -> dict[str, Reference]:
    """The references to look up, by place."""
    found = enumerate(each.reference for each in cited)
    return {str(place): work for place, work in found if work.readable and work.type not in NO_WORKS}


def rows_of(
    cited: Sequence[Cited], bench: WorkerState, transport: TransportSettings
) -> tuple[list[dict[str, Any]], Mapping[str, Tally]]:
    """The judged references as rows, in their order, and what asking took by source."""
    settings = bench.plan.settings
    gathered: Gathered = asyncio.run(
        gather(works_of(cited), ASKED, transport, settings.day, None, PROFILES[settings.profile], bench.indexes)
    )
    controls = Controls() if transport.offline else gathered.controls
    rows = []
    for place, each in enumerate(cited):
        state = gathered.states.get(str(place))
        prior = PRIOR_OF_MODELS if each.answered else PRIOR_OF_PAPERS
        context = AbsenceContext(
            controls, bench.policy.escape_limit, prior if settings.prior is None else settings.prior
        )
        evaluation = None if state is None else state.evaluate_finally(context)
        settled = state is None or state.settled
        rows.append(as_row(each, evaluation, bench.policy, strict=settings.strict, settled=settled))
    return rows, gathered.statistics
