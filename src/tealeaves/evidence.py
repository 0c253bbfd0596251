"""What stands behind the scores, for whoever reads them: words, pairs, look-alikes, chance, warnings."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tealeaves import __version__
from tealeaves.evidence_coverage import of_coverage
from tealeaves.evidence_temporal import (
    of_dynamic,
    rare_words,
    slices_without_documents,
    warning_of_empty,
    warning_of_rare,
)
from tealeaves.needs_held_out import warnings_of
from tealeaves.needs_local import warnings_of_tokens
from tealeaves.run import Run
from tealeaves.runs import base_name
from tealeaves.scores import Details
from tealeaves.word_pool import counts_words, is_dynamic, same_words

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus
    from tealeaves.model import TopicModel

Floats = NDArray[np.float64]
SHOWN_WORDS = 20
PAIR_WORDS = 10
SIMILAR_SHARED = 0.5
SIMILAR_COSINE = 0.8
HEAVIEST = 50  # words of each topic by which most pairs are told to be unlike


def gather(run: Run, chance_draws: int) -> Details:
    """The details of one call of ``evaluate``; pairs and chance bands only where intervals were asked for."""
    shown = max((spec.top for spec in run.specs if spec.top), default=PAIR_WORDS)
    everything, run = run, replace(run, models={n: m for n, m in run.models.items() if not is_dynamic(m)})
    details = Details(
        models={
            name: of_dynamic(model, shown) if is_dynamic(model) else _model(model, shown)
            for name, model in everything.models.items()
        },
        corpora={
            role: _corpus(corpus)
            for role, corpus in (
                ("corpus", run.corpus),
                ("reference", run.reference),
                ("held_out", run.held_out),
            )
            if corpus is not None
        },
        settings={
            "seed": run.seed,
            "resamples": run.resamples,
            "ci": run.ci,
            "version": __version__,
            "measures": [str(spec) for spec in run.specs],
            "chance_draws": chance_draws,
        },
        similar=[pair for name, model in run.models.items() for pair in similar_topics(name, model)],
    )
    for name, (pages, counts, ends) in run.pages.items():
        details.documents[name], details.switches[name] = pages, counts
        details.switch_intervals[name] = ends
    for (name, spec), numbers in run.companions.items():
        if not numbers:
            continue
        details.companions.setdefault(name, {})[spec] = numbers
    for name, matches in matches_of_runs(run.models).items():
        details.models[name]["matches"] = matches
    found, too_few_shared = of_coverage(run)
    details.coverage.update(found)
    if run.reference is not None:
        details.unknown.update(_unknown(everything))
        over_time = {name: model for name, model in everything.models.items() if is_dynamic(model)}
        for name, rare in rare_words(over_time, run.reference, shown).items() if over_time else ():
            details.models[name]["rare"] = rare
        for name, empty in slices_without_documents(over_time, run.reference).items():
            details.models[name]["empty_slices"] = empty
        if run.ci is not None:
            details.pairs.update(run.pairs)
            details.chance.update(run.bands)
    details.warnings.extend(_warnings(everything, details) + too_few_shared)
    return details


def _model(model: "TopicModel", top: int) -> dict[str, Any]:
    words = model.top_words(SHOWN_WORDS)
    weights = None
    if model.topic_word is not None:
        column = {word: i for i, word in enumerate(model.vocabulary)}
        rows = model.topic_word
        if (rows >= 0).all():
            rows = model.probabilities()
        weights = [
            [float(row[column[word]]) for word in topic] for row, topic in zip(rows, words, strict=True)
        ]
    return {
        "n_topics": model.n_topics,
        "topics": words,
        "notes": list(model.notes),
        "source": model.source,
        "weights": weights,
        "size": topic_sizes(model),
        "reports": model.top_words_report(top),
    }


def topic_sizes(model: "TopicModel") -> list[float] | None:
    """Each topic's share of the tokens, or of the documents' topic weights where tokens have no topic."""
    if model.assignments is not None:
        counts = np.bincount(model.assignments[model.assignments >= 0], minlength=model.n_topics)
        return [float(x) for x in counts / max(counts.sum(), 1)]
    if model.doc_topic is None or (model.doc_topic < 0).any() or not model.doc_topic.sum():
        return None
    return [float(x) for x in model.doc_topic.sum(0) / model.doc_topic.sum()]


def _corpus(corpus: "Corpus") -> dict[str, Any]:
    return {
        "fingerprint": corpus.fingerprint,
        "docs": len(corpus),
        "tokens": corpus.n_tokens,
        "vocab": len(corpus.vocabulary),
        "preprocess": corpus.preprocess,
        "notes": list(corpus.notes),
        "gaps": corpus.gaps,
    }


def similar_topics(name: str, model: "TopicModel") -> list[dict[str, Any]]:
    """Pairs of topics of one model that share half of their ten words, or whose rows are alike."""
    lists = [set(words) for words in model.top_words(PAIR_WORDS)]
    unit = None if model.topic_word is None else _unit_rows(model.topic_word)
    may_be_close = _may_be_close(unit) if unit is not None else np.zeros((len(lists), len(lists)), bool)
    found = []
    for a in range(len(lists)):
        for b in range(a + 1, len(lists)):
            shared = len(lists[a] & lists[b])
            alike = shared and shared >= SIMILAR_SHARED * min(len(lists[a]), len(lists[b]))
            if not alike and not may_be_close[a, b]:
                continue
            cosine = None if unit is None else float(unit[a] @ unit[b])
            if alike or (cosine is not None and cosine >= SIMILAR_COSINE):
                pair = {"model_a": name, "topic_a": a, "model_b": name, "topic_b": b}
                found.append({**pair, "shared": shared, "cosine": cosine})
    return found


def _unit_rows(weights: Floats) -> Floats:
    norms = np.sqrt(np.einsum("ij,ij->i", weights, weights))[:, None]
    unit: Floats = np.divide(weights, norms, out=np.zeros_like(weights), where=norms > 0)
    return unit


def _may_be_close(unit: Floats) -> NDArray[np.bool_]:
    """Pairs of rows whose cosine can reach the limit: by their heaviest words, and all that is left at most.

    The whole product of many topics over a large vocabulary would take longer than everything else here.
    """
    n = min(HEAVIEST, unit.shape[1])
    heaviest = np.unique(np.argpartition(-np.abs(unit), n - 1, axis=1)[:, :n]) if n else np.empty(0, int)
    head = unit[:, heaviest]
    rest = np.sqrt(np.maximum(1 - np.einsum("ij,ij->i", head, head), 0))
    result: NDArray[np.bool_] = head @ head.T + rest[:, None] * rest + 1e-9 >= SIMILAR_COSINE
    return result


def matches_of_runs(models: "Mapping[str, TopicModel]") -> dict[str, dict[str, list[float]]]:
    """For each run "x#1", "x#2" … of a model and each topic, its cosine with its partner in each other run.

    Partners are those of the best one-to-one matching of two runs' topics; a topic without one has 0.
    """
    runs: dict[str, list[str]] = {}
    for name, model in models.items():
        if base_name(name) != name and model.topic_word is not None:
            runs.setdefault(base_name(name), []).append(name)
    found: dict[str, dict[str, list[float]]] = {}
    for names in runs.values():
        for a in names if len(names) > 1 else ():
            mine: dict[str, list[float]] = {str(k): [] for k in range(models[a].n_topics)}
            for b in names:
                if b != a:
                    for k, cosine in enumerate(_partners(models[a], models[b])):
                        mine[str(k)].append(float(cosine))
            found[a] = mine
    return found


def _partners(a: "TopicModel", b: "TopicModel") -> Floats:
    """For each topic of a, its cosine with its partner in b, or 0."""
    from tealeaves.measures.stability import matched_similarity

    i, _, cosine = matched_similarity(*same_words([a, b]))
    result = np.zeros(a.n_topics)
    result[i] = cosine
    return result


def _unknown(run: Run) -> dict[str, dict[str, dict[str, Any]]]:
    """By model and topic, the top words that the reference does not have, with a likely spelling of them."""
    reference = run.reference
    if reference is None:
        return {}
    top = max((spec.top for spec in run.specs if spec.top and counts_words(spec)), default=0)
    found: dict[str, dict[str, dict[str, Any]]] = {}
    folded: dict[str, str] | None = None
    for name, model in run.models.items() if top else ():
        for k, words in enumerate(_all_words(model, top)):
            absent = [word for word in words if word not in run.seen]
            if not absent:
                continue
            if folded is None:  # goes through all words: only where it is needed
                counts = reference.word_counts()
                folded = {word.casefold(): word for word, i in reference.index.items() if counts[i]}
            hints = {word: folded[word.casefold()] for word in absent if word.casefold() in folded}
            coverage = 1 - len(absent) / len(words)
            found.setdefault(name, {})[str(k)] = {"absent": absent, "coverage": coverage, "hints": hints}
    return found


def _all_words(model: Any, top: int) -> list[list[str]]:
    """The top words of each topic; over time, those of all its slices."""
    lists: list[Any] = model.top_words(top)
    if not is_dynamic(model):
        return lists
    return [list(dict.fromkeys(w for topics in lists for w in topics[k])) for k in range(model.n_topics)]


def _warnings(run: Run, details: Details) -> list[str]:
    found = warnings_of(run) + warnings_of_tokens(run)
    for name, model in run.models.items():
        found += [f"{name}: {note}" for note in model.notes]
        if rare := details.models[name].get("rare"):
            found.append(warning_of_rare(name, rare, model))
        if empty := details.models[name].get("empty_slices"):
            found.append(warning_of_empty(name, empty, model))
        short = [k for k, report in enumerate(details.models[name]["reports"]) if report]
        if short:
            reports = details.models[name]["reports"]
            first = "; ".join(f"topic {k}: {', '.join(reports[k])}" for k in short[:3])
            found.append(f"{name}: {first}{' …' if len(short) > 3 else ''}")
        if name in details.unknown:
            topics = details.unknown[name]
            words = sorted({word for entry in topics.values() for word in entry["absent"]})
            listed = ", ".join(words[:5]) + (" …" if len(words) > 5 else "")
            verb = "are" if len(words) > 1 else "is"
            found.append(
                f"{name}: {listed} {verb} not in the reference, so {len(topics)} of {model.n_topics} topics "
                "are undefined or shortened; npmi(oov='drop')@10 scores the words that are left"
            )
            hints = {word: hint for entry in topics.values() for word, hint in entry["hints"].items()}
            if hints:
                word, hint = next(iter(sorted(hints.items())))
                more = "" if len(hints) == 1 else f", and so {len(hints) - 1} more"
                found.append(
                    f"{name}: the reference has {hint!r} where the topic has {word!r}{more}: "
                    "write topics in its letters, which are small unless a preprocessing keeps them"
                )
    return found
