"""The checks, their codes, the verdict and the policies.

Each check is a pure function from a reference and its evidence to a finding. `verdict` combines the findings. A
policy decides which findings fail a test."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
