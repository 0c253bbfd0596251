"""Time inference and held-out likelihood beside their peers: `python -m bench.held_out [K]`.

One thread each, in one run, so that ratios can be trusted. scikit-learn: `transform` of its LDA; gensim:
`inference` of its LdaModel, on fewer documents; tomotopy: `infer` of its LDAModel, 100 sweeps beside 100 of
our Gibbs sampling. An update is a word type, topic and round; of Gibbs sampling a token, topic and sweep.
"""

import sys
import time
from itertools import pairwise

import numpy as np

DOCUMENTS, LENGTH, VOCABULARY = 4_000, 150, 20_000
FEWER, SCORED = 200, 40  # documents for gensim, and to be scored by estimators


def inputs(k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Zipf-Mandelbrot tokens in documents, and topics from a Dirichlet around the same frequencies."""
    rng = np.random.default_rng(0)
    p = 1 / (np.arange(VOCABULARY) + 2.7)
    p /= p.sum()
    topics = rng.gamma(200 * p * VOCABULARY / 1000 + 1e-3, size=(k, VOCABULARY)) + 1e-9
    topics /= topics.sum(1, keepdims=True)
    theta = rng.dirichlet(np.full(k, 0.1), size=DOCUMENTS)
    tokens = [rng.choice(VOCABULARY, size=LENGTH, p=row @ topics) for row in theta]
    return np.concatenate(tokens).astype(np.int32), np.arange(DOCUMENTS + 1, dtype=np.int64) * LENGTH, topics


def timed(run) -> tuple[float, object]:
    """Seconds of CPU of the second call: the first compiles."""
    run()
    start = time.process_time()
    found = run()
    return time.process_time() - start, found


def main(k: int) -> None:
    """Print one table."""
    from gensim.models import LdaModel
    from scipy.sparse import csr_matrix
    from sklearn.decomposition import LatentDirichletAllocation

    from tealeaves._kernels import likelihood
    from tealeaves.infer import dirichlet, proportions

    tokens, offsets, topics = inputs(k)
    rows = np.repeat(np.arange(DOCUMENTS), LENGTH)
    counts = csr_matrix((np.ones(len(tokens)), (rows, tokens)), shape=(DOCUMENTS, VOCABULARY))
    counts.sum_duplicates()
    types, alpha, weights = counts.nnz, np.full(k, 0.1), topics * 1e6
    print(
        f"{DOCUMENTS:,} documents, {len(tokens):,} tokens, {types:,} word types in them, K={k}, CPU seconds"
    )
    print("| what | s | updates/s | words/s |\n| --- | ---: | ---: | ---: |")

    def line(what: str, seconds: float, rounds: float) -> float:
        updates = types * k * rounds / DOCUMENTS / seconds
        print(
            f"| {what} | {seconds:.2f} | {updates / 1e6:,.0f}M | {len(tokens) / seconds / 1e6:.2f}M |",
            flush=True,
        )
        return seconds

    seconds, (_, used, _) = timed(lambda: proportions(tokens, offsets, topics, None, "em", workers=1))
    line("tealeaves em", seconds, used.sum())
    seconds, (_, used) = timed(lambda: dirichlet(tokens, offsets, topics, alpha, 100, 1e-3, 1))
    ours = line("tealeaves vb", seconds, used.sum())
    fitted = LatentDirichletAllocation(k, doc_topic_prior=0.1, max_iter=1, random_state=0).fit(counts[:20])
    fitted.components_ = weights
    fitted.exp_dirichlet_component_ = topics
    seconds, _ = timed(lambda: fitted.transform(counts))
    theirs = line("scikit-learn transform", seconds, used.sum())
    bags = [list(zip(counts[d].indices.tolist(), counts[d].data.tolist(), strict=True)) for d in range(FEWER)]
    words = {i: str(i) for i in range(VOCABULARY)}
    peer = LdaModel(
        id2word=words, num_topics=k, alpha=alpha, iterations=100, random_state=0, dtype=np.float64
    )
    peer.expElogbeta = topics
    start = time.process_time()
    peer.inference(bags)
    gensim = line("gensim inference", (time.process_time() - start) * DOCUMENTS / FEWER, used.sum())
    print(f"\nvb: {theirs / ours:.1f} times scikit-learn's speed, {gensim / ours:.1f} times gensim's")
    gibbs(tokens, offsets, topics, alpha)
    given = (
        tokens[: offsets[SCORED]],
        offsets[: SCORED + 1],
        np.arange(SCORED),
        np.ascontiguousarray(topics.T),
        alpha,
    )
    log_p, error = np.empty(SCORED), np.empty(SCORED)
    for name, run, draws in (
        (
            "chib, 1000 samples",
            lambda: likelihood.chib(*given, 1000, 10, np.uint64(1), 0, SCORED, log_p, error),
            2000,
        ),
        (
            "smc, 300",
            lambda: likelihood.smc(*given, 300, True, 10, np.uint64(1), 0, SCORED, log_p, error),
            1500,
        ),
        (
            "left to right as MALLET, 100",
            lambda: likelihood.left_to_right(*given, 100, False, True, np.uint64(1), 0, SCORED, log_p, error),
            100,
        ),
    ):
        seconds, _ = timed(run)
        rate = LENGTH * SCORED * draws / seconds / 1e6
        print(f"{name}: {seconds:.1f} s for {SCORED} documents, {rate:.0f}M draws/s at K={k}")


def gibbs(tokens: np.ndarray, offsets: np.ndarray, topics: np.ndarray, alpha: np.ndarray) -> None:
    """Print the time of 100 sweeps of fewer documents, and of tomotopy's, whose model has as many topics."""
    import tomotopy

    from tealeaves.infer import proportions

    k, end = len(topics), offsets[FEWER]
    some = tokens[:end], offsets[: FEWER + 1]
    ours, _ = timed(lambda: proportions(*some, topics, alpha, "gibbs", burn_in=50, samples=50, workers=1))
    peer = tomotopy.LDAModel(k=k, alpha=0.1, seed=1)
    texts = [list(map(str, tokens[a:b])) for a, b in pairwise(offsets)]
    for text in texts:
        peer.add_doc(text)
    peer.train(5, workers=1)
    start = time.process_time()
    peer.infer([peer.make_doc(text) for text in texts[:FEWER]], iterations=100, workers=1)
    theirs = time.process_time() - start
    rate = end * k * 100 / ours / 1e6
    print(f"gibbs, 100 sweeps of {FEWER} documents: {ours:.2f} s, {rate:,.0f}M updates/s", flush=True)
    print(f"tomotopy infer, the same: {theirs:.2f} s, {theirs / ours:.1f} times as long", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50)
