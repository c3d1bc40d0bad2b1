"""Services that answer for one work at a time, by its identifier, with a JSON object: projects and standards.

A subclass of `ByIdentifier` says how the identifier becomes a path, what a denial looks like and how an object becomes a record;
`W3c` is the shortest example.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from pytest_citecheck.matching import lazy_pattern, pypi_name, repository
from pytest_citecheck.model import Absent, Answer, Found, Person, Query, QueryKind, Record
from pytest_citecheck.sources import base
from pytest_citecheck.sources.parsing import (
    Fields,
    listing,
    mapping,
    parse_json,
    path_url,
    stated_name,
    undivided,
    whole_number,
    years_between,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class ByIdentifier(base.Source):
    """A service that is asked for one identifier in each request.

    kind: of the queries. prefix: of their values, which is not part of the path. form: of the rest. address: below the base URL.
    work: what an answer describes, in messages. absent: the answer if the service denies the work. accept: the type of the
    answers.
    """

    kind: QueryKind
    batch: Mapping[QueryKind, int] = {}
    prefix: str = ""
    form: re.Pattern[str]
    address: str
    work: str
    absent: Absent = Absent()
    accept: str = "application/json"
    keeps_author_order = False
    largest_body = base.LARGEST_RECORD

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.batch = {cls.kind: 1}

    def names(self, value: str) -> bool:
        """Return True if the value, without the prefix, has the form of its identifiers."""
        return self.form.fullmatch(value) is not None

    def url(self, value: str) -> str:
        """The address of the work with this value, without the prefix."""
        return self.base_url + self.address.format(quote(value, safe="/"))

    @abstractmethod
    def denies(self, response: base.Response, body: Fields) -> bool:
        """Return True if the service says in its own words that it has no such work. body: empty if it is no JSON object."""

    @abstractmethod
    def read(self, body: Fields, value: str) -> Record | None:
        """The record of the work; None if the body describes no work, or another one than ``value``."""

    def denied(self, value: str) -> Absent:  # noqa: ARG002 - for those who have others
        """The answer for a work that the service denies."""
        return self.absent

    def accepts(self, query: Query) -> bool:
        """Its identifiers."""
        return query.kind == self.kind and query.value.startswith(self.prefix) and self.names(self._value(query))

    def request(self, queries: Sequence[Query]) -> base.Request:
        """A GET of the work's address."""
        return base.Request(self.name, self.url(self._value(queries[0])), accept=self.accept)

    def parse(self, queries: Sequence[Query], response: base.Response) -> dict[Query, Answer]:
        """The work. Raises MalformedAnswerError for anything but the requested one and the service's own denial."""
        body = self.body(response)
        if response.status >= 400 and self.denies(response, body):
            return dict.fromkeys(queries, self.denied(self._value(queries[0])))
        found = self.read(body, self._value(queries[0])) if response.status < 300 else None
        if found is None:
            raise base.MalformedAnswerError(f"{self.label}'s answer with status {response.status} is not {self.work}")
        return dict.fromkeys(queries, Found((found,)))

    def body(self, response: base.Response) -> Fields:
        """The JSON object. Raises MalformedAnswerError if the body is no JSON."""
        return mapping(parse_json(response.body))

    def _value(self, query: Query) -> str:
        return query.value.removeprefix(self.prefix)


_REPORT = lazy_pattern(r"[A-Za-z][A-Za-z0-9._+-]{0,80}(?:/(?:19|20)\d{6})?")


