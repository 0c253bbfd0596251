"""Matcher: learnt from people, whether two topics are the same."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary, ref

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tealeaves.distributed import processes
from tealeaves.errors import FormatError, InputError, MissingInput
from tealeaves.folders import write_text
from tealeaves.matcher_drawing import draw
from tealeaves.matcher_pairs import TopicPair, TopicPairs
from tealeaves.model import TopicModel
from tealeaves.reference_topics import ReferenceTopics
from tealeaves.topic_pairs import FEATURES, WORD_FEATURES, Topics, all_features, why_no_documents

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
KIND, VERSION = "tealeaves matcher", 1


@dataclass(frozen=True)
class Logistic:
    """A logistic regression as plain numbers; features are taken as they are, without scaling."""

    features: tuple[str, ...]
    coefficients: tuple[float, ...]
    intercept: float
    C: float
    penalty: str

    def log_odds(self, features: Floats, names: Sequence[str]) -> Floats:
        """Of a match, for features whose last axis is named."""
        columns = [list(names).index(name) for name in self.features]
        return np.asarray(features[..., columns] @ np.array(self.coefficients) + self.intercept)


@dataclass(frozen=True)
class Matcher:
    """Whether two topics mean the same, as people judged pairs of others.

    `Matcher.sample` draws pairs to be judged, `Matcher.train` learns from the judgements, and
    ``evaluate(…, reference_topics=…, matcher=…)`` measures ``sup_cov`` and ``precision`` with it.

    ``classifiers`` are two logistic regressions: "all", and "no_cosine" for ``sup_cov_nocos``. ``report``
    says how good it is on pairs it has not seen, and how well people agree; ``str(matcher)`` prints it.
    """

    features: tuple[str, ...]
    classifiers: Mapping[str, Logistic]
    report: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @staticmethod
    def sample(
        models: Any, n: int = 300, seed: int = 0, reference_topics: ReferenceTopics | None = None
    ) -> TopicPairs:
        """Draw pairs of topics for people to judge, as many near ones as far ones.

        All pairs of two topics are put into ten equal intervals of the cosine distance of their words, and as
        many drawn from each; what one lacks, the others give. At random nearly no pair would match. A
        reference topic stands in the pool three times; pairs of identical topics are left out.

        Parameters
        ----------
        models : TopicModel, sequence or mapping of them
            Best of several kinds and sizes.
        n : int
            Pairs; the source's 300 took three people.
        seed : int
            Same seed, same pairs.
        reference_topics : ReferenceTopics, optional
            The topics that models will be held against.

        Returns
        -------
        TopicPairs
            Each with ``cosine_distance``, ``features``, top words and, where all models have documents in
            common, top documents; in random order, so that the first fifty are a sample, too. ``notes`` say
            what was left out, and where words are all there is.

        Examples
        --------
        >>> model = TopicModel(["a", "b", "c"], topic_word=[[3, 1, 0], [1, 3, 0], [0, 0, 1]])
        >>> pairs = Matcher.sample(model, n=3)
        >>> sorted(round(pair.cosine_distance, 3) for pair in pairs)
        [0.4, 1.0, 1.0]
        """
        return draw(models, n, seed, reference_topics)

    @classmethod
    def train(
        cls,
        pairs: Sequence[TopicPair],
        labels: ArrayLike | None = None,
        seed: int = 0,
        *,
        threshold: float = 0.75,
        compare: bool = False,
        documents: bool | None = None,
        workers: int = 1,
        progress: Callable[[int, int], None] | None = None,
    ) -> "Matcher":
        """Learn from judged pairs.

        A logistic regression (liblinear; C from .001 to 1000 and the norm chosen by F1 in five stratified
        folds) is fitted to all pairs, and a second one without cosines. How good it is on pairs it has not
        seen is measured by five folds around those five.

        Parameters
        ----------
        pairs : sequence of TopicPair
            From `Matcher.sample`.
        labels : array of shape (n,) or (raters, n), optional
            1 for the same, .5 for the same with noise or a small difference, 0 for different; nan for no
            label. Pairs match where the mean is at least ``threshold``. Those of ``pairs`` if not said.
        seed : int
            Of the folds.
        threshold : float
            The least mean label of a match.
        compare : bool
            Try out a support vector machine, a random forest and a multilayer perceptron, too. It takes
            minutes and changes nothing in what is kept.
        documents : bool, optional
            Whether features of documents are used; where all pairs have them if not said. A matcher with them
            can only be asked about models with them.
        workers : int
            Processes that try settings out.
        progress : function, optional
            Called with (folds done, folds in all).

        Raises
        ------
        InputError
            If labels do not fit, or fewer than 7 pairs match or do not; it says how many.
        MissingExtra
            Without scikit-learn.

        References
        ----------
        Korenčić, Ristov, Repar and Šnajder (2021), IEEE Access 9, 123280-123312, Appendix E.
        """
        from tealeaves.human.agreement import aggregate, mean_label
        from tealeaves.matcher_training import CLASSIFIERS, LOGISTIC, check_enough, logistic, nested

        pairs = pairs if isinstance(pairs, TopicPairs) else TopicPairs(pairs)
        names, notes = pairs.feature_names, list(pairs.notes)
        if documents is False or len(names) == len(WORD_FEATURES):
            if documents:
                raise MissingInput("documents=True, but the pairs have features of words alone")
            names = WORD_FEATURES
            if not any(note.startswith("words only") for note in notes):
                notes.append("words only, no documents")
        given = _labels(pairs.labels if labels is None else labels, len(pairs))
        known = ~np.isnan(mean_label(given))
        features = pairs.features[known][:, : len(names)]
        matching = aggregate(given[:, known], threshold)
        check_enough(matching)
        tried = CLASSIFIERS if compare else (LOGISTIC,)
        done = [0]

        def advance() -> None:
            done[0] += 1
            if progress is not None:
                progress(done[0], 5 * (len(tried) + 1))

        with nullcontext() if workers == 1 else processes(workers) as pool:
            each = map if pool is None else pool.map
            scores = {
                name: nested(name, features, matching, seed, each=each, advance=advance) for name in tried
            }
        blind = [i for i, name in enumerate(names) if not name.endswith("cosine")]
        scores["without cosines"] = nested(LOGISTIC, features[:, blind], matching, seed, advance=advance)
        classifiers = {
            "all": Logistic(names, **logistic(features, matching, seed)),
            "no_cosine": Logistic(
                tuple(names[i] for i in blind), **logistic(features[:, blind], matching, seed)
            ),
        }
        share = float(matching.mean())
        report = {
            "pairs": len(matching),
            "matching": int(matching.sum()),
            "unlabelled": int((~known).sum()),
            "threshold": threshold,
            "seed": seed,
            "f1": {
                name: {"mean": float(np.mean(folds)), "sd": float(np.std(folds, ddof=1)), "folds": folds}
                for name, folds in scores.items()
            },
            "all_yes_f1": 2 * share / (1 + share),
            "raters": _agreement(given, threshold),
            "scikit-learn": _version(),
        }
        return cls(names, classifiers, report, tuple(notes))

    @cached_property
    def fingerprint(self) -> str:
        """Of what decides: features, coefficients, intercepts."""
        digest = hashlib.blake2b(digest_size=16)
        for name in sorted(self.classifiers):
            one = self.classifiers[name]
            digest.update(json.dumps([name, one.features, one.coefficients, one.intercept]).encode())
        return digest.hexdigest()

    @property
    def words_only(self) -> bool:
        """Whether it looks at words alone, not at documents."""
        return len(self.features) == len(WORD_FEATURES)

    def matches(
        self, reference: "ReferenceTopics | TopicModel", model: "TopicModel", *, cosines: bool = True
    ) -> Bools:
        """Whether each topic of the model is each reference topic, (R, K): a probability above one half.

        Parameters
        ----------
        reference, model : ReferenceTopics, TopicModel
            What is sparser first: it is faster.
        cosines : bool
            Without, by the regression that knows no cosine distance.

        Raises
        ------
        MissingInput
            If the matcher was trained with documents, but they are not known or not the same ones.
        """
        return np.asarray(self._log_odds(reference, model, cosines) > 0)

    def probabilities(
        self, reference: "ReferenceTopics | TopicModel", model: "TopicModel", *, cosines: bool = True
    ) -> Floats:
        """The probability that each topic of the model is each reference topic, (R, K)."""
        return _logistic(self._log_odds(reference, model, cosines))

    def of_pairs(self, pairs: Sequence[TopicPair]) -> Floats:
        """The probability that each pair matches, (n,)."""
        pairs = pairs if isinstance(pairs, TopicPairs) else TopicPairs(pairs)
        if not set(self.features) <= set(pairs.feature_names):
            raise MissingInput("this matcher was trained with documents, but the pairs have words alone")
        return _logistic(self.classifiers["all"].log_odds(pairs.features, pairs.feature_names))

    def propose(self, pairs: Sequence[TopicPair], n: int = 50) -> TopicPairs:
        """The n of these pairs whose labels would teach most: those it is least sure of, first.

        Draw many with `Matcher.sample` (another seed) and leave those out that have labels.
        """
        if n < 1:
            raise InputError(f"the number of pairs must be at least 1; got {n}")
        order = np.argsort(np.abs(self.of_pairs(pairs) - 0.5), kind="stable")[:n]
        return TopicPairs([pairs[int(i)] for i in order], notes=getattr(pairs, "notes", ()))

    def save(self, path: str | PathLike[str]) -> None:
        """Write it as plain JSON: coefficients, names of features, the report. Nothing in it can be run."""
        content = {
            "format": KIND,
            "version": VERSION,
            "features": self.features,
            "scaler": None,
            "classifiers": {name: vars(one) for name, one in self.classifiers.items()},
            "report": self.report,
            "notes": self.notes,
        }
        text = json.dumps(_plain(content), ensure_ascii=False, indent=1, allow_nan=False)
        write_text(Path(path), text + "\n")

    @classmethod
    def load(cls, path: str | PathLike[str]) -> "Matcher":
        """Read what `save` wrote.

        Raises
        ------
        FormatError
            If the file is no matcher, or of another version.
        """
        path = Path(path)
        try:
            content = json.loads(path.read_bytes())
        except (ValueError, RecursionError) as error:
            raise FormatError(path, f"is no matcher: JSON was expected, but {error}") from None
        if not isinstance(content, dict) or content.get("format") != KIND:
            raise FormatError(
                path,
                f"is no matcher: it does not say {KIND!r} as its format; `tealeaves matcher train` makes one",
            )
        if content.get("version") != VERSION:
            raise FormatError(
                path, f"is of version {content.get('version')!r}, but this release reads {VERSION}"
            )
        try:
            features = tuple(content["features"])
            if features not in (FEATURES, WORD_FEATURES) or content["scaler"] is not None:
                raise ValueError("its features are other ones")
            classifiers = {
                name: _read(content["classifiers"][name], features) for name in ("all", "no_cosine")
            }
            found = cls(features, classifiers, dict(content["report"]), tuple(map(str, content["notes"])))
            str(found)  # a report that cannot be told is damaged, too
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise FormatError(path, f"is damaged: {type(error).__name__} {error}") from None
        return found

    def __repr__(self) -> str:
        seen = "words only" if self.words_only else "words and documents"
        return f"<Matcher: {seen}, learnt from {self.report.get('pairs', '?')} pairs>"

    def __str__(self) -> str:
        """What it is and how good, for people to read."""
        report = self.report
        if not report:
            return repr(self)
        lines = [
            f"Matcher by {'words only, no documents' if self.words_only else 'words and documents'}: "
            f"{report['pairs']} pairs, {report['matching']} match (mean label >= {report['threshold']:g})",
            "",
            f"{'F1 on pairs not seen':28} {'mean':>6} {'sd':>6}",
        ]
        people = report.get("raters") or {}
        if people.get("human_f1") is not None:
            lines.append(f"{'people':28} {people['human_f1']:6.3f} {people['human_f1_sd']:6.3f}")
        for name, scores in report["f1"].items():
            lines.append(f"{name:28} {scores['mean']:6.3f} {scores['sd']:6.3f}")
        lines.append(f"{'yes to every pair':28} {report['all_yes_f1']:6.3f}")
        if people.get("alpha_nominal") is not None:
            alpha = f"nominal {people['alpha_nominal']:.3f}, ordinal {people['alpha_ordinal']:.3f}"
            lines += ["", f"Krippendorff's alpha of {people['raters']} raters: {alpha}"]
        used = self.classifiers["all"]
        lines += ["", f"Kept: logistic regression, C = {used.C:g}, {used.penalty}"]
        return "\n".join([*lines, *(f"Note: {note}" for note in self.notes)])

    def _log_odds(self, reference: Any, model: Any, cosines: bool) -> Floats:
        """Of each pair; kept for the next measure, as long as the model is."""
        kept = self._judged.get(model)
        if kept is None or kept[0]() is not reference:
            first, second = Topics.of(reference), Topics.of(model)
            if not self.words_only and (lacking := why_no_documents(first, second)):
                raise MissingInput(
                    f"the matcher was trained with documents, but {lacking}; train one with documents=False "
                    "(tealeaves matcher train --words-only)"
                )
            features = all_features(first, second, documents=not self.words_only)
            odds = {name: one.log_odds(features, self.features) for name, one in self.classifiers.items()}
            self._judged[model] = kept = ref(reference), odds
        return kept[1]["all" if cosines else "no_cosine"]

    @cached_property
    def _judged(self) -> WeakKeyDictionary[Any, tuple[Any, dict[str, Floats]]]:
        return WeakKeyDictionary()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_judged"}


def _labels(labels: ArrayLike | None, n: int) -> Floats:
    if labels is None:
        raise MissingInput("the pairs have no labels yet: hand over labels=, one for each pair")
    try:
        given = np.atleast_2d(np.asarray(labels, dtype=np.float64))
    except (TypeError, ValueError):
        raise InputError("labels must be numbers from 0 to 1, one for each pair, nan for none") from None
    if given.ndim != 2 or given.shape[1] != n:
        turned = "; they look transposed: hand over labels.T" if given.shape[0] == n else ""
        raise InputError(f"labels must be {n}, one for each pair, or raters × {n}; got {given.shape}{turned}")
    return given


def _agreement(labels: Floats, threshold: float) -> dict[str, Any]:
    """How well raters agree; nothing is known of one."""
    from tealeaves.human.agreement import human_f1
    from tealeaves.stats.agreement import krippendorff_alpha, why_no_alpha

    if len(labels) < 2:
        return {"raters": len(labels), "reason": "one rater"}
    found = human_f1(labels, threshold)
    return {
        "raters": len(labels),
        "human_f1": _or_none(found.mean),
        "human_f1_sd": _or_none(found.sd),
        "alpha_nominal": _or_none(krippendorff_alpha(labels, "nominal")),
        "alpha_ordinal": _or_none(krippendorff_alpha(labels, "ordinal")),
        "reason": found.reason or why_no_alpha(labels),
    }


def _read(content: Any, features: tuple[str, ...]) -> Logistic:
    one = Logistic(
        tuple(content["features"]),
        tuple(float(x) for x in content["coefficients"]),
        float(content["intercept"]),
        float(content["C"]),
        str(content["penalty"]),
    )
    if len(one.features) != len(one.coefficients) or not set(one.features) <= set(features):
        raise ValueError("features and coefficients do not fit together")
    if not np.isfinite([*one.coefficients, one.intercept]).all():
        raise ValueError("a coefficient is not finite")
    return one


def _logistic(log_odds: Floats) -> Floats:
    return np.asarray(0.5 * (1 + np.tanh(0.5 * log_odds)))  # never overflows


def _or_none(x: float) -> float | None:
    return None if np.isnan(x) else float(x)


def _plain(x: Any) -> Any:
    """The same without what strict JSON cannot say."""
    if isinstance(x, Mapping):
        return {str(key): _plain(value) for key, value in x.items()}
    if isinstance(x, list | tuple):
        return [_plain(value) for value in x]
    return None if isinstance(x, float) and not np.isfinite(x) else x


def _version() -> str:
    from importlib.metadata import version

    return version("scikit-learn")
