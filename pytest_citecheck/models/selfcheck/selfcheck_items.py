"""The items of self-checks: ``refs.bib::key[selfcheck-iq]``."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from pytest_citecheck import SelfcheckWarning
from pytest_citecheck.inputs import cited_metadata
from pytest_citecheck.matching import safe_line
from pytest_citecheck.models import (
    CROSS,
    PLANS,
    asks_here,
    at_once,
    chat_settings,
    demand_consent,
    key_rules,
    may_call,
    of_arena,
    of_selfcheck,
    usage_errors,
)
from pytest_citecheck.models.chat import ChatModels, ModelPlan, Prices
from pytest_citecheck.models.selfcheck.asking import (
    AskedModel,
    CallLog,
    ModelCallError,
    NotAnsweredError,
    call_key,
    score_of,
)
from pytest_citecheck.models.selfcheck.prompts import (
    SelfcheckConfiguration,
    Subject,
    clean_title,
    estimate,
    read_selfcheck,
)
from pytest_citecheck.models.selfcheck.scores import MethodScore, cross_model, ensemble
from pytest_citecheck.net import CassetteError
from pytest_citecheck.plugin import CheckFailure, FindingItem, progress_line, run_to_end
from pytest_citecheck.screen import SafeReporter
from pytest_citecheck.today import stamp

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_citecheck.inputs import Answered
    from pytest_citecheck.lookup import Progress
    from pytest_citecheck.model import Reference
    from pytest_citecheck.models import SelfcheckSettings
    from pytest_citecheck.models.arena import Arena
    from pytest_citecheck.models.chat import Endpoint
    from pytest_citecheck.models.selfcheck.prompts import Method, Options
    from pytest_citecheck.plugin import CitecheckSession

Outcome = MethodScore | NotAnsweredError | ModelCallError
"""Result of one method for one reference: a score, or the reason for its absence."""


Wanted = tuple[Subject, tuple["Endpoint", ...]]
"""One reference to ask about, and whom."""

ENSEMBLE = "selfcheck"
"""The item of the weighted mean of all methods."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A score of at most ``value`` is too low. said: origin of the threshold."""

    value: float
    said: str = "as configured"


@dataclass(frozen=True, slots=True)
class Selfchecks:
    """Planned queries and their endpoints. endpoints: by name, the first one first. bounds: by item, for calibrated
    items."""

    settings: SelfcheckSettings
    configuration: SelfcheckConfiguration
    endpoints: Mapping[str, Endpoint]
    bounds: Mapping[str, Bound]

    @property
    def methods(self) -> tuple[Method, ...]:
        """Methods that query one model."""
        return tuple(method for method in self.settings.methods if method != CROSS)  # type: ignore[misc]

    @property
    def items(self) -> tuple[str, ...]:
        """The items of each reference, without their prefix."""
        weighed = [method for method in self.methods if self.configuration.options.weights.get(method, 0.0) > 0]
        return (*self.settings.methods, *([ENSEMBLE] if len(weighed) > 1 else []))

    def bound(self, item: str) -> Bound:
        """The threshold of an item."""
        return self.bounds.get(item, Bound(self.configuration.options.threshold))

    def asked(self, place: Answered | None) -> tuple[Endpoint, ...]:
        """Endpoints for a reference: the model that produced it, none if it is unknown; or the chosen one, two for
        ``cross``."""
        if place is not None and not self.settings.models:
            known = self.endpoints.get(place.group.model)
            return (known,) if known is not None else ()
        chosen = self.settings.models or tuple(self.endpoints)[:1]
        return tuple(self.endpoints[name] for name in chosen)

    def planned(self, references: int) -> ModelPlan:
        """Maximum effort for this many references."""
        first = self.asked(None)[0]
        price = (self.configuration.calls.prices or Prices.read()).of(first)
        twice: tuple[Method, ...] = ("iq", "iq") if CROSS in self.settings.methods else ()
        return estimate(references, (*self.methods, *twice), self.configuration.options, first, price)


