"""The correlated topic model, fitted by variational EM with topica."""

from typing import TYPE_CHECKING

import numpy as np

from tealeaves._optional import require
from tealeaves.errors import InputError
from tealeaves.fit._matrix import (
    Progress,
    in_all_documents,
    need_at_least,
    need_topics,
    word_texts,
)
from tealeaves.model import TopicModel
from tealeaves.scaling import rows_to_one

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus


def ctm(
    corpus: "Corpus",
    k: int,
    seed: int = 0,
    *,
    start: str = "spectral",
    iterations: int = 500,
    workers: int | None = None,
    progress: Progress | None = None,
) -> TopicModel:
    """Fit topics whose shares of documents may go together, by a logistic normal prior.

    Parameters
    ----------
    corpus : Corpus
        D documents over V words.
    k : int
        The number of topics, at least 2.
    seed : int
        Of a random start; a spectral one is the same for every seed.
    start : {"spectral", "random"}
        Anchor words, or random topics.
    iterations : int
        Steps of EM at most; it ends where the bound gains less than 1e-5 of itself.
    workers : int, optional
        Threads, which do not change the model.
    progress : callable, optional
        Called with what is being done, how much is done, and of how much.

    Returns
    -------
    TopicModel
        Topics and those of the corpus' documents; none of tokens, and no Dirichlet prior.

    References
    ----------
    Blei and Lafferty (2007), Annals of Applied Statistics 1, 17-35.
    """
    if start not in ("spectral", "random"):
        raise InputError(f"start must be 'spectral' or 'random'; got {start!r}")
    if k < 2:
        raise InputError("ctm needs 2 topics or more: one alone correlates with none")
    need_at_least(iterations=(iterations, 1))
    need_topics(corpus, k)
    given, texts = word_texts(corpus)
    trainer = require("topica", "fit").CTM(k, seed=seed, init=start)
    said = None
    if progress is not None:
        tell = progress

        def said(done: int, total: int, _: object) -> None:
            tell(f"fitting ctm-{k}", done, total)

    trainer.fit(texts, iters=iterations, num_threads=workers, keep_eta_cov=False, progress=said)
    topic_word = np.zeros((k, len(corpus.vocabulary)))
    topic_word[:, [int(word) for word in trainer.vocabulary]] = trainer.topic_word
    rows = np.asarray(trainer.doc_topic, dtype=np.float64)
    unfinished = f"the fit had not converged after {iterations} iterations; set iterations= higher"
    settings = f"k={k}, seed={seed}, start={start}, iterations={iterations}"
    return TopicModel(
        corpus.vocabulary,
        topic_word=rows_to_one(topic_word),
        doc_topic=rows_to_one(in_all_documents(rows, given, len(corpus), rows.mean(axis=0))),
        name=f"ctm-{k}",
        corpus=corpus,
        notes=[] if trainer.converged else [unfinished],
        source=f"tealeaves.fit: topica CTM, {settings}",
    )
