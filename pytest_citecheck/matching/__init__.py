"""Parsing and comparison of titles, names, venues and identifiers.

Two strings go in; how they differ comes out, and whether two works can be the same. No function here reads a file or
a clock."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
