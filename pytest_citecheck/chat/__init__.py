"""The way in which this project calls language models."""
