"""Each threshold has a test case on either side, and its number occurs only in the table."""

from __future__ import annotations

import asyncio
import datetime
import re
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_citecheck import thresholds
from pytest_citecheck.checks import Level, ReferenceCase, evaluate
from pytest_citecheck.evidence import (
    AbsenceContext,
    Calibration,
    Contents,
    Controls,
    FileCounts,
    Holdings,
    Search,
    Seen,
    Stratum,
    beside_records,
    candidates,
    closed_stream,
    fault,
    is_distinctive,
    probability_invented,
    publishers_lists,
    stratum,
    year_fits,
)
from pytest_citecheck.index import Coverage, LocalIndex, rebuild
from pytest_citecheck.inputs import cited_metadata, read_reference_strings
from pytest_citecheck.lookup import PROFILES, IndexSource, LookupState, ask_all, weak_searches
from pytest_citecheck.matching import (
    abbreviates,
    are_damaged_names,
    beyond_month,
    beyond_volume,
    compare_authors,
    compare_given,
    compare_titles,
    compare_venues,
    match_doi,
    may_be_other_name,
    may_be_translation,
    parse,
    parse_venue,
    same_person,
    separate_parts,
    share_topic,
    transliterated,
    unassigned_prefix,
    undecorated_forms,
    without_prefix,
)
from pytest_citecheck.model import (
    Absent,
    Answer,
    Evidence,
    Found,
    Location,
    NameList,
    Person,
    Query,
    QueryResult,
    Record,
    Reference,
)
from pytest_citecheck.models.claims import verdict_of
from pytest_citecheck.sources import SOURCES
from pytest_citecheck.thresholds import THRESHOLDS
from tests.support.absences import ARTICLES, BOTH, PAPERS, counted, missed_after, questions_asked, searched, searched_by
from tests.support.evidence_builders import (
    LISTED,
    NONE_OF_THEIRS,
    TODAY,
    absent,
    evaluated,
    evidence,
    found,
    linked,
    outcome,
    record,
    reference,
    silent,
)
from tests.support.records import work

WORDS = re.findall(r"\w+", "alpha bravo charlie delta echo foxtrot golf hotel india juliet kilo lima mike november oscar papa "
                           "quebec romeo sierra tango")  # fmt: skip
OTHERS = re.findall(r"\w+", "umbra vector whisky xylon yonder zebra quartz marble pepper ginger walnut copper silver timber "
                            "garlic saffron barley clover fennel nutmeg")  # fmt: skip
PEOPLE = [
    "Ada Lovelace", "Alan Turing", "Grace Hopper", "Charles Babbage", "Joseph Jacquard", "Claude Shannon", "Donald Knuth",
    "Edsger Dijkstra", "Marie Curie", "Emmy Noether", "Leonhard Euler", "Carl Gauss", "Pierre Fermat", "Blaise Pascal",
    "Isaac Newton", "Gottfried Leibniz", "David Hilbert", "Georg Cantor", "Kurt Goedel", "Alonzo Church",
]  # fmt: skip
STRANGERS = [
    "Hugo Abbott", "Iris Bishop", "Jonas Carver", "Karen Draper", "Ludwig Farmer", "Mabel Gardener", "Nestor Hunter",
    "Olga Ironside", "Percy Joiner", "Quinn Keeper", "Rupert Lawyer", "Stella Mason",
]  # fmt: skip
TITLE = "Notes on the analysis of difference engines"
TWO = "Ada Lovelace; Alan Turing"
ARXIV = "1701.00001"
TWO_SOURCES = ("dblp", "crossref")
DOI = "10.1000/engines"


def beginning(count: int) -> str:
    """Return a title of twenty words that shares the first ``count`` with the cited one."""
    return " ".join((WORDS[:count] + OTHERS)[:20])


def crowd(count: int, of: int = 20) -> str:
    """Return twenty authors, ``count`` of whom are cited."""
    return "; ".join((PEOPLE[:count] + STRANGERS)[: max(count, min(of, count + len(STRANGERS)))])


def cited(title: str = TITLE, authors: str = TWO, venue: str = "ICML", year: str = "2019", **more: str) -> Reference:
    people = authors.replace(";", " and")
    return reference("inproceedings", author=people, title=title, booktitle=venue, year=year, **more)


def article(year: str = "2019", authors: str = TWO, venue: str = "Nature", **more: str) -> Reference:
    return reference("article", author=authors.replace(";", " and"), title=TITLE, journal=venue, year=year, **more)


def there(title: str = TITLE, authors: str = TWO, source: str = "dblp", **more: Any) -> Record:
    return record(title, authors, source=source, **{"venue": "ICML", "year": 2019, "type": "inproceedings"} | more)


def preprint(title: str, authors: str = TWO) -> Record:
    return record(title, authors, source="arxiv", arxiv=ARXIV, venue="arXiv", year=2017, type="preprint")


def relation(cited_as: Reference, line: QueryResult | Record) -> str:
    return candidates(cited_metadata(cited_as), evidence(line))[0].relation


def people(cited_ones: Sequence[str], found_ones: Sequence[str]) -> str:
    def persons(names: Iterable[str]) -> tuple[Person, ...]:
        return tuple(Person(literal=name) for name in names)

    return compare_authors(NameList(persons(cited_ones)), persons(found_ones)).code


def agreeing(count: int) -> str:
    """Return the relation of a record with the cited, short title if ``count`` of its twenty authors are cited."""
    return relation(cited("Deep learning", "; ".join(PEOPLE)), there("Deep learning", crowd(count), venue="Science"))


def same_people(count: int) -> bool:
    line = there(beginning(0), crowd(count))
    return candidates(cited_metadata(cited(beginning(20), "; ".join(PEOPLE))), evidence(line))[0].same_people


