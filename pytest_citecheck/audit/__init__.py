"""Corpora of any size: pieces, workers and engines, from an index alone or with sources."""
