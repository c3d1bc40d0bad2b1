"""The files of the Reference Hallucination Arena, by their names, at the end of a run.

Lists and objects are in the order of the queries of the run; missing values are null or empty, so positions are stable.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_citecheck.atomic_write import write_whole
from pytest_citecheck.benchmark import ArenaFacts, AskedEndpoint, StrictResult, ratio
from pytest_citecheck.checks import CHECKS
from pytest_citecheck.confinement import within
from pytest_citecheck.inputs import cited_metadata
from pytest_citecheck.models import best_answers, of_arena, read_log

if TYPE_CHECKING:
    from pytest_citecheck.inputs import AnswerGroup
    from pytest_citecheck.model import Reference
    from pytest_citecheck.models.arena.arena_items import Arena
    from pytest_citecheck.models.arena.configuration import ArenaQuery
    from pytest_citecheck.plugin import CitecheckSession
    from pytest_citecheck.reports import Language

_STRICT = "citecheck.answer.strict"
_RESULTS = "evaluation_results.json"
_SCORES = (
    *("total_refs", "verification_rate", "hallucination_rate", "avg_confidence", "completeness", "overall_accuracy"),
    *("title_accuracy", "author_accuracy", "year_accuracy", "doi_accuracy", "overall_score", "verified_by_source"),
    *("year_constrained_refs", "year_compliant_count", "year_compliance_rate"),
)
Covered = dict[str, dict[str, list[str]]]
"""Answers by model, as numbers of queries (``2~3`` for the third sample): ``complete`` ones, and those checked in ``part``."""


def folder_of(arena: Arena, citecheck: CitecheckSession, *, alone: bool) -> Path | None:
    """Output folder of this arena: from the option, else from the configuration; None without either.

    alone: whether the run has no other arena.
    """
    asked = of_arena(citecheck.settings).output
    if asked is not None:
        return asked if alone else asked / arena.path.stem
    if not arena.configuration.output.stated:
        return None
    # A run without queries may use a stranger's file, which defines where answers are, but not where files are written.
    inside = within(arena.folder, (arena.path.parent, citecheck.config.invocation_params.dir))
    return arena.folder if inside or of_arena(citecheck.settings).ask != "none" else None


def write_arena_files(
    arena: Arena, folder: Path, citecheck: CitecheckSession, data: Mapping[str, Any]
) -> Iterator[str]:
    """Write all files that the configuration asks for. data: the JSON report. Yields notes. Raises OSError.

    A run that covers less than the results in the folder leaves them as they are, and writes into ``partial`` below it.
    """
    covered = _covered(arena, citecheck)
    if not _covers(covered, arena, folder / _RESULTS):
        whole, answers = arena.whole["answers"], sum(map(len, covered["complete"].values()))
        folder /= "partial"
        yield f"this run covers {answers} of {whole} answers of the arena: its files are in {folder}"
        arena = _narrowed(arena, covered)
    options, report = arena.configuration.output, arena.configuration.report
    if options.queries:
        _write(folder / "queries.json", [_query_data(query) for query in arena.queries.queries])
    if options.responses:
        _write(folder / "responses.json", list(_responses(arena)))
    if options.details:
        _write(folder / "extracted_refs.json", _extracted(arena, citecheck))
        _write(folder / "verification_results.json", _verification(arena, citecheck))
    scores = data.get("arena")
    if not scores:
        return
    _write(folder / _RESULTS, _arena_result(scores) | {"covered": covered, "citecheck": scores})
    if report.enabled:
        from pytest_citecheck.benchmark import arena_page  # noqa: PLC0415 - only for arenas

        write_whole(folder / "evaluation_report.md", arena_page(data, _facts(arena, scores), report.language))
    if report.chart.enabled:
        from pytest_citecheck.benchmark import draw_arena  # noqa: PLC0415
        from pytest_citecheck.reports import BarStyle, is_font_missing  # noqa: PLC0415

        chart = report.chart
        style = BarStyle(chart.orientation == "horizontal", chart.highlight_best, chart.show_values)
        language: Language = "zh" if report.language == "zh" else "en"
        try:
            draw_arena(
                folder, data, style, title=chart.title, dpi=chart.dpi, file_format=chart.file_format, language=language
            )
        except ModuleNotFoundError as error:
            yield str(error)
            return
        names = [*_models(arena), *(query.discipline for query in arena.queries.queries)]
        if is_font_missing([chart.title or "", *names]):
            yield "the charts of the arena lack characters: install a font such as Noto Sans CJK"


def _write(path: Path, value: Any) -> None:
    write_whole(path, json.dumps(value, ensure_ascii=False, indent=1) + "\n")


def _query_data(query: ArenaQuery) -> dict[str, Any]:
    return {
        "query": query.text,
        "discipline": query.discipline,
        "num_refs": query.num_refs,
        "language": query.language,
        "year_constraint": dict(query.constraint) or None,
        "number": query.number,
        **({"id": query.id} if query.id else {}),
        **({"metadata": dict(query.metadata)} if query.metadata else {}),
    }


def _models(arena: Arena) -> list[str]:
    return list(dict.fromkeys(cell.endpoint.name for cell in arena.cells))


def _responses(arena: Arena) -> Iterator[dict[str, Any]]:
    """The answers to each query; further samples of them under ``samples``."""
    known = best_answers(read_log(arena.log))
    texts: dict[int, dict[int, dict[str, str | None]]] = {}
    for cell in arena.cells:
        logged = known.get(cell.key)
        by_sample = texts.setdefault(cell.query.number, {}).setdefault(cell.sample, {})
        by_sample[cell.endpoint.name] = logged.answer.text if logged else None
    for query in arena.queries.queries:
        first, *others = texts[query.number].values()
        yield {**_query_data(query), "responses": first, **({"samples": others} if others else {})}


def _extracted(arena: Arena, citecheck: CitecheckSession) -> dict[str, dict[str, list[Any]]]:
    places = {query.number: str(place) for place, query in enumerate(arena.queries.queries)}
    found = {model: {place: list[Any]() for place in places.values()} for model in _models(arena)}
    for _, reference, group in _placed(arena, citecheck):
        if group.model in found and group.number in places:  # else of an answer that this run does not cover
            found[group.model][places[group.number]].append(_reference_data(reference))
    return found


def _placed(
    arena: Arena, citecheck: CitecheckSession, *, all_: bool = False
) -> Iterator[tuple[str, Reference, AnswerGroup]]:
    """The references in answers with their names. all_: True for those without content too."""
    names = {id(reference): name for name, reference in citecheck.references().items()}
    bibliography = citecheck.bibliography(arena.path)
    for reference, place in zip(bibliography.references, bibliography.answered, strict=True):
        if place is not None and (all_ or reference.readable or reference.fields):
            yield names[id(reference)], reference, place.group


def _reference_data(reference: Reference) -> dict[str, Any]:
    cited = cited_metadata(reference)
    return {
        "key": reference.key,
        "title": cited.title or "",
        "authors": reference.fields.get("author", ""),
        "year": cited.year_text or None,
        "journal": cited.venue,
        "doi": cited.identifiers.doi,
        "arxiv_id": cited.identifiers.arxiv,
        "pmid": cited.identifiers.pmid,
        "entry_type": reference.type,
    }


def _covered(arena: Arena, citecheck: CitecheckSession) -> Covered:
    """Answers whose checks all ran in this run, and answers of which some ran."""
    whole: dict[tuple[str, str], list[bool]] = {}
    some: set[tuple[str, str]] = set()
    for name, _, group in _placed(arena, citecheck, all_=True):
        answer = group.model, f"{group.number}~{group.sample}" if group.sample > 1 else str(group.number)
        checks = set(citecheck.payloads.get(name, {}))
        whole.setdefault(answer, []).append("syntax" in checks or checks.issuperset(CHECKS))
        if checks:
            some.add(answer)
    covered: Covered = {"complete": {}, "part": {}}
    for answer, complete in whole.items():
        if answer in some:
            covered["complete" if all(complete) else "part"].setdefault(answer[0], []).append(answer[1])
    return covered


def _covers(covered: Covered, arena: Arena, results: Path) -> bool:
    """Return True if the results of this run may replace those in the file: it covers the whole arena, or everything in
    the file."""
    if sum(map(len, covered["complete"].values())) == arena.whole["answers"]:
        return True
    try:
        before = json.loads(results.read_bytes()).get("covered")
        complete, part = _answers(before, "complete"), _answers(before, "part")
    except FileNotFoundError:
        return not results.parent.is_dir() or not any(results.parent.glob("*_results.json"))
    except (OSError, ValueError, AttributeError, TypeError):
        return False  # from another program, or damaged: coverage unknown
    now = _answers(covered, "complete")
    return complete <= now and part <= now | _answers(covered, "part")


def _answers(covered: Covered, kind: str) -> set[tuple[str, str]]:
    return {(model, answer) for model, answers in covered[kind].items() for answer in answers}


def _narrowed(arena: Arena, covered: Covered) -> Arena:
    """The arena with the models and queries of which this run checked something."""
    answers = _answers(covered, "complete") | _answers(covered, "part")
    models = {model for model, _ in answers}
    numbers = {answer.partition("~")[0] for _, answer in answers}
    queries = tuple(query for query in arena.queries.queries if str(query.number) in numbers)
    cells = tuple(cell for cell in arena.cells if cell.endpoint.name in models and str(cell.query.number) in numbers)
    return replace(arena, queries=replace(arena.queries, queries=queries), cells=cells)


def _arena_result(scores: Mapping[str, Any]) -> dict[str, Any]:
    """The scores by the Arena's own rule, with the fields of its ``ArenaResult``; only models with a rank are ranked."""
    strict = scores.get("strict") or scores
    models = {
        row["model"]: {
            "model_name": row["model"],
            **{name: row[name] for name in _SCORES if name in row},
            **{f"{name}_count": row[name] for name in ("verified", "suspect", "not_found")},
            "error_count": row["errors"],
            "discipline_scores": {
                name: {"discipline": name, **part} for name, part in (row.get("by_discipline") or {}).items()
            },
        }
        for row in strict["rankings"]
    }
    totals = ("total_queries", "total_references", "total_verified", "overall_accuracy")
    return {
        "rankings": [[row["model"], row["overall_score"]] for row in strict["rankings"] if row["rank"] is not None],
        "model_scores": models,
        **{name: strict[name] for name in totals},
    }


