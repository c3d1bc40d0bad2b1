"""Which models judge: the YAML of an arena, of which the endpoints and the limits count, with panels beside.

``target_endpoints`` and ``evaluation`` are those of `pytest_citecheck.chat.configuration`. Own keys: ``panels`` (``members``,
``rule``, ``quorum``), ``cascades`` (``members``, ``margin``), ``prompt`` (``file``, ``date``), ``stored`` (files of results).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from pytest_citecheck.chat.configuration.call_options import CallOptions, read_call_options
from pytest_citecheck.chat.configuration.document import ConfigurationError, Document, Section
from pytest_citecheck.chat.configuration.endpoints import EndpointOptions, read_endpoints
from pytest_citecheck.chat.variables import KeyRules
from pytest_citecheck.claims.judges.cascades import Cascade
from pytest_citecheck.claims.judges.overlap import OVERLAP
from pytest_citecheck.claims.votes import Rule

__all__ = ["ClaimsConfiguration", "ConfigurationError", "Panel", "read_judges"]

DEFAULT_OUTPUT = "./evaluation_results/claims"
TRIES = 5


@dataclass(frozen=True, slots=True)
class Panel:
    """Several judges that vote. quorum: how many have to give a verdict."""

    name: str
    members: tuple[str, ...]
    rule: Rule = "plurality"
    quorum: int = 1


@dataclass(frozen=True, slots=True)
class ClaimsConfiguration:
    """All of the file. folder: of the file of answers, as written.

    overlap: whether the method without a model judges too. stored: files of results whose verdicts are taken as they are.
    prompt_file: replaces the system prompt; empty for the built-in one; prompt_date: since when it is used.
    """

    path: Path | None = None
    endpoints: tuple[EndpointOptions, ...] = ()
    panels: tuple[Panel, ...] = ()
    cascades: tuple[Cascade, ...] = ()
    overlap: bool = True
    stored: tuple[str, ...] = ()
    calls: CallOptions = field(default_factory=lambda: CallOptions(tries=TRIES))
    folder: str = DEFAULT_OUTPUT
    prompt_file: str = ""
    prompt_date: str = ""
    remarks: tuple[tuple[int, str], ...] = ()
    secrets: frozenset[str] = field(default=frozenset(), repr=False)


def read_judges(
    path: Path,
    text: str,
    environment: Mapping[str, str],
    *,
    secrets: bool = True,
    keys: KeyRules | None = None,
) -> ClaimsConfiguration:
    """Read the YAML.

    secrets: whether API keys are needed. keys: to which hosts they may go. Raises ConfigurationError, which names every problem.
    """
    document = Document(path.name, text, environment, secrets=secrets, keys=keys)
    root = document.root
    for foreign in ("task", "dataset", "verification", "report"):
        if foreign in root.keys:
            root.without_effect(foreign, "it is about references")
    evaluation, output, prompt = root.section("evaluation"), root.section("output"), root.section("prompt")
    stated = root.section("target_endpoints")
    configuration = ClaimsConfiguration(
        path=path,
        endpoints=read_endpoints(stated) if stated.keys else (),
        overlap=root.flag("overlap", default=False),
        stored=root.texts("stored"),
        calls=read_call_options(evaluation, path.parent, tries=TRIES),
        folder=output.text("output_dir", DEFAULT_OUTPUT),
        prompt_file=prompt.text("file"),
        prompt_date=prompt.text("date"),
        panels=_panels(root.section("panels")),
        cascades=_cascades(root.section("cascades")),
        secrets=frozenset(document.secret_values),
        remarks=tuple(sorted(document.remarks)),
    )
    for section in (evaluation, output, prompt, root):
        section.close()
    names = [one.name for one in configuration.endpoints] + [one.name for one in configuration.panels]
    names += [one.name for one in configuration.cascades]
    for name in {name for name in names if names.count(name) > 1 or name == OVERLAP}:
        document.problem(("panels", name), "is the name of another judge")
    if not (configuration.endpoints or configuration.stored or configuration.overlap):
        document.problem(("target_endpoints",), "names no endpoint, and neither “stored” nor “overlap” is given")
    document.finish()
    return configuration


def _panels(section: Section) -> tuple[Panel, ...]:
    panels = []
    for name in section.keys:
        one = section.section(name)
        members = one.texts("members")
        quorum = one.integer("quorum", 1, 1)
        if len(members) < 2 or len(set(members)) < len(members):
            section.document.problem((*section.path, name, "members"), "must be at least two different judges")
        elif quorum > len(members):
            section.document.problem((*section.path, name, "quorum"), f"must be at most {len(members)}")
        rule = cast("Rule", one.choice("rule", "plurality", ("plurality", "binary")))
        panels.append(Panel(name, members, rule, quorum))
        one.close()
    return tuple(panels)


def _cascades(section: Section) -> tuple[Cascade, ...]:
    cascades = []
    for name in section.keys:
        one = section.section(name)
        members = one.texts("members")
        if len(members) < 2 or len(set(members)) < len(members):
            section.document.problem(
                (*section.path, name, "members"), "must be at least two different judges, cheapest first"
            )
        cascades.append(Cascade(name, members, one.number("margin", 10.0, 0.0, 100.0)))
        one.close()
    return tuple(cascades)
