"""Documents to read: the least and the most consistent ones, their text with the topic of every word."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import InputError, MissingInput, TealeavesError, meant
from tealeaves.measures.local import chance_consistency, consistency, shuffled_consistency

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus
    from tealeaves.measures.local import TokenTopics
    from tealeaves.model import TopicModel
    from tealeaves.switches import Switches

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
LEAST, MOST = 4, 2  # documents shown of each end
PASSAGE = 300  # tokens of a longer document that are shown
FEWEST = 20  # tokens with a topic below which a document says little
ALTERNATIVES = 3
TOP = 10  # words of a topic
STRIP = 120  # cells of the strip that stands for a whole long document
NO_TEXT = "the corpus keeps no text"
UNPLACED = "none of its words stands in the text"


@dataclass(frozen=True, eq=False)
class Reading:
    """Documents as a person reads them, under one model: print it, or write it as a page.

    Attributes
    ----------
    name : str
        The model's.
    pages : list of dict
        See `documents_to_read`.
    topics : list of list of str
        The top words of each topic.
    switches : Switches
        How often each topic is followed by each, in all documents.
    numbers : dict
        ``n_topics``; ``consistency`` of all documents, and what it would be by ``chance`` (words dealt at
        random to topics of these sizes) or ``shuffled`` (the words of each document in any order); None
        where there is none.
    """

    name: str
    pages: list[dict[str, Any]]
    topics: list[list[str]]
    switches: "Switches"
    numbers: Mapping[str, float | None]

    def __str__(self) -> str:
        return "\n\n".join(map(plain_page, self.pages))

    def report(self, path: str | Path) -> Path:
        """Write one HTML page, whole or not at all: words coloured by topic, with what else they could be."""
        from tealeaves.report.documents import write_reading

        return write_reading(self, Path(path))


def read_documents(
    model: "TopicModel",
    corpus: "Corpus | None" = None,
    ids: "str | int | Iterable[str | int] | None" = None,
    *,
    assign: str = "model",
    passage: int | None = PASSAGE,
    ci: float | None = None,
    seed: int = 0,
) -> Reading:
    """Show documents as a person reads them: their text, with the topic of every word.

    Parameters
    ----------
    model : TopicModel
        With topics of tokens, or topics over words.
    corpus : Corpus, optional
        The documents; by default the model's own. It lends its texts to those of a MALLET state.
    ids : str, int, or several, optional
        The documents, by their ids or by their numbers from 0. By default the least and the most consistent.
    assign : {"model", "map", "gibbs"}
        Where the topics of tokens come from: ``tealeaves measures consistency`` explains them.
    passage : int, optional
        Of a longer document the stretch of so many words is shown that changes topic most; None for all.
    ci : float, optional
        Level of the intervals of ``switches.most()``; none if not said.
    seed : int
        Of every draw.

    Returns
    -------
    Reading
        To ``print``, or to write as a page: ``.report("page.html")``.

    Raises
    ------
    MissingInput
        If the model has no topics of tokens, or there is no corpus.
    InputError
        If there is no such document; the nearest is named.

    Examples
    --------
    >>> import tealeaves as tl
    >>> corpus = tl.Corpus.from_texts(["Oil and gas rose; taxes, too."], ids=["a"])
    >>> model = tl.TopicModel(
    ...     ["gas", "oil", "taxes"], [[0.5, 0.5, 0], [0, 0.1, 0.9]], assignments=[0, -1, 0, -1, 1, -1]
    ... )
    >>> print(read_documents(model, corpus, "a"))
    a: 3 words with a topic
    [0]Oil and gas rose; [1]taxes, too.
    """
    from tealeaves.needs_local import corpus_of_tokens, token_topics
    from tealeaves.switches import switches

    if passage is not None and passage < 1:
        raise InputError(f"passage must be a number of words of at least 1, or None for all; got {passage!r}")
    found = token_topics(model, corpus, assign, seed)
    used = corpus_of_tokens(model, corpus, assign)
    if used is None:  # pragma: no cover - token_topics has refused it
        raise MissingInput("no corpus was given")
    chosen = None if ids is None else _numbers(used, ids)
    value = consistency(found).model
    chance, shuffled = chance_consistency(found), shuffled_consistency(found)
    return Reading(
        model.name,
        documents_to_read(model, used, found, chosen, passage),
        model.top_words(TOP),
        switches(found, ci=ci, seed=seed),
        {
            "n_topics": found.n_topics,
            "consistency": _known(float(value.value)),
            "chance": _known(chance),
            "shuffled": _known(shuffled),
        },
    )


def plain_page(page: Mapping[str, Any]) -> str:
    """A document as text: the number of a topic in brackets where a word's topic is another than before.

    Examples
    --------
    >>> page = {"id": "a", "label": "", "words": 2, "consistency": 0.0, "text": "oil, tax", "why": ""}
    >>> print(plain_page({**page, "tokens": [[0, 3, 4, []], [5, 8, 1, []]]}))
    a: 2 words with a topic, consistency 0.00
    [4]oil, [1]tax
    """
    parts, at, before = [], 0, -1
    for start, end, topic, _ in page["tokens"]:
        if start < at:
            continue  # an n-gram's parts lie inside it
        parts.append(page["text"][at:start])
        if topic >= 0 and topic != before:
            parts.append(f"[{topic}]")
            before = topic
        parts.append(page["text"][start:end])
        at = end
    parts.append(page["text"][at:])
    said = f"{page['id']}: " + (f"{page['label']}, " if page["label"] else "")
    said += f"{page['words']} word{'s' if page['words'] != 1 else ''} with a topic"
    if page["consistency"] is not None:
        said += f", consistency {page['consistency']:.2f}"
    return f"{said}\n{''.join(parts)}" + (f"\n({page['why']})" if page["why"] else "")


def _numbers(corpus: "Corpus", ids: "str | int | Iterable[str | int]") -> list[int]:
    """The numbers of documents that are named by id or by number."""
    asked = [ids] if isinstance(ids, str | int) else list(ids)
    place = {name: d for d, name in enumerate(corpus.ids)} if corpus.ids is not None else {}
    found = []
    for one in asked:
        number = place.get(one) if isinstance(one, str) else int(one)
        if number is None and not place and str(one).isdecimal():
            number = int(one)
        if number is None:
            numbered = "its documents have no ids: give their numbers, from 0"
            hint = meant(str(one), place) if place else numbered
            raise InputError(f"no document of the corpus is called {one!r}; {hint}")
        if not 0 <= number < len(corpus):
            raise InputError(f"document {number} was asked for, but they go from 0 to {len(corpus) - 1}")
        found.append(number)
    return found


def _known(value: float) -> float | None:
    return None if np.isnan(value) else value


def documents_to_read(
    model: "TopicModel",
    corpus: "Corpus",
    found: "TokenTopics",
    chosen: Sequence[int] | None = None,
    passage: int | None = PASSAGE,
) -> list[dict[str, Any]]:
    """What a reader is shown of a model: documents from both ends of consistency, as plain data.

    Parameters
    ----------
    model : TopicModel
        The model; its probabilities of words tell which other topics a word could have.
    corpus : Corpus
        The documents whose tokens ``found`` are. Without texts their words alone are shown.
    found : TokenTopics
        The topic of every token.
    chosen : sequence of int, optional
        The documents to show instead, in that order.
    passage : int, optional
        Of a longer document the stretch of so many tokens is shown that changes topic most; None for all.

    Returns
    -------
    list of dict
        ``id``, ``label``, ``end`` ("least", "most" or "chosen"), ``assign`` (where topics come from),
        ``consistency``, ``pairs`` (of neighbours), ``words`` (with a topic), ``text`` (of the passage
        shown), ``tokens`` ([start, end, topic, alternatives] in it, topic -1 for a word without one),
        ``first``, ``shown`` and ``total`` (tokens), ``topics`` ([topic, share] of the document), ``strip``
        (the commonest topic of each stretch of a document that is longer than its passage), ``original``
        (whether ``text`` is the document's own) and ``why`` (the reason where it is not).
    """
    of_documents = consistency(found).documents
    if of_documents is None:  # pragma: no cover - consistency always tells of documents
        return []
    value, pairs = of_documents.value, of_documents.n_terms
    asked = [(d, "chosen") for d in chosen] if chosen is not None else _ends(value, pairs, _lengths(found))
    weights = _weights(model)
    return [
        {
            **_page(d, corpus, found, weights, passage),
            "end": end,
            "consistency": float(value[d]) if pairs[d] else None,
            "pairs": int(pairs[d]),
        }
        for d, end in asked
    ]


def _lengths(found: "TokenTopics") -> Ints:
    """Tokens with a topic of each document."""
    known = np.concatenate([[0], np.cumsum(found.topics >= 0)])
    lengths: Ints = np.diff(known[found.offsets])
    return lengths


def _ends(consistency: Floats, pairs: Ints, tokens: Ints) -> list[tuple[int, str]]:
    """The least and the most consistent documents of a usual length: the shortest are extreme by chance."""
    able = np.flatnonzero(pairs > 0)
    if not len(able):
        return []
    middle = np.median(tokens[able])
    usual = able[(tokens[able] >= min(max(FEWEST, middle / 2), tokens[able].max()))]
    order = usual[np.lexsort((usual, consistency[usual]))]
    least = order[:LEAST].tolist()
    most = [d for d in order[::-1][:MOST].tolist() if d not in least]
    return [(d, "least") for d in least] + [(d, "most") for d in most]


def _weights(model: "TopicModel") -> Floats | None:
    try:
        return model.probabilities()
    except TealeavesError:
        return None


def _page(
    d: int, corpus: "Corpus", found: "TokenTopics", weights: Floats | None, passage: int | None
) -> dict[str, Any]:
    begin, end = int(found.offsets[d]), int(found.offsets[d + 1])
    z, words = found.topics[begin:end], found.words[begin:end]
    known = z >= 0
    shares = np.bincount(z[known], minlength=found.n_topics) / max(known.sum(), 1)
    size = len(z) if passage is None else min(passage, len(z))
    first = _passage(z, size)
    last = first + size
    text, places, why = _text(corpus, d, first, last)
    alternatives = _alternatives(shares, words, weights)
    label = corpus.labels[d] if corpus.labels is not None else ""
    return {
        "id": corpus.ids[d] if corpus.ids is not None else str(d),
        "label": label if isinstance(label, str) else ", ".join(label or ()),
        "assign": found.how,
        "words": int(known.sum()),
        "text": text,
        "tokens": [[s, e, int(z[i]), alternatives(i)] for s, e, i in places],
        "first": first,
        "shown": size,
        "total": len(z),
        "topics": [[int(k), float(shares[k])] for k in np.argsort(-shares, kind="stable") if shares[k] > 0],
        "strip": _strip(z, found.n_topics) if len(z) > size else [],
        "original": not why,
        "why": why,
    }


def _passage(z: NDArray[np.int32], size: int) -> int:
    """Where the passage with most changes of topic begins, in a document too long to be shown whole."""
    if len(z) <= size:
        return 0
    changes = np.concatenate([[0], np.cumsum((z[1:] != z[:-1]) & (z[1:] >= 0) & (z[:-1] >= 0))])
    ends = np.arange(len(z) - size + 1) + size - 1
    return int(np.argmax(changes[ends] - changes[: len(ends)]))


def _text(corpus: "Corpus", d: int, first: int, last: int) -> tuple[str, list[tuple[int, int, int]], str]:
    """The passage's text, (start, end, token) of its words in it, and why it is not the document's own."""
    from tealeaves.tokens import spans

    why = NO_TEXT
    if corpus.texts is not None:
        text = corpus.texts[d]
        try:
            places = [(s, e, i) for s, e, i in spans(corpus, d) if first <= i < last]
        except (InputError, MissingInput) as error:  # tokens that are not of this text
            why = str(error)
        else:
            if places or first == last:
                start = 0 if first == 0 else places[0][0]
                stop = len(text) if last == corpus.offsets[d + 1] - corpus.offsets[d] else places[-1][1]
                return text[start:stop], [(s - start, e - start, i) for s, e, i in places], ""
            why = UNPLACED
    parts, places, at = [], [], 0
    for i, word in enumerate(corpus.document(d)[first:last].tolist(), start=first):
        shown = corpus.vocabulary[word] if word >= 0 else "…"
        places.append((at, at + len(shown), i))
        parts.append(shown)
        at += len(shown) + 1
    return " ".join(parts), places, why


def _alternatives(shares: Floats, words: NDArray[np.int32], weights: Floats | None) -> Any:
    """A function of a token: its likeliest topics under the document's shares, with their probabilities."""

    def of(i: int) -> list[list[float]]:
        if weights is None or words[i] < 0:
            return []
        joint = shares * weights[:, words[i]]
        total = joint.sum()
        if not total > 0:
            return []
        best = np.argsort(-joint, kind="stable")[:ALTERNATIVES]
        return [[int(k), round(float(joint[k] / total), 3)] for k in best if joint[k] / total >= 0.005]

    return of


def _strip(z: NDArray[np.int32], n_topics: int) -> list[int]:
    """The commonest topic of each of `STRIP` stretches, -1 where no word has one."""
    cells = []
    for part in np.array_split(z, STRIP):
        known = part[part >= 0]
        cells.append(int(np.bincount(known, minlength=n_topics).argmax()) if len(known) else -1)
    return cells
