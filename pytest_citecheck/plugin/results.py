"""Payloads of test reports, and the result of a run that is made from them."""

from __future__ import annotations

import marshal
import pickle
import shlex
import zlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast, overload

from pytest_citecheck import __version__
from pytest_citecheck.model import Evidence, Unavailable
from pytest_citecheck.net import Tally
from pytest_citecheck.plugin.answering import stated_arguments
from pytest_citecheck.plugin.items import file_nodeid
from pytest_citecheck.reports import (
    EvidenceData,
    FindingData,
    ReferenceResult,
    RunResult,
    SourceUse,
    VerdictData,
    answer_word,
    asked_json,
    coverage_of,
    gold_json,
    notices_json,
    placed_finding_json,
    report_severity,
    verdict_json,
)

if TYPE_CHECKING:
    from pytest_citecheck.checks import Evaluation
    from pytest_citecheck.inputs import Answered
    from pytest_citecheck.lookup import IndexSource
    from pytest_citecheck.model import Reference
    from pytest_citecheck.plugin.collection import CheckItem
    from pytest_citecheck.plugin.session import CitecheckSession
    from pytest_citecheck.sources import Source


def repeats(references: tuple[Reference, ...], answered: tuple[Answered | None, ...]) -> list[str]:
    """A note for each reference that repeats an earlier one of its answer; such a reference is checked and counted once."""
    return [
        f"{reference.location}: repeated: {reference.key} cites the work of "
        f"{place.duplicate_of} again ({place.group.model}, query {place.group.number})"
        for reference, place in zip(references, answered, strict=True)
        if place is not None and place.duplicate_of
    ]


MARSHAL = 4
"""The version of marshal's format that every Python reads which pytest-xdist connects."""

_LEVEL = 1  # of deflate: the fastest


def packed(evidence: Evidence) -> bytes:
    """The evidence for one reference."""
    return zlib.compress(pickle.dumps(evidence, protocol=pickle.HIGHEST_PROTOCOL), _LEVEL)


def unpacked(blob: bytes) -> Evidence:
    """Return the original of `packed`."""
    # Pickle is safe: processes of this run wrote it, to a folder that is private to the user (mkdtemp), or this one to memory.
    value = pickle.loads(zlib.decompress(blob))  # noqa: S301
    assert isinstance(value, Evidence)  # noqa: S101 - narrows the type
    return value


def lines_of(evidence: Evidence) -> bytes:
    """Evidence for one reference, as shown in reports."""
    lines: tuple[Any, ...] = asked_json(evidence)
    return zlib.compress(marshal.dumps(lines, MARSHAL), _LEVEL)


class AnswersStore(Mapping[str, "tuple[EvidenceData, ...]"]):
    """Evidence by reference id, decompressed on each access."""

    def __init__(self) -> None:
        self._lines: dict[str, bytes] = {}
        self._tallies: dict[str, Tally] | None = None

    def put(self, name: str, lines: bytes) -> None:
        """Store the result of `lines_of`; each process with checks of a reference sends one."""
        self._lines.setdefault(name, lines)
        self._tallies = None

    def release(self) -> None:
        """Drop the answers, but keep their number."""
        self._lines.clear()

    def tallies(self, local: Collection[str], indexes: Collection[str]) -> dict[str, Tally]:
        """Number of queries answered for all references. local: sources that were only looked up on this machine.

        A query shared by two references counts for each, so the sums do not depend on the distribution of references.
        """
        if self._tallies is None:
            self._tallies = self._counted(local, indexes)
        return self._tallies

    def _counted(self, local: Collection[str], indexes: Collection[str]) -> dict[str, Tally]:
        found: dict[str, Tally] = defaultdict(Tally)
        for name in self._lines if local else ():
            for line in self[name]:
                if line["source"] not in local:
                    continue
                tally = found[line["source"]]
                tally.local += line["source"] in indexes
                if line["answer"] == "unavailable":
                    tally.unavailable[line["reason"]] += 1
                else:
                    tally.answered += 1
                    tally.cached += line["source"] not in indexes
        return dict(found)

    def __getitem__(self, name: str) -> tuple[EvidenceData, ...]:
        # marshal is safe here: processes of this run wrote it.
        lines: tuple[EvidenceData, ...] = marshal.loads(zlib.decompress(self._lines[name]))  # noqa: S302
        return lines

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)


Payloads = dict[str, dict[str, Any]]


