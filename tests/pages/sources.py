"""The page docs/sources.md from the registered sources: `python -m tests.pages.sources > docs/sources.md`."""

from __future__ import annotations

from pytest_citecheck.lookup.rounds import ROUNDS
from pytest_citecheck.matching.venue_tables import all_lists
from pytest_citecheck.model import Query
from pytest_citecheck.sources import SOURCES
from pytest_citecheck.sources.base import Rate, Source, Terms
from pytest_citecheck.sources.proceedings import VenueYearLists
from pytest_citecheck.thresholds import OWN_QUESTIONS

__all__ = ["sources_page"]

_HEAD = """# Sources

Written from `pytest_citecheck/services/` by `python -m tests.pages.sources > docs/sources.md`. Which fields are read, and how,
stands in the docstring of each module.

## What can be looked up, and whose word it is

| name | service | questions (how many a request) | first word on | order of authors | documentation |
|---|---|---|---|---|---|
"""
_ABSENCE = """
A source without a first word compiles what others have: it may show that a work exists and is what the citation says, and
never proves by itself that a citation is wrong. If it cannot be asked, nothing is lacking.

## What an absence means

No source is taken at its word when it says that it has nothing: it has to show, in the same answer or next to it, a work that
it certainly has. What is denied without such a witness is unanswered (`unwitnessed`). A denial that would convict is asked for
twice. A mirror has to hold the witnesses as well.

| name | that it has no such work is | witnesses |
|---|---|---|
"""
_LISTS = """
A publisher's own list of a venue and year brings its witness along, and is asked for once. It counts from the year after, if it
was received whole, holds the paper that it certainly has and no fewer than there certainly are; then it vouches for what is not
in the proceedings, as of the date of the answer. It convicts only where a search by title has been answered too, since what
stands beside the proceedings may be cited with them; those of the ACL Anthology hold Findings, demonstrations and workshops.
`pytest_citecheck/venues/data/lists.jsonl` says which list is whose; add a line to extend it.

| venue | years | asked of |
|---|---|---|
"""
_LIMITS = """
## Limits and keys

Requests a second, and at the same time. Rates that a service states in its headers replace these, for each pool of requests
that it counts apart; a 429 halves them, for all pytest processes of the machine.

| name | everybody | with a contact address | with a key | the key stands in | published limits |
|---|---|---|---|---|---|
"""
_KEYS = """
`--citecheck-contact=ADDRESS` (or `CITECHECK_CONTACT`) says whom a service may write to. Keys are read from the variables above,
else from `citecheck_api_key` in the ini file (`openalex=KEY`); they are sent to their service and written nowhere.
Where name and password stand beside a key, they are exchanged for one at the first question that needs it; it stays in memory,
and is had anew after an hour. Name and password are read from the environment alone.
Services marked *needed* are not asked without one (or a mirror), or not for what is named. Those marked *mirror* demand a browser
and are asked only where you name a mirror; DBLP is asked over SPARQL instead. Ask a mirror or proxy instead with
`--citecheck-base-url=NAME=URL`, and allow another rate with `--citecheck-rate=NAME=N`.
A 429 to a client of Semantic Scholar without a key says that the pool which all of them share is full: it slows nothing down, is
retried once, and the second one ends the asking for the run. What OpenAlex costs is counted, corrected by the header
`x-ratelimit-remaining-usd`, and shown by `--citecheck-plan`.

## Terms

What the services allow to be recorded in cassettes and handed on (`Source.terms`). *Reported*: public documentation or reports of
2026 say so; `unconfirmed`: customary knowledge that nobody has read again for this version. Of a service that forbids handing its
answers on, cassettes hold the fields that are read. Read the terms before you publish cassettes.

| service | its metadata | state | recorded |
|---|---|---|---|
"""
_UNCONFIRMED = """
## Unconfirmed

What is written from documentation or custom and nobody has confirmed with the service. A wrong guess there leaves a question
unanswered; it accuses nobody.

| name | unconfirmed |
|---|---|
"""
_ROUNDS = """
## When they are asked

Rounds go over all references at once, so that batches are full and a work cited twice is looked up once. A reference is settled
as soon as title, authors and venue are those of a record, the databases agree, and no identifier is in doubt.

| round | asks | when |
|---|---|---|
"""
_TAIL = """
Which source a round asks follows from the role that it declares (`Source.role`). Today: DOIs go to Crossref, arXiv ids to
arXiv, PMIDs to PubMed, PMC ids to Europe PMC, ISBNs of books to Open Library and K10plus, HAL ids to HAL, numbers of French
theses to theses.fr; DOIs that Crossref does not have to DataCite, to doi.org, and by content negotiation to mEDRA, KISTI, JaLC
and others. Semantic Scholar is searched broadly; DataCite for data, software, theses and reports, K10plus for books and theses,
the Library of Congress for books, HAL for theses and reports from France, arXiv for preprints, Europe PMC for articles outside
of DBLP. One by one: DBLP (over SPARQL) before Crossref in computer science, Crossref first elsewhere, Open Library before it
for books, theses.fr for theses from France, OpenReview where its id is cited. Second opinions come from Semantic Scholar, then
OpenAlex, then DBLP.

Physics and mathematics are known by their journals, arXiv classes and the numbers of their catalogues (an INSPIRE key, a bibcode,
`zbl`, `mrnumber`): for them INSPIRE-HEP, zbMATH Open and, with a key, NASA ADS are asked for DOIs, arXiv ids and their own
numbers, and searched for titles. A DOI of bioRxiv or medRxiv leads to the publication of the preprint. All of these only while
evidence is missing.

RFCs are looked up by number (a DOI, an address, "RFC 8259"), reports of the W3C by the short name in their address. Another title
convicts only with other people, or without a word in common, since titles of standards are shortened by hand; an RFC that was
obsoleted is no error. Packages, repositories and models are looked up by address, in entries of types for software, data, pages
and reports without another identifier; what is called an R package without an address is looked for on CRAN. Their records
show that the project exists and what it is called, and may confirm its people: they contradict no title, no people, no year. What
CRAN and its archive never had was invented. Owners delete projects from PyPI and repositories from GitHub: those are warned of.
GitHub is asked and not Software Heritage: both say without a key that a repository exists (60 and 120 requests an hour), but only
GitHub knows its name, its owner, and where it went.

At most {own} questions are asked for one reference alone (those of batches are shared). One that is denied is asked once
more, and a witness beside it, unless the service has just found something else. `--citecheck-plan` prints how many requests of
which kind would go to whom, before any is repeated, and sends none.

| type of entry | route |
|---|---|
| article, inproceedings, incollection, misc and others | the whole of the above |
| book, proceedings, manual | ISBN at Open Library and K10plus, then at the Library of Congress; titles at \
K10plus, the Library of Congress, Open Library, Crossref, DBLP |
| thesis | DataCite, K10plus, HAL and theses.fr (of French schools), Crossref, DBLP, OpenAlex; most universities register \
nothing, so many stay undecided |
| report, working paper | DataCite, Crossref, DBLP (SSRN and NBER register with Crossref) |
| dataset, software, misc with an address | CRAN, PyPI, GitHub or Hugging Face, by the address; DataCite, Crossref |
| standard | RFC Editor by number, W3C by short name; Crossref (IEEE has DOIs there; ISO has none) |
| online, patent, legislation, film, music … | identifiers only; without one `unverifiable: no source covers …` |

`--citecheck-profile=arena` asks Crossref, DBLP, arXiv and PubMed one by one in the order of the Reference Hallucination Arena by
discipline, at most six requests a reference.

`--citecheck-urls` asks in addition whether cited web pages still exist (http and https, public addresses only): 404 and 410
fail `completeness`, everything else (401, 403, 429, 5xx, time-outs) says nothing.
"""


