"""Requests to services: the client, rate limits, budgets, cache, cassettes and secrets."""
