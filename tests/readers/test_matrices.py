import json

import numpy as np
import pytest

from tealeaves.errors import FormatError
from tealeaves.model import read_model

PHI = [[0.5, 0.375, 0.125], [0.125, 0.25, 0.625]]
THETA = [[0.75, 0.25], [0.5, 0.5], [0.0, 1.0], [0.25, 0.75]]
WORDS = ["oil", "gas", "tax"]


def npz(tmp_path, **arrays):
    np.savez(tmp_path / "m.npz", **{name.replace("__", "-"): array for name, array in arrays.items()})
    return tmp_path / "m.npz"


@pytest.mark.parametrize("topic_word", ["topic_word", "phi", "beta", "components_", "topic_term_dists"])
@pytest.mark.parametrize("doc_topic", ["doc_topic", "theta", "train_theta", "doc_topic_dists"])
def test_matrices_go_by_the_names_that_tools_give_them(tmp_path, topic_word, doc_topic):
    model = read_model(npz(tmp_path, **{topic_word: PHI, doc_topic: THETA, "vocab": WORDS}))
    assert model.topic_word.tolist() == PHI
    assert model.doc_topic.tolist() == THETA


def test_a_matrix_that_lies_the_other_way_by_its_shape_is_turned(tmp_path):
    model = read_model(npz(tmp_path, phi=np.transpose(PHI), theta=np.transpose(THETA), vocab=WORDS))
    assert (model.topic_word.tolist(), model.doc_topic.tolist()) == (PHI, THETA)
    model = read_model(npz(tmp_path, word_topic=np.transpose(PHI), vocab=WORDS))
    assert (model.topic_word.tolist(), model.notes) == (PHI, ())
    model = read_model(npz(tmp_path, topic_word=np.transpose(PHI), vocab=WORDS))
    assert model.topic_word.tolist() == PHI
    assert "was expected to be topic × word, but is word × topic" in model.notes[0]


SQUARE = [[4.0, 2.0, 2.0], [1.0, 2.0, 5.0], [0.0, 4.0, 3.0]]


def test_as_many_topics_as_words_is_a_question_that_axes_answer(tmp_path):
    path = npz(tmp_path, phi=SQUARE, vocab=WORDS)
    with pytest.raises(
        FormatError, match=r"phi has shape \(3, 3\): .* Say axes='topic word' or 'word topic'"
    ):
        read_model(path)
    assert read_model(path, axes="topic word").topic_word.tolist() == SQUARE
    assert read_model(path, axes="word topic").topic_word.tolist() == np.transpose(SQUARE).tolist()
    said = npz(tmp_path, phi=SQUARE, vocab=WORDS, axes="word topic")
    assert read_model(said).topic_word.tolist() == np.transpose(SQUARE).tolist()
    named = npz(tmp_path, topic_word=SQUARE, vocab=WORDS)
    assert read_model(named).topic_word.tolist() == SQUARE  # the name says it


def test_as_many_documents_as_topics_is_a_question_that_axes_answer(tmp_path):
    square = [[0.75, 0.25], [0.5, 0.5]]
    path = npz(tmp_path, topic_word=PHI, vocab=WORDS, theta=square)
    with pytest.raises(FormatError, match=r"theta has shape \(2, 2\): .* Say axes='document topic' or"):
        read_model(path)
    assert read_model(path, axes="topic document").doc_topic.tolist() == np.transpose(square).tolist()
    assert read_model(path, axes="topic word, document topic").doc_topic.tolist() == square


