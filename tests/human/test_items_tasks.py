"""Items of every task but word intrusion."""

import gzip
import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tealeaves as tl
from tealeaves.errors import InputError, MissingInput
from tealeaves.human import snippets
from tealeaves.human.intruders import stems_of
from tealeaves.human.item_sets import TASKS, ItemSet
from tealeaves.human.tasks.temporal import places

VOCABULARY = [f"word{i:03d}" for i in range(300)]


def planted(seed=0, k=8, d=60, length=30, name="lda"):
    """A model with all its parts, and the texts it was trained on."""
    rng = np.random.default_rng(seed)
    phi = rng.dirichlet(np.full(len(VOCABULARY), 0.05), k)
    theta = rng.dirichlet(np.full(k, 0.3), d)
    topics = [rng.choice(k, length, p=row) for row in theta]
    words = [[VOCABULARY[rng.choice(len(VOCABULARY), p=phi[z])] for z in row] for row in topics]
    texts = [f"Title {i}\n\n" + " ".join(row) for i, row in enumerate(words)]
    corpus = tl.Corpus.from_texts(texts, tl.Preprocess(pattern=r"word\d+"), vocabulary=VOCABULARY)
    model = tl.TopicModel(
        VOCABULARY, topic_word=phi, doc_topic=theta, assignments=np.concatenate(topics), name=name
    )
    return model, corpus


@pytest.fixture(scope="module")
def dlda(data):
    """Topics over time of NeurIPS abstracts, 30 words each, by Blei's program."""
    with gzip.open(data / "dynamic_models" / "neurips_dlda_k10.json.gz", "rt", encoding="utf-8") as file:
        saved = json.load(file)
    lists = [
        [[word for word, _ in topic[t]] for topic in saved["top_words"]] for t in range(len(saved["times"]))
    ]
    return tl.DynamicTopicModel(word_lists=lists, slice_labels=saved["times"], name="dlda")


# Topic intrusion


@settings(max_examples=25)
@given(st.integers(0, 2**32), st.integers(4, 9), st.floats(0.0, 0.2), st.integers(0, 3))
def test_three_prominent_topics_of_a_document_are_shown_and_one_of_its_lower_half(seed, k, share, shared):
    model, corpus = planted(seed, k, d=25)
    made = tl.human.items(
        "topic_intrusion", model, corpus=corpus, n=25, seed=seed, min_share=share, max_shared=shared
    )
    tops = [", ".join(words) for words in model.top_words(8)]
    for item in made:
        d = item.hidden["document_number"]
        theta = model.doc_topic[d]
        order = np.argsort(-theta, kind="stable")
        assert item.shown["title"] == f"Title {d}"
        shown = {tops[topic] for topic in order[:3]}
        assert set(item.options) == {*shown, item.key}
        intruder = tops.index(item.key)
        assert item.hidden["intruder_topic"] == intruder
        assert (theta > theta[intruder]).sum() >= len(theta) // 2
        assert theta[order[2]] >= share
        words = [set(top) for top in model.top_words(8)]
        assert all(len(words[intruder] & words[topic]) <= shared for topic in order[:3])
        assert item.hidden["theta"] == pytest.approx([theta[tops.index(option)] for option in item.options])
    assert len({item.hidden["document_number"] for item in made}) == len(made)


def test_documents_without_an_item_are_counted_in_the_notes():
    model, corpus = planted()
    made = tl.human.items("topic_intrusion", model, corpus=corpus, n=60, min_share=0.3)
    passed = [note for note in made.notes if "fewer than 3 topics have a share of 0.3 passed over" in note]
    assert passed
    assert passed[0].startswith(f"lda: {60 - len(made)} documents")


def test_topic_intrusion_of_other_documents_is_refused():
    model, corpus = planted()
    with pytest.raises(InputError, match="60 rows, but the corpus has 59 documents"):
        tl.human.items("topic_intrusion", model, corpus=corpus.select(range(59)))


