"""pytest-citecheck: tests whether the citations of a bibliography are real."""

__version__ = "0.1.0"

__all__ = ["__version__"]
