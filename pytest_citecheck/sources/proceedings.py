"""Publishers' lists of all papers of a venue in a year.

The source (its `label`) backs a list as of the date of the answer. One request returns a list for all references that
claim the volume. A paper missing from a list is not in the proceedings, which fails a check. So a list counts only if
it was received completely (each form defines how this is seen), is of the requested venue and year, contains its
control, and has at least the known number of papers (`pytest_citecheck.matching.venue_tables`). Any other response is
`Unavailable`: a wrong address costs an answer but fails nothing. The answer to a query by authors is a `Found` with all
their works and all works with a similar title, possibly none, and the scope in words. Such a list needs no other
control.
"""

from __future__ import annotations

import html
import re
from abc import abstractmethod
from typing import TYPE_CHECKING, NamedTuple

from pytest_citecheck.inputs import read_bibtex
from pytest_citecheck.matching import (
    VenueYearList,
    acl_id,
    all_lists,
    compare_titles,
    fold,
    lazy_pattern,
    venue_year_list,
    without_markup,
    words,
)
from pytest_citecheck.model import Answer, Found, Query, QueryKind, Record, Unavailable
from pytest_citecheck.sources.base import MalformedAnswerError, Request, Response, Role, Source, Terms
from pytest_citecheck.sources.dblp import beginnings
from pytest_citecheck.sources.parsing import undivided

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

_NO_LETTERS = lazy_pattern(r"[\W_]+")
_SHARED_WORDS = 0.5
_NOBODY = "Zzyzxov"
_EVERYWHERE = "Wang"  # among the authors of any thousand papers


class VenueYearLists(Source):
    """A publisher, or a form in which it keeps its lists (see the module).

    accept: the requested media type. path: of a list, below the base URL; ``{}`` is its place there (``acl-2020``). A list in
    parts is requested part by part: the value of the query for the second one ends in ``#2`` (`part_of`).
    """

    batch: Mapping[QueryKind, int] = {"author_search": 1000}
    limits = "none published; 1 request a second is used"
    absence = "complete for the venues and years that it lists, from the following year on"
    authoritative_for = ("title", "authors", "year", "venue")
    role = Role()
    accept = "text/html"
    path = ""

    def address(self, listed: VenueYearList, part: int) -> str:  # noqa: ARG002 - for those in parts
        """The URL of a list, or of a part of it (from 1)."""
        return f"{self.base_url}/{self.path.format(listed.at)}"

    @abstractmethod
    def read(self, listed: VenueYearList, part: int, body: bytes) -> list[Record]:
        """The papers of a list, or of a part of it. Raises MalformedAnswerError unless it was received whole."""
        ...

    def accepts(self, query: Query) -> bool:
        """Authors with a name in Latin script in a venue and year of which there is a list."""
        if query.kind != "author_search" or not beginnings(query.authors):
            return False
        listed, part = self._asked(query)
        return listed is not None and 1 <= part <= listed.parts

    def group(self, query: Query) -> Hashable:
        """One request for all authors to look up in one list."""
        return query.value, query.year

    def request(self, queries: Sequence[Query]) -> Request:
        """Request the list of the venue and year, for any authors."""
        listed, part = self._listed(queries[0])
        return Request(self.name, self.address(listed, part), accept=self.accept)

    def parse(self, queries: Sequence[Query], response: Response) -> dict[Query, Answer]:
        """Works by the authors of each query. Raises MalformedAnswerError unless the list is complete."""
        listed, part = self._listed(queries[0])
        if response.status >= 300:
            detail = f"{self.label} has no list of {listed.name} at this address"
            return dict.fromkeys(queries, Unavailable(f"http-{response.status}", detail))
        records = self.read(listed, part, response.body)
        papers = [_Paper.of(record) for record in records]
        if listed.parts == 1:
            self._check(listed, papers)
        return {query: self._answer(query, listed, papers) for query in queries}

    def samples(self) -> Mapping[QueryKind, Query]:
        """The control of the smallest list that comes in one part, by an author whom nobody has; where all come in
        parts, of which nobody knows in which one the control is, a name that is in each of them."""
        lists = [one for one in all_lists() if self.name in one.sources]
        if not lists:
            return {}
        listed = min(lists, key=lambda one: (one.parts, one.papers))
        who, title = (_NOBODY, listed.control) if listed.parts == 1 else (_EVERYWHERE, "")
        return {"author_search": Query("author_search", listed.venue.id, (who,), listed.year, title)}

    def _check(self, listed: VenueYearList, papers: Sequence[_Paper]) -> None:
        if len(papers) < listed.papers:
            raise MalformedAnswerError(f"{len(papers)} papers of {listed.name}, which has {listed.papers} at least")
        if not any(_letters(listed.control) in paper.titles for paper in papers):
            raise MalformedAnswerError(f"a list of {listed.name} without {listed.control!r}, which is in there")

    def _answer(self, query: Query, listed: VenueYearList, papers: Sequence[_Paper]) -> Answer:
        wanted, title = tuple(beginnings(query.authors)), words(query.title)
        untitled = [paper for paper in papers if not words(paper.record.title)]
        if any(paper.is_by(wanted) or not paper.name_words for paper in untitled):
            return Unavailable("malformed", f"a work of {listed.name} without a title may be the cited one")
        found = [paper.record for paper in papers if paper.is_by(wanted)]
        titled = [paper.record for paper in papers if not paper.is_by(wanted) and paper.is_titled(query.title, title)]
        names = " or ".join(query.authors)
        scope = f"{self.label} lists {len(papers):,} works of {listed.name}, {len(found) or 'none'} by an author named {names}"
        return Found((*found, *titled), scope)

    def _asked(self, query: Query) -> tuple[VenueYearList | None, int]:
        venue, part = part_of(query.value)
        return venue_year_list(self.name, venue, query.year), part

    def _listed(self, query: Query) -> tuple[VenueYearList, int]:
        listed, part = self._asked(query)
        if listed is None:
            raise KeyError(f"{self.label} has no list of {query.value} {query.year}")
        return listed, part


