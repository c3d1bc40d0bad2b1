"""Corrections of references, and their edits in files.

Findings go in. Edits of single fields come out; the rest of the file stays as it is, byte by byte."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
