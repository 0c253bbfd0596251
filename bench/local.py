"""Time local measures: `python -m bench.local [tokens] [topics]` (default 1,000,000 and 100).

Documents of 150 tokens over 20,000 words; topics are given, for their inference is another matter. The last
line is one call of `evaluate` for the whole group, with topics, documents and intervals over documents.
"""

import sys
import time

import numpy as np

import tealeaves as tl
from tealeaves.measures import local

VOCABULARY, LENGTH = 20_000, 150
MEASURES = ("consistency", "switch_p", "switch_vi", "avg_rank", "window", "word_div")


def inputs(n: int, k: int) -> tuple[tl.Corpus, tl.TopicModel]:
    """Zipf-Mandelbrot tokens, and topics that stay with probability 0.6 from one token to the next."""
    rng = np.random.default_rng(0)
    p = 1 / (np.arange(VOCABULARY) + 2.7)
    n -= n % LENGTH
    tokens = rng.choice(VOCABULARY, size=n, p=p / p.sum()).astype(np.int32)
    fresh = rng.random(n) > 0.6
    fresh[::LENGTH] = True
    drawn = rng.integers(k, size=n)
    topics = drawn[np.maximum.accumulate(np.where(fresh, np.arange(n), 0))].astype(np.int32)
    weights = rng.gamma(0.1, size=(k, VOCABULARY)) * p + 1e-9
    words = tuple(f"w{i}" for i in range(VOCABULARY))
    corpus = tl.Corpus(words, tokens, np.arange(0, n + 1, LENGTH, dtype=np.int64))
    phi = weights / weights.sum(axis=1, keepdims=True)
    return corpus, tl.TopicModel(words, topic_word=phi, assignments=topics)


def main() -> None:
    """Print seconds and CPU seconds of each measure, best of three, and of the whole group."""
    given = [int(argument) for argument in sys.argv[1:3]]
    n, k = [*given, *(1_000_000, 100)[len(given) :]]
    corpus, model = inputs(n, k)
    small, tiny = inputs(LENGTH, k)
    tl.evaluate(tiny, small, measures="local", resamples=10)  # compiled
    tokens = local.TokenTopics(corpus.tokens, model.assignments, corpus.offsets, k)
    total = 0.0
    for name in MEASURES:
        args = (tokens, model.topic_word) if name in ("avg_rank", "window", "word_div") else (tokens,)
        runs = []
        for _ in range(3):
            start, cpu = time.perf_counter(), time.process_time()
            getattr(local, name)(*args)
            runs.append((time.perf_counter() - start, time.process_time() - cpu))
        total += min(runs)[0]
        print(f"{name:<12} {min(runs)[0]:.3f} s   {min(runs)[1]:.3f} s of CPU")
    print(f"{'all six':<12} {total:.3f} s for {corpus.n_tokens:,} tokens and {k} topics")
    for ci in (None, 0.95):
        start = time.perf_counter()
        tl.evaluate(model, corpus, measures="local", ci=ci, chance=0)
        what = "no intervals" if ci is None else "2,000 resamples"
        print(f"evaluate, {what}: {time.perf_counter() - start:.2f} s")


if __name__ == "__main__":
    main()
