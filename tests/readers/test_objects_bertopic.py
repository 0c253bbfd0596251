import json
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from tealeaves.errors import FormatError, InputError, TealeavesError
from tealeaves.model import read_model
from tealeaves.readers._safetensors import read_safetensors

WORDS = ["data privacy", "federated", "iot", "lung", "x-ray"]
CTFIDF = np.array([[0.1, 0.3, 0.2, 0, 0], [0.5, 0.4, 0, 0, 0], [0, 0, 0, 0.7, 0.6]])  # topics -1, 0, 1
TOPICS = [0, -1, 1, 1, 0, 0]


def shown(n=2):
    """What BERTopic makes of the weights: the n heaviest words of each topic, filled up with blanks."""
    result = {}
    for topic, row in zip((-1, 0, 1), CTFIDF, strict=True):
        best = [(WORDS[i], float(row[i])) for i in np.argsort(-row)[:n] if row[i] > 0]
        result[topic] = best + [("", 1e-5)] * (n - len(best))
    return result


class Vectorizer:
    def get_feature_names_out(self):
        return np.array(WORDS, dtype=object)


def fitted(**other):
    """A stand-in with the attributes of bertopic 0.17, its class in the module that BERTopic's is in."""

    def get_topics(self):
        if self.topics_ is None:
            raise ValueError("This BERTopic instance is not fitted yet.")
        return self.topic_representations_

    kind = type("BERTopic", (), {"__module__": "bertopic._bertopic", "get_topics": get_topics})
    model = kind()
    parts = {
        "topic_representations_": shown(),
        "topics_": TOPICS,
        "probabilities_": np.array([0.9, 0.0, 1.0, 0.8, 0.7, 0.6]),
        "custom_labels_": None,
        "c_tf_idf_": csr_matrix(CTFIDF),
        "vectorizer_model": Vectorizer(),
    }
    vars(model).update(parts | other)
    return model


def save_tensors(path, arrays):
    """What safetensors writes."""
    header, blobs, at = {}, [], 0
    kinds = {"float32": "F32", "float64": "F64", "int32": "I32", "int64": "I64"}
    for name, array in arrays.items():
        blob = np.ascontiguousarray(array).tobytes()
        entry = {"dtype": kinds[array.dtype.name], "shape": list(array.shape)}
        header[name] = entry | {"data_offsets": [at, at + len(blob)]}
        blobs.append(blob)
        at += len(blob)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(blobs))


def save_folder(path, topics=True, weights=True, labels=None):
    """What ``BERTopic.save(path, serialization="safetensors", save_ctfidf=True)`` writes."""
    path.mkdir(exist_ok=True)
    (path / "config.json").write_text('{"n_gram_range": [1, 2], "top_n_words": 2}')
    if topics:
        content = {
            "topic_representations": {str(k): [list(p) for p in pairs] for k, pairs in shown().items()},
            "topics": TOPICS,
            "topic_sizes": {"0": 3, "1": 2, "-1": 1},
            "topic_mapper": [[-1, -1], [0, 0], [1, 1]],
            "topic_labels": {"-1": "-1_federated_iot", "0": "0_data privacy", "1": "1_lung"},
            "custom_labels": labels,
            "_outliers": 1,
            "topic_aspects": {},
        }
        (path / "topics.json").write_text(json.dumps(content, indent=2))
    if weights:
        matrix = csr_matrix(CTFIDF)
        parts = {name: getattr(matrix, name) for name in ("indptr", "indices", "data")}
        save_tensors(
            path / "ctfidf.safetensors", {**parts, "shape": np.array(matrix.shape), "diag": CTFIDF[0]}
        )
        vocabulary = {WORDS[i]: i for i in (3, 0, 1, 4, 2)}
        config = {
            "ctfidf_model": {},
            "vectorizer_model": {"params": {"ngram_range": [1, 2]}, "vocab": vocabulary},
        }
        (path / "ctfidf_config.json").write_text(json.dumps(config))
    return path


def test_a_real_folder_without_weights_is_lists_of_words_and_clusters_of_documents(data):
    model = read_model(data / "formats" / "bertopic_a")
    assert (model.n_topics, model.name, model.topic_word) == (10, "bertopic_a", None)
    assert model.top_words(3)[0] == ["data privacy", "federated", "federated fl"]
    sizes = json.loads((data / "formats" / "bertopic_a" / "topics.json").read_text())["topic_sizes"]
    assert model.doc_topic.sum(axis=0).tolist() == [sizes[str(k)] for k in range(10)]
    assert "1216 of 4995 documents are in no topic (-1): their rows of doc_topic are 0" in model.notes
    kept = read_model(data / "formats" / "bertopic_a", outliers="keep")
    assert kept.topic_names == ("-1", *map(str, range(10)))
    assert kept.doc_topic.sum(axis=0)[0] == sizes["-1"]
    assert (kept.doc_topic.sum(axis=1) == 1).all()


