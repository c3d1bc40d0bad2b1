"""Requests to services: client, rate limits, budgets, cache, cassettes and secrets.

Requests that sources built go in; responses come out, from a recording, the cache or the network. Nothing else opens
a connection."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
