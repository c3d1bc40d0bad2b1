"""Compute the table of levels from findings in real bibliographies that were judged by hand.

    CITECHECK_SHARED=FOLDER python -m benchmarks.levels [--index works.index] [--exports FILE] [--leave-file-out] [--write]
    CITECHECK_SHARED=FOLDER python -m benchmarks.levels --places [--write]

Reads ``real_bibs/adjudication*.tsv``, and finds the kind of evidence of each judged finding in an index: that of the finding, or
of the records that contradict the field if the current version does not report the code any more. Counts right and false findings
by code and kind of evidence; of one file at most `_MOST_OF_A_FILE`, since one habit explains them. The precision has a Beta
distribution. Its prior belongs to the kind of evidence (mean and weight by maximum likelihood over the codes), so a code with few
cases borrows from its kind. An error needs a lower bound (20% quantile) of `EARNED`, over all findings that were ever judged. A
warning needs a mean of `PROBABLE`, over those that the current version still reports.

Rows with fewer than `_ENOUGH_WITHOUT_COUNTS` judged findings are counted besides, single records aside: w is the share of real
references with such a mistake (the judged findings that are right), f the share of correct ones with such a finding: of exports
of records (``--exports``, files of `benchmarks.export_rule --json`, also with ``--habits``), and of real references that were
judged. The precision is w / (w + f), and its bound comes from the distributions of both. An index holds few records of
registries: for them w counts mistakes shown by any evidence, and a record with the cited DOI that another collection has stands
for the registry's. A denial by a registry is right by definition: the registry decides which of its identifiers exist.

Findings on volume and pages were never judged. ``--places`` counts them with `benchmarks.places` and writes only their rows. w is
the share of invented references (the judged findings that show one), or of places that one file alone states where the record
has another one. f is the share of findings on right citations, also where the source lacks the cited work.

The likelihood ratio compares the share of damaged citations with a finding to the share of correct references in real
bibliographies with it. ``--leave-file-out`` gives the findings of each file the levels of the table of all other files.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import get_args

import numpy as np

from benchmarks.offline_evidence import offline_evidence
from benchmarks.offline_verdicts import TODAY, full_index
from benchmarks.places import ACCUSING, BY_AUTHORS, GappyIndex, IndexOfPlaces, measured
from pytest_citecheck.checks import TABLE, Findings, Level, ReferenceCase, level_table
from pytest_citecheck.evidence import Candidate, Field, kind_of_evidence, same_venue
from pytest_citecheck.inputs import read_bibtex
from pytest_citecheck.model import EvidenceKind, Reference
from pytest_citecheck.sources import SOURCES
from pytest_citecheck.thresholds import PROBABLE

_FILE = Path(__file__).parents[1] / "pytest_citecheck" / "checks" / "data" / "levels.toml"
_RIGHT = frozenset({"right"})
_FALSE = frozenset({"false", "false-unprinted-field", "junk", "misdiagnosed", "wrong-diagnosis"})
"""Judgements; all others (arguable, undecidable, pedantic) count neither way."""
_APART = {"title-near-miss": ("title-misspelt",), "title-similar": ("title-misspelt",)}
"""Codes that some findings of a judged code have had since it was divided."""
_QUANTILE = 0.2
_ENOUGH = 5
_FEW = 10
"""Cases of a counted row below which several witnesses still warn: what they agree on is no weaker than the word of one."""
_SEVERAL = frozenset({"registry", "two records", "complete list"})
_ENOUGH_WITHOUT_COUNTS = 20
"""Judged findings from which on a row needs no other counts."""
_MOST_OF_A_FILE = 10
_WEIGHTS = (1, 2, 4, 8, 16, 32)
_NOTICED = 0.5
"""Share of the damaged citations with a finding where it was not measured."""
_MOST_CONVINCING = 500.0
"""Highest ratio: errors in the samples themselves limit what counts can show."""
_COUNTED = ("registry", "two records", "complete list", "syntax")
_DENIALS = frozenset({"doi-unregistered", "arxiv-unknown", "rfc-unknown", "package-unknown"})
_DRAWS = 50_000
_DECIDED = 6_024
"""References of the files with a verdict from the index (`python -m benchmarks.real_bibliographies`): verified or wrong."""
_REDEFINED: Mapping[str, int] = {"title-not-in-venue": 3}
"""Codes whose rule has changed since: the number of the sample from which on their judgements count (lists need coverage)."""
_OTHERWISE_READ = frozenset({"doi-short"})
"""Codes of values that earlier versions took for something else; their judgements do not count."""
_STATIC: Mapping[str, EvidenceKind] = {
    "entry": "syntax",
    "form of the identifier": "syntax",
    "complete list": "complete list",
}
_CHECK_OF = {row.name: row.check for row in reversed(TABLE)}
_FIELDS: Mapping[str, Field] = {
    "doi": "identifier", "title": "title", "authors": "authors", "venue": "venue", "cross_db": "year",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Judged:
    """A judged finding. still: the current version reports it. level: its severity in the version that was judged."""

    file: str
    key: str
    code: str
    evidence: EvidenceKind
    right: bool
    still: bool


@dataclass(frozen=True, slots=True)
class _Row:
    sample: int
    file: str
    key: str
    code: str
    judgement: str


def _adjudications(folder: Path) -> Iterator[_Row]:
    for number, name in enumerate(sorted(folder.glob("adjudication*.tsv")), 1):
        with name.open(encoding="utf-8") as lines:
            for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
                codes = [code for code in row["code"].split(",") if _CHECK_OF.get(code) in _FIELDS]
                if codes and row["judgement"] in _RIGHT | _FALSE and number >= _REDEFINED.get(codes[0], 1):
                    yield _Row(number, row["position"][:3], row["key"], codes[0], row["judgement"])


def judged_findings(folder: Path, index: Path | None) -> list[Judged]:
    """Return the judged findings with their kinds of evidence in the index."""
    rows: dict[str, dict[str, list[_Row]]] = defaultdict(lambda: defaultdict(list))
    for row in _adjudications(folder):
        rows[row.file][row.key].append(row)
    found = []
    with full_index(index) as source:
        for path in sorted(folder.glob("*.bib")):
            wanted = rows.get(path.name[:3], {})
            references: dict[str, Reference] = {}
            for one in read_bibtex(path.name, path.read_bytes()).references if wanted else ():
                if one.readable and one.key in wanted:
                    references.setdefault(one.key, one)
            for reference, evidence in offline_evidence(references, source, SOURCES, TODAY):
                case = ReferenceCase(reference, evidence, TODAY)
                made = {one.code: one for one in Findings(case).values()}
                if _OTHERWISE_READ.isdisjoint(made):
                    for row in wanted[reference.key]:
                        since = (one for one in _APART.get(row.code, ()) if one in made)
                        code = row.code if row.code in made else next(since, row.code)
                        now = made.get(code)
                        kind = now.evidence if now is not None and now.evidence else _kind(case, code)
                        right = row.judgement in _RIGHT
                        found.append(Judged(row.file, row.key, code, kind, right, now is not None))
    return list(dict.fromkeys(found))


def _kind(case: ReferenceCase, code: str) -> EvidenceKind:
    """The kind of the evidence for a finding that is not reported any more."""
    row = next(row for row in TABLE if row.name == code)
    if row.basis in _STATIC:
        return _STATIC[row.basis]
    return kind_of_evidence(case.cited, _contradicting(case, row.check), _FIELDS[row.check])


def _contradicting(case: ReferenceCase, check: str) -> Sequence[Candidate]:
    known = [*case.works, *case.near_matches]
    if check == "authors":
        return [one for one in known if one.authors.code]
    if check == "title":
        return case.near_matches
    if check == "venue":
        return [one for one in known if same_venue(case.cited.venue, one.record) == "different"]
    if check == "cross_db":
        return [one for one in known if case.cited.year not in one.record.years]
    return case.identifier_targets


def _log_likelihood(counts: Iterable[tuple[float, float]], mean: float, weight: float) -> float:
    a, b = mean * weight, (1 - mean) * weight
    return math.fsum(
        math.lgamma(a + right) + math.lgamma(b + false) - math.lgamma(weight + right + false)
        + math.lgamma(weight) - math.lgamma(a) - math.lgamma(b)
        for right, false in counts
    )  # fmt: skip


def _prior(counts: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Mean and weight of the precision of a kind of evidence, by maximum likelihood over its codes."""
    grid = ((mean / 100, weight) for mean in range(2, 100, 2) for weight in _WEIGHTS)
    return max(grid, key=lambda one: _log_likelihood(counts, *one)) if counts else (0.6, _WEIGHTS[1])


