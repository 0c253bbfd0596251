"""Which measure should I believe? Models made worse in known ways, and what measures say of them.

A model is degraded in one way at several strengths, and the measures of ``PARTS`` are asked each time. A
measure is blind to what at no strength moves it farther than a fit with another seed does; it goes the wrong
way where worse topics score better; it is not steady where it moves at less strength and is back at the full
one. What each claims to detect stands in ``CLAIMS``, and a test holds it to that.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import InputError

if TYPE_CHECKING:
    import polars

    from tealeaves.corpus import Corpus
    from tealeaves.dynamic import DynamicTopicModel
    from tealeaves.model import TopicModel
    from tealeaves.reference_topics import ReferenceTopics

Floats = NDArray[np.float64]
Random = np.random.Generator
Progress = Callable[[str, int, int], None]
STRENGTHS = (0.1, 0.25, 0.5, 0.75, 1.0)
POOL = 30  # most frequent words that stop-word topics are made of
RARE = 5  # rare words are in so many documents at most, or are the rarest there are
WORDS = 20  # of a topic of rare words
NOTICED = 2.0  # standard deviations over fits with other seeds
DETECTS, WRONG, UNSTEADY, BLIND, UNDEFINED = "detects", "wrong way", "not steady", "blind", "undefined"

# --- topics: (K, V) probabilities, how often each word is in how many documents, strength, generator


def shuffled_words(phi: Floats, frequency: Floats, strength: float, rng: Random) -> Floats:
    """In each topic a share of the words trade their probabilities at random."""
    result = phi.copy()
    n = phi.shape[1]
    for row in result:
        moved = rng.permutation(n)[: round(strength * n)]
        row[moved] = row[rng.permutation(moved)]
    return result


def mixed_topics(phi: Floats, frequency: Floats, strength: float, rng: Random) -> Floats:
    """Each topic is mixed with another, half and half at the most."""
    other = _derangement(len(phi), rng)
    return (1 - strength / 2) * phi + strength / 2 * phi[other]


def duplicated_topics(phi: Floats, frequency: Floats, strength: float, rng: Random) -> Floats:
    """A share of the topics, three quarters at the most, are replaced by copies of the others."""
    order = rng.permutation(len(phi))
    n = min(round(0.75 * strength * len(phi)), len(phi) - 1)
    result = phi.copy()
    result[order[:n]] = phi[rng.choice(order[n:], n)]
    return result


def random_topics(phi: Floats, frequency: Floats, strength: float, rng: Random) -> Floats:
    """A share of the topics are replaced by nearly even ones: a draw of a Dirichlet(1) over all words."""
    return _replaced(phi, strength, rng, lambda: rng.dirichlet(np.ones(phi.shape[1])))


def stop_word_topics(phi: Floats, frequency: Floats, strength: float, rng: Random) -> Floats:
    """A share of the topics are replaced by words that most documents hold, about as frequent as there."""
    pool = np.argsort(-frequency, kind="stable")[: min(POOL, phi.shape[1] // 4)]
    # each its own list: the frequent words in an order that differs a little from topic to topic
    return _replaced(
        phi,
        strength,
        rng,
        lambda: _weighted(pool, frequency[pool] * rng.gamma(3.0, size=len(pool)), phi.shape[1]),
    )


def rare_word_topics(phi: Floats, frequency: Floats, strength: float, rng: Random) -> Floats:
    """A share of the topics are replaced by lists of words that hardly any document holds."""
    order = np.argsort(frequency, kind="stable")
    order = order[frequency[order] > 0]
    rare = order[frequency[order] <= RARE]
    pool = rare if len(rare) >= 2 * WORDS else order[: 2 * WORDS]
    ranks = 1.0 / np.arange(1, WORDS + 1)
    return _replaced(
        phi, strength, rng, lambda: _weighted(rng.permutation(pool)[:WORDS], ranks, phi.shape[1])
    )


def _replaced(phi: Floats, strength: float, rng: Random, draw: Callable[[], Floats]) -> Floats:
    result = phi.copy()
    for k in rng.permutation(len(phi))[: round(strength * len(phi))]:
        result[k] = draw()
    return result


def _weighted(words: NDArray[np.intp], weights: Floats, n_words: int) -> Floats:
    """A topic of these words, with a little for all others."""
    row = np.full(n_words, 1e-6)
    row[words] = weights[: len(words)] / weights[: len(words)].sum()
    return np.asarray(row / row.sum())


def _derangement(n: int, rng: Random) -> NDArray[np.intp]:
    """Another topic for each: the next of a circle drawn at random."""
    order = rng.permutation(n)
    other = np.empty(n, dtype=np.intp)
    other[order] = np.roll(order, 1)
    return other


# --- topics of tokens: topics, offsets of documents, K, strength, generator
Ids = NDArray[np.int32]


def random_tokens(topics: Ids, offsets: Any, k: int, strength: float, rng: Random) -> Ids:
    """A share of the tokens get any topic."""
    moved = rng.random(len(topics)) < strength
    return np.where(moved, rng.integers(k, size=len(topics)), topics).astype(np.int32)


def flipped_tokens(topics: Ids, offsets: Any, k: int, strength: float, rng: Random) -> Ids:
    """A share of the tokens of each document trade topics with each other: the document's shares stay."""
    result = topics.copy()
    for first, last in pairwise(offsets):
        places = first + np.flatnonzero(rng.random(last - first) < strength)
        result[places] = result[rng.permutation(places)]
    return result


