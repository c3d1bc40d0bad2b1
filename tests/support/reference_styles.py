"""Printed references in the styles that models use, rendered from references with all fields known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pytest_citecheck.inputs import cited_metadata
from pytest_citecheck.model import Person, Reference


@dataclass(frozen=True, slots=True)
class Known:
    """Data in a rendered reference."""

    title: str
    people: tuple[Person, ...]
    others: bool
    year: str
    venue: str
    journal: bool
    volume: str
    number: str
    pages: str
    doi: str
    arxiv: str


def known(reference: Reference) -> Known:
    """The fields of a reference of a ``.bib`` file."""
    claimed = cited_metadata(reference)
    fields = reference.fields
    return Known(
        title=claimed.title.rstrip("."),
        people=claimed.people.names,
        others=claimed.people.others,
        year=str(claimed.year),
        venue=claimed.venue.rstrip("."),
        journal=reference.type == "article",
        volume=fields.get("volume", "") if reference.type == "article" else "",
        number=fields.get("number", "") if reference.type == "article" else "",
        pages=fields.get("pages", "").replace("--", "–"),
        doi=claimed.identifiers.doi,
        arxiv=claimed.identifiers.arxiv,
    )


def _group(person: Person) -> str:
    return person.literal if person.group or not person.family else ""


def _family(person: Person) -> str:
    return f"{person.particle} {person.family}".strip()


def _initials(person: Person, end: str = ". ") -> str:
    return "".join(f"{word[0]}{end}" for word in person.given.split()).strip()


def _inverted(person: Person) -> str:
    """Vaswani, A."""
    name = f"{_family(person)}, {_initials(person)}"
    return f"{name}, {person.suffix}" if person.suffix else name


def _initials_first(person: Person) -> str:
    return f"{_initials(person)} {_family(person)} {person.suffix}".strip()


def _capitals(person: Person) -> str:
    return f"{_family(person)} {_initials(person, '')[:3]} {person.suffix.rstrip('.')}".strip()


def _full(person: Person) -> str:
    return f"{person.given} {_family(person)} {person.suffix}".strip()


def _full_inverted(person: Person) -> str:
    name = f"{_family(person)}, {person.given}"
    return f"{name}, {person.suffix}" if person.suffix else name


def _list(
    work: Known,
    one: Callable[[Person], str],
    last: str,
    *,
    first: Callable[[Person], str] | None = None,
    most: int = 30,
) -> str:
    names = [
        _group(person) or (first or one if index == 0 else one)(person) for index, person in enumerate(work.people)
    ]
    if work.others or len(names) > most:
        return ", ".join(names[:most]) + ", et al."
    if len(names) == 1:
        return names[0]
    comma = "," if len(names) > 2 or last in ("& ", "") else ""
    return ", ".join(names[:-1]) + f"{comma} {last}{names[-1]}"


def _stopped(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else f"{text}."


def apa(work: Known) -> str:
    venue = _apa_venue(work, "", "")
    return f"{_apa_authors(work)} ({work.year}). {_stopped(work.title)} {venue}{_address(work)}"


def apa_italic(work: Known) -> str:
    venue = _apa_venue(work, "*", "*")
    return f"{_apa_authors(work)} ({work.year}). {_stopped(work.title)} {venue}{_address(work)}"


def _apa_authors(work: Known) -> str:
    return _list(work, _inverted, "& ").rstrip(".") + "."


def _apa_venue(work: Known, opening: str, closing: str) -> str:
    venue = f"{opening}{work.venue}{closing}"
    if not work.journal:
        pages = f" (pp. {work.pages})" if work.pages else ""
        return f"In {venue}{pages}."
    number = f"({work.number})" if work.number else ""
    volume = f", {work.volume}{number}" if work.volume else ""
    return f"{venue}{volume}{', ' + work.pages if work.pages else ''}."


def _address(work: Known) -> str:
    if work.doi:
        return f" https://doi.org/{work.doi}"
    return f" arXiv:{work.arxiv}" if work.arxiv else ""


def _ieee_details(work: Known) -> str:
    volume = f", vol. {work.volume}" if work.volume else ""
    number = f", no. {work.number}" if work.number else ""
    pages = f", pp. {work.pages}" if work.pages else ""
    doi = f", doi: {work.doi}" if work.doi else ""
    return f"{volume}{number}{pages}, {work.year}{doi}."


def ieee(work: Known) -> str:
    within = "" if work.journal else "in "
    return f"{_list(work, _initials_first, 'and ')}, “{work.title},” {within}{work.venue}{_ieee_details(work)}"


def ieee_straight(work: Known) -> str:
    return ieee(work).replace("“", '"').replace("”", '"')


def ieee_unquoted(work: Known) -> str:
    within = "" if work.journal else "in "
    return f"{_list(work, _initials_first, 'and ')}, {work.title}, {within}{work.venue}{_ieee_details(work)}"


def vancouver(work: Known) -> str:
    authors = _list(work, _capitals, "", most=6).rstrip(".")
    doi = f" doi: {work.doi}" if work.doi else ""
    if not work.journal:
        pages = f" p. {work.pages}." if work.pages else ""
        return f"{authors}. {_stopped(work.title)} In: {work.venue}; {work.year}.{pages}{doi}"
    number = f"({work.number})" if work.number else ""
    details = f";{work.volume}{number}" if work.volume else ""
    return f"{authors}. {_stopped(work.title)} {work.venue}. {work.year}{details}{':' + work.pages if work.pages else ''}.{doi}"


def mla(work: Known) -> str:
    authors = _list(work, _full, "and ", first=_full_inverted, most=2)
    volume = f" {work.volume}{'.' + work.number if work.number else ''}" if work.volume else ""
    pages = f": {work.pages}" if work.pages else ""
    return f"{_stopped(authors)} “{_stopped(work.title)}” *{work.venue}*{volume} ({work.year}){pages}."


def chicago(work: Known) -> str:
    authors = _list(work, _full, "and ", first=_full_inverted)
    volume = f" {work.volume}{', no. ' + work.number if work.number else ''}" if work.volume else ""
    pages = f": {work.pages}" if work.pages else ""
    return f"{_stopped(authors)} “{_stopped(work.title)}” {work.venue}{volume} ({work.year}){pages}.{_address(work)}"


def plain_style(work: Known) -> str:
    within = "" if work.journal else "In "
    volume = f", {work.volume}{f'({work.number})' if work.number else ''}" if work.volume else ""
    pages = f"{':' if volume else ', pages '}{work.pages}" if work.pages else ""
    return f"{_stopped(_list(work, _full, 'and '))} {_stopped(work.title)} {within}{work.venue}{volume}{pages}, {work.year}."


def acm(work: Known) -> str:
    within = "" if work.journal else "In "
    return f"{_stopped(_list(work, _full, 'and '))} {work.year}. {_stopped(work.title)} {within}{work.venue}.{_address(work)}"


def bold(work: Known) -> str:
    return f"**{work.title}** – {_list(work, _full, 'and ')} ({work.year}). *{work.venue}*.{_address(work)}"


def link(work: Known) -> str:
    url = f"https://doi.org/{work.doi}" if work.doi else f"https://arxiv.org/abs/{work.arxiv or '1706.03762'}"
    return f"[{work.title}]({url}) by {_list(work, _full, 'and ')}, {work.year}"


def labelled(work: Known) -> str:
    lines = [
        f"**{work.title}**",
        f"   - **Authors:** {_list(work, _full, 'and ')}",
        f"   - **Year:** {work.year}",
        f"   - **Venue:** {work.venue}",
    ]
    if work.doi:
        lines.append(f"   - **DOI:** {work.doi}")
    return "\n".join(lines)


STYLES: dict[str, Callable[[Known], str]] = {
    style.__name__: style
    for style in (
        apa,
        apa_italic,
        ieee,
        ieee_straight,
        ieee_unquoted,
        vancouver,
        mla,
        chicago,
        plain_style,
        acm,
        bold,
        link,
        labelled,
    )
}


def numbered(works: Sequence[str]) -> str:
    """The rendered references as a numbered list."""
    return "\n".join(f"{number}. {work}" for number, work in enumerate(works, start=1))
