"""Absence end to end: bibliographies of real works with a few invented ones, checked against local services that lack some works.

    CITECHECK_SHARED=FOLDER python -m benchmarks.absence_end_to_end [--world NAME] [--bibliographies 200] [--size 40]
        [--invented 1] [--places] [--calibrated] [--command] [--examples N] [--seed N]

Each bibliography has SIZE references of covered strata, in the styles of `benchmarks.styles`: half of the bibliographies are from
computer science (papers, articles, preprints), half from other fields (articles, preprints). INVENTED of the references are
made up by patterns of published cases: real authors with a new title, titles mixed from two works, and works moved to another
venue. The local services answer over HTTP in the dialects of the real ones. Each lacks a share of the works (`_GAPS`); a world
(`WORLDS`) hides further ones. ``--calibrated`` runs ``citecheck doctor --calibrate`` against the same services first.
``--command`` checks each file with the real command in a process of its own; without it, the same code runs in this process,
which is faster. With ``--places`` a quarter of the real references, and all invented ones, are articles of the complete volumes
in ``places/volumes.jsonl`` with volume and pages; the services have these volumes, with their gaps.

Prints, by kind of work, how many invented references were noticed (errors, warnings) and how many real ones were called; the
stated and the observed share of missed works; the calibration error of P(invented); and the requests per reference.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import math
import multiprocessing
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from zlib import crc32

from benchmarks import places
from benchmarks.offline_verdicts import RECORDS, TODAY, read
from benchmarks.styles import STYLES, bibtex_entry, plain_entry, styled_entry
from pytest_citecheck.evidence import (
    AbsenceContext,
    Calibration,
    Stratum,
    is_covered_search,
    miss_probability,
    searches,
    stratum,
)
from pytest_citecheck.inputs import cited_metadata
from pytest_citecheck.lookup import calibrate, gather
from pytest_citecheck.matching import language, lookup, title_key, words
from pytest_citecheck.net import Transport, TransportSettings
from pytest_citecheck.sources import SOURCES, WEB_PAGE, Rate
from pytest_citecheck.thresholds import PRIOR_OF_PAPERS
from tests.conformance.rendering import Row, read_rows
from tests.stand_ins.facts import ArxivRecord, DblpRecord, Facts, Name, Work
from tests.stand_ins.server import LocalServices
from tests.stand_ins.venue_year_lists import LISTS

_GAPS: Mapping[str, float] = {
    "crossref": 0.05,
    "dblp_sparql": 0.03,
    "semantic_scholar": 0.08,
    "openalex": 0.08,
    "arxiv": 0.02,
}
"""Share of the works that a service lacks for its own reasons."""
_COMPLETE = frozenset({"doi_org", "doi_ra", "arxiv by id", *LISTS})
"""Services that have every work in all worlds: registries of identifiers, and publishers' own lists."""
_WITHOUT_DOI = 0.3  # of the papers in proceedings
_OF_COMPUTER_SCIENCE = ("dblp", "mlanthology", "papercopilot", "acl", "sigchi", "api-dblp")
_ARTICLES = frozenset({"article", "review", "journal-article"})
_SHARE_OF_PLACES = 0.25  # of the real references
_ISSN = {
    "Machine Learning": "0885-6125",
    "Journal of Artificial Intelligence Research": "1076-9757",
    "Journal of Machine Learning Research": "1532-4435",
}
_CALIBRATED = 400  # references of each of the two bibliographies whose works calibrate
_NEIGHBOURS = 4  # works of the cited venue and year that the services hold beside the cited one
_FREQUENT = (*_OF_COMPUTER_SCIENCE, "arxiv")
_FEWEST_HELD = 20  # works of a journal; 97% of the articles of the records are in such a journal
_SHARE_OF_FREQUENT = 0.02  # of the records of collections of computer science and arXiv, which are most of all


@dataclass(frozen=True, slots=True)
class World:
    """Gaps of the services beyond their own.

    hidden: share of works that each service lacks. together: the part of it that all lack alike. lacks: works that all services
    lack for one reason. silent: share of searches that a service answers with nothing. down: services that do not answer.
    bare: no identifiers are cited. longest: the most words of a title.
    """

    hidden: float = 0.01
    together: float = 0.1
    lacks: Callable[[Work], bool] | None = None
    silent: Mapping[str, float] = field(default_factory=dict)
    down: tuple[str, ...] = ()
    bare: bool = False
    longest: int = 100

    def may_cite(self, row: Row) -> bool:
        """Return True if a bibliography of this world cites the work."""
        return len(words(row.title)) <= self.longest

    def hides(self, service: str, work: Work) -> bool:
        """Return True if the service lacks the work."""
        if service in _COMPLETE:
            return False
        key = title_key(work.title)
        if self.lacks is not None and self.lacks(work):
            return True
        if _chance("all", key) < self.hidden * self.together:
            return True
        if _chance(f"hidden {service}", key) < self.hidden * (1 - self.together):
            return True
        return _chance(service, key) < _GAPS.get(service, 0.0)


