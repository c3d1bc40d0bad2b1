"""Real records as BibTeX entries in the styles of real bibliographies.

Every change is one that a careful author, an exporter or a publisher might make, and no data is invented.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

from benchmarks.styles_names import FORMS, author_field
from benchmarks.styles_text import (
    latex,
    protected,
    respelled,
    sentence_case,
    shortened,
    title_case,
    typeset,
    unaccented,
)
from benchmarks.styles_venues import known_venue, venue_name
from tests.conformance.rendering import Row

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_CASES: Mapping[str, Callable[[str], str]] = {
    "as it is": str,
    "title": title_case,
    "sentence": sentence_case,
    "lower": str.lower,
}
_BIBLATEX = {"journal": "journaltitle", "year": "date", "archiveprefix": "eprinttype", "primaryclass": "eprintclass"}
_ON_THE_SIDE = {
    "abstract": r"We study 50\% of {all} cases, and $x < y$ \& more.",
    "keywords": "learning, {Deep} networks",
    "file": r":C\:/Users/me/paper.pdf:PDF",
    "urldate": "2024-02-30",
    "language": "en",
}
_TEX = re.compile(r"[$\\]")


@dataclass(frozen=True, slots=True)
class Style:
    """Habits of an exporter or a person; if there are several alternatives, one is chosen for each entry.

    names, venues, titles: keys of `FORMS`, `VENUES`, and of the cases above. doi: prefix of a DOI, or "no" for none. careful:
    True for a machine; a person leaves out fields, truncates author lists, misspells, and uses the wrong entry type. biblatex:
    use biblatex fields.
    """

    names: tuple[str, ...]
    venues: tuple[str, ...]
    titles: tuple[str, ...] = ("as it is",)
    doi: tuple[str, ...] = ("",)
    pages: str = "{0}--{1}"
    tex: float = 0.0
    braces: float = 0.0
    series: tuple[str, ...] = ()
    careful: bool = True
    biblatex: bool = False


STYLES: Mapping[str, Style] = {
    "DBLP": Style(("Given Family",), ("dblp",), doi=("",), tex=1.0, braces=0.3),
    "ACM": Style(("Family, Given",), ("full", "bracketed"), ("title", "as it is"), doi=("", "https://doi.org/"), pages="{0}–{1}"),
    "IEEE": Style(("Family, Given", "Given Family"), ("ieee",), ("title",), pages="{0}-{1}"),
    "Springer": Style(
        ("Family, Given", "Family, G. M."), ("full", "acronym"), ("as it is", "title"),
        series=("Lecture Notes in Computer Science", "LNCS", ""),
    ),
    "Zotero": Style(("Family, Given",), ("full", "dblp", "bracketed"), doi=("", "no"), braces=0.8, tex=0.5),
    "Zotero, biblatex": Style(
        ("Family, Given",), ("full", "ieee", "bracketed"), ("as it is", "title"), doi=("",), braces=0.5, biblatex=True
    ),
    "Mendeley": Style(("Family, Given", "Family, G. M."), ("full", "iso4"), braces=1.0, tex=0.7),
    "Google Scholar": Style(("Family, Given", "Family, Given M."), ("scholar",), ("sentence",), doi=("no",), tex=1.0),
    "ACL Anthology": Style(("Family, Given",), ("full", "bracketed"), braces=0.6, tex=0.6),
    "PubMed": Style(("Family, GM", "Family, G M"), ("iso4", "full"), ("sentence", "as it is"), pages="{0}-{1}"),
    "by hand, short": Style(
        ("G. M. Family", "G.M. Family", "Family, G.M.", "Given Family, no middle names"), ("acronym", "iso4"),
        ("as it is", "title", "sentence", "lower"), doi=("no", "no", ""), pages="{0}-{1}", tex=0.5, braces=0.3, careful=False,
    ),
    "by hand, long": Style(
        ("Given Family", "Given M. Family", "Family, G. M.", "Family, Given"), ("full", "dblp", "bracketed", "scholar"),
        ("as it is", "title", "sentence"), doi=("no", "doi:", "http://dx.doi.org/", "https://doi.org/"), tex=0.5, braces=0.4,
        careful=False,
    ),
}  # fmt: skip
assert all(form in FORMS for style in STYLES.values() for form in style.names)


def plain_entry(row: Row, key: str) -> str:
    """The record as a BibTeX entry that repeats it word by word."""
    fields = {"title": latex(row.title, None), "year": str(row.year or "")}
    fields["author"] = " and ".join(f"{{{name}}}" if "," in name else latex(name, None) for name in row.authors)
    kind, place = _place(row)
    fields[place] = latex(row.venue, None)
    fields["doi"] = row.doi
    if row.arxiv:
        fields |= {"eprint": row.arxiv, "archiveprefix": "arXiv"}
    return bibtex_entry(kind, key, fields)


def styled_entry(row: Row, name: str, key: str, dice: Random) -> str:
    """The record as a BibTeX entry in the style of this name, with the habits that the dice choose."""
    style = STYLES[name]
    tex = dice.random() < style.tex
    fields = {
        "title": _title(row, style, dice, tex=tex),
        "author": author_field(row.authors, dice.choice(style.names), dice, tex=tex, careful=style.careful),
        "year": str(row.year or ""),
    }
    if dice.random() < 0.3:
        fields["month"] = _MONTHS[dice.randrange(12)]
    kind = _placed(row, style, fields, dice, tex=tex)
    _identified(row, style, fields, dice)
    if kind in ("article", "inproceedings"):
        first = dice.randint(1, 900)
        fields["pages"] = style.pages.format(first, first + dice.randint(5, 20))
    if not style.careful:
        kind = _forgotten(kind, fields, dice)
    if style.biblatex:
        fields = _in_biblatex(fields, dice)
    if dice.random() < 0.2:
        fields |= _ON_THE_SIDE
    return bibtex_entry(kind, key, fields)


def bibtex_entry(kind: str, key: str, fields: Mapping[str, str]) -> str:
    """Return a BibTeX entry with the fields that are not empty."""
    lines = (
        f"  {name} = {value},\n" if name == "month" else f"  {name} = {{{value}}},\n"
        for name, value in fields.items()
        if value
    )
    return f"@{kind}{{{key},\n{''.join(lines)}}}\n"


def _title(row: Row, style: Style, dice: Random, *, tex: bool) -> str:
    title = row.title
    if not style.careful:
        habit = dice.random()
        if habit < 0.05:
            title = shortened(title)
        elif habit < 0.1:
            title = respelled(title)
        elif habit < 0.2:
            title = typeset(title, dice)
        elif habit < 0.23 and not _TEX.search(title):
            title = unaccented(title)
    case = _CASES[dice.choice(style.titles)]
    text = latex(title if _TEX.search(title) else case(title), dice if tex else None)
    text = protected(text, dice) if dice.random() < style.braces else text
    return text + "." if not style.careful and dice.random() < 0.1 else text


def _place(row: Row) -> tuple[str, str]:
    """Return the entry type and the field for its venue."""
    if row.type in ("inproceedings", "proceedings-article"):
        return "inproceedings", "booktitle"
    if row.type in ("incollection", "book-chapter"):
        return "incollection", "booktitle"
    if row.type in ("book", "monograph"):
        return "book", "series"
    if row.type in ("preprint", "submission", "") or not row.venue:
        return "misc", "howpublished"
    return "article", "journal"


def _placed(row: Row, style: Style, fields: dict[str, str], dice: Random, *, tex: bool) -> str:
    """Add the venue to the fields, and return the type of the entry."""
    if row.type == "preprint" and row.arxiv:
        return _preprint(row, fields, dice)
    kind, place = _place(row)
    venue = known_venue(row)
    if venue is not None and kind in ("inproceedings", "article"):
        kind, place = ("article", "journal") if venue.kind == "journal" else ("inproceedings", "booktitle")
    if row.venue:
        fields[place] = latex(venue_name(row, dice.choice(style.venues), dice), dice if tex else None)
    if kind == "inproceedings" and style.series:
        fields["series"] = dice.choice(style.series)
    return kind


def _preprint(row: Row, fields: dict[str, str], dice: Random) -> str:
    habit = dice.randrange(7)
    if habit < 2:
        fields |= {"eprint": row.arxiv, "archiveprefix": "arXiv", "primaryclass": dice.choice(("cs.LG", "cs.CL", ""))}
        return dice.choice(("misc", "online"))
    if habit == 2:
        fields |= {"journal": "CoRR", "volume": f"abs/{row.arxiv}"}
    elif habit == 3:
        fields["journal"] = f"arXiv preprint arXiv:{row.arxiv}"
    elif habit == 4:
        fields |= {"journal": "arXiv", "doi": f"10.48550/arXiv.{row.arxiv}"}
    elif habit == 5:
        fields |= {"publisher": "arXiv", "number": f"arXiv:{row.arxiv}", "doi": f"10.48550/arXiv.{row.arxiv}"}
        return "misc"
    else:
        fields |= {"howpublished": dice.choice((r"\url{https://arxiv.org/abs/%s}", "arXiv:%s")) % row.arxiv}
        return "misc"
    return "article"


def _identified(row: Row, style: Style, fields: dict[str, str], dice: Random) -> None:
    before = dice.choice(style.doi)
    if row.doi and before != "no":
        fields["doi"] = before + (row.doi.upper() if dice.random() < 0.05 else row.doi)
        if dice.random() < 0.3:
            fields["url"] = f"https://doi.org/{row.doi}"
    if row.arxiv and row.type != "preprint" and not row.doi and dice.random() < 0.5:
        fields |= {"eprint": row.arxiv, "archiveprefix": "arXiv"}


def _forgotten(kind: str, fields: dict[str, str], dice: Random) -> str:
    """Leaves out a field that people forget, or takes the type of entry that they know best; returns the type."""
    habit = dice.random()
    if habit < 0.04:
        fields["year"] = ""
    elif habit < 0.08:
        for name in ("journal", "booktitle"):
            fields.pop(name, None)
    elif habit < 0.14 and kind == "inproceedings" and "booktitle" in fields:
        fields["journal"] = fields.pop("booktitle")
        return "article"
    return kind


def _in_biblatex(fields: Mapping[str, str], dice: Random) -> dict[str, str]:
    """The same fields under the names of biblatex, with the date in one."""
    renamed = {_BIBLATEX.get(name, name): value for name, value in fields.items()}
    month = renamed.pop("month", "")
    if month and dice.random() < 0.7:
        renamed["date"] += f"-{_MONTHS.index(month) + 1:02}"
    return renamed
