"""gensim's own values of a fitted model, from its about.json: no pickle is opened, gensim is not needed."""

import gzip
import json
import os
import re
from pathlib import Path

import numpy as np
import pytest

from tealeaves.corpus import Corpus, read_corpus
from tealeaves.evaluate import evaluate
from tealeaves.model import TopicModel

DATA = Path(os.environ.get("TEALEAVES_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
MORE_STOP_WORDS = [
    "mln",
    "dlrs",
    "said",
    "year",
    "reuter",
    "pct",
    "company",
    "cts",
    "net",
    "billion",
    "corp",
    "shr",
]


@pytest.fixture(scope="module")
def about():
    if not DATA.exists():
        pytest.skip("no data folder")
    return json.loads((DATA / "formats" / "gensim_lda" / "about.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def kept():
    """The documents as the model saw them: rare words are gone."""
    return read_corpus(DATA / "formats" / "corpora_same400" / "tokens.txt", tokenized=True)


@pytest.fixture(scope="module")
def texts():
    """The documents that gensim counted windows in: rare words still stand between the others."""
    stop = pytest.importorskip("sklearn.feature_extraction.text").ENGLISH_STOP_WORDS | set(MORE_STOP_WORDS)
    ids = (DATA / "formats" / "corpora_same400" / "ids.txt").read_text("utf-8").split()
    with gzip.open(DATA / "reuters" / "reuters_apte.jsonl.gz", "rt", encoding="utf-8") as lines:
        stories = {story["id"]: story["text"] for story in map(json.loads, lines)}
    words = [re.findall(r"\b[a-z]{3,}\b", stories[name].lower()) for name in ids]
    return [[word for word in story if word not in stop] for story in words]


def test_without_rare_words_the_stories_are_the_model_s_documents(about, texts, kept):
    known = set(kept.vocabulary)
    found = [[word for word in story if word in known] for story in texts]
    assert Corpus.from_tokens(found).fingerprint == kept.fingerprint


@pytest.mark.parametrize("measure", ["u_mass", "c_uci", "c_npmi", "c_v"])
def test_gensim_s_values_of_each_topic_are_its_preset_s(measure, about, request):
    kept = measure == "u_mass"
    corpus = request.getfixturevalue("kept") if kept else Corpus.from_tokens(request.getfixturevalue("texts"))
    spec = f"{measure}(compat='gensim')@10"
    scores = evaluate(TopicModel.from_words(about["top10"]), corpus, measures=[spec], ci=None)
    np.testing.assert_allclose(scores.topics(spec), about[measure], rtol=0, atol=1e-9)
