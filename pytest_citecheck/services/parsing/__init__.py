"""What several services have in common in the bodies that they send."""
