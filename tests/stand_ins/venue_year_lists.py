"""The local publishers of proceedings: a list of every paper of each venue and year of the table of lists.

A list holds its witness, the facts of that venue and year, and invented papers up to the number that it certainly has. Pages are
written after those of proceedings.mlr.press, papers.nips.cc, aclanthology.org/events and openaccess.thecvf.com, as far as these
are known; the ACL Anthology minifies its pages, so that attributes stand there without quotation marks.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from tests.stand_ins.replies import Parameters, Reply, json_reply

if TYPE_CHECKING:
    from pytest_citecheck.matching import VenueYearList
    from tests.stand_ins.facts import Facts, Work

_FIRST = ("Alma", "Bruno", "Clara", "Dario", "Edda", "Falk", "Greta", "Hugo", "Ilka", "Jorn")
_LAST = ("Ashgrove", "Birkwald", "Cottonfen", "Dunmarsh", "Elderholt", "Fernbeck", "Gorsemoor", "Hazelrigg")
_ADJECTIVES = ("Adaptive", "Bounded", "Coarse", "Dual", "Elastic", "Folded", "Gated", "Hybrid", "Implicit", "Joint")
_NOUNS = ("Kernels", "Lattices", "Manifolds", "Operators", "Policies", "Queries", "Rankings", "Samplers", "Trees")
_GOALS = (
    "Uplift",
    "Vision",
    "Weather",
    "Yield",
    "Zoning",
    "Audio",
    "Biology",
    "Commerce",
    "Driving",
    "Energy",
    "Farming",
)
_MISSING = b"<!DOCTYPE html>\n<html><head><title>404 Not Found</title></head><body>Not Found</body></html>\n"
_THOUSAND = 1000
_ADDRESSES: Mapping[str, Callable[[VenueYearList, int], str]] = {
    "pmlr": lambda listed, _: f"/{listed.at}/assets/bib/bibliography.bib",
    "pmlr_page": lambda listed, _: f"/{listed.at}/",
    "neurips": lambda listed, _: f"/paper_files/paper/{listed.at}",
    "iclr": lambda listed, _: f"/paper_files/paper/{listed.at}",
    "acl_events": lambda listed, _: f"/events/{listed.at}/",
    "cvf": lambda listed, _: f"/{listed.at}",
    "crossref_isbn": lambda listed, _: f"/works?filter=isbn:{listed.at},type:proceedings-article&rows=1000",
    "openreview_venue": lambda listed, part: _notes_address(listed, part),
    "openreview_v1_venue": lambda listed, part: _notes_address(listed, part),
}
_OTHER_PARAMETERS = frozenset({"select", "sort", "mailto"})


class Listed(NamedTuple):
    """A paper of a list; ``volume`` if it is outside the main proceedings."""

    title: str
    authors: tuple[str, ...]
    volume: str = ""


def listed_papers(listed: VenueYearList, works: Sequence[Work] = ()) -> list[Listed]:
    """The papers of a list: these works, the witness, and invented ones."""
    known = [Listed(work.title, tuple(map(str, work.authors)), _volume(work, listed)) for work in works]
    if not any(paper.title == listed.control for paper in known):
        known.append(Listed(listed.control, ("Wanda Witness",)))
    if listed.parts > 1:
        known.append(Listed("A thousand papers without one of this name", ("Wei Wang",)))
    number = _THOUSAND * (listed.parts - 1) + 7 if listed.parts > 1 else listed.papers + 9
    return [*known, *itertools.islice(_invented(), max(number - len(known), 0))]


def _invented() -> Iterator[Listed]:
    named = itertools.product(_GOALS, _NOUNS, _ADJECTIVES, range(5))
    for position, (goal, noun, adjective, volume) in enumerate(named):
        first, last = _FIRST[position % len(_FIRST)], _LAST[position % len(_LAST)]
        yield Listed(f"{adjective} {noun} for {goal} {'I' * (volume + 1)}", (f"{first} {last}", "Søren Üblich"))


class _Publisher:
    """Answers to GET requests for lists."""

    def __init__(self, name: str, facts: Facts) -> None:
        self._name = name
        self._works = facts.works

    @cached_property
    def _lists(self) -> Mapping[tuple[str, frozenset[tuple[str, str]]], tuple[VenueYearList, int]]:
        # The package is only named here: runs inside tests import it themselves.
        table = import_module("pytest_citecheck.matching.venue_tables").all_lists()
        places = [(one, part) for one in table if self._name in one.sources for part in range(1, one.parts + 1)]
        addresses = [urlsplit(_ADDRESSES[self._name](*place)) for place in places]
        keys = [_key(parts.path, dict(parse_qsl(parts.query))) for parts in addresses]
        return dict(zip(keys, places, strict=True))

    def answer(self, path: str, parameters: Parameters) -> Reply:
        place = self._lists.get(_key(path, parameters))
        if place is None:
            return Reply(404, "text/html; charset=utf-8", _MISSING)
        listed, part = place
        works = [work for work in self._works if work.issued[:1] == (listed.year,) and _is_in(work, listed)]
        return list_as_sent(self._name, listed, listed_papers(listed, works), part)


def _key(path: str, parameters: Parameters) -> tuple[str, frozenset[tuple[str, str]]]:
    """Return a key for an address that does not depend on escapes or on the order of parameters."""
    return path, frozenset((name, value) for name, value in parameters.items() if name not in _OTHER_PARAMETERS)


def _notes_address(listed: VenueYearList, part: int) -> str:
    return f"/notes?content.venueid={listed.at}&limit={_THOUSAND}&offset={_THOUSAND * (part - 1)}"


def _is_in(work: Work, listed: VenueYearList) -> bool:
    if "acl_events" in listed.sources and work.event and work.event.acronym == listed.name:
        return True
    return any(re.search(rf"\b{re.escape(name)}\b", work.container) for name in listed.venue.names)


def _volume(work: Work, listed: VenueYearList) -> str:
    """The volume beside the main proceedings, at an event that holds it."""
    return work.container if work.event and work.event.acronym == listed.name else ""


def _page(body: str) -> Reply:
    text = f'<!DOCTYPE html>\n<html lang="en">\n<head><title>Proceedings</title></head>\n<body>\n{body}\n</body>\n</html>\n'
    return Reply(200, "text/html; charset=utf-8", text.encode())


def _entry(listed: VenueYearList, number: int, paper: Listed) -> str:
    abstract = "We study this problem, $x_{i}$, and {\\'e}tudes of it. " * 6
    return (
        f"@InProceedings{{pmlr-{listed.at}-{number},\n  title = \t {{{paper.title}}},\n"
        f"  author =       {{{' and '.join(map(_reversed, paper.authors))}}},\n"
        f"  booktitle = \t {{Proceedings of the {listed.venue.name}}},\n  pages = \t {{{number}--{number + 9}}},\n"
        f"  year = \t {{{listed.year}}},\n  series = \t {{Proceedings of Machine Learning Research}},\n"
        f"  abstract = \t {{{abstract}}}\n}}"
    )


def _reversed(name: str) -> str:
    given, _, family = name.rpartition(" ")
    return f"{family}, {given}".replace("Ü", '{\\"U}')


def _pmlr(listed: VenueYearList, part: int, papers: Sequence[Listed]) -> Reply:
    volume = f"@Proceedings{{{listed.at},\n  title = {{Proceedings of {listed.name}}},\n  year = {{{listed.year}}}\n}}"
    entries = [volume, *(_entry(listed, number, paper) for number, paper in enumerate(papers, 1))]
    return Reply(200, "text/x-bibtex", ("\n".join(entries) + "\n").encode())


def _pmlr_page(listed: VenueYearList, part: int, papers: Sequence[Listed]) -> Reply:
    items = [
        f'<div class="paper">\n  <p class="title">{escape(paper.title)}</p>\n  <p class="details">\n'
        f'    <span class="authors">{escape(", ".join(paper.authors))}</span>;\n'
        f'    <span class="info"><i>{escape(listed.venue.name)}</i>, PMLR {listed.at[1:]}:{number}-{number + 9}</span>\n  </p>\n'
        f'  <p class="links">\n    [<a href="https://proceedings.mlr.press/{listed.at}/paper{number}a.html">abs</a>]\n  </p>'
        "\n</div>"
        for number, paper in enumerate(papers, 1)
    ]
    return _page("\n".join([f"<h2>Volume {listed.at[1:]}</h2>", *items]))


def _proceedings_site(listed: VenueYearList, part: int, papers: Sequence[Listed]) -> Reply:
    items = [
        f'<li class="conference" data-track="conference">\n<a title="paper title" '
        f'href="/paper_files/paper/{listed.year}/hash/{number:032x}-Abstract-Conference.html">{escape(paper.title)}</a>\n'
        f"<i>{escape(', '.join(paper.authors))}</i>\n</li>"
        for number, paper in enumerate(papers, 1)
    ]
    return _page(f'<h4>{escape(listed.name)}</h4>\n<ul class="paper-list">\n' + "\n".join(items) + "\n</ul>")


def _acl_event(listed: VenueYearList, part: int, papers: Sequence[Listed]) -> Reply:
    main = f"Proceedings of the {listed.year} {listed.venue.name}"
    beside = f"Findings of the Association for Computational Linguistics: {listed.name}"
    volumes: dict[str, list[Listed]] = {main: [], beside: [Listed(f"{beside} front matter", ())]}
    for paper in papers:
        volumes.setdefault(paper.volume or main, []).append(paper)
    pieces = ["<h2 id=title>Event</h2><ul>"]
    for position, (title, held) in enumerate(volumes.items()):
        volume = f"{listed.year}.{listed.venue.id}-{'abcdefgh'[position]}"
        pieces.append(
            f'<div id={volume.replace(".", "")}><h4 class="d-sm-flex pb-2 border-bottom"><span class=d-block>'
            f'<a class="badge" href=/volumes/{volume}.bib>bib</a></span><span class=d-block>'
            f"<a class=align-middle href=/volumes/{volume}/>{escape(title)}</a></span></h4>"
        )
        for number, paper in enumerate(held):
            people = '<span class="mx-1">|</span>'.join(
                f"<a href=/people/{name.lower().replace(' ', '-')}/>{escape(name)}</a>" for name in paper.authors
            )
            words = paper.title.split(" ", 1)
            cased = f"<span class=acl-fixed-case>{escape(words[0])}</span> {escape(' '.join(words[1:]))}".strip()
            pieces.append(
                '<p class="d-sm-flex align-items-stretch"><span class="d-block mr-2 text-nowrap list-button-row">'
                f"<a class=badge href=/{volume}.{number}.pdf>pdf</a></span><span class=d-block><strong>"
                f"<a class=align-middle href=/{volume}.{number}/>{cased}</a></strong><br>{people}</span></p>"
            )
        pieces.append("</div>")
    return _page("".join(pieces))


def _cvf(listed: VenueYearList, part: int, papers: Sequence[Listed]) -> Reply:
    items = []
    for number, paper in enumerate(papers, 1):
        people = " and ".join(map(_reversed, paper.authors))
        entry = (
            f"@InProceedings{{Paper{number}_{listed.year}_{listed.venue.aliases[0]},\nauthor = {{{people}}},\n"
            f"title = {{{paper.title}}},\nbooktitle = {{Proceedings of the {listed.venue.name} ({listed.venue.aliases[0]})}},\n"
            f"month = {{June}},\nyear = {{{listed.year}}}\n}}"
        )
        items.append(
            f'<dt class="ptitle"><br><a href="/content/{number}.html">{escape(paper.title)}</a></dt>\n<dd>\n'
            f'[<a class="fakelink">bibtex</a>]\n<div class="bibref pre-white-space">{escape(entry)}</div>\n</dd>'
        )
    return _page("<dl>\n" + "\n".join(items) + "\n</dl>")


def _crossref(listed: VenueYearList, part: int, papers: Sequence[Listed]) -> Reply:
    works = [
        {
            "DOI": f"10.1145/{listed.at[-6:]}.{number}",
            "type": "proceedings-article",
            "title": [paper.title.partition(": ")[0]],
            "subtitle": [paper.title.partition(": ")[2]] if ": " in paper.title else [],
            "author": [_split(name) for name in paper.authors],
            "container-title": [f"Proceedings of the {listed.venue.name}"],
            "issued": {"date-parts": [[listed.year, 8]]},
            "ISBN": [listed.at],
        }
        for number, paper in enumerate(papers, 1)
    ]
    message = {"total-results": len(works), "items-per-page": _THOUSAND, "query": {"start-index": 0}, "items": works}
    return json_reply(200, "application/json", {"status": "ok", "message-type": "work-list", "message": message})


def _split(name: str) -> dict[str, str]:
    given, _, family = name.rpartition(" ")
    return {"given": given, "family": family, "sequence": "additional"}


def _openreview(listed: VenueYearList, part: int, papers: Sequence[Listed]) -> Reply:
    return _notes(listed, part, papers, lambda value: value)


def _openreview_v2(listed: VenueYearList, part: int, papers: Sequence[Listed]) -> Reply:
    return _notes(listed, part, papers, lambda value: {"value": value})


def _notes(listed: VenueYearList, part: int, papers: Sequence[Listed], field: Callable[[object], object]) -> Reply:
    shown = list(enumerate(papers, 1))[_THOUSAND * (part - 1) : _THOUSAND * part]
    notes = [
        {
            "id": f"note{number:06d}",
            "forum": f"note{number:06d}",
            "number": number,
            "content": {
                "title": field(paper.title),
                "authors": field(list(paper.authors)),
                "venue": field(f"{listed.name} poster"),
                "venueid": field(listed.at),
            },
        }
        for number, paper in shown
    ]
    return json_reply(200, "application/json; charset=utf-8", {"notes": notes})


_WRITERS: Mapping[str, Callable[[VenueYearList, int, Sequence[Listed]], Reply]] = {
    "pmlr": _pmlr,
    "pmlr_page": _pmlr_page,
    "neurips": _proceedings_site,
    "iclr": _proceedings_site,
    "acl_events": _acl_event,
    "cvf": _cvf,
    "crossref_isbn": _crossref,
    "openreview_venue": _openreview_v2,
    "openreview_v1_venue": _openreview,
}


def list_as_sent(name: str, listed: VenueYearList, papers: Sequence[Listed], part: int = 1) -> Reply:
    """Return a publisher's response for a list of these papers, or for a part of it."""
    return _WRITERS[name](listed, part, papers)


def _making(name: str) -> Callable[..., _Publisher]:
    def make(facts: Facts, *, shift: int = 0) -> _Publisher:
        return _Publisher(name, facts)

    return make


LISTS: Mapping[str, Callable[..., _Publisher]] = {name: _making(name) for name in _WRITERS}
"""The services, by the names of the sources that ask them."""
