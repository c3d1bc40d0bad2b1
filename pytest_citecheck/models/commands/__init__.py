"""The commands of models: `citecheck claims`, and `citecheck score selfcheck`."""
