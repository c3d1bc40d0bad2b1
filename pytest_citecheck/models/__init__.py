"""Language models: asked for references, used as judges of claims, and asked again to check themselves.

This folder has what the three kinds of items share. `chat`, `arena`, `claims` and `selfcheck` have faces of their
own."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
