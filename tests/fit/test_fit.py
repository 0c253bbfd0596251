import numpy as np
import pytest

import tealeaves as tl
from tealeaves.errors import InputError

SUBJECTS = (
    ("oil", "gas", "barrel", "opec"),
    ("law", "court", "judge", "tax"),
    ("wheat", "corn", "crop", "farm"),
)


@pytest.fixture(scope="module")
def corpus() -> tl.Corpus:
    """60 documents, each about one of three subjects that share no word."""
    draw = np.random.default_rng(0)
    return tl.Corpus.from_tokens([list(draw.choice(SUBJECTS[i % 3], size=30)) for i in range(60)])


@pytest.mark.parametrize("family", ["lda", "nmf"])
def test_planted_subjects_are_found(family, corpus):
    model = tl.fit(family, corpus, k=3)
    assert {frozenset(words) for words in model.top_words(4)} == {frozenset(subject) for subject in SUBJECTS}


@pytest.mark.parametrize("family", ["lda", "nmf"])
def test_the_topics_of_a_document_are_those_of_its_subject(family, corpus):
    model = tl.fit(family, corpus, k=3)
    topic_of = model.doc_topic.argmax(axis=1)
    for document in range(60):
        assert set(model.top_words(4)[topic_of[document]]) == set(SUBJECTS[document % 3])


@pytest.mark.parametrize("family", ["lda", "nmf"])
def test_the_same_seed_gives_the_same_model_to_the_last_bit(family, corpus):
    a, b = (tl.fit(family, corpus, k=3, seed=7) for _ in range(2))
    np.testing.assert_array_equal(a.topic_word, b.topic_word)
    np.testing.assert_array_equal(a.doc_topic, b.doc_topic)


def test_another_seed_starts_lda_elsewhere(corpus):
    a, b = (tl.fit("lda", corpus, k=3, seed=seed, iterations=1) for seed in (0, 1))
    assert not np.array_equal(a.topic_word, b.topic_word)


def test_lda_gives_probabilities_and_its_priors(corpus):
    model = tl.fit("lda", corpus, k=4, eta=0.2)
    np.testing.assert_allclose(model.topic_word.sum(axis=1), 1)
    np.testing.assert_allclose(model.doc_topic.sum(axis=1), 1)
    assert model.alpha.shape == (4,)
    assert (model.alpha > 0).all()
    assert model.eta == 0.2
    assert model.name == "lda-4"


def test_a_document_without_known_words_keeps_its_row():
    corpus = tl.Corpus.from_tokens([["oil", "gas"], [], ["law", "tax"]])
    assert tl.fit("nmf", corpus, k=2).doc_topic.shape == (3, 2)
    assert tl.fit("lda", corpus, k=2).doc_topic.shape == (3, 2)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (("lsa", 2), {}, "there is no family of models 'lsa'; did you mean 'lda'"),
        (("bertopic", 2), {}, "there are lda, nmf"),
        (("lda", 2), {"iteration": 5}, "lda has no option 'iteration'; did you mean 'iterations'"),
        (("lda", 2), {"alpha": 0}, "alpha must be a number above 0; got 0"),
        (("lda", 2), {"iterations": 0}, "iterations must be 1 or more; got 0"),
        (("lda", 0), {}, "k must be a number of topics, 1 or more; got 0"),
        (("lda", 2.5), {}, "k must be a number of topics, 1 or more; got 2.5"),
        (("lda", 2), {"seed": -1}, "seed must be a whole number"),
        (("nmf", 13), {}, r"as many topics as there are documents \(60\) and words \(12\); got k=13"),
    ],
)
def test_a_wrong_argument_is_told(corpus, arguments, options, message):
    family, k = arguments
    with pytest.raises(InputError, match=message):
        tl.fit(family, corpus, k, **options)


def test_a_corpus_without_tokens_is_refused():
    with pytest.raises(InputError, match="no token that is in its vocabulary"):
        tl.fit("lda", tl.Corpus.from_tokens([["oil"]], vocabulary=["gas"]), k=2)


@pytest.mark.parametrize("family", ["lda", "nmf"])
def test_what_is_no_corpus_is_refused(family):
    with pytest.raises(InputError, match=r"fitted to a Corpus, not to list: .*from_tokens"):
        tl.fit(family, [["oil", "gas"]], k=2)


def test_tokens_of_lda_get_the_topic_of_their_subject_and_unknown_ones_none(corpus):
    with_unknown = tl.Corpus.from_tokens(
        [[*map(corpus.vocabulary.__getitem__, corpus.document(i)), "unknown"] for i in range(len(corpus))],
        vocabulary=corpus.vocabulary,
    )
    model = tl.fit("lda", with_unknown, k=3)
    for token, topic in zip(with_unknown.tokens, model.assignments, strict=True):
        if token < 0:
            assert topic == -1
        else:
            assert with_unknown.vocabulary[token] in model.top_words(4)[topic]


def test_nmf_says_in_its_notes_that_it_had_not_converged(corpus):
    assert "not converged after 1 iterations" in tl.fit("nmf", corpus, k=3, iterations=1).notes[0]
