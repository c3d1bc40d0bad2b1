"""Bibliographic services; `registry` lists them.

A query goes in and a request comes out; a response goes in and an answer comes out: `Found`, `Absent` or
`Unavailable`. No source does I/O."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
