"""Checks that the services answer as documented.

Each source is asked for a work that it has and one that it lacks. A list of what worked comes out, and recordings on
request."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
