"""What hosts allow."""
