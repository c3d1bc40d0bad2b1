"""Small builders of references, records and evidence for tests."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any

from pytest_citecheck.checks import TABLE, Evaluation, evaluate
from pytest_citecheck.evidence import AbsenceContext
from pytest_citecheck.inputs import read_bibtex
from pytest_citecheck.model import (
    Absent,
    Answer,
    Evidence,
    Finding,
    Found,
    Location,
    Person,
    Query,
    QueryKind,
    QueryResult,
    Record,
    Reference,
    Unavailable,
)

TODAY = datetime.date(2026, 11, 20)


def reference(type_: str = "article", /, **fields: str) -> Reference:
    """A reference with these fields, as written and as read alike."""
    return Reference("key", type_, fields, Location("refs.bib", 1, 9), dict(fields))


def entry(text: str) -> Reference:
    """The one reference of this BibTeX text."""
    references = read_bibtex("refs.bib", text.encode()).references
    assert len(references) == 1
    return references[0]


def record(title: str, authors: str | Sequence[Person] = (), /, source: str = "crossref", **fields: Any) -> Record:
    """A record; ``authors`` are names divided by semicolons, ``year`` and ``venue`` stand for tuples of one."""
    people = (
        tuple(Person(literal=name.strip()) for name in authors.split(";") if name)
        if isinstance(authors, str)
        else authors
    )
    if year := fields.pop("year", None):
        fields["years"] = (year,)
    if venue := fields.pop("venue", None):
        fields["venues"] = (venue,)
    fields.setdefault("id", fields.get("doi") or fields.get("arxiv") or title)
    return Record(source, title=title, authors=tuple(people), **fields)


def asked(source: str, kind: QueryKind, value: str, answer: Answer, year: int | None = None) -> QueryResult:
    return QueryResult(source, Query(kind, value, (), year), answer, "https://example.org", "2026-11-20T00:00:00Z")


def found(*records: Record, kind: QueryKind = "title", value: str = "", scope: str = "", year: int | None = None,
          source: str = "") -> QueryResult:  # fmt: skip
    """The source of these records answers with them."""
    return asked(source or records[0].source, kind, value, Found(records, scope), year)


def linked(record: Record) -> QueryResult:
    """The answer of a look-up of the record by its own DOI, or else its arXiv id."""
    return (
        found(record, kind="doi", value=record.doi) if record.doi else found(record, kind="arxiv", value=record.arxiv)
    )


def absent(
    source: str, kind: QueryKind = "title", value: str = "", scope: str = "", year: int | None = None
) -> QueryResult:
    """A source says that it knows none."""
    return asked(source, kind, value, Absent(scope), year)


def silent(source: str, kind: QueryKind = "title", value: str = "", reason: str = "timeout") -> QueryResult:
    """A source does not answer."""
    return asked(source, kind, value, Unavailable(reason, "a sentence"))


def covering(place: str, year: int, source: str = "dblp") -> QueryResult:
    """A source holds works of this venue (by its id, or its DBLP stream) and year, not necessarily all of them."""
    return found(kind="venue_year", value=place, year=year, source=source)


def evidence(*lines: QueryResult | Record) -> Evidence:
    """Build evidence from these lines; a record becomes its source's answer to a title search."""
    return Evidence(tuple(found(line) if isinstance(line, Record) else line for line in lines))


def evaluated(cited: Reference, *lines: QueryResult | Record, prior: float | None = None) -> Evaluation:
    """The reference in the light of this evidence. prior: the expected share of wrong references, if a run states one."""
    absences = None if prior is None else AbsenceContext(prior=prior)
    evaluation = evaluate(cited, evidence(*lines), TODAY, absences=absences)
    for found in evaluation.findings.values():
        for code in found.codes:
            outcomes = ("failed",) if found.evidence else (found.outcome,)
            assert any(
                row.outcome in outcomes and row.name == code and row.check in (found.check, "any") for row in TABLE
            ), f"{found.check}, {found.outcome}: {code} is not in the table of codes"
    return evaluation


def outcome(cited: Reference, check: str, *lines: QueryResult | Record, prior: float | None = None) -> tuple[str, str]:
    """Outcome and code of one check; ``failed`` for each finding against the citation, whatever level it has earned."""
    return stated(evaluated(cited, *lines, prior=prior).findings[check])


def stated(finding: Finding) -> tuple[str, str]:
    """The same of a finding. Levels are data (``levels.toml``), and tests of checks do not depend on them."""
    return "failed" if finding.evidence else finding.outcome, finding.code


def failures(cited: Reference, *lines: QueryResult | Record) -> list[Finding]:
    """The findings against the citation, completeness aside."""
    findings = evaluated(cited, *lines).findings.values()
    against = [finding for finding in findings if finding.evidence or finding.outcome == "failed"]
    return [finding for finding in against if finding.check != "completeness"]


LISTED = found(
    record("Another paper", "Grace Hopper", source="dblp"),
    kind="venue_year",
    value="conf/icml",
    year=2019,
    scope="dblp lists conf/icml 2019",
)
"""DBLP lists ICML 2019 at all …"""
NONE_OF_THEIRS = absent("index", "author_search", "icml", "index is complete for icml 2019", 2019)
"""… and an index of several collections has nothing there by these authors: together a complete list without the work."""
NONE_OF_THEIRS_IN_DBLP = absent(
    "dblp",
    "author_search",
    "conf/icml",
    "dblp lists no work in conf/icml 2019 by an author named Lovelace or Turing",
    2019,
)
"""The same of DBLP alone, which may lack papers of the volume."""
