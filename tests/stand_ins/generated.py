"""A generated world of any size: works as facts for the local services, and a bibliography that cites them.

Sixty of every hundred references have a DOI, fifteen an arXiv id, and twenty neither (half of these are papers of a conference
that assigns none). Five are invented, three of these with an unregistered DOI. Titles and names consist of made-up words, so
that no two works are similar by chance.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from tests.stand_ins.facts import ArxivRecord, DblpRecord, Facts, Name, Work

_CONSONANTS = (
    "b",
    "d",
    "f",
    "g",
    "k",
    "l",
    "m",
    "n",
    "p",
    "r",
    "s",
    "t",
    "v",
    "w",
    "br",
    "cl",
    "dr",
    "fl",
    "gr",
    "pl",
    "st",
    "tr",
)
_JOURNALS = (
    "Journal of Machine Learning Research",
    "Physical Review Letters",
    "The Lancet",
    "Communications of the ACM",
)
_CONFERENCE = "Advances in Neural Information Processing Systems"


@dataclass(frozen=True, slots=True)
class World:
    """The facts, the bibliography in BibTeX, and the keys of the references that are invented."""

    facts: Facts
    bibliography: str
    invented: frozenset[str]


def generated_world(count: int, seed: int = 1) -> World:
    """A world with a bibliography of ``count`` references; the same for the same seed."""
    dice = random.Random(seed)  # noqa: S311 - no secrets here
    works: list[Work] = []
    entries: list[str] = []
    invented = set()
    for number in range(count):
        place = number * 37 % 100  # spreads the kinds evenly over the file
        title = _title(dice)
        people = tuple(
            Name(given=_word(dice, 2).title(), family=_word(dice, 3).title()) for _ in range(dice.randint(2, 5))
        )
        year = dice.randint(2009, 2023)
        key = f"key{number}"
        if place < 60:
            work = _registered(number, title, people, year, dice.choice(_JOURNALS))
            entries.append(_entry("article", key, title, people, year, journal=work.container, doi=work.doi))
        elif place < 75:
            work = _preprint(number, title, people, year)
            assert work.arxiv is not None
            entries.append(_entry("misc", key, title, people, year, eprint=work.arxiv.id, archiveprefix="arXiv"))
        elif place < 85:
            work = _proceedings(number, title, people, year)
            entries.append(_entry("inproceedings", key, title, people, year, booktitle=_CONFERENCE))
        elif place < 95:
            work = _registered(number, title, people, year, dice.choice(_JOURNALS))
            entries.append(_entry("article", key, title, people, year, journal=work.container))
        else:
            invented.add(key)
            extra = {"doi": f"10.1000/nowhere.{number}"} if place < 98 else {}
            entries.append(_entry("inproceedings", key, title, people, year, booktitle=_CONFERENCE, **extra))
            continue
        works.append(work)
    facts = Facts(tuple(works), {"10.48550": "DataCite", "10.1000": "Crossref", "10.2000": "DataCite"})
    return World(facts, "\n".join(entries), frozenset(invented))


def _word(dice: random.Random, syllables: int) -> str:
    return "".join(dice.choice(_CONSONANTS) + dice.choice("aeiou") for _ in range(syllables))


def _title(dice: random.Random) -> str:
    return " ".join(_word(dice, dice.randint(2, 4)) for _ in range(dice.randint(5, 10))).capitalize()


def _entry(kind: str, key: str, title: str, people: tuple[Name, ...], year: int, **fields: str) -> str:
    authors = " and ".join(f"{name.family}, {name.given}" for name in people)
    listed = {"author": authors, "title": title, "year": str(year), **fields}
    lines = ",\n".join(f"  {name} = {{{value}}}" for name, value in listed.items())
    return f"@{kind}{{{key},\n{lines}\n}}\n"


def _registered(number: int, title: str, people: tuple[Name, ...], year: int, journal: str) -> Work:
    return Work(
        id=f"work{number}",
        title=title,
        type="journal-article",
        authors=people,
        container=journal,
        issued=(year,),
        doi=f"10.1000/work.{number}",
        agency="Crossref",
    )


def _preprint(number: int, title: str, people: tuple[Name, ...], year: int) -> Work:
    arxiv = ArxivRecord(
        id=f"{year % 100:02}01.{number:05}" if year > 2014 else f"{year % 100:02}01.{number % 10_000:04}",
        version=1,
        published=(year, 1, 5),
        updated=(year, 1, 5),
        title=title,
        authors=people,
        category="cs.LG",
    )
    return Work(id=f"work{number}", title=title, type="posted-content", authors=people, arxiv=arxiv)


def _proceedings(number: int, title: str, people: tuple[Name, ...], year: int) -> Work:
    record = DblpRecord(
        key=f"conf/nips/{people[0].family}{number}",
        year=str(year),
        type="Conference and Workshop Papers",
        title=title,
        authors=tuple(map(str, people)),
        venues=("NeurIPS",),
    )
    return Work(
        id=f"work{number}",
        title=title,
        type="proceedings-article",
        authors=people,
        container=_CONFERENCE,
        issued=(year,),
        dblp=(record,),
    )
