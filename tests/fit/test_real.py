"""Each trainer on real posts of five newsgroups: topics that make sense, and that part the groups."""

import gzip
import json

import numpy as np
import pytest

import tealeaves as tl

GROUPS = ("rec.sport.hockey", "sci.space", "talk.politics.mideast", "comp.graphics", "sci.med")
POSTS = 120  # of each group
# The least coherence (npmi@10) and agreement with the groups (nmi) of each family: what it reached over two
# seeds, less a fifth.
LEAST = {
    "lda": (0.29, 0.33),
    "alda": (0.30, 0.32),
    "hdp": (0.28, 0.29),
    "pyp": (0.29, 0.29),
    "ctm": (0.28, 0.36),
    "plsa": (0.26, 0.40),
    "nmf": (0.42, 0.50),
    "lsi": (0.31, 0.32),
    "anchor": (0.28, 0.48),
}
QUICK = {"lda": 300, "alda": 300, "hdp": 150, "pyp": 150, "plsa": 100}


@pytest.fixture(scope="module")
def posts(data) -> tl.Corpus:
    taken: dict[str, list[str]] = {group: [] for group in GROUPS}
    with gzip.open(data / "20newsgroups" / "20newsgroups.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            post = json.loads(line)
            group = post["label"]
            if group in taken and len(taken[group]) < POSTS and len(post["text"]) > 400:
                taken[group].append(post["text"])
    texts = [text for group in GROUPS for text in taken[group]]
    labels = [group for group in GROUPS for _ in taken[group]]
    choices = tl.Preprocess(stop_words="english", min_length=3, min_df=5, max_df=0.3)
    return tl.Corpus.from_texts(texts, choices, labels=labels)


@pytest.mark.slow
@pytest.mark.parametrize("family", LEAST)
def test_topics_of_real_posts_make_sense_and_part_the_groups(family, posts):
    options = {"iterations": QUICK[family]} if family in QUICK else {}
    model = tl.fit(family, posts, k=40 if family in ("hdp", "pyp") else 10, seed=1, **options)
    measures = ["npmi@10", "nmi"]
    if family == "lsi":  # signs: a document's leading topic is the one with the largest positive weight
        model = tl.TopicModel(
            model.vocabulary, model.topic_word, doc_topic=np.maximum(model.doc_topic, 0), name="lsi"
        )
    scores = tl.evaluate(model, posts, measures=measures, ci=None)
    npmi, nmi = LEAST[family]
    assert scores.value("npmi@10") > npmi
    assert scores.value("nmi") > nmi
