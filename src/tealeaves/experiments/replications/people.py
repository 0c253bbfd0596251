"""Coherence and people: ratings and intrusion of Hoyle et al. (2021), ratings of Lau and Baldwin (2016).

The words of their topics and what people said of them are public; the text in which the authors counted words
is not all here. Words are counted in what is: news of Reuters, newsgroups, debates, addresses and abstracts,
cut alike.
"""

import gzip
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tealeaves.experiments.replications import Line, Progress, Replication, data_file

if TYPE_CHECKING:
    from tealeaves.corpus import Corpus

SEEDS = {False: 1, True: 1}
RESAMPLES = {False: 2000, True: 20_000}
TEXTS = (
    ("reuters", "reuters_apte.jsonl.gz"),
    ("reuters", "reuters21578_rest.jsonl.gz"),
    ("20newsgroups", "20newsgroups.jsonl.gz"),
    ("un", "un_debates_sample12.jsonl.gz"),
    ("sotu", "state_of_the_union.jsonl.gz"),
    ("neurips", "neurips_abstracts_1987_2019.jsonl.gz"),
)
# Spearman of the published scores with mean rating and with intrusion, as the released files give them.
PUBLISHED = {
    "wikitext": {
        "c_npmi": (0.430, 0.381),
        "c_v": (0.415, 0.363),
        "c_uci": (0.393, 0.355),
        "u_mass": (0.086, 0.039),
    },
    "nytimes": {
        "c_npmi": (0.378, 0.284),
        "c_v": (0.415, 0.355),
        "c_uci": (0.390, 0.314),
        "u_mass": (0.106, 0.064),
    },
}
FILED = {"c_npmi": "c_npmi_10_full", "c_v": "c_v_full", "c_uci": "c_uci_full", "u_mass": "u_mass_full"}
OURS = {
    "c_npmi": "npmi(window=10, smoothing=1e-12)@10",
    "c_v": "c_v@10",
    "c_uci": "uci(window=10, smoothing=1e-12)@10",
    "u_mass": "u_mass@10",
    "npmi of documents": "npmi@10",
}
SIZES = (5, 10, 15, 20)


def run(data: Path, *, seeds: int = 1, full: bool = False, progress: Progress | None = None) -> Replication:
    """Published scores first, then ours, with the share of topics whose words are all known."""
    topics = hoyle(data)
    lau = lau_baldwin(data)
    if progress:
        progress("reading text to count words in", 0, 3)
    words = {word for topic in topics for word in topic["words"]} | {w for t in lau for w in t["words"]}
    text = reference(data, words)
    resamples = RESAMPLES[full]
    lines, rows = of_hoyle(topics, text, resamples, progress)
    later = of_lau_baldwin(lau, text, resamples, progress)
    says = (
        f"Words are counted in {len(text):,} documents of {text.n_tokens:,} tokens, of other kinds than the "
        "articles that the topics are of; topics with a word that is in none of them are left out of ours.",
        "The correlations of the published scores with people are the printed ones: those were computed from "
        "the same released files.",
        "On the same topics and with the same formulas our correlations are far lower than those of the "
        "published scores: a score is about the text that words were counted in, and here that text is not "
        "what people know of the subject.",
    )
    return Replication(
        "people",
        tuple(lines),
        {
            "Hoyle et al. 2021: Spearman with people, topics with all words known": rows,
            "Lau and Baldwin 2016: Spearman of NPMI of so many words with the mean rating of so many": later,
        },
        says,
        settings={"resamples": resamples, "full": full},
    )


def hoyle(data: Path) -> list[dict[str, Any]]:
    """Topics with words, mean rating, share of right intruders and the published scores."""
    lines = data_file(data, "human", "hoyle2021_topics.jsonl").read_text("utf-8").splitlines()
    return [
        {
            "dataset": x["dataset"],
            "model": x["model"],
            "words": x["words"],
            "rating": float(np.mean(x["ratings"])),
            "intrusion": float(np.mean(x["intrusion_correct"])),
            "known": float(np.mean(x["ratings_confident"])),
            "published": x["published"],
        }
        for x in map(json.loads, lines)
    ]


def lau_baldwin(data: Path) -> list[dict[Any, Any]]:
    """Topics with words and the mean rating of their top 5, 10, 15 and 20."""
    path = data_file(data, "human", "lau_baldwin2016_ratings.tsv")
    _, *body = (line.split("\t") for line in path.read_text("utf-8").splitlines())
    found: list[dict[Any, Any]] = []
    for domain, words, *ratings in body:
        rated = {n: float(value) for n, value in zip(SIZES, ratings, strict=True)}
        found.append({"domain": domain, "words": words.split(), **rated})
    return found


