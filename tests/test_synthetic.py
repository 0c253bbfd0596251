import numpy as np
import pytest

import tealeaves as tl
from tealeaves import synthetic
from tealeaves.errors import InputError
from tealeaves.tokens import sentence_ids


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
    with pytest.raises(InputError, match="documents must be a whole number, at least 1; got 0"):
        synthetic.lda(k=2, documents=0, length=20, vocabulary=30)
    with pytest.raises(InputError, match=r"(alpha|beta) must be a number above 0"):
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
    with pytest.raises(InputError, match=r"(alpha|beta) must be a number above 0"):
        synthetic.lda(**sizes, alpha=[0.1, 0.0, 0.1])
    with pytest.raises(InputError, match="correlation must be a number from -1 to 1; got 2"):
        synthetic.correlated(**sizes, correlation=2)
    with pytest.raises(InputError, match="spread must be a number above 0; got 0"):
        synthetic.correlated(**sizes, spread=0)


def test_sizes_of_topics_fall_by_one_factor_and_the_largest_comes_first():
    corpus, truth = synthetic.skewed(k=4, documents=6000, length=50, vocabulary=30, ratio=27, seed=2)
    shares = np.bincount(truth.assignments, minlength=4) / corpus.n_tokens
    wanted = np.array([27, 9, 3, 1]) / 40
    assert shares == pytest.approx(wanted, abs=0.02)
    assert truth.alpha.mean() == pytest.approx(0.1)


def test_copies_are_as_alike_as_asked_and_have_tokens_of_their_own():
    corpus, truth = synthetic.duplicated(k=6, documents=500, length=40, vocabulary=200, copies=2, seed=4)
    np.testing.assert_array_equal(truth.topic_word[4:], truth.topic_word[:2])
    assert (np.bincount(truth.assignments, minlength=6) > 0.05 * corpus.n_tokens).all()
    cosines = []
    for alike in (0.0, 0.5, 0.9, 1.0):
        _, truth = synthetic.duplicated(
            k=6, documents=5, length=5, vocabulary=200, copies=3, alike=alike, seed=4
        )
        unit = truth.topic_word / np.linalg.norm(truth.topic_word, axis=1, keepdims=True)
        cosines.append((unit[:3] * unit[3:]).sum(axis=1).mean())
    assert cosines == sorted(cosines)
    assert cosines[0] < 0.3
    assert cosines[-1] == pytest.approx(1)


def test_a_sentence_has_one_topic_and_draws_a_new_one_as_often_as_asked():
    k, switch = 20, 0.3
    corpus, truth = synthetic.sentences(
        k=k, documents=400, length=20, vocabulary=100, switch=switch, alpha=100.0, seed=6
    )
    ids = sentence_ids(corpus)
    starts = np.flatnonzero(np.diff(ids, prepend=-1))
    of_sentence = truth.assignments[starts]
    np.testing.assert_array_equal(truth.assignments, of_sentence[ids])
    document = np.repeat(np.arange(len(corpus)), np.diff(corpus.offsets))[starts]
    same_document = document[1:] == document[:-1]
    changed = (of_sentence[1:] != of_sentence[:-1])[same_document].mean()
    assert changed == pytest.approx(switch * (1 - 1 / k), abs=0.015)  # equal shares: a draw may repeat
    assert len(starts) == sum(text.count(".") for text in corpus.texts)


def test_without_switches_a_document_has_one_topic():
    corpus, truth = synthetic.sentences(k=5, documents=30, length=9, vocabulary=50, switch=0, seed=1)
    for d in range(len(corpus)):
        assert len(set(truth.assignments[corpus.offsets[d] : corpus.offsets[d + 1]].tolist())) == 1


def test_words_of_sentences_are_drawn_from_their_topic():
    corpus, truth = synthetic.sentences(k=3, documents=400, length=20, vocabulary=40, beta=1.0, seed=3)
    for topic in range(3):
        drawn = np.bincount(corpus.tokens[truth.assignments == topic], minlength=40)
        assert np.abs(drawn / drawn.sum() - truth.topic_word[topic]).max() < 0.02
    assert np.diff(corpus.offsets).mean() == pytest.approx(20 * 8, rel=0.05)