def one_topic_documents(topics: Ids, offsets: Any, k: int, strength: float, rng: Random) -> Ids:
    """In a share of the documents all tokens get the topic that most of them have."""
    result = topics.copy()
    for first, last in pairwise(offsets):
        if last > first and rng.random() < strength:
            result[first:last] = np.bincount(topics[first:last].clip(0), minlength=k).argmax()
    return result


# --- topics over time: the model, strength, generator


def shuffled_slices(model: "DynamicTopicModel", strength: float, rng: Random) -> "DynamicTopicModel":
    """In a share of the slices topics stand in a random order."""
    phi = _phi(model)
    for t in rng.permutation(len(phi))[: round(strength * len(phi))]:
        phi[t] = phi[t][_derangement(phi.shape[1], rng)]
    return _over_time(model, phi)


def repeated_topics(model: "DynamicTopicModel", strength: float, rng: Random) -> "DynamicTopicModel":
    """A share of the topics are replaced by one of the others, in all slices."""
    phi = _phi(model)
    order = rng.permutation(phi.shape[1])
    phi[:, order[: min(round(strength * len(order)), len(order) - 1)]] = phi[:, order[-1:]]
    return _over_time(model, phi)


def intruded_words(model: "DynamicTopicModel", strength: float, rng: Random) -> "DynamicTopicModel":
    """In one slice of each topic a share of its ten top words are replaced by those of other topics."""
    from tealeaves.temporal import highest_level, intrude

    return intrude(model, round(strength * min(10, highest_level(model))), int(rng.integers(2**31)))


def frozen_topics(model: "DynamicTopicModel", strength: float, rng: Random) -> "DynamicTopicModel":
    """A share of the slices, the last ones, have the topics of the slice before: nothing moves any more."""
    phi = _phi(model)
    first = len(phi) - round(strength * (len(phi) - 1))
    phi[first:] = phi[first - 1]
    return _over_time(model, phi)


def _phi(model: "DynamicTopicModel") -> Floats:
    if model.topic_word is None:
        raise InputError(f"model {model.name!r} is lists of words alone: degradations need weights")
    return np.array(model.topic_word)


def _over_time(model: "DynamicTopicModel", phi: Floats) -> "DynamicTopicModel":
    from tealeaves.dynamic import DynamicTopicModel

    return DynamicTopicModel(
        model.vocabulary, phi, "time topic word", slice_labels=model.slice_labels, name=model.name
    )


