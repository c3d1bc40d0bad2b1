"""Keeps secrets out of everything that is stored, shown or logged."""
