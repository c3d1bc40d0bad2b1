"""Habits of exporters that change how a correct reference looks, beyond the facts in the record.

Each habit prints only what its exporter prints for a correct reference; a record that it does not concern is left out. Pages,
keywords and abstracts are placeholders, as the records have none.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from benchmarks.styles import bibtex_entry
from benchmarks.styles_names import author_field
from benchmarks.styles_text import latex, protected, sentence_case, typeset
from benchmarks.styles_venues import acronym_of, known_venue, venue_name
from tests.conformance.rendering import Row

Entry = tuple[str, dict[str, str]]
"""The type of a BibTeX entry and its fields."""

_MOST_AUTHORS = 10
_BEFORE_VOLUME_1 = 1987
_MIT_PRESS = 2007
"""The last NIPS whose volume MIT Press or Morgan Kaufmann printed in the following year."""
_DATED_LATER = {
    ("accv", 2012): 2013, ("accv", 2014): 2015, ("accv", 2016): 2017, ("accv", 2018): 2019, ("accv", 2020): 2021,
    ("ecml", 2018): 2019, ("ecml", 2019): 2020, ("ecml", 2020): 2021, ("ecml", 2022): 2023, ("eccv", 2024): 2025,
}  # fmt: skip
"""Volumes of Springer that are dated a year after the meeting."""
_SPRINGER_TITLES = {
    "eccv": "Computer Vision -- ECCV {}", "accv": "Computer Vision -- ACCV {}",
    "ecml": "Machine Learning and Knowledge Discovery in Databases",
    "miccai": "Medical Image Computing and Computer Assisted Intervention -- MICCAI {}",
}  # fmt: skip
_ACM_TITLES = {
    "kdd": "Proceedings of the {} ACM SIGKDD International Conference on Knowledge Discovery & Data Mining",
    "sigir": "Proceedings of the {} International ACM SIGIR Conference on Research and Development in Information Retrieval",
    "mm": "Proceedings of the {} ACM International Conference on Multimedia",
    "chi": "Proceedings of the {} CHI Conference on Human Factors in Computing Systems",
    "www": "Proceedings of the ACM Web Conference {}",
    "ccs": "Proceedings of the {} ACM SIGSAC Conference on Computer and Communications Security",
}  # fmt: skip
_ACM_WEB_CONFERENCE = 2022
_FIRST_MEETING_BUT_ONE = {"kdd": 1994, "sigir": 1977, "mm": 1992}
_IEEE_MONTHS = {"cvpr": "June", "iccv": "Oct", "icra": "May", "iros": "Oct", "wacv": "Jan", "icassp": "May"}
_STARTS_OF_WORDS = re.compile(r"(?<![\w{\\])([A-Z])")
_ACRONYM = re.compile(r"^([A-Z][A-Za-z]*[A-Z][A-Za-z0-9-]*)(?=: )")
_PARTICLES = re.compile(
    r"^(.+?) ((?:van|von|de|der|den|della|di|da|dos|du|la|le|ten|ter)(?: (?:der|den|la|de))?) (\S+)$"
)
_TEX = re.compile(r"[$\\{}^]")


@dataclass(frozen=True, slots=True)
class Habit:
    """An exporter's habit: its name, the exporter, and a function that prints a record, or returns None if it does not apply.

    preprint: it prints the arXiv record of a work, otherwise the published one.
    """

    name: str
    source: str
    write: Callable[[Row, Random], Entry | None]
    preprint: bool = False

    def entry(self, row: Row, key: str, dice: Random) -> str:
        """Return the BibTeX entry, or ``""`` if the habit does not concern the record."""
        made = self.write(row, dice)
        return bibtex_entry(made[0], key, made[1]) if made else ""


def _base(row: Row, names: str, **more: str) -> Entry:
    """The entry of a careful exporter; ``more`` replaces fields and adds others."""
    fields = {
        "author": author_field(row.authors, names, Random(0), tex=False, careful=True),
        "title": latex(row.title, None),
    }
    kind = "misc"
    if row.type in ("inproceedings", "article"):
        kind, place = ("article", "journal") if row.type == "article" else ("inproceedings", "booktitle")
        fields[place] = latex(venue_name(row, "scholar", Random(0)), None)
    fields["year"] = str(row.year or "")
    return kind, fields | more


def _venue_id(row: Row) -> str:
    venue = known_venue(row)
    return venue.id if venue and row.year and "orkshop" not in row.venue else ""


def _acronym(row: Row) -> str:
    venue = known_venue(row)
    return acronym_of(venue) if venue and venue.kind == "conference" and _venue_id(row) else ""


def _ordinal(number: int) -> str:
    return f"{number}{'th' if number % 100 in (11, 12, 13) else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def _pages(dice: Random, dash: str = "--") -> str:
    first = dice.randint(1, 900)
    return f"{first}{dash}{first + dice.randint(5, 20)}"


def _title_changed(change: Callable[[str], str], names: str = "Given Family") -> Callable[[Row, Random], Entry | None]:
    """A habit that changes the title alone; titles with markup and titles that stay the same are left out."""

    def write(row: Row, _: Random) -> Entry | None:
        title = "" if _TEX.search(row.title) else change(latex(row.title, None))
        return _base(row, names, title=title) if title and title != latex(row.title, None) else None

    return write


def _names_written(form: str) -> Callable[[Row, Random], Entry | None]:
    return lambda row, _: _base(row, form)


def _venue_written(write: Callable[[str], str], style: str) -> Callable[[Row, Random], Entry | None]:
    def habit(row: Row, dice: Random) -> Entry | None:
        kind, fields = _base(row, "Given Family")
        place = "journal" if kind == "article" else "booktitle"
        if place not in fields or (style == "scholar" and kind == "article"):
            return None
        return kind, fields | {place: write(latex(venue_name(row, style, dice), None))}

    return habit


def _scholar(row: Row, dice: Random, **more: str) -> Entry:
    kind, fields = _base(row, "Family, Given M.", title=latex(sentence_case(row.title), None))
    names = fields["author"].split(" and ")
    if len(names) > _MOST_AUTHORS:
        fields["author"] = " and ".join([*names[:_MOST_AUTHORS], "others"])
    if "booktitle" in fields:
        fields["booktitle"] = fields["booktitle"].replace("IEEE/CVF", "IEEE").replace(" Conference", " conference")
    return kind, {**fields, "pages": _pages(dice), **more}


def _scholar_neurips(row: Row, dice: Random) -> Entry | None:
    if _venue_id(row) != "neurips" or not row.year:
        return None
    return _scholar(
        row,
        dice,
        booktitle="Advances in Neural Information Processing Systems",
        volume=str(row.year - _BEFORE_VOLUME_1),
    )


def _scholar_nips_printed(row: Row, dice: Random) -> Entry | None:
    made = _scholar_neurips(row, dice)
    if made is None or row.year is None or row.year > _MIT_PRESS:
        return None
    return made[0], made[1] | {"year": str(row.year + 1), "organization": "MIT Press"}


def _scholar_proceedings(row: Row, dice: Random) -> Entry | None:
    venue = known_venue(row)
    if not venue or not _acronym(row):
        return None
    name = venue.name.replace("IEEE/CVF", "IEEE").replace("Conference", "conference")
    return _scholar(
        row, dice, booktitle=f"Proceedings of the {name}", organization="PMLR" if venue.id == "icml" else ""
    )


def _scholar_many_authors(row: Row, dice: Random) -> Entry | None:
    return _scholar(row, dice) if len(row.authors) > _MOST_AUTHORS else None


def _acm(row: Row, dice: Random) -> Entry | None:
    venue, year = _venue_id(row), row.year
    if venue not in _ACM_TITLES or not year or (venue == "www" and year < _ACM_WEB_CONFERENCE):
        return None
    number = _ordinal(year - _FIRST_MEETING_BUT_ONE[venue]) if venue in _FIRST_MEETING_BUT_ONE else str(year)
    pages = dice.randint(5, 15)
    return _base(
        row,
        "Family, Given",
        booktitle=latex(_ACM_TITLES[venue].format(number), None),
        series=f"{_acronym(row)} '{year % 100:02}",
        publisher="Association for Computing Machinery",
        address="New York, NY, USA",
        pages=f"1–{pages}",
        numpages=str(pages),
        keywords="neural networks, evaluation",
        doi=row.doi,
        url=f"https://doi.org/{row.doi}" if row.doi else "",
    )


def _ieee(row: Row, dice: Random) -> Entry | None:
    if _venue_id(row) not in _IEEE_MONTHS:
        return None
    name = venue_name(row, "ieee", dice)
    more = {"keywords": "Training;Computer vision;Task analysis", "pages": _pages(dice, "-"), "doi": row.doi}
    return _base(row, "Family, Given", booktitle=name, month=f"{{{_IEEE_MONTHS[_venue_id(row)]}}}", **more)


def _springer(row: Row, dice: Random) -> Entry | None:
    venue = _venue_id(row)
    if venue not in _SPRINGER_TITLES:
        return None
    more = {
        "editor": "Leibe, Bastian and Matas, Jiri",
        "publisher": "Springer International Publishing",
        "address": "Cham",
    }
    title = _SPRINGER_TITLES[venue].format(row.year)
    return _base(row, "Family, Given", booktitle=title, pages=_pages(dice), doi=row.doi, **more)


def _springer_dated_later(row: Row, dice: Random) -> Entry | None:
    made, year = _springer(row, dice), _DATED_LATER.get((_venue_id(row), row.year or 0))
    return (made[0], made[1] | {"year": str(year)}) if made and year else None


def _semantic_scholar_arxiv(row: Row, _: Random) -> Entry | None:
    fields = _base(row, "Given Family", journal="ArXiv", volume=f"abs/{row.arxiv}")[1]
    return ("article", fields) if row.arxiv else None


def _semantic_scholar(row: Row, _: Random) -> Entry | None:
    return _base(row, "G. M. Family")


def _zotero(row: Row, _: Random) -> Entry | None:
    short = row.title.partition(": ")[0] if ": " in row.title else ""
    return _base(
        row,
        "Family, Given",
        title=protected(latex(row.title, None), Random(1)),
        shorttitle=latex(short, None),
        url=row.url,
        doi=row.doi,
        urldate="2024-01-15",
        language="en",
        abstract=r"We study 50\% of all cases, and $x < y$.",
        keywords="Computer Science - Machine Learning",
        note=f"arXiv:{row.arxiv} [cs]" if row.arxiv else "",
    )


def _zotero_preprint(row: Row, _: Random) -> Entry | None:
    more = {"publisher": "arXiv", "doi": f"10.48550/arXiv.{row.arxiv}", "url": f"http://arxiv.org/abs/{row.arxiv}"}
    note = f"arXiv:{row.arxiv} [cs, stat]"
    return _base(row, "Family, Given", urldate="2024-01-15", note=note, **more) if row.arxiv else None


def _better_bibtex(row: Row, _: Random) -> Entry | None:
    more = {"number": f"arXiv:{row.arxiv}", "eprint": row.arxiv, "eprinttype": "arxiv", "archiveprefix": "arXiv"}
    doi = f"10.48550/arXiv.{row.arxiv}"
    return _base(row, "Family, Given", publisher="arXiv", doi=doi, langid="english", **more) if row.arxiv else None


def _mendeley(row: Row, _: Random) -> Entry | None:
    venue = known_venue(row)
    title = row.title if _TEX.search(row.title) else _STARTS_OF_WORDS.sub(r"{\1}", latex(row.title, None))
    return _base(
        row,
        "Family, Given",
        title=f"{{{title}}}",
        isbn=venue.issn[0] if venue and venue.issn else "",
        doi=row.doi,
        eprint=row.arxiv,
        arxivid=row.arxiv,
        archiveprefix="arXiv" if row.arxiv else "",
        url=row.url,
        **{"mendeley-tags": "deep learning", "file": ":C$\\backslash$:/Users/me/paper.pdf:pdf"},
    )


def _mendeley_preprint(row: Row, _: Random) -> Entry | None:
    more = {"archiveprefix": "arXiv", "arxivid": row.arxiv, "eprint": row.arxiv.rpartition("/")[2]}
    kind, fields = _base(row, "Family, Given", **more, url=f"http://arxiv.org/abs/{row.arxiv}")
    return ("article", fields) if row.arxiv and kind == "misc" else None


def _jabref(row: Row, _: Random) -> Entry | None:
    doi = f"https://doi.org/{row.doi}" if row.doi else ""
    more = {"comment": "read this", "groups": "deep learning", "timestamp": "2024-01-15"}
    return _base(row, "Given Family", doi=doi, eprint=row.arxiv, **more) if row.doi or row.arxiv else None


def _acronym_in_braces(row: Row, dice: Random) -> Entry | None:
    del dice
    title = latex(row.title, None)
    return _base(row, "Given Family", title=_ACRONYM.sub(r"{\1}", title)) if _ACRONYM.search(title) else None


def _surnames_only(row: Row, _: Random) -> Entry | None:
    if any("," in name or len(name.split()) < 2 for name in row.authors):
        return None
    return _base(row, "Given Family", author=" and ".join(latex(name.split()[-1], None) for name in row.authors))


def _particles_moved(row: Row, _: Random) -> Entry | None:
    """ "Laurens van der Maaten" as "Maaten, Laurens van der"."""
    names = [_PARTICLES.sub(r"\3, \1 \2", name) for name in row.authors]
    return (
        _base(row, "Given Family", author=" and ".join(latex(name, None) for name in names))
        if (tuple(names) != row.authors)
        else None
    )


def _tex_accents(row: Row, dice: Random) -> Entry | None:
    if all(name.isascii() for name in row.authors):
        return None
    author = author_field(row.authors, "Given Family", dice, tex=True, careful=True)
    return _base(row, "Given Family", author=author, title=latex(row.title, dice))


def _and_so_on(row: Row, dice: Random) -> Entry | None:
    if len(row.authors) < 4:
        return None
    kept = author_field(row.authors[: dice.randint(1, 3)], "Given Family", dice, tex=False, careful=True)
    return _base(row, "Given Family", author=kept + " " + dice.choice(("et al.", "and et al.", "and others")))


def _in_proceedings(name: str) -> str:
    return f"In Proceedings of the {name.removeprefix('Proceedings of the ')}"


def _with_full_stop(title: str) -> str:
    return f"{title}." if title[-1:].isalnum() else title


def _dashes(title: str) -> str:
    return typeset(title, Random(0)).replace(" - ", " -- ").replace("-", "--", 1)


HABITS = (
    Habit("NeurIPS as a series with its volume", "Google Scholar", _scholar_neurips),
    Habit("NIPS dated by its printed volume", "Google Scholar", _scholar_nips_printed),
    Habit("proceedings without ordinals, names cut", "Google Scholar", _scholar_proceedings),
    Habit("ten authors and others", "Google Scholar", _scholar_many_authors),
    Habit("ACM title with series", "ACM Digital Library", _acm),
    Habit("IEEE title with year and acronym", "IEEE Xplore", _ieee),
    Habit("Springer volume title", "Springer", _springer),
    Habit("Springer volume dated a year later", "Springer", _springer_dated_later),
    Habit("ArXiv as a journal", "Semantic Scholar", _semantic_scholar_arxiv, preprint=True),
    Habit("initials", "Semantic Scholar", _semantic_scholar),
    Habit("notes and short title", "Zotero", _zotero),
    Habit("preprint with DOI and note", "Zotero", _zotero_preprint, preprint=True),
    Habit("preprint with number and eprint", "Zotero, Better BibTeX", _better_bibtex, preprint=True),
    Habit("braces, tags and ISSN as ISBN", "Mendeley", _mendeley),
    Habit("preprint with eprint and arxivId", "Mendeley", _mendeley_preprint, preprint=True),
    Habit("eprint without archive, DOI as URL", "JabRef", _jabref),
    Habit("title in capitals", "publisher sites", _title_changed(str.upper)),
    Habit("title in sentence case", "PubMed, Google Scholar", _title_changed(sentence_case)),
    Habit("acronym in braces", "DBLP", _acronym_in_braces),
    Habit("full stop after the title", "PubMed, EndNote", _title_changed(_with_full_stop)),
    Habit("other dashes and quotation marks", "word processors", _title_changed(_dashes)),
    Habit("&amp; for &", "web scrapers", _title_changed(lambda title: title.replace(r"\&", "&amp;"))),
    Habit("surnames and initials", "PubMed", _names_written("Family, GM")),
    Habit("surnames only", "old catalogues", _surnames_only),
    Habit("particles behind given names", "library catalogues", _particles_moved),
    Habit("accents in LaTeX", "DBLP", _tex_accents),
    Habit("list cut by et al.", "by hand", _and_so_on),
    Habit("abbreviated venue", "journal styles (ISO 4)", _venue_written(str, "iso4")),
    Habit("In Proceedings of", "by hand", _venue_written(_in_proceedings, "scholar")),
)  # fmt: skip
assert len({habit.name for habit in HABITS}) == len(HABITS)
