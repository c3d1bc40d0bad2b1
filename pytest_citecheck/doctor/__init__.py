"""Whether the services answer as their documentation says."""