def _verification(arena: Arena, citecheck: CitecheckSession) -> dict[str, list[dict[str, Any]]]:
    """For each model one record a query, with the fields of the Arena's ``ModelVerificationResult``."""
    places = {query.number: place for place, query in enumerate(arena.queries.queries)}
    found: dict[str, list[list[dict[str, Any]]]] = {model: [[] for _ in places] for model in _models(arena)}
    for name, reference, group in _placed(arena, citecheck):
        if name in citecheck.payloads:
            found[group.model][places[group.number]].append(_result(name, reference, citecheck.payloads[name]))
    return {
        model: [
            _record(model, place, query, sorted(found[model][place], key=lambda result: str(result["id"])))
            for place, query in enumerate(arena.queries.queries)
        ]
        for model in found
    }


def _record(model: str, place: int, query: ArenaQuery, results: list[dict[str, Any]]) -> dict[str, Any]:
    statuses = Counter(result["status"] for result in results)
    decided = len(results) - statuses["error"]
    confidences = [result["confidence"] for result in results if result["confidence"] > 0]
    filled = [bool(result["reference"][name]) for result in results for name in ("doi", "year", "authors")]
    years = Counter(_compliance(query, result) for result in results) if query.constraint else Counter[str]()
    return {
        "model_name": model,
        "index": place,
        "query": query.text,
        "discipline": query.discipline,
        "total_refs": len(results),
        "verified": statuses["verified"],
        "suspect": statuses["suspect"],
        "errors": statuses["error"],
        "not_found": statuses["not_found"],
        "verification_rate": ratio(statuses["verified"], decided),
        "hallucination_rate": ratio(statuses["suspect"] + statuses["not_found"], decided),
        "avg_confidence": ratio(sum(confidences), len(confidences)),
        "completeness": ratio(sum(filled), len(filled)),
        "results": results,
        "has_year_constraint": bool(query.constraint),
        "year_constraint_desc": _described(query.constraint),
        **{f"year_{name}": years[name] for name in ("compliant", "noncompliant", "unknown")},
        "year_compliance_rate": ratio(years["compliant"], years.total()),
    }


