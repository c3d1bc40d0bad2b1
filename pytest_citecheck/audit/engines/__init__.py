"""Who does the partitions of an audit. Another engine is one module with an `Engine`, and an entry in `audit.run.ENGINES`."""
