"""The Reference Hallucination Arena: models are asked for references, and every reference is checked.

A configuration with queries and models goes in. Items for each answer and each reference come out, and a ranking of
the models."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
