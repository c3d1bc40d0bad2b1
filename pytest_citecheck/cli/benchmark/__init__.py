"""The commands for benchmarks: mutate, validate, baseline, score, rank."""
