"""Evaluate: specs → what they need → one counting pass for all models and measures → rows of scores."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from tealeaves.errors import InputError, MissingInput
from tealeaves.measures._table import GROUPS, Spec, parse_all
from tealeaves.needs_local import of_groups
from tealeaves.rows import table
from tealeaves.run import Progress, Run
from tealeaves.vectors import WordVectors
from tealeaves.word_pool import counts_words

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus
    from tealeaves.distributed import Cluster
    from tealeaves.index import Index
    from tealeaves.matcher import Matcher
    from tealeaves.model import TopicModel
    from tealeaves.reference_topics import ReferenceTopics
    from tealeaves.scores import Scores

CHANCE_TOPICS = 200  # above, chance bands are made only when asked for
CHANCE_DRAWS = 200


def evaluate(
    models: "TopicModel | Sequence[TopicModel] | Mapping[str, TopicModel | Sequence[TopicModel]]",
    corpus: "Corpus | None" = None,
    reference: "Corpus | Index | None" = None,
    *,
    held_out: "Corpus | None" = None,
    reference_topics: "ReferenceTopics | None" = None,
    matcher: "Matcher | None" = None,
    vectors: Any = None,
    measures: "str | Spec | Sequence[str | Spec]" = "standard",
    by: str | None = None,
    ci: float | None = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    workers: int | None = None,
    cluster: "str | Cluster | None" = None,
    chance: int | None = None,
    progress: Progress | None = None,
) -> "Scores":
    """Score topic models: every measure asked for, with intervals, reasons and signatures.

    Parameters
    ----------
    models : TopicModel or DynamicTopicModel, a sequence of them, or a mapping
        One model, several, or ``{name: model}``; ``{name: [run, run, …]}`` are runs of one model, shown as
        ``name#1``, ``name#2``, …
    corpus : Corpus, optional
        What the models were trained on. Without one, a model's own (a MALLET state carries it).
    reference : Corpus or index, optional
        Where words are counted; the corpus if not said. Never one of our choosing.
    held_out : Corpus, optional
        Documents that no model was trained on: held-out measures score them.
    reference_topics : ReferenceTopics, optional
        Topics that are looked for: measures of coverage hold the models' topics against them.
    matcher : Matcher, optional
        What decides whether two topics are the same, trained on people's judgements.
    vectors : mapping, pair or KeyedVectors, optional
        Word vectors for ``we_coherence``: ``{word: vector}``, ``(words, matrix)`` or what gensim loads.
    measures : str, or a sequence of str
        Specs such as ``"npmi@10"`` and groups such as ``"standard"``; ``tealeaves measures`` lists them.
    by : {"slice", "label"}, optional
        Also score coherence on each slice, or label, of the reference alone, and topics of tokens on its
        documents.
    ci : float or None
        Level of the intervals; None leaves them out, and the evidence for the report with them.
    resamples : int
        Resamples behind an interval.
    seed : int
        Of every draw: same seed, same numbers, on any number of ``workers``.
    workers : int, optional
        Threads; all cores if not said.
    cluster : str, optional
        Count words on Dask, over the partitions of the reference: ``"local:4"`` starts four processes here,
        ``"tcp://10.0.0.5:8786"`` is a scheduler's address. The numbers are the same to the last bit.
    chance : int, optional
        Random word lists behind each topic's chance band; 0 for none. By default 200, or none for
        more than 200 topics.
    progress : callable, optional
        Called with what is being done, how much is done, and of how much.

    Returns
    -------
    Scores
        A tidy table; see ``Scores.frame``.

    Raises
    ------
    MissingInput
        If no model, or no corpus, gives what a measure needs.
    SpecError
        If a measure does not exist; the nearest is named.
    ClusterError
        If the cluster cannot be reached, or is lost.

    Examples
    --------
    >>> import tealeaves as tl
    >>> corpus = tl.Corpus.from_tokens([["oil", "gas"]] * 5 + [["tax", "law"]] * 5)
    >>> model = tl.TopicModel.from_words([["oil", "gas"], ["tax", "gas"]])
    >>> scores = tl.evaluate(model, corpus, measures=["npmi@2"], ci=None)
    >>> scores.topics("npmi@2")
    array([ 1., -1.])
    """
    from tealeaves.distributed import connect
    from tealeaves.evidence import gather
    from tealeaves.scores import Scores
    from tealeaves.verdicts_over_time import judged

    named = name_models(models)
    specs = parse_all(measures)
    _check_options(ci, resamples, by, seed, workers)
    _check_corpora(corpus=corpus, reference=reference, held_out=held_out)
    counted_in = cast("Corpus | None", reference)  # an index answers to all that is asked of it
    reference = _reference(counted_in, corpus, named, specs)
    groups, draws = _groups(reference, by), _chance_draws(chance, ci, named)
    embedded = None if vectors is None else WordVectors(vectors)
    with connect(cluster) as connected:
        run = Run(
            named,
            specs,
            corpus,
            reference,
            ci,
            resamples,
            seed,
            workers,
            progress,
            embedded,
            held_out,
            reference_topics,
            matcher,
            connected,
            chance=draws,
        )
        rows = run.score("")
        for group, documents in groups.items():
            rows += run.on(reference.select(documents)).score(group)  # type: ignore[union-attr]
        if groups:
            rows += of_groups(
                run, [row for row in rows if not row.group], list(groups), lambda own: _groups(own, by)
            )
        details = gather(run, draws)
        if by is not None:
            details.settings["by"] = by
    units = {str(spec): run.drawn[spec] for spec in specs if spec in run.drawn}
    scores = Scores(frame=table(rows), details=details, draws=run.draws, units=units)
    for model in judged(scores):
        details.models[model.name]["verdicts_over_time"] = model.to_dicts()
    return scores


def name_models(
    models: "TopicModel | Sequence[TopicModel] | Mapping[str, TopicModel | Sequence[TopicModel]]",
) -> "dict[str, TopicModel]":
    """Models by distinct names; the runs of one model are ``name#1``, ``name#2``, …"""
    from tealeaves.dynamic import DynamicTopicModel
    from tealeaves.model import TopicModel

    if isinstance(models, TopicModel | DynamicTopicModel):
        return {models.name: models}
    given: list[tuple[str, Any]] = []
    if isinstance(models, Mapping):
        for name, value in models.items():
            runs = list(value) if isinstance(value, Iterable) else [value]
            if not runs:
                raise InputError(f"model {name!r} has no runs: hand over a TopicModel or a list of them")
            given += [
                (str(name) if len(runs) == 1 else f"{name}#{i}", run) for i, run in enumerate(runs, start=1)
            ]
    else:
        models = list(models) if isinstance(models, Iterable) else [models]
        seen = Counter(getattr(model, "name", "") for model in models)
        count: Counter[str] = Counter()
        for model in models:
            name = getattr(model, "name", "")
            count[name] += 1
            given.append((name if seen[name] == 1 else f"{name}#{count[name]}", model))
    for _, model in given:
        if not isinstance(model, TopicModel | DynamicTopicModel):
            raise InputError(
                f"models must be TopicModel; got {type(model).__name__}: "
                "read it with tl.read_model(...), or make it with tl.TopicModel.from_words(...)"
            )
    if not given:
        raise InputError("no model was given to evaluate")
    twice = [name for name, times in Counter(name for name, _ in given).items() if times > 1]
    if twice:
        raise InputError(f"two models would be called {twice[0]!r}: give them other names")
    return dict(given)