def test_topic_intrusion_without_topics_of_documents_says_how_to_get_them():
    model, corpus = planted()
    with pytest.raises(MissingInput, match=r"tealeaves.infer\(model, corpus\) gives them"):
        tl.human.items("topic_intrusion", tl.TopicModel(VOCABULARY, model.topic_word), corpus=corpus)


# Topic-word matching


@settings(max_examples=20)
@given(st.integers(0, 2**32), st.integers(5, 9))
def test_the_assigned_topic_stands_beside_the_documents_three_most_probable_others_and_one_more(seed, k):
    model, corpus = planted(seed, k, d=20)
    tops = [", ".join(words) for words in model.top_words(10)]
    made = tl.human.items("topic_word_matching", model, corpus=corpus, n=30, seed=seed)
    assert len(made) == 30
    for item in made:
        d, token = item.hidden["document_number"], item.hidden["token"]
        z = int(model.assignments[corpus.offsets[d] + token])
        assert (item.topic, item.key) == (z, tops[z])
        others = [topic for topic in np.argsort(-model.doc_topic[d], kind="stable").tolist() if topic != z]
        assert {tops[z], *(tops[topic] for topic in others[:3])} < set(item.options)
        assert item.hidden["random_topic"] in others[3:]
        assert len(item.options) == len(set(item.options)) == 5
        assert item.shown["word"] == corpus.vocabulary[corpus.document(d)[token]]
        assert item.shown["before"].replace("… ", "") in corpus.texts[d].replace("\n\n", " ")
    assert len({(i.hidden["document_number"], i.hidden["token"]) for i in made}) == len(made)


def test_tokens_are_drawn_alike_from_all_the_corpus():
    model, corpus = planted(d=10, length=20)
    made = tl.human.items("topic_word_matching", model, corpus=corpus, n=200)
    assert Counter(i.hidden["document_number"] for i in made) == dict.fromkeys(range(10), 20)


def test_a_corpus_without_texts_shows_the_words_around():
    model, corpus = planted()
    bare = tl.Corpus.from_tokens([[VOCABULARY[i] for i in corpus.document(d)] for d in range(60)])
    item = tl.human.items("topic_word_matching", model, corpus=bare, n=1, letters=20)[0]
    assert item.shown["before"].endswith(" ") or not item.shown["before"]
    assert len(item.shown["before"]) <= 22


def test_a_model_of_four_topics_has_no_fifth_to_show():
    model, corpus = planted(k=4)
    with pytest.raises(InputError, match="has 4 topics; 5 are shown"):
        tl.human.items("topic_word_matching", model, corpus=corpus)


def test_topics_of_tokens_can_be_inferred():
    model, corpus = planted()
    bare = tl.TopicModel(VOCABULARY, model.topic_word, alpha=0.3)
    with pytest.raises(MissingInput, match="assign='map'"):
        tl.human.items("topic_word_matching", bare, corpus=corpus)
    assert len(tl.human.items("topic_word_matching", bare, corpus=corpus, n=5, assign="map")) == 5


# Word-set intrusion and rating


@settings(max_examples=25)
@given(st.integers(0, 2**32), st.integers(2, 8))
def test_three_sets_of_a_topics_first_twenty_words_and_one_set_that_is_of_another(seed, k):
    model, _ = planted(seed, k, d=2)
    made = tl.human.items("word_set_intrusion", model, seed=seed)
    assert len(made) + len(made.without) == k
    for item in made:
        first, weights = model.top_words(20), model.topic_word[item.topic]
        own = [option.split() for option in item.options if option != item.key]
        assert len({word for words in own for word in words}) == 12
        assert {word for words in own for word in words} <= set(first[item.topic])
        foreign = item.key.split()
        assert len(set(foreign)) == 4
        assert set(foreign) <= set(first[item.hidden["intruder_topic"]])
        for word in foreign:
            assert word not in model.top_words(50)[item.topic]
            assert (weights > weights[VOCABULARY.index(word)]).sum() >= len(weights) / 2


def test_a_rated_set_is_the_topics_first_ten_words_and_a_shorter_list_is_no_item():
    model = tl.TopicModel.from_words([list("abcdefghijkl"), list("abc")])
    made = tl.human.items("word_set_rating", model)
    assert made[0].shown == {"words": list("abcdefghij")}
    assert made.without == (("model", 1, "10 words are to be shown, but the topic has 3"),)


