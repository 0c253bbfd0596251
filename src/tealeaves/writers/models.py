"""Writers of models: each format as its own tools read it, and as `tealeaves.read_model` reads it back.

Numbers are written so that the same ones are read again. What a format has no place for is left out and
told; what would change a word is an error.
"""

import csv
import io
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.corpus import Corpus
from tealeaves.errors import InputError
from tealeaves.model import TopicModel
from tealeaves.readers._csv_matrix import CORNER
from tealeaves.scaling import rows_to_one
from tealeaves.writers._files import put

TOP = 50  # words of a topic in formats of lists
DOC_TOPICS = "#doc name topic proportion ...\n"  # which tells a table of one topic from weights of words
NAMES = {
    "doc_topic": "topics of documents",
    "assignments": "topics of tokens",
    "alpha": "alpha",
    "eta": "eta",
}
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Writer:
    """A format: what it is, the function that makes its content, and what of a model it keeps."""

    what: str
    content: Callable[[TopicModel, int], Any]
    keeps: tuple[str, ...] = ()
    folder: bool = False


def write_model(
    model: TopicModel, path: str | os.PathLike[str], format: str | None = None, *, top: int = TOP
) -> tuple[str, ...]:
    """Write a model to ``path`` and say what the format has no place for.

    Parameters
    ----------
    model : TopicModel
        Of formats of lists its top words are written, of others its weights.
    path : path
        A file; a folder for "tealeaves" and "mallet", which must be new or empty.
    format : str, optional
        A key of ``WRITERS``; by default the ending of ``path`` tells: .json and .csv are lists of words,
        .npz is OCTIS's, and a name without an ending is our own folder.
    top : int
        How many words of a topic formats of lists hold.

    Returns
    -------
    tuple of str
        A sentence for each thing that was left out.

    Raises
    ------
    InputError
        If the format does not exist, needs what the model lacks, or cannot hold a word as it is.

    Examples
    --------
    >>> import tempfile
    >>> model = TopicModel(["gas", "oil"], [[0.25, 0.75]], doc_topic=[[1.0]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     notes = write_model(model, f"{folder}/m.csv")
    ...     print(Path(folder, "m.csv").read_text(), end="")
    topic,rank,word,weight
    0,1,oil,0.75
    0,2,gas,0.25
    >>> notes
    ('CSV has no place for topics of documents',)
    """
    path = Path(path)
    name = format or ENDINGS.get(path.suffix.lower())
    if name is None or name not in WRITERS:
        asked = f"there is no format {format!r} to write" if format else f"{path}: its name tells no format"
        raise InputError(f"{asked}; there are: {', '.join(WRITERS)}")
    if top < 1:
        raise InputError(f"the number of top words must be at least 1, got {top}")
    writer = WRITERS[name]
    if writer.folder and path.exists() and not _may_be_filled(path, name):
        raise InputError(f"{path} is there already: name a new folder")
    if name == "tealeaves":
        model.save(path)
        return ()
    content = writer.content(model, top)
    put(path, content if isinstance(content, dict) else {"": content})
    left = [what for part, what in NAMES.items() if part not in writer.keeps and _has(model, part)]
    if name == "mallet" and "topic-state.gz" not in content and model.assignments is not None:
        left.append("topics of tokens, for they are not those that the weights come from")
    if name == "mallet" and model.alpha is None:
        left.append("topic keys, which need alpha")
    if model.topic_names is not None and "topic_names" not in writer.keeps:
        left.append("names of topics")
    return (f"{writer.what} has no place for {' and '.join(left)}",) if left else ()


def _has(model: TopicModel, part: str) -> bool:
    return getattr(model, part) is not None


def _may_be_filled(path: Path, name: str) -> bool:
    """Whether a folder is empty, or a model saved before, which gives way to another."""
    from tealeaves.model_store import is_saved_model

    return path.is_dir() and (not any(path.iterdir()) or (name == "tealeaves" and is_saved_model(path)))


def _weights(model: TopicModel, what: str) -> Floats:
    if model.topic_word is None:
        found = f"model {model.name!r} is lists of words alone"
        raise InputError(f"{what} needs word weights, but {found}: write .json or .csv")
    return model.topic_word


def _json(content: Any) -> str:
    return json.dumps(content, ensure_ascii=False, allow_nan=False) + "\n"


def _lists(model: TopicModel, top: int) -> str:
    """Lists of words; with their names, where the topics have some."""
    lists = model.top_words(top)
    if model.topic_names is None:
        return json.dumps(lists, ensure_ascii=False, indent=1) + "\n"
    named = [{"name": name, "words": words} for name, words in zip(model.topic_names, lists, strict=True)]
    return json.dumps(named, ensure_ascii=False, indent=1) + "\n"


