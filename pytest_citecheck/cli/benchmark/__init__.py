"""Commands for benchmarks."""
