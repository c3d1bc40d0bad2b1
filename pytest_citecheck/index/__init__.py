"""A local index of bibliographic records: built once, read offline by any number of processes (docs/index.md)."""
