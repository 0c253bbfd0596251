"""Coverage of reference topics by kind and size of model: Korenčić et al. (2021), Tables III to X.

Neither corpus of the source is public. Two stand in:

- "biology": documents drawn from the released reference topics and weights of documents. The true
  topics are the 112 reference topics, with sizes as unlike as theirs, among 20 others and noise.
- "news": stories of Reuters-21578, whose categories are the reference topics (tf-idf weights).

SupCov decides by matchers trained on the people's labels that were released. What was released of the pairs
are lists of 15 words, so topics are shown to the matchers as lists of 15 words, too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.experiments.replications import Line, Progress, Replication, data_file

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus
    from tealeaves.matcher import Matcher
    from tealeaves.model import TopicModel
    from tealeaves.reference_topics import ReferenceTopics

Floats = NDArray[np.float64]
SEEDS = {False: 2, True: 10}  # runs of each model
FAMILIES = {"LDA": "lda", "aLDA": "alda", "NMF": "nmf"}
KS = {False: (50, 100, 200), True: (20, 50, 100, 150, 200, 300, 400, 500)}
MOST = 300  # topics of the nonparametric model
ITERATIONS = {False: 50, True: 1000}
NMF_ITERATIONS = {False: 20, True: 500}  # with 200 topics, 500 take a minute a run
EVERY = {False: 4, True: 1}  # of the documents
RESAMPLES = 20_000
SHOWN = 15  # words of a topic that a matcher sees
COHERENCE = {"NPMI-corpus": "npmi@10", "CP-corpus": "c_p@10", "CV-corpus": "c_v@10"}
PYP = "PYP"
# Table IV: SupCov and AuCDC on news, then on biology.
TABLE_4 = {
    "LDA-50": (0.14, 0.41, 0.01, 0.31),
    "LDA-100": (0.31, 0.51, 0.07, 0.40),
    "LDA-200": (0.47, 0.60, 0.16, 0.50),
    "aLDA-50": (0.12, 0.40, 0.01, 0.31),
    "aLDA-100": (0.27, 0.51, 0.07, 0.41),
    "aLDA-200": (0.42, 0.60, 0.15, 0.52),
    "NMF-50": (0.22, 0.43, 0.11, 0.39),
    "NMF-100": (0.40, 0.56, 0.22, 0.54),
    "NMF-200": (0.54, 0.65, 0.44, 0.67),
    PYP: (0.64, 0.65, 0.23, 0.56),
}
# Table III: Spearman and Pearson of AuCDC with SupCov, and with SupCov-nocos.
TABLE_3 = {"news": (0.97, 0.96, 0.96, 0.93), "biology": (0.95, 0.95, 0.95, 0.96)}
# Table VI: the quarter of the smallest and that of the largest reference topics.
TABLE_6 = {
    "news": {
        "LDA-50": (0.00, 0.40),
        "LDA-200": (0.34, 0.49),
        "NMF-50": (0.06, 0.42),
        "NMF-200": (0.50, 0.40),
    },
    "biology": {
        "LDA-50": (0.00, 0.02),
        "LDA-200": (0.04, 0.26),
        "NMF-50": (0.03, 0.33),
        "NMF-200": (0.33, 0.44),
    },
}
# Table VIII: Spearman of coherence with SupCov and AuCDC, topic by topic.
TABLE_8 = {
    "news": {"NPMI-corpus": (0.29, 0.48), "CP-corpus": (0.35, 0.50), "CV-corpus": (0.23, 0.19)},
    "biology": {"NPMI-corpus": (-0.05, 0.10), "CP-corpus": (-0.02, 0.19), "CV-corpus": (0.27, 0.20)},
}
# Table IX: SupCov and AuCDC with stability and K, stability with K; Table X: RefsetStabil and AuCDC-stabil
# with it.
TABLE_9 = {"news": (-0.09, 0.57, -0.26, 0.79, -0.54), "biology": (0.10, 0.74, 0.01, 0.79, -0.53)}
TABLE_10 = {"news": (0.69, 0.99), "biology": (0.69, 1.00)}
NOTE = "another corpus, other sizes of fits"
LISTS = (
    "Of two lists of equally many words every distance counts the words that both have: matchers with and "
    "without cosines say the same here, and SupCov-nocos is SupCov."
)
FEWER = (
    "Documents, sweeps and runs are far fewer than the source's: where a pattern differs from the print, "
    "that may be why. More are taken with --full."
)
PAIRS = {"news": "news_pairs.jsonl", "biology": "bio_pairs.jsonl"}


@dataclass(frozen=True)
class Found:
    """What was measured on one corpus: rows of runs, of sets of runs, of topics; curves; quarters."""

    runs: list[dict[str, Any]]
    sets: list[dict[str, Any]]
    topics: list[dict[str, Any]]
    curves: list[dict[str, Any]]
    quarters: list[dict[str, Any]]


def run(data: Path, *, seeds: int = 3, full: bool = False, progress: Progress | None = None) -> Replication:
    """Both corpora: models fitted, covered, matched and compared."""
    from tealeaves.matcher import Matcher
    from tealeaves.matcher_files import read_pairs

    lines: list[Line] = []
    tables: dict[str, list[dict[str, Any]]] = {}
    figures: dict[str, Any] = {}
    says: list[str] = []
    for name, made in (("news", news), ("biology", biology)):
        corpus, reference = made(data, EVERY[full])
        matcher = Matcher.train(read_pairs(data_file(data, "coverage", PAIRS[name])), documents=False)
        models = fitted(name, corpus, KS[full], seeds, ITERATIONS[full], NMF_ITERATIONS[full], progress)
        found = measured(models, reference, corpus, matcher, progress)
        lines += [*of_table_3(name, found), *of_table_4(name, found), *of_table_6(name, found)]
        lines += [*of_table_8(name, found), *of_tables_9_and_10(name, found)]
        what = f"{name}: {len(reference)} reference topics, {len(corpus):,} documents"
        tables[f"{what}; means over runs, 95% percentile intervals"] = [_shown(row) for row in found.sets]
        tables[f"{name}: SupCov and AuCDC by quarters of the sizes of reference topics (Q1 the smallest)"] = (
            found.quarters
        )
        figures[f"CD-curves, {name} (as Figures 2 and 3)"] = curves_chart(found.curves)
        figures[f"Precision and recall, {name} (as Figures 4 and 5)"] = precision_chart(found.sets)
        says += sentences(name, found)
    says += [LISTS] if full else [LISTS, FEWER]
    settings = {
        "runs of each model": seeds,
        "iterations": ITERATIONS[full],
        "iterations of NMF": NMF_ITERATIONS[full],
        "full": full,
    }
    return Replication("coverage", tuple(lines), tables, tuple(says), figures, settings)


# --- the corpora


def biology(data: Path, every: int, *, length: int = 60, seed: int = 0) -> "tuple[Corpus, ReferenceTopics]":
    """Documents drawn from the released reference topics of biology, and these topics with their sizes.

    A document's topics are the squares of the released weights, scaled to sum 1, so that few are large; half
    of its words are from 20 other topics, and of a reference topic's own words a sixth are from these, too.
    """
    from scipy import sparse

    from tealeaves.corpus import Corpus
    from tealeaves.reference_topics import ReferenceTopics

    folder = data_file(data, "coverage", "bio_vocabulary.tsv").parent
    lines = (folder / "bio_vocabulary.tsv").read_text("utf-8").splitlines()[1:]
    words = [line.split("\t")[1] for line in lines]
    phi = sparse.load_npz(folder / "bio_reference_topic_words.npz").toarray().astype(np.float64)
    weights = sparse.load_npz(folder / "bio_reference_topic_docs.npz").toarray().astype(np.float64) ** 2
    weights = weights[:, weights.sum(axis=0) > 0][:, ::every]
    theta = (weights / weights.sum(axis=0)).T
    rng = np.random.default_rng(seed)
    others = rng.dirichlet(np.full(len(words), 0.05), 20)
    noise = others.mean(axis=0)
    spread = 5 / 6 * phi / phi.sum(axis=1, keepdims=True) + 1 / 6 * noise
    topics = np.vstack([spread, others])
    documents = []
    for shares in theta:
        mixed = np.concatenate([shares / 2, rng.dirichlet(np.full(20, 0.1)) / 2])
        drawn = np.repeat(np.arange(len(topics)), rng.multinomial(max(rng.poisson(length), 1), mixed))
        documents.append(
            np.concatenate(
                [
                    rng.choice(len(words), n, p=topics[k] / topics[k].sum())
                    for k, n in zip(*np.unique(drawn, return_counts=True), strict=True)
                ]
            )
        )
    corpus = Corpus.from_tokens([[words[w] for w in document] for document in documents])
    sizes = (theta / 2 >= 0.1).sum(axis=0)
    return corpus, ReferenceTopics(words, phi, sizes=sizes, name="phenotypes")


def news(data: Path, every: int, *, least: int = 20) -> "tuple[Corpus, ReferenceTopics]":
    """Training stories of Reuters-21578, and its categories of ``least`` stories or more."""
    from tealeaves.corpus import read_corpus
    from tealeaves.preprocess import Preprocess
    from tealeaves.reference_topics import ReferenceTopics

    path = data_file(data, "reuters", "reuters_apte.jsonl.gz")
    rules = Preprocess(pattern=r"[a-z]+", stop_words="english", min_length=3, min_df=5, max_df=0.3)
    corpus = read_corpus(path, text="text", label="label", preprocess=rules)
    corpus = corpus.select(
        [i for i, name in enumerate(corpus.ids or ()) if name.startswith("training/")][::every]
    )
    classes = ReferenceTopics.from_labels(corpus, "tf_idf", "categories")
    sizes = classes.sizes if classes.sizes is not None else np.zeros(len(classes))
    return corpus, classes.select(np.flatnonzero(sizes >= least / every).tolist())


# --- models and what is measured of them


def fitted(
    what: str,
    corpus: "Corpus",
    ks: Sequence[int],
    seeds: int,
    iterations: int,
    nmf_iterations: int,
    progress: Progress | None = None,
) -> "dict[str, list[TopicModel]]":
    """Runs of each family with each number of topics, and of the Pitman-Yor process."""
    from tealeaves.fit import fit

    plan = [(f"{name}-{k}", family, k) for name, family in FAMILIES.items() for k in ks] + [
        (PYP, "pyp", MOST)
    ]
    models: dict[str, list[TopicModel]] = {}
    for done, (name, family, k) in enumerate(plan):
        options: dict[str, Any] = {"iterations": nmf_iterations if family == "nmf" else iterations}
        if family == "alda":
            options["burn_in"] = min(50, iterations // 4)  # else few iterations learn no prior
        for seed in range(seeds):
            if progress:
                progress(f"{what}: fitting {name}", done * seeds + seed, len(plan) * seeds)
            models.setdefault(name, []).append(fit(family, corpus, k=k, seed=seed, **options))
    return models


def measured(
    models: "Mapping[str, Sequence[TopicModel]]",
    reference: "ReferenceTopics",
    corpus: "Corpus",
    matcher: "Matcher | None" = None,
    progress: Progress | None = None,
    coherence: Mapping[str, str] = COHERENCE,
) -> Found:
    """Coverage, precision, stability, coherence; without a matcher topics within .5 match."""
    from tealeaves.coverage import coverage
    from tealeaves.evaluate import evaluate
    from tealeaves.measures.coverage import area_of, closest
    from tealeaves.model import TopicModel
    from tealeaves.stability import stability

    runs: list[dict[str, Any]] = []
    sets: list[dict[str, Any]] = []
    topics: list[dict[str, Any]] = []
    curves: list[dict[str, Any]] = []
    quarters: list[dict[str, Any]] = []
    wanted = as_lists(reference)
    for done, (name, of_model) in enumerate(models.items()):
        if progress:
            progress(f"measuring {name}", done, len(models))
        whole = coverage({name: list(of_model)}, reference, resamples=RESAMPLES)
        lists = [TopicModel.from_words(model.top_words(SHOWN)) for model in of_model]
        shown = (
            whole
            if matcher is None
            else coverage({name: lists}, wanted, matcher=matcher, resamples=RESAMPLES)
        )
        specs = list(coherence.values())
        scores: Any = (
            evaluate({name: list(of_model)}, corpus, measures=specs, ci=None, chance=0) if specs else None
        )
        curves += [{"model": name, **row} for row in whole.curve.select("threshold", "coverage").to_dicts()]
        here: list[dict[str, Any]] = []
        for i, label in enumerate(whole.runs[name]):
            matched = shown.matches[shown.runs[name][i]]
            blind = matched if matcher is None else matcher.matches(wanted, lists[i], cosines=False)
            nearest = 1 - whole.distances[label].min(axis=0)
            by_topic = {c: scores.topics(s, model=scores.models[i]) for c, s in coherence.items()}
            here.append(
                {
                    "model": name,
                    "K": of_model[i].n_topics,
                    "SupCov": float(matched.any(axis=1).mean()),
                    "SupCov-nocos": float(blind.any(axis=1).mean()),
                    "precision": float(matched.any(axis=0).mean()),
                }
            )
            for k in range(of_model[i].n_topics):
                topics.append(
                    {
                        "SupCov": float(matched[:, k].any()),
                        "AuCDC": float(nearest[k]),
                        **{c: float(values[k]) for c, values in by_topic.items()},
                    }
                )
        for one, label in zip(here, whole.runs[name], strict=True):
            one["AuCDC"] = float(area_of(closest(whole.distances[label]), 50).mean())
        runs += here
        stable = stability(list(of_model), ci=None)
        row: dict[str, Any] = {"model": name, "K": float(np.mean([r["K"] for r in here]))}
        for key in ("SupCov", "AuCDC", "precision"):
            row |= _mean_of([r[key] for r in here], key)
        row["InstanceStabil"] = stable.value("instance_stabil")
        row["AuCDC-stabil"] = stable.value("aucdc_stabil")
        row["RefsetStabil"] = refset(
            [np.asarray(shown.matches[run].any(axis=1)) for run in shown.runs[name]],
            [m.n_topics for m in of_model],
        )
        sets.append(row)
        quarters.append({"model": name} | by_quarter(whole, shown, reference))
    return Found(runs, sets, topics, curves, quarters)


def as_lists(reference: "ReferenceTopics") -> "ReferenceTopics":
    """Reference topics as matchers of lists see them."""
    from tealeaves.reference_topics import ReferenceTopics

    return ReferenceTopics.from_words(dict(zip(reference.labels, reference.top_words(SHOWN), strict=True)))


def refset(matched: Sequence[NDArray[np.bool_]], sizes: Sequence[int]) -> float:
    """RefsetStabil: over pairs of runs, reference topics in both by the topics of the smaller."""
    from itertools import combinations

    pairs = list(combinations(range(len(matched)), 2))
    if not pairs:
        return float("nan")
    return float(np.mean([(matched[a] & matched[b]).sum() / min(sizes[a], sizes[b]) for a, b in pairs]))


def by_quarter(whole: Any, shown: Any, reference: "ReferenceTopics") -> dict[str, float]:
    """SupCov and AuCDC of the reference topics of each quarter of sizes."""
    from tealeaves.measures.coverage import area_of, closest
    from tealeaves.topic_sizes import QUARTILES, quartiles

    if reference.sizes is None:
        return {}
    classes = np.array(quartiles(reference.sizes))
    (name,) = whole.runs
    area = np.mean([area_of(closest(whole.distances[run]), 50) for run in whole.runs[name]], axis=0)
    covered = np.mean([shown.matches[run].any(axis=1) for run in shown.runs[name]], axis=0)
    found = {f"SupCov {q}": float(covered[classes == q].mean()) for q in QUARTILES}
    return found | {f"AuCDC {q}": float(area[classes == q].mean()) for q in QUARTILES}


def _mean_of(values: Sequence[float], key: str) -> dict[str, float]:
    from tealeaves.stats import bootstrap

    if len(values) < 2:
        return {key: values[0], f"{key} low": float("nan"), f"{key} high": float("nan")}
    estimate = bootstrap(values, np.mean, resamples=RESAMPLES)
    return {key: estimate.value, f"{key} low": estimate.low, f"{key} high": estimate.high}


# --- our numbers beside the printed ones


def correlation(x: Sequence[float], y: Sequence[float], method: str = "spearman") -> Any:
    """A correlation of two columns with its interval; pairs with a nan are left out."""
    from tealeaves.stats import correlate

    a, b = np.asarray(x, np.float64), np.asarray(y, np.float64)
    known = ~np.isnan(a + b)
    return correlate(a[known], b[known], method, resamples=2000)


def _column(rows: Sequence[Mapping[str, Any]], key: str) -> list[float]:
    return [row[key] for row in rows]


def of_table_3(name: str, found: Found) -> list[Line]:
    """AuCDC against both kinds of SupCov over runs."""
    plan = [(key, method) for key in ("SupCov", "SupCov-nocos") for method in ("spearman", "pearson")]
    area = _column(found.runs, "AuCDC")
    return [
        Line(
            f"III, {name}: {method} of AuCDC and {key}",
            printed,
            correlation(area, _column(found.runs, key), method).value,
            2,
            NOTE,
        )
        for (key, method), printed in zip(plan, TABLE_3[name], strict=True)
    ]


def of_table_4(name: str, found: Found) -> list[Line]:
    """Coverage by model and number of topics."""
    rows = {row["model"]: row for row in found.sets}
    at = 0 if name == "news" else 2
    return [
        Line(f"IV, {name}: {key} of {model}", printed[at + i], rows[model][key], 2, NOTE)
        for model, printed in TABLE_4.items()
        if model in rows
        for i, key in enumerate(("SupCov", "AuCDC"))
    ]


def of_table_6(name: str, found: Found) -> list[Line]:
    """SupCov of the smallest and of the largest quarter."""
    rows = {row["model"]: row for row in found.quarters}
    return [
        Line(f"VI, {name}: SupCov of {model}, {quarter}", printed, rows[model][f"SupCov {quarter}"], 2, NOTE)
        for model, both in TABLE_6[name].items()
        if "SupCov Q1" in rows.get(model, {})
        for quarter, printed in zip(("Q1", "Q4"), both, strict=True)
    ]


def of_table_8(name: str, found: Found) -> list[Line]:
    """Coherence against coverage over topics."""
    return [
        Line(
            f"VIII, {name}: Spearman of {measure} and {key}, {len(found.topics):,} topics",
            printed,
            correlation(_column(found.topics, measure), _column(found.topics, key)).value,
            2,
            NOTE,
        )
        for measure, both in TABLE_8[name].items()
        for key, printed in zip(("SupCov", "AuCDC"), both, strict=True)
    ]


def of_tables_9_and_10(name: str, found: Found) -> list[Line]:
    """Coverage, stability and the number of topics over sets of runs."""
    columns = {
        key: _column(found.sets, key)
        for key in ("SupCov", "AuCDC", "InstanceStabil", "K", "RefsetStabil", "AuCDC-stabil")
    }
    pairs = (
        ("SupCov", "InstanceStabil"),
        ("SupCov", "K"),
        ("AuCDC", "InstanceStabil"),
        ("AuCDC", "K"),
        ("InstanceStabil", "K"),
    )
    lines = [
        Line(
            f"IX, {name}: Spearman of {a} and {b}, {len(found.sets)} sets",
            printed,
            correlation(columns[a], columns[b]).value,
            2,
            NOTE,
        )
        for (a, b), printed in zip(pairs, TABLE_9[name], strict=True)
    ]
    return lines + [
        Line(
            f"X, {name}: Spearman of {a} and InstanceStabil",
            printed,
            correlation(columns[a], columns["InstanceStabil"]).value,
            2,
            NOTE,
        )
        for a, printed in zip(("RefsetStabil", "AuCDC-stabil"), TABLE_10[name], strict=True)
    ]


def sentences(name: str, found: Found) -> list[str]:
    """What is printed as findings, and whether it holds here."""
    rows = {row["model"]: row for row in found.sets}
    quarters = {row["model"]: row for row in found.quarters}
    both = correlation(_column(found.runs, "AuCDC"), _column(found.runs, "SupCov"))
    said = [
        f"{name}: AuCDC and SupCov over {len(found.runs)} runs: Spearman {both.value:.2f} "
        f"[{both.low:.2f}, {both.high:.2f}]; printed {TABLE_3[name][0]:.2f}."
    ]
    for key in ("SupCov", "AuCDC"):
        best = max(rows.values(), key=lambda row: row[key])
        said.append(
            f"{name}: {best['model']} has the best {key} ({best[key]:.2f}); printed: "
            + ("PYP" if name == "news" else "NMF-200")
            + "."
        )
    small, large = quarters.get("LDA-50", {}), quarters.get("LDA-200", {})
    if "AuCDC Q1" in small and "AuCDC Q1" in large:
        said.append(
            f"{name}: of the smallest quarter of topics LDA-50 has AuCDC {small['AuCDC Q1']:.2f} and LDA-200 "
            f"{large['AuCDC Q1']:.2f}, of the largest {small['AuCDC Q4']:.2f} and {large['AuCDC Q4']:.2f}."
        )
    said.append(
        f"{name}: stability and AuCDC over {len(rows)} sets: Spearman "
        f"{correlation(_column(found.sets, 'AuCDC'), _column(found.sets, 'InstanceStabil')).value:.2f}."
    )
    return said


def _shown(row: Mapping[str, Any]) -> dict[str, Any]:
    shown: dict[str, Any] = {"model": row["model"], "topics": row["K"]}
    for key in ("SupCov", "AuCDC", "precision"):
        shown[key] = f"{row[key]:.2f} [{row[f'{key} low']:.2f}, {row[f'{key} high']:.2f}]"
    return shown | {key: row[key] for key in ("InstanceStabil", "AuCDC-stabil", "RefsetStabil")}


# --- figures


def curves_chart(curves: Sequence[Mapping[str, Any]]) -> Any:
    """A CD-curve a model, a panel a family."""
    import altair as alt

    from tealeaves.plots import COLOURS, DASHES, theme

    points = [
        {
            **row,
            "family": str(row["model"]).partition("-")[0],
            "K": str(row["model"]).partition("-")[2] or "found",
        }
        for row in curves
    ]
    ks = list(dict.fromkeys(point["K"] for point in points))
    families = list(dict.fromkeys(point["family"] for point in points))
    colours = alt.Scale(domain=ks, range=[COLOURS[i % len(COLOURS)] for i in range(len(ks))])
    dashes = alt.Scale(domain=ks, range=[DASHES[i % len(DASHES)] for i in range(len(ks))])
    legend = alt.Legend(symbolType="stroke", symbolSize=400, symbolStrokeWidth=1.5)
    drawn = (
        alt.Chart(alt.InlineData(values=points))
        .mark_line(strokeWidth=1.5)
        .encode(
            x=alt.X("threshold:Q", title="cosine distance"),
            y=alt.Y("coverage:Q", title="share of reference topics"),
            color=alt.Color("K:N", sort=ks, scale=colours, legend=legend),
            strokeDash=alt.StrokeDash("K:N", sort=ks, scale=dashes, legend=legend),
            facet=alt.Facet("family:N", title=None, columns=4, sort=families),
        )
        .properties(width=150, height=130)
    )
    return theme(drawn)


def precision_chart(sets: Sequence[Mapping[str, Any]]) -> Any:
    """Precision against recall, a point a model, labelled by its K; families are told by colour and shape."""
    import altair as alt

    from tealeaves.plots import COLOURS, INK, SHAPES, theme

    points = [
        {
            "family": row["model"].partition("-")[0],
            "K": row["model"].partition("-")[2] or row["model"],
            "recall": row["SupCov"],
            "precision": row["precision"],
        }
        for row in sets
    ]
    families = list(dict.fromkeys(point["family"] for point in points))
    x = alt.X("recall:Q", title="recall: SupCov")
    y = alt.Y("precision:Q", title="precision: share of topics that match")
    colours, shapes = (
        alt.Scale(domain=families, range=[of[i % len(of)] for i in range(len(families))])
        for of in (COLOURS, SHAPES)
    )
    base = alt.Chart(alt.InlineData(values=points)).encode(x=x, y=y)
    marks = base.mark_point(size=50, strokeWidth=1.5).encode(
        color=alt.Color("family:N", title=None, sort=families, scale=colours),
        shape=alt.Shape("family:N", title=None, sort=families, scale=shapes),
    )
    layers = [marks]
    for i, family in enumerate(families):  # neighbours in the list are often neighbours in the figure
        left = i % 2 == 0
        names = base.transform_filter(alt.datum.family == family).mark_text(
            align="right" if left else "left", dx=-7 if left else 7, fontSize=9, color=INK
        )
        layers.append(names.encode(text="K:N"))
    return theme(alt.layer(*layers).properties(width=420, height=240))
