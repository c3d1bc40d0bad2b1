"""Everything that touches the network: client, limits, retries, circuit breakers, cassettes.

Import `pytest_citecheck.transport.settings` for the settings alone and `pytest_citecheck.transport.client`
for the `Transport`; only the latter loads httpx and vcrpy.
"""

from __future__ import annotations

__all__: list[str] = []
