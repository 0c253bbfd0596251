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
        if len(of_slice):  # one without documents is told of as a whole
            held[label] = dict(zip(words, of_slice.document_frequency()[ids].tolist(), strict=True))
    return {name: _rare(models[name], slices, held) for name, slices in lists.items()}


def slices_without_documents(
    models: Mapping[str, "DynamicTopicModel | Any"], corpus: "Corpus | Any"
) -> dict[str, list[str]]:
    """By model with any, its slices that hold no document of a corpus which has slices."""
    labels, slice_of = getattr(corpus, "slice_labels", None), getattr(corpus, "slice_of", None)
    if slice_of is None or labels is None:
        return {}
    counts = np.bincount(np.asarray(slice_of)[np.asarray(slice_of) >= 0], minlength=len(labels))
    there = {label for label, n in zip(labels, counts, strict=True) if n}
    lacking = {name: [s for s in model.slice_labels if s not in there] for name, model in models.items()}
    return {name: slices for name, slices in lacking.items() if slices}


def warning_of_empty(name: str, empty: list[str], model: "DynamicTopicModel | Any") -> str:
    """A sentence that names the slices of which the reference has nothing."""
    if len(empty) == model.n_slices:
        return (
            f"{name}: none of its slices ({listed(empty)}) is one of the reference's, so no word was looked "
            "for in its own slice; if they have other names there, say slice_labels= (--slices)"
        )
    return (
        f"{name}: the reference has no document in {len(empty)} of its {model.n_slices} slices "
        f"({listed(empty)}), where none of their words can be looked for"
    )


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
