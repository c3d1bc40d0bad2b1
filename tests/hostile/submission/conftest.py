"""Leaves a trace if anybody imports it."""

import pathlib

pathlib.Path(__file__).with_name("EXECUTED").write_text(__name__)
