"""One client for every provider: configuration, dialects, tools, spending."""
