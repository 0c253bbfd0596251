"""Models that give a whole sentence one topic: where sentences are, and the sampler of both of them."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tealeaves.errors import InputError
from tealeaves.fit._matrix import Progress, need_at_least, need_positive, need_topics
from tealeaves.model import TopicModel

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus

Ints = NDArray[np.int64]
WARM = 0.5  # the weight of words beside the prior at the start: sentences then move more easily
FIX = "read it from texts, or hand over sentences=: a number for each token, or how many tokens a stretch has"


class Sentences:
    """The known tokens of a corpus, cut into sentences.

    Attributes
    ----------
    known : bool array of shape (N,)
        Which tokens of the corpus are in its vocabulary: the others have no topic, and end no sentence.
    tokens, bounds : arrays
        The words that are, and where sentences begin in them; one more bound than sentences.
    docs : int64 array of shape (D + 1,)
        The sentences of document d are ``docs[d]`` to ``docs[d + 1]``.
    """

    def __init__(self, corpus: "Corpus", sentences: str | int | ArrayLike) -> None:
        ids = _sentence_of(corpus, sentences)
        self.known = corpus.tokens >= 0
        document = np.repeat(np.arange(len(corpus)), np.diff(corpus.offsets))[self.known]
        ids = ids[self.known]
        self.tokens = corpus.tokens[self.known].astype(np.int64)
        begins = np.ones(len(ids), bool)
        begins[1:] = (ids[1:] != ids[:-1]) | (document[1:] != document[:-1])
        first = np.flatnonzero(begins)
        self.bounds: Ints = np.append(first, len(ids)).astype(np.int64)
        per_document = np.bincount(document[first], minlength=len(corpus))
        self.docs: Ints = np.concatenate([[0], np.cumsum(per_document)]).astype(np.int64)

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def of_tokens(self, topic: NDArray[Any]) -> NDArray[np.int32]:
        """The topic of each token of the corpus, of those of sentences; -1 outside the vocabulary."""
        found = np.full(len(self.known), -1, np.int32)
        found[self.known] = np.repeat(topic, np.diff(self.bounds))
        return found


def _sentence_of(corpus: "Corpus", sentences: Any) -> Ints:
    """A number for each token, which changes where a sentence ends."""
    if isinstance(sentences, str):
        if sentences != "texts":
            raise InputError(f"sentences must be 'texts', a whole number or an array; got {sentences!r}")
        if corpus.texts is None:
            raise InputError(f"where sentences end is read from texts, which this corpus has not: {FIX}")
        from tealeaves.tokens import sentence_ids

        return sentence_ids(corpus).astype(np.int64)
    if not corpus.ordered:
        raise InputError(
            "sentences need the order of tokens, which a corpus made from a matrix of counts does not have"
        )
    if isinstance(sentences, int) and not isinstance(sentences, bool):
        if sentences < 1:
            raise InputError(f"a stretch has at least 1 token; got sentences={sentences}")
        place = np.arange(corpus.n_tokens) - np.repeat(corpus.offsets[:-1], np.diff(corpus.offsets))
        return (place // sentences).astype(np.int64)
    given = np.asarray(sentences)
    if given.shape != (corpus.n_tokens,) or given.dtype.kind not in "iu":
        wanted = f"a whole number for each of the {corpus.n_tokens} tokens"
        raise InputError(f"sentences must be {wanted}; got {given.dtype} of the shape {given.shape}")
    return given.astype(np.int64)


class State:
    """A state of the sampler: the topic of each sentence, and of HTMM whether it was drawn or stayed."""

    def __init__(self, cut: Sentences, n_words: int, k: int, alpha: float, eta: float, stays: bool) -> None:
        self.cut, self.alpha, self.eta, self.stays = cut, alpha, eta, stays
        self.topic, self.new = np.full(len(cut), -1, np.int64), np.ones(len(cut), np.int64)
        self.drawn = np.zeros((len(cut.docs) - 1, k), np.int64)
        self.by_word, self.by_topic = np.zeros((n_words, k), np.int64), np.zeros(k, np.int64)
        self.epsilon = 0.5

    def sweep(self, weight: float, state: NDArray[np.uint64]) -> None:
        """Choose every topic once; ``weight`` is that of words beside the prior, 1 but for the start."""
        from tealeaves._kernels import sentences as kernel

        cut, counts = self.cut, (self.drawn, self.by_word, self.by_topic, self.alpha, self.eta, weight)
        if not self.stays:
            kernel.one_topic_each(cut.tokens, cut.bounds, cut.docs, self.topic, *counts, state)
            return
        where = (cut.tokens, cut.bounds, cut.docs, self.topic, self.new, *counts)
        kernel.stay_or_draw(*where, self.epsilon, state)
        kernel.whole_runs(*where, state)
        self.epsilon = kernel.share_of_draws(cut.docs, self.new, state)

    def log_p(self) -> float:
        """log p(words, topics), and of HTMM where they were drawn, with a uniform prior on epsilon."""
        from scipy.special import betaln, gammaln

        k, n_words = len(self.by_topic), len(self.by_word)
        words = gammaln(self.by_word + self.eta).sum() - gammaln(self.by_topic + n_words * self.eta).sum()
        topics = gammaln(self.drawn + self.alpha).sum()
        topics -= gammaln(self.drawn.sum(axis=1) + k * self.alpha).sum()
        if not self.stays:
            return float(words + topics)
        later = np.ones(len(self.new), bool)
        later[self.cut.docs[:-1][np.diff(self.cut.docs) > 0]] = False
        draws = int(self.new[later].sum())
        return float(words + topics + betaln(1 + draws, 1 + int(later.sum()) - draws))


def fit_sentences(
    corpus: "Corpus",
    k: int,
    seed: int,
    sentences: str | int | ArrayLike,
    *,
    family: str,
    what: str,
    alpha: float,
    eta: float,
    iterations: int,
    restarts: int,
    progress: Progress | None,
) -> TopicModel:
    """Run the sampler from several starts, go on with the most probable one, and make a model of its end."""
    need_positive(alpha=alpha, eta=eta)
    need_at_least(iterations=(iterations, 1), restarts=(restarts, 1))
    need_topics(corpus, k)
    cut = Sentences(corpus, sentences)
    from tealeaves._kernels.draws import start

    first = (iterations + 1) // 2  # sweeps of each start; the best has the others
    total, done = restarts * first + iterations - first, 0

    def run(at: State, sweeps: int, warm: float, rng: NDArray[np.uint64]) -> None:
        nonlocal done
        for i in range(sweeps):
            at.sweep(warm + (1 - warm) * min(1.0, 1.5 * (i + 1) / sweeps), rng)
            done += 1
            if progress is not None:
                progress(f"fitting {family}-{k}", done, total)

    found: list[tuple[State, NDArray[np.uint64]]] = []
    for r in range(restarts):
        rng = np.empty(2, np.uint64)
        start(rng, seed, 0, r)
        found.append((State(cut, len(corpus.vocabulary), k, alpha, eta, family == "htmm"), rng))
        run(found[-1][0], first, WARM, rng)
    best, rng = max(found, key=lambda one: one[0].log_p())  # of equals the first
    run(best, iterations - first, 1.0, rng)
    words, shares = best.by_word.T + eta, best.drawn + alpha
    settings = (
        f"k={k}, seed={seed}, alpha={alpha:g}, eta={eta:g}, iterations={iterations}, restarts={restarts}"
    )
    learnt = f"; epsilon {best.epsilon:.4g}" if best.stays else ""
    return TopicModel(
        corpus.vocabulary,
        topic_word=words / words.sum(axis=1, keepdims=True),
        doc_topic=shares / shares.sum(axis=1, keepdims=True),
        assignments=cut.of_tokens(best.topic),
        alpha=alpha,
        eta=eta,
        name=f"{family}-{k}",
        corpus=corpus,
        source=f"tealeaves.fit: {what} by Gibbs sampling, {settings}; {len(cut)} sentences{learnt}",
    )
