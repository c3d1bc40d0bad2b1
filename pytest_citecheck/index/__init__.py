"""The local index: records on disk, searched offline.

Dumps of services and collections of records go in. The index answers the same queries as a service, by identifier,
title and author, and states which venues and years it has in full."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
