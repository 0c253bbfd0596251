"""Diagnostics of each topic as MALLET prints them: for reading topics, not for ranking models."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.corpus import Corpus
from tealeaves.errors import InputError
from tealeaves.model import TopicModel

if TYPE_CHECKING:
    import polars as pl

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# In MALLET's order and by its names, with what each is.
DIAGNOSTICS = {
    "tokens": "how many tokens the topic has",
    "document_entropy": "entropy of its tokens over documents, in nats: low is a topic of few documents",
    "word-length": "mean length of its top words, in letters: short ones are often debris",
    "coherence": "sum over pairs of top words of log((D(i, j) + beta) / (D(j) + beta)), j the better word, "
    "where D counts documents in which the words have this topic; the higher the better",
    "uniform_dist": "KL divergence of its words from all being as likely, in nats: low is a vague topic",
    "corpus_dist": "KL divergence of its words from the whole corpus', in nats: low is a topic of everything",
    "eff_num_words": "effective number of words: 1 / the sum of squared probabilities",
    "token-doc-diff": "Jensen-Shannon divergence of top words by tokens and by documents, in nats: high is "
    "a topic with words that burst in few documents",
    "rank_1_docs": "share of the documents with this topic in which it is the most frequent",
    "allocation_ratio": "documents at least half of this topic, over those with at least 2 % of it",
    "allocation_count": "share of the documents with this topic that are at least 30 % of it",
    "exclusivity": "mean over top words of p(word | topic), over the sum of it over all topics",
}


def diagnostics(
    model: "TopicModel | str | os.PathLike[str]",
    corpus: Corpus | None = None,
    *,
    top_words: int = 20,
    beta: float | None = None,
) -> "pl.DataFrame":
    """Twelve numbers for each topic, as MALLET's ``--diagnostics-file`` has them, in MALLET's names.

    All of them need the topics of tokens (``assignments``), as a MALLET state, tomotopy and our own
    samplers give them. For a model without, those that its word weights give are there and the others nan:
    word-length, uniform_dist, eff_num_words, exclusivity and, with a corpus, corpus_dist.

    Parameters
    ----------
    model : TopicModel or path
        A model; or the diagnostics.xml of MALLET, whose numbers are then shown as they were printed.
    corpus : Corpus, optional
        What the assignments are of, where the model does not carry it.
    top_words : int
        How many words of a topic are its top words: the 20 that MALLET prints by default.
    beta : float, optional
        Prior of a word in a topic, by default the model's (``eta``); coherence and exclusivity are nan
        without one.

    Returns
    -------
    polars.DataFrame
        A row a topic: ``topic`` (0-based) and the columns of ``DIAGNOSTICS``. A number is nan where the
        topic has no tokens, or the model lacks what it needs. Equal counts of words go by the larger word
        id, as in MALLET; a topic of fewer top words is judged by those it has.

    Raises
    ------
    InputError
        If the assignments are not of the corpus.

    References
    ----------
    Mimno, Wallach, Talley, Leenders and McCallum (2011), EMNLP, 262-272, for the coherence; MALLET's
    TopicModelDiagnostics for the others.

    Examples
    --------
    >>> docs = Corpus.from_tokens([["gas", "oil", "oil"], ["oil", "tax"]])
    >>> model = TopicModel(["gas", "oil", "tax"], [[1, 3, 0], [0, 0, 1]], assignments=[0, 0, 0, 0, 1],
    ...                    alpha=[0.5, 0.5], eta=0.1, corpus=docs)
    >>> diagnostics(model).select("tokens", "eff_num_words", "rank_1_docs").rows()
    [(4.0, 1.6, 1.0), (1.0, 1.0, 0.0)]
    """
    import polars as pl

    if isinstance(model, str | os.PathLike):
        from tealeaves.readers.mallet_xml import read_diagnostics

        return read_diagnostics(Path(model))
    if top_words < 1:
        raise InputError(f"the number of top words must be at least 1, got {top_words}")
    if beta is None and isinstance(model.eta, float):
        beta = model.eta
    corpus = corpus if corpus is not None else model.corpus
    found: dict[str, Any] = {"topic": np.arange(model.n_topics, dtype=np.int32)}
    found |= {name: np.full(model.n_topics, np.nan) for name in DIAGNOSTICS}
    with np.errstate(divide="ignore", invalid="ignore"):  # of topics without tokens, which are nan
        if model.assignments is not None and corpus is not None:
            found |= _of_tokens(model, corpus, top_words, beta)
        else:
            found |= _of_weights(model, corpus, top_words)
    return pl.DataFrame(found)


def _of_tokens(model: TopicModel, corpus: Corpus, n: int, beta: float | None) -> dict[str, Floats]:
    """Everything, from the topic of each token; tokens without a word or a topic take no part."""
    assignments = model.assignments
    if assignments is None or len(assignments) != corpus.n_tokens:
        wrong = f"are not of the {corpus.n_tokens} tokens of the corpus: hand over its own corpus"
        raise InputError(f"the assignments of model {model.name!r} {wrong}")
    n_topics, n_docs, n_words = model.n_topics, len(corpus), len(corpus.vocabulary)
    kept = (assignments >= 0) & (corpus.tokens >= 0)
    doc = np.repeat(np.arange(n_docs), np.diff(corpus.offsets))[kept]
    topic, word = assignments[kept].astype(np.int64), corpus.tokens[kept].astype(np.int64)
    by_word = _table(topic, word, n_topics, n_words)
    by_doc = _table(doc, topic, n_docs, n_topics)
    top = np.array([_best(row, n) for row in by_word])
    together = _documents_together(doc, topic, word, top)
    tokens = by_word.sum(axis=1).astype(np.float64)
    shares, everywhere = by_word / tokens[:, None], by_word.sum(axis=0) / tokens.sum()
    found: dict[str, Floats] = {
        "tokens": tokens,
        "document_entropy": np.log(tokens) - _plogp(by_doc).sum(axis=0) / tokens,
        "word-length": _word_length([[corpus.vocabulary[i] for i in row if i >= 0] for row in top]),
        "uniform_dist": _divergence(shares, np.full(n_words, 1 / n_words)),
        "corpus_dist": _divergence(shares, everywhere),
        "eff_num_words": 1 / (shares**2).sum(axis=1),
        "token-doc-diff": _token_doc_diff(by_word, top, together),
        **_allocation(by_doc, model.alpha),
    }
    if beta is not None:
        found["coherence"] = _coherence(top, together, beta)
        smoothed = (by_word + beta) / (tokens[:, None] + n_words * beta)
        found["exclusivity"] = _exclusivity(smoothed, top)
    return {
        name: np.where(tokens > 0, value, 0.0 if name == "tokens" else np.nan)
        for name, value in found.items()
    }


def _of_weights(model: TopicModel, corpus: Corpus | None, n: int) -> dict[str, Floats]:
    """What the weights of words alone tell."""
    found = {"word-length": _word_length(model.top_words(n))}
    if model.topic_word is None or (model.topic_word < 0).any():
        return found
    shares = model.probabilities()
    given = shares.any(axis=1)
    index = {word: i for i, word in enumerate(model.vocabulary)}
    top = np.full((model.n_topics, n), -1)
    for row, words in zip(top, model.top_words(n), strict=True):
        row[: len(words)] = [index[word] for word in words]
    found["uniform_dist"] = _divergence(shares, np.full(shares.shape[1], 1 / shares.shape[1]))
    found["eff_num_words"] = 1 / (shares**2).sum(axis=1)
    found["exclusivity"] = _exclusivity(shares, top)
    if corpus is not None:
        counts = dict(zip(corpus.vocabulary, corpus.word_counts().tolist(), strict=True))
        everywhere = np.array([counts.get(word, 0) for word in model.vocabulary], dtype=np.float64)
        found["corpus_dist"] = _divergence(shares, everywhere / everywhere.sum())
    return {name: np.where(given, value, np.nan) for name, value in found.items()}


def _table(a: Ints, b: Ints, n_a: int, n_b: int) -> Ints:
    return np.bincount(a * n_b + b, minlength=n_a * n_b).reshape(n_a, n_b)


def _best(counts: Ints, n: int) -> Ints:
    """The ids of the n most frequent words, of equal ones the larger id first, padded with -1."""
    ids = np.flatnonzero(counts)[::-1]
    ids = ids[np.argsort(-counts[ids], kind="stable")[:n]]
    return np.concatenate([ids, np.full(n - len(ids), -1)])


def _documents_together(doc: Ints, topic: Ints, word: Ints, top: Ints) -> Ints:
    """For each topic, how many documents hold two of its top words as tokens of it: (K, n, n)."""
    n_topics, n = top.shape
    result = np.zeros((n_topics, n, n), dtype=np.int64)
    for k in range(n_topics):
        rank = np.full(int(word.max(initial=-1)) + 1, -1)
        listed = top[k][top[k] >= 0]
        rank[listed] = np.arange(len(listed))
        of_topic = topic == k
        ranks, docs = rank[word[of_topic]], doc[of_topic]
        docs, ranks = docs[ranks >= 0], ranks[ranks >= 0]
        _, rows = np.unique(docs, return_inverse=True)
        holds = np.zeros((int(rows.max(initial=-1)) + 1, n), dtype=np.int64)
        holds[rows, ranks] = 1
        result[k] = holds.T @ holds
    return result


def _plogp(counts: Any) -> Floats:
    result: Floats = np.where(counts > 0, counts * np.log(np.maximum(counts, 1e-300)), 0.0)
    return result


def _divergence(p: Floats, q: Floats) -> Floats:
    """KL divergence of each row from q, in nats; inf where q has none of a word that the row has."""
    result: Floats = np.where(p > 0, p * np.log(p / q), 0.0).sum(axis=1)
    return result


def _word_length(lists: list[list[str]]) -> Floats:
    """Mean length of the words, in UTF-16 units as Java counts them."""
    lengths = [[len(word.encode("utf-16-le", "surrogatepass")) // 2 for word in words] for words in lists]
    return np.array([np.mean(row) if row else np.nan for row in lengths])


def _coherence(top: Ints, together: Ints, beta: float) -> Floats:
    n = top.shape[1]
    better, worse = np.triu_indices(n, k=1)
    given = top[:, worse] >= 0
    alone = together[:, better, better]
    terms = np.log((together[:, worse, better] + beta) / (alone + beta))
    result: Floats = np.where(given, terms, 0.0).sum(axis=1)
    return result


def _token_doc_diff(by_word: Ints, top: Ints, together: Ints) -> Floats:
    given = top >= 0
    tokens = np.where(given, np.take_along_axis(by_word, np.maximum(top, 0), axis=1), 0)
    docs = np.where(given, np.diagonal(together, axis1=1, axis2=2), 0)
    p, q = tokens / tokens.sum(axis=1, keepdims=True), docs / docs.sum(axis=1, keepdims=True)
    mean = (p + q) / 2
    both = np.where(p > 0, p * np.log(p / mean), 0.0) + np.where(q > 0, q * np.log(q / mean), 0.0)
    result: Floats = both.sum(axis=1) / 2
    return result


def _allocation(by_doc: Ints, alpha: Floats | None) -> dict[str, Floats]:
    """How the tokens of documents are shared among topics; of equally frequent topics the first is first."""
    n_topics = by_doc.shape[1]
    there = by_doc > 0
    holding = there.sum(axis=0).astype(np.float64)
    lengths = by_doc.sum(axis=1)
    first = np.bincount(by_doc.argmax(axis=1)[lengths > 0], minlength=n_topics)
    found: dict[str, Floats] = {"rank_1_docs": first / holding}
    if alpha is not None:
        shares = (by_doc + alpha) / (lengths[:, None] + alpha.sum())
        half, some, third = ((there & (shares >= level)).sum(axis=0) for level in (0.5, 0.02, 0.3))
        found |= {"allocation_ratio": half / some, "allocation_count": third / holding}
    return found


def _exclusivity(shares: Floats, top: Ints) -> Floats:
    ratios = shares / shares.sum(axis=0)
    listed = np.take_along_axis(ratios, np.maximum(top, 0), axis=1)
    result: Floats = np.where(top >= 0, listed, 0.0).sum(axis=1) / (top >= 0).sum(axis=1)
    return result
