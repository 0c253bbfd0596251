"""Sets of items of every task, made of models that are drawn."""

import numpy as np

import tealeaves as tl


def static(k=12):
    rng = np.random.default_rng(0)
    words = [f"word{i:03d}" for i in range(300)]
    return tl.TopicModel(words, topic_word=rng.dirichlet(np.full(300, 0.05), k), name="lda")


def extended(task, n_documents=120, k=12, **more):
    """Items of any task, as `items` makes them, with texts where texts are shown."""
    if task.startswith("temporal"):
        rng = np.random.default_rng(1)
        weights = rng.dirichlet(np.full(300, 0.1), (6, 4))
        model = tl.DynamicTopicModel(static().vocabulary, weights, axes="time topic word")
        return tl.human.items(task, model, **more)
    rng = np.random.default_rng(0)
    model = static(k)
    words = np.array(model.vocabulary)
    texts = [
        f"TITLE {'x' * (d % 7)}\n\n{' '.join(rng.choice(words, 30 + d % 60))}." for d in range(n_documents)
    ]
    corpus = tl.Corpus.from_texts(texts, tl.Preprocess(pattern=r"word\d+"), vocabulary=model.vocabulary)
    theta = rng.dirichlet(np.full(k, 0.5), n_documents)
    z = rng.integers(0, k, corpus.n_tokens)
    model = tl.TopicModel(model.vocabulary, model.topic_word, doc_topic=theta, assignments=z, name="lda")
    return tl.human.items(task, model, corpus=corpus, **{"n": 5, **more})
