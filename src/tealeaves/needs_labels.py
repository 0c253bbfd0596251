"""Classes of documents, as measures against labels need them."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import MissingInput

if TYPE_CHECKING:
    from tealeaves.measures._table import Spec
    from tealeaves.model import TopicModel
    from tealeaves.run import Run


class LabelNeeds:
    """Classes of documents, as measures against labels need them."""

    run: "Run"
    name: str
    spec: "Spec"
    model: "TopicModel"

    def _labels(self) -> NDArray[np.int64]:
        """The class of each document, numbered in the order of names; -1 for none, -2 for several."""
        from tealeaves.measures.labels import SEVERAL, UNLABELLED

        corpus = self.run.corpus_of(self.name)
        labels = getattr(corpus, "labels", None)
        if labels is None:
            raise MissingInput(
                f"{self.spec} compares the topics of documents with their labels, but the corpus of model "
                f"{self.name!r} has none: read it with label=, or hand over corpus= with labels"
            )
        theta = self.model.doc_topic
        if theta is not None and len(theta) != len(labels):
            raise MissingInput(
                f"{self.spec} needs the documents that model {self.name!r} has topic proportions of: "
                f"it has {len(theta)}, but the corpus has {len(labels)}"
            )
        given = [(label,) if isinstance(label, str) else tuple(label or ()) for label in labels]
        names = sorted({name for one in given if len(one) == 1 for name in one if name})
        number = {name: i for i, name in enumerate(names)}
        return np.array(
            [SEVERAL if len(one) > 1 else number[one[0]] if one and one[0] else UNLABELLED for one in given],
            dtype=np.int64,
        )
