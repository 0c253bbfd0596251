"""What stands behind the scores of topics over time: their words by slice, and words rare in a slice."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

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
    models: Mapping[str, "DynamicTopicModel | Any"], corpus: "Corpus | Any", top: int
) -> dict[str, list[dict[str, Any]]]:
    """By model, the top words that few documents of their slice hold, where documents have the same slices.

    Each is ``slice``, ``topic``, ``absent`` words and ``rare`` ones (in fewer than `RARE` documents).
    """
    labels = getattr(corpus, "slice_labels", None)
    if getattr(corpus, "slice_of", None) is None or labels is None:
        return {}
    lists = {
        name: model.top_words(top)
        for name, model in models.items()
        if not set(labels).isdisjoint(model.slice_labels)
    }
    used = dict.fromkeys(w for slices in lists.values() for topics in slices for ws in topics for w in ws)
    words = [word for word in used if word in corpus.index]
    if not lists or not words:
        return {}
    ids = np.array([corpus.index[word] for word in words])
    held: dict[str, dict[str, int]] = {}
    for s, label in enumerate(labels):
        of_slice = corpus.select(np.flatnonzero(np.asarray(corpus.slice_of) == s))
        held[label] = dict(zip(words, of_slice.document_frequency()[ids].tolist(), strict=True))
    return {name: _rare(models[name], slices, held) for name, slices in lists.items()}


def _rare(
    model: "DynamicTopicModel | Any", lists: list[list[list[str]]], held: dict[str, dict[str, int]]
) -> list[dict[str, Any]]:
    found = []
    for label, topics in zip(model.slice_labels, lists, strict=True):
        if label not in held:
            continue
        for k, topic in enumerate(topics):
            count = {word: held[label].get(word, 0) for word in topic}
            absent = [word for word, n in count.items() if not n]
            rare = [word for word, n in count.items() if 0 < n < RARE]
            if absent or rare:
                found.append({"slice": label, "topic": k, "absent": absent, "rare": rare})
    return found


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
