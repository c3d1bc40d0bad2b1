"""What people and machines read of a run. Each report consumes the same RunResult; none knows of pytest."""