def _calibrated(configuration: SelfcheckConfiguration) -> dict[str, Bound]:
    """Thresholds from a labelled file. Raises pytest.UsageError."""
    if not configuration.calibration:
        return {}
    from pytest_citecheck.benchmark import threshold_for  # noqa: PLC0415 - needs numpy
    from pytest_citecheck.models.selfcheck.benchmark import TableError, read_labelled  # noqa: PLC0415

    with usage_errors("selfcheck.calibration", None, TableError):
        labelled = read_labelled(configuration.path.parent / Path(configuration.calibration))
    bounds = {}
    for name in labelled.scores:
        found = threshold_for(labelled.of(name), configuration.target_fdr)
        if found is None or found.kept.interval is None:
            continue
        low, high = found.kept.interval
        said = (
            f"for at most {configuration.target_fdr:g} false discoveries in {len(labelled.grounded)} labelled references, where "
            f"it reaches {found.kept.fdr:.3f} (95 %: {low:.3f} to {high:.3f})"
        )
        bounds[ENSEMBLE if name == "iq+dq" else name] = Bound(max(0.0, found.value), said)
    return bounds


NO_PROOF = "self-check of a language model, not proof"
SCORE = "citecheck_selfcheck"
"""The property of a report that holds the score; others begin with it."""

_LONGEST_REASON = 300


def is_of_selfcheck(nodeid: str) -> bool:
    """Return True if an item is a self-check."""
    return nodeid.rpartition("[")[2].startswith("selfcheck")


class SelfcheckResults:
    """The results of a run as they come in. items: the methods, in order."""

    def __init__(self, items: Sequence[str]) -> None:
        self._items = tuple(items)
        self._scores: dict[str, dict[str, dict[str, Any]]] = {}
        self._models: dict[str, list[str]] = {}
        self.scored = self.low = self.skipped = self.errors = 0

    def add(self, report: pytest.TestReport) -> None:
        """Take up the report of an item."""
        if (
            not is_of_selfcheck(report.nodeid)
            or report.when == "teardown"
            or (report.when == "setup" and report.passed)
        ):
            return
        reference, _, rest = report.nodeid.rpartition("[")
        method = rest.rstrip("]").removeprefix("selfcheck-")
        stated = {name: str(value) for name, value in report.user_properties if name.startswith(SCORE)}
        has_score = SCORE in stated
        threshold = stated.get(f"{SCORE}_threshold")
        score = {
            "score": float(stated[SCORE]) if has_score else None,
            "threshold": None if threshold is None else float(threshold),
            "low": has_score and float(stated[SCORE]) <= float(threshold or 0.0),
            "answers": json.loads(stated.get(f"{SCORE}_answers", "[]")),
            "reason": "" if has_score else _reason(report),
        }
        self._scores.setdefault(reference, {})[method] = score
        if has_score:
            self._models[reference] = json.loads(stated[f"{SCORE}_models"])
        self.scored += has_score
        self.low += report.failed and report.when == "call"
        self.skipped += report.skipped
        self.errors += report.failed and report.when == "setup"

    def data(self) -> dict[str, Any] | None:
        """Data for reports; None if nothing was run. The order follows the ids, however items were distributed."""
        if not self._scores:
            return None
        return {
            "note": NO_PROOF,
            "methods": [item for item in self._items if any(item in scores for scores in self._scores.values())],
            "references": [
                {
                    "id": reference,
                    "models": self._models.get(reference, []),
                    "scores": {item: scores[item] for item in self._items if item in scores},
                }
                for reference, scores in sorted(self._scores.items())
            ],
        }


def _reason(report: pytest.TestReport) -> str:
    said = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longreprtext
    text = " ".join(str(said).split()).removeprefix("Skipped: ")
    return text.rpartition(f"{NO_PROOF}: ")[2][:_LONGEST_REASON]