def near_by_others(count: int) -> str:
    line = linked(there(beginning(count), "; ".join(STRANGERS[:3]), "crossref", doi=DOI))
    return relation(cited(beginning(20), doi=DOI), line)


def stating(count: int) -> str:
    """Return the outcome for an unseen DOI if this many collections have a different one."""
    known = [there(source=source, doi=DOI) for source in ("dblp", "mlanthology")[:count]]
    return str(evaluated(cited(doi="10.1000/other"), *known).findings["doi"].evidence)


def printed_after(year: int) -> str:
    """Return the code for the year after a conference whose volumes were printed late."""
    known = [there(source=source, venue="NeurIPS", year=year) for source in ("dblp", "crossref")]
    return outcome(cited(venue="NeurIPS", year=str(year + 1)), "cross_db", *known)[1]


def distinctive(count: int) -> str:
    title = " ".join(WORDS[:count])
    return relation(cited(title), there(title, ""))


def misspelt_letters(count: int) -> str:
    """Two titles without a word in common, and with all letters but ``count`` of twenty."""
    return compare_titles("abcdefghij klmnopqrst", "abcd efghijklm " + "nopqrst"[: 7 - count] + "xyz"[:count]).relation


def renamed(start: str) -> str:
    return outcome(reference("misc", author="Ada Lovelace and Alan Turing", title="Weaving automata", eprint=ARXIV,
                             archiveprefix="arXiv", year="2017"), "doi", linked(preprint(start)))[1]  # fmt: skip


def published(title: str, other: str, authors: str = TWO) -> tuple[str, str]:
    """The doi check of a preprint that is cited under the title of the publication and has another one."""
    eprint = reference(
        "misc", author=authors.replace(";", " and"), title=title, eprint=ARXIV, archiveprefix="arXiv", year="2017"
    )
    return outcome(eprint, "doi", there(title, authors), linked(preprint(other, authors)))


def changed_word(word: str, other: str, *, anchored: bool = False, authors: str = TWO) -> tuple[str, str]:
    """Run the title check with one word replaced by another."""
    right = there(f"Notes on the {other} of difference engines", authors, "crossref", doi=DOI if anchored else "")
    cites = cited(f"Notes on the {word} of difference engines", authors, **({"doi": DOI} if anchored else {}))
    return outcome(cites, "title", *([linked(right)] if anchored else [right, preprint(right.title, authors)]))


def two_slips(word: str, other: str) -> tuple[str, str]:
    title = f"Notes on the {other} of difference engine"
    cites = cited(f"Notes on the {word} of difference engines")
    return outcome(cites, "title", there(title), there(title, source="crossref"), preprint(title))


def too_many(of: int, wrong: int) -> str:
    """Run the authors check on ``of`` cited people, ``wrong`` of whom are missing from the records of another venue."""
    names = "; ".join(PEOPLE[: of - wrong])
    lines = [there(authors=names, source=source, venue="Science") for source in ("dblp", "crossref")]
    return outcome(cited(authors="; ".join(PEOPLE[:of])), "authors", *lines)[0]


def left_out(of: int, first: int) -> str:
    """Return the code of the authors check for the first ``first`` of ``of`` people."""
    people = [f"{chr(65 + place)}da {chr(65 + place)}ovelace" for place in range(of)]
    lines = [there(authors="; ".join(people), source=source) for source in ("dblp", "crossref")]
    return outcome(cited(authors="; ".join(people[:first])), "authors", *lines)[1]


def while_unseen(*sources: str) -> str:
    """The code for an order of authors that these sources have, while the record of the cited e-print is unseen."""
    lines = [there(authors="; ".join([PEOPLE[1], PEOPLE[0], *PEOPLE[2:9]]), source=source) for source in sources]
    claimed = cited(authors="; ".join(PEOPLE[:9]), eprint=ARXIV, archiveprefix="arXiv")
    return outcome(claimed, "authors", *lines, silent("arxiv", "arxiv", ARXIV))[1]


def other_given_name(*others: str) -> str:
    lines = [there(authors="; ".join(("Miltiadis Allamanis", *others)), source=one) for one in ("dblp", "crossref")]
    return outcome(cited(authors="; ".join(("Miltos Allamanis", *others))), "authors", *lines)[0]


def misspelt_given_name(name: str, right: str) -> str:
    known = there(authors=f"{right} Papert; Grace Hopper")
    return outcome(cited(authors=f"{name} Papert; Grace Hopper"), "authors", known)[1]


def renamed_at(prior: float) -> str:
    known = there(authors="Jana Papert; Grace Hopper")
    return evaluated(cited(authors="Joshua Papert; Grace Hopper"), known, prior=prior).findings["authors"].outcome


def namesake_at(prior: float) -> str:
    """Return the outcome of a title that only a work by other people has, at this prior."""
    other = there("Looms of Lyon", "Edsger Dijkstra", venue="Weaving", year=1999)
    cited_at = reference("article", author=TWO, title="Looms of Lyon", journal="Looms", year="2020")
    return evaluated(cited_at, other, prior=prior).findings["title"].outcome


def with_another_word(year: int) -> str:
    right = f"{TITLE} of looms"
    lines = [there(right, year=year, source=source) for source in ("dblp", "crossref")]
    return outcome(cited(f"{TITLE} of wheels", year=str(year)), "title", *lines)[1]


def mixed_up(count: int, authors: str) -> str:
    """Return the code for a title of twenty words if the authors have a paper there that shares its first ``count`` words."""
    return outcome(cited(beginning(20), authors), "title", there(beginning(count), authors))[1]


def mixed(year: str, *sources: str) -> str:
    early = record(TITLE, TWO, source="arxiv", arxiv="1", type="preprint", venue="arXiv", year=2016)
    return outcome(cited(year=year), "cross_db", early, *(there(source=source) for source in sources))[1]


