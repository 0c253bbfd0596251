"""LDA on Reuters-21578 against the number of topics: the table of an overview article, digit by digit.

The article fits scikit-learn's LDA to the 7,769 training stories (ModApte split), scores the 3,019 test
stories by document completion and by scikit-learn's own perplexity, and takes the mean NPMI of ten top words.
"""

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tealeaves._optional import require
from tealeaves.corpus import Corpus
from tealeaves.experiments.replications import Line, Progress, Replication, data_file
from tealeaves.model import TopicModel
from tealeaves.preprocess import Preprocess

if TYPE_CHECKING:
    from numpy.random import Generator

FILE = "reuters_apte.jsonl.gz"
KS = (5, 10, 20, 40, 80)
EXTRA = ("said", "mln", "dlrs", "pct", "cts", "reuter", "billion", "year", "company", "corp", "net", "shr")
# As printed: document completion, scikit-learn's perplexity, mean NPMI.
PRINTED = {
    5: (1517, 2158, 0.203),
    10: (1339, 2240, 0.242),
    20: (1174, 2376, 0.251),
    40: (1096, 2916, 0.208),
    80: (1066, 4319, 0.122),
}
PRINTED_LSI = 0.097
SEEDS = {False: 1, True: 5}  # by whether all of it is asked for


def run(
    data: Path,
    *,
    seeds: int = 1,
    full: bool = False,
    progress: Progress | None = None,
    ks: Sequence[int] = KS,
) -> Replication:
    """The table of seed 0 beside the print, and the same over more seeds."""
    train, test = stories(data)
    observed, scored = halves(test, np.random.default_rng(0))
    rows: list[dict[str, Any]] = []
    for seed in range(seeds):
        for k in ks:
            if progress:
                progress("fitting LDA", seed * len(ks) + ks.index(k), seeds * len(ks))
            rows.append(
                {"K": k, "seed": seed, **_scores(fitted(train, k, seed), train, test, observed, scored)}
            )
    lines = []
    for row in rows[: len(ks)]:
        names = ("perplexity by completion", "scikit-learn's perplexity", "mean NPMI of ten words")
        keys = ("completion", "scikit-learn", "npmi")
        for name, key, printed, digits in zip(names, keys, PRINTED[row["K"]], (0, 0, 3), strict=True):
            lines.append(Line(f"K = {row['K']}: {name}", printed, row[key], digits))
    lines.append(Line("LSI, 20 dimensions: mean NPMI of ten words", PRINTED_LSI, _lsi(train), 3))
    tables = {"Where scikit-learn's perplexity comes from, seed 0 (nats a word)": _parts(rows, ks)}
    says = [_baselines(train, scored)]
    if seeds > 1:
        tables |= {f"Over {seeds} seeds": _over_seeds(rows, ks)}
        says += _peaks(rows, seeds)
    settings = {"starts": seeds}
    return Replication("reuters", tuple(lines), tables, tuple(says), settings=settings)


def stories(data: Path) -> tuple[Corpus, Corpus]:
    """Training and test stories in the words of the training stories, in the order of their ids as text."""
    path = data_file(data, "reuters", FILE)
    with gzip.open(path, "rt", encoding="utf-8") as file:
        found = sorted((json.loads(line) for line in file), key=lambda story: str(story["id"]))
    english = require("sklearn.feature_extraction.text", "fit").ENGLISH_STOP_WORDS
    rules: dict[str, Any] = {"pattern": r"\b[a-z]{3,}\b", "stop_words": [*sorted(english), *EXTRA]}
    by_split = {split: [s for s in found if str(s["id"]).startswith(split)] for split in ("training", "test")}
    texts = {split: [s["text"] for s in mine] for split, mine in by_split.items()}
    ids = {split: [s["id"] for s in mine] for split, mine in by_split.items()}
    train = Corpus.from_texts(texts["training"], Preprocess(**rules, min_df=5), ids=ids["training"])
    test = Corpus.from_texts(texts["test"], Preprocess(**rules), ids=ids["test"], vocabulary=train.vocabulary)
    return train, test


