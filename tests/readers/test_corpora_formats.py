"""Corpora in the formats of other tools: real files first, then small ones written here, then damage."""

import gzip
import json
import pickle
import struct

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tealeaves import Preprocess, evaluate, read_corpus
from tealeaves.corpus import Corpus
from tealeaves.errors import FormatError, InputError
from tealeaves.model import TopicModel
from tealeaves.writers.corpora import write_corpus

SAME = {
    "corpus.ldac": {},
    "corpus.svmlight": {},
    "corpus.mm": {},
    "docword.uci.txt": {},
    "corpus.low": {},
    "corpus.mallet.txt": {},
    "tokens.txt": {"tokenized": True},
}
UCI = b"3\n3\n4\n1 1 2\n1 3 1\n3 2 1\n3 1 4\n"
MM = (
    b"%%MatrixMarket matrix coordinate real general\n% a comment\n3 3 4    \n1 1 2\n1 3 1.0\n3 2 1e0\n3 1 4\n"
)
LDAC = b"2 0:2 2:1\n0\n2 1:1 0:4\n"
SVM = b"# made by hand\n1 1:2 3:1 # first\n\n-1 qid:3 # second\n1,7 2:1.0 1:4 # third\n"
WORDS = b"oil\ngas\ntin\n"
BAGS = [{"oil": 2, "tin": 1}, {}, {"gas": 1, "oil": 4}]
FILES = {"c.uci": UCI, "c.mm": MM, "c.ldac": LDAC, "c.svmlight": SVM}


def counts(corpus):
    found = [{} for _ in range(len(corpus))]
    for bag, d in zip(found, range(len(corpus)), strict=True):
        for token in corpus.document(d):
            word = corpus.vocabulary[token]
            bag[word] = bag.get(word, 0) + 1
    return found


def written(folder, name, content, words=WORDS):
    (folder / name).write_bytes(content)
    if words is not None:
        (folder / f"{name}.vocab").write_bytes(words)
    return folder / name


def test_eight_encodings_of_400_stories_have_one_fingerprint_of_counts(data):
    folder = data / "formats" / "corpora_same400"
    corpora = {name: read_corpus(folder / name, **options) for name, options in SAME.items()}
    corpora["dictionary"] = read_corpus(folder / "corpus.mm", vocabulary=folder / "dictionary.gensim.txt")
    for name, corpus in corpora.items():
        assert (len(corpus), len(corpus.vocabulary), corpus.n_tokens) == (400, 2092, 31289), name
        assert corpus.ordered == (name == "tokens.txt")
    assert len({corpus.bag_fingerprint for corpus in corpora.values()}) == 1
    assert corpora["tokens.txt"].fingerprint != corpora["corpus.ldac"].fingerprint


def test_words_of_gensim_s_low_and_mallet_files_stand_grouped_so_windows_are_refused(data):
    corpus = read_corpus(data / "formats" / "corpora_same400" / "corpus.low")
    assert "written from counts" in corpus.notes[0]
    with pytest.raises(InputError, match="order"):
        evaluate(TopicModel.from_words([["april", "crop"]]), corpus, measures=["npmi(window=10)@2"], ci=None)


def test_the_reuters_of_lda_c_keep_their_titles(data):
    corpus = read_corpus(data / "formats" / "ldac_reuters395" / "reuters.ldac")
    assert (len(corpus), len(corpus.vocabulary), corpus.n_tokens) == (395, 4258, 84010)
    assert corpus.ids[0].startswith("0 UK: Prince Charles spearheads British royal revolution")
    assert corpus.vocabulary[:3] == ("church", "pope", "years")


