"""Every source against every fault: a small bibliography is gathered and checked while one service fails.

`play` runs one cell of the matrix, as the plugin would run it but for the waiting: seconds pass at once where nobody but the
client counts them. Used by the tests and by the page docs/evidence/reliability.md.
"""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

from pytest_citecheck.checks import CHECKS, evaluate
from pytest_citecheck.inputs import read_bibtex
from pytest_citecheck.lookup import gather, run
from pytest_citecheck.model import Reference
from pytest_citecheck.net import Tally, Transport, TransportSettings
from pytest_citecheck.sources import SOURCES, Rate, Source
from tests.stand_ins import FACTS_FILE, load_facts
from tests.stand_ins.facts import Facts, Name, Work
from tests.stand_ins.server import HOLDING_WORKS, MIRRORED, LocalServices
from tests.support import network_guard as network_guard  # also where no test runs: a redirect must not lead out
from tests.support.transport_support import FakeTime

TODAY = datetime.date(2026, 11, 21)
NAMES = tuple(source.name for source in SOURCES if source.base_url and source.name in HOLDING_WORKS)
"""The sources of the matrix: all with a service of their own of which a stand-in plays the facts."""

_FIXTURES = Path(__file__).parents[2] / "fixtures"
_ABSENT = frozenset({"rfcwrong", "cranwrong"})
_RIGHT = frozenset({"devlin2019bert", "kingma2015adam", "ollomo2011data", "goodfellow2016deep", "he2016deep",
    "Weinberg:1967tq", "rives2019biorxiv"})  # fmt: skip
