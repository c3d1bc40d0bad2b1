"""Semantic Scholar."""
