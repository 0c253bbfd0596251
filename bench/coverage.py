"""Time coverage and stability: `python -m bench.coverage [models]`; the sizes of Korenčić et al. (2021).

133 reference topics over 23,155 words (as their Appendix A makes them: words and documents, a few percent of
the words each), models of 50 to 300 topics. In the same run, for the same models, a straightforward loop over
pairs, as one writes it first; it is timed on a few models and told for all by their pairs. Then stability of
10 runs, for topics in growing number.
"""

import gc
import resource
import sys
import time

import numpy as np
from scipy.spatial.distance import cosine

import tealeaves as tl

WORDS, REFERENCES, RUNS = 23_155, 133, 10
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
    return tl.ReferenceTopics([f"w{i}" for i in range(WORDS)], rows)


def looped(reference: np.ndarray, model: np.ndarray) -> float:
    """AuCDC pair by pair."""
    nearest = [min(cosine(r, k) for k in model) for r in reference]
    thresholds = np.linspace(0, 1, 51)
    return float(np.trapezoid([np.mean([d <= t for d in nearest]) for t in thresholds], thresholds))


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
    spent, pairs = np.zeros((2, 2)), 0
    for i in range(n_models):
        k = SIZES[i % len(SIZES)]
        model = tl.TopicModel(other if i % 2 else vocabulary, topics(rng, k), name=f"m{i}")
        _, *first = clock(lambda model=model: tl.coverage(model, reference).distances)
        _, *second = clock(
            lambda model=model: tl.evaluate(model, reference_topics=reference, measures="au_cdc")
        )
        spent += [first, second]
        pairs += k * REFERENCES
    for name, (wall, cpu) in zip(("tl.coverage", "tl.evaluate, with its evidence"), spent, strict=True):
        print(f"{name} of {n_models} models ({pairs:,} pairs): {wall:.1f} s, {cpu:.1f} CPU s", flush=True)
    small = model.topic_word[:20]
    _, wall, cpu = clock(lambda: looped(reference.topic_word, small))
    whole = cpu * pairs / (20 * REFERENCES)
    times = whole / spent[0, 1]
    print(
        f"pair by pair: {cpu:.1f} CPU s for 20 topics, so {whole:.0f} for all: {times:.0f} times", flush=True
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
