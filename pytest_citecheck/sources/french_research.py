"""Registers of French research, HAL and theses.fr, by their own numbers and by title.

A thesis or report is looked for there if it may be from France, judging by its school or institution.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from pytest_citecheck.matching import fold, hal_id, lazy_pattern, nnt, without_markup
from pytest_citecheck.model import Answer, CitedMetadata, Person, Query, QueryKind, Record, RecordType
from pytest_citecheck.sources.base import MalformedAnswerError, Rate, Request, Response, Role, Terms, TitleSearch
from pytest_citecheck.sources.parsing import (
    Fields,
    answer_with,
    answered,
    arxiv_id,
    doi_name,
    isbn_numbers,
    mapping,
    parameter,
    pubmed_id,
    stated_name,
    stated_parts,
    texts,
    titled_alike,
    undivided,
    unique,
    year_of,
)
from pytest_citecheck.sources.search import JsonSearch, main_words, plain_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_FRENCH = lazy_pattern(
    r"\b(?:universite|ecole|institut (?:national|polytechnique|de|d)|insa|inria|cnrs|irisa|loria|sorbonne|paris|psl|saclay|orsay|"
    r"grenoble|lyon|toulouse|rennes|nancy|bordeaux|marseille|montpellier|strasbourg|nantes|lille|compiegne|nice|cachan|"
    r"evry|orleans|poitiers|dijon|limoges|rouen|caen|besancon|reims|france|francaise|telecom|enst|ens|ehess|cnam|hal|onera)\b"
)
_ELSEWHERE = lazy_pattern(
    r"\b(?:montreal|laval|quebec|sherbrooke|ottawa|moncton|louvain|liege|bruxelles|namur|mons|geneve|lausanne|fribourg|neuchatel|"
    r"luxembourg|tunis|sfax|alger|rabat|dakar|texas|kentucky|lisboa|berlin|bern|zurich)\b"
)
_FIELDS = ("school", "institution", "address", "location", "publisher", "type", "note")


_EITHER = " OR "
_NEXT_TITLE = lazy_pattern(r"(?<=\)\)) OR (?=\()")


class FrenchRegister(JsonSearch):
    """A register of French research, queried by its own numbers and by title with the first author.

    number: the kind of query for its numbers. field: of its numbers in a query.
    quoted: the form of a number in a query. hits: maximum number of documents in an answer.
    """

    rate = Rate(per_second=2.0, concurrency=1)
    limits = "none published; 2 requests a second are used"
    terms = Terms("open data, may be redistributed with attribution")
    number: QueryKind
    field: str
    quoted: str
    hits: int

    @abstractmethod
    def titled(self, query: Query) -> str:
        """The query for the words of a title with its first author."""

    def counts(self, document: object) -> bool:  # noqa: ARG002 - for those who have others
        """Return True if a document is a publication at all."""
        return True

    def may_list(self, cited: CitedMetadata) -> bool:
        """Works that may be from France."""
        return may_be_french(cited)

    def request(self, queries: Sequence[Query]) -> Request:
        """The search for these numbers, or for the words of these titles with their first authors."""
        if queries[0].kind != self.number:
            return self._search(_EITHER.join(map(self.titled, queries)))
        return self._numbered(self.quoted.format(query.value) for query in queries)

    def _numbered(self, quoted: Iterable[str]) -> Request:
        return self._search(f"{self.field}:({_EITHER.join(quoted)})")

    def _search(self, query: str) -> Request:
        return self.searched(query, self.hits)

    def parse(self, queries: Sequence[Query], response: Response) -> dict[Query, Answer]:
        """Records by query. Raises MalformedAnswerError for errors and for all but whole lists of documents."""
        documents, total = self.page(response)
        published = [document for document in documents if self.counts(document)]
        if len(documents) < min(total, self.hits):
            raise MalformedAnswerError(f"{self.label}'s answer contains {len(documents)} of {total} documents")
        # The answer of a search is its first result; several searches share the places.
        cut = self.batch["title"] > 1 and total > len(documents)

        def answer(query: Query, records: list[Record]) -> Answer:
            if query.kind == "title":
                return titled_alike(query, records, cut=cut)
            return answer_with(record for record in records if record.id == query.value)

        return answered(self.label, queries, published, self.read, answer)

    def singles(self, request: Request) -> tuple[Request, ...]:
        """The requests that ask for each number or title of a query alone."""
        query, numbers = parameter(request.url, "q"), f"{self.field}:("
        if query.startswith(numbers):
            return tuple(self._numbered([number]) for number in query[len(numbers) : -1].split(_EITHER))
        return tuple(map(self._search, _NEXT_TITLE.split(query)))


def may_be_french(cited: CitedMetadata) -> bool:
    """Return True if the school, institution or place of a reference sounds French, or HAL or theses.fr is named."""
    if cited.identifiers.hal or cited.identifiers.nnt:
        return True
    said = fold(" ".join(cited.reference.fields.get(name, "") for name in _FIELDS))
    return _FRENCH.search(said) is not None and _ELSEWHERE.search(said) is None


_MOST_WORDS = 8


_HAL_FIELDS = (
    "halId_s,uri_s,docType_s,title_s,subTitle_s,authLastName_s,authFirstName_s,authFullName_s,producedDateY_i,publicationDateY_i,"
    "journalTitle_s,bookTitle_s,conferenceTitle_s,authorityInstitution_s,publisher_s,volume_s,issue_s,page_s,isbn_s,doiId_s,"
    "arxivId_s,pubmedId_s,nntId_s"
)


class Hal(FrenchRegister):
    """HAL: documents of the open archive of French research by id, theses and reports by title.

    Written from the documentation (api.archives-ouvertes.fr/docs/search) and not from recorded answers. Authors deposit their
    works and describe them; theses come from the national register. Absence: documents are withdrawn and joined, so it is no
    evidence. Author order: as published, reliable. Limits: none are published.
    """

    name = "hal"
    label = "HAL"
    base_url = "https://api.archives-ouvertes.fr"
    documentation = "https://api.archives-ouvertes.fr/docs/search"
    batch: Mapping[QueryKind, int] = {"hal": 40, "title": 5}
    absence = "no evidence: documents are withdrawn and merged, and a search only returns its best matches"
    unconfirmed = "searches without accents in `title_t` and `authLastName_t`, `OR` between titles"
    authoritative_for = ("identifier", "title", "authors", "year")
    derives_from = ("arxiv", "crossref", "theses_fr")
    role = Role(looks_up=("hal",), titles=(TitleSearch("batch", 30, works=("thesis", "report")),))
    controls: Mapping[QueryKind, Query] = {
        "hal": Query("hal", "hal-00650905"),
        "title": Query("title", "Scikit-learn: Machine Learning in Python", ("Pedregosa",)),
    }

    number, path, field, quoted, hits = "hal", "search/", "halId_s", '"{}"', 50

    form = (("q", "{query}"), ("fl", _HAL_FIELDS), ("rows", "{hits}"), ("wt", "json"))
    results, total = "response.docs", "response.numFound"

    def titled(self, query: Query) -> str:
        words = main_words(query.value, _MOST_WORDS, with_author=bool(query.authors))
        terms = [f"title_t:({_all_of(words)})"]
        terms += [
            f"authLastName_t:({_all_of(plain_words(name)[-1:])})" for name in query.authors[:1] if plain_words(name)
        ]
        return "(" + " AND ".join(terms) + ")"

    def read(self, document: object) -> Record | None:

        return hal_record(document)


def _all_of(words: Sequence[str]) -> str:
    return " AND ".join(f'"{word.lower()}"' for word in words)


HAL = Hal()


_TYPES: Mapping[str, RecordType] = {
    "ART": "article", "COMM": "inproceedings", "POSTER": "inproceedings", "OUV": "book", "COUV": "chapter", "DOUV": "book",
    "PROCEEDINGS": "proceedings", "UNDEFINED": "preprint", "PREPRINT": "preprint", "REPORT": "report", "THESE": "thesis",
    "HDR": "thesis", "MEM": "thesis", "SOFTWARE": "software",
}  # fmt: skip
_EDITED = frozenset({"DOUV", "PROCEEDINGS", "ISSUE"})
_CONTAINERS = ("journalTitle_s", "bookTitle_s", "conferenceTitle_s", "authorityInstitution_s")


def hal_record(document: object) -> Record | None:
    """The record of one item of ``docs``, or None if it has no id or no title.

    A work with a DOI, an arXiv id or a PMID is registered elsewhere, and HAL has mostly copied it: such a record is
    compiled.
    """
    fields = mapping(document)
    key, titles = hal_id(fields.text("halId_s")), _plain(fields.get("title_s"))
    if not key or not titles:
        return None
    stated = fields.text("docType_s")
    people = _people(fields)
    number = nnt(fields.first("nntId_s"))
    doi, arxiv = doi_name(fields.first("doiId_s")), arxiv_id(fields.first("arxivId_s"))
    pmid = pubmed_id(fields.first("pubmedId_s"))
    subtitles = _plain(fields.get("subTitle_s"))
    return Record(
        source="hal",
        id=key,
        url=f"https://hal.science/{key}",
        title=titles[0],
        subtitle=subtitles[0] if subtitles else "",
        other_titles=titles[1:],
        authors=() if stated in _EDITED else people,
        editors=people if stated in _EDITED else (),
        years=tuple(
            dict.fromkeys(year for name in ("publicationDateY_i", "producedDateY_i") if (year := fields.year(name)))
        ),
        venues=tuple(dict.fromkeys(name for container in _CONTAINERS for name in _plain(fields.get(container)))),
        type=_TYPES.get(stated, "other" if stated else ""),
        publisher="; ".join(_plain(fields.get("publisher_s"))),
        doi=doi,
        arxiv=arxiv,
        pmid=pmid,
        volume=fields.first("volume_s"),
        number=fields.first("issue_s"),
        pages=fields.first("page_s"),
        isbn=isbn_numbers(fields.texts("isbn_s")),
        related=(("hal", key), *((("nnt", number),) if number else ())),
        compiled=bool(doi or arxiv or pmid),
    )


def _plain(value: object) -> tuple[str, ...]:
    return tuple(filter(None, map(without_markup, texts(value))))


def _people(fields: Fields) -> tuple[Person, ...]:
    """The people in order: in two parts where HAL has both of each, else in one."""
    families, given = fields.all("authLastName_s"), fields.all("authFirstName_s")
    if families and len(families) == len(given):
        parts = [stated_parts(*pair) for pair in zip(families, given, strict=True)]
        return tuple(Person(family=family, given=first if family else "") for family, first in parts)
    return tuple(map(undivided, map(stated_name, fields.all("authFullName_s"))))


class ThesesFr(FrenchRegister):
    """theses.fr: French doctoral theses by their national number and by title.

    Written from the documentation (theses.fr/api/v1) and not from recorded answers. Universities catalogue the theses that they
    accept, so it is first-hand. Absence: theses before 1985 and medical ones are lacking, so it is no evidence. Author order:
    there is one author. Limits: none are published.
    """

    name = "theses_fr"
    label = "theses.fr"
    base_url = "https://theses.fr"
    documentation = "https://theses.fr/api/v1/theses/openapi.yaml"
    batch: Mapping[QueryKind, int] = {"nnt": 10, "title": 1}
    absence = "no evidence: theses before 1985 and in medicine are missing, and a search only returns its best matches"
    unconfirmed = "the field names in answers, the field `nnt` in queries, searches for all words"
    authoritative_for = ("identifier", "title", "authors", "year", "venue")
    role = Role(looks_up=("nnt",), titles=(TitleSearch("single", 10, works=("thesis",)),))
    controls: Mapping[QueryKind, Query] = {
        "nnt": Query("nnt", "2010DENS0040"),
        "title": Query(
            "title",
            "Représentations parcimonieuses en apprentissage statistique, traitement d'image et vision par ordinateur",
            ("Mairal",),
        ),
    }

    number, path, field, quoted, hits = "nnt", "api/v1/theses/recherche/", "nnt", "{}", 20

    form = (("q", "{query}"), ("debut", "0"), ("nombre", "{hits}"), ("tri", "pertinence"))
    results, total = "theses", "totalHits"

    def titled(self, query: Query) -> str:
        words = main_words(query.value, _MOST_WORDS, with_author=bool(query.authors))
        author = [word for name in query.authors[:1] for word in plain_words(name)[-1:]]
        return " ".join(word.lower() for word in (*words, *author))

    def counts(self, document: object) -> bool:
        """Theses that are being written have no number, and are no evidence of anything."""
        return mapping(document).text("status") != "enCours"

    def read(self, document: object) -> Record | None:

        return parse_thesis(document)


THESES_FR = ThesesFr()


def parse_thesis(thesis: object) -> Record | None:
    """The record of one item of ``theses``, or None if it has no title or no number, as a thesis that is being written."""
    fields = mapping(thesis)
    number = next(filter(None, (nnt(fields.text(name)) for name in ("nnt", "id"))), "")
    titles = list(dict.fromkeys(filter(None, map(without_markup, _titles(fields)))))
    if not number or not titles:
        return None
    parts = [stated_parts(mapping(one).get("nom"), mapping(one).get("prenom")) for one in fields.all("auteurs")]
    school = without_markup(fields.text("etabSoutenanceN") or fields.at("etabSoutenance").text("nom"))
    year = fields.year("dateSoutenance")
    return Record(
        source="theses_fr",
        id=number,
        url=f"https://theses.fr/{number}",
        title=titles[0],
        other_titles=tuple(titles[1:]),
        authors=tuple(Person(family=family, given=given if family else "") for family, given in parts),
        # A number has the year that the school counts; the defence may be in the next one.
        years=unique((year, year_of(number[:4]))),
        venues=(school,) if school else (),
        type="thesis",
        related=(("nnt", number),),
    )


def _titles(fields: object) -> Iterator[str]:
    """The title in the language of the thesis, then all others."""
    known = mapping(fields)
    yield known.text("titrePrincipal")
    yield known.text("titreEN")
    yield from (title for value in known.at("titres").values() for title in texts(value))