def type_of(title: str, authors: str = TWO, **more: Any) -> str:
    lines = there(title, **more), LISTED, NONE_OF_THEIRS
    return evaluated(cited(beginning(20), authors), *lines).verdict.type


class Silent:
    """An asker who knows nothing, and sources of one title a request."""

    role = None

    def __init__(self, name: str = "") -> None:
        self.name, self.batch = name, {"title": 1}

    def accepts(self, query: Query) -> bool:
        return query.kind == "title"

    def admits(self, _: object, __: object) -> bool:
        return True

    async def ask(self, source: Silent, queries: Iterable[Query]) -> dict[Query, QueryResult]:
        return {one: QueryResult(source.name, one, Absent(), "", "2026-11-20T00:00:00Z") for one in queries}


def all_asked(profile: str, names: Sequence[str]) -> bool:
    """Return True if each of these sources is queried for one title."""
    state = LookupState.of(cited(), TODAY)
    sources: Any = [Silent(name) for name in names]
    asker: Any = Silent()
    asyncio.run(ask_all([state], sources, asker, PROFILES[profile]))
    return len(state.asked) == len(names)


def own_questions(profile: str) -> Callable[[int], bool]:
    return lambda count: all_asked(profile, [f"source{number}" for number in range(count)])


def in_index(query: Query, papers: Sequence[tuple[str, int]]) -> int:
    """Count the papers (authors, year) at ICML that an index returns for a query."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "my.index")
        entries = [
            work("dblp", str(number), f"Paper number {number}", tuple(names.split("; ")), year, "ICML")
            for number, (names, year) in enumerate(papers)
        ]
        rebuild(path, entries, (), [("dblp", "icml", 2019, True, "said so")])
        with closing(IndexSource(path, "index")) as index:
            answer = index.ask([query])[query].answer
            return len(answer.records) if isinstance(answer, Found) else 0


def mostly_held(venue: str, *counts: tuple[int, int]) -> bool:
    """Return True if an index with works of these years, so many of each, holds most works of the venue in 2018."""
    numbers = [f"{word} {other}" for word in WORDS for other in OTHERS]
    entries = [
        work("dblp", f"{year} {number}", f"Notes {year} on {number}", ("Ada Lovelace",), year, venue)
        for year, count in counts
        for number in numbers[:count]
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "my.index")
        rebuild(path, entries, (), ())
        with LocalIndex(path) as index:
            return any(year == 2018 for _, year in Coverage(index).held)


def answer_of(count: int, query: Query) -> Answer:
    """The answer of an index with so many works of ICML 2019, but no complete list."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "my.index")
        numbers = [word for pair in zip(WORDS, OTHERS, strict=True) for word in pair]
        entries = [work("dblp", word, f"Notes on {word}", ("Ada Lovelace",), 2019, "ICML") for word in numbers[:count]]
        rebuild(path, entries, (), ())
        with closing(IndexSource(path, "index")) as index:
            return index.ask([query])[query].answer


def lacking(count: int) -> float:
    """The share that an index with so many works of ICML 2019 may lack, as it says; 0 without a list."""
    answer = answer_of(count, Query("author_search", "icml", ("Noether, Emmy",), 2019))
    return answer.lacks if isinstance(answer, Absent) else 1.0


def covered_by(count: int) -> bool:
    """Return True if an index with this many works of ICML 2019, but no complete list, covers the venue and year."""
    return isinstance(answer_of(count, Query("venue_year", "icml", (), 2019)), Found)


def lists_that_lack(own: int) -> bool:
    """Return True if an index that has 100 works of ICML 2019 from two collections, and so many from one, is nearly complete."""
    numbers = [f"{word} {other}" for word in WORDS for other in OTHERS][: 100 + 2 * own]
    entries = [
        work(source, number, f"Notes on {number}", ("Ada Lovelace",), 2019, "ICML")
        for place, number in enumerate(numbers)
        for source in (("dblp", "papers") if place < 100 else (("dblp", "papers")[place % 2],))
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "my.index")
        rebuild(path, entries, (), ())
        with LocalIndex(path) as index:
            return ("icml", 2019) in Coverage(index).nearly


def namesakes(count: int) -> int:
    given = [f"{first}{second}" for first in "ABCDEF" for second in "aeiouyrlnm"][:count]
    return in_index(Query("author_search", "icml", ("Zhang, W.",), 2019), [(f"{name} Zhang", 2019) for name in given])


def shown_of(count: int) -> bool:
    return in_index(Query("author_search", "", ("Lovelace", "Turing"), 2019), [(TWO, 2019)] * count) == count


def years_later(years: int) -> int:
    return in_index(Query("author_search", "", ("Lovelace", "Turing"), 2019), [(TWO, 2019 - years)])


def place_of(year: str, today: datetime.date = TODAY) -> bool:
    return isinstance(stratum(cited_metadata(article(year)), today), Stratum)


def is_covered(year: int) -> bool:
    return place_of(str(year))


def is_listed_after(days: int) -> bool:
    """Return True if all sources list the works of a year ``days`` days after its end."""
    return place_of("2024", datetime.date(2024, 12, 31) + datetime.timedelta(days=days))


def after_trials_elsewhere(count: int) -> float:
    later = replace(ARTICLES, period="2020-")
    return missed_after(counted(count, place=later), ARTICLES, ["crossref"]).mean


def after_misses(count: int) -> float:
    return missed_after(counted(0, count, place=ARTICLES), ARTICLES, ["crossref"]).mean


def after_searches(*by: str) -> float:
    return missed_after(Controls(), ARTICLES, by).mean


