"""What stands behind the scores of topics over time: their words by slice, and words rare in a slice."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus
    from tealeaves.dynamic import DynamicTopicModel

RARE = 3  # documents of a slice; in fewer, a word is rare there
SHOWN_WORDS = 20
SHOWN = 3


def of_dynamic(model: "DynamicTopicModel | Any", top: int) -> dict[str, Any]:
    """What details say of a dynamic model; ``topics`` are the words that lead each over all its slices."""
    words = model.top_words(SHOWN_WORDS)
    return {
        "n_topics": model.n_topics,
        "n_slices": model.n_slices,
        "topics": [_leading([topics[k] for topics in words]) for k in range(model.n_topics)],
        "notes": list(model.notes),
        "source": model.source,
        "weights": None,
        "size": _sizes(model),
        "reports": _reports(model, top),
        "slice_labels": list(model.slice_labels),
        "slice_topics": words,
        "present": model.present.tolist(),
    }


def _leading(lists: list[list[str]]) -> list[str]:
    """The words of several lists, those first that stand highest in most: the sum of 1 / rank."""
    weight: dict[str, float] = {}
    for words in lists:
        for rank, word in enumerate(words, start=1):
            weight[word] = weight.get(word, 0.0) + 1 / rank
    return sorted(weight, key=lambda word: (-weight[word], word))[:SHOWN_WORDS]


def _sizes(model: "DynamicTopicModel") -> list[float] | None:
    theta = model.doc_topic
    if theta is None or (theta < 0).any() or not theta.sum():
        return None
    return [float(x) for x in theta.sum(0) / theta.sum()]


def _reports(model: "DynamicTopicModel", top: int) -> list[list[str]]:
    """Why lists are not ``top`` different words, each reason with the slices it is true of."""
    by_slice = model.top_words_report(top)
    found = []
    for k in range(model.n_topics):
        labels: dict[str, list[str]] = {}
        for label, reports in zip(model.slice_labels, by_slice, strict=True):
            for reason in reports[k]:
                labels.setdefault(reason, []).append(label)
        found.append([f"{reason} in {listed(slices)}" for reason, slices in labels.items()])
    return found


def listed(names: list[str]) -> str:
    """Some names, and how many there are more."""
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def rare_words(
    model: "DynamicTopicModel | Any", corpus: "Corpus | Any", top: int
) -> list[dict[str, Any]] | None:
    """The top words that few documents of their slice hold; None where documents have no such slices.

    Each is ``slice``, ``topic``, ``absent`` words and ``rare`` ones (in fewer than `RARE` documents).
    """
    of, labels = getattr(corpus, "slice_of", None), getattr(corpus, "slice_labels", None)
    if of is None or labels is None or set(labels).isdisjoint(model.slice_labels):
        return None
    lists = model.top_words(top)
    index = corpus.index
    words = sorted({w for topics in lists for topic in topics for w in topic if w in index})
    local = {word: i for i, word in enumerate(words)}
    held = _documents_with(corpus, [index[word] for word in words], of, len(labels))
    number = {label: s for s, label in enumerate(labels)}
    found = []
    for label, topics in zip(model.slice_labels, lists, strict=True):
        if label not in number:
            continue
        for k, topic in enumerate(topics):
            count = {w: int(held[number[label], local[w]]) if w in local else 0 for w in topic}
            absent = [w for w, n in count.items() if not n]
            rare = [w for w, n in count.items() if 0 < n < RARE]
            if absent or rare:
                found.append({"slice": label, "topic": k, "absent": absent, "rare": rare})
    return found


def _documents_with(
    corpus: "Corpus | Any", ids: list[int], slice_of: NDArray[Any], n_slices: int
) -> NDArray[np.int64]:
    """The documents of each slice that hold each word, (slices, words)."""
    column = np.full(len(corpus.vocabulary) + 1, -1, dtype=np.int64)  # the last is for -1: no word
    column[ids] = np.arange(len(ids))
    words = column[np.asarray(corpus.tokens)]
    document = np.repeat(np.arange(len(corpus)), np.diff(corpus.offsets))
    kept = words >= 0
    pairs = np.unique(document[kept] * max(len(ids), 1) + words[kept])
    document, word = np.divmod(pairs, max(len(ids), 1))
    cell = np.asarray(slice_of)[document].astype(np.int64) * max(len(ids), 1) + word
    size = n_slices * max(len(ids), 1)
    counts = np.bincount(cell[cell >= 0], minlength=size)[:size]
    return counts.reshape(n_slices, -1)


def warning_of_rare(name: str, rare: list[dict[str, Any]], model: "DynamicTopicModel | Any") -> str:
    """A sentence that names slices, topics and words."""
    worst = sorted(rare, key=lambda entry: -2 * len(entry["absent"]) - len(entry["rare"]))[:SHOWN]
    said = []
    for entry in worst:
        parts = [
            f"{' '.join(entry[kind][:5])} {word}"
            for kind, word in (("absent", "in none"), ("rare", "in few"))
            if entry[kind]
        ]
        said.append(f"topic {entry['topic']} in {entry['slice']} ({', '.join(parts)})")
    return (
        f"{name}: {len(rare)} of {int(model.present.sum())} topics in slices have words that fewer than "
        f"{RARE} documents of the slice hold: {'; '.join(said)}{' …' if len(rare) > SHOWN else ''}"
    )