def part_of(value: str) -> tuple[str, int]:
    """The venue of a query, and the part of its list."""
    venue, _, part = value.partition("#")
    return venue, int(part) if part.isascii() and part.isdigit() and len(part) < 4 else int(not part)


class _Paper(NamedTuple):
    """A record with its search data."""

    record: Record
    titles: frozenset[str]
    title_words: frozenset[str]
    name_words: tuple[str, ...]

    @classmethod
    def of(cls, record: Record) -> _Paper:
        whole = f"{record.title} {record.subtitle}"
        people = " ".join(map(str, (*record.authors, *record.editors)))
        titles = frozenset({_letters(record.title), _letters(whole)})
        return cls(record, titles, frozenset(words(whole)), words(people))

    def is_by(self, beginnings: tuple[str, ...]) -> bool:
        """Return True if a word of the name of one of its people begins so."""
        return any(word.startswith(beginnings) for word in self.name_words)

    def is_titled(self, title: str, title_words: Sequence[str]) -> bool:
        """Return True if its title resembles this one."""
        shared = self.title_words.intersection(title_words)
        if len(shared) < _SHARED_WORDS * min(len(self.title_words), len(set(title_words))) or not shared:
            return False
        return compare_titles(title, self.record.title, self.record.subtitle).relation != "different"


def _letters(title: str) -> str:
    return _NO_LETTERS.sub("", fold(title)).lower()


_END = lazy_pattern(r"</html\s*>\s*(?:<!--[^<>]{0,500}-->\s*)?\Z", re.IGNORECASE)
_TAG = lazy_pattern(r"<[^<>]{0,2000}>")
_BESIDE = frozenset({"proceedings", "xdata", "set", "comment"})


def page_text(body: bytes) -> str:
    """Text of a page. Raises MalformedAnswerError unless it is complete."""
    text = body.decode("utf-8", "replace")
    if not _END.search(text[-2000:]):
        raise MalformedAnswerError("the list is no web page, or was cut off")
    return text


def plain(marked: str) -> str:
    """The text of a piece of a page, without tags."""
    return without_markup(html.unescape(_TAG.sub("", marked)))


def attribute(name: str, value: str) -> str:
    """The pattern of an attribute with a value of this pattern, in quotation marks or, as minified pages have it, without."""
    return rf"""\b{name}\s*=\s*["']?{value}["']?(?=[\s>/])"""


def inside(element: str) -> str:
    """Pattern of the content of an element, up to its end tag or the start of another one; includes the end tag."""
    return rf"([^<]*+(?:<(?!/?{element}\b)[^<]*+)*+)</{element}\s*>"


def listed_paper(
    source: str, listed: VenueYearList, identifier: str, url: str, title: str, people: Iterable[str], volume: str = ""
) -> Record:
    """The record of a paper on a page; in the main proceedings, unless the page names another volume.

    Raises MalformedAnswerError for one without a title.
    """
    if not title:
        raise MalformedAnswerError(f"the paper {identifier} has no title")
    return Record(
        source=source,
        id=identifier,
        url=url,
        title=title,
        authors=tuple(undivided(name) for name in people if name),
        years=(listed.year,),
        venues=(volume,) if volume else (listed.venue.name, *listed.venue.aliases[:1]),
        type="inproceedings",
    )


