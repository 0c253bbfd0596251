import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

import tealeaves as tl
from tealeaves.errors import InputError
from tealeaves.fit import FAMILIES

SUBJECTS = (
    ("oil", "gas", "barrel", "opec"),
    ("law", "court", "judge", "tax"),
    ("wheat", "corn", "crop", "farm"),
)
STATIC = ["lda", "alda", "hdp", "pyp", "ctm", "plsa", "nmf", "lsi", "anchor", "sentence_lda", "htmm"]
OF_SENTENCES = ("sentence_lda", "htmm")  # here each token is a sentence, so that they are as LDA is
FINDS_ITS_NUMBER = {"hdp", "pyp"}
PROBABILITIES = [family for family in STATIC if family not in ("nmf", "lsi")]
TOKENS = ["lda", "alda", "hdp", "pyp", "sentence_lda", "htmm"]
QUICK = {"lda": 200, "alda": 200, "hdp": 100, "pyp": 100, "plsa": 100, "sentence_lda": 100, "htmm": 100}

each = pytest.mark.parametrize("family", STATIC)


def quick(family, corpus, k, seed=0, **options):
    """The family with fewer sweeps than by default: these corpora are small."""
    if family in QUICK:
        options = {"iterations": QUICK[family], **options}
    if family in OF_SENTENCES:
        options = {"sentences": 1, **options}
    return tl.fit(family, corpus, k, seed, **options)


def similarities(found, truth):
    """The cosines of true topics with the found ones that match them best one to one."""
    a, b = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in (truth, found))
    cosine = a @ b.T
    return cosine[linear_sum_assignment(-cosine)]


@pytest.fixture(scope="module")
def corpus() -> tl.Corpus:
    """60 documents, each about one of three subjects that share no word."""
    draw = np.random.default_rng(0)
    return tl.Corpus.from_tokens([list(draw.choice(SUBJECTS[i % 3], size=30)) for i in range(60)])


@pytest.fixture(scope="module")
def planted():
    return tl.synthetic.lda(k=5, documents=300, length=80, vocabulary=300, seed=1)


def test_every_family_of_topics_is_tested_here_and_dynamic_ones_elsewhere():
    assert set(STATIC) == set(FAMILIES) - {"dlda", "detm"}


# --- what was planted is found


@pytest.mark.parametrize("family", [family for family in STATIC if family != "lsi"])
def test_planted_subjects_are_found(family, corpus):
    model = quick(family, corpus, k=3)
    assert {frozenset(words) for words in model.top_words(4)} == {frozenset(subject) for subject in SUBJECTS}


@pytest.mark.parametrize("family", [family for family in STATIC if family != "lsi"])
def test_the_topics_of_a_document_are_those_of_its_subject(family, corpus):
    model = quick(family, corpus, k=3)
    topic_of = model.doc_topic.argmax(axis=1)
    for document in range(60):
        assert set(model.top_words(4)[topic_of[document]]) == set(SUBJECTS[document % 3])


# The least mean cosine with the true topics that a family reached in trials, less a margin.
RECOVERED = {
    "lda": 0.99,
    "alda": 0.99,
    "hdp": 0.99,
    "pyp": 0.99,
    "ctm": 0.99,
    "plsa": 0.98,
    "nmf": 0.88,
    "anchor": 0.95,
    "sentence_lda": 0.99,
    "htmm": 0.99,
}


@pytest.mark.parametrize("family", RECOVERED)
def test_topics_of_a_corpus_drawn_from_lda_are_recovered(family, planted):
    corpus, truth = planted
    model = quick(family, corpus, k=12 if family in FINDS_ITS_NUMBER else 5, seed=7)
    assert similarities(model.topic_word, truth.topic_word).mean() > RECOVERED[family]


def test_variational_lda_recovers_topics_as_well_as_gibbs_where_it_does_not_merge_two(planted):
    corpus, truth = planted
    options = {"method": "variational", "iterations": 40}
    models = [quick("lda", corpus, k=5, seed=seed, **options) for seed in (1, 2, 3)]
    found = [similarities(model.topic_word, truth.topic_word) for model in models]
    assert max(x.mean() for x in found) > 0.98


@pytest.mark.parametrize("family", ["hdp", "pyp"])
def test_the_number_of_topics_is_found(family, planted):
    model = quick(family, planted[0], k=30, seed=3, iterations=150)
    sizes = np.bincount(model.assignments, minlength=model.n_topics)
    assert (sizes > 0.01 * sizes.sum()).sum() == 5
    assert (np.diff(sizes) <= 0).all()  # the largest comes first
    assert model.name == f"{family}-{model.n_topics}"
    assert not model.notes


def test_a_model_that_uses_all_the_topics_it_may_says_so(planted):
    model = quick("hdp", planted[0], k=2)
    assert model.n_topics == 2
    assert "all 2 topics that k allows are used" in model.notes[0]


