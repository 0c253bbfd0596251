"""The log of a curator: what it comes to, what it refuses, and the files that come out of it."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tealeaves as tl
from tealeaves.errors import FormatError, InputError
from tealeaves.human.curation import Curation, Refused, judgements
from tealeaves.human.item_sets import Item, ItemSet


def item(number, words, documents=(), model="lda"):
    shown = {
        "words": list(words),
        "weights": [1 / (rank + 2) for rank in range(len(words))],
        "documents": [{"id": d, "weight": 0.5, "title": "", "text": f"about {d}"} for d in documents],
    }
    return Item(f"i{number:04d}", "reference_topic_curation", model, number - 1, shown=shown)


ITEMS = [
    item(1, ["oil", "gas", "opec", "said"], ["0", "1"]),
    item(2, ["wheat", "corn", "crop", "said"], ["1", "2"]),
    item(3, ["oil", "crude", "bpd"], ["0", "3"]),
]
TEXTS = ["oil oil opec gas", "oil wheat corn said", "wheat corn crop crop", "crude oil bpd said"]
MAKE = {
    "do": "make",
    "topic": "r1",
    "item": "i0001",
    "label": "energy",
    "words": ["oil", "gas"],
    "documents": ["0"],
}
GRAIN = {
    "do": "make",
    "topic": "r2",
    "item": "i0002",
    "label": "grain",
    "words": ["wheat"],
    "documents": ["2"],
}


@pytest.fixture(scope="module")
def corpus():
    return tl.Corpus.from_texts(TEXTS, ids=["0", "1", "2", "3"])


# Every possible step, most of which are not possible where they stand: those are passed over.
ids, numbers = st.sampled_from(["r1", "r2", "r3"]), st.sampled_from(["i0001", "i0002", "i0003"])
words = st.sampled_from([word for one in ITEMS for word in one.shown["words"]])
documents = st.sampled_from(["0", "1", "2", "3"])
labels = st.sampled_from(["", "energy", "Energy", "grain", "=1+1"])
steps = st.one_of(
    st.fixed_dictionaries({"do": st.just("make"), "topic": ids, "item": numbers, "label": labels}),
    st.fixed_dictionaries(
        {
            "do": st.just("tick"),
            "topic": ids,
            "words": st.dictionaries(words, st.booleans(), max_size=2),
            "documents": st.dictionaries(documents, st.booleans(), max_size=2),
        }
    ),
    st.fixed_dictionaries({"do": st.just("name"), "topic": ids, "label": labels}),
    st.fixed_dictionaries(
        {"do": st.just("prefer"), "topic": ids, "preference": st.sampled_from(["words", "documents", ""])}
    ),
    st.fixed_dictionaries({"do": st.just("categorise"), "topic": ids, "value": labels}),
    st.fixed_dictionaries({"do": st.sampled_from(["join", "leave"]), "topic": ids, "item": numbers}),
    st.fixed_dictionaries({"do": st.just("merge"), "topic": ids, "into": ids}),
    st.fixed_dictionaries(
        {"do": st.just("split"), "topic": ids, "new": ids, "words": st.lists(words, max_size=2)}
    ),
    st.fixed_dictionaries({"do": st.just("remove"), "topic": ids}),
    st.fixed_dictionaries({"do": st.just("discard"), "item": numbers, "reason": labels}),
    st.fixed_dictionaries({"do": st.just("reopen"), "item": numbers}),
    st.fixed_dictionaries(
        {
            "do": st.just("judge"),
            "curator": st.just("R-002"),
            "topic": ids,
            "verdict": st.sampled_from(["agree", ""]),
        }
    ),
    st.fixed_dictionaries({"do": st.sampled_from(["undo", "redo"])}),
)


@st.composite
def logs(draw, most=25):
    curation = Curation(ITEMS, [MAKE])
    for step in draw(st.lists(steps, max_size=most)):
        try:
            curation = curation.do(step)
        except Refused:
            continue
    return curation


def test_appendix_a_s_weights_by_hand(corpus):
    # Words weigh .8, .2 or .5; the rest is the tf-idf row of document 0, scaled to sum 1.
    curation = Curation(ITEMS, [MAKE])
    parts = {}
    for preference in ("words", "documents", ""):
        made = curation.do({"do": "prefer", "topic": "r1", "preference": preference}).reference_topics(corpus)
        parts[preference] = made.topic_word[0]
        assert made.topic_word.sum() == pytest.approx(1)
    binary = np.array([word in ("oil", "gas") for word in corpus.vocabulary]) / 2
    tf_idf = (parts["words"] - 0.8 * binary) / 0.2
    assert tf_idf.sum() == pytest.approx(1)
    assert {w for w, x in zip(corpus.vocabulary, tf_idf, strict=True) if x > 1e-9} == {"oil", "opec", "gas"}
    np.testing.assert_allclose(parts["documents"], 0.2 * binary + 0.8 * tf_idf)
    np.testing.assert_allclose(parts[""], 0.5 * binary + 0.5 * tf_idf)
    made = curation.reference_topics(corpus)
    assert made.topic_document.tolist() == [[1, 0, 0, 0]]  # "simply a binary indicator vector"
    assert made.sizes.tolist() == [1]


@settings(max_examples=150, deadline=None)
@given(logs(), steps)
def test_undo_takes_back_exactly_one_step_and_redo_brings_it_back(curation, step):
    try:
        after = curation.do(step)
    except Refused:
        return
    if step["do"] in ("undo", "redo"):
        return
    back = after.do({"do": "undo", "of": after.state.last})
    assert back.state == curation.state
    assert back.do({"do": "redo", "of": back.state.following}).state == after.state


@settings(max_examples=100, deadline=None)
@given(logs())
def test_a_log_read_anew_or_done_step_by_step_comes_to_the_same(curation):
    assert Curation(ITEMS, curation.events).state == curation.state
    written = json.loads(json.dumps(curation.events))
    assert Curation(ITEMS, written).state == curation.state
    assert Curation(ITEMS, written).events == curation.events


@settings(max_examples=100, deadline=None)
@given(logs())
def test_whatever_was_done_the_state_holds_together(curation):
    state = curation.state
    shown = {one.id: one.shown for one in ITEMS}
    labels = [topic.label.casefold() for topic in state.topics.values() if topic.label]
    assert len(labels) == len(set(labels))
    for topic in state.topics.values():
        assert topic.items
        assert len(set(topic.words)) == len(topic.words)
        assert set(topic.words) <= {word for one in topic.items for word in shown[one]["words"]}
        assert not set(topic.items) & set(state.discarded)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(ITEMS[0].shown["words"][:3]), unique=True, min_size=1),
       st.lists(st.sampled_from(ITEMS[1].shown["words"][:3]), unique=True, min_size=1))  # fmt: skip
def test_two_topics_merged_and_split_again_are_the_two(first, second):
    two = Curation(ITEMS, [{**MAKE, "words": first}, {**GRAIN, "words": second}])
    one = two.do({"do": "merge", "topic": "r2", "into": "r1"})
    assert set(one.state.topics["r1"].words) == {*first, *second}
    again = one.do(
        {"do": "split", "topic": "r1", "new": "r2", "label": "grain", "words": second, "documents": ["2"]}
    )
    for name in ("r1", "r2"):
        before, after = two.state.topics[name], again.state.topics[name]
        assert (before.label, before.items) == (after.label, after.items)
        assert (before.words, before.documents) == (after.words, after.documents)


@pytest.mark.parametrize(
    ("events", "said"),
    [
        ([{"do": "guess"}], "event 1: there is no event 'guess'; there are make, tick"),
        (["make"], "event 1: an event is an object, but found 'make'"),
        ([{"do": "make", "topic": "r1"}], "event 1: make needs item"),
        ([{"do": "remove", "topic": "r1", "why": "x"}], "event 1: remove has no field 'why'; it has topic"),
        ([{**MAKE, "topic": "a b"}], "event 1: topic of make must be up to 40 letters, digits"),
        ([{**MAKE, "label": "x" * 121}], "label of make has 121 letters, but at most 120"),
        ([{**MAKE, "item": "i0009"}], r"event 1 \(make\): there is no item 'i0009'"),
        ([{**MAKE, "words": ["tea"]}], "no topic that r1 is made of shows 'tea' among its words"),
        ([MAKE, MAKE], r"event 2 \(make\): there is a reference topic 'r1' already"),
        ([MAKE, {**GRAIN, "label": "ENERGY"}], r"event 2 \(make\): r1 is called 'energy' already"),
        (
            [MAKE, {"do": "prefer", "topic": "r1", "preference": "mine"}],
            "must be one of 'words', 'documents', ''",
        ),
        (
            [MAKE, {"do": "tick", "topic": "r1", "words": ["oil"]}],
            "words of tick must be true or false by name",
        ),
        ([MAKE, {"do": "merge", "topic": "r1", "into": "r1"}], "r1 cannot be merged with itself"),
        ([MAKE, {"do": "split", "topic": "r1", "new": "r2"}], "nothing of r1 is split off"),
        ([MAKE, {"do": "leave", "topic": "r1", "item": "i0001"}], "made of i0001 alone: remove it instead"),
        ([MAKE, {"do": "discard", "item": "i0001"}], r"i0001 is part of r1 \(energy\): take it out first"),
        ([{"do": "undo"}], "event 1: there is nothing to undo"),
        ([MAKE, GRAIN, {"do": "undo", "of": 1}], "event 3: undo is of event 1, but event 2 is next"),
    ],
)
def test_what_is_not_possible_is_refused_with_its_number_and_why(events, said):
    with pytest.raises(Refused, match=said):
        Curation(ITEMS, events)


def test_a_step_that_is_refused_takes_the_others_of_its_batch_with_it():
    curation = Curation(ITEMS, [MAKE])
    with pytest.raises(Refused):
        curation.do({"do": "name", "topic": "r1", "label": "fuel"}, {"do": "remove", "topic": "r9"})
    assert curation.state.topics["r1"].label == "energy"


def test_words_of_a_topic_taken_out_go_unless_another_shows_them():
    curation = Curation(ITEMS, [MAKE]).do(
        {"do": "join", "topic": "r1", "item": "i0003"},
        {"do": "tick", "topic": "r1", "words": {"bpd": True}},
        {"do": "leave", "topic": "r1", "item": "i0001"},
    )
    assert curation.state.topics["r1"].words == ("oil", "bpd")


def test_topics_without_name_or_content_are_left_out_and_named(corpus):
    curation = Curation(ITEMS, [MAKE]).do(
        {"do": "make", "topic": "r2", "item": "i0002", "words": ["corn"]},
        {"do": "make", "topic": "r3", "item": "i0003", "label": "crude"},
    )
    made = curation.reference_topics(corpus)
    assert made.labels == ("energy",)
    assert "left out, because they have no name: r2" in made.notes
    assert "left out, because they have neither words nor documents: crude" in made.notes
    with pytest.raises(InputError, match="no reference topic with a name"):
        Curation(ITEMS).reference_topics(corpus)


@pytest.mark.parametrize("name", ["r.json", "r.csv", "folder"])
@pytest.mark.parametrize("with_corpus", [True, False])
def test_what_is_written_is_what_is_read(tmp_path, corpus, name, with_corpus):
    curation = Curation(ITEMS, [MAKE, GRAIN]).do(
        {"do": "categorise", "topic": "r1", "value": "economy"},
        {"do": "prefer", "topic": "r2", "preference": "documents"},
    )
    made = curation.write(tmp_path / name, corpus if with_corpus else None)
    back = tl.read_reference_topics(tmp_path / name)
    assert back.labels == made.labels == ("energy", "grain")
    assert back.sizes.tolist() == [1, 1]
    assert back.categories == {"category": ("economy", "")}
    for r in range(2):
        ours, theirs = (
            {w: x for w, x in zip(one.vocabulary, one.topic_word[r].tolist(), strict=True) if x}
            for one in (made, back)
        )
        assert ours == theirs
        ours, theirs = (
            {d for d, x in zip(one.document_ids, one.topic_document[r], strict=True) if x}
            for one in (made, back)
        )
        assert ours == theirs


def test_names_that_spreadsheets_would_run_are_safe_in_csv_and_whole_in_json(tmp_path, corpus):
    evil = '=HYPERLINK("x")'
    curation = Curation(ITEMS, [{**MAKE, "label": evil}])
    curation.write(tmp_path / "r.csv", corpus)
    assert "\n\"'=HYPERLINK" in (tmp_path / "r.csv").read_text("utf-8").replace("\r", "")
    curation.write(tmp_path / "r.json", corpus)
    assert tl.read_reference_topics(tmp_path / "r.json").labels == (evil,)


def test_json_tells_the_source_of_each_topic_and_what_second_readers_said(tmp_path, corpus):
    first = Curation(ITEMS, [MAKE, GRAIN], "R-001")
    at = first.state.topics["r1"].changed
    judge = {"do": "judge", "curator": "R-001", "at": at}
    second = Curation(ITEMS, [
        {**judge, "topic": "r1", "verdict": "agree"},
        {**judge, "topic": "r2", "verdict": "disagree", "remark": "corn is lacking", "at": 2},
    ], "R-002")  # fmt: skip
    first.write(tmp_path / "r.json", corpus, [second])
    told = json.loads((tmp_path / "r.json").read_text("utf-8"))["topics"]
    assert told[0]["model_topics"] == [{"model": "lda", "topic": 0}]
    assert told[1]["judgements"] == [
        {"reader": "R-002", "verdict": "disagree", "remark": "corn is lacking", "of_this_version": True}
    ]
    assert first.reference_topics(corpus, [second], agreed=True).labels == ("energy",)
    changed = first.do({"do": "tick", "topic": "r1", "words": {"gas": False}})
    assert not any(
        one.at >= changed.state.topics["r1"].changed for _, one in judgements(changed, [second])["r1"]
    )
    with pytest.raises(InputError, match="were not agreed to by a second reader: energy, grain"):
        changed.reference_topics(corpus, [second], agreed=True)


def test_a_log_comes_back_from_its_file_and_a_torn_line_is_named(tmp_path):
    curation = Curation(ITEMS, [MAKE, GRAIN, {"do": "undo"}])
    curation.save(tmp_path / "log.jsonl")
    assert Curation.load(tmp_path / "log.jsonl", ITEMS).state == curation.state
    (tmp_path / "log.jsonl").write_text('{"do": "undo"}\n', "utf-8")
    with pytest.raises(FormatError, match=r"log\.jsonl: event 1: there is nothing to undo"):
        Curation.load(tmp_path / "log.jsonl", ITEMS)
    (tmp_path / "log.jsonl").write_text('{"do": \n', "utf-8")
    with pytest.raises(FormatError, match=r"log\.jsonl:1: is no line of JSON"):
        Curation.load(tmp_path / "log.jsonl", ITEMS)


def test_words_that_hold_what_ends_a_line_elsewhere_come_back_from_a_log(tmp_path):
    items = [item(1, ["oil\u2028gas", "a\x85b"])]
    written = Curation(items, [{**MAKE, "words": ["oil\u2028gas", "a\x85b"], "documents": []}])
    written.save(tmp_path / "log.jsonl")
    assert Curation.load(tmp_path / "log.jsonl", items).state == written.state


def test_an_item_set_and_its_log_are_enough_to_make_the_topics_again(tmp_path, corpus):
    ItemSet("reference_topic_curation", ITEMS).save(tmp_path / "items.jsonl")
    Curation(ITEMS, [MAKE]).save(tmp_path / "log.jsonl")
    again = Curation.load(tmp_path / "log.jsonl", ItemSet.load(tmp_path / "items.jsonl"))
    ours, theirs = (one.reference_topics(corpus).fingerprint for one in (again, Curation(ITEMS, [MAKE])))
    assert ours == theirs


def test_topics_that_return_in_enough_runs_are_a_set_to_start_from(corpus):
    rng = np.random.default_rng(0)
    vocabulary = corpus.vocabulary
    sets = (("oil", "gas", "opec"), ("wheat", "corn", "crop"), ("crude", "bpd"))
    rows = np.array([[1.0 if word in one else 0.02 for word in vocabulary] for one in sets])
    runs = []
    for run in range(4):
        kept = rng.permutation(3 if run < 2 else 2)  # the third topic is in two runs alone
        theta = rng.dirichlet(np.ones(len(kept)), size=4)
        runs.append(tl.TopicModel(vocabulary, topic_word=rows[kept], doc_topic=theta, name=f"lda#{run}"))
    found = tl.align(runs)
    model = found.model(min_runs=3)
    assert (found.model(min_runs=2).n_topics, model.n_topics) == (3, 2)
    for k, group in enumerate(group for group in found.groups if group.n_runs >= 3):
        mean = np.mean([run.doc_topic[:, t] for run, t in zip(runs, group.topics, strict=True)], axis=0)
        np.testing.assert_allclose(model.doc_topic[:, k], mean)  # Appendix A: "by averaging"
    made = tl.human.items("reference_topic_curation", model, corpus=corpus, n_words=3, n_documents=2)
    assert {frozenset(one.shown["words"]) for one in made} == {frozenset(sets[0]), frozenset(sets[1])}
    assert all(len(one.shown["documents"]) == 2 for one in made)
    bare = tl.TopicModel(vocabulary, topic_word=rows[:2], name="bare")
    assert tl.align([*runs, bare]).model(min_runs=5).doc_topic is None  # one run has no documents
