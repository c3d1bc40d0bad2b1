"""Scores of tools and models as sections of a report, and the report of an arena. docs/reports.md lists what they contain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Literal

from pytest_citecheck.benchmark import score_values as values
from pytest_citecheck.benchmark.score_values import GroupTable, Named, Scores
from pytest_citecheck.checks import CODES, translation
from pytest_citecheck.evidence import source_name
from pytest_citecheck.reports import (
    LANGUAGES,
    NONE,
    Block,
    Figure,
    Group,
    Inline,
    Language,
    Note,
    Rate,
    Row,
    Section,
    Span,
    Table,
    Words,
    answer_of,
    as_text,
    curve,
    joined,
    markdown_lines,
    number,
    rate_cell,
    reliability,
    share,
    whole,
    with_interval,
    written,
)


def score_sections(result: Scores, language: Language = "en") -> Iterator[Section]:
    """The scores of the run and of other tools against labels, then those of models. result: a JSON report as data."""
    words = values.texts(language)
    tools = [(str(tool.get("tool_name") or "pytest-citecheck"), tool) for tool in values.ranked_tools(result)]
    several, metrics = len(tools) > 1, values.defined(result.get("metrics") or {})
    blocks: list[Block] = [
        Note(words["ranking_note"] if several else ""),
        Group([Figure(svg) for svg in _curves(metrics, words)]),
        _counts(tools, words),
        _score_table("", "tool", values.SCORES, tools, words, ranked=several),
        _readings(tools, words),
        Group([_group_table(group, words, several=several) for group in values.group_tables(tools)]),
        _confusion(metrics, words),
    ]
    yield Section(words["ranking" if several else "scores"], blocks, "scores")
    answer = _invention(result.get("arena") or {}, words)
    yield Section(words["arena_ranking"], list(_models(result, words, language)), "scores models", answer)


def _head(words: Words, *names: str) -> list[str]:
    return [words[name] for name in names]


def _counts(tools: Named, words: Words) -> Table:
    totals, cells = ("num_entries", "num_hallucinated", "num_valid"), ("tp", "fp", "tn", "fn", "uncertain", "missing")
    rows: list[Row] = [
        [name, *(_count({**scores, **scores["counts"]}.get(key)) for key in (*totals, *cells))]
        for name, scores in tools
        if isinstance(scores.get("counts"), Mapping)
    ]
    head = [
        *_head(words, "tool", "total_refs", "hallucinated", "valid"),
        *(words.get(key, key.upper()) for key in cells),
    ]
    return Table("", head, rows, brief=True)


def _score_table(
    caption: str, first: str, names: Sequence[str], tools: Named, words: Words, note: str = "", *, ranked: bool
) -> Table:
    """One row per tool, with the best value of each column in bold."""
    tops = {name: values.best_rows([scores for _, scores in tools], name) for name in names}
    rows: list[Row] = []
    for place, (tool, scores) in enumerate(tools):
        cells = {name: values.score_cell(scores, name, words) for name in names}
        shown = [_strong(cell) if place in tops[name] else cell for name, cell in cells.items()]
        rows.append([tool, *([_rank(scores, place + 1)] if ranked else []), *shown])
    return Table(caption, _head(words, first, *(["rank"] if ranked else []), *names), rows, note, brief=True)


def _strong(cell: Inline) -> Inline:
    return [_strong(cell[0]), *cell[1:]] if isinstance(cell, list) else Span(as_text(cell), "strong")


def _rank(scores: Scores, place: int) -> str:
    """The rank that the scores state, else the place; a dash for a model without a rank."""
    rank = scores.get("rank", place)
    return NONE if rank is None else str(rank)


def _readings(tools: Named, words: Words) -> Table:
    """The scores with undecided references excluded, counted as valid, and counted as hallucinated."""
    rows: list[Row] = [
        [name, words[reading], *(values.score_cell(scores, score, words) for score in values.READING_SCORES)]
        for name, tool in tools
        for reading, scores in values.readings_of(tool)
    ]
    head = _head(words, "tool", "undecided_ones", *values.READING_SCORES)
    return Table(words["readings"], head, rows, brief=True)


_BRIEF = ("per_kind", "per_type", "subtests")


def _group_table(group: GroupTable, words: Words, *, several: bool) -> Table:
    rows: list[Row] = [
        [
            words["tier"].format(tier=name) if group.title == "per_tier" and name.isdigit() else name,
            *(rate_cell(rate, words) for rate in rates),
        ]
        for name, rates in group.rows.items()
    ]
    # The head names the tool if there are several, and the rate if a tool has several rates.
    heads = [
        ", ".join(filter(None, (tool if several or not kind else "", kind and words[kind])))
        for tool, kind in group.columns
    ]
    note = words["null_note"] if group.title == "subtests" else ""
    return Table(words[group.title], [words[group.first], *heads], rows, note, brief=group.title in _BRIEF)


def _curves(metrics: Scores, words: Words) -> Iterator[str]:
    def named(name: str, score: str) -> str:
        known = number(metrics.get(score)) is not None
        return f"{name}, {words[score]} {as_text(values.score_cell(metrics, score, words))}" if known else name

    bins = [part for part in metrics.get("reliability") or () if isinstance(part, Mapping) and part.get("count")]
    if bins:
        yield reliability(
            f"{named('Reliability', 'ece_tie_safe')}; numbers: predictions", ("confidence", "accuracy"), bins
        )
    for key, name, axes, keys, diagonal in (
        ("risk_coverage", "Risk and coverage", ("coverage", "risk"), ("coverage", "risk"), False),
        ("roc", named("ROC", "auroc"), ("false positive rate", "true positive rate"), None, True),
        ("pr", named("Precision and recall", "auprc"), ("recall", "precision"), None, False),
    ):
        if points := values.points_of(metrics.get(key), keys):
            yield curve(name, axes, points, diagonal=diagonal)


_NO_TYPE = frozenset({"VALID", "UNCERTAIN", "HALLUCINATED_unknown"})


def _confusion(metrics: Scores, words: Words) -> Table:
    """The predicted hallucination types by labelled type, without empty rows and columns; empty if no type is predicted."""
    confusion = metrics.get("type_confusion") or {}
    rows, columns, counts = (confusion.get(key) or [] for key in ("rows", "columns", "counts"))
    filled = [place for place in range(len(columns)) if any(place < len(line) and line[place] for line in counts)]
    lines: list[Row] = [
        [str(name), *(str(line[place]) for place in filled)]
        for name, line in zip(rows, counts, strict=False)
        if any(line)
    ]
    named = any(columns[place] not in _NO_TYPE for place in filled)
    return Table(words["confusion"], ["", *(str(columns[place]) for place in filled)], lines if named else [])


_COVERAGE = ("answers", "failed_calls", "refusals", "cut_off", "not_asked", "duplicates", "requested")
_USAGE = ("calls", "prompt_tokens", "completion_tokens", "searches", "iterations", "fallbacks", "unpriced")
_PATTERNS = 8  # of a model
_LONGEST_TITLE, _LONGEST_QUERY = 100, 80


def _models(result: Scores, words: Words, language: Language) -> Iterator[Block]:
    """Ranking, delivered references, fields, the Arena's scores and rankings, groups, comparisons, cost, errors, sources."""
    arena, models = result.get("arena") or {}, list(values.arena_models(result).items())
    if not models:
        return
    left = [str(row.get("model")) for row in arena.get("rankings") or () if "rank" in row and row["rank"] is None]
    unranked = words["unranked"].format(models=", ".join(left), least=share(arena.get("least_coverage")))
    yield Note(words["arena_note"])
    yield Note(values.scope_text(arena, words), brief=True)
    yield _ranking(models, words)
    yield Note(unranked if left else "", "warning", brief=True)
    yield _delivery(models, words)
    yield _fields(models, words)
    yield _score_table(words["arena_scores"], "model", values.ARENA_SCORES, models, words, ranked=len(models) > 1)
    for profile in ("strict", "lenient"):
        ranked = list(values.arena_models({"arena": arena.get(profile)}).items())
        caption, note = words[f"{profile}_ranking"], words[f"{profile}_note"]
        yield _score_table(caption, "model", values.ARENA_SCORES, ranked, words, note, ranked=True)
    for key in ("discipline", "language", "sample"):
        yield _parts(key, models, words)
    yield _comparisons(arena, words)
    yield _usage(models, words)
    yield _patterns(models, result, words, language)
    yield _by_source(models, words)


