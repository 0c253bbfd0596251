"""Coherence against values computed outside this project (``tests/golden/coherence_lee.json``)."""

import numpy as np
import pytest

from golden import CORPORA, LEE, number, tokens_of
from tealeaves.counts import Unit, count_pairs, window_unit
from tealeaves.measures import coherence

SPEC = {
    "u_mass": ("u_mass", None),
    "u_mass_mimno": ("umass", None),
    "c_uci": ("uci", 10),
    "c_npmi": ("npmi", 10),
    "c_v": ("c_v", 110),
}
SPEC |= {"umass": ("u_mass", None), "uci": ("uci", 10), "npmi": ("npmi", 10), "c_p": ("c_p", 70)}
# topics whose words repeat are another question: a repeated word counts once here
TOPICS = {name for name in LEE["topic_sets"] if not name.startswith("repeat")}


def score(corpus, topics, measure, unit, **options):
    """A measure's values for topics given as words, from the plain functions alone."""
    source = tokens_of(corpus)
    words = sorted({word for topic in topics for word in topic})
    ids = np.full((len(topics), max(map(len, topics))), -1, dtype=np.int32)
    for row, topic in zip(ids, topics, strict=True):
        row[: len(topic)] = [words.index(word) for word in topic]
    counts = count_pairs(source, words, [[i for i in row if i >= 0] for row in ids], [unit])[unit]
    return getattr(coherence, measure)(counts, ids, **options), counts, ids, words, source


def rows(tool, **where):
    for i, row in enumerate(LEE["coherence"] if tool != "palmetto" else LEE["palmetto"]):
        fits = (
            row["tool"] == tool
            and isinstance(row.get("per_topic"), list)
            and all(row.get(k) == v for k, v in where.items())
        )
        if fits:
            yield pytest.param(
                row, id=f"{row['measure']}-{row.get('window')}-{row['corpus']}-{row['topics']}-{i}"
            )


@pytest.mark.parametrize(
    "row",
    [
        r
        for r in rows("reference_exact")
        if r.values[0]["topics"] in TOPICS and r.values[0]["measure"] in SPEC
    ],
)
def test_the_exact_reference(row):
    measure, window = SPEC[row["measure"]]
    window = row["window"] if isinstance(row["window"], int) else window
    smoothing = {"smoothing": 1e-12} if measure == "npmi" else {}
    result, *_ = score(
        row["corpus"], LEE["topic_sets"][row["topics"]], measure, window_unit(window), oov="drop", **smoothing
    )
    expected = np.array([number(v) for v in row["per_topic"]], dtype=float)
    # the reference gives a topic of one word or none the empty sum, or the cosine of a word with itself
    if row["corpus"] == "edge_toy" and row["window"] == 3 and measure == "npmi":
        expected = np.array([1.0])  # P(a, b) = 1: the limit, where the bare formula says -1
    expected = np.where(result.n_terms == (1 if measure == "c_v" else 0), np.nan, expected)
    np.testing.assert_allclose(result.value, expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    "row",
    [r for r in rows("gensim") if r.values[0]["topics"] in TOPICS and (r.values[0].get("topn") or 10) >= 10],
)
def test_gensim_with_its_faults(row):
    measure, window = SPEC[row["measure"]]
    window = row["window"] if isinstance(row["window"], int) else window
    topics = LEE["topic_sets"][row["topics"]]
    known = set(tokens_of(row["corpus"]).vocabulary) | (
        {"zzzindict"} if "zzzindict" in row.get("dictionary", "") else set()
    )
    topics = [
        [word for word in topic if word in known] for topic in topics
    ]  # gensim drops what it does not know
    smoothing = {"smoothing": 1e-12} if measure == "npmi" else {}
    unit = window_unit(window, "gensim" if window else "")
    result, *_ = score(row["corpus"], topics, measure, unit, compat="gensim", **smoothing)
    expected = [number(v) for v in row["per_topic"]]
    np.testing.assert_allclose(result.value, expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("row", list(rows("palmetto")))
def test_palmetto(row):
    name = row["measure"]
    default = 10 * max(row["window"], 1)
    unit = Unit("context", 5, "palmetto") if name == "c_a" else window_unit(row["window"] or None)
    measure = {"c_a": "c_a", "c_v_gamma2": "c_v"}.get(name) or SPEC[name][0]
    options = {"gamma": 2} if name == "c_v_gamma2" else {}
    options |= {"smoothing": 1e-12} if measure == "npmi" else {}
    compat = {"compat": "palmetto"} if row["min_frequency"] == default else {"oov": "zero"}
    assert row["min_frequency"] in (1, default)
    result, *_ = score(row["corpus"], row["topic_words"], measure, unit, **options, **compat)
    np.testing.assert_allclose(result.value, [number(v) for v in row["per_topic"]], rtol=0, atol=1e-9)


def test_every_corpus_of_the_golden_file_is_rebuilt():
    assert {row["corpus"] for row in LEE["coherence"]} <= set(CORPORA)
