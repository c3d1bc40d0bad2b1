"""The item of a claim: passes if the source supports it, and says what decides if it does not."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from pytest_citecheck import ClaimWarning
from pytest_citecheck.benchmark import benchmark_settings
from pytest_citecheck.confinement import demand_within, start_folder
from pytest_citecheck.inputs import Bibliography, escape_name
from pytest_citecheck.matching import safe_line
from pytest_citecheck.model import Judge, Judgement, Location
from pytest_citecheck.models import (
    PLANS,
    AnswerLog,
    ModelAnswer,
    Outcome,
    ask_for_missing,
    asks_here,
    best_answers,
    key_rules,
    may_ask,
    may_call,
    of_arena,
    of_claims,
    one_answer,
    planned_calls,
    read_log,
    replays,
    usage_errors,
)
from pytest_citecheck.models.chat import total_of_known
from pytest_citecheck.models.claims.answers import PARSE_ERROR, UNDECIDED, canonical, judgement
from pytest_citecheck.models.claims.file_kinds import SUFFIXES
from pytest_citecheck.models.claims.judges import (
    BUILT_IN,
    REMINDER,
    Cascade,
    CascadeState,
    ClaimCell,
    ClaimsConfiguration,
    Prompt,
    cascade_row,
    cascade_state,
    cell_of,
    is_unreadable,
    lacks_check,
    read_judges,
    read_stored,
    row_of,
    row_of_judgement,
    second_prompt,
)
from pytest_citecheck.models.claims.literal import NOT_SHOWN
from pytest_citecheck.models.claims.pairs import ClaimFile, ClaimFileError, ClaimPair
from pytest_citecheck.models.claims.passages import nearest_passages
from pytest_citecheck.models.claims.registry import WITHOUT_MODEL
from pytest_citecheck.models.claims.review import Panel, ResultRow, panel_row, read_claim_file
from pytest_citecheck.models.claims.summary import PREFIX, Judged, properties, stated_in, write_summary
from pytest_citecheck.plugin import CheckFailure, FindingItem, file_nodeid
from pytest_citecheck.screen import SafeReporter

if TYPE_CHECKING:
    from pytest_citecheck.models.chat import ChatModels, ModelPlan
    from pytest_citecheck.plugin import CitecheckSession, Settings


def ask_judges(
    run: ClaimRun, selected: Iterable[tuple[ClaimPair, str]], config: pytest.Config, settings: Settings
) -> Outcome:
    """Ask for the verdicts that are missing. Raises pytest.UsageError."""
    pairs = list(selected)
    log, shown = AnswerLog(run.log), file_nodeid(run.log, config.rootpath)
    total, asked = Outcome(0, 0), dict[tuple[str, str], None]()
    while True:
        # What a cascade asks next depends on its answers so far.
        wanted = {cell.key: cell for pair, judge in pairs for cell in run.cells(pair, judge)}
        cells = [cell for key, cell in wanted.items() if key not in asked]
        if not cells or not may_ask(settings):
            kept = len(cells)
            return replace(total, cells=total.cells + kept, kept=total.kept + kept)
        asked |= dict.fromkeys(wanted)
        try:
            found = ask_for_missing(
                cells, log, shown, config, settings, run.configuration.calls, _verdict_of, run.is_unreadable
            )
        finally:
            run.forget_answers()
        total = _sum(total, found)


async def _verdict_of(models: ChatModels, cell: ClaimCell) -> ModelAnswer:
    """The answer to a claim, with a second round if the model asks for one."""
    model = models[cell.endpoint.name]
    first = await one_answer(model, cell.prompt.text, cell.question)
    if cell.prompt.demands_check and lacks_check(first):
        second = await one_answer(model, cell.prompt.text, cell.question + REMINDER)
        first = replace(together(first, second), calls=second.calls)
    again = "" if first.text is None else second_prompt(cell.pair, judgement(first.text, first.finish))
    return together(first, await one_answer(model, cell.prompt.text, again)) if again else first


_TAKEN = ("prompt_tokens", "completion_tokens", "cost")


def together(first: ModelAnswer, second: ModelAnswer) -> ModelAnswer:
    """The answer of the second round, with the tokens, the cost and the time of both."""
    sums: dict[str, Any] = {name: total_of_known([getattr(first, name), getattr(second, name)]) for name in _TAKEN}
    return replace(
        second,
        **sums,
        calls=first.calls + second.calls,
        attempts=first.attempts + second.attempts,
        seconds=round(first.seconds + second.seconds, 3),
    )


def _sum(one: Outcome, other: Outcome) -> Outcome:
    return Outcome(
        one.cells + other.cells,
        one.kept + other.kept,
        one.asked + other.asked,
        dict(sorted((Counter(one.failures) + Counter(other.failures)).items())),
        other.spent,
        tuple(dict.fromkeys((*one.notes, *other.notes))),
    )


LOG = "claims.jsonl"


class ClaimRun:
    """The claims of a run: which files there are, who judges, and what each judge says."""

    def __init__(
        self,
        files: Mapping[Path, ClaimFile],
        judges: ClaimsConfiguration,
        prompt: Prompt,
        chosen: Iterable[str],
        folder: Path,
        stored: Iterable[ResultRow] = (),
        added: Iterable[Judge] = (),
    ) -> None:
        self.files = files
        self.configuration = judges
        self.log = folder / LOG
        self._prompt = prompt
        self._endpoints = {endpoint.name: endpoint for endpoint in judges.endpoints}
        self._panels = {panel.name: panel for panel in judges.panels}
        self._cascades = {cascade.name: cascade for cascade in judges.cascades}
        self._stored = {(row.provider, row.entry): row for row in stored}
        self._cells: dict[tuple[str, str, str], ClaimCell] = {}
        self._rows: dict[tuple[str, str, str], ResultRow] = {}
        providers = dict.fromkeys(provider for provider, _ in self._stored)
        own = (WITHOUT_MODEL,) if judges.overlap else ()
        self._local = {judge.name: judge for judge in (*judges.local, *own, *added)}
        single = dict.fromkeys((*self._endpoints, *providers, *self._local))
        self.known = tuple(dict.fromkeys((*single, *self._cascades, *self._panels)))
        patterns = tuple(chosen)
        self.judges = tuple(
            name for name in self.known if not patterns or any(fnmatchcase(name, pattern) for pattern in patterns)
        )
        for group in judges.groups:
            is_panel = isinstance(group, Panel)
            members = (*single, *self._cascades) if is_panel else tuple(single)
            if wrong := next((name for name in group.members if name not in members), None):
                kind, names = "panel" if is_panel else "cascade", ", ".join(members)
                raise ClaimFileError(f"{kind} {group.name}: {wrong!r} is not a judge; there are {names}")
        if not self.judges:
            raise ClaimFileError(f"unknown judge {', '.join(patterns)}; there are {', '.join(self.known)}")

    @cached_property
    def _answers(self) -> dict[tuple[str, str], ModelAnswer]:
        return {key: logged.answer for key, logged in best_answers(read_log(self.log)).items()}

    def forget_answers(self) -> None:
        """Read the file of answers again when it is needed."""
        self.__dict__.pop("_answers", None)
        self._rows.clear()

    def is_unreadable(self, answer: ModelAnswer) -> bool:
        """Return True if an answer has no verdict, or lacks ``check`` where all prompts ask for it."""
        own = any(endpoint.system_prompt for endpoint in self._endpoints.values())
        return is_unreadable(answer, checked=self._prompt.demands_check and not own)

    def _asked(self, pair: ClaimPair, judge: str) -> Iterator[str]:
        """The endpoints that a judge needs: its own, those of its members, and of a cascade those whose turn it was or is."""
        if judge in self._endpoints:
            yield judge
        elif judge in self._panels:
            for member in self._panels[judge].members:
                yield from self._asked(pair, member)
        elif judge in self._cascades:
            state = self._state(pair, self._cascades[judge])
            turns = (*(row.provider for row in state.asked), state.next)
            yield from (name for name in turns if name in self._endpoints)

    def cells(self, pair: ClaimPair, judge: str) -> list[ClaimCell]:
        """The questions that a judge still needs answered about a pair, given the answers so far."""
        if not pair.source.strip():
            return []
        return [self._cell(pair, name) for name in dict.fromkeys(self._asked(pair, judge))]

    def _cell(self, pair: ClaimPair, endpoint: str) -> ClaimCell:
        key = (pair.path, pair.id, endpoint)
        if key not in self._cells:
            self._cells[key] = cell_of(self._endpoints[endpoint], pair, self._prompt)
        return self._cells[key]

    def planned(self, selected: Iterable[tuple[ClaimPair, str]], settings: Settings) -> list[ModelPlan]:
        """The calls that a run would make for the missing verdicts, as far as cascades show them. Raises OSError."""
        cells = list({cell.key: cell for pair, judge in selected for cell in self.cells(pair, judge)}.values())
        return planned_calls(cells, AnswerLog(self.log), settings, self.configuration.calls, self.is_unreadable)

    def row(self, pair: ClaimPair, judge: str) -> ResultRow:
        """Judgement of a pair. Raises OSError."""
        key = (pair.path, pair.id, judge)
        if key not in self._rows:
            self._rows[key] = self._judged(pair, judge)
        return self._rows[key]

    def _judged(self, pair: ClaimPair, judge: str) -> ResultRow:
        if not pair.source.strip():
            said = Judgement("Source unavailable", 0, "no source of the claim could be retrieved")
            return row_of_judgement(pair, judge, "", said)
        if judge in self._panels:
            panel = self._panels[judge]
            return panel_row(panel, [self.row(pair, member) for member in panel.members])
        if judge in self._cascades:
            cascade = self._cascades[judge]
            state = self._state(pair, cascade)
            if state.next is not None:  # the last answer is not that of the cascade
                return replace(self.row(pair, state.next), provider=judge)
            return cascade_row(cascade, state.asked)
        if judge in self._endpoints:
            cell = self._cell(pair, judge)
            answer = self._answers.get(cell.key)
            return row_of(pair, judge, cell.endpoint.model, answer, checked=cell.prompt.demands_check)
        if judge in self._local:
            return _judged_here(pair, self._local[judge])
        row = self._stored.get((judge, pair.id))
        return row if row is not None else row_of(pair, judge, judge, None)

    def _state(self, pair: ClaimPair, cascade: Cascade) -> CascadeState:
        return cascade_state(cascade, (self.row(pair, member) for member in cascade.members))


def _judged_here(pair: ClaimPair, judge: Judge) -> ResultRow:
    """Return the row of a judge that makes no call. An exception of the judge becomes an error of the row."""
    try:
        said = judge.judge(pair.claim, pair.source)
    except Exception as error:  # noqa: BLE001 - it may be from a plugin
        what = f"{type(error).__name__}: {error}"
        return ResultRow(pair.id, judge.name, judge.name, truth=pair.truth or "", verdict="ERROR", error=what)
    if said.verdict is None and NOT_SHOWN not in said.flags:
        said = replace(said, flags=(*said.flags, NOT_SHOWN))
    return row_of_judgement(pair, judge.name, judge.name, said)


class ClaimsReader:
    """Lets ``--citecheck`` accept files of claims; `ClaimRun` reads them."""

    suffixes = SUFFIXES
    format = "a file of claims"
    lenient = False

    def __init__(self, paths: Iterable[Path]) -> None:
        self._paths = tuple(paths)

    def reads(self, head: bytes) -> bool:
        """Return True if one of the files of claims begins so."""
        for path in self._paths:
            with path.open("rb") as file:
                if file.read(len(head)) == head:
                    return True
        return False

    def read(self, path: str, data: bytes) -> Bibliography:  # noqa: ARG002 - there are no references
        """An empty bibliography."""
        return Bibliography(path, ())


def open_claims(
    paths: Iterable[Path],
    config: pytest.Config,
    settings: Settings,
    environment: Mapping[str, str],
    added: Iterable[Judge] = (),
) -> ClaimRun:
    """The claims of these files. added: judges of hooks. Raises pytest.UsageError for what cannot be used."""
    files: dict[Path, ClaimFile] = {}
    with usage_errors("--citecheck", of_claims(settings).judges, ClaimFileError):
        for path in paths:
            where = file_nodeid(path, config.rootpath)
            roots = (*start_folder(), *settings.documents.roots)
            stated = of_claims(settings)
            whole = read_claim_file(path, where, version=stated.version, sources=stated.sources, roots=roots)
            shard = settings.shard
            kept = tuple(pair for pair in whole.pairs if shard is None or shard.holds(pair.id))
            files[path] = replace(whole, pairs=kept)
        return _run(files, config, settings, environment, added)


def _run(
    files: Mapping[Path, ClaimFile],
    config: pytest.Config,
    settings: Settings,
    environment: Mapping[str, str],
    added: Iterable[Judge],
) -> ClaimRun:
    judges, prompt = ClaimsConfiguration(), BUILT_IN
    stored: list[ResultRow] = []
    if (path := of_claims(settings).judges) is not None:
        asks = may_call(config, settings)
        keys = key_rules(path, of_arena(settings).hosts) if asks else None
        judges = read_judges(path, path.read_text(encoding="utf-8-sig"), environment, secrets=asks, keys=keys)
        roots = (path.parent, *start_folder(), *settings.documents.roots)
        if judges.prompt_file:
            text = demand_within(path.parent / judges.prompt_file, roots).read_text(encoding="utf-8-sig")
            prompt = Prompt(text, judges.prompt_file, judges.prompt_date)
        sources = {pair.id: pair.source for file in files.values() for pair in file.pairs}
        for name in judges.stored:
            stored += read_stored(demand_within(path.parent / name, roots), sources)
    base = path.parent if path is not None else config.invocation_params.dir
    folder = Path(os.path.abspath(base / judges.folder))  # noqa: PTH100 - links keep their names
    return ClaimRun(files, judges, prompt, of_arena(settings).models, folder, stored, added)


def item_name(pair: ClaimPair, judge: str) -> str:
    """The name of the item of a pair and a judge."""
    return f"{escape_name(pair.id)}[{escape_name(judge)}]"


_LONGEST = 600  # characters of a text in a message


class ClaimFileNode(pytest.File):
    """A file of claims."""

    run: ClaimRun
    citecheck: CitecheckSession

    def collect(self) -> Iterator[pytest.Item]:
        for pair in self.run.files[self.path].pairs:
            for judge in self.run.judges if pair.runs else ("not judged",):
                name = item_name(pair, judge)
                given: dict[str, Any] = {"pair": pair, "judge": judge, "run": self.run, "citecheck": self.citecheck}
                item: ClaimItem = ClaimItem.from_parent(self, name=name, nodeid=f"{self.nodeid}::{name}", **given)
                waiver = self.citecheck.waivers.match(pair.cites or pair.id, "claim")
                if waiver is not None and not waiver.checks:
                    item.add_marker(pytest.mark.xfail(raises=CheckFailure, reason=waiver.reason, strict=False))
                yield item


class ClaimItem(FindingItem):
    """One claim, judged by one judge."""

    def __init__(
        self, *, pair: ClaimPair, judge: str, run: ClaimRun, citecheck: CitecheckSession, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.pair, self.judge, self.run, self.citecheck = pair, judge, run, citecheck
        self.add_marker(pytest.mark.claim)
        if pair.unfit:
            self.add_marker(pytest.mark.skip(reason=f"not judged: {safe_line(pair.unfit)}"))

    def setup(self) -> None:
        """Fails where a judge returned no verdict, which is no fault of the claim: pytest reports an error here, "
        "not a failure."""
        row = self._row()
        self.user_properties.extend(properties(self.pair, row))
        if not row.answered:
            _fail(f"{self.judge} returned no verdict: {row.error or 'the call failed'}")
        if row.verdict == PARSE_ERROR or (canonical(row.verdict) is None and row.verdict != UNDECIDED):
            _fail(f"{self.judge} returned an answer without a verdict: {_short(row.comments) or 'unreadable'}")

    def runtest(self) -> None:
        row, settings = self._row(), self.citecheck.settings
        verdict = canonical(row.verdict)
        if row.verdict == UNDECIDED:
            _skip(f"not-shown: {_short(row.comments)}")
        if self.citecheck.compares:
            self._compare(row)
            return
        if verdict == "Source unavailable":
            _skip(f"source-unavailable: {_short(row.comments)}")
        if verdict == "Not supported" and self.pair.abstract and row.reason_type != "contradiction":
            lacks = "the abstract does" if self.pair.sources == 1 else "the texts that are there do"
            _skip(f"abstract-only: {lacks} not support it, but the full text may: {_short(row.comments)}")
        if verdict == "Not supported":
            raise self._failure("not-supported", "the source does not support the claim", row)
        marked = {"instructions", "canary"} & set(row.flags)
        if marked:
            what = "speaks to models" if "instructions" in marked else "may have steered the model"
            self._warn("instructions", f"the source {what}; read it before you trust the verdict", row)
        if verdict == "Partially supported" and of_claims(settings).partial != "pass":
            said = "the source supports only a part of the claim"
            if of_claims(settings).partial == "fail":
                raise self._failure("partially-supported", said, row)
            self._warn("partially-supported", said, row)

    def _row(self) -> ResultRow:
        return self.run.row(self.pair, self.judge)

    def _warn(self, code: str, said: str, row: ResultRow) -> None:
        try:
            self.warn(ClaimWarning(f"{safe_line(self.pair.id)}: {said} ({safe_line(self.judge)})"))
        except ClaimWarning:
            raise self._failure(code, said, row) from None

    def _compare(self, row: ResultRow) -> None:
        if self.pair.truth is None:
            _skip("no-label: the pair has no label")
        if canonical(row.verdict) != self.pair.truth:
            raise self._failure("label-contradicted", f"{row.verdict}, but labelled {self.pair.truth}", row)

    def _failure(self, code: str, said: str, row: ResultRow) -> CheckFailure:
        pair = self.pair
        confidence = "" if row.confidence is None else f", {row.confidence:g} %"
        headline = safe_line(f"{code}: {said} ({self.judge}{confidence})")
        quoted, nearest = "", list[str]()
        if not row.verified:
            quoted = f"“{_short(row.quote)}” ({row.quote_status} in the source)" if row.quote else ""
            nearest = [f"“{_short(passage)}”" for passage in nearest_passages(pair.claim, pair.source)]
            nearest = nearest or ["no passage of the source resembles the claim"]
        stated = [
            ("claim", _short(pair.claim)),
            ("source", _short(pair.source_name or pair.cites) or "given"),
            ("passage", f"“{_short(row.verified)}”" if row.verified else ""),
            ("quoted", quoted),
            *(("nearest", passage) for passage in nearest),
            (
                "reason",
                _short(f"{row.reason_type}: {row.comments}" if row.reason_type else row.comments) or "none given",
            ),
            ("seen", row.seen),
            ("marks", ", ".join(row.flags)),
            ("changed", _short(pair.overridden)),
        ]
        lines = [headline, *(f"  {name:<8} {text}" for name, text in stated if text)]
        return CheckFailure(headline, "\n".join(lines), Location(pair.file or pair.path, pair.line, pair.line))

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        return self.path, self.pair.line - 1, f"{safe_line(self.pair.id)} [{safe_line(self.judge)}]"