def test_a_real_folder_of_weights_alone_has_topics_of_c_tf_idf(data):
    model = read_model(data / "formats" / "bertopic_b")
    assert model.topic_word.shape == (11, 22024)
    assert not model.normalized
    assert (model.topic_word > 0).sum() == 64149  # as many as ctfidf.safetensors holds
    assert model.top_words(3)[1] == ["food", "farmers", "agricultural"]
    assert (
        "topics.json is missing: whether topic 0 is BERTopic's topic -1 (outliers) is not known"
        in model.notes
    )
    assert "topic_word holds c-TF-IDF weights, which are no probabilities" in model.notes


@pytest.mark.parametrize("saved", [False, True])
def test_the_object_and_its_folder_give_one_model(tmp_path, saved):
    model = read_model(save_folder(tmp_path / "folder") if saved else fitted())
    np.testing.assert_array_equal(model.topic_word, CTFIDF[1:])
    assert model.vocabulary == tuple(WORDS)
    assert model.top_words(2) == [["data privacy", "federated"], ["lung", "x-ray"]]
    assert model.topic_names is None
    assert model.doc_topic.tolist() == [[1, 0], [0, 0], [0, 1], [0, 1], [1, 0], [1, 0]]
    assert 'topic -1 (documents that fit no topic) was left out; outliers="keep" keeps it' in model.notes


@pytest.mark.parametrize("saved", [False, True])
def test_topic_minus_one_is_kept_if_asked_for_and_labels_name_topics(tmp_path, saved):
    labels = ["rest", "privacy", "lungs"]
    thing = save_folder(tmp_path / "folder", labels=labels) if saved else fitted(custom_labels_=labels)
    model = read_model(thing, outliers="keep")
    np.testing.assert_array_equal(model.topic_word, CTFIDF)
    assert model.topic_names == ("rest", "privacy", "lungs")
    assert model.doc_topic[1].tolist() == [1, 0, 0]
    assert read_model(thing).topic_names == ("privacy", "lungs")


def test_labels_that_are_not_one_for_each_topic_are_left_out_and_said_so():
    model = read_model(fitted(custom_labels_=["only one"]))
    assert model.topic_names is None
    assert "custom labels were left out: there is not one for each topic" in model.notes


def test_words_that_a_representation_model_chose_go_before_the_weights():
    chosen = {-1: [("the", 1.0)], 0: [("privacy", 0.8), ("learning", 0.7)], 1: [("chest", 0.9)]}
    model = read_model(fitted(topic_representations_=chosen))
    assert model.topic_word is None
    assert model.top_words(2) == [["privacy", "learning"], ["chest"]]
    assert any("no weights were kept" in note for note in model.notes)


def test_equal_weights_may_be_shown_in_either_order():
    tied = CTFIDF.copy()
    tied[2, 3:] = 0.7
    words = shown() | {1: [("x-ray", 0.7), ("lung", 0.7)]}
    model = read_model(fitted(c_tf_idf_=csr_matrix(tied), topic_representations_=words))
    assert model.topic_word is not None


def test_blanks_that_fill_a_short_topic_up_are_no_words():
    assert read_model(fitted(topic_representations_=shown(4))).topic_word is not None
    model = read_model(fitted(topic_representations_=shown(4), c_tf_idf_=None))
    assert model.top_words(4) == [["data privacy", "federated"], ["lung", "x-ray"]]


def test_probabilities_of_every_topic_are_the_topics_of_documents():
    soft = np.array([[0.7, 0.1], [0.2, 0.2], [0, 1], [0.1, 0.6], [0.5, 0.5], [1, 0]])
    model = read_model(fitted(probabilities_=soft))
    np.testing.assert_array_equal(model.doc_topic, soft)
    kept = read_model(fitted(probabilities_=soft), outliers="keep")
    np.testing.assert_allclose(kept.doc_topic[:, 0], 1 - soft.sum(axis=1))
    assert "what a row lacks to 1 is topic -1's" in kept.notes[0]
    wrong = read_model(fitted(probabilities_=soft[:, :1]))
    assert "probabilities_ was left out: it has 1 columns for 2 topics" in wrong.notes
    assert wrong.doc_topic[0].tolist() == [1, 0]


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"topics_": None}, r"get_topics\(\) of a BERTopic .* not fitted yet"),
        ({"topics_": [0, 7]}, "puts documents into topic 7, which it has not"),
        ({"topics_": [[0, 1]]}, r"topics of BERTopic must have shape any, but has \(1, 2\)"),
        ({"c_tf_idf_": csr_matrix(CTFIDF[:2])}, r"3 topics × 5 words, but has shape \(2, 5\)"),
        ({"vectorizer_model": None}, "should have vectorizer_model"),
        ({"probabilities_": np.zeros((2, 2))}, r"probabilities_ of BERTopic must have shape 6 × any"),
        ({"topic_representations_": [["a"]]}, "must be a dict from topic to words, not list"),
        ({"topic_representations_": {"x": ["a"]}}, "must be different numbers, but are x"),
    ],
)
def test_an_object_whose_parts_do_not_fit_is_told_what_was_expected(other, said):
    with pytest.raises(InputError, match=said):
        read_model(fitted(**other))