_SOURCES = [source for source in SOURCES if source is not WEB_PAGE]


def _in_year(work: Work) -> int:
    return work.issued[0] if work.issued else work.arxiv.published[0] if work.arxiv else 0


WORLDS: Mapping[str, World] = {
    "usual": World(),
    "1% hidden together": World(0.01, 1.0),
    "5% hidden together": World(0.05, 1.0),
    "publisher missing": World(lacks=lambda work: work.doi.startswith("10.1109/")),
    "journals missing": World(lacks=lambda work: "ieee trans" in work.container.lower()),
    "networks missing": World(lacks=lambda work: work.container.lower().rstrip(".").endswith("networks")),
    "period missing": World(lacks=lambda work: _in_year(work) < 2005),
    "language missing": World(lacks=lambda work: language(work.title) not in ("", "en") or not work.title.isascii()),
    "silent searches": World(silent={"semantic_scholar": 0.1, "crossref": 0.1}),
    "half of the Transactions missing": World(lacks=lambda work: _half(work) and "trans" in work.container.lower()),
    "60% of 2025 missing": World(lacks=lambda work: _in_year(work) == 2025 and _chance("newest", work.title) < 0.6),
    "works without DOI missing": World(lacks=lambda work: not work.doi),
    "no identifiers cited": World(bare=True),
    "short titles": World(longest=5),
    "Crossref down": World(down=("crossref",)),
}
"""The worlds of the table. The thresholds were chosen with the first, third and sixth; the others only test them."""


def _half(work: Work) -> bool:
    return _chance("half", work.title) < 0.5


def _chance(*names: str) -> float:
    return crc32("\x00".join(names).encode()) / 2**32


@dataclass(frozen=True, slots=True)
class Population:
    """Real works by field and kind, and for each venue and year some other works that the services have."""

    rows: Mapping[str, Mapping[str, Sequence[Row]]]
    neighbours: Mapping[tuple[str, int], Sequence[Row]]
    volumes: Sequence[places.Work] = ()

    def with_volumes(self) -> Population:
        """Add the articles of complete volumes whose pages go through the volume."""
        whole = [one for one in places.works(Path(os.environ["CITECHECK_SHARED"], "places")) if places.is_paged(one)]
        return replace(self, volumes=whole)

    @classmethod
    def load(cls, cache: Path | None = None) -> Population:
        """Read the records that CITECHECK_SHARED names. cache: a file of this benchmark to keep the selection in."""
        if cache is not None and cache.exists():
            return pickle.loads(cache.read_bytes())  # type: ignore[no-any-return]  # noqa: S301 - our own file
        dice = Random(2)
        sampled = [
            row
            for row in read_rows(RECORDS)
            if _is_telling(row) and (not row.source.startswith(_FREQUENT) or dice.random() < _SHARE_OF_FREQUENT)
        ]
        held = Counter(row.venue for row in read_rows(RECORDS) if row.type in _ARTICLES)
        sampled = [row for row in sampled if row.type not in _ARTICLES or held[row.venue] >= _FEWEST_HELD]
        references = read(plain_entry(row, f"k{number}") for number, row in enumerate(sampled))
        rows: dict[str, dict[str, list[Row]]] = {"computer science": defaultdict(list), "other": defaultdict(list)}
        for number, row in enumerate(sampled):
            reference = references.get(f"k{number}")
            place = stratum(cited_metadata(reference), TODAY) if reference else None
            if isinstance(place, Stratum):
                of_field = row.source.startswith(_OF_COMPUTER_SCIENCE) or place.discipline == "computer_science"
                fields = tuple(rows) if place.kind == "preprint" else ("computer science" if of_field else "other",)
                for name in fields:
                    rows[name][place.kind].append(row)
        volumes = {(row.venue, row.year + step) for kinds in rows.values() for some in kinds.values() for row in some
                  if row.year for step in range(-2, 3)}  # fmt: skip
        neighbours: dict[tuple[str, int], list[Row]] = defaultdict(list)
        for row in read_rows(RECORDS):
            volume = (row.venue, row.year or 0)
            if volume in volumes and len(neighbours[volume]) < _NEIGHBOURS and len(row.title.split()) > 2:
                neighbours[volume].append(row)
        found = cls({name: dict(kinds) for name, kinds in rows.items()}, dict(neighbours))
        if cache is not None:
            cache.write_bytes(pickle.dumps(found))
        return found


