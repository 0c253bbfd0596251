"""How well each measure tells the quality of topics of tokens: Tables 2 and 3 of Lund et al. (2019), in kind.

The article has people match a word in its text with one of five topics, for 39 models, and regresses how
often they agree with the model on each measure. Neither is public. Here stand in their place:

- simulated raters, on 20 Newsgroups. They know which words go together from posts that no model saw, choose
  the topic whose ten words go best with the word and its neighbours, and err now and then. They are no
  people: they know nothing but pairs of words, as coherence does.
- the truth, on planted corpora: how much topics of tokens tell of the true ones. In one the topics of
  a document stand in runs, as subjects do in text; in the other its words are in any order.
"""

from collections.abc import Mapping
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.experiments.replications import Line, Progress, Replication, data_file

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus
    from tealeaves.measures.local import TokenTopics
    from tealeaves.model import TopicModel

Floats = NDArray[np.float64]
SEEDS = {False: 2, True: 5}  # starts of each model
LOCAL = {
    "SwitchP": "switch_p(assign='map')",
    "SwitchVI": "switch_vi(assign='map')",
    "AvgRank": "avg_rank(assign='map')",
    "Window": "window(assign='map')",
    "WordDiv": "word_div(assign='map')",
}
GLOBAL = {"SigVac": "sig_vac", "SigUni": "sig_uni", "Coherence": "uci(smoothing=1e-12)@10"}
MEASURES = {**LOCAL, **GLOBAL}
# r² of Table 3 (and 2): Amazon, Newsgroups, New York Times.
PRINTED = {
    "SwitchP": (0.9077, 0.8737, 0.7022),
    "SwitchVI": (0.8485, 0.8181, 0.6977),
    "AvgRank": (0.5103, 0.5089, 0.4473),
    "Window": (0.4884, 0.3024, 0.1127),
    "WordDiv": (0.3112, 0.2197, 0.0836),
    "SigVac": (0.6960, 0.6081, 0.6063),
    "SigUni": (0.6310, 0.4839, 0.4935),
    "Coherence": (0.4907, 0.4463, 0.3799),
}
STATISTICS = {"documents": 18_748, "tokens": 1_045_793, "vocabulary": 2_578}  # Table 1, Newsgroups
FAMILIES = ("lda", "anchor", "nmf", "plsa")
KS = {False: (20, 50, 100), True: (20, 50, 100, 150, 200)}
PLANTED_KS = {False: (5, 10, 20, 40), True: (5, 8, 10, 15, 20, 30, 40)}
ITERATIONS, ROUNDS = {False: 150, True: 1000}, {False: 10, True: 30}  # of samplers, of anchor words
EVERY = {False: 4, True: 1}  # of the posts that models are fitted to
MIN_DF = 100
NOTHING = 0.05  # r² below which there is no relation to speak of
TOKENS, RATERS, AROUND, CERTAINTY = 1000, 5, 5, 12.0
STAY = 0.8  # how surely a planted topic goes on to the next token
OTHER_WORDS = "words of three letters or more, and another list of stop words"
NOTE = "simulated raters in place of people, other models"


def run(data: Path, *, seeds: int = 2, full: bool = False, progress: Progress | None = None) -> Replication:
    """Newsgroups with simulated raters; then two planted corpora with the truth."""
    from tealeaves.stats import explained

    posts = newsgroups(data)
    lines = statistics(posts)
    own = posts.select(range(0, len(posts), 2 * EVERY[full]))
    others = posts.select(range(1, len(posts), 2))
    known = associations(others)
    rows = _models("Newsgroups", own, KS[full], seeds, full, lambda model: rated(model, own, known), progress)
    for order in ("in runs", "in any order"):
        corpus, truth = planted(order == "in runs")
        where = f"planted, {order}"
        known_of = partial(told, corpus=corpus, truth=truth)
        rows += _models(where, corpus, PLANTED_KS[full], seeds, full, known_of, progress)
    table = {name: [row[name] for row in rows] for name in ("corpus", "quality", *MEASURES)}
    found = explained(table, "quality", list(MEASURES), by="corpus", resamples=2000).frame
    r2 = {(row["group"], row["measure"]): row for row in found.iter_rows(named=True)}
    lines += [
        Line(f"Newsgroups: r² of {name}", PRINTED[name][1], r2["Newsgroups", name]["r2"], 4, NOTE)
        for name in MEASURES
    ]
    return Replication(
        "local",
        tuple(lines),
        {
            "r² of each measure with the stand-in for people, over models (+ where a better score goes "
            "with better topics of tokens)": _r2_table(r2, rows),
            "Models": rows,
        },
        _says(r2, rows),
        {"r² of each measure, printed for people and found for what stands in for them": chart(r2)},
        {"starts": seeds, "full": full, "tokens rated a model": TOKENS, "raters": RATERS},
    )


