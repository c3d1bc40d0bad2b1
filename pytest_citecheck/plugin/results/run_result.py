"""Payloads of test reports, and the result of a run that is made from them."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast, overload

from pytest_citecheck import __version__
from pytest_citecheck.plugin.items.nodeids import file_nodeid
from pytest_citecheck.plugin.results.labels import predicted
from pytest_citecheck.plugin.settings.answering import stated_arguments
from pytest_citecheck.reports.coverage import coverage_of
from pytest_citecheck.reports.places import placed_finding_json
from pytest_citecheck.reports.results import (
    EvidenceData,
    FindingData,
    ReferenceResult,
    RunResult,
    SourceUse,
    answer_word,
    gold_json,
    notice_json,
    verdict_json,
)

if TYPE_CHECKING:
    from pytest_citecheck.gather.index_source import IndexSource
    from pytest_citecheck.plugin.items.collection import CheckItem
    from pytest_citecheck.plugin.results.evidence_store import AnswersStore
    from pytest_citecheck.plugin.session import CitecheckSession
    from pytest_citecheck.services.base import Source

__all__ = ["IN_PHASES", "LINES", "PAYLOAD", "payload", "run_result"]

PAYLOAD = "citecheck"
"""Attribute of a test report that contains the finding. It is plain data, so that xdist sends it."""
IN_PHASES = "citecheck_in_phases"
"""Attribute of the same report: whether reports of setup and teardown surround it."""
LINES = "citecheck_lines"
"""Attribute of one test report of each reference, with the answers for it (`lines_of`)."""


def _files(citecheck: CitecheckSession) -> list[str]:
    return list(dict.fromkeys(bibliography.path for bibliography in citecheck.bibliographies))


def _passed_over(citecheck: CitecheckSession) -> dict[str, str]:
    """The files of folders that were not read, and those without an entry, with the reason."""
    arguments = citecheck.arguments
    found = {file_nodeid(path, citecheck.config.rootpath): why for path, why in arguments.unread.items()}
    if arguments.unread or arguments.submissions:
        found |= {one.path: "it has no entry" for one in citecheck.bibliographies if not one.references}
    return found


def payload(item: CheckItem, citecheck: CitecheckSession) -> dict[str, Any]:
    """The data that the report of one check contains."""
    finding = item.finding
    assert finding is not None  # noqa: S101 - the caller checks it
    data = placed_finding_json(finding, item.reference, item.check)
    data |= {
        "id": item.reference_id,
        "key": item.reference.key,
        "check": item.check,
        "file": item.reference.location.path,
        "line": item.reference.location.line,
        "truth": _truth(item, citecheck),
        "answer": {},
        "verdict": None,
        "sources": {},
        "notices": [],
        "waived": False,
        "corrected": "",
        "severity": item.decision.severity,
        "said": item.decision.said,
        "demanded": item.decision.demanded,
    }
    evaluation = citecheck.evaluation(item.reference_id, item.reference) if item.check != "syntax" else None
    if item.answered is not None:
        from pytest_citecheck.plugin.results.answers import answer_properties  # noqa: PLC0415

        data["answer"] = answer_properties(item.answered, item.repeated, item.reference, evaluation, item.check)
    if evaluation is not None:
        data["verdict"] = verdict_json(evaluation.verdict, evaluation.case.miss_probability)
        if citecheck.labels.covers(item.path):
            from pytest_citecheck.benchmark.hallmark.check_results import PREDICTED  # noqa: PLC0415

            policy = citecheck.settings.policy
            label = predicted(evaluation, policy)
            if policy.hallucinated or label != PREDICTED[evaluation.verdict.name]:  # else the verdict implies it
                data["verdict"]["label"] = label
        data["notices"] = [
            notice_json(notice) | {"alarming": notice in evaluation.case.alarming_notices}
            for notice in evaluation.case.notices
        ]
        for asked in evaluation.case.evidence.asked:
            # If a source answered several queries, a record found counts more than none.
            if data["sources"].get(asked.source) != "found":
                data["sources"][asked.source] = answer_word(asked)
    return data


def _truth(item: CheckItem, citecheck: CitecheckSession) -> dict[str, str]:
    """The labels of the reference, as properties."""
    # A second entry with the same key is unreadable; the label belongs to the first.
    entry = citecheck.labels.of(item.path, item.reference.key) if item.reference.readable else None
    if entry is None:
        return {}
    from pytest_citecheck.benchmark.hallmark.check_results import truth_properties  # noqa: PLC0415

    return truth_properties(entry)


class _Results(Sequence[ReferenceResult]):
    """The references in file order, independent of the order of the checks. Each is made on access and not kept."""

    def __init__(self, citecheck: CitecheckSession) -> None:
        self._citecheck = citecheck
        self._checks = ("syntax", *citecheck.extensions.check_names)
        self._references = citecheck.references()
        order = {name: position for position, name in enumerate((*citecheck.order, *self._references))}
        self._names = sorted(citecheck.payloads, key=lambda name: order.get(name, len(order)))

    def __len__(self) -> int:
        return len(self._names)

    @overload
    def __getitem__(self, place: int) -> ReferenceResult: ...

    @overload
    def __getitem__(self, place: slice) -> list[ReferenceResult]: ...

    def __getitem__(self, place: int | slice) -> ReferenceResult | list[ReferenceResult]:
        if isinstance(place, slice):
            return list(map(self._made, self._names[place]))
        return self._made(self._names[place])

    def _made(self, name: str) -> ReferenceResult:
        by_check, reference = self._citecheck.payloads[name], self._references[name]
        ordered = {check: by_check[check] for check in self._checks if check in by_check}
        verdicts = [data["verdict"] for data in ordered.values() if data["verdict"]]
        return ReferenceResult.of(
            reference,
            name,
            verdicts[0] if verdicts else None,
            cast("Mapping[str, FindingData]", ordered),
            submission=self._citecheck.submission_of(name),
            notices=next((tuple(data["notices"]) for data in ordered.values() if data["notices"]), ()),
            evidence=_Lines(self._citecheck.answers, name),
            corrected=next((data["corrected"] for data in ordered.values() if data["corrected"]), ""),
            gold=next((gold_json(data["truth"]) for data in ordered.values() if data["truth"]), None),
        )


class _Lines(Iterable[EvidenceData]):
    """The answers for a reference, unpacked on access: few reports show them."""

    def __init__(self, answers: AnswersStore, name: str) -> None:
        self._answers, self._name = answers, name

    def __iter__(self) -> Iterator[EvidenceData]:
        return iter(self._answers.get(self._name, ()))


def run_result(citecheck: CitecheckSession) -> RunResult:
    """The result of the reports that have arrived so far."""
    gathering = citecheck.gathering
    queried: list[IndexSource | Source] = [*gathering.indexes, *gathering.sources]
    indexes = [index.name for index in gathering.indexes]
    statistics = {**gathering.statistics, **citecheck.answers.tallies(gathering.names_of_local, indexes)}
    sources = tuple(
        SourceUse(
            name=source.name,
            label=source.label,
            requests=tally.requests,
            replayed=tally.replayed,
            cached=tally.cached,
            local=tally.local,
            answered=tally.answered,
            unavailable=dict(sorted(tally.unavailable.items())),
        )
        for source in queried
        if (tally := statistics.get(source.name)) is not None
    )
    notes = tuple(
        f"{bibliography.path}:{note.line}: {note.code}: {note.message}"
        for bibliography in citecheck.bibliographies
        for note in bibliography.notes
    )
    for bibliography in citecheck.bibliographies:
        if bibliography.answered:
            from pytest_citecheck.plugin.results.answers import repeats  # noqa: PLC0415

            notes += tuple(repeats(bibliography.references, bibliography.answered))
    notes += (*citecheck.asking_notes, *gathering.problems)
    policy = citecheck.settings.policy
    return RunResult(
        __version__,
        _Results(citecheck),
        sources,
        notes,
        policy=policy.name,
        calls=policy.calls,
        strict=citecheck.settings.strict,
        checks=("syntax", *citecheck.extensions.check_names),
        further=tuple(citecheck.further),
        coverage=coverage_of(citecheck.payloads.values(), citecheck.settings.min_checked),
        command=shlex.join(["citecheck", *_files(citecheck), *stated_arguments(citecheck.config)]),
        passed_over=_passed_over(citecheck),
    )
