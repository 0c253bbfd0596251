"""Random numbers for kernels: a generator for each (seed, document), so threads cannot change a draw.

xoroshiro128++ (Blackman and Vigna 2019), started by splitmix64; its state is two words of 64 bits.
"""

import numpy as np
from numba import njit

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX_1, MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
TO_UNIT = 1.0 / (1 << 53)


@njit(nogil=True, cache=True)
def _mixed(x):  # type: ignore[no-untyped-def]
    x = (x ^ (x >> np.uint64(30))) * MIX_1
    x = (x ^ (x >> np.uint64(27))) * MIX_2
    return x ^ (x >> np.uint64(31))


@njit(nogil=True, cache=True)
def start(state, seed, purpose, document):  # type: ignore[no-untyped-def]
    """Set ``state`` (2 uint64) to where the draws for one purpose on one document begin."""
    x = _mixed(np.uint64(seed) + GOLDEN)
    x = _mixed((x ^ np.uint64(purpose)) + GOLDEN)
    x = _mixed((x ^ np.uint64(document)) + GOLDEN)
    state[0] = _mixed(x + GOLDEN)
    state[1] = _mixed(x + GOLDEN + GOLDEN) | np.uint64(1)  # never all zeros


@njit(nogil=True, cache=True)
def _turned(x, by):  # type: ignore[no-untyped-def]
    return (x << np.uint64(by)) | (x >> np.uint64(64 - by))


@njit(nogil=True, cache=True)
def uniform(state):  # type: ignore[no-untyped-def]
    """A number in [0, 1)."""
    a, b = state[0], state[1]
    found = _turned(a + b, 17) + a
    b ^= a
    state[0] = _turned(a, 49) ^ b ^ (b << np.uint64(21))
    state[1] = _turned(b, 28)
    return (found >> np.uint64(11)) * TO_UNIT


@njit(nogil=True, cache=True)
def below(state, n):  # type: ignore[no-untyped-def]
    """A whole number in 0, …, n - 1."""
    return min(int(uniform(state) * n), n - 1)


@njit(nogil=True, cache=True)
def normal(state):  # type: ignore[no-untyped-def]
    """A standard normal number."""
    radius = np.sqrt(-2.0 * np.log(1.0 - uniform(state)))
    return radius * np.cos(2.0 * np.pi * uniform(state))


@njit(nogil=True, cache=True)
def log_gamma_draw(state, shape):  # type: ignore[no-untyped-def]
    """The logarithm of a Gamma(shape) number: with small shapes the number itself may underflow.

    Marsaglia and Tsang (2000); below 1 by a power of a uniform number.
    """
    extra = 0.0
    if shape < 1.0:
        extra = np.log(1.0 - uniform(state)) / shape
        shape += 1.0
    d = shape - 1.0 / 3.0
    c = 1.0 / np.sqrt(9.0 * d)
    while True:
        x = normal(state)
        v = (1.0 + c * x) ** 3
        if v > 0.0 and np.log(1.0 - uniform(state)) < 0.5 * x * x + d - d * v + d * np.log(v):
            return np.log(d * v) + extra


@njit(nogil=True, cache=True)
def pick(state, p, total):  # type: ignore[no-untyped-def]
    """An index drawn in proportion to ``p``, whose sum is ``total``."""
    left = uniform(state) * total
    for k in range(len(p)):
        left -= p[k]
        if left < 0.0:  # never at a p of 0
            return k
    k = len(p) - 1
    while k > 0 and p[k] == 0.0:  # the sum was rounded up
        k -= 1
    return k


@njit(nogil=True, cache=True)
def shuffle(state, values):  # type: ignore[no-untyped-def]
    """Put ``values`` in a random order, in place."""
    for i in range(len(values) - 1, 0, -1):
        j = below(state, i + 1)
        values[i], values[j] = values[j], values[i]
