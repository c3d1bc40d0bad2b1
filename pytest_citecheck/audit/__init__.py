"""Checking whole corpora: the engine of the plugin over partitions, in processes or on a cluster, resumable, into Parquet."""
