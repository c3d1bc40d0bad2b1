"""Accusations against references copied from a recognised source: a citation that repeats its source is never an error.

    CITECHECK_SHARED=FOLDER python -m benchmarks.export_rule [COUNT] --indexes FOLDER [--only dblp] [--examples N] [--json FILE]
                                                             [--damaged | --habits | --single FAMILY] [--index works.index]

For each source family (`benchmarks.source_families`), takes COUNT (default 3,000) of its records whose work another family also
holds, prints them as that source exports them to BibTeX, and checks them offline against an index of all records without the
family. Each accusation is then a disagreement between databases, never a mistake of an author. The tables list errors and
warnings per 1,000 references by code.

``--damaged`` is the reverse, so that nobody can lower the rate by looking away: it makes one field of such records wrong
(`benchmarks.damages`), COUNT (default 300) records for each damage and family, and counts for each damage how many are errors,
warnings, silent or verified. ``--single`` does the same, COUNT (default 150) for each damage, to records that only one family
holds, and checks them against the index of all records, together with 500 undamaged ones. It adds invented DOIs under the
prefixes of publishers in biology.

``--habits`` prints correct records in the habits of other exporters (`benchmarks.export_habits`), COUNT (default 2,000) records
for each habit and family, and checks them against the index without the family. With ``--index`` it mixes the families and uses
that index of all records.
"""

from __future__ import annotations

import argparse
import contextlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from random import Random

from benchmarks.damages import DAMAGES, Pool, damaged
from benchmarks.export_habits import HABITS
from benchmarks.offline_verdicts import full_index, judged, read
from benchmarks.source_families import FAMILIES, Collections, Export, Family, Work, index_without
from benchmarks.styles import plain_entry
from pytest_citecheck.checks import Evaluation, earned_severity
from pytest_citecheck.lookup import IndexSource
from pytest_citecheck.matching import safe_line
from pytest_citecheck.model import Finding
from tests.conformance.rendering import Row

_WRONG = ("misdescribed", "fabricated")
_NOT_ON_THE_WORK = ("completeness", "syntax")
_MOST_ROWS_SHOWN = 8
_OUTCOMES = ("error", "warning", "silent", "verified")
_CODES_SHOWN = 3
_DONORS = 100_000
_ARXIV = "arXiv"
_CONTROLS = 500
_OF_BIOLOGY = ("asreview-sr", "pubmed", "api-europepmc", "api-crossref")
_BIOLOGY = tuple("10.1371/ 10.1186/ 10.3390/ 10.1093/ 10.1016/j. 10.1038/ 10.1002/ 10.7554/ 10.1111/".split())
"""Prefixes of publishers with journals in biology: PLOS, BMC, MDPI, Oxford, Elsevier, Nature, Wiley, eLife."""


@dataclass(frozen=True, slots=True)
class Citation:
    """A BibTeX entry, its category in the tables, and the records of its work in other families."""

    key: str
    group: str
    entry: str
    others: Sequence[Row] = ()


@dataclass(frozen=True, slots=True)
class Accusation:
    """An error or a warning about a citation. For a citation without any: whether it is silent or verified, and why.

    evidence: its kind. named: it rests on a record with the cited DOI or arXiv id.
    """

    group: str
    severity: str
    code: str
    message: str
    verdict: str
    entry: str
    others: Sequence[str]
    evidence: str = ""
    named: bool = False


@dataclass(slots=True)
class Counts:
    """Results of the citations of a group. outcomes: each citation once, as an error, a warning, verified or silent.

    named: the citations of which a record has the cited DOI or arXiv id. quiet: the citations without an accusation.
    """

    citations: int = 0
    named: int = 0
    unread: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    accusations: list[Accusation] = field(default_factory=list)
    quiet: list[Accusation] = field(default_factory=list)


