"""Leave a trace on import."""

import pathlib

pathlib.Path(__file__).with_name("EXECUTED").write_text(__name__)
