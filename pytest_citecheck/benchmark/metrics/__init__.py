"""How well verdicts agree with labels: pure functions over labelled entries and predictions. Needs numpy (extra ``metrics``)."""
