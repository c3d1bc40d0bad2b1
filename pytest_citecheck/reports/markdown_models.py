"""The scores of models as Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Literal

from pytest_citecheck.checks import CODES, translation
from pytest_citecheck.evidence import source_name
from pytest_citecheck.matching import lazy_pattern, safe_line
from pytest_citecheck.reports.explanation import answer_of
from pytest_citecheck.reports.groups import (
    ARENA_SCORES,
    SCORES,
    GroupTable,
    Words,
    group_tables,
    ranked_tools,
    rate_text,
    score_text,
    scored_rows,
    share,
)
from pytest_citecheck.reports.models import (
    MODEL_RATES,
    ArenaFacts,
    Data,
    Models,
    ModelTable,
    arena_models,
    comparison_table,
    coverage_table,
    discipline_rates,
    field_table,
    rank_text,
    ranking_table,
    readings_table,
    scope_text,
    unranked_text,
    usage_table,
    without_empty,
)
from pytest_citecheck.reports.wording import LANGUAGES, TEXTS, Language

# Escaping of text from outside for Markdown (CommonMark 0.31 and GitHub's dialect), and tables.


_INLINE = str.maketrans(
    {
        **{character: f"\\{character}" for character in "\\`*[]~$#"},
        "&": "&amp;",
        "<": "&lt;",
        ">": "&gt;",
        "|": "&#124;",  # whether a backslash works depends on how a dialect splits cells
        "@": "@\u2060",  # neither a mention nor a mail address
    }
)
_UNDERSCORE = lazy_pattern(r"(?<![^\W_])_|_(?![^\W_])")  # has no meaning inside a word
_BLOCK = lazy_pattern(r"^([-+=]|\d+(?=[.)](?:\s|$)))")
_LINK = lazy_pattern(r"(?<=[a-z]):(?=//)|(?<=www)\.|(?<=mailto):|(?<=xmpp):", re.IGNORECASE)
_TICKS = lazy_pattern("`+")


def plain(value: object) -> str:
    """The value as text on one line, escaped so that it contains no markup, link or mention."""
    text = safe_line(str(value)).translate(_INLINE)
    text = _UNDERSCORE.sub(r"\\_", text)
    text = _BLOCK.sub(lambda match: f"{match[0]}\\" if match[0].isdigit() else f"\\{match[0]}", text)
    return _LINK.sub(lambda match: f"\\{match[0]}", text)


def code(value: object) -> str:
    """The value as code, so that it can be copied; as plain text if a table cell cannot contain it as code."""
    text = safe_line(str(value))
    if not text or "|" in text:
        return plain(text)
    longest = max((len(run) for run in _TICKS.findall(text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if longest else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a table and an empty line. head and rows: Markdown, one line per cell."""
    lines = [head, ["---"] * len(head), *rows]
    return [f"| {' | '.join(line)} |" for line in lines] + [""]


# Claims as Markdown: the judges by accuracy, a block for each, and unsupported claims.


Lines = list[str]

_VERDICTS = ("Supported", "Partially supported", "Not supported", "Source unavailable")
_LONGEST = 300