def newsgroups(data: Path) -> "Corpus":
    """Posts without English stop words and words of fewer than 100 posts."""
    from tealeaves.corpus import read_corpus
    from tealeaves.preprocess import Preprocess

    path = data_file(data, "20newsgroups", "20newsgroups.jsonl.gz")
    rules = Preprocess(pattern=r"[a-z]+", stop_words="english", min_length=3, min_df=MIN_DF)
    return read_corpus(path, text="text", preprocess=rules)


def statistics(posts: "Corpus") -> list[Line]:
    """Its size beside the printed one: documents and tokens are those with words of the vocabulary."""
    used = posts.tokens >= 0
    documents = np.repeat(np.arange(len(posts)), np.diff(posts.offsets))[used]
    found = {
        "documents": (len(np.unique(documents)), "posts without a word of the vocabulary are not counted"),
        "tokens": (int(used.sum()), OTHER_WORDS),
        "vocabulary": (len(posts.vocabulary), OTHER_WORDS),
    }
    return [
        Line(f"Newsgroups: {name}", STATISTICS[name], float(n), note=note)
        for name, (n, note) in found.items()
    ]


def _models(
    where: str,
    corpus: "Corpus",
    ks: tuple[int, ...],
    seeds: int,
    full: bool,
    quality: Any,
    progress: Progress | None,
) -> list[dict[str, Any]]:
    """Each family and number of topics: the means over starts of all measures and of the quality."""
    from tealeaves.errors import InputError
    from tealeaves.evaluate import evaluate
    from tealeaves.fit import fit

    rows = []
    plan = [(family, k) for family in FAMILIES for k in ks]
    for done, (family, k) in enumerate(plan):
        if progress:
            progress(f"{where}: fitting {family} with {k} topics", done, len(plan))
        options: dict[str, Any] = {"iterations": ROUNDS[full] if family == "anchor" else ITERATIONS[full]}
        options |= {"restarts": 1} if family == "plsa" else {}
        try:
            models = [fit(family, corpus, k=k, seed=seed, **options) for seed in range(seeds)]
        except InputError:  # too few words to be anchors
            continue
        scores = evaluate({"m": models}, corpus, measures=list(MEASURES.values()), ci=None, chance=0)
        row: dict[str, Any] = {"corpus": where, "model": family, "K": k}
        row["quality"] = float(np.mean([quality(model) for model in models]))
        for name, spec in MEASURES.items():
            row[name] = float(np.mean([scores.value(spec, model=m) for m in scores.models]))
        rows.append(row)
    return rows


# --- simulated raters


def associations(corpus: "Corpus") -> dict[str, Any]:
    """NPMI of every two words over documents, and the place of each word."""
    from scipy import sparse

    used = corpus.tokens >= 0
    document = np.repeat(np.arange(len(corpus)), np.diff(corpus.offsets))[used]
    shape = (len(corpus), len(corpus.vocabulary))
    x = sparse.csr_matrix((np.ones(len(document)), (document, corpus.tokens[used])), shape=shape)
    x.data[:] = 1.0
    joint = np.asarray((x.T @ x).todense()) / len(corpus)
    alone = np.diag(joint)
    with np.errstate(divide="ignore", invalid="ignore"):
        npmi = np.log(joint / np.outer(alone, alone)) / -np.log(joint)
    npmi = np.where(joint > 0, npmi, -1.0)
    return {"npmi": np.nan_to_num(npmi, nan=0.0), "index": corpus.index}


