"""The catalogue of the Library of Congress."""
