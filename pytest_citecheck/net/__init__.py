"""Requests to services: client, rate limits, budgets, cache, cassettes and secrets.

Nothing else opens a connection. The path of a query: `client` answers it from a cassette (`cassettes`) or from the cache
(`cache`, `answer_json`). Otherwise `controls` sends a control with it, so that an absence counts. `delivery` builds the request,
waits in the queue of the host (`queues`), signs the request (`logins`), sends it again after failures, and parses the response.
The queues of all processes share the `budget` of the host. `exchange` sends one request, over a connection to an address that
`network` finds. `http` has the rules for URLs, addresses and headers, and `secrets` removes keys from all that is kept or shown.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
