"""The file of a local index."""
