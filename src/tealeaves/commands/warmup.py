"""``tealeaves warmup``: compile the kernels."""

import time

import click

from tealeaves.commands._common import print_json, subcommand


@subcommand(
    """
    tealeaves warmup
    tealeaves warmup --json
    """
)
def command(as_json: bool, quiet: bool) -> None:
    """Compile the counting kernels now: once after the install, or while a container is built."""
    start = time.perf_counter()
    warm()
    seconds = round(time.perf_counter() - start, 2)
    if as_json:
        print_json({"seconds": seconds})
    elif not quiet:
        click.echo(f"The kernels are compiled and kept ({seconds:.1f} s).")


def warm() -> None:
    """Score a few words by everything there is: that calls every kernel."""
    import numpy as np

    from tealeaves.corpus import Corpus
    from tealeaves.evaluate import evaluate
    from tealeaves.index import build_index
    from tealeaves.model import TopicModel

    corpus = Corpus.from_texts(["oil and gas and tax and law", "law and tax and oil"] * 60)
    topic_word = np.arange(1.0, 1 + 2 * len(corpus.vocabulary)).reshape(2, -1)
    model = TopicModel(corpus.vocabulary, topic_word=topic_word)
    evaluate(model, corpus, measures=["standard", "coherence", "diversity"], resamples=10, chance=5)
    evaluate(model, reference=build_index(corpus), measures="coherence", resamples=10)
