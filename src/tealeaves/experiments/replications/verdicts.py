"""Do verdicts agree with people? Topics of Hoyle et al. (2021) and Lau and Baldwin (2016) under our rules.

People rated the words of a topic from 1 to 3, or looked for an intruder among them. Verdicts are reached as
in a report: NPMI by documents, its interval, and random lists of equally frequent words. The text to count
words in is what is here, in place of Wikipedia and news: what is held against people are verdicts with a
reference of other kinds of text.
"""

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tealeaves.experiments.replications import Progress, Replication, data_file
from tealeaves.experiments.replications.people import TEXTS, hoyle, lau_baldwin

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus

SEEDS = {False: 1, True: 1}
RESAMPLES = {False: 2000, True: 20_000}
LISTS = 100  # random lists a topic
SPEC = "npmi@10"
READ = 2.5  # of 3: people are said to read a topic whose mean rating is at least this
ORDER = ("keep", "check", "split", "merge", "drop", "unknown")
Row = dict[str, Any]


def run(data: Path, *, seeds: int = 1, full: bool = False, progress: Progress | None = None) -> Replication:
    """Verdicts on the topics of both sources, and what people said by verdict."""
    from tealeaves.verdicts import DEFAULTS

    def tell(what: str, done: int) -> None:
        if progress:
            progress(what, done, 3)

    tell("reading text to count words in", 0)
    first, second = _hoyle(data), _lau_baldwin(data)
    text = reference(data)
    tell("judging topics of Hoyle et al.", 1)
    rated = judged(first, text, resamples=200)
    tell("judging topics of Lau and Baldwin", 2)
    # their topics are drawn from several models: that two of them are alike says nothing of either
    alone = judged(second, text, resamples=200, merge=False)
    draws = RESAMPLES[full]
    tables = {
        "Hoyle et al. 2021: 300 topics of three models on two corpora": by_verdict(rated, draws),
        "Lau and Baldwin 2016: 600 topics, without the rule of Merge": by_verdict(alone, draws),
        f"How often a verdict agrees with people, who read a topic if they rate it {READ} of 3 or more": [
            *agreement("Hoyle et al. 2021", rated, draws),
            *agreement("Lau and Baldwin 2016", alone, draws),
        ],
    }
    says = (
        f"Words are counted in {len(text):,} documents of {text.n_tokens:,} tokens: news of Reuters, "
        "newsgroups, debates of the United Nations, addresses and abstracts. They stand in for Wikipedia and "
        "the New York Times, which the topics are of and which are not here.",
        "A topic with a word that is in none of this text cannot be judged, and many cannot.",
        *conclusion("Hoyle et al.", rated, draws),
        *conclusion("Lau and Baldwin", alone, draws),
        "A verdict is a reason to look, in both directions. None may replace reading the topic.",
    )
    return Replication(
        "verdicts",
        (),
        tables,
        says,
        settings={"measure": SPEC, "random lists": LISTS, "resamples": draws, "full": full, **vars(DEFAULTS)},
    )


def _hoyle(data: Path) -> list[Row]:
    return [
        {
            "model": f"{t['dataset']}, {t['model']}",
            "words": t["words"][:10],
            "rating": t["rating"],
            "intrusion": t["intrusion"],
            "known": t["known"],
        }
        for t in hoyle(data)
    ]


def _lau_baldwin(data: Path) -> list[Row]:
    return [
        {"model": t["domain"], "words": t["words"][:10], "rating": t[10], "intrusion": None, "known": None}
        for t in lau_baldwin(data)
    ]


def reference(data: Path) -> "Corpus":
    """All text there is as lower-case runs of letters, with every word: random lists are drawn from it."""
    from tealeaves.corpus import Corpus
    from tealeaves.preprocess import Preprocess

    texts: list[str] = []
    for names in TEXTS:
        with gzip.open(data_file(data, *names), "rt", encoding="utf-8") as lines:
            texts += [json.loads(line)["text"] for line in lines]
    return Corpus.from_texts(texts, Preprocess(pattern=r"[a-z]+"))


def judged(topics: Sequence[Row], text: "Corpus", resamples: int, merge: bool = True) -> list[Row]:
    """The topics with ``verdict`` and ``npmi``, as a report on their models has them."""
    from dataclasses import replace

    from tealeaves.evaluate import evaluate
    from tealeaves.model import TopicModel
    from tealeaves.report.summary import summarize
    from tealeaves.verdicts import DEFAULTS

    by_model: dict[str, list[Row]] = {}
    for topic in topics:
        by_model.setdefault(topic["model"], []).append(topic)
    models = {name: TopicModel.from_words([t["words"] for t in mine]) for name, mine in by_model.items()}
    scores = evaluate(models, reference=text, measures=[SPEC], resamples=resamples, chance=LISTS)
    limits = DEFAULTS if merge else replace(DEFAULTS, shared_words=11, cosine=2.0)
    found = {
        (m["name"], t["id"]): t for m in summarize(scores, thresholds=limits)["models"] for t in m["topics"]
    }
    return [
        {**topic, "verdict": found[name, k]["verdict"], "npmi": found[name, k]["npmi"]}
        for name, mine in by_model.items()
        for k, topic in enumerate(mine)
    ]