@pytest.mark.parametrize(
    ("name", "documents", "words", "labels", "parts"),
    [
        ("BBC_News", 2225, 2949, 5, (1556, 334, 335)),
        ("M10", 8355, 1696, 10, None),
        ("DBLP", 54595, 1513, 4, (38215, 8190, 8190)),
    ],
)
def test_octis_folders_keep_labels_and_partitions(data, name, documents, words, labels, parts):
    folder = data / "octis" / name
    corpus = read_corpus(folder, time="partition")
    assert (len(corpus), len(corpus.vocabulary), len(set(corpus.labels))) == (documents, words, labels)
    assert corpus.slice_labels == ("test", "train", "val")
    assert (corpus.word_counts() > 0).all()
    if parts:
        read = [read_corpus(folder, partition=part) for part in ("train", "val", "test")]
        assert tuple(map(len, read)) == parts
        assert read[1].vocabulary == corpus.vocabulary
        inside = corpus.select(corpus.slice_of == 2)
        assert read[1].fingerprint == inside.fingerprint


def test_the_lines_that_mallet_imported_are_the_corpus_of_its_state(data):
    folder = data / "formats" / "mallet_bbc"
    corpus = read_corpus(folder / "train.txt.gz", format="mallet")
    assert (len(corpus), corpus.ids[0], corpus.labels[:2]) == (1556, "bbc_0000", ("tech", "business"))
    octis = read_corpus(data / "octis" / "BBC_News", partition="train")
    assert corpus.bag_fingerprint == octis.bag_fingerprint


def test_speeches_as_a_sparse_matrix_keep_years_and_ids(data):
    corpus = read_corpus(data / "un" / "un_bow_1970_2020.npz", time="years", label="country")
    assert (len(corpus), corpus.n_tokens, len(corpus.vocabulary)) == (8481, 8_077_065, 6000)
    assert corpus.slice_labels[0] == "1970"
    assert corpus.slice_labels[-1] == "2020"
    assert corpus.ids[0] == "ALB_25_1970"
    assert corpus.labels[0] == "ALB"


def test_a_corpus_of_dtm_has_the_slices_of_its_seq_file(data, tmp_path):
    import tarfile

    with tarfile.open(data / "formats" / "dtm_blei" / "neurips_run.tar.gz") as archive:
        for name in ("mult.dat", "seq.dat", "vocab.txt"):
            member = archive.extractfile(f"./neurips-{name}")
            (tmp_path / f"neurips-{name}").write_bytes(member.read())
    corpus = read_corpus(tmp_path / "neurips-mult.dat")
    assert (len(corpus), len(corpus.vocabulary), len(corpus.slice_labels)) == (1485, 1544, 33)
    assert np.bincount(corpus.slice_of).max() == 45


@pytest.mark.parametrize("name", FILES)
def test_formats_of_counts_say_the_same(tmp_path, name):
    corpus = read_corpus(written(tmp_path, name, FILES[name]))
    assert counts(corpus) == BAGS
    assert corpus.vocabulary == ("oil", "gas", "tin")
    assert not corpus.ordered


@pytest.mark.parametrize("name", FILES)
def test_a_format_of_counts_is_known_by_its_content(tmp_path, name):
    content = gzip.compress(FILES[name], mtime=0)
    corpus = read_corpus(written(tmp_path, "counts.gz", content, None), vocabulary=["oil", "gas", "tin"])
    assert counts(corpus) == BAGS


def test_svmlight_keeps_labels_and_names(tmp_path):
    corpus = read_corpus(written(tmp_path, "c.svmlight", SVM))
    assert corpus.labels == ("1", "-1", ("1", "7"))
    assert corpus.ids == ("first", "second", "third")


def test_svmlight_counts_from_0_where_a_word_0_is_there_and_else_from_1(tmp_path):
    zero = read_corpus(written(tmp_path, "a.svmlight", b"1 0:2 2:1\n1\n1 1:1 0:4\n"))
    assert counts(zero) == BAGS
    one = read_corpus(written(tmp_path, "b.svmlight", b"1 1:2 2:1\n"))
    assert counts(one) == [{"oil": 2, "gas": 1}]
    assert "counted from 1" in one.notes[0]


