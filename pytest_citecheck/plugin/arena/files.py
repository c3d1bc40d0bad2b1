"""The files of the Reference Hallucination Arena, by their names, at the end of a run.

Lists and objects are in the order of the queries of the run: what is missing is null or empty and moves nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_citecheck.arena.answer_log import best_answers, read_log
from pytest_citecheck.benchmark.arena.strict_rule import StrictResult
from pytest_citecheck.readers.cited_metadata import cited_metadata
from pytest_citecheck.reports.arena_facts import ArenaFacts, AskedEndpoint
from pytest_citecheck.whole_file import write_whole

if TYPE_CHECKING:
    from pytest_citecheck.arena.queries import Query
    from pytest_citecheck.model import Reference
    from pytest_citecheck.plugin.arena.opening import Arena
    from pytest_citecheck.plugin.session import CitecheckSession
    from pytest_citecheck.reports.wording import Language

__all__ = ["folder_of", "write_arena_files"]

_STRICT = "citecheck.answer.strict"


def folder_of(arena: Arena, citecheck: CitecheckSession) -> Path | None:
    """Where the files of this arena go: into the folder of the option, else of the configuration; None if neither names one."""
    asked = citecheck.settings.arena.output
    if asked is not None:
        return asked if len(citecheck.arenas) == 1 else asked / arena.path.stem
    if not arena.configuration.output.stated:
        return None
    # A run that asks nothing may be over a stranger's file: it says where answers are, not where files are written.
    inside = any(
        arena.folder.is_relative_to(one) for one in (arena.path.parent, citecheck.config.invocation_params.dir)
    )
    return arena.folder if inside or citecheck.settings.arena.ask != "none" else None


def write_arena_files(
    arena: Arena, folder: Path, citecheck: CitecheckSession, data: Mapping[str, Any]
) -> Iterator[str]:
    """Write all files that the configuration asks for. data: the JSON report. Yields notes. Raises OSError."""
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
    _write(folder / "evaluation_results.json", scores)
    if report.enabled:
        from pytest_citecheck.reports.markdown.arena import arena_page  # noqa: PLC0415 - only for arenas

        write_whole(folder / "evaluation_report.md", arena_page(data, _facts(arena), report.language))
    if report.chart.enabled:
        from pytest_citecheck.reports.charts.arena import draw_arena  # noqa: PLC0415 - slow to import
        from pytest_citecheck.reports.charts.canvas import is_font_missing  # noqa: PLC0415

        chart = report.chart
        language: Language = "zh" if report.language == "zh" else "en"
        try:
            draw_arena(
                folder,
                data,
                title=chart.title,
                dpi=chart.dpi,
                file_format=chart.file_format,
                horizontal=chart.orientation == "horizontal",
                show_values=chart.show_values,
                highlight_best=chart.highlight_best,
                language=language,
            )
        except ModuleNotFoundError as error:
            yield str(error)
            return
        names = [*_models(arena), *(query.discipline for query in arena.queries.queries)]
        if is_font_missing([chart.title or "", *names]):
            yield "the charts of the arena lack characters: install a font such as Noto Sans CJK"


def _write(path: Path, value: Any) -> None:
    write_whole(path, json.dumps(value, ensure_ascii=False, indent=1) + "\n")


def _query_data(query: Query) -> dict[str, Any]:
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
    bibliography = citecheck.bibliography(arena.path)
    for reference, place in zip(bibliography.references, bibliography.answered, strict=True):
        if place is not None and (reference.readable or reference.fields):
            found[place.group.model][places[place.group.number]].append(_reference_data(reference))
    return found


def _reference_data(reference: Reference) -> dict[str, Any]:
    cited = cited_metadata(reference)
    return {
        "key": reference.key,
        "title": cited.title,
        "authors": reference.fields.get("author", ""),
        "year": cited.year_text,
        "journal": cited.venue,
        "doi": cited.identifiers.doi,
        "arxiv_id": cited.identifiers.arxiv,
        "pmid": cited.identifiers.pmid,
        "entry_type": reference.type,
    }


def _verification(arena: Arena, citecheck: CitecheckSession) -> dict[str, list[dict[str, Any]]]:
    """For each model one record a query, with what was found of each reference that was checked."""
    places = {query.number: place for place, query in enumerate(arena.queries.queries)}
    records: dict[str, list[dict[str, Any]]] = {
        model: [
            {"index": place, "query": query.text, "discipline": query.discipline, "results": []}
            for place, query in enumerate(arena.queries.queries)
        ]
        for model in _models(arena)
    }
    references = citecheck.references()
    bibliography = citecheck.bibliography(arena.path)
    groups = {id(one): place for one, place in zip(bibliography.references, bibliography.answered, strict=True)}
    for name in citecheck.payloads:
        place = groups.get(id(references.get(name)))
        if place is not None:
            checks = citecheck.payloads[name]
            records[place.group.model][places[place.group.number]]["results"].append(_result(name, checks))
    for one in records.values():
        for record in one:
            record["results"].sort(key=lambda result: result["id"])
    return records


def _result(name: str, checks: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    verdict = next((data["verdict"] for data in checks.values() if data["verdict"]), None)
    strict = next((data["answer"][_STRICT] for data in checks.values() if _STRICT in data["answer"]), None)
    record = next((data["record"] for data in checks.values() if data["record"]), None)
    said = StrictResult.from_text(strict) if strict else None
    return {
        "id": name,
        "verdict": verdict,
        "checks": {check: {"outcome": data["outcome"], "code": data["code"]} for check, data in checks.items()},
        "status": said.status if said else None,
        "confidence": said.confidence if said else None,
        "source": said.source if said else None,
        "match_detail": said.detail if said else None,
        **{f"{field}_exact": getattr(said, field) if said else None for field in ("title", "author", "year", "doi")},
        "record": record,
    }


def _facts(arena: Arena) -> ArenaFacts:
    configuration = arena.configuration
    asked = {cell.endpoint.name: cell.endpoint for cell in arena.cells}
    return ArenaFacts(
        task=configuration.description,
        scenario=configuration.scenario,
        dataset=configuration.dataset.path,
        in_file=arena.queries.in_file,
        endpoints=tuple(AskedEndpoint(one.name, one.model, one.tools.enabled) for one in asked.values()),
        queries={str(query.number): query.text for query in arena.queries.queries},
        examples=configuration.report.examples,
    )