def _quantile(a: float, b: float, share: float) -> float:
    """Quantile of a Beta distribution, by summing its density."""
    points = (np.arange(20_000) + 0.5) / 20_000
    density = np.exp((a - 1) * np.log(points) + (b - 1) * np.log1p(-points))
    return float(points[np.searchsorted(np.cumsum(density) / density.sum(), share)])


Counts = dict[tuple[str, EvidenceKind], tuple[float, float]]
"""Right and false findings, by code and kind of evidence."""


def counts_of(judged: Iterable[Judged]) -> Counts:
    """Count right and false findings; of one file at most `_MOST_OF_A_FILE` of a code, kind and judgement."""
    counts: dict[tuple[str, EvidenceKind], list[float]] = defaultdict(lambda: [0, 0])
    of_files: Counter[tuple[str, str, str, bool]] = Counter()
    for one in judged:
        mark = (one.file, one.code, one.evidence, one.right)
        of_files[mark] += 1
        counts[one.code, one.evidence][not one.right] += of_files[mark] <= _MOST_OF_A_FILE
    return {at: (right, false) for at, (right, false) in counts.items()}


def table(judged: Sequence[Judged], exported: Exported | None) -> list[Level]:
    """The rows of the table, for each code and kind of evidence."""
    every, still = counts_of(judged), counts_of(one for one in judged if one.still)
    mistakes = Counter(_mistake(one.code) for one in judged if one.right)
    rows = []
    for evidence in get_args(EvidenceKind):
        known = {code: pair for (code, kind), pair in every.items() if kind == evidence}
        mean, weight = _prior(list(known.values()))
        prior = mean * weight, (1 - mean) * weight
        counted = {code for code in _CHECK_OF if exported and _is_counted(code, evidence)}
        for code in sorted(known.keys() | {code for code in counted if _may_have(code, evidence)}):
            right, false = known.get(code, (0, 0))
            enough = _ENOUGH_WITHOUT_COUNTS if code in counted else _ENOUGH
            basis = "judged" if right + false >= enough else "borrowed"
            made = still.get((code, evidence), (0, 0))
            a, b = prior[0] + right, prior[1] + false
            precision, bound = (prior[0] + made[0]) / (weight + sum(made)), _quantile(a, b, _QUANTILE)
            if code in _DENIALS and evidence == "registry":
                precision, bound, basis = 0.99, 0.99, "definition"
            elif basis == "borrowed" and code in counted and exported:
                right = mistakes[_mistake(code)] if evidence == "registry" else right
                if right:
                    precision, bound = _counted(right, false, *exported.false(code, evidence))
                    false, basis = false + exported.false(code, evidence)[0], "counted"
                    if right + false < _FEW and evidence in _SEVERAL:
                        precision = max(precision, PROBABLE)  # a code with few cases is a warning
            if not right + false and basis == "borrowed":
                continue
            if basis == "borrowed" and mean >= PROBABLE:
                precision = max(
                    precision, PROBABLE
                )  # a code with few cases is a warning, unless its kind of evidence is weak
            ratio = _ratio(false)
            rows.append(Level(code, evidence, right, false, round(precision, 3), round(bound, 3), ratio, basis))
        rows.append(Level("*", evidence, 0, 0, round(mean, 3), 0.0, _ratio(0), "borrowed"))
    return rows


