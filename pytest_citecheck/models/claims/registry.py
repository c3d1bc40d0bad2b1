"""Judges that need no call: the methods that ``local`` in ``judges.yaml`` may name.

To add a method, write a module with a class that implements `pytest_citecheck.model.Judge` and a function ``configured``, and
name it in `METHODS`. A judge outside of this package is added by the hook ``pytest_citecheck_judges``.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, cast

from pytest_citecheck.model import Judge, Judgement
from pytest_citecheck.models.claims.literal import OVERLAP, judge_without_model

if TYPE_CHECKING:
    from pytest_citecheck.models.chat import Section


class _WithoutModel:
    name = OVERLAP

    def judge(self, claim: str, source: str) -> Judgement:
        return judge_without_model(claim, source)


WITHOUT_MODEL: Judge = _WithoutModel()

METHODS: Mapping[str, str] = {"entailment": "pytest_citecheck.models.claims.entailment"}
"""The module of each method; imported only if a configuration names it."""


def configured_judge(name: str, section: Section, folder: Path) -> Judge | None:
    """The judge that a section describes; None if the document has a problem with it. folder: for relative paths."""
    method = section.text("method", "")
    if method not in METHODS:
        section.problem("method", f"must be one of {', '.join(METHODS)}")
        return None
    return cast("Judge | None", import_module(METHODS[method]).configured(name, section, folder))
