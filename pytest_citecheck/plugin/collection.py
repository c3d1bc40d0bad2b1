"""pytest nodes: file, then one item for each check of a reference (and a syntax item where the entry is written badly)."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from pytest_citecheck.checks import CHECKS, FindingSeverity, PolicyContext, cause
from pytest_citecheck.inputs import BIBTEX, NO_WORKS, DocumentReader, UnreadableDocumentError, reference_names
from pytest_citecheck.matching import safe_line, safe_lines
from pytest_citecheck.plugin.items import CheckFailure, FindingItem, duplicates_item, file_nodeid

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_citecheck.checks import Evaluation
    from pytest_citecheck.inputs import Answered, Bibliography
    from pytest_citecheck.model import Finding, Reference
    from pytest_citecheck.plugin.session import CitecheckSession

if TYPE_CHECKING:
    _Member = tuple[list[str], Reference, Answered | None]  # parts of its name, itself, and which answer it is from


SYNTAX = "syntax"
"""The item of a malformed entry; it comes before the checks, or alone for an unreadable block."""

_MOST = 100_000  # references of a file in one run: an item for each check, of some 2 kB
_SHOWN = 20  # lines that cannot be read, of one file

_IGNORED = FindingSeverity("ignore")

_CHECK_MARKERS = {
    SYNTAX: "the entry is well-formed",
    "doi": "the cited DOI or arXiv id exists and belongs to this work",
    "title": "a work with this title exists",
    "authors": "the authors match the work",
    "venue": "the work appeared in the cited venue",
    "completeness": "the entry has all fields that its type requires, in the right form",
    "cross_db": "the databases agree on title, authors and year",
    "duplicates": "the entries of a bibliography do not contradict each other",
}


def register_markers(config: pytest.Config, own: Mapping[str, str]) -> None:
    """Register the markers of the checks with pytest, except those that the project has registered.

    own: descriptions of checks from extensions, by name.
    """
    known = {line.partition(":")[0].partition("(")[0].strip() for line in config.getini("markers")}
    undescribed = {name: f"the check {name}" for name in CHECKS}
    meanings = {
        **_CHECK_MARKERS,
        **{name: text for name, text in undescribed.items() if name not in _CHECK_MARKERS},
        **own,
    }
    lines = {
        "citecheck": f"citecheck(check): a check of pytest-citecheck; check: {', '.join(meanings)}",
        **{name: f"{name}: citecheck(check='{name}'), {meaning}" for name, meaning in meanings.items()},
    }
    for name, line in lines.items():
        if name not in known:
            config.addinivalue_line("markers", line)


@cache
def _marks(check: str) -> tuple[pytest.MarkDecorator, pytest.MarkDecorator]:
    """The same ones for all items: there may be hundreds of thousands."""
    return getattr(pytest.mark, check), pytest.mark.citecheck(check=check)


def expected_checks(reference: Reference, known: tuple[str, ...]) -> tuple[str, ...]:
    """The names of the items that a reference is collected as. known: the names of all checks."""
    checks = known if reference.readable and reference.type not in NO_WORKS else ()
    return (SYNTAX, *checks) if any(not defect.note for defect in reference.defects) else checks


class CheckItem(FindingItem):
    """One check of one reference."""

    def __init__(
        self,
        *,
        reference: Reference,
        reference_id: str,
        check: str,
        citecheck: CitecheckSession,
        answered: Answered | None = None,
        repeated: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.reference = reference
        self.answered = answered
        self.repeated = repeated
        self.reference_id = reference_id
        self.check = check
        self.citecheck = citecheck
        self.finding: Finding | None = None
        self.decision = _IGNORED
        self.waived = False
        self._location: tuple[str, int | None, str] | None = None
        for mark in _marks(check):
            self.add_marker(mark)

    def is_decided(self, nextitem: pytest.Item | None) -> bool:
        """Return True if running this item only reads a finding, and pytest has neither a mark of it to evaluate nor a
        node to tear down."""
        waived = self.citecheck.waivers.may_concern((self.reference,))
        marked = sum(len(node.own_markers) for node in self.iter_parents()) > len(_marks(self.check))
        alone = getattr(nextitem, "parent", None) is self.parent and not waived and not marked
        return alone and self.check in CHECKS and self.citecheck.gathering.current == self.reference_id

    def runtest(self) -> None:
        """Pass, skip (unverifiable) or raise CheckFailure, according to the policy; finding and severity are stored for
        reports."""
        finding = self.finding = self.citecheck.finding(self.reference_id, self.reference, self.check)
        evaluation = self._evaluation()
        self.decision = self._decision(finding, PolicyContext.of(evaluation) if evaluation else PolicyContext())
        if self.citecheck.compares and self.check != SYNTAX:
            self._compare(finding)
            return
        waiver = self.citecheck.waivers.of_finding(self.reference, finding, self.decision.severity)
        self.waived = waiver is not None
        # A waived failure must remain visible as waived, regardless of its severity.
        if self.decision.severity == "error" or (waiver and finding.outcome == "failed"):
            if waiver and self.get_closest_marker("xfail") is None:  # codes are known only now
                self.add_marker(pytest.mark.xfail(raises=CheckFailure, reason=waiver.reason, strict=False))
            raise self._failure(finding)
        if finding.outcome == "unverifiable":
            self._skip(finding)

    def forget(self) -> None:
        """Drop reported results to save memory; pytest keeps every item until the end."""
        self.finding, self.decision, self._location = None, _IGNORED, None
        self.user_properties.clear()

    def _skip(self, finding: Finding) -> NoReturn:
        """Skip with a reason that begins with the key, since pytest prints file and line only.

        Checks that are undecided for the same reason share one text, which names them all, so that pytest prints it
        once (``-rs``).
        """
        evaluation, checks = self._evaluation(), [finding.check]
        if evaluation is not None:
            one = (finding.code, cause(finding))
            others = [other for other in evaluation.findings.values() if (other.code, cause(other)) == one]
            context = PolicyContext.of(evaluation)
            checks = [
                other.check for other in others if other.outcome == "unverifiable" and not self._fails(other, context)
            ]
        why = cause(finding) if len(checks) > 1 else finding.message
        raise pytest.skip.Exception(
            self._named(f"[{', '.join(checks)}] {finding.code}: {why}"), _use_item_location=True
        )

    def _fails(self, finding: Finding, context: PolicyContext) -> bool:
        return not self.citecheck.compares and self._decision(finding, context).severity == "error"

    def _named(self, reason: str) -> str:
        return safe_line(f"{self.reference.key or '(no key)'} {reason}")

    def _failure(self, finding: Finding) -> CheckFailure:
        from pytest_citecheck.reports import explain, headline  # noqa: PLC0415

        text = explain(
            self.reference,
            finding,
            self._evaluation(),
            self.decision.said,
            self.decision.sentence,
            self._explained_in(),
        )
        return CheckFailure(headline(finding, self.decision.said), text, self.reference.location)

    def _explained_in(self) -> str:
        """The earlier item whose failure already has the details of the reference; empty if this is the first."""
        # An expected failure (a waiver) is not printed, so nothing may refer to it.
        if self.check in (SYNTAX, "completeness") or self.get_closest_marker("xfail") is not None:
            return ""
        return self.citecheck.explained_in(self.reference_id, self.nodeid)

    def _evaluation(self) -> Evaluation | None:
        """All findings for the reference; None where only its syntax is tested."""
        if self.check == SYNTAX:
            return None
        evaluation = self.citecheck.evaluation(self.reference_id, self.reference)
        if self.finding is None or self.check in CHECKS:
            return evaluation
        return replace(evaluation, findings={**evaluation.findings, self.check: self.finding})

    def _decision(self, finding: Finding, context: PolicyContext) -> FindingSeverity:
        settings = self.citecheck.settings
        # When findings are compared with labels, severity does not matter.
        return settings.policy.decide(finding, context, demanded=settings.strict and not self.citecheck.compares)

    def _compare(self, finding: Finding) -> None:
        """Pass if the finding is right by the label, raise CheckFailure if it is not, skip where that is open."""
        from pytest_citecheck.reports import explain  # noqa: PLC0415

        if finding.outcome == "unverifiable" and not self.citecheck.settings.strict:
            self._skip(finding)
        evaluation = self.citecheck.evaluation(self.reference_id, self.reference)
        compare = self.config.hook.pytest_citecheck_disagreement
        wrong: str | None = compare(item=self, finding=finding, evaluation=evaluation)
        if wrong is None:
            reason = self._named("no-label: the pair has no label that this could be compared with")
            raise pytest.skip.Exception(reason, _use_item_location=True)
        if wrong:
            text = f"{wrong}\n{explain(self.reference, finding, evaluation, see_item=self._explained_in())}"
            raise CheckFailure(f"label-contradicted: {wrong}", text, self.reference.location)

    @property
    def location(self) -> tuple[str, int | None, str]:
        """Kept until `forget`: a value that pytest caches would give each item a dictionary of 750 bytes."""
        if self._location is None:
            self._location = pytest.Item.__dict__["location"].func(self)
        return self._location

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        # An entry that a document cites is in another file.
        path = self.path
        if (
            self.citecheck.is_document(path)
            and (named := self.config.rootpath / self.reference.location.path).is_file()
        ):
            path = named
        return (path, self.reference.location.line - 1, f"{safe_line(self.reference.key) or self.name} [{self.check}]")


class UnusableFileError(Exception):
    """A file of benchmark entries or answers that cannot be checked: unreadable lines, or too many."""


def refuse_broken_lines(bibliography: Bibliography) -> None:
    """Raises UnusableFileError, which names the first of them, if there is any."""
    # Only lines of a file of answers can be broken: a reference that a model wrote badly is its own failure, and an
    # item.
    places = bibliography.answered or (None,) * len(bibliography.references)
    broken = [
        f"{bibliography.path}:{defect.line}: {safe_line(reference.key)}{': ' if reference.key else ''}{safe_line(defect.message)}"
        for reference, place in zip(bibliography.references, places, strict=True)
        for defect in reference.defects
        if defect.fatal and place is None
    ]
    if broken:
        more = [f"and {len(broken) - _SHOWN} more"] if len(broken) > _SHOWN else []
        advice = "--citecheck-lenient checks the others, with a failing item for each of these"
        raise UnusableFileError("\n".join([*broken[:_SHOWN], *more, advice]))


class ReferenceFile(pytest.File):
    """A bibliography: reads its references once and collects their checks."""

    citecheck: CitecheckSession

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        bibliography = self.citecheck.bibliography(self.path)
        reader = self.citecheck.reader(self.path)
        if reader is BIBTEX and self.citecheck.read_by(self.path):
            return  # the items of that document are of the entries that it cites
        if not (self.citecheck.settings.lenient or (reader is not None and reader.lenient)):
            refuse_broken_lines(bibliography)
        if len(bibliography.references) > _MOST:
            raise UnusableFileError(
                f"{bibliography.path}: {len(bibliography.references):,} references are too many for one run; check a part "
                f"of at most {_MOST:,}, as with --citecheck-shard=1/{-(-len(bibliography.references) // _MOST)}"
            )
        places = bibliography.answered or (None,) * len(bibliography.references)
        elsewhere = self.citecheck.cited_by_code() if reader is BIBTEX else ()
        named = [
            (name, reference, place)
            for name, reference, place in zip(
                reference_names(bibliography), bibliography.references, places, strict=True
            )
            if (reference.location.path, reference.location.line) not in elsewhere
        ]
        members = [(name.split("::"), reference, place) for name, reference, place in named]
        if bibliography.nested:  # names of objects are no nodes: a class may be named like a key
            members = [(["::".join(parts)], reference, place) for parts, reference, place in members]
        if chosen := self.citecheck.arguments.chosen:
            found = _nodes(self, members, self.citecheck)
            yield from (node for node in found if any(_selects(one, node.nodeid) for one in chosen))
            return
        yield from _nodes(self, members, self.citecheck)
        if reader is BIBTEX or (isinstance(reader, DocumentReader) and not bibliography.nested):
            yield from duplicates_item(self, self.path, self.citecheck)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *args: Any, **kwargs: Any) -> Any:
        if isinstance(excinfo.value, UnusableFileError | UnreadableDocumentError):
            return safe_lines(str(excinfo.value))
        if isinstance(excinfo.value, OSError):
            return safe_line(f"{self.path}: cannot be read: {excinfo.value.strerror or excinfo.value}")
        return super().repr_failure(excinfo, *args, **kwargs)


def _selects(chosen: str, nodeid: str) -> bool:
    return nodeid == chosen or nodeid.startswith((f"{chosen}[", f"{chosen}::"))


class AnswerGroup(pytest.Collector):
    """A model in a file of answers, or one of the queries that it answered."""

    members: list[_Member]
    citecheck: CitecheckSession

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        yield from _nodes(self, self.members, self.citecheck)


def _nodes(
    parent: pytest.Collector, members: Iterable[_Member], citecheck: CitecheckSession
) -> Iterator[pytest.Item | pytest.Collector]:
    """The checks of references whose name has one part; a collector for all those that have its first part in common."""
    groups: dict[str, list[_Member]] = {}
    members = list(members)
    repeats = Counter(place.duplicate_of for _, _, place in members if place is not None)
    for (first, *rest), reference, place in members:
        if rest:
            groups.setdefault(first, []).append((rest, reference, place))
        elif place is None or not place.duplicate_of:
            yield from _items(parent, first, reference, place, repeats[reference.key], citecheck)
    for name, members in groups.items():
        node: AnswerGroup = AnswerGroup.from_parent(parent, name=name, nodeid=f"{parent.nodeid}::{name}")
        node.members, node.citecheck = members, citecheck
        yield node


def _items(
    parent: pytest.Collector,
    name: str,
    reference: Reference,
    place: Answered | None,
    repeated: int,
    citecheck: CitecheckSession,
) -> Iterator[pytest.Item]:
    reference_id = f"{parent.nodeid}::{name}"
    check_names = expected_checks(reference, citecheck.extensions.check_names)
    for check in check_names:
        item: CheckItem = CheckItem.from_parent(
            parent,
            name=f"{name}[{check}]",
            # As text: pytest then reads it like the ids it remembers (--lf), with the check as parameter.
            nodeid=f"{reference_id}[{check}]",
            reference=reference,
            reference_id=reference_id,
            check=check,
            citecheck=citecheck,
            answered=place,
            repeated=repeated,
        )
        waiver = citecheck.waivers.of(reference, check)
        if waiver is not None:
            item.add_marker(pytest.mark.xfail(raises=CheckFailure, reason=waiver.reason, strict=False))
        yield item
    if check_names:
        added = parent.ihook.pytest_citecheck_items(parent=parent, name=name, reference=reference, place=place)
        yield from chain.from_iterable(added)


def collect_file(path: Path, parent: pytest.Collector, citecheck: CitecheckSession) -> ReferenceFile | None:
    """The node of a file that was named, or found in a named folder, and that some reader understands."""
    if not citecheck.wants(path, typed=parent.session.isinitpath(path)):
        return None
    node: ReferenceFile = ReferenceFile.from_parent(parent, path=path, nodeid=file_nodeid(path, parent.config.rootpath))
    node.citecheck = citecheck
    return node


def project_files(session: pytest.Session, citecheck: CitecheckSession) -> Iterator[ReferenceFile]:
    """The nodes of code and documentation, which pytest itself does not collect."""
    if not citecheck.arguments.chosen:
        citecheck.read_project()
    for path in citecheck.arguments.project:
        nodeid = file_nodeid(path, session.config.rootpath)
        if not citecheck.arguments.chosen or any(one.startswith(f"{nodeid}::") for one in citecheck.arguments.chosen):
            node: ReferenceFile = ReferenceFile.from_parent(session, path=path, nodeid=nodeid)
            node.citecheck = citecheck
            yield node