def _rate(rate: Rate | None) -> str:
    return f"{rate.per_second:.3g}, {rate.concurrency}" if rate else ""


def _key(source: Source) -> tuple[str, str]:
    if source.credentials is None:
        return "", "*mirror*" if source.mirror_only else ""
    required = source.credentials.required
    needed = f" (needed for {', '.join(required)})" if isinstance(required, tuple) else " (needed)" if required else ""
    login = source.credentials.login
    other = f", or `{'` and `'.join(login.variables)}`" if login else ""
    return _rate(source.credentials.rate), f"`{source.credentials.variable}`{other}{needed}"


def _pools(source: Source) -> str:
    """The rows of the pools that a service counts apart."""
    return "".join(
        f"| `{source.name}`, {name} works | {_rate(pool.rate)} | {_rate(pool.contact_rate)} |  |  | as above |\n"
        for name, pool in source.pools.items()
    )


def _witnesses(source: Source) -> str:
    if not source.base_url:
        return "the front page of the server"
    if isinstance(source, VenueYearLists):
        return "a paper of each list"
    return ", ".join(f"{kind}: {_asked(question)}" for kind, question in source.controls.items())


def _lists() -> str:
    """The rows of the publishers' lists."""
    years: dict[tuple[str, str], list[int]] = {}
    for one in all_lists():
        names = ", ".join(f"`{name}`" for name in one.sources)
        years.setdefault((one.venue.names[1], names), []).append(one.year)
    return "".join(f"| {venue} | {_spans(found)} | {names} |\n" for (venue, names), found in years.items())