def test_asymmetric_lda_learns_which_topics_are_large():
    alpha = [1.0, 0.3, 0.1, 0.03]
    corpus, truth = tl.synthetic.lda(k=4, documents=800, length=60, vocabulary=200, alpha=alpha, seed=5)
    model = quick("alda", corpus, k=4, seed=1, iterations=300)
    cosine = truth.topic_word @ model.topic_word.T
    learnt = model.alpha[linear_sum_assignment(-cosine)[1]]
    assert learnt == pytest.approx(alpha, rel=0.5)
    assert quick("lda", corpus, k=4, iterations=5).alpha.tolist() == [0.1] * 4


def test_the_correlated_model_sees_which_topics_go_together():
    corpus, truth = tl.synthetic.correlated(k=4, documents=600, length=60, vocabulary=200, seed=3)
    model = quick("ctm", corpus, k=4)
    order = linear_sum_assignment(-(truth.topic_word @ model.topic_word.T))[1]
    found = np.corrcoef(np.log(model.doc_topic[:, order]).T)
    assert min(found[0, 1], found[2, 3]) > 0.3 > max(found[0, 2], found[1, 3])


@pytest.mark.parametrize("family", TOKENS)
def test_topics_of_tokens_are_those_they_were_drawn_from(family, planted):
    corpus, truth = planted
    model = quick(family, corpus, k=5, seed=7)
    table = np.zeros((5, model.n_topics))
    np.add.at(table, (truth.assignments, model.assignments), 1)
    right = table[linear_sum_assignment(-table)].sum() / corpus.n_tokens
    assert right > 0.95


def test_singular_values_of_lsi_are_numpy_s(planted):
    from sklearn.feature_extraction.text import TfidfTransformer

    from tealeaves.fit._matrix import document_term

    weights = TfidfTransformer(sublinear_tf=True).fit_transform(document_term(planted[0])).toarray()
    expected = np.linalg.svd(weights, compute_uv=False)[:5]
    model = tl.fit("lsi", planted[0], k=5)
    np.testing.assert_allclose(np.linalg.norm(model.doc_topic, axis=0), expected, rtol=1e-3)
    np.testing.assert_allclose(np.linalg.norm(model.topic_word, axis=1), 1)


# --- what every family promises


@each
def test_the_same_seed_gives_the_same_model_to_the_last_bit(family, corpus):
    a, b = (quick(family, corpus, k=3, seed=7) for _ in range(2))
    np.testing.assert_array_equal(a.topic_word, b.topic_word)
    np.testing.assert_array_equal(a.doc_topic, b.doc_topic)


@pytest.mark.parametrize("family", ["plsa", "ctm"])
def test_the_number_of_threads_does_not_change_the_model(family, corpus):
    a, b = (quick(family, corpus, k=3, workers=workers) for workers in (1, 2))
    np.testing.assert_array_equal(a.topic_word, b.topic_word)


@pytest.mark.parametrize("family", ["lda", "alda", "hdp", "pyp", "sentence_lda", "htmm"])
def test_another_seed_starts_elsewhere(family, planted):
    a, b = (quick(family, planted[0], k=3, seed=seed, iterations=1) for seed in (0, 1))
    assert a.topic_word.shape != b.topic_word.shape or not np.array_equal(a.topic_word, b.topic_word)


@pytest.mark.parametrize("family", PROBABILITIES)
def test_probabilities_sum_to_1(family, corpus):
    model = quick(family, corpus, k=3)
    assert model.normalized
    np.testing.assert_allclose(model.topic_word.sum(axis=1), 1, rtol=1e-9)
    np.testing.assert_allclose(model.doc_topic.sum(axis=1), 1, rtol=1e-9)


@each
def test_a_model_says_what_made_it_and_is_saved_and_loaded_whole(family, corpus, tmp_path):
    model = quick(family, corpus, k=3)
    assert "k=3" in model.source
    assert model.corpus is corpus
    model.save(tmp_path / "model")
    again = tl.load_model(tmp_path / "model")
    assert again.source == model.source
    assert again.top_words(4) == model.top_words(4)
    np.testing.assert_array_equal(again.doc_topic, model.doc_topic)
    assert (again.assignments is not None) == (model.assignments is not None) == (family in TOKENS)


@each
def test_documents_without_words_keep_their_rows(family, corpus):
    documents = [[corpus.vocabulary[w] for w in corpus.document(i)] for i in range(len(corpus))]
    gaps = [[], documents[0], ["unknown"], *documents[1:], []]
    with_gaps = tl.Corpus.from_tokens(gaps, vocabulary=corpus.vocabulary)
    model = quick(family, with_gaps, k=3)
    assert model.doc_topic.shape == (63, model.n_topics)
    assert np.isfinite(model.doc_topic).all()
    if family != "lsi":
        empty = model.doc_topic[[0, 2, 62]].sum(axis=1)
        np.testing.assert_allclose(empty, 0 if family == "nmf" else 1)


@pytest.mark.parametrize("family", TOKENS)
def test_tokens_outside_the_vocabulary_have_no_topic(family, corpus):
    with_unknown = tl.Corpus.from_tokens(
        [[*map(corpus.vocabulary.__getitem__, corpus.document(i)), "unknown"] for i in range(len(corpus))],
        vocabulary=corpus.vocabulary,
    )
    model = quick(family, with_unknown, k=3)
    for token, topic in zip(with_unknown.tokens, model.assignments, strict=True):
        if token < 0:
            assert topic == -1
        else:
            assert with_unknown.vocabulary[token] in model.top_words(4)[topic]


