"""Results of a run as terminal text, Markdown, HTML, JSON, charts and CI formats.

A `RunResult` goes in and a text comes out. Equal results give equal bytes."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
