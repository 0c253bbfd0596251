import datetime
import itertools
import json
import shutil
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tealeaves as tl
from tealeaves import corpus_store
from tealeaves.corpus import Corpus, load_corpus, read_corpus
from tealeaves.counts import DOCUMENT, count_pairs
from tealeaves.errors import FormatError, InputError
from tealeaves.folders import digest, read_manifest, write_manifest
from tealeaves.growing import exclusive
from tealeaves.preprocess import Preprocess

tokens = st.text("abcåδ", min_size=1, max_size=2)
documents = st.lists(st.lists(tokens, max_size=6), max_size=8)


def words_of(corpus):
    """The documents as words again; None for a token outside the vocabulary."""
    words = [*corpus.vocabulary, None]
    return [[words[i] for i in corpus.document(d)] for d in range(len(corpus))]


@given(documents)
def test_a_corpus_gives_back_the_tokens_it_was_made_of(docs):
    corpus = Corpus.from_tokens(docs)
    assert words_of(corpus) == docs
    assert list(corpus.vocabulary) == sorted({word for doc in docs for word in doc})
    assert (corpus.tokens.dtype, corpus.offsets.dtype) == (np.int32, np.int64)


@given(documents)
def test_counts_agree_with_counting_by_hand(docs):
    corpus = Corpus.from_tokens(docs)
    flat = [word for doc in docs for word in doc]
    assert corpus.word_counts().tolist() == [flat.count(word) for word in corpus.vocabulary]
    found = [sum(word in doc for doc in docs) for word in corpus.vocabulary]
    assert corpus.document_frequency().tolist() == found


def test_documents_of_one_token_and_of_none_count():  # cases 9 and 23
    corpus = Corpus.from_tokens([["a"], ["b"], ["a", "b"], []])
    assert corpus.document_frequency().tolist() == [2, 2]
    assert len(corpus) == 4


@pytest.mark.parametrize("form", [iter, tuple, lambda docs: filter(None, docs), lambda docs: map(iter, docs)])
def test_any_iterable_is_read_once(form):  # case 10
    assert words_of(Corpus.from_tokens(form([["a", "b"], ["b"]]))) == [["a", "b"], ["b"]]


def test_more_documents_than_a_batch_come_out_whole():
    docs = [[f"w{i % 7}"] * (i % 3) for i in range(45_000)]
    corpus = Corpus.from_tokens(iter(docs))
    assert np.diff(corpus.offsets).tolist() == [len(doc) for doc in docs]
    assert [corpus.vocabulary[i] for i in corpus.tokens] == [word for doc in docs for word in doc]


def test_strings_where_token_lists_are_wanted_are_refused_with_the_fix():  # case 11
    with pytest.raises(InputError, match=r"document 0 .* is a string, 'a b c', .*tokens.*Corpus.from_texts"):
        Corpus.from_tokens(["a b c", "b c"])
    with pytest.raises(InputError, match=r"tokens.*Corpus.from_texts"):
        Corpus.from_tokens("a b c")


@pytest.mark.parametrize("wrong", [3, None, 1.5, ["b"], ("b",), b"b"])
def test_a_token_that_is_no_string_is_named_with_its_document(wrong):
    with pytest.raises(
        InputError, match=r"document 1 \(counted from 0\) has the token .*; tokens must be strings"
    ):
        Corpus.from_tokens([["a"], ["b", wrong]])


@pytest.mark.parametrize("kind", [set, frozenset])
def test_a_set_of_tokens_has_no_order_and_is_refused(kind):
    with pytest.raises(InputError, match=r"document 1 .* is a set, whose tokens have no order: .*sorted"):
        Corpus.from_tokens([["tax"], kind({"oil", "gas"})])
    with pytest.raises(InputError, match=r"a set has none: hand over a list, or sorted\(docs\)"):
        Corpus.from_tokens(kind({("oil", "gas"), ("tax",)}))


