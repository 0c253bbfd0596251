"""Reader of a folder with what one run of MALLET has written: all of it together is one model.

Files are told by what is in them, for MALLET lets everyone name them.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import FormatError
from tealeaves.model import TopicModel
from tealeaves.readers._files import read_bytes
from tealeaves.readers._recognise import HEAD, by_head, by_lines
from tealeaves.readers.mallet import read_mallet_keys, read_mallet_state
from tealeaves.readers.mallet_tables import (
    DocTopics,
    read_doc_topics,
    read_topic_word_weights,
    read_word_topic_counts,
)
from tealeaves.readers.mallet_xml import read_diagnostics, read_mallet_diagnostics, read_mallet_phrases

# Where the topics are taken from: the first kind that is there.
SOURCES: dict[str, Callable[[Path], TopicModel]] = {
    "mallet-state": read_mallet_state,
    "mallet-weights": read_topic_word_weights,
    "mallet-counts": read_word_topic_counts,
    "mallet-keys": read_mallet_keys,
    "mallet-diagnostics": read_mallet_diagnostics,
    "mallet-phrases": read_mallet_phrases,
}
MANY = 300  # files in a folder that are looked into


def mallet_files(folder: Path) -> dict[str, list[Path]]:
    """The files of a folder that MALLET has written, by their format."""
    found: dict[str, list[Path]] = {}
    for path in sorted(entry for entry in folder.iterdir() if entry.is_file())[:MANY]:
        try:
            head = read_bytes(path, HEAD)
        except FormatError:  # damaged, and not ours to judge
            continue
        format = by_head(path, head) or (None if b"\x00" in head else by_lines(head)) or ""
        if format.startswith("mallet-"):
            found.setdefault(format, []).append(path)
    return found


def is_mallet_run(folder: Path) -> bool:
    """Whether a file in the folder is one of MALLET's with topics and their words."""
    return bool(set(mallet_files(folder)) & set(SOURCES))


def read_mallet_run(path: str | Path) -> TopicModel:
    """Read a folder of MALLET's output: the state, or weights, counts, keys or XML, and what is beside it.

    Names of documents come from the topics of documents, which a state lacks. Files of two runs are not
    mixed: what one says must be what the others say.

    Raises
    ------
    FormatError
        If two files disagree, with both names and what each has, or one is damaged.
    """
    folder = Path(path)
    files = mallet_files(folder)
    kind = next((kind for kind in SOURCES if kind in files), None)
    if kind is None:
        raise FormatError(folder, "holds no state, weights, topic keys or diagnostics of MALLET")
    source = _one(folder, files.pop(kind), kind)
    model = SOURCES[kind](source)
    for other in (name for name in SOURCES if name in files):
        beside = _one(folder, files[other], other)
        found = SOURCES[other](beside)
        _check_topics(beside, found, source, model)
        if found.alpha is not None and kind != "mallet-state":  # keys round it, the XML after them does not
            model = replace(model, alpha=found.alpha)
        if other == "mallet-diagnostics":
            _check_tokens(beside, source, model)
        if other in {"mallet-weights", "mallet-counts"}:
            _check_counts(beside, found, source, model, other)
    if "mallet-doc-topics" in files:
        model = _with_documents(folder, files["mallet-doc-topics"], source, model)
    return replace(model, source=f"{folder.name} (MALLET, topics of {source.name})")


def _one(folder: Path, paths: list[Path], kind: str) -> Path:
    """The one file of a kind; of states saved on the way, which end in their iteration, the final one."""
    final = [path for path in paths if not re.fullmatch(r"\.\d+", path.suffix)] or paths
    if len(final) == 1:
        return final[0]
    names = " and ".join(path.name for path in final[:4])
    what = kind.removeprefix("mallet-")
    raise FormatError(folder, f"has {len(final)} files of {what} ({names}): which is meant? Name it")


def _check_topics(beside: Path, found: TopicModel, source: Path, model: TopicModel) -> None:
    """See that two files have the same topics: as many, with the same best words and prior."""
    if found.n_topics != model.n_topics:
        counts = f"has {found.n_topics} topics, but {source.name} has {model.n_topics}"
        raise FormatError(beside, f"{counts}: they are of different runs")
    if found.alpha is not None and model.alpha is not None:
        odd = np.flatnonzero(~np.isclose(found.alpha, model.alpha, rtol=2e-3, atol=1e-5))
        if odd.size:
            k = odd[0]
            said = f"has alpha {found.alpha[k]:.5g} for topic {k}, but {source.name} has {model.alpha[k]:.5g}"
            raise FormatError(beside, f"{said}: they are of different runs")
    best = found.top_words(5)
    for k, words in enumerate(best):
        if not _are_best(words, model, k):
            theirs = " ".join(model.top_words(5)[k])
            said = f"topic {k} begins with {' '.join(words)!r}, but in {source.name} with {theirs!r}"
            raise FormatError(beside, f"{said}: they are of different runs")


