"""Small topics and stability where the truth is known: Tables VI and IX of Korenčić et al. (2021).

Documents of one planted topic each, and topics as unlike in size as a hundred to one. What is printed for the
news and the biology of the article is not expected to come out: that small models miss small topics is, and
that models that come back the same need not cover more.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tealeaves.experiments.replications import Progress, Replication
from tealeaves.experiments.replications.coverage import correlation, curves_chart, measured

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus
    from tealeaves.reference_topics import ReferenceTopics

SEEDS = {False: 3, True: 10}
TOPICS, WORDS, LENGTH = 40, 1200, 30
LARGEST, DECAY = 200, 0.88  # documents of the largest topic, and the ratio of each to the one before
KS = {False: (5, 10, 20, 40, 80), True: (5, 10, 15, 20, 30, 40, 60, 80, 120, 160)}
FAMILIES = {"LDA": "lda", "NMF": "nmf"}
ITERATIONS = {False: 100, True: 1000}


def run(data: Path, *, seeds: int = 3, full: bool = False, progress: Progress | None = None) -> Replication:
    """Models of growing size on planted topics: quarters of sizes, coverage and stability."""
    from tealeaves.fit import fit

    corpus, reference = planted()
    models: dict[str, list[Any]] = {}
    plan = [(name, family, k) for name, family in FAMILIES.items() for k in KS[full]]
    for done, (name, family, k) in enumerate(plan):
        if progress:
            progress(f"fitting {name}-{k}", done, len(plan))
        options: dict[str, Any] = {} if family == "nmf" else {"iterations": ITERATIONS[full]}
        models[f"{name}-{k}"] = [fit(family, corpus, k=k, seed=seed, **options) for seed in range(seeds)]
    found = measured(models, reference, corpus, coherence={})
    quarters = [{k: v for k, v in row.items() if k == "model" or "AuCDC" in k} for row in found.quarters]
    rows = [{key: row[key] for key in ("model", "K", "AuCDC", "InstanceStabil")} for row in found.sets]
    with_k, with_stability = (
        correlation([row["AuCDC"] for row in rows], [row[key] for row in rows]).value
        for key in ("K", "InstanceStabil")
    )
    first, last = quarters[0], quarters[len(KS[full]) - 1]
    return Replication(
        "planted_sizes",
        tables={
            f"AuCDC by quarters of the sizes of {TOPICS} planted topics (Q1 the smallest)": quarters,
            "Coverage and stability": rows,
        },
        says=(
            f"Small models miss small topics: {first['model']} has AuCDC {first['AuCDC Q1']:.2f} of the "
            f"smallest quarter and {first['AuCDC Q4']:.2f} of the largest, {last['model']} "
            f"{last['AuCDC Q1']:.2f} and {last['AuCDC Q4']:.2f} (printed, SupCov of news: LDA-50 .00 and "
            ".40, LDA-200 .34 and .49).",
            f"Coverage goes with the number of topics (Spearman {with_k:.2f}, printed .79 for both corpora), "
            f"and stability does not go with coverage ({with_stability:.2f}, printed -.26 and .01).",
        ),
        figures={"CD-curves of planted topics": curves_chart(found.curves)},
        settings={"runs of each model": seeds, "full": full},
    )


def planted(seed: int = 0) -> "tuple[Corpus, ReferenceTopics]":
    """Documents of a topic each, and the topics with the numbers of their documents."""
    from tealeaves.corpus import Corpus
    from tealeaves.reference_topics import ReferenceTopics

    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.full(WORDS, 0.03), TOPICS)
    sizes = np.maximum((LARGEST * DECAY ** np.arange(TOPICS)).astype(int), 2)
    words = [f"w{w:04}" for w in range(WORDS)]
    documents = [
        [words[w] for w in rng.choice(WORDS, LENGTH, p=topics[k])]
        for k in np.repeat(np.arange(TOPICS), sizes)
    ]
    return Corpus.from_tokens(documents), ReferenceTopics(words, topics, sizes=sizes)
