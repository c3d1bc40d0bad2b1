"""A generated bibliography of any size, with the databases' records for it."""

from __future__ import annotations

import random

from pytest_citecheck.model import Evidence, Found, Person, Query, QueryResult, Record

_WORDS = (
    "adaptive robust sparse deep causal neural graph kernel bayesian spectral quantum stochastic convex latent "
    "hierarchical distributed online federated contrastive variational symbolic temporal spatial dynamic efficient "
    "scalable private fair verified parallel learning inference optimisation estimation detection synthesis analysis "
    "recognition prediction retrieval planning control search sampling compression translation segmentation "
    "networks models systems algorithms programs databases agents markets proteins images languages signals"
).split()
_GIVEN = (
    "Ada Alan Barbara Chen Dmitri Elena Fatima Grace Hiro Ingrid João Kurt Leslie Mei Noor Olga Pedro Radia".split()
)
_FAMILY = (
    "Lovelace Turing Liskov Wei Ivanov García Müller Hopper Tanaka Nyström Silva Gödel Lamport Zhang Hassan Petrova "
    "Sánchez Perlman Okafor Nguyễn Kowalski O'Brien Dubois Rossi Haddad Johansson Kim Novák Yılmaz Popescu"
).split()
_VENUES = (
    ("Journal of Machine Learning Research", "article"),
    ("Proceedings of the IEEE Conference on Computer Vision and Pattern Recognition", "inproceedings"),
    ("Communications of the ACM", "article"),
    ("Physical Review Letters", "article"),
    ("Proceedings of the International Conference on Machine Learning", "inproceedings"),
)


def works(count: int, seed: int = 1) -> list[Record]:
    """Return ``count`` made-up works, the same for the same seed."""
    random_ = random.Random(seed)
    made = []
    for number in range(count):
        venue, kind = random_.choice(_VENUES)
        authors = tuple(
            Person(family=random_.choice(_FAMILY), given=random_.choice(_GIVEN)) for _ in range(random_.randint(2, 6))
        )
        title = " ".join(random_.sample(_WORDS, random_.randint(5, 10))).capitalize() + f" {number}"
        made.append(
            Record(
                source="crossref",
                id=f"10.5555/{number}",
                url=f"https://doi.org/10.5555/{number}",
                title=title,
                authors=authors,
                years=(random_.randint(1990, 2025),),
                venues=(venue,),
                type="article" if kind == "article" else "inproceedings",
                doi=f"10.5555/{number}",
            )
        )
    return made


def bibtex(records: list[Record], *, wrong: float = 0.0) -> str:
    """The works as a .bib file; a share ``wrong`` (in steps of 1/60) of the checks fails, one a reference."""
    entries = []
    for number, record in enumerate(records):
        container = "journal" if record.type == "article" else "booktitle"
        title = record.title
        if number % 10 < round(60 * wrong):
            title = title.replace(title.split()[1], "invented", 1)
        authors = " and ".join(f"{person.family}, {person.given}" for person in record.authors)
        entries.append(
            f"@{record.type}{{key{number},\n  author = {{{authors}}},\n  title = {{{title}}},\n"
            f"  {container} = {{{record.venues[0]}}},\n  year = {{{record.years[0]}}},\n  doi = {{{record.doi}}}\n}}\n"
        )
    return "\n".join(entries)


def evidence(record: Record) -> Evidence:
    """Return the evidence that Crossref and DBLP would provide for this work."""
    date = "2026-11-20T12:00:00Z"
    other = Record(
        source="dblp", id=f"rec/{record.id}", url=f"https://dblp.org/rec/{record.id}", title=record.title,
        authors=record.authors, years=record.years, venues=record.venues, type=record.type, doi=record.doi,
    )  # fmt: skip
    return Evidence(
        (
            QueryResult("crossref", Query("doi", record.doi), Found((record,)), "https://api.crossref.org/works", date),
            QueryResult(
                "dblp", Query("title", record.title), Found((other,)), "https://dblp.org/search/publ/api", date
            ),
        )
    )
