"""HAL, the open archive of French research."""