class W3c(ByIdentifier):
    """W3C: reports by their short name, and versions of them by their date.

    Documentation: the W3C API (api.w3.org/doc), "specifications". Absence: addresses name series, levels and former names in
    many ways, so it is no evidence. Limits: 6,000 requests in ten minutes.
    """

    name = "w3c"
    label = "W3C"
    base_url = "https://api.w3.org"
    documentation = "https://api.w3.org/doc"
    kind: QueryKind = "w3c"
    work = "the report asked for"
    form = _REPORT
    rate = base.Rate(per_second=2.0, concurrency=1)
    limits = "6,000 requests in ten minutes"
    terms = base.Terms("facts about reports, may be redistributed")
    absence = "no evidence: short names change, and versions have many forms of addresses"
    unconfirmed = "answers without a key, and the fields of a version"
    authoritative_for = ("identifier", "title", "year")
    controls: Mapping[QueryKind, Query] = {"w3c": Query("w3c", "xml/20081126")}
    role = base.Role(looks_up=("w3c",))

    def url(self, value: str) -> str:
        name, _, date = value.partition("/")
        return path_url(f"{self.base_url}/specifications", f"{name}/versions/{date}" if date else name)

    def denies(self, response: base.Response, body: Fields) -> bool:
        error = body.at("error")
        stated = (body.get("status"), body.get("code"), error.get("code"))
        return response.status == 404 and 404 in map(whole_number, stated)

    def read(self, body: Fields, value: str) -> Record | None:
        title = " ".join(body.text("title").split())
        stated = body.text("shortname") or body.text("shortlink").rstrip("/").rpartition("/TR/")[2]
        if not title or stated.casefold() != value.partition("/")[0].casefold():
            return None
        year = body.year("date")
        bare = _EDITION.sub("", title).rstrip()
        return Record(
            source=self.name,
            id=value,
            url=body.text("uri") or body.text("shortlink"),
            title=title,
            other_titles=(bare,) if bare != title else (),
            years=(year,) if year else (),
            venues=("W3C", "World Wide Web Consortium", "W3C Recommendation"),
            type="report",
            publisher="W3C; World Wide Web Consortium",
        )


W3C = W3c()


_EDITION = lazy_pattern(r"\([^()]{1,40}\bEdition\)$")


_NUMBER = lazy_pattern(r"[1-9]\d{0,4}")
_NOT_FOUND = lazy_pattern(rb"<(?:title|h1)\b[^>]{0,200}>[^<]{0,200}\b(?:404|not found)\b", re.IGNORECASE)
_ALL_ONLINE_FROM = 1000
_NO_SUCH_RFC = "the RFC Editor, who numbers all RFCs, has published none of this number"


class RfcEditor(ByIdentifier):
    """The RFC Editor: RFCs by number.

    Documentation: www.rfc-editor.org/retrieve, and the files beside the RFCs; each has ``rfcNNNN.json``. Absence: the RFC
    Editor alone numbers RFCs and has them all; the text of some of the first thousand was never put online, so a missing file
    is no evidence there. Author order: as printed. Limits: none are published for this static site.
    """

    name = "rfc_editor"
    label = "RFC Editor"
    base_url = "https://www.rfc-editor.org"
    documentation = "https://www.rfc-editor.org/retrieve/"
    kind: QueryKind = "rfc"
    work = "the RFC asked for"
    form = _NUMBER
    address = "/rfc/rfc{}.json"
    keeps_author_order = True
    rate = base.Rate(per_second=2.0, concurrency=1)
    limits = "none published for this static site; 2 requests a second are used"
    terms = base.Terms("facts about RFCs, may be redistributed")
    absence = "complete for RFCs from number 1000 on, which only it assigns and publishes"
    unconfirmed = "the JSON file of each RFC, and the response for a missing one"
    authoritative_for = ("identifier", "title", "authors", "year")
    role = base.Role(looks_up=("rfc",))
    controls: Mapping[QueryKind, Query] = {"rfc": Query("rfc", "2119")}

    def body(self, response: base.Response) -> Fields:
        """The JSON file; empty for a page about a missing one."""
        return mapping(None) if response.status >= 400 else super().body(response)

    def denies(self, response: base.Response, body: Fields) -> bool:  # noqa: ARG002 - a page says so
        return response.status == 404 and _NOT_FOUND.search(response.body) is not None

    def denied(self, value: str) -> Absent:
        """RFCs with lower numbers are not all online."""
        return Absent(_NO_SUCH_RFC if int(value) >= _ALL_ONLINE_FROM else "")

    def read(self, body: Fields, value: str) -> Record | None:
        match = _ID.fullmatch(body.text("doc_id").upper())
        title = " ".join(body.text("title").split())
        if not match or not title or match[1] != value:
            return None
        year = body.year("pub_date")
        return Record(
            source=self.name,
            id=f"RFC{value}",
            url=f"https://www.rfc-editor.org/info/rfc{value}",
            title=title,
            other_titles=(f"RFC {value}: {title}", f"{title} (RFC {value})"),
            authors=tuple(map(_person, map(stated_name, body.all("authors")))),
            years=(year,) if year else (),
            venues=("RFC Editor", "Request for Comments", "RFC", "IETF", "Internet Engineering Task Force"),
            type="report",
            publisher="RFC Editor; Internet Engineering Task Force; IETF",
            doi=body.doi("doi"),
            number=value,
        )


