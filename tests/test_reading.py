"""Documents to read: which are chosen, and that text, tokens and topics stay together."""

import re
from dataclasses import replace
from html import unescape

import numpy as np
import pytest

import tealeaves as tl
from tealeaves.errors import InputError
from tealeaves.measures.local import TokenTopics, consistency
from tealeaves.reading import LEAST, MOST, PASSAGE, documents_to_read
from tealeaves.report.documents import COLOURS, colours, documents, of_document
from tealeaves.report.rows import clean

WORDS = ["oil", "gas", "and", "tax", "law", "the", "oil"]


def planted(texts, topics, k=3):
    corpus = tl.Corpus.from_texts(texts, ids=[f"d{i}" for i in range(len(texts))])
    z = np.concatenate(topics).astype(np.int32)
    words = np.asarray(corpus.tokens)
    phi = np.full((k, len(corpus.vocabulary)), 1 / len(corpus.vocabulary))
    model = tl.TopicModel(corpus.vocabulary, phi, assignments=z)
    return model, corpus, TokenTopics(words, z, corpus.offsets, k)


def test_the_least_and_the_most_consistent_documents_are_chosen_in_that_order():
    texts = [" ".join(["oil gas tax law"] * 10)] * 12
    switching = [np.arange(40) % 2 if d < 3 else np.zeros(40) for d in range(12)]
    pages = documents_to_read(*planted(texts, switching))
    assert [page["end"] for page in pages] == ["least"] * LEAST + ["most"] * MOST
    assert [page["id"] for page in pages[:3]] == ["d0", "d1", "d2"]
    assert [page["consistency"] for page in pages] == [0, 0, 0, 1, 1, 1]


def test_a_passage_is_the_documents_own_text_and_every_token_stands_at_its_place():
    text = "Oil, GAS and\n\ttax-law: the Oil."
    model, corpus, found = planted([text] * 3, [np.arange(7) % 3] * 3)
    page = documents_to_read(model, corpus, found)[0]
    assert page["text"] == text
    assert page["original"]
    assert [text[s:e].lower() for s, e, _, _ in page["tokens"]] == [
        "oil",
        "gas",
        "and",
        "tax",
        "law",
        "the",
        "oil",
    ]
    assert [z for _, _, z, _ in page["tokens"]] == [0, 1, 2, 0, 1, 2, 0]


def test_the_likeliest_topics_of_a_word_are_those_of_its_document_and_its_weight():
    corpus = tl.Corpus.from_tokens([["a", "b", "a"]] * 2)
    z = np.array([0, 0, 1] * 2, np.int32)
    model = tl.TopicModel(["a", "b"], [[0.5, 0.5], [1.0, 0.0]], assignments=z)
    page = documents_to_read(model, corpus, TokenTopics(corpus.tokens, z, corpus.offsets, 2))[0]
    # p(0 | a) = 2/3 * 0.5 / (2/3 * 0.5 + 1/3 * 1) = 1/2
    assert page["tokens"][0][3] == [[0, 0.5], [1, 0.5]]
    assert page["tokens"][1][3] == [[0, 1.0]]
    assert not page["original"]
    assert page["text"] == "a b a"


def test_of_a_long_document_the_stretch_that_changes_topic_most_is_shown():
    n = 100_000
    z = np.zeros(n, np.int32)
    z[70_000:70_200] = np.arange(200) % 2
    corpus = tl.Corpus.from_tokens([["w"] * n])
    model = tl.TopicModel(["w"], [[1.0], [1.0]], assignments=z)
    (page,) = documents_to_read(model, corpus, TokenTopics(corpus.tokens, z, corpus.offsets, 2))
    assert page["shown"] == PASSAGE
    assert page["total"] == n
    assert len(page["tokens"]) == PASSAGE
    assert 69_899 <= page["first"] <= 70_000
    assert set(page["strip"]) == {0}


@pytest.mark.parametrize(
    "tokens", [[[]], [["a"]], [[], ["a"], []]], ids=["empty", "one token", "mostly empty"]
)
def test_documents_without_neighbours_give_nothing_to_read(tokens):
    corpus = tl.Corpus.from_tokens(tokens, vocabulary=["a"])
    z = np.zeros(corpus.n_tokens, np.int32)
    model = tl.TopicModel(["a"], [[1.0]], assignments=z)
    assert documents_to_read(model, corpus, TokenTopics(corpus.tokens, z, corpus.offsets, 1)) == []


