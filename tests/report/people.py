"""What people said of the fake models: plain data as `Result.details` gives it."""


def fake_people(topics: int = 8, runs: tuple[str, ...] = ("lda-8#1", "lists")) -> dict:
    """Ratings and intrusion: topic 4 is not read, topic 5 is of words that few know."""
    scores, said = [], {}
    for model in runs:
        rows = {}
        for k in range(topics):
            rating = 1.2 if k == 4 else 1.6 + 0.15 * k
            known = 0.3 if k == 5 else 0.9
            about = {"n": 15, "known": known, "study": "", "task": "word_set_rating"}
            rows[str(k)] = {
                "rating": {
                    "value": rating,
                    "low": rating - 0.2,
                    "high": rating + 0.2,
                    "unreadable": k == 4,
                    **about,
                },
                "model_precision": {
                    **about,
                    "task": "word_intrusion",
                    "value": 0.2 if k == 4 else 0.8,
                    "low": 0.1,
                    "high": 0.95,
                    "unreadable": k == 4,
                },
            }
        said[model] = rows
        for task, measure, value in (
            ("word_set_rating", "rating", 2.0),
            ("word_intrusion", "model_precision", 0.7),
        ):
            row = {
                "study": "",
                "task": task,
                "measure": measure,
                "model": model,
                "value": value,
                "low": value - 0.1,
                "high": value + 0.1,
                "low_these": value - 0.05,
                "high_these": value + 0.05,
                "binomial_low": None,
                "binomial_high": None,
                "chance": 1 / 6 if measure == "model_precision" else None,
                "n_answers": 120,
                "n_raters": 15,
                "n_units": topics,
                "unit": "topics",
                "reason": "",
            }
            scores.append(row)
    a, b = runs
    ends = {"low": 0.0, "high": 0.4, "low_these": 0.1, "high_these": 0.3}
    pair = {
        "study": "",
        "task": "word_set_rating",
        "measure": "rating",
        "a": a,
        "b": b,
        "difference": 0.2,
        **ends,
    }
    relation = {
        "study": "",
        "human": "rating",
        "measure": "npmi@10",
        "topics": "all topics",
        "n": 16,
        "reason": "",
    }
    numbers = {"spearman": 0.45, "spearman_low": 0.1, "spearman_high": 0.7, "pearson": 0.4}
    return {
        "scores": scores,
        "differences": [
            {**pair, "p": 0.08, "p_holm": 0.08, "p_these": 0.01, "p_these_holm": 0.01, "reason": ""}
        ],
        "agreement": [
            {
                "study": "",
                "task": "word_intrusion",
                "coefficient": "alpha",
                "coding": "right or wrong",
                "level": "nominal",
                "value": 0.41,
                "sd": None,
                "n_items": 16,
                "n_raters": 15,
                "reason": "",
            }
        ],
        "apart": [],
        "topics": said,
        "settings": {"level": 0.95, "resamples": 2000, "seed": 0},
        "notes": ["intervals draw raters and topics again"],
        "relations": [
            {**relation, **numbers},
            {**relation, **numbers, "topics": "familiar topics", "n": 14, "spearman": 0.5},
            {**relation, **numbers, "measure": "umass@10", "spearman": 0.1, "spearman_low": -0.2},
        ],
        "relation_differences": [
            {
                "study": "",
                "human": "rating",
                "a": "npmi@10",
                "b": "umass@10",
                "n": 16,
                "difference": 0.35,
                "low": 0.1,
                "high": 0.6,
                "p": 0.01,
                "p_holm": 0.01,
            }
        ],
    }
