"""The topics of tokens that local measures judge, and means over them."""

import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tealeaves.errors import InputError
from tealeaves.measures._table import Levels, Sums, Values

Floats = NDArray[np.float64]
Ids = NDArray[np.int32]
Ints = NDArray[np.int64]
ASSIGN = ("model", "map", "gibbs")
OF_TOKENS = {"assign": ASSIGN}
MANY = 200_000  # tokens, below which threads cost more than they save


@dataclass(frozen=True, eq=False)
class TokenTopics:
    """The topic of each of N tokens in D documents, in order: what local measures judge.

    Attributes
    ----------
    words : int32 array of shape (N,)
        Ids of the model's vocabulary; -1 for a word that the model does not have.
    topics : int32 array of shape (N,)
        The topic of each token; -1 for a token without one, which keeps its place.
    offsets : int64 array of shape (D + 1,)
        Document i is ``topics[offsets[i]:offsets[i + 1]]``.
    n_topics : int
        K.
    how : "model", "map" or "gibbs"
        Where the topics come from.
    sentences : int32 array of shape (N,), optional
        A number for each token, the same for all of one sentence: see `tealeaves.tokens.sentence_ids`.
    doc_topic : float array of shape (D, K), optional
        Topic proportions of the documents, for ``word_div(theta="model")``.

    Raises
    ------
    InputError
        If the arrays do not belong together.

    Examples
    --------
    >>> tokens = TokenTopics([0, 0, 1], [1, 1, 0], [0, 3], 2)
    >>> from tealeaves.measures.local import consistency
    >>> float(consistency(tokens).model.value)
    0.5
    """

    words: Ids
    topics: Ids
    offsets: Ints
    n_topics: int
    how: str = "model"
    sentences: Ids | None = None
    doc_topic: Floats | None = None

    def __post_init__(self) -> None:
        words, topics = _whole("words", self.words, np.int32), _whole("topics", self.topics, np.int32)
        offsets = _whole("offsets", self.offsets, np.int64)
        if words.ndim != 1 or words.shape != topics.shape:
            raise InputError(f"there are {words.size} words, but {topics.size} topics: one is wanted of each")
        if offsets.ndim != 1 or not len(offsets) or offsets[0] != 0 or (np.diff(offsets) < 0).any():
            raise InputError("offsets must begin with 0 and never fall: one more of them than documents")
        if offsets[-1] != len(words):
            raise InputError(f"the offsets end at {offsets[-1]}, but there are {len(words)} tokens")
        if len(topics) and not -1 <= int(topics.min()) <= int(topics.max()) < self.n_topics:
            found = f"{topics.min()} to {topics.max()}"
            raise InputError(
                f"topics must be 0 to {self.n_topics - 1}, or -1 for a token without one; got {found}"
            )
        if len(words) and int(words.min()) < -1:
            raise InputError(f"words must be ids, or -1 for one that the model lacks; got {words.min()}")
        sentences = self.sentences
        if sentences is not None:
            sentences = _whole("sentences", sentences, np.int32)
            if sentences.shape != words.shape:
                raise InputError(f"sentences has {sentences.size} numbers for {len(words)} tokens")
        given = {"words": words, "topics": topics, "offsets": offsets, "sentences": sentences}
        for name, value in given.items():
            object.__setattr__(self, name, value)  # frozen for everyone else

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def closed(self) -> "TokenTopics":
        """The same without the tokens that have no topic: those around them become neighbours."""
        keep = self.topics >= 0
        if keep.all():
            return self
        offsets = np.concatenate([[0], np.cumsum(keep)])[self.offsets]
        sentences = None if self.sentences is None else self.sentences[keep]
        return replace(
            self, words=self.words[keep], topics=self.topics[keep], offsets=offsets, sentences=sentences
        )


