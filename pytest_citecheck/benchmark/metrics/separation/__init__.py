"""How well a score tells two classes apart: areas, curves, thresholds; and how well raters agree on the classes."""
