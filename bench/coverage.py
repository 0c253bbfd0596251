"""Time coverage and stability: `python -m bench.coverage [models]`; the sizes of Korenčić et al. (2021).

133 reference topics over 23,155 words (as their Appendix A makes them: words and documents, a few percent of
the words each), models of 50 to 300 topics, 24,532 documents. In the same run, for the same models, a
straightforward loop over pairs, as one writes it first; it is timed on a few topics and told for all by their
pairs. Then stability of 10 runs, for topics in growing number. With OPENBLAS_NUM_THREADS=1 it is one thread.
"""

import gc
import resource
import sys
import time

import numpy as np
from scipy.spatial.distance import cityblock, cosine, euclidean

import tealeaves as tl
from tealeaves.matcher import Logistic, Matcher
from tealeaves.topic_pairs import FEATURES

WORDS, DOCUMENTS, REFERENCES, RUNS = 23_155, 24_532, 133, 10
SIZES = (50, 100, 150, 200, 300)


def topics(rng: np.random.Generator, k: int) -> np.ndarray:
    """Rows as LDA has them: some hundred words with weight, smoothing for the others."""
    rows = np.full((k, WORDS), 1e-7)
    for row in rows:
        used = rng.choice(WORDS, 400, replace=False)
        row[used] += rng.dirichlet(np.full(400, 0.1))
    return rows / rows.sum(axis=1, keepdims=True)


def references(rng: np.random.Generator) -> tl.ReferenceTopics:
    """Ten words and fifteen documents of a hundred words each."""
    rows = np.zeros((REFERENCES, WORDS))
    for row in rows:
        row[rng.choice(WORDS, 10, replace=False)] += 0.05
        row[rng.choice(WORDS, 1500, replace=False)] += rng.dirichlet(np.ones(1500)) / 2
    documents = np.zeros((REFERENCES, DOCUMENTS))
    for row in documents:
        row[rng.choice(DOCUMENTS, 15, replace=False)] = 1
    return tl.ReferenceTopics([f"w{i}" for i in range(WORDS)], rows, topic_document=documents)


def matcher() -> Matcher:
    """One with all eight features; which coefficients it has does not matter here."""
    one = Logistic(FEATURES, (-4.0,) * len(FEATURES), 10.0, 1.0, "l2")
    return Matcher(FEATURES, {"all": one, "no_cosine": one}, {}, ())


def looped(reference: np.ndarray, model: np.ndarray) -> float:
    """AuCDC pair by pair."""
    nearest = [min(cosine(r, k) for k in model) for r in reference]
    thresholds = np.linspace(0, 1, 51)
    return float(np.trapezoid([np.mean([d <= t for d in nearest]) for t in thresholds], thresholds))


def looped_features(a: np.ndarray, b: np.ndarray) -> list[float]:
    """Four distances of one pair of rows."""
    p, q = a / a.sum(), b / b.sum()
    hellinger = np.linalg.norm(np.sqrt(p) - np.sqrt(q)) / np.sqrt(2)
    return [cosine(a, b), hellinger, cityblock(p, q), euclidean(p, q)]


def clock(function):
    gc.collect()
    start, cpu = time.perf_counter(), time.process_time()
    value = function()
    return value, time.perf_counter() - start, time.process_time() - cpu


def main(n_models: int = 100) -> None:
    rng = np.random.default_rng(0)
    reference = references(rng)
    vocabulary = list(reference.vocabulary)
    other = [f"x{i}" for i in range(50)] + vocabulary[50:]  # a vocabulary that is not the reference's
    spent, pairs = np.zeros((3, 2)), 0
    decides = matcher()
    for i in range(n_models):
        k = SIZES[i % len(SIZES)]
        theta = rng.standard_gamma(0.1, (DOCUMENTS, k)).astype(np.float32) + np.float32(1e-9)
        model = tl.TopicModel(other if i % 2 else vocabulary, topics(rng, k), doc_topic=theta, name=f"m{i}")
        _, *first = clock(lambda model=model: tl.coverage(model, reference).distances)
        _, *second = clock(
            lambda model=model: tl.evaluate(model, reference_topics=reference, measures="au_cdc")
        )
        _, *third = clock(lambda model=model: decides.matches(reference, model))
        spent += [first, second, third]
        pairs += k * REFERENCES
    what = "AuCDC, tl.coverage", "AuCDC, tl.evaluate with its evidence", "SupCov, all eight features"
    for name, (wall, cpu) in zip(what, spent, strict=True):
        print(f"{name} of {n_models} models ({pairs:,} pairs): {wall:.1f} s, {cpu:.1f} CPU s", flush=True)
    small = model.topic_word[:20]
    _, wall, cpu = clock(lambda: looped(reference.topic_word, small))
    whole = cpu * pairs / (20 * REFERENCES)
    times = whole / spent[0, 1]
    print(
        f"pair by pair, AuCDC: {cpu:.1f} CPU s for 20 topics, so {whole:.0f} for all: {times:.0f} times",
        flush=True,
    )
    two, theta = model.topic_word[:2], model.doc_topic.T[:2]
    documents = reference.topic_document
    _, wall, cpu = clock(
        lambda: [
            looped_features(reference.topic_word[r], two[k]) + looped_features(documents[r], theta[k])
            for r in range(REFERENCES)
            for k in range(2)
        ]
    )
    whole = cpu * pairs / (2 * REFERENCES)
    times = whole / spent[2, 1]
    print(
        f"pair by pair, SupCov: {cpu:.1f} CPU s for 2 topics, so {whole:.0f} for all: {times:.0f} times",
        flush=True,
    )
    for k in (100, 200, 500):
        base = topics(rng, k)
        runs = []
        for _ in range(RUNS):
            rows = base * rng.lognormal(0, 0.5, base.shape)
            runs.append(tl.TopicModel(vocabulary, rows / rows.sum(axis=1, keepdims=True), name="lda"))
        _, wall, cpu = clock(lambda runs=runs: tl.stability(runs, ci=None))
        print(f"stability of {RUNS} runs of {k} topics: {wall:.1f} s, {cpu:.1f} CPU s", flush=True)
        del runs
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory: {peak:,.0f} MB")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
