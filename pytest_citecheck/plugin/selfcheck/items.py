"""The items of self-checks: ``refs.bib::key[selfcheck-iq]``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from pytest_citecheck import SelfcheckWarning
from pytest_citecheck.plugin.items.failures import CheckFailure, represent
from pytest_citecheck.plugin.selfcheck.opening import ENSEMBLE
from pytest_citecheck.plugin.selfcheck.results import NO_PROOF, score_properties
from pytest_citecheck.reports.safe_text import safe_line
from pytest_citecheck.selfcheck.asking import ModelCallError, NotAnsweredError
from pytest_citecheck.selfcheck.scores import MethodScore, ensemble

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_citecheck.model import Reference
    from pytest_citecheck.plugin.selfcheck.asking import Outcome
    from pytest_citecheck.plugin.selfcheck.run import SelfcheckRun
    from pytest_citecheck.readers.base import Answered
    from pytest_citecheck.selfcheck.subject import Method

__all__ = ["SelfcheckItem", "items_of"]

_SHOWN = 10  # answers in a message
_LONGEST = 160  # characters of one


def items_of(
    parent: pytest.Collector, name: str, reference: Reference, place: Answered | None, run: SelfcheckRun
) -> Iterator[SelfcheckItem]:
    """The items of one reference."""
    for method in run.selfchecks.items:
        check = ENSEMBLE if method == ENSEMBLE else f"selfcheck-{method}"
        item: SelfcheckItem = SelfcheckItem.from_parent(
            parent,
            name=f"{name}[{check}]",
            nodeid=f"{parent.nodeid}::{name}[{check}]",
            reference=reference,
            reference_id=f"{parent.nodeid}::{name}",
            method=method,
            place=place,
            run=run,
        )
        yield item


class SelfcheckItem(pytest.Item):
    """One method of self-check of one reference. Its outcome changes neither findings nor verdict."""

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
        self.reference, self.reference_id, self.method, self.place, self.run = (
            reference,
            reference_id,
            method,
            place,
            run,
        )
        self.add_marker(pytest.mark.selfcheck)

    def setup(self) -> None:
        """Have the model asked: what keeps it from answering is a skip, and its failure an error."""
        why = self.run.left_out(self)
        if why:
            self._skip(why)
        self.run.prepare(self)
        for outcome in self._outcomes().values():
            if isinstance(outcome, NotAnsweredError):
                self._skip(f"not asked: {outcome}")
            if isinstance(outcome, ModelCallError):
                raise pytest.fail.Exception(safe_line(f"selfcheck: {outcome}"), pytrace=False)

    def runtest(self) -> None:
        """Pass if the score is above the threshold, else fail or warn; skip without a score."""
        outcomes = {name: one for name, one in self._outcomes().items() if isinstance(one, MethodScore)}
        value, reason = self._score(outcomes)
        if value is None:
            self._skip(reason)
        bound = self.run.selfchecks.bound(self.method)
        models = [endpoint.name for endpoint in self.run.selfchecks.asked(self.place)]
        self.user_properties.extend(score_properties(value, bound.value, models, self._shown(outcomes)))
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
        known = self.run.outcomes(self.reference_id)
        weights = self.run.selfchecks.configuration.options.weights
        if self.method == ENSEMBLE:
            return {name: one for name, one in known.items() if weights.get(name, 0.0) > 0}  # type: ignore[call-overload]
        return {self.method: known[self.method]}

    def _score(self, outcomes: dict[str, MethodScore]) -> tuple[float | None, str]:
        if self.method != ENSEMBLE:
            one = outcomes[self.method]
            return one.value, one.reason or "no score"
        values: dict[Method, float | None] = {one.method: one.value for one in outcomes.values()}
        missing = ", ".join(f"{one.method}: {one.reason}" for one in outcomes.values() if one.value is None)
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

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *args: Any, **kwargs: Any) -> Any:
        if isinstance(excinfo.value, CheckFailure):
            return represent(excinfo.value)
        return super().repr_failure(excinfo, *args, **kwargs)

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        name = self.name.rpartition("[")[2].rstrip("]")
        return self.path, self.reference.location.line - 1, f"{safe_line(self.reference.key) or self.name} [{name}]"