_EN = {
    "claims": "Claims",
    "overview": "{pairs} claims, {unfit} of them not judged; judges: {judges}.",
    "judge": "Judge",
    "answers": "Answers",
    "exact": "Exact",
    "interval": "95 % interval",
    "always": "Always one answer",
    "below": "below",
    "lenient": "Lenient",
    "binary": "Supported or not",
    "rest": "Supported against the rest",
    "macro": "Macro-F1",
    "kappa": "Kappa",
    "cost": "Cost of a right answer",
    "no_verdict": "No verdict",
    "errors": "Errors",
    "best": "Most often right: {name} ({value}).",
    "calibrated": "Best calibrated: {name} (ECE {value}).",
    "fastest": "Fastest: {name} ({value} s on average).",
    "matrix": "Label (rows) and verdict (columns)",
    "unparsed": "none",
    "quotes": "Quotes: {verified} of {offered} are in the source.",
    "flags": "Flags (partially, not supported): precision {precision}.",
    "threshold": "From a confidence of {confidence} %, {flags} flags with {wrong} wrong ones (at most {bound} at 95 %).",
    "unsupported": "Claims that a judge does not support",
    "claim": "Claim",
    "cites": "Source",
    "passage": "Passage of the source",
    "reason": "Reason",
    "all_supported": "Every judge supports every claim.",
    "Supported": "supported",
    "Partially supported": "partially supported",
    "Not supported": "not supported",
    "Source unavailable": "source unavailable",
}
_ZH = {
    "claims": "论断",
    "overview": "共 {pairs} 条论断,其中 {unfit} 条未判断;评判者:{judges}。",
    "judge": "评判者",
    "answers": "回答",
    "exact": "完全一致",
    "interval": "95 % 区间",
    "always": "固定答案",
    "below": "低于固定答案",
    "lenient": "宽松",
    "binary": "支持与否",
    "rest": "支持对其余",
    "macro": "宏平均 F1",
    "kappa": "Kappa",
    "cost": "每个正确回答的费用",
    "no_verdict": "无结论",
    "errors": "错误",
    "best": "正确率最高:{name}({value})。",
    "calibrated": "校准最好:{name}(ECE {value})。",
    "fastest": "最快:{name}(平均 {value} 秒)。",
    "matrix": "标注(行)与结论(列)",
    "unparsed": "无",
    "quotes": "引文:{offered} 条中有 {verified} 条见于来源。",
    "flags": "标记(部分支持、不支持)的精确率:{precision}。",
    "threshold": "置信度不低于 {confidence} % 时有 {flags} 个标记,其中 {wrong} 个有误(95 % 上限 {bound})。",
    "unsupported": "有评判者不支持的论断",
    "claim": "论断",
    "cites": "来源",
    "passage": "来源中的段落",
    "reason": "理由",
    "all_supported": "所有评判者都支持每条论断。",
    "Supported": "支持",
    "Partially supported": "部分支持",
    "Not supported": "不支持",
    "Source unavailable": "来源不可用",
}
_WORDS: Mapping[Language, Words] = {"en": _EN, "zh": _ZH}


def claim_lines(result: Data, language: Language) -> Lines:
    """All about claims; nothing if there are none. result: a JSON report; times only if its judges state a ``latency``."""
    claims = result.get("claims")
    if not claims:
        return []
    words = _WORDS[language]
    judges: Mapping[str, Data] = claims["judges"]
    pairs: Sequence[Data] = claims["pairs"]
    unfit = sum(bool(pair.get("not_judged")) for pair in pairs)
    named = ", ".join(map(plain, judges)) or "–"
    return [
        *(f"## {words['claims']}", ""),
        *([words["overview"].format(pairs=len(pairs), unfit=unfit, judges=named), ""] if pairs else []),
        *_ranking(judges, words),
        *_superlatives(judges, words),
        *(line for name, scores in judges.items() for line in _block(name, scores, words)),
        *(_unsupported(pairs, words) if pairs else []),
    ]


def _ranking(judges: Mapping[str, Data], words: Words) -> Lines:
    ranked = sorted(judges.items(), key=lambda one: -(one[1]["exact"]["value"] or 0.0))
    names = ("judge", "answers", "exact", "interval", "always", "lenient", "binary", "rest", "macro", "kappa", "cost")
    rows = []
    for name, scores in ranked:
        exact = scores["exact"]
        low, high = exact["interval"] or (None, None)
        mark = f" ({words['below']})" if exact["belowMajority"] else ""
        dollars = scores["cost"]["perCorrect"]
        rows.append(
            [
                plain(name),
                str(scores["answered"]),
                f"{exact['correct']}/{exact['n']} = {share(exact['value'])}{mark}",
                "–" if low is None else f"{share(low)} – {share(high)}",
                share(exact["majority"]),
                *(share(scores[rule]["value"]) for rule in ("lenient", "binary", "supportedVsRest")),
                *(_decimal(scores[key]) for key in ("macroF1", "kappa")),
                "–" if dollars is None else f"\\${dollars:.4f}",
                str(scores["parseErrors"]),
                str(scores["errors"]),
            ]
        )
    return table([words[name] for name in (*names, "no_verdict", "errors")], rows) if rows else []