@pytest.mark.parametrize(
    ("make", "options", "message"),
    [
        (synthetic.skewed, {"ratio": 0.5}, "ratio must be a number from 1 to inf; got 0.5"),
        (synthetic.skewed, {"alpha": 0}, "alpha must be a number above 0; got 0"),
        (synthetic.skewed, {"k": 0}, "k must be a whole number, at least 1; got 0"),
        (synthetic.duplicated, {"copies": 2}, "copies must be a whole number from 0 to half of k, 1; got 2"),
        (synthetic.duplicated, {"alike": 1.5}, "alike must be a number from 0 to 1; got 1.5"),
        (synthetic.duplicated, {"beta": 0}, "(alpha|beta) must be a number above 0"),
        (synthetic.sentences, {"switch": -0.1}, "switch must be a number from 0 to 1; got -0.1"),
        (synthetic.sentences, {"words": 0}, "words must be a whole number, at least 1; got 0"),
        (synthetic.sentences, {"alpha": 0}, "(alpha|beta) must be a number above 0"),
    ],
)
def test_what_cannot_be_planted_is_named(make, options, message):
    with pytest.raises(InputError, match=message):
        make(**{"k": 3, "documents": 5, "length": 20, "vocabulary": 30, **options})


# --- each planted corpus moves the measures it is made for


def test_duplicated_topics_are_the_least_different_and_measures_of_diversity_see_it():
    sizes = {"k": 8, "documents": 50, "length": 30, "vocabulary": 400, "seed": 2}
    values = []
    for copies in (0, 2, 4):
        corpus, truth = synthetic.duplicated(**sizes, copies=copies)
        values.append(
            tl.evaluate(truth, corpus, measures=["topic_diversity@10"], ci=None).value("topic_diversity")
        )
    assert values == sorted(values, reverse=True)
    assert values[0] - values[2] == pytest.approx(0.5, abs=0.15)  # half of the lists say nothing new


def test_the_less_topics_switch_the_lower_is_switch_p():
    values = []
    for switch in (0.05, 0.3, 1.0):
        corpus, truth = synthetic.sentences(
            k=6, documents=80, length=12, vocabulary=100, switch=switch, alpha=1.0, seed=3
        )
        values.append(tl.evaluate(truth, corpus, measures=["switch_p"], ci=None).value("switch_p"))
    assert values == sorted(values)
    assert values[2] > 5 * values[0]


def test_true_topics_cover_themselves_wherever_they_are_planted():
    for make, options in (
        (synthetic.lda, {}),
        (synthetic.skewed, {}),
        (synthetic.correlated, {}),
        (synthetic.sentences, {}),
    ):
        _, truth = make(k=4, documents=20, length=20, vocabulary=60, seed=1, **options)
        assert tl.coverage([truth], tl.ReferenceTopics.from_model(truth)).value("au_cdc") == pytest.approx(1)


WRONG = [
    {"seed": -1},
    {"seed": 1.5},
    {"k": 2.5},
    {"documents": True},
    {"length": 2.5},
    {"vocabulary": "many"},
    {"beta": "x"},
    {"beta": float("nan")},
    {"alpha": "a"},
    {"alpha": ["a"]},
    {"alpha": float("inf")},
]


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize(
    "make",
    [synthetic.lda, synthetic.skewed, synthetic.duplicated, synthetic.sentences, synthetic.drifting],
)
def test_what_is_no_number_or_no_whole_one_is_named_by_every_maker(make, wrong):
    sizes = {"k": 3, "documents": 5, "length": 4, "vocabulary": 30}
    slices = {"slices": 2} if make is synthetic.drifting else {}
    (name,) = wrong
    with pytest.raises(InputError, match=f"{name} must be a "):
        make(**(sizes | slices | wrong))


def test_numbers_of_numpy_are_numbers():
    corpus, _ = synthetic.lda(np.int64(2), np.int32(4), 5, 6, alpha=np.float32(0.5), seed=np.int64(1))
    assert len(corpus) == 4