def test_neither_bertopic_nor_safetensors_is_imported(tmp_path):
    import sys

    read_model(save_folder(tmp_path / "folder"))
    assert not {"bertopic", "safetensors", "torch"} & set(sys.modules)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda f: (f / "topics.json").write_text("{"), r"topics\.json:1: is not whole JSON"),
        (lambda f: (f / "topics.json").write_text("[]"), "must be a JSON object, but is list"),
        (lambda f: (f / "topics.json").write_text('{"topics": [0]}'), "holds no topic_representations"),
        (lambda f: (f / "ctfidf.safetensors").write_bytes(b"\0" * 4), "the file is cut off|it is cut off"),
        (lambda f: (f / "ctfidf_config.json").write_text("{}"), "holds no words"),
        (
            lambda f: (f / "ctfidf_config.json").write_text(_vocab({"a": 0, "b": 2})),
            "must be 0 to 1, each once",
        ),
        (lambda f: (f / "ctfidf_config.json").write_text(_vocab({"a": 0, "b": 1})), "say 3 × 2"),
        (lambda f: _tensors(f, indices=np.array([9] * 7)), "indices must be columns 0 to 4"),
        (lambda f: _tensors(f, indptr=np.array([0, 9, 5, 7])), "indptr must rise from 0 to the 7 weights"),
        (lambda f: _tensors(f, data=np.full(7, np.nan)), "nan or infinite"),
        (lambda f: _tensors(f, data=np.arange(7)), "data must be floats"),
        (lambda f: _tensors(f, data=None), "has no array 'data'; there are: indptr, indices, shape"),
    ],
)
def test_a_damaged_folder_is_told_by_the_file_that_is_damaged(tmp_path, change, said):
    change(save_folder(tmp_path / "folder"))
    with pytest.raises(FormatError, match=said):
        read_model(tmp_path / "folder")


def _vocab(vocabulary):
    return json.dumps({"vectorizer_model": {"vocab": vocabulary}})


def _tensors(folder, **changed):
    matrix = csr_matrix(CTFIDF)
    parts = {name: getattr(matrix, name) for name in ("indptr", "indices", "data")}
    parts |= {"shape": np.array([3, 5])} | changed
    save_tensors(folder / "ctfidf.safetensors", {k: v for k, v in parts.items() if v is not None})


def test_weights_in_a_pickle_of_pytorch_are_not_opened_and_told_of(tmp_path):
    folder = save_folder(tmp_path / "folder", weights=False)
    (folder / "ctfidf.bin").write_bytes(b"\x80\x02")
    model = read_model(folder)
    assert model.topic_word is None
    assert any("ctfidf.bin is a pickle of PyTorch" in note for note in model.notes)


def test_a_folder_with_neither_file_is_told_which_are_wanted(tmp_path):
    folder = save_folder(tmp_path / "folder", topics=False)
    (folder / "ctfidf.safetensors").unlink()
    with pytest.raises(FormatError, match=r"has not topics\.json, or ctfidf\.safetensors with ctfidf_config"):
        read_model(folder)


@pytest.mark.parametrize(
    ("header", "said"),
    [
        (10**18, "says that its header has 1,000,000,000,000,000,000 bytes, but the file has"),
        (
            b'{"a":{"dtype":"F64","shape":[125000000000000000],"data_offsets":[0,1000000000000000000]}}',
            "cut",
        ),
        (
            b'{"a": {"dtype": "F64", "shape": [4294967296, 4294967296], "data_offsets": [0, 0]}}',
            "should take",
        ),
        (
            b'{"a": {"dtype": "F64", "shape": [0, 1000000000000000000000], "data_offsets": [0, 0]}}',
            "has shape",
        ),
        (b'{"a": {"dtype": "F64", "shape": [-1], "data_offsets": [0, 8]}}', "no such array"),
        (b'{"a": {"dtype": "F64", "shape": [1], "data_offsets": [8, 0]}}', "should take"),
        (b'{"a": {"dtype": "O8", "shape": [1], "data_offsets": [0, 8]}}', "is of dtype 'O8'"),
        (b'{"a": {"dtype": ["F64"], "shape": [1], "data_offsets": [0, 8]}}', "is of dtype"),
        (b'{"a": 3}', "is of dtype None"),
        (b"[" * 100_000, "its header is no JSON"),
        (b'["a"]', "not a JSON object"),
        (b"\xff\xfe", "its header is no JSON"),
    ],
)
def test_a_header_is_believed_only_as_far_as_the_file_goes(tmp_path, header, said):
    path = tmp_path / "x.safetensors"
    length = header if isinstance(header, int) else len(header)
    path.write_bytes(struct.pack("<Q", length) + (b"" if isinstance(header, int) else header) + b"\0" * 16)
    with pytest.raises(FormatError, match=said):
        read_safetensors(path, ("a",))


