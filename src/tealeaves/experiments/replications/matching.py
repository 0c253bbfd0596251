"""Do two topics match? How far people agree, to the digit: Table II's people and Appendix D."""

import json
from pathlib import Path

import numpy as np

from tealeaves.experiments.replications import Line, Progress, Replication, data_file

SEEDS = {False: 1, True: 1}  # nothing is drawn
SETS = {"news": "news", "bio": "biology"}
# Alpha, nominal and ordinal, of all pairs and of the test round; F1 of people and its standard deviation.
ALPHA = {"news": (0.689, 0.865), "bio": (0.648, 0.797)}
ALPHA_TEST = {"news": (0.663, 0.862), "bio": (0.599, 0.782)}
SEMANTIC = {"abstract": 0.67, "issue": 0.44}
PEOPLE = {"news": (0.854, 0.034), "bio": (0.817, 0.032)}
CUT = "printed lower by up to .0014: digits cut off, or another program's alpha"


def run(data: Path, *, seeds: int = 1, full: bool = False, progress: Progress | None = None) -> Replication:
    """Agreement of people on pairs of topics, then on kinds of topics."""
    lines: list[Line] = []
    for key, name in SETS.items():
        path = data_file(data, "coverage", f"{key}_pairs.jsonl")
        lines += [*agreement(path, key, name), *against_the_others(path, key, name)]
    return Replication("matching", (*lines, *semantic(data)))


def against_the_others(path: Path, key: str, name: str) -> list[Line]:
    """F1 of each person against the mean of the others."""
    from tealeaves.human.agreement import human_f1

    records = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    found = human_f1(np.array([record["labels"] for record in records], np.float64).T)
    return [
        Line(f"{name}: F1 of people", PEOPLE[key][0], found.mean, 3),
        Line(f"{name}: its standard deviation", PEOPLE[key][1], found.sd, 3),
    ]


def agreement(path: Path, key: str, name: str) -> list[Line]:
    """Krippendorff's alpha of the three raters, of all pairs and of the test round."""
    from tealeaves.stats import krippendorff_alpha

    records = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    lines = []
    for which, printed in (("all pairs", ALPHA[key]), ("test round", ALPHA_TEST[key])):
        labels = np.array([x["labels"] for x in records if which == "all pairs" or x["round"] == "test"]).T
        for level, value in zip(("nominal", "ordinal"), printed, strict=True):
            found = krippendorff_alpha(labels, level)
            lines.append(Line(f"{name}, {which}: {level} alpha", value, found, 3, CUT))
    return lines


def semantic(data: Path) -> list[Line]:
    """Agreement of two people on what kind of topic 30 topics of the news are."""
    from tealeaves.stats import krippendorff_alpha

    path = data_file(data, "coverage", "news_semantic_agreement_sample.tsv")
    head, *body = (line.split("\t") for line in path.read_text("utf-8").splitlines())
    lines = []
    for kind, printed in SEMANTIC.items():
        columns = [i for i, title in enumerate(head) if kind in title]
        labels = np.array([[float(row[i] in ("1", "true", "True")) for row in body] for i in columns])
        lines.append(Line(f"news topics: nominal alpha of {kind!r}", printed, krippendorff_alpha(labels), 2))
    return lines