WRONG = frozenset({
    "fabricated-doi-1-lamport", "preprint-as-published-1-roberta", "swapped-authors-3-prospect", "hybrid-fabrication-4-book",
    "hybrid-fabrication-6-thesis", "hybrid-fabrication-7-number", "swapped-authors-4-leptons",
    "placeholder-authors-4-index", *_ABSENT,
})  # fmt: skip
WARNED = frozenset({"placeholder-authors-4-index", "preprint-as-published-1-roberta", "hybrid-fabrication-4-book"})
"""References among these that a single record contradicts, which is a warning and not a failure."""
_THESES = r"""
@phdthesis{hal, author = {Navneet Dalal}, title = {Finding People in Images and Videos}, year = 2006,
  school = {Institut National Polytechnique de Grenoble}, eprint = {tel-00390303}, archiveprefix = {HAL}}
@phdthesis{nnt, author = {Julien Mairal}, title = {Représentations parcimonieuses en apprentissage statistique, traitement
  d'image et vision par ordinateur}, school = {ENS Cachan}, year = 2010, url = {https://www.theses.fr/2010DENS0040}}
"""
_IDENTIFIED = r"""
@article{medra, author = {Giulia Ferrante and Luca Moretti}, title = {La conservazione degli affreschi romanici},
  journal = {Bollettino del restauro}, year = 2019, doi = {10.3000/affreschi.1}}
@article{pubmed, author = {LeCun, Yann and Bengio, Yoshua and Hinton, Geoffrey}, title = {Deep learning},
  journal = {Nature}, year = 2015, volume = 521, pages = {436--444}, pmid = {26017442}}
@article{pmc, author = {Love, Michael I. and Huber, Wolfgang and Anders, Simon}, journal = {Genome Biology}, year = 2014,
  title = {Moderated estimation of fold change and dispersion for {RNA}-seq data with {DESeq2}}, pmcid = {PMC4302049}}
@inproceedings{dblp, author = {Vaswani, Ashish and Shazeer, Noam and Parmar, Niki and Uszkoreit, Jakob and Jones, Llion and
  Gomez, Aidan N. and Kaiser, {\L}ukasz and Polosukhin, Illia}, title = {Attention is All you Need}, year = 2017,
  booktitle = {Advances in Neural Information Processing Systems}, biburl = {https://dblp.org/rec/conf/nips/VaswaniSPUJGKP17.bib}}
@inproceedings{openreview1, author = {Higgins, Irina and Matthey, Loic and Pal, Arka and Burgess, Christopher and
  Glorot, Xavier and Botvinick, Matthew and Mohamed, Shakir and Lerchner, Alexander}, year = 2017,
  title = {beta-{VAE}: Learning Basic Visual Concepts with a Constrained Variational Framework},
  booktitle = {International Conference on Learning Representations}, url = {https://openreview.net/forum?id=Sy2fzU9gl}}
@inproceedings{openreview2, author = {Giulia Ferrante and Luca Moretti}, title = {Sparse kernels for streaming graphs},
  booktitle = {International Conference on Learning Representations}, year = 2024,
  url = {https://openreview.net/forum?id=sparseKern}}
@misc{rfc, author = {Giulia Ferrante}, title = {A Protocol for Frescoes}, howpublished = {RFC 9998}, year = 2024}
@misc{rfcwrong, author = {Ada Quillfeather}, title = {Quantum Handshakes}, howpublished = {RFC 9999}, year = 2024}
@online{w3c, title = {Fresco Markup Language}, url = {https://www.w3.org/TR/2024/REC-fresco-20240601/}, year = 2024}
@manual{cran, author = {Giulia Ferrante and Luca Moretti}, title = {affreschi: Frescoes}, year = 2024,
  note = {R package version 1.0}, url = {https://CRAN.R-project.org/package=affreschi}}
@manual{cranwrong, author = {Ada Quillfeather}, title = {zquantile: Zonal Quantiles}, year = 2024,
  url = {https://CRAN.R-project.org/package=zquantile}}
@software{pypi, author = {Luca Moretti}, title = {affresco: Frescoes in Python}, year = 2024,
  url = {https://pypi.org/project/affresco/}}
@misc{github, author = {{affreschi}}, title = {The frescolib library}, year = 2024,
  howpublished = {\url{https://github.com/affreschi/frescolib}}}
@misc{hub, author = {{affreschi}}, title = {fresco-base}, year = 2024, url = {https://huggingface.co/affreschi/fresco-base}}
@article{zbmath, author = {Gerd Faltings}, journal = {Invent. Math.}, volume = 73, pages = {349--366}, year = 1983,
  title = {Endlichkeitss{\"a}tze f{\"u}r abelsche {Variet{\"a}ten} {\"u}ber {Zahlk{\"o}rpern}}, zbl = {0588.14026}}
@article{ads, author = {Riess, Adam G. and Filippenko, Alexei V. and others}, journal = {Astron. J.}, volume = 116,
  title = {Observational Evidence from Supernovae for an Accelerating Universe and a Cosmological Constant}, year = 1998,
  pages = {1009--1038}, adsurl = {https://ui.adsabs.harvard.edu/abs/1998AJ....116.1009R}}
"""
_PEOPLE = (Name(given="Giulia", family="Ferrante"), Name(given="Luca", family="Moretti"))
_ICLR = "12th International Conference on Learning Representations, ICLR 2024"
_MORE_WORKS = (
    Work(
        "affreschi", "La conservazione degli affreschi romanici", "journal-article", authors=_PEOPLE, issued=(2019,),
        container="Bollettino del restauro", doi="10.3000/affreschi.1", agency="mEDRA",
    ),
    Work(
        "sparse", "Sparse kernels for streaming graphs", "proceedings-article", authors=_PEOPLE, issued=(2024,),
        container=_ICLR, openreview="sparseKern",
    ),
    Work("rfc", "A Protocol for Frescoes", "report", rfc="9998", authors=_PEOPLE[:1], issued=(2024, 5)),
    Work("w3c", "Fresco Markup Language", "report", w3c="fresco/20240601"),
    Work(
        "cran", "affreschi", "software", package="cran:affreschi", summary="Frescoes", authors=_PEOPLE, issued=(2020,),
        last_year="2025",
    ),
    Work("pypi", "affresco", "software", package="pypi:affresco", summary="Frescoes in Python", authors=_PEOPLE[1:]),
    Work("github", "frescolib", "software", repository="github.com/affreschi/frescolib"),
    Work("hub", "fresco-base", "software", repository="huggingface.co/models/affreschi/fresco-base"),
    Work(
        "lattices", "Dense lattices for resting trees", "proceedings-article", issued=(2024,), container=_ICLR,
        openreview="denseLatt", authors=(Name(given="Ivo", family="Saltmarsh"),),
    ),
)  # fmt: skip

PATIENCE = 20.0
"""Seconds that an exchange may take."""

_IMPATIENCE = 0.1  # where the service is known not to answer


