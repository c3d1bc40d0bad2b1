"""Parsing and comparison of titles, names, venues and identifiers."""