def test_scikit_learn_s_and_gensim_s_own_files_are_read(tmp_path):
    corpora = pytest.importorskip("gensim.corpora")
    datasets = pytest.importorskip("sklearn.datasets")
    from scipy import io, sparse

    texts = [["oil", "tin", "oil"], [], ["oil", "gas", "oil", "oil", "oil"]]
    dictionary = corpora.Dictionary(texts)
    bags = [dictionary.doc2bow(text) for text in texts]
    dictionary.save_as_text(str(tmp_path / "dictionary.txt"))
    for name, writer in (
        ("g.mm", corpora.MmCorpus),
        ("g.ldac", corpora.BleiCorpus),
        ("g.svmlight", corpora.SvmLightCorpus),
        ("g.uci", corpora.UciCorpus),
        ("g.low", corpora.LowCorpus),
        ("g.mallet", corpora.MalletCorpus),
    ):
        writer.serialize(str(tmp_path / name), bags, id2word=dictionary)
        assert counts(read_corpus(tmp_path / name)) == BAGS, name
    matrix = sparse.csr_matrix([[2, 0, 1], [0, 0, 0], [4, 1, 0]])
    words = ["oil", "gas", "tin"]
    datasets.dump_svmlight_file(matrix, [1, 0, 1], str(tmp_path / "s.svmlight"), zero_based=False)
    io.mmwrite(tmp_path / "s.mtx", matrix)
    io.mmwrite(tmp_path / "real.mtx", matrix.astype(float))
    sparse.save_npz(tmp_path / "s.npz", matrix)
    for name in ("s.svmlight", "s.mtx", "real.mtx", "s.npz"):
        assert counts(read_corpus(tmp_path / name, vocabulary=words)) == BAGS, name
    assert read_corpus(tmp_path / "s.svmlight", vocabulary=words).labels == ("1", "0", "1")


def test_words_are_found_beside_a_file_by_the_usual_names(tmp_path):
    for i, (corpus, words) in enumerate(
        [
            ("docword.kos.txt", "vocab.kos.txt"),
            ("docword.uci.txt", "docword.uci.txt.vocab"),
            ("reuters.uci", "reuters.tokens"),
            ("a.uci", "vocab.txt"),
            ("b.uci", "b.dict.txt.gz"),
        ]
    ):
        folder = tmp_path / str(i)
        folder.mkdir()
        content = b"3\n0\toil\t2\n1\tgas\t1\n2\ttin\t1\n" if "dict" in words else WORDS
        (folder / words).write_bytes(gzip.compress(content) if words.endswith(".gz") else content)
        assert counts(read_corpus(written(folder, corpus, UCI, None))) == BAGS


def test_the_documents_as_plain_words_beside_their_counts_are_no_vocabulary(tmp_path):
    path = written(tmp_path, "c.uci", UCI, None)
    (tmp_path / "c.tokens").write_bytes(b"oil oil tin\n\ngas oil oil oil oil\n")
    (tmp_path / "vocab.txt").write_bytes(WORDS)
    assert counts(read_corpus(path)) == BAGS


def test_words_that_are_nowhere_are_one_error_that_says_what_was_looked_for(tmp_path):
    path = written(tmp_path, "c.uci", UCI, None)
    (tmp_path / "vocab.txt").write_bytes(b"oil\ngas\n")
    message = r"c\.uci: .*3 words.*c\.uci\.vocab, c\.vocab.*vocab\.txt \(2 words\).*vocabulary="
    with pytest.raises(FormatError, match=message):
        read_corpus(path)
    (tmp_path / "vocab.txt").write_bytes(WORDS)
    (tmp_path / "dictionary.txt").write_bytes(b"gas\noil\ntin\n")
    with pytest.raises(FormatError, match=r"dictionary\.txt and vocab\.txt beside it differ"):
        read_corpus(path)
    (tmp_path / "c.uci.vocab").write_bytes(b"oil\ngas\n")
    with pytest.raises(FormatError, match=r"c\.uci\.vocab: has 2 words, but c\.uci has 3 words"):
        read_corpus(path)
    with pytest.raises(FormatError, match=r"c\.uci: has 3 words, but the vocabulary handed over has 1"):
        read_corpus(path, vocabulary=["oil"])


