"""Hugging Face: models and data sets."""
