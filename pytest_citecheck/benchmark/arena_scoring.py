"""The scores of models in the Reference Hallucination Arena, computed from the results of the checks.

Names and formulas are those of OpenJudge's arena (agentscope-ai/OpenJudge, ``cookbooks/ref_hallucination_arena``,
evaluation_results.json), with three differences: an unchecked reference is an error and not part of any rate; a work that an
answer cites twice counts once; rates over delivered references have a counterpart over requested references.

An unchecked reference counts neither for nor against its model. Each score therefore has ``bounds``: its value if all unchecked
references are wrong, and if all are right. A model ranks above another only if it does so under both, and a model of which too
few references were checked has no rank.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import repeat
from typing import Any, Literal, cast

from pytest_citecheck.benchmark.metrics import grouped, ratio, wilson
from pytest_citecheck.benchmark.predictions import parse_probability
from pytest_citecheck.benchmark.strict_rule import StrictResult
from pytest_citecheck.benchmark.usage import read_usage, usage_scores
from pytest_citecheck.inputs import Usage
from pytest_citecheck.model import Outcome

_HIGHER = (
    *("verification_rate", "year_compliance_rate", "avg_confidence", "completeness", "verified_of_requested"),
    *("overall_accuracy", "overall_score", "delivered_of_requested", "years_kept"),
    *("title_accuracy", "author_accuracy", "year_accuracy", "doi_accuracy", "venue_accuracy"),
    *("strict_verification_rate", "lenient_verification_rate"),
)
_LOWER = (
    *("hallucination_rate", "errors", "failed_calls", "refusals", "duplicates", "not_asked", "cut_off", "fallbacks"),
    *("cost", "cost_per_verified", "prompt_tokens", "completion_tokens", "searches"),
)
FIGURES: Mapping[str, bool] = {**dict.fromkeys(_HIGHER, True), **dict.fromkeys(_LOWER, False)}
"""Name of a figure → whether higher is better."""

_COUNTS = frozenset({"errors", "failed_calls", "refusals", "duplicates", "not_asked"})


Figure = float | tuple[float | None, float | None] | None
"""A value; its bounds if unchecked references could change it; None if nothing was counted."""


def figures_of(arena: Mapping[str, Any]) -> list[tuple[str, dict[str, Figure]]]:
    """Each model of a document of scores with its `FIGURES`."""
    profiles = {
        name: {row["model"]: row for row in (arena.get(name) or {}).get("rankings", ())}
        for name in ("strict", "lenient")
    }
    found = []
    for scores in arena.get("rankings", ()):
        model = scores["model"]
        usage = scores.get("usage") or {}
        values: dict[str, Figure] = {name: stated_score(scores, name) for name in FIGURES if name in scores}
        values |= {name: usage[name] for name in FIGURES if name in usage}
        values["delivered_of_requested"] = stated_score(scores, "coverage")
        values["years_kept"] = scores["year_compliance"]["rate"]
        for profile, models in profiles.items():
            row = models.get(model)
            counted = row is not None and row["total_refs"] > row["errors"]
            rate = row["verification_rate"] if row and counted else None
            values[f"{profile}_verification_rate"] = _bounded(row or {}, "verification_rate", rate)
        found.append((model, {name: _bounded(scores, name, values.get(name)) for name in FIGURES}))
    return found


def _bounded(scores: Mapping[str, Any], name: str, value: Figure) -> Figure:
    """The bounds of a figure where they differ."""
    low, high = (scores.get("bounds") or {}).get(name) or (None, None)
    return value if low == high else (low, high)


def stated_score(scores: Mapping[str, Any], name: str) -> float | None:
    """A score of a model; None if nothing was counted for it."""
    base = {
        **dict.fromkeys(_COUNTS, True),
        "coverage": scores["requested"],
        "verified_of_requested": scores["requested"],
        "completeness": scores["total_refs"],
        "avg_confidence": scores["verified"],
        "year_compliance_rate": scores["year_constrained_refs"],
    }
    value: float | None = scores[name]
    return value if base.get(name, scores["total_refs"] - scores["errors"]) else None


_CASES = 3  # of a pattern


def error_patterns(references: Iterable[ArenaReference]) -> list[dict[str, Any]]:
    """The codes of failed checks, and of titles that are nowhere to be found, most frequent first.

    cases: ids of references, of different queries if possible.

    share: of the references that failed it among all that are given.
    """
    found: dict[str, list[ArenaReference]] = {}
    total = 0
    for reference in references:
        total += 1
        for check, outcome in reference.outcomes.items():
            unfindable = check == "title" and reference.verdict == "unfindable"
            if (outcome == "failed" or unfindable) and reference.codes.get(check):
                found.setdefault(reference.codes[check], []).append(reference)
    return [
        {"code": code, "count": len(cases), "share": len(cases) / total, "cases": _cases(cases)}
        for code, cases in sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))
    ]


def _cases(references: list[ArenaReference]) -> list[str]:
    """Those that are certainly invented first, one of each query before a second of any."""
    ordered = sorted(references, key=lambda reference: (reference.verdict != "fabricated", -reference.confidence))
    by_query = grouped(ordered, lambda reference: reference.query).values()
    first = [members[0] for members in by_query]
    others = [reference for reference in ordered if all(reference is not chosen for chosen in first)]
    return [reference.id for reference in (*first, *others) if reference.id][:_CASES]


Status = Literal["VERIFIED", "SUSPECT", "NOT_FOUND", "ERROR"]
Delivery = Literal["reference", "failed", "empty", "unread", "not asked"]
FieldResult = Literal["right", "wrong", "absent", "undecided", "not asked"]

FIELDS = ("title", "author", "year", "doi", "venue")
ARENA_RANKING = ("verification_rate", "year_compliance_rate", "avg_confidence", "completeness")
"""The scores that rank models in the Reference Hallucination Arena; the first one that differs decides."""
RANKING = ("verified_of_requested", *ARENA_RANKING)
"""The scores that rank models here: silence and repetition are short of what was requested."""
LEAST_COVERAGE = 0.9
"""The share of a model's references that must be checked before it is ranked."""
Bounds = tuple[float, float]
"""A score if all unchecked references are wrong, and if all are right."""
_STATUS: Mapping[str, Status] = {
    "verified": "VERIFIED",
    "misdescribed": "SUSPECT",
    "fabricated": "NOT_FOUND",
    "unfindable": "NOT_FOUND",
    "undecided": "NOT_FOUND",
    "": "SUSPECT",  # no verdict: the entry is unreadable
}
_NOT_CHECKED = frozenset({"unavailable", "not-recorded", "not-asked"})
"""Codes of checks without an answer; an undecided reference with one of them is an error of the run, not of the model."""
_REGISTRY = "doi_org"
"""The source that knows every DOI: a DOI without a record is found wrong only if it was asked."""
_UNSENT = frozenset({"", "offline", "not-recorded", "not-asked"})
_CHECK_OF = {"title": "title", "author": "authors", "doi": "doi", "venue": "venue"}
_ABSENT = {
    "title": frozenset({"title-missing"}),
    "author": frozenset({"authors-missing"}),
    "doi": frozenset({"doi-not-cited", "doi-to-add", "doi-none"}),
    "venue": frozenset({"venue-missing"}),
}
"""Codes by field: the reference does not state this field."""