def halves(test: Corpus, rng: "Generator") -> tuple[Corpus, Corpus]:
    """The words of each test story in two random halves, as the article's program draws them.

    Words stand in the vocabulary's order before they are shuffled; stories of one word or none are left out.
    """
    first, second, ids = [], [], []
    for d in range(len(test)):
        words = test.document(d)
        bag = np.sort(words[words >= 0])
        if len(bag) < 2:
            continue
        bag = bag[rng.permutation(len(bag))]
        names = [test.vocabulary[w] for w in bag]
        first.append(names[: len(bag) // 2])
        second.append(names[len(bag) // 2 :])
        ids.append(test.ids[d] if test.ids is not None else str(d))
    observed, scored = (
        Corpus.from_tokens(half, ids=ids, vocabulary=test.vocabulary) for half in (first, second)
    )
    return observed, scored


def fitted(train: Corpus, k: int, seed: int) -> TopicModel:
    """scikit-learn's LDA as the article fits it: 30 rounds over the whole corpus, priors of 1 / K."""
    from tealeaves.fit._matrix import document_term
    from tealeaves.readers.sklearn import read_sklearn

    trainer = require("sklearn.decomposition", "fit").LatentDirichletAllocation(
        n_components=k, random_state=seed, learning_method="batch", max_iter=30
    )
    trainer.fit(document_term(train))
    return read_sklearn(trainer, train.vocabulary)


def _scores(
    model: TopicModel, train: Corpus, test: Corpus, observed: Corpus, scored: Corpus
) -> dict[str, float]:
    from tealeaves.evaluate import evaluate
    from tealeaves.held_out import completion

    bounds = ["bound_sklearn", "bound_sklearn(part='documents')", "bound_sklearn(part='topics')"]
    found = evaluate(model, train, held_out=test, measures=["npmi@10", *bounds], ci=None)
    whole, documents, topics = (found.value(spec) for spec in bounds)
    return {
        # scikit-learn infers with exp(E log phi), and the article scores with the mean of phi
        "completion": completion(model, observed, scored, method="vb", topics="geometric").perplexity,
        "scikit-learn": float(np.exp(-whole)),
        "npmi": found.value("npmi@10"),
        "documents": documents,
        "topics": topics,
    }


def _lsi(train: Corpus) -> float:
    """Mean NPMI of LSI's ten largest positive weights, over sublinear tf-idf."""
    from tealeaves.evaluate import evaluate
    from tealeaves.fit._matrix import document_term

    weigh = require("sklearn.feature_extraction.text", "fit").TfidfTransformer(sublinear_tf=True)
    reduce = require("sklearn.decomposition", "fit").TruncatedSVD(20, random_state=0)
    reduce.fit(weigh.fit_transform(document_term(train)))
    model = TopicModel(train.vocabulary, reduce.components_)
    return evaluate(model, train, measures=["npmi@10"], ci=None).value("npmi@10")


def _parts(rows: Sequence[dict[str, Any]], ks: Sequence[int]) -> list[dict[str, Any]]:
    return [
        {
            "K": row["K"],
            "document part": row["documents"],
            "topic term": row["topics"],
            "perplexity without the topic term": float(np.exp(-row["documents"])),
        }
        for row in rows[: len(ks)]
    ]


def _baselines(train: Corpus, scored: Corpus) -> str:
    counts = train.word_counts() + 1.0
    words = scored.tokens[scored.tokens >= 0]
    unigram = float(np.exp(-np.log(counts / counts.sum())[words].mean()))
    return (
        f"Without any topics the same words have perplexity {unigram:,.2f} (unigram, training counts + 1) or "
        f"{len(train.vocabulary):,} (uniform)."
    )


def _over_seeds(rows: Sequence[dict[str, Any]], ks: Sequence[int]) -> list[dict[str, Any]]:
    found = []
    for k in ks:
        mine = [row for row in rows if row["K"] == k]
        row: dict[str, Any] = {"K": k}
        for key in ("completion", "scikit-learn", "npmi"):
            values = np.array([r[key] for r in mine])
            digits = 3 if key == "npmi" else 1
            row[key] = f"{values.mean():,.{digits}f} ± {values.std(ddof=1):.{digits}f}"
        found.append(row)
    return found


def _peaks(rows: Sequence[dict[str, Any]], seeds: int) -> list[str]:
    """Whether "coherence peaks at 20 topics" holds for other starts."""
    best = [
        max((row for row in rows if row["seed"] == seed), key=lambda row: row["npmi"])["K"]
        for seed in range(seeds)
    ]
    n = sum(k == 20 for k in best)
    chosen = ", ".join(f"seed {seed}: K = {k}" for seed, k in enumerate(best))
    return [
        f"The article finds that coherence peaks at 20 topics. Of {seeds} starts {n} do ({chosen}): a curve "
        "of one start a K cannot say where the peak is."
    ]