@pytest.mark.parametrize("docs", [None, 5, b"oil"])
def test_documents_that_are_no_list_are_refused(docs):
    with pytest.raises(InputError, match="docs must be a list, but is"):
        Corpus.from_tokens(docs)


def test_a_document_that_is_no_list_is_named():
    with pytest.raises(InputError, match=r"document 1 .* is 7"):
        Corpus.from_tokens([["a"], 7])


def test_blanks_at_the_ends_of_words_are_stripped_and_reported():  # case 30
    corpus = Corpus.from_tokens([["de ", "de", "  ", "\tle"]])
    assert words_of(corpus) == [["de", "de", None, "le"]]
    assert "2 words" in corpus.notes[0]
    assert "outside the vocabulary" in corpus.notes[1]


def test_tokens_outside_a_vocabulary_that_was_handed_over_keep_their_place():
    corpus = Corpus.from_tokens([["gas", "and", "oil"], ["and"]], vocabulary=["oil", "gas", "tin"])
    assert corpus.vocabulary == ("oil", "gas", "tin")
    assert corpus.tokens.tolist() == [1, -1, 0, -1]
    assert corpus.word_counts().tolist() == [1, 1, 0]


@pytest.mark.parametrize("wrong", [["a", "a"], ["a", " "], ["a", 3], "abc"])
def test_a_vocabulary_that_is_none_is_refused(wrong):
    with pytest.raises(InputError, match="vocabulary"):
        Corpus.from_tokens([["a"]], vocabulary=wrong)


@pytest.mark.parametrize(
    ("given_labels", "ordered"),
    [
        (["b", "a", "b"], ("a", "b")),
        (["10", "9", "10"], ("9", "10")),
        ([2001, 1999, 2001], ("1999", "2001")),
        ([datetime.date(2020, 10, 1), datetime.date(2020, 9, 30)], ("2020-09-30", "2020-10-01")),
        ([datetime.datetime(2020, 10, 1), datetime.datetime(2020, 9, 30)], ("2020-09-30", "2020-10-01")),
        (np.array([3, 1, 2]), ("1", "2", "3")),
    ],
)
def test_slices_come_in_their_own_order(given_labels, ordered):
    corpus = Corpus.from_tokens([["a"]] * len(given_labels), slices=given_labels)
    assert corpus.slice_labels == ordered
    shown = [str(label).removesuffix(" 00:00:00") for label in given_labels]
    assert [corpus.slice_labels[i] for i in corpus.slice_of] == shown


@pytest.mark.parametrize("wrong", [["a", 1], ["a", None], ["a"], [1.0, float("nan")]])
def test_slices_that_have_no_order_or_are_missing_are_refused(wrong):
    with pytest.raises(InputError, match="slice"):
        Corpus.from_tokens([["a"], ["b"]], slices=wrong)


def test_ids_must_be_there_and_unique():
    with pytest.raises(InputError, match="two documents have the id 'x'"):
        Corpus.from_tokens([["a"], ["b"]], ids=["x", "x"])
    with pytest.raises(InputError, match=r"document 1 .* has no id"):
        Corpus.from_tokens([["a"], ["b"]], ids=["x", None])
    with pytest.raises(InputError, match="ids has 1 entries for 2 documents"):
        Corpus.from_tokens([["a"], ["b"]], ids=["x"])


def test_labels_may_be_one_or_several():
    corpus = Corpus.from_tokens([["a"]] * 4, labels=["x", ["y", "z"], None, 7])
    assert corpus.labels == ("x", ("y", "z"), (), "7")


def test_a_matrix_has_counts_and_no_order():
    scipy = pytest.importorskip("scipy.sparse")
    dense = np.array([[0, 2, 1], [0, 0, 0], [1, 0, 0]])
    for matrix in (
        dense,
        dense.astype(float),
        scipy.csr_matrix(dense),
        scipy.coo_array(dense),
        dense.tolist(),
    ):
        corpus = Corpus.from_matrix(matrix, ["c", "a", "b"])
        assert words_of(corpus) == [["a", "a", "b"], [], ["c"]]
        assert not corpus.ordered
        assert corpus.vocabulary == ("c", "a", "b")


