"""Items, their files, and word intrusion."""

import gzip
import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tealeaves as tl
from tealeaves.errors import FormatError, InputError
from tealeaves.human.intruders import Intruders, Rules, stems_of
from tealeaves.human.item_sets import Item, ItemSet
from tealeaves.human.lots import Lots

LISTS = [
    ["oil", "opec", "bpd", "crude", "gulf"],
    ["dividend", "shares", "stock", "split", "payable"],
    ["wheat", "corn", "grain", "tonnes", "crop"],
]


def planted(seed=0, k=12, v=400, name="model"):
    rng = np.random.default_rng(seed)
    phi = rng.dirichlet(np.full(v, 0.05), k)
    return tl.TopicModel([f"word{i:03d}" for i in range(v)], topic_word=phi, name=name)


@pytest.fixture(scope="module")
def reuters(data):
    """The article's model of 20 topics, and the stories that it was tested on."""
    arrays = np.load(data / "reuters" / "lda003_models.npz")
    with gzip.open(data / "reuters" / "reuters_apte.jsonl.gz", "rt", encoding="utf-8") as lines:
        texts = {row["id"]: row["text"] for row in map(json.loads, lines)}
    words, ids = arrays["vocab"].tolist(), arrays["test_ids"].tolist()
    corpus = tl.Corpus.from_texts([texts[i] for i in ids], ids=ids, vocabulary=words)
    model = tl.TopicModel(words, arrays["components_k20"], doc_topic=arrays["theta_k20"], name="lda-20")
    return model, corpus


# Values from outside


def test_the_article_s_item_is_made_of_the_article_s_model(reuters):
    model, corpus = reuters
    item = next(i for i in tl.human.items("word_intrusion", model, corpus=corpus, seed=18) if i.topic == 0)
    assert set(item.options) == {"oil", "opec", "bpd", "crude", "gulf", "dividend"}
    assert item.key == "dividend"
    assert item.hidden["intruder_topic"] == 16
    assert item.hidden["intruder_rank_there"] <= 10
    assert item.hidden["intruder_rank_here"] > len(model.vocabulary) / 2
    assert item.hidden["intruder_documents"] == corpus.document_frequency()[corpus.index["dividend"]]


def test_the_words_nobody_could_tell_from_the_oil_topic_never_intrude(reuters):
    model, corpus = reuters
    found = Intruders(model, Rules(), corpus).candidates(0, model.top_words(5)[0])
    assert "dividend" in found
    assert not {"barrels", "petroleum", "oils", "price", "prices"} & set(
        found
    )  # its first 50, and their stems


def test_the_same_items_are_drawn_by_every_version():
    made = tl.human.items("word_intrusion", tl.TopicModel.from_words(LISTS, name="lda"), seed=1)
    assert [(i.topic, i.key) for i in made] == [(0, "shares"), (2, "oil"), (1, "wheat")]


# The rules