RFC_EDITOR = RfcEditor()


_ID = lazy_pattern(r"RFC0*([1-9]\d{0,4})")
_EDITOR = lazy_pattern(r"\(?\bEds?\.?\)?$")
_PERSON = lazy_pattern(r"((?:[A-Z][A-Za-z]?\.[ -]?)+)\s*(.+)")


def _person(stated: str) -> Person:
    """``T. Bray, Ed.``; a name without initials is a group."""
    name = _EDITOR.sub("", stated.strip()).rstrip(" ,")
    match = _PERSON.fullmatch(name)
    return Person(given=match[1].strip(), family=match[2].strip()) if match else Person(literal=name, group=bool(name))


_NAME = lazy_pattern(r"[A-Za-z][A-Za-z0-9.]{0,60}[A-Za-z0-9]")


class Cran(ByIdentifier):
    """CRAN: that a package of R exists, its name and title, its authors, its years.

    Asked through crandb, the database of all versions of all packages (github.com/r-hub/crandb). Absence: CRAN archives the
    packages that it removes, and crandb is documented to have them: complete, if it finds its control, a package that CRAN
    archived in 2023. Packages of Bioconductor and of GitHub are not on CRAN: only a package cited by CRAN's own address can be
    absent from it. Limits: none published.
    """

    name = "cran"
    label = "CRAN"
    base_url = "https://crandb.r-pkg.org"
    documentation = "https://github.com/r-hub/crandb"
    kind: QueryKind = "package"
    prefix = "cran:"
    work = "the package asked for"
    form = _NAME
    address = "/{}/all"
    absent = Absent("neither CRAN nor its archive has a package of this name")
    largest_body = base.LARGEST_BODY  # all versions in one answer
    keeps_author_order = True
    rate = base.Rate(per_second=2.0, concurrency=1)
    limits = "none published; 2 requests a second are used"
    terms = base.Terms("facts about packages, may be redistributed")
    absence = "complete: CRAN archives removed packages; its control is an archived one"
    unconfirmed = "all versions of a package in one answer, including archived packages"
    authoritative_for = ("identifier",)
    role = base.Role(looks_up=("package",))
    # Archived on 2023-10-16: a source without it is not complete.
    controls: Mapping[QueryKind, Query] = {"package": Query("package", "cran:rgdal")}

    def denies(self, response: base.Response, body: Fields) -> bool:
        return response.status == 404 and body.text("error") == "not_found"

    def read(self, body: Fields, value: str) -> Record | None:
        name, versions = body.text("name"), body.at("versions")
        described = versions.at(body.text("latest")) or mapping(next(reversed(list(versions.values())), None))
        if not name or name != value or not described:
            return None
        dates = (*body.at("timeline").values(), *(mapping(one).get("date") for one in versions.values()))
        return Record(
            source=self.name,
            id=name,
            url=f"https://CRAN.R-project.org/package={name}",
            title=name,
            subtitle=" ".join(described.text("Title").split()),
            authors=tuple(dict.fromkeys(_people(described))),
            authors_complete=False,
            years=years_between(dates),
            type="project",
            publisher="CRAN",
        )


CRAN = Cran()


_REMARK = lazy_pattern(r"\([^()]*\)|<[^<>]*>")
_NAME_WITH_ROLES = lazy_pattern(r"(?<![^\[\],])([^\[\],]{2,120}+)\[([a-z, ]{2,60}+)\]")
_SEPARATOR = lazy_pattern(r"[,;&]|\band\b|\bwith contributions (?:from|by)\b")
_LONGEST = 20_000
_MOST_REMARKS = 3  # one in another


