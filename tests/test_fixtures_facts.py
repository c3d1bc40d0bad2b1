"""Consistency of the fixtures: facts about real works, correct citations of them, and wrong ones with evidence."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from bibtexparser.entrypoint import parse_string
from pylatexenc.latex2text import LatexNodes2Text
from rapidfuzz.fuzz import ratio

from pytest_citecheck.checks import CHECKS
from tests.stand_ins import load_facts
from tests.stand_ins.facts import Facts, Name, Work

ROOT = Path(__file__).parent.parent
FACTS: Facts = load_facts(ROOT / "tests" / "stand_ins" / "facts.yaml")
WORKS: Mapping[str, Work] = {work.id: work for work in FACTS.works}

REQUIRED = {
    "article": ("author", "title", "journal|journaltitle", "year|date"),
    "inproceedings": ("author", "title", "booktitle", "year|date"),
    "incollection": ("author", "title", "booktitle", "publisher", "year|date"),
    "book": ("author", "title", "publisher", "year|date"),
    "phdthesis": ("author", "title", "school", "year|date"),
    "techreport": ("author", "title", "institution", "year|date"),
    "misc": ("author", "title", "year|date"),
    "online": ("author", "title", "year|date"),
    "dataset": ("author", "title", "publisher", "year|date"),
    "software": ("author", "title", "publisher", "year|date"),
}
LAST_YEAR_OF_THE_PRESENT = 2027

_LATEX = LatexNodes2Text(math_mode="text", keep_comments=False)


@dataclass(frozen=True)
class Cited:
    """One entry: its raw fields and their comparable values."""

    key: str
    type: str
    fields: Mapping[str, str]
    kind: str = ""
    failing: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        return folded(_text(f"{self.fields['title']} {self.fields.get('subtitle', '')}"))

    @property
    def year(self) -> int:
        return int(self.fields.get("year", self.fields.get("date", ""))[:4])

    @property
    def doi(self) -> str:
        stated = self.fields.get("doi") or self.fields.get("url", "")
        match = re.search(r"10\.\d{4,9}/\S+", stated.replace("\\_", "_"))
        return match.group().lower() if match else ""

    @property
    def isbn(self) -> str:
        """The first 13 digits: an ISBN of 10 gets the prefix and the check digit of the longer form."""
        digits = self.fields.get("isbn", "").replace("-", "")
        if len(digits) != 10:
            return digits
        body = "978" + digits[:9]
        return body + str(-sum(int(digit) * (1, 3)[place % 2] for place, digit in enumerate(body)) % 10)

    @property
    def arxiv(self) -> str:
        if self.fields.get("archiveprefix", "arXiv") != "arXiv":
            return ""
        places = (self.fields.get(name, "") for name in ("url", "journal", "howpublished"))
        stated = self.fields.get("eprint") or " ".join(place for place in places if "arxiv" in place.casefold())
        match = re.search(r"\d{4}\.\d{4,5}|[a-z-]+/\d{7}", stated)
        return match.group() if match else ""

    @property
    def authors(self) -> tuple[str, ...]:
        """Family names (of a mononym or a group, the name), folded, without ``others``."""
        names = re.split(r"\s+and\s+", self.fields["author"])
        return tuple(_family(name) for name in names if name != "others")

    @property
    def cut_openly(self) -> bool:
        return self.fields["author"].endswith(" and others")


def _text(latex: str) -> str:
    return str(_LATEX.latex_to_text(latex))


def folded(text: str) -> str:
    """Letters and digits only: no accents, case, spaces or punctuation; Greek letters by name."""
    plain = []
    for char in unicodedata.normalize("NFKD", text):
        name = unicodedata.name(char, "")
        greek = re.fullmatch(r"GREEK (?:SMALL|CAPITAL) LETTER (\w+)", name)
        plain.append(greek.group(1) if greek else char if char.isalnum() and not unicodedata.combining(char) else "")
    return "".join(plain).casefold().replace("ł", "l")


def _family(name: str) -> str:
    """The family name of one BibTeX name, compared by its last word only (particles and compounds vary)."""
    if name.startswith("{") and name.endswith("}") and name.count("{") == 1:
        return folded(name.strip("{}"))
    family = name.partition(",")[0] if "," in name else name
    return folded(_text(family).split()[-1])


def _family_of(name: Name) -> str:
    return folded(name.literal or name.family.split()[-1])


def _authors_of(work: Work) -> tuple[str, ...]:
    return tuple(map(_family_of, work.authors))


def _titles(work: Work) -> set[str]:
    titles = {work.title, f"{work.crossref_title} {work.subtitle}", work.crossref_title}
    titles |= {record.title for record in work.dblp} | ({f"{work.title}: {work.summary}"} if work.summary else set())
    if work.arxiv:
        titles.add(work.arxiv.title)
    return {folded(title) for title in titles if title.strip()}


def _years(work: Work) -> set[int]:
    dates = [work.issued, work.print, work.online, *([work.arxiv.published] if work.arxiv else [])]
    released = range(work.issued[0], int(work.last_year) + 1) if work.last_year else ()
    return {date[0] for date in dates if date} | {int(record.year) for record in work.dblp} | set(released)


def _entries(path: Path) -> tuple[Cited, ...]:
    text = path.read_text(encoding="utf-8")
    library = parse_string(text)
    assert not library.failed_blocks
    remarks = {
        key: (kind, tuple(checks.split(", ")))
        for kind, checks, key in re.findall(
            r"^% type: (\w+); expected failing checks: ([\w, ]+)\n@\w+\{([^,\s]+),", text, re.MULTILINE
        )
    }
    return tuple(
        Cited(
            entry.key,
            entry.entry_type,
            {field.key.lower(): " ".join(str(field.value).split()) for field in entry.fields},
            *remarks.get(entry.key, ()),
        )
        for entry in library.entries
    )


REFS = _entries(ROOT / "fixtures" / "refs.bib")
WRONG = _entries(ROOT / "fixtures" / "hallucinated.bib")


def _keys(entries: Iterable[Cited]) -> list[str]:
    return [entry.key for entry in entries]


def _titled(entry: Cited) -> list[Work]:
    return [work for work in FACTS.works if entry.title in _titles(work)]


def _identified(entry: Cited) -> Work:
    """The work behind the entry's identifier."""
    works = [
        work
        for work in FACTS.works
        if (entry.doi and work.doi.lower() == entry.doi)
        or (work.arxiv and work.arxiv.id == entry.arxiv)
        or (entry.isbn and entry.isbn in work.isbn)
        or any(number and entry.fields.get("url", "").endswith(f"/{number}") for number in (work.hal, work.nnt))
    ]
    assert len(works) == 1, entry.key
    return works[0]


