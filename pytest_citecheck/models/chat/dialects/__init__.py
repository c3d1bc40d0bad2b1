"""The APIs of language models: one file each, found by its `DIALECT`."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_citecheck.models.chat.dialects.base import Dialect

_MODULES = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__) if module.name != "base"]

DIALECTS: Mapping[str, Dialect] = {module.DIALECT.name: module.DIALECT for module in _MODULES}
"""Each dialect by the name that a configuration gives it as ``api``."""
