"""Which topics the tokens of documents switch between."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import InputError
from tealeaves.measures.local import GAPS, SENTENCES, TokenTopics, pair_counts
from tealeaves.needs_local import token_topics, with_sentences

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus
    from tealeaves.model import TopicModel

Floats = NDArray[np.float64]


class Switch(NamedTuple):
    """Topic ``before`` is followed by topic ``after`` in ``times`` pairs of neighbours.

    ``share`` is of all switches away from ``before``; ``lift`` is that share over the one to expect if a
    switch from anywhere led to ``after`` equally often.
    """

    before: int
    after: int
    times: int
    share: float
    lift: float


@dataclass(frozen=True, eq=False)
class Switches:
    """How often each topic is followed by each, over neighbouring tokens of documents.

    Attributes
    ----------
    counts : int64 array of shape (K, K)
        Pairs of neighbours by the topic of the first (rows) and of the second (columns); no switch on the
        diagonal.
    """

    counts: NDArray[np.int64]

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
        [Switch(before=0, after=1, times=2, share=1.0, lift=1.0)]
        """
        moves = self.counts * (1 - np.eye(len(self.counts), dtype=np.int64))
        if topic is not None and not 0 <= topic < len(moves):
            raise InputError(f"topic must be 0 to {len(moves) - 1}; got {topic!r}")
        asked = moves if topic is None else moves * (np.arange(len(moves)) == topic)[:, None]
        order = np.argsort(-asked, axis=None, kind="stable")[: max(n, 0)]
        best = [divmod(int(i), len(moves)) for i in order if asked.flat[i] > 0]
        left, reached, total = moves.sum(axis=1), moves.sum(axis=0), moves.sum()
        return [
            Switch(
                a,
                b,
                int(moves[a, b]),
                float(moves[a, b] / left[a]),
                # a topic does not switch to itself: what it leaves goes to the others
                float(moves[a, b] / left[a] * (total - reached[a]) / reached[b]),
            )
            for a, b in best
        ]


def switches(
    model: "TopicModel | TokenTopics",
    corpus: "Corpus | None" = None,
    *,
    assign: str = "model",
    gaps: str = "kept",
    sentences: str = "all",
    seed: int = 0,
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
        Of the draw of ``assign="gibbs"``.

    Raises
    ------
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
    tokens = model if isinstance(model, TokenTopics) else token_topics(model, corpus, assign, seed)
    if sentences != "all" and not isinstance(model, TokenTopics):
        tokens = with_sentences(tokens, model, corpus)
    return Switches(pair_counts(tokens, gaps=gaps, sentences=sentences))


def _shares(counts: NDArray[np.int64]) -> Floats:
    total = counts.sum(axis=1, keepdims=True)
    shares: Floats = np.divide(counts, total, out=np.full(counts.shape, np.nan), where=total > 0)
    return shares