def test_two_topics_of_one_document_never_share_a_colour():
    rng = np.random.default_rng(0)
    for _ in range(20):
        lists = [
            [(int(k), (8 - i) / 36) for i, k in enumerate(rng.permutation(12)[:8])]  # the largest first
            for _ in range(6)
        ]
        found = colours(lists)
        for topics in lists:
            own = of_document(topics, found)
            assert sorted(own) == sorted(k for k, _ in topics[:COLOURS])  # none of the largest is grey
            assert sorted(own.values()) == list(range(1, COLOURS + 1))
            kept = [own[k] == found[k] for k in own if k in found]
            assert all(kept)


def test_the_section_shows_a_seventh_topic_in_grey_and_escapes_nothing_twice():
    texts = ["<b>one</b> two three four five six seven eight"] * 2
    model, corpus, _found = planted(texts, [np.arange(10) % 8] * 2, k=8)
    scores = tl.evaluate(model, corpus, measures=["consistency"], resamples=10)
    section = documents(scores, [], vars(scores.details))
    page = section["models"][0]["pages"][0]
    assert len(page["legend"]) == COLOURS
    grey = {p["topic"] for p in page["pieces"] if p["kind"] == "word" and not p["colour"]}
    assert grey == set(range(8)) - {entry["topic"] for entry in page["legend"]}
    assert "".join(p["text"] for p in page["pieces"]) == texts[0]


def long_one(n=900, busy=(500, 800), gap=" . "):
    """A text of n words "w<i>" whose topics change within a stretch of it alone, with blanks between."""
    words = [f"w{chr(97 + i % 26)}{chr(97 + i // 26 % 26)}{chr(97 + i // 676)}" for i in range(n)]
    z = np.zeros(n, int)
    z[slice(*busy)] = np.arange(busy[1] - busy[0]) % 2 + 1
    return words, gap.join(words), z


def test_words_of_a_cut_passage_stand_at_their_places_in_the_text_that_is_shown():
    words, text, z = long_one()
    (page,) = documents_to_read(*planted([text], [z]))
    assert page["original"]
    assert (page["first"], page["shown"], page["total"]) == (499, PASSAGE, 900)
    said = [(page["text"][s:e], k) for s, e, k, _ in page["tokens"]]
    assert said == list(zip(words[499:799], z[499:799], strict=True))
    assert page["text"] == " . ".join(words[499:799])  # nothing of the text before it, or after
    assert page["strip"][:5] == [0] * 5
    assert set(page["strip"][70:100]) <= {1, 2}


def test_a_passage_at_an_end_of_a_document_keeps_what_stands_before_or_after_its_words():
    words, text, z = long_one(busy=(0, 299))
    (page,) = documents_to_read(*planted([f"* {text} *"], [z]))
    assert page["text"] == "* " + " . ".join(words[:300])
    words, text, z = long_one(busy=(650, 900))
    (page,) = documents_to_read(*planted([f"* {text} *"], [z]))
    assert page["text"].startswith(words[600])
    assert page["text"].endswith(f"{words[-1]} *")


