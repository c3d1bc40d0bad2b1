"""Searches that models may call as a tool."""
