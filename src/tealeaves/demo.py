"""The demonstration: models of real news, fitted, judged and reported, without any download."""

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from tealeaves.errors import MissingExtra

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus
    from tealeaves.model import TopicModel

# All that needs nothing but topics and a corpus.
MEASURES = ("standard", "coherence", "diversity", "significance", "local_map")


def lee_news() -> Path:
    """The file of 300 news stories (Lee, Pincombe and Welsh 2005) that gensim brings along, one a line.

    Raises
    ------
    MissingExtra
        If gensim is not installed. It is looked for, not imported.
    """
    spec = find_spec("gensim")
    for folder in (spec and spec.submodule_search_locations) or ():
        path = Path(folder) / "test" / "test_data" / "lee_background.cor"
        if path.is_file():
            return path
    raise MissingExtra('the demo reads news that come with gensim: pip install "tealeaves[gensim,fit]"')


def demo_corpus() -> "Corpus":
    """The news, without English stop words, short words, and words of under 5 or over 40% of the stories."""
    from tealeaves.corpus import Corpus
    from tealeaves.preprocess import Preprocess

    stories = lee_news().read_text("utf-8").splitlines()
    choices = Preprocess(stop_words="english", min_length=3, min_df=5, max_df=0.4)
    return Corpus.from_texts(
        stories, preprocess=choices, ids=[f"story-{i}" for i in range(1, len(stories) + 1)]
    )


def demo_models(corpus: "Corpus", seed: int = 0) -> "list[TopicModel]":
    """Three small models of it: LDA with 10 and with 20 topics, and NMF with 10."""
    from tealeaves.fit import fit

    return [
        fit("lda", corpus, k=10, seed=seed),
        fit("lda", corpus, k=20, seed=seed),
        fit("nmf", corpus, k=10, seed=seed),
    ]


def run_demo(
    out: str | Path = "tealeaves-demo",
    *,
    seed: int = 0,
    workers: int | None = None,
    quiet: bool = False,
    file: TextIO | None = None,
) -> Path:
    """Fit three models to the news, evaluate them, print the table, save scores and report.

    Parameters
    ----------
    out : path
        The folder to write: ``scores/`` and ``report.html``.
    seed : int
        The same seed gives the same numbers.
    workers : int, optional
        Threads that count.
    quiet : bool
        Print nothing.
    file : text stream, optional
        Where to print; standard output if not given.

    Returns
    -------
    Path
        Of the report.
    """
    from rich.console import Console

    from tealeaves.evaluate import evaluate
    from tealeaves.terminal import progress, scores_table, worst_topics

    file = file or sys.stdout
    width = None if file.isatty() else 120  # into a pipe or file: wide enough for a table
    console = Console(file=file, quiet=quiet, highlight=False, width=width)
    out = Path(out)
    corpus = demo_corpus()
    console.print(
        f"Reading {len(corpus)} news stories: {corpus.n_tokens:,} tokens, {len(corpus.vocabulary):,} words"
    )
    console.print("Fitting lda-10, lda-20 and nmf-10")
    models = demo_models(corpus, seed)
    with progress("Evaluating", quiet=quiet) as advance:
        scores = evaluate(
            models, corpus, measures=list(MEASURES), seed=seed, workers=workers, progress=advance
        )
    console.print(scores_table(scores))
    console.print(worst_topics(scores, n=1))
    out.mkdir(parents=True, exist_ok=True)
    scores.save(out / "scores")
    report = out / "report.html"
    scores.report(report)
    console.print(f"\nThe report: {report}", soft_wrap=True)
    return report
