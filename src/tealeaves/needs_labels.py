"""Classes of documents, as measures against labels need them."""


class LabelNeeds:
    """Classes of documents, as measures against labels need them."""