def bibtex_papers(source: str, listed: VenueYearList, body: bytes) -> list[Record]:
    """The records of a file of BibTeX. Raises MalformedAnswerError for one with an entry that could not be read."""
    from pytest_citecheck.sources.bibtex import broken, entry_record

    bibliography = read_bibtex(f"{source}.bib", body)
    papers = [reference for reference in bibliography.references if reference.type not in _BESIDE]
    for reference in papers:
        if reason := broken(reference):
            raise MalformedAnswerError(f"line {reference.location.line}: {reason}")
    records = [entry_record(reference, source) for reference in papers]
    if any(not record.title for record in records):
        raise MalformedAnswerError("an entry has no title")
    if any(listed.year not in record.years for record in records if record.years):
        raise MalformedAnswerError(f"an entry is not of {listed.year}")
    return records


_HOME = r"(?:https://aclanthology\.org)?"
_REST = r"[^<>]{0,300}>"


def _link(path: str) -> str:
    """The pattern of the start of a link to this path."""
    return r"<a\s(?:[^<>]{0,300}\s)?" + attribute("href", _HOME + path) + _REST


_VOLUME = lazy_pattern(_link(r"/volumes/[\w.-]{1,80}/") + inside("a"))
_PAPER = lazy_pattern(r"<strong>\s*" + _link(r"/([\w-]{1,60}(?:\.[\w-]{1,60}){0,2})/?") + inside("a"))
_PERSON = lazy_pattern(_link(r"/people/[^\s<>\"']{1,300}") + r"([^<>]{1,300})</a>")
_STRONG = lazy_pattern(r"<strong>\s*<a\s")


class AclEvents(VenueYearLists):
    """The events of the ACL Anthology (see the module)."""

    path = "events/{}/"
    name = "acl_events"
    label = "ACL Anthology (events)"
    base_url = "https://aclanthology.org"
    documentation = "https://aclanthology.org/events/"
    derives_from = ("acl_anthology",)
    largest_body = 32_000_000  # 4,400 papers with their abstracts are 16 MB, and read within a second
    unconfirmed = "the page format"
    terms = Terms("CC BY, may be redistributed with attribution")

    def read(self, listed: VenueYearList, part: int, body: bytes) -> list[Record]:  # noqa: ARG002 - in one part
        """The papers of all volumes. Raises MalformedAnswerError unless all of them could be read."""
        text = page_text(body)
        papers = list(_PAPER.finditer(text))
        if len(papers) != len(_STRONG.findall(text)):
            raise MalformedAnswerError("a paper could not be read")
        volumes = iter([*_VOLUME.finditer(text), None])
        ends = [*(match.start() for match in papers), len(text)][1:]
        records, volume, following = [], "", next(volumes)
        for paper, end in zip(papers, ends, strict=True):
            while following is not None and following.start() < paper.start():
                volume, following = plain(following[1]), next(volumes)
            identifier = acl_id(paper[1])
            if not identifier or not volume:
                raise MalformedAnswerError(f"{paper[1]} is no paper of a volume")
            until = min(end, following.start()) if following is not None else end
            people = (plain(person[1]) for person in _PERSON.finditer(text, paper.end(), until))
            url = f"https://aclanthology.org/{identifier}/"
            records.append(listed_paper("acl_anthology", listed, identifier, url, plain(paper[2]), people, volume))
        return records


ACL_EVENTS = AclEvents()


_TITLE = lazy_pattern(r"""<dt\s+class\s*=\s*["']?ptitle""")
_ENTRY = lazy_pattern(r"""<div\s+class\s*=\s*["']?bibref[^<>]{0,100}>""" + inside("div"))
_BREAK = lazy_pattern(r"<br\s*/?>", re.IGNORECASE)


class Cvf(VenueYearLists):
    """The open access pages of the Computer Vision Foundation (see the module)."""

    path = "{}"
    name = "cvf"
    label = "CVF open access"
    base_url = "https://openaccess.thecvf.com"
    documentation = "https://openaccess.thecvf.com/menu"
    unconfirmed = "the page format, and day=all for the years before 2021"

    def read(self, listed: VenueYearList, part: int, body: bytes) -> list[Record]:  # noqa: ARG002 - in one part
        """The entries of the page. Raises MalformedAnswerError unless there is one for each title."""
        text = page_text(body)
        entries = [html.unescape(_BREAK.sub("\n", entry)) for entry in _ENTRY.findall(text)]
        records = bibtex_papers("cvf", listed, "\n\n".join(entries).encode())
        if len(records) != len(_TITLE.findall(text)):
            raise MalformedAnswerError("a paper of the page has no entry")
        return records


CVF = Cvf()