def test_short_documents_are_not_chosen_however_extreme():
    long, short = " ".join(["oil gas tax law"] * 20), "oil gas tax law"
    texts = [long] * 6 + [short] * 4
    topics = [np.arange(80) // 4 % 3] * 6 + [np.arange(4) % 2] * 2 + [np.zeros(4)] * 2
    pages = documents_to_read(*planted(texts, topics))
    assert {page["id"] for page in pages} == {f"d{i}" for i in range(6)}
    only_short = documents_to_read(*planted([short] * 4, [np.arange(4) % 2] * 4))
    assert len(only_short) == 4  # where there are no others


def test_a_text_that_is_not_of_these_tokens_is_told_and_their_words_shown():
    model, corpus, found = planted(["Oil, gas and oil."] * 2, [np.arange(4) % 2] * 2)
    other = replace(corpus, texts=["Oil, gas and oil.", "Something else."])
    pages = {page["id"]: page for page in documents_to_read(model, other, found)}
    assert pages["d0"]["why"] == ""
    assert pages["d1"]["text"] == "oil gas and oil"
    assert not pages["d1"]["original"]
    assert "the text does not give its tokens, from token 0 ('oil')" in pages["d1"]["why"]
    no_text = documents_to_read(model, replace(corpus, texts=None), found)
    assert {page["why"] for page in no_text} == {"the corpus keeps no text"}


def test_documents_are_shown_by_id_by_number_and_whole():
    _, text, z = long_one()
    model, corpus, _ = planted(["oil gas", text, "tax"], [[0, 1], z, [2]])
    found = tl.read_documents(model, corpus, ["d2", 0])
    assert [(page["id"], page["end"]) for page in found.pages] == [("d2", "chosen"), ("d0", "chosen")]
    (page,) = tl.read_documents(model, corpus, "d1", passage=None).pages
    assert page["text"] == text
    assert page["strip"] == []
    assert str(tl.read_documents(model, corpus, 0)) == (
        "d0: 2 words with a topic, consistency 0.00\n[0]oil [1]gas"
    )
    with pytest.raises(InputError, match="no document of the corpus is called 'd9'; did you mean 'd"):
        tl.read_documents(model, corpus, ["d9"])
    with pytest.raises(InputError, match="document 3 was asked for, but they go from 0 to 2"):
        tl.read_documents(model, corpus, [3])
    with pytest.raises(InputError, match="passage must be"):
        tl.read_documents(model, corpus, passage=0)
    bare = replace(corpus, ids=None)
    assert tl.read_documents(model, bare, "2").pages[0]["id"] == "2"
    with pytest.raises(InputError, match="called 'd2'; its documents have no ids: give their numbers"):
        tl.read_documents(model, bare, "d2")


def test_numbers_of_a_reading_are_those_of_the_measures():
    texts = ["oil gas tax law"] * 8
    model, corpus, found = planted(texts, [np.arange(4) % 3] * 4 + [np.zeros(4)] * 4)
    reading = tl.read_documents(model, corpus)
    assert reading.numbers["consistency"] == consistency(found).model.value == 12 / 24
    assert reading.numbers["chance"] == pytest.approx((24**2 + 4**2 + 4**2) / 32**2)
    assert reading.switches.counts.tolist() == [[12, 4, 0], [0, 0, 4], [4, 0, 0]]


def test_a_page_of_chosen_documents_is_one_file_with_their_text(tmp_path):
    texts = ["oil <b>gas</b> oil", "tax law"] * 3
    model, corpus, _ = planted(texts, [[0, 2, 1, 2, 0], [1, 1]] * 3)
    tl.read_documents(model, corpus, ["d0", "d1"]).report(tmp_path / "read.html")
    page = (tmp_path / "read.html").read_text("utf-8")
    assert page.count('<article class="doc"') == 2
    assert "<h1>Documents under model</h1>" in page
    assert "neighbouring words change topic in 80 of 100 cases" in page
    assert "among the" not in page
    assert "&lt;" in page
    assert "<b>gas" not in page
    assert not re.search(r"(src|href)=[\"']?https?:", page)


def measured(tmp_path, *specs, ci=0.95, topics=None, phi=None, **options):
    texts = ["Oil gas. Oil tax.", "Tax law. Tax law."] * 6
    topics = topics or [[0, 0, 1, 1], [1, 2, 1, 1]] * 6
    model, corpus, _ = planted(texts, topics)
    if phi is not None:
        model = tl.TopicModel(corpus.vocabulary, phi)
    scores = tl.evaluate({"m": model}, corpus, measures=list(specs), resamples=50, ci=ci, chance=0, **options)
    scores.report(tmp_path / "r.html")
    rows = [clean(row) for row in scores.frame.to_dicts()]
    return documents(scores, rows, vars(scores.details)), (tmp_path / "r.html").read_text("utf-8")


VARIANTS = ["consistency(sentences='across')", "switch_p(sentences='across')", "consistency(gaps='closed')"]


@pytest.mark.parametrize("specs", [["consistency", *VARIANTS], [*VARIANTS, "consistency"], VARIANTS])
def test_the_heading_is_of_all_neighbours_whatever_else_is_measured(tmp_path, specs):
    section, page = measured(tmp_path, *specs)
    # 00 01 11 and 12 21 11: 3 of 6 change
    assert section["heading"] == "In the documents: neighbouring words change topic in 50 of 100 cases"
    (model,) = section["models"]
    assert (model["consistency"]["value"], model["switch_p"]["value"]) == (0.5, 0.5)
    if "consistency" in specs:
        assert model["chance"] == pytest.approx((2**2 + 5**2 + 1) / 8**2)
        assert model["spec"] == "consistency"
        assert 'scores.documents("consistency")' in page
    else:
        assert model["chance"] is None
        assert model["spec"] in VARIANTS


def test_the_heading_says_how_often_topics_change_not_how_often_they_stay(tmp_path):
    section, page = measured(tmp_path, "consistency", topics=[[0, 0, 0, 1]] * 12)
    assert "change topic in 33 of 100 cases" in section["heading"]
    assert ">0.67 <" in page  # consistency, beside
    assert ">0.33 <" in page  # changes of topic, of which no score was asked for
    section, _ = measured(tmp_path, "switch_p", topics=[[0, 0, 0, 1]] * 12)
    assert section["models"][0]["consistency"]["value"] == pytest.approx(2 / 3)
    assert section["models"][0]["chance"] == pytest.approx((9 + 1) / 16)
    low, value, high = (section["models"][0]["consistency"][key] for key in ("low", "value", "high"))
    assert low <= value <= high


def test_a_score_of_inferred_topics_is_shown_with_the_call_that_repeats_it(tmp_path):
    phi = [[0.499, 0.001, 0.499, 0.001], [0.001, 0.499, 0.001, 0.499]]  # gas and oil; law and tax
    section, page = measured(tmp_path, "switch_p(assign='map')", phi=phi)
    assert section["models"][0]["assign"] == "map"
    said = unescape(page)
    assert """scores.documents("switch_p(assign='map')")""" in said
    assert 'tealeaves.switches(model, corpus, assign="map").most()' in said
    assert 'tealeaves.read_documents(model, corpus, ids=[…], assign="map")' in said


def test_switches_are_listed_in_their_direction_with_shares_lift_and_intervals(tmp_path):
    section, page = measured(tmp_path, "local")
    (model,) = section["models"]
    shown = [(s["before"], s["after"], s["times"], s["share"]) for s in model["switches"]]
    assert shown == [(0, 1, 6, 1.0), (1, 2, 6, 1.0), (2, 1, 6, 1.0)]
    # away from 0 all go to 1; of the 12 changes that could, 12 of 18 do: (18 - 0) / 12
    assert model["switches"][0]["lift"] == pytest.approx(18 / 12)
    assert all(s["low"] <= s["share"] <= s["high"] for s in model["switches"])
    left = {t["topic"]: (t["leaving"], t["arriving"], t["times"]) for t in model["left_most"]}
    assert left == {
        0: (0.5, 0.0, 6),
        1: (pytest.approx(1 / 3), pytest.approx(1 / 2), 6),
        2: (1.0, 1.0, 6),
    }
    table = page.partition('id="t-switches-1"')[2].partition("</table>")[0]
    assert [re.findall(r"<(?:th|td)[^>]*>(\d+) <bdi", row) for row in table.split("<tr>")[2:]] == [
        ["0", "1"],
        ["1", "2"],
        ["2", "1"],
    ]


def test_of_several_runs_the_first_is_shown_and_other_models_keep_their_pages():
    texts = ["oil gas tax law"] * 4
    models = {
        name: planted(texts, [np.arange(4) % k] * 4)[0] for name, k in (("a#1", 2), ("a#2", 3), ("b", 1))
    }
    corpus = planted(texts, [np.zeros(4)] * 4)[1]
    scores = tl.evaluate(models, corpus, measures=["consistency"], resamples=20, chance=0)
    assert list(scores.details.documents) == ["a#1", "b"]
    section = documents(scores, [clean(row) for row in scores.frame.to_dicts()], vars(scores.details))
    assert [m["name"] for m in section["models"]] == ["a#1", "b"]
    assert section["left_out"] == 0


def test_models_beyond_the_fourth_are_said_to_be_left_out():
    texts = ["oil gas tax law"] * 4
    model, corpus, _ = planted(texts, [np.arange(4) % 2] * 4)
    scores = tl.evaluate(
        {f"m{i}": model for i in range(6)}, corpus, measures=["consistency"], resamples=20, chance=0
    )
    section = documents(scores, [clean(row) for row in scores.frame.to_dicts()], vars(scores.details))
    assert len(section["models"]) == 4
    assert section["left_out"] == 2


def test_without_intervals_the_report_says_why_no_document_is_shown(tmp_path):
    section, page = measured(tmp_path, "consistency", ci=None)
    assert section["models"] == []
    assert "No document is shown" in page
    assert 'href="#documents"' in page
    section, page = measured(tmp_path, "npmi@2", ci=None)
    assert section is None
    assert "No document is shown" not in page


def test_scores_of_tokens_are_made_of_each_group_of_documents():
    texts = ["Oil gas. Oil tax.", "Tax law. Tax law.", ""] * 4
    model, corpus, _ = planted(texts, [[0, 0, 1, 1], [1, 2, 1, 1], []] * 4)
    corpus = replace(corpus, labels=("a", ("b", "c"), "d") * 4)
    scores = tl.evaluate(model, corpus, measures=["consistency", "word_div", "npmi@2"], ci=None, by="label")
    assert [scores.value("consistency", group=g) for g in "abc"] == pytest.approx([2 / 3, 1 / 3, 1 / 3])
    assert np.isnan(scores.value("consistency", group="d"))
    rows = scores.frame.filter((scores.frame["level"] == "model") & (scores.frame["group"] != ""))
    of = {(row["measure"], row["group"]): row for row in rows.to_dicts()}
    assert of["consistency", "a"]["n_terms"] == 12
    assert of["word_div", "a"]["n_terms"] == 4  # documents
    assert of["consistency", "d"]["reason"] == "no document of this group has a term"
    alone = corpus.select([d for d in range(12) if d % 3 == 0])
    part = replace_assignments(model, corpus, alone)
    same = tl.evaluate(part, alone, measures=["word_div"], ci=None).value("word_div")
    assert scores.value("word_div", group="a") == pytest.approx(same)


def replace_assignments(model, corpus, part):
    z = np.split(np.asarray(model.assignments), corpus.offsets[1:-1])[::3]
    return tl.TopicModel(model.vocabulary, model.topic_word, assignments=np.concatenate(z))


def test_a_model_that_carries_its_documents_borrows_their_texts_and_labels(tmp_path):
    texts = ["The oil rose. GAS fell!", "A tax, a law; the tax."] * 4
    own = tl.Corpus.from_tokens([["oil", "rose", "gas", "fell"], ["tax", "law", "tax"]] * 4)
    model = tl.TopicModel(
        own.vocabulary, np.full((2, 6), 1 / 6), assignments=[0, 0, 1, 1, 1, 0, 1] * 4, corpus=own
    )
    given = tl.Corpus.from_texts(texts, ids=[f"d{i}" for i in range(8)], labels=["x", "y"] * 4)
    pages = {page["id"]: page for page in tl.read_documents(model, given).pages}
    page = pages["d0"]
    assert (page["text"], page["label"]) == (texts[0], "x")
    assert [page["text"][s:e] for s, e, _, _ in page["tokens"]] == ["oil", "rose", "GAS", "fell"]
    scores = tl.evaluate(
        model, given, measures=["consistency", "consistency(sentences='within')"], resamples=20, chance=0
    )
    assert scores.value("consistency(sentences='within')") == pytest.approx(8 / 16)  # 00, 11 | 10 01
    assert scores.frame.filter(scores.frame["level"] == "document")["document"][0] == "d0"
    (other, *_) = tl.read_documents(model, tl.Corpus.from_texts(texts[::-1])).pages
    assert other["why"] == "the corpus keeps no text"


def test_the_report_of_local_measures_holds_the_text_and_chance(tmp_path):
    texts = ["oil gas oil & gas", "tax <law> tax law"] * 5
    topics = [np.zeros(4), np.ones(4)] * 5
    model, corpus, _ = planted(texts, topics, k=2)
    tl.evaluate(model, corpus, measures=["local"], resamples=20).report(tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text("utf-8")
    assert "In the documents: neighbouring words change topic in 0 of 100 cases" in page
    assert "&lt;" in page
    assert "<law>" not in page
    assert "would reach 0.50" in page
