"""Checks that the services answer as documented: each source is asked for works that it certainly has, its controls."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