@dataclass(frozen=True, slots=True)
class ArenaReference:
    """One reference of an answer, or an answer without references (``delivery`` is then not ``reference``).

    query, sample: identify the answer of the model. requested: number of references requested; None: unknown. verdict: its
    name, empty without one. outcomes, codes: by check. cited: which of ``doi``, ``year`` and ``authors`` the reference states.
    year: the cited year. found_years: the years of the record of the work, the primary one first. source: the source of that
    record. confidence: probability that the reference is correct, 0 to 1. earliest, latest: publication years that the query
    allows, inclusive. duplicate: whether the answer already cites the work. language: of the query. strict: what the Arena's
    rule says; None if it was not applied. id: of its items. usage: what the answer took; None if that is not known. tool, served:
    whether the model could search, and its name at its provider. unregistered: True if doi.org was not asked for its DOI.
    """

    model: str
    query: str
    sample: int = 1
    discipline: str = "other"
    requested: int | None = None
    delivery: Delivery = "reference"
    verdict: str = ""
    outcomes: Mapping[str, Outcome] = field(default_factory=dict)
    codes: Mapping[str, str] = field(default_factory=dict)
    cited: frozenset[str] = frozenset()
    year: int | None = None
    found_years: tuple[int, ...] = ()
    source: str = ""
    confidence: float = 0.0
    earliest: int | None = None
    latest: int | None = None
    duplicate: bool = False
    language: str = ""
    strict: StrictResult | None = None
    id: str = ""
    usage: Usage | None = None
    tool: bool = False
    served: str = ""
    unregistered: bool = False

    @property
    def cell(self) -> tuple[str, int]:
        """The query and the sample, which identify an answer."""
        return self.query, self.sample

    @property
    def constrained(self) -> bool:
        """True if the query limits the years."""
        return self.earliest is not None or self.latest is not None


