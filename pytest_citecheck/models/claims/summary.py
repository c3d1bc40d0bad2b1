"""Verdicts of the judges of a run, and their agreement with the labels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

from pytest_citecheck.matching import safe_line
from pytest_citecheck.models.claims.answers import PARSE_ERROR, UNDECIDED, VERDICTS, VERIFIED, canonical, match_quote
from pytest_citecheck.models.claims.pairs import content_hash
from pytest_citecheck.models.claims.passages import nearest_passages
from pytest_citecheck.models.claims.review import ResultRow, providers_of
from pytest_citecheck.models.claims.scoring import strict_metrics
from pytest_citecheck.reports import Table, text_lines
from pytest_citecheck.screen import SafeReporter

if TYPE_CHECKING:
    from pytest_citecheck.models.claims.claims_items import ClaimRun
    from pytest_citecheck.models.claims.pairs import ClaimPair

PREFIX = "citecheck.claim."
"""Prefix of the item properties from which all scores are computed."""


class Judged:
    """The verdicts of a run as they come in."""

    def __init__(self, run: ClaimRun) -> None:
        self.run = run
        self._rows: dict[tuple[str, str, str], ResultRow] = {}

    def add(self, stated: Mapping[str, str]) -> None:
        """Take up the properties of an item."""
        row = row_of_properties(stated)
        self._rows[stated.get("file", ""), row.entry, row.provider] = row

    @property
    def rows(self) -> list[ResultRow]:
        """In the order of files, pairs and judges, however items were distributed."""
        order = [
            (file.path, pair.id, judge)
            for file in self.run.files.values()
            for pair in file.pairs
            for judge in self.run.judges
        ]
        return [self._rows[key] for key in order if key in self._rows]

    def is_open(self) -> bool:
        """Return True if there are claims, and no judge decides one of them."""
        rows = self._rows.values()
        return any(file.pairs for file in self.run.files.values()) and not any(
            canonical(row.verdict) not in (None, "Source unavailable") for row in rows
        )

    def scores(self) -> dict[str, dict[str, Any]]:
        """The metrics of each judge."""
        return {name: strict_metrics(rows) for name, rows in providers_of(self.rows).items()}

    def data(self) -> dict[str, Any]:
        """For reports: the scores, and each pair with its answers. It contains no duration."""
        answers: dict[tuple[str, str], list[ResultRow]] = {}
        for (file, entry, _), row in self._rows.items():
            answers.setdefault((file, entry), []).append(row)
        pairs = [pair for file in self.run.files.values() for pair in file.pairs]
        return {
            "judges": self.scores(),
            "pairs": [
                _pair_data(pair, sorted(answers.get((pair.path, pair.id), ()), key=self._place))
                for pair in pairs
                if pair.unfit or (pair.path, pair.id) in answers
            ],
        }

    def _place(self, row: ResultRow) -> int:
        return self.run.judges.index(row.provider)


_SAID = ("verdict", "confidence", "comments", "reason_type", "quote", "quote_status")
_CONTEXT = 160  # characters of the source on either side of a quote


def _pair_data(pair: ClaimPair, rows: list[ResultRow]) -> dict[str, Any]:
    return {
        "id": pair.id,
        "path": pair.path,
        "line": pair.line,
        "claim": pair.claim,
        "cites": pair.cites,
        "hash": content_hash(pair),
        "label": pair.truth,
        "not_judged": pair.unfit,
        "answers": [_answer_data(pair, row) for row in rows],
    }


def _answer_data(pair: ClaimPair, row: ResultRow) -> dict[str, Any]:
    found = match_quote(row.quote, pair.source)
    start, end = max(0, found.start - _CONTEXT), found.end + _CONTEXT
    passage = [pair.source[start : found.start], pair.source[found.start : found.end], pair.source[found.end : end]]
    return {
        "judge": row.provider,
        **{name: getattr(row, name) for name in _SAID},
        "passage": passage if found.verified else [],
        "nearest": [] if found.verified or row.error else nearest_passages(pair.claim, pair.source),
        "seen": row.seen,
        "flags": list(row.flags),
        "error": row.error,
    }


_NAMES = {"entry": "id", "provider": "judge", "latency": "latency_ms", "cost": "cost_usd"}
"""Properties with another name than the field of a row."""
_KINDS: Mapping[str, Callable[[str], object]] = {
    **dict.fromkeys(("confidence", "latency", "cost"), float),
    **dict.fromkeys(("tokens_in", "tokens_out"), int),
    "flags": lambda text: tuple(text.split()),
}
_PROPERTIES = (
    "id", "file", "line", "hash", "judge", "model", "verdict", "truth", "version", "confidence", "reason_type",
    "comments", "quote", "verified", "quote_status", "flags", "seen", "error", "latency_ms", "tokens_in",
    "tokens_out", "cost_usd",
)  # fmt: skip
_LONGEST = 600  # characters of a text


def properties(pair: ClaimPair, row: ResultRow) -> list[tuple[str, str]]:
    """The properties of an item: all scores can be computed from them."""
    stated = {_NAMES.get(name, name): value for name, value in asdict(row).items()}
    stated |= {name: stated[name][:_LONGEST] for name in ("comments", "quote", "verified")}
    stated |= {"id": pair.id, "file": pair.path, "line": pair.line, "hash": content_hash(pair)}
    stated |= {"truth": pair.truth, "version": pair.version, "flags": " ".join(row.flags)}
    return [(f"{PREFIX}{name}", str(stated[name])) for name in _PROPERTIES if stated[name] not in (None, "")]


def stated_in(given: Iterable[tuple[str, object]]) -> dict[str, str]:
    """Return the properties of an item that describe its claim; their names lose the prefix."""
    return {name.removeprefix(PREFIX): str(value) for name, value in given if name.startswith(PREFIX)}


def row_of_properties(stated: Mapping[str, str]) -> ResultRow:
    """The row that the properties of an item describe."""
    values: dict[str, Any] = {
        field.name: _KINDS.get(field.name, str)(stated[key])
        for field in fields(ResultRow)
        if (key := _NAMES.get(field.name, field.name)) in stated
    }
    return ResultRow(**values, quote_verified=stated.get("quote_status") in VERIFIED)


def rows_of_cases(cases: Iterable[Mapping[str, str]]) -> list[ResultRow]:
    """The rows of JUnit XML, each once. cases: the properties of its test cases. Raises ValueError."""
    found: dict[tuple[str, str, str], ResultRow] = {}
    for case in cases:
        stated = stated_in(case.items())
        if "judge" in stated:
            row = row_of_properties(stated)
            found.setdefault((stated.get("file", ""), row.entry, row.provider), row)
    return list(found.values())


_MOST_UNREAD = 20  # answers that the summary lists
_LEGEND = "S supported, P partially, N not supported, U source unavailable, open not shown, ? no verdict in the answer"
_HEAD = ("judge", "S", "P", "N", "U", "open", "?", "error", "right", "95 %", "always", "kappa")


def write_summary(reporter: SafeReporter, judged: Judged) -> None:
    """A table of judges, with their accuracy where pairs are labelled."""
    rows = judged.rows
    if reporter.config.get_verbosity() < 0:
        return
    if judged.is_open():
        said = "no claim was decided: not enough evidence. An entailment or language model decides more"
        reporter.line(f"citecheck: {said}", yellow=True)
    if not rows:
        return
    reporter.section("claims", "-")
    lines = [_line(name, own) for name, own in providers_of(rows).items()]
    for line, _ in text_lines([Table("", _HEAD, lines, brief=True)]):
        reporter.line(line)
    reporter.line(_LEGEND)
    if any("<" in line[-2] for line in lines):
        reporter.line("<: right less often than one answer that is always the same", yellow=True)
    unread = [row for row in rows if row.answered and row.verdict == PARSE_ERROR]
    for row in unread[:_MOST_UNREAD]:
        reporter.line(safe_line(f"UNPARSED {row.entry} [{row.provider}]: {row.comments or 'no verdict'}"), yellow=True)
    if unread:
        more = f"and {len(unread) - _MOST_UNREAD} more; " if len(unread) > _MOST_UNREAD else ""
        reporter.line(f"{more}--citecheck-ask=failed requests unparsed answers again", yellow=True)


def _line(name: str, rows: list[ResultRow]) -> tuple[str, ...]:
    answered = [row for row in rows if row.answered]
    said = [canonical(row.verdict) for row in answered]
    metrics = strict_metrics(rows)
    exact = metrics["exact"]
    low, high = exact["interval"] or (0.0, 0.0)
    labelled = exact["n"] > 0
    return (
        name,
        *(str(said.count(verdict)) for verdict in VERDICTS),
        str(sum(row.verdict == UNDECIDED for row in answered)),
        str(sum(verdict is None and row.verdict != UNDECIDED for verdict, row in zip(said, answered, strict=True))),
        str(sum(not row.answered for row in rows)),
        f"{exact['correct']}/{exact['n']}" if labelled else "",
        f"{low:.2f}–{high:.2f}" if labelled else "",
        f"{'<' if exact['belowMajority'] else ''}{exact['majority']:.2f}" if labelled else "",
        f"{metrics['kappa']:.2f}" if metrics["kappa"] is not None else "",
    )
