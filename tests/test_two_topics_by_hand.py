"""Two topics of Reuters scored by hand: the article's table, from its counts and from the text."""

from itertools import combinations

import numpy as np
import pytest

import tealeaves as tl
from tealeaves.counts import DOCUMENT, PairCounts, count_pairs
from tealeaves.measures.coherence import npmi, npmi_matrix, uci, umass

STORIES = 7769
ENERGY = ["oil", "gas", "energy", "reserves", "production"]
JUNK = ["department", "dutch", "guilders", "credit", "hughes"]
STORIES_WITH = dict(zip(ENERGY + JUNK, [730, 275, 237, 274, 515, 430, 97, 37, 342, 19], strict=True))
# the pair, the stories that hold both, its UMass term, PMI and NPMI
TABLE = [
    ("oil", "gas", 207, -1.256, 2.081, 0.574),
    ("oil", "energy", 147, -1.596, 1.887, 0.476),
    ("gas", "energy", 84, -1.174, 2.304, 0.509),
    ("oil", "reserves", 74, -2.276, 1.056, 0.227),
    ("gas", "reserves", 51, -1.666, 1.660, 0.330),
    ("energy", "reserves", 22, -2.333, 0.968, 0.165),
    ("oil", "production", 169, -1.457, 1.251, 0.327),
    ("gas", "production", 74, -1.299, 1.401, 0.301),
    ("energy", "production", 76, -1.124, 1.576, 0.341),
    ("reserves", "production", 49, -1.701, 0.992, 0.196),
]
NEVER = [("department", "guilders"), ("hughes", "dutch"), ("hughes", "guilders"), ("hughes", "credit")]
in_print = pytest.mark.parametrize("row", TABLE, ids=lambda row: "-".join(row[:2]))


def of_the_article():
    """Counts of the five words of the first topic, as printed."""
    joint = np.diag([STORIES_WITH[word] for word in ENERGY])
    for first, second, both, *_ in TABLE:
        i, j = ENERGY.index(first), ENERGY.index(second)
        joint[i, j] = joint[j, i] = both
    return PairCounts.from_matrix("document", STORIES, joint)


@in_print
def test_each_pair_has_the_printed_terms(row):
    first, second, _, umass_term, pmi, normalised = row
    pair = np.array([[ENERGY.index(first), ENERGY.index(second)]])
    counts = of_the_article()
    assert umass(counts, pair).value[0] == pytest.approx(umass_term, abs=5.01e-4)
    assert uci(counts, pair, smoothing=0).value[0] == pytest.approx(pmi, abs=5.01e-4)
    assert npmi(counts, pair).value[0] == pytest.approx(normalised, abs=5.01e-4)
    assert npmi_matrix(counts, pair[0])[0, 1] == pytest.approx(normalised, abs=5.01e-4)


def test_the_first_topic_has_the_printed_sum_and_mean():
    topic = np.array([range(5)])
    assert umass(of_the_article(), topic).value == pytest.approx([-15.88], abs=5e-3)
    assert npmi(of_the_article(), topic).value == pytest.approx([0.344], abs=6e-4)  # 0.34446
    assert umass(of_the_article(), topic).n_terms == npmi(of_the_article(), topic).n_terms == 10


# --- from the text


@pytest.fixture(scope="module")
def train(data):
    """The 7,769 training stories of the ApteMod split, as runs of letters."""
    path = data / "reuters" / "reuters_apte.jsonl.gz"
    corpus = tl.read_corpus(path, text="text", preprocess=tl.Preprocess(pattern=r"[a-z]+"))
    return corpus.select([i for i, name in enumerate(corpus.ids) if name.startswith("training/")])


@pytest.fixture(scope="module")
def scores(train):
    model = tl.TopicModel.from_words([ENERGY, JUNK])
    return tl.evaluate(model, train, measures=["umass@5", "npmi@5"], resamples=100, chance=0)


def test_the_stories_that_hold_a_word_or_a_pair_are_as_many_as_printed(train):
    words = ENERGY + JUNK
    counts = count_pairs(train, words, [range(5), range(5, 10)], [DOCUMENT])[DOCUMENT]
    assert counts.n_units == STORIES
    assert dict(zip(words, counts.singles.tolist(), strict=True)) == STORIES_WITH
    found = {pair: int(counts.joint(*map(words.index, pair))) for pair in [row[:2] for row in TABLE] + NEVER}
    assert found == {row[:2]: row[2] for row in TABLE} | dict.fromkeys(NEVER, 0)
    assert counts.joint(words.index("dutch"), words.index("guilders")) == 29


def test_both_topics_have_the_printed_coherence(scores):
    assert scores.topics("umass@5") == pytest.approx([-15.88, -37.50], abs=5e-3)
    assert scores.topics("npmi@5") == pytest.approx([0.344, -0.282], abs=6e-4)


def test_the_matrix_of_pairs_shows_why_the_second_topic_is_junk(scores):
    pairs = scores.details.pairs["model"]["1"]
    assert pairs["words"] == JUNK
    assert pairs["single"] == [STORIES_WITH[word] for word in JUNK]
    matrix = np.array(pairs["npmi"])
    apart = {frozenset(pair) for pair in NEVER}
    for i, j in combinations(range(5), 2):
        assert (matrix[i, j] == -1) == ({JUNK[i], JUNK[j]} in apart)
        assert pairs["joint"][i][j] == pairs["joint"][j][i]
    assert matrix[JUNK.index("dutch"), JUNK.index("guilders")] == pytest.approx(0.740, abs=5e-4)
    energy = scores.details.pairs["model"]["0"]
    for first, second, both, *_, normalised in TABLE:
        i, j = energy["words"].index(first), energy["words"].index(second)
        assert energy["joint"][i][j] == both
        assert energy["npmi"][i][j] == pytest.approx(normalised, abs=5.01e-4)


def test_the_two_topics_differ_by_far_more_than_their_intervals(scores):
    frame = scores.frame.filter((scores.frame["level"] == "topic") & (scores.frame["measure"] == "npmi@5"))
    (good_low, junk_low), (good_high, junk_high) = frame["low"], frame["high"]
    assert junk_low < junk_high < good_low < good_high
