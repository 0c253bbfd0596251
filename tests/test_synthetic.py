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


def test_one_alpha_for_each_topic_makes_large_and_small_ones():
    alpha = [1.0, 0.1, 0.02]
    corpus, truth = synthetic.lda(k=3, documents=2000, length=50, vocabulary=30, alpha=alpha, seed=2)
    shares = np.bincount(truth.assignments, minlength=3) / corpus.n_tokens
    assert shares == pytest.approx(np.array(alpha) / sum(alpha), abs=0.02)
    assert truth.alpha.tolist() == alpha


def test_topics_go_in_pairs_as_much_as_asked():
    _, truth = synthetic.correlated(
        k=4, documents=4000, length=5, vocabulary=20, correlation=0.8, spread=1.0, seed=2
    )
    logs = np.log(truth.doc_topic)
    within, across = (logs[:, 0] - logs[:, 1]).var(), (logs[:, 0] - logs[:, 2]).var()
    assert within == pytest.approx(2 * (1 - 0.8), rel=0.1)  # variance of a difference of two numbers
    assert across == pytest.approx(2, rel=0.1)


def test_parameters_that_make_no_sense_are_named():
    sizes = {"k": 3, "documents": 5, "length": 20, "vocabulary": 30}
    with pytest.raises(InputError, match="alpha must be one number or 3, one for each topic; got 2"):
        synthetic.lda(**sizes, alpha=[0.1, 0.2])
    with pytest.raises(InputError, match="alpha and beta must be above 0"):
        synthetic.lda(**sizes, alpha=[0.1, 0.0, 0.1])
    with pytest.raises(InputError, match="correlation must be from -1 to 1; got 2"):
        synthetic.correlated(**sizes, correlation=2)
    with pytest.raises(InputError, match="spread and beta must be above 0; got 0"):
        synthetic.correlated(**sizes, spread=0)