def status(reference: ArenaReference) -> Status:
    """The Arena's status of a reference."""
    if reference.verdict == "undecided" and not _NOT_CHECKED.isdisjoint(reference.codes.values()):
        return "ERROR"
    return _STATUS[reference.verdict]


def arena_scores(references: Iterable[ArenaReference], least: float = LEAST_COVERAGE) -> dict[str, Any]:
    """The scores of all models as JSON data: ``rankings``, ``total_queries``, ``total_references`` and so on.

    least: the coverage below which a model has no rank.
    """
    everything = list(references)
    models = grouped(everything, lambda reference: reference.model)
    scores = [{"model": model, **_model_scores(delivered)} for model, delivered in models.items()]
    return {
        "rankings": ranked(scores, RANKING, least),
        "least_coverage": least,
        "scope": _scope(everything),
        **totals(everything, _counted(everything)),
    }


def totals(references: Iterable[ArenaReference], counted: Sequence[ArenaReference]) -> dict[str, Any]:
    """The counts over all models. counted: the references that scores are about."""
    verified = count(counted, "VERIFIED")
    return {
        "total_queries": len({reference.query for reference in references}),
        "total_references": len(counted),
        "total_verified": verified,
        "overall_accuracy": ratio(verified, len(counted) - count(counted, "ERROR")),
    }


def _scope(references: Iterable[ArenaReference]) -> dict[str, Any]:
    """The models and queries that these references cover, and how many answers."""
    asked = [reference for reference in references if reference.delivery != "not asked"]
    return {
        "models": list(dict.fromkeys(reference.model for reference in asked)),
        "queries": list(dict.fromkeys(reference.query for reference in asked)),
        "answers": len({(reference.model, reference.cell) for reference in asked}),
    }


def ranked(
    scores: Sequence[Mapping[str, Any]], key: Sequence[str] = RANKING, least: float = LEAST_COVERAGE
) -> list[dict[str, Any]]:
    """The scores of models from best to worst, with their ``rank``: one more than the number of models certainly above.

    The first score of the key that certainly differs decides; models that unchecked references might reverse share a rank. Models
    below the coverage ``least`` come last, in their order, and their rank is None.
    """
    covered = [score for score in scores if is_covered(score, least)]
    places = [1 + sum(_is_above(other, score, key) for other in covered) for score in covered]
    ordered = sorted(
        zip(places, covered, strict=True), key=lambda item: (item[0], *(-_bounds_of(item[1], name)[0] for name in key))
    )
    left = [{"rank": None, **score} for score in scores if not is_covered(score, least)]
    return [*({"rank": place, **score} for place, score in ordered), *left]