def _invention(arena: Scores, words: Words) -> str:
    """Answer which model invents references, in one line, most first; empty without models. A range allows for unchecked ones."""
    found = []
    for scores in arena.get("rankings") or ():
        total = whole(scores.get("total_refs")) or 0
        checked, rate = total - (whole(scores.get("errors")) or 0), scores.get("hallucination_rate")
        bounds = values.bounds_of(scores, "hallucination_rate")
        limits = words["invents_limits"].format(low=share(bounds[0]), high=share(bounds[1])) if bounds else ""
        kind, place = ("rate", number(rate) or 0.0) if checked else ("unknown", -0.5) if total else ("none", -1.0)
        stated = {
            "name": scores.get("model"),
            "total": total,
            "checked": checked,
            "rate": share(rate),
            "limits": limits,
        }
        found.append((place, words[f"invents_{kind}"].format(**stated)))
    ordered = sorted(found, key=lambda said: -said[0])
    return " ".join([words["invents"], *(said for _, said in ordered)]) if found else ""


def _ranking(models: Named, words: Words) -> Table:
    """The rates of each model."""
    rows: list[Row] = [
        [
            name,
            _rank(scores, place),
            *(str(scores.get(count, NONE)) for count in ("total_refs", "errors")),
            *(rate_cell(rate, words) for rate in values.model_rates(scores).values()),
        ]
        for place, (name, scores) in enumerate(models, 1)
    ]
    return Table("", _head(words, "model", "rank", "total_refs", "not_checked", *values.MODEL_RATES), rows, brief=True)


