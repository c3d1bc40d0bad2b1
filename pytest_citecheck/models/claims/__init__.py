"""Claims compared with the sources that they cite.

Claims and the texts of their sources go in. Judges decide from the best passages; a verdict comes out, or the reason
why there is none."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
