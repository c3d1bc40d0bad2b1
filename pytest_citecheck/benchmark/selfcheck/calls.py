"""The file of calls of a run, scored: the methods of each model from its recorded answers, and what the calls took."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck.benchmark.selfcheck.labelled_file import LabelledScores, labelled_of, labels_of
from pytest_citecheck.benchmark.selfcheck.table_file import TableError
from pytest_citecheck.selfcheck.call_log import CallLog, LoggedCall, call_key
from pytest_citecheck.selfcheck.scores import cross_model, score
from pytest_citecheck.selfcheck.subject import INDIRECT, METHODS, Method, Options, Subject

if TYPE_CHECKING:
    from pytest_citecheck.chat.prices import Prices

__all__ = ["Taken", "as_plain", "is_call_log", "read_calls", "scores_of_calls", "taken", "verdicts_of"]

_OPTIONS = Options()


@dataclass(frozen=True, slots=True)
class Taken:
    """What the calls of one model for one method took. cost: in US dollars; None if the price is unknown."""

    provider: str
    method: str
    references: int
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None


def is_call_log(path: Path) -> bool:
    """Whether the first line of a file is a call. Raises TableError."""
    try:
        with path.open("rb") as file:
            head = file.readline(1 << 16)
    except OSError as error:
        raise TableError(f"{path}: {error.strerror or error}") from error
    return head.lstrip().startswith(b"{") and b'"prompt_hash"' in head


def read_calls(path: Path) -> list[LoggedCall]:
    """All calls of a file. Raises TableError."""
    try:
        return list(CallLog(path).known.values())
    except OSError as error:
        raise TableError(f"{path}: {error.strerror or error}") from error


def _samples(calls: Iterable[LoggedCall]) -> dict[tuple[str, str, Method], tuple[str | None, ...]]:
    """The answers of each model about each reference by each method, in the order of samples."""
    found: dict[tuple[str, str, Method], dict[int, str | None]] = {}
    for call in calls:
        if call.pair is None and call.method in METHODS:
            samples = found.setdefault((call.provider, call.key, call.method), {})
            samples.setdefault(call.sample, call.answer)
    return {place: tuple(samples[number] for number in sorted(samples)) for place, samples in found.items()}


def verdicts_of(report: Path) -> dict[str, str]:
    """The verdict on each reference of a JSON report, by its key in the file of calls. Raises TableError."""
    try:
        references = json.loads(report.read_text(encoding="utf-8"))["references"]
        return {call_key(str(one["id"])): str(one["verdict"]["name"]) for one in references}
    except OSError as error:
        raise TableError(f"{report}: {error.strerror or error}") from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise TableError(f"{report}: not a JSON report of a run") from error


def scores_of_calls(path: Path, labels: Path, verdicts: Mapping[str, str] | None = None) -> dict[str, LabelledScores]:
    """The labelled scores of each model, and of two models together by ``iq-cross``. Raises TableError.

    labels: a file with columns ``key`` and ``label``; the key is that of the bibliography, or the whole id of the reference.
    verdicts: of databases, by key.
    """
    answers = _samples(read_calls(path))
    known = labels_of(labels)
    providers = sorted({provider for provider, _, _ in answers})
    found = {}
    for provider in providers:
        rows: dict[str, dict[str, object]] = {}
        for (by, key, method), given in answers.items():
            label = known.get(key, known.get(key.rpartition("::")[2]))
            if by != provider or label is None:
                continue
            row = rows.setdefault(key, {"key": key, "label": label, "verdict": (verdicts or {}).get(key, "")})
            row[method] = score(method, Subject(key, ""), given, _OPTIONS).value
            others = [answers.get((other, key, method)) for other in providers if other != provider]
            if method in INDIRECT and len(providers) == 2 and others[0]:
                row[f"{method}-cross"] = cross_model(method, given, others[0])
        if rows:
            methods = dict.fromkeys(
                name for row in rows.values() for name in row if name not in ("key", "label", "verdict")
            )
            found[provider] = labelled_of(path, list(rows.values()), list(methods), "", 0, {})
    if not found:
        raise TableError(f"{path}: no call is about a reference that {labels} labels")
    return found


def taken(calls: Iterable[LoggedCall], prices: Prices) -> list[Taken]:
    """What calls took, by model and method."""
    groups: dict[tuple[str, str], list[LoggedCall]] = {}
    for call in calls:
        groups.setdefault((call.provider, call.method), []).append(call)
    found = []
    for (provider, method), members in sorted(groups.items()):
        costs = [_cost(call, prices) for call in members]
        stated = [cost for cost in costs if cost is not None]
        found.append(
            Taken(
                provider,
                method,
                len({call.key for call in members}),
                len(members),
                sum(call.prompt_tokens or 0 for call in members),
                sum(call.completion_tokens or 0 for call in members),
                sum(stated) if len(stated) == len(members) else None,
            )
        )
    return found


def _cost(call: LoggedCall, prices: Prices) -> float | None:
    if call.cost is not None:
        return call.cost
    price = prices.price(call.model) or prices.price(call.served)
    if price is None or call.prompt_tokens is None or call.completion_tokens is None:
        return None
    return price.cost(call.prompt_tokens, call.completion_tokens)


def as_plain(rows: Iterable[Taken]) -> list[Mapping[str, object]]:
    """As data for JSON."""
    return [{name: getattr(row, name) for name in Taken.__slots__} for row in rows]
