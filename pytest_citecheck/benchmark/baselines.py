"""Baselines to compare tools with: predictions that ignore the citation, use a single property of it, or combine tools.

Source: HALLMARK, arXiv:2607.18360, section on baselines. Baselines send no requests; what they know about DOIs comes from the
predictions of a run.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum
from random import Random
from typing import Any

from pytest_citecheck.inputs import LabelledEntry, Prediction, Verdict3
from pytest_citecheck.matching import lazy_pattern

_SURE = 0.85
"""From this confidence on, VALID is left to the first stage, whose decisions all get it, as in HALLMARK."""
_VALID_FROM = 0.7
"""In the aggressive mode, a VALID of the second stage counts from this confidence on."""
_FORCED = 0.55
_OPEN = frozenset({"", "unconfirmed", "not_found", "partial_match", "api_error", "skipped"})
"""Statuses of bibtex-updater for entries that it has not decided, regardless of the label. Some rows state nothing."""
_WARNED = "strict_warn_"
_PRESCREENING = "prescreening"
Predictions = Iterable[Prediction]


def cascade(
    keys: Iterable[str], tool: Predictions, model: Predictions, *, aggressive: bool = False
) -> list[Prediction]:
    """One prediction per key, in the order of the keys, each with the stage that decided.

    The first stage keeps what prescreening found, VALID from .85 on, and HALLUCINATED with a type (any HALLUCINATED if the tool
    states no types). Files of bibtex-updater name a status; there, the status shows which entries are open. The rest is the
    model's: what it does
    not decide is UNCERTAIN. aggressive: what the second stage calls neither HALLUCINATED nor VALID from .7 on becomes
    HALLUCINATED at .55, and keeps its stage.
    """
    first, second = ({prediction.key: prediction for prediction in run} for run in (tool, model))
    states_status = any(said.status for said in first.values())
    states_type = any(said.type for said in first.values())

    def decision(key: str) -> Prediction:
        said = first.get(key)
        if said is not None and (said.stage == _PRESCREENING or said.source.startswith(_PRESCREENING)):
            return _staged(said, _PRESCREENING)
        if said is not None and _keeps(said, states_status=states_status, states_type=states_type):
            return _staged(replace(said, confidence=_SURE), "stage1_db")
        return _second(key, said, second.get(key), aggressive=aggressive)

    return [decision(key) for key in keys]


def _keeps(said: Prediction, *, states_status: bool, states_type: bool) -> bool:
    if said.label == "UNCERTAIN":
        return False
    if states_status:
        return said.status not in _OPEN and not said.status.startswith(_WARNED)
    if said.label == "VALID":
        return said.confidence >= _SURE
    return said.type is not None or not states_type


def _second(key: str, first: Prediction | None, second: Prediction | None, *, aggressive: bool) -> Prediction:
    """The model's decision, with what both stages cost, and the type of whoever states one."""
    asked = [said for said in (first, second) if said is not None]
    decided = second or Prediction(key, "UNCERTAIN", reason="the second stage has no prediction")
    decided = _with_costs(decided, asked)
    sure = decided.label == "HALLUCINATED" or (decided.label == "VALID" and decided.confidence >= _VALID_FROM)
    if aggressive and not sure:
        decided = replace(decided, label="HALLUCINATED", confidence=_FORCED)
    if decided.label == "HALLUCINATED" and decided.type is None and first is not None:
        decided = replace(decided, type=first.type)
    return _staged(decided, "stage2_diagnosis")


def _with_costs(decided: Prediction, asked: Sequence[Prediction]) -> Prediction:
    """The prediction with what all these predictions took."""
    sources = tuple(sorted({name for said in asked for name in said.sources}))
    return replace(
        decided, sources=sources, seconds=fsum(said.seconds for said in asked), calls=sum(said.calls for said in asked)
    )


def _staged(said: Prediction, stage: str) -> Prediction:
    return replace(said, stage=stage, source="cascade")


Entries = Sequence[LabelledEntry]