@pytest.mark.parametrize("family", ["lda", "alda", "hdp", "pyp", "ctm", "plsa", "sentence_lda", "htmm"])
def test_progress_is_told_up_to_the_end(family, corpus):
    told = []
    quick(family, corpus, k=3, progress=lambda what, done, total: told.append((what, done, total)))
    assert told[0][0].startswith(f"fitting {family}")
    done = [step[1] for step in told]
    assert done == sorted(done)
    if family != "ctm":  # which may converge before
        assert told[-1][1] == told[-1][2]


def test_progress_does_not_change_the_model(corpus):
    for family in ("lda", "alda"):
        plain = quick(family, corpus, k=3)
        watched = quick(family, corpus, k=3, progress=lambda *_: None)
        np.testing.assert_array_equal(plain.topic_word, watched.topic_word)


@pytest.mark.parametrize(("family", "iterations"), [("nmf", 1), ("plsa", 2), ("ctm", 1)])
def test_a_fit_that_had_not_converged_says_so_in_its_notes(family, iterations, planted):
    notes = tl.fit(family, planted[0], k=3, iterations=iterations).notes
    assert f"had not converged after {iterations} iterations" in notes[0]


# --- mistakes


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (("lsa", 2), {}, "there is no family of models 'lsa'; did you mean"),
        (("bertopic", 2), {}, "there are lda, alda, hdp, pyp, ctm, plsa, nmf, lsi, anchor"),
        (("lda", 2), {"iteration": 5}, "lda has no option 'iteration'; did you mean 'iterations'"),
        (("lsi", 2), {"iterations": 5}, "lsi has no option 'iterations'; it has none"),
        (("lda", 2), {"alpha": 0}, "alpha must be a number above 0; got 0"),
        (("lda", 2), {"alpha": "auto"}, "alpha must be a number above 0; got 'auto'"),
        (("lda", 2), {"iterations": 0}, "iterations must be 1 or more; got 0"),
        (("lda", 2), {"method": "vb"}, "method must be 'gibbs' or 'variational'; got 'vb'"),
        (("alda", 2), {"burn_in": -1}, "burn_in must be 0 or more; got -1"),
        (("hdp", 2), {"concentration": 0}, "concentration must be a number above 0; got 0"),
        (("pyp", 2), {"discount": 1}, "discount must be a number between 0 and 1; got 1"),
        (("plsa", 2), {"restarts": 0}, "restarts must be 1 or more; got 0"),
        (("ctm", 2), {"start": "warm"}, "start must be 'spectral' or 'random'; got 'warm'"),
        (("ctm", 1), {}, "ctm needs 2 topics or more"),
        (("anchor", 2), {"min_df": 2}, "min_df must be a share of documents from 0 to below 1; got 2"),
        (("anchor", 12), {}, "k=12 topics of more than 12 words, but only 12 are in 1.00%"),
        (("lda", 0), {}, "k must be a number of topics, 1 or more; got 0"),
        (("lda", 2.5), {}, "k must be a number of topics, 1 or more; got 2.5"),
        (("lda", 2), {"seed": -1}, "seed must be a whole number"),
        (("nmf", 13), {}, r"as many topics as there are documents \(60\) and words \(12\); got k=13"),
        (("lsi", 13), {}, r"as many topics as there are documents \(60\) and words \(12\); got k=13"),
        (("lda", 13), {}, "k=13 topics cannot be told apart by 12 different words"),
        (("plsa", 13), {}, "k=13 topics cannot be told apart by 12 different words"),
    ],
)
def test_a_wrong_argument_is_told(corpus, arguments, options, message):
    family, k = arguments
    with pytest.raises(InputError, match=message):
        tl.fit(family, corpus, k, **options)


def test_more_topics_than_documents_are_refused_where_they_cannot_be():
    small = tl.Corpus.from_tokens([list("abcdef"), list("defghi")])
    for family in ("nmf", "lsi"):
        with pytest.raises(InputError, match=r"as there are documents \(2\) and words \(9\); got k=3"):
            tl.fit(family, small, k=3)


@each
def test_a_corpus_without_tokens_is_refused(family):
    with pytest.raises(InputError, match="no token that is in its vocabulary"):
        tl.fit(family, tl.Corpus.from_tokens([["oil"]], vocabulary=["gas"]), k=2)


@each
def test_one_document_is_refused(family):
    k = 1 if family in ("nmf", "lsi") else 2
    with pytest.raises(InputError, match="but only 1 document of 2 has a word"):
        tl.fit(family, tl.Corpus.from_tokens([["oil", "gas", "tax"], []]), k=k)


@each
def test_what_is_no_corpus_is_refused(family):
    with pytest.raises(InputError, match=r"fitted to a Corpus, not to list: .*from_tokens"):
        tl.fit(family, [["oil", "gas"]], k=2)
