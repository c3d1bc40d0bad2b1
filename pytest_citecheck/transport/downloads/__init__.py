"""Large files, fetched as a whole or not at all."""