def _people(described: Any) -> Iterator[Person]:
    """Those with the role of an author, or all where no roles are stated."""
    stated = " ".join(described.text("Author").split())[:_LONGEST]
    for _ in range(_MOST_REMARKS):
        stated = _REMARK.sub("", stated)
    with_roles = _NAME_WITH_ROLES.findall(stated)
    if with_roles:
        names = [name.strip() for name, roles in with_roles if "aut" in roles.replace(",", " ").split()]
    else:
        names = [name.strip() for name in _SEPARATOR.split(stated)]
    yield from map(undivided, filter(None, map(stated_name, names)))


class PyPI(ByIdentifier):
    """PyPI: existence, name, summary and years of a Python package.

    Documentation: docs.pypi.org/api/json. Absence: the owners of a project can delete it, and PyPI then answers as if it had
    never existed, so an absence is only a warning, since few cited projects are deleted. Limits: none published; the pages are
    kept by a content delivery network.
    """

    name = "pypi"
    label = "PyPI"
    base_url = "https://pypi.org"
    documentation = "https://docs.pypi.org/api/json/"
    kind: QueryKind = "package"
    prefix = "pypi:"
    work = "the project asked for"
    address = "/pypi/{}/json"
    absent = Absent("PyPI lists no project of this name; its owners may have deleted it")
    largest_body = base.LARGEST_BODY  # all releases in one answer
    rate = base.Rate(per_second=5.0, concurrency=2)
    limits = "none published; 5 requests a second are used"
    terms = base.Terms("facts about packages, may be redistributed")
    absence = "no evidence: owners delete projects, so a missing one is a warning"
    authoritative_for = ("identifier",)
    role = base.Role(looks_up=("package",))
    # The example of the Python Packaging User Guide.
    controls: Mapping[QueryKind, Query] = {"package": Query("package", "pypi:sampleproject")}

    def names(self, value: str) -> bool:
        return value != "" and pypi_name(value) == value

    def denies(self, response: base.Response, body: Fields) -> bool:
        return response.status == 404 and body.text("message").casefold() == "not found"

    def read(self, body: Fields, value: str) -> Record | None:
        info = body.at("info")
        name = info.text("name")
        if not pypi_name(name) or pypi_name(name) != value:
            return None
        return Record(
            source=self.name,
            id=value,
            url=f"https://pypi.org/project/{value}/",
            title=name,
            subtitle=info.text("summary"),
            authors=tuple(map(undivided, dict.fromkeys(_names(info)))),
            authors_complete=False,
            years=years_between(_dates(body.at("releases"))),
            type="project",
            publisher="PyPI",
        )


PYPI = PyPI()


_ADDRESSED = lazy_pattern(r'(?<![^"<>,])([^"<>,]{2,80}+)"?(?:\s(?!\s))?+<[^<>]{0,200}+>')
_BETWEEN_NAMES = lazy_pattern(r"[,;&]|\band\b")
_OTHERS = lazy_pattern(r"\b(?:et al\.?|and (?:others|contributors)|and many others)$", re.IGNORECASE)


def _names(info: Any) -> Iterator[str]:
    for field in ("author", "maintainer"):
        addressed = " ".join(info.text(f"{field}_email").split())
        stated = " ".join(info.text(field).split()) or ", ".join(_ADDRESSED.findall(addressed))
        names = _BETWEEN_NAMES.split(_OTHERS.sub("", stated))
        yield from filter(None, (stated_name(name.strip()) for name in names))


def _dates(releases: Any) -> Iterator[object]:
    for files in releases.values():
        for file in listing(files):
            yield mapping(file).get("upload_time")


