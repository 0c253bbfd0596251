"""Documents that were not trained on, as held-out measures need them."""

from typing import TYPE_CHECKING, Any

import numpy as np

from tealeaves.errors import MissingInput
from tealeaves.measures._table import Spec

if TYPE_CHECKING:
    from tealeaves.held_out import Documents, PseudoCounts, Scored
    from tealeaves.infer import Floats
    from tealeaves.run import Run


NOTEWORTHY = 5e-4  # nats a word: what moves perplexity by 0.05 percent


class HeldOutNeeds:
    """Documents that were not trained on, as held-out measures need them."""

    run: "Run"
    name: str
    spec: Spec
    model: Any

    def _held_out(self) -> "Documents":
        from tealeaves.held_out import documents_of

        if self.run.held_out is None:
            raise MissingInput(
                f"{self.spec} scores documents that the model was not trained on, but none were given: hand "
                "over held_out= (--held-out): another corpus, or a part kept back before the model was fitted"
            )
        made = self.run.held_out_of.get(self.name)
        if made is None:
            made = documents_of(
                self.model.vocabulary,
                self.run.held_out,
                slice_labels=getattr(self.model, "slice_labels", ()),
                train=self.run.corpus_of(self.name),
                seed=self.run.seed,
                workers=self.run.workers,
            )
            if not len(made.tokens):
                raise MissingInput(
                    f"{self.spec}: none of the words of model {self.name!r} is in the held-out documents; "
                    "were they made into tokens as those it was trained on?"
                )
            self.run.held_out_of[self.name] = made
        self.run.companions[self.name, str(self.spec)] = self._beside_held_out(made)
        return made

    def _prior(self) -> "Floats | None":
        alpha = getattr(self.model, "alpha", None)  # topics over time carry none
        if alpha is None and "pseudo_counts" in self.spec.measure.needs:
            raise MissingInput(f"{self.spec} needs a Dirichlet prior (alpha); model {self.name!r} has none")
        return None if alpha is None else np.asarray(alpha, dtype=np.float64)

    def _pseudo_counts(self) -> "PseudoCounts":
        from tealeaves.held_out import PseudoCounts
        from tealeaves.infer import geometric

        eta = getattr(self.model, "eta", None)
        if eta is None:
            raise MissingInput(
                f"{self.spec} needs a variational LDA: pseudo-counts of words and their prior (eta), as "
                f"scikit-learn and gensim have them; model {self.name!r} has none"
            )
        geometric(self.model)  # says what is missing
        weights = self.model.topic_word
        return PseudoCounts(weights, np.broadcast_to(np.asarray(eta, dtype=np.float64), weights.shape[1:]))

    def _beside_held_out(self, documents: "Documents") -> dict[str, Any]:
        """What stands beside a held-out score: Monte Carlo error, baselines, what was not scored."""
        from tealeaves.held_out import bound_parts, score

        settings = self.spec.settings
        if "pseudo_counts" in self.spec.measure.needs:
            rounds = {key: settings[key] for key in ("iterations", "tolerance")}
            prior = self._prior()
            if prior is None:
                raise MissingInput(f"{self.spec} needs a Dirichlet prior (alpha)")
            parts, term = bound_parts(self._pseudo_counts(), prior, documents, **rounds)
            words = int(documents.lengths.sum())
            return of_bound(float(parts.sum()), term, words, gensim="gensim" in self.spec.name)
        try:
            scored = score(self._topic_word(), self._prior(), documents, **settings)  # type: ignore[attr-defined]
        except MissingInput as error:
            raise MissingInput(f"{self.spec} of model {self.name!r}: {error}") from None
        return beside(scored, self.spec.name, len(self.model.vocabulary))


