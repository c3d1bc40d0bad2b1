"""One client for every provider of language models: configuration, dialects, tools, spending.

A conversation goes in; an answer with its token counts and cost comes out. A provider's API is a dialect, one file
each."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