TOPICS: dict[str, Callable[..., Floats]] = {
    "shuffled words": shuffled_words,
    "mixed topics": mixed_topics,
    "duplicated topics": duplicated_topics,
    "random topics": random_topics,
    "stop-word topics": stop_word_topics,
    "rare-word topics": rare_word_topics,
}
TOKENS: dict[str, Callable[..., Ids]] = {
    "random topics of tokens": random_tokens,
    "flips within documents": flipped_tokens,
    "one topic a document": one_topic_documents,
}
TIME: dict[str, Callable[..., Any]] = {
    "shuffled slices": shuffled_slices,
    "repeated topics": repeated_topics,
    "intruded words": intruded_words,
    "frozen topics": frozen_topics,
}

# --- what is measured
OF_TOPICS = (
    "npmi@10",
    "c_npmi@10",
    "c_v@10",
    "c_p@10",
    "c_a@10",
    "uci@10",
    "umass@10",
    "u_mass@10",
    "we_coherence@10",
    "doc_coherence",
    "diversity@10",
    "topic_diversity@10",
    "topic_overlap@10",
    "inverted_rbo@10",
    "average_jaccard@10",
    "exclusivity@10",
    "frex@10",
    "topic_distance",
    "tq@10",
    "sig_uni",
    "sig_vac",
    "sig_back",
    "cao2009",
    "arun2010",
    "deveaud2014",
    "griffiths2004",
    "perplexity",
    "purity",
    "nmi",
    "ari",
    "label_f1",
    "au_cdc",
    "consistency(assign='map')",
    "switch_vi(assign='map')",
    "avg_rank(assign='map')",
    "window(assign='map')",
    "word_div(assign='map')",
)
OF_RUNS = ("instance_stabil", "aucdc_stabil", "document_stabil")
OF_TOKENS = ("consistency", "switch_p", "switch_vi", "avg_rank", "window", "word_div")
OF_TIME = (
    "npmi@10",
    "diversity@10",
    "tq@10",
    "ttc@10",
    "tts@10",
    "ttq@10",
    "dtq@10",
    "b_tc@10",
    "b_ts@10",
)
PARTS: dict[str, tuple[Mapping[str, Callable[..., Any]], tuple[str, ...]]] = {
    "topics": (TOPICS, OF_TOPICS),
    "runs": (TOPICS, OF_RUNS),
    "tokens": (TOKENS, OF_TOKENS),
    "time": (TIME, OF_TIME),
}
# What each claims to detect, and the test holds it to: on planted corpora it is worse at the full strength
# by more
# than other fits differ, and falls with the strength. Nothing that a measure was not made for stands here.
WITHIN = ("shuffled words", "mixed topics", "random topics")
BETWEEN = ("mixed topics", "duplicated topics")
EVERY = tuple(TOPICS)
CLAIMS: dict[str, tuple[str, ...]] = {
    # do a topic's words belong together?
    **dict.fromkeys(("npmi@10", "c_npmi@10", "c_p@10", "c_a@10", "uci@10"), (*WITHIN, "rare-word topics")),
    **dict.fromkeys(("c_v@10", "umass@10", "u_mass@10", "we_coherence@10"), WITHIN),
    # are topics different?
    **dict.fromkeys(("diversity@10", "topic_diversity@10", "topic_overlap@10"), BETWEEN),
    **dict.fromkeys(("inverted_rbo@10", "average_jaccard@10", "exclusivity@10"), BETWEEN),
    **dict.fromkeys(("topic_distance", "cao2009", "deveaud2014"), BETWEEN),
    # both
    "tq@10": ("shuffled words", "mixed topics", "random topics"),
    # is it more than background?
    "sig_uni": ("random topics",),
    "sig_vac": ("stop-word topics",),
    "sig_back": ("random topics",),
    "doc_coherence": ("random topics",),
    # does the model foresee words?
    "perplexity": tuple(name for name in EVERY if name != "duplicated topics"),
    "griffiths2004": ("duplicated topics", "random topics"),
    # does it know classes, or the topics that are looked for?
    **dict.fromkeys(("purity", "nmi", "label_f1"), ("duplicated topics", "random topics")),
    "ari": ("duplicated topics",),
    "au_cdc": EVERY,
    # are topics of tokens right?
    **dict.fromkeys(
        ("consistency", "switch_p", "switch_vi"), ("random topics of tokens", "flips within documents")
    ),
    **dict.fromkeys(("avg_rank", "window"), ("random topics of tokens", "flips within documents")),
    "word_div": ("random topics of tokens",),
    **dict.fromkeys(
        ("avg_rank(assign='map')", "window(assign='map')", "word_div(assign='map')"),
        ("shuffled words", "random topics"),
    ),
    # would another run find the same topics?
    **dict.fromkeys(("instance_stabil", "aucdc_stabil"), ("shuffled words",)),  # random topics are all alike
    # does a topic stay itself over time?
    "ttc@10": ("shuffled slices", "intruded words"),
    **dict.fromkeys(("tts@10", "b_ts@10", "ttq@10"), ("shuffled slices", "intruded words")),
    "dtq@10": ("shuffled slices", "repeated topics"),
}


