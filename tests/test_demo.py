import io
import re
import subprocess
import sys

import pytest

import tealeaves as tl
from tealeaves.demo import demo_corpus, lee_news, run_demo
from tealeaves.errors import MissingExtra

pytest.importorskip("gensim")
pytest.importorskip("tomotopy")


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """The folder of one demo, and what it printed."""
    out, text = tmp_path_factory.mktemp("demo") / "new" / "folder", io.StringIO()
    assert run_demo(out, file=text) == out / "report.html"
    return out, text.getvalue()


def test_the_demo_ends_with_the_path_of_its_report(shown):
    out, text = shown
    assert text.replace("\n", " ").rstrip().endswith(str(out / "report.html"))


def test_every_measure_of_every_model_has_a_value_in_the_demo(shown):
    scores = tl.load_scores(shown[0] / "scores")
    of_models = scores.frame.filter(scores.frame["level"] == "model")
    assert of_models.filter(of_models["value"].is_nan() | of_models["value"].is_null()).is_empty()
    measures = set(of_models["measure"])
    assert {"npmi@10", "c_v@10", "umass@10", "sig_vac", "inverted_rbo@10"} <= measures
    assert len(of_models) == 3 * len(measures)


def test_the_demo_s_models_find_what_the_news_were_about(shown):
    scores = tl.load_scores(shown[0] / "scores")
    for model, about in scores.details.models.items():
        topics = [set(words[:10]) for words in about["topics"]]
        for subject in ({"israeli", "palestinian"}, {"taliban", "bin"}, {"qantas", "workers"}):
            assert any(subject <= words for words in topics), (model, subject)


def test_the_report_of_the_demo_needs_no_network(shown):
    page = (shown[0] / "report.html").read_text("utf-8")
    assert "lda-20" in page
    assert not re.search(r"(src|href)=[\"']https?:", page)


def test_the_news_are_found_without_importing_gensim():
    code = "import sys; from tealeaves.demo import lee_news; lee_news(); print('gensim' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_without_gensim_the_demo_says_what_to_install(monkeypatch):
    monkeypatch.setattr("tealeaves.demo.find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match=r"pip install .tealeaves\[gensim,fit\]"):
        lee_news()


def test_the_demo_s_corpus_is_the_300_stories():
    corpus = demo_corpus()
    assert len(corpus) == 300
    assert corpus.ids[:2] == ("story-1", "story-2")
    assert "the" not in corpus.index
    assert "fire" in corpus.index
