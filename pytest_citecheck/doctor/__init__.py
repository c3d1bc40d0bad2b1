"""True if the services answer as their documentation says."""
