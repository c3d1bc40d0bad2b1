"""The words of the domain as plain frozen data: reference, record, answer, evidence, finding, verdict.

Nothing here does any work or imports another module of the project: every other room speaks in these types.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, Literal, Protocol, TypeVar


@dataclass(frozen=True, slots=True)
class Identifiers:
    """Normalized identifiers of a reference; empty if it has none.

    doi: lower case, without resolver.
    doi_problem, arxiv_problem, isbn_problem, issn_problem: why a value is no such identifier, as a sentence; empty if it is one.
    doi_literal: the same with the punctuation that ends it in the field; empty without any. It belongs to a few DOIs.
    short_doi: an alias that only doi.org resolves (``10/f3vhpj``); empty if the full DOI is cited too.
    arxiv: without version; arxiv_version: the cited version.
    generated: what a reference manager wrote into a field for arXiv identifiers, which is none.
    unprinted: the kinds of identifiers that come only from fields that no style prints. They help to find the work.
    pmid: digits; pmcid: with its letters, ``PMC123``.
    isbn: 13 digits each; issn: ``1234-567X`` each; issn_in_isbn: ISSNs found in the ISBN field.
    acl: a paper of the ACL Anthology (``P19-1001``), or a volume if the reference is to one; openreview: a submission;
    dblp: the key of a record (``conf/nips/VaswaniSPUJGKP17``).
    hal: a document in HAL (``hal-00650905``), without version; nnt: the national number of a French thesis.
    texkey: the key of INSPIRE (``Maldacena:1997re``), zbl: the number of a review in zbMATH (``0823.11029``); url: the first one.
    bibcode: key in the Astrophysics Data System (``1998AJ....116.1009R``).
    rfc: the number of an RFC; w3c: a report of the W3C, with the date of a version if one is named (``xml/20081126``).
    package: ``pypi:NAME`` or ``cran:NAME``; package_guessed: from the title of an R package, not from its address.
    repository: ``github.com/owner/name``, ``huggingface.co/models/owner/name`` or ``huggingface.co/datasets/owner/name``."""

    doi: str = ""
    doi_problem: str = ""
    doi_literal: str = ""
    short_doi: str = ""
    arxiv: str = ""
    arxiv_version: int | None = None
    arxiv_problem: str = ""
    generated: str = ""
    pmid: str = ""
    pmcid: str = ""
    isbn: tuple[str, ...] = ()
    issn: tuple[str, ...] = ()
    isbn_problem: str = ""
    issn_problem: str = ""
    issn_in_isbn: tuple[str, ...] = ()
    acl: str = ""
    openreview: str = ""
    dblp: str = ""
    hal: str = ""
    nnt: str = ""
    texkey: str = ""
    zbl: str = ""
    bibcode: str = ""
    url: str = ""
    rfc: str = ""
    w3c: str = ""
    package: str = ""
    package_guessed: bool = False
    repository: str = ""
    unprinted: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to segment a reference string.

    type, fields: of the entry, as written. cues: reasons for it, in words. certain: marks delimit the title
    (quotation marks, bold type, labels), independent readings agree, or the string contains the title of a record;
    otherwise it is only the most probable one.
    """

    type: str
    fields: Mapping[str, str]
    cues: tuple[str, ...] = ()
    certain: bool = False


@dataclass(frozen=True, slots=True)
class Suppression:
    """A waiver next to an entry.

    names: checks and codes, none means all; until: the last day, ISO 8601; bound: the content of the entry that it is for
    (`inputs.base`); both empty if none is stated.
    """

    names: tuple[str, ...]
    reason: str
    until: str
    bound: str
    line: int


Outcome = Literal["passed", "failed", "unverifiable"]
EvidenceKind = Literal["registry", "two records", "complete list", "syntax", "single record", "compiled record"]
"""What contradicts a citation: the record or the denial of the registry of a cited identifier; two records of independent
origin; a list that is complete; the cited value itself; less than two records; records of aggregators only."""
VerdictName = Literal["verified", "misdescribed", "fabricated", "unfindable", "undecided"]
QueryKind = Literal[
    "doi", "prefix", "arxiv", "pmid", "pmcid", "isbn", "acl", "openreview", "dblp", "hal", "nnt", "texkey",
    "zbl", "bibcode", "url", "title", "citation", "author_search", "venue_year", "word", "sample", "rfc", "w3c", "package",
    "repository", "place", "volume",
]  # fmt: skip
NoticeKind = Literal["retraction", "removal", "concern", "correction"]
RecordType = Literal[
    "article", "inproceedings", "book", "chapter", "proceedings", "preprint", "submission", "thesis", "report", "dataset",
    "software", "project", "other", "",
]  # fmt: skip
Discipline = Literal[
    "computer_science", "biomedical", "physics", "mathematics", "chemistry", "social_science", "interdisciplinary", "other"
]  # fmt: skip
WorkType = Literal["article", "paper", "book", "thesis", "report", "data", "standard", "misc", "preprint"]
"""Kind of work that an entry describes; ``paper``: in proceedings or a book. A preprint also has another type."""


