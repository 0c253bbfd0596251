"""What stands behind the scores, for whoever reads them: words, pairs, look-alikes, chance, warnings."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from tealeaves import __version__
from tealeaves.counting_plan import GROUP, ngram_parts
from tealeaves.counts import DOCUMENT
from tealeaves.evidence_coverage import of_coverage
from tealeaves.evidence_temporal import (
    of_dynamic,
    rare_words,
    slices_without_documents,
    warning_of_empty,
    warning_of_rare,
)
from tealeaves.measures._table import Spec, parse
from tealeaves.needs_held_out import warnings_of
from tealeaves.needs_local import warnings_of_tokens
from tealeaves.run import Run
from tealeaves.runs import base_name
from tealeaves.scores import Details
from tealeaves.word_pool import WordPool, counted, counts_words, is_dynamic, padded, same_words, unit_of

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus
    from tealeaves.model import TopicModel

Floats = NDArray[np.float64]
Ids = NDArray[np.int32]
SHOWN_WORDS = 20
PAIR_WORDS = 10
NEAR = 60  # ranks of document frequency within which a random word is as frequent
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
            details.pairs.update(_pairs(run))
            if chance_draws:
                details.chance.update(chance_bands(run, chance_draws))
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
    index, frequency = reference.index, reference.word_counts()
    folded = {word.casefold(): word for word, i in index.items() if frequency[i]}
    top = max((spec.top for spec in run.specs if spec.top and counts_words(spec)), default=0)
    found: dict[str, dict[str, dict[str, Any]]] = {}
    if not top:
        return found
    joined = _joined(run, top)
    for name, model in run.models.items():
        for k, words in enumerate(_all_words(model, top)):
            absent = [w for w in words if not (w in index and frequency[index[w]]) and w not in joined]
            if absent:
                hints = {w: folded[w.casefold()] for w in absent if w.casefold() in folded}
                coverage = 1 - len(absent) / len(words)
                found.setdefault(name, {})[str(k)] = {"absent": absent, "coverage": coverage, "hints": hints}
    return found


def _all_words(model: Any, top: int) -> list[list[str]]:
    """The top words of each topic; over time, those of all its slices."""
    lists: list[Any] = model.top_words(top)
    if not is_dynamic(model):
        return lists
    return [list(dict.fromkeys(w for topics in lists for w in topics[k])) for k in range(model.n_topics)]


def _joined(run: Run, top: int) -> set[str]:
    """The n-grams among the top words whose parts stand side by side somewhere in the reference."""
    reference = run.reference
    if reference is None or not reference.ordered:
        return set()
    words = {w for model in run.models.values() for topic in _all_words(model, top) for w in topic}
    ngrams = sorted(w for w in words if w not in reference.index and ngram_parts(w, reference.index))
    if not ngrams:
        return set()
    counts = counted(
        reference,
        ngrams,
        [[i] for i in range(len(ngrams))],
        [DOCUMENT],
        workers=run.workers,
        cluster=run.cluster,
    )
    return {w for w, n in zip(ngrams, counts[DOCUMENT].singles, strict=True) if n}


def _pairs(run: Run) -> dict[str, dict[str, dict[str, Any]]]:
    """By model and topic, NPMI by documents of every two of its ten top words: why a topic is what it is."""
    from tealeaves.measures.coherence import npmi_matrix

    reference = run.reference
    if reference is None:
        return {}
    pool = WordPool(run.models, [parse(f"npmi@{PAIR_WORDS}")])
    counts = counted(
        reference, pool.words, pool.topics, [DOCUMENT], workers=run.workers, cluster=run.cluster
    )[DOCUMENT]
    words = pool.words
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for name in run.models:
        by_topic = {}
        for k, row in enumerate(pool.top_words(name, PAIR_WORDS)):
            ids = row[row >= 0]
            both = counts.joint(ids[:, None], ids[None, :])
            by_topic[str(k)] = {
                "words": [words[i] for i in ids],
                "npmi": npmi_matrix(counts, ids).tolist(),
                "joint": both.tolist(),
                "single": counts.single(ids).tolist(),
            }
        found[name] = by_topic
    return found


def chance_bands(run: Run, draws: int) -> dict[str, dict[str, dict[str, list[float | None]]]]:
    """By model, topic and spec, percentiles 5, 50, 95 of the measure over random words as frequent.

    Each word of a topic is replaced by one within 60 ranks of document frequency in the reference.
    """
    reference = run.reference
    if reference is None:
        return {}
    specs = [
        spec
        for spec in run.specs
        if "pair_counts" in spec.measure.needs
        and (unit := unit_of(spec)) is not None
        and (reference.ordered or not unit.ordered)
    ]
    if not specs:
        return {}
    frequency = reference.document_frequency()
    by_rank = np.argsort(-frequency, kind="stable")
    by_rank = by_rank[frequency[by_rank] > 0]
    rank = {reference.vocabulary[w]: r for r, w in enumerate(by_rank)}
    top = max(spec.top or 0 for spec in specs)
    unit_by = {spec: unit for spec in specs if (unit := unit_of(spec)) is not None}
    units = list(dict.fromkeys(unit_by.values()))
    found: dict[str, dict[str, dict[str, list[float | None]]]] = {}
    for m, (name, model) in enumerate(run.models.items()):
        if run.progress:
            run.progress("chance bands", m, len(run.models))
        rng = np.random.default_rng([run.seed, crc32(name.encode())])  # whatever models stand beside it
        candidates = [
            random_candidates([rank[w] for w in words if w in rank], len(by_rank), top, rng)
            for words in model.top_words(top)
        ]
        flat = [topic for words in candidates for topic in words]
        used = np.unique(np.concatenate(flat)) if flat else np.empty(0, np.int64)
        words = [reference.vocabulary[by_rank[r]] for r in used]
        local = [[np.searchsorted(used, few) for few in topic] for topic in candidates]
        groups = [np.concatenate(topic).tolist() if topic else [] for topic in local]
        counts = counted(reference, words, groups, units, workers=run.workers, cluster=run.cluster)
        found[name] = {str(k): {} for k in range(model.n_topics)}
        for k, topic in enumerate(local):
            lists = padded(random_lists(topic, draws, rng).tolist(), top) if topic else padded([], top)
            for spec, unit in unit_by.items():
                found[name][str(k)][str(spec)] = _band(_values(spec, counts[unit], lists), draws)
    return found


def _band(values: Floats, draws: int) -> list[float | None]:
    """Percentiles 5, 50 and 95, if at least half of the lists have a value."""
    known = values[np.isfinite(values)]
    return np.percentile(known, [5, 50, 95]).tolist() if len(known) >= max(draws / 2, 1) else [None] * 3


def random_candidates(
    ranks: Sequence[int], n_ranks: int, top: int, rng: np.random.Generator
) -> list[NDArray[np.int64]]:
    """For each rank some others near it, all different: at most as many as one bit mask holds.

    All lists of a topic are drawn from the same few candidates, so that counting their pairs costs what a
    topic of 60 words costs, not what 200 topics do. Empty where the reference has too few such words.
    """
    taken, found = set(ranks), []
    per_word = max(2, GROUP // max(top, 1))
    for rank in ranks:
        near = range(max(rank - NEAR, 0), min(rank + NEAR, n_ranks - 1) + 1)
        free = [other for other in near if other not in taken]
        if len(free) < 2:
            return []
        chosen = rng.choice(free, size=min(per_word, len(free)), replace=False)
        taken.update(chosen.tolist())
        found.append(np.sort(chosen))
    return found


def random_lists(
    candidates: Sequence[NDArray[np.int64]], draws: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Lists of one candidate for each word, (draws, words)."""
    return np.stack([rng.choice(few, size=draws) for few in candidates], axis=1)


def _values(spec: Spec, counts: Any, top_words: Ids) -> Floats:
    settings = spec.arguments
    top = top_words[:, : spec.top]
    step = max(1, 2_000_000 // max(top.shape[1] ** 2, 1))
    parts = [
        spec.measure.function(counts, top[first : first + step], **settings).value
        for first in range(0, len(top), step)
    ]
    return np.concatenate(parts) if parts else np.empty(0)


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
