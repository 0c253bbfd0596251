"""``tealeaves warmup``: compile the kernels."""

import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tealeaves.commands._common import print_json, subcommand

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus


@subcommand(
    """
    tealeaves warmup
    tealeaves warmup --json
    """
)
def command(as_json: bool, quiet: bool) -> None:
    """Compile the kernels now: once after the install, or while a container is built."""
    start = time.perf_counter()
    warm()
    seconds = round(time.perf_counter() - start, 2)
    if as_json:
        print_json({"seconds": seconds})
    elif not quiet:
        click.echo(f"The kernels are compiled and kept ({seconds:.1f} s).")


def warm() -> None:
    """Score a few words by everything there is, infer, fit and read: that calls every kernel."""
    import numpy as np

    from tealeaves.corpus import Corpus
    from tealeaves.evaluate import evaluate
    from tealeaves.index import build_index
    from tealeaves.infer import infer
    from tealeaves.model import TopicModel

    corpus = Corpus.from_texts(["oil and gas and tax and law", "law and tax and oil"] * 60)
    topic_word = np.arange(1.0, 1 + 2 * len(corpus.vocabulary)).reshape(2, -1)
    topics = np.arange(corpus.n_tokens) % 2
    model = TopicModel(corpus.vocabulary, topic_word=topic_word, assignments=topics, alpha=0.1, eta=0.1)
    evaluate(model, corpus, measures=["standard", "coherence", "diversity"], resamples=10, chance=5)
    evaluate(model, reference=build_index(corpus), measures="coherence", resamples=10)
    evaluate(model, corpus, measures=["local", "switch_p(sentences='within')", "ppc"], resamples=10)
    few = corpus.select(range(4))
    methods = ("chib", "smc", "left_to_right", "importance", "exact")
    likelihoods = [f"log_likelihood(method={method!r})" for method in methods]
    evaluate(model, corpus, held_out=few, measures=["perplexity", "bound_sklearn", *likelihoods], ci=None)
    for method in ("vb", "em", "gibbs"):
        infer(model, few, method=method)
    infer(model, few, method="gibbs", free_topics=1)
    warm_trainers(corpus)
    warm_readers(few)
    warm_statistics()


def warm_trainers(corpus: "Corpus") -> None:
    """Fit what is fitted by kernels of our own."""
    from tealeaves.fit import fit

    fit("hdp", corpus, k=2, iterations=2)
    fit("pyp", corpus, k=2, iterations=2)
    fit("plsa", corpus, k=2, restarts=1)
    fit("sentence_lda", corpus, k=2, sentences=3, iterations=2, restarts=1)
    fit("htmm", corpus, k=2, sentences=3, iterations=2, restarts=1)


def warm_statistics() -> None:
    """Correlate a few numbers."""
    from tealeaves.stats import correlate, correlation_matrix

    correlate([1, 2, 3], [1, 3, 2], resamples=2)
    correlation_matrix({"a": [1, 2, 3], "b": [1, 3, 2]}, resamples=2)


def warm_readers(corpus: "Corpus") -> None:
    """Write and read the formats whose numbers are read by kernels."""
    from tealeaves.corpus import read_corpus
    from tealeaves.writers.corpora import write_corpus

    with tempfile.TemporaryDirectory() as folder:
        for form in ("uci", "ldac", "svmlight", "mm"):
            path = Path(folder) / f"corpus.{form}"
            write_corpus(corpus, path, form)
            read_corpus(path, format=form)
