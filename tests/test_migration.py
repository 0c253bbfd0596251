"""The figures on docs/migration.md: ours, gensim's and tomotopy's are computed, OCTIS' are recorded."""

import math
import re
from functools import cache
from pathlib import Path

import pytest

import tealeaves as tl
from golden import LEE, lee_documents

pytest.importorskip("gensim")
PAGE = (Path(__file__).resolve().parent.parent / "docs" / "migration.md").read_text("utf-8")
BASE = LEE["topic_sets"]["base"]
ROW = re.compile(r"^\| `([^`|]+)`[^|]*\| ([^|]*) \| ([^|]*) \|([^|]*)\|$", re.MULTILINE)
PRINTED = {spec: cells for spec, *cells in ROW.findall(PAGE.partition("## Why")[0])}


def close(value, printed):
    """Whether a value is what is printed, to its last digit."""
    text = printed.replace("−", "-").strip()
    return float(text) == pytest.approx(value, abs=0.51 * 10 ** -len(text.partition(".")[2]))


def gensim_value(coherence, topics, texts, dictionary=None, **options):
    from gensim.corpora import Dictionary
    from gensim.models import CoherenceModel

    dictionary = dictionary or Dictionary(texts)
    bags = {"corpus": [dictionary.doc2bow(text) for text in texts]} if coherence == "u_mass" else {}
    model = CoherenceModel(
        topics=topics, texts=texts, dictionary=dictionary, coherence=coherence, processes=1, **bags, **options
    )
    return model.get_coherence()


@pytest.fixture(scope="module")
def ours():
    model, corpus = tl.TopicModel.from_words(BASE), tl.Corpus.from_tokens(lee_documents())
    return tl.evaluate(model, corpus, measures=list(PRINTED), ci=None, chance=0)


def test_the_table_has_its_seven_rows():
    assert len(PRINTED) == 7


@pytest.mark.parametrize("spec", PRINTED)
def test_the_exact_value_on_the_page_is_the_one_computed(spec, ours):
    assert close(ours.value(spec), PRINTED[spec][0])


@pytest.mark.parametrize("spec", PRINTED)
def test_the_value_of_gensim_on_the_page_is_what_gensim_gives_today(spec):
    coherence = spec.partition("@")[0].partition("(")[0]
    window = re.search(r"window=(\d+)", spec)
    options = {"window_size": int(window[1])} if window else {}
    assert close(gensim_value(coherence, BASE, lee_documents(), **options), PRINTED[spec][1])


@pytest.mark.parametrize("spec", [spec for spec, cells in PRINTED.items() if cells[2].strip()])
def test_the_value_of_tomotopy_on_the_page_is_what_tomotopy_gives_today(spec):
    coherence = spec.partition("@")[0].partition("(")[0]
    window = re.search(r"window=(\d+)", spec)
    width = int(window[1]) if window else {"c_uci": 10, "c_npmi": 10, "c_v": 110}[coherence]
    targets = sorted({word for topic in BASE for word in topic})
    theirs = pytest.importorskip("tomotopy.coherence").Coherence(
        tomotopy_corpus(), coherence=coherence, window_size=width, targets=targets, top_n=10
    )
    assert close(sum(theirs.get_score(words=topic) for topic in BASE) / len(BASE), PRINTED[spec][2])


@cache
def tomotopy_corpus():
    import tomotopy

    corpus = tomotopy.utils.Corpus()
    for document in lee_documents():
        corpus.add_doc(document)
    return corpus


# Where gensim gives numbers and there is none

TEXTS = [["oil", "gas"], ["tax", "law"], ["oil", "gas", "tax"]] * 3


def test_gensim_scores_words_that_are_in_no_text_and_we_say_that_they_are_absent():
    from gensim.corpora import Dictionary

    known = Dictionary([*TEXTS, ["comet"]])
    topics = [["oil", "comet"]]
    assert gensim_value("c_uci", topics, TEXTS, known) == math.inf
    assert gensim_value("c_npmi", topics, TEXTS, known) == math.inf
    assert math.isnan(gensim_value("c_v", topics, TEXTS, known))
    assert gensim_value("u_mass", [["comet", "oil"]], TEXTS, known) == 0.0
    specs = ["c_uci@2", "c_npmi@2", "c_v@2", "u_mass@2"]
    model = tl.TopicModel.from_words(topics)
    scores = tl.evaluate(model, tl.Corpus.from_tokens(TEXTS), measures=specs, ci=None, chance=0)
    rows = scores.frame.filter(scores.frame["level"] == "topic")
    assert rows["value"].is_nan().all()
    assert set(rows["reason"]) == {"absent word: comet"}


def test_gensim_gives_a_topic_of_one_word_the_best_c_v():
    assert gensim_value("c_v", [["oil"]], TEXTS) == pytest.approx(1.0)


def test_gensim_gives_words_that_are_in_every_text_together_the_worst_npmi():
    together = [["oil", "gas"]] * 3
    assert gensim_value("c_npmi", [["oil", "gas"]], together) == pytest.approx(-1.0, abs=1e-6)
    model, corpus = tl.TopicModel.from_words([["oil", "gas"]]), tl.Corpus.from_tokens(together)
    assert tl.evaluate(model, corpus, measures=["npmi@2"], ci=None, chance=0).value("npmi@2") == 1.0
    assert tl.evaluate(model, corpus, measures=["c_npmi@2"], ci=None, chance=0).value("c_npmi@2") == 1.0


# OCTIS


@pytest.mark.parametrize(
    ("octis", "weight", "spec"),
    [
        ("octis.TopicDiversity", None, "topic_diversity@10"),
        ("octis.InvertedRBO", 0.9, "inverted_rbo(p=0.9)@10"),
    ],
)
def test_the_values_of_octis_on_the_page_are_recorded_and_ours_are_the_same(octis, weight, spec):
    (row,) = (
        row
        for row in LEE["diversity"]
        if (row["metric"], row["topics"], row.get("topk")) == (octis, "base", 10)
        and row.get("weight") == weight
    )
    (printed,) = re.findall(rf"`{re.escape(spec)}` \| ([\d.]+), the same", PAGE)
    assert close(row["value"], printed)
    model = tl.TopicModel.from_words(BASE)
    assert tl.evaluate(model, measures=[spec], ci=None).value(spec) == pytest.approx(row["value"], abs=1e-9)