def _list(array: Any) -> Any:
    return array.tolist() if hasattr(array, "tolist") else array


def _matrices(model: TopicModel, top: int) -> str:
    parts: dict[str, Any] = {"vocabulary": list(model.vocabulary)}
    parts["topic_word"] = _weights(model, "a file of weights").tolist()
    for name in (*NAMES, "topic_names"):
        if getattr(model, name) is not None:
            parts[name] = _list(getattr(model, name))
    return _json(parts)


def _long(model: TopicModel, top: int) -> str:
    """A row for each top word: topic, rank from 1, word, and its weight unless the model has words alone."""
    index = {word: i for i, word in enumerate(model.vocabulary)}
    file = io.StringIO()
    rows = _csv_writer(file, model)
    rows.writerow(["topic", "rank", "word"] + ([] if model.topic_word is None else ["weight"]))
    for topic, words in enumerate(model.top_words(top)):
        for rank, word in enumerate(words, start=1):
            row = [] if model.topic_word is None else [repr(float(model.topic_word[topic, index[word]]))]
            rows.writerow([topic, rank, word, *row])
    return file.getvalue()


def _table(model: TopicModel, top: int) -> str:
    """A row for each topic under a header of words, as R's ``write.csv`` has it."""
    weights = _weights(model, "a table of weights")
    file = io.StringIO()
    rows = _csv_writer(file, model)
    rows.writerow([CORNER, *model.vocabulary])
    for name, row in zip(model.topic_names or range(model.n_topics), weights.tolist(), strict=True):
        rows.writerow([name, *map(repr, row)])
    return file.getvalue()


def _csv_writer(file: io.StringIO, model: TopicModel) -> Any:
    """A writer of rows; a carriage return in a word is not quoted by itself."""
    inside = any("\r" in word for word in (*model.vocabulary, *(model.topic_names or ())))
    return csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL if inside else csv.QUOTE_MINIMAL)


def _octis(model: TopicModel, top: int) -> dict[str, Any]:
    """What a model of OCTIS puts out, and its words, which OCTIS leaves out."""
    parts: dict[str, Any] = {"topics": model.top_words(top)}
    if model.topic_word is not None:
        parts |= {"topic-word-matrix": model.topic_word, "vocabulary": list(model.vocabulary)}
    if model.doc_topic is not None:
        parts["topic-document-matrix"] = model.doc_topic.T  # OCTIS has topics × documents
    return parts


def _octis_json(model: TopicModel, top: int) -> str:
    return _json({name: _list(part) for name, part in _octis(model, top).items()})


def _octis_npz(model: TopicModel, top: int) -> bytes:
    parts = _octis(model, top)
    longest = max(map(len, parts["topics"]))
    parts["topics"] = [topic + [""] * (longest - len(topic)) for topic in parts["topics"]]
    arrays = {name: np.asarray(part) for name, part in parts.items()}
    if any(word.endswith("\0") for word in model.vocabulary):
        raise InputError("a word ends with a zero character, which arrays of NumPy cannot keep")
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)  # type: ignore[arg-type]  # the stubs take only allow_pickle
    return file.getvalue()


def _pyldavis(model: TopicModel, top: int) -> str:
    """What ``pyLDAvis.prepare(**json.load(file))`` takes."""
    _weights(model, "pyLDAvis")
    corpus, doc_topic = model.corpus, model.doc_topic
    if doc_topic is None or corpus is None:
        lacks = "topics of documents" if doc_topic is None else "the corpus it was trained on"
        raise InputError(f"pyLDAvis needs {lacks}, which model {model.name!r} does not have")
    topics, documents = model.probabilities(), _shares(doc_topic)
    for what, rows in (("topic", topics), ("document", documents)):
        empty = np.flatnonzero(~rows.any(axis=1))
        if empty.size:
            raise InputError(f"pyLDAvis needs rows that sum to 1, but {what} {empty[0]} is empty")
    counts = dict(zip(corpus.vocabulary, corpus.word_counts().tolist(), strict=True))
    return _json(
        {
            "topic_term_dists": topics.tolist(),
            "doc_topic_dists": documents.tolist(),
            "doc_lengths": np.diff(corpus.offsets).tolist(),
            "vocab": list(model.vocabulary),
            "term_frequency": [counts.get(word, 0) for word in model.vocabulary],
        }
    )


def _shares(rows: Floats) -> Floats:
    exact = np.allclose(rows.sum(axis=1), 1, rtol=0, atol=1e-12)
    return rows if exact else rows_to_one(rows)