# Over time


def test_five_slices_are_as_evenly_spaced_as_they_can_be():
    def model(t):
        return tl.DynamicTopicModel.from_words([[["a"]]] * t)

    assert places(model(33), 5, None) == [0, 8, 16, 24, 32]
    assert places(model(5), 5, None) == [0, 1, 2, 3, 4]
    for t in range(5, 60):
        gaps = np.diff(places(model(t), 5, None))
        assert gaps.max() - gaps.min() <= 1
    assert places(model(9), 5, [3, "1"]) == [3, 1]


def test_in_one_slice_one_word_is_of_another_topic(dlda):
    made = tl.human.items("temporal_word_intrusion", dlda, seed=3)
    assert len(made) == 10
    labels = ["1987", "1995", "2003", "2011", "2019"]
    for item in made:
        assert [part["label"] for part in item.shown["slices"]] == labels
        assert set(item.options) == {word for part in item.shown["slices"] for word in part["words"]}
        changed = []
        for part in item.shown["slices"]:
            t = dlda.slice_labels.index(part["label"])
            before = dlda.top_words(8)[t][item.topic]
            changed += [(part["label"], a, b) for a, b in zip(before, part["words"], strict=True) if a != b]
        assert changed == [(item.hidden["slice"], item.hidden["replaced"], item.key)]
        every = {word for slice_ in dlda.top_words(30) for word in slice_[item.topic]}
        assert not any(stems_of(item.key, "english") & stems_of(word, "english") for word in every)
        t = dlda.slice_labels.index(item.hidden["slice"])
        assert item.key in dlda.top_words(10)[t][item.hidden["intruder_topic"]]


@settings(max_examples=20)
@given(st.integers(0, 2**32), st.integers(2, 5), st.integers(2, 8), st.booleans())
def test_an_intruder_over_time_obeys_the_rules_in_its_slice_and_is_near_the_topic_in_none(seed, k, t, gaps):
    rng = np.random.default_rng(seed)
    weights = rng.dirichlet(np.full(120, 0.2), (t, k))
    if gaps:
        weights[rng.integers(t), rng.integers(k)] = 0
    model = tl.DynamicTopicModel([f"w{i}" for i in range(120)], weights, axes="time topic word")
    made = tl.human.items("temporal_word_intrusion", model, seed=seed, n_slices=2, n_words=6, outside=20)
    assert len(made) + len(made.without) == k
    for item in made:
        at = model.slice_labels.index(item.hidden["slice"])
        row = model.topic_word[at, item.topic]
        word = model.vocabulary.index(item.key)
        middle = (row > row[word]).sum() + ((row == row[word]).sum() - 1) / 2
        assert middle >= 60
        assert all(item.key not in slice_[item.topic] for slice_ in model.top_words(20))
        assert any(item.key in top for j, top in enumerate(model.top_words(10)[at]) if j != item.topic)


def test_intruders_that_stand_out_by_standing_alone_are_noted():
    still = tl.DynamicTopicModel.from_words([[list("abcdefgh"), list("ijklmnop")]] * 5)
    assert any("the only word that stands in a single slice" in n for n in items_over_time(still).notes)


def items_over_time(model):
    return tl.human.items("temporal_word_intrusion", model, stemmer=None)


def test_a_gap_in_a_slice_that_would_be_shown_is_no_item():
    lists = [[list("abcdefghij")], [[]], [list("abcdefghij")]]
    model = tl.DynamicTopicModel(word_lists=lists, slice_labels=[1990, 1991, 1992], name="gappy")
    made = tl.human.items("temporal_rating", model, n_slices=3)
    assert made.without == (("gappy", 0, "10 words are to be shown, but in slice 1991 it has 0"),)
    assert len(tl.human.items("temporal_rating", model, n_slices=2)) == 1


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({}, "5 slices are to be shown, but model 'model' has 3"),
        ({"slices": [7]}, "has no slice 7; it has 0, 1, 2"),
    ],
)
def test_slices_that_there_are_not_are_told(options, reason):
    model = tl.DynamicTopicModel.from_words([[list("abcdefghij")]] * 3)
    with pytest.raises(InputError, match=reason):
        tl.human.items("temporal_rating", model, **options)