def _superlatives(judges: Mapping[str, Data], words: Words) -> Lines:
    """The judge that is right most often, the best calibrated one, and the fastest."""
    figures = (
        ("best", {name: -(one["exact"]["value"] or 0.0) for name, one in judges.items() if one["exact"]["n"]}),
        ("calibrated", {name: one["calibration"]["ece"] for name, one in judges.items()}),
        ("fastest", {name: (one.get("latency") or {}).get("avg") for name, one in judges.items()}),
    )
    lines: Lines = []
    for what, values in figures:
        known = {name: value for name, value in values.items() if value is not None}
        if len(known) > 1:
            name = min(known, key=lambda one: known[one])
            value = known[name]
            shown = share(-value) if what == "best" else _decimal(value / 1000 if what == "fastest" else value)
            lines.append(f"- {words[what].format(name=plain(name), value=shown)}")
    return [*lines, ""] if lines else []


def _block(name: str, scores: Data, words: Words) -> Lines:
    if not scores["answered"]:
        return []
    matrix = scores["confusionMatrix"]
    said = [*_VERDICTS, "PARSE_ERROR"]
    rows = [[words[truth], *(str(matrix[truth][one]) for one in said)] for truth in _VERDICTS]
    head = [words["matrix"], *(words.get(one, words["unparsed"]) for one in said)]
    quotes, flags = scores["quotes"], scores["flags"]
    lines = (
        [words["quotes"].format(verified=quotes["verified"], offered=quotes["offered"])] if quotes["offered"] else []
    )
    if flags["predicted"]:
        lines.append(words["flags"].format(precision=share(flags["precision"])))
    if flags.get("threshold"):
        found = flags["threshold"]
        lines.append(words["threshold"].format(**{**found, "bound": share(found["bound"])}))
    return [f"### {plain(name)}", "", *table(head, rows), *(f"- {line}" for line in lines), *([""] if lines else [])]


def _unsupported(pairs: Sequence[Data], words: Words) -> Lines:
    rows = [
        [
            f"{code(pair['id'])} {code('{path}:{line}'.format_map(pair))}",
            plain(_cut(pair["claim"])),
            plain(pair.get("cites") or ""),
            plain(answer["judge"]),
            words.get(answer["verdict"], plain(answer["verdict"])),
            plain(_cut("".join(answer["passage"][1:2]))) or "–",
            plain(_cut(answer["comments"])),
        ]
        for pair in pairs
        for answer in pair["answers"]
        if answer["verdict"] in ("Partially supported", "Not supported") and not answer["error"]
    ]
    head = ["", words["claim"], words["cites"], words["judge"], "", words["passage"], words["reason"]]
    return [f"### {words['unsupported']}", "", *(table(head, rows) if rows else [words["all_supported"], ""])]


def _cut(text: str, longest: int = _LONGEST) -> str:
    return text if len(text) <= longest else f"{text[:longest]}…"


def _decimal(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


# Self-checks as Markdown: a table of references and methods, and the answers of models that disagree.


_SELFCHECKS_WORDS: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "title": "Self-checks",
        "note": "Agreement of models with themselves about references. Self-checks are not proof. Lowest scores "
        "first; bold scores are not above their threshold ({thresholds}).",
        "reference": "Reference",
        "model": "Model",
        "not_asked": "Not queried: {count}",
    },
    "zh": {
        "title": "模型自检",
        "note": "模型对参考文献的回答在多大程度上自相一致:这是语言模型的自检,并非证明。"
        "得分最低者在前;粗体得分未超过阈值({thresholds})。",
        "reference": "参考文献",
        "model": "模型",
        "not_asked": "未提问:{count}",
    },
}


