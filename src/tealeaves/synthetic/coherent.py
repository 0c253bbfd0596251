"""A planted corpus whose tokens have topics by the sentence."""

from typing import TYPE_CHECKING

import numpy as np

from tealeaves.synthetic._draws import check, check_between, check_positive

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus
    from tealeaves.model import TopicModel


def sentences(
    k: int,
    documents: int,
    length: int,
    vocabulary: int,
    *,
    words: int = 8,
    switch: float = 0.3,
    alpha: float = 0.3,
    beta: float = 0.05,
    seed: int = 0,
) -> "tuple[Corpus, TopicModel]":
    """A corpus in which all tokens of a sentence have one topic, with its texts, and the true model.

    A sentence draws its topic from the document's shares with probability ``switch``, as the first always
    does, and else keeps that of the one before: the hidden topic Markov model. With ``switch=1`` each draws,
    as in SentenceLDA.

    Parameters
    ----------
    k : int
        Topics, each drawn from a symmetric Dirichlet(beta) over the words.
    documents, length : int
        Number of documents, and the mean of their Poisson numbers of **sentences** (at least one each).
    vocabulary : int
        Words, named ``w0``, ``w1``, …
    words : int
        The mean of the Poisson numbers of words in a sentence (at least one each).
    switch : float
        From 0, a topic for each document, to 1.
    alpha, beta : float
        Dirichlet parameters of topics in a document and of words in a topic.
    seed : int
        Same seed, same corpus.

    Returns
    -------
    corpus, model
        The model's ``doc_topic`` and ``assignments`` are the true ones. The corpus has texts, a sentence a
        paragraph, from which `tealeaves.tokens.sentence_ids` finds the sentences again.

    Raises
    ------
    InputError
        If a size is below 1, a parameter is not positive, or ``switch`` is not from 0 to 1.

    References
    ----------
    Gruber, Rosen-Zvi and Weiss (2007), Hidden topic Markov models, AISTATS, 163-170.

    Examples
    --------
    >>> corpus, truth = sentences(k=3, documents=9, length=3, vocabulary=9, words=3, switch=0.5, seed=1)
    >>> corpus.texts[1].split()
    ['w4', 'w2', 'w7.', 'w2', 'w4', 'w2', 'w4', 'w2.', 'w6', 'w6', 'w6.']
    >>> truth.assignments[corpus.offsets[1] : corpus.offsets[2]].tolist()
    [1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2]
    """
    from tealeaves.corpus import Corpus
    from tealeaves.model import TopicModel

    check(seed, k=k, documents=documents, length=length, vocabulary=vocabulary, words=words)
    check_positive(alpha=alpha, beta=beta)
    check_between(0, 1, switch=switch)
    rng = np.random.default_rng(seed)
    phi = rng.dirichlet(np.full(vocabulary, beta), size=k)
    theta = rng.dirichlet(np.full(k, alpha), size=documents)
    n_sentences = np.maximum(rng.poisson(length, size=documents), 1)
    topics = []
    for d in range(documents):
        draws = rng.choice(k, size=n_sentences[d], p=theta[d])
        drew = rng.random(n_sentences[d]) < switch
        drew[0] = True
        topics.append(draws[np.maximum.accumulate(np.where(drew, np.arange(len(drew)), 0))])
    of_sentence = np.concatenate(topics)
    sizes = np.maximum(rng.poisson(words, size=len(of_sentence)), 1)
    z = np.repeat(of_sentence, sizes).astype(np.int32)
    tokens = np.empty(len(z), np.int32)
    for topic in range(k):
        places = np.flatnonzero(z == topic)
        tokens[places] = rng.choice(vocabulary, size=len(places), p=phi[topic])
    names = tuple(f"w{i}" for i in range(vocabulary))
    ends = np.cumsum(sizes)
    spoken = [" ".join(names[w] for w in tokens[a:b]) + "." for a, b in zip(ends - sizes, ends, strict=True)]
    last = np.cumsum(n_sentences)
    texts = ["\n\n".join(spoken[a:b]) for a, b in zip(last - n_sentences, last, strict=True)]
    offsets = np.concatenate([[0], ends[last - 1]]).astype(np.int64)
    corpus = Corpus(vocabulary=names, tokens=tokens, offsets=offsets, texts=texts)
    return corpus, TopicModel(
        names,
        topic_word=phi,
        doc_topic=theta,
        assignments=z,
        alpha=alpha,
        eta=beta,
        name=f"truth-{k}",
        corpus=corpus,
    )