def accusations_of(citation: Citation, evaluation: Evaluation) -> Iterator[Accusation]:
    """Errors of a wrong verdict and warnings of any verdict, except those about completeness and syntax."""
    for check, finding in evaluation.findings.items():
        severity = earned_severity(finding, finding.code)
        counts = severity == "warning" or (severity == "error" and evaluation.verdict.name in _WRONG)
        if counts and check not in _NOT_ON_THE_WORK:
            message, verdict = safe_line(finding.message), evaluation.verdict.name
            yield replace(
                _accusation(citation, severity, finding.code, message, verdict),
                evidence=finding.evidence or "",
                named=_named(evaluation, finding),
            )


def _named(evaluation: Evaluation, finding: Finding) -> bool:
    """Return True if the finding rests on a record with the cited DOI or arXiv id."""
    return any(one.matched_identifier and one.record is finding.record for one in evaluation.case.candidates)


def _accusation(citation: Citation, severity: str, code: str, message: str, verdict: str) -> Accusation:
    entry = " ".join(citation.entry.split())
    others = [_shown(row) for row in citation.others[:_MOST_ROWS_SHOWN]]
    return Accusation(citation.group, severity, code, message, verdict, entry, others)


def _shown(row: Row) -> str:
    identifiers = " ".join(filter(None, (row.doi, row.arxiv)))
    return f"{row.source}: {row.title} | {', '.join(row.authors)} | {row.venue} {row.year} | {identifiers}"


def checked(citations: Iterable[Citation], index: IndexSource) -> dict[str, Counts]:
    """Check the citations against an index, and count the results by group."""
    by_key = {citation.key: citation for citation in citations}
    references = read(citation.entry for citation in by_key.values())
    results: dict[str, Counts] = defaultdict(Counts)
    for key, citation in by_key.items():
        counts = results[citation.group]
        counts.citations += 1
        counts.unread += key not in references or not references[key].readable
    for key, evaluation in zip(references, judged(references.values(), index), strict=True):
        citation = by_key[key]
        counts = results[citation.group]
        found = list(accusations_of(citation, evaluation))
        counts.named += any(one.matched_identifier in ("doi", "arxiv") for one in evaluation.case.candidates)
        counts.accusations += found
        counts.verdicts[evaluation.verdict.name] += 1
        if not found:
            quiet = "verified" if evaluation.verdict.name == "verified" else "silent"
            message, verdict = safe_line(evaluation.verdict.reason), evaluation.verdict.name
            counts.quiet.append(_accusation(citation, quiet, citation.group, message, verdict))
        severities = {one.severity for one in found or counts.quiet[-1:]}
        counts.outcomes[next(name for name in _OUTCOMES if name in severities)] += 1
    return dict(results)


def exports(works: Sequence[Work], family: Family, count: int) -> Iterator[Citation]:
    """Exports of the family for some of the works that it shares with other families."""
    dice = Random(f"exports of {family.name}")
    held = [work for work in works if family.name in work]
    for number, work in enumerate(dice.sample(held, min(count, len(held)))):
        key = f"c{number}"
        yield Citation(
            key, family.name, family.export(dice.choice(work[family.name]), key), others_of(work, family.name)
        )


def others_of(work: Work, family: str) -> list[Row]:
    """The records of a work in all families but one."""
    return [row for name, rows in work.items() if name != family for row in rows]


def damages(
    rows: Sequence[Row], export: Export, pool: Pool, count: int, kinds: Iterable[str] = DAMAGES
) -> Iterator[Citation]:
    """Exports of ``count`` records for each kind of damage, taken in a random order."""
    for kind in kinds:
        dice = Random(f"damage {kind}")
        made = 0
        for row in dice.sample(rows, len(rows)):
            if made == count:
                break
            wrong = damaged(row, DAMAGES[kind], pool, dice)
            if wrong is not None:
                key = f"d{list(DAMAGES).index(kind)}n{made}"
                made += 1
                yield Citation(key, kind, export(wrong, key), [row])