def is_covered(score: Mapping[str, Any], least: float) -> bool:
    """Return True if enough references of a model were checked to rank it; one without references delivered nothing to check."""
    coverage = score.get("checked_rate")
    return coverage is None or coverage >= least


def _bounds_of(score: Mapping[str, Any], name: str) -> Bounds:
    low, high = (score.get("bounds") or {}).get(name) or (score[name], score[name])
    return float(low), float(high)


def _is_above(one: Mapping[str, Any], other: Mapping[str, Any], key: Sequence[str]) -> bool:
    for name in key:
        bounds, other_bounds = _bounds_of(one, name), _bounds_of(other, name)
        if bounds[0] > other_bounds[1]:
            return True
        if bounds != other_bounds or bounds[0] != bounds[1]:
            return False  # below it, or unchecked references decide
    return False


def bounded_share(part: int, unchecked: int, whole: int) -> Bounds:
    """The share if none of the unchecked references count as a part, and if all do."""
    return ratio(part, whole), ratio(part + unchecked, whole)


def _counted(references: Iterable[ArenaReference]) -> list[ArenaReference]:
    return [reference for reference in references if reference.delivery == "reference" and not reference.duplicate]


def _unread(references: Iterable[ArenaReference]) -> int:
    """The number of references in answers that cannot be read: as many as requested, or one."""
    return sum(reference.requested or 1 for reference in references if reference.delivery == "unread")


def count(references: Iterable[ArenaReference], wanted: Status) -> int:
    """The number of references with this status."""
    return sum(status(reference) == wanted for reference in references)


def confidences(references: Iterable[ArenaReference]) -> list[float]:
    """The confidences of the verified references."""
    return [reference.confidence for reference in references if status(reference) == "VERIFIED"]


def _model_scores(references: Sequence[ArenaReference]) -> dict[str, Any]:
    counted = _counted(references)
    unread = _unread(references)
    rates = rates_of(counted, unread)
    usage, coverage = usage_scores(references, rates["verified"], rates["unchecked"]), _coverage(references)
    bounds = bounds_of(counted, unread) | {"verified_of_requested": coverage.pop("bounds")}
    return {
        **rates,
        "bounds": bounds | {"cost_per_verified": usage.pop("cost_bounds")},
        "overall_accuracy": rates["verification_rate"],
        "overall_score": rates["verification_rate"],
        "avg_confidence": mean_of(confidences(counted)),
        "completeness": completeness(counted),
        **{f"{name}_accuracy": _with_vacuous(counted, name) for name in FIELDS},
        "fields": {name: _decided(counted, name) for name in FIELDS},
        **_year_compliance(counted),
        **coverage,
        "usage": usage,
        "patterns": error_patterns(counted),
        "by_discipline": by(counted, lambda reference: reference.discipline, _discipline),
        "by_language": by([each for each in counted if each.language], lambda each: each.language, _discipline),
        "by_sample": by(counted, lambda reference: str(reference.sample), _discipline),
        "verified_by_source": by_source(counted),
        "queries": by(references, lambda each: f"{each.query}~{each.sample}" if each.sample > 1 else each.query, _cell),
    }


def by_source(references: Iterable[ArenaReference]) -> dict[str, int]:
    """The number of verified references by the source of their record."""
    return dict(Counter(reference.source for reference in references if status(reference) == "VERIFIED"))