@pytest.mark.parametrize(
    ("matrix", "vocabulary", "message"),
    [
        ([[1, 2]], ["a"], "2 columns for 1 words"),
        ([[1, 2]], ["a", "b", "c"], "2 columns for 3 words"),
        ([[1], [2]], ["a", "b"], "turned round"),
        ([[0.5]], ["a"], "counts"),
        ([[-1]], ["a"], "counts"),
        ([[float("nan")]], ["a"], "counts"),
        ([1, 2], ["a"], "2 axes"),
    ],
)
def test_a_matrix_that_is_none_of_counts_is_refused(matrix, vocabulary, message):
    with pytest.raises(InputError, match=message):
        Corpus.from_matrix(matrix, vocabulary)


def test_select_keeps_the_vocabulary_and_everything_known_of_a_document():
    corpus = Corpus.from_texts(["Oil", "", "Gas oil"], ids="abc", slices=[2, 1, 3], labels=["x", ["y"], "z"])
    chosen = corpus.select([2, -3])
    assert words_of(chosen) == [["gas", "oil"], ["oil"]]
    assert (chosen.vocabulary, chosen.ids, chosen.labels) == (corpus.vocabulary, ("c", "a"), ("z", "x"))
    assert list(chosen.texts) == ["Gas oil", "Oil"]
    assert (chosen.slice_labels, chosen.slice_of.tolist()) == (("1", "2", "3"), [2, 1])
    assert words_of(corpus.select([])) == []


@given(documents, st.data())
def test_select_takes_numbers_a_mask_or_a_slice_alike(docs, draw):
    corpus = Corpus.from_tokens(docs)
    mask = draw.draw(st.lists(st.booleans(), min_size=len(docs), max_size=len(docs)))
    numbers = [i for i, chosen in enumerate(mask) if chosen]
    expected = [docs[i] for i in numbers]
    for indices in (numbers, iter(numbers), np.array(numbers, int), np.array(mask, bool)):
        assert words_of(corpus.select(indices)) == expected
    assert words_of(corpus.select(slice(1, None, 2))) == docs[1::2]


@pytest.mark.parametrize("wrong", [[3], [-4], [0.5], ["a"], [[0]], [True]])
def test_select_refuses_what_is_no_document(wrong):
    with pytest.raises(InputError):
        Corpus.from_tokens([["a"], ["b"], ["c"]]).select(wrong)


@given(documents, st.randoms())
def test_the_fingerprint_does_not_depend_on_the_order_of_the_vocabulary(docs, random):
    corpus = Corpus.from_tokens(docs)
    shuffled = list(corpus.vocabulary)
    random.shuffle(shuffled)
    assert Corpus.from_tokens(docs, vocabulary=shuffled).fingerprint == corpus.fingerprint


@given(documents, documents)
def test_corpora_have_one_fingerprint_if_and_only_if_they_are_the_same(first, second):
    same = first == second
    assert (Corpus.from_tokens(first).fingerprint == Corpus.from_tokens(second).fingerprint) == same


def test_the_fingerprint_depends_on_bounds_order_vocabulary_and_what_is_outside_it():
    docs = [["a", "b"], ["b"]]
    different = [
        Corpus.from_tokens(docs),
        Corpus.from_tokens([["a"], ["b", "b"]]),
        Corpus.from_tokens(docs, vocabulary=["a", "b", "c"]),
        Corpus.from_tokens(docs, vocabulary=["a"]),
        Corpus.from_matrix([[1, 1], [0, 1]], ["a", "b"]),
        Corpus.from_tokens([["ab", "b"], ["b"]]),
    ]
    assert len({corpus.fingerprint for corpus in different}) == len(different)
    named = Corpus.from_tokens(docs, ids=["x", "y"], slices=[1, 2], labels=["p", "q"])
    assert named.fingerprint == different[0].fingerprint


