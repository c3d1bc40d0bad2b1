"""One work in Crossref's XML as a record: unixref, as its publishers deposit it, alone or in Crossref's query output.

Source: the UNIXREF schema and the Crossref deposit schema 5.3.1 (data.crossref.org/reports/help/schema_doc), whose items are
read: journal articles, conference papers, books, parts of books and reports, dissertations, posted content, datasets,
standards, peer reviews, components.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_citecheck.model import Notice, Person, Record, RecordType
from pytest_citecheck.services.parsing.identifiers import arxiv_id, arxiv_id_of_doi, doi_name, isbn_numbers
from pytest_citecheck.services.parsing.json_body import year_of
from pytest_citecheck.services.parsing.notices import announced
from pytest_citecheck.services.parsing.relations import SAME_WORK, hyphenated
from pytest_citecheck.services.parsing.stated_names import stated_name, undivided
from pytest_citecheck.services.parsing.xml_text import marked_text, marked_texts, without_namespaces
from pytest_citecheck.text.markup import without_markup

if TYPE_CHECKING:
    import xml.etree.ElementTree as ET
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["parse_unixref"]

_TYPES: Mapping[str, RecordType] = {
    "journal_article": "article",
    "conference_paper": "inproceedings",
    "proceedings_metadata": "proceedings",
    "proceedings_series_metadata": "proceedings",
    "book_metadata": "book",
    "book_series_metadata": "book",
    "book_set_metadata": "book",
    "content_item": "chapter",
    "dissertation": "thesis",
    "report-paper_metadata": "report",
    "report-paper_series_metadata": "report",
    "dataset": "dataset",
    "database_metadata": "dataset",
}
_PREPRINTS = frozenset({"", "preprint", "working_paper"})
# Where the metadata of the whole stand, of which an item is a part: beside the item or beside what encloses it.
_WHOLES = (
    "journal_metadata",
    "proceedings_metadata",
    "proceedings_series_metadata",
    "book_metadata",
    "book_series_metadata",
    "book_set_metadata",
    "report-paper_metadata",
    "report-paper_series_metadata",
    "database_metadata",
    "event_metadata",
)
_TITLES = ("titles/title", "proceedings_title", "full_title")
_DATES = (
    "publication_date",
    "posted_date",
    "approval_date",
    "review_date",
    "database_date/publication_date",
    "database_date/creation_date",
)


def _unique(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for value in values if value))


def _first(parents: Iterable[ET.Element], *paths: str) -> str:
    """The first text at one of the paths below one of the elements."""
    return next((text for parent in parents for path in paths for text in marked_texts(parent, path)), "")


def _years(parents: Iterable[ET.Element], paths: Sequence[str] = _DATES) -> list[int]:
    """The years of publication, the earliest first: print and online come in any order."""
    dates = [date for parent in parents for path in paths for date in parent.findall(path)]
    return sorted({year for date in dates if (year := year_of(date.findtext("year") or ""))})


def _person(contributor: ET.Element) -> Person | None:
    if contributor.tag == "organization":
        name = stated_name(marked_text(contributor))
        return Person(literal=name, group=True) if name else None
    given, family = (stated_name(contributor.findtext(name)) for name in ("given_name", "surname"))
    if given and family:
        return Person(family=family, given=given, suffix=without_markup(contributor.findtext("suffix") or ""))
    single = family or given
    return undivided(single) if single else None


def _people(item: ET.Element, role: str) -> tuple[Person, ...]:
    # The author of a dissertation stands in it directly.
    stated = [*item.findall("contributors/*"), *item.findall("person_name")]
    wanted = [
        one for one in stated if one.tag in ("person_name", "organization") and one.get("contributor_role") == role
    ]
    return tuple(person for person in map(_person, wanted) if person)


def _related(item: ET.Element) -> tuple[tuple[str, str], ...]:
    related: list[tuple[str, str]] = []
    for kind in ("intra_work_relation", "inter_work_relation"):
        for stated in item.findall(f"program/related_item/{kind}"):
            relation, value = hyphenated(stated.get("relationship-type", "")), without_markup(stated.text or "")
            identifier = doi_name(value) or arxiv_id(value)
            if relation in SAME_WORK and identifier:
                related.append((relation, identifier))
    return tuple(dict.fromkeys(related))


def _venues(item: ET.Element, wholes: Sequence[ET.Element]) -> tuple[str, ...]:
    """Names of the container, then its short ones, its series, the event, the institution, the server's section."""
    names: list[str] = []
    for path in (*_TITLES, "abbrev_title", "series_metadata/titles/title", "set_metadata/titles/title"):
        names += [name for whole in wholes for name in marked_texts(whole, path)]
    if item.tag in _WHOLES:
        names += marked_texts(item, "series_metadata/titles/title")
    for path in ("conference_name", "conference_acronym"):
        names += [name for whole in wholes for name in marked_texts(whole, path)]
    for path in ("institution/institution_name", "group_title"):
        names += marked_texts(item, path)
    return _unique(names)


