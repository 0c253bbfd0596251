"""Intervals of scores: what is drawn again, and how far the score moves."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from tealeaves.blocks import blocks_of
from tealeaves.counts import PairCounts
from tealeaves.measures._table import Sums, Values

Floats = NDArray[np.float64]
Ids = NDArray[np.int32]
DOCUMENT_BLOCKS = 500  # of documents drawn again together, where there are more documents
CHUNK = 250_000  # numbers held at once: resamples × topics × words × words


def normal_quantile(level: float) -> float:
    """The z of a two-sided interval of ``level``."""
    from statistics import NormalDist

    return NormalDist().inv_cdf((1 + level) / 2)


def block_weights(blocks: int, resamples: int, seed: int) -> NDArray[np.int64]:
    """How often each block is drawn in each resample, (R, B): the same for every model and measure."""
    return np.random.default_rng(seed).multinomial(blocks, np.full(blocks, 1 / blocks), size=resamples)


def block_draws(
    function: Callable[[PairCounts, Ids], Values],
    counts: PairCounts,
    top_words: Ids,
    weights: NDArray[np.int64],
    workers: int | None = None,
) -> Floats:
    """A coherence measure of each topic on each resample of blocks, (R, K), in chunks of topics.

    A topic that is undefined on a resample, because a rare word was not drawn, is nan there.
    """
    n_topics, n = top_words.shape
    pairs = max(n * n, 1)
    step = max(1, CHUNK // (len(weights) * pairs))
    at_once = max(1, CHUNK // pairs)  # resamples, where one topic alone is too much

    def run(first: int) -> Floats:
        part, local = counts.restricted(top_words[first : first + step])
        cuts = range(0, len(weights), at_once)
        return np.concatenate([function(part.resampled(weights[r : r + at_once]), local).value for r in cuts])

    with ThreadPoolExecutor(max(1, workers or os.cpu_count() or 1)) as pool:
        parts = list(pool.map(run, range(0, n_topics, step)))
    return np.concatenate(parts, axis=1) if parts else np.empty((len(weights), 0))


def document_draws(sums: Sums, n_documents: int, resamples: int, seed: int) -> tuple[Floats, Floats | None]:
    """A score of the model, (R,), and of its topics, (R, K), on documents drawn again.

    Many documents are drawn in `DOCUMENT_BLOCKS` blocks, which tells their spread nearly as well and costs
    no more for a million of them. The same documents give the same draws, whatever the model. Draws of a
    score that resampling itself moves (``sums.reflect``) are turned over at it, ``2 * score - draw``: as far
    as draws lie below the score, the score lies below that of all such documents.
    """
    blocks = blocks_of(n_documents, DOCUMENT_BLOCKS)
    block_of = np.empty(n_documents, dtype=np.int64)
    for b, members in enumerate(blocks):
        block_of[members] = b
    parts = sums.by_block(block_of, len(blocks))
    weights = block_weights(len(blocks), resamples, seed)
    at_once = max(1, CHUNK // max(parts.shape[1], 1))
    model, topics = [], []
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        for r in range(0, resamples, at_once):
            drawn = weights[r : r + at_once].astype(np.float64) @ parts
            model.append(sums.value(drawn))
            if sums.topics is not None:
                topics.append(sums.topics(drawn))
        found, of_topics = np.concatenate(model), np.concatenate(topics) if topics else None
        if sums.reflect:
            whole = parts.sum(axis=0)
            found = 2 * sums.value(whole) - found
            if of_topics is not None and sums.topics is not None:
                of_topics = 2 * sums.topics(whole) - of_topics
    return found, of_topics


def percentiles(draws: Floats, level: float) -> tuple[Floats, Floats]:
    """The percentile interval over resamples (axis 0), where at least half of them are defined."""
    tail = (1 - level) / 2
    enough = 2 * np.isfinite(draws).sum(0) >= len(draws)
    kept = np.where(np.isfinite(draws) & enough, draws, np.nan)
    kept = np.where(enough, kept, 0.0)  # an all-nan column would only bring a warning
    low, high = np.nanquantile(kept, [tail, 1 - tail], axis=0)
    return np.where(enough, low, np.nan), np.where(enough, high, np.nan)


def spread(draws: Floats) -> Floats:
    """Standard deviation over resamples (axis 0), where at least half of them are defined."""
    defined = np.isfinite(draws)
    n = defined.sum(0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(defined, draws, 0.0).sum(0) / n
        variance = np.where(defined, (draws - mean) ** 2, 0.0).sum(0) / (n - 1)
    result: Floats = np.where(2 * n >= len(draws), np.sqrt(variance), np.nan)
    return result


def mean_defined(values: Floats) -> Floats:
    """Mean along the last axis of what is defined; nan if nothing is."""
    defined = ~np.isnan(values)
    with np.errstate(invalid="ignore", divide="ignore"):
        result: Floats = np.where(defined, values, 0.0).sum(-1) / defined.sum(-1)
    return result


def topic_weights(n_topics: int, resamples: int, seed: int) -> NDArray[np.int64]:
    """How often each topic is drawn in each resample, (R, K)."""
    return np.random.default_rng([seed, n_topics]).multinomial(
        n_topics, np.full(n_topics, 1 / n_topics), size=resamples
    )


def weighted_mean(values: Floats, weights: NDArray[np.int64]) -> Floats:
    """Mean of the defined values of each resample, (R,); ``values`` is (R, K) or (K,)."""
    defined = ~np.isnan(values)
    used = np.where(defined, weights, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        result: Floats = (np.where(defined, values, 0.0) * used).sum(-1) / used.sum(-1)
    return result


def jackknife_error(of: Callable[[NDArray[np.intp]], float], n_topics: int) -> float:
    """Standard error of a score of a set of topics, from leaving out each in turn."""
    if n_topics < 3:
        return np.nan
    values = np.array([of(np.delete(np.arange(n_topics), k)) for k in range(n_topics)])
    return float(np.sqrt((n_topics - 1) / n_topics * ((values - values.mean()) ** 2).sum()))