def selfcheck_lines(result: Data, language: Language) -> Lines:
    """All about self-checks; nothing if there are none. result: a JSON report."""
    selfcheck = result.get("selfcheck")
    if not selfcheck:
        return []
    words = _SELFCHECKS_WORDS[language]
    methods: Sequence[str] = selfcheck["methods"]
    references: Sequence[Data] = selfcheck["references"]
    asked = [one for one in references if any(score["score"] is not None for score in one["scores"].values())]
    asked.sort(key=lambda one: min(score["score"] for score in one["scores"].values() if score["score"] is not None))
    bounds = {name: score["threshold"] for one in asked for name, score in one["scores"].items()}
    thresholds = ", ".join(f"{plain(name)} {bounds[name]:.3f}" for name in methods if bounds.get(name) is not None)
    rows = [
        [code(one["id"]), plain(", ".join(one["models"])), *(_score(one["scores"].get(name)) for name in methods)]
        for one in asked
    ]
    lines = [f"## {words['title']}", "", words["note"].format(thresholds=thresholds or "–"), ""]
    if rows:
        lines += table([words["reference"], words["model"], *map(plain, methods)], rows)
    left = len(references) - len(asked)
    return [*lines, *([words["not_asked"].format(count=left), ""] if left else [])]


def _score(score: Data | None) -> str:
    if score is None or score["score"] is None:
        return "–"
    return f"**{score['score']:.3f}**" if score["low"] else f"{score['score']:.3f}"


# The scores of tools as Markdown, and tables of scores.


def tool_lines(result: Data, words: Words) -> Lines:
    """The scores of the run and of other tools against labels, in total and by group. result: a JSON report as data."""
    tools = [(plain(tool.get("tool_name") or "pytest-citecheck"), tool) for tool in ranked_tools(result)]
    if not tools:
        return []
    alone = len(tools) == 1
    heading, note = (words["scores"], []) if alone else (words["ranking"], [words["ranking_note"], ""])
    lines = [f"## {heading}", "", *note]
    lines += score_table(words["tool"], SCORES, tools, words, ranked=not alone)
    lines += _titled("readings", "", readings_table(tools, words, str, str), words, shown=str)
    for group in group_tables(tools):
        lines += _scores_groups(group, words, alone=alone)
    return lines


def score_table(
    first: str, names: Sequence[str], tools: Sequence[tuple[str, Data]], words: Words, *, ranked: bool
) -> Lines:
    """One row per tool, best first, with the best value of each column in bold. Empty columns are omitted."""
    shown, scores = scored_rows(names, tools, words, lambda score, is_best: f"**{score}**" if is_best else score)
    rows = [
        [*([plain(rank_text(tool, rank))] if ranked else []), name, *cells]
        for rank, ((name, tool), cells) in enumerate(zip(tools, scores, strict=True), start=1)
    ]
    head = [words["rank"], first] if ranked else [first]
    return table([*head, *(words[name] for name in shown)], rows)


def _scores_groups(group: GroupTable, words: Words, *, alone: bool) -> Lines:
    rows = [
        [
            words["tier"].format(tier=name) if group.title == "per_tier" and name.isdigit() else plain(name),
            *(rate_text(rate, words) for rate in rates),
        ]
        for name, rates in group.rows.items()
    ]
    head = [words[group.first], *group.heads(words, str, alone=alone)]
    note = [words["null_note"], ""] if group.title == "subtests" else []
    return [f"### {words[group.title]}", "", *note, *table(head, rows)]


_PATTERNS = 8  # of a model
_LONGEST_TITLE = 100


