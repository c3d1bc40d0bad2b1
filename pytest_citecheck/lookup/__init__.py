"""The lookup phase: choice, order and end of the queries.

References go in and evidence comes out. All network traffic of a run happens here. A reference that is decided is not
queried further."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