def _is_counted(code: str, evidence: EvidenceKind) -> bool:
    """Return True if exports can show how often correct references have a finding. Works are matched by title, so they do not
    show how often titles differ."""
    return evidence == "complete list" or (evidence in _COUNTED and _CHECK_OF[code] != "title")


def _may_have(code: str, evidence: EvidenceKind) -> bool:
    """Return True if findings of a code can have a kind of evidence."""
    row = next(row for row in TABLE if row.name == code)
    if row.outcome != "failed" or row.check not in _FIELDS:
        return False
    return _STATIC.get(row.basis, "registry") == evidence


def _ratio(false: float) -> float:
    return round(min(_NOTICED / ((false + 0.5) / (_DECIDED + 1)), _MOST_CONVINCING), 1)


@dataclass(frozen=True, slots=True)
class Exported:
    """Findings on correct exports. found: by code and kind of evidence; by code on records with the cited identifier, as the
    registry's. references, named: number of exports, and of those with such a record."""

    found: Mapping[tuple[str, str], int]
    references: int
    named: int

    def false(self, code: str, evidence: EvidenceKind) -> tuple[int, int]:
        """The findings of a code, and the exports that could have had one."""
        if evidence == "registry":  # an export with the DOI of another work is wrong, whatever it was copied from
            return 0 if _CHECK_OF[code] == "doi" else self.found.get((code, evidence), 0), self.named
        return self.found.get((code, evidence), 0), self.references