@dataclass(frozen=True)
class Degradations:
    """What degraded models scored.

    Attributes
    ----------
    values : polars.DataFrame
        A row for each ``degradation``, ``strength`` (0: the models as they were, a draw each), ``draw`` and
        ``measure``: ``value`` and ``reason``.
    reactions : polars.DataFrame
        A row for each measure and degradation: ``rho``, Spearman's correlation of strength and score, turned
        so that a score that gets worse is negative; ``change`` at the full strength from the fit that was
        degraded, in standard deviations over fits, turned likewise; ``noticed``, the least strength from
        which on the change is larger than two of them and, with several draws, than two standard errors over
        draws; ``verdict`` ("detects", "wrong way", "not steady", "blind", "undefined"); ``claimed``, whether
        it stands in ``CLAIMS``. What is not steady moves so far at less strength, but not at the full one:
        there ``change`` is the largest such, and ``noticed`` its strength.
    about : dict
        Model, corpus, draws, fits and seed.
    """

    values: "polars.DataFrame"
    reactions: "polars.DataFrame"
    about: dict[str, Any]

    def table(self) -> "polars.DataFrame":
        """Measures by degradations: the verdict, and for what is detected the least strength noticed."""
        import polars

        rows: dict[str, dict[str, str]] = {}
        for row in self.reactions.iter_rows(named=True):
            text = row["verdict"]
            if text == DETECTS:
                text = f"{row['noticed']:g}"
            elif text == WRONG:
                text = f"wrong way ({row['noticed']:g})"
            elif text == UNSTEADY:
                text += f" ({'better' if row['change'] > 0 else 'worse'} at {row['noticed']:g})"
            rows.setdefault(row["measure"], {"measure": row["measure"]})[row["degradation"]] = text
        return polars.DataFrame(list(rows.values()))

    def to_markdown(self) -> str:
        """The table as Markdown."""
        frame = self.table()
        lines = [f"| {' | '.join(frame.columns)} |", "|" + " --- |" * len(frame.columns)]
        lines += [f"| {' | '.join(str(x) for x in row)} |" for row in frame.iter_rows()]
        return "\n".join(lines) + "\n"

    def chart(self) -> Any:
        """Measures by degradations as cells: colour for the verdict, and the least strength noticed."""
        return chart(self.reactions)

    def save(self, folder: str | Path, name: str = "degradations") -> None:
        """Write NAME.csv (reactions), NAME-values.csv, NAME.md and NAME.svg."""
        place = Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        self.reactions.write_csv(place / f"{name}.csv")
        self.values.write_csv(place / f"{name}-values.csv")
        (place / f"{name}.md").write_text(self.to_markdown(), "utf-8")
        self.chart().save(str(place / f"{name}.svg"))


