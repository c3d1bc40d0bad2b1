"""The commands for benchmarks: mutate, validate, dataset, baseline, score, rank, compare."""