def by_verdict(topics: Sequence[Row], resamples: int) -> list[Row]:
    """A row a verdict: how many topics, their mean rating and intrusion with intervals over topics."""
    from tealeaves.verdicts import LABELS

    rows = []
    for verdict in ORDER:
        mine = [t for t in topics if t["verdict"] == verdict]
        if not mine:
            continue
        row: Row = {"verdict": LABELS[verdict], "topics": len(mine)}
        row["mean rating (1 to 3)"] = _mean([t["rating"] for t in mine], resamples)
        row[f"rated {READ} or more"] = _share([t["rating"] >= READ for t in mine])
        if any(t["intrusion"] is not None for t in mine):
            row["found the intruder"] = _mean([t["intrusion"] for t in mine], resamples)
        rows.append(row)
    return rows


def agreement(source: str, topics: Sequence[Row], resamples: int) -> list[Row]:
    """How often Keep and Drop agree with people, and how well verdicts put topics in order."""
    rows = []
    for verdict, read, claim in (
        ("keep", True, "Keep, and people read it"),
        ("check", True, "Check, and people read it"),
        ("drop", False, "Drop, and people do not read it"),
    ):
        mine = [(t["rating"] >= READ) == read for t in topics if t["verdict"] == verdict]
        rest = [(t["rating"] >= READ) == read for t in topics if t["verdict"] != "unknown"]
        if mine:
            told = {"of": len(mine), "share": _share(mine), "of all topics judged": f"{np.mean(rest):.0%}"}
            rows.append({"source": source, "claim": claim, **told})
    order = better(topics, resamples)
    if order is not None:
        value, low, high, n = order
        told = {"of": n, "share": f"{value:.0%} [{low:.0%}, {high:.0%}]", "of all topics judged": "50%"}
        claim = "a topic to keep is rated higher than one to check or drop (pairs)"
        rows.append({"source": source, "claim": claim, **told})
    return rows


def better(topics: Sequence[Row], resamples: int) -> tuple[float, float, float, int] | None:
    """How often a kept topic is rated higher than one that is not, half for ties; its interval; pairs."""
    kept = np.array([t["rating"] for t in topics if t["verdict"] == "keep"])
    others = np.array([t["rating"] for t in topics if t["verdict"] in ("drop", "check")])
    if min(len(kept), len(others)) < 3:
        return None
    rng = np.random.default_rng(0)
    wins = (kept[:, None] > others) + 0.5 * (kept[:, None] == others)
    draws = []
    for _ in range(resamples):
        a, b = rng.integers(len(kept), size=len(kept)), rng.integers(len(others), size=len(others))
        draws.append(wins[np.ix_(a, b)].mean())
    low, high = np.percentile(draws, [2.5, 97.5])
    return float(wins.mean()), float(low), float(high), wins.size


def conclusion(source: str, topics: Sequence[Row], resamples: int) -> list[str]:
    """What the numbers allow to say, and no more."""
    from tealeaves.stats.crossed import wilson

    says = []
    everywhere = float(np.mean([t["rating"] >= READ for t in topics if t["verdict"] != "unknown"]))
    for verdict, what, more in (("keep", "keep", True), ("check", "check", False), ("drop", "drop", False)):
        mine = [t["rating"] >= READ for t in topics if t["verdict"] == verdict]
        if not mine:
            continue
        low, high = (float(end) for end in wilson(float(np.sum(mine)), float(len(mine)), 0.95))
        told = low > everywhere if more else high < everywhere
        says.append(
            f"{source}: of {len(mine)} topics to {what} people read {np.mean(mine):.0%}, of all that were "
            f"judged {everywhere:.0%}: " + ("a difference beyond chance." if told else "no sure difference.")
        )
    order = better(topics, resamples)
    if order is not None:
        value, low, high, _ = order
        how = "that may be chance" if low <= 0.5 else "verdicts and people go together"
        how += ", a little" if 0.5 < low <= 0.7 else ""
        says.append(
            f"{source}: a kept topic is rated higher than one to check or drop in {value:.0%} of pairs "
            f"[{low:.0%}, {high:.0%}], where coin flips give 50%: {how}."
        )
    return says


def _mean(values: Sequence[float], resamples: int) -> str:
    from tealeaves.stats.bootstrap import bootstrap

    found = bootstrap(np.array(values), np.mean, resamples, 0, 0.95)
    if np.isnan(found.low):
        return f"{found.value:.2f}"
    return f"{found.value:.2f} [{found.low:.2f}, {found.high:.2f}]"


def _share(values: Sequence[bool]) -> str:
    from tealeaves.stats.crossed import wilson

    low, high = wilson(float(np.sum(values)), float(len(values)), 0.95)
    return f"{np.mean(values):.0%} [{float(low):.0%}, {float(high):.0%}]"
