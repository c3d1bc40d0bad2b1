"""Crossref."""