def model_lines(result: Data, words: Words, language: Language) -> Lines:
    """Models: ranking, delivered references, fields, the Arena's scores and rankings, disciplines and languages,
    comparisons, cost of the answers, errors with cases, sources."""
    named = list(arena_models(result).items())
    models = [(plain(name), scores) for name, scores in named]
    if not models:
        return []
    arena = result.get("arena") or {}
    rate = partial(rate_text, words=words)
    return [
        *(f"## {words['arena_ranking']}", "", words["arena_note"], ""),
        *((plain(scope), "") if (scope := scope_text(arena, words)) else ()),
        *table(*ranking_table(named, words, rate, plain)),
        *((plain(left), "") if (left := unranked_text(arena, words)) else ()),
        *_titled("delivery", "coverage_note", coverage_table(named, words), words),
        *_titled("per_field", "", field_table(named, words, rate, plain), words, shown=str),
        *(f"### {words['arena_scores']}", ""),
        *score_table(words["model"], ARENA_SCORES, models, words, ranked=len(models) > 1),
        *_profiles(arena, words),
        *_groups(models, "by_discipline", "discipline", words),
        *_groups(models, "by_language", "language", words),
        *(_groups(models, "by_sample", "sample", words) if _has_samples(models) else ()),
        *_titled("comparisons", "comparisons_note", comparison_table(arena, words), words),
        *_titled("usage", "", usage_table(named, words), words),
        *_patterns(models, result, words, language),
        *_verified_by_source(models, words),
    ]


def _has_samples(models: Models) -> bool:
    return any(len(scores.get("by_sample") or {}) > 1 for _, scores in models)


def _titled(title: str, note: str, content: ModelTable, words: Words, shown: Callable[[object], str] = plain) -> Lines:
    """A table under its heading, with a note; nothing without rows."""
    head, rows = content
    said = [words[note], ""] if note else []
    return [f"### {words[title]}", "", *said, *table(head, [list(map(shown, row)) for row in rows])] if rows else []


def _profiles(arena: Data, words: Words) -> Lines:
    """The rankings under the Arena's own rules, from the same evidence."""
    lines: Lines = []
    for profile in ("strict", "lenient"):
        theirs = arena_models({"arena": arena.get(profile)})
        models = [(plain(name), scores) for name, scores in theirs.items()]
        if models:
            names = [name for name in ARENA_SCORES if name != "venue_accuracy"]
            lines += [f"### {words[f'{profile}_ranking']}", "", words[f"{profile}_note"], ""]
            lines += score_table(words["model"], names, models, words, ranked=True)
    return lines


def _patterns(models: Models, result: Data, words: Words, language: Language) -> Lines:
    """Error patterns of each model, most frequent first, with cases."""
    known = {str(one.get("id")): one for one in result.get("references") or ()}
    lines: Lines = []
    for name, scores in models:
        rows = []
        for pattern in (scores.get("patterns") or ())[:_PATTERNS]:
            named = str(pattern.get("code", ""))
            meaning = translation("unverifiable", named) if language == "zh" else CODES.get(named, "")
            cases = [_case(known[one], words) for one in pattern.get("cases") or () if one in known]
            shown = share(pattern.get("share"))
            rows.append([code(named), plain(meaning), plain(pattern.get("count", "–")), shown, "<br>".join(cases)])
        if rows:
            head = [words[one] for one in ("finding", "meaning", "count", "share", "cases")]
            lines += [f"#### {name}", "", *table(head, rows)]
    return [f"### {words['patterns']}", "", *lines] if lines else []


def _case(reference: Data, words: Words) -> str:
    """The reference that a model gave, and to which query."""
    answer = answer_of(reference)
    query = f"{words['query'].format(query=plain(answer[1]))}: " if answer else ""
    shown = _cut(str(reference.get("title") or ""), _LONGEST_TITLE)
    return f"{query}{code(reference.get('key') or '–')} {plain(shown)}".rstrip()


def _groups(models: Models, field: str, title: str, words: Words) -> Lines:
    """A table for each discipline, language or sample."""
    lines: Lines = []
    for group in sorted({group for _, scores in models for group in scores.get(field) or {}}):
        rows = []
        for name, scores in models:
            part = (scores.get(field) or {}).get(group)
            if part:
                counts = (plain(part.get(count, "–")) for count in ("total_refs", "errors"))
                rates = (rate_text(rate, words) for rate in discipline_rates(part).values())
                rows.append([name, *counts, *rates, score_text(without_empty(part), "avg_confidence", words)])
        head = [words[name] for name in ("model", "total_refs", "not_checked", *MODEL_RATES[:2], "avg_confidence")]
        lines += [f"### {words[title].format(**{title: _group_name(group, words)})}", "", *table(head, rows)]
    return lines