def singles(collections: Collections, family: Family, pool: Pool, count: int) -> Iterator[Citation]:
    """Damaged and undamaged exports of records that no other record repeats, and invented DOIs in biology."""
    dice = Random(f"singles of {family.name}")
    rows = list(collections.single_rows(family.name))
    for number, row in enumerate(dice.sample(rows, min(_CONTROLS, len(rows)))):
        yield Citation(f"c{number}", "undamaged", family.export(row, f"c{number}"))
    yield from damages(rows, family.export, pool, count)
    biology = [row for row in collections.rows if row.doi.startswith(_BIOLOGY) and row.source.startswith(_OF_BIOLOGY)]
    for citation in damages(biology, plain_entry, pool, count, ["invented DOI"]):
        key = f"b{citation.key}"
        yield Citation(key, "invented DOI, biology", citation.entry.replace(citation.key, key, 1), citation.others)


def habitual(works: Sequence[Work], count: int, only: str = "") -> Iterator[Citation]:
    """Records of shared works in each habit, taken in a random order, all of one family if ``only`` names it.

    Published records get the arXiv id of the work.
    """
    for habit in HABITS:
        dice = Random(f"habit {habit.name}")
        made = 0
        for work in dice.sample(works, len(works)):
            names = [name for name in work if name and (name == _ARXIV) == habit.preprint and only in ("", name)]
            if made == count or not names:
                continue
            family = dice.choice(names)
            row = dice.choice(work[family])
            if not row.arxiv and _ARXIV in work:
                row = replace(row, arxiv=work[_ARXIV][0].arxiv)
            key = f"h{HABITS.index(habit)}n{made}"
            if entry := habit.entry(row, key, dice):
                made += 1
                yield Citation(key, f"{habit.source}: {habit.name}", entry, others_of(work, family))


def print_outcomes(heading: str, results: Mapping[str, Counts]) -> None:
    """Print how many citations of each group are errors, warnings, silent and verified."""
    print(
        f"\n## {heading}\n\n| group | references | {' | '.join(_OUTCOMES)} | most frequent codes |\n|---|---|---|---|---|---|---|"
    )
    whole: Counter[str] = Counter()
    for group, counts in results.items():
        whole += counts.outcomes
        codes = Counter(one.code for one in counts.accusations).most_common(_CODES_SHOWN)
        _print_outcomes(group, counts.outcomes, ", ".join(f"{count} {code}" for code, count in codes))
    _print_outcomes("all", whole, "")


def _print_outcomes(group: str, outcomes: Counter[str], codes: str) -> None:
    counts = " | ".join(str(outcomes[name]) for name in _OUTCOMES)
    print(f"| {group} | {outcomes.total():,} | {counts} | {codes} |", flush=True)


def print_codes(group: str, counts: Counts) -> None:
    """Print the table of codes of a group."""
    total = counts.citations or 1
    verdicts = ", ".join(f"{count:,} {name}" for name, count in counts.verdicts.most_common())
    outcomes = {name: f"{counts.outcomes[name] / total * 1000:.1f}" for name in ("error", "warning")}
    print(f"\n## {group}: {counts.citations:,} references, {counts.unread} unreadable: {verdicts}\n")
    print("| code | errors per 1,000 | warnings per 1,000 |\n|---|---|---|")
    print(f"| any | {outcomes['error']} | {outcomes['warning']} |")
    by_code = Counter((one.code, one.severity) for one in counts.accusations)
    for code in dict.fromkeys(code for (code, _), _ in by_code.most_common()):
        shares = (f"{by_code[code, severity] / total * 1000:.1f}" for severity in ("error", "warning"))
        print(f"| {code} | {' | '.join(shares)} |")


def print_examples(accusations: Iterable[Accusation], most: int) -> None:
    """Print random examples of each code, the same in each run."""
    by_code: dict[str, list[Accusation]] = defaultdict(list)
    for accusation in accusations:
        by_code[f"{accusation.severity}: {accusation.code}"].append(accusation)
    for code, found in sorted(by_code.items()):
        print(f"\n### {code}, {len(found)}\n")
        for one in Random(code).sample(found, min(most, len(found))):
            print(f"- {one.group}: {one.message}\n  {one.entry}", *one.others, sep="\n    ")