class FindingsStore(Mapping[str, Payloads]):
    """The payloads (`run_result.payload`) by reference id and check, unpacked on each access.

    The uncompressed payloads of a reference take 25 kB. Changes to an unpacked payload are lost.
    """

    def __init__(self) -> None:
        self._packed: dict[str, bytes] = {}
        self._last = ""  # the current reference; its results are packed when the next one begins
        self._open: Payloads = {}

    def put(self, payload: dict[str, Any]) -> None:
        """Store the payload of a check; it replaces an earlier one of the same check."""
        name = payload["id"]
        if name != self._last:
            self._close()
            self._last, self._open = name, self[name] if name in self._packed else {}
            self._packed.setdefault(name, b"")  # its place in the order
        self._open[payload["check"]] = payload

    def _close(self) -> None:
        if self._open:
            self._packed[self._last] = zlib.compress(marshal.dumps(self._open), _LEVEL)

    def __getitem__(self, reference_id: str) -> Payloads:
        packed = self._packed[reference_id]
        if reference_id == self._last:
            return dict(self._open)
        # marshal is safe here: this process wrote the data. It keeps tuples and shares equal strings.
        found: Payloads = marshal.loads(zlib.decompress(packed))  # noqa: S302
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._packed)

    def __len__(self) -> int:
        return len(self._packed)


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
    for used in {source for one in citecheck.bibliographies for source in one.sources}:
        found.pop(used, None)
    return found


def payload(item: CheckItem, citecheck: CitecheckSession) -> dict[str, Any]:
    """The data that the report of one check contains."""
    finding = item.finding
    assert finding is not None  # noqa: S101 - the caller checks it
    evaluation = citecheck.evaluation(item.reference_id, item.reference) if item.check != "syntax" else None
    latest = citecheck.latest
    if latest is None or latest[0] is not item.reference or latest[1] is not evaluation:
        citecheck.latest = latest = item.reference, evaluation, _shared_by_checks(item, evaluation)
    data = placed_finding_json(finding, item.reference, item.check) | latest[2]
    data |= {
        "check": item.check,
        "waived": False,
        "corrected": "",
        "severity": item.decision.severity,
        "said": item.decision.said,
        "demanded": item.decision.demanded,
    }
    citecheck.config.hook.pytest_citecheck_payload(item=item, evaluation=evaluation, data=data)
    return data


def _shared_by_checks(item: CheckItem, evaluation: Evaluation | None) -> dict[str, Any]:
    """The data that all checks of a reference have in common. Several payloads contain the same objects."""
    data: dict[str, Any] = {
        "id": item.reference_id,
        "key": item.reference.key,
        "file": item.reference.location.path,
        "line": item.reference.location.line,
        "truth": {},
        "answer": {},
        "verdict": None,
        "sources": {},
        "notices": [],
    }
    if evaluation is not None:
        data["verdict"] = verdict_json(evaluation.verdict, evaluation.case.miss_probability)
        data["notices"] = list(notices_json(evaluation.case))
        evidence = evaluation.case.evidence
        unanswered = {id(asked) for asked in evidence.unanswered}
        for asked in evidence.asked:
            if isinstance(asked.answer, Unavailable) and id(asked) not in unanswered:
                continue  # another host of the service answered
            # If a source answered several queries, a record found counts more than none.
            if data["sources"].get(asked.source) != "found":
                data["sources"][asked.source] = answer_word(asked)
    return data


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
        return ReferenceResult.of(
            reference,
            name,
            self._verdict(ordered),
            cast("Mapping[str, FindingData]", ordered),
            submission=self._citecheck.submission_of(name),
            notices=next((tuple(data["notices"]) for data in ordered.values() if data["notices"]), ()),
            evidence=_Lines(self._citecheck.answers, name),
            corrected=next((data["corrected"] for data in ordered.values() if data["corrected"]), ""),
            gold=next((gold_json(data["truth"]) for data in ordered.values() if data["truth"]), None),
        )

    def _verdict(self, findings: Mapping[str, Any]) -> VerdictData | None:
        """The verdict, unless it rests on the finding of a check that was not selected."""
        verdict = next((data["verdict"] for data in findings.values() if data["verdict"]), None)
        complete = all(check in findings for check in self._checks if check != "syntax")
        if complete or verdict is None or any(map(report_severity, findings.values())):
            return cast("VerdictData | None", verdict)
        is_open = any(data["outcome"] == "unverifiable" for data in findings.values())
        holds = is_open if verdict["name"] == "undecided" else verdict["name"] == "verified"
        return cast("VerdictData", verdict) if holds else None


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
            notes += tuple(repeats(bibliography.references, bibliography.answered))
    notes += (*citecheck.notes, *gathering.problems)
    policy = citecheck.settings.policy
    return RunResult(
        __version__,
        _Results(citecheck),
        sources,
        notes,
        policy=policy.name,
        calls=policy.names,
        strict=citecheck.settings.strict,
        checks=("syntax", *citecheck.extensions.check_names),
        further=tuple(citecheck.further),
        coverage=coverage_of(citecheck.payloads.values(), citecheck.settings.min_checked),
        command=shlex.join(["citecheck", *_files(citecheck), *stated_arguments(citecheck.config)]),
        passed_over=_passed_over(citecheck),
    )