def _fields(models: Named, words: Words) -> Table:
    """The accuracy of each field of each model; empty if no file states any."""
    rates = [(name, values.field_rates(scores)) for name, scores in models]
    rows: list[Row] = [
        [name, *(rate_cell(stated.get(field, Rate()), words) for field in values.FIELDS)] for name, stated in rates
    ]
    head = _head(words, "model", *(f"{field}_accuracy" for field in values.FIELDS))
    return Table(words["per_field"], head, rows if any(stated for _, stated in rates) else [], brief=True)


def _delivery(models: Named, words: Words) -> Table:
    """Delivered share of the requested references: failed calls, refusals and repeated references count as missing."""
    rows: list[Row] = []
    for name, scores in models:
        if whole(scores.get("answers")) is not None:
            counts = {**scores, "cut_off": (scores.get("usage") or {}).get("cut_off", 0)}
            verified = share(scores.get("verified_of_requested"))
            rows.append([name, *(_count(counts.get(key)) for key in (*_COVERAGE, "delivered")), verified])
    head = _head(words, "model", *_COVERAGE, "delivered_refs", "verified_of_requested")
    return Table(words["delivery"], head, rows, words["coverage_note"], brief=True)


def _parts(key: str, models: Named, words: Words) -> Table:
    """The rates of each model in each discipline, language or sample; empty for a single sample."""
    rows: list[Row] = []
    groups = sorted({group for _, scores in models for group in scores.get(f"by_{key}") or {}})
    for group in groups if key != "sample" or len(groups) > 1 else ():
        for name, scores in models:
            if part := (scores.get(f"by_{key}") or {}).get(group):
                counts = (str(part.get(count, NONE)) for count in ("total_refs", "errors"))
                rates = (rate_cell(rate, words) for rate in values.discipline_rates(part).values())
                confidence = values.score_cell(values.without_empty(part), "avg_confidence", words)
                rows.append([words.get(f"group_{group}", group), name, *counts, *rates, confidence])
    head = _head(words, key, "model", "total_refs", "not_checked", *values.MODEL_RATES[:2], "avg_confidence")
    return Table(words[f"per_{key}"], head, rows)


def _comparisons(arena: Scores, words: Words) -> Table:
    """Each two models with queries in common."""
    rows: list[Row] = [
        [
            f"{pair.get('first', '')} – {pair.get('second', '')}",
            words["kind_tool"] if pair.get("kind") == "tool" else words["kind_models"],
            _count(pair.get("queries")),
            with_interval(share(pair.get("difference")), pair.get("interval"), share),
            " / ".join(_count(pair.get(name)) for name in ("better", "equal", "worse", "undecided")),
            *(written(pair.get(name), "{:.4f}") for name in ("p_value", "p_adjusted")),
            str(pair.get("winner") or NONE),
        ]
        for pair in arena.get("comparisons") or ()
        if isinstance(pair, Mapping)
    ]
    head = _head(words, "pair", "kind", "queries", "difference", "better_worse", "p_value", "p_adjusted", "winner")
    return Table(words["comparisons"], head, rows, words["comparisons_note"], brief=True)


def _usage(models: Named, words: Words) -> Table:
    """Tokens, searches and money of each model of which an answer states some."""
    rows: list[Row] = []
    for name, scores in models:
        usage = scores.get("usage") or {}
        if any(usage.get(key) for key in ("prompt_tokens", "completion_tokens", "searches", "cost")):
            money = (written(usage.get("cost"), "${:.4f}"), values.cost_text(scores))
            rows.append([name, *(_count(usage.get(key)) for key in _USAGE), *money])
    return Table(words["usage"], _head(words, "model", *_USAGE, "cost", "cost_per_verified"), rows, brief=True)


def _count(value: object) -> str:
    given = whole(value)
    return NONE if given is None else f"{given:,}"