def _mallet(model: TopicModel, top: int) -> dict[str, str | bytes]:
    """Files as MALLET writes them: weights of words, topic keys, topics of documents, and a state."""
    weights = _weights(model, "MALLET's format")
    bad = next(
        (w for w in model.vocabulary if not w or set(w) & set("\t\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")), None
    )
    if bad is not None:
        raise InputError(f"MALLET's files have no place for the word {bad!r}")
    files: dict[str, str | bytes] = {}
    smoothed = _smoothed_counts(model)
    if smoothed is not None and model.corpus is not None:
        weights = smoothed  # as MALLET has them; beside a state a reader compares the two
        files["topic-state.gz"] = _state(model, model.corpus)
    lines = [
        f"{k}\t{w}\t{p!r}\n"
        for k, row in enumerate(weights.tolist())
        for w, p in zip(model.vocabulary, row, strict=True)
    ]
    files["topic-word-weights.txt"] = "".join(lines)
    if model.alpha is not None:
        blank = next(
            (word for words in model.top_words(top) for word in words if len(word.split()) != 1), None
        )
        if blank is not None:
            raise InputError(f"topic keys have no place for a word with a blank, {blank!r}")
        keys = zip(model.alpha.tolist(), model.top_words(top), strict=True)
        files["topic-keys.txt"] = "".join(f"{k}\t{a!r}\t{' '.join(w)} \n" for k, (a, w) in enumerate(keys))
    ids = None if model.corpus is None else model.corpus.ids
    if ids is not None and any("\t" in name or len(name.splitlines()) != 1 for name in ids):
        ids = None
    if model.doc_topic is not None:
        shares = _shares(model.doc_topic).tolist()
        files["doc-topics.txt"] = DOC_TOPICS + "".join(
            "\t".join([str(d), "no-name" if ids is None else ids[d], *map(repr, row)]) + "\n"
            for d, row in enumerate(shares)
        )
    return files


def _smoothed_counts(model: TopicModel) -> Floats | None:
    """n_kw + eta of the topics of tokens, if those are what the weights come from; else there is no state."""
    corpus = model.corpus
    if corpus is None or model.assignments is None or model.topic_word is None or model.alpha is None:
        return None
    if not isinstance(model.eta, float) or corpus.vocabulary != model.vocabulary or not corpus.n_tokens:
        return None
    if (
        (model.assignments < 0).any()
        or not corpus.word_counts().all()
        or corpus.offsets[-1] == corpus.offsets[-2]
    ):
        return None
    flat = model.assignments.astype(np.int64) * len(model.vocabulary) + corpus.tokens
    counts = np.bincount(flat, minlength=model.topic_word.size).reshape(model.topic_word.shape)
    smoothed = np.asarray(counts + model.eta, dtype=np.float64)
    expected = smoothed / smoothed.sum(axis=1, keepdims=True)
    return smoothed if np.allclose(_shares(model.topic_word), expected, rtol=1e-6, atol=0) else None


def _state(model: TopicModel, corpus: Corpus) -> bytes:
    import gzip

    topics = model.assignments.tolist() if model.assignments is not None else []
    alpha = model.alpha.tolist() if model.alpha is not None else []
    lines = [
        "#doc source pos typeindex type topic",
        f"#alpha : {' '.join(map(repr, alpha))} ",
        f"#beta : {model.eta!r}",
    ]
    tokens, offsets = corpus.tokens.tolist(), corpus.offsets.tolist()
    for doc, start in enumerate(offsets[:-1]):
        for i in range(start, offsets[doc + 1]):
            lines.append(f"{doc} NA {i - start} {tokens[i]} {model.vocabulary[tokens[i]]} {topics[i]}")
    return gzip.compress("".join(f"{line}\n" for line in lines).encode("utf-8"), mtime=0)


WEIGHTS = ("doc_topic", "assignments", "alpha", "eta", "topic_names")
WRITERS: dict[str, Writer] = {
    "tealeaves": Writer("our own folder", lambda model, top: None, WEIGHTS, folder=True),
    "json": Writer("JSON of lists", _lists, ("topic_names",)),
    "json-weights": Writer("JSON of weights", _matrices, WEIGHTS),
    "csv": Writer("CSV", _long),
    "csv-weights": Writer("CSV of weights", _table, ("topic_names",)),
    "octis": Writer("OCTIS's .npz", _octis_npz, ("doc_topic",)),
    "octis-json": Writer("OCTIS's output", _octis_json, ("doc_topic",)),
    "mallet": Writer("MALLET's output", _mallet, ("doc_topic", "assignments", "alpha", "eta"), folder=True),
    "pyldavis": Writer("pyLDAvis", _pyldavis, ("doc_topic", "assignments", "alpha", "eta")),
}
ENDINGS = {"": "tealeaves", ".json": "json", ".csv": "csv", ".npz": "octis"}
