"""``citecheck fix``: write corrections into files of references."""

from __future__ import annotations

import argparse
import difflib
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_citecheck.cli.entries.engine import add_engine_options
from pytest_citecheck.cli.running import NotDoneError, guarded
from pytest_citecheck.cli.screen import UsageError, complain, count, say
from pytest_citecheck.model import CHECKS

if TYPE_CHECKING:
    from pytest_citecheck.cli.entries.engine import Engine
    from pytest_citecheck.cli.entries.mending import Mended
    from pytest_citecheck.fixing.corrections import Correction, Wanted

    Commands = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001 - argparse names it nowhere else

__all__ = ["add_parser"]

_ABOUT = (
    "Correct what is wrong in these .bib files, where a registry or two independent sources vouch for the right value. Only "
    "values of fields change: every other byte stays. Exit code: 0 done, with --diff and --check 1 if there is something to "
    "correct."
)


def add_parser(commands: Commands) -> None:
    """Add ``citecheck fix``."""
    parser = commands.add_parser(
        "fix",
        help="correct references",
        description=_ABOUT,
    )
    add_engine_options(parser)
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--diff", action="store_true", help="print a patch and write nothing")
    output.add_argument("--check", action="store_true", help="name what would be corrected and write nothing")
    output.add_argument("-i", "--interactive", action="store_true", help="ask about one finding at a time")
    parser.add_argument(
        "--select", metavar="CHECK,...", action="append", default=[], help="only these checks or codes (repeatable)"
    )
    parser.add_argument("--unsafe", action="store_true", help="also write what only one source states")
    parser.add_argument("--add-doi", action="store_true", help="add the DOI of works that are cited without one")
    parser.add_argument(
        "--upgrade-preprints", action="store_true", help="cite preprints that have been published as published"
    )
    parser.add_argument(
        "--require-clean", action="store_true", help="refuse files with changes that are not committed (git)"
    )
    parser.set_defaults(run=guarded("citecheck fix", _run))


def _run(chosen: argparse.Namespace) -> int:
    from pytest_citecheck.cli.entries.engine import Engine, bibtex_files  # noqa: PLC0415 - heavy for a --help
    from pytest_citecheck.cli.entries.mending import mend  # noqa: PLC0415

    wanted = _wanted(chosen)
    contents = bibtex_files(chosen.files)
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
        return _print_patch(contents, mended.contents)
    _say(mended, tense="would correct" if chosen.check else "corrected")
    changed = [name for name, data in contents.items() if mended.contents[name] != data]
    if chosen.check:
        return 1 if changed else 0
    _write(changed, mended.contents)
    return 0


def _choose(engine: Engine, contents: Mapping[str, bytes], mended: Mended) -> int:
    """Let the user decide, and write what was accepted and waived."""
    from pytest_citecheck.cli.entries.choosing import choose  # noqa: PLC0415
    from pytest_citecheck.cli.entries.waive import write_waiver  # noqa: PLC0415
    from pytest_citecheck.fixing.fixed_file import fixed_file  # noqa: PLC0415

    choices = choose(mended.written, engine.evaluations(contents, mended.written.keys()))
    for name, data in contents.items():
        accepted = {number: found for (file, number), found in choices.accepted.items() if file == name}
        fixed = fixed_file(name, data, accepted)
        if fixed.data != data:
            _write([name], {name: fixed.data})
        for number, why in fixed.refused.items():
            complain(f"{name}: {accepted[number][0].key} is left as it is: {why}")
    for name, key, code, reason in choices.waived:
        write_waiver(Path(name), key, (code,), reason)
    say(f"corrected {len(choices.accepted)}, waived {len(choices.waived)}")
    return 0


def _wanted(chosen: argparse.Namespace) -> Wanted:
    from pytest_citecheck.checks.codes import CODES  # noqa: PLC0415
    from pytest_citecheck.fixing.corrections import Wanted  # noqa: PLC0415

    names = frozenset(part.strip() for text in chosen.select for part in text.split(",") if part.strip())
    for name in sorted(names):
        if name not in CHECKS and name not in CODES:
            close = difflib.get_close_matches(name, [*CHECKS, *CODES], 1)
            meant = f"; did you mean {close[0]}?" if close else f"; checks are {', '.join(CHECKS)}"
            raise UsageError(f"--select: there is no check or code {name!r}{meant}")
    return Wanted(names, add_doi=chosen.add_doi, unsafe=chosen.unsafe, upgrade=chosen.upgrade_preprints)


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
            difflib.unified_diff,
            data.splitlines(keepends=True),
            after[name].splitlines(keepends=True),
            named,
            named,
        ):
            ended = line.endswith((b"\n", b"\r"))
            lines.append(line if ended else line + b"\n\\ No newline at end of file\n")
    sys.stdout.flush()
    sys.stdout.buffer.write(b"".join(lines))
    sys.stdout.buffer.flush()
    return 1 if lines else 0


def _say(mended: Mended, tense: str) -> None:
    for (name, _), (reference, found) in mended.written.items():
        for one in found:
            say(f"{name}:{reference.location.line}: {reference.key}: {_described(one)}")
    for (name, _), (reference, why) in mended.left.items():
        complain(f"{name}:{reference.location.line}: {reference.key} is left as it is: {why}")
    entries = count(len(mended.written), "entry").replace("entrys", "entries")
    unwritten = len(mended.left.keys() - mended.written.keys())
    left = f"; {unwritten} with failed checks and no certain correction" if unwritten else ""
    say(f"{tense} {entries}{left}")


def _described(one: Correction) -> str:
    from pytest_citecheck.fixing.entry_edits import TYPE  # noqa: PLC0415

    vouched = ", ".join(one.vouched) or "not certain"
    change = f"type @{one.value}" if one.field == TYPE else f"{one.field} = {{{one.value}}}"
    return f"{change if one.value else f'{one.field} removed'} ({one.code}: {vouched})"


def _write(names: Iterable[str], contents: Mapping[str, bytes]) -> None:
    from pytest_citecheck.whole_file import whole_file  # noqa: PLC0415

    for name in names:
        try:
            with whole_file(Path(name)) as file:
                file.write(contents[name])
        except OSError as error:
            raise UsageError(f"{name} cannot be written: {error.strerror}") from error