def test_a_pickled_dictionary_is_opened_only_if_trusted(tmp_path):
    corpora = pytest.importorskip("gensim.corpora")
    dictionary = corpora.Dictionary([["gas", "oil", "tin"]])
    dictionary.save(str(tmp_path / "c.dict"))
    path = written(tmp_path, "c.uci", UCI, None)
    with pytest.raises(FormatError, match=r"c\.dict: is a Python pickle .*save_as_text.*trust=True"):
        read_corpus(path, vocabulary=tmp_path / "c.dict")
    trusted = read_corpus(path, vocabulary=tmp_path / "c.dict", trust=True)
    assert trusted.vocabulary == ("gas", "oil", "tin")
    with pytest.raises(FormatError, match="is a Python pickle, which can run any code"):
        read_corpus(tmp_path / "c.dict")
    assert read_corpus(path, vocabulary=dictionary).vocabulary == ("gas", "oil", "tin")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("c.uci", b"3\n3\n5\n1 1 2\n", r"c\.uci:4: says 5 lines of counts, but ends after 1: it is cut off"),
        ("c.uci", b"3\n3\n1\n1 1 2\n2 1 1\n", r"c\.uci:5: says 1 lines of counts, but here is another"),
        ("c.uci", b"3\n3\n1\n4 1 2\n", r"c\.uci:4: a document from 1 to 3 was expected, but found '4 1 2'"),
        ("c.uci", b"3\n3\n1\n1 0 2\n", r"c\.uci:4: a word from 1 to 3 was expected"),
        ("c.uci", b"3\n3\n1\n1 1 0.5\n", r"c\.uci:4: a whole number was expected: .*tf-idf"),
        ("c.uci", b"3\n3\n1\n1 1 -2\n", r"c\.uci:4: the number is negative"),
        ("c.uci", b"3\n3\n1\n1 1\n", r"c\.uci:4: a number was expected, but found '1 1'"),
        ("c.uci", b"3\n3\n1\n1 1 1 1\n", r"c\.uci:4: the line goes on after its last number"),
        ("c.uci", b"3\n3\n1\n1 1 99999999999999999999\n", r"c\.uci:4: the number is too large"),
        ("c.uci", b"3\n3\n1\n1 1 1000000000000000\n", r"c\.uci: says 1,000,000,000,000,000 tokens in only 1"),
        ("c.uci", b"100000000000\n3\n1\n1 1 1\n", r"c\.uci:3: says 100,000,000,000 documents, but holds"),
        ("c.uci", b"three\n", r"c\.uci:1: the number of documents \(D\) was expected, but found 'three'"),
        ("c.uci", b"3\n3\n", r"c\.uci:3: the number of lines"),
        ("c.mm", b"%%MatrixMarket matrix array real general\n", r"c\.mm:1: .*coordinate.* was expected"),
        ("c.mm", b"1 1 1\n", r"c\.mm:1: a line that begins with %%MatrixMarket was expected"),
        ("c.mm", MM[:46] + b"\n3 3\n", r"c\.mm:3: numbers of rows, columns and lines were expected"),
        ("c.mm", MM[:-6], r"c\.mm:6: says 4 lines of counts, but ends after 3"),
        ("c.ldac", b"2 0:1\n", r"c\.ldac:1: says 2 pairs word:count, but 1 follow"),
        ("c.ldac", LDAC + b"1 x:1\n", r"c\.ldac:4: a number was expected, but found"),
        ("c.ldac", LDAC + b"1 1\n", r"c\.ldac:4: word:count was expected, but found"),
        ("c.ldac", LDAC + b"1 9:1\n", r"c\.ldac\.vocab: has 3 words, but c\.ldac has at least 10 words"),
        ("c.ldac", b"\n", r"c\.ldac: holds no documents"),
        ("c.svmlight", b"1 1:2 2:0.25\n", r"c\.svmlight:1: a whole number was expected: .*weights"),
        ("c.svmlight", b"1 1:2\n1 1;2\n", r"c\.svmlight:2: a number was expected"),
        ("c.low", b"3\na b\n", r"c\.low:2: the first line says 3 documents, but the file ends after 1"),
        ("c.low", b"1\na b\nc\n", r"c\.low:3: the first line says 1 documents, but here is another"),
        ("c.low", b"oil gas\n", r"c\.low:1: the number of documents was expected, but found 'oil gas'"),
        ("c.mallet", b"one\n", r"c\.mallet:1: a name, a label and the text were expected"),
        ("c.mallet", b"\xac\xed\x00\x05sr", r"c\.mallet: holds MALLET's instances .*print-instances"),
        ("c.txt", b"2\n0\toil\t1\n1\tgas\t2\n", r"c\.txt: is a dictionary of gensim"),
        ("c.pkl", pickle.dumps([1]), r"c\.pkl: is a Python pickle"),
        ("c.npz", b"PK\x03\x04rubbish", r"c\.npz: is no whole archive of NumPy"),
        ("c.arrow", b"\xff\xff\xff\xff\x10\x00\x00", r"c\.arrow: is no whole Arrow file"),
    ],
)
def test_damage_is_one_error_that_says_where(tmp_path, name, content, message):
    with pytest.raises(FormatError, match=message):
        read_corpus(written(tmp_path, name, content))