def rated(model: "TopicModel", corpus: "Corpus", known: Mapping[str, Any], seed: int = 0) -> float:
    """How often simulated raters, by a majority, match a token with the topic that the model gave it.

    Shown are the topic of the token, the three others most probable in its document, and one more at random.
    """
    from tealeaves.needs_local import token_topics

    rng = np.random.default_rng(seed)
    tokens = token_topics(model, corpus, "map")
    of_words = np.array([known["index"].get(word, -1) for word in model.vocabulary])
    tops = [of_words[np.argsort(-row, kind="stable")[:10]] for row in model.probabilities()]
    places = rng.permutation(np.flatnonzero((tokens.topics >= 0) & (of_words[tokens.words] >= 0)))[:TOKENS]
    agree = [_asked(int(i), tokens, tops, of_words, known["npmi"], rng) for i in places]
    return float(np.mean(agree))


def _asked(
    place: int, tokens: "TokenTopics", tops: list[Any], of_words: Any, npmi: Floats, rng: np.random.Generator
) -> bool:
    d = int(np.searchsorted(tokens.offsets, place, side="right")) - 1
    first, last = int(tokens.offsets[d]), int(tokens.offsets[d + 1])
    own = int(tokens.topics[place])
    here = tokens.topics[first:last]
    shares = np.bincount(here[here >= 0], minlength=tokens.n_topics).astype(np.float64)
    shares[own] = -1.0
    shown = [own, *np.argsort(-shares, kind="stable")[:3].tolist()]
    rest = [k for k in range(tokens.n_topics) if k not in shown]
    shown += [int(rng.choice(rest))] if rest else []
    near = np.concatenate(
        [
            tokens.words[max(first, place - AROUND) : place],
            tokens.words[place + 1 : min(last, place + 1 + AROUND)],
        ]
    )
    near = of_words[near[near >= 0]]
    word = of_words[tokens.words[place]]
    fits = []
    for k in shown:
        words = tops[k][(tops[k] >= 0) & (tops[k] != word)]
        of_word = 1.0 if word in tops[k] else npmi[word, words].mean() if len(words) else 0.0
        around = npmi[np.ix_(near[near >= 0], words)].mean() if len(words) and (near >= 0).any() else 0.0
        fits.append(of_word + around)
    odds = np.exp(CERTAINTY * (np.array(fits) - max(fits)))
    votes = np.bincount(rng.choice(len(shown), size=RATERS, p=odds / odds.sum()), minlength=len(shown))
    return bool(votes.argmax() == 0)


# --- planted truth


def planted(in_runs: bool, seed: int = 0) -> "tuple[Corpus, NDArray[np.int32]]":
    """A planted corpus and the true topic of each token; a topic goes on in runs, or not."""
    from tealeaves.corpus import Corpus
    from tealeaves.synthetic import lda

    corpus, truth = lda(k=10, documents=400, length=80, vocabulary=600, alpha=0.2, beta=0.05, seed=seed)
    topics = np.asarray(truth.assignments, dtype=np.int32)
    order = np.arange(len(topics))
    rng = np.random.default_rng(seed)
    for first, last in pairwise(corpus.offsets.tolist() if in_runs else []):
        order[first:last] = _runs(np.arange(first, last), topics, rng)
    tokens = corpus.tokens[order]
    texts = [
        [corpus.vocabulary[w] for w in tokens[first:last]]
        for first, last in pairwise(corpus.offsets.tolist())
    ]
    return Corpus.from_tokens(texts), topics[order]  # no word that no document has


def _runs(
    places: NDArray[np.int64], topics: NDArray[np.int32], rng: np.random.Generator
) -> NDArray[np.int64]:
    """The places in an order in which a topic goes on with probability STAY, while it has tokens left."""
    left: dict[int, list[int]] = {}
    for place in rng.permutation(places):
        left.setdefault(int(topics[place]), []).append(int(place))
    result: list[int] = []
    topic = -1
    while left:
        if topic not in left or rng.random() > STAY:
            sizes = np.array([len(x) for x in left.values()], dtype=np.float64)
            topic = list(left)[int(rng.choice(len(left), p=sizes / sizes.sum()))]
        result.append(left[topic].pop())
        if not left[topic]:
            del left[topic]
    return np.array(result, dtype=np.int64)