def _check_corpora(**given: Any) -> None:
    from tealeaves.corpus import Corpus

    for role, corpus in given.items():
        if corpus is not None and not isinstance(corpus, Corpus) and not hasattr(corpus, "count_pairs"):
            raise InputError(
                f"{role} must be a Corpus; got {type(corpus).__name__}: make it with "
                "tl.Corpus.from_tokens(...) or .from_texts(...), or read a file with tl.read_corpus(...)"
            )


def _check_options(ci: float | None, resamples: int, by: str | None, seed: int, workers: int | None) -> None:
    if not isinstance(seed, int | np.integer) or seed < 0:
        raise InputError(f"seed must be a whole number of at least 0; got {seed!r}")
    if ci is not None and (not isinstance(ci, int | float | np.floating) or not 0 < ci < 1):
        raise InputError(f"ci must be between 0 and 1, such as 0.95, or None; got {ci!r}")
    if ci is not None and (not isinstance(resamples, int | np.integer) or resamples < 10):
        raise InputError(f"resamples must be a whole number of at least 10; got {resamples!r}")
    if workers is not None and (not isinstance(workers, int | np.integer) or workers < 1):
        raise InputError(
            f"workers must be a whole number of at least 1, or None for all cores; got {workers!r}"
        )
    if by not in (None, "slice", "label"):
        raise InputError(f"by must be 'slice' or 'label'; got {by!r}")