@dataclass(frozen=True, slots=True)
class Location:
    """The place of a reference: path as the user gave it, first and last line, page, paragraph or cell (``unit``), from 1.

    column: of the first character in its line, from 1; 0 if it is not known.
    """

    path: str
    line: int
    end_line: int
    unit: str = "line"
    column: int = 0

    def __str__(self) -> str:
        return f"{self.path}:{self.line}" if self.unit == "line" else f"{self.path}, {self.unit} {self.line}"


@dataclass(frozen=True, slots=True)
class Defect:
    """A fault in the notation of a reference.

    ``fatal`` means that the block could not be read as an entry at all. A ``note`` was read rightly and is only
    mentioned (an encoding that was guessed); everything else was repaired and makes the reference's syntax item fail.
    ``macro`` is the name of an undefined macro, which remains in the value.
    """

    code: str
    message: str
    line: int
    fatal: bool = False
    note: bool = False
    macro: str = ""


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference as an author or a model wrote it, with its location.

    ``fields`` maps lower-case field names to readable Unicode text (macros expanded, LaTeX decoded, inherited fields
    merged in); ``raw`` maps the same names to the values as written, without their outer delimiters. ``text`` is the
    source text of the entry; ``macros`` are the macros of its file by name; ``suppressions`` are the waivers next to
    it; ``readings`` are the readings of a reference string, starting with the one used for the fields. An unreadable
    block is a reference with a fatal defect in ``defects``; its fields are incomplete and unreliable. ``discipline`` is
    that of the query which a model answered with it; empty for other references.
    """

    key: str
    type: str
    fields: Mapping[str, str]
    location: Location
    raw: Mapping[str, str] = field(default_factory=dict)
    text: str = ""
    defects: tuple[Defect, ...] = ()
    macros: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)
    suppressions: tuple[Suppression, ...] = ()
    readings: tuple[Reading, ...] = field(default=(), repr=False, compare=False)
    discipline: str = field(default="", compare=False)

    @property
    def uncertain(self) -> bool:
        """True if nothing but the most probable reading of a string says where its title, people and venue are."""
        return bool(self.readings) and not self.readings[0].certain

    @property
    def readable(self) -> bool:
        return not any(defect.fatal for defect in self.defects)


@dataclass(frozen=True, slots=True)
class Person:
    """An author or editor as a source or an author states it: either split, or as one ``literal`` string.

    ``group`` marks an organisation or collaboration. ``family`` includes no particle if ``particle`` is set.
    """

    literal: str = ""
    family: str = ""
    given: str = ""
    particle: str = ""
    suffix: str = ""
    group: bool = False

    def __str__(self) -> str:
        if self.literal:
            return self.literal
        name = " ".join(part for part in (self.given, self.particle, self.family) if part)
        return f"{name}, {self.suffix}" if self.suffix else name


_UNREADABLE = Person()


@dataclass(frozen=True, slots=True)
class NameList:
    """A list of names; ``others`` says that it ends in "and others", "et al." or the like."""

    names: tuple[Person, ...]
    others: bool = False


@dataclass(frozen=True, slots=True)
class CitedMetadata:
    """The cited metadata of a reference in the form in which it is compared.

    ``people`` are the authors, or the editors of a work that names no author (``edited`` is then True). ``venue_field``
    is the field that holds the venue; a preprint without one is cited as in its archive. ``year_text`` is the year
    as written, ``year`` the four-digit number in it. ``preprint``: the venue is a preprint server. ``derived``: what
    functions marked with `derived` have computed from the rest.
    """

    reference: Reference
    title: str
    people: NameList
    edited: bool
    year_text: str
    year: int | None
    venue: str
    venue_field: str
    identifiers: Identifiers
    preprint: bool
    derived: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)


_Derived = TypeVar("_Derived")


def derived(compute: Callable[[CitedMetadata], _Derived]) -> Callable[[CitedMetadata], _Derived]:
    """Compute a value once for each `CitedMetadata`: planning and checks need it again after every answer."""
    name = f"{compute.__module__}.{compute.__qualname__}"

    @wraps(compute)
    def known(metadata: CitedMetadata) -> _Derived:
        found = metadata.derived
        if name not in found:
            found[name] = compute(metadata)
        value: _Derived = found[name]
        return value

    return known


@dataclass(frozen=True, slots=True)
class Notice:
    """A notice about a published work: retraction, removal, expression of concern or correction.

    ``date`` is ISO 8601, as far as known; ``doi`` is the DOI of the notice, if any; ``stated_by`` is the source.
    """

    kind: NoticeKind
    stated_by: str
    date: str = ""
    doi: str = ""


@dataclass(frozen=True, slots=True)
class Record:
    """Metadata of one work in one source.

    ``title`` and names are plain Unicode without markup. ``venues`` lists every name of the container that the source
    states, the primary one first (full title, short title, series, event, institution); ``years`` every year it states
    (print, online, issued, preprint), the primary one first, never a deposit date. ``authors_complete`` is False where
    the source is known to have cut its list, or states an author without a name: such a `Person` is left out.
    ``isbn`` has 13 digits each. ``related`` are pairs of a relation and an identifier;
    the relation ``acl``, ``openreview``, ``dblp``, ``hal`` or ``nnt`` states the record's own key there. A ``submission`` is
    under review, rejected or withdrawn. A ``project`` is a package, a repository or a model: ``title`` is its name and
    ``subtitle`` its description, ``years`` are all those from its first release to its last, and a citation may describe it
    otherwise. A record with an empty title only says that an identifier is registered (``agency`` names with whom). ``version``
    is the number of the version described, where the source counts them.
    ``compiled`` marks a record that a machine put together from other collections (OpenAlex, Semantic Scholar): it may show
    that a work exists, but is no proof of an error by itself. ``notices`` are those on this work, not those that it gives.
    """

    source: str
    id: str
    url: str = ""
    title: str = ""
    subtitle: str = ""
    other_titles: tuple[str, ...] = ()
    authors: tuple[Person, ...] = ()
    authors_complete: bool = True
    editors: tuple[Person, ...] = ()
    years: tuple[int, ...] = ()
    venues: tuple[str, ...] = ()
    type: RecordType = ""
    publisher: str = ""
    doi: str = ""
    arxiv: str = ""
    pmid: str = ""
    volume: str = ""
    number: str = ""
    pages: str = ""
    isbn: tuple[str, ...] = ()
    issn: tuple[str, ...] = ()
    agency: str = ""
    version: int | None = None
    related: tuple[tuple[str, str], ...] = ()
    notices: tuple[Notice, ...] = ()
    compiled: bool = False

    def __post_init__(self) -> None:
        if _UNREADABLE in self.authors or _UNREADABLE in self.editors:
            object.__setattr__(self, "authors_complete", self.authors_complete and _UNREADABLE not in self.authors)
            for name in ("authors", "editors"):
                object.__setattr__(self, name, tuple(one for one in getattr(self, name) if one != _UNREADABLE))

    @property
    def year(self) -> int | None:
        """The primary year; None if the source states none."""
        return self.years[0] if self.years else None

    @property
    def venue(self) -> str:
        """The primary name of the container; empty if the source states none."""
        return self.venues[0] if self.venues else ""


@dataclass(frozen=True, slots=True)
class Query:
    """One query to a source.

    ``value`` is an identifier as in `Identifiers`, the prefix of a DOI, a URL as cited, a title as plain text, for ``citation`` a
    whole reference string; an arXiv id without version asks for the latest, ``1706.03762v1`` for that one. An ``author_search``
    asks for the works of any of these authors in a series of publications (its value, as the source names it) in that year, and
    of those that have nearly this ``title``, if one is stated; a ``venue_year`` query, whether the source has a list of that
    series and year; a ``word`` query, whether several titles have the word. A ``place`` query asks
    for the work at a journal, volume and page, and a ``volume`` query for all works of a volume
    (`pytest_citecheck.matching.Asked`). ``authors`` are family names, at most three. ``confirm`` is False if an absence
    decides nothing and needs no second request.
    """

    kind: QueryKind
    value: str
    authors: tuple[str, ...] = ()
    year: int | None = None
    title: str = ""
    confirm: bool = True


@dataclass(frozen=True, slots=True)
class Found:
    """The source answered with records (the candidates of a search, or the one with an identifier).

    ``scope`` names what the records are all of, if they are complete for something: then what is not among them is absent
    from it. Empty: they are merely some. ``lacks`` is the share of these that is not among the records, 0 to 1.
    """

    records: tuple[Record, ...]
    scope: str = ""
    lacks: float = 0.0


@dataclass(frozen=True, slots=True)
class Absent:
    """The source answered that it knows no such work.

    ``scope`` names what the source is complete for, if that makes its "no" evidence; empty: it is none. ``lacks`` is the share
    of the works in the scope that the source does not have, 0 to 1.
    """

    scope: str = ""
    lacks: float = 0.0


@dataclass(frozen=True, slots=True)
class Unavailable:
    """The source could not be asked, or its answer could not be read. Never an absence.

    ``reason`` is a stable word: ``offline``, ``timeout``, ``dns``, ``connection``, ``tls``, ``http-429`` (any status),
    ``malformed``, ``too-large``, ``redirect``, ``browser`` (it demands one), ``uncontrolled`` (it denied what it certainly
    has, too), ``not-recorded``,
    ``damaged-recording``, ``allowance`` (what it may cost a day is spent), ``not-asked``, ``breaker``, ``deadline``; ``detail``
    is a sentence for people.
    """

    reason: str
    detail: str = ""


Answer = Found | Absent | Unavailable


@dataclass(frozen=True, slots=True)
class QueryResult:
    """One line of evidence: the source queried, the query, its address and date, and the answer.

    ``date`` is ISO 8601 and comes from the response (so from the recording, when replayed); empty if unknown. ``compiled``
    marks a service that only compiles other sources: no evidence is missing if it cannot be queried.
    """

    source: str
    query: Query
    answer: Answer
    endpoint: str = ""
    date: str = ""
    compiled: bool = False


@dataclass(frozen=True, slots=True)
class Evidence:
    """All answers for one reference, in the order in which they were asked for."""

    asked: tuple[QueryResult, ...] = ()

    @property
    def unanswered(self) -> list[QueryResult]:
        """Queries without an answer, except those that another host of the same service answered."""
        silent = [one for one in self.asked if isinstance(one.answer, Unavailable)]
        answered = (
            {_question(one) for one in self.asked if not isinstance(one.answer, Unavailable)} if silent else set()
        )
        return [one for one in silent if _question(one) not in answered]


_SERVICES = {"dblp_sparql": "dblp", "dblp_record": "dblp"}
"""Sources that are hosts of one service: any of them can answer for the others."""


def _question(asked: QueryResult) -> tuple[str, QueryKind, str]:
    return _SERVICES.get(asked.source, asked.source), asked.query.kind, asked.query.value


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of one check on one reference.

    ``code`` is stable (``title-near-miss``, ``authors-truncated`` …). ``cited`` and ``found`` are the values compared,
    ``record`` is the record the finding rests on, ``rule`` the rule or threshold that decided, ``fixes`` the fields that
    would be right (an empty value means: drop the field). ``diff`` is a rendered word-level difference. ``also`` are the codes
    of what else is wrong, where a check looks at several things; message, cited values and rule are then of all.
    ``evidence`` is the kind of evidence against the citation; empty where nothing speaks against it. Then ``level`` is the
    severity that the code has earned with this evidence (`pytest_citecheck.checks.levels`), and ``likelihood_ratio`` how many
    times as often wrong citations have such a finding as correct ones.
    """

    check: str
    outcome: Outcome
    code: str
    message: str
    cited: str = ""
    found: str = ""
    record: Record | None = None
    rule: str = ""
    diff: str = ""
    fixes: Mapping[str, str] = field(default_factory=dict)
    also: tuple[str, ...] = ()
    evidence: EvidenceKind | None = None
    level: Literal["", "error", "warning", "info"] = ""
    likelihood_ratio: float = 0.0

    @property
    def codes(self) -> tuple[str, ...]:
        """All codes of the finding, the first one first."""
        return (self.code, *self.also)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Combined result of all findings for a reference, with the probability that the citation is wrong.

    type: which type of hallucination a wrong citation looks like (`pytest_citecheck.checks.verdict`); else empty.
    """

    name: VerdictName
    probability: float
    reason: str
    type: str = ""


ClaimVerdict = Literal["Supported", "Partially supported", "Not supported", "Source unavailable"]


@dataclass(frozen=True, slots=True)
class Judgement:
    """Answer of a judge about a claim: does the source support it?

    verdict: None if the judge abstains, or its answer has none. confidence: 0 to 100; None if it states none. quote: from the
    source, as the judge gives it. flags: ``recovered`` (the JSON was broken), ``rescaled`` (the confidence was a share or a text
    with a percent sign), ``multiple`` (more than one answer; the first one counts), ``no-verdict``, ``not-shown`` (it abstains).
    problem: why there is no verdict. more: the words that the model wants the rest of a long source to be searched for.
    """

    verdict: ClaimVerdict | None
    confidence: float | None = None
    comments: str = ""
    reason_type: str = ""
    quote: str = ""
    flags: tuple[str, ...] = ()
    problem: str = ""
    more: str = ""


class Judge(Protocol):
    """Decides from its own resources whether a source supports a claim."""

    @property
    def name(self) -> str:
        """Its name in items and reports."""

    def judge(self, claim: str, source: str) -> Judgement:
        """The judgement; a verdict of None abstains. An exception is an error of the item, never a failed claim."""
