"""A pytest plugin that tests whether every citation of a bibliography is real."""

__version__ = "0.1.0"

__all__ = ["ClaimWarning", "DuplicateWarning", "SelfcheckWarning", "__version__"]


class ClaimWarning(UserWarning):
    """A source supports a claim in part only, or speaks to the models that read it."""


class DuplicateWarning(UserWarning):
    """Entries of a bibliography do not go together, where a policy makes that a warning."""


class SelfcheckWarning(UserWarning):
    """A language model does not agree with itself about a reference, where that is to be a warning and no failure."""