def missing(others: int, identified: int = 0, prior: float = thresholds.PRIOR_OF_PAPERS) -> tuple[float, float]:
    """Return miss probability and P(invented) of a missing paper with ``others`` other missing ones, in a file of 40."""
    counts = {PAPERS: searched_by(BOTH, 40 - others, others)}
    controls = Controls(identified={PAPERS: searched_by(BOTH, 0, identified)}, files={"refs.bib": FileCounts(counts)})
    result = missed_after(controls, prior=prior)
    return result.mean, result.invented


def unfindable_among(others: int, *, limit: float = thresholds.MISS_LIMIT, outage: bool = True) -> str:
    """Return the title code of a missing paper with ``others`` other missing ones, in a file of 40.

    With an outage only the limit counts.
    """
    counts = {PAPERS: searched_by(BOTH, 40 - others, others)}
    absences = AbsenceContext(Controls(files={"refs.bib": FileCounts(counts)}), limit)
    nobody = evidence(absent("dblp"), absent("crossref"), *([silent("arxiv")] if outage else []))
    return (
        evaluate(cited(venue="Meeting on Nothing", year="2015"), nobody, TODAY, absences=absences)
        .findings["title"]
        .code
    )


def share_of_file(convicted: int) -> float:
    """Return the expected share of invented references in a file of forty with ``convicted`` proven ones."""
    controls = Controls(files={"refs.bib": FileCounts(convicted=convicted, references=40)})
    return round(AbsenceContext(controls).share_of_file("refs.bib"), 4)


def open_probability(prior: float) -> float:
    """Return P(invented) of a missing work if its absence is no evidence, because no source returned works of its venue."""
    absences = AbsenceContext(Controls(holdings=Holdings()), prior=prior)
    nobody = evidence(absent("dblp"), absent("crossref"))
    return evaluate(cited(venue="Meeting on Nothing"), nobody, TODAY, absences=absences).verdict.probability


def held(*years: int) -> bool:
    """Return True if a source covers a meeting in 2015 after returning one work of each of these years."""
    holdings = Holdings()
    for number, year in enumerate(years):
        work = record(f"Work number {number}", venue="Meeting on Nothing", year=year)
        holdings.add([QueryResult("crossref", Query("title", work.title), Found((work,)))])
    return holdings.covers(
        ReferenceCase(cited(venue="Meeting on Nothing", year="2015"), evidence(), TODAY).cited, ["crossref"]
    )


def calibrated(count: int, months: int = 0) -> float:
    """Return the equivalent number of trials of a calibration with ``count`` works, ``months`` months ago."""
    table = Calibration()
    month = (TODAY.replace(day=1) - datetime.timedelta(days=30 * months)).strftime("%Y-%m")
    for _ in range(count):
        table.add(month, "crossref", PAPERS, [Search("dblp", found=True)])
    trials = table.trials(TODAY).get("dblp", {})
    return trials[PAPERS].looked_for if trials else 0.0


def venues(text: str) -> list[str]:
    return [venue.id for venue in parse_venue(text).venues]


def part(text: str) -> str:
    return parse_venue(text).part


def within(venue: str, text: str) -> str:
    """Return True if a text may name the venue for which a DOI was made."""
    match = match_doi("10.18653/v1/p19-1001")
    assert match is not None
    return replace(match, venues=(venue,)).place(text)


def persons(*names: str) -> tuple[Person, ...]:
    return tuple(Person(literal=name) for name in names)


def given(name: str) -> tuple[str, ...]:
    return parse(Person(literal=name)).given_keys


def similarity(cited_as: str, other: str) -> float:
    return round(compare_titles(cited_as, other).similarity, 3)


def told_of(found: int, missed: int) -> bool:
    """Return True if the user is told about a search that found this many known works."""
    return bool(weak_searches(searched("crossref", found, missed, ARTICLES), SOURCES))


def nearly_in_string(likeness: float) -> bool:
    """Return True if a record with this title similarity to the most probable reading makes the string uncertain."""
    title = "What small birds see in winter and in summer"
    letters = [sign for sign in title if sign.isalnum()]
    other = "".join(letters)[: round(len(letters) * likeness / (2 - likeness))]
    (string,) = read_reference_strings([(f"North. {title}, 2020.", Location("x", 1, 1))])
    record = Record(
        "crossref",
        "1",
        title=" ".join(other[i : i + 5] for i in range(0, len(other), 5)),
        authors=(Person(family="North"),),
    )
    return beside_records(string, Evidence((QueryResult("crossref", Query("title", "x"), Found((record,))),))).uncertain


def paged(*ranges: tuple[int, int]) -> Contents:
    """A volume with works on these pages."""
    works = [record("A work", "Ann Bee", volume="3", pages=f"{first}-{last}") for first, last in ranges]
    return Contents("dblp", "", works)


def in_volume(number: int) -> str:
    """The code of an unknown title in this volume of a journal that had 80 volumes in 80 years, up to the year of the tests."""
    known = [
        record(
            f"Report on mills {volume}", "Ann Bee", source="dblp", venue="Mills", year=year, volume=volume, pages="5-9"
        )
        for volume, year in (("1", 1947), ("80", 2026))
    ]
    cited = reference(
        author="Ada Lovelace", title="On looms", journal="Mills", year="2020", volume=str(number), pages="5--9"
    )
    return outcome(cited, "venue", absent("index"), found(*known, kind="volume", source="index"))[1]