def _exported(paths: Iterable[Path]) -> Exported | None:
    files = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
    found = [one for file in files for one in file["accusations"]]
    # A collection may give a work the DOI of another, which a registry cannot.
    stands_for = [one["named"] and _CHECK_OF.get(one["code"]) != "doi" for one in found]
    counts = Counter(
        (one["code"], "registry" if as_registry else one["evidence"])
        for one, as_registry in zip(found, stands_for, strict=True)
    )
    sums = (sum(file[name] for file in files) for name in ("references", "named"))
    return Exported(counts, *sums) if files else None


def _counted(right: float, false: float, found: int, exports: int) -> tuple[float, float]:
    """Precision and bound. right, false: judged findings in real references; found: findings on correct exports."""
    draws = np.random.default_rng(47)
    wrong = draws.gamma(right + 0.5, size=_DRAWS) / _DECIDED
    alarms = draws.gamma(found + 0.5, size=_DRAWS) / exports + draws.gamma(max(false, 1e-9), size=_DRAWS) / _DECIDED
    shares = wrong / (wrong + alarms)
    return float(shares.mean()), float(np.quantile(shares, _QUANTILE))


_INVENTED = (("doi-other-work", "registry"), ("title-not-in-venue", "complete list"))
"""Rows whose judged findings each show a reference to a work that does not exist."""
_OF_PLACES: Sequence[tuple[str, EvidenceKind]] = (
    ("place-other-work", "registry"), ("place-other-work", "complete list"), ("not-in-volume", "complete list"),
    ("volume-other", "single record"), ("pages-other", "single record"),
)  # fmt: skip
_RIGHT_PLACES = 6_500
"""Works of the volumes that are cited rightly, in each way of writing."""


def places_table(folder: Path) -> list[Level]:
    """The table of the package with the rows of volume and pages counted anew."""
    rows = [row for row in level_table().values() if (row.code, row.evidence) not in _OF_PLACES]
    invented = round(math.fsum(row.right for row in rows if (row.code, row.evidence) in _INVENTED))
    groups = [
        *measured(folder, _RIGHT_PLACES, "dblp", GappyIndex),
        *measured(folder, _RIGHT_PLACES, "crossref", IndexOfPlaces),
    ]
    cited = [group for group in groups if group.name.startswith(BY_AUTHORS)]
    exports = sum(group.checked for group in groups)
    for at in _OF_PLACES:
        if at[0] in ACCUSING:
            right, found = invented, sum(group.codes[at] for group in groups)
            precision, bound = _counted(right, 0, found, exports)
        else:
            right = sum(group.codes[at] for group in cited if "several files" not in group.name)
            found = sum(group.codes[at] for group in cited if "several files" in group.name)
            precision, bound = _of_slips(right, found)
        rows.append(Level(*at, right, found, round(precision, 3), round(bound, 3), _ratio(found), "counted"))
    kinds = list(get_args(EvidenceKind))
    return sorted(rows, key=lambda row: (kinds.index(row.evidence), row.code == "*", row.code))


