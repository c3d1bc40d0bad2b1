"""``citecheck fix``: write corrections into files of references."""

from __future__ import annotations

import argparse
import difflib
import subprocess
import webbrowser
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from pytest_citecheck.cli.commands import UsageError, argument, complain, count, say
from pytest_citecheck.cli.edits import Edit, corrected_file, write_edits
from pytest_citecheck.cli.entries import Place, add_engine_options
from pytest_citecheck.cli.running import NotDoneError, command
from pytest_citecheck.exit_codes import UNCHECKED, USAGE
from pytest_citecheck.fixing import TYPE, Correction, FieldEdit, corrections, why_not_corrected
from pytest_citecheck.nearest import hint
from pytest_citecheck.screen import send

if TYPE_CHECKING:
    from pytest_citecheck.checks import Evaluation
    from pytest_citecheck.cli.commands import Commands
    from pytest_citecheck.cli.entries import Engine
    from pytest_citecheck.model import Reference


_ABOUT = (
    "Correct wrong values in .bib files, docstrings and reStructuredText if a registry or two independent sources back the "
    "new value. Every other byte stays. Exit code: 0 done, 1 if you edited entries meanwhile, which are left as they are, "
    "3 if no source answered. With --diff and --check, 1 if corrections exist."
)


def add_parser(commands: Commands) -> None:
    """Add ``citecheck fix``."""
    parser = command(commands, "fix", "correct references", _ABOUT, _run)
    add_engine_options(parser, "a .bib, .py or .rst file, or the folder of a project; .bib files are one bibliography")
    output = parser.add_mutually_exclusive_group()
    argument(output, "--diff", "print a patch and write nothing")
    argument(output, "--check", "list the corrections and write nothing")
    argument(output, "-i --interactive", "confirm each correction")
    parser.add_argument(
        "--select", metavar="CHECK,...", action="append", default=[], help="only these checks or codes (repeatable)"
    )
    argument(parser, "--unsafe", "also write values that only one source has")
    argument(parser, "--add-doi", "add the DOI of works that are cited without one")
    argument(parser, "--upgrade-preprints", "cite preprints that have been published as published")
    argument(parser, "--require-clean", "refuse files with changes that are not committed (git)")


def _run(chosen: argparse.Namespace) -> int:
    from pytest_citecheck.cli.entries import Engine, fixable_files  # noqa: PLC0415 - heavy for a --help

    wanted = _wanted(chosen)
    contents = fixable_files(chosen.files)
    if chosen.require_clean:
        _refuse_uncommitted(contents)
    engine = Engine(chosen, "citecheck fix")
    waivers = engine.session.waivers
    wanted = replace(wanted, waived=lambda reference, one: waivers.of(reference, one.check, one.codes) is not None)
    try:
        mended = mend(engine, contents, wanted)
        if chosen.interactive:
            return _choose(engine, contents, mended)
    finally:
        engine.close()
    if chosen.diff:
        _say_left(mended)
        code = _print_patch(contents, mended.contents)
    elif chosen.check:
        _say(mended, tense="Would correct")
        code = 1 if mended.contents != contents else 0
    else:
        done, code = _write(contents, {place: Edit(*one) for place, one in mended.written.items()})
        mended.written = {place: one for place, one in mended.written.items() if place in done}
        _say(mended, tense="Corrected")
    if mended.unanswered:
        complain(f"citecheck fix: no source answered for {mended.unanswered} of {count(mended.entries, 'reference')}")
    return UNCHECKED if mended.unanswered == mended.entries > 0 and not code else code


def _choose(engine: Engine, contents: Mapping[str, bytes], mended: Mended) -> int:
    """Let the user decide, and write the accepted corrections and waivers."""
    edits = choose(mended.written, engine.evaluations(contents, mended.written.keys()))
    done, code = _write(contents, edits)
    written = [one for place, one in edits.items() if place in done]
    say(f"Corrected {sum(bool(one.corrections) for one in written)}, waived {sum(len(one.waived) for one in written)}")
    return code


def _wanted(chosen: argparse.Namespace) -> FieldEdit:
    from pytest_citecheck.checks import CHECKS, CODES  # noqa: PLC0415

    names = frozenset(part.strip() for text in chosen.select for part in text.split(",") if part.strip())
    for name in sorted(names):
        if name not in CHECKS and name not in CODES:
            raise UsageError(f"--select: unknown check or code {name!r}{hint(name, (*CHECKS, *CODES))}")
    return FieldEdit(names, add_doi=chosen.add_doi, unsafe=chosen.unsafe, upgrade=chosen.upgrade_preprints)


