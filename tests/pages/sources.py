"""The page docs/sources.md from the registered sources: `python -m tests.pages`."""

from __future__ import annotations

from pytest_citecheck.lookup import ROUNDS
from pytest_citecheck.matching import all_lists
from pytest_citecheck.model import Query
from pytest_citecheck.sources import SOURCES, Rate, Source, Terms, VenueYearLists
from pytest_citecheck.thresholds import OWN_QUERIES

_HEAD = """# Sources

The services that citecheck can query. `python -m tests.pages` writes this page from `pytest_citecheck/sources/`; each
module's docstring lists the fields it reads.

## Queries and authority

| name | service | queries (per request) | first-hand for | order of authors | documentation |
|---|---|---|---|---|---|
"""
_ABSENCE = """
A source that is first-hand for nothing compiles data from other sources. It can confirm a citation, but it never proves by itself
that a citation is wrong.

## Absence

A source that reports no result must also find a control: a work that it certainly has. Without the control, the query counts as
failed (`uncontrolled`). An absence that would make a check fail is queried twice. A mirror must hold the controls as well.

| name | meaning of an absence | controls |
|---|---|---|
"""
_LISTS = """
Some publishers list all papers of a venue and year. Such a list counts from the following year on, if it was received
completely and contains its control. A cited paper that is missing from the list fails, if a title search
was also answered. Add a line to `pytest_citecheck/matching/data/lists.jsonl` to support another list.

| venue | years | source |
|---|---|---|
"""
_LIMITS = """
## Limits and keys

Requests per second, and concurrent requests. Limits in the headers of a response replace these. A 429 response halves the
rate. All pytest processes of the machine share the limits.

| name | everybody | with a contact address | with a key | variable of the key | published limits |
|---|---|---|---|---|---|
"""
_KEYS = """
- Set the contact address with `--citecheck-contact=ADDRESS` or `CITECHECK_CONTACT`.
- Set a key in the environment variable above, or with `citecheck_api_key` in the ini file (`openalex=KEY`). Keys are sent only to
  their service and never written to a file.
- Names and passwords are read from the environment only. They are exchanged for a token that stays in memory.
- Services marked *needed* are queried only with a key, or with a mirror.
- Use a mirror or proxy with `--citecheck-base-url=NAME=URL`, and another rate with `--citecheck-rate=NAME=N`.
  With both, the rate that a mirror announces in its headers is ignored. A 429 response and `Retry-After` still apply.
- Clients of Semantic Scholar without a key share one pool. After the second 429 response, the run stops querying it.
- `--citecheck-plan` shows the cost of OpenAlex.

## Terms

These terms decide what may be recorded in cassettes and shared. *Reported* means that public documentation or reports
from 2026 say so. `unconfirmed` means that nobody has checked it for this version. If a service does not allow raw
responses to be shared, only the fields that citecheck uses are recorded. Read the terms before you publish cassettes.

| service | its metadata | state | recorded |
|---|---|---|---|
"""
_UNCONFIRMED = """
## Unconfirmed

These details come from documentation or custom and were not confirmed with the service. If one is wrong, queries fail;
no reference is wrongly reported.

| name | unconfirmed |
|---|---|
"""
_ROUNDS = """
## Order of queries

Each round covers all references, so batches are full and a work cited twice is looked up once. A reference is settled
if title, authors and venue match a record, the databases agree, and no identifier is in doubt.

| round | queries | when |
|---|---|---|
"""
_TAIL = """
The sources of a round follow from `Source.role`:

| evidence | sources |
|---|---|
| DOI | Crossref, then DataCite, doi.org and other registration agencies; the published version of bioRxiv and medRxiv DOIs |
| arXiv id, PMID, PMC id | arXiv, PubMed, Europe PMC |
| ISBN | Open Library, K10plus |
| HAL id, number of a French thesis | HAL, theses.fr |
| title, all fields | Semantic Scholar; second opinions from Semantic Scholar, OpenAlex, DBLP |
| title, computer science | DBLP, then Crossref; OpenReview if its id is cited |
| title, physics and mathematics | INSPIRE-HEP, zbMATH Open, NASA ADS (with a key) |
| title, other fields | Crossref, Europe PMC |
| RFC number, W3C short name | RFC Editor, W3C |
| address of software or data | CRAN, PyPI, GitHub, Hugging Face |

Physics and mathematics are recognised by journal, arXiv class or catalogue number.

Records of software show that a project exists, and its name. They can confirm people, but never contradict
title, people or year. A package that CRAN never had is fabricated. A project missing from PyPI or GitHub gives a
warning, because owners delete projects.

A different title of an RFC or W3C report fails only if the people also differ or the titles share no word, because titles of
standards are often shortened.

At most {own} queries are sent for one reference alone; queries in batches are shared. `--citecheck-plan` shows the number of
requests per service and sends none.

| type of entry | sources |
|---|---|
| article, inproceedings, incollection, misc and others | all of the above |
| book, proceedings, manual | ISBN at Open Library, K10plus and the Library of Congress; title at \
K10plus, the Library of Congress, Open Library, Crossref, DBLP |
| thesis | DataCite, K10plus, HAL and theses.fr (French schools), Crossref, DBLP, OpenAlex; most universities register \
nothing, so many stay undecided |
| report, working paper | DataCite, Crossref, DBLP (SSRN and NBER register with Crossref) |
| dataset, software, misc with an address | CRAN, PyPI, GitHub or Hugging Face, by the address; DataCite, Crossref |
| standard | RFC Editor by number, W3C by short name; Crossref (IEEE has DOIs there; ISO has none) |
| online, patent, legislation, film, music … | identifiers only; without one `unverifiable: no source covers …` |

`--citecheck-profile=arena` queries Crossref, DBLP, arXiv and PubMed one by one, in the order of the Reference
Hallucination Arena. The order depends on the discipline of the query, or of the reference if it is no model's answer. It sends
at most six requests per reference.

`--citecheck-urls` also requests cited web pages (http and https, public addresses only). 404 and 410 fail
`completeness`; all other responses decide nothing.
"""


def _rate(rate: Rate | None) -> str:
    return f"{rate.per_second:.3g}, {rate.concurrency}" if rate else ""


def _key(source: Source) -> tuple[str, str]:
    if source.credentials is None:
        return "", ""
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
    return ", ".join(f"{kind}: {_asked(query)}" for kind, query in source.controls.items())


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
    """Return the rows with the terms of the services."""
    labels: dict[Terms, list[str]] = {}
    for source in SOURCES:
        labels.setdefault(source.terms, []).append(source.label)
    return "".join(
        f"| {', '.join(names)} | {terms.said} | {'reported' if terms.reported else '`unconfirmed`'} "
        f"| {'raw responses' if terms.raw else 'fields used'} |\n"
        for terms, names in sorted(labels.items(), key=lambda row: (not row[0].reported, row[0].said == "unknown"))
    )


def _asked(query: Query) -> str:
    """The question in a few words."""
    place = f" {query.year}" if query.year else ""
    people = f" ({', '.join(query.authors)})" if query.kind == "author_search" else ""
    return f"{query.value}{place}{people}"


def sources_page() -> str:
    """The whole page."""
    overview, absences, limits = [], [], []
    for source in SOURCES:
        kinds = ", ".join(f"{kind} ({size})" for kind, size in source.batch.items())
        order = "as published" if source.keeps_author_order else "unknown"
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
    return tables + _UNCONFIRMED + "".join(guesses) + _ROUNDS + rounds + _TAIL.replace("{own}", str(OWN_QUERIES))