def main() -> None:
    parser = argparse.ArgumentParser(description="Count accusations against references copied from a source.")
    parser.add_argument("count", nargs="?", type=int)
    parser.add_argument("--indexes", type=Path, required=True, help="folder of the indexes; missing ones are built")
    parser.add_argument("--only", default="", help="part of the name of a family: only this one")
    parser.add_argument("--damaged", action="store_true", help="check damaged records instead")
    parser.add_argument(
        "--single", default="", metavar="FAMILY", help="check records that only this family holds instead"
    )
    parser.add_argument("--habits", action="store_true", help="check records in the habits of other exporters instead")
    parser.add_argument("--index", type=Path, help="an index of all records; without it, one is built")
    parser.add_argument(
        "--examples",
        type=int,
        default=0,
        help="accusations of each code to print, and of damaged records those that are silent or verified",
    )
    parser.add_argument(
        "--json",
        type=Path,
        help="write all accusations to this file, and the damaged records that are silent or verified",
    )
    chosen = parser.parse_args()
    chosen.indexes.mkdir(parents=True, exist_ok=True)
    collections = Collections.read(chosen.indexes)
    families = [family for family in FAMILIES if (chosen.single or chosen.only).lower() in family.name.lower()]
    if not families:
        parser.error("no such family")
    if chosen.single or (chosen.habits and chosen.index):
        if chosen.single:
            heading = f"Records that only {families[0].name} holds"
            citations = singles(collections, families[0], pool_of(collections), chosen.count or 150)
        else:
            heading = "Habits of exporters"
            citations = habitual(list(collections.shared_works()), chosen.count or 2000)
        with full_index(chosen.index) as index:
            results = checked(citations, index)
        print_outcomes(heading, results)
    else:
        results = _shared(collections, families, chosen)
    found = [
        one for counts in results.values() for one in _of_interest(counts, wrong=bool(chosen.single) or chosen.damaged)
    ]
    print_examples(found, chosen.examples)
    if chosen.json:
        sums = {
            "references": sum(counts.citations for counts in results.values()),
            "named": sum(counts.named for counts in results.values()),
        }
        accusations = [asdict(one) for one in found]
        chosen.json.write_text(json.dumps({**sums, "accusations": accusations}, indent=1, ensure_ascii=False), "utf-8")


def _shared(collections: Collections, families: Iterable[Family], chosen: argparse.Namespace) -> dict[str, Counts]:
    """Print the tables for works in several families, and return the counts by group."""
    works = list(collections.shared_works())
    pool = pool_of(collections) if chosen.damaged else None
    print(f"{len(works):,} works in two or more families")
    whole: dict[str, Counts] = defaultdict(Counts)
    for family in families:
        path = index_without(family, collections.rows, chosen.indexes)
        with contextlib.closing(IndexSource(path, "index")) as index:
            if pool is not None:
                rows = [row for work in works for row in work.get(family.name, ())[:1]]
                results = checked(damages(rows, family.export, pool, chosen.count or 300), index)
                print_outcomes(family.name, results)
            elif chosen.habits:
                results = checked(habitual(works, chosen.count or 2000, family.name), index)
                print_outcomes(f"Habits of exporters, records of {family.name}", results)
            else:
                results = checked(exports(works, family, chosen.count or 3000), index)
                print_codes(family.name, results[family.name])
        for group, counts in results.items():
            sums = whole[group]
            sums.citations, sums.named = sums.citations + counts.citations, sums.named + counts.named
            sums.outcomes += counts.outcomes
            sums.accusations += counts.accusations
            sums.quiet += counts.quiet
    print_outcomes("All families", whole)
    return whole


def _of_interest(counts: Counts, *, wrong: bool) -> list[Accusation]:
    """The accusations; for damaged records also the citations without any."""
    return [*counts.accusations, *counts.quiet] if wrong else counts.accusations


def pool_of(collections: Collections) -> Pool:
    """Material for damages from a sample of the records."""
    return Pool.of(Random(1).sample(collections.rows, _DONORS), collections.rows)


if __name__ == "__main__":
    main()
