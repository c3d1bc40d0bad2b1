"""Microseconds per comparison of names, author lists and venues: ``python benchmarks/match_names.py``."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

from pytest_citecheck.inputs import name_list
from pytest_citecheck.matching import all_venues, compare_authors, compare_venues, lookup, same_person
from pytest_citecheck.model import NameList, Person

LIST = "Ashish Vaswani and Noam Shazeer and Niki Parmar and Jakob Uszkoreit and Llion Jones"


def measure(label: str, action: Callable[[], object], repeat: int) -> None:
    """Prints the mean time of ``action`` in microseconds."""
    action()
    start = time.perf_counter()
    for _ in range(repeat):
        action()
    print(f"{label:52s} {(time.perf_counter() - start) / repeat * 1e6:10.2f} µs")


def made_up(rng: random.Random, count: int) -> list[Person]:
    """Persons with names of random letters, a third of them with one of three family names."""

    def word() -> str:
        return "".join(rng.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(7)).capitalize()

    common = ("Wang", "Li", "Zhang")
    return [Person(given=word(), family=rng.choice(common) if rng.random() < 0.33 else word()) for _ in range(count)]


def main() -> None:
    rng = random.Random(1)
    start = time.perf_counter()
    all_venues()
    print(f"{'reading the table of venues':52s} {(time.perf_counter() - start) * 1e6:10.2f} µs")

    cited = name_list(LIST)
    found = [Person(literal=name) for name in LIST.split(" and ")]
    measure("reading a list of 5", lambda: name_list(LIST), 2000)
    measure("equal lists of 5", lambda: compare_authors(cited, found), 5000)
    measure("lists of 5 and 4", lambda: compare_authors(NameList(cited.names[:4]), found), 2000)
    measure("cached pair of names", lambda: same_person(found[0], cited.names[0]), 20000)

    fresh = iter(made_up(rng, 40000))
    measure("new pair of names", lambda: same_person(next(fresh), next(fresh)), 10000)

    long = made_up(rng, 3000)
    shuffled = NameList(tuple(rng.sample(long, len(long))))
    strangers = NameList(tuple(made_up(rng, 3000)))
    measure("3,000 names in another order", lambda: compare_authors(shuffled, long), 1)
    measure("3,000 names against 3,000 strangers", lambda: compare_authors(strangers, long), 1)

    numbers = iter(range(10**6))
    measure("looking up a new text", lambda: lookup(f"Proceedings of the {next(numbers)}th ICML, Vienna"), 3000)
    measure("cached pair of venues", lambda: compare_venues("ICML", "Nature"), 20000)
    measure("new pair of venues", lambda: compare_venues("ICML", f"Journal of Results {next(numbers)}x"), 3000)


if __name__ == "__main__":
    main()
