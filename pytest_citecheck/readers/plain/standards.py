"""Reference strings of standards that mark the kind of work or part the names from the title by a colon.

GB/T 7714-2015 (China): ``[J]``, ``[C]//``, ``[M]``, ``[D]``, ``[EB/OL]`` after the title; DIN 1505-2 (Germany): names joined by
semicolons, then a colon; Springer's LNCS: names, a colon.
"""

from __future__ import annotations

import re

from pytest_citecheck.readers.plain.names import bibtex_authors
from pytest_citecheck.readers.plain.venue import read_tail
from pytest_citecheck.text.blanks import MAYBE_BLANKS
from pytest_citecheck.text.patterns import lazy_pattern

__all__ = ["read_standard"]

_YEAR = r"(?:1[5-9]|20)\d\d"
_KINDS = {
    "J": ("article", "journal"), "C": ("inproceedings", "booktitle"), "A": ("inproceedings", "booktitle"),
    "M": ("book", "publisher"), "G": ("book", "publisher"), "D": ("phdthesis", "school"), "R": ("techreport", "institution"),
    "N": ("article", "journal"), "S": ("standard", "publisher"), "P": ("patent", "howpublished"),
    "EB": ("online", "howpublished"),
    "DB": ("dataset", "howpublished"), "DS": ("dataset", "howpublished"),
    "CP": ("software", "howpublished"), "Z": ("misc", "howpublished"),
}  # fmt: skip
_MARK = lazy_pattern(
    MAYBE_BLANKS
    + r"\[(?P<kind>J|C|A|M|G|D|R|N|S|P|EB|DB|DS|CP|Z)(?:/(?:OL|CD|MT|DK))?\]\s*+(?P<within>//)?\s*+[.,:]?\s*+"
)
_DETAILS = lazy_pattern(
    rf"(?P<venue>.{{2,200}}?)[,.]\s*+(?P<year>{_YEAR})?+[,\s]*+(?P<volume>\d{{1,4}})?+\s*+(?:\((?P<number>[^()]{{1,20}})\))?+"
    r"(?:\s*+:\s*+(?P<pages>[A-Za-z]?+\d\w*+(?:-\w++)*+(?:\s*+[-–—]\s*+[A-Za-z]?+\d\w*+)?+))?+\s*+[.,]?+\s*+"
    r"(?:\[\d{4}.*|https?:.*|DOI.*|doi.*)?$"
)
_PLACE = lazy_pattern(rf"(?:(?P<place>[^:,.]{{2,30}}):\s*)?(?P<name>[^,.:]{{2,80}}),\s*(?P<year>{_YEAR})")
_PEOPLE = re.compile(rf"(?P<people>.{{2,}}?)(?<!\s)[,.]?+\s*+[(,]?+\s*+(?:(?P<year>{_YEAR})[a-z]?+\)?+)?+[.,]?+$")
_MOST = 60  # places at which the people may end
_COLON = lazy_pattern(r"(?P<people>[^:]{3,}?):\s+(?=\S)")
_ENDS_IN_INITIAL = lazy_pattern(r"(?:^|[\s,.-])[^\W\d_]\.$|et al\.?$|(?:\s|^)[A-Z]{1,3}$")


def read_standard(text: str) -> tuple[bool, dict[str, str]]:
    """Whether marks set the title apart, and the fields; none if the string follows no standard.

    ``rest`` among them: what follows the names and their colon, where the end of the title is not marked.
    """
    mark = _MARK.search(text)
    if mark is not None and (fields := _gbt(text, mark)):
        return True, fields
    fields = _by_colon(text)
    return "title" in fields, fields


def _gbt(text: str, mark: re.Match[str]) -> dict[str, str]:
    before, rest = text[: mark.start()], text[mark.end() :]
    kind, where = _KINDS[mark["kind"]]
    if mark["within"]:
        kind, where = "inproceedings", "booktitle"
    stops = [*re.finditer(r"\.\s*(?=\S)", before)][:_MOST], [*re.finditer(r":\s*(?=\S)", before)][:_MOST]
    for stop in (*reversed(stops[0]), *stops[1]):
        people = _PEOPLE.fullmatch(before[: stop.start() + 1].rstrip(": "))
        authors = bibtex_authors(people["people"]) if people else ""
        if people and authors:
            found = {
                "author": authors,
                "title": before[stop.end() :].strip(),
                "type": kind,
                **_gbt_details(rest, where),
            }
            if people["year"]:
                found["year"] = people["year"]
            return found
    title = before.strip()
    return {"title": title, "type": kind, **_gbt_details(rest, where)} if 2 < len(title) < 300 else {}


def _gbt_details(rest: str, where: str) -> dict[str, str]:
    if where in ("publisher", "school", "institution") and (placed := _PLACE.match(rest)):
        return {where: placed["name"].strip(), "year": placed["year"]}
    if where == "journal" and (details := _DETAILS.match(rest)):
        return {("journal" if name == "venue" else name): value for name, value in details.groupdict().items() if value}
    found = read_tail(rest)
    name = next((found[one] for one in ("booktitle", "journal", "howpublished") if one in found), "")
    numbers: dict[str, str] = {one: found[one] for one in ("year", "volume", "number", "pages") if one in found}
    return {**numbers, **({where: name} if name else {})}


def _by_colon(text: str) -> dict[str, str]:
    """Names, a colon, the title, a full stop: DIN 1505 and LNCS."""
    head = _COLON.match(text)
    if head is None:
        return {}
    people = head["people"].strip()
    if re.search(r"\b[^\W\d_]\.\s+(?:[^\W\d_]+-[a-z]|[^\W\d_]{3,}\s[^\W\d_]{3,})", people.rpartition(";")[2]):
        return {}  # "DUCHESNAY, E. Scikit-learn: machine learning": the colon is one of the title
    if ";" in people:
        authors = bibtex_authors("; ".join(name.strip() for name in people.split(";")))
    elif _ENDS_IN_INITIAL.search(people) or re.fullmatch(r"[^\W\d_a-z]{2,}(?:[\s-][^\W\d_a-z]{2,})*, \S.*", people):
        authors = bibtex_authors(people)
    else:
        authors = bibtex_authors(people)
        authors = authors if authors.startswith("{") and " " in authors else ""
    if not authors:
        return {}
    rest = text[head.end() :]
    within = re.search(r"(?<=[.?!])\s+In:?\s+(?=\S)", rest)
    if within is None:
        return {"author": authors, "rest": rest}
    title = rest[: within.start()].strip()
    title = title if title.endswith(("?", "!")) else title.rstrip(".")
    return {"author": authors, "title": title, **read_tail(rest[within.start() :].strip())}
