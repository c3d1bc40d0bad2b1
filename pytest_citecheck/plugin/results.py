"""Payloads of test reports, and the result of a run that is made from them."""

from __future__ import annotations

import marshal
import pickle
import shlex
import zlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, overload

from pytest_citecheck import __version__
from pytest_citecheck import inputs as formats  # loaded when it is asked
from pytest_citecheck.benchmark import usage_text
from pytest_citecheck.checks import PolicyContext
from pytest_citecheck.inputs import NO_USAGE, benchmark_reader
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
    from pytest_citecheck.checks import Evaluation, Policy
    from pytest_citecheck.inputs import Answered, LabelledEntry, Reader
    from pytest_citecheck.lookup import IndexSource
    from pytest_citecheck.model import Finding, Reference
    from pytest_citecheck.plugin.collection import CheckItem
    from pytest_citecheck.plugin.session import CitecheckSession
    from pytest_citecheck.sources import Source

# Properties of references from models' answers, as they are sent with their checks.


def answer_properties(
    answered: Answered, repeated: int, reference: Reference, evaluation: Evaluation | None, check: str
) -> dict[str, str]:
    """Name and value of the properties that the metrics of models need.

    repeated: number of repetitions of the reference in the same answer. evaluation: None for an unreadable reference.
    Only one of the checks has the result of the Arena's rule.
    """
    group = answered.group
    stated = {
        "model": group.model,
        "query": str(group.number),
        "sample": str(group.sample),
        "discipline": group.discipline,
        "language": group.language,
        "tool": "yes" if group.tool else "",
        "served": group.served,
        "requested": _number(group.requested),
        "earliest": _number(group.earliest),
        "latest": _number(group.latest),
        "repeated": str(repeated or ""),
        "delivery": next((defect.code for defect in reference.defects if defect.code in _DELIVERY), ""),
    }
    if check in ("title", "syntax") and group.usage != NO_USAGE:
        stated["usage"] = usage_text(group.usage)
    if evaluation is not None:
        metadata = evaluation.case.cited
        cited = {"doi": metadata.identifiers.doi, "year": metadata.year_text, "authors": metadata.people.names}
        stated["cited"] = " ".join(name for name, value in cited.items() if value)
        stated["year"] = _number(metadata.year)
        works = (*evaluation.case.works, *evaluation.case.near_matches)
        if works:
            stated["found_years"] = " ".join(map(str, works[0].record.years))
            stated["found_by"] = works[0].record.source
        if check == "title":
            from pytest_citecheck.benchmark import strict_result  # noqa: PLC0415 - for answers of models only

            stated["strict"] = strict_result(reference, evaluation.case.evidence, group.discipline).to_text()
    return {f"citecheck.answer.{name}": value for name, value in stated.items() if value}


_DELIVERY = frozenset({"answer-missing", "answer-empty", "answer-unread", "answer-not-asked"})


def _number(value: int | None) -> str:
    return "" if value is None else str(value)


def repeats(references: tuple[Reference, ...], answered: tuple[Answered | None, ...]) -> list[str]:
    """A note for each reference that repeats an earlier one of its answer; such a reference is checked and counted once."""
    return [
        f"{reference.location}: repeated: {reference.key} cites the work of "
        f"{place.duplicate_of} again ({place.group.model}, query {place.group.number})"
        for reference, place in zip(references, answered, strict=True)
        if place is not None and place.duplicate_of
    ]


# Evidence in the form for transport between processes, and the answers that reports show, by reference.


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


# The findings of a run, compressed: tens of thousands of references stay in memory until the reports are written.


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


# The labels of benchmark entries, which the checks never see.


class Labels:
    """The labelled entries of the splits of a run. Each file is read once, on first access."""

    def __init__(self, readers: Iterable[Reader]) -> None:
        self._readers = tuple(readers)
        self._files: dict[Path, Mapping[str, LabelledEntry]] = {}
        self._covered: dict[Path, bool] = {}

    def put(self, path: Path, entries: Iterable[LabelledEntry]) -> None:
        """Set the labels of a file that does not contain any."""
        self._files[path] = {entry.key: entry for entry in entries}

    def covers(self, path: Path) -> bool:
        """Return True if the file contains benchmark entries, with or without labels."""
        if path not in self._covered:
            self._covered[path] = bool(self._files.get(path)) or self._is_split(path)
        return self._covered[path]

    def of(self, path: Path, key: str) -> LabelledEntry | None:
        """The labelled entry with this key; None if the file has none. Raises OSError."""
        if path not in self._files:
            self._files[path] = self._labelled(path) if self._is_split(path) else {}
        return self._files[path].get(key)

    def _is_split(self, path: Path) -> bool:
        reader = formats.reader_for(str(path), self._readers)
        return reader is not None and ".jsonl" in reader.suffixes and reader is benchmark_reader()

    @staticmethod
    def _labelled(path: Path) -> Mapping[str, LabelledEntry]:
        from pytest_citecheck.inputs import load_split  # noqa: PLC0415

        return {entry.key: entry for entry in load_split(path).entries if entry.label is not None}


