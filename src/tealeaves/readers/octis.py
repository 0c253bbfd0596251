"""Reader of the dict that a model of OCTIS returns from ``train_model``."""

from collections.abc import Mapping, Sequence
from typing import Any

from tealeaves.model import TopicModel
from tealeaves.readers._matrices import model_of
from tealeaves.readers._octis import is_octis, octis_model


def read_octis(
    output: Mapping[str, Any], vocabulary: Sequence[str] | None = None, axes: str | None = None
) -> TopicModel:
    """Read "topics", "topic-word-matrix" and "topic-document-matrix", which is topics × documents.

    The words of the matrix are those of the model inside, in its order, which need not be the data set's: a
    ``vocabulary`` that the lists of words do not bear out is refused.

    Raises
    ------
    InputError
        If parts are missing or do not fit together.
    """
    return octis_model(output, vocabulary, axes) if is_octis(output) else model_of(output, vocabulary, axes)