def _of(kind: str) -> list[Cited]:
    return [entry for entry in WRONG if entry.kind == kind]


# ----- the facts ------------------------------------------------------------------------------------------


def test_facts_hold_more_works_than_are_cited() -> None:
    distractors = set(WORKS) - set(_keys(REFS))
    assert len(distractors) >= 30


def test_some_facts_share_a_title() -> None:
    titles = Counter(folded(work.title) for work in FACTS.works)
    assert sum(count > 1 for count in titles.values()) >= 8


def test_isbns_and_issns_have_valid_check_digits() -> None:
    for work in FACTS.works:
        for isbn in work.isbn:
            assert sum(int(digit) * (1, 3)[place % 2] for place, digit in enumerate(isbn)) % 10 == 0, isbn
            assert len(isbn) == 13
        for issn in work.issn:
            digits = [10 if char == "X" else int(char) for char in issn.replace("-", "")]
            assert sum(digit * (8 - place) for place, digit in enumerate(digits)) % 11 == 0, issn


def test_facts_hold_no_paper_of_a_volume_without_doi_at_crossref() -> None:
    without = ("Advances in Neural", "International Conference on Learning", "Journal of Machine Learning Research")
    assert not [work.id for work in FACTS.works if work.doi and work.container.startswith(without)]


# ----- right citations ------------------------------------------------------------------------------------


def test_right_citations_are_as_many_as_planned_and_each_has_its_fact() -> None:
    assert 100 <= len(REFS) <= 200
    assert len(set(_keys(REFS))) == len(REFS)
    assert set(_keys(REFS)) <= set(WORKS)


