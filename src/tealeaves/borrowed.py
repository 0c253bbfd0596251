"""Texts, names and labels of a model's own documents, borrowed from the corpus that they were made of.

A MALLET state carries its documents as words alone. The corpus that is handed over beside it often has the
texts of the same documents: where the words of the one are found in the other, they are the same.
"""

import weakref
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.corpus import Corpus
from tealeaves.encoding import Label
from tealeaves.errors import InputError, MissingInput
from tealeaves.tokens import spans

Ints = NDArray[np.int64]
SAMPLE = 50  # documents whose words are looked for
ENOUGH = 0.9  # of them have to be found: cutting texts into words goes wrong somewhere in most corpora

_found: "weakref.WeakKeyDictionary[Corpus, tuple[weakref.ref[Corpus], Corpus]]" = weakref.WeakKeyDictionary()


def texts_for(own: Corpus, given: Corpus) -> Corpus:
    """The documents of ``own`` with the texts, ids and labels that they lack and ``given`` has.

    Parameters
    ----------
    own : Corpus
        The documents of a model, as it carries them.
    given : Corpus
        The corpus they may have been made of, in whatever way it was cut into words.

    Returns
    -------
    Corpus
        ``own`` itself if its documents are not those of ``given``, or lack nothing. Tokens never change.

    Examples
    --------
    >>> own = Corpus.from_tokens([["oil", "rose"], ["tax"]])
    >>> given = Corpus.from_texts(["Oil prices rose.", "A tax!"], ids=["a", "b"])
    >>> texts_for(own, given).texts[0], texts_for(own, given).ids
    ('Oil prices rose.', ('a', 'b'))
    >>> texts_for(own, Corpus.from_texts(["A tax!", "Oil prices rose."])) is own
    True
    """
    if own is given or not isinstance(own, Corpus) or not isinstance(given, Corpus):
        return own
    known = _found.get(own)
    if known is not None and known[0]() is given:
        return known[1]
    made = _borrow(own, given)
    if made is not own:  # else the entry would keep its own key alive
        _found[own] = (weakref.ref(given), made)
    return made


def partners(own: Corpus, given: Corpus) -> Ints | None:
    """For each document of ``own`` its number in ``given``, -1 without one; None if they are others.

    Documents go together by their ids, or else by their numbers. The words of some fifty are then looked
    for in their partners, in their order: where nine of ten are found, the documents are the same.

    Examples
    --------
    >>> given = Corpus.from_tokens([["a"], ["b", "c"]], ids=["x", "y"])
    >>> partners(Corpus.from_tokens([["c"], ["a"]], ids=["y", "x"]), given).tolist()
    [1, 0]
    """
    full = np.flatnonzero(np.diff(own.offsets) > 0)
    if not len(full):
        return None
    for number in (_by_id(own, given), _by_place(own, given)):
        if number is None or not (number[full] >= 0).any():
            continue
        asked = full[number[full] >= 0]
        if len(asked) < ENOUGH * len(full):
            continue
        sample = asked[np.unique(np.linspace(0, len(asked) - 1, SAMPLE).round().astype(int))]
        if sum(_holds(given, int(number[d]), own, int(d)) for d in sample) >= ENOUGH * len(sample):
            return number
    return None


def _borrow(own: Corpus, given: Corpus) -> Corpus:
    lacking = [
        name
        for name in ("texts", "labels", "ids")
        if getattr(own, name) is None and getattr(given, name) is not None
    ]
    number = partners(own, given) if lacking else None
    if number is None:
        return own
    of_given: dict[str, Any] = {}
    for name in lacking:
        values = getattr(given, name)
        if name == "texts":
            of_given[name] = _Texts(values, number)
        elif name == "labels":
            of_given[name] = _labels(values, number)
        elif (number >= 0).all():
            of_given[name] = tuple(values[j] for j in number.tolist())
    return replace(own, **of_given)


def _labels(labels: Sequence[Label], number: Ints) -> tuple[Label, ...]:
    return tuple(labels[j] if j >= 0 else "" for j in number.tolist())


def _by_id(own: Corpus, given: Corpus) -> Ints | None:
    if own.ids is None or given.ids is None:
        return None
    place = {name: i for i, name in enumerate(given.ids)}
    return np.array([place.get(name, -1) for name in own.ids], np.int64)


def _by_place(own: Corpus, given: Corpus) -> Ints | None:
    """The same numbers: a MALLET state says nothing of empty documents at its end, so it may have fewer."""
    return np.arange(len(own)) if len(own) <= len(given) else None


def _holds(given: Corpus, g: int, own: Corpus, d: int) -> bool:
    """Whether the words of document d of ``own`` stand in document g of ``given``, in their order."""
    if given.texts is not None:
        alone = replace(own.select([d]), texts=[given.texts[g]], ids=None, labels=None)
        try:
            return bool(spans(alone, 0))
        except (InputError, MissingInput):
            return False
    words = [own.vocabulary[i] for i in own.document(d).tolist() if i >= 0]
    wanted = [w for w in words if w in given.index]  # what preprocessing left out of it cannot be there
    if len(wanted) < 0.5 * len(words) or not wanted:
        return False
    there = iter(given.vocabulary[i] for i in given.document(g).tolist() if i >= 0)
    return all(word in there for word in wanted)  # each after the one before


class _Texts(Sequence[str]):
    """The texts of partners, looked up when asked for; "" where there is none."""

    def __init__(self, texts: Sequence[str], number: Ints) -> None:
        self._texts, self._number = texts, number

    def __len__(self) -> int:
        return len(self._number)

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return [self[int(j)] for j in range(len(self))[i]]
        j = int(self._number[i])
        return self._texts[j] if j >= 0 else ""