@st.composite
def models(draw):
    seed, k, v = draw(st.integers(0, 2**32)), draw(st.integers(1, 6)), draw(st.integers(2, 90))
    rng = np.random.default_rng(seed)
    kind = draw(st.sampled_from(["dense", "sparse", "counts", "signed"]))
    weights = {
        "dense": lambda: rng.dirichlet(np.full(v, 0.3), k),
        "sparse": lambda: rng.random((k, v)) * (rng.random((k, v)) < 0.3),
        "counts": lambda: rng.integers(0, 4, (k, v)),  # most words weigh the same as others
        "signed": lambda: rng.normal(size=(k, v)),
    }[kind]()
    stems = draw(st.sampled_from(["{}x", "walk{}", "topic_{}"]))
    endings = ["", "s", "ing", "ed"]
    words = [stems.format(chr(97 + i // 4 % 26) + chr(97 + i // 104)) + endings[i % 4] for i in range(v)]
    return tl.TopicModel(words, topic_word=weights)


@settings(max_examples=60)
@given(models(), st.integers(1, 12), st.integers(1, 10), st.booleans(), st.integers(0, 99))
def test_every_intruder_obeys_every_rule_and_topics_without_one_are_told(model, outside, within, count, seed):
    rng = np.random.default_rng(seed)
    documents = [rng.choice(model.vocabulary, rng.integers(1, 9)).tolist() for _ in range(30)]
    corpus = tl.Corpus.from_tokens(documents) if count else None
    frequency = Counter(word for document in documents for word in set(document))
    made = tl.human.items(
        "word_intrusion", model, corpus=corpus, seed=seed, n_words=3, outside=outside, within=within
    )
    assert {i.topic for i in made} | {k for _, k, _ in made.without} == set(range(model.n_topics))
    assert len(made) + len(made.without) == model.n_topics
    assert all(why for _, _, why in made.without)
    for item in made:
        shown, weights = model.top_words(3)[item.topic], model.topic_word[item.topic]
        assert set(item.options) == {*shown, item.key}
        assert item.key not in shown
        assert len(item.options) == 4
        weight = weights[model.vocabulary.index(item.key)]
        above, alike = (weights > weight).sum(), (weights == weight).sum()
        assert above + (alike - 1) / 2 >= len(weights) / 2
        first = model.top_words(outside)[item.topic]
        assert item.key not in first
        others = [k for k, top in enumerate(model.top_words(within)) if item.key in top and k != item.topic]
        assert item.hidden["intruder_topic"] in others
        assert not any(stems_of(item.key, "english") & stems_of(word, "english") for word in [*first, *shown])
        if count:
            low, high = min(x for w in shown if (x := frequency[w])), max(frequency[w] for w in shown)
            assert low / 2 <= frequency[item.key] <= high * 2


@pytest.mark.parametrize(
    ("lists", "reason"),
    [
        ([LISTS[0], LISTS[1][:2]], "5 words are to be shown, but the topic has 2"),
        ([LISTS[0]], "no intruder, since no word is in another topic's first 10"),
        ([LISTS[0], LISTS[0][::-1]], "no intruder, since none of the 5 candidates is outside the topic's"),
        (
            [LISTS[0], ["oils", "gulfs", "OPEC"]],
            "no intruder, since none of the 3 candidates is without a stem of the words shown",
        ),
    ],
)
def test_a_topic_without_a_valid_item_is_reported_with_the_rule_that_left_none(lists, reason):
    made = tl.human.items("word_intrusion", tl.TopicModel.from_words(lists, name="lda"))
    assert any(model == "lda" and reason in why for model, _, why in made.without)


def test_words_that_are_too_rare_or_too_common_do_not_intrude():
    corpus = tl.Corpus.from_tokens([LISTS[0]] * 10 + [["wheat"]] * 4 + [["corn"]] * 21 + [["crop"]] * 5)
    model = tl.TopicModel.from_words([LISTS[0], LISTS[2]])
    assert Intruders(model, Rules(), corpus).candidates(0, LISTS[0]) == ["crop"]
    assert "10 to" not in Intruders(model, Rules(df_factor=4), corpus).candidates(0, LISTS[0])
    assert set(Intruders(model, Rules(df_factor=4), corpus).candidates(0, LISTS[0])) == {
        "wheat",
        "corn",
        "crop",
    }


def test_a_corpus_without_the_words_shown_matches_nothing():
    corpus = tl.Corpus.from_tokens([["wheat"]])
    made = tl.human.items("word_intrusion", tl.TopicModel.from_words(LISTS), corpus=corpus)
    assert "the corpus has none of the words shown" in made.without[0][2]


def test_what_the_rules_could_not_be_held_to_stands_in_the_notes():
    weighted, listed = planted(), tl.TopicModel.from_words(LISTS, name="lists")
    corpus = tl.Corpus.from_tokens([["oil"], ["tax"]])
    assert not [n for n in tl.human.items("word_intrusion", weighted, corpus=corpus).notes if "half" in n]
    notes = "\n".join(tl.human.items("word_intrusion", [weighted, listed]).notes)
    assert "lists is lists of words alone" in notes
    assert "model: no corpus" in notes


def test_the_corpus_that_a_model_carries_is_counted_without_being_asked():
    corpus = tl.Corpus.from_tokens([[f"word{i:03d}" for i in range(400)]] * 3)
    model = tl.TopicModel(corpus.vocabulary, topic_word=planted().topic_word, corpus=corpus)
    assert tl.human.items("word_intrusion", model)[0].hidden["intruder_documents"] == 3


def test_a_word_that_is_not_wanted_does_not_intrude_and_other_items_stay_as_they_are():
    model = planted()
    before = tl.human.items("word_intrusion", model, seed=1)
    after = tl.human.items("word_intrusion", model, seed=1, never=[before[0].key])
    assert all(item.key != before[0].key for item in after)
    changed = [i for i, (a, b) in enumerate(zip(before, after, strict=True)) if a.options != b.options]
    assert 0 in changed
    for i in changed[1:]:  # only what would have the word that another item has in its place
        assert before[i].key in [item.key for item in after[:i]]
    with pytest.raises(InputError, match="never is a list of words"):
        tl.human.items("word_intrusion", model, never="oil")


# Draws


def test_items_do_not_depend_on_how_many_are_asked_for_nor_on_other_models():
    one, other = planted(0, name="a"), planted(1, name="b")
    both = tl.human.items("word_intrusion", [one, other], seed=5)
    assert tuple(tl.human.items("word_intrusion", [one, other], seed=5, n=7)) == both[:7]
    alone = {(i.topic, i.options) for i in tl.human.items("word_intrusion", one, seed=5)}
    assert alone == {(i.topic, i.options) for i in both if i.model == "a"}


def test_no_two_items_have_one_intruder_while_there_are_others(reuters):
    model, corpus = reuters
    two = {"a": model, "b": model}
    for task in ("word_intrusion", "word_set_intrusion"):
        made = tl.human.items(task, two, corpus=corpus)
        words = Counter(mark for item in made for mark in item.hidden["once"] if mark.startswith("intruder"))
        assert len(made) >= 38
        assert task == "word_set_intrusion" or max(words.values()) == 1  # four words of an item are many
    made = tl.human.items("topic_intrusion", model, corpus=corpus, n=20)
    assert max(Counter(item.hidden["intruder_topic"] for item in made).values()) <= 2


def test_models_are_mixed_and_of_any_first_items_have_their_share():
    made = tl.human.items("word_intrusion", {"x": planted(0), "y": planted(1), "z": planted(2)}, n=20)
    for n in range(1, 21):
        counts = Counter(item.model for item in made[:n])
        assert max(counts.values()) - min(counts[name] for name in "xyz") <= 1
    assert [i.id for i in made[:2]] == ["i0001", "i0002"]


def test_another_seed_gives_other_items_and_every_place_of_the_key_is_as_likely():
    model = planted(k=60)
    first, second = (tl.human.items("word_intrusion", model, seed=seed) for seed in (1, 2))
    assert first.digest != second.digest
    assert {(i.topic, i.key) for i in first} != {(i.topic, i.key) for i in second}
    places = Counter(
        i.options.index(i.key) for s in range(10) for i in tl.human.items("word_intrusion", model, seed=s)
    )
    n = sum(places.values())
    assert n > 500
    assert all(abs(places[p] - n / 6) < 4 * np.sqrt(n * 5 / 36) for p in range(6))


@given(st.integers(1, 40), st.integers(0, 1000))
def test_numbers_drawn_one_by_one_are_each_drawn_once(n, seed):
    assert sorted(Lots(seed).numbers(n)) == list(range(n))


def test_two_models_of_one_name_are_told_apart():
    made = tl.human.items("word_intrusion", [planted(0), planted(1)])
    assert {i.model for i in made} == {"model", "model-2"}


def test_a_model_may_be_a_path(tmp_path):
    planted(name="lda").save(tmp_path / "lda")
    assert tl.human.items("word_intrusion", str(tmp_path / "lda")) == tl.human.items(
        "word_intrusion", planted(name="lda")
    )


# Item sets


def test_a_saved_set_comes_back_with_everything(tmp_path):
    made = tl.human.items(
        "word_intrusion", tl.TopicModel.from_words([*LISTS, ["ölig", "x"]]), checks=2, practice=1
    )
    made.save(tmp_path / "items.jsonl")
    again = ItemSet.load(tmp_path / "items.jsonl")
    assert tuple(again) == tuple(made)
    assert again == made
    assert (again.notes, again.without, again.settings, again.version) == (
        made.notes,
        made.without,
        made.settings,
        tl.__version__,
    )
    assert made.without
    assert made.settings["models"][0]["topics"] == 4


def test_the_digest_tells_a_changed_key_from_the_one_that_was_drawn(tmp_path):
    path = tmp_path / "items.jsonl"
    made = tl.human.items("word_intrusion", tl.TopicModel.from_words(LISTS), seed=1)
    made.save(path)
    key = f'"key": "{made[0].key}"'
    other = next(word for word in made[0].options if word != made[0].key)
    path.write_text(path.read_text("utf-8").replace(key, f'"key": "{other}"'), "utf-8")
    with pytest.raises(FormatError, match="was changed since it was written"):
        ItemSet.load(path)


def test_the_digest_does_not_depend_on_the_release():
    item = Item("i0001", "word_intrusion", "lda", 0, options=("oil", "tax"), key="tax")
    assert ItemSet("word_intrusion", [item]).digest == ItemSet("word_intrusion", [item], version="9").digest
    assert ItemSet("word_intrusion", [item]) != ItemSet("word_intrusion", [item], notes=["a"])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is no file of items"),
        ("[1]\n", "is no file of items"),
        ('{"format": "tealeaves items", "version": 9}\n', "is no file of items .* version 9"),
        ('{"format": "tealeaves items", "version": 1}\n', "the first line is not whole"),
        ('{"format": "tealeaves items", "version": 1}\n{"id": 1}\n', ":2: is no item"),
        ("\xff\xfe", "is no file of items"),
    ],
)
def test_a_file_that_is_no_set_of_items_is_refused(tmp_path, text, reason):
    (tmp_path / "x.jsonl").write_bytes(text.encode("latin-1"))
    with pytest.raises(FormatError, match=reason):
        ItemSet.load(tmp_path / "x.jsonl")


def test_a_file_that_was_cut_off_is_refused(tmp_path):
    path = tmp_path / "items.jsonl"
    tl.human.items("word_intrusion", planted()).save(path)
    path.write_text("\n".join(path.read_text("utf-8").splitlines()[:5]), "utf-8")
    with pytest.raises(FormatError, match="12 items were written, but 4 are there"):
        ItemSet.load(path)


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ({"task": "guessing"}, "there is no task 'guessing'"),
        ({"role": "boss"}, "role must be one of"),
        ({"options": ("a", "a")}, "not all different"),
        ({"options": ("a", "b"), "key": "c"}, "none of its options"),
        ({"hidden": {"x": float("nan")}}, "made of JSON"),
        ({"shown": {"x": object()}}, "made of JSON"),
    ],
)
def test_an_item_that_cannot_be_shown_is_refused(parts, reason):
    with pytest.raises(InputError, match=reason):
        Item(**{"id": "i1", "task": "word_intrusion", "model": "lda", "topic": 0, **parts})


