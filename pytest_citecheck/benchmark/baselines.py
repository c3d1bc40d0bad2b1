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


Pool = Sequence[LabelledEntry]
Judged = list[tuple[bool, str]]
"""For each entry, whether it is called hallucinated, and why."""

_KNOWN_FROM = 2
"""How many VALID entries a known venue has at least. With one, a venue would be known from the very entry that is judged."""


def plain_title(entry: LabelledEntry) -> str:
    """The title in lower case, with single spaces."""
    return _plain(entry.fields.get("title", ""))


def _venue(entry: LabelledEntry) -> str:
    return _plain(entry.fields.get("booktitle", "")) or _plain(entry.fields.get("journal", ""))


def _plain(text: str) -> str:
    return " ".join(text.lower().split())


def by_title(entries: Sequence[LabelledEntry], pool: Pool) -> Judged:
    """Hallucinated if another VALID entry, by its key, has the title in the pool."""
    keys: defaultdict[str, set[str]] = defaultdict(set)
    for entry in pool:
        if entry.label == "VALID" and (title := plain_title(entry)):
            keys[title].add(entry.key)
    found = [bool(keys.get(plain_title(entry), set()) - {entry.key}) for entry in entries]
    return [(known, f"{'a' if known else 'no'} VALID entry of the pool has this title") for known in found]


def by_venue(entries: Sequence[LabelledEntry], pool: Pool) -> Judged:
    """Hallucinated if the entry names a venue that fewer than two VALID entries of the pool have."""
    count = Counter(_venue(entry) for entry in pool if entry.label == "VALID")
    found = [bool(venue := _venue(entry)) and count[venue] < _KNOWN_FROM for entry in entries]
    return [(new, f"the venue is {'not known' if new else 'known or not stated'} in the pool") for new in found]


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


@dataclass(frozen=True, slots=True)
class Voting:
    """weights: of the tools in their order; empty: all 1. threshold: an entry is hallucinated above it. For `VOTES` alone."""

    weights: tuple[float, ...] = ()
    threshold: float = _LIMIT


def ensemble(
    keys: Iterable[str], runs: Sequence[Iterable[Prediction]], rule: str, voting: Voting | None = None
) -> list[Prediction]:
    """One prediction per key, in the order of the keys.

    runs: the predictions of each tool; if a tool has several for a key, the last counts. rule: a name in `RULES`. Missing
    predictions are ignored; an entry that no tool decides is UNCERTAIN. Raises ValueError if weights and tools differ in number.
    """
    voting = voting or Voting()
    weights = voting.weights or (1.0,) * len(runs)
    if len(weights) != len(runs):
        raise ValueError(f"{len(weights)} weights for {len(runs)} tools")
    tools = [{prediction.key: prediction for prediction in run} for run in runs]
    decisions = []
    for key in keys:
        given = [(tool[key], weight) for tool, weight in zip(tools, weights, strict=True) if key in tool]
        decisions.append(_decision(key, given, rule, voting.threshold))
    return decisions


def _decision(key: str, given: Votes, rule: str, threshold: float) -> Prediction:
    votes = [(said, weight) for said, weight in given if said.label != "UNCERTAIN"]
    reason = "no tool decides"
    undecided = _with_costs(
        Prediction(key, "UNCERTAIN", reason=reason, source=f"ensemble_{rule}"), [said for said, _ in given]
    )
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
_PRESENCE = (0.8, 0.6)
_ORACLE = (0.8, 0.5)
"""HALLMARK's confidences of doi_presence and title_oracle: in HALLUCINATED, in VALID."""

Entries = Sequence[LabelledEntry]


