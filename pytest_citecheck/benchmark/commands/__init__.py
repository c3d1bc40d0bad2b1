"""The commands of benchmarks: `citecheck score`, `compare`, `rank`, `dataset`, `mutate`, `validate`."""
