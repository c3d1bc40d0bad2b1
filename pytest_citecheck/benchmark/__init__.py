"""Measures checkers and models; no check sees any of it."""
