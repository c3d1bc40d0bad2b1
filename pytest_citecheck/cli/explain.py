"""``citecheck explain``: meaning and evidence of a code, and how to suppress it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from pytest_citecheck.checks import CODES, TABLE, explanation, explanation_markdown, nearest_codes
from pytest_citecheck.cli.commands import UsageError, argument
from pytest_citecheck.cli.running import command
from pytest_citecheck.matching import safe_lines
from pytest_citecheck.nearest import hint
from pytest_citecheck.screen import show

if TYPE_CHECKING:
    from pytest_citecheck.cli.commands import Commands


_ABOUT = (
    "Explain a finding code: its meaning, its evidence, and how to suppress it. Without CODE: list all codes by check. "
    "With FILE::KEY: the findings of an entry, and the row that decided the level of each."
)


def add_parser(commands: Commands) -> None:
    """Add ``citecheck explain``."""
    from pytest_citecheck.cli.entries import add_source_options  # noqa: PLC0415 - the hook imports this file for its examples

    parser = command(commands, "explain", "explain a finding code", _ABOUT, _run)
    argument(parser, "codes CODE", "such as title-near-miss, or FILE::KEY for the findings of an entry", nargs="*")
    argument(parser, "--why", "FILE::KEY: also the rows that decided each check and the verdict, in order")
    argument(parser, "--format", "form of the explanation", "text", choices=("text", "markdown"))
    add_source_options(parser)


def _run(chosen: argparse.Namespace) -> int:
    entries = [code for code in chosen.codes if "::" in code]
    if entries:
        show("\n\n".join(_entry(chosen, *name.split("::", 1)) for name in entries))
        chosen.codes = [code for code in chosen.codes if code not in entries]
        if not chosen.codes:
            return 0
    unknown = [code for code in chosen.codes if code not in CODES]
    if unknown:
        raise UsageError("; ".join(map(_unknown, unknown)))
    explained = explanation if chosen.format == "text" else explanation_markdown
    show("\n\n".join(map(explained, chosen.codes)) if chosen.codes else "\n".join(_all()))
    return 0


_CHANGE: Final = (
    "to change it: [codes] {code} = SEVERITY in a policy (docs/policies.md), "
    "or citecheck waive {key} {code} {file} --reason=TEXT"
)


def _entry(chosen: argparse.Namespace, file: str, key: str) -> str:
    """The findings of an entry that are not silent, each with the row that decided its level. Raises UsageError."""
    from pytest_citecheck.checks import Findings, PolicyContext, decide  # noqa: PLC0415 - heavy for a --help
    from pytest_citecheck.cli.entries import Engine, bibtex_files  # noqa: PLC0415

    engine = Engine(chosen, "citecheck explain")
    contents = bibtex_files([file])
    references = engine.references(contents)
    places = [place for place, one in references.items() if one.key == key]
    if not places:
        raise UsageError(f"{file} has no entry {key!r}{hint(key, (one.key for one in references.values()))}")
    try:
        # All entries, as in a run: its statistics decide what an absence is worth.
        reference, evaluation = engine.evaluations(contents)[places[0]]
        policy, context = engine.session.settings.policy, PolicyContext.of(evaluation)
        again = Findings(replace(evaluation.case))  # without what was compared before, so that each check decides anew
        lines = [f"{reference.location} {key}: {evaluation.verdict.name} ({evaluation.verdict.reason})"]
        for finding in evaluation.findings.values():
            severity, row = policy.deciding(finding, context)
            if severity == "ignore" and not chosen.why:
                continue
            lines.append(f"  {finding.check}: {severity} [{', '.join(finding.codes)}] {finding.message}")
            lines.append(f"    decided by the {row}")
            if chosen.why:
                lines += [f"    {row}" for row in again.deciding_rows(finding.check)]
                where = f"pytest_citecheck/checks/{finding.check}.py"
                lines += [f"    rule ({where}): {finding.rule}"] if finding.rule else []
            if severity != "ignore":
                lines.append(f"    {_CHANGE.format(code=finding.code, key=key, file=file)}")
        if chosen.why:
            ruling = decide(evaluation.case, evaluation.findings)
            table = "the table of verdicts (pytest_citecheck/checks/verdict.py)"
            lines.append(f"  verdict: {ruling.name}, decided by the row {ruling.rule} of {table}")
    finally:
        engine.close()
    return safe_lines("\n".join(lines))


def _unknown(code: str) -> str:
    near = nearest_codes(code)
    meant = f"; did you mean {' or '.join(near)}?" if near else "; citecheck explain lists all codes"
    return f"unknown code {code!r}{meant}"


def _all() -> Iterator[str]:
    check = ""
    for row in TABLE:
        if row.check != check:
            yield from ([""] if check else [])
            check = row.check
            yield f"{check}:"
        yield f"  {row.name:<26} {row.outcome:<13} {row.sentence}"


EXAMPLES: Final[Mapping[str, tuple[str, ...]]] = {
    "agent init": ("agent init",),
    "audit": ("audit submissions --output=audit --index=works.index",),
    "baseline write": ("baseline write refs.bib --cassettes=evidence",),
    "cache": ("cache info", "cache clear --holds"),
    "check": (
        "check refs.bib",
        "check refs.bib --sources=crossref,dblp",
        "check refs.bib::vaswani2017 --select=doi,title",
        "check refs.bib --format=concise -q",
        "check refs.bib --format=sarif --output=citecheck.sarif",
        "check refs.bib --format=github --format=junit=citations.xml",
    ),
    "claims compare": ("claims compare before.json after.json --fail-on-regression",),
    "claims export": ("claims export claims.json review.csv",),
    "claims extract": ("claims extract https://en.wikipedia.org/wiki/Ada_Lovelace claims.json",),
    "claims sources": ("claims sources paper.tex --bib=refs.bib",),
    "claims score": ("claims score results.json --csv --output=verdicts.csv",),
    "compare contamination": ("compare contamination one.jsonl --split=split.jsonl --corpus=references.bib",),
    "compare cutoff": ("compare cutoff one.jsonl --split=split.jsonl --date=2024-06-30",),
    "compare equivalence": ("compare equivalence one.jsonl two.jsonl --split=split.jsonl --margin=0.02",),
    "compare power": ("compare power --split=split.jsonl --effect=0.05",),
    "compare union": ("compare union one.jsonl two.jsonl --split=split.jsonl --by-cost",),
    "completion": ("completion bash", "completion zsh"),
    "dataset accept": ("dataset accept 3f2a --split=split.jsonl --queue=queue",),
    "dataset baseline": ("dataset baseline always_valid --split=split.jsonl --output=predictions.jsonl",),
    "dataset blind": ("dataset blind --split=split.jsonl --output=blind.jsonl",),
    "dataset diagnose": ("dataset diagnose --split=split.jsonl --gate",),
    "dataset inspect": ("dataset inspect --split=split.jsonl --label=HALLUCINATED --max-entries=5",),
    "dataset manifest": (
        "dataset manifest split.jsonl scores.json --manifest=manifest.json",
        "dataset manifest --manifest=manifest.json",
    ),
    "dataset review": ("dataset review --queue=queue", "dataset review 3f2a --approve --queue=queue"),
    "dataset stats": ("dataset stats --split=split.jsonl",),
    "dataset submit": ("dataset submit entries.jsonl --queue=queue --by=Ada",),
    "demo": ("demo",),
    "diff": ("diff before.json after.json", "diff before.json after.json --format=markdown --output=changes.md"),
    "doctor": ("doctor", "doctor --live --source=crossref"),
    "explain": (
        "explain title-near-miss",
        "explain refs.bib::vaswani2017 --why",
        "explain venue-other doi-unregistered --format=markdown",
    ),
    "fix": (
        "fix refs.bib --diff",
        "fix refs.bib -i",
        "fix refs.bib",
        "fix refs.bib --select=venue,doi",
        "fix refs.bib --add-doi",
    ),
    "hook": ("hook refs.bib --cassettes=evidence", "hook refs.bib --online"),
    "lsp": ("lsp", "lsp --index=works.index --offline"),
    "mcp": ("mcp --root=.", "mcp --http --root=."),
    "index add": ("index add works.index more.jsonl",),
    "index build": (
        "index build works.index dblp.xml.gz",
        "index build works.index own.bib --source=own --date=2026-01-15",
    ),
    "index coverage": ("index coverage works.index refs.bib",),
    "index info": ("index info works.index --contents",),
    "index lookup": (
        "index lookup works.index 10.1145/359545.359563",
        "index lookup works.index Attention is all you need",
    ),
    "index merge": ("index merge all.index one.index two.index",),
    "index remove": ("index remove works.index --source=own",),
    "index update": ("index update works.index dblp.xml.gz",),
    "index verify": ("index verify works.index",),
    "mutate": ("mutate refs.bib --output=split.jsonl --per-type=5",),
    "rank": ("rank one.jsonl two.jsonl --split=split.jsonl",),
    "record": ("record refs.bib --cassettes=evidence", "record refs.bib --cassettes=evidence --check"),
    "report": (
        "report run.json --html=run.html --markdown=run.md",
        "report run.json --badge=citations.svg --history=citations.md",
    ),
    "score junit": ("score junit citations.xml",),
    "score predictions": ("score predictions one.jsonl --split=split.jsonl --by=type",),
    "score selfcheck": ("score selfcheck selfcheck.csv --labels=labels.csv",),
    "serve": ("serve", "serve --index=works.index --no-browser"),
    "trust": ("trust .", "trust --list"),
    "validate": ("validate entries.jsonl --against other.jsonl",),
    "waive": ("waive smith2020 venue-other refs.bib --reason='printed under the old name' --until=2027-06-01",),
}
"""By the name of the command, without ``citecheck`` in front."""


def each_command(parser: argparse.ArgumentParser, name: str = "") -> Iterator[tuple[str, str, argparse.ArgumentParser]]:
    """Name, summary and parser of each command that does something, in the order of the help."""
    groups = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]  # noqa: SLF001
    for group in groups:
        summaries = {choice.dest: choice.help or "" for choice in group._choices_actions}  # noqa: SLF001
        for word, inner in group.choices.items():
            full = f"{name} {word}".strip()
            below = list(each_command(inner, full))
            yield from below or [(full, summaries.get(word, ""), inner)]


def add_examples(parser: argparse.ArgumentParser) -> None:
    """Put the examples below the help of each command that does not state its own."""
    for name, _, inner in each_command(parser):
        stated = inner.epilog or ""
        if "examples:" not in stated and EXAMPLES.get(name):
            examples = "\n".join(["examples:", *(f"  citecheck {example}" for example in EXAMPLES[name])])
            inner.epilog = f"{examples}\n\n{stated}".strip()
            inner.formatter_class = _Formatter


class _Formatter(argparse.HelpFormatter):
    """Fills the description, and leaves the lines of the examples as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if text.startswith("examples:"):
            return "".join(f"{indent}{line}\n" for line in text.splitlines())
        return super()._fill_text(text, width, indent)