def test_a_frame_of_pandas_or_polars_is_read_by_its_columns():
    pd = pytest.importorskip("pandas")
    table = {
        "id": ["x", "y"],
        "body": ["Oil, gas", None],
        "day": [datetime.date(2020, 2, 1), datetime.date(2020, 1, 1)],
        "kind": [["p", "q"], ["r"]],
    }
    for frame in (pl.DataFrame(table), pd.DataFrame(table)):
        corpus = Corpus.from_frame(frame, text="body", time="day", label="kind")
        assert words_of(corpus) == [["oil", "gas"], []]
        assert corpus.ids == ("x", "y")
        assert corpus.slice_labels == ("2020-01-01", "2020-02-01")
        assert corpus.labels == (("p", "q"), ("r",))
        assert "1 documents have no text" in corpus.notes[0]


def test_a_frame_of_token_lists_is_read_as_such():
    frame = pl.DataFrame({"text": [["a", "b"], ["b"]]})
    assert words_of(Corpus.from_frame(frame, tokenized=True)) == [["a", "b"], ["b"]]
    with pytest.raises(InputError, match="from_tokens"):
        Corpus.from_frame(frame)


def test_a_column_that_is_missing_lists_those_that_are_there():
    with pytest.raises(InputError, match="no column 'text' for text=; there are: 'body', 'date'"):
        Corpus.from_frame(pl.DataFrame({"body": ["a"], "date": ["b"]}))


def test_arrays_that_do_not_belong_together_are_refused():
    def make(tokens, offsets, **more):
        return Corpus(("a", "b"), np.array(tokens), np.array(offsets), **more)

    make([0, 1, -1], [0, 3])
    for wrong in (([0, 2], [0, 2]), ([0, -2], [0, 2]), ([0], [0, 2]), ([0, 1], [0, 2, 1, 2]), ([0], [1])):
        with pytest.raises(InputError):
            make(*wrong)
    with pytest.raises(InputError, match="come together"):
        make([0], [0, 1], slice_of=np.array([0]))
    with pytest.raises(InputError, match="slice labels"):
        make([0], [0, 1], slice_of=np.array([1]), slice_labels=("x",))


def test_the_arrays_of_a_corpus_cannot_be_changed():
    corpus = Corpus.from_tokens([["a"]])
    for array in (corpus.tokens, corpus.offsets, corpus.word_counts(), corpus.document_frequency()):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@pytest.fixture
def full():
    return Corpus.from_texts(
        ["Oil and gas", "", "Häuser \udcff oil", "gas", "tin"],
        Preprocess(stop_words=["and"], min_df=2),
        ids=["a", "b", "c", "d", "é"],
        slices=[2, 1, 1, 3, 3],
        labels=["x", ["y", "z"], [], "x", "x"],
    )


@pytest.mark.parametrize("partitions", [1, 2, 3, 9])
def test_a_saved_corpus_comes_back_whole(full, tmp_path, partitions):
    full.save(tmp_path / "c", partitions=partitions)
    back = load_corpus(tmp_path / "c")
    assert words_of(back) == words_of(full)
    for name in ("vocabulary", "ids", "labels", "slice_labels", "ordered", "gaps", "preprocess", "notes"):
        assert getattr(back, name) == getattr(full, name)
    assert back.slice_of.tolist() == full.slice_of.tolist()
    assert list(back.texts) == list(full.texts)
    assert back.fingerprint == full.fingerprint == back.select(slice(None)).fingerprint
    parts = [load_corpus(tmp_path / "c", i) for i in range(partitions)]
    assert [doc for part in parts for doc in words_of(part)] == words_of(full)
    assert [name for part in parts for name in part.ids] == list(full.ids)
    assert [text for part in parts for text in part.texts] == list(full.texts)
    assert words_of(read_corpus(tmp_path / "c")) == words_of(full)


def test_a_corpus_without_documents_or_names_comes_back_too(tmp_path):
    for docs in ([], [[]], [["a"]]):
        corpus = Corpus.from_tokens(docs)
        corpus.save(tmp_path / "c")
        back = load_corpus(tmp_path / "c")
        assert (words_of(back), back.ids, back.texts) == (docs, None, None)