def degrade(
    models: "Sequence[TopicModel] | Sequence[DynamicTopicModel]",
    corpus: "Corpus",
    *,
    of: str = "topics",
    held_out: "Corpus | None" = None,
    reference_topics: "ReferenceTopics | None" = None,
    measures: Sequence[str] | None = None,
    degradations: Sequence[str] | None = None,
    strengths: Sequence[float] = STRENGTHS,
    draws: int = 3,
    seed: int = 0,
    progress: Progress | None = None,
) -> Degradations:
    """Score a model made worse in known ways, beside fits with other seeds.

    Parameters
    ----------
    models : sequence of models
        Fits of the same kind with different seeds, at least two: the first is degraded and its changes are
        from its own score, all tell how far a score moves by luck. Of "runs", all are degraded.
    corpus : Corpus
        The documents, with topics of their own for each model: they are inferred again for topics made worse.
    of : {"topics", "runs", "tokens", "time"}
        What is degraded: topics, each run's topics, topics of tokens, or topics over time.
    held_out : Corpus, optional
        For perplexity.
    reference_topics : ReferenceTopics, optional
        For coverage.
    measures, degradations : sequence of str, optional
        Which; all that apply if not said.
    strengths : sequence of float
        Above 0, at most 1.
    draws, seed : int
        How often each is drawn, and what draws. A single draw does not show how far draws disagree: what
        they would not agree on can then count as noticed.
    progress : callable, optional
        Called with what is being done, how much is done, and of how much.

    Raises
    ------
    InputError
        If there is no such part or degradation, or fewer than two models.
    """
    if of not in PARTS:
        raise InputError(f"of must be one of {', '.join(PARTS)}; got {of!r}")
    there, usual = PARTS[of]
    asked = list(there if degradations is None else degradations)
    if unknown := [name for name in asked if name not in there]:
        raise InputError(f"there is no degradation {unknown[0]!r} of {of}; there are {', '.join(there)}")
    if len(models) < 2:
        raise InputError("two fits or more with different seeds are needed: one does not tell what luck does")
    if not all(0 < s <= 1 for s in strengths) or draws < 1:
        raise InputError("strengths are above 0 and at most 1, and draws at least 1")
    specs = list(usual if measures is None else measures)
    scorer = _Scorer(of, corpus, held_out, reference_topics, specs)
    values = scorer.score([list(models)] if of == "runs" else [[m] for m in models], "", 0.0)
    if of == "runs":  # what luck does: leave each run out in turn
        left = [[m for m in models if m is not one] for one in models]
        values += scorer.score(left, "", 0.0) if len(models) > 2 else []
    total = len(asked) * len(strengths)
    for i, name in enumerate(asked):
        place = list(there).index(name)  # its draws are its own, whatever stands beside it
        for j, strength in enumerate(strengths):
            if progress:
                progress(f"degrading: {name}", i * len(strengths) + j, total)
            worse = []
            for draw in range(draws):
                # the same draws at every strength: what is moved at a little is moved at more
                rngs = [np.random.default_rng([seed, place, draw, k]) for k in range(len(models))]
                own = list(zip(models, rngs, strict=True)) if of == "runs" else [(models[0], rngs[0])]
                worse.append([scorer.degraded(model, there[name], strength, rng) for model, rng in own])
            values += scorer.score(worse, name, strength)
    import polars

    frame = polars.DataFrame(values)
    about = {
        "of": of,
        "model": models[0].name,
        "fits": len(models),
        "documents": len(corpus),
        "draws": draws,
        "strengths": list(strengths),
        "seed": seed,
    }
    return Degradations(frame, _reactions(frame, specs, asked), about)