@pytest.mark.parametrize(
    ("arrays", "options", "message"),
    [
        ({"phi": PHI}, {}, r"no array called vocabulary.*there are: phi \(2, 3\)"),
        ({"vocab": WORDS}, {}, "no array called topic_word"),
        ({"phi": PHI, "vocab": [*WORDS[:2], "a", "b"]}, {}, r"shape \(2, 3\), but there are 4 words"),
        (
            {"phi": PHI, "vocab": WORDS, "theta": [[1, 0, 0]]},
            {},
            r"theta has shape \(1, 3\), but .* 2 topics",
        ),
        ({"phi": PHI, "vocab": WORDS}, {"axes": "word topic"}, "cannot be word × topic of 3 words"),
        ({"phi": PHI, "vocab": WORDS}, {"axes": "rows"}, "axes must be 'topic word' or .*, got 'rows'"),
        ({"phi": [["a"]], "vocab": ["x"]}, {}, "phi must be a matrix of numbers"),
        ({"phi": PHI, "vocab": [WORDS]}, {}, r"vocab must be a list of words, but has shape \(1, 3\)"),
        ({"phi": PHI, "vocab": np.array([b"\xff", b"a", b"b"])}, {}, "bytes that are no UTF-8"),
        ({"phi": [0.5], "vocab": WORDS}, {}, "phi must have two axes"),
    ],
)
def test_what_is_missing_or_does_not_fit_is_told(tmp_path, arrays, options, message):
    with pytest.raises(FormatError, match=message):
        read_model(npz(tmp_path, **arrays), **options)


def test_weights_that_sum_to_1_over_topics_as_cfdtm_s_are_made_to_sum_over_words_and_that_is_said(tmp_path):
    beta = np.array([[0.8, 0.1, 0.3], [0.2, 0.9, 0.7]])
    model = read_model(npz(tmp_path, beta=beta, vocab=WORDS))
    np.testing.assert_allclose(model.topic_word, beta / beta.sum(axis=1, keepdims=True))
    assert "each word's weights sum to 1 over the topics, as CFDTM of TopMost has them" in model.notes[0]
    both = np.full((3, 3), 1 / 3)  # over words as well: nothing is wrong
    assert read_model(npz(tmp_path, topic_word=both, vocab=WORDS)).notes == ()


OCTIS = {
    "topics": [["oil", "gas"], ["tax", "gas"]],
    "topic-word-matrix": PHI,
    "topic-document-matrix": np.transpose(THETA).tolist(),
    "test-topic-document-matrix": [[1.0], [0.0]],
}


@pytest.mark.parametrize("as_json", [False, True])
def test_octis_output_has_lists_and_topics_of_documents_and_with_words_its_matrix(tmp_path, as_json):
    if as_json:
        path = tmp_path / "m.json"
        path.write_text(json.dumps(OCTIS))
    else:
        path = npz(tmp_path, **OCTIS)
    model = read_model(path)
    assert model.top_words(2) == OCTIS["topics"]
    assert model.doc_topic.tolist() == THETA
    assert any("topic-word-matrix was left out" in note for note in model.notes)
    assert any("test-topic-document-matrix was left out: it is of other documents" in n for n in model.notes)
    whole = read_model(path, vocabulary=WORDS)
    assert whole.topic_word.tolist() == PHI
    assert whole.doc_topic.tolist() == THETA
    with pytest.raises(FormatError, match="the vocabulary is not in the order of the columns"):
        read_model(path, vocabulary=["x", "y", "z"])


def test_as_many_topics_as_documents_in_octis_output_is_a_question(tmp_path):
    path = npz(tmp_path, topics=OCTIS["topics"], **{"topic-document-matrix": [[1.0, 0.25], [0.0, 0.75]]})
    with pytest.raises(FormatError, match=r"rows and columns are as many; which are which\?"):
        read_model(path)
    assert read_model(path, axes="topic document").doc_topic.tolist() == [[1, 0], [0.25, 0.75]]


def test_an_array_that_promises_more_than_the_file_has_is_not_waited_for(tmp_path):
    np.save(tmp_path / "m.npy", np.zeros((2, 3)))
    content = (tmp_path / "m.npy").read_bytes()
    huge = content.replace(b"(2, 3), }            ", b"(99999999, 99999999), }")
    (tmp_path / "m.npy").write_bytes(huge)
    with pytest.raises(FormatError, match=r"is cut off: 79,999,998,400,000,008 bytes were expected"):
        read_model(tmp_path / "m.npy", vocabulary=WORDS)