CASES: Mapping[str, tuple[Callable[..., object], Mapping[Any, object]]] = {
    "AGREEING": (agreeing, {9: "similar", 10: "work"}),
    "SAME_PEOPLE": (same_people, {15: False, 16: True}),
    "NEAR_BY_OTHERS": (near_by_others, {15: "target", 16: "near"}),
    "DISTINCTIVE": (distinctive, {4: "similar", 5: "work"}),
    "TELLING": (lambda count: is_distinctive(" ".join(WORDS[:count])), {6: False, 7: True}),
    "YEARS_ASIDE": (lambda year: year_fits(cited_metadata(cited()), there(year=year)), {2020: True, 2021: False}),
    "LISTED_AFTER": (
        lambda year: bool(publishers_lists(cited_metadata(cited(year="2024")), datetime.date(year, 1, 1))),
        {2024: False, 2025: True},
    ),
    "SETTLED_AFTER": (lambda year: closed_stream(cited_metadata(cited(year=year)), TODAY), {"2024": "conf/icml", "2025": ""}),
    "NEAR_IN_ORDER": (lambda count: compare_titles(beginning(20), beginning(count)).relation, {12: "different", 13: "near"}),
    "NEAR_IN_ANY_ORDER": (
        lambda count: compare_titles(" ".join(WORDS), " ".join((WORDS[:count][::-1] + OTHERS)[:20])).relation,
        {16: "different", 17: "near"},
    ),
    "NEAR_LETTERS": (misspelt_letters, {2: "near", 3: "different"}),
    "NEARLY_IN_STRING": (nearly_in_string, {0.75: True, 0.95: False}),
    "DISORDER": (
        lambda count: similarity(" ".join(WORDS), " ".join((WORDS[:count][::-1] + OTHERS)[:20])), {17: 0.765, 18: 0.81}
    ),
    "CUT_TITLE_WORDS": (
        lambda count: compare_titles(" ".join(WORDS[:count]) + "…", " ".join(WORDS)).relation, {3: "different", 4: "short"}
    ),
    "FIRST_E_PRINTS": (with_another_word, {1990: "title-near-miss", 1991: "title-published"}),
    "UNDECORATED_WORDS": (
        lambda title: len(undecorated_forms(title, anchored=False)),
        {"Weaving looms, 3rd ed.": 0, "Weaving old looms, 3rd ed.": 1},
    ),
    "ACCENTED_WORDS": (
        lambda title: may_be_translation("Etude Musique Moderne", title),
        {"Étude Musique Moderne": False, "Étude Musique Modérne": True},
    ),
    "PARTIAL_CREDIT": (
        lambda word, other: similarity(f"alpha {word} bravo", f"alpha {other} bravo"),
        {("abcdefghi", "abcxyzghi"): 0.667, ("abcdefghij", "abcxyzghij"): 0.9},
    ),
    "FUNCTION_DISCOUNT": (
        lambda other: similarity("alpha bravo charlie of", other),
        {"alpha bravo charlie delta of": 0.865, "alpha bravo charlie": 0.968},
    ),
    "MOSTLY_OTHER": (
        lambda fitting, of: people(PEOPLE[:of], PEOPLE[:fitting] + STRANGERS[: of - fitting]),
        {(1, 3): "authors-other", (3, 8): "authors-partly-other"},
    ),
    "FAMILY_NAME_FOR_TYPO": (
        lambda name, other: people([f"Ada {name}", "Grace Hopper"], [f"A. {other}", "Grace Hopper"]),
        {("Katz", "Kats"): "authors-partly-other", ("Kratz", "Krats"): "authors-misspelled"},
    ),
    "FAMILY_NAME_FOR_TWO_TYPOS": (
        lambda name, other: people([f"Ada {name}", "Grace Hopper"], [f"Ada {other}", "Grace Hopper"]),
        {("Lovelac", "Lavelec"): "authors-partly-other", ("Lovelace", "Lavelece"): "authors-misspelled"},
    ),
    "NAME_TYPOS": (
        lambda other: people(["Ada Lovelace", "Grace Hopper"], [f"Ada {other}", "Grace Hopper"]),
        {"Lavelece": "authors-misspelled", "Lavilece": "authors-partly-other"},
    ),
    "SHORTEST_SURNAME": (
        lambda name: same_person(*persons(f"G. {name} Marquez", f"Gabriel {name}")), {"Ru": "different", "Rus": "compatible"}
    ),
    "GIVEN_NAME_ALONE": (
        lambda name: same_person(*persons(name, f"{name} Kumar")), {"Rav": "different", "Ravi": "compatible"}
    ),
    "SOUND_LETTERS": (transliterated, {"yosi": "yosi", "yosif": "iosif"}),
    "GIVEN_NAME_FOR_TYPO": (
        lambda one, other: compare_given((one,), (other,)), {("rank", "ronk"): "differs", ("ranke", "ronke"): "compatible"}
    ),
    "GIVEN_NAME_SLIP": (misspelt_given_name, {("Seymore", "Seymour"): "authors-given-name",
                                              ("Haldon", "Hulder"): "authors-renamed"}),
    "SHORT_FORM_LETTERS": (lambda name: compare_given((name,), ("dobromir",)), {"do": "differs", "dob": "compatible"}),
    "SHORT_ENDING_LETTERS": (lambda name: compare_given((name,), ("oluwasanmi",)), {"nmi": "differs", "anmi": "compatible"}),
    "GLUED_INITIALS": (
        lambda name, names: compare_given((name,), names.split()),
        {("ad", "alan david"): "differs", ("ada", "alan david anton"): "compatible"},
    ),
    "SHORTENED_BY": (lambda name: compare_given((name,), ("samuel",)), {"samue": "differs", "samu": "compatible"}),
    "CLIPPED_BY": (
        lambda name: may_be_other_name(("miltos",), (name,), "smith"), {"miltiade": False, "miltiadis": True}
    ),
    "CONTRACTION_LETTERS": (
        lambda name: may_be_other_name((name,), ("charles",), "smith"), {"chls": True, "chrls": False}
    ),
    "CONTRACTION_CONSONANTS": (
        lambda name: may_be_other_name((name,), ("willem",), "smith"), {"wm": False, "wlm": True}
    ),
    "NAME_PIECES": (lambda name: are_damaged_names(persons(name)), {"Lovelace, Ada": False, "Lovelace, Ada, Turing": True}),
    "MOST_NAMES_WITHOUT_GIVEN": (
        lambda names: are_damaged_names(persons(*names.split("; "))),
        {"Ada Lovelace; Turing": False, "Ada Lovelace; Turing; Hopper": True},
    ),
    "CAPITAL_INITIALS": (given, {"JPA Lovelace": ("j", "p", "a"), "JPAB Lovelace": ("jpab",)}),
    "REPEATED_NAME_LETTERS": (
        lambda name: parse(Person(family=name, given=name)).given_keys, {"Ani": ("ani",), "Anik": ()}
    ),
    "ABBREVIATION_LETTERS": (lambda word: abbreviates(word, "physics"), {"p": False, "ph": True}),
    "CONTRACTION_STEM": (lambda word: abbreviates(word, "national"), {"nal": False, "natl": True}),
    "ACRONYM_LETTERS": (
        compare_venues, {("XQ", "Xenon Quarterly"): "unknown", ("XQR", "Xenon Quarterly Review"): "same"}
    ),
    "TOPIC_WORDS": (
        compare_venues,
        {("Conference on Zoology", "Conference on Poetry"): "unknown",
         ("Conference on Quantum Zoology", "Conference on Medieval Poetry"): "different"},
    ),
    "SHARED_STEM": (lambda name: compare_venues(name, "Zoology"), {"Zoo": "unknown", "Zool": "same"}),
    "INFLECTION_LETTERS": (
        lambda word: compare_venues(f"Conference on Quantum {word}", "Conference on Medieval Formulae"),
        {"Formally": "unknown", "Formation": "different"},
    ),
    "MISSPELT_WORD": (
        compare_venues,
        {("Conference on Quantum Lodge", "Conference on Medieval Dodge"): "different",
         ("Conference on Quantum Lodger", "Conference on Medieval Codger"): "unknown"},
    ),
    "TOPIC_STEM": (
        lambda word: share_topic("Journal of Formation", f"Review of {word}"), {"Formulas": False, "Formaldehyde": True}
    ),
    "JOURNAL_WORDS": (
        venues, {"Computer Graphics, InTech": [], "Behavior Research Methods, Instruments & Computers": ["brm"]}
    ),
    "FULL_NAME_WORDS": (venues, {"AutoML Conference USA": [], "Big Data Conference USA": ["bigdata"]}),
    "PARSED_ACRONYM": (
        venues,
        {"Proceedings of Automatic Face and Gesture Recognition (FG)": [],
         "Proceedings of the Conference on Data Compression (DCC)": ["dcc"]},
    ),
    "WORDS_BEHIND_PREFIX": (
        without_prefix,
        {"Actas de la Zoologia": "Proceedings of the la Zoologia",
         "Actas de la Zoologia Moderna": "Proceedings of the Zoologia Moderna"},
    ),
    "PREFIX_SLIPS": (
        without_prefix,
        {"Proceedgins of the Annual Looms": "Proceedings of the Annual Looms",
         "Prxceedgins of the Annual Looms": "Prxceedgins of the Annual Looms"},
    ),
    "PREFIX_WORD": (
        without_prefix,
        {"The Elavanth Symposium on Looms": "The Elavanth Symposium on Looms",
         "The Fiftaanth Symposium on Looms": "Symposium on Looms"},
    ),
    "ROMAN_ACRONYM": (
        without_prefix,
        {"IV Symposium on Looms": "IV Symposium on Looms", "III Symposium on Looms": "Symposium on Looms"},
    ),
    "TOPIC_OF_EVENT": (
        lambda topic: part(f"{topic}, Proceedings of the 25th International Conference"),
        {"Supercomputing": "beside", "Machine Learning": "main"},
    ),
    "CENTURY_TURN": (
        lambda digits: getattr(match_doi(f"10.18653/v1/p{digits}-1001"), "year", None), {"49": 2049, "50": 1950}
    ),
    "LONG_NAME": (
        lambda name, glued: within(name, f"Conference on Looms and {glued}s of Wool"),
        {("Big Data Conference", "BigDataConference"): "different", ("Computer Vision ECCV", "ComputerVisionECCV"): "unknown"},
    ),
    "MISSPELT_NAME": (
        lambda name: within("Neural Information Processing Systems", f"Conference on Neural Information {name}"),
        {"Processing qyqtqmq": "unknown", "Processiqg qyqtqmq": "different"},
    ),
    "SOMETHING_IN_COMMON": (
        lambda count: ReferenceCase(cited(beginning(20)), evidence(there(beginning(count))), TODAY).retitled_there,
        {4: False, 5: True},
    ),
    "SUBJECT_STEM": (renamed, {"Autumn looms": "arxiv-other-work", "Autonomous looms": "arxiv-retitled"}),
    "COINED_NAME_WORDS": (
        lambda name: published(f"{name}: {TITLE} in old mills", f"{name}: weaving patterns for large looms of silk"),
        {"Delta Product": ("passed", "arxiv-retitled"), "Delta Product Net": ("failed", "arxiv-other-work")},
    ),
    "ENOUGH_PEOPLE": (
        lambda count: published(TITLE, "Weaving patterns", "; ".join(PEOPLE[:count]))[1],
        {2: "arxiv-other-work", 3: "arxiv-retitled"},
    ),
    "RETITLED": (
        lambda count: published(beginning(20), beginning(count))[0], {7: "failed", 8: "passed"}
    ),
    "LATE_E_PRINT": (
        lambda year: (
            fault("e-print", Seen(cited_metadata(cited()), record(TITLE, TWO, "dblp", arxiv="2301.04856", year=year)))
            is None
        ),
        {2019: False, 2020: True},
    ),
    "POSTED_BEFORE": (
        lambda year: outcome(cited(venue="CVPR", year=year, doi="10.1109/cvpr52688.2022.00042"), "doi")[0],
        {"2018": "failed", "2019": "unverifiable"},
    ),
    "WORD_STEM": (
        changed_word,
        {("pi", "pis"): ("failed", "title-near-miss"), ("cat", "cats"): ("unverifiable", "title-variant")},
    ),
    "LONG_WORD": (
        changed_word,
        {("lodge", "dodge"): ("failed", "title-near-miss"), ("lodger", "codger"): ("failed", "title-similar")},
    ),
    "WORD_ENDING": (
        lambda word: changed_word("difference", word, anchored=True),
        {"differenbe": ("failed", "title-near-miss"), "differebce": ("failed", "title-similar")},
    ),
    "FEW_LETTERS": (
        lambda word: changed_word("analysis", word),
        {"anylisis": ("failed", "title-similar"), "onylisis": ("failed", "title-near-miss")},
    ),
    "SAME_WORD": (
        two_slips,
        {("algebraic", "algyyyaic"): ("failed", "title-similar"),
         ("algebraics", "algyyyaics"): ("failed", "title-near-miss")},
    ),
    "SEVERAL_AUTHORS": (
        lambda count: changed_word("analysis", "synthesis", authors="; ".join(PEOPLE[:count]))[1],
        {1: "title-similar", 2: "title-near-miss"},
    ),
    "LEFT_OUT": (left_out, {(6, 4): "authors-left-out", (6, 3): "authors-truncated"}),
    "FIRST_AUTHORS": (left_out, {(20, 10): "authors-left-out", (20, 9): "authors-truncated"}),
    "SLIGHT": (too_many, {(6, 2): "unverifiable", (8, 3): "failed"}),
    "OTHERS_IN_PLACE": (
        other_given_name, {("Grace Hopper",): "failed", ("Grace Hopper", "Alan Turing"): "unverifiable"}
    ),
    "THIRD_SOURCE": (
        while_unseen,
        {("dblp", "crossref"): "authors-unclear", ("dblp", "crossref", "pubmed"): "authors-reordered"},
    ),
    "YEARS_IN_PRESS": (
        lambda year: outcome(article(year), "cross_db", there(venue="Nature", type="article", source="crossref"))[1],
        {"2021": "year-unclear", "2022": "year-other"},
    ),
    "BEYOND_A_VOLUME": (lambda number: bool(beyond_volume(f"10.1109/iccv.2019.{number}")), {"01298": False, "01299": True}),
    "BEYOND_A_PREFIX": (
        lambda prefix: bool(unassigned_prefix(f"10.{prefix}/1", TODAY)),
        {"80497": False, "80498": True},
    ),
    "BEYOND_A_MONTH": (lambda number: bool(beyond_month(f"0704.{number}", TODAY)), {"5617": False, "5618": True}),
    "SEVERAL_WORKS": (lambda count: paged(*[(1, 20), (21, 40), (41, 60)][:count]).paged_through, {2: False, 3: True}),
    "PAGES_COVERED": (lambda first: paged((1, 30), (31, 60), (first, 100)).whole, {71: True, 72: False}),
    "BEYOND_THE_END": (lambda page: paged((1, 100)).is_far_beyond(page), {160: False, 161: True}),
    "VOLUMES_AHEAD": (in_volume, {96: "not-found", 97: "not-in-volume"}),
    "STATING_IT": (stating, {1: "single record", 2: "two records"}),
    "PRINTED_IN_TIME": (
        lambda year: outcome(cited(year=str(year)), "cross_db", *(there(year=year - 1, source=one) for one in TWO_SOURCES))[1],
        {1995: "year-unclear", 1996: "year-other"},
    ),
    "YEARS_APART": (lambda year: mixed(year, "dblp", "crossref"), {"2017": "year-mixed", "2018": "agree"}),
    "PRINTED_AT_THE_EVENT": (printed_after, {2008: "year-unclear", 2009: "year-printed"}),
    "SEVERAL_SOURCES": (
        lambda *sources: mixed("2017", *sources), {("dblp",): "agree", ("dblp", "crossref"): "year-mixed"}
    ),
    "FIRST_PRINT": (
        lambda year: outcome(article(year), "completeness")[1], {"1449": "year-implausible", "1450": "complete"}
    ),
    "MIXED_TITLE_BY_ONE": (lambda count: mixed_up(count, "Ada Lovelace"), {5: "not-found", 6: "title-mixed"}),
    "MIXED_TITLE_BY_SEVERAL": (lambda count: mixed_up(count, TWO), {2: "not-found", 3: "title-mixed"}),
    "EARNED": (lambda bound: Level("a", "registry", 1, 0, 1, bound, 1, "").name(0), {0.949: "warning", 0.95: "error"}),
    "PROBABLE": (lambda share: Level("a", "registry", 1, 0, share, 0, 1, "").name(0), {0.49: "info", 0.5: "warning"}),
    "WORDS_OF_A_NAMESAKE": (
        lambda title: outcome(cited(title), "title", there(title, "Edsger Dijkstra", venue="Annals of Weaving", year=1999))[1],
        {"Looms of Lyon": "title-namesake", "Lyon looms": "not-found"},
    ),
    "RATIO_OF_NAMESAKES": (namesake_at, {0.15: "unverifiable", 0.17: "failed"}),
    "RATIO_OF_RENAMED": (renamed_at, {0.64: "unverifiable", 0.67: "failed"}),
    "HELD_FROM_WORKS": (lambda count: mostly_held("Journal of Machine Learning Research", (2018, count)), {99: False, 100: True}),
    "HELD_SHARE": (lambda count: mostly_held("ICML", (2018, count), (2017, 200)), {99: False, 100: True}),
    "YEARS_AROUND": (lambda year: mostly_held("ICML", (2018, 30), (year, 100)), {2016: False, 2015: True}),
    "HELD_LACK": (lacking, {19: 0.0, 20: 0.035}),
    "LISTS_LACK": (lists_that_lack, {12: True, 13: False}),
    "COVERED_FROM_WORKS": (covered_by, {19: False, 20: True}),
    "YEARS_AHEAD": (lambda year: outcome(article(year), "completeness")[1], {"2027": "complete", "2028": "year-future"}),
    "CHANGED": (
        lambda count: type_of(beginning(count), venue="NeurIPS"), {14: "chimeric_title", 15: "near_miss_title"}
    ),
    "CHANGED_TITLE_AT_VENUE": (
        lambda count: type_of(beginning(count), "Hugo Abbott; Iris Bishop"),
        {11: "plausible_fabrication", 12: "hybrid_fabrication"},
    ),
    "OWN_QUERIES": (own_questions("default"), {4: True, 5: False}),
    "OWN_QUERIES_ARENA": (own_questions("arena"), {6: True, 7: False}),
    "FEW_WORKS": (shown_of, {5: True, 6: False}),
    "MANY_WORKS": (namesakes, {50: 50, 51: 0}),
    "YEARS_TOGETHER": (years_later, {8: 1, 9: 0}),
    "COVERED_FROM": (is_covered, {1995: True, 1994: False}),
    "LISTED_WITHIN": (is_listed_after, {181: True, 180: False}),
    "PRIOR_OF_PAPERS": (lambda others: missing(others)[1], {1: 0.0119, 4: 0.4757}),
    "PRIOR_OF_MODELS": (open_probability, {thresholds.PRIOR_OF_MODELS: 0.5858, 0.2: 0.4521}),
    "MISS_LIMIT": (unfindable_among, {2: "title-unfindable", 3: "unavailable"}),
    "EXPECTED_SIZE": (after_misses, {1: 0.04682, 2: 0.05784}),
    "EXPLAINED_GAPS": (lambda by: missed_after(Controls(), by=[by]).mean, {"dblp": 0.02135, "crossref": 0.15821}),
    "DEPENDENCE": (after_searches, {("crossref",): 0.03698, ("crossref", "openalex"): 0.00786}),
    "CALIBRATION_TRIALS": (calibrated, {49: 49, 50: 50, 51: 50}),
    "CALIBRATION_MONTHS": (calibrated, {(5, 6): 5, (5, 7): 0}),
    "HELD_WORKS": (held, {(2015,): False, (2015, 2015): True}),
    "HELD_YEARS": (held, {(2013, 2017): True, (2012, 2018): False}),
    "SHARE_WHERE_INVENTED": (lambda others: missing(others)[1], {2: 0.0503, 6: 0.7796}),
    "TRIALS_ELSEWHERE": (after_trials_elsewhere, {99: 0.01854, 100: 0.01845, 101: 0.01845}),
    "DOUBT_OF_A_SEARCH": (lambda missed: missed_after(searched("dblp", 0, missed)).mean, {1: 0.05661, 2: 0.1145}),
    "DOUBT_OF_A_STRATUM": (lambda missed: missing(1, missed)[0], {1: 0.00781, 4: 0.02903}),
    "PROBABLY_INVENTED": (
        lambda others: unfindable_among(others, limit=0.0, outage=False), {3: "title-unfindable", 2: "not-found"}
    ),
    "MISSED_WHERE_OPEN": (open_probability, {0.0004: 0.0013, 0.3: 0.5858}),
    "INVENTED_NOT_FOUND": (lambda prior: round(probability_invented(0.1, prior), 3), {0.1: 0.524, 0.5: 0.908}),
    "TELLING_PART": (lambda count: separate_parts(" ".join(["word"] * count) + ": a b c d"), {
        3: ["word word word", "a b c d"], 2: ["a b c d"]}),
    "FEWEST_OF_A_SEARCH": (lambda count: told_of(0, count), {5: True, 4: False}),
    "FOUND_BY_A_SEARCH": (lambda count: told_of(count, 20 - count), {9: True, 10: False}),
    "WORTH_OF_A_PRIOR": (share_of_file, {3: 0.0336, 0: 0.0004}),
    "CONTROL_REQUESTS": (lambda known: questions_asked(known)[0]["semantic_scholar"], {79: 20, 78: 10}),
    "MOST_CONTROLS": (lambda known: questions_asked(known)[0]["semantic_scholar"], {500: 100, 398: 90}),
    "CONTROLS_ALONE": (lambda known: questions_asked(known, "semantic_scholar")[0]["crossref"] - 1, {200: 3, 79: 2}),
    "ENTAILMENT_PASS": (lambda share: verdict_of(share, 0.0), {0.9: "Supported", 0.89: None}),
    "ENTAILMENT_FAIL": (lambda share: verdict_of(0.0, share), {0.95: "Not supported", 0.94: None}),
}  # fmt: skip
"""A public function for each threshold, with its results for inputs on either side."""


@pytest.mark.parametrize(
    ("name", "given_", "expected"),
    [
        pytest.param(name, given_, expected, id=f"{name}-{given_}")
        for name, (_, sides) in CASES.items()
        for given_, expected in sides.items()
    ],
)
def test_on_either_side(name: str, given_: object, expected: object) -> None:
    function = CASES[name][0]
    assert function(*given_ if isinstance(given_, tuple) else (given_,)) == expected


def test_every_threshold_has_cases_whose_outcomes_differ() -> None:
    assert set(THRESHOLDS) == set(CASES)
    assert [name for name, (_, sides) in CASES.items() if len(set(map(repr, sides.values()))) < 2] == []


def test_a_row_is_the_number_that_the_rooms_import() -> None:
    for name, row in THRESHOLDS.items():
        assert (row.name, row.value) == (name, getattr(thresholds, name))
        assert row.unit, name
        assert row.why, name
