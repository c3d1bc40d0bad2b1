"""Entries with one mutation each, written in many styles, and an engine that answers with the evidence of the originals."""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from pytest_citecheck.checks import Evaluation, evaluate
from pytest_citecheck.fixing import as_latex
from pytest_citecheck.inputs import cited_metadata, read_bibtex
from pytest_citecheck.model import Absent, Evidence, Query, QueryResult, Reference
from tests.support.evidence_builders import TODAY

MUTATIONS = ("title", "authors_left_out", "authors_other", "venue", "year", "future", "doi")
_WORDS = ("Adaptive", "Sparse", "Recurrent", "Thermal", "Municipal", "Stochastic", "Hybrid", "Latent")


@dataclass(frozen=True, slots=True)
class Mutated:
    """An entry with a mutation. original: it without; kind: of the mutation; field: the one that changed; fields: as written."""

    original: Reference
    kind: str
    field: str
    type: str
    fields: Mapping[str, str]
    key: str


def mutated(originals: Sequence[Reference], kind: str, number: int, dice: random.Random) -> Mutated | None:
    """One of these entries with a mutation of this kind; None if it has nothing to mutate."""
    one = dice.choice(originals)
    raw = dict(one.raw)
    field = _field(kind, raw)
    if not field or raw.get(field, "") == "" or "crossref" in raw:
        return None
    value = _CHANGES[kind](raw[field], one, originals, dice)
    if not value or value == raw[field]:
        return None
    return Mutated(one, kind, field, one.type, raw | {field: value}, f"{one.key}-{number}")


def _field(kind: str, raw: Mapping[str, str]) -> str:
    """The field that a mutation of this kind changes; empty if the entry has none."""
    if kind == "venue":
        return next((name for name in ("journal", "booktitle") if raw.get(name)), "")
    if kind == "doi":
        return "doi" if raw.get("doi", "").startswith("10.") else ""
    return {"title": "title", "authors_left_out": "author", "authors_other": "author"}.get(kind, "year")


def _other_title(value: str, one: Reference, originals: Sequence[Reference], dice: random.Random) -> str:
    words = value.split(" ")
    long = [place for place, word in enumerate(words) if place and len(word) > 5 and word.isalpha()]
    if not long or len(words) < 5:
        return ""
    words[dice.choice(long)] = dice.choice(_WORDS)
    return " ".join(words)


def _left_out(value: str, one: Reference, originals: Sequence[Reference], dice: random.Random) -> str:
    names = re.split(r"\s+and\s+", value)
    if len(names) < 3 or names[-1] == "others":
        return ""
    return " and ".join([names[0], *names[-1:]])


def _other_venue(value: str, one: Reference, originals: Sequence[Reference], dice: random.Random) -> str:
    field = _field("venue", one.raw)
    others = sorted(
        {other.raw[field] for other in originals if other.type == one.type and other.raw.get(field)} - {value}
    )
    return dice.choice(others) if others else ""


def _other_doi(value: str, one: Reference, originals: Sequence[Reference], dice: random.Random) -> str:
    digits = [place for place, sign in enumerate(value) if sign.isdecimal() and place > value.find("/")]
    if not digits:
        return ""
    place = digits[-1]
    return f"{value[:place]}{(int(value[place]) + 5) % 10}9{value[place + 1 :]}"


def _years_later(value: str, one: Reference, originals: Sequence[Reference], dice: random.Random) -> str:
    return str(int(value) + 9) if value.isdecimal() and int(value) < 2015 else ""


def _future(value: str, one: Reference, originals: Sequence[Reference], dice: random.Random) -> str:
    return "2043"


def _other_people(value: str, one: Reference, originals: Sequence[Reference], dice: random.Random) -> str:
    return "Wanderley, Iracema and Kowalczyk, Zenon and Rossi, Mario"


_CHANGES = {
    "title": _other_title,
    "authors_left_out": _left_out,
    "authors_other": _other_people,
    "venue": _other_venue,
    "year": _years_later,
    "future": _future,
    "doi": _other_doi,
}


def written(one: Mutated, dice: random.Random) -> str:
    """The entry in BibTeX, in a style by chance: order, case, delimiters, spacing, comments, accents."""
    names = list(one.fields)
    dice.shuffle(names)
    gap, indent = dice.choice([("\n", "  "), ("\n", "\t"), ("\n", "      "), (" ", ""), ("\n", "")])
    equals = dice.choice([" = ", "=", " =", "= "])
    width = dice.choice([0, 12]) if equals == " = " else 0
    upper, quotes, doubled = (dice.random() < 0.25 for _ in range(3))
    lines = []
    for name in names:
        value = one.fields[name]
        if dice.random() < 0.3:
            value = as_latex(value, dice.choice(["braced", "argument", "both"]))
        if value.isdecimal() and dice.random() < 0.4:
            text = value
        elif quotes and '"' not in value and value.count("{") == value.count("}"):
            text = f'"{value}"'
        elif doubled and name == "title" and "{" not in value:
            text = f"{{{{{value}}}}}"
        else:
            text = f"{{{value}}}"
        lines.append(f"{indent}{(name.upper() if upper else name).ljust(width)}{equals}{text}")
    comma = dice.choice([",", ""])
    opener, closer = ("(", ")") if dice.random() < 0.1 and not any(")" in line for line in lines) else ("{", "}")
    kind = dice.choice([one.type, one.type.upper(), one.type.capitalize()])
    note = dice.choice(["", "% a remark\n", "free text between entries\n\n"])
    return f"{note}@{kind}{opener}{one.key},{gap}{f',{gap}'.join(lines)}{comma}{gap}{closer}\n\n"


class SameEvidence:
    """Evaluator that gives each entry its original's answers; a DOI that nobody registered is denied."""

    def __init__(self, entries: Sequence[Mutated], evidence: Mapping[str, Evidence]) -> None:
        self._entries = {one.key: one for one in entries}
        self._evidence = evidence

    def evaluations(
        self, contents: Mapping[str, bytes], only: Collection[tuple[str, int]] | None = None
    ) -> dict[tuple[str, int], tuple[Reference, Evaluation]]:
        """Each reference with its evaluation."""
        return {
            (name, number): (reference, self.evaluation(reference))
            for name, data in contents.items()
            for number, reference in enumerate(read_bibtex(name, data).references)
            if only is None or (name, number) in only
        }

    def evaluation(self, reference: Reference) -> Evaluation:
        """Evaluate the reference with the evidence of the original."""
        known = self._evidence[self._entries[reference.key].original.key]
        doi = cited_metadata(reference).identifiers.doi
        asked = [one for one in known.asked if one.query.kind != "doi" or one.query.value == doi]
        if doi and not any(one.query.kind == "doi" for one in asked):
            denial = QueryResult("doi_org", Query("doi", doi), Absent("doi.org: the Handle System has no such DOI"))
            asked = [denial, *(self._found_by_title(one) for one in known.asked if one.query.kind == "doi")]
            asked += [one for one in known.asked if one.query.kind != "doi"]
        return evaluate(reference, Evidence(tuple(asked)), TODAY)

    @staticmethod
    def _found_by_title(one: QueryResult) -> QueryResult:
        """Return the record of the correct DOI as a title search would find it."""
        return replace(one, query=Query("title", "title"))
