"""Documents to read: the least and the most consistent ones, their text with the topic of every word."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import TealeavesError

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus
    from tealeaves.measures.local import TokenTopics
    from tealeaves.model import TopicModel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
LEAST, MOST = 4, 2  # documents shown of each end
PASSAGE = 300  # tokens of a longer document that are shown
FEWEST = 20  # tokens with a topic below which a document says little
ALTERNATIVES = 3
STRIP = 120  # cells of the strip that stands for a whole long document


def documents_to_read(model: "TopicModel", corpus: "Corpus", found: "TokenTopics") -> list[dict[str, Any]]:
    """What a reader is shown of a model: documents from both ends of consistency, as plain data.

    Parameters
    ----------
    model : TopicModel
        The model; its probabilities of words tell which other topics a word could have.
    corpus : Corpus
        The documents whose tokens ``found`` are. Without texts their words alone are shown.
    found : TokenTopics
        The topic of every token.

    Returns
    -------
    list of dict
        ``id``, ``label``, ``end`` ("least" or "most"), ``consistency``, ``pairs`` (of neighbours),
        ``words`` (with a topic), ``text`` (of the passage shown), ``tokens`` ([start, end, topic,
        alternatives] in it, topic -1 for a word without one), ``first`` and ``total`` (tokens), ``topics``
        ([topic, share] of the document), ``strip`` (the commonest topic of each stretch of a document
        that is longer than its passage) and ``original`` (whether ``text`` is the document's own).
    """
    counts = _counts(found)
    chosen = [(d, "least") for d in _ends(*counts)[0]] + [(d, "most") for d in _ends(*counts)[1]]
    weights = _weights(model)
    return [{**_page(d, corpus, found, weights), "end": end} for d, end in chosen]


def _counts(found: "TokenTopics") -> tuple[Floats, Ints, Ints]:
    """Consistency, pairs of neighbours and tokens with a topic, of each document."""
    z, offsets = found.topics, found.offsets
    n_documents = len(offsets) - 1
    document = np.repeat(np.arange(n_documents), np.diff(offsets))
    near = (document[1:] == document[:-1]) & (z[1:] >= 0) & (z[:-1] >= 0)
    pairs = np.bincount(document[1:][near], minlength=n_documents)
    same = np.bincount(document[1:][near & (z[1:] == z[:-1])], minlength=n_documents)
    consistency = np.divide(same, pairs, out=np.full(n_documents, np.nan), where=pairs > 0)
    return consistency, pairs, np.bincount(document[z >= 0], minlength=n_documents)


def _ends(consistency: Floats, pairs: Ints, tokens: Ints) -> tuple[list[int], list[int]]:
    """The least and the most consistent documents of a usual length: the shortest are extreme by chance."""
    able = np.flatnonzero(pairs > 0)
    if not len(able):
        return [], []
    middle = np.median(tokens[able])
    usual = able[(tokens[able] >= min(max(FEWEST, middle / 2), tokens[able].max()))]
    order = usual[np.lexsort((usual, consistency[usual]))]
    least = order[:LEAST].tolist()
    most = [d for d in order[::-1][:MOST].tolist() if d not in least]
    return least, most


def _weights(model: "TopicModel") -> Floats | None:
    try:
        return model.probabilities()
    except TealeavesError:
        return None


def _page(d: int, corpus: "Corpus", found: "TokenTopics", weights: Floats | None) -> dict[str, Any]:
    begin, end = int(found.offsets[d]), int(found.offsets[d + 1])
    z, words = found.topics[begin:end], found.words[begin:end]
    known = z >= 0
    shares = np.bincount(z[known], minlength=found.n_topics) / max(known.sum(), 1)
    first = _passage(z)
    last = min(first + PASSAGE, len(z))
    text, places, original = _text(corpus, d, first, last)
    alternatives = _alternatives(shares, words, weights)
    near = known[1:] & known[:-1]
    pairs, same = int(near.sum()), int((near & (z[1:] == z[:-1])).sum())
    label = corpus.labels[d] if corpus.labels is not None else ""
    return {
        "id": corpus.ids[d] if corpus.ids is not None else str(d),
        "label": label if isinstance(label, str) else ", ".join(label or ()),
        "consistency": same / pairs if pairs else None,
        "pairs": pairs,
        "words": int(known.sum()),
        "text": text,
        "tokens": [[s, e, int(z[i]), alternatives(i)] for s, e, i in places],
        "first": first,
        "shown": last - first,
        "total": len(z),
        "topics": [[int(k), float(shares[k])] for k in np.argsort(-shares, kind="stable") if shares[k] > 0],
        "strip": _strip(z, found.n_topics) if len(z) > PASSAGE else [],
        "original": original,
    }


def _passage(z: NDArray[np.int32]) -> int:
    """Where the passage with most changes of topic begins, in a document too long to be shown whole."""
    if len(z) <= PASSAGE:
        return 0
    changes = np.concatenate([[0], np.cumsum((z[1:] != z[:-1]) & (z[1:] >= 0) & (z[:-1] >= 0))])
    ends = np.minimum(np.arange(len(z) - PASSAGE + 1) + PASSAGE - 1, len(z) - 1)
    return int(np.argmax(changes[ends] - changes[: len(ends)]))


def _text(corpus: "Corpus", d: int, first: int, last: int) -> tuple[str, list[tuple[int, int, int]], bool]:
    """The passage's text, (start, end, token) of its words in it, and whether it is the document's own."""
    from tealeaves.tokens import spans

    if corpus.texts is not None:
        try:
            places = [place for place in spans(corpus, d) if first <= place[2] < last]
        except TealeavesError:  # tokens that are not of this text: words alone are still true
            places = []
        if places:
            text = corpus.texts[d]
            whole = last - first == corpus.offsets[d + 1] - corpus.offsets[d]
            start = 0 if first == 0 else places[0][0]
            stop = len(text) if whole else places[-1][1]
            return text[start:stop], [(s - start, e - start, i) for s, e, i in places], True
    parts, places, at = [], [], 0
    for i, word in enumerate(corpus.document(d)[first:last].tolist(), start=first):
        shown = corpus.vocabulary[word] if word >= 0 else "…"
        places.append((at, at + len(shown), i))
        parts.append(shown)
        at += len(shown) + 1
    return " ".join(parts), places, False


def _alternatives(shares: Floats, words: NDArray[np.int32], weights: Floats | None) -> Any:
    """A function of a token: its likeliest topics under the document's shares, with their probabilities."""

    def of(i: int) -> list[list[float]]:
        if weights is None or words[i] < 0:
            return []
        joint = shares * weights[:, words[i]]
        total = joint.sum()
        if not total > 0:
            return []
        best = np.argsort(-joint, kind="stable")[:ALTERNATIVES]
        return [[int(k), round(float(joint[k] / total), 3)] for k in best if joint[k] / total >= 0.005]

    return of


def _strip(z: NDArray[np.int32], n_topics: int) -> list[int]:
    """The commonest topic of each of `STRIP` stretches, -1 where no word has one."""
    cells = []
    for part in np.array_split(z, STRIP):
        known = part[part >= 0]
        cells.append(int(np.bincount(known, minlength=n_topics).argmax()) if len(known) else -1)
    return cells
