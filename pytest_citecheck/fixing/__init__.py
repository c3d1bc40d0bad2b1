"""What is written instead of what is wrong, and into which file."""