def signature_of(run: "Run", spec: Spec, name: str) -> list[str]:
    """What of the documents and the model can change a held-out score, beside the spec."""
    if "held_out" not in spec.measure.needs or run.held_out is None:
        return []
    parts = [f"held_out:{run.held_out.fingerprint[:8]}", f"docs:{len(run.held_out)}"]
    parts += [f"vocab:{len(run.models[name].vocabulary)}"]
    settings = spec.settings
    if settings.get("inference") == "auto" and settings["method"] == "completion":
        parts += [f"folded_in:{'em' if getattr(run.models[name], 'alpha', None) is None else 'vb'}"]
    drawn = settings.get("method") not in (None, "exact")
    return parts + ([f"seed:{run.seed}"] if drawn else [])


def beside(scored: "Scored", name: str, n_words: int) -> dict[str, Any]:
    """Numbers beside a score, in its own unit: error, both baselines; and what was scored and what not."""
    words = max(scored.total_words, 1)
    unigram = None if scored.unigram is None else float(scored.unigram[scored.kept].sum())

    def in_unit(log_p: float) -> float:
        if name == "log_likelihood":
            return log_p
        bits = -log_p / words / np.log(2)
        return float(bits if name == "bits_per_word" else np.exp2(bits))

    error, bias = scored.log_likelihood_error, scored.log_bias
    errors = {
        "perplexity": scored.perplexity_error,
        "log_likelihood": error,
        "bits_per_word": error / words / np.log(2),
    }
    with np.errstate(over="ignore"):
        biases = {
            "perplexity": -scored.perplexity * np.expm1(-bias / words),
            "log_likelihood": -bias,
            "bits_per_word": bias / words / np.log(2),
        }
    known = float(scored.unknown.sum() + scored.known.sum())
    return {
        "mc_error": finite(errors[name]),
        "mc_bias": finite(biases[name]),
        "log_bias": finite(bias),
        "uniform": in_unit(-words * float(np.log(n_words))),
        "unigram": None if unigram is None else in_unit(unigram),
        "how": scored.how,
        "words": scored.total_words,
        "documents": int(scored.kept.sum()),
        "left_out": scored.left_out,
        "unknown_share": float(scored.unknown.sum()) / known if known else None,
        "splits": [in_unit(log_p) for log_p in scored.splits.tolist()],
    }


def of_bound(documents: float, term: float, words: int, *, gensim: bool) -> dict[str, Any]:
    """The parts of a variational bound, per word, and the perplexities that are read from it."""
    whole = (documents + term) / words
    found = {
        "words": words,
        "documents_part": documents / words,
        "topic_term": term / words,
        "perplexity": float(np.exp(-whole)),
        "perplexity_of_documents": float(np.exp(-documents / words)),
    }
    return found | ({"gensim_logs": float(2.0**-whole)} if gensim else {})


def finite(value: float) -> float | None:
    """A number, or None where there is none."""
    return float(value) if np.isfinite(value) else None


def warnings_of(run: "Run") -> list[str]:
    """What a reader of held-out scores should see."""
    if run.held_out is None or not any("held_out" in spec.measure.needs for spec in run.specs):
        return []
    found = []
    for name in run.models:
        train = run.corpus_of(name)
        if train is not None and train.fingerprint == run.held_out.fingerprint:
            found.append(
                f"{name}: scored on the training documents, where more parameters always look better"
            )
    for (name, spec), numbers in run.companions.items():
        if numbers.get("left_out"):
            found.append(
                f"{name}: {spec} leaves out {numbers['left_out']} held-out documents with too few known words"
            )
        off, noise, bias = (numbers.get(key) or 0.0 for key in ("mc_bias", "mc_error", "log_bias"))
        if abs(off) > noise and bias > NOTEWORTHY * numbers["words"]:
            found.append(
                f"{name}: {spec} has a Monte Carlo bias of about {off:+.4g}, which is beyond its error of "
                f"{noise:.2g}: the log likelihood lies low by about {bias:.1f} nats. More samples= lessen "
                "both; method='smc' often needs fewer"
            )
        if (numbers.get("unknown_share") or 0) > 0.05:
            found.append(
                f"{name}: {spec} leaves out {numbers['unknown_share']:.0%} of the held-out words, which the "
                "model does not have: compare it with models of the same vocabulary only"
            )
    return list(dict.fromkeys(found))