def bounds_of(counted: Sequence[ArenaReference], unread: int = 0) -> dict[str, Bounds | None]:
    """The bounds of each score that depends on what was checked. unread: references in answers that cannot be read."""
    statuses = Counter(map(status, counted))
    unchecked = statuses["ERROR"] + unread
    total = len(counted) + unread
    verified = bounded_share(statuses["VERIFIED"], unchecked, total)
    stated = confidences(counted)
    sure = len(stated) + unchecked
    asked = [reference for reference in counted if reference.constrained]
    open_years = count(asked, "ERROR")
    kept = _year_compliance(asked)["year_compliance"]
    known = kept["compliant"] + kept["noncompliant"] + open_years
    return {
        "verification_rate": verified,
        "overall_accuracy": verified,
        "overall_score": verified,
        "hallucination_rate": bounded_share(statuses["SUSPECT"] + statuses["NOT_FOUND"], unchecked, total),
        **{f"{n}_accuracy": bounded_share(_right(counted, n), unchecked + _unasked(counted, n), total) for n in FIELDS},
        "avg_confidence": (sum(stated) / sure, (sum(stated) + unchecked) / sure) if sure else (0.0, 0.0),
        "year_compliance_rate": bounded_share(_compliant(asked), open_years, len(asked)),
        "years_kept": bounded_share(kept["compliant"], open_years, known) if known else None,
    }


def rates_of(counted: Sequence[ArenaReference], unread: int = 0) -> dict[str, Any]:
    """Counts and rates. Unchecked references are part of the total but not of the rates; intervals allow for both outcomes."""
    counts = Counter(map(status, counted))
    decided = len(counted) - counts["ERROR"]
    unchecked = counts["ERROR"] + unread
    wrong = counts["SUSPECT"] + counts["NOT_FOUND"]
    return {
        "total_refs": len(counted),
        "verified": counts["VERIFIED"],
        "suspect": counts["SUSPECT"],
        "not_found": counts["NOT_FOUND"],
        "errors": counts["ERROR"],
        "unchecked": unchecked,
        "checked_rate": decided / (decided + unchecked) if decided + unchecked else None,
        "verification_rate": ratio(counts["VERIFIED"], decided),
        "verification_interval": _interval(counts["VERIFIED"], decided, unchecked),
        "hallucination_rate": ratio(wrong, decided),
        "hallucination_interval": _interval(wrong, decided, unchecked),
    }


def _discipline(counted: Sequence[ArenaReference]) -> dict[str, Any]:
    return {**rates_of(counted), "avg_confidence": mean_of(confidences(counted))}


def _cell(references: Sequence[ArenaReference]) -> dict[str, Any]:
    counted = _counted(references)
    return {
        **rates_of(counted),
        "avg_confidence": mean_of([reference.confidence for reference in counted if reference.confidence > 0]),
        "completeness": completeness(counted),
        "year_compliance_rate": _year_compliance(counted)["year_compliance_rate"],
        "requested": next((reference.requested for reference in references), None),
    }


def by(
    references: Iterable[ArenaReference],
    group: Callable[[ArenaReference], str],
    score: Callable[[Sequence[ArenaReference]], dict[str, Any]],
) -> dict[str, Any]:
    """The scores of each group, in the order of their first references."""
    return {name: score(members) for name, members in grouped(references, group).items()}


def completeness(counted: Sequence[ArenaReference]) -> float:
    """The mean over references of ([doi] + [year] + [authors]) / 3, as in the Arena."""
    return mean_of([len(reference.cited & {"doi", "year", "authors"}) / 3 for reference in counted])


def _result(reference: ArenaReference, name: str) -> FieldResult:
    if name == "year":
        if reference.year is None:
            return "absent"
        if not reference.found_years:
            return "undecided"
        return "right" if reference.year in reference.found_years else "wrong"
    check = _CHECK_OF[name]
    if reference.codes.get(check) in _ABSENT[name]:
        return "absent"
    outcome = reference.outcomes.get(check, "unverifiable")
    if outcome == "unverifiable":
        return "not asked" if name == "doi" and "doi" in reference.cited and reference.unregistered else "undecided"
    return "right" if outcome == "passed" else "wrong"


def _unasked(counted: Iterable[ArenaReference], name: str) -> int:
    """The number of checked references that no source could find wrong in this field."""
    return sum(_result(each, name) == "not asked" and status(each) != "ERROR" for each in counted)


def _with_vacuous(counted: Sequence[ArenaReference], name: str) -> float | None:
    """The Arena's share of all references: for a work found, a missing author or year counts as right, a missing DOI does not.

    None if no source could find some of them wrong.
    """
    return None if _unasked(counted, name) else ratio(_right(counted, name), len(counted) - count(counted, "ERROR"))


