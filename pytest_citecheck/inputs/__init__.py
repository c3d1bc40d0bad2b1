"""Readers for files of references, one file for each format.

A file goes in; references with their fields and places (file, line, key) come out, and a defect for each part that
cannot be read."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