def test_a_vocabulary_is_checked_line_by_line(tmp_path):
    for words, message in (
        (b"oil\n\ntin\n", r"vocab:2: a word was expected, but the line is empty"),
        (b"oil\ngas\noil\n", r"vocab:3: the word 'oil' is there twice, first in line 1"),
        (b"oil\n\xe9\ntin\n", r"vocab:2: byte 0xe9 is no UTF-8"),
    ):
        with pytest.raises(FormatError, match=message):
            read_corpus(written(tmp_path, "c.uci", UCI, words))


def test_names_of_documents_must_be_as_many(tmp_path):
    path = written(tmp_path, "c.uci", UCI)
    (tmp_path / "c.uci.ids").write_bytes(b"a\nb\nc\n")
    assert read_corpus(path).ids == ("a", "b", "c")
    (tmp_path / "c.uci.ids").write_bytes(b"a\nb\n")
    with pytest.raises(FormatError, match=r"c\.uci\.ids: names 2 documents, but c\.uci has 3"):
        read_corpus(path)


def test_what_a_format_of_counts_cannot_do_is_said(tmp_path):
    path = written(tmp_path, "c.uci", UCI)
    with pytest.raises(InputError, match="holds counts of words, not text, so preprocess= cannot be met"):
        read_corpus(path, preprocess=Preprocess())
    with pytest.raises(InputError, match="label= cannot be met"):
        read_corpus(path, label="label")
    with pytest.raises(InputError, match="uci has no partitions"):
        read_corpus(path, partition="train")


def octis(folder, rows, **about):
    folder.mkdir()
    (folder / "corpus.tsv").write_text("".join("\t".join(row) + "\n" for row in rows), "utf-8")
    (folder / "vocabulary.txt").write_text("gas\noil\n", "utf-8")
    if about:
        (folder / "metadata.json").write_text(json.dumps(about), "utf-8")
    return folder