def test_a_saved_corpus_is_replaced_but_nothing_else_is(full, tmp_path):
    full.save(tmp_path / "c")
    Corpus.from_tokens([["a"]]).save(tmp_path / "c")
    assert load_corpus(tmp_path / "c").vocabulary == ("a",)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("do not lose")
    with pytest.raises(InputError, match="no saved corpus"):
        full.save(tmp_path / "mine")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c", "mine"]  # no scratch left


def test_a_save_that_fails_leaves_what_was_there(full, tmp_path, monkeypatch):
    full.save(tmp_path / "c")
    monkeypatch.setattr(json, "dumps", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        Corpus.from_tokens([["a"]]).save(tmp_path / "c")
    monkeypatch.undo()
    assert load_corpus(tmp_path / "c").fingerprint == full.fingerprint
    assert [path.name for path in tmp_path.iterdir()] == ["c"]


NAMES = [
    "corpus.json", "vocabulary.json", "tokens.npy", "offsets.npy", "slice_of.npy", "counts.npy",
    "ids.utf8", "id_ends.npy", "labels.utf8", "label_ends.npy", "texts.utf8", "text_ends.npy",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_file_that_is_torn_changed_or_missing_is_named_in_one_error(full, tmp_path, name):
    full.save(tmp_path / "c")
    file = tmp_path / "c" / name
    content = file.read_bytes()
    changed = content[:-1] + bytes([content[-1] ^ 1])
    for wrong in (content[: len(content) // 2], b"", changed):
        file.write_bytes(wrong)
        with pytest.raises(FormatError, match=name):
            load_corpus(tmp_path / "c")
    file.unlink()
    with pytest.raises(FormatError, match=name):
        load_corpus(tmp_path / "c")


def parts_of(corpus, *bounds):
    return [corpus.select(slice(a, b)) for a, b in itertools.pairwise([0, *bounds, len(corpus)])]


def test_a_corpus_written_piece_by_piece_is_that_written_at_once(full, tmp_path):
    first, *others = parts_of(full, 1, 3)
    first.save(tmp_path / "c")
    for other in others:
        tl.append_corpus(tmp_path / "c", other)
    back = load_corpus(tmp_path / "c", verify=True)
    assert words_of(back) == words_of(full)
    for name in ("ids", "labels", "texts", "slice_labels", "gaps", "fingerprint", "bag_fingerprint"):
        assert getattr(back, name) == getattr(full, name)
    assert back.slice_of.tolist() == full.slice_of.tolist()
    assert back.word_counts().tolist() == full.word_counts().tolist()
    assert back.document_frequency().tolist() == full.document_frequency().tolist()
    parts = [load_corpus(tmp_path / "c", i) for i in range(3)]
    assert [words_of(part) for part in parts] == [words_of(part) for part in [first, *others]]


def test_words_and_slices_that_are_new_find_their_place(tmp_path):
    Corpus.from_tokens([["oil", "gas"], ["tax"]], slices=[2001, 1999]).save(tmp_path / "c")
    tl.append_corpus(tmp_path / "c", Corpus.from_tokens([["zinc", "gas", "acid"]], slices=[2000]))
    tl.append_corpus(tmp_path / "c", Corpus.from_tokens([["new", "gas"]], slices=[2001]), grow=False)
    back = load_corpus(tmp_path / "c", verify=True)
    assert back.vocabulary == ("gas", "oil", "tax", "acid", "zinc")
    assert words_of(back) == [["oil", "gas"], ["tax"], ["zinc", "gas", "acid"], [None, "gas"]]
    assert back.slice_labels == ("1999", "2000", "2001")
    assert back.slice_of.tolist() == [2, 0, 1, 2]
    counts = Corpus.from_tokens([["oil", "gas"], ["tax"], ["zinc", "gas", "acid"], ["gas"]]).word_counts()
    assert sorted(back.word_counts()) == sorted(counts)


def test_an_addition_that_is_killed_leaves_the_corpus_as_it_was(full, tmp_path, monkeypatch):
    first, other = parts_of(full, 2)
    first.save(tmp_path / "c")
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            tl.append_corpus(tmp_path / "c", other)
    assert words_of(load_corpus(tmp_path / "c", verify=True)) == words_of(first)
    with (tmp_path / "c" / "tokens.npy").open("ab") as file:
        file.write(b"half an addition")
    assert words_of(load_corpus(tmp_path / "c", verify=True)) == words_of(first)
    tl.append_corpus(tmp_path / "c", other)
    assert load_corpus(tmp_path / "c", verify=True).fingerprint == full.fingerprint


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (Corpus.from_tokens([["a"]]), "the corpus has ids, and what is to be added to it has none"),
        (Corpus.from_tokens([["a"]], ids=["x"], labels=["l"]), "the corpus has no labels, and"),
        (Corpus.from_tokens([["a"]], ids=["d2"]), "has a document 'd2' already"),
        (Corpus.from_matrix([[1]], ["a"], ids=["x"]), "the corpus is in order True, but"),
    ],
)
def test_documents_of_another_kind_are_not_added(tmp_path, other, message):
    Corpus.from_tokens([["a"], ["b"]], ids=["d1", "d2"]).save(tmp_path / "c")
    with pytest.raises(InputError, match=message):
        tl.append_corpus(tmp_path / "c", other)
    assert len(load_corpus(tmp_path / "c", verify=True)) == 2


def test_a_corpus_is_added_to_itself_and_old_lists_of_words_go(tmp_path):
    place = tmp_path / "c"
    Corpus.from_texts(["oil gas", "tin"]).save(place, partitions=2)
    for n in (4, 8, 16, 32):
        tl.append_corpus(place, load_corpus(place))
        back = load_corpus(place, verify=True)
        assert (len(back), list(back.texts[-2:])) == (n, ["oil gas", "tin"])
        assert words_of(back) == [["oil", "gas"], ["tin"]] * (n // 2)
    names = {file.name for file in place.iterdir() if file.name.startswith(("vocabulary", "counts"))}
    assert names == {"vocabulary.3.json", "vocabulary.4.json", "counts.3.npy", "counts.4.npy"}


def test_a_manifest_of_someone_else_leads_to_no_other_file(tmp_path):
    corpus = Corpus.from_tokens([["oil", "gas"]])
    (tmp_path / "mine.npy").write_text("precious")
    for name in ("../mine.npy", str(tmp_path / "mine.npy"), "..", 3, "tokens.npy\n"):
        corpus.save(tmp_path / "c")
        about = read_manifest(tmp_path / "c", corpus_store.CORPUS)
        about["files"]["tokens"]["file"] = name
        write_manifest(tmp_path / "c", corpus_store.CORPUS, about)
        for use in (load_corpus, lambda place: tl.append_corpus(place, corpus)):
            with pytest.raises(FormatError, match="which is no file of a corpus"):
                use(tmp_path / "c")
    corpus.save(tmp_path / "c")
    (tmp_path / "c" / "tokens.npy").rename(tmp_path / "mine.npy")
    (tmp_path / "c" / "tokens.npy").symlink_to(tmp_path / "mine.npy")
    before = (tmp_path / "mine.npy").read_bytes()
    with pytest.raises(InputError, match="is a link"):
        tl.append_corpus(tmp_path / "c", corpus)
    assert (tmp_path / "mine.npy").read_bytes() == before
    assert load_corpus(tmp_path / "c").n_tokens == 2


def test_torn_arrays_that_nobody_checked_end_in_an_error_or_outside_the_vocabulary(tmp_path, monkeypatch):
    monkeypatch.setattr(corpus_store, "CHECKED", 10)
    Corpus.from_tokens([["oil", "gas"], ["oil"]]).save(tmp_path / "c")
    for name, value, error in (("tokens", 1 << 29, None), ("offsets", 1 << 40, "the corpus is torn")):
        array = np.load(tmp_path / "c" / f"{name}.npy", mmap_mode="r+")
        array[1] = value
        array.flush()
        corpus = load_corpus(tmp_path / "c")
        if error is None:
            assert count_pairs(corpus, ["oil", "gas"], [[0, 1]], [DOCUMENT])[DOCUMENT].joints.tolist() == [0]
        else:
            with pytest.raises(InputError, match=error):
                count_pairs(corpus, ["oil", "gas"], [[0, 1]], [DOCUMENT])
        with pytest.raises(FormatError, match=r"npy.*torn"):
            load_corpus(tmp_path / "c", verify=True)
        with pytest.raises(FormatError, match="partition 0 of it, or of its offsets"):
            corpus_store.open_part(tmp_path / "c", 0, corpus.stored.digests[0])


def test_two_processes_do_not_write_to_a_corpus_at_once(tmp_path):
    Corpus.from_tokens([["a"]]).save(tmp_path / "c")
    with exclusive(tmp_path / "c"), pytest.raises(InputError, match="another process is writing there"):
        tl.append_corpus(tmp_path / "c", Corpus.from_tokens([["b"]]))


def test_a_large_corpus_opens_without_being_read(tmp_path, monkeypatch):
    corpus = Corpus.from_tokens([["oil", "gas"]] * 50, ids=map(str, range(50)))
    corpus.save(tmp_path / "c", partitions=2)
    monkeypatch.setattr(corpus_store, "CHECKED", 10)
    with monkeypatch.context() as patch:
        patch.setattr(corpus_store, "digest", lambda array: 1 / 0 if len(array) > 30 else digest(array))
        back = load_corpus(tmp_path / "c")
        assert (len(back), back.ids[49], back.fingerprint) == (50, "49", corpus.fingerprint)
    with (tmp_path / "c" / "tokens.npy").open("r+b") as file:
        file.truncate(300)
    with pytest.raises(FormatError, match=r"tokens\.npy"):
        load_corpus(tmp_path / "c")


def test_a_foreign_folder_or_file_is_no_corpus(tmp_path):
    with pytest.raises(FileNotFoundError):
        load_corpus(tmp_path / "none")
    with pytest.raises(FormatError, match="no saved corpus"):
        load_corpus(tmp_path)
    (tmp_path / "corpus.json").write_text('{"name": "theirs"}')
    with pytest.raises(FormatError, match="not written by tealeaves"):
        load_corpus(tmp_path)
    (tmp_path / "corpus.json").write_text('{"format": "tealeaves corpus", "version": 99}')
    with pytest.raises(FormatError, match="version 99"):
        load_corpus(tmp_path)


def test_a_partition_that_does_not_exist_is_refused(full, tmp_path):
    full.save(tmp_path / "c", partitions=2)
    with pytest.raises(InputError, match="2 partitions"):
        load_corpus(tmp_path / "c", 2)
    with pytest.raises(InputError, match="at least one partition"):
        full.save(tmp_path / "c", partitions=0)


def test_a_mapped_corpus_survives_that_its_folder_is_replaced(full, tmp_path):
    full.save(tmp_path / "c")
    mapped = load_corpus(tmp_path / "c")
    shutil.rmtree(tmp_path / "c")
    assert words_of(mapped) == words_of(full)


def test_three_million_tokens_are_encoded_in_well_under_a_second_of_work():
    names = [f"w{i:x}" for i in range(50_000)]
    ids = (np.random.default_rng(0).pareto(1, 3_000_000) * 5).astype(int) % len(names)
    words = [names[i] for i in ids.tolist()]
    docs = [words[i : i + 150] for i in range(0, len(words), 150)]
    start = time.process_time()
    corpus = Corpus.from_tokens(docs)
    taken = time.process_time() - start
    assert corpus.n_tokens == 3_000_000
    assert taken < 1.5  # 0.2 to 0.4 s on an idle machine
