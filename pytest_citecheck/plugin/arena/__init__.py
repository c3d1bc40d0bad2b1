"""Arenas as a part of a run: the configuration is a file of references whose answers are had before collection."""
