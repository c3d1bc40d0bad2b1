"""Stands where `python -m pytest` would look first."""

import pathlib

pathlib.Path(__file__).with_name("EXECUTED").write_text(__name__)
