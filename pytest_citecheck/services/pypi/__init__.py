"""PyPI: packages of Python."""
