"""Intruding words: which words do not belong to a topic and yet cannot be told by their rarity."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from tealeaves.errors import InputError
from tealeaves.human.lots import Lots
from tealeaves.model import TopicModel

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus
    from tealeaves.human.request import Request

PARTS = re.compile(r"[^\w]+|_+")  # "oil_price" shares a stem with "oil"


@dataclass(frozen=True)
class Rules:
    """What an intruder must be.

    Parameters
    ----------
    outside : int
        It is outside the topic's first so many words (of lists of words alone: outside the list).
    within : int
        It is among the first so many words of another topic of the model.
    stemmer : str or None
        Snowball's language: it has no stem in common with any of the topic's first ``outside`` words. None:
        only a word that is the same but for capitals is left out.
    df_factor : float
        With a corpus: it is in at least 1 / ``df_factor`` as many documents as the rarest of the words
        shown, and at most ``df_factor`` times as many as the commonest.
    never : sequence of str
        Words that somebody who looked at the items does not want to intrude, such as an abbreviation of
        another word. Items that have one of these are drawn anew.

    It is in the lower half of the topic's words, too: as many words outweigh it. Where words weigh the same
    (often 0), the middle of their places counts.
    """

    outside: int = 50
    within: int = 10
    stemmer: str | None = "english"
    df_factor: float = 2.0
    never: Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.outside < 1 or self.within < 1:
            raise InputError(f"outside and within are numbers of words; got {self.outside} and {self.within}")
        if not self.df_factor >= 1:
            raise InputError(f"df_factor must be at least 1; got {self.df_factor}")
        if isinstance(self.never, str):
            raise InputError(f"never is a list of words; got one string: never=[{self.never!r}]")
        if self.stemmer is not None:
            _stemmer(self.stemmer)


@dataclass(frozen=True)
class Intruder:
    """An intruding word, and what makes it one; ``topic`` is the other topic in which it stands highest."""

    word: str
    topic: int
    rank_there: int
    rank_here: int | None  # 1 is the heaviest; None where a model is lists of words
    documents: int | None
    shown_documents: list[int] | None
    candidates: int

    def hidden(self) -> dict[str, Any]:
        """As an item keeps it."""
        return {
            "intruder": self.word,
            "intruder_topic": self.topic,
            "intruder_rank_there": self.rank_there,
            "intruder_rank_here": self.rank_here,
            "intruder_documents": self.documents,
            "shown_documents": self.shown_documents,
            "candidates": self.candidates,
        }


class Intruders:
    """Intruders into the topics of one model, by the rules."""

    def __init__(self, model: TopicModel, rules: Rules, corpus: "Corpus | None" = None) -> None:
        self.model, self.rules, self.corpus = model, rules, corpus
        self._index = {word: i for i, word in enumerate(model.vocabulary)}
        self._places: dict[str, list[tuple[int, int]]] = {}  # where a word is in the top: (rank, topic)
        for topic, words in enumerate(model.top_words(rules.within)):
            for rank, word in enumerate(words, start=1):
                self._places.setdefault(word, []).append((rank, topic))
        if model.topic_word is None:
            self._near = [[word for word in words if word] for words in model.word_lists or ()]
        else:
            self._near = model.top_words(rules.outside)
        self._frequency = None if corpus is None else corpus.document_frequency()

    def draw(
        self, topic: int, shown: Sequence[str], lots: Lots, request: "Request", avoid: Sequence[str] = ()
    ) -> Intruder | str:
        """An intruder into ``topic``, of which ``shown`` is shown; or in words, why there is none.

        It is drawn from those that the fewest items have so far.
        """
        found = self.candidates(topic, shown, avoid)
        if isinstance(found, str):
            return found
        word = lots.one(request.least_used(found))
        request.use([word])
        rank_there, other = min(place for place in self._places[word] if place[1] != topic)
        rank_here = None
        if self.model.topic_word is not None:
            row = self.model.topic_word[topic]
            rank_here = 1 + int((row > row[self._index[word]]).sum())
        return Intruder(
            word,
            other,
            rank_there,
            rank_here,
            None if self.corpus is None else self._documents(word),
            self.documents(shown),
            len(found),
        )

    def places(self, word: str) -> list[tuple[int, int]]:
        """Where a word is among the first of a topic: (rank, topic)."""
        return self._places.get(word, [])

    def documents(self, words: Sequence[str]) -> list[int] | None:
        """In how many documents each word is; None without a corpus."""
        return None if self.corpus is None else [self._documents(word) for word in words]

    def candidates(self, topic: int, shown: Sequence[str], avoid: Sequence[str] = ()) -> list[str] | str:
        """Every word that the rules let intrude, or why there is none: which rule left none of how many.

        ``avoid`` are more words that it must have no stem in common with.
        """
        rules, near = self.rules, self._near[topic]
        left = [w for w, places in self._places.items() if any(k != topic for _, k in places)]
        if not left:
            return f"no intruder, since no word is in another topic's first {rules.within}"
        known = [count for word in shown if (count := self._documents(word))]
        if self.corpus is not None and not known:
            return "no intruder, since the corpus has none of the words shown, whose documents count"
        for said, passes in self._steps(topic, [*near, *shown, *avoid], known):
            if not (kept := [word for word in left if passes(word)]):
                n = f"none of the {len(left)} candidates is" if len(left) > 1 else "the one candidate is not"
                return f"no intruder, since {n} {said}"
            left = kept
        return left

    def _steps(
        self, topic: int, alike: Sequence[str], known: Sequence[int]
    ) -> Iterator[tuple[str, Callable[[str], bool]]]:
        """Each rule in words, and whether a word obeys it."""
        rules = self.rules
        mine = {*self._near[topic], *rules.never}
        middle = self._middle(topic)
        where = "the topic's list" if middle is None else f"the topic's first {rules.outside} words"
        yield f"outside {where}", lambda word: word not in mine
        if middle is not None:
            half = len(middle) / 2
            yield "in the topic's lower half", lambda word: bool(middle[self._index[word]] >= half)
        stems = frozenset().union(*(stems_of(word, rules.stemmer) for word in alike))
        said = "without a stem of the words shown or of those before"
        yield said, lambda word: not stems & stems_of(word, rules.stemmer)
        if self.corpus is not None:
            low, high = min(known) / rules.df_factor, max(known) * rules.df_factor
            yield (
                f"in {low:g} to {high:g} documents, as the words shown are",
                lambda word: low <= self._documents(word) <= high,
            )

    def _middle(self, topic: int) -> Any:
        """How many words outweigh each word, and half of the others that weigh the same; None of lists."""
        if self.model.topic_word is None:
            return None
        row = self.model.topic_word[topic]
        rising = np.sort(row)
        above = len(row) - np.searchsorted(rising, row, side="right")
        below = np.searchsorted(rising, row, side="left")
        return (above + len(row) - below - 1) / 2

    def _documents(self, word: str) -> int:
        if self.corpus is None or self._frequency is None:
            return 0
        i = self.corpus.index.get(word)
        return 0 if i is None else int(self._frequency[i])


def stems_of(word: str, stemmer: str | None) -> frozenset[str]:
    """The stems of a word's parts: two words that share one look alike to people.

    Examples
    --------
    >>> sorted(stems_of("Oil_Markets", "english")), sorted(stems_of("Oil_Markets", None))
    (['market', 'oil'], ['oil_markets'])
    """
    small = word.casefold()
    if stemmer is None:
        return frozenset([small])
    return frozenset(_stem(part, stemmer) for part in PARTS.split(small) if part) or frozenset([small])


@lru_cache(maxsize=1 << 16)
def _stem(part: str, language: str) -> str:
    return str(_stemmer(language).stemWord(part))


@lru_cache(maxsize=8)
def _stemmer(language: str) -> Any:
    import snowballstemmer

    if language not in snowballstemmer.algorithms():
        known = ", ".join(snowballstemmer.algorithms())
        raise InputError(
            f"there is no Snowball stemmer for {language!r}; stemmer=None does without; there are: {known}"
        )
    return snowballstemmer.stemmer(language)
