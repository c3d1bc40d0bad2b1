"""The pytest plugin. Without ``--citecheck`` (or ``citecheck_files``) it only adds its options: nothing else is
imported."""

from typing import Any

from pytest_citecheck.plugin.start import (
    pytest_addhooks,
    pytest_addoption,
    pytest_cmdline_main,
    pytest_configure,
    pytest_load_initial_conftests,
)

__all__ = [
    "pytest_addhooks",
    "pytest_addoption",
    "pytest_cmdline_main",
    "pytest_configure",
    "pytest_load_initial_conftests",
]


def __getattr__(name: str) -> Any:
    """Return a name of the face. pytest reads `dir()` of this module, so the face adds nothing to it."""
    import lazy_loader  # noqa: PLC0415 - a run without the option does not need it

    return lazy_loader.attach_stub(__name__, __file__)[0](name)