def _is_telling(row: Row) -> bool:
    return bool(row.venue and row.year and row.authors and len(words(row.title)) > 3)


_MIX = {
    "computer science": {"paper": 0.6, "article": 0.2, "preprint": 0.2},
    "other": {"article": 0.75, "preprint": 0.25},
}


@dataclass(frozen=True, slots=True)
class Bibliography:
    """A BibTeX file, the kind of each reference by key, the keys of the invented ones, and the works of the services."""

    text: str
    kinds: Mapping[str, str]
    invented: frozenset[str]
    facts: Facts


def bibliography(
    population: Population, size: int, invented: int, number: int, seed: int, world: World | None = None
) -> Bibliography:
    """Return the bibliography of this number, the same for the same seed."""
    world = world or World()
    dice = Random(f"{seed} {number}")
    name = ("computer science", "other")[number % 2]
    rows = population.rows[name]
    kinds = dice.choices(list(_MIX[name]), list(_MIX[name].values()), k=size)
    wrong = frozenset(dice.sample(range(size), invented))
    entries, works = [], []
    volumes: set[tuple[str, int]] = set()
    for place, kind in enumerate(kinds):
        row = dice.choice(rows[kind])
        while not world.may_cite(row):
            row = dice.choice(rows[kind])
        if place in wrong:
            entries.append(_invented_entry(row, rows[kind], kind, f"key{place}", dice))
            some = [row]
        else:
            cited = replace(row, doi="", arxiv="", url="") if world.bare else row
            entries.append(styled_entry(cited, dice.choice(list(STYLES)), f"key{place}", dice))
            some = [row]
        if population.volumes and (place in wrong or dice.random() < _SHARE_OF_PLACES):
            kinds[place] = "article with pages"
            article = dice.choice(population.volumes)
            entries[-1] = places.entry(f"key{place}", article)
            if place in wrong:
                entries[-1] = places.invented_within(f"key{place}", article, population.volumes, dice)
            volumes |= {(article["journal"], article["year"] + step) for step in (-1, 0, 1)}
            continue
        for one in some:
            year = one.year or 0
            works += [
                one,
                *(near for step in range(-2, 3) for near in population.neighbours.get((one.venue, year + step), ())),
            ]
    unique = {title_key(row.title): _work(row) for row in works}
    unique |= {
        title_key(one["title"]): _article(one) for one in population.volumes if (one["journal"], one["year"]) in volumes
    }
    facts = Facts(tuple(unique.values()), {"10.48550": "DataCite"})
    keys = {f"key{place}": f"{name}: {kind}" for place, kind in enumerate(kinds)}
    return Bibliography("\n".join(entries), keys, frozenset(f"key{place}" for place in wrong), facts)