@pytest.mark.exhaustive
@pytest.mark.parametrize("entry", REFS, ids=_keys(REFS))
def test_right_citation_agrees_with_the_facts(entry: Cited) -> None:
    work = WORKS[entry.key]
    for alternatives in REQUIRED[entry.type]:
        assert any(entry.fields.get(name) for name in alternatives.split("|")), alternatives
    assert entry.title in _titles(work)
    known = [re.sub(r"^the", "", name) for name in _authors_of(work)]
    cited = [re.sub(r"^the", "", name) for name in entry.authors]
    if entry.cut_openly:
        assert cited == known[: len(cited)]
    elif len(cited) == 1 and "collaboration" in cited[0]:
        assert cited[0] in known  # a collaboration stands for its members
    else:
        assert cited == known
    published = [other for other in FACTS.works if work.published and other.doi == work.published]
    assert entry.year in set().union(*map(_years, (work, *published)))
    if entry.doi and not entry.doi.startswith("10.48550/"):
        assert entry.doi == work.doi.lower()
    if entry.arxiv:
        assert work.arxiv
        assert entry.arxiv == work.arxiv.id
    assert not entry.isbn or entry.isbn in work.isbn or not work.isbn
    if work.type == "journal-article":
        assert entry.fields["volume"] == work.volume
        number = entry.fields.get("number", entry.fields.get("issue"))
        assert number in (None, work.issue)
        if work.pages and "pages" in entry.fields:
            cited_pages = entry.fields["pages"].replace("--", "-")
            assert cited_pages == work.pages or cited_pages.startswith(f"{work.pages}-")


def test_right_citations_are_written_in_many_styles() -> None:
    fields = [entry.fields for entry in REFS]
    dois = [field["doi"] for field in fields if "doi" in field]
    assert 4 <= sum(entry.cut_openly for entry in REFS) <= 16
    assert any(doi.startswith("https://doi.org/") for doi in dois)
    assert any(doi.startswith("doi:") for doi in dois)
    assert any(re.search(r"/[A-Z]+\.", doi) for doi in dois)
    assert sum("date" in field for field in fields) >= 3
    assert sum("," in field["author"] for field in fields) >= 20
    assert sum("," not in field["author"] for field in fields) >= 15
    assert sum("$" in field["title"] for field in fields) >= 3
    assert sum("\\" in field["author"] for field in fields) >= 8
    assert len({entry.type for entry in REFS}) >= 8


# ----- wrong citations ------------------------------------------------------------------------------------


def test_wrong_citations_are_of_fourteen_types_with_three_or_more_each() -> None:
    assert 56 <= len(WRONG) <= 100
    counts = Counter(entry.kind for entry in WRONG)
    assert "" not in counts
    assert len(counts) == 14
    assert min(counts.values()) >= 3
    assert not set(_keys(WRONG)) & set(_keys(REFS))


def test_wrong_citations_name_known_checks_and_carry_type_and_number_in_their_keys() -> None:
    numbers: Counter[str] = Counter()
    for entry in WRONG:
        numbers[entry.kind] += 1
        assert entry.key.startswith(f"{entry.kind.replace('_', '-')}-{numbers[entry.kind]}-")
        assert entry.failing
        assert set(entry.failing) <= set(CHECKS)


@pytest.mark.exhaustive
def test_fabricated_dois_are_registered_nowhere_but_the_works_are_real() -> None:
    known = {work.doi.lower() for work in FACTS.works}
    prefixes = [entry.doi.partition("/")[0] in FACTS.prefixes for entry in _of("fabricated_doi")]
    assert True in prefixes
    assert False in prefixes
    for entry in _of("fabricated_doi"):
        assert entry.doi not in known
        assert any(_authors_of(work) == entry.authors for work in _titled(entry)), entry.key


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", ["nonexistent_venue", "wrong_venue", "future_date", "arxiv_version_mismatch"])
def test_only_venue_or_year_of_a_real_work_is_wrong(kind: str) -> None:
    for entry in _of(kind):
        works = [work for work in _titled(entry) if _authors_of(work) == entry.authors]
        assert works, entry.key
        if entry.doi or entry.arxiv:
            assert _identified(entry) in works
        known = set().union(*map(_years, works))
        if kind == "future_date":
            assert entry.year > LAST_YEAR_OF_THE_PRESENT
        elif kind == "arxiv_version_mismatch":
            assert entry.year not in known
            assert {entry.year - 1, entry.year + 1} & known
        else:
            assert entry.year in known
        if kind != "future_date":
            cited = folded(_text(entry.fields.get("booktitle") or entry.fields["journal"]))
            held = [work.container for work in works]
            assert all(ratio(cited, folded(container)) < 75 for container in held), entry.key