def _group_name(group: str, words: Words) -> str:
    return words.get(f"group_{group}", plain(group))


def _verified_by_source(models: Models, words: Words) -> Lines:
    sources = sorted({source for _, scores in models for source in scores.get("verified_by_source") or {}})
    if not sources:
        return []
    rows = [
        [name, *(plain((scores.get("verified_by_source") or {}).get(source, 0)) for source in sources)]
        for name, scores in models
    ]
    head = [words["model"], *(plain(source_name(source)) for source in sources)]
    return [f"### {words['verified_by_source']}", "", *table(head, rows)]


# The report of an arena: its queries, the scores of its models, and cases of each.


_LONGEST_QUERY = 80
_VERIFIED = ("verified",)
_INVENTED = ("fabricated", "unfindable")


def arena_page(result: Data, facts: ArenaFacts, language: Language | Literal["both"] = "en") -> str:
    """The report; ``both`` means English, then Chinese. result: the JSON report as data (docs/json-report.md)."""
    chosen: Sequence[Language] = LANGUAGES if language == "both" else (language,)
    return "\n---\n\n".join("\n".join(_page(result, facts, one)) for one in chosen)


def _page(result: Data, facts: ArenaFacts, language: Language) -> Lines:
    words = TEXTS[language]
    size = words["dataset_size"].format(asked=len(facts.queries), in_file=facts.in_file, path=code(facts.dataset))
    rows = [
        [plain(one.name), code(one.model), words["with_search" if one.search else "without_search"]]
        for one in facts.endpoints
    ]
    return [
        *(f"# {plain(facts.task)}", ""),
        *([f"{words['scenario']}: {plain(facts.scenario)}", ""] if facts.scenario else []),
        *(f"{words['dataset']}: {size}", ""),
        *(f"## {words['endpoints']}", ""),
        *table([words[name] for name in ("endpoint", "served", "search")], rows),
        *model_lines(result, words, language),
        *_examples(result, facts, words),
        *(words["version"].format(version=plain(result.get("version") or "")), ""),
    ]


def _examples(result: Data, facts: ArenaFacts, words: Words) -> Lines:
    """For each model and some queries, a real reference and one that no source has."""
    by_model: dict[str, dict[str, list[Data]]] = {}
    for reference in result.get("references") or ():
        answer = answer_of(reference)
        if answer is not None and reference.get("verdict"):
            by_model.setdefault(answer[0], {}).setdefault(answer[1].partition("~")[0], []).append(reference)
    lines: Lines = []
    for model in arena_models(result):
        rows = []
        answers = by_model.get(model) or {}
        # First the queries that show both.
        ordered = sorted(answers, key=lambda query: -len(_pair(answers[query])))
        for query in ordered[: facts.examples]:
            shown = _cut(facts.queries.get(query, ""), _LONGEST_QUERY)
            for kind, reference in _pair(answers[query]).items():
                rows.append(
                    [plain(shown), words[kind], code(reference.get("key") or "–"), plain(reference.get("title") or "–")]
                )
        if rows:
            head = [words[name] for name in ("dataset", "verdict", "reference", "check_title")]
            lines += [f"### {plain(model)}", "", *table(head, rows)]
    return [f"## {words['examples']}", "", *lines] if lines else []


def _pair(references: Iterable[Data]) -> dict[str, Data]:
    kinds = (("a_verified", _VERIFIED), ("an_invented", _INVENTED))
    found = {}
    for kind, verdicts in kinds:
        of_kind = [one for one in references if (one.get("verdict") or {}).get("name") in verdicts]
        if of_kind:
            found[kind] = of_kind[0]
    return found