class BaselineError(ValueError):
    """A baseline cannot be computed; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class Given:
    """Input of a baseline besides the entries. runs: the predictions of tools. pool: the entries of other splits.

    voting: of an ensemble.
    """

    runs: Sequence[Sequence[Prediction]] = ()
    pool: Pool = ()
    voting: Voting | None = None


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
        self, entries: Entries, runs: Sequence[Sequence[Prediction]] = (), pool: Pool = (), voting: Voting | None = None
    ) -> list[Prediction]:
        """One prediction per entry, in the order of the entries.

        runs: the predictions of other tools, one sequence per tool. pool: the labelled entries of other splits. voting: weights
        and threshold of a vote. Raises
        BaselineError for too few or too many runs, a pool that is missing or not used, or data that the split does not have.
        """
        least, most = self.runs
        if len(runs) < least:
            raise BaselineError(f"{self.name} needs the predictions of {least} tool{'s' if least > 1 else ''}")
        if most is not None and len(runs) > most:
            takes = {0: "no tool", 1: "only one tool"}.get(most, f"{most} tools")
            raise BaselineError(f"{self.name} takes the predictions of {takes}")
        if self.pooled and not any(entry.label == "VALID" for entry in pool):
            raise BaselineError(f"{self.name} needs a pool with VALID entries")
        if pool and not self.pooled:
            raise BaselineError(f"{self.name} takes no pool")
        if voting is not None and self.name not in {f"ensemble_{rule}" for rule in VOTES}:
            raise BaselineError(f"{self.name} takes no weights and no threshold")
        return [replace(said, source=self.name) for said in self.decide(entries, Given(runs, pool, voting))]


def _each(judge: Callable[[LabelledEntry], tuple[bool, str]], sure: tuple[float, float] = (0.5, 0.5)) -> Decide:
    """Predictions by a judgement of each entry alone: whether it is hallucinated, and why. sure: confidence of either label."""

    def decide(entries: Entries, _: Given) -> list[Prediction]:
        return [_prediction(entry, *judge(entry), sure) for entry in entries]

    return decide


def _prediction(
    entry: LabelledEntry, hallucinated: bool, reason: str, sure: tuple[float, float] = (0.5, 0.5)
) -> Prediction:
    label: Verdict3 = "HALLUCINATED" if hallucinated else "VALID"
    return Prediction(entry.key, label, confidence=sure[not hallucinated], reason=reason)


def _random(entries: Entries, _: Given) -> list[Prediction]:
    draws = Random(_SEED)  # noqa: S311 - reproducible, not secret
    return [_prediction(entry, draws.random() < _SHARE, "random prediction") for entry in entries]


def _by_presence(entry: LabelledEntry) -> tuple[bool, str]:
    return not _has_doi(entry), f"the entry has {'a' if _has_doi(entry) else 'no'} DOI"


def _has_doi(entry: LabelledEntry) -> bool:
    return bool(entry.fields.get("doi", "").strip())


def _by_year(entry: LabelledEntry) -> tuple[bool, str]:
    year = entry.fields.get("year", "").strip()
    late = year.isdecimal() and int(year) > _LAST_YEAR
    return late, f"the year is {'' if late else 'not '}after {_LAST_YEAR}"


def _duplicate_title(entries: Entries, _: Given) -> list[Prediction]:
    titles = [plain_title(entry) for entry in entries]
    count = Counter(filter(None, titles))
    return [
        _prediction(entry, count[title] > 1, f"{count[title]} entries of the split have this title")
        for entry, title in zip(entries, titles, strict=True)
    ]


def _resolved(given: Given) -> Mapping[str, bool | None]:
    """By key, whether the DOI resolves. Raises BaselineError."""
    found = {prediction.key: prediction.subtests.get("doi_resolves") for prediction in given.runs[0]}
    if all(answer is None for answer in found.values()):
        raise BaselineError("no prediction states whether a DOI resolves (`subtest_results.doi_resolves`)")
    return found


def _doi_only(open_label: Verdict3, sure: tuple[float, float], *, prescreen: bool = False) -> Decide:
    def decide(entries: Entries, given: Given) -> list[Prediction]:
        found = _resolved(given)
        said = [_by_doi(entry, found.get(entry.key), open_label, sure) for entry in entries]
        return [_overridden(*both) for both in zip(entries, said, strict=True)] if prescreen else said

    return decide


def _by_doi(entry: LabelledEntry, resolves: bool | None, open_label: Verdict3, sure: tuple[float, float]) -> Prediction:
    """By whether the DOI resolves; where that is not known, the open label at .5."""
    if not _has_doi(entry):
        return Prediction(entry.key, open_label, reason="the entry has no DOI")
    if resolves is None:
        return Prediction(entry.key, open_label, reason="the DOI was not resolved")
    said = _prediction(entry, not resolves, f"the DOI {'resolves' if resolves else 'does not resolve'}", sure)
    return replace(said, subtests={"doi_resolves": resolves})


def _overridden(entry: LabelledEntry, said: Prediction) -> Prediction:
    """The prediction, or what prescreening finds: it turns VALID into HALLUCINATED, never the other way."""
    found = prescreened(entry.fields) if said.label == "VALID" else None
    if found is None:
        return said
    confidence, reason = found
    return replace(said, label="HALLUCINATED", confidence=confidence, reason=reason, stage="prescreening")


def _oracle(judge: Callable[[Entries, Pool], list[tuple[bool, str]]], sure: tuple[float, float] = (1.0, 1.0)) -> Decide:
    def decide(entries: Entries, given: Given) -> list[Prediction]:
        judged = zip(entries, judge(entries, given.pool), strict=True)
        return [_prediction(entry, one, f"diagnostic: {reason}", sure) for entry, (one, reason) in judged]

    return decide


def _gold(subtest: str) -> Decide:
    def judge(entries: Entries, _: Pool) -> list[tuple[bool, str]]:
        if not any(subtest in entry.subtests for entry in entries):
            raise BaselineError(f"this baseline needs `subtests.{subtest}`, which no entry of the split states")
        return [(entry.subtests.get(subtest) is False, f"read from the gold sub-test {subtest}") for entry in entries]

    return _oracle(judge)


def _ensemble(rule: str) -> Decide:
    def decide(entries: Entries, given: Given) -> list[Prediction]:
        try:
            return ensemble([entry.key for entry in entries], given.runs, rule, given.voting)
        except ValueError as error:
            raise BaselineError(str(error)) from error

    return decide


def _cascade(*, aggressive: bool) -> Decide:
    return lambda entries, given: cascade([entry.key for entry in entries], *given.runs, aggressive=aggressive)


_SAME = "same prediction for every entry"
_MANY = (2, None)

# fmt: off
BASELINES: Mapping[str, Baseline] = {
    baseline.name: baseline
    for baseline in (
        Baseline("always_hallucinated", "calls every entry hallucinated", _each(lambda _: (True, _SAME), (1.0, 1.0))),
        Baseline("always_valid", "calls every entry valid", _each(lambda _: (False, _SAME), (1.0, 1.0))),
        Baseline("random", f"tosses a coin for every entry (seed {_SEED}, probability {_SHARE})", _random),
        Baseline("doi_presence", "calls an entry hallucinated if it has no DOI", _each(_by_presence, _PRESENCE)),
        Baseline("future_year", f"calls an entry hallucinated if its year is after {_LAST_YEAR}", _each(_by_year)),
        Baseline("duplicate_title", "calls an entry hallucinated if another entry has its title", _duplicate_title),
        Baseline("doi_only", "calls an entry hallucinated if its DOI did not resolve in a run, or prescreening finds a fault",
                 _doi_only("VALID", (_FAILS, _RESOLVES), prescreen=True), runs=(1, 1)),
        Baseline("doi_only_no_prescreening", "calls an entry hallucinated if its DOI did not resolve in a run",
                 _doi_only("VALID", (_FAILS, _RESOLVES)), runs=(1, 1)),
        Baseline("doi_resolution", "the same, but uncertain without a DOI or without information",
                 _doi_only("UNCERTAIN", (0.5, 0.5)), runs=(1, 1)),
        Baseline("title_oracle", "calls an entry hallucinated if a VALID entry of the pool has its title",
                 _oracle(by_title, _ORACLE),
                 leaks=True, pooled=True),
        Baseline("venue_oracle", "calls an entry hallucinated if its venue is not known from VALID entries of the pool",
                 _oracle(by_venue), leaks=True, pooled=True),
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