def test_an_octis_folder_may_lack_labels_and_metadata(tmp_path):
    plain = read_corpus(octis(tmp_path / "a", [["oil gas oil"], ["gas tin"]]))
    assert (plain.labels, plain.vocabulary, plain.tokens.tolist()) == (None, ("gas", "oil"), [1, 0, 1, 0, -1])
    with pytest.raises(InputError, match="has no partitions"):
        read_corpus(tmp_path / "a", partition="train")
    parts = octis(tmp_path / "b", [["oil", "train"], ["gas", "test"]], total_documents=2)
    assert len(read_corpus(parts, partition="test")) == 1
    with pytest.raises(InputError, match=r"no partition 'dev'; there are: 'test', 'train'"):
        read_corpus(parts, partition="dev")
    cut = octis(tmp_path / "c", [["oil", "train"], ["gas", "test"]], total_documents=3)
    with pytest.raises(FormatError, match=r"corpus\.tsv:2: has 2 documents, but metadata\.json says 3"):
        read_corpus(cut)


def dataset(folder, frame, **features):
    """What `datasets` writes with `save_to_disk`: a stream of Arrow and two files of JSON."""
    folder.mkdir(parents=True)
    frame.write_ipc_stream(folder / "data-00000-of-00001.arrow")
    state = {"_data_files": [{"filename": "data-00000-of-00001.arrow"}], "_split": "train"}
    (folder / "state.json").write_text(json.dumps(state))
    (folder / "dataset_info.json").write_text(json.dumps({"features": features}))
    return folder


def test_a_dataset_of_hugging_face_keeps_ids_times_and_the_names_of_its_classes(tmp_path):
    frame = pl.DataFrame(
        {"id": ["a", "b"], "text": ["Oil, gas", "Tin"], "year": [2001, 1999], "label": [1, 0]}
    )
    label = {"names": ["business", "sport"], "_type": "ClassLabel"}
    folder = dataset(tmp_path / "news", frame, label=label)
    corpus = read_corpus(folder, time="year", label="label")
    assert (corpus.ids, corpus.labels) == (("a", "b"), ("sport", "business"))
    assert corpus.slice_labels == ("1999", "2001")
    assert corpus.vocabulary == ("gas", "oil", "tin")
    assert read_corpus(folder / "data-00000-of-00001.arrow").fingerprint == corpus.fingerprint
    frame.write_ipc(tmp_path / "file.arrow")
    assert read_corpus(tmp_path / "file.arrow", label="label").labels == ("1", "0")


def test_splits_of_a_dataset_are_partitions(tmp_path):
    for split, text in (("train", "oil gas"), ("test", "tin")):
        dataset(tmp_path / "all" / split, pl.DataFrame({"text": [text]}))
    (tmp_path / "all" / "dataset_dict.json").write_text('{"splits": ["train", "test"]}')
    assert len(read_corpus(tmp_path / "all")) == 2
    assert read_corpus(tmp_path / "all", partition="test").vocabulary == ("tin",)
    with pytest.raises(InputError, match=r"no partition 'dev'; there are: 'train', 'test'"):
        read_corpus(tmp_path / "all", partition="dev")


@pytest.mark.parametrize("name", ["../secret.arrow", "/etc/passwd", "..", 7])
def test_a_dataset_cannot_name_files_outside_its_folder(tmp_path, name):
    folder = dataset(tmp_path / "news", pl.DataFrame({"text": ["a"]}))
    pl.DataFrame({"text": ["secret"]}).write_ipc_stream(tmp_path / "secret.arrow")
    (folder / "state.json").write_text(json.dumps({"_data_files": [{"filename": name}]}))
    with pytest.raises(FormatError, match=r"state\.json: the name of a file beside it was expected"):
        read_corpus(folder)


def test_text_that_only_looks_like_a_format_of_counts_stays_text(tmp_path):
    for content in (
        b"4:30 the meeting\n5:00 it ended\n",
        b"12\nbottles of beer\n",
        b"(in brief) oil\n1 2 3\n",
    ):
        path = written(tmp_path, "c.txt", content, None)
        assert len(read_corpus(path)) == 2