class BaselineError(ValueError):
    """A baseline cannot be computed; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class Voting:
    """weights: of the tools in their order; empty: all 1. threshold: an entry is hallucinated above it. For `VOTES` alone."""

    weights: tuple[float, ...] = ()
    threshold: float = 0.5


@dataclass(frozen=True, slots=True)
class Given:
    """Input of a baseline besides the entries. runs: the predictions of tools. pool: the entries of other splits.

    voting: of an ensemble.
    """

    runs: Sequence[Sequence[Prediction]] = ()
    pool: Entries = ()
    voting: Voting | None = None


Judged = Iterable[tuple[bool, str]]
"""For each entry, whether it is called hallucinated, and why."""

_KNOWN_FROM = 2
"""How many VALID entries a known venue has at least. With one, a venue would be known from the very entry that is judged."""


def _title(entry: LabelledEntry) -> str:
    """The title in lower case, with single spaces."""
    return _plain(entry.fields.get("title", ""))


def _venue(entry: LabelledEntry) -> str:
    return _plain(entry.fields.get("booktitle", "")) or _plain(entry.fields.get("journal", ""))


def _plain(text: str) -> str:
    return " ".join(text.lower().split())


def _known_title(entries: Entries, given: Given) -> Judged:
    """Hallucinated if another VALID entry, by its key, has the title in the pool."""
    keys: defaultdict[str, set[str]] = defaultdict(set)
    for entry in given.pool:
        if entry.label == "VALID" and (title := _title(entry)):
            keys[title].add(entry.key)
    for entry in entries:
        known = bool(keys.get(_title(entry), set()) - {entry.key})
        yield known, f"diagnostic: {'a' if known else 'no'} VALID entry of the pool has this title"


def _unknown_venue(entries: Entries, given: Given) -> Judged:
    """Hallucinated if the entry names a venue that fewer than two VALID entries of the pool have."""
    count = Counter(_venue(entry) for entry in given.pool if entry.label == "VALID")
    for entry in entries:
        new = bool(venue := _venue(entry)) and count[venue] < _KNOWN_FROM
        yield new, f"diagnostic: the venue is {'not known' if new else 'known or not stated'} in the pool"


_LAST_YEAR = 2026
_FIRST_YEAR = 1900
_SHORTEST = 3
_ET_AL = lazy_pattern(r"(?:and\s+)?et\.?\s*al\.?", re.IGNORECASE)
_NUMBERED = lazy_pattern(r"\b[Aa]uthor\s?(?:\d+|[A-Z])\b")
_WORD_WITH_DIGITS = lazy_pattern(r"\b[A-Z][a-z]+\d+\b")
_INITIALS = lazy_pattern(r"(?:[A-Z]\.?[\s-]*)+")
_CAPITALS = lazy_pattern(r"[A-Z]{2,}")
_HALF = 0.5


def prescreened(fields: Mapping[str, str]) -> tuple[float, str] | None:
    """Confidence that the entry is hallucinated, and why; None if nothing speaks against it. The surest rule counts."""
    found = (_prescreening_by_year(fields.get("year", "")), _by_authors(fields.get("author", "").strip()))
    return max(filter(None, found), default=None)


def _prescreening_by_year(text: str) -> tuple[float, str] | None:
    if not re.fullmatch(r"\d{1,5}", text.strip()):
        return None
    year = int(text)
    if year > _LAST_YEAR:
        return 0.95, f"the year {year} is in the future"
    return (0.7, f"the year {year} is before {_FIRST_YEAR}") if year < _FIRST_YEAR else None


def _by_authors(text: str) -> tuple[float, str] | None:
    names = [name.strip() for name in re.split(r"(?<!\s)\s++and\s++", text) if name.strip()]
    surnames = [(name.split(",")[0] if "," in name else name.split()[-1]).strip().rstrip(".") for name in names]
    words = re.findall(r"[^\W\d_]+", text)
    capitals = sum(bool(_CAPITALS.fullmatch(word)) for word in words)
    rules = (
        (0.8, len(text) < _SHORTEST, f"the authors have fewer than {_SHORTEST} characters"),
        (0.8, _ET_AL.fullmatch(text), "the authors are only “et al.”"),
        (0.8, _NUMBERED.search(text), "the authors are numbered placeholders"),
        (0.8, all(len(surname) == 1 for surname in surnames), "all family names are one letter"),
        (0.75, _WORD_WITH_DIGITS.search(text), "a name ends in digits"),
        (0.75, all(_INITIALS.fullmatch(name) for name in names), "all names are initials"),
        (0.75, words and capitals > _HALF * len(words), "most names are in capitals"),
    )
    return next(((confidence, why) for confidence, is_so, why in rules if is_so), None) if text else None


_LIMIT = 0.5
"""An entry counts as hallucinated above this probability."""
Votes = Sequence[tuple[Prediction, float]]
"""The predictions of the tools that decide an entry, with their weights."""
Judgement = tuple[bool, float]
"""True if an entry is predicted to be hallucinated; the confidence in this prediction, from 0 to 1."""


def _likely(suspicion: float, threshold: float = _LIMIT) -> Judgement:
    return suspicion > threshold, suspicion if suspicion > threshold else 1 - suspicion


def _suspicions(votes: Votes) -> list[float]:
    """The probability that the entry is hallucinated, according to each tool."""
    return [said.confidence if said.label == "HALLUCINATED" else 1 - said.confidence for said, _ in votes]


def _vote(votes: Votes, threshold: float) -> Judgement:
    total = fsum(weight for _, weight in votes)
    against = fsum(weight * said.confidence for said, weight in votes if said.label == "HALLUCINATED")
    return _likely(against / total if total else _LIMIT, threshold)


def _surest(votes: Votes, _: float) -> Judgement:
    surest, _weight = max(votes, key=lambda vote: vote[0].confidence)
    return surest.label == "HALLUCINATED", surest.confidence


RULES: Mapping[str, Callable[[Votes, float], Judgement]] = {
    "vote": _vote,
    "vote_decided": _vote,
    "mean": lambda votes, _: _likely(fsum(_suspicions(votes)) / len(votes)),
    "max": _surest,
    "any": lambda votes, _: _likely(max(_suspicions(votes))),
}
"""Rules that judge an entry by the votes on it. The number is the threshold of a vote.

