"""Documents that were not trained on, as held-out measures need them."""


class HeldOutNeeds:
    """Documents that were not trained on, as held-out measures need them."""
