"""What planted corpora share: the topics of tokens, and words drawn from them."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import InputError

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus


def check(seed: int = 0, **sizes: int) -> None:
    """Refuse a seed that is no whole number from 0, and sizes that are none from 1."""
    for name, size, least in (("seed", seed, 0), *((name, size, 1) for name, size in sizes.items())):
        if isinstance(size, bool) or not isinstance(size, int | np.integer) or size < least:
            raise InputError(f"{name} must be a whole number, at least {least}; got {size!r}")


def check_positive(**given: float) -> None:
    """Refuse what is no number above 0."""
    for name, value in given.items():
        if not _is_number(value) or not 0 < value < np.inf:
            raise InputError(f"{name} must be a number above 0; got {value!r}")


def check_between(low: float, high: float, **given: float) -> None:
    """Refuse what is no number from ``low`` to ``high``."""
    for name, value in given.items():
        if not _is_number(value) or not low <= value <= high:
            raise InputError(f"{name} must be a number from {low:g} to {high:g}; got {value!r}")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def topics_of_tokens(
    rng: np.random.Generator, theta: NDArray[np.float64], length: int
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """How long each document is, and the topic of each token."""
    lengths = np.maximum(rng.poisson(length, size=len(theta)), 1)
    up_to = np.cumsum(theta, axis=1)[np.repeat(np.arange(len(theta)), lengths)]
    z = (rng.random((len(up_to), 1)) > up_to).sum(axis=1).clip(max=theta.shape[1] - 1)
    return lengths, z.astype(np.int32)


def drawn(
    rng: np.random.Generator, phi: NDArray[np.float64], theta: NDArray[np.float64], length: int
) -> "tuple[Corpus, NDArray[np.int32]]":
    """Documents with these shares of topics, and the topic of each token."""
    from tealeaves.corpus import Corpus

    lengths, z = topics_of_tokens(rng, theta, length)
    n_topics, n_words = phi.shape
    tokens = np.empty(len(z), dtype=np.int32)
    for topic in range(n_topics):
        places = np.flatnonzero(z == topic)
        tokens[places] = rng.choice(n_words, size=len(places), p=phi[topic])
    words = tuple(f"w{i}" for i in range(n_words))
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return Corpus(vocabulary=words, tokens=tokens, offsets=offsets), z