@dataclass(frozen=True, slots=True)
class Fault:
    """A column of the matrix: a fault, its implementation, and the final result.

    kind: of the faults of the local services, with their ``times``, ``rate`` and ``seed``; or ``scheme`` and ``host`` of the
    address that is queried instead. answered: True if a correct answer always follows, None if it depends on the query.
    patience: seconds to wait for an answer.
    """

    title: str
    kind: str = ""
    times: int | None = None
    rate: float = 1.0
    seed: int = 0
    scheme: str = "http"
    host: str = ""
    answered: bool | None = False
    patience: float = PATIENCE

    @property
    def hangs(self) -> bool:
        """Return True if the service keeps its clients waiting."""
        return self.patience < PATIENCE


FAULTS: Mapping[str, Fault] = {
    fault.title: fault
    for fault in (
        Fault("429", "429"),
        Fault("429 + Retry-After", "429-retry-after"),
        Fault("429 + Retry-After, once", "429-retry-after", times=1, answered=True),
        Fault("503 until the year 9999", "503-year-9999"),
        Fault("403", "403"),
        Fault("500", "500"),
        Fault("503", "503"),
        Fault("time-out", "timeout", patience=_IMPATIENCE),
        Fault("time-out in the body", "timeout-body", patience=_IMPATIENCE),
        Fault("connection reset", "reset"),
        Fault("closed in the body", "early-close"),
        Fault("no such host", host="{}.invalid"),
        Fault("TLS error", scheme="https"),
        Fault("redirect loop", "redirect-loop"),
        Fault("redirect to a private address", "redirect-private"),
        Fault("empty body", "empty"),
        Fault("truncated body", "truncated"),
        Fault("wrong content type", "wrong-content-type", answered=True),
        Fault("labelled as HTML", "html-label"),
        Fault("captcha", "captcha"),
        Fault("demands a browser", "wall"),
        Fault("demands a browser, status 429", "wall-429"),
        Fault("malformed body", "malformed"),
        Fault("XML bomb", "xml-bomb"),
        Fault("1 GB body", "huge"),
        Fault("packed twice", "double-gzip"),
        Fault("10 MB title", "huge-title", answered=None),
        Fault("wrong record", "wrong-record", answered=None),
        Fault("nothing found", "nothing-found", answered=None),
        Fault("unreadable entry", "unreadable-entry", answered=None),
        Fault("missing entry", "missing-entry", answered=None),
    )
}

DENIALS = (
    *(
        Fault(f"{kind}, {rate:g} of requests", kind, rate=rate)
        for kind in ("nothing-found", "unreadable-entry", "missing-entry")
        for rate in (0.3, 0.5)
    ),
    Fault("uncounted-entry, once", "uncounted-entry", times=1),
    Fault("another name for titles", "renamed"),
    Fault("another name for titles, 0.5 of requests", "renamed", rate=0.5),
)
"""Faults with well-formed answers that sometimes deny existing works or move them elsewhere."""


@dataclass(frozen=True, slots=True)
class Cell:
    """Result of a run with one failing source.

    failing: reference and check of every failure. verified: references with that verdict. tally: cost of querying that source.
    others: names of other sources without an answer. asked: names of all sources that received a request. seconds: duration of
    the run. waited: time that its client would have waited.
    """

    failing: frozenset[tuple[str, str]]
    verified: frozenset[str]
    tally: Tally
    others: frozenset[str]
    asked: frozenset[str]
    seconds: float
    waited: float

    @property
    def word(self) -> str:
        """The outcome in a few words."""
        reasons = sorted(set(self.tally.unavailable) - {"breaker"})
        if reasons:
            return ", ".join(reasons)
        return "answered after a retry" if self.tally.retries else "answered"


@cache
def bibliography() -> Mapping[str, Reference]:
    """Return correct references of every kind and some wrong ones, by key."""
    references = read_bibtex("refs.bib", text(()).encode()).references
    return {reference.key: reference for reference in references}


def text(keys: Collection[str]) -> str:
    """The entries with these keys in BibTeX; all of the bibliography if there is no key."""
    files = [_FIXTURES / "refs.bib", _FIXTURES / "hallucinated.bib"]
    sources = [(path.read_text(encoding="utf-8"), _RIGHT | WRONG) for path in files]
    entries = []
    for content, chosen in ((_THESES, frozenset[str]()), *sources, (_IDENTIFIED, frozenset[str]())):
        lines = content.splitlines()
        for one in read_bibtex("refs.bib", content.encode()).references:
            if (not chosen or one.key in chosen) and (not keys or one.key in keys):
                entries.append("\n".join(lines[one.location.line - 1 : one.location.end_line]))
    return "\n\n".join(entries)