# Pairs, labels, curation


def test_pairs_show_fifteen_words_and_the_texts_of_fifteen_documents_on_either_side():
    (a, corpus), (b, _) = planted(0), planted(1, name="other")
    made = tl.human.items("topic_pair_matching", [a, b], corpus=corpus, n=40, seed=2)
    pairs = tl.Matcher.sample([a, b], n=40, seed=2)
    turned = 0
    for item, pair in zip(made, pairs, strict=True):
        told = {(item.hidden[side]["model"], item.hidden[side]["topic"]) for side in ("first", "second")}
        assert told == {(pair.first.model, pair.first.topic), (pair.second.model, pair.second.topic)}
        turned += (item.hidden["first"]["model"], item.hidden["first"]["topic"]) != (
            pair.first.model,
            pair.first.topic,
        )
        for side in ("first", "second"):
            shown, hidden = item.shown[side], item.hidden[side]
            model = {"lda": a, "other": b}[hidden["model"]]
            assert shown["words"] == model.top_words(15)[hidden["topic"]]
            best = np.argsort(-model.doc_topic[:, hidden["topic"]], kind="stable")[:15].tolist()
            assert [d["title"] for d in shown["documents"]] == [f"Title {d}" for d in best]
            assert shown["documents"][0]["text"] == corpus.texts[best[0]].partition("\n\n")[2]
        assert item.hidden["cosine_distance"] == pair.cosine_distance
    assert 5 < turned < 35


def test_pairs_of_a_file_are_shown_in_its_order_without_any_model(tmp_path):
    model, corpus = planted()
    tl.Matcher.sample([model], n=10, seed=1).save(tmp_path / "pairs.json")
    pairs = type(tl.Matcher.sample([model], n=1)).load(tmp_path / "pairs.json")
    made = tl.human.items("topic_pair_matching", pairs=pairs, corpus=corpus)
    assert [item.hidden["pair"] for item in made] == list(range(10))
    assert not made.notes
    bare = tl.human.items("topic_pair_matching", pairs=pairs)
    assert bare.notes == ("20 of 20 topics are shown by their words alone: no texts of their documents",)


def test_pairs_with_reference_topics_show_them_on_either_side():
    model, _ = planted()
    known = tl.ReferenceTopics.from_words({"a": model.top_words(20)[0], "b": model.top_words(20)[1]})
    made = tl.human.items("topic_pair_matching", model, reference_topics=known, n=30)
    sides = Counter(
        side for i in made for side in ("first", "second") if i.hidden[side]["model"] == "reference"
    )
    assert min(sides.values()) > 0
    assert all("label" not in i.shown["first"] for i in made)


def test_a_topic_to_label_shows_the_documents_with_its_greatest_share():
    model, corpus = planted()
    item = next(i for i in tl.human.items("topic_labelling", model, corpus=corpus) if i.topic == 2)
    best = np.argsort(-model.doc_topic[:, 2], kind="stable")[:5].tolist()
    assert [d["title"] for d in item.shown["documents"]] == [f"Title {d}" for d in best]
    bare = tl.human.items("topic_labelling", tl.TopicModel(VOCABULARY, model.topic_word))[0]
    assert bare.shown["documents"] == []
    assert bare.hidden["no_documents"] == "the model has no topics of documents (doc_topic)"


def test_a_topic_to_curate_has_weights_and_names_of_documents():
    model, corpus = planted()
    made = tl.human.items("reference_topic_curation", model, corpus=corpus, n_words=5, n_documents=2)
    item = next(i for i in made if i.topic == 0)
    row = model.probabilities()[0]
    assert item.shown["words"] == model.top_words(5)[0]
    assert item.shown["weights"] == pytest.approx(np.sort(row)[::-1][:5])
    assert [d["id"] for d in item.shown["documents"]] == [
        str(d) for d in np.argsort(-model.doc_topic[:, 0])[:2]
    ]
    lists = tl.human.items("reference_topic_curation", tl.TopicModel.from_words([["oil"]]))
    assert lists[0].shown == {"words": ["oil"], "weights": None, "documents": []}