class _Scorer:
    """Makes models worse and scores them, whatever part of them is at issue."""

    def __init__(
        self,
        of: str,
        corpus: "Corpus",
        held_out: "Corpus | None",
        reference_topics: "ReferenceTopics | None",
        specs: Sequence[str],
    ) -> None:
        self.of, self.corpus, self.specs = of, corpus, specs
        self.options: dict[str, Any] = {"held_out": held_out, "reference_topics": reference_topics}
        if any(spec.startswith("we_coherence") for spec in specs):
            self.options["vectors"] = word_vectors(corpus)
        found = dict(zip(corpus.vocabulary, corpus.document_frequency().tolist(), strict=True))
        self.frequencies: dict[str, float] = found

    def degraded(self, model: Any, worse: Callable[..., Any], strength: float, rng: Random) -> Any:
        """The model made worse, with documents' topics that go with it."""
        from tealeaves.model import TopicModel

        if self.of == "time":
            return worse(model, strength, rng)
        if self.of == "tokens":
            model = model if model.assignments is not None else self.refreshed(model)
            topics = np.asarray(model.assignments, dtype=np.int32)
            topics = worse(topics, self.corpus.offsets, model.n_topics, strength, rng)
            return TopicModel(
                model.vocabulary,
                model.probabilities(),
                assignments=topics,
                alpha=model.alpha,
                name=model.name,
            )
        frequency = np.array([self.frequencies.get(word, 0.0) for word in model.vocabulary])
        changed = worse(model.probabilities(), frequency, strength, rng)
        return self.refreshed(
            TopicModel(model.vocabulary, changed, alpha=model.alpha, eta=model.eta, name=model.name)
        )

    def refreshed(self, model: Any) -> Any:
        """The model with topics of the documents inferred by its own topics."""
        from tealeaves.infer import infer
        from tealeaves.model import TopicModel

        if self.of == "time":
            return model
        found = infer(model, self.corpus)
        return TopicModel(
            model.vocabulary,
            model.probabilities(),
            doc_topic=found.doc_topic,
            assignments=found.assignments,
            alpha=model.alpha,
            eta=model.eta,
            name=model.name,
        )

    def score(self, sets: Sequence[Sequence[Any]], degradation: str, strength: float) -> list[dict[str, Any]]:
        """A row for each set (a model, or its runs) and measure."""
        from tealeaves.evaluate import evaluate
        from tealeaves.stability import stability

        rows = []
        if self.of == "runs":
            fresh = [[self.refreshed(m) if not degradation else m for m in models] for models in sets]
            all_scores = [(stability(models, measures=self.specs, ci=None), None) for models in fresh]
        else:
            one = [models[0] for models in sets]
            if not degradation and self.of != "time":
                known = self.of == "tokens"
                one = [m if known and m.assignments is not None else self.refreshed(m) for m in one]
            scores = evaluate(
                {f"draw {i}": model for i, model in enumerate(one)},
                self.corpus,
                measures=self.specs,
                ci=None,
                chance=0,
                **self.options,
            )
            all_scores = [(scores, name) for name in scores.models]  # type: ignore[misc]
        for draw, (scores, name) in enumerate(all_scores):
            for spec in self.specs:
                value = scores.value(spec) if name is None else scores.value(spec, model=name)
                rows.append(
                    {
                        "degradation": degradation,
                        "strength": float(strength),
                        "draw": draw,
                        "measure": spec,
                        "value": float(value),
                    }
                )
        return rows


def word_vectors(corpus: "Corpus", dimensions: int = 50) -> tuple[list[str], Floats]:
    """Vectors of the corpus' words: a truncated SVD of positive PMI over documents."""
    from scipy import sparse
    from scipy.sparse.linalg import svds

    used = corpus.tokens >= 0
    document = np.repeat(np.arange(len(corpus)), np.diff(corpus.offsets))[used]
    shape = (len(corpus), len(corpus.vocabulary))
    x = sparse.csr_matrix((np.ones(len(document)), (document, corpus.tokens[used])), shape=shape)
    x.data[:] = 1.0
    joint = (x.T @ x).tocoo()
    alone = np.maximum(np.asarray(x.sum(axis=0)).ravel(), 1.0)
    pmi = np.log(joint.data * len(corpus) / (alone[joint.row] * alone[joint.col]))
    positive = sparse.csr_matrix((np.maximum(pmi, 0.0), (joint.row, joint.col)), shape=joint.shape)
    k = min(dimensions, len(corpus.vocabulary) - 1)
    start = np.random.default_rng(0).normal(size=len(corpus.vocabulary))
    vectors, values, _ = svds(positive, k=k, v0=start)
    return list(corpus.vocabulary), np.asarray(vectors * np.sqrt(values))


