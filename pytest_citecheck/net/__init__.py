"""How requests are sent: the client, rate limits, budgets, cache, cassettes and secrets."""
