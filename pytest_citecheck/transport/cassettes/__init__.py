"""Recorded exchanges."""
