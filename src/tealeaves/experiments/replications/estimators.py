"""Estimators of held-out likelihood beside the exact value: which may be used, and which not.

Wallach, Murray, Salakhutdinov and Mimno (2009) found those in common use wrong enough to turn comparisons of
models round. Here planted documents are short enough for the exact sum; annealed importance sampling and the
harmonic mean, which `log_likelihood` does not offer, stand beside the estimators that it does.
"""

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.experiments.replications import Progress, Replication

Floats = NDArray[np.float64]
K, WORDS, DOCUMENTS, LENGTH, ALPHA = 4, 40, 30, 40, 0.2
SEEDS = {False: 2, True: 20}  # by whether all of it is asked for
DRAWS = 200  # of each estimator, for each document
OURS = {
    "exact": "log_likelihood(method='exact')",
    "Chib": f"log_likelihood(samples={DRAWS})",
    "sequential Monte Carlo": f"log_likelihood(method='smc', samples={DRAWS})",
    "left to right, mean of products": f"log_likelihood(method='left_to_right', samples={DRAWS})",
    "left to right with moves, product of means (Buntine 2009)": (
        f"log_likelihood(method='left_to_right', samples={DRAWS}, variant='log_of_means', moves=True)"
    ),
    "left to right without moves, product of means (MALLET)": (
        f"log_likelihood(method='left_to_right', samples={DRAWS}, variant='log_of_means', moves=False)"
    ),
    "importance sampling from pseudo-counts": f"log_likelihood(method='importance', samples={DRAWS})",
}


def run(data: Path, *, seeds: int = 1, full: bool = False, progress: Progress | None = None) -> Replication:
    """Every estimator on the same documents: how far its sum is from the exact one, over several seeds."""
    from tealeaves.evaluate import evaluate
    from tealeaves.model import TopicModel
    from tealeaves.synthetic import lda

    corpus, truth = lda(
        k=K, documents=DOCUMENTS, length=LENGTH, vocabulary=WORDS, alpha=ALPHA, beta=0.1, seed=0
    )
    model = TopicModel(truth.vocabulary, truth.probabilities(), alpha=[ALPHA] * K)
    order = np.array([model.vocabulary.index(word) for word in corpus.vocabulary])
    documents = [order[corpus.document(d)] for d in range(len(corpus))]
    phi = model.probabilities()
    found: dict[str, list[float]] = {}
    for seed in range(seeds):
        if progress:
            progress("estimating", seed, seeds)
        scores = evaluate(model, held_out=corpus, measures=list(OURS.values()), ci=None, seed=seed)
        for name, spec in OURS.items():
            found.setdefault(name, []).append(scores.value(spec))
        rng = np.random.default_rng(seed)
        for name, estimate in (("annealed importance sampling", annealed), ("harmonic mean", harmonic_mean)):
            total = sum(estimate(words, phi, ALPHA, DRAWS, rng) for words in documents)
            found.setdefault(name, []).append(total)
    words = sum(map(len, documents))
    title = f"{DOCUMENTS} documents of about {LENGTH} words, {K} topics, {DRAWS} draws a document"
    table = [_row(name, values, found["exact"][0], words) for name, values in found.items()]
    return Replication(
        "estimators",
        (),
        {title: table},
        (
            "The harmonic mean is ruled by its luckiest draws: it says that documents are far likelier "
            "than they are. Annealing needs many more steps than these to end near the exact value. Left to "
            "right without moves ends elsewhere, however many particles there are.",
        ),
    )


def _row(name: str, values: list[float], exact: float, words: int) -> dict[str, Any]:
    mean = float(np.mean(values))
    return {
        "estimator": name,
        "log likelihood": round(mean, 2),
        "less exact": round(mean - exact, 2),
        "spread over seeds": round(float(np.std(values, ddof=1)), 2) if len(values) > 1 else "",
        "perplexity": round(float(np.exp(-mean / words)), 3),
    }


def harmonic_mean(
    words: NDArray[Any], phi: Floats, alpha: float, draws: int, rng: np.random.Generator
) -> float:
    """log of ``1 / mean(1 / p(w | z))`` over states z of a Gibbs chain after 50 sweeps; nats.

    Its expectation is right, and its variance infinite or nearly so.
    """
    z, counts = _start(words, phi, alpha, 1, rng)
    inverse = []
    for sweep in range(50 + draws):
        _sweep(words, phi, alpha, 1.0, z, counts, rng)
        if sweep >= 50:
            inverse.append(-np.log(phi[z[0], words]).sum())
    top = max(inverse)
    return float(np.log(len(inverse)) - top - np.log(np.exp(np.array(inverse) - top).sum()))


def annealed(words: NDArray[Any], phi: Floats, alpha: float, draws: int, rng: np.random.Generator) -> float:
    """Annealed importance sampling: 10 chains from the prior, ``draws / 10`` equal steps; in nats."""
    chains = 10
    z, counts = _start(words, phi, alpha, chains, rng, tempered=0.0)
    steps = np.linspace(0.0, 1.0, max(draws // chains, 1) + 1)
    weight = np.zeros(chains)
    for before, after in pairwise(steps):
        weight += (after - before) * np.log(phi[z, words]).sum(axis=1)
        _sweep(words, phi, alpha, after, z, counts, rng)
    top = weight.max()
    return float(top + np.log(np.exp(weight - top).mean()))


def _start(
    words: NDArray[Any],
    phi: Floats,
    alpha: float,
    chains: int,
    rng: np.random.Generator,
    tempered: float = 1.0,
) -> tuple[NDArray[np.int64], Floats]:
    """Topics of the words drawn one after the other, (chains, words), and their counts, (chains, K)."""
    z = np.zeros((chains, len(words)), dtype=np.int64)
    counts = np.zeros((chains, len(phi)))
    for n in range(len(words)):
        _draw(n, words, phi, alpha, tempered, z, counts, rng)
    return z, counts


def _sweep(
    words: NDArray[Any],
    phi: Floats,
    alpha: float,
    tempered: float,
    z: NDArray[np.int64],
    counts: Floats,
    rng: np.random.Generator,
) -> None:
    """One sweep of collapsed Gibbs sampling in every chain, the likelihood to the power ``tempered``."""
    chains = np.arange(len(z))
    for n in range(len(words)):
        counts[chains, z[:, n]] -= 1
        _draw(n, words, phi, alpha, tempered, z, counts, rng)


def _draw(
    n: int,
    words: NDArray[Any],
    phi: Floats,
    alpha: float,
    tempered: float,
    z: NDArray[np.int64],
    counts: Floats,
    rng: np.random.Generator,
) -> None:
    p = ((counts + alpha) * phi[:, words[n]] ** tempered).cumsum(axis=1)
    z[:, n] = (rng.random(len(z))[:, None] * p[:, -1:] >= p).sum(axis=1)
    counts[np.arange(len(z)), z[:, n]] += 1
