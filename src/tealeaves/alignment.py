"""Align: which topics of several runs are the same one, and which come back in all of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import InputError, meant
from tealeaves.evaluate import name_models
from tealeaves.measures.alignment import Group, aligned_groups, optimal_pairs
from tealeaves.measures.stability import Distances, run_distances
from tealeaves.needs_coverage import over_same_words, refuse_negative, table_of
from tealeaves.reference_topics import ReferenceTopics

if TYPE_CHECKING:
    import polars

    from tealeaves.corpus import Corpus
    from tealeaves.model import TopicModel

Floats = NDArray[np.float64]
SHOWN = 20  # words of a group
THRESHOLD = 0.5  # topics farther apart are not the same


@dataclass(frozen=True, eq=False, repr=False)
class Alignment:
    """The topics of several runs, put together.

    Attributes
    ----------
    runs : tuple of str
        Their names.
    groups : list of Group
        A topic of the whole set each, the one in most runs first: ``topics`` (its number in each run, -1
        where it is not), ``stability``, ``similarity``, ``n_runs``. Every topic of every run is in one.
    distances : dict of (a, b) to array of shape (K_a, K_b)
        Of every two runs, a < b.
    distance, threshold
        What was measured, and how far apart one topic may be from itself.
    documents : tuple of array of shape (D, K)
        The topics of documents of each run; empty where a run has none, or of other documents.
    corpus : Corpus or None
        Of these documents, where a run carries it.
    """

    runs: tuple[str, ...]
    groups: list[Group]
    distances: Distances
    distance: str
    threshold: float
    words: tuple[str, ...]
    weights: list[Floats]
    documents: tuple[Floats, ...] = ()
    corpus: "Corpus | None" = None
    _top: dict[int, list[list[str]]] = field(default_factory=dict)

    def __repr__(self) -> str:
        return (
            f"<Alignment: {len(self.runs)} runs, {len(self.groups)} topics, {len(self.in_all)} in all runs>"
        )

    @property
    def in_all(self) -> list[int]:
        """The groups that every run has a topic of."""
        return [g for g, group in enumerate(self.groups) if group.n_runs == len(self.runs)]

    @property
    def matrix(self) -> NDArray[np.int64]:
        """The topic of each run in each group, (groups, runs), -1 where there is none."""
        return np.array([group.topics for group in self.groups], dtype=np.int64)

    def pairs(self, a: int | str, b: int | str) -> list[tuple[int, int, float]]:
        """The optimal pairs of two runs, named or numbered from 0: (topic of a, topic of b, similarity)."""
        i, j = self._run(a), self._run(b)
        if i == j:
            raise InputError(f"two different runs have pairs; got {a!r} twice")
        found = self.distances[i, j] if i < j else self.distances[j, i].T
        rows, columns = optimal_pairs(found)
        alike = 1.0 - found[rows, columns]
        return list(zip(rows.tolist(), columns.tolist(), alike.tolist(), strict=True))

    def mean_topic(self, group: int) -> Floats:
        """The mean of a group's topics, each scaled to sum 1, (words,)."""
        rows = [self.weights[run][k] for run, k in enumerate(self.groups[group].topics) if k >= 0]
        result: Floats = np.mean([row / (row.sum() or 1.0) for row in rows], axis=0)
        return result

    def top_words(self, n: int = 10) -> list[list[str]]:
        """The first words of each group's mean topic."""
        made = max(n, SHOWN)  # once for whoever shows fewer
        if made not in self._top:
            self._top[made] = [self._heaviest(self.mean_topic(g), made) for g in range(len(self.groups))]
        return [words[:n] for words in self._top[made]]

    def _heaviest(self, weights: Floats, n: int) -> list[str]:
        least = np.partition(weights, -n)[-n] if n < len(weights) else 0.0
        among = np.flatnonzero((weights >= least) & (weights > 0))
        order = among[np.argsort(-weights[among], kind="stable")][:n]
        return [self.words[w] for w in order]

    def reference_topics(self, min_runs: int | None = None, name: str = "returning") -> ReferenceTopics:
        """The topics that return in at least so many runs (all, if not said), as reference topics."""
        kept = self._returning(min_runs)
        means = np.array([self.mean_topic(g) for g in kept])
        return ReferenceTopics(self.words, means, [str(g) for g in kept], name=name)

    def model(self, min_runs: int | None = None, name: str = "returning") -> "TopicModel":
        """The topics that return in at least so many runs (all, if not said), as a model: to be curated, say.

        Words and, where all runs have topics of the same documents, documents are the means of a group's
        topics, as Korenčić et al. (2021) make them of clusters.
        """
        from tealeaves.model import TopicModel

        kept = self._returning(min_runs)
        means = np.array([self.mean_topic(g) for g in kept])
        documents = np.array([self._mean_documents(g) for g in kept]).T if self.documents else None
        corpus = self.corpus if documents is not None else None
        return TopicModel(self.words, topic_word=means, doc_topic=documents, corpus=corpus, name=name)

    def _returning(self, min_runs: int | None) -> list[int]:
        """The groups that are in at least so many runs."""
        wanted = len(self.runs) if min_runs is None else min_runs
        kept = [g for g, group in enumerate(self.groups) if group.n_runs >= wanted]
        if not kept:
            most = self.groups[0].n_runs
            raise InputError(f"no topic returns in {wanted} of {len(self.runs)} runs; the most are {most}")
        return kept

    def _mean_documents(self, group: int) -> Floats:
        """The mean of a group's topics of documents, (documents,)."""
        columns = [self.documents[run][:, k] for run, k in enumerate(self.groups[group].topics) if k >= 0]
        result: Floats = np.mean(columns, axis=0)
        return result

    @property
    def frame(self) -> "polars.DataFrame":
        """A row for each group: ``group``, ``runs``, ``stability``, ``similarity``, ``words``, each run."""
        import polars

        matrix = self.matrix
        columns: dict[str, Any] = {
            "group": range(len(self.groups)),
            "runs": [group.n_runs for group in self.groups],
            "stability": [group.stability for group in self.groups],
            "similarity": [group.similarity for group in self.groups],
            "words": [" ".join(words) for words in self.top_words()],
        }
        found = polars.DataFrame(columns)
        of_runs = [
            polars.Series(name, [k if k >= 0 else None for k in matrix[:, run].tolist()], dtype=polars.Int64)
            for run, name in enumerate(self.runs)
        ]
        return found.with_columns(of_runs)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the distances, plain."""
        words = self.top_words()
        return {
            "runs": list(self.runs),
            "distance": self.distance,
            "threshold": self.threshold,
            "groups": [
                {
                    "topics": [k if k >= 0 else None for k in group.topics],
                    "runs": group.n_runs,
                    "stability": group.stability,
                    "similarity": group.similarity,
                    "words": words[g],
                }
                for g, group in enumerate(self.groups)
            ],
        }

    def _run(self, run: int | str) -> int:
        if isinstance(run, str) and run in self.runs:
            return self.runs.index(run)
        if isinstance(run, int) and 0 <= run < len(self.runs):
            return run
        raise InputError(f"there is no run {run!r}; {meant(str(run), self.runs)}")


def align(
    models: "Sequence[TopicModel] | Mapping[str, TopicModel | Sequence[TopicModel]]",
    *,
    distance: str = "cosine",
    threshold: float = THRESHOLD,
    top: int = 10,
) -> Alignment:
    """Find which topics of several runs, or of different models, are the same one.

    Parameters
    ----------
    models : sequence or mapping of TopicModel
        As for `tealeaves.evaluate`. Vocabularies may differ: a word that one has not weighs 0 in it.
    distance : str
        Of two topics, as for ``instance_stabil``.
    threshold : float
        Topics farther apart are not the same.
    top : int
        Words of a topic that "average_jaccard" looks at.

    Returns
    -------
    Alignment
        ``groups``, ``in_all``, ``pairs(a, b)``, ``frame``, ``reference_topics(min_runs)``.

    Raises
    ------
    InputError
        If a model has negative weights or topics over time, or there is no such distance.

    Examples
    --------
    >>> from tealeaves.model import TopicModel
    >>> runs = [TopicModel.from_words([["oil", "gas"], ["law", "tax"]]) for _ in range(2)]
    >>> runs.append(TopicModel.from_words([["law", "court"], ["film", "music"]]))
    >>> found = align(runs, threshold=0.6)
    >>> found
    <Alignment: 3 runs, 3 topics, 1 in all runs>
    >>> found.matrix
    array([[ 1,  1,  0],
           [ 0,  0, -1],
           [-1, -1,  1]])
    """
    named = name_models(models)
    if not isinstance(threshold, int | float) or not 0 <= threshold <= 1:
        raise InputError(f"threshold is a distance from 0 to 1; got {threshold!r}")
    for name, model in named.items():
        refuse_negative(model, name, "alignment")
    words, weights = tables(list(named.values()), ranked=distance == "average_jaccard")
    distances = run_distances(weights, distance, top)
    groups = aligned_groups(distances, [len(rows) for rows in weights], threshold)
    documents, corpus = _documents(list(named.values()))
    return Alignment(tuple(named), groups, distances, distance, threshold, words, weights, documents, corpus)


def _documents(models: "Sequence[TopicModel]") -> "tuple[tuple[Floats, ...], Corpus | None]":
    """The topics of documents of all models, if they are of the same documents, and their corpus."""
    held = tuple(model.doc_topic for model in models if model.doc_topic is not None)
    corpora = [model.corpus for model in models if model.corpus is not None]
    alike = len({len(rows) for rows in held}) == 1 and len({one.fingerprint for one in corpora}) <= 1
    if len(held) < len(models) or not alike:
        return (), None
    return held, corpora[0] if corpora else None


def tables(models: "Sequence[TopicModel]", ranked: bool = False) -> tuple[tuple[str, ...], list[Floats]]:
    """The topics of several models over the words of all, and these words."""
    found = [table_of(model, ranked) for model in models]
    words = tuple(dict.fromkeys(word for own in dict.fromkeys(words for words, _ in found) for word in own))
    return words, over_same_words(found)
