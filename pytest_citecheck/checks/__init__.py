"""The six checks, their codes, the verdict and the policies. `registry` runs the checks."""
