"""The self-checks of one process: which references are asked about, what came of it, and what is said at the end."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from typing import TYPE_CHECKING

import pytest

from pytest_citecheck.plugin.missing_answers import demand_consent
from pytest_citecheck.plugin.progress import progress_line
from pytest_citecheck.plugin.selfcheck.asking import Asker, Outcome, Wanted
from pytest_citecheck.plugin.selfcheck.items import SelfcheckItem
from pytest_citecheck.plugin.selfcheck.results import NO_PROOF, SelfcheckResults
from pytest_citecheck.readers.cited_metadata import cited_metadata
from pytest_citecheck.reports.safe_text import safe_line
from pytest_citecheck.selfcheck.answers import clean_title
from pytest_citecheck.selfcheck.call_log import call_key
from pytest_citecheck.selfcheck.subject import Subject

if TYPE_CHECKING:
    from pytest_citecheck.model import Reference
    from pytest_citecheck.plugin.selfcheck.opening import Selfchecks
    from pytest_citecheck.plugin.session import CitecheckSession

__all__ = ["SelfcheckRun"]

_OPEN = frozenset({"undecided", "unfindable"})


class SelfcheckRun:
    """A plugin of pytest, registered only if self-checks are wanted."""

    def __init__(self, selfchecks: Selfchecks, citecheck: CitecheckSession) -> None:
        self.selfchecks = selfchecks
        self.citecheck = citecheck
        # The budget is that of the configuration: an arena and the self-checks of its answers share one ledger.
        configured = selfchecks.configuration.path
        own = selfchecks.settings.log.parent
        folder = next((arena.folder for arena in citecheck.arenas if arena.path == configured), own)
        is_worker = hasattr(citecheck.config, "workerinput")
        self.asker = Asker(selfchecks, citecheck.settings, folder, is_worker=is_worker)
        self._outcomes: dict[str, dict[str, Outcome]] = {}
        self._left_out: dict[str, str] = {}
        self.results = SelfcheckResults(selfchecks.items)
        citecheck.selfcheck_report = self.results.data

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
            return f"{self.selfchecks.configuration.path.name} has no endpoint {model!r}, which gave this reference"
        if not clean_title(item.reference.fields.get("title", "")):
            return "the reference has no title to ask about"
        if not self.selfchecks.settings.only_open:
            return ""
        verdict = self.citecheck.evaluation(item.reference_id, item.reference).verdict.name
        return (
            ""
            if verdict in _OPEN
            else f"not asked: databases say {verdict} (--citecheck-selfcheck-for=all asks all the same)"
        )

    # --- asking

    def prepare(self, item: SelfcheckItem) -> None:
        """Have all methods of this reference, if they are not known yet."""
        if item.reference_id not in self._outcomes:
            self._ask([item])

    def outcomes(self, reference_id: str) -> dict[str, Outcome]:
        """By method."""
        return self._outcomes[reference_id]

    def _ask(self, items: Iterable[SelfcheckItem], config: pytest.Config | None = None) -> None:
        wanted = {item.reference_id: self._wanted(item) for item in items}
        if config is None:
            found = self.asker.ask(wanted.values())
        else:
            with progress_line(config) as progress:
                found = self.asker.ask(wanted.values(), progress)
        self._outcomes.update((name, found[one.subject.key]) for name, one in wanted.items())

    def _wanted(self, item: SelfcheckItem) -> Wanted:
        reference = item.reference
        cited = cited_metadata(reference)
        listed = self._listed(item)
        return Wanted(
            Subject(
                key=call_key(item.reference_id),
                title=cited.title,
                authors=cited.people.names,
                year=cited.year,
                venue=cited.venue,
                listed=tuple(one.fields.get("title", "") for one in listed),
                position=next((place for place, one in enumerate(listed) if one is reference), 0),
            ),
            self.selfchecks.asked(item.place),
        )

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
        distributed = hasattr(config, "workerinput") or config.pluginmanager.hasplugin("dsession")
        broken = session.testsfailed and not config.getoption("continue_on_collection_errors")
        if not distributed and not broken and not config.getoption("collectonly"):
            first = {item.reference_id: item for item in reversed(session.items) if isinstance(item, SelfcheckItem)}
            asked = [item for item in reversed(first.values()) if not self.left_out(item)]
            if asked and self.citecheck.settings.arena.ask != "none":
                demand_consent([self.selfchecks.planned(len(asked))], config, self.citecheck.settings)
            if asked:
                self._ask(asked, config)
        return (yield)

    # --- what is said

    def pytest_report_collectionfinish(self, items: Sequence[pytest.Item]) -> list[str]:
        references = len({item.reference_id for item in items if isinstance(item, SelfcheckItem)})
        if not references:
            return []
        if self.citecheck.settings.plan:
            self.citecheck.plans.append(self.selfchecks.planned(references))
        reach = "that databases leave open, of" if self.selfchecks.settings.only_open else "of"
        return [f"citecheck: self-check of references {reach} {references}: {self.selfchecks.estimated(references)}"]

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
        terminalreporter.line(
            f"citecheck: self-check by {models}: {', '.join(parts)}; {NO_PROOF}; answers in {self.selfchecks.settings.log.name}"
        )
        for note in self.asker.notes:
            terminalreporter.line(f"citecheck: {safe_line(note)}")