# All of them


def all_tasks():
    model, corpus = planted()
    dynamic = tl.DynamicTopicModel(
        VOCABULARY, np.random.default_rng(1).dirichlet(np.full(300, 0.1), (6, 4)), axes="time topic word"
    )
    for task in TASKS:
        yield task, dynamic if task.startswith("temporal") else model, None if "temporal" in task else corpus


@pytest.mark.parametrize(
    ("task", "model", "corpus"), list(all_tasks()), ids=lambda x: x if isinstance(x, str) else ""
)
def test_of_every_task_the_same_inputs_give_the_same_file_and_nothing_shown_tells_the_answer(
    task, model, corpus, tmp_path
):
    first, again = (tl.human.items(task, model, corpus=corpus, n=4, seed=9) for _ in range(2))
    other = tl.human.items(task, model, corpus=corpus, n=4, seed=10)
    first.save(tmp_path / "a.jsonl")
    again.save(tmp_path / "b.jsonl")
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
    assert ItemSet.load(tmp_path / "a.jsonl") == first != other
    assert len(first) == 4
    told = {"key", "role", "model", "topic", "intruder", "correct"}
    for item in first:
        assert not told & set(item.shown)
        assert model.name not in json.dumps(item.shown)
        assert all(mark for mark in item.hidden["once"])


# Texts


@given(st.text(alphabet="ab c\n.", max_size=60), st.integers(1, 30))
def test_an_opening_is_the_beginning_of_the_text_and_hardly_longer_than_asked_for(text, letters):
    found = snippets.opening(text, letters)
    whole = snippets.opening(text)
    assert whole.startswith(found.removesuffix(" …"))
    assert len(found) <= letters + 2
    assert " ".join(whole.split()) == " ".join(text.split())


@given(st.text(alphabet="ab ü\n", max_size=60), st.integers(0, 60), st.integers(1, 9), st.integers(1, 20))
def test_the_surroundings_of_a_word_are_those_of_the_text(text, start, length, letters):
    text = text + "word" * 3
    start = min(start, len(text) - 1)
    found = snippets.around(text, start, start + length, letters)
    joined = found["before"].removeprefix("… ") + found["word"] + found["after"].removesuffix(" …")
    assert " ".join(joined.split()) in " ".join(text.split())


def test_a_title_that_says_what_the_text_says_stands_once():
    assert snippets.document("OIL RISES\n  OIL  RISES\n") == {"title": "", "text": "OIL RISES"}
    assert snippets.document("One line only") == {"title": "", "text": "One line only"}
    assert snippets.document("x" * 121 + "\n\nmore")["title"] == ""


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("OPEC MEETS\n  Ministers met.", "OPEC MEETS"),
        ("Opec meets\n\nMinisters met.", "Opec meets"),
        ("This line was broken\nby a program.", ""),
        ("I agree.\n\nBut why?", ""),
        ("In article 5 he writes:\n\n> Why?", ""),
    ],
)
def test_a_line_that_stands_apart_is_a_title_and_half_a_sentence_is_none(text, title):
    assert snippets.document(text)["title"] == title


def test_a_snippet_has_one_ellipsis_where_it_is_cut_and_none_where_the_text_begins_or_ends():
    text = "So he said … and … … then the crude oil price fell … again and … more of it"
    start = text.index("crude")
    assert snippets.around(text, start, start + 5, 12) == {
        "before": "… then the ", "word": "crude", "after": " oil price …",
    }  # fmt: skip
    assert snippets.around(text, start, start + 5, 21)["after"] == " oil price fell …"
    assert snippets.around(text, start, start + 5, 99)["before"] == "So he said … and … then the "
    assert snippets.opening("It rose ... and fell", 12) == "It rose …"