def _subtest_of(check: str) -> str:
    from pytest_citecheck.inputs import SUBTESTS  # noqa: PLC0415

    return next(subtest for subtest, its_check in SUBTESTS.items() if its_check == check)


def truth_of(entry: LabelledEntry, check: str) -> bool | None:
    """The labelled result of the sub-test for a check; None if it does not apply or the entry has no sub-tests."""
    return entry.subtests.get(_subtest_of(check))


def predicted(evaluation: Evaluation, policy: Policy) -> str:
    """The predicted label of a reference: from its verdict, or from a policy that defines hallucinated references.

    An unfindable reference is predicted to be hallucinated if its title fails for that reason.

    With such a policy the prediction is UNCERTAIN only if an unavailable service may have the work, or if title or
    authors are undecided. With ``--citecheck-offline`` and a local index, the services that were not queried do not
    make it UNCERTAIN: a label is a prediction, which may be wrong, and not a failure.
    """
    from pytest_citecheck.benchmark import PREDICTED  # noqa: PLC0415

    verdict, findings = evaluation.verdict.name, evaluation.findings
    if not policy.hallucinated:
        invented = verdict == "unfindable" and findings["title"].outcome == "failed"
        return "HALLUCINATED" if invented else PREDICTED[verdict]
    looked_up = any(not isinstance(asked.answer, Unavailable) for asked in evaluation.case.asked("title"))
    outage = evaluation.case.outage or not looked_up
    context = replace(PolicyContext.of(evaluation), outage=outage)
    severities = {policy.severity(finding, context) for finding in findings.values()}
    if severities & policy.hallucinated:
        return "HALLUCINATED"
    decided = all(findings[check].outcome != "unverifiable" for check in ("title", "authors"))
    return "VALID" if decided and not (outage and verdict == "undecided") else "UNCERTAIN"


def disagreement(
    entry: LabelledEntry, finding: Finding, check: str, evaluation: Evaluation, policy: Policy
) -> str | None:
    """Return the contradiction between a decided finding and its labelled sub-test, or an empty string.

    For ``cross_db``, whose label is false for every hallucination, and for entries without sub-tests, the predicted label of the
    reference is compared with its label instead. None if there is nothing to compare: the sub-test does not apply, or the
    prediction is UNCERTAIN.
    """
    if entry.subtests and check != "cross_db":
        from pytest_citecheck.benchmark import subtest_answer  # noqa: PLC0415

        expected = truth_of(entry, check)
        if expected is None:
            return None
        if expected == subtest_answer(check, finding.outcome, finding.code):
            return ""
        return f"{_subtest_of(check)} is labelled {str(expected).lower()}, but the check {finding.outcome} ({finding.code})"
    label = predicted(evaluation, policy)
    if label == "UNCERTAIN":
        return None
    rests_on = (
        f"policy {policy.name} classifies it as {label}"
        if policy.hallucinated
        else f"the verdict is {evaluation.verdict.name}"
    )
    return "" if label == entry.label else f"the entry is labelled {entry.label}, but {rests_on}"


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
        data["answer"] = answer_properties(item.answered, item.repeated, item.reference, evaluation, item.check)
    if evaluation is not None:
        data["verdict"] = verdict_json(evaluation.verdict, evaluation.case.miss_probability)
        if citecheck.labels.covers(item.path):
            from pytest_citecheck.benchmark import PREDICTED  # noqa: PLC0415

            policy = citecheck.settings.policy
            label = predicted(evaluation, policy)
            if policy.hallucinated or label != PREDICTED[evaluation.verdict.name]:  # else the verdict implies it
                data["verdict"]["label"] = label
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


def _truth(item: CheckItem, citecheck: CitecheckSession) -> dict[str, str]:
    """The labels of the reference, as properties."""
    # A second entry with the same key is unreadable; the label belongs to the first.
    entry = citecheck.labels.of(item.path, item.reference.key) if item.reference.readable else None
    if entry is None:
        return {}
    from pytest_citecheck.benchmark import truth_properties  # noqa: PLC0415

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
