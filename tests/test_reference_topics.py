"""Reference topics: every way to make them, to write them down and to read them again."""

import json
from pathlib import Path

import numpy as np
import pytest

import tealeaves as tl
from tealeaves._kernels.inference import _mixed_weights
from tealeaves.errors import FormatError, InputError
from tealeaves.reference_topics import ReferenceTopics, merged

WORDS = {"energy": {"oil": 2.0, "gas": 1.0}, "law": {"court": 1.0}}


def same(a, b):
    return a.fingerprint == b.fingerprint


def written(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text, "utf-8")
    return tl.read_reference_topics(path)


# --- the weights of Appendix A


def test_words_and_documents_are_merged_as_the_authors_do():
    words = np.array([1.0, 1, 0])
    documents = np.array([0.25, 0.5, 1.25])  # the sum of (1, 0, 3) and (0, 2, 2), each over its own sum
    np.testing.assert_allclose(merged(words, documents, "words"), [0.425, 0.45, 0.125])
    np.testing.assert_allclose(merged(words, documents, "docs"), [0.2, 0.3, 0.5])
    np.testing.assert_allclose(merged(words, documents), [0.3125, 0.375, 0.3125])


def test_annotations_name_what_the_corpus_lacks():
    corpus = tl.Corpus.from_tokens([["oil", "gas"], ["court", "law"], ["oil", "court"]], ids=["a", "b", "c"])
    found = ReferenceTopics.from_annotations(
        {"energy": ["oil", "coal"]}, {"energy": ["a"], "law": ["b"]}, corpus, dominant={"energy": "words"}
    )
    assert found.labels == ("energy", "law")
    assert found.top_words(1)[0] == ["oil"]
    assert "coal" in found.notes[0]
    assert found.sizes.tolist() == [1, 1]
    with pytest.raises(InputError, match="names document 'z'"):
        ReferenceTopics.from_annotations({}, {"law": ["z"]}, corpus)


def test_classes_of_documents_are_topics_with_their_words_documents_and_sizes():
    corpus = tl.Corpus.from_tokens(
        [["oil", "gas"], ["oil"], ["court"]], labels=["energy", "energy", "law"], ids=["a", "b", "c"]
    )
    found = ReferenceTopics.from_labels(corpus)
    assert found.labels == ("energy", "law")
    assert found.top_words(2) == [["oil", "gas"], ["court"]]
    assert found.sizes.tolist() == [2, 1]
    assert found.document_ids == ("a", "b", "c")
    weighed = ReferenceTopics.from_labels(corpus, "tf_idf").topic_word
    assert weighed[0].sum() == pytest.approx(1)
    assert weighed[0, corpus.index["gas"]] < weighed[0, corpus.index["oil"]]
    with pytest.raises(InputError, match="label="):
        ReferenceTopics.from_labels(tl.Corpus.from_tokens([["oil"]]))


def test_sizes_are_documents_that_a_sampler_finds_the_topic_in():
    rng = np.random.default_rng(0)
    subjects = np.array([[f"{s}{i}" for i in range(8)] for s in "abc"])
    documents = [list(rng.choice(subjects[s], 20)) for s in [0] * 30 + [1] * 10 + [2] * 20]
    corpus = tl.Corpus.from_tokens(documents)
    wanted = ReferenceTopics.from_words({"a": list(subjects[0]), "b": list(subjects[1]), "none": ["zz"]})
    found = wanted.with_sizes(corpus, free_topics=2, iterations=60, variant="printed")
    assert found.sizes.tolist() == [30, 10, 0]
    again = wanted.with_sizes(corpus, free_topics=2, iterations=60, variant="printed", seed=0)
    assert again.sizes.tolist() == found.sizes.tolist()
    with pytest.raises(InputError, match="variant"):
        wanted.with_sizes(corpus, variant="paper")


