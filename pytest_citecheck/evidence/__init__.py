"""Evidence for a reference: what the answers of the sources show.

A reference and its answers go in. Candidate records with their relation to the reference come out, the sources that
are independent of each other, and how likely an absence is if the work exists."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
