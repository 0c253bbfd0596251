"""Reader of NumPy arrays: an .npz with topic_word and vocabulary, or an .npy of topic_word alone."""

from collections.abc import Sequence
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import FormatError
from tealeaves.model import TopicModel

# what tools call them; OCTIS's topic-document-matrix is topics × documents
TOPIC_WORD = ("topic_word", "topic-word-matrix", "phi", "beta", "components", "components_")
DOC_TOPIC = ("doc_topic", "theta", "document_topic")
TOPIC_DOC = ("topic-document-matrix",)
VOCABULARY = ("vocabulary", "vocab", "words", "terms", "feature_names")


def read_arrays(path: str | Path, vocabulary: Sequence[str] | None = None) -> TopicModel:
    """Read ``topic_word`` (K, V) and ``vocabulary`` (V,), and what else a TopicModel has, if it is there.

    A ``vocabulary`` that is handed over goes before one in the file.

    Raises
    ------
    FormatError
        If an array is missing, cut off or pickled; it lists what is there.
    """
    path = Path(path)
    arrays = _load(path)
    topic_word = _first(arrays, TOPIC_WORD)
    words = _first(arrays, VOCABULARY) if vocabulary is None else np.array(vocabulary, dtype=object)
    if topic_word is None or words is None:
        there = ", ".join(f"{name} {array.shape}" for name, array in arrays.items()) or "nothing"
        missing = "topic_word" if topic_word is None else "vocabulary"
        fix = "name it so" if topic_word is None else "name it so, or hand it over as vocabulary="
        raise FormatError(path, f"has no array called {missing}: {fix}; there are: {there}")
    doc_topic = _first(arrays, DOC_TOPIC)
    if doc_topic is None and (turned := _first(arrays, TOPIC_DOC)) is not None:
        doc_topic = turned.T
    return TopicModel(
        words.tolist(),
        topic_word,
        doc_topic=doc_topic,
        assignments=arrays.get("assignments"),
        alpha=arrays.get("alpha"),
        eta=arrays.get("eta"),
    )


def _load(path: Path) -> dict[str, NDArray[np.generic]]:
    try:
        loaded = np.load(path, allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            return {"topic_word": loaded}
        with loaded:
            return {name: loaded[name] for name in loaded.files}
    except FileNotFoundError:
        raise
    except ValueError as error:
        if "allow_pickle" in str(error) or "Object arrays" in str(error):
            fix = "save words as np.array(words, dtype=str)"
            raise FormatError(
                path, f"holds pickled Python objects, which is not to be trusted: {fix}"
            ) from None
        raise FormatError(path, f"is no whole .npz or .npy: {error}") from None
    except (BadZipFile, EOFError, OSError, KeyError, MemoryError, NotImplementedError) as error:
        raise FormatError(path, f"is no whole .npz or .npy: {error}") from None


def _first(arrays: dict[str, NDArray[np.generic]], names: tuple[str, ...]) -> NDArray[np.generic] | None:
    return next((arrays[name] for name in names if name in arrays), None)
