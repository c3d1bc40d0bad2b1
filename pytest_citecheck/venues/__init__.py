"""Venues, and their comparison."""
