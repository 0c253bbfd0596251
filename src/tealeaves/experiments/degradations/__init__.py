"""Which measure should I believe? Models made worse in known ways, and what measures say of them.

A model is degraded in one way at several strengths, and the measures of ``PARTS`` are asked each time. A
measure is blind to what at no strength moves it farther than a fit with another seed does; it goes the wrong
way where worse topics score better; it is not steady where it moves at less strength and is back at the full
one. What each claims to detect stands in ``CLAIMS``, and a test holds it to that.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tealeaves.errors import InputError, meant
from tealeaves.experiments.degradations.benches import Bench, planted, shipped
from tealeaves.experiments.degradations.claims import CLAIMS, PARTS
from tealeaves.experiments.degradations.outcome import Degradations
from tealeaves.experiments.degradations.reactions import reactions_of
from tealeaves.experiments.degradations.scorer import Scorer

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus
    from tealeaves.dynamic import DynamicTopicModel
    from tealeaves.matcher import Matcher
    from tealeaves.model import TopicModel
    from tealeaves.reference_topics import ReferenceTopics

Progress = Callable[[str, int, int], None]
STRENGTHS = (0.1, 0.25, 0.5, 0.75, 1.0)
__all__ = ["CLAIMS", "PARTS", "STRENGTHS", "Bench", "Degradations", "degrade", "planted", "shipped"]


def degrade(
    models: "Sequence[TopicModel] | Sequence[DynamicTopicModel]",
    corpus: "Corpus",
    *,
    of: str = "topics",
    held_out: "Corpus | None" = None,
    reference_topics: "ReferenceTopics | None" = None,
    matcher: "Matcher | None" = None,
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
        For prediction.
    reference_topics : ReferenceTopics, optional
        For coverage.
    matcher : Matcher, optional
        For measures of coverage that ask one.
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
        raise InputError(f"there is no degradation {unknown[0]!r} of {of}; {meant(unknown[0], there)}")
    if len(models) < 2:
        raise InputError("two fits or more with different seeds are needed: one does not tell what luck does")
    if not all(0 < s <= 1 for s in strengths) or draws < 1:
        raise InputError("strengths are above 0 and at most 1, and draws at least 1")
    specs = list(usual if measures is None else measures)
    scorer = Scorer(of, corpus, held_out, reference_topics, matcher, specs)
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
    return Degradations(frame, reactions_of(frame, specs, asked), about)