def test_a_token_s_topic_is_drawn_with_the_weights_computed_by_hand():
    golden = json.loads((Path(__file__).parent / "golden" / "coverage.json").read_text("utf-8"))
    case = golden["fixed_topic_gibbs"][0]
    free, *fixed = case["n_dk"]  # ours have the fixed topics first
    p = np.empty(3)
    total = _mixed_weights(
        np.array([*fixed, free], float),
        np.full(3, case["alpha"]),
        np.array(case["phi_fixed_word"]),
        np.array([case["word_count_in_free_topic"]], float),
        np.array([case["tokens_in_free_topic"]], float),
        case["beta"],
        case["beta"] * case["V"],
        p,
    )
    np.testing.assert_allclose(p[[2, 0, 1]], case["weights"])
    np.testing.assert_allclose(p[[2, 0, 1]] / total, case["probabilities"])


# --- files


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "topic,word,weight\nenergy,oil,2\nenergy,gas,1\nlaw,court,1\n"),
        ("a.tsv", "label\tterm\tweight\nenergy\toil\t2\nlaw\tcourt\t\nenergy\tgas\t1\n"),
        ("a.json", json.dumps(WORDS)),
        ("b.json", json.dumps([{"label": k, "words": v} for k, v in WORDS.items()])),
        ("c.json", json.dumps({"topics": [{"topic": k, "words": [*v.items()]} for k, v in WORDS.items()]})),
    ],
)
def test_every_form_of_file_gives_the_same_topics(tmp_path, name, text):
    assert same(written(tmp_path, name, text), ReferenceTopics.from_words(WORDS))


def test_a_row_for_each_topic_has_words_documents_size_and_categories(tmp_path):
    found = written(
        tmp_path,
        "themes.csv",
        'topic,words,documents,size,kind\nenergy,oil gas,d1;d2,12,issue\nlaw,"court, judge",d2,,\n',
    )
    assert found.name == "themes"
    assert found.top_words() == [["gas", "oil"], ["court", "judge"]]
    assert found.document_ids == ("d1", "d2")
    assert found.topic_document.tolist() == [[1, 1], [0, 1]]
    np.testing.assert_equal(found.sizes, [12, np.nan])
    assert found.categories == {"kind": ("issue", "")}


def test_a_folder_of_text_files_is_a_topic_each(tmp_path):
    (tmp_path / "energy.txt").write_text("oil\t2\ngas\n\n", "utf-8")
    (tmp_path / "law.txt").write_text("court\n", "utf-8")
    assert same(tl.read_reference_topics(tmp_path), ReferenceTopics.from_words(WORDS))


def test_what_was_saved_is_read_again_whole(tmp_path):
    wanted = ReferenceTopics.from_words(
        WORDS,
        documents={"energy": ["d1"]},
        sizes={"law": 3},
        categories={"kind": {"law": "issue"}},
        name="thèmes",
    )
    wanted.save(tmp_path / "saved")
    wanted.save(tmp_path / "saved")  # one before gives way
    found = tl.read_reference_topics(tmp_path / "saved")
    assert same(found, wanted)
    assert (found.name, found.categories, found.document_ids) == ("thèmes", wanted.categories, ("d1",))
    np.testing.assert_equal(found.sizes, [np.nan, 3])
    array = tmp_path / "saved" / "topic_word.npy"
    array.write_bytes(array.read_bytes()[:-8])
    with pytest.raises(FormatError, match="torn or was changed"):
        tl.read_reference_topics(tmp_path / "saved")


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("a.csv", "", "is empty"),
        ("a.csv", "name,text\nx,y\n", "columns topic and word"),
        ("a.csv", "topic,word\n", "a header, but no topics"),
        ("a.csv", "topic,word,weight\na,oil,much\n", ":2: weight must be a number"),
        ("a.csv", "topic,word,weight\na,oil,-1\n", ":2: the weight of 'oil' must be at least 0"),
        ("a.csv", "topic,word\na,oil,gas\n", ":2: 2 cells were expected"),
        ("a.csv", "topic,words\na,oil\na,gas\n", ":3: topic 'a' has a second row"),
        ("a.csv", "topic,word,kind\na,oil,x\na,gas,y\n", ":3: topic 'a' has two values of 'kind'"),
        ("a.csv", "topic,word,size\na,oil,1\na,gas,2\n", ":3: topic 'a' has two sizes"),
        ("a.json", '{"a": ["oil"', "JSON was expected"),
        ("a.json", '{"a": ["oil"], "a": ["gas"]}', "comes twice"),
        ("a.json", '[{"words": ["oil"]}]', "item 0 must be an object with label"),
        ("a.json", '{"a": [3]}', "words of topic 'a' hold 3"),
        ("a.json", '{"a": "oil gas"}', "must be a list"),
        ("a.json", '[{"label": "a", "words": ["oil"], "size": "big"}]', "size of topic 'a'"),
    ],
)
def test_a_mistake_in_a_file_is_told_with_its_place(tmp_path, name, text, told):
    with pytest.raises(FormatError) as error:
        written(tmp_path, name, text)
    assert str(tmp_path / name) in str(error.value)
    assert told in str(error.value)