``vote``, ``vote_decided``: the confidences of HALLUCINATED, weighted, over the weights (HALLMARK). ``mean``, ``any``: the mean
and the largest of the probabilities. ``max``: the most confident tool; among equal ones, the tool named first.
"""
VOTES = frozenset({"vote", "vote_decided"})
"""The rules that take weights and a threshold."""


def ensemble(
    keys: Iterable[str], runs: Sequence[Iterable[Prediction]], rule: str, voting: Voting | None = None
) -> list[Prediction]:
    """One prediction per key, in the order of the keys.

    runs: the predictions of each tool; if a tool has several for a key, the last counts. rule: a name in `RULES`. Missing
    predictions are ignored; an entry that no tool decides is UNCERTAIN. Raises BaselineError if weights and tools differ in
    number.
    """
    voting = voting or Voting()
    weights = voting.weights or (1.0,) * len(runs)
    if len(weights) != len(runs):
        raise BaselineError(f"{len(weights)} weights for {len(runs)} tools")
    tools = [{prediction.key: prediction for prediction in run} for run in runs]
    weighted = list(zip(tools, weights, strict=True))
    given = [(key, [(tool[key], weight) for tool, weight in weighted if key in tool]) for key in keys]
    return [_decision(key, votes, rule, voting.threshold) for key, votes in given]


def _decision(key: str, given: Votes, rule: str, threshold: float) -> Prediction:
    votes = [(said, weight) for said, weight in given if said.label != "UNCERTAIN"]
    none = Prediction(key, "UNCERTAIN", reason="no tool decides", source=f"ensemble_{rule}")
    undecided = _with_costs(none, [said for said, _ in given])
    if not votes:
        return undecided
    hallucinated, confidence = RULES[rule](votes, threshold)
    suspecting = sum(said.label == "HALLUCINATED" for said, _ in votes)
    reason = f"{suspecting} of {len(votes)} deciding tools predict HALLUCINATED"
    return replace(undecided, label="HALLUCINATED" if hallucinated else "VALID", confidence=confidence, reason=reason)


_SEED = 42
_SHARE = 0.5
_RESOLVES = 0.85
_FAILS = 0.75
"""HALLMARK's confidence in an entry whose DOI resolves, and in one whose DOI does not."""
_RESOLUTION = "doi_resolves"

Decide = Callable[[Entries, Given], list[Prediction]]


@dataclass(frozen=True, slots=True)
class Baseline:
    """One baseline.

    summary: what it does, as a phrase. leaks: whether it reads gold labels; it is then a diagnostic of the split, not a
    tool. runs: the least and the most prediction files that it takes (None: any number). pooled: whether it needs a pool.
    """

    name: str
    summary: str
    decide: Decide
    leaks: bool = False
    runs: tuple[int, int | None] = (0, 0)
    pooled: bool = False

    def predict(
        self,
        entries: Entries,
        runs: Sequence[Sequence[Prediction]] = (),
        pool: Entries = (),
        voting: Voting | None = None,
    ) -> list[Prediction]:
        """One prediction per entry, in the order of the entries.

        runs: the predictions of other tools, one sequence per tool. pool: the labelled entries of other splits. voting: weights
        and threshold of a vote. Raises
        BaselineError for too few or too many runs, a pool that is missing or not used, or data that the split does not have.
        """
        least, most = self.runs
        takes = {0: "no tool", 1: "only one tool"}.get(most or 0, f"{most} tools")
        votes = self.name in {f"ensemble_{rule}" for rule in VOTES}
        for problem, applies in {
            f"needs the predictions of {least} tool{'s' if least > 1 else ''}": len(runs) < least,
            f"takes the predictions of {takes}": most is not None and len(runs) > most,
            "needs a pool with VALID entries": self.pooled and not any(entry.label == "VALID" for entry in pool),
            "takes no pool": pool and not self.pooled,
            "takes no weights and no threshold": voting is not None and not votes,
        }.items():
            if applies:
                raise BaselineError(f"{self.name} {problem}")
        return [replace(said, source=self.name) for said in self.decide(entries, Given(runs, pool, voting))]