def _reactions(values: "polars.DataFrame", specs: Sequence[str], asked: Sequence[str]) -> "polars.DataFrame":
    import polars

    from tealeaves.measures._table import parse

    rows = []
    for spec in specs:
        best = parse(spec).measure.best
        better = -1.0 if best == "low" else 1.0
        mine = values.filter(values["measure"] == spec)
        start = mine.filter(mine["strength"] == 0)["value"].to_numpy()
        for name in asked:
            of_name = mine.filter(mine["degradation"] == name)
            rows.append({"measure": spec, "degradation": name, **_reaction(start, of_name, better)})
            rows[-1]["claimed"] = name in CLAIMS.get(spec, ())
    return polars.DataFrame(rows)


def _reaction(start: Floats, worse: "polars.DataFrame", better: float) -> dict[str, Any]:
    """How a measure reacts; ``start`` are the values of undamaged fits, first of that made worse."""
    from tealeaves.stats import correlate

    worse = worse.filter(worse["value"].is_not_nan())
    strength, value = worse["strength"].to_numpy(), worse["value"].to_numpy()
    nothing: dict[str, Any] = {"rho": float("nan"), "change": float("nan"), "noticed": None}
    if np.isnan(start).any() or not len(value):
        return {**nothing, "verdict": UNDEFINED}
    luck = max(float(start.std(ddof=1)), 1e-9 * max(1.0, float(np.abs(start).max())))
    x, y = np.concatenate([[0.0], strength]), better * np.concatenate([start[:1], value])
    rho = correlate(x, y, resamples=1).value if np.ptp(y) > 0 else 0.0
    levels = np.unique(strength)
    at = [better * (value[strength == s] - start[0]) for s in levels]
    changes = np.array([x.mean() / luck for x in at])
    # nor is what differs from draw to draw noticed: which topic is left of all, say
    error = np.array([x.std(ddof=1) / len(x) ** 0.5 / luck if len(x) > 1 else 0.0 for x in at])
    last, beyond = float(changes[-1]), np.abs(changes) > NOTICED * np.maximum(error, 1.0)
    if not beyond.any():
        return {"rho": float(rho), "change": last, "noticed": None, "verdict": BLIND}
    if not beyond[-1]:  # to call it blind would hide which way it went before
        most = int(np.argmax(np.where(beyond, np.abs(changes), 0.0)))
        found = {"change": float(changes[most]), "noticed": float(levels[most])}
        return {"rho": float(rho), **found, "verdict": UNSTEADY}
    beyond &= np.sign(changes) == np.sign(last)
    first = 0 if beyond.all() else len(beyond) - int(np.argmin(beyond[::-1]))
    verdict = DETECTS if last < 0 else WRONG
    return {"rho": float(rho), "change": last, "noticed": float(levels[first]), "verdict": verdict}


def _better(row: Mapping[str, Any]) -> bool:
    """Whether worse topics score better where it was noticed."""
    return row["verdict"] in (WRONG, UNSTEADY) and row["change"] > 0


def chart(reactions: "polars.DataFrame") -> Any:
    """Measures by degradations: colour for the verdict, the least strength noticed; claims are framed."""
    import altair as alt

    from tealeaves.plots import INK, theme

    colours = {DETECTS: "#9fd0c8", WRONG: "#f2b27a", UNSTEADY: "#f6dfa4"}
    colours |= {BLIND: "#eef2f1", UNDEFINED: "#ffffff"}
    cells = [
        {
            "measure": row["measure"],
            "degradation": row["degradation"],
            "verdict": row["verdict"],
            "text": "" if row["noticed"] is None else f"{row['noticed']:g}" + ("!" if _better(row) else ""),
            "claimed": row["claimed"],
        }
        for row in reactions.iter_rows(named=True)
    ]
    order = {key: list(dict.fromkeys(cell[key] for cell in cells)) for key in ("measure", "degradation")}
    y = alt.Y("measure:N", title=None, sort=order["measure"])
    x = alt.X("degradation:N", title=None, sort=order["degradation"]).axis(orient="top", labelAngle=-30)
    base = alt.Chart(alt.InlineData(values=cells)).encode(x=x, y=y)
    boxes = base.mark_rect(stroke="white").encode(
        color=alt.Color("verdict:N", title=None).scale(domain=list(colours), range=list(colours.values()))
    )
    words = base.mark_text(fontSize=9, color=INK).encode(text="text:N")
    claims = base.transform_filter("datum.claimed").mark_rect(filled=False, stroke=INK, strokeWidth=1)
    drawn = alt.layer(boxes, claims, words).properties(width=alt.Step(76), height=alt.Step(15))
    return theme(drawn)


