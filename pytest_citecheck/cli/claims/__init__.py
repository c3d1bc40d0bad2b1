"""``citecheck claims``: verdicts scored and compared, claims exported, extracted and given their sources."""