def _described(constraint: Mapping[str, int]) -> str:
    if "exact" in constraint:
        return f"={constraint['exact']}"
    signs = (("min_year", ">="), ("max_year", "<="))
    return " & ".join(f"{sign}{constraint[name]}" for name, sign in signs if name in constraint)


def _compliance(query: ArenaQuery, result: Mapping[str, Any]) -> str:
    """With the year of the record, else the cited one."""
    stated = (result["match_detail"] or {}).get("matched_year") or result["reference"]["year"] or ""
    if not stated.strip().isdecimal():
        return "noncompliant" if stated.strip() else "unknown"
    year = int(stated)
    above = query.earliest is None or year >= query.earliest
    return "compliant" if above and (query.latest is None or year <= query.latest) else "noncompliant"


def _result(name: str, reference: Reference, checks: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """One reference with the fields of the Arena's ``VerificationResult``, then the verdict and the findings of the checks."""
    verdict = next((data["verdict"] for data in checks.values() if data["verdict"]), None)
    strict = next((data["answer"][_STRICT] for data in checks.values() if _STRICT in data["answer"]), None)
    record = next((data["record"] for data in checks.values() if data["record"]), None)
    said = StrictResult.from_text(strict) if strict else StrictResult("ERROR", detail="not checked")
    detail = {
        "title_match": said.title_match,
        "author_match": said.author_match,
        "year_match": said.year,
        "matched_title": said.found_title,
        "matched_authors": said.found_authors,
        "matched_year": str(said.found_year or ""),
        "matched_doi": said.found_doi,
        **{f"{field}_exact": getattr(said, field) for field in ("title", "author", "year", "doi")},
    }
    return {
        "reference": _reference_data(reference),
        "status": said.status.lower(),
        "confidence": said.confidence,
        "message": said.detail,
        "source": said.source,
        "match_detail": detail if said.source else None,
        "match_data": record if said.status == "VERIFIED" else None,
        "id": name,
        "verdict": verdict,
        "checks": {check: {"outcome": data["outcome"], "code": data["code"]} for check, data in checks.items()},
        "record": record,
    }


def _facts(arena: Arena, scores: Mapping[str, Any]) -> ArenaFacts:
    configuration = arena.configuration
    asked = {cell.endpoint.name: cell.endpoint for cell in arena.cells}
    return ArenaFacts(
        task=configuration.description,
        scenario=configuration.scenario,
        dataset=configuration.dataset.path,
        in_file=arena.queries.in_file,
        endpoints=tuple(AskedEndpoint(name, model.model, model.search is not None) for name, model in asked.items()),
        queries={
            str(query.number): query.text
            for query in arena.queries.queries
            if str(query.number) in scores["scope"]["queries"]
        },
        examples=configuration.report.examples,
    )