_SHOWN = 10  # answers in a message
_LONGEST = 160  # characters of one


class SelfcheckItem(FindingItem):
    """One self-check method for one reference. Its outcome changes neither findings nor verdict."""

    def __init__(
        self,
        *,
        reference: Reference,
        reference_id: str,
        method: str,
        place: Answered | None,
        run: SelfcheckRun,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.reference, self.reference_id, self.place = reference, reference_id, place
        self.method, self.run = method, run
        self.add_marker(pytest.mark.selfcheck)

    def setup(self) -> None:
        """Query the model: a missing answer is a skip, and a failure an error."""
        why = self.run.left_out(self)
        if why:
            self._skip(why)
        for outcome in self._outcomes().values():
            if isinstance(outcome, NotAnsweredError):
                self._skip(f"not asked: {outcome}")
            if isinstance(outcome, ModelCallError):
                raise pytest.fail.Exception(safe_line(f"selfcheck: {outcome}"), pytrace=False)

    def runtest(self) -> None:
        """Pass if the score is above the threshold, else fail or warn; skip without a score."""
        outcomes = {name: outcome for name, outcome in self._outcomes().items() if isinstance(outcome, MethodScore)}
        value, reason = self._score(outcomes)
        if value is None:
            self._skip(reason)
        bound = self.run.selfchecks.bound(self.method)
        models = [endpoint.name for endpoint in self.run.selfchecks.asked(self.place)]
        self.user_properties += [
            (SCORE, f"{value:.6f}"),
            (f"{SCORE}_threshold", f"{bound.value:.6f}"),
            (f"{SCORE}_models", json.dumps(models, ensure_ascii=False)),
            (f"{SCORE}_answers", json.dumps(self._shown(outcomes), ensure_ascii=False)),
        ]
        if value > bound.value:
            return
        headline = (
            f"selfcheck-low: the answers of {self._name} about {safe_line(self.reference.key)} do not agree: "
            f"{value:.3f}, not above {bound.value:.3f} ({NO_PROOF})"
        )
        failure = CheckFailure(headline, self._explanation(value, outcomes), self.reference.location)
        if self.run.selfchecks.configuration.severity == "error":
            raise failure
        try:
            self.warn(SelfcheckWarning(headline))
        except SelfcheckWarning:  # warnings are errors in this run
            raise failure from None

    @property
    def _name(self) -> str:
        return " and ".join(endpoint.name for endpoint in self.run.selfchecks.asked(self.place))

    def _shown(self, outcomes: dict[str, MethodScore]) -> list[str | None]:
        """The answers of a single method, as far as messages and reports show them."""
        (one,) = outcomes.values() if len(outcomes) == 1 else (None,)
        answers = one.answers[:_SHOWN] if one is not None else ()
        return [None if answer is None else safe_line(answer)[:_LONGEST] for answer in answers]

    def _outcomes(self) -> dict[str, Outcome]:
        known = self.run.outcomes(self)
        weights = self.run.selfchecks.configuration.options.weights
        if self.method == ENSEMBLE:
            return {name: outcome for name, outcome in known.items() if weights.get(name, 0.0) > 0}  # type: ignore[call-overload]
        return {self.method: known[self.method]}

    def _score(self, outcomes: dict[str, MethodScore]) -> tuple[float | None, str]:
        if self.method != ENSEMBLE:
            one = outcomes[self.method]
            return one.value, one.reason or "no score"
        values: dict[Method, float | None] = {score.method: score.value for score in outcomes.values()}
        missing = ", ".join(f"{score.method}: {score.reason}" for score in outcomes.values() if score.value is None)
        return ensemble(values, self.run.selfchecks.configuration.options.weights), missing

    def _explanation(self, value: float, outcomes: dict[str, MethodScore]) -> str:
        bound = self.run.selfchecks.bound(self.method)
        cited = safe_line(self.reference.fields.get("title", ""))
        lines = [
            f"{NO_PROOF}: asked about “{cited}”: {self._name}",
            f"score {value:.3f}, threshold {bound.value:.3f} ({bound.said})",
        ]
        for name, one in outcomes.items():
            if len(outcomes) > 1:
                lines.append(f"{name}: {'no score' if one.value is None else f'{one.value:.3f}'}")
                continue
            lines += [
                f"answer {number}: {'(none)' if answer is None else answer}"
                for number, answer in enumerate(self._shown(outcomes), start=1)
            ]
            lines += [safe_line(note) for note in one.notes]
        return "\n".join(lines)

    def _skip(self, why: str) -> NoReturn:
        reason = safe_line(f"{self.reference.key or '(no key)'} {NO_PROOF}: {why}")
        raise pytest.skip.Exception(reason, _use_item_location=True)

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        name = self.name.rpartition("[")[2].rstrip("]")
        return self.path, self.reference.location.line - 1, f"{safe_line(self.reference.key) or self.name} [{name}]"


_OPEN = frozenset({"undecided", "unfindable"})


class SelfcheckRun:
    """A plugin of pytest, registered only if self-checks are wanted."""

    def __init__(self, selfchecks: Selfchecks, citecheck: CitecheckSession, arenas: Iterable[Arena]) -> None:
        self.selfchecks = selfchecks
        self.citecheck = citecheck
        # The budget comes from the configuration: an arena and the self-checks of its answers share one ledger.
        configured = selfchecks.configuration.path
        own = selfchecks.settings.log.parent
        folder = next((arena.folder for arena in arenas if arena.path == configured), own)
        settings = citecheck.settings
        chat = chat_settings(selfchecks.configuration.calls, settings, folder)
        if hasattr(citecheck.config, "workerinput") and settings.record != "none":
            # Two processes cannot write one cassette; they record to the file of calls.
            chat = replace(chat, cassettes=None, record=None)
        self._chat = replace(chat, offline=True) if of_arena(settings).ask == "none" else chat
        self._log: CallLog | None = None
        self._notes: tuple[str, ...] = ()
        self._outcomes: dict[str, dict[str, Outcome]] = {}
        self._left_out: dict[str, str] = {}
        self.results = SelfcheckResults(selfchecks.items)
        if not selfchecks.settings.only_open:
            citecheck.independent += (ENSEMBLE,)

    def pytest_citecheck_items(
        self, parent: pytest.Collector, name: str, reference: Reference, place: Answered | None
    ) -> Iterator[SelfcheckItem]:
        for method in self.selfchecks.items:
            check = ENSEMBLE if method == ENSEMBLE else f"selfcheck-{method}"
            item: SelfcheckItem = SelfcheckItem.from_parent(
                parent,
                name=f"{name}[{check}]",
                nodeid=f"{parent.nodeid}::{name}[{check}]",
                reference=reference,
                reference_id=f"{parent.nodeid}::{name}",
                method=method,
                place=place,
                run=self,
            )
            yield item

    def pytest_citecheck_excuses(self, report: pytest.TestReport) -> bool:
        return is_of_selfcheck(report.nodeid)

    def pytest_citecheck_sections(self) -> dict[str, Any]:
        return {"selfcheck": self.results.data()}

    # --- which references

    def left_out(self, item: SelfcheckItem) -> str:
        """Why a reference is not asked about; empty if it is."""
        name = item.reference_id
        if name not in self._left_out:
            self._left_out[name] = self._why_left_out(item)
        return self._left_out[name]

    def _why_left_out(self, item: SelfcheckItem) -> str:
        if not self.selfchecks.asked(item.place):
            model = item.place.group.model if item.place is not None else ""
            return f"{self.selfchecks.configuration.path.name} has no endpoint {model!r}, which returned this reference"
        if not clean_title(item.reference.fields.get("title", "")):
            return "the reference has no title to query about"
        if not self.selfchecks.settings.only_open:
            return ""
        verdict = self.citecheck.evaluation(item.reference_id, item.reference).verdict.name
        return (
            ""
            if verdict in _OPEN
            else f"not queried: databases found {verdict} (--citecheck-selfcheck-for=all queries it anyway)"
        )

    # --- asking

    def outcomes(self, item: SelfcheckItem) -> dict[str, Outcome]:
        """The outcomes of all methods for the reference of an item. Asks if they are not known yet."""
        if item.reference_id not in self._outcomes:
            self._ask([item])
        return self._outcomes[item.reference_id]

    def _ask(self, items: Iterable[SelfcheckItem], config: pytest.Config | None = None) -> None:
        wanted = {item.reference_id: self._wanted(item) for item in items}
        try:
            with nullcontext() if config is None else progress_line(config) as progress:
                found = run_to_end(self._answers(list(wanted.values()), progress))
        except CassetteError as error:
            raise pytest.UsageError(str(error)) from error
        except OSError as error:
            raise pytest.UsageError(f"{self.selfchecks.settings.log}: {error.strerror or error}") from error
        except ValueError as error:
            raise pytest.UsageError(f"{self.selfchecks.configuration.path.name}: {error}") from error
        self._outcomes.update((name, found[subject.key]) for name, (subject, _) in wanted.items())

    async def _answers(self, wanted: Sequence[Wanted], progress: Progress | None) -> dict[str, dict[str, Outcome]]:
        """The outcome of each method for each reference, by its key."""
        endpoints = {endpoint.name: endpoint for _, asked in wanted for endpoint in asked}
        log = self._log = self._log or CallLog(self.selfchecks.settings.log)
        found: dict[str, dict[str, Outcome]] = {}
        async with ChatModels(endpoints.values(), self._chat) as chats:
            models = {name: AskedModel(endpoint, log, chats[name], stamp) for name, endpoint in endpoints.items()}

            async def about(one: Wanted) -> None:
                subject, asked = one
                found[subject.key] = await self._about(subject, [models[endpoint.name] for endpoint in asked])

            try:
                await at_once(wanted, about, "asking about references", progress)
            finally:
                self._notes = chats.notes
        return found

    async def _about(self, subject: Subject, models: Sequence[AskedModel]) -> dict[str, Outcome]:
        options = self.selfchecks.configuration.options

        async def one(method: str) -> Outcome:
            try:
                if method == CROSS:
                    return await _cross(subject, models, options)
                return await score_of(models[0], subject, method, options)  # type: ignore[arg-type]
            except (NotAnsweredError, ModelCallError) as error:
                return error

        methods = self.selfchecks.settings.methods
        return dict(zip(methods, await asyncio.gather(*map(one, methods)), strict=True))

    def _wanted(self, item: SelfcheckItem) -> Wanted:
        reference = item.reference
        cited = cited_metadata(reference)
        listed = self._listed(item)
        subject = Subject(
            key=call_key(item.reference_id),
            title=cited.title,
            authors=cited.people.names,
            year=cited.year,
            venue=cited.venue,
            listed=tuple(other.fields.get("title", "") for other in listed),
            position=next((place for place, other in enumerate(listed) if other is reference), 0),
        )
        return subject, self.selfchecks.asked(item.place)

    def _listed(self, item: SelfcheckItem) -> Sequence[Reference]:
        """The references of the same file with a title, or of the same answer."""
        bibliography = self.citecheck.bibliography(item.path)
        places = bibliography.answered or (None,) * len(bibliography.references)
        group = item.place.group if item.place is not None else None
        return [
            reference
            for reference, place in zip(bibliography.references, places, strict=True)
            if (place.group if place is not None else None) == group and reference.fields.get("title")
        ]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """Ask about all references at once; workers, which get their items one by one, ask about each."""
        config = session.config
        if asks_here(session):
            first = {item.reference_id: item for item in reversed(session.items) if isinstance(item, SelfcheckItem)}
            asked = [item for item in reversed(first.values()) if not self.left_out(item)]
            if asked and of_arena(self.citecheck.settings).ask != "none":
                demand_consent([self.selfchecks.planned(len(asked))], config, self.citecheck.settings)
            if asked:
                self._ask(asked, config)
        return (yield)

    # --- summary

    def pytest_report_collectionfinish(self, items: Sequence[pytest.Item]) -> list[str]:
        references = len({item.reference_id for item in items if isinstance(item, SelfcheckItem)})
        if not references:
            return []
        plan = self.selfchecks.planned(references)
        if self.citecheck.settings.plan:
            self.citecheck.config.stash.setdefault(PLANS, []).append(plan)
        cost = "price unknown" if plan.most is None else f"${plan.most:.2f}"
        most = f"at most {plan.calls:,} calls, about {plan.tokens:,} tokens, {cost}"
        reach = "that are undecided, of" if self.selfchecks.settings.only_open else "of"
        return [f"citecheck: self-check of references {reach} {references}: {most}"]

    def pytest_runtest_teardown(self, item: pytest.Item) -> None:
        if isinstance(item, SelfcheckItem) and self.selfchecks.settings.only_open:
            self.citecheck.gathering.checked(item.reference_id)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.results.add(report)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        found = self.results
        if not (found.scored or found.skipped or found.errors) or hasattr(terminalreporter.config, "workerinput"):
            return
        if terminalreporter.config.get_verbosity() < 0 and not (found.low or found.errors):
            return
        models = ", ".join(self.selfchecks.settings.models) or self.selfchecks.configuration.path.name
        parts = [f"{found.scored} scored", f"{found.low} low", f"{found.skipped} skipped"]
        parts += [f"{found.errors} failed calls"] if found.errors else []
        reporter = SafeReporter(terminalreporter)
        reporter.line(
            f"citecheck: self-check by {models}: {', '.join(parts)}; {NO_PROOF}; answers in {self.selfchecks.settings.log.name}"
        )
        for note in self._notes:
            reporter.line(f"citecheck: {note}")


async def _cross(subject: Subject, models: Sequence[AskedModel], options: Options) -> MethodScore:
    """The answers of two models to ``iq``, compared."""
    whole = replace(options, agree_after=None)
    one, other = [await model.samples(subject, "iq", whole) for model in models]
    return MethodScore("iq", cross_model("iq", one, other), (*one, *other))


def start_selfchecks(citecheck: CitecheckSession, arenas: tuple[Arena, ...]) -> SelfcheckRun:
    """The self-checks that the options ask for. Raises pytest.UsageError for a configuration that cannot be used."""
    config, settings = citecheck.config, citecheck.settings
    config.addinivalue_line("markers", "selfcheck: a self-check of a language model about a reference")
    wanted, asks = of_selfcheck(settings), may_call(config, settings)
    assert wanted is not None  # noqa: S101 - the caller looked
    path = wanted.file or next((arena.path for arena in arenas), None)
    if path is None:
        raise pytest.UsageError("--citecheck-selfcheck needs a model: --citecheck-selfcheck-model=FILE::NAME")
    with usage_errors("--citecheck-selfcheck-model", path, ValueError):
        keys = key_rules(path, of_arena(settings).hosts) if asks else None
        configuration = read_selfcheck(path, path.read_text(encoding="utf-8-sig"), os.environ, secrets=asks, keys=keys)
        endpoints = {endpoint.name: endpoint for endpoint in configuration.endpoints}
        for endpoint in endpoints.values():
            endpoint.check()
    if unknown := next((name for name in wanted.models if name not in endpoints), None):
        names = ", ".join(endpoints)
        raise pytest.UsageError(f"--citecheck-selfcheck-model: {path.name} has no endpoint {unknown!r}, but {names}")
    return SelfcheckRun(Selfchecks(wanted, configuration, endpoints, _calibrated(configuration)), citecheck, arenas)