def _invented_entry(row: Row, rows: Sequence[Row], kind: str, key: str, dice: Random) -> str:
    """A reference to no work: the venue and year of ``row``, a title and authors by one of three patterns."""
    first, second, people = (dice.choice(rows) for _ in range(3))
    start, end = first.title.split(), second.title.split()
    mixed = " ".join((*start[: (len(start) + 1) // 2], *end[len(end) // 2 :]))
    pattern = dice.randrange(3)
    if pattern == 0:  # real authors of this venue, another title
        made = replace(row, title=_recombined(first, second, dice))
    elif pattern == 1:  # a title mixed from two works, the authors of one
        made = replace(row, title=mixed, authors=first.authors)
    else:  # everything from elsewhere
        made = replace(row, title=mixed, authors=people.authors)
    made = replace(made, doi="", arxiv="")
    if kind == "preprint":
        fields = {"title": made.title, "author": " and ".join(made.authors), "year": str(made.year)}
        return bibtex_entry("article", key, {**fields, "journal": "arXiv preprint"})
    return plain_entry(made, key)


def _recombined(first: Row, second: Row, dice: Random) -> str:
    """The title of one work with every other long word taken from the other one."""
    words_of_other = [word for word in second.title.split() if len(word) > 3] or ["methods"]
    title = [
        dice.choice(words_of_other) if len(word) > 3 and position % 2 else word
        for position, word in enumerate(first.title.split())
    ]
    return " ".join(title)


def _name(text: str) -> Name:
    family, comma, given = text.partition(", ")
    if not comma:
        given, _, family = text.rpartition(" ")
    return Name(given=given, family=family) if given else Name(literal=text)


def _work(row: Row) -> Work:
    """Convert a row to a work of the local services."""
    key = title_key(row.title)
    number = crc32(key.encode())
    year = row.year or 2000
    article = row.type in _ARTICLES
    doi = row.doi
    preprint = bool(row.arxiv) and row.type == "preprint"
    if not doi and not preprint and (article or _chance("doi", key) >= _WITHOUT_DOI):
        doi = f"10.5555/{number}"
    authors = tuple(map(_name, row.authors))
    arxiv = dblp = None
    if row.arxiv:
        arxiv = ArxivRecord(row.arxiv, 1, (year, 1, 5), (year, 1, 5), row.title, authors, "cs.LG")
    if row.source.startswith(_OF_COMPUTER_SCIENCE) and not preprint:
        venue = lookup(row.venue, row.year)
        stream = (
            venue.dblp_stream if venue else ""
        ) or f"{'journals' if article else 'conf'}/x{crc32(row.venue.encode())}"
        kind = "Journal Articles" if article else "Conference and Workshop Papers"
        dblp = DblpRecord(
            f"{stream}/{number}", str(year), kind, row.title, tuple(map(str, authors)), (row.venue,), doi=doi
        )
    kind_of_work = "posted-content" if preprint else "journal-article" if article else "proceedings-article"
    return Work(
        id=f"w{number}", title=row.title, type=kind_of_work, authors=authors, issued=(year,),
        container="" if preprint else row.venue, doi="" if preprint else doi,
        agency="Crossref" if doi and not preprint else "", dblp=(dblp,) if dblp else (), arxiv=arxiv,
    )  # fmt: skip


class _Services(LocalServices):
    """The local services of a world. A silent service answers a share of its title searches with an empty result."""

    def __init__(self, world: World, facts: Facts) -> None:
        super().__init__(facts, lacking=world.hides)
        for service, share in world.silent.items():
            self.fault(service, "nothing-found", rate=share, seed=7)
        for service in world.down:
            self.fault(service, "503-year-9999")


def _article(one: places.Work) -> Work:
    """Convert an article of a volume to a work of the local services."""
    number = crc32(title_key(one["title"]).encode())
    return Work(
        id=f"v{number}", title=one["title"], type="journal-article", authors=tuple(map(_name, one["authors"])),
        issued=(one["year"],), container=one["journal"], doi=one["doi"] or f"10.5555/{number}", agency="Crossref",
        volume=one["volume"], issue=one["number"], pages=f"{one['first']}-{one['last']}", issn=(_ISSN[one["journal"]],),
    )  # fmt: skip


_FOUND = ("unfindable", "fabricated")
_NOTICED = ("warning", "error")


@dataclass(slots=True)
class Result:
    """Counts over all bibliographies of a world, by kind of work.

    called: real references by verdict. noticed: invented ones by outcome. probabilities: P(invented) of each missing reference
    that is not convicted, and whether it is invented. risks: of the groups of real references with one stratum in a
    bibliography, the miss probability that a missing one of them states, their number, and the missing ones. open: the reasons
    of what is not noticed.
    """

    real: Counter[str] = field(default_factory=Counter)
    called: Counter[tuple[str, str]] = field(default_factory=Counter)
    invented: Counter[str] = field(default_factory=Counter)
    noticed: Counter[tuple[str, str]] = field(default_factory=Counter)
    probabilities: list[tuple[float, bool]] = field(default_factory=list)
    risks: list[tuple[float, int, int]] = field(default_factory=list)
    open: Counter[str] = field(default_factory=Counter)
    requests: int = 0
    references: int = 0
    examples: list[str] = field(default_factory=list)

    def add(self, other: Result) -> None:
        for name in ("real", "called", "invented", "noticed", "open"):
            getattr(self, name).update(getattr(other, name))
        for name in ("probabilities", "risks", "examples"):
            getattr(self, name).extend(getattr(other, name))
        self.requests += other.requests
        self.references += other.references


def judged(one: Bibliography, world: World, prior: float, cache: Path | None) -> Result:
    """Check a bibliography in this process. cache: a folder with a calibration."""
    result = Result()
    references = read([one.text])
    with _Services(world, one.facts) as services:
        settings = TransportSettings(
            base_urls=services.base_urls, rates=dict.fromkeys(services.base_urls, Rate(100_000, 4)), cache=cache
        )
        gathered = asyncio.run(gather(references, _SOURCES, settings, TODAY))
        result.requests, result.references = len(services.requests), len(references)
    groups: dict[Stratum, list[bool]] = defaultdict(list)
    searched: dict[Stratum, list[str]] = {}
    for key in references:
        evaluation = gathered.states[key].evaluate_finally(AbsenceContext(gathered.controls, prior=prior))
        case, verdict, wrong = evaluation.case, evaluation.verdict, key in one.invented
        failed = any(finding.outcome == "failed" for finding in evaluation.findings.values())
        _count(result, one.kinds[key], verdict.name, wrong=wrong, failed=failed)
        if not wrong and verdict.name in _FOUND:
            result.examples.append(f"{verdict.name}: {case.cited.title} ({case.cited.venue})")
        if wrong and not failed and verdict.name != "unfindable":
            result.open[case.open_absence or evaluation.findings["title"].code] += 1
        if case.is_missing and verdict.name in ("unfindable", "undecided"):
            result.probabilities.append((verdict.probability, wrong))
        place = stratum(case.cited, TODAY)
        if not isinstance(place, Stratum):
            continue
        if case.miss_probability is not None:  # all searches were made for it
            searched.setdefault(place, [search.source for search in searches(case) if is_covered_search(search.source)])
        if not wrong and (not case.is_missing or case.miss_probability is not None):
            groups[place].append(case.miss_probability is not None)
    path = next(iter(references.values())).location.path
    for place, missing in groups.items():
        stated = miss_probability(place, searched.get(place, ()), gathered.controls, prior, path)
        if stated is not None:
            result.risks.append((stated.mean, len(missing), sum(missing)))
    return result


def _count(result: Result, kind: str, verdict: str, *, wrong: bool, failed: bool) -> None:
    (result.invented if wrong else result.real)[kind] += 1
    if wrong and (failed or verdict == "unfindable"):
        result.noticed[kind, "error" if failed else "warning"] += 1
    if not wrong and verdict in _FOUND:
        result.called[kind, verdict] += 1


def commanded(one: Bibliography, world: World, prior: float, cache: Path | None) -> Result:
    """Check a bibliography with the real command in a separate process."""
    result = Result()
    with tempfile.TemporaryDirectory() as folder, _Services(world, one.facts) as services:
        Path(folder, "refs.bib").write_text(one.text, encoding="utf-8")
        options = [f"--citecheck-base-url={name}={url}" for name, url in services.base_urls.items()]
        options += [f"--citecheck-rate={name}=1000" for name in services.base_urls]
        command = [sys.executable, "-m", "pytest", "-q", "--citecheck=refs.bib", "--citecheck-json=out.json"]
        command += [f"--citecheck-cache={cache or 'off'}", f"--citecheck-prior={prior}", *options]
        subprocess.run(command, cwd=folder, check=False, capture_output=True)
        report = json.loads(Path(folder, "out.json").read_text(encoding="utf-8"))
        result.requests, result.references = len(services.requests), len(report["references"])
    for reference in report["references"]:
        key, verdict = reference["key"], reference["verdict"]["name"]
        failed = any(check["outcome"] == "failed" for check in reference["checks"].values())
        _count(result, one.kinds[key], verdict, wrong=key in one.invented, failed=failed)
        if key in one.invented and not failed and verdict != "unfindable":
            result.open[reference["checks"]["title"]["code"]] += 1
    return result


def calibrated(population: Population, world: World, folder: Path) -> None:
    """Calibrate against the services of a world that have many works."""
    facts = Facts(())
    for number in range(2):
        facts = facts.joined_with(bibliography(population, _CALIBRATED, 0, number, 0).facts)
    table = Calibration()

    async def run() -> None:
        settings = TransportSettings(base_urls=urls, rates=dict.fromkeys(urls, Rate(100_000, 4)))
        async with Transport(settings) as transport:
            await calibrate(table, _SOURCES, transport, TODAY, 40, lambda: table.save(folder))

    with _Services(world, facts) as services:
        urls = services.base_urls
        asyncio.run(run())


def tell(name: str, result: Result, examples: int) -> None:
    """Print the table of a world."""
    print(f"\n{name}")
    print("| kind | real | called (fabricated) | invented | noticed (errors) |")
    print("|---|---|---|---|---|")
    for kind in [*sorted(set(result.real) | set(result.invented)), "all"]:
        real, invented = (_total(counts, kind) for counts in (result.real, result.invented))
        called, noticed = (
            {of: _total({one: n for (one, what), n in counts.items() if what == of}, kind) for of in outcomes}
            for counts, outcomes in ((result.called, _FOUND), (result.noticed, _NOTICED))
        )
        print(
            f"| {kind} | {real:,} | {sum(called.values()) / max(1, real):.2%} ({called['fabricated']}) | {invented:,} "
            f"| {sum(noticed.values()) / max(1, invented):.2f} ({noticed['error'] / max(1, invented):.2f}) |"
        )
    print(f"requests per reference: {result.requests / max(1, result.references):.2f}")
    if result.risks:
        works, missing = sum(risk[1] for risk in result.risks), sum(risk[2] for risk in result.risks)
        stated = math.fsum(mean * count for mean, count, _ in result.risks) / max(1, works)
        low, high = _interval(missing, works)
        observed = f"{missing / max(1, works):.2%} ({low:.2%} to {high:.2%})"
        print(f"share of real works missed: stated {stated:.2%}, observed {observed}")
        print(f"calibration error of P(invented) of missing references: {_calibration_error(result.probabilities):.3f}")
    print("invented and open: " + (", ".join(f"{count} {why}" for why, count in result.open.most_common(6)) or "none"))
    for example in result.examples[:examples]:
        print(f"  {example}")


def _total(counts: Mapping[str, int], kind: str) -> int:
    return sum(count for of, count in counts.items() if kind in (of, "all"))


def _interval(hits: int, trials: int) -> tuple[float, float]:
    """The 95% interval of a share (Wilson 1927)."""
    if not trials:
        return 0.0, 1.0
    z, share = 1.96, hits / trials
    middle = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z / (1 + z * z / trials) * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    return max(0.0, middle - half), min(1.0, middle + half)


def _calibration_error(stated: Sequence[tuple[float, bool]]) -> float:
    """The expected calibration error over ten equal bins."""
    error = 0.0
    for low in range(10):
        bin_ = [(share, wrong) for share, wrong in stated if min(9, int(share * 10)) == low]
        if bin_:
            error += abs(sum(share for share, _ in bin_) - sum(wrong for _, wrong in bin_)) / len(stated)
    return error


_population: Population | None = None  # of the forked processes


def _one(job: tuple[int, argparse.Namespace, str, float, Path | None]) -> Result:
    number, wanted, world, prior, calibration = job
    assert _population is not None
    made = bibliography(_population, wanted.size, wanted.invented, number, wanted.seed, WORLDS[world])
    with tempfile.TemporaryDirectory() as folder:
        if calibration is not None:
            shutil.copy(calibration, folder)
        cache = Path(folder) if calibration is not None else None
        return (commanded if wanted.command else judged)(made, WORLDS[world], prior, cache)


def main() -> None:
    global _population
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--world", action="append", choices=WORLDS, help="only this world (repeatable)")
    parser.add_argument("--bibliographies", type=int, default=200, help="for each world")
    parser.add_argument("--size", type=int, default=40, help="references of a bibliography")
    parser.add_argument("--invented", type=int, default=1, help="of these")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--prior",
        type=float,
        default=PRIOR_OF_PAPERS,
        help="the stated share of invented references (default: of papers)",
    )
    parser.add_argument("--places", action="store_true", help="invent articles with volume and pages")
    parser.add_argument("--calibrated", action="store_true", help="calibrate the searches first")
    parser.add_argument("--command", action="store_true", help="run the command of users for each bibliography")
    parser.add_argument("--examples", type=int, default=0, help="real references called to print")
    parser.add_argument("--selection", type=Path, help="a file to keep the selection of records in")
    wanted = parser.parse_args()
    logging.disable(logging.WARNING)
    _population = Population.load(wanted.selection)
    if wanted.places:
        _population = _population.with_volumes()
    for name in wanted.world or WORLDS:
        result = Result()
        with tempfile.TemporaryDirectory() as folder:
            if wanted.calibrated:
                calibrated(_population, WORLDS[name], Path(folder))
            table = Path(folder, "calibration.json") if wanted.calibrated else None
            jobs = [(number, wanted, name, wanted.prior, table) for number in range(wanted.bibliographies)]
            with multiprocessing.get_context("fork").Pool(2) as pool:
                for part in pool.imap_unordered(_one, jobs):
                    result.add(part)
        tell(name, result, wanted.examples)


if __name__ == "__main__":
    main()