def _spans(years: list[int]) -> str:
    """``2010–2012, 2014`` of years in their order."""
    spans: list[list[int]] = []
    for year in years:
        if spans and spans[-1][-1] == year - 1:
            spans[-1].append(year)
        else:
            spans.append([year])
    return ", ".join(f"{span[0]}–{span[-1]}" if len(span) > 1 else str(span[0]) for span in spans)


def _terms() -> str:
    """The rows of what services allow."""
    labels: dict[Terms, list[str]] = {}
    for source in SOURCES:
        labels.setdefault(source.terms, []).append(source.label)
    return "".join(
        f"| {', '.join(names)} | {terms.said} | {'reported' if terms.reported else '`unconfirmed`'} "
        f"| {'whole' if terms.raw else 'what is read'} |\n"
        for terms, names in sorted(labels.items(), key=lambda row: (not row[0].reported, row[0].said == "unknown"))
    )


def _asked(question: Query) -> str:
    """The question in a few words."""
    place = f" {question.year}" if question.year else ""
    people = f" ({', '.join(question.authors)})" if question.kind == "author_search" else ""
    return f"{question.value}{place}{people}"


def sources_page() -> str:
    """The whole page."""
    overview, absences, limits = [], [], []
    for source in SOURCES:
        kinds = ", ".join(f"{kind} ({size})" for kind, size in source.batch.items())
        order = "as published" if source.keeps_author_order else "says nothing"
        fields = ", ".join(sorted(source.authoritative_for)) or "nothing"
        overview.append(
            f"| `{source.name}` | {source.label} | {kinds} | {fields} | {order} | <{source.documentation}> |\n"
        )
        absences.append(f"| `{source.name}` | {source.absence} | {_witnesses(source)} |\n")
        with_key, variable = _key(source)
        limits.append(
            f"| `{source.name}` | {_rate(source.rate)} | {_rate(source.contact_rate)} | {with_key} | {variable} "
            f"| {source.limits} |\n{_pools(source)}"
        )
    guesses = [f"| `{source.name}` | {source.unconfirmed} |\n" for source in SOURCES if source.unconfirmed]
    rounds = "".join(f"| {step.name} | {step.asks} | {step.when} |\n" for step in ROUNDS)
    tables = (
        _HEAD
        + "".join(overview)
        + _ABSENCE
        + "".join(absences)
        + _LISTS
        + _lists()
        + _LIMITS
        + "".join(limits)
        + _KEYS
        + _terms()
    )
    return tables + _UNCONFIRMED + "".join(guesses) + _ROUNDS + rounds + _TAIL.replace("{own}", str(OWN_QUESTIONS))


if __name__ == "__main__":
    print(sources_page(), end="")