def test_npz_arrays_of_python_objects_are_never_opened(tmp_path):
    csr = {
        "data": np.array([1]),
        "indices": np.array([0]),
        "indptr": np.array([0, 1]),
        "shape": np.array([1, 1]),
    }
    np.savez(tmp_path / "c.npz", vocab=np.array(["oil"], object), **csr)
    with pytest.raises(FormatError, match="holds Python objects"):
        read_corpus(tmp_path / "c.npz")
    np.savez(tmp_path / "d.npz", vocab=np.array(["oil"]), **csr | {"indices": np.array([5])})
    with pytest.raises(FormatError, match=r"goes to 5, but there are 1 words"):
        read_corpus(tmp_path / "d.npz")
    np.savez(tmp_path / "e.npz", vocab=np.array(["oil"]), **csr | {"data": np.array([0.5])})
    with pytest.raises(FormatError, match="weights"):
        read_corpus(tmp_path / "e.npz")


def test_an_npz_whose_array_says_to_be_huge_takes_no_memory(tmp_path):
    import zipfile

    head = b"{'descr': '<i8', 'fortran_order': False, 'shape': (1000000000000,), }"
    with zipfile.ZipFile(tmp_path / "c.npz", "w") as archive:
        for name in ("data", "indices", "indptr", "shape"):
            archive.writestr(f"{name}.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head)
    with pytest.raises(FormatError, match="is cut off: 8,000,000,000,000 bytes were expected"):
        read_corpus(tmp_path / "c.npz")


words = st.text(st.characters(codec="utf-8", exclude_categories=["Z", "C"]), min_size=1, max_size=4)
documents = st.lists(st.lists(words, max_size=6), min_size=1, max_size=6)


@given(documents, st.randoms())
def test_the_fingerprint_of_counts_knows_no_order_of_tokens_or_words(docs, random):
    corpus = Corpus.from_tokens(docs)
    mixed = [random.sample(doc, len(doc)) for doc in docs]
    vocabulary = [*corpus.vocabulary, "a word that no document has"]
    random.shuffle(vocabulary)
    again = Corpus.from_tokens(mixed, vocabulary=vocabulary)
    assert again.bag_fingerprint == corpus.bag_fingerprint
    assert corpus.select(slice(0, None)).bag_fingerprint == corpus.bag_fingerprint


@given(documents, documents)
def test_other_counts_have_another_fingerprint(docs, others):
    a, b = Corpus.from_tokens(docs), Corpus.from_tokens(others)
    same = counts(a) == counts(b)
    assert (a.bag_fingerprint == b.bag_fingerprint) == same


def test_a_fingerprint_of_counts_does_not_depend_on_how_many_tokens_are_read_at_a_time(monkeypatch):
    rng = np.random.default_rng(0)
    docs = [[f"w{i}" for i in rng.integers(0, 9, size)] for size in (5, 0, 40, 1, 0, 7)]
    found = Corpus.from_tokens(docs).bag_fingerprint
    for chunk in (1, 3, 10):
        monkeypatch.setattr("tealeaves.fingerprints.CHUNK", chunk)
        assert Corpus.from_tokens(docs).bag_fingerprint == found


COUNTED = ("uci", "ldac", "svmlight", "mm")
RICH = Corpus.from_tokens(
    [["oil", "gas", "oil"], [], ["tin"], ["gas", "tin", "oil", "gas"]],
    ids=["a", "b", "c", "d"],
    slices=[2001, 1999, 2001, 2000],
    labels=["x", "y", "x", None],
)
READ = {"tokens": {"format": "tokens"}, "mallet": {"tokenized": True}} | {
    name: {"text": "tokens", "tokenized": True, "time": "time", "label": "label"}
    for name in ("jsonl", "parquet")
}


@pytest.mark.parametrize("format", ["tokens", "low", "mallet", "octis", "jsonl", "parquet"])
def test_what_is_written_in_order_is_read_back_with_the_same_fingerprint(tmp_path, format):
    name = "docs" if format == "octis" else f"docs.{format}"
    notes = write_corpus(RICH, tmp_path / name, format)
    read = read_corpus(tmp_path / name, **READ.get(format, {}))
    assert read.fingerprint == RICH.fingerprint
    told = " ".join(notes)
    for part, sentence in (("ids", "ids"), ("labels", "labels"), ("slice_labels", "time slices")):
        assert (getattr(read, part) == getattr(RICH, part)) != (sentence in told), (format, part, notes)


@pytest.mark.parametrize("format", COUNTED)
def test_what_is_written_as_counts_is_read_back_with_the_same_counts(tmp_path, format):
    notes = write_corpus(RICH, tmp_path / f"docs.{format}")
    read = read_corpus(tmp_path / f"docs.{format}")
    assert read.bag_fingerprint == RICH.bag_fingerprint
    assert (read.vocabulary, read.ids) == (RICH.vocabulary, RICH.ids)
    assert read.labels == (RICH.labels if format == "svmlight" else None)
    assert "the order of tokens" in notes[0]
    again = tmp_path / "again"
    write_corpus(read, again / f"docs.{format}")
    assert read_corpus(again / f"docs.{format}").fingerprint == read.fingerprint


@settings(max_examples=30)
@given(docs=documents, several=st.lists(st.lists(words, max_size=2, unique=True), min_size=6, max_size=6))
@pytest.mark.parametrize("format", [*COUNTED, "tokens", "low", "mallet", "octis", "jsonl", "parquet"])
def test_any_words_survive_the_way_out_and_back(tmp_path_factory, format, docs, several):
    corpus = Corpus.from_tokens(docs, labels=several[: len(docs)])
    path = tmp_path_factory.mktemp("written") / ("docs" if format == "octis" else f"docs.{format}")
    write_corpus(corpus, path, format)
    read = read_corpus(path, **{k: v for k, v in READ.get(format, {}).items() if k != "time"})
    assert read.bag_fingerprint == corpus.bag_fingerprint
    if format not in COUNTED:
        assert read.fingerprint == corpus.fingerprint
    if format in ("jsonl", "parquet"):
        assert [set(label) for label in read.labels] == [set(label) for label in corpus.labels]


def test_a_word_with_a_blank_is_refused_where_blanks_part_words(tmp_path):
    corpus = Corpus.from_tokens([["new york", "oil"]])
    for format in ("tokens", "low", "mallet", "octis"):
        with pytest.raises(InputError, match=r"the word 'new york' has a blank in it.*JSON Lines"):
            write_corpus(corpus, tmp_path / "docs", format)
        assert not list(tmp_path.iterdir())
    for format in (*COUNTED, "jsonl", "parquet"):
        write_corpus(corpus, tmp_path / f"docs.{format}")
        assert (
            read_corpus(
                tmp_path / f"docs.{format}", **READ.get(format, {}) and {"text": "tokens", "tokenized": True}
            ).vocabulary
            == corpus.vocabulary
        )


def test_tokens_outside_the_vocabulary_keep_their_place_in_json_and_parquet(tmp_path):
    corpus = Corpus.from_tokens([["oil", "the", "gas"]], vocabulary=["gas", "oil"])
    for format in ("jsonl", "parquet"):
        write_corpus(corpus, tmp_path / f"docs.{format}")
        read = read_corpus(tmp_path / f"docs.{format}", text="tokens", tokenized=True)
        assert read.fingerprint == corpus.fingerprint
    assert "1 tokens outside" in write_corpus(corpus, tmp_path / "docs.tokens")[0]


def test_what_is_there_already_is_not_mixed_with_what_is_written(tmp_path):
    write_corpus(RICH, tmp_path / "docs.uci")
    nameless = Corpus.from_tokens([["oil"]])
    with pytest.raises(InputError, match=r"docs\.uci\.ids is there already"):
        write_corpus(nameless, tmp_path / "docs.uci")
    with pytest.raises(InputError, match="name a new folder"):
        write_corpus(RICH, tmp_path, "octis")
    with pytest.raises(InputError, match="no format of corpora to write is called 'word'"):
        write_corpus(RICH, tmp_path / "x", "word")