def _refuse_uncommitted(names: Iterable[str]) -> None:
    """Raises NotDoneError for a file that git does not know, or that was changed since its last commit."""
    for name in names:
        path = Path(name).absolute()
        command = ["git", "-C", str(path.parent), "status", "--porcelain", "--ignored", "--", path.name]
        try:
            state = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
        except OSError as error:
            raise UsageError(f"--require-clean needs git: {error.strerror}") from error
        if state.returncode or state.stdout.strip():
            raise NotDoneError(f"{name} has changes that are not committed; commit them, or leave out --require-clean")


def _print_patch(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> int:
    """A unified diff of the bytes, for ``patch -p0``."""
    lines: list[bytes] = []
    for name, data in before.items():
        named = name.encode(errors="surrogateescape")
        for line in difflib.diff_bytes(
            difflib.unified_diff, data.splitlines(keepends=True), after[name].splitlines(keepends=True), named, named
        ):
            ended = line.endswith((b"\n", b"\r"))
            lines.append(line if ended else line + b"\n\\ No newline at end of file\n")
    send(lines)
    return 1 if lines else 0


def _say(mended: Mended, tense: str) -> None:
    for (name, _), (reference, found) in mended.written.items():
        for one in found:
            say(f"{name}:{reference.location.line}: {reference.key}: {_described(one)}")
    _say_left(mended)
    entries = count(len(mended.written), "entry").replace("entrys", "entries")
    failing = len(mended.left.keys() - mended.written.keys())
    left = f"; {failing} still fail{'s' if failing == 1 else ''}, without a certain correction" if failing else ""
    say(f"{tense} {entries}{left}")


def _say_left(mended: Mended) -> None:
    for (name, _), (reference, why) in mended.left.items():
        complain(f"{name}:{reference.location.line}: {reference.key} is left as it is: {why}")


def _described(one: Correction) -> str:
    sources = ", ".join(one.sources) or "not certain"
    return f"{_field(one.field, one.value) if one.value else f'{one.field} removed'} ({one.code}: {sources})"


def _field(name: str, value: str) -> str:
    if name == TYPE:
        return f"type @{value}"
    return f"{name} = {{{value}}}" if value else f"no {name}"


def _write(contents: Mapping[str, bytes], edits: Mapping[Place, Edit]) -> tuple[set[Place], int]:
    """Write each file, and report what cannot be written. Return the places of the edited entries, and the exit code."""
    done: set[Place] = set()
    code = 0
    for name in dict.fromkeys(file for file, _ in edits):
        here = {number: one for (file, number), one in edits.items() if file == name}
        try:
            _, written = write_edits(contents, name, here)
        except OSError as error:
            complain(f"citecheck fix: error: {name} cannot be written: {error.strerror}")
            code = USAGE
            continue
        for number, why in written.refused.items():
            complain(
                f"{name}:{here[number].reference.location.line}: {here[number].reference.key} is left as it is: {why}"
            )
            code = code or 1
        done |= {(name, number) for number in written.written}
    return done, code


Written = Mapping[Place, tuple["Reference", tuple["Correction", ...]]]

_KEYS: Final = "[a]ccept, [w]aive, [s]kip, [o]pen the record, [q]uit? "


def choose(written: Written, evaluations: Mapping[Place, tuple[Reference, Evaluation]]) -> dict[Place, Edit]:
    """Ask about each finding on the terminal, until the input ends. Return the corrections and waivers to write."""
    choices: dict[Place, Edit] = {}
    for place, reference, found in _findings(written):
        finding = evaluations[place][1].findings.get(found[0].check) if place in evaluations else None
        url = finding.record.url if finding is not None and finding.record is not None else ""
        say("")
        say(f"{place[0]}:{reference.location.line} {reference.key} [{found[0].check}] {found[0].code}")
        for one in found:
            old = reference.type if one.field == TYPE else reference.fields.get(one.field, "")
            say(f"  old: {_field(one.field, old)}")
            say(f"  new: {_field(one.field, one.value)}")
        if finding is not None:
            say(f"  why: {finding.message}")
        say(f"  by:  {', '.join(found[0].sources) or 'one source only'}{f' ({url})' if url else ''}")
        answer = _answer(url)
        edit = choices.get(place, Edit(reference))
        if answer == "a":
            choices[place] = replace(edit, corrections=(*edit.corrections, *found))
        elif answer == "w":
            if reason := _reason():
                choices[place] = replace(edit, waived=(*edit.waived, ((found[0].code,), reason)))
        elif answer == "q":
            break
    return choices


def _findings(written: Written) -> Iterator[tuple[Place, Reference, tuple[Correction, ...]]]:
    """Group corrections by finding."""
    for place, (reference, found) in written.items():
        ordered = sorted(found, key=lambda one: (one.check, one.code))
        for _, group in groupby(ordered, key=lambda one: (one.check, one.code)):
            yield place, reference, tuple(group)


def _reason() -> str:
    """The reason for a waiver; empty at the end of the input, which waives nothing."""
    while True:
        try:
            reason = " ".join(input("reason (required): ").split())
        except EOFError:
            return ""
        if reason:
            return reason


def _answer(url: str) -> str:
    """The first letter of an answer that is one of the keys; quit at the end of the input."""
    while True:
        try:
            answer = input(_KEYS).strip().lower()[:1]
        except EOFError:
            return "q"
        if answer == "o" and url.startswith(("https://", "http://")):
            webbrowser.open(url)
        elif answer == "o":
            say("  no record with an address")
        elif answer in ("a", "w", "s", "q"):
            return answer
        elif answer:
            say(
                "  accept: write the new value; waive: keep the entry, with a reason; skip: change nothing; quit: write and stop"
            )


_ROUNDS = 4
"""A correction may reveal a further fault: correct authors may show that the venue belongs to another work."""


class Evaluating(Protocol):
    """Evaluates references between rounds of corrections."""

    def evaluations(
        self, contents: Mapping[str, bytes], only: Collection[Place] | None = None
    ) -> Mapping[Place, tuple[Reference, Evaluation]]:
        """Evaluate each reference of these files, or those at these places."""
        ...


@dataclass(slots=True)
class Mended:
    """Corrected files. contents: their bytes. written: the corrections by place, with the original reference. left:
    references with failed checks that are not corrected, with the reason. unanswered: references about which no source
    answered, of all `entries`."""

    contents: dict[str, bytes]
    written: dict[Place, tuple[Reference, tuple[Correction, ...]]] = field(default_factory=dict)
    left: dict[Place, tuple[Reference, str]] = field(default_factory=dict)
    unanswered: int = 0
    entries: int = 0


def mend(engine: Evaluating, contents: Mapping[str, bytes], wanted: FieldEdit) -> Mended:
    """Apply certain corrections, and revert those that make a check fail that did not fail before."""
    from pytest_citecheck.cli.judging import is_unanswered  # noqa: PLC0415 - heavy for a --help

    first: dict[Place, Reference] = {}
    failed: dict[Place, frozenset[str]] = {}
    chosen: dict[Place, dict[str, Correction]] = {}
    refused: dict[Place, str] = {}
    reasons: dict[Place, str] = {}
    now, looked_at = dict(contents), None
    silent: set[Place] = set()
    for last in range(_ROUNDS):
        changed: set[Place] = set()
        for place, (reference, evaluation) in engine.evaluations(now, looked_at).items():
            if first.setdefault(place, reference) is reference and is_unanswered(evaluation):
                silent.add(place)
            failing = _failing(evaluation)
            reasons[place] = why_not_corrected(evaluation, wanted, first[place])
            if failing - failed.setdefault(place, failing):
                refused[place] = "the corrected entry fails another check"
                chosen.pop(place, None)
                changed.add(place)
            elif place not in refused and (found := corrections(evaluation, wanted, first[place])):
                if last == _ROUNDS - 1:
                    refused[place] = "each correction calls for another one"
                    chosen.pop(place, None)
                else:
                    chosen.setdefault(place, {}).update((one.field, one) for one in found)
                changed.add(place)
        now, unwritten = _written(contents, first, chosen)
        for place, why in unwritten.items():
            refused[place] = why
            chosen.pop(place, None)
        looked_at = {place for place in changed if place in chosen}
        if not looked_at:
            break
    written = {place: (first[place], tuple(chosen[place].values())) for place in sorted(chosen)}
    reasons = {place: why for place, why in {**reasons, **refused}.items() if why}
    left = {place: (first[place], why) for place, why in sorted(reasons.items())}
    return Mended(now, written, left, len(silent), len(first))


def _failing(evaluation: Evaluation) -> frozenset[str]:
    return frozenset(name for name, finding in evaluation.findings.items() if finding.outcome == "failed")


def _written(
    contents: Mapping[str, bytes], first: Mapping[Place, Reference], chosen: Mapping[Place, Mapping[str, Correction]]
) -> tuple[dict[str, bytes], dict[Place, str]]:
    """The files with all chosen corrections, applied to the original content; and reasons for failures."""
    now, unwritten = {}, {}
    for name, data in contents.items():
        here = {
            number: (first[file, number], tuple(found.values()))
            for (file, number), found in chosen.items()
            if file == name
        }
        fixed = corrected_file(name, data, here)
        now[name] = fixed.data
        unwritten.update({(name, number): why for number, why in fixed.refused.items()})
    return now, unwritten