def _pages(item: ET.Element) -> str:
    first, last = (without_markup(item.findtext(f"pages/{name}") or "") for name in ("first_page", "last_page"))
    if first:
        return f"{first}-{last}" if last else first
    numbers = item.findall("publisher_item/item_number")
    return next(
        (without_markup(one.text or "") for one in numbers if one.get("item_number_type") == "article_number"), ""
    )


def _type(item: ET.Element) -> RecordType:
    if item.tag == "posted_content":
        return "preprint" if item.get("type", "") in _PREPRINTS else "other"
    return _TYPES.get(item.tag, "other")


def _item(root: ET.Element, doi: str) -> list[ET.Element]:
    """The element that this DOI was deposited for, and what encloses it from the inside out; empty if there is none."""
    parents = {child: parent for parent in root.iter() for child in parent}
    for item in root.iter():
        if any(doi_name(without_markup(stated.text or "")) == doi for stated in item.findall("doi_data/doi")):
            path = [item]
            while path[-1] in parents and path[-1].tag != "crossref":
                path.append(parents[path[-1]])
            return path
    return []


def parse_unixref(document: ET.Element, doi: str) -> Record | None:
    """The record of the item that this DOI (in lower case) was deposited for, or None if the document has no such item.

    The tree is left with local names.
    """
    path = _item(without_namespaces(document), doi)
    if not path:
        return None
    item, around = path[0], path[1:]
    wholes = [found for outer in around for name in _WHOLES for found in outer.findall(name) if found is not item]
    issues = [found for outer in around for found in outer.findall("journal_issue") if found is not item]
    own, last = [item], [item, *issues, *wholes]
    titles = [title for path_ in _TITLES for title in marked_texts(item, path_)]
    title = titles[0] if titles else ""
    said = announced(title, doi)
    others = [said[1] if said else "", *titles[1:], *marked_texts(item, "titles/original_language_title")]
    years = _years(own) + _years(issues) + _years(wholes)
    years += [year for whole in wholes for date in whole.findall("conference_date") if (year := _start(date))]
    related = _related(item)
    return Record(
        source="doi_content",
        id=doi,
        url=f"https://doi.org/{doi}",
        title=title,
        subtitle=_first(own, "titles/subtitle"),
        other_titles=_unique(other for other in others if other != title),
        authors=_people(item, "author"),
        editors=_people(item, "editor"),
        years=tuple(dict.fromkeys(years)),
        venues=_venues(item, wholes),
        type=_type(item),
        publisher=_first(last, "publisher/publisher_name"),
        doi=doi,
        arxiv=arxiv_id_of_doi(doi) or next((name for _, name in related if not name.startswith("10.")), ""),
        volume=_first(last, "journal_volume/volume", "volume"),
        number=_first(issues, "issue"),
        pages=_pages(item),
        isbn=isbn_numbers(number for whole in last for number in marked_texts(whole, "isbn")),
        issn=_unique(
            number for whole in last for at in ("issn", "series_metadata/issn") for number in marked_texts(whole, at)
        ),
        agency="Crossref",
        related=related,
        notices=(Notice(said[0], "crossref"),) if said and item.find("crossmark/updates") is None else (),
    )


def _start(conference: ET.Element) -> int | None:
    return year_of(conference.get("start_year", ""))