class GitHub(ByIdentifier):
    """GitHub: existence, name, description, owner and years of a repository.

    Documentation: "Get a repository" (docs.github.com/en/rest/repos/repos) and "Rate limits for the REST API". GitHub is
    queried instead of Software Heritage, which archives repositories: both show without a key that a repository exists (60
    requests an hour here, 120 there), but only GitHub has the name, the owner and the dates that citations state. A repository
    that was renamed or transferred is found under its old name (301). CITATION.cff would name authors, but costs a second
    request of sixty. Absence: a repository can be deleted or made private, so an absence is only a warning.
    """

    name = "github"
    label = "GitHub"
    base_url = "https://api.github.com"
    documentation = "https://docs.github.com/en/rest/repos/repos"
    kind: QueryKind = "repository"
    prefix = "github.com/"
    work = "a repository"
    address = "/repos/{}"
    absent = Absent("GitHub shows no such repository; it may have been deleted or be private")
    accept = "application/vnd.github+json"
    limits = "60 requests an hour without a key, 5,000 with one"
    terms = base.Terms("facts about repositories; terms not reviewed, keep cassettes private")
    absence = "no evidence: repositories are deleted and made private, so a missing one is a warning"
    authoritative_for = ("identifier",)
    role = base.Role(looks_up=("repository",))
    # The repository in the examples of the documentation.
    controls: Mapping[QueryKind, Query] = {"repository": Query("repository", "github.com/octocat/hello-world")}
    credentials = base.Credentials(
        variable="GITHUB_TOKEN",
        header="authorization",
        scheme="Bearer",
        rate=base.Rate(per_second=1.0, concurrency=1),
        obtained="https://github.com/settings/tokens",
    )

    def names(self, value: str) -> bool:
        return repository({"url": f"{self.prefix}{value}"}) == f"{self.prefix}{value}"

    def denies(self, response: base.Response, body: Fields) -> bool:
        return response.status in (404, 410) and body.text("message").casefold() == "not found"

    def read(self, body: Fields, value: str) -> Record | None:  # noqa: ARG002 - it may have a new name
        full_name, name = body.text("full_name"), body.text("name")
        owner = body.at("owner")
        login = owner.text("login")
        if not name or full_name != f"{login}/{name}":
            return None
        return Record(
            source=self.name,
            id=full_name,
            url=f"https://github.com/{full_name}",
            title=name,
            subtitle=body.text("description"),
            other_titles=(full_name,),
            authors=(Person(literal=login, group=owner.text("type") == "Organization"),),
            authors_complete=False,
            years=years_between((body.get("created_at"), body.get("pushed_at"))),
            type="project",
            publisher="GitHub",
        )


GITHUB = GitHub()


class HuggingFace(ByIdentifier):
    """Hugging Face: that a model or a data set exists, its name, its owner, its years.

    Documentation: "Hub API Endpoints" (huggingface.co/docs/hub/api). The Hub sends from the old name of a repository to its new
    one. Absence: what is private or gone is refused (401) like what never was, so it is no evidence. Limits: about 500 requests
    in five minutes for everybody.
    """

    name = "hugging_face"
    label = "Hugging Face"
    base_url = "https://huggingface.co/api"
    documentation = "https://huggingface.co/docs/hub/api"
    kind: QueryKind = "repository"
    prefix = "huggingface.co/"
    work = "a repository"
    address = "/{}"
    rate = base.Rate(per_second=1.5, concurrency=1)
    limits = "about 500 requests in five minutes"
    terms = base.Terms("facts about repositories; terms not reviewed, keep cassettes private")
    absence = "no evidence: private and deleted repositories look like ones that never existed"
    unconfirmed = "the status of a missing repository, and the fields with dates"
    authoritative_for = ("identifier",)
    controls: Mapping[QueryKind, Query] = {
        "repository": Query("repository", "huggingface.co/models/openai-community/gpt2")
    }
    role = base.Role(looks_up=("repository",))

    def names(self, value: str) -> bool:
        return repository({"url": f"{self.prefix}{value}".replace("/models/", "/", 1)}) == f"{self.prefix}{value}"

    def denies(self, response: base.Response, body: Fields) -> bool:
        return response.status == 404 and "not found" in body.text("error").casefold()

    def read(self, body: Fields, value: str) -> Record | None:
        name, kind = body.text("id"), value.partition("/")[0]
        owner, _, last = name.rpartition("/")
        if not last:
            return None
        other = body.at("cardData").text("pretty_name")
        return Record(
            source=self.name,
            id=f"{kind}/{name}",
            url=f"https://huggingface.co/{'datasets/' if kind == 'datasets' else ''}{name}",
            title=last,
            other_titles=tuple(filter(None, (name if owner else "", other))),
            authors=(Person(literal=owner, group=True),) if owner else (),
            authors_complete=False,
            years=years_between((body.get("createdAt"), body.get("lastModified"))),
            type="project",
            publisher="Hugging Face",
        )


HUGGING_FACE = HuggingFace()