def _judging(judge: Callable[[Entries, Given], Judged], hallucinated: float = 0.5, valid: float = 0.5) -> Decide:
    """Predictions from a judgement. hallucinated, valid: the confidence of either label."""
    return lambda entries, given: [
        _prediction(entry, one, reason, hallucinated if one else valid)
        for entry, (one, reason) in zip(entries, judge(entries, given), strict=True)
    ]


def _prediction(entry: LabelledEntry, hallucinated: bool, reason: str, confidence: float) -> Prediction:
    label: Verdict3 = "HALLUCINATED" if hallucinated else "VALID"
    return Prediction(entry.key, label, confidence=confidence, reason=reason)


def _always(hallucinated: bool) -> Decide:
    judged = hallucinated, "same prediction for every entry"
    return _judging(lambda entries, _: [judged] * len(entries), 1.0, 1.0)


def _random(entries: Entries, _: Given) -> Judged:
    draws = Random(_SEED)  # noqa: S311 - reproducible, not secret
    return [(draws.random() < _SHARE, "random prediction") for _ in entries]


def _without_doi(entries: Entries, _: Given) -> Judged:
    return [(not _has_doi(entry), f"the entry has {'a' if _has_doi(entry) else 'no'} DOI") for entry in entries]


def _has_doi(entry: LabelledEntry) -> bool:
    return bool(entry.fields.get("doi", "").strip())


def _future_year(entries: Entries, _: Given) -> Judged:
    for entry in entries:
        year = entry.fields.get("year", "").strip()
        late = year.isdecimal() and int(year) > _LAST_YEAR
        yield late, f"the year is {'' if late else 'not '}after {_LAST_YEAR}"


def _duplicate_title(entries: Entries, _: Given) -> Judged:
    titles = [_title(entry) for entry in entries]
    count = Counter(filter(None, titles))
    return [(count[title] > 1, f"{count[title]} entries of the split have this title") for title in titles]


def _doi_only(open_label: Verdict3, fails: float, resolves: float, *, prescreen: bool = False) -> Decide:
    """By whether the DOI resolves; where that is not known, the open label at .5."""

    def predicted(entry: LabelledEntry, found: bool | None) -> Prediction:
        if not _has_doi(entry):
            return Prediction(entry.key, open_label, reason="the entry has no DOI")
        if found is None:
            return Prediction(entry.key, open_label, reason="the DOI was not resolved")
        reason = f"the DOI {'resolves' if found else 'does not resolve'}"
        return replace(
            _prediction(entry, not found, reason, resolves if found else fails), subtests={_RESOLUTION: found}
        )

    def decide(entries: Entries, given: Given) -> list[Prediction]:
        found = {prediction.key: prediction.subtests.get(_RESOLUTION) for prediction in given.runs[0]}
        if all(answer is None for answer in found.values()):
            raise BaselineError(f"no prediction states whether a DOI resolves (`subtest_results.{_RESOLUTION}`)")
        said = [predicted(entry, found.get(entry.key)) for entry in entries]
        return list(map(_overridden, entries, said)) if prescreen else said

    return decide


def _overridden(entry: LabelledEntry, said: Prediction) -> Prediction:
    """The prediction, or what prescreening finds: it turns VALID into HALLUCINATED, never the other way."""
    found = prescreened(entry.fields) if said.label == "VALID" else None
    if found is None:
        return said
    confidence, reason = found
    return replace(said, label="HALLUCINATED", confidence=confidence, reason=reason, stage="prescreening")


def _gold(subtest: str) -> Decide:
    def judge(entries: Entries, _: Given) -> Judged:
        if not any(subtest in entry.subtests for entry in entries):
            raise BaselineError(f"this baseline needs `subtests.{subtest}`, which no entry of the split states")
        reason = f"diagnostic: read from the gold sub-test {subtest}"
        return [(entry.subtests.get(subtest) is False, reason) for entry in entries]

    return _judging(judge, 1.0, 1.0)