_NEURIPS_PAPER = lazy_pattern(
    r"""<a\s(?:[^<>]{0,500}\s)?href\s*=\s*["']?[^"'<>\s]{0,200}/paper/(\d{4})/hash/([\w.-]{1,100}?)\.html["']?[^<>]{0,200}>"""
)
_NEURIPS_TITLE = lazy_pattern(inside("a"))
_AUTHORS = lazy_pattern(
    r"""<i\s*>""" + inside("i") + r"""|<span\s+class\s*=\s*["']?(?:paper-)?authors["']?\s*>""" + inside("span")
)


class ProceedingsSite(VenueYearLists):
    """One of the sites (see the module)."""

    path = "paper_files/paper/{}"

    def __init__(self, name: str, label: str, base_url: str, unconfirmed: str) -> None:
        self.name = name
        self.label = label
        self.base_url = base_url
        self.documentation = base_url
        self.unconfirmed = unconfirmed

    def read(self, listed: VenueYearList, part: int, body: bytes) -> list[Record]:  # noqa: ARG002 - in one part
        """The papers of the page. Raises MalformedAnswerError unless all of it could be read."""
        text = page_text(body)
        starts = list(_NEURIPS_PAPER.finditer(text))
        ends = [*(match.start() for match in starts), len(text)][1:]
        records = {}
        for match, end in zip(starts, ends, strict=True):
            if match[1] != str(listed.year):
                raise MalformedAnswerError(f"a paper of {match[1]} instead of {listed.year}")
            title = _NEURIPS_TITLE.match(text, match.end(), end)
            authors = _AUTHORS.search(text, title.end(), end) if title else None
            if title is None or authors is None:
                raise MalformedAnswerError(f"the paper {match[2]} has no title or no authors")
            url = f"{self.base_url}/paper_files/paper/{match[1]}/hash/{match[2]}.html"
            people = map(plain, (authors[1] or authors[2] or "").split(","))
            records[match[2]] = listed_paper(self.name, listed, match[2], url, plain(title[1]), people)
        return list(records.values())


NEURIPS = ProceedingsSite("neurips", "NeurIPS proceedings", "https://papers.nips.cc", "the page format")
ICLR = ProceedingsSite(
    "iclr", "ICLR proceedings", "https://proceedings.iclr.cc", "the page format, and the years before 2024"
)


_PMLR_PAPER = lazy_pattern(r"""<div\s+class\s*=\s*["']?paper["'\s>]""")
_PMLR_TITLE = lazy_pattern(r"""<p\s+class\s*=\s*["']?title["']?\s*>""" + inside("p"))
_PMLR_AUTHORS = lazy_pattern(r"""<span\s+class\s*=\s*["']?authors["']?\s*>""" + inside("span"))
_LINK = lazy_pattern(r"""href\s*=\s*["']?(?:https?:)?[\w/:.-]{0,60}/(v\d{1,4}/[\w.-]{1,80})\.html""")


class Pmlr(VenueYearLists):
    """The volumes of PMLR in BibTeX (see the module)."""

    path = "{}/assets/bib/bibliography.bib"
    name = "pmlr"
    label = "PMLR"
    base_url = "https://proceedings.mlr.press"
    documentation = "https://proceedings.mlr.press"
    unconfirmed = "the addresses of volumes in BibTeX"
    accept = "application/x-bibtex, text/plain, */*"

    def read(self, listed: VenueYearList, part: int, body: bytes) -> list[Record]:  # noqa: ARG002 - in one part
        """The entries of the file."""
        return bibtex_papers("pmlr", listed, body)


class PmlrPage(VenueYearLists):
    """The pages of the volumes of PMLR (see the module)."""

    path = "{}/"
    name = "pmlr_page"
    label = "PMLR (pages)"
    base_url = "https://proceedings.mlr.press"
    documentation = "https://proceedings.mlr.press"
    derives_from = ("pmlr",)
    unconfirmed = "the page format"

    def read(self, listed: VenueYearList, part: int, body: bytes) -> list[Record]:  # noqa: ARG002 - in one part
        """The papers of the page. Raises MalformedAnswerError unless all of it could be read."""
        papers = _PMLR_PAPER.split(page_text(body))[1:]
        return [_paper(listed, text) for text in papers]


def _paper(listed: VenueYearList, text: str) -> Record:
    title, authors, link = _PMLR_TITLE.search(text), _PMLR_AUTHORS.search(text), _LINK.search(text)
    if title is None or authors is None:
        raise MalformedAnswerError("a paper without title or authors")
    key = link[1] if link else ""
    url = f"https://proceedings.mlr.press/{key}.html" if key else ""
    people = map(plain, authors[1].split(","))
    return listed_paper("pmlr", listed, key, url, plain(title[1]), people)


PMLR = Pmlr()
PMLR_PAGE = PmlrPage()