def test_a_set_holds_items_of_its_task_and_each_id_once():
    item = Item("i1", "word_intrusion", "lda", 0)
    with pytest.raises(InputError, match="twice there are i1"):
        ItemSet("word_intrusion", [item, item])
    with pytest.raises(InputError, match="some are of word_intrusion"):
        ItemSet("word_set_rating", [item])


def test_an_item_keeps_its_own_copy_of_what_it_was_made_of():
    shown = {"words": ["oil"]}
    item = Item("i1", "word_set_rating", "lda", 0, shown=shown)
    shown["words"].append("gas")
    assert item.shown == {"words": ["oil"]}


# Mistakes


@pytest.mark.parametrize(
    ("task", "given", "reason"),
    [
        ("guessing", {}, "there is no task 'guessing'; there are word_intrusion"),
        ("word_intrusion", {"words": 3}, "has no option words; it has n_words, outside"),
        ("word_intrusion", {"n": 0}, "n is the number of items, at least 1; got 0"),
        ("word_intrusion", {"n_words": 0}, "n_words is a number, at least 1; got 0"),
        ("word_intrusion", {"checks": -1}, "checks is a number of items"),
        ("word_intrusion", {"outside": 0}, "outside and within are numbers of words"),
        ("word_intrusion", {"df_factor": 0.5}, "df_factor must be at least 1"),
        ("word_intrusion", {"stemmer": "klingon"}, "no Snowball stemmer for 'klingon'"),
        ("word_intrusion", {"controls": 1}, "has no controls"),
        ("word_intrusion", {"checks": 99}, "99 checks and practice items need as many obvious subjects"),
        ("temporal_rating", {}, "needs topics over time"),
        ("topic_intrusion", {}, "hand over corpus="),
        ("topic_intrusion", {"corpus": tl.Corpus.from_tokens([["a"]])}, "the corpus keeps no texts"),
        ("reference_topic_curation", {"practice": 1}, "has no checks and no practice items"),
    ],
)
def test_a_mistake_is_told_with_what_to_do(task, given, reason):
    with pytest.raises(InputError, match=reason):
        tl.human.items(task, tl.TopicModel.from_words(LISTS), **given)


def test_no_model_is_a_mistake_of_its_own():
    with pytest.raises(InputError, match="at least one model"):
        tl.human.items("word_intrusion", [])


def test_fewer_items_than_asked_for_are_noted():
    made = tl.human.items("word_intrusion", tl.TopicModel.from_words(LISTS), n=9)
    assert len(made) == 3
    assert "9 items were asked for, but only 3 can be made" in made.notes