def _right(counted: Iterable[ArenaReference], name: str) -> int:
    checked = [reference for reference in counted if status(reference) != "ERROR"]
    vacuous = name in ("author", "year")
    return sum(
        result == "right" or (vacuous and result == "absent" and _result(reference, "title") == "right")
        for reference in checked
        for result in [_result(reference, name)]
    )


def _decided(counted: Sequence[ArenaReference], name: str) -> dict[str, Any]:
    """The accuracy of a field where it is stated and decided; None if no source could find some of them wrong."""
    results = Counter(_result(reference, name) for reference in counted)
    unasked = results["not asked"]
    decided = 0 if unasked else results["right"] + results["wrong"]
    return {
        **{result: results[result] for result in ("right", "wrong", "absent", "undecided")},
        **({"not_asked": unasked} if unasked else {}),
        "accuracy": results["right"] / decided if decided else None,
        "interval": _interval(results["right"], decided),
    }


def _year_compliance(counted: Sequence[ArenaReference]) -> dict[str, Any]:
    """Year compliance of the references to queries that limit the years.

    ``year_compliance_rate`` is the Arena's: it uses the year of the record, otherwise the cited year, and an unknown year does
    not comply. ``year_compliance`` uses only years of verified references, and counts unknown years separately.
    """
    asked = [reference for reference in counted if reference.constrained]
    known = [reference for reference in asked if status(reference) == "VERIFIED" and reference.found_years]
    right = sum(any(_is_allowed(reference, year) for year in reference.found_years) for reference in known)
    return {
        "year_constrained_refs": len(asked),
        "year_compliance_rate": ratio(_compliant(asked), len(asked) - count(asked, "ERROR")),
        "year_compliance": {
            "compliant": right,
            "noncompliant": len(known) - right,
            "unknown": len(asked) - len(known),
            "rate": right / len(known) if known else None,
            "interval": _interval(right, len(known)),
        },
    }


def _compliant(asked: Iterable[ArenaReference]) -> int:
    return sum(complies(reference) for reference in asked if status(reference) != "ERROR")


def complies(reference: ArenaReference) -> bool:
    """Return True if the query allows the year of the record, or the cited year without a record."""
    return _is_allowed(reference, (reference.found_years or (reference.year,))[0])


def _is_allowed(reference: ArenaReference, year: int | None) -> bool:
    """Return True if the query of a reference allows a year; an unknown one is not allowed."""
    if year is None:
        return False
    above = reference.earliest is None or year >= reference.earliest
    return above and (reference.latest is None or year <= reference.latest)


def _coverage(references: Sequence[ArenaReference]) -> dict[str, Any]:
    """Delivered of requested references, per answer: a surplus in one answer does not make up for a deficit in another.

    ``bounds``: of ``verified_of_requested``. Only these include answers that cannot be read: the number of their references is
    unknown.
    """
    asked = [
        members
        for members in grouped(references, lambda each: each.cell).values()
        if members[0].delivery != "not asked"
    ]
    sums: Counter[str] = Counter()
    for members in asked:
        requested = members[0].requested
        if requested is not None:
            counted = _counted(members)
            verified = min(requested, count(counted, "VERIFIED"))
            unchecked = min(requested - verified, count(counted, "ERROR") + _unread(members))
            sums.update(requested=requested, verified=verified, unchecked=unchecked)
            if members[0].delivery != "unread":
                sums.update(read=requested, delivered=min(requested, len(counted)), verified_of_read=verified)
    deliveries = Counter(reference.delivery for reference in references)
    return {
        "answers": len(asked),
        "not_asked": deliveries["not asked"],
        "failed_calls": deliveries["failed"],
        "refusals": deliveries["empty"],
        "unread_answers": deliveries["unread"],
        "duplicates": sum(reference.duplicate for reference in references),
        "requested": sums["read"],
        "delivered": sums["delivered"],
        "coverage": ratio(sums["delivered"], sums["read"]),
        "verified_of_requested": ratio(sums["verified_of_read"], sums["read"]),
        "bounds": bounded_share(sums["verified"], sums["unchecked"], sums["requested"]),
    }


