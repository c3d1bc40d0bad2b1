"""K10plus, the union catalogue of German and Austrian libraries."""
