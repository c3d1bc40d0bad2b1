"""``citecheck audit``: the references of a whole corpus, in partitions, into Parquet and a summary."""

from __future__ import annotations

import argparse
import re
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck.cli.commands import Progress, UsageError, argument, complain, count, say
from pytest_citecheck.cli.entries import add_root_option
from pytest_citecheck.cli.running import NotDoneError, guarded
from pytest_citecheck.exit_codes import CHECKED, ERRORS, NOTHING, SUMMARY, UNCHECKED
from pytest_citecheck.index import IndexFileError
from pytest_citecheck.today import today

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_citecheck.audit import Done, Engine, Folder, Plan, PlanSettings, Unread
    from pytest_citecheck.net import TransportSettings

if TYPE_CHECKING:
    from pytest_citecheck.cli.commands import Commands


_ABOUT = f"""\
Check the references of a corpus with local indexes. Writes one Parquet row per reference and a summary as HTML and
CSV. Rerun the same command to resume. {SUMMARY}"""
_INPUTS = """\
INPUT: a file of references, a folder or archive (.zip, .tar, .tar.gz) of them, a Parquet file or JSON lines with one reference a
row, or a query of DuckDB in quotes, such as "SELECT * FROM 'citations/*.csv'" (docs/scale.md)."""
_EVERY = 10.0  # seconds between two lines where there is no terminal
_SHOWN = 20


