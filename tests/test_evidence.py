"""What stands behind the scores: which topics look alike."""

import numpy as np
import pytest

import tealeaves as tl
from tealeaves.evidence import similar_topics


def model(weights):
    return tl.TopicModel([f"w{i}" for i in range(weights.shape[1])], weights)


@pytest.mark.parametrize("concentration", [0.005, 0.05, 5.0])
def test_no_pair_of_like_topics_is_lost_by_looking_at_heavy_words_first(concentration):
    rng = np.random.default_rng(0)
    weights = rng.dirichlet(np.full(900, concentration), 30)
    for a, b, share in ((0, 1, 0.3), (2, 3, 0.5), (4, 5, 0.7), (6, 7, 1.0)):
        weights[a] = (1 - share) * weights[a] + share * weights[b]
    found = {
        (pair["topic_a"], pair["topic_b"]): pair["cosine"] for pair in similar_topics("m", model(weights))
    }
    unit = weights / np.linalg.norm(weights, axis=1, keepdims=True)
    wanted = {(a, b) for a, b in np.argwhere(unit @ unit.T >= 0.8).tolist() if a < b}
    assert wanted <= set(found)
    assert (6, 7) in found
    for (a, b), cosine in found.items():
        assert cosine == pytest.approx(unit[a] @ unit[b])


def test_an_empty_topic_is_like_no_other_and_word_lists_are_judged_by_shared_words():
    assert similar_topics("m", model(np.array([[0.0, 0.0], [0.5, 0.5], [1.0, 0.0]]))) == [
        {
            "model_a": "m",
            "topic_a": 1,
            "model_b": "m",
            "topic_b": 2,
            "shared": 1,
            "cosine": pytest.approx(0.5**0.5),
        }
    ]
    lists = tl.TopicModel.from_words([["oil", "gas"], ["oil", "tax"], ["law", "vote"]])
    assert [(pair["topic_a"], pair["topic_b"], pair["cosine"]) for pair in similar_topics("m", lists)] == [
        (0, 1, None)
    ]
