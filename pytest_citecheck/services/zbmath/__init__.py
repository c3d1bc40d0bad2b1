"""zbMATH Open: the reviews of mathematics."""
