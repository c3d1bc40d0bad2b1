"""``citecheck waive``: accept a finding, in a comment above its entry."""

from __future__ import annotations

import argparse
import datetime
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from pytest_citecheck.cli.commands import UsageError, argument, say
from pytest_citecheck.cli.running import NotDoneError, guarded
from pytest_citecheck.matching import lazy_pattern
from pytest_citecheck.nearest import hint
from pytest_citecheck.today import today

if TYPE_CHECKING:
    from pytest_citecheck.cli.commands import Commands
    from pytest_citecheck.model import Reference


_ABOUT = (
    "Accept a finding of an entry: writes a comment with the reason above it. The check is then an expected failure, "
    "shown as waived in all reports. Editing the entry voids the waiver."
)
_LINE_END = lazy_pattern(r"\r\n|\n|\r")


def add_parser(commands: Commands) -> None:
    """Add ``citecheck waive``."""
    parser = commands.add_parser("waive", help="accept a finding", description=_ABOUT)
    argument(parser, "key KEY", "the key of the entry")
    argument(parser, "names CODE", "a code or check, several separated by commas, or * for all")
    argument(parser, "file FILE", "the .bib file")
    argument(parser, "--reason TEXT", "why it is accepted", required=True)
    argument(parser, "--until DATE", "the last day on which it is valid, YYYY-MM-DD", type=_day)
    parser.set_defaults(run=guarded("citecheck waive", _run), config=None)


def _day(text: str) -> str:
    try:
        return datetime.date.fromisoformat(text).isoformat()
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"not a date as YYYY-MM-DD: {text}") from error


def _run(chosen: argparse.Namespace) -> int:
    from pytest_citecheck.plugin import unknown_name  # noqa: PLC0415 - heavy for a --help

    names = tuple(part.strip() for part in chosen.names.split(",") if part.strip())
    reason = " ".join(chosen.reason.split())
    if not reason:
        raise UsageError("a reason is required")
    if "*" not in names and (unknown := unknown_name(names)):
        raise UsageError(unknown)
    if chosen.until and chosen.until < today().isoformat():
        raise UsageError(f"--until {chosen.until} is in the past")
    _write(chosen, names, reason + (f", until {chosen.until}" if chosen.until else ""))
    return 0


def _write(chosen: argparse.Namespace, names: tuple[str, ...], reason: str) -> None:
    from pytest_citecheck.cli.edits import Edit, write_edits  # noqa: PLC0415 - heavy for a --help
    from pytest_citecheck.cli.entries import bibtex_files, read_all  # noqa: PLC0415

    name, key = str(chosen.file), chosen.key
    contents = bibtex_files([name])
    place, reference = _entry(key, read_all(contents)[name])
    _demand_findings(chosen, contents, place, names)
    _, done = write_edits(contents, name, {place: Edit(reference, waived=((names, reason),))})
    for why in done.refused.values():
        raise NotDoneError(f"{name}: {key} is left as it is: {why}")
    say(f"{name}: waived {', '.join(names)} for {key}")


def _demand_findings(
    chosen: argparse.Namespace, contents: Mapping[str, bytes], place: int, names: tuple[str, ...]
) -> None:
    """Raise UsageError for a name without a finding, as far as cached answers and the entry itself decide that."""
    from pytest_citecheck.checks import CHECKS, TABLE  # noqa: PLC0415 - heavy for a --help
    from pytest_citecheck.cli.entries import Engine  # noqa: PLC0415

    engine = Engine(chosen, "citecheck waive", ("--citecheck-offline",))
    try:
        found = engine.evaluations(contents, {(str(chosen.file), place)})
    finally:
        engine.close()
    findings = next((evaluation.findings for _, evaluation in found.values()), {})
    for name in names:
        checks = {name} if name in CHECKS else {row.check for row in TABLE if row.name == name} & {*findings}
        about = [findings[check] for check in checks if check in findings]
        wrong = [one for one in about if one.outcome != "passed" or one.level == "warning"]
        if about and not any(one.outcome == "unverifiable" or name in (one.check, *one.codes) for one in wrong):
            raise UsageError(f"{chosen.key} has no finding {name}, so there is nothing to accept")


def with_waiver(name: str, data: bytes, key: str, names: tuple[str, ...], reason: str) -> bytes:
    """The file with a waiver above the entry with this key. Raises ValueError with the reason why there is none."""
    from pytest_citecheck.inputs import content_hash, read_bibtex  # noqa: PLC0415 - heavy for a --help

    found = [one for one in read_bibtex(name, data).references if one.key == key]
    if len(found) != 1:
        raise ValueError(f"{len(found)} entries have the key {key!r}")
    comment = f"% citecheck: ignore[{','.join(names)}] {reason} [{content_hash(found[0])}]"
    changed = _written(data, found[0], comment, () if "*" in names else names)
    after = [one for one in read_bibtex(name, changed).references if one.key == key] if changed else []
    if changed is None or not any(content_hash(one) == content_hash(found[0]) and one.suppressions for one in after):
        raise ValueError("a comment cannot be written above it; add the field citecheck = {ignore …}")
    return changed


def _entry(key: str, references: tuple[Reference, ...]) -> tuple[int, Reference]:
    found = [(place, one) for place, one in enumerate(references) if one.key == key]
    if not found:
        raise UsageError(f"no entry has the key {key!r}{hint(key, (one.key for one in references))}")
    return found[0]


def _written(data: bytes, reference: Reference, comment: str, names: tuple[str, ...]) -> bytes | None:
    """The file with the comment above the entry, replacing an earlier one for the same names; None if there is no place
    for it."""
    from pytest_citecheck.fixing import FileBytes  # noqa: PLC0415

    file = FileBytes(data)
    lines = [0, *(end.end() for end in _LINE_END.finditer(file.text)), len(file.text)]
    first = reference.location.line
    start = lines[first - 1]
    if not file.text[start:].lstrip(" \t").startswith("@"):
        return None
    end = next((match[0] for match in _LINE_END.finditer(file.text)), "\n")
    edits = [(start, start, f"{comment}{end}")]
    edits += [(lines[line - 1], lines[line], "") for line in _earlier(reference, names, first)]
    return file.replaced(edits)


def _earlier(reference: Reference, names: tuple[str, ...], first: int) -> Iterator[int]:
    return (one.line for one in reference.suppressions if one.names == names and one.line < first)