def mean_of_terms(tokens: TokenTopics, terms: Floats, nothing: str) -> Levels:
    """The mean of a number of each token, over the model's tokens, each topic's and each document's."""
    from tealeaves._kernels.local import by_topic

    k = tokens.n_topics

    def by_block(group_of: Ints, n_groups: int) -> Floats:
        total, count = np.zeros((n_groups, k)), np.zeros((n_groups, k), np.int64)
        by_topic(terms, tokens.topics, tokens.offsets, group_of, total, count)
        return np.concatenate([total, count], axis=1)

    def of_model(sums: Floats) -> Floats:
        return ratio(sums[..., :k].sum(-1), sums[..., k:].sum(-1))

    def of_topics(sums: Floats) -> Floats:
        return ratio(sums[..., :k], sums[..., k:])

    whole = by_block(np.zeros(len(tokens), np.int64), 1)[0]
    counts = whole[k:].astype(np.int64)
    total, count = by_document(tokens, terms)
    return Levels(
        judged(of_model(whole), counts.sum(), nothing),
        topics=judged(of_topics(whole), counts, nothing),
        documents=judged(ratio(total, count), count, nothing),
        sums=Sums(by_block, of_model, of_topics),
    )


def by_document(tokens: TokenTopics, terms: Floats) -> tuple[Floats, Ints]:
    """Sums and numbers of the terms of each document; nan is none."""
    from tealeaves._kernels import local as kernels

    total, count = np.zeros(len(tokens)), np.zeros(len(tokens), np.int64)
    each_document(tokens, lambda a, b: kernels.by_document(terms, tokens.offsets, a, b, total, count))
    return total, count


def each_document(tokens: TokenTopics, work: Callable[[int, int], Any]) -> None:
    """Let threads share the documents, about as many tokens each; what they write does not overlap."""
    n = threads(len(tokens.topics))
    cuts = np.searchsorted(tokens.offsets[1:], np.linspace(0, len(tokens.topics), n + 1)[1:-1])
    bounds = [0, *cuts.tolist(), len(tokens)]
    if n == 1:
        work(0, len(tokens))
        return
    with ThreadPoolExecutor(n) as pool:
        list(pool.map(work, bounds[:-1], bounds[1:]))


def threads(n_tokens: int) -> int:
    """How many threads pay for so many tokens."""
    return 1 if n_tokens < MANY else os.cpu_count() or 1


def _whole(name: str, values: Any, dtype: Any) -> NDArray[Any]:
    """Whole numbers of one type: others would be cut to it without a word."""
    try:
        found = np.asarray(values)
    except ValueError:
        raise InputError(f"{name} must be one array of whole numbers; got lists of unequal length") from None
    if found.size and found.dtype.kind not in "iuf":
        raise InputError(f"{name} must be whole numbers; got {found.dtype}")
    if found.size and found.dtype.kind == "f" and not (good := found == np.floor(found)).all():
        raise InputError(f"{name} must be whole numbers; got {found[~good].flat[0]}")
    limits = np.iinfo(dtype)
    if found.size and not limits.min <= found.min() <= found.max() <= limits.max:
        raise InputError(f"{name} must be at most {limits.max}; got {found.min()} to {found.max()}")
    return np.ascontiguousarray(found, dtype)


def check(choices: Mapping[str, tuple[str, ...]], **given: str) -> None:
    """Refuse a misspelt choice, which would be taken for another one."""
    for name, value in given.items():
        if value not in choices[name]:
            wanted = ", ".join(map(repr, choices[name]))
            raise InputError(f"{name} must be one of {wanted}; got {value!r}")


def check_words(tokens: TokenTopics, topic_word: Floats) -> None:
    """Refuse weights that do not belong to the tokens."""
    if np.ndim(topic_word) != 2 or not np.isfinite(topic_word).all():
        found = "nan or infinite weights" if np.ndim(topic_word) == 2 else f"shape {np.shape(topic_word)}"
        raise InputError(f"topic_word must be finite weights of topics × words; got {found}")
    k, v = topic_word.shape
    if k != tokens.n_topics or (len(tokens.words) and int(tokens.words.max()) >= v):
        found = f"tokens of {tokens.n_topics} topics and words up to {tokens.words.max(initial=-1)}"
        raise InputError(f"topic_word has {k} topics of {v} words, but there are {found}")


def judged(value: ArrayLike, count: Any, nothing: str) -> Values:
    """Values that are nan, with this reason, where nothing was counted."""
    counts = np.asarray(count)
    found = np.where(counts > 0, value, np.nan)
    return Values(found, counts, np.where(counts > 0, "", nothing))


def ratio(total: Any, count: Any) -> Floats:
    """Totals by counts; nan where nothing was counted."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(np.asarray(count) > 0, total / np.asarray(count, np.float64), np.nan))
