"""Claims as Markdown: the judges by how often they are right, a block for each, and what is not supported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_citecheck.reports.markdown.text import code, plain, table
from pytest_citecheck.reports.scores import share
from pytest_citecheck.reports.wording import Language

__all__ = ["claim_lines"]

Data = Mapping[str, Any]
Lines = list[str]
Words = Mapping[str, str]

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
    """All about claims; nothing if there are none. result: a JSON report; times only where its judges state a ``latency``."""
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


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _decimal(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