def _skip(reason: str) -> NoReturn:
    raise pytest.skip.Exception(reason, _use_item_location=True)


def _fail(said: str) -> NoReturn:
    raise pytest.fail.Exception(_short(said), pytrace=False)


def _short(text: str) -> str:
    line = safe_line(text)
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


def selected_pairs(run: ClaimRun, nodeids: list[str], root: Path) -> list[tuple[ClaimPair, str]]:
    """The pairs and judges of these items."""
    known = {
        f"{file_nodeid(path, root)}::{item_name(pair, judge)}": (pair, judge)
        for path, file in run.files.items()
        for pair in file.pairs
        if pair.runs
        for judge in run.judges
    }
    return [known[nodeid] for nodeid in nodeids if nodeid in known]


class ClaimHooks:
    """Collection, asking after collection, and what is reported at the end."""

    def __init__(self, citecheck: CitecheckSession, run: ClaimRun) -> None:
        self.citecheck = citecheck
        self.run = run
        self.is_worker = hasattr(citecheck.config, "workerinput")
        self.judged = Judged(run)
        citecheck.taken.update(run.files)
        citecheck.config.addinivalue_line("markers", "claim: the source supports the claim")

    def pytest_report_header(self) -> list[str]:
        lines = []
        for file in self.run.files.values():
            runs = sum(pair.runs for pair in file.pairs)
            unfit = "".join(f"; {count} not judged: {reason}" for reason, count in file.unfit().items())
            lines.append(f"citecheck: {file.path}: {runs} claims, judged by {', '.join(self.run.judges)}{unfit}")
        return lines

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        if file_path not in self.run.files:
            return None
        nodeid = file_nodeid(file_path, parent.config.rootpath)
        node: ClaimFileNode = ClaimFileNode.from_parent(parent, path=file_path, nodeid=nodeid)
        node.run, node.citecheck = self.run, self.citecheck
        return node

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        config = session.config
        if asks_here(session):
            nodeids = [item.nodeid for item in session.items if isinstance(item, ClaimItem)]
            settings = self.citecheck.settings
            if settings.plan:
                selected = selected_pairs(self.run, nodeids, config.rootpath)
                config.stash.setdefault(PLANS, []).extend(self.run.planned(selected, settings))
            else:
                self.ask(nodeids)
        return (yield)

    @pytest.hookimpl(wrapper=True, optionalhook=True)
    def pytest_xdist_make_scheduler(self) -> Generator[None, Any, Any]:
        """Ask before the first items are handed out: the workers read the answers."""
        scheduler = yield
        schedule = scheduler.schedule

        def ask_then_schedule() -> None:
            scheduler.schedule = schedule
            known = getattr(scheduler, "node2collection", None) or scheduler.registered_collections
            self.ask([str(nodeid) for nodeid in next(iter(known.values()))])
            schedule()

        scheduler.schedule = ask_then_schedule
        return scheduler

    def ask(self, nodeids: list[str]) -> None:
        """Ask the judges of these items."""
        config, settings = self.citecheck.config, self.citecheck.settings
        selected = selected_pairs(self.run, nodeids, config.rootpath)
        outcome = ask_judges(self.run, selected, config, settings)
        self.citecheck.notes += outcome.notes
        reporter = config.pluginmanager.getplugin("terminalreporter")
        if reporter is not None and outcome.cells and config.get_verbosity() >= 0:
            for line in (_summary_line(outcome, settings), *outcome.spent):
                SafeReporter(reporter).line(f"citecheck: {line}")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not self.is_worker and (report.when == "call" or (report.when == "setup" and not report.passed)):
            stated = stated_in(report.user_properties)
            if "judge" in stated:
                self.judged.add(stated)

    def pytest_citecheck_excuses(self, report: pytest.TestReport) -> bool:
        """Where scores of claims decide, a verdict is no failure, but a failed call is."""
        stated = dict(report.user_properties)
        has_verdict = f"{PREFIX}verdict" in stated and f"{PREFIX}error" not in stated
        return has_verdict and "claims_" in benchmark_settings(self.citecheck.settings).gates

    def pytest_citecheck_sections(self) -> dict[str, Any]:
        return {"claims": self.judged.data()}

    def pytest_citecheck_is_open(self) -> bool:
        return self.judged.is_open()

    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        if report.when == "setup" and report.failed and (f"{PREFIX}verdict", "PARSE_ERROR") in report.user_properties:
            return "unparsed", "U", "UNPARSED"
        return None

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self.is_worker and not self.citecheck.config.getoption("collectonly"):
            write_summary(SafeReporter(terminalreporter), self.judged)


def _summary_line(outcome: Outcome, settings: Settings) -> str:
    how = "replayed from recordings" if replays(settings) else "requested now"
    return f"claims: {outcome.asked} verdicts {how}{outcome.failed_in_words()}, {outcome.kept} kept"