@cache
def facts() -> Facts:
    """Return the facts about the cited works."""
    known = load_facts(FACTS_FILE)
    return replace(known, works=(*known.works, *_MORE_WORKS), prefixes={**known.prefixes, "10.3000": "mEDRA"})


def asked_sources(name: str) -> tuple[Source, ...]:
    """Return the sources of a run in which this source is queried.

    Semantic Scholar is left out unless it is this source, because some sources are not queried for works that it has. Open
    Library is left out for the Library of Congress, for the same reason. A mirror of DBLP's pages replaces its SPARQL endpoint.
    """
    apart = {"semantic_scholar", *(MIRRORED if name not in MIRRORED else {"dblp_sparql"})} - {name}
    apart |= {"open_library"} if name == "loc" else set()
    return tuple(one for one in SOURCES if one.name in NAMES and one.name not in apart)


@cache
def scene(name: str) -> Mapping[str, Reference]:
    """Return references that this source is queried for, at most two correct and two wrong ones, and one other reference."""
    with LocalServices(facts()) as services, hurried():
        settings = _settings(services.mirrors)
        gathered = asyncio.run(gather(bibliography(), asked_sources(name), settings, TODAY))
    asked = {key: {line.source for line in evidence.asked} for key, evidence in gathered.evidence.items()}
    concerned = [key for key in asked if name in asked[key]]
    right = [key for key in concerned if key not in WRONG]
    wrong = [key for key in concerned if key in WRONG]
    others = [key for key in asked if name not in asked[key]]
    return {key: bibliography()[key] for key in (*right[-2:], *wrong[:2], *others[:1])}


def struck(name: str, fault: Fault, services: LocalServices) -> dict[str, str]:
    """Bring the fault about; the base URLs of the sources then."""
    urls = {source: url for source, url in services.mirrors.items() if source in NAMES}
    if fault.kind:
        services.fault(name, fault.kind, fault.times, rate=fault.rate, seed=fault.seed)
    else:
        _, _, place = urls[name].partition("://")
        urls[name] = f"{fault.scheme}://{fault.host.format(name.replace('_', '-')) or place}"
    return urls


@contextlib.contextmanager
def hurried(patience: float = PATIENCE) -> Iterator[FakeTime]:
    """Make runs wait ``patience`` seconds for an exchange and not at all between two; the clock shows the real waiting time.

    A large body has two megabytes.
    """
    clock = FakeTime()

    def transport(settings: TransportSettings, **options: Any) -> Transport:
        settings = replace(settings, timeout=patience, connect_timeout=patience)
        return Transport(settings, clock=clock.clock, sleep=clock.sleep, **options)

    with mock.patch.object(run, "Transport", transport), mock.patch.object(Source, "largest_body", 2_000_000):
        yield clock


def play(name: str, fault: Fault | None, services: LocalServices, down: str = "") -> Cell:
    """Gather and check the scene of this source while it has this fault (None: none), and perhaps another one is down."""
    references = scene(name)
    if down:
        services.fault(down, "503")
    urls = struck(name, fault, services) if fault else services.mirrors
    start = time.monotonic()
    try:
        with hurried(fault.patience if fault else PATIENCE) as clock:
            gathered = asyncio.run(gather(references, asked_sources(name), _settings(urls), TODAY))
    finally:
        services.heal(name)
        if down:
            services.heal(down)
    seconds = time.monotonic() - start
    failing, verified = set(), set()
    for key, reference in references.items():
        evaluation = evaluate(reference, gathered.states[key].evidence(), TODAY)
        failing |= {(key, check) for check in CHECKS if evaluation.findings[check].outcome == "failed"}
        verified |= {key} if evaluation.verdict.name == "verified" else set()
    unanswered = {other for other, tally in gathered.statistics.items() if tally.unavailable}
    tally = gathered.statistics.get(name, Tally())
    asked = frozenset(other for other, tally in gathered.statistics.items() if tally.requests)
    others = frozenset(unanswered - {name})
    return Cell(frozenset(failing), frozenset(verified), tally, others, asked, seconds, clock.seconds)


def _settings(urls: Mapping[str, str]) -> TransportSettings:
    return TransportSettings(
        base_urls={source: url for source, url in urls.items() if source in NAMES},
        rates={source: Rate(1000.0, 8) for source in NAMES},
    )
