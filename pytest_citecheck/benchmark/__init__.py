"""Benchmarks of checkers and models. No check imports anything from here."""
