"""Two topics scored by hand, and the perplexity of ten words: the worked examples of an overview article.

Counts of stories are taken from the text of the 7,769 training stories of Reuters-21578 (ModApte split).
"""

from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tealeaves.experiments.replications import Line, Progress, Replication, data_file

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus

SEEDS = {False: 1, True: 1}  # nothing is drawn
ENERGY = ("oil", "gas", "energy", "reserves", "production")
JUNK = ("department", "dutch", "guilders", "credit", "hughes")
# Ten words: the second list is printed, the rest of the first is from the model fitted again.
TEN = (
    (*ENERGY, "petroleum", "exploration", "prices", "natural", "barrels"),
    (*JUNK, "court", "baker", "bonus", "ccc", "turkey"),
)
FREQUENCIES = (730, 275, 237, 274, 515), (430, 97, 37, 342, 19)
# The pair, the stories that hold both, its UMass term, PMI and NPMI.
PAIRS = (
    ("oil", "gas", 207, -1.256, 2.081, 0.574),
    ("oil", "energy", 147, -1.596, 1.887, 0.476),
    ("gas", "energy", 84, -1.174, 2.304, 0.509),
    ("oil", "reserves", 74, -2.276, 1.056, 0.227),
    ("gas", "reserves", 51, -1.666, 1.660, 0.330),
    ("energy", "reserves", 22, -2.333, 0.968, 0.165),
    ("oil", "production", 169, -1.457, 1.251, 0.327),
    ("gas", "production", 74, -1.299, 1.401, 0.301),
    ("energy", "production", 76, -1.124, 1.576, 0.341),
    ("reserves", "production", 49, -1.701, 0.992, 0.196),
)
SUMS = ((-15.88, 0.344), (-37.50, -0.282))  # UMass and NPMI of five words
OF_TEN = (0.391, -0.329)  # NPMI of ten
SHIPS = (
    ("ship", "ocean", "voyage"),
    ("boat", "ocean"),
    ("ship",),
    ("voyage", "trip"),
    ("voyage",),
    ("trip",),
)
PERPLEXITIES = {
    "uniform": (-16.094, 5.000),
    "unigram": (-15.571, 4.745),
    "pLSA with 2 topics": (-10.549, 2.872),
    "each document its own": (-6.068, 1.835),
}


def run(data: Path, *, seeds: int = 1, full: bool = False, progress: Progress | None = None) -> Replication:
    """Both examples, number by number."""
    from tealeaves.counts import DOCUMENT, count_pairs
    from tealeaves.evaluate import evaluate
    from tealeaves.measures.coherence import npmi, uci, umass
    from tealeaves.model import TopicModel

    stories = training(data)
    words = [*ENERGY, *JUNK]
    counts = count_pairs(stories, words, [range(5), range(5, 10)], [DOCUMENT])[DOCUMENT]
    lines = [
        Line(f"stories with {word!r}", printed, int(counts.single(np.array(i))))
        for i, (word, printed) in enumerate(zip(words, sum(FREQUENCIES, ()), strict=True))
    ]
    for first, second, both, *printed in PAIRS:
        pair = np.array([[words.index(first), words.index(second)]])
        lines.append(
            Line(f"stories with {first} and {second}", both, int(counts.joint(pair[:, 0], pair[:, 1])[0]))
        )
        found = (umass(counts, pair), uci(counts, pair, smoothing=0), npmi(counts, pair))
        for name, given, ours in zip(("UMass term", "PMI", "NPMI"), printed, found, strict=True):
            lines.append(Line(f"{first}, {second}: {name}", given, float(ours.value[0]), 3))
    scores = evaluate(TopicModel.from_words([ENERGY, JUNK]), stories, measures=["umass@5", "npmi@5"], ci=None)
    of_ten = evaluate(TopicModel.from_words(TEN), stories, measures=["npmi@10"], ci=None)
    for k, name in enumerate(("oil, gas, …", "department, dutch, …")):
        lines.append(Line(f"{name}: UMass of five words", SUMS[k][0], float(scores.topics("umass@5")[k]), 2))
        lines.append(Line(f"{name}: NPMI of five words", SUMS[k][1], float(scores.topics("npmi@5")[k]), 3))
        lines.append(Line(f"{name}: NPMI of ten words", OF_TEN[k], float(of_ten.topics("npmi@10")[k]), 3))
    for name, likelihood in ten_words().items():
        lines.append(Line(f"ten words, {name}: log-likelihood", PERPLEXITIES[name][0], likelihood, 3))
        lines.append(
            Line(f"ten words, {name}: perplexity", PERPLEXITIES[name][1], float(np.exp(-likelihood / 10)), 3)
        )
    never = sum(counts.joint(np.array([i]), np.array([j]))[0] == 0 for i, j in combinations(range(5, 10), 2))
    return Replication(
        "two_topics",
        tuple(lines),
        says=(f"Of the ten pairs of the second topic {never} never meet, as printed (4).",),
    )


def training(data: Path) -> "Corpus":
    """The training stories as runs of letters."""
    from tealeaves.corpus import read_corpus
    from tealeaves.preprocess import Preprocess

    path = data_file(data, "reuters", "reuters_apte.jsonl.gz")
    corpus = read_corpus(path, text="text", preprocess=Preprocess(pattern=r"[a-z]+"))
    return corpus.select([i for i, name in enumerate(corpus.ids or ()) if name.startswith("training/")])


def ten_words() -> dict[str, float]:
    """The log-likelihood of the ten words of six small documents under four models."""
    from tealeaves.corpus import Corpus
    from tealeaves.fit import fit

    corpus = Corpus.from_tokens(SHIPS)
    counts = corpus.word_counts()
    plsa = fit("plsa", corpus, k=2, restarts=40)
    p = plsa.doc_topic @ plsa.probabilities()
    return {
        "uniform": float(10 * np.log(1 / len(counts))),
        "unigram": float((counts * np.log(counts / counts.sum())).sum()),
        "pLSA with 2 topics": float(sum(np.log(p[d, corpus.document(d)]).sum() for d in range(len(corpus)))),
        "each document its own": float(sum(len(words) * np.log(1 / len(words)) for words in SHIPS)),
    }
