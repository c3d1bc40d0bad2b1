"""HALLMARK and the Arena as benchmarks.

Labels and predictions go in; scores with intervals, rankings and gates come out. `mutate` makes hallucinated
references from correct ones. No function here asks a service."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
