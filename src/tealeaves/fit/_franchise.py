"""Topic models whose number of topics is found: the Chinese restaurant franchise, by our own sampler."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tealeaves.fit._matrix import Progress
from tealeaves.model import TopicModel

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Prior = tuple[float, float]  # concentration and discount
WAIT = 20  # sweeps before priors are drawn: by then documents have found their first topics
EVERY = 5  # sweeps between two rounds in which whole tables choose their topic


@dataclass
class Franchise:
    """The state of the sampler: who sits at which table of which document, and what topics tables have."""

    tokens: NDArray[np.int32]
    offsets: Ints
    n_words: int
    most: int
    eta: float
    of_documents: Prior
    of_root: Prior
    learn_discount: bool
    seed: int
    table: Ints = field(init=False)
    size: Ints = field(init=False)
    dish: Ints = field(init=False)
    slots: Ints = field(init=False)
    by_word: Ints = field(init=False)
    by_topic: Ints = field(init=False)
    served: Ints = field(init=False)

    def __post_init__(self) -> None:
        """Seat each document at one table and all tables at one topic: from below, topics split once."""
        lengths = np.diff(self.offsets)
        self.table = np.repeat(self.offsets[:-1], lengths)
        self.size, self.dish = np.zeros((2, len(self.tokens)), np.int64)
        begun = self.offsets[:-1][lengths > 0]
        self.size[begun] = lengths[lengths > 0]
        self.slots = (lengths > 0).astype(np.int64)
        self.by_word = np.zeros((self.n_words, self.most), np.int64)
        self.by_word[:, 0] = np.bincount(self.tokens, minlength=self.n_words)
        self.by_topic, self.served = np.zeros((2, self.most), np.int64)
        self.by_topic[0], self.served[0] = len(self.tokens), len(begun)

    def run(self, sweeps: int, name: str, progress: Progress | None) -> None:
        """Sample ``sweeps`` times over the corpus."""
        from tealeaves._kernels.draws import start
        from tealeaves._kernels.restaurants import prior, serve, sweep

        state = np.empty(2, np.uint64)
        start(state, self.seed, 0, 0)
        seats = (self.tokens, self.offsets, self.table, self.size, self.dish, self.slots)
        counts = (self.by_word, self.by_topic, self.served, self.eta)
        whole = (np.array([0, self.most]), self.served, np.array([self.most]))
        for i in range(sweeps):
            sweep(*seats, *counts, self.of_documents, self.of_root, state)
            if i % EVERY == 0:
                serve(*seats, *counts, self.of_root, state)
            if i >= WAIT:
                learn = self.learn_discount
                self.of_documents = prior(
                    state, self.offsets, self.size, self.slots, *self.of_documents, learn
                )
                self.of_root = prior(state, *whole, *self.of_root, learn)
            if progress is not None:
                progress(f"fitting {name}", i + 1, sweeps)

    def topics(self) -> Ints:
        """The topics that any token has, the largest first."""
        order = np.argsort(-self.by_topic, kind="stable")
        return order[self.by_topic[order] > 0]

    def root(self) -> Floats:
        """What share of a document without words each topic is expected to have."""
        weights = self.served[self.topics()] - self.of_root[1]
        result: Floats = weights / weights.sum()
        return result

    def doc_topic(self) -> Floats:
        """Expected shares of topics in each document, given where all tokens sit."""
        concentration, discount = self.of_documents
        live = self.topics()
        rank = np.zeros(self.most, np.int64)
        rank[live] = np.arange(len(live))
        document = np.repeat(np.arange(len(self.slots)), np.diff(self.offsets))
        taken = np.flatnonzero(self.size > 0)
        weights = np.zeros((len(self.slots), len(live)))
        np.add.at(weights, (document[taken], rank[self.dish[taken]]), self.size[taken] - discount)
        tables = np.bincount(document[taken], minlength=len(self.slots))
        weights += (concentration + discount * tables)[:, None] * self.root()
        result: Floats = weights / weights.sum(axis=1, keepdims=True)
        return result


def fit_franchise(
    corpus: "Corpus",
    k: int,
    seed: int,
    *,
    family: str,
    eta: float,
    concentration: float,
    discount: float | None,
    iterations: int,
    progress: Progress | None,
) -> TopicModel:
    """Run the sampler and make a model of its last state; without a discount it is the Dirichlet process."""
    known = corpus.tokens >= 0
    offsets = np.concatenate([[0], np.cumsum(known)])[corpus.offsets].astype(np.int64)
    first = (concentration, discount or 0.0)
    state = Franchise(
        tokens=corpus.tokens[known],
        offsets=offsets,
        n_words=len(corpus.vocabulary),
        most=k,
        eta=eta,
        of_documents=first,
        of_root=first,
        learn_discount=discount is not None,
        seed=seed,
    )
    state.run(iterations, family, progress)
    live = state.topics()
    rank = np.full(k, -1, np.int32)
    rank[live] = np.arange(len(live))
    assignments = np.full(len(corpus.tokens), -1, dtype=np.int32)
    assignments[known] = rank[state.dish[state.table]]
    counts = state.by_word[:, live].T + eta
    full = f"all {k} topics that k allows are used: there may be more; set k higher"
    (b, a), (root_b, root_a) = state.of_documents, state.of_root
    fitted = f"concentration {b:.4g} (root {root_b:.4g})"
    fitted += f", discount {a:.4g} (root {root_a:.4g})" if discount is not None else ""
    settings = f"k={k} at most, seed={seed}, eta={eta:g}, iterations={iterations}; {fitted}"
    return TopicModel(
        corpus.vocabulary,
        topic_word=counts / counts.sum(axis=1, keepdims=True),
        doc_topic=state.doc_topic(),
        assignments=assignments,
        # With a discount the prior of a document is no Dirichlet distribution.
        alpha=b * state.root() if discount is None else None,
        eta=eta,
        name=f"{family}-{len(live)}",
        corpus=corpus,
        notes=[full] if len(live) == k else [],
        source=f"tealeaves.fit: {family} by Gibbs sampling, {settings}",
    )
