"""Titles, and their comparison."""
