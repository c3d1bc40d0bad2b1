"""Answers of earlier runs."""