def add_parser(commands: Commands) -> None:
    """Add ``citecheck audit``."""
    audit = commands.add_parser(
        "audit",
        help="check the references of a whole corpus",
        description=_ABOUT,
        epilog=_INPUTS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    argument(audit, "inputs INPUT...", "input; see below")
    add_root_option(audit)
    argument(audit, "-o --output DIR", "folder of this audit: a new one, or one to resume", required=True)
    argument(
        audit,
        "--index FILE",
        "a local index, or its address (s3://…), which each machine copies once; repeatable",
        type=str,
        repeat=True,
    )
    argument(audit, "-n --processes N", "number of processes (default: one per core; 0: this process)")
    argument(audit, "--scheduler ADDRESS", "use the cluster of this Dask scheduler instead")
    argument(audit, "--partition N", "references per partition", 500)
    argument(
        audit,
        "--online REQUESTS",
        "query further sources about undecided references, with at most this many requests (default: none)",
        type=int,
        default=0,
    )
    argument(audit, "--policy POLICY", "severities: a name, or a .toml file", default="default")
    argument(audit, "--strict", "fail unverifiable checks")
    argument(audit, "--prior SHARE", "share of invented references, 0 to 1", type=float)
    argument(audit, "--join", "look up all identifiers and titles in one join first")
    argument(audit, "--contact EMAIL", "e-mail address for the polite pools of the services", default="")
    audit.set_defaults(
        run=guarded("citecheck audit", _run, extra="audit", interrupted="rerun the same command to resume")
    )


def _run(chosen: argparse.Namespace) -> int:
    from pytest_citecheck.audit import EngineError, Folder, OtherAuditError, audited, planned, unread_of  # noqa: PLC0415

    if chosen.partition < 1 or chosen.online < 0 or (chosen.processes is not None and chosen.processes < 0):
        raise UsageError("--partition must be at least 1; --online and --processes must be at least 0")
    folder = Folder(chosen.output.absolute())
    telling = _Telling()
    try:
        transport = _transport(chosen)
        settings = _settings(chosen)
        folder.path.mkdir(parents=True, exist_ok=True)
        plan = planned(folder, _with_queries(chosen.inputs, folder), settings, chosen.partition, chosen.root)
        if not plan.partitions:
            _tell_unread([*plan.unread])
            raise NotDoneError("nothing was checked: no reference could be read", NOTHING)
        engine = _engine(chosen, len(plan.partitions))
        try:
            done = audited(folder, plan, engine, telling.tell, online=transport, budget=chosen.online)
        finally:
            telling.clear()
            engine.close()
        code = _tell(folder, plan, done)
        _tell_unread(unread_of(folder))
        return code
    except (OtherAuditError, EngineError) as error:
        raise UsageError(str(error)) from error
    except (IndexFileError, OSError) as error:
        raise NotDoneError(str(error)) from error


def _settings(chosen: argparse.Namespace) -> PlanSettings:
    from pytest_citecheck.audit import PlanSettings, identity  # noqa: PLC0415
    from pytest_citecheck.checks import PolicyError, named_policy, read_policy  # noqa: PLC0415

    text = ""
    try:
        if chosen.policy.endswith(".toml"):
            text = Path(chosen.policy).read_text(encoding="utf-8")
            read_policy(text, chosen.policy, Path(chosen.policy).stem)
        else:
            named_policy(chosen.policy)
    except PolicyError as error:
        raise UsageError(f"--policy: {error}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--policy: {chosen.policy} cannot be read: {error}") from error
    if chosen.prior is not None and not 0 <= chosen.prior <= 1:
        raise UsageError(f"--prior is a share from 0 to 1, not {chosen.prior}")
    if chosen.join and not chosen.index:
        raise UsageError("--join needs an --index to join with")
    addresses = [one if "://" in one else str(Path(one).absolute()) for one in chosen.index]
    return PlanSettings(
        indexes=tuple((address, identity(address)) for address in addresses),
        today=today().isoformat(),
        policy=Path(chosen.policy).stem if text else chosen.policy,
        policy_text=text,
        prior=chosen.prior,
        strict=chosen.strict,
        joined=chosen.join,
    )


def _transport(chosen: argparse.Namespace) -> TransportSettings | None:
    from pytest_citecheck.net import TransportSettings, user_cache  # noqa: PLC0415

    if not chosen.online:
        return None
    try:
        return TransportSettings(contact=chosen.contact, cache=user_cache())
    except ValueError as error:
        raise UsageError(str(error)) from error


def _with_queries(inputs: list[str], folder: Folder) -> list[str]:
    """The inputs, with the results of queries in place of these. Raises UsageError."""
    given = []
    for number, one in enumerate(inputs, 1):
        if not re.match(r"\s*(?:select|with|from)\s", one, re.IGNORECASE) or Path(one).exists():
            given.append(one)
            continue
        from pytest_citecheck.audit import QueryError, run_query  # noqa: PLC0415 - needs duckdb

        out = folder.path / f"query-{number}.parquet"
        try:
            run_query(one, out)
        except QueryError as error:
            raise UsageError(str(error)) from error
        given.append(str(out))
    return given


def _engine(chosen: argparse.Namespace, partitions: int) -> Engine:
    from pytest_citecheck.audit import DaskCluster, InProcess, Processes, cores  # noqa: PLC0415

    if chosen.scheduler:
        return DaskCluster(chosen.scheduler)
    workers = min(cores() if chosen.processes is None else chosen.processes, partitions)
    return Processes(workers) if workers > 1 else InProcess()


class _Telling:
    """Progress: a line that changes on a terminal, else one every ten seconds."""

    def __init__(self) -> None:
        self._progress = Progress()
        self._terminal = sys.stderr.isatty()
        self._started = self._next = time.monotonic()

    def tell(self, stage: str, done: int, total: int, references: int) -> None:
        now = time.monotonic()
        if not done:
            self._started, self._next = now, now + _EVERY
        if not (self._progress.due if self._terminal else now >= self._next):
            return
        self._next = now + _EVERY
        rate = references / max(now - self._started, 0.001)
        parts = [f"audit, {stage}: {done:,} of {count(total, 'partition')}"]
        if references:
            parts.append(f"{count(references, 'reference')}, {rate:,.0f} a second")
        if done:
            parts.append(f"{_duration((now - self._started) / done * (total - done))} left")
        text = ", ".join(parts)
        if self._terminal:
            self._progress.show(text)
        else:
            complain(text)

    def clear(self) -> None:
        self._progress.clear()


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s" if minutes else f"{rest} s"


def _tell(folder: Folder, plan: Plan, done: Done) -> int:
    """Print the counts; return the exit code."""
    from pytest_citecheck.audit import write_summary  # noqa: PLC0415

    counts = write_summary(folder, plan)
    total = counts.pop("references")
    if not total:
        complain("citecheck audit: nothing was checked: no reference could be read")
    say(f"{count(total, 'reference')}: {', '.join(f'{number:,} {name}' for name, number in counts.items() if number)}")
    if done.requests or done.left:
        say(
            f"online: {count(done.requests, 'request')}; {count(done.left, 'open reference')} left, because the budget is spent"
        )
    say(f"written: {folder.path / 'summary' / 'index.html'}, {folder.path / 'references'}")
    if not total:
        return NOTHING
    if counts["errors"]:
        return ERRORS
    return UNCHECKED if counts["undecided"] + counts["unread"] == total else CHECKED


def _tell_unread(unread: Sequence[Unread]) -> None:
    if not unread:
        return
    complain(f"not read, rows or files: {len(unread):,}")
    for one in unread[:_SHOWN]:
        where = f"{one.path}:{one.row}" if one.row else one.path
        complain(f"  {where}: {one.reason}")
    if len(unread) > _SHOWN:
        complain("  (all in unread/*.parquet)")