def _of_slips(right: float, false: float) -> tuple[float, float]:
    """Precision and bound of a finding that was right and false this often, from an even prior."""
    return (right + 0.5) / (right + false + 1), _quantile(right + 0.5, false + 0.5, _QUANTILE)


def _mistake(code: str) -> str:
    """The kind of mistake: the same for identifiers of all kinds."""
    return code.partition("-")[2] if _CHECK_OF.get(code) == "doi" else code


def write(rows: Iterable[Level]) -> None:
    """Write the table of the package."""
    lines = ["# Written by `python -m benchmarks.levels --write`: do not edit it.", "level = ["]
    for row in rows:
        fields = ", ".join(f"{name} = {json.dumps(value)}" for name, value in asdict(row).items())
        lines.append(f"  {{ {fields} }},")
    _FILE.write_text("\n".join([*lines, "]", ""]), encoding="utf-8")


def _shown(rows: Iterable[Level]) -> None:
    names = ("right", "false", "precision", "bound", "ratio", "level", "basis")
    print(f"| code | evidence | {' | '.join(names)} |\n|---|---|{'---|' * len(names)}")
    for row in rows:
        numbers = f"{row.right:g} | {row.false:g} | {row.precision:.3f} | {row.bound:.3f} | {row.ratio:g}"
        print(f"| {row.code} | {row.evidence} | {numbers} | {row.name()} | {row.basis} |")


def _leave_file_out(judged: Sequence[Judged], exported: Exported | None) -> None:
    counts: Counter[tuple[str, bool]] = Counter()
    by_code: dict[str, Counter[bool]] = defaultdict(Counter)
    for file in dict.fromkeys(one.file for one in judged):
        others = table([one for one in judged if one.file != file], exported)
        rows = {(row.code, row.evidence): row for row in others}
        for one in judged:
            if one.file == file and one.still:
                level = (rows.get((one.code, one.evidence)) or rows["*", one.evidence]).name()
                counts[level, one.right] += 1
                if level == "error":
                    by_code[one.code][one.right] += 1
    print("\n## Each file by the table of the others\n\n| level | right | false |\n|---|---|---|")
    for level in ("error", "warning", "info"):
        print(f"| {level} | {counts[level, True]} | {counts[level, False]} |")
    for code, found in sorted(by_code.items()):
        print(f"| error, {code} | {found[True]} | {found[False]} |")


def main() -> None:
    """Print the table, and write it if asked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--index", type=Path, help="an index of the records of the folder; without it, one is built")
    parser.add_argument(
        "--exports", type=Path, nargs="*", default=[], help="findings on correct exports (export_rule --json)"
    )
    parser.add_argument("--leave-file-out", action="store_true")
    parser.add_argument("--write", action="store_true", help="write the table of the package")
    parser.add_argument("--places", action="store_true", help="count only the findings on volume and pages")
    given = parser.parse_args()
    if given.places:
        rows = places_table(Path(os.environ["CITECHECK_SHARED"], "places"))
        _shown(row for row in rows if (row.code, row.evidence) in _OF_PLACES)
        if given.write:
            write(rows)
        return
    folder = Path(os.environ["CITECHECK_SHARED"], "real_bibs")
    judged = judged_findings(folder, given.index)
    exported = _exported(given.exports)
    rows = table(judged, exported)
    rows += [row for at, row in level_table().items() if at in _OF_PLACES]
    _shown(rows)
    if given.leave_file_out:
        _leave_file_out(judged, exported)
    if given.write:
        write(rows)


if __name__ == "__main__":
    main()
