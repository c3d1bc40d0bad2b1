"""Whether each service is reachable and still answers as its parser expects."""