def _ensemble(rule: str) -> Decide:
    return lambda entries, given: ensemble([entry.key for entry in entries], given.runs, rule, given.voting)


def _cascade(*, aggressive: bool) -> Decide:
    return lambda entries, given: cascade([entry.key for entry in entries], *given.runs, aggressive=aggressive)


_MANY = (2, None)

# The two numbers are the confidences for HALLUCINATED and VALID in HALLMARK's own baselines.
# fmt: off
BASELINES: Mapping[str, Baseline] = {
    baseline.name: baseline
    for baseline in (
        Baseline("always_hallucinated", "calls every entry hallucinated", _always(True)),
        Baseline("always_valid", "calls every entry valid", _always(False)),
        Baseline("random", f"tosses a coin for every entry (seed {_SEED}, probability {_SHARE})", _judging(_random)),
        Baseline("doi_presence", "calls an entry hallucinated if it has no DOI", _judging(_without_doi, 0.8, 0.6)),
        Baseline("future_year", f"calls an entry hallucinated if its year is after {_LAST_YEAR}", _judging(_future_year)),
        Baseline("duplicate_title", "calls an entry hallucinated if another entry has its title", _judging(_duplicate_title)),
        Baseline("doi_only", "calls an entry hallucinated if its DOI did not resolve in a run, or prescreening finds a fault",
                 _doi_only("VALID", _FAILS, _RESOLVES, prescreen=True), runs=(1, 1)),
        Baseline("doi_only_no_prescreening", "calls an entry hallucinated if its DOI did not resolve in a run",
                 _doi_only("VALID", _FAILS, _RESOLVES), runs=(1, 1)),
        Baseline("doi_resolution", "the same, but uncertain without a DOI or without information",
                 _doi_only("UNCERTAIN", 0.5, 0.5), runs=(1, 1)),
        Baseline("title_oracle", "calls an entry hallucinated if a VALID entry of the pool has its title",
                 _judging(_known_title, 0.8, 0.5), leaks=True, pooled=True),
        Baseline("venue_oracle", "calls an entry hallucinated if its venue is not known from VALID entries of the pool",
                 _judging(_unknown_venue, 1.0, 1.0), leaks=True, pooled=True),
        Baseline("gold_title", "calls an entry hallucinated if its gold sub-test title_exists is false",
                 _gold("title_exists"), leaks=True),
        Baseline("gold_venue", "calls an entry hallucinated if its gold sub-test venue_correct is false",
                 _gold("venue_correct"), leaks=True),
        Baseline("ensemble_vote", "vote of the tools that decide, weighted by confidence", _ensemble("vote"), runs=_MANY),
        Baseline("ensemble_vote_decided", "the same", _ensemble("vote_decided"), runs=_MANY),
        Baseline("ensemble_mean", "mean probability of several tools", _ensemble("mean"), runs=_MANY),
        Baseline("ensemble_max", "the label of the most confident tool", _ensemble("max"), runs=_MANY),
        Baseline("ensemble_any", "hallucinated if any tool finds that more likely than not", _ensemble("any"), runs=_MANY),
        Baseline("cascade", "a tool, then a model for what the tool leaves open", _cascade(aggressive=False), runs=(2, 2)),
        Baseline("cascade_aggressive", "the same; what the model does not decide is hallucinated", _cascade(aggressive=True),
                 runs=(2, 2)),
    )
}
# fmt: on
"""All baselines by name."""


_OVERALL = ("detection_rate", "precision", "f1_hallucination", "tier3_f1", "uncertain_precision")
_OF_GROUPS = ("detection_rate", "false_positive_rate", "f1", "precision")
_GROUPS = ("per_tier_metrics", "per_type_metrics", "per_generation_method", "per_source_combination")


def as_published(scores: Mapping[str, Any]) -> dict[str, Any]:
    """These scores (`score`) with 0 for each rate over nothing, and the confusion of types as counts by row and column."""
    overall = (*_OVERALL, "false_positive_rate") if scores["num_valid"] else _OVERALL
    groups = {
        name: {group: _zeros(values, _OF_GROUPS) for group, values in scores[name].items()}
        for name in _GROUPS
        if name in scores
    }
    confused = scores.get("type_confusion")
    if confused:
        columns = confused["columns"]
        rows = zip(confused["rows"], confused["counts"], strict=True)
        groups["type_confusion"] = {row: dict(zip(columns, counts, strict=True)) for row, counts in rows}
    return {**_zeros(scores, overall), **groups}


def _zeros(values: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    return {**values, **{name: 0.0 for name in names if name in values and values[name] is None}}
