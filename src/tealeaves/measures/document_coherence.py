"""Coherence without counting pairs: how alike a topic's documents are, and the vectors of its words."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import InputError
from tealeaves.measures._table import Values, measure

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Floats = NDArray[np.float64]
Ids = NDArray[np.int32]
Ints = NDArray[np.int64]
NEAR = 0.92056  # cosine distance within which the source's news texts are joined: 2 % of pairs are


def tf_idf(tokens: Ids, offsets: Ints, n_words: int) -> "csr_array":
    """The documents as rows of tf-idf, of length 1: ``(1 + log tf) * (1 + log((1 + D) / (1 + df)))``.

    Parameters
    ----------
    tokens, offsets
        As of a ``Corpus``; tokens of -1 are passed over, and a document of nothing else is a row of zeros.
    n_words : int
        Words of the vocabulary.
    """
    from scipy.sparse import csr_array

    n_documents = len(offsets) - 1
    document = np.repeat(np.arange(n_documents), np.diff(offsets))
    known = tokens >= 0
    counts = csr_array(
        (np.ones(int(known.sum())), (document[known], tokens[known])), shape=(n_documents, n_words)
    )
    counts.sum_duplicates()
    frequency = np.bincount(counts.indices, minlength=n_words)
    weights = (1 + np.log(counts.data)) * (1 + np.log((1 + n_documents) / (1 + frequency)))[counts.indices]
    row = np.repeat(np.arange(n_documents), np.diff(counts.indptr))
    length = np.sqrt(np.bincount(row, weights**2, minlength=n_documents))
    return csr_array((weights / length[row], counts.indices, counts.indptr), shape=counts.shape)


@measure(
    "doc_coherence",
    needs=("doc_topic", "documents"),
    axes=("topic",),
    best="high",
    source="korencic2018",
    range="[-1, inf)",
    choices={"variant": ("centroid", "graph")},
)
def doc_coherence(
    doc_topic: Floats,
    vectors: Any,
    *,
    documents: int = 50,
    variant: str = "centroid",
    threshold: float = NEAR,
) -> Values:
    """Document coherence: how alike the documents are that have most of a topic; higher is better.

    It sees topics of news stories, whose words share no window. ``variant="centroid"``: minus the mean over
    the documents of ``1 - cos(x, mean of x)``, from -1 to 0. ``variant="graph"``: documents whose cosine
    distance is at most ``threshold`` are joined; the mean over documents of their communicability
    centrality, ``trace(exp(A)) / n`` of the adjacency matrix A: 1 where none is joined, up to about
    ``exp(n - 1) / n``. Compare values of one variant, one corpus and equal numbers of documents only.

    Parameters
    ----------
    doc_topic : float array of shape (D, K)
        The weight of each topic in each document.
    vectors : float array or scipy sparse matrix of shape (D, V)
        A vector of each document, such as ``tf_idf`` makes; a row of zeros is a document without words,
        which is passed over.
    documents : int
        How many documents stand for a topic: those with the most of it, ties in the order of the corpus;
        fewer where fewer have any of it.
    variant : {"centroid", "graph"}
        How their likeness is measured.
    threshold : float
        The greatest cosine distance of documents that are joined. The default is the source's choice for
        tf-idf of English news, where 2 % of all pairs of documents are as near; take that of your corpus.

    Returns
    -------
    Values
        Of shape (K,), ``n_terms`` documents each; nan if a topic has fewer than two ("one document"), or
        if the communicability of a graph is beyond what a number can hold ("overflow").

    Raises
    ------
    InputError
        If there is not a row of each for every document.

    References
    ----------
    Korenčić, Ristov and Šnajder (2018), Expert Systems with Applications 114, 357-373; Estrada and
    Rodríguez-Velázquez (2005), Physical Review E 71, 056103.

    Examples
    --------
    >>> doc_topic = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    >>> vectors = np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> doc_coherence(doc_topic, vectors).value.round(4)  # the same; at a right angle: sqrt(1/2) - 1
    array([ 0.    , -0.2929])
    """
    if vectors.shape[0] != len(doc_topic):
        raise InputError(
            f"doc_coherence needs a vector of each document: there are {vectors.shape[0]} vectors, "
            f"but topic proportions of {len(doc_topic)} documents"
        )
    has_words = np.asarray(abs(vectors).sum(axis=1)).ravel() > 0
    score = {"centroid": _to_centroid, "graph": _communicability}[variant]
    value = np.full(doc_topic.shape[1], np.nan)
    n_terms = np.zeros(doc_topic.shape[1], dtype=np.int64)
    for k, weight in enumerate(doc_topic.T):
        order = np.argsort(-weight, kind="stable")
        chosen = order[(has_words & (weight > 0))[order]][:documents]
        n_terms[k] = len(chosen)
        if len(chosen) >= 2:
            value[k] = score(_cosines(vectors[chosen]), threshold)
    reason = np.where(n_terms < 2, "one document", np.where(np.isinf(value), "overflow", ""))
    return Values(np.where(reason == "", value, np.nan), n_terms, reason)


def _cosines(rows: Any) -> Floats:
    """The cosine of each two rows, of which none is zero."""
    products = rows @ rows.T
    gram = np.asarray(products.toarray() if hasattr(products, "toarray") else products, dtype=np.float64)
    length = np.sqrt(gram.diagonal())
    result: Floats = gram / length[:, None] / length
    return result


def _to_centroid(cosines: Floats, _threshold: float) -> float:
    """Minus the mean distance to the centroid, of rows of length 1: their cosines are all it takes."""
    total = cosines.sum()  # the squared length of the sum of all rows
    if total <= 0:
        return -1.0  # the rows cancel out, and nothing is like a centroid of zeros
    return min(float(np.sqrt(total)) / len(cosines), 1.0) - 1


def _communicability(cosines: Floats, threshold: float) -> float:
    joined = (1 - cosines <= threshold).astype(np.float64)
    np.fill_diagonal(joined, 0)
    with np.errstate(over="ignore"):
        return float(np.exp(np.linalg.eigvalsh(joined)).mean())


@measure(
    "we_coherence",
    needs=("top_words", "word_vectors"),
    axes=("topic",),
    best="high",
    source="fang2016",
    range="[-1, 1]",
    choices={"oov": ("undefined", "drop")},
)
def we_coherence(top_words: Ids, word_vectors: Floats, *, oov: str = "undefined") -> Values:
    """Word embedding coherence: how alike the vectors of a topic's top words are; higher is better.

    The mean over pairs of words of the cosine of their vectors, ``u . v / (|u| |v|)``: 1 where all point
    the same way, -1 where two point opposite ways.

    Parameters
    ----------
    top_words : int array of shape (K, N)
        Word ids of K topics, padded with -1 where a topic is shorter.
    word_vectors : float array of shape (W, dimensions)
        The vector of each word; nan for a word that has none. One of zeros has no direction, and counts
        as none.
    oov : {"undefined", "drop"}
        What a word without vector does: the topic is undefined, or the word is left out.

    Returns
    -------
    Values
        Of shape (K,), ``n_terms`` pairs each; nan if a word has no vector ("no vector"), or fewer than two
        words are left ("one word").

    References
    ----------
    Fang, Macdonald, Ounis and Habel (2016), SIGIR, 1057-1060; Ding, Nallapati and Xiang (2018), EMNLP,
    830-836.

    Examples
    --------
    >>> vectors = np.array([[1.0, 0.0], [3.0, 0.0], [-1.0, 0.0]])
    >>> we_coherence(np.array([[0, 1], [0, 2]]), vectors).value  # the same way; opposite ways
    array([ 1., -1.])
    """
    largest = np.abs(word_vectors).max(
        axis=1, keepdims=True, initial=0
    )  # so that no square over- or underflows
    with np.errstate(invalid="ignore", divide="ignore"):
        scaled = word_vectors / largest
        unit = scaled / np.linalg.norm(scaled, axis=1, keepdims=True)
    known = np.append(np.isfinite(unit).all(axis=1), False)  # the last is where -1 points
    unit = np.vstack([np.where(known[:-1, None], unit, 0.0), np.zeros((1, unit.shape[1]))])
    given, usable = top_words >= 0, known[top_words]
    lost = (given & ~usable).any(axis=1) & (oov == "undefined")
    n_words = usable.sum(axis=1)
    vectors = unit[np.where(usable, top_words, -1)]
    i, j = np.triu_indices(top_words.shape[1], k=1)
    n_terms = n_words * (n_words - 1) // 2
    cosines = np.clip((vectors[:, i] * vectors[:, j]).sum(axis=-1), -1, 1)  # 0 for what is not there
    with np.errstate(invalid="ignore", divide="ignore"):
        value = cosines.sum(axis=1) / n_terms
    reason = np.where(lost, "no vector", np.where(n_words < 2, "one word", ""))
    return Values(np.where(reason == "", value, np.nan), n_terms, reason)