def test_every_kind_of_number_is_read(tmp_path):
    path = tmp_path / "x.safetensors"
    for kind, dtype in {"F16": "<f2", "I64": "<i8", "U8": "<u1", "BOOL": "|b1"}.items():
        blob = np.array([1, 0, 1], dtype=dtype).tobytes()
        entry = {
            "a": {"dtype": kind, "shape": [3], "data_offsets": [0, len(blob)]},
            "__metadata__": {"x": "y"},
        }
        text = json.dumps(entry).encode()
        path.write_bytes(struct.pack("<Q", len(text)) + text + blob)
        assert read_safetensors(path, ("a",))["a"].tolist() == [1, 0, 1]
    blob = np.array([0x3FC0, 0xC000], dtype="<u2").tobytes()  # 1.5 and -2 in bfloat16
    text = b'{"a": {"dtype": "BF16", "shape": [2, 1], "data_offsets": [0, 4]}}'
    path.write_bytes(struct.pack("<Q", len(text)) + text + blob)
    assert read_safetensors(path, ("a",))["a"].tolist() == [[1.5], [-2.0]]


FILES = ("topics.json", "ctfidf.safetensors", "ctfidf_config.json")


def mutated(content, rng):
    """The content with a few bytes changed, cut, doubled or put in; rng is a random.Random."""
    content = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 5))):
        at = rng.randrange(len(content) + 1)
        match rng.randrange(6):
            case 0:
                content[at : at + 1] = bytes([rng.randrange(256)])
            case 1:
                del content[at : at + rng.randrange(9)]
            case 2:
                content[at:at] = rng.choice(
                    (b"\0", b"-", b"9" * 20, b"[", b"}", b"null", b'"', b"\xff" * 8, b"1e999")
                )
            case 3:
                content[at:at] = content[at : at + rng.randrange(40)]
            case 4:
                content[at : at + 8] = rng.choice((b"\xff" * 8, b"\0" * 8, struct.pack("<Q", 10**18)))
            case 5:
                del content[at:]
    return bytes(content)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(FILES), st.randoms(use_true_random=False), st.booleans())
def test_a_folder_with_a_damaged_file_is_read_or_told_never_a_traceback(tmp_path_factory, name, rng, alone):
    folder = save_folder(tmp_path_factory.mktemp("damaged"), topics=not alone)
    if (folder / name).exists():
        (folder / name).write_bytes(mutated((folder / name).read_bytes(), rng))
    try:
        said = repr(read_model(folder).n_topics)
    except TealeavesError as error:
        said = str(error).removeprefix(str(folder))
    assert said
    assert str(folder) not in said


def test_too_many_weights_become_lists_of_the_heaviest_words(monkeypatch, tmp_path):
    from tealeaves.readers import bertopic

    monkeypatch.setattr(bertopic, "CELLS", 4)
    model = read_model(save_folder(tmp_path / "folder"))
    assert model.topic_word is None
    assert any("too many weights to keep" in note for note in model.notes)
    alone = read_model(save_folder(tmp_path / "alone", topics=False))
    assert alone.top_words(2) == [["federated", "iot"], ["data privacy", "federated"], ["lung", "x-ray"]]


def test_a_class_derived_from_bertopic_is_read_as_one():
    base = type(fitted())
    derived = type("MyTopics", (base,), {"__module__": "__main__"})()
    vars(derived).update(vars(fitted()))
    assert read_model(derived).source == "BERTopic"


def test_inspect_says_what_a_folder_is_and_what_is_in_it(tmp_path, capsys):
    from tealeaves.cli import run

    assert run(["inspect", str(save_folder(tmp_path / "folder"))]) == 0
    said = capsys.readouterr().out
    assert "folder: a model" in said
    assert "source: a saved BERTopic" in said
    assert "holds: word weights, topics of documents" in said
    assert "data privacy federated" in said
    assert "which are no probabilities" in said