@pytest.mark.exhaustive
def test_placeholder_authors_stand_in_no_record_of_the_work() -> None:
    for entry in _of("placeholder_authors"):
        works = _titled(entry)
        assert works
        assert not set(entry.authors) & {name for work in works for name in _authors_of(work)}


@pytest.mark.exhaustive
def test_swapped_authors_are_those_of_another_work() -> None:
    lists = {_authors_of(work) for work in FACTS.works}
    for entry in _of("swapped_authors"):
        works = _titled(entry)
        assert works
        assert entry.authors in lists
        assert entry.authors not in map(_authors_of, works)


@pytest.mark.exhaustive
def test_partial_author_lists_keep_first_and_last_of_five_or_more() -> None:
    for entry in _of("partial_author_list"):
        (known,) = {_authors_of(work) for work in _titled(entry)}
        assert len(known) >= 5
        assert not entry.cut_openly
        assert len(entry.authors) < len(known)
        assert set(entry.authors) < set(known)
        assert (entry.authors[0], entry.authors[-1]) == (known[0], known[-1])


@pytest.mark.exhaustive
def test_near_miss_titles_are_near_a_real_title_of_the_same_authors_and_year() -> None:
    identified = 0
    for entry in _of("near_miss_title"):
        assert not _titled(entry), entry.key
        works = [work for work in FACTS.works if _authors_of(work) == entry.authors and entry.year in _years(work)]
        assert max(ratio(entry.title, folded(work.title)) for work in works) > 80
        identified += bool(entry.doi or entry.arxiv)
    assert 2 <= identified < len(_of("near_miss_title"))


@pytest.mark.exhaustive
@pytest.mark.parametrize(("kind", "real_authors"), [("chimeric_title", True), ("hybrid_fabrication", False)])
def test_invented_titles_stand_over_a_real_identifier(kind: str, real_authors: bool) -> None:
    for entry in _of(kind):
        work = _identified(entry)
        assert not _titled(entry)
        assert (entry.authors == _authors_of(work)) is real_authors
        assert real_authors or not set(entry.authors) & set(_authors_of(work))


def test_merged_citations_take_the_authors_of_another_work() -> None:
    lists = {_authors_of(work) for work in FACTS.works}
    for entry in _of("merged_citation"):
        work = _identified(entry)
        assert entry.title in _titles(work)
        assert entry.authors in lists
        assert entry.authors != _authors_of(work)
        assert entry.year not in _years(work)


@pytest.mark.exhaustive
def test_preprints_as_published_are_known_as_preprints_or_from_elsewhere() -> None:
    elsewhere = 0
    for entry in _of("preprint_as_published"):
        (work,) = _titled(entry)
        assert entry.type == "inproceedings"
        assert work.arxiv
        assert {venue for record in work.dblp for venue in record.venues if record.type.startswith("Inf")} == {"CoRR"}
        if work.arxiv.journal_ref:
            elsewhere += 1
        else:
            assert all(record.type.startswith("Informal") for record in work.dblp)
    assert elsewhere == 1


@pytest.mark.exhaustive
def test_plausible_fabrications_are_denied_by_what_they_cite() -> None:
    entries = _of("plausible_fabrication")
    dois, arxiv_ids = (
        {work.doi.lower() for work in FACTS.works if work.doi},
        {w.arxiv.id for w in FACTS.works if w.arxiv},
    )
    families = {name for work in FACTS.works for name in _authors_of(work)}
    for entry in entries:
        assert not _titled(entry)
        assert not set(entry.authors) & families
    assert sum(bool(entry.doi) and entry.doi not in dois for entry in entries) == 1
    assert sum(entry.doi in dois for entry in entries) == 1
    assert sum(bool(entry.arxiv) and entry.arxiv not in arxiv_ids for entry in entries) == 1
    catalogued = [entry for entry in entries if {"RFC", "W3C", "CRAN"} & set(re.findall(r"\w+", str(entry.fields)))]
    assert len(catalogued) == 4
    assert sum(not (entry.doi or entry.arxiv) for entry in entries) == 1 + len(catalogued)
    for entry in entries:
        assert not entry.doi or entry.doi.partition("/")[0] in FACTS.prefixes
