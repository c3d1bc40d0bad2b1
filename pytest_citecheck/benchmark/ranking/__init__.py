"""Predictions of several tools beside one another."""
