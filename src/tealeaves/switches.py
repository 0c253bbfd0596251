"""Which topics the tokens of documents switch between."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import InputError
from tealeaves.intervals import document_draws, percentiles
from tealeaves.measures._table import Sums
from tealeaves.measures._tokens import TokenTopics
from tealeaves.measures.local_switches import GAPS, SENTENCES, pair_counts, pairs_among
from tealeaves.needs_local import token_topics, with_sentences

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus
    from tealeaves.model import TopicModel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Switch(NamedTuple):
    """Topic ``before`` is followed by topic ``after`` in ``times`` pairs of neighbours.

    ``share`` is of all switches away from ``before``; ``lift`` is that share over the one to expect if a
    switch from anywhere led to ``after`` equally often. ``low`` and ``high`` are the interval of the share
    over documents, None where none was asked for.
    """

    before: int
    after: int
    times: int
    share: float
    lift: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, eq=False)
class Switches:
    """How often each topic is followed by each, over neighbouring tokens of documents.

    Attributes
    ----------
    counts : int64 array of shape (K, K)
        Pairs of neighbours by the topic of the first (rows) and of the second (columns); no switch on the
        diagonal.
    intervals : callable, optional
        From cells, (n, 2), to the ends of the intervals of their shares, each (n,): `switches` makes it
        where it is given ``ci``.
    """

    counts: Ints
    intervals: Callable[[Ints], tuple[Floats, Floats]] | None = field(default=None, repr=False)

    @property
    def n_pairs(self) -> int:
        """Pairs of neighbours, switches or not."""
        return int(self.counts.sum())

    @property
    def shares(self) -> Floats:
        """What follows each topic: rows sum to 1; nan for a topic that nothing follows."""
        return _shares(self.counts)

    @property
    def leaving(self) -> Floats:
        """The share of pairs that begin with each topic and switch away from it; nan where there are none."""
        result: Floats = 1 - np.diag(self.shares)
        return result

    @property
    def arriving(self) -> Floats:
        """The share of pairs that end with each topic and switch to it; nan where there are none."""
        result: Floats = 1 - np.diag(_shares(self.counts.T))
        return result

    def most(self, n: int = 10, topic: int | None = None) -> list[Switch]:
        """The n most frequent switches, from ``topic`` if one is given; those that never occur are left out.

        Examples
        --------
        >>> Switches(np.array([[5, 2], [1, 0]])).most(1)
        [Switch(before=0, after=1, times=2, share=1.0, lift=1.0, low=None, high=None)]
        """
        moves = self.counts * (1 - np.eye(len(self.counts), dtype=np.int64))
        if topic is not None and not 0 <= topic < len(moves):
            raise InputError(f"topic must be 0 to {len(moves) - 1}; got {topic!r}")
        asked = moves if topic is None else moves * (np.arange(len(moves)) == topic)[:, None]
        order = np.argsort(-asked, axis=None, kind="stable")[: max(n, 0)]
        best = [divmod(int(i), len(moves)) for i in order if asked.flat[i] > 0]
        left, reached, total = moves.sum(axis=1), moves.sum(axis=0), moves.sum()
        low: list[float | None] = [None] * len(best)
        high = low
        if self.intervals is not None and best:
            low, high = (ends.tolist() for ends in self.intervals(np.array(best, np.int64)))
        return [
            Switch(
                a,
                b,
                int(moves[a, b]),
                float(moves[a, b] / left[a]),
                # a topic does not switch to itself: what it leaves goes to the others
                float(moves[a, b] / left[a] * (total - reached[a]) / reached[b]),
                low[i],
                high[i],
            )
            for i, (a, b) in enumerate(best)
        ]


def switches(
    model: "TopicModel | TokenTopics",
    corpus: "Corpus | None" = None,
    *,
    assign: str = "model",
    gaps: str = "kept",
    sentences: str = "all",
    seed: int = 0,
    ci: float | None = None,
    resamples: int = 2000,
) -> Switches:
    """Which topics are switched to and from, counted over all neighbouring tokens of documents.

    Parameters
    ----------
    model : TopicModel or TokenTopics
        A model, or the topic of each token.
    corpus : Corpus, optional
        The documents; by default the model's own.
    assign, gaps, sentences
        As for the measures: ``tealeaves measures consistency`` explains them.
    seed : int
        Of every draw.
    ci : float, optional
        Level of the intervals of `Switches.most`, over documents drawn again; none if not said.
    resamples : int
        How often documents are drawn.

    Raises
    ------
    InputError
        If it is neither of these, or a choice does not exist.
    MissingInput
        If the model has no topics of tokens, or the sentences of the corpus are not known.

    Examples
    --------
    >>> import tealeaves as tl
    >>> corpus = tl.Corpus.from_tokens([["oil", "gas", "tax"], ["tax", "oil"]])
    >>> model = tl.TopicModel(["gas", "oil", "tax"], [[0.5, 0.5, 0], [0, 0, 1]], assignments=[0, 0, 1, 1, 0])
    >>> switches(model, corpus).counts
    array([[1, 1],
           [1, 0]])
    """
    for name, value, choices in (("gaps", gaps, GAPS), ("sentences", sentences, SENTENCES)):
        if value not in choices:
            raise InputError(f"{name} must be one of {', '.join(map(repr, choices))}; got {value!r}")
    if not isinstance(model, TokenTopics) and not hasattr(model, "vocabulary"):
        raise InputError(
            f"switches needs a TopicModel, or TokenTopics; got {type(model).__name__}: read a file with "
            "tl.read_model(...)"
        )
    tokens = model if isinstance(model, TokenTopics) else token_topics(model, corpus, assign, seed)
    if sentences != "all" and not isinstance(model, TokenTopics):
        tokens = with_sentences(tokens, model, corpus)
    counts = pair_counts(tokens, gaps=gaps, sentences=sentences)
    if ci is None:
        return Switches(counts)
    if not 0 < ci < 1:
        raise InputError(f"ci must be between 0 and 1, such as 0.95, or None; got {ci!r}")
    if resamples < 10:
        raise InputError(f"resamples must be at least 10; got {resamples!r}")

    def intervals(cells: Ints) -> tuple[Floats, Floats]:
        sums = _sums_of(tokens, cells, gaps, sentences)
        _, draws = document_draws(sums, len(tokens), resamples, seed)
        if draws is None or len(tokens) < 2:  # one document tells nothing of others
            return np.full(len(cells), np.nan), np.full(len(cells), np.nan)
        return percentiles(draws, ci)

    return Switches(counts, intervals)


def _sums_of(tokens: TokenTopics, cells: Ints, gaps: str, sentences: str) -> Sums:
    """How often each cell occurs, and what else its topic is left for, document by document."""
    from tealeaves._kernels.local import pairs_by_group

    used, among = pairs_among(tokens, gaps, sentences)
    k, n = tokens.n_topics, len(cells)
    rows, row = np.unique(cells[:, 0], return_inverse=True)
    unasked = n + len(rows)  # where all other pairs go
    column = np.full((k, k), unasked, np.int64)
    column[rows] = n + np.arange(len(rows))[:, None]
    np.fill_diagonal(column, unasked)
    column[cells[:, 0], cells[:, 1]] = np.arange(n)
    of_row = row.reshape(-1)[:, None] == np.arange(len(rows))

    def by_block(block_of: Ints, n_blocks: int) -> Floats:
        counts = np.zeros((n_blocks, unasked + 1))
        args = (used.topics, used.offsets, *among, k, column.ravel(), block_of, counts)
        pairs_by_group(*args)
        return counts

    def shares(counts: Floats) -> Floats:
        asked = counts[..., :n]
        left = counts[..., n:unasked] + asked @ of_row
        result: Floats = asked / (left @ of_row.T)
        return result

    return Sums(by_block, lambda counts: counts.sum(axis=-1), shares)


def _shares(counts: NDArray[np.int64]) -> Floats:
    total = counts.sum(axis=1, keepdims=True)
    shares: Floats = np.divide(counts, total, out=np.full(counts.shape, np.nan), where=total > 0)
    return shares
