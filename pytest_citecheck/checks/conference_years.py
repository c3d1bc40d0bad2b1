"""The year of a conference paper: proceedings have one year, and a neighbouring one is that of something else.

ML Anthology, DBLP and Paper Copilot agree on the year of all 83,730 conference papers of which two of them have the year.
A citation that is one year off is still right if that year is the one of a preprint, the event's own, the one that the
DOI states, or the one in which the publisher printed the volume of an event of late in the year.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pytest_citecheck.checks.base import Case, Shown, finding, single_evidence
from pytest_citecheck.checks.corrections import of_other_year
from pytest_citecheck.identifiers.doi_patterns import match_arxiv_id, match_doi
from pytest_citecheck.identifiers.registrants import is_registrant_of
from pytest_citecheck.linking.candidates import Candidate, same_venue
from pytest_citecheck.linking.source_names import source_name
from pytest_citecheck.model import Finding
from pytest_citecheck.text.patterns import lazy_pattern
from pytest_citecheck.thresholds import PRINTED_AT_THE_EVENT, PRINTED_IN_TIME, SEVERAL_COLLECTIONS, YEARS_ASIDE
from pytest_citecheck.venues.comparison import lookup
from pytest_citecheck.venues.kinds import venue_kind
from pytest_citecheck.venues.table import Venue

__all__ = ["neighbouring_year"]

_PLACES = frozenset({"booktitle", "maintitle", "eventtitle", "journal", "journaltitle"})
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_DATE = lazy_pattern(rf"\b({'|'.join(_MONTHS)})[a-z]*\.?(?=[\s\d])([^;()]{{0,40}}?)\b((?:19|20)\d\d)\b", re.IGNORECASE)
_LATE = frozenset(_MONTHS[8:])
_SPRINGER = "10.1007/"
_SERIES = lazy_pattern(r"\bspringer\b|\blecture notes\b|\bln(?:cs|ai)\b", re.IGNORECASE)
# The volumes of the Proceedings of Machine Learning Research of these are of the year after the event in most years: CoRL 2022 is
# volume 205 of 2023, ACML 2022 volume 189 of 2023 (proceedings.mlr.press).
_PRINTED_AFTERWARDS = frozenset({"corl", "acml"})
_SUBMITTED_IN_THE_OPEN = frozenset({"iclr"})
"""Whose submissions anyone may read from the autumn before (openreview.net), and are cited with that year: of 27 conference
papers one year off in 31 real bibliographies 9 are of ICLR and cited a year early, 17 of NeurIPS and cited a year late."""
_PRINTED_LATER_BY_SOME = frozenset({"neurips"})
"""Whose volumes their printer and the ACM Digital Library date by the year after the conference, as Google Scholar then does:
volume 36, of 2023, is dated 2024."""
_BY_THE_NUMBER = frozenset({"neurips"})
"""Advances in Neural Information Processing Systems 20, of the conference of 2007, was printed in 2008."""


def neighbouring_year(case: Case, dated: Sequence[Candidate]) -> Finding | None:
    """The finding of cross_db on a conference paper cited one year off; None if the year is right, may be, or is further off.

    dated: the records of the work that state a year.
    """
    cited = case.cited.year
    kind = venue_kind(case.cited.venue, case.cited.venue_field)
    if (
        cited is None
        or kind not in ("conference", "beside")
        or case.cited.venue_field not in _PLACES
        or case.unseen_doi
    ):
        return None
    there = [
        work
        for work in dated
        if not (work.preprint or work.record.compiled) and same_venue(case.cited.venue, work.record) == "same"
    ]
    years = {year for work in there for year in work.record.years}
    if len(years) != 1:
        return None
    (held,) = years
    if abs(cited - held) != YEARS_ASIDE or cited in _dates(case, there) or cited in _of_identifiers(case, dated):
        return None
    others = {year for work in dated for year in work.record.years} | _of_identifiers(case, dated)
    if cited in others or (cited < held and (case.outage or min(others) < cited)):
        return None
    known = lookup(case.cited.venue, held)
    record = there[0].record
    sources = ", ".join(dict.fromkeys(source_name(work.record.source) for work in there))
    if cited > held and _may_be_printed_later(case, there, held, known):
        message = f"this work is in the proceedings of {held}, which may be dated {cited} by their publisher: {sources}"
        return finding(
            "cross_db", "unverifiable", "year-unclear", message, cited=str(cited), found=str(held), record=record
        )
    shown: Shown = {"cited": str(cited), "found": str(held), "record": record, "fixes": of_other_year(case, record)}
    if cited > held and known is not None and known.id in _PRINTED_LATER_BY_SOME:
        message = f"this work is in the proceedings of {held}; some publishers date the volume {cited}: {sources}"
        return finding("cross_db", "passed", "year-printed", message, **shown)
    if cited < held and known is not None and known.id in _SUBMITTED_IN_THE_OPEN:
        message = f"this work is in the proceedings of {held}; {cited} is the year of its submission: {sources}"
        return finding("cross_db", "passed", "year-submission", message, **shown)
    several = len({work.upstream for work in there}) >= SEVERAL_COLLECTIONS
    message = f"this work is in the proceedings of {held}, not of {cited}: {sources}"
    shown["rule"] = (
        "proceedings have one year: two collections or more have the work at the cited conference in another one"
    )
    if several and case.covers_place and not (cited > held and _held_late(case, there)):
        return finding("cross_db", "failed", "year-other", message, **shown)
    return single_evidence(case, "year of a volume", "cross_db", "year-other", message, **shown)


def _held_late(case: Case, there: Sequence[Candidate]) -> bool:
    """True if the event took place late in the year or on an unknown date: the publisher may date the volume a year later."""
    months = {date[1].lower() for date in _dates_of_event(case, there)}
    return not months or not months.isdisjoint(_LATE)


def _dates(case: Case, there: Sequence[Candidate]) -> set[int]:
    """The years of the dates of the event, in the records and in the cited venue."""
    return {int(date[3]) for date in _dates_of_event(case, there)}


def _dates_of_event(case: Case, there: Sequence[Candidate]) -> list[re.Match[str]]:
    fields = case.reference.fields
    texts = [case.cited.venue, fields.get("eventdate", ""), *(name for work in there for name in work.record.venues)]
    return [date for text in texts for date in _DATE.finditer(text)]


def _of_identifiers(case: Case, dated: Sequence[Candidate]) -> set[int]:
    """The years that stand in the identifiers of the work: of its e-print, and of its DOI."""
    named = case.cited.identifiers
    arxiv = {named.arxiv, *(work.record.arxiv for work in dated)} - {""}
    dois = {named.doi, *(work.record.doi for work in dated)} - {""}
    found = [*map(match_arxiv_id, arxiv), *map(match_doi, dois)]
    years = {one.year for one in found if one is not None and one.year}
    # IJCAI 2020 was held in January 2021; the window of other forms is for what they take in before or after.
    exact = [one for one in found if one is not None and one.year is not None and one.first == one.year]
    return years | {one.last for one in exact if one.last is not None}


def _may_be_printed_later(case: Case, there: Sequence[Candidate], held: int, known: Venue | None) -> bool:
    """Whether the volume may bear the year after the event."""
    if held < PRINTED_IN_TIME:
        return True
    if known is not None and (
        known.id in _PRINTED_AFTERWARDS or (known.id in _BY_THE_NUMBER and held < PRINTED_AT_THE_EVENT)
    ):
        return True
    months = {date[1].lower() for date in _dates_of_event(case, there)}
    return _by_springer(case, there, held) and (not months or not months.isdisjoint(_LATE))


def _by_springer(case: Case, there: Sequence[Candidate], held: int) -> bool:
    """Whether the proceedings are Springer's, which dates volumes of the autumn by the year after (ECCV 2024, ACCV 2016)."""
    fields = case.reference.fields
    dois = (case.cited.identifiers.doi, *(work.record.doi for work in there))
    return (
        any(doi.startswith(_SPRINGER) for doi in dois)
        or bool(_SERIES.search(" ".join((fields.get("publisher", ""), fields.get("series", "")))))
        or is_registrant_of(case.cited.venue, held, _SPRINGER)
    )