def test_an_archive_that_unpacks_to_far_more_than_arrays_do_is_refused(tmp_path):
    np.savez_compressed(tmp_path / "m.npz", phi=np.zeros((10, 1_000_000)))
    with pytest.raises(
        FormatError, match="'phi' says 80,000,128 bytes, which is more than its file can hold"
    ):
        read_model(tmp_path / "m.npz")


LANGUAGE_MODELS = {
    "a.json": '[{"topic": "Energy", "words": ["oil", "gas"]}, {"topic": "Law", "words": ["tax", "court"]}]',
    "b.json": '{"topics": [{"name": "Energy", "keywords": "oil, gas"}, '
    '{"name": "Law", "keywords": "tax, court"}]}',
    "c.json": '{"Energy": "oil, gas", "Law": "tax, court"}',
    "d.json": '[{"Energy": ["oil", "gas"]}, {"Law": ["tax", "court"]}]',
    "e.json": '{"Energy": {"words": ["oil", "gas"], "description": "x"}, "Law": {"words": ["tax", "court"]}}',
    "f.txt": 'Sure! Here:\n```json\n{"Energy": ["oil", "gas"], "Law": ["tax", "court"]}\n```\nDone.\n',
    "g.txt": "- **Energy**: oil, gas\n- **Law**: tax, court\n",
    "h.txt": "Here are the topics:\n\n1. **Energy:** oil, gas\n2. **Law:** tax, court\n",
    "i.md": "# Topics\n\n## Topic 1: Energy\n- oil\n- gas\n\n## Topic 2: Law\n- tax\n- court\n",
    "j.md": "### Energy\n**Keywords**: oil, gas\n### Law\n**Keywords**: tax, court\n",
    "k.txt": "1. Energy: oil, gas\n2. Law: tax, court\n",
    "l.txt": "- Energy:\n  - oil\n  - gas\n- Law:\n  - tax\n  - court\n",
    "m.md": "* **Energy** - oil, gas\n* **Law** – tax, court\n",
}


@pytest.mark.parametrize("name", LANGUAGE_MODELS)
def test_topics_as_language_models_list_them_keep_words_and_names(tmp_path, name):
    (tmp_path / name).write_text(LANGUAGE_MODELS[name])
    model = read_model(tmp_path / name)
    assert model.top_words(3) == [["oil", "gas"], ["tax", "court"]]
    assert model.topic_names == ("Energy", "Law")


def test_phrases_keep_their_blanks_and_lose_their_quotes(tmp_path):
    (tmp_path / "t.md").write_text('- **Energy**: "natural gas", `oil`, *wind power*.\n')
    assert read_model(tmp_path / "t.md").top_words(3) == [["natural gas", "oil", "wind power"]]


def test_what_is_neither_topic_nor_words_is_counted_and_too_much_of_it_is_refused(tmp_path):
    (tmp_path / "t.md").write_text("Here are my topics.\n- **Energy**: oil, gas\n")
    assert read_model(tmp_path / "t.md").notes == ("1 line that is neither topic nor words was left out",)
    (tmp_path / "t.md").write_text("# Project\n\nThis is prose.\nAnd more of it.\nAnd more.\n")
    with pytest.raises(FormatError, match="3 of 4 lines are neither names of topics nor words"):
        read_model(tmp_path / "t.md")
    (tmp_path / "t.md").write_text("## Energy\n- oil\n## Law\n## Sport\n- goal\n")
    with pytest.raises(FormatError, match=r"t\.md:3: the topic 'Law' has no words below it"):
        read_model(tmp_path / "t.md")


def test_damage_inside_a_fence_is_told_with_the_line_of_the_file(tmp_path):
    (tmp_path / "t.txt").write_text('Here:\n```json\n{"Energy": ["oil",\n```\n')
    with pytest.raises(FormatError, match=r"t\.txt:3: is not whole JSON"):
        read_model(tmp_path / "t.txt")
