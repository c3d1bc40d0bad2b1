"""Runs under pytest-xdist."""
