"""Scores made by hand: every verdict, runs, undefined values and hostile words, without a corpus."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

SIGNATURE = (
    "npmi|top:10|unit:document|smoothing:0|oov:undefined|reference:7ffdae96|docs:7769|vocab:6855|v:0.1.0"
)
HOSTILE = "</script><script>alert(1)</script>"
TOPICS = {
    "harbour": "harbour ship port cargo crane dock vessel tide berth pilot anchor buoy",
    "orchard": "apple pear orchard cider plum cherry harvest blossom graft quince press must",
    "harbour again": "ship harbour port vessel dock cargo sail mast hull keel rudder tiller",
    "two in one": "piano violin flute oboe cello goal referee striker penalty keeper pitch net",
    "junk": "thing said also may year made use part good way case point",
    "weather": "rain cloud wind storm frost snow hail thunder fog drizzle sleet gale",
    "absent": "kettle teapot leaf brew steep infuser caddy samovar qwxyz saucer cup spoon",
    "odd": "loom weave thread wool yarn spindle shuttle warp weft parliament felt dye",
}
SHAPES = {"harbour": 0.4, "orchard": 0.35, "harbour again": 0.33, "weather": 0.08, "odd": 0.38, "absent": 0.3}


def pair_matrix(topic: str) -> np.ndarray:
    """NPMI of ten words: a level, with what makes the topic special put in."""
    noise = np.random.default_rng(sum(map(ord, topic))).normal(0, 0.06, (10, 10))
    matrix = np.full((10, 10), SHAPES.get(topic, 0.0)) + (noise + noise.T) / 2
    if topic == "two in one":
        matrix[:5, :5] += 0.5
        matrix[5:, 5:] += 0.5
        matrix[:5, 5:] -= 0.1
        matrix[5:, :5] -= 0.1
    if topic == "junk":
        matrix -= 0.3
        matrix[2:6, 6:] = matrix[6:, 2:6] = -1.0
        matrix[0, 1] = matrix[1, 0] = 0.45
    if topic == "odd":
        matrix[9, :] = matrix[:, 9] = -0.3
        matrix[9, :4] = matrix[:4, 9] = -1.0
    np.fill_diagonal(matrix, 1.0)
    return np.clip(matrix, -1.0, 1.0)


@dataclass
class FakeScores:
    """The parts of Scores that the report reads."""

    frame: pl.DataFrame
    details: dict[str, Any]
    units: dict[str, str] = field(
        default_factory=lambda: {"npmi@10": "blocks", "topic_diversity@10": "topics"}
    )
    comparisons: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    def compare(self, spec: str, test: str | None = None) -> pl.DataFrame:
        rows = self.comparisons.get(spec, [])
        return pl.DataFrame([{**r, "test": r["test"] if r["test"] == test else "none"} for r in rows])


def row(model: str, measure: str, value: float, **more: Any) -> dict[str, Any]:
    """One row of the frame with the columns that most rows leave empty."""
    base = {
        "model": model, "measure": measure, "level": "model", "group": "", "slice": None, "slice_end": None,
        "topic": None, "reference_topic": None, "document": None, "value": value, "low": float("nan"),
        "high": float("nan"), "n_terms": 45, "reason": "",
        "signature": SIGNATURE.replace("npmi", measure.split("@")[0]),
    }  # fmt: skip
    return {**base, **more}


def fake_scores(
    models: tuple[str, ...] = ("lda-8#1", "lda-8#2", "lda-8#3", "nmf-8#1", "nmf-8#2", "nmf-8#3", "lists"),
    hostile: bool = True,
    copies: int = 1,
    chance: bool = True,
) -> FakeScores:
    """Scores of models of eight topics (times ``copies``)."""
    names = list(TOPICS) * copies
    rows: list[dict[str, Any]] = []
    details: dict[str, Any] = {
        "models": {}, "pairs": {}, "unknown": {}, "similar": [], "chance": {},
        "corpora": {
            "corpus": {
                "fingerprint": "7ffdae96", "docs": 7769, "tokens": 450424, "vocab": 6855,
                "preprocess": "lower case; words of 3 or more letters", "notes": ["2 documents are empty"],
            },
            "reference": None,
        },
        "settings": {"seed": 0, "resamples": 2000, "ci": 0.95, "version": "0.1.0"},
        "warnings": ["Stop: the reference has few documents", "a warning without a level"],
    }  # fmt: skip
    for number, model in enumerate(models):
        bare = model == "lists"
        shift = 0.01 * (number % 3) + (0.03 if model.startswith("nmf") else 0.0)
        lists, values = [], []
        pairs, unknown, bands = {}, {}, {}
        for k, name in enumerate(names):
            words = TOPICS[name].split()
            if hostile and name == "orchard":
                words = [
                    *words[:4],
                    HOSTILE,
                    "\u202egnorw",
                    "שלום",
                    '"quoted"',
                    "a" * 60,
                    "&amp;",
                    *words[10:],
                ]
            if hostile and name == "absent":
                words[8] = "<img src=x onerror=alert(1)>"
            matrix = pair_matrix(name)
            absent = [words[8]] if name == "absent" else []
            if absent:
                matrix[8, :] = matrix[:, 8] = np.nan
            value = float(matrix[np.triu_indices(10, 1)].mean()) + (0.0 if absent else shift)
            lists.append(words)
            values.append(value)
            joint = np.maximum(0, np.round(60 * (np.nan_to_num(matrix, nan=-1) + 1))).astype(int)
            pairs[str(k)] = {
                "words": words[:10],
                "npmi": [[None if np.isnan(x) else float(x) for x in line] for line in matrix],
                "joint": joint.tolist(),
                "single": [0 if w in absent else 900 - 70 * i for i, w in enumerate(words[:10])],
            }
            unknown[str(k)] = {
                "absent": absent,
                "coverage": 0.9 if absent else 1.0,
                "hints": dict.fromkeys(absent, "did you mean “saucers”?"),
            }
            if chance:
                bands[str(k)] = {"npmi@10": [-0.15, -0.02, 0.12]}
            interval = {} if absent else {"low": value - 0.05, "high": value + 0.05}
            reason = {"reason": "absent word", "n_terms": 36} if absent else {}
            rows.append(row(model, "npmi@10", value, level="topic", topic=k, **interval, **reason))
            rows.append(
                row(
                    model,
                    "umass@10",
                    -20.0 - k if not absent else float("nan"),
                    level="topic",
                    topic=k,
                    **reason,
                )
            )
            rows.append(row(model, "topic_diversity@10", 0.8 - 0.03 * k, level="topic", topic=k, n_terms=10))
            if not bare:
                rows.append(row(model, "sig_uni", 4.5 + 0.1 * k, level="topic", topic=k, n_terms=6855))
            else:
                why = "word lists have no weights"
                rows.append(
                    row(model, "sig_uni", float("nan"), level="topic", topic=k, n_terms=0, reason=why)
                )
        mean = float(np.nanmean(values))
        rows.append(row(model, "npmi@10", mean, low=mean - 0.04, high=mean + 0.04, n_terms=7, reason=""))
        rows.append(row(model, "umass@10", -23.0 - shift, n_terms=7))
        rows.append(row(model, "topic_diversity@10", 0.82 - shift, low=0.75, high=0.9, n_terms=8))
        rows.append(
            row(
                model,
                "sig_uni",
                float("nan") if bare else 4.9,
                reason="word lists have no weights" if bare else "",
            )
        )
        rows.append(row(model, "perplexity", float("nan"), reason="no held-out documents were given"))
        details["models"][model] = {
            "n_topics": len(names), "topics": lists, "notes": [], "source": f"{model.replace('#', '-')}.npz",
            "weights": None if bare else [[0.05 / (i + 1) for i in range(12)]] * len(names),
            "size": None if bare else [0.02 + 0.01 * (k % 8) for k in range(len(names))],
        }  # fmt: skip
        details["pairs"][model], details["unknown"][model], details["chance"][model] = pairs, unknown, bands
        details["similar"] += [
            {
                "model_a": model,
                "topic_a": 0,
                "model_b": model,
                "topic_b": 2,
                "shared": 6,
                "cosine": None if bare else 0.71,
            },
            {
                "model_a": model,
                "topic_a": 1,
                "model_b": model,
                "topic_b": 5,
                "shared": 1,
                "cosine": None if bare else 0.2,
            },
        ]
    p = {
        "difference": 0.03,
        "low": 0.0,
        "high": 0.06,
        "p": 0.1,
        "p_holm": 0.3,
        "test": "runs",
        "n": 6,
        "smallest_p": 0.1,
    }
    return FakeScores(
        pl.DataFrame(rows, infer_schema_length=None),
        details,
        comparisons={"npmi@10": [{"model_a": "lda-8", "model_b": "nmf-8", **p}]},
    )