def _patterns(models: Named, result: Scores, words: Words, language: Language) -> Table:
    """Error patterns of each model, most frequent first, with cases."""
    known = {str(reference.get("id")): reference for reference in result.get("references") or ()}
    rows: list[Row] = []
    for name, scores in models:
        for pattern in (scores.get("patterns") or ())[:_PATTERNS]:
            named = str(pattern.get("code", ""))
            meaning = translation("unverifiable", named) if language == "zh" else CODES.get(named, "")
            cases = [_case(known[case], words) for case in pattern.get("cases") or () if case in known]
            count, part = str(pattern.get("count", NONE)), share(pattern.get("share"))
            rows.append([name, Span(named, "code"), meaning, count, part, joined(cases, Span("", "break"))])
    return Table(words["patterns"], _head(words, "model", "finding", "meaning", "count", "share", "cases"), rows)


def _case(reference: Scores, words: Words) -> Inline:
    """The reference that a model gave, and to which query."""
    answer = answer_of(reference)
    query = f"{words['query'].format(query=answer[1])}: " if answer else ""
    title = _cut(str(reference.get("title") or ""), _LONGEST_TITLE)
    return [query, Span(reference.get("key") or NONE, "code"), title and f" {title}"]


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]}…"


def _by_source(models: Named, words: Words) -> Table:
    parts = [scores.get("verified_by_source") or {} for _, scores in models]
    sources = sorted(set(chain.from_iterable(parts)))
    rows: list[Row] = [
        [name, *(str(part.get(source, 0)) for source in sources)] for (name, _), part in zip(models, parts, strict=True)
    ]
    return Table(words["verified_by_source"], [words["model"], *map(source_name, sources)], rows if sources else [])


@dataclass(frozen=True, slots=True)
class AskedEndpoint:
    """One endpoint: its name, the model behind it, whether it could search."""

    name: str
    model: str
    search: bool


@dataclass(frozen=True, slots=True)
class ArenaFacts:
    """task, scenario: from the configuration. dataset: file of the queries; in_file: number of its queries.

    queries: text by number, for this run. examples: maximum number of cases for each model.
    """

    task: str
    scenario: str
    dataset: str
    in_file: int
    endpoints: tuple[AskedEndpoint, ...]
    queries: Mapping[str, str] = field(default_factory=dict)
    examples: int = 3


def arena_page(result: Scores, facts: ArenaFacts, language: Language | Literal["both"] = "en") -> str:
    """The report; ``both`` means English, then Chinese. result: the JSON report as data (docs/json-report.md)."""
    chosen: Sequence[Language] = LANGUAGES if language == "both" else (language,)
    return "\n---\n\n".join("\n".join(markdown_lines([_arena_section(result, facts, spoken)], 1)) for spoken in chosen)


def _arena_section(result: Scores, facts: ArenaFacts, language: Language) -> Section:
    words = values.texts(language)
    size = words["dataset_size"].format(asked=len(facts.queries), in_file=facts.in_file, path="\0").partition("\0")
    rows: list[Row] = [
        [endpoint.name, Span(endpoint.model, "code"), words["with_search" if endpoint.search else "without_search"]]
        for endpoint in facts.endpoints
    ]
    head = _head(words, "model", "dataset", "verdict", "reference", "check_title")
    blocks: list[Block] = [
        Note(f"{words['scenario']}: {facts.scenario}" if facts.scenario else ""),
        Note([f"{words['dataset']}: {size[0]}", Span(facts.dataset, "code"), size[2]]),
        Table(words["endpoints"], _head(words, "endpoint", "served", "search"), rows),
        Section(
            words["arena_ranking"],
            list(_models(result, words, language)),
            answer=_invention(result.get("arena") or {}, words),
        ),
        Table(words["examples"], head, list(_examples(result, facts, words))),
        Note(words["version"].format(version=result.get("version") or "")),
    ]
    return Section(facts.task, blocks)


_KINDS = {"a_verified": ("verified",), "an_invented": ("fabricated", "unfindable")}


def _examples(result: Scores, facts: ArenaFacts, words: Words) -> Iterator[Row]:
    """For each model and some queries, a real reference and one that no source has."""
    found: dict[str, dict[str, dict[str, Mapping[str, Any]]]] = {}
    for reference in result.get("references") or ():
        answer, verdict = answer_of(reference), (reference.get("verdict") or {}).get("name")
        if answer is not None and verdict:
            cases = found.setdefault(answer[0], {}).setdefault(answer[1].partition("~")[0], {})
            for kind in (kind for kind, verdicts in _KINDS.items() if verdict in verdicts):
                cases.setdefault(kind, reference)
    for model in values.arena_models(result):
        # First the queries that show both.
        ordered = sorted((found.get(model) or {}).items(), key=lambda item: -len(item[1]))
        for query, cases in ordered[: facts.examples]:
            for kind in (kind for kind in _KINDS if kind in cases):
                key, title = (cases[kind].get(name) or NONE for name in ("key", "title"))
                yield [model, _cut(facts.queries.get(query, ""), _LONGEST_QUERY), words[kind], Span(key, "code"), title]
