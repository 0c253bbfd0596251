import numpy as np
import pytest

from tealeaves import synthetic
from tealeaves.errors import InputError


def test_words_of_a_topic_are_drawn_from_its_distribution():
    corpus, truth = synthetic.lda(k=3, documents=400, length=100, vocabulary=40, beta=1.0, seed=3)
    for topic in range(3):
        drawn = np.bincount(corpus.tokens[truth.assignments == topic], minlength=40)
        assert np.abs(drawn / drawn.sum() - truth.topic_word[topic]).max() < 0.02


def test_topics_of_a_document_are_drawn_from_its_proportions():
    corpus, truth = synthetic.lda(k=4, documents=5, length=5000, vocabulary=20, alpha=1.0, seed=4)
    for d in range(5):
        mine = truth.assignments[corpus.offsets[d] : corpus.offsets[d + 1]]
        assert np.abs(np.bincount(mine, minlength=4) / len(mine) - truth.doc_topic[d]).max() < 0.03


def test_the_same_seed_gives_the_same_corpus_and_another_seed_another():
    prints = [
        synthetic.lda(k=2, documents=10, length=20, vocabulary=30, seed=s)[0].fingerprint for s in (1, 1, 2)
    ]
    assert prints[0] == prints[1] != prints[2]


def test_sizes_that_make_no_sense_are_named():
    with pytest.raises(InputError, match="documents must be at least 1; got 0"):
        synthetic.lda(k=2, documents=0, length=20, vocabulary=30)
    with pytest.raises(InputError, match="alpha and beta must be above 0"):
        synthetic.lda(k=2, documents=1, length=20, vocabulary=30, beta=0)
