"""Identifiers of works: normal forms, and what they say by themselves."""
