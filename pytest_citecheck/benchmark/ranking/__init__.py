"""Comparison and ranking of several tools. Needs numpy (extra ``metrics``)."""
