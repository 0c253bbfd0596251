"""The faults of other tools, reproduced on request: ``compat="gensim"`` and ``compat="palmetto"``.

gensim (4.4): a word that occurs twice in a window is lost when its first copy leaves (counted so by
the unit ``window:w:gensim``); words unknown to the dictionary are dropped; a word of the dictionary that
is in no text gives 0 (u_mass), inf (c_uci, c_npmi) or nan (c_v); a pair always together has NPMI -1; one
word scores 1 (c_v).

Palmetto (0.1.5): words and pairs in fewer than 10 documents, or 10 * window windows, count as absent;
pairs with an absent word score 0; documents shorter than a context lower the number of contexts (C_A;
the unit ``context:5:palmetto``).
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tealeaves.counts import PairCounts
from tealeaves.errors import InputError
from tealeaves.measures._table import Values

Ids = NDArray[np.int32]
Floats = NDArray[np.float64]
PALMETTO_THRESHOLD = 10


def prepared(compat: str | None, counts: PairCounts, top_words: Ids, oov: str) -> tuple[PairCounts, Ids, str]:
    """Counts and the rule for absent words as the other tool has them."""
    if compat not in (None, "gensim", "palmetto"):
        raise InputError(f"compat must be None, 'gensim' or 'palmetto'; got {compat!r}")
    if compat != "palmetto":
        return counts, top_words, oov
    size = int(counts.unit.split(":")[1]) if ":" in counts.unit else 1
    least = PALMETTO_THRESHOLD * size
    singles, joints = (np.where(x >= least, x, 0) for x in (counts.singles, counts.joints))
    return replace(counts, singles=singles, joints=joints), top_words, "zero"


def u_mass_of_gensim(result: Values, counts: PairCounts, top_words: Ids, smoothing: float) -> Values:
    """A pair whose higher ranked word is in no document adds 0, u_mass's best value."""

    def term(first: Floats, _second: Floats, both: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(first > 0, np.log(both + smoothing) - np.log(first), 0.0)

    return pairs_of_gensim(result, counts, top_words, term)


def pairs_of_gensim(
    result: Values, counts: PairCounts, top_words: Ids, term: Callable[[Floats, Floats, Floats], Floats]
) -> Values:
    """The mean over pairs, absent words and all: inf comes out as inf."""
    i, j = np.triu_indices(top_words.shape[1], k=1)
    n = np.asarray(counts.n_units)[..., None, None]
    single = counts.single(top_words) / n
    there = (top_words[:, i] >= 0) & (top_words[:, j] >= 0)
    terms = term(single[..., i], single[..., j], counts.joint(top_words[:, i], top_words[:, j]) / n)
    with np.errstate(invalid="ignore"):
        value = np.where(there, terms, 0.0).sum(-1) / there.sum(-1)
    reason = np.where(result.reason == "absent word", "", result.reason)
    return Values(np.where(reason == "", value, np.nan), result.n_terms, reason)


def npmi_of_gensim(first: Floats, second: Floats, both: Floats, smoothing: float) -> Floats:
    """NPMI without its limits: P(u, v) = 1 gives -1."""
    with np.errstate(divide="ignore", invalid="ignore"):
        result: Floats = (np.log(both + smoothing) - np.log(first) - np.log(second)) / -np.log(
            both + smoothing
        )
    return result


def c_v_of_gensim(counts: PairCounts, top_words: Ids, smoothing: float) -> Values:
    """C_V with its undefined entries: nan for a topic that holds an absent word, 1 for a single word."""
    first, second = top_words[:, :, None], top_words[:, None, :]
    n = np.asarray(counts.n_units)[..., None, None, None]
    single = counts.single(top_words) / n[..., 0]
    both = counts.joint(first, second) / n
    vectors = npmi_of_gensim(single[..., :, None], single[..., None, :], both, smoothing)
    vectors = np.where((first < 0) | (second < 0), 0.0, vectors)
    total, there = vectors.sum(-2, keepdims=True), top_words >= 0
    with np.errstate(invalid="ignore", divide="ignore"):
        cosine = (vectors * total).sum(-1) / np.sqrt((vectors**2).sum(-1) * (total**2).sum(-1))
        value = np.where(there, cosine, 0.0).sum(-1) / there.sum(-1)
    reason = np.where(np.isnan(value), "absent word", "")
    return Values(value, np.broadcast_to(there.sum(-1), value.shape), reason)
