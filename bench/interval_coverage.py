"""Do coherence intervals cover? Samples of a large planted population, scored with intervals.

The population's own score stands for the truth. Run: `python bench/interval_coverage.py [samples]`.
"""

import sys

import numpy as np

import tealeaves as tl
from tealeaves import synthetic
from tealeaves.counts import count_pairs
from tealeaves.intervals import block_draws, block_weights
from tealeaves.measures._table import parse
from tealeaves.word_pool import WordPool, unit_of

SPECS = ("npmi@10", "npmi(window=10)@10", "c_v@10", "umass@10", "u_mass@10", "uci@10")
POPULATION, TOPICS = 100_000, 20


def main(samples: int = 100) -> None:
    population, truth = synthetic.lda(
        k=TOPICS, documents=POPULATION, length=60, vocabulary=3000, alpha=0.1, beta=0.05, seed=0
    )
    right = tl.evaluate(truth, population, measures=list(SPECS), ci=None)
    rng = np.random.default_rng(1)
    print("documents | measure | coverage of 95 % | of percentiles | bias / SD | without an interval")
    for documents in (500, 2000, 8000):
        inside = {spec: [] for spec in SPECS}
        percentile = {spec: [] for spec in SPECS}
        pull = {spec: [] for spec in SPECS}
        for _ in range(samples):
            corpus = population.select(rng.choice(POPULATION, documents, replace=False))
            scores = tl.evaluate(truth, corpus, measures=list(SPECS), resamples=400, chance=0)
            pool = WordPool({"truth": truth}, [parse(spec) for spec in SPECS])
            top = pool.top_words("truth", 10)
            for spec in SPECS:
                true = right.topics(spec)
                rows = scores.frame.filter(
                    (scores.frame["measure"] == str(parse(spec))) & (scores.frame["level"] == "topic")
                )
                low, high, value = (rows[c].to_numpy() for c in ("low", "high", "value"))
                inside[spec].append(np.where(np.isnan(low), np.nan, (low <= true) & (true <= high)))
                pull[spec].append((value - true) / ((high - low) / 3.92))
                p = parse(spec)
                blocks = count_pairs(corpus, pool.words, pool.topics, [unit_of(p)], blocks=100)[unit_of(p)]
                settings = {k: v for k, v in p.settings.items() if k != "window"}
                function = lambda c, t, p=p, s=settings: p.measure.function(c, t, **s)  # noqa: E731
                draws = block_draws(function, blocks, top, block_weights(len(blocks.n_units), 200, 0))
                a, b = np.nanpercentile(draws, [2.5, 97.5], axis=0)
                percentile[spec].append((a <= true) & (true <= b))
        for spec in SPECS:
            hits = np.concatenate(inside[spec])
            by_percentiles = np.concatenate(percentile[spec]).mean()
            bias = np.nanmean(np.concatenate(pull[spec]))
            figures = (
                f"{np.nanmean(hits):.3f} | {by_percentiles:.3f} | {bias:+.2f} | {np.isnan(hits).mean():.3f}"
            )
            print(f"{documents} | {spec} | {figures}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
