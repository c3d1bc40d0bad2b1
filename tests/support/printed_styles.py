"""Reference strings as the styles of journals, of BibTeX and of standards print them, of known fields.

By their files and manuals: natbib's plainnat, unsrtnat and abbrvnat, acl_natbib, BibTeX's alpha, splncs04, Nature's
guide, GB/T 7714-2015, SIST02 (2007), DIN 1505-2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pytest_citecheck.model import Person
from tests.support.reference_styles import STYLES, Known, plain_style


def _family(person: Person) -> str:
    return f"{person.particle} {person.family}".strip()


def _group(person: Person) -> str:
    return person.literal if person.group or not person.family else ""


def _initials(person: Person, end: str) -> str:
    return "".join(f"{word[0]}{end}" for word in person.given.split()).strip()


def _full(person: Person) -> str:
    return _group(person) or f"{person.given} {_family(person)} {person.suffix}".strip()


def _short(person: Person) -> str:
    return _group(person) or f"{_initials(person, '. ')} {_family(person)} {person.suffix}".strip()


def _turned(person: Person) -> str:
    return _group(person) or f"{_family(person)}, {_initials(person, '. ')}".rstrip(", ")


def _capitals(person: Person) -> str:
    return _group(person) or f"{_family(person).upper()} {_initials(person, ' ')}".strip()


def _din(person: Person) -> str:
    return _group(person) or f"{_family(person).upper()}, {person.given}".rstrip(", ")


def _joined(
    work: Known, one: Callable[[Person], str], last: str, et_al: str, *, between: str = ", ", most: int = 30
) -> str:
    names = [one(person) for person in work.people]
    if work.others or len(names) > most:
        return between.join(names[:most]) + et_al
    return names[0] if len(names) == 1 else f"{between.join(names[:-1])}{last}{names[-1]}"


def _stopped(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _within(work: Known) -> str:
    return "" if work.journal else "In "


def _numbers(work: Known) -> str:
    volume = f", {work.volume}{f'({work.number})' if work.number else ''}" if work.volume else ""
    return f"{volume}{(':' if volume else ', pages ') + work.pages if work.pages else ''}"


def _address(work: Known) -> str:
    return (
        f" URL https://doi.org/{work.doi}."
        if work.doi
        else f" URL https://arxiv.org/abs/{work.arxiv}."
        if work.arxiv
        else ""
    )


def plainnat(work: Known) -> str:
    people = _joined(work, _full, ", and " if len(work.people) > 2 else " and ", ", et al.")
    return f"{_stopped(people)} {_stopped(work.title)} {_within(work)}{work.venue}{_numbers(work)}, {work.year}.{_address(work)}"


def abbrvnat(work: Known) -> str:
    people = _joined(work, _short, ", and " if len(work.people) > 2 else " and ", ", et al.")
    return f"{_stopped(people)} {_stopped(work.title)} {_within(work)}{work.venue}{_numbers(work)}, {work.year}."


def preprint(work: Known) -> str:
    """plainnat and the styles of ICLR and NeurIPS, of what has no venue."""
    people = _joined(work, _full, ", and " if len(work.people) > 2 else " and ", ", et al.")
    return f"{_stopped(people)} {work.title.rstrip('.')}, {work.year}.{_address(work)}"


def acl(work: Known) -> str:
    people = _joined(work, _full, ", and " if len(work.people) > 2 else " and ", " et al.")
    return f"{_stopped(people)} {work.year}. {_stopped(work.title)} {_within(work)}{work.venue}{_numbers(work)}."


def nature(work: Known) -> str:
    people = (
        _joined(work, _turned, " & ", " et al.", most=5)
        if len(work.people) <= 5
        else f"{_turned(work.people[0])} et al."
    )
    volume = f" {work.volume}," if work.volume else ""
    within = "" if work.journal else "in "
    return f"{_stopped(people)} {_stopped(work.title)} {within}{work.venue}{volume} {work.pages} ({work.year})."


def lncs(work: Known) -> str:
    people = _joined(work, _turned, ", ", ", et al.")
    volume = f" {work.volume}{f'({work.number})' if work.number else ''}" if work.volume else ""
    pages = f"{', ' if work.journal else ', pp. '}{work.pages}" if work.pages else ""
    return f"{people}: {_stopped(work.title)} {'' if work.journal else 'In: '}{work.venue}{volume}{pages} ({work.year})"


def alpha(work: Known) -> str:
    label = "".join((_family(person) or person.literal)[:1] for person in work.people[:3])
    return f"[{label}{work.year[-2:]}] {plain_style(work)}"


def _gbt_mark(work: Known) -> str:
    return f"[J]. {work.venue}" if work.journal else f"[C]//{work.venue}"


def gbt(work: Known) -> str:
    people = _joined(work, _capitals, ", ", ", et al.", most=3)
    number = f"({work.number})" if work.number else ""
    volume = f", {work.volume}{number}" if work.volume else ""
    return f"{_stopped(people)} {work.title}{_gbt_mark(work)}, {work.year}{volume}{': ' + work.pages if work.pages else ''}."


def gbt_author_year(work: Known) -> str:
    people = _joined(work, _capitals, ", ", ", et al.", most=3)
    number = f"({work.number})" if work.number else ""
    volume = f", {work.volume}{number}" if work.volume else ""
    return f"{people}, {work.year}. {work.title}{_gbt_mark(work)}{volume}{': ' + work.pages if work.pages else ''}."


def sist02(work: Known) -> str:
    people = _joined(work, _din, "; ", "; et al.", between="; ")
    volume = f", vol. {work.volume}" if work.volume else ""
    number = f", no. {work.number}" if work.number else ""
    pages = f", p. {work.pages}" if work.pages else ""
    return f"{_stopped(people)} {_stopped(work.title)} {work.venue}. {work.year}{volume}{number}{pages}."


def din1505(work: Known) -> str:
    people = _joined(work, _din, " ; ", " ; et al.", between=" ; ")
    volume = f" {work.volume}" if work.volume else ""
    number = f", Nr. {work.number}" if work.number else ""
    pages = f", S. {work.pages}" if work.pages else ""
    return f"{people}: {_stopped(work.title)} In: {work.venue}{volume} ({work.year}){number}{pages}"


PRINTED: Mapping[str, Callable[[Known], str]] = {
    "plainnat": plainnat, "abbrvnat": abbrvnat, "unsrtnat, no venue": preprint, "ACL": acl, "Nature": nature, "LNCS": lncs,
    "alpha": alpha, "GB/T 7714 numeric": gbt, "GB/T 7714 author-year": gbt_author_year, "SIST02": sist02, "DIN 1505": din1505,
    "IEEEtran": STYLES["ieee"], "ACM": STYLES["acm"], "APA": STYLES["apa"], "Chicago": STYLES["chicago"], "MLA": STYLES["mla"],
    "Vancouver": STYLES["vancouver"],
}  # fmt: skip