def told(model: "TopicModel", corpus: "Corpus", truth: NDArray[np.int32]) -> float:
    """How much topics of tokens tell of the true ones: mutual information by mean entropy."""
    from tealeaves.measures.labels import nmi_of
    from tealeaves.needs_local import token_topics

    found = token_topics(model, corpus, "map").topics
    there = found >= 0
    table = np.zeros((model.n_topics, int(truth.max()) + 1))
    np.add.at(table, (found[there], truth[there]), 1.0)
    return float(nmi_of(table))


# --- what came out


def _sign(rows: list[dict[str, Any]], where: str, name: str) -> str:
    from tealeaves.measures._table import parse

    mine = [row for row in rows if row["corpus"] == where]
    x, y = (np.array([row[key] for row in mine]) for key in (name, "quality"))
    better = -1 if parse(MEASURES[name]).measure.best == "low" else 1
    return "+" if better * np.corrcoef(x, y)[0, 1] > 0 else "−"


def _r2_table(r2: Mapping[Any, Any], rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    corpora = list(dict.fromkeys(row["corpus"] for row in rows))
    return [
        {"measure": name, "printed: Amazon, Newsgroups, NYT": ", ".join(f"{x:.2f}" for x in PRINTED[name])}
        | {
            where: f"{_sign(rows, where, name)} {r2[where, name]['r2']:.2f} "
            f"[{r2[where, name]['low']:.2f}, {r2[where, name]['high']:.2f}]"
            for where in corpora
        }
        for name in MEASURES
    ]


def _says(r2: Mapping[Any, Any], rows: list[dict[str, Any]]) -> tuple[str, ...]:
    said = []
    for where in dict.fromkeys(row["corpus"] for row in rows):
        order = sorted(MEASURES, key=lambda name: -r2[where, name]["r2"])
        n = sum(row["corpus"] == where for row in rows)
        said.append(
            f"{where}, {n} models: {order[0]} explains most ({r2[where, order[0]]['r2']:.2f}), "
            f"then {order[1]} ({r2[where, order[1]]['r2']:.2f}); SwitchP is number "
            f"{order.index('SwitchP') + 1} of "
            f"{len(order)}, coherence number {order.index('Coherence') + 1}."
        )
    against = [
        where
        for where in dict.fromkeys(row["corpus"] for row in rows)
        if _sign(rows, where, "SwitchP") == "−" and r2[where, "SwitchP"]["r2"] > NOTHING
    ]
    if against:
        said.append(
            "This contradicts the article's main finding, that SwitchP follows people best: on "
            f"{' and '.join(against)} models with a better SwitchP have worse topics of tokens. The number "
            "of topics has a hand in it: with more of them topics switch more often, while simulated raters "
            "agree more with topics that are more specific. But neither are these raters people, nor the "
            "models the article's: it is no refutation."
        )
    said.append(
        "The article's models are LDA, anchor words and CopulaLDA. Here NMF and pLSA stand in for the last, "
        "of which nothing runs here; SentenceLDA and HTMM were not fitted, and planted corpora have no "
        "sentences."
    )
    return (
        *said,
        "Simulated raters know pairs of words and nothing else, and planted topics have no meaning: neither "
        "says what people would have answered.",
    )


def chart(r2: Mapping[Any, Any]) -> Any:
    """A point a measure and column: printed and found."""
    import altair as alt

    from tealeaves.plots import COLOURS, theme

    points = [
        {"measure": name, "of": f"{where} (people, printed)", "r2": value}
        for name, values in PRINTED.items()
        for where, value in zip(("Amazon", "Newsgroups", "NYT"), values, strict=True)
    ]
    points += [
        {"measure": name, "of": f"{where} (found)", "r2": row["r2"]} for (where, name), row in r2.items()
    ]
    names = list(dict.fromkeys(str(point["of"]) for point in points))
    data: Any = {"values": points}
    drawn = (
        alt.Chart(alt.InlineData(values=data["values"]))
        .mark_point(size=50, strokeWidth=1.5)
        .encode(
            x=alt.X("r2:Q", title="r²", scale=alt.Scale(domain=[0, 1])),
            y=alt.Y("measure:N", title=None, sort=list(MEASURES)),
            color=alt.Color(
                "of:N", title=None, scale=alt.Scale(domain=names, range=COLOURS), legend=alt.Legend(columns=2)
            ),
            shape=alt.Shape("of:N", title=None, scale=alt.Scale(domain=names)),
        )
    )
    return theme(drawn.properties(width=420, height=220))
