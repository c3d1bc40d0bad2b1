"""The item of a claim: passes if the source supports it, and says what decides if it does not."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_citecheck import ClaimWarning
from pytest_citecheck.claims.pairs import content_hash
from pytest_citecheck.claims.passages import best_passage, sentences
from pytest_citecheck.claims.verdicts import PARSE_ERROR, canonical
from pytest_citecheck.model import Location
from pytest_citecheck.plugin.claims.opening import item_name
from pytest_citecheck.plugin.items.failures import CheckFailure, represent
from pytest_citecheck.plugin.items.nodeids import escape_name, file_nodeid
from pytest_citecheck.reports.safe_text import safe_line

if TYPE_CHECKING:
    from pytest_citecheck.claims.pairs import ClaimPair
    from pytest_citecheck.claims.results import ResultRow
    from pytest_citecheck.plugin.claims.opening import ClaimRun
    from pytest_citecheck.plugin.session import CitecheckSession

__all__ = ["PREFIX", "ClaimFileNode", "ClaimItem", "collect_claims"]

PREFIX = "citecheck.claim."
_LONGEST = 600  # characters of a text in a message


class ClaimFileNode(pytest.File):
    """A file of claims."""

    run: ClaimRun
    citecheck: CitecheckSession

    def collect(self) -> Iterator[pytest.Item]:
        for pair in self.run.files[self.path].pairs:
            for judge in self.run.judges if pair.runs else ("not judged",):
                name = item_name(pair, judge)
                item: ClaimItem = ClaimItem.from_parent(
                    self, name=name, nodeid=f"{self.nodeid}::{name}", pair=pair, judge=judge, citecheck=self.citecheck
                )
                waiver = self.citecheck.waivers.match(pair.cites or pair.id, "claim")
                if waiver is not None and not waiver.checks:
                    item.add_marker(pytest.mark.xfail(raises=CheckFailure, reason=waiver.reason, strict=False))
                yield item


class ClaimItem(pytest.Item):
    """One claim, judged by one judge."""

    def __init__(self, *, pair: ClaimPair, judge: str, citecheck: CitecheckSession, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.pair = pair
        self.judge = judge
        self.citecheck = citecheck
        self.add_marker(pytest.mark.claim)
        if pair.unfit:
            self.add_marker(pytest.mark.skip(reason=f"not judged: {safe_line(pair.unfit)}"))

    def setup(self) -> None:
        """Fails where a judge gave no verdict, which is no fault of the claim: pytest reports an error here, not a failure."""
        row = self._row()
        self.user_properties.extend(properties(self.pair, row))
        if not row.answered:
            raise _unjudged(f"{self.judge} gave no verdict: {row.error or 'the call failed'}")
        if row.verdict == PARSE_ERROR or canonical(row.verdict) is None:
            raise _unjudged(f"{self.judge} gave an answer without a verdict: {_short(row.comments) or 'unreadable'}")

    def runtest(self) -> None:
        row, settings = self._row(), self.citecheck.settings
        verdict = canonical(row.verdict)
        if settings.expect_truth:
            self._compare(row)
            return
        if verdict == "Source unavailable":
            reason = f"source-unavailable: {_short(row.comments)}"
            raise pytest.skip.Exception(reason, _use_item_location=True)
        if verdict == "Not supported" and self.pair.abstract and row.reason_type != "contradiction":
            reason = f"abstract-only: the abstract does not say it, the source may: {_short(row.comments)}"
            raise pytest.skip.Exception(reason, _use_item_location=True)
        if verdict == "Not supported":
            raise self._failure("not-supported", "the source does not support the claim", row)
        marked = {"instructions", "canary"} & set(row.flags)
        if marked:
            what = "speaks to models" if "instructions" in marked else "may have steered the model"
            self._warn("instructions", f"the source {what}; look at it before you trust the verdict", row)
        if verdict == "Partially supported" and settings.claims.partial != "pass":
            said = "the source supports the claim in part only"
            if settings.claims.partial == "fail":
                raise self._failure("partially-supported", said, row)
            self._warn("partially-supported", said, row)

    def _row(self) -> ResultRow:
        run = self.citecheck.claims
        assert run is not None  # noqa: S101 - it made this item
        return run.row(self.pair, self.judge)

    def _warn(self, code: str, said: str, row: ResultRow) -> None:
        try:
            self.warn(ClaimWarning(f"{safe_line(self.pair.id)}: {said} ({safe_line(self.judge)})"))
        except ClaimWarning:
            raise self._failure(code, said, row) from None

    def _compare(self, row: ResultRow) -> None:
        if self.pair.truth is None:
            raise pytest.skip.Exception("no-label: nothing is labelled", _use_item_location=True)
        if canonical(row.verdict) != self.pair.truth:
            raise self._failure("label-contradicted", f"{row.verdict}, but labelled {self.pair.truth}", row)

    def _failure(self, code: str, said: str, row: ResultRow) -> CheckFailure:
        pair = self.pair
        confidence = "" if row.confidence is None else f", {row.confidence:g} %"
        headline = safe_line(f"{code}: {said} ({self.judge}{confidence})")
        lines = [
            headline,
            f"  claim    {_short(pair.claim)}",
            f"  source   {_short(pair.source_name or pair.cites) or 'given'}",
        ]
        if row.verified:
            lines.append(f"  passage  “{_short(row.verified)}”")
        else:
            nearest = best_passage(pair.claim, pair.source, sentences(pair.source)).text
            if row.quote:
                lines.append(f"  quoted   “{_short(row.quote)}” ({row.quote_status} in the source)")
            lines.append(
                f"  nearest  “{_short(nearest)}”" if nearest else "  nearest  nothing in the source resembles the claim"
            )
        reason = f"{row.reason_type}: {row.comments}" if row.reason_type else row.comments
        lines.append(f"  reason   {_short(reason) or 'none given'}")
        if row.flags:
            lines.append(f"  marks    {', '.join(row.flags)}")
        if pair.overridden:
            lines.append(f"  changed  {_short(pair.overridden)}")
        return CheckFailure(headline, "\n".join(lines), Location(pair.path, pair.line, pair.line))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *args: Any, **kwargs: Any) -> Any:
        if isinstance(excinfo.value, CheckFailure):
            return represent(excinfo.value)
        return super().repr_failure(excinfo, *args, **kwargs)

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        return self.path, self.pair.line - 1, f"{safe_line(self.pair.id)} [{safe_line(self.judge)}]"


def _unjudged(said: str) -> BaseException:
    error: BaseException = pytest.fail.Exception(_short(said), pytrace=False)
    return error


def _short(text: str) -> str:
    line = safe_line(text)
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


def properties(pair: ClaimPair, row: ResultRow) -> list[tuple[str, str]]:
    """The properties of an item: all scores can be computed from them."""
    stated: dict[str, object] = {
        "id": pair.id,
        "file": pair.path,
        "line": pair.line,
        "hash": content_hash(pair),
        "judge": row.provider,
        "model": row.model,
        "verdict": row.verdict,
        "truth": pair.truth,
        "version": pair.version,
        "confidence": row.confidence,
        "reason_type": row.reason_type,
        "comments": row.comments[:_LONGEST],
        "quote": row.quote[:_LONGEST],
        "verified": row.verified[:_LONGEST],
        "quote_status": row.quote_status,
        "flags": " ".join(row.flags),
        "error": row.error,
        "latency_ms": row.latency,
        "tokens_in": row.tokens_in,
        "tokens_out": row.tokens_out,
        "cost_usd": row.cost,
    }
    return [(f"{PREFIX}{name}", str(value)) for name, value in stated.items() if value not in (None, "")]


def collect_claims(
    path: Path, parent: pytest.Collector, run: ClaimRun, citecheck: CitecheckSession
) -> ClaimFileNode | None:
    """The node of a file of claims that the run was given."""
    if path not in run.files:
        return None
    node: ClaimFileNode = ClaimFileNode.from_parent(parent, path=path, nodeid=file_nodeid(path, parent.config.rootpath))
    node.run, node.citecheck = run, citecheck
    return node


def selected_pairs(run: ClaimRun, nodeids: list[str], root: Path) -> list[tuple[ClaimPair, str]]:
    """The pairs and judges of these items."""
    known = {
        f"{file_nodeid(path, root)}::{escape_name(pair.id)}[{escape_name(judge)}]": (pair, judge)
        for path, file in run.files.items()
        for pair in file.pairs
        if pair.runs
        for judge in run.judges
    }
    return [known[nodeid] for nodeid in nodeids if nodeid in known]
