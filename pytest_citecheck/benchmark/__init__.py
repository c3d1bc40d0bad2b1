"""HALLMARK and the Arena as benchmarks: metrics, rankings, baselines and mutations."""