def reference(data: Path, words: Iterable[str]) -> "Corpus":
    """All text there is as lower-case runs of letters; documents of other words keep their places."""
    from tealeaves.corpus import Corpus
    from tealeaves.preprocess import Preprocess

    texts: list[str] = []
    for names in TEXTS:
        with gzip.open(data_file(data, *names), "rt", encoding="utf-8") as lines:
            texts += [json.loads(line)["text"] for line in lines]
    return Corpus.from_texts(texts, Preprocess(pattern=r"[a-z]+"), vocabulary=sorted(words))


def of_hoyle(
    topics: Sequence[Mapping[str, Any]], text: "Corpus", resamples: int, progress: Progress | None
) -> tuple[list[Line], list[dict[str, Any]]]:
    """Lines of the published scores, rows of ours."""
    lines: list[Line] = []
    rows: list[dict[str, Any]] = []
    for done, (dataset, printed) in enumerate(PUBLISHED.items()):
        if progress:
            progress(f"scoring topics of {dataset}", done + 1, 4)
        mine = [topic for topic in topics if topic["dataset"] == dataset]
        for name, both in printed.items():
            given = [topic["published"][FILED[name]] for topic in mine]
            for people, value in zip(("rating", "intrusion"), both, strict=True):
                found, _ = against(given, mine, people, resamples)
                lines.append(Line(f"{dataset}: published {name} and {people}", value, found.value, 3))
        scores = scored([topic["words"][:10] for topic in mine], text, list(OURS.values()))
        for name, spec in OURS.items():
            row: dict[str, Any] = {"topics of": dataset, "ours": name}
            for people in ("rating", "intrusion"):
                found, n = against(scores[spec], mine, people, resamples)
                row[people] = f"{found.value:.2f} [{found.low:.2f}, {found.high:.2f}]"
                of_those = [
                    np.nan if np.isnan(ours) else topic["published"].get(FILED.get(name, "c_npmi_10_full"))
                    for ours, topic in zip(scores[spec], mine, strict=True)
                ]
                same, _ = against(of_those, mine, people, resamples)
                row[f"{people}, published score of these topics"] = f"{same.value:.2f}"
                row["topics"] = n
            rows.append(row)
    return lines, rows


def of_lau_baldwin(
    topics: Sequence[Mapping[Any, Any]], text: "Corpus", resamples: int, progress: Progress | None
) -> list[dict[str, Any]]:
    """NPMI of 5, 10, 15 and 20 words against ratings of as many, and the means of both over sizes."""
    rows = []
    for domain in dict.fromkeys(topic["domain"] for topic in topics):
        if progress:
            progress(f"scoring topics of {domain}", 3, 4)
        mine = [topic for topic in topics if topic["domain"] == domain]
        scores = {}
        for n in SIZES:
            spec = f"npmi(window=10, smoothing=1e-12)@{n}"
            scores[n] = scored([topic["words"][:n] for topic in mine], text, [spec])[spec]
        row: dict[str, Any] = {"topics of": domain}
        for n in SIZES:
            found, used = against(scores[n], mine, n, resamples)
            row[f"{n} words"] = f"{found.value:.2f} ({used} topics)"
        means = [float(np.mean([topic[n] for n in SIZES])) for topic in mine]
        of_all = [float(np.mean([scores[n][i] for n in SIZES])) for i in range(len(mine))]
        found, used = against(of_all, [{"mean": x} for x in means], "mean", resamples)
        row["means over sizes"] = f"{found.value:.2f} [{found.low:.2f}, {found.high:.2f}] ({used})"
        rows.append(row)
    return rows


def scored(words: list[list[str]], text: "Corpus", specs: list[str]) -> dict[str, list[float]]:
    """Scores of lists of words, topic by topic; nan where a word is in no document."""
    from tealeaves.evaluate import evaluate
    from tealeaves.model import TopicModel

    scores = evaluate(TopicModel.from_words(words), text, measures=specs, ci=None, chance=0)
    return {spec: scores.topics(spec).tolist() for spec in specs}


def against(
    values: Sequence[Any], topics: Sequence[Mapping[Any, Any]], people: Any, resamples: int
) -> tuple[Any, int]:
    """Spearman of scores and what people said, and over how many topics."""
    from tealeaves.stats import correlate

    x = np.array([np.nan if value is None else value for value in values], np.float64)
    y = np.array([topic[people] for topic in topics], np.float64)
    known = ~np.isnan(x)
    return correlate(x[known], y[known], resamples=resamples), int(known.sum())
