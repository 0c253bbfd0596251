"""The topic of each token, as measures of single tokens need it."""


class LocalNeeds:
    """The topic of each token, as measures of single tokens need it."""