def test_folders_without_topics_and_paths_that_are_not_there_are_told(tmp_path):
    with pytest.raises(FormatError, match=r"no \.txt file"):
        tl.read_reference_topics(tmp_path)
    with pytest.raises(FileNotFoundError):
        tl.read_reference_topics(tmp_path / "nothing")


# --- edges


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: ReferenceTopics(["a", "b"], [[1, -1]]), "at least 0"),
        (lambda: ReferenceTopics(["a"], [[1], [1]], ["x", "x"]), "called 'x'"),
        (lambda: ReferenceTopics(["a"], [[1]], ["x", "y"]), "2 labels for 1"),
        (lambda: ReferenceTopics(["a"], [[1]], sizes=[1, 2]), "sizes must be 1 numbers"),
        (lambda: ReferenceTopics(["a"], [[1]], document_ids=["d"]), "no topic_document"),
        (lambda: ReferenceTopics(["a"], [[1]], categories={"kind": ["x", "y"]}), "category 'kind'"),
        (lambda: ReferenceTopics.from_words({"x": "oil"}), "one string"),
        (lambda: ReferenceTopics.from_words({}), "no words"),
        (lambda: ReferenceTopics.from_words(["oil"]), "label"),
        (lambda: ReferenceTopics.from_words({"x": ["oil"]}, sizes={"y": 1}), "sizes names 'y'"),
        (lambda: ReferenceTopics.from_model(tl.TopicModel.from_words([["oil", "gas"]]), keep=[1]), "topic 1"),
    ],
)
def test_what_is_no_set_of_reference_topics_is_refused(make, told):
    with pytest.raises(InputError, match=told):
        make()


def test_chosen_topics_of_a_model_keep_their_words_and_documents():
    model = tl.TopicModel(["gas", "law"], [[1, 0], [0.5, 0.5], [0, 1]], doc_topic=np.eye(3), name="lda")
    found = ReferenceTopics.from_model(model, keep=[2, 0], labels=["law", "energy"])
    assert found.top_words() == [["law"], ["gas"]]
    assert found.topic_document.tolist() == [[0, 0, 1], [1, 0, 0]]
    assert found.select([1]).labels == ("energy",)
    lists = tl.TopicModel.from_words([["oil", "gas"], ["law", "court"]])
    assert ReferenceTopics.from_model(lists, keep=[1]).top_words() == [["court", "law"]]


def test_the_fingerprint_knows_words_not_their_columns():
    a = ReferenceTopics(["gas", "oil", "x"], [[1, 2, 0]], ["e"])
    b = ReferenceTopics(["oil", "gas"], [[2, 1]], ["e"])
    assert same(a, b)
    assert not same(a, ReferenceTopics(["oil", "gas"], [[1, 2]], ["e"]))


def test_a_topic_without_words_is_noted():
    assert "1 reference topics have no word" in ReferenceTopics(["a"], [[1], [0]]).notes[0]
