"""The doors for programs that write references: editors (LSP) and agents (MCP); and a page for people without a terminal.

They only translate: findings, corrections, waivers, settings and trust come from the same objects as in pytest and in
the other commands.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