def _chance_draws(chance: int | None, ci: float | None, models: "Mapping[str, TopicModel]") -> int:
    if chance is not None:
        if type(chance) is not int or chance < 0:
            raise InputError(
                f"chance is the number of random word lists for each topic, 0 for none; got {chance!r}"
            )
        return chance
    few = sum(model.n_topics for model in models.values()) <= CHANCE_TOPICS
    return CHANCE_DRAWS if ci is not None and few else 0


def _reference(
    reference: "Corpus | None",
    corpus: "Corpus | None",
    models: "Mapping[str, TopicModel]",
    specs: Sequence[Spec],
) -> "Corpus | None":
    found = reference if reference is not None else corpus
    if found is None:
        own = [model.corpus for model in models.values() if model.corpus is not None]
        if len(own) == len(models) and len({corpus.fingerprint for corpus in own}) == 1:
            found = own[0]
    asked = [str(spec) for spec in specs if counts_words(spec)]
    if found is None and asked:
        raise MissingInput(
            f"{', '.join(asked[:3])}{' …' if len(asked) > 3 else ''} "
            f"{'count' if len(asked) > 1 else 'counts'} words in a reference corpus, "
            "but none was given: hand over corpus= (what was trained on) or reference= (another), "
            f"or measure only {', '.join(GROUPS['diversity'][:2])}"
        )
    return found


def _groups(reference: "Corpus | None", by: str | None) -> dict[str, list[int]]:
    """The documents of each group: slices in their order, labels in that of the alphabet."""
    if by is None:
        return {}
    if reference is None:
        raise MissingInput(f"by={by!r} divides the reference corpus, but none was given")
    if not hasattr(reference, "select"):
        raise MissingInput(
            f"by={by!r} divides the reference, but an index has no parts: hand over the corpus"
        )
    members: dict[str, list[int]] = {}
    if by == "slice" and reference.slice_of is not None and reference.slice_labels is not None:
        for s, name in enumerate(reference.slice_labels):
            members[name] = np.flatnonzero(reference.slice_of == s).tolist()
    elif by == "label" and reference.labels is not None:
        for d, label in enumerate(reference.labels):
            for one in (label,) if isinstance(label, str) else label or ():
                members.setdefault(one, []).append(d)
        members = dict(sorted(members.items()))
    else:
        field_name = "time=" if by == "slice" else "label="
        raise MissingInput(
            f"by={by!r} needs a {by} for each document of the reference; read it with {field_name}"
        )
    # a slice without documents is a gap, and a document without a label is in no group
    found = {name: documents for name, documents in members.items() if name and documents}
    if not found:
        raise MissingInput(f"by={by!r}: no document of the reference has a {by}")
    return found