def _are_best(words: list[str], model: TopicModel, topic: int) -> bool:
    """Whether no other word is heavier than those; equally heavy ones stand in any order."""
    if model.topic_word is None:
        return model.top_words(max(1, len(words)))[topic] == words
    index = {word: i for i, word in enumerate(model.vocabulary)}
    if not all(word in index for word in words):
        return False
    weights = model.topic_word[topic]
    given = weights[[index[word] for word in words]]
    return not words or bool(np.isclose(np.sort(given), np.sort(weights)[-len(words) :], rtol=1e-6).all())


def _check_tokens(beside: Path, source: Path, model: TopicModel) -> None:
    said = read_diagnostics(beside)
    if "tokens" not in said.columns or model.assignments is None:
        return
    tokens = np.bincount(model.assignments, minlength=model.n_topics)
    odd = np.flatnonzero(said["tokens"].to_numpy() != tokens)
    if odd.size:
        k = int(odd[0])
        counts = f"has {said['tokens'][k]:.0f} tokens of topic {k}, but {source.name} has {tokens[k]}"
        raise FormatError(beside, f"{counts}: they are of different runs")


def _check_counts(beside: Path, found: TopicModel, source: Path, model: TopicModel, kind: str) -> None:
    """See that weights or counts of words are those of the tokens of a state."""
    corpus, eta = model.corpus, model.eta
    if corpus is None or model.assignments is None or found.topic_word is None or not isinstance(eta, float):
        return
    flat = model.assignments.astype(np.int64) * len(corpus.vocabulary) + corpus.tokens
    counts = np.bincount(flat, minlength=model.n_topics * len(corpus.vocabulary))
    ours = dict(zip(corpus.vocabulary, counts.reshape(model.n_topics, -1).T, strict=True))
    none = np.zeros(model.n_topics)
    expected = np.array([ours.get(word, none) for word in found.vocabulary]).T
    theirs = found.topic_word - (eta if kind == "mallet-weights" else 0)
    odd = np.argwhere(~np.isclose(theirs, expected, atol=1e-3))
    if odd.size:
        k, w = odd[0].tolist()
        said = f"gives word {found.vocabulary[w]!r} {theirs[k, w]:.6g} tokens in topic {k}"
        raise FormatError(
            beside, f"{said}, but {source.name} {expected[k, w]:.6g}: they are of different runs"
        )


def _with_documents(folder: Path, paths: list[Path], source: Path, model: TopicModel) -> TopicModel:
    """The model with topics and names of its documents; files of other documents are left out, and named."""
    tables = {path: read_doc_topics(path, model.n_topics) for path in paths}
    if model.corpus is None:
        path = _one(folder, paths, "mallet-doc-topics")
        found = tables[path]
        return replace(model, doc_topic=found.shares, notes=(*model.notes, *found.notes))
    fits = {path: table for path, table in tables.items() if _is_of(table.shares, model)}
    if not fits and len(tables) == 1:
        counts = f"has {len(tables[paths[0]].shares)} documents, but {source.name} has {len(model.corpus)}"
        raise FormatError(paths[0], f"{counts}: they are of different runs")
    notes = [f"{path.name} was left out: it is of other documents" for path in tables if path not in fits]
    if not fits:
        return replace(model, notes=(*model.notes, *notes))
    path = _one(folder, list(fits), "mallet-doc-topics")
    _check_shares(path, fits[path], source, model)
    shares, ids = fits[path].shares, fits[path].ids
    empty = np.full(len(shares) - len(model.corpus), model.corpus.offsets[-1])
    corpus = replace(
        model.corpus,
        offsets=np.concatenate([model.corpus.offsets, empty]),
        ids=ids or (model.corpus.ids if not empty.size else None),
    )
    doc_topic = np.concatenate([_rows(model), shares[len(shares) - len(empty) :]])
    return replace(model, doc_topic=doc_topic, corpus=corpus, notes=(*model.notes, *notes))


def _is_of(shares: NDArray[np.float64], model: TopicModel) -> bool:
    """Whether a table is of the documents of the state, or also of empty ones after them."""
    known = 0 if model.corpus is None else len(model.corpus)
    if len(shares) <= known or model.alpha is None:
        return len(shares) == known
    return bool(np.isclose(shares[known:], model.alpha / model.alpha.sum(), rtol=1e-3, atol=1e-5).all())


def _rows(model: TopicModel) -> NDArray[np.float64]:
    return np.zeros((0, model.n_topics)) if model.doc_topic is None else model.doc_topic


def _check_shares(path: Path, found: DocTopics, source: Path, model: TopicModel) -> None:
    if model.doc_topic is None or found.notes:  # what a threshold has left out cannot be compared
        return
    shares = found.shares[: len(model.doc_topic)]
    odd = np.argwhere(~np.isclose(shares, model.doc_topic, rtol=1e-3, atol=1e-5))
    if odd.size:
        d, k = odd[0].tolist()
        said = f"gives topic {k} {shares[d, k]:.5g} of document {d}"
        ours = f"but from {source.name} it is {model.doc_topic[d, k]:.5g}"
        raise FormatError(path, f"{said}, {ours}: they are of different runs")