def mean_of(values: Sequence[float]) -> float:
    """The mean, and 0 of nothing."""
    return sum(values) / len(values) if values else 0.0


def _interval(part: int, whole: int, unchecked: int = 0) -> list[float] | None:
    """The 95 % Wilson interval, from none of the unchecked ones to all of them; None for an empty set."""
    everything = whole + unchecked
    return [wilson(part, everything)[0], wilson(part + unchecked, everything)[1]] if everything else None


_PREFIX = "citecheck.answer."
_STRICT = "citecheck.answer.strict"
_USAGE = "citecheck.answer.usage"
_DELIVERY = {
    "answer-missing": "failed",
    "answer-empty": "empty",
    "answer-unread": "unread",
    "answer-not-asked": "not asked",
}

Properties = Mapping[str, str]


def arena_references(cases: Iterable[Properties]) -> list[ArenaReference]:
    """The references of all answers, in the order of files and lines, independent of the order of the cases.

    cases: the properties of each check, as in JUnit XML (docs/ci.md). If a case occurs twice, the first counts. Raises
    ValueError if a property is missing or invalid.
    """
    together: dict[tuple[str, int, str], dict[str, Properties]] = {}
    try:
        for properties in cases:
            if f"{_PREFIX}model" in properties:
                place = (properties["citecheck.file"], int(properties["citecheck.line"]), properties["citecheck.id"])
                together.setdefault(place, {}).setdefault(properties["citecheck.check"], properties)
        return [reference for place in sorted(together) for reference in _references(together[place])]
    except KeyError as error:
        raise ValueError(f"missing property {error}") from error


def _references(checks: Mapping[str, Properties]) -> Iterator[ArenaReference]:
    """A reference, and a duplicate for each time that its answer repeats it."""
    # The syntax check has neither verdict nor record: prefer one of the other checks.
    case = next((properties for check, properties in checks.items() if check != "syntax"), checks.get("syntax", {}))
    said = {name.removeprefix(_PREFIX): value for name, value in case.items() if name.startswith(_PREFIX)}
    verdict = case.get("citecheck.verdict", "")
    answers = dict(word.split("=", 1) for word in case.get("citecheck.sources", "").split())
    reference = ArenaReference(
        model=said["model"],
        query=said["query"],
        sample=int(said.get("sample", "1")),
        **cast("Any", {name: said[name] for name in ("discipline", "language", "served") if name in said}),
        **cast("Any", {name: _number(said.get(name)) for name in ("requested", "year", "earliest", "latest")}),
        delivery=cast("Any", _DELIVERY.get(said.get("delivery", ""), "reference")),
        verdict=verdict,
        outcomes={check: cast("Any", properties["citecheck.outcome"]) for check, properties in checks.items()},
        codes={check: properties["citecheck.code"] for check, properties in checks.items()},
        cited=frozenset(said.get("cited", "").split()),
        found_years=tuple(map(int, said.get("found_years", "").split())),
        source=said.get("found_by", ""),
        confidence=1 - parse_probability(case["citecheck.probability"]) if verdict else 0.0,
        id=case["citecheck.id"],
        usage=next((read_usage(data[_USAGE]) for data in checks.values() if _USAGE in data), None),
        tool=said.get("tool") == "yes",
        unregistered=answers.get(_REGISTRY, "") in _UNSENT,
        strict=next((StrictResult.from_text(data[_STRICT]) for data in checks.values() if _STRICT in data), None),
    )
    yield reference
    yield from repeat(replace(reference, duplicate=True), _number(said.get("repeated")) or 0)


def _number(text: str | None) -> int | None:
    return int(text) if text else None