# --- what to try them on


@dataclass(frozen=True)
class Bench:
    """Models to make worse, with all that measures need."""

    models: "list[Any]"
    corpus: "Corpus"
    held_out: "Corpus | None" = None
    reference_topics: "ReferenceTopics | None" = None


def shipped(of: str = "topics", *, fits: int = 5, iterations: int = 300) -> Bench:
    """Fits of news that come with gensim, for the demo; a fifth of the stories is held out."""
    from tealeaves.corpus import Corpus
    from tealeaves.demo import demo_corpus
    from tealeaves.fit import fit

    if of == "time":
        raise InputError(
            "the news that come along have no dates: take planted topics, or a model of your own"
        )
    stories = demo_corpus()
    texts = [[stories.vocabulary[w] for w in stories.document(d) if w >= 0] for d in range(len(stories))]
    trained = len(texts) * 4 // 5
    corpus = Corpus.from_tokens(texts[:trained])
    held_out = Corpus.from_tokens(texts[trained:], vocabulary=corpus.vocabulary)
    return Bench(
        [fit("lda", corpus, k=10, seed=s, iterations=iterations) for s in range(fits)], corpus, held_out
    )


def planted(of: str = "topics", *, fits: int = 5, documents: int = 500, iterations: int = 200) -> Bench:
    """Fits of planted topics: ten and common words, in runs for topics of tokens; or drifting ones."""
    from tealeaves.fit import fit

    if of == "time":
        from tealeaves.synthetic import drifting

        corpus, _ = drifting(k=8, documents=documents, length=60, vocabulary=300, slices=8, beta=0.03)
        return Bench([fit("dlda", corpus, k=8, seed=seed, iterations=10) for seed in range(fits)], corpus)
    from tealeaves.corpus import Corpus

    texts, labels, wanted = _planted_texts(documents, of == "tokens")
    trained = documents * 4 // 5
    corpus = Corpus.from_tokens(texts[:trained], labels=labels[:trained])  # no word that no document has
    held_out = Corpus.from_tokens(texts[trained:], vocabulary=corpus.vocabulary)
    models = [fit("lda", corpus, k=11, seed=seed, iterations=iterations) for seed in range(fits)]
    return Bench(models, corpus, held_out, wanted)


def _planted_texts(documents: int, in_runs: bool) -> "tuple[list[list[str]], list[str], ReferenceTopics]":
    from tealeaves.reference_topics import ReferenceTopics
    from tealeaves.synthetic import lda

    alpha = [0.1] * 10 + [0.5]  # the last topic is of words that most documents hold
    drawn, truth = lda(k=11, documents=documents, length=80, vocabulary=500, alpha=alpha, beta=0.05)
    topics, tokens = np.asarray(truth.assignments), drawn.tokens.copy()
    if in_runs:
        order = np.lexsort((topics, np.repeat(np.arange(len(drawn)), np.diff(drawn.offsets))))
        tokens = tokens[order]
    texts = [
        [drawn.vocabulary[w] for w in tokens[first:last]]
        for first, last in zip(drawn.offsets[:-1], drawn.offsets[1:], strict=True)
    ]
    labels = [f"t{k}" for k in np.asarray(truth.doc_topic)[:, :10].argmax(axis=1)]
    return texts, labels, ReferenceTopics.from_model(truth)
