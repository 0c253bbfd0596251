import csv
import gzip
import io
import json
import tarfile
from datetime import datetime

import numpy as np
import pytest

import tealeaves as tl
from tealeaves import synthetic
from tealeaves.errors import FormatError, InputError

TOPICS = [
    [["oil", "gas"], ["tax", "law"]],
    [["oil", "tar"], ["law", "tax"]],
    [["tar", "oil"], ["law", "vat"]],
]
WORDS = ["gas", "law", "oil", "tar", "tax", "vat"]


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def as_csv(columns, rows):
    file = io.StringIO()
    csv.writer(file).writerows([columns, *rows])
    return file.getvalue()


def long_rows(weight=None):
    return [
        [year, k, rank + 1, word, *([] if weight is None else [weight[rank]])]
        for year, topics in zip((1990, 1991, 1992), TOPICS, strict=True)
        for k, words in enumerate(topics)
        for rank, word in enumerate(words)
    ]


BY_TOPIC = [[topics[k] for topics in TOPICS] for k in range(2)]
YEARS = ["1990", "1991", "1992"]
FILES = {
    "list.json": json.dumps(TOPICS),
    "dict.json": json.dumps(dict(zip(YEARS, TOPICS, strict=True))),
    "dicts.json": json.dumps({y: dict(enumerate(t)) for y, t in zip(YEARS, TOPICS, strict=True)}),
    "slices.json": json.dumps({"slice_labels": YEARS, "topics": TOPICS}),
    "topics.json": json.dumps({"times": YEARS, "K": 2, "top_words": BY_TOPIC, "topics": "k by t"}),
    "pairs.json": json.dumps(
        {
            "times": YEARS,
            "top_words": [[[[w, 0.5 - i / 9] for i, w in enumerate(t)] for t in k] for k in BY_TOPIC],
        }
    ),
    "ranks.csv": as_csv(["slice", "topic", "rank", "word"], reversed(long_rows())),
    "weights.csv": as_csv(["year", "topic", "rank", "word", "weight"], reversed(long_rows([0.5, 0.25]))),
    "order.tsv": as_csv(["time", "topic", "no", "term"], long_rows()).replace(",", "\t"),
    "bertopic.csv": as_csv(
        ["", "Topic", "Words", "Frequency", "Timestamp"],
        [
            [i, k, ", ".join(words), 5, year]
            for i, (year, topics) in enumerate(zip(YEARS, TOPICS, strict=True))
            for k, words in [(-1, ["the", "of"]), *enumerate(topics)]
        ],
    ),
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("packed", [False, True])
def test_every_layout_of_words_by_slice_is_recognised(tmp_path, name, packed):
    path = write(tmp_path / name, FILES[name])
    if packed:
        path = tmp_path / f"{name}.gz"
        path.write_bytes(gzip.compress(FILES[name].encode()))
    model = tl.read_model(path)
    assert isinstance(model, tl.DynamicTopicModel)
    assert model.top_words(2) == TOPICS
    assert model.slice_labels == (("0", "1", "2") if name == "list.json" else tuple(YEARS))
    assert model.name == name.partition(".")[0]


def test_python_lists_and_dicts_are_read_without_a_file():
    assert tl.read_model(TOPICS).top_words(2) == TOPICS
    assert tl.read_model(dict(zip(YEARS, TOPICS, strict=True))).slice_labels == tuple(YEARS)


@pytest.mark.parametrize(
    "static",
    [
        [["oil", "gas"], ["tax", "law"]],
        [[["oil", 0.3], ["gas", 0.2]], [["tax", 0.3], ["law", 0.1]]],
        {"0": [["oil", 0.3], ["gas", 0.2]], "1": ["tax", "law"]},
        {"topics": [["oil", "gas"], ["tax", "law"]]},
        [[0, '0.3*"oil" + 0.2*"gas"'], [1, '0.3*"tax" + 0.2*"law"']],
        [[[[0.3, "oil"], [0.2, "gas"]], -1.5], [[[0.3, "tax"], [0.1, "law"]], -2.5]],
        [{"oil": 0.3, "gas": 0.2}, {"tax": 0.3, "law": 0.1}],
    ],
)
def test_topics_without_time_stay_static(tmp_path, static):
    models = [tl.read_model(write(tmp_path / "t.json", json.dumps(static)))]
    if "topics" not in static:  # which only a file is looked into for
        models.append(tl.read_model(static))
    for model in models:
        assert isinstance(model, tl.TopicModel)
        assert model.top_words(2) == [["oil", "gas"], ["tax", "law"]]


def test_null_is_a_gap_in_json(tmp_path):
    content = {"years": [1, 2], "topics": [[["oil"], None], [["gas"], ["law"]]], "axes": "time topic"}
    model = tl.read_model(write(tmp_path / "t.json", json.dumps(content)))
    assert model.top_words(1) == [[["oil"], []], [["gas"], ["law"]]]


def test_as_many_slices_as_topics_are_a_question_until_axes_are_said(tmp_path):
    content = {"times": [1, 2], "top_words": [[["oil"], ["tar"]], [["tax"], ["law"]]]}
    path = write(tmp_path / "t.json", json.dumps(content))
    with pytest.raises(FormatError, match=r'2 slices and as many topics: say which .* axes="topic time"'):
        tl.read_model(path)
    assert tl.read_model(path, axes="topic time").top_words(1) == [[["oil"], ["tax"]], [["tar"], ["law"]]]
    assert tl.read_model(path, axes="time topic").top_words(1) == content["top_words"]
    said = write(tmp_path / "s.json", json.dumps(content | {"axes": "topic time"}))
    assert tl.read_model(said).top_words(1) == tl.read_model(path, axes="topic time").top_words(1)


def test_a_topic_that_a_table_lacks_in_a_slice_is_a_gap():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    columns = {
        "Topic": [-1, 0, 1, 0],
        "Words": ["the, of", "oil, gas", "tax law, vat", "oil, "],
        "Frequency": [9, 3, 2, 1],
        "Timestamp": [datetime(1990, 1, 1), datetime(1990, 1, 1), datetime(1990, 1, 1), datetime(1991, 6, 1)],
    }
    for frame in (pandas.DataFrame(columns), polars.DataFrame(columns)):
        model = tl.read_model(frame)
        assert model.slice_labels == ("1990-01-01", "1991-06-01")
        assert model.top_words(5) == [[["oil", "gas"], ["tax law", "vat"]], [["oil"], []]]
        assert any("topic -1" in note for note in model.notes)
        assert tl.read_model(frame, outliers="keep").top_words(1)[0] == [["the"], ["oil"], ["tax law"]]


def test_slices_of_a_table_go_by_time_where_they_can():
    pandas = pytest.importorskip("pandas")
    for times, expected in ((["800", "1999"], ("800", "1999")), (["late", "early"], ("late", "early"))):
        frame = pandas.DataFrame(
            {"slice": times[::-1] if times[0] == "800" else times, "topic": 0, "word": "oil"}
        )
        assert tl.read_model(frame).slice_labels == expected


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("slice,topic,word\n1990,0,oil,3\n", r"t\.csv:2: 3 cells were expected, but found 4"),
        ("slice,topic,word,weight\n1990,0,oil,much\n", r"line 2: a number was expected, but found 'much'"),
        ("slice,topic,word\n,0,oil\n", "line 2: the slice is missing"),
        ("slice,topic,word\n1990,,oil\n", "line 2: the topic is missing"),
        ("Topic,Words,Timestamp\n0,oil,1990\n0,gas,1990\n", "line 3: topic 0 comes twice in slice 1990"),
        ("slice,topic,word\n", "no slice"),
    ],
)
def test_a_wrong_table_is_one_error(tmp_path, content, message):
    with pytest.raises(FormatError, match=message):
        tl.read_model(write(tmp_path / "t.csv", content))


def folder_of_slices(path, slices):
    for name, text in slices.items():
        write(path / name, text)
    return path


def test_a_folder_with_a_text_file_a_slice_is_read_in_the_order_of_time(tmp_path):
    texts = {
        f"{y}.txt": "".join(f"{' '.join(w)}\n" for w in t)
        for y, t in zip((800, 1990, 1991), TOPICS, strict=True)
    }
    model = tl.read_model(folder_of_slices(tmp_path / "run", texts))
    assert (model.slice_labels, model.top_words(2), model.name) == (("800", "1990", "1991"), TOPICS, "run")


def test_a_blank_line_is_a_gap_and_a_blank_file_a_slice_without_topics(tmp_path):
    texts = {"1.txt": "oil gas\ntax law\n", "2.txt": "\ntax law\n", "3.txt": "oil gas\n\n", "10.txt": "\n"}
    model = tl.read_model(folder_of_slices(tmp_path / "run", texts))
    assert model.slice_labels == ("1", "2", "3", "10")
    assert model.present.tolist() == [[True, True], [False, True], [True, False], [False, False]]


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ({"1.txt": "oil\ntax\nlaw\n", "2.txt": "oil\ntax\n"}, r"2\.txt: has 2 lines, but 1\.txt has 3"),
        ({"1.txt": "oil\ntax\n", "2.txt": "oil\n0.1 0.2\n"}, r"2\.txt:2: .* mostly numbers"),
    ],
)
def test_a_wrong_folder_of_slices_names_the_file(tmp_path, texts, message):
    with pytest.raises(FormatError, match=message):
        tl.read_model(folder_of_slices(tmp_path / "run", texts))


def test_a_folder_of_documents_is_not_taken_for_topics(tmp_path):
    folder = folder_of_slices(tmp_path / "docs", {"a.txt": "Oil fell today.", "b.txt": "Gas rose."})
    with pytest.raises(FormatError, match="is a folder with"):
        tl.read_model(folder)
    assert tl.read_model(folder, format="slices").n_topics == 1


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("labels", [True, False])
def test_arrays_of_three_axes_are_read(tmp_path, packed, labels):
    array = np.random.default_rng(0).random((3, 2, 6))
    more = {"times": np.array(YEARS)} if labels else {}
    (np.savez_compressed if packed else np.savez)(
        tmp_path / "m.npz", beta=array, vocab=np.array(WORDS), **more
    )
    if not labels:
        with pytest.raises(FormatError, match='say which, axes="time topic word" or axes="topic time word"'):
            tl.read_model(tmp_path / "m.npz")
    model = tl.read_model(tmp_path / "m.npz", axes=None if labels else "time topic word")
    np.testing.assert_allclose(model.topic_word, array / array.sum(axis=2, keepdims=True))
    assert model.slice_labels == (tuple(YEARS) if labels else ("0", "1", "2"))
    np.save(tmp_path / "m.npy", array)
    again = tl.read_model(tmp_path / "m.npy", axes="time topic word", vocabulary=WORDS)
    np.testing.assert_array_equal(again.topic_word, model.topic_word)


def test_weights_of_cfdtm_are_told_and_renormalised(tmp_path):
    array = np.random.default_rng(0).random((3, 2, 6))
    over_topics = array / array.sum(axis=1, keepdims=True)
    np.savez(tmp_path / "m.npz", beta=over_topics, vocab=np.array(WORDS), slice_labels=np.array(YEARS))
    model = tl.read_model(tmp_path / "m.npz")
    assert model.notes[0].startswith("WARNING: weights of each word sum to 1 over the topics")


def test_what_detm_saves_is_topics_by_times_by_words(tmp_path):
    io_ = pytest.importorskip("scipy.io")
    array = np.random.default_rng(0).random((2, 2, 6)).astype(np.float32)
    io_.savemat(tmp_path / "detm_beta.mat", {"values": array}, do_compression=True)
    model = tl.read_model(tmp_path / "detm_beta.mat", vocabulary=WORDS)
    expected = (array / array.sum(axis=2, keepdims=True)).transpose(1, 0, 2)
    np.testing.assert_allclose(model.topic_word, expected, rtol=1e-6)
    with pytest.raises(FormatError, match=r"needs a vocabulary: vocabulary=; there are: values \(2, 2, 6\)"):
        tl.read_model(tmp_path / "detm_beta.mat")
    io_.savemat(tmp_path / "etm_beta.mat", {"values": array[0]})
    assert tl.read_model(tmp_path / "etm_beta.mat", vocabulary=WORDS).n_topics == 2
    (tmp_path / "new.mat").write_bytes(b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM" + b"\x00" * 400)
    with pytest.raises(FormatError, match=r"new\.mat: is"):
        tl.read_model(tmp_path / "new.mat", vocabulary=WORDS)


def blei(folder, n_words=6, seq="3\n1\n2\n1\n", vocabulary=WORDS, scale=0.95):
    """A small run of dtm as its program writes it."""
    run = folder / "run" / "lda-seq"
    draw = np.random.default_rng(1)
    topics = draw.dirichlet(np.full(n_words, 0.5), size=(2, 3))
    for k in range(2):
        logs = np.log(topics[k] * scale).T.ravel()  # V × T
        write(run / f"topic-{k:03d}-var-e-log-prob.dat", "".join(f"{x:.17e}\n" for x in logs))
    write(run / "info.dat", f"NUM_TOPICS 2\nNUM_TERMS {n_words}\nSEQ_LENGTH 3\nALPHA 2  0.01 0.01\n")
    write(run / "gam.dat", "".join(f"{x}\n" for x in (1, 3, 2, 2, 5, 0, 1, 1)))
    if vocabulary:
        write(folder / "x-vocab.txt", "\n".join(vocabulary) + "\n")
    if seq:
        write(folder / "x-seq.dat", seq)
    write(folder / "x-mult.dat", "2 0:1 5:2\n1 3:1\n0\n1 2:1\n")
    return topics.transpose(1, 0, 2)


@pytest.mark.parametrize("named", [".", "run", "run/lda-seq"])
def test_a_folder_of_dtm_is_read_wherever_in_it_one_points(tmp_path, named):
    topics = blei(tmp_path / "dtm")
    model = tl.read_model(tmp_path / "dtm" / named)
    np.testing.assert_allclose(model.topic_word, topics, rtol=1e-12)
    np.testing.assert_allclose(model.doc_topic, [[0.25, 0.75], [0.5, 0.5], [1, 0], [0.5, 0.5]])
    assert model.slice_of.tolist() == [0, 1, 1, 2]
    assert [model.corpus.document(i).tolist() for i in range(4)] == [[0, 5, 5], [3], [], [2]]
    assert any("do not sum to 1 (0.95 to 0.95): they were renormalised" in note for note in model.notes)


def test_a_slice_without_documents_in_dtm_is_a_gap(tmp_path):
    blei(tmp_path / "dtm", seq="3\n1\n0\n3\n")
    assert tl.read_model(tmp_path / "dtm").present.tolist() == [[True] * 2, [False] * 2, [True] * 2]


def break_it(folder, name, change):
    path = next(folder.rglob(name))
    path.write_text(change(path.read_text()))


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        (
            "x-vocab.txt",
            lambda t: t[:-4],
            r"lda-seq: the 6 words were expected in a file \*-vocab\.txt beside it",
        ),
        (
            "topic-001-var-e-log-prob.dat",
            lambda t: t[:200],
            r"topic-001.*: 6 words × 3 slices = 18 numbers were",
        ),
        (
            "topic-000-var-e-log-prob.dat",
            lambda t: t[:20],
            r"topic-000.*but the file is shorter: is it whole",
        ),
        ("topic-001-var-e-log-prob.dat", lambda t: "x" + t[1:], r"topic-001.*:1: numbers were expected"),
        (
            "topic-001-var-e-log-prob.dat",
            lambda t: t.replace("-", "", 1),
            r"topic-001.* sums to .*, but should to 1",
        ),
        (
            "info.dat",
            lambda t: t.replace("NUM_TERMS", "TERMS"),
            "NUM_TOPICS, NUM_TERMS and SEQ_LENGTH were expected",
        ),
        (
            "info.dat",
            lambda t: t.replace("TOPICS 2", "TOPICS 3"),
            "there are 3 topics, but their files are not all",
        ),
        ("info.dat", lambda t: t.replace("TOPICS 2", "TOPICS 0"), "which cannot be"),
        ("gam.dat", lambda t: t + "1\n", "9 numbers, which is no number of rows of 2 topics"),
        ("gam.dat", lambda t: t.replace("5\n0\n", "-5\n0\n"), "no weight of a topic"),
        ("gam.dat", lambda t: t + "1\n1\n", "5 documents, but the slices .* have 4"),
        ("x-seq.dat", lambda t: "2\n" + t[2:], "3 and then 3 numbers of documents were expected"),
        ("x-mult.dat", lambda t: t.replace("5:2", "9:2"), r"mult\.dat:1: pairs of a word from 0 to 5"),
        ("x-mult.dat", lambda t: t + "1 0:1\n", "has 5 documents, but the file of the sequence 4"),
    ],
)
def test_what_is_wrong_with_a_folder_of_dtm_is_told_with_its_file(tmp_path, name, change, message):
    blei(tmp_path / "dtm")
    break_it(tmp_path / "dtm", name, change)
    with pytest.raises(FormatError, match=message):
        tl.read_model(tmp_path / "dtm")


def test_the_words_of_dtm_may_be_handed_over(tmp_path):
    topics = blei(tmp_path / "dtm", vocabulary=None)
    model = tl.read_model(tmp_path / "dtm", vocabulary=WORDS)
    np.testing.assert_allclose(model.topic_word, topics)
    assert model.vocabulary == tuple(WORDS)


def test_a_tar_archive_is_to_be_unpacked(tmp_path):
    blei(tmp_path / "dtm")
    with tarfile.open(tmp_path / "run.tar.gz", "w:gz") as tar:
        tar.add(tmp_path / "dtm", arcname=".")
    with pytest.raises(FormatError, match=r"run\.tar\.gz: is a tar archive: unpack it"):
        tl.read_model(tmp_path / "run.tar.gz")


def test_blei_s_program_and_the_topics_taken_from_its_files_agree(data, tmp_path):
    # dynamic_models/ was made from the same run by other code
    with tarfile.open(data / "formats" / "dtm_blei" / "neurips_run.tar.gz") as tar:
        tar.extractall(tmp_path, filter="data")
    model = tl.read_model(tmp_path)
    with gzip.open(data / "dynamic_models" / "neurips_dlda_k10.json.gz", "rt", encoding="utf-8") as file:
        theirs = json.load(file)
    assert (model.n_slices, model.n_topics, len(model.vocabulary)) == (33, 10, 1544)
    assert len(model.corpus) == len(model.doc_topic) == 1485
    index = {word: i for i, word in enumerate(model.vocabulary)}
    words = model.top_words(30)
    for k, topic in enumerate(theirs["top_words"]):
        for t, pairs in enumerate(topic):
            assert words[t][k] == [word for word, _ in pairs]
            ours = [model.topic_word[t, k, index[word]] for word, _ in pairs]
            np.testing.assert_allclose(ours, [p for _, p in pairs], atol=1e-6)
    from_json = tl.read_model(data / "dynamic_models" / "neurips_dlda_k10.json.gz")
    assert from_json.slice_labels == tuple(theirs["times"])
    assert from_json.top_words(30) == words


@pytest.mark.parametrize(
    ("name", "shape"),
    [("neurips_dlda_k10", (33, 10)), ("neurips_dtm_k20", (33, 20)), ("un_dlda_k10", (51, 10))],
)
def test_the_authors_layout_and_the_json_of_one_run_are_one_model(data, name, shape):
    folder = tl.read_model(data / "dynamic_models" / f"{name}_top10_txt")
    model = tl.read_model(data / "dynamic_models" / f"{name}.json.gz")
    assert (folder.n_slices, folder.n_topics) == (model.n_slices, model.n_topics) == shape
    assert folder.slice_labels == model.slice_labels
    assert folder.top_words(10) == model.top_words(10)


def planted():
    corpus, truth = synthetic.drifting(
        k=2, documents=60, length=40, vocabulary=25, slices=3, drift=0.6, seed=4
    )
    texts = [[corpus.vocabulary[i] for i in corpus.document(d)] for d in range(len(corpus))]
    return corpus, truth, texts


def recovered(model, truth):
    """The mean cosine of planted topics and those found, matched one to one over all slices."""
    from scipy.optimize import linear_sum_assignment

    place = {word: i for i, word in enumerate(model.vocabulary)}
    found = np.array(
        [[row[[place[w] for w in truth.vocabulary if w in place]] for row in t] for t in model.topic_word]
    )
    kept = [i for i, w in enumerate(truth.vocabulary) if w in place]
    a, b = (x / np.linalg.norm(x, axis=2, keepdims=True) for x in (truth.topic_word[:, :, kept], found))
    cosine = np.einsum("tiv,tjv->ij", a, b) / len(a)
    rows, columns = linear_sum_assignment(-cosine)
    return cosine[rows, columns].mean()


@pytest.mark.filterwarnings("ignore:divide by zero")
def test_a_fitted_ldaseqmodel_is_read_and_so_is_its_save(tmp_path):
    models = pytest.importorskip("gensim.models")
    corpora = pytest.importorskip("gensim.corpora")
    corpus, _, texts = planted()
    words = corpora.Dictionary(texts)
    bags = [words.doc2bow(text) for text in texts]
    counts = np.bincount(corpus.slice_of).tolist()
    fitted = models.LdaSeqModel(
        bags,
        time_slice=counts,
        id2word=words,
        num_topics=2,
        random_state=1,
        passes=5,
        em_min_iter=1,
        em_max_iter=2,
    )
    model = tl.read_model(fitted)
    assert (model.n_slices, model.n_topics, model.name) == (3, 2, "LdaSeqModel")
    for t in range(3):  # print_topic normalises over the words as well
        for k in range(2):
            theirs = dict(fitted.print_topic(k, time=t, top_terms=25))
            ours = dict(zip(model.vocabulary, model.topic_word[t, k], strict=True))
            np.testing.assert_allclose([ours[w] for w in theirs], list(theirs.values()), atol=1e-9)
    np.testing.assert_allclose(model.doc_topic[5], fitted.doc_topics(5))
    assert model.slice_of.tolist() == corpus.slice_of.tolist()
    assert any("were renormalised" in note for note in model.notes)
    fitted.save(str(tmp_path / "seq.model"))
    with pytest.raises(FormatError, match="trust=True"):
        tl.read_model(tmp_path / "seq.model")
    saved = tl.read_model(tmp_path / "seq.model", trust=True)
    np.testing.assert_array_equal(saved.topic_word, model.topic_word)


def test_an_ldaseqmodel_without_documents_is_not_fitted():
    models = pytest.importorskip("gensim.models")
    corpora = pytest.importorskip("gensim.corpora")
    empty = models.LdaSeqModel(id2word=corpora.Dictionary([["a", "b"]]), time_slice=[1], num_topics=2)
    with pytest.raises(InputError, match="not fitted"):
        tl.read_model(empty)


def test_a_trained_dtmodel_is_read_and_so_is_its_save(tmp_path):
    tomotopy = pytest.importorskip("tomotopy")
    corpus, _, texts = planted()
    trained = tomotopy.DTModel(k=2, t=3, seed=1, rm_top=1)
    for text, t in zip(texts, corpus.slice_of.tolist(), strict=True):
        trained.add_doc(text, timepoint=t)
    with pytest.raises(InputError, match="not trained"):
        tl.read_model(tomotopy.DTModel(k=2, t=3))
    trained.train(20, workers=1)
    trained.save(str(tmp_path / "dt.bin"))
    for model in (tl.read_model(trained), tl.read_model(tmp_path / "dt.bin", trust=True)):
        assert (model.n_slices, model.n_topics) == (3, 2)
        for t in range(3):
            for k in range(2):
                theirs = [word for word, _ in trained.get_topic_words(k, timepoint=t, top_n=5)]
                assert model.top_words(5)[t][k][0] == theirs[0]
        assert model.slice_of.tolist() == corpus.slice_of.tolist()
        shares = [document.get_topic_dist() for document in trained.docs]
        np.testing.assert_allclose(model.doc_topic, shares, rtol=1e-6)
        assert (model.corpus.tokens == -1).any()  # the word that tomotopy left out
        assert model.corpus.n_tokens == corpus.n_tokens


def test_fitted_models_over_time_of_topica_are_read():
    topica = pytest.importorskip("topica")
    corpus, truth, texts = planted()
    times = corpus.slice_of.tolist()
    fitted = topica.DTM(2, seed=1).fit(texts, times, iters=5)
    model = tl.read_model(fitted)
    np.testing.assert_allclose(model.topic_word[1], fitted.topic_word(1), rtol=1e-12)
    np.testing.assert_allclose(model.doc_topic, fitted.doc_topic)
    assert recovered(model, truth) > 0.95
    embedded = topica.DETM(2, seed=1, hidden_size=10, eta_hidden_size=10, eta_nlayers=1)
    with pytest.raises(InputError, match="not fitted"):
        tl.read_model(embedded)
    vectors = np.random.default_rng(0).normal(size=(len(corpus.vocabulary), 5))
    embedded.fit(texts, vectors, list(corpus.vocabulary), times=times, iters=2)
    model = tl.read_model(embedded)
    np.testing.assert_allclose(model.topic_word, embedded.beta_over_time, rtol=1e-12)
    assert (model.n_slices, model.n_topics) == (3, 2)


def foreign(module, **attributes):
    """An object as if of another library, which is not installed here."""
    return type(attributes.pop("kind"), (), {"__module__": module, **attributes})()


def test_a_model_of_turftopic_over_time_is_read():
    components = np.array([[[0.2, np.nan, 1.0], [np.nan] * 3], [[0.5, 0.1, 0.2], [0.1, 0.3, 0.0]]])
    about = {
        "kind": "KeyNMF",
        "temporal_components_": components,
        "components_": components[1],
        "time_bin_edges": [datetime(1990, 1, 1), datetime(1991, 1, 1), datetime(1992, 1, 2)],
        "get_vocab": lambda self: np.array(["gas", "law", "oil"]),
    }
    model = tl.read_model(foreign("turftopic.models.keynmf", **about))
    assert model.slice_labels == ("1990-01-01", "1991-01-01")
    assert model.top_words(2) == [[["oil", "gas"], []], [["gas", "oil"], ["law", "gas"]]]
    clustered = {"classes_": np.array([-1, 0]), "topic_names": ["-1_x", "0_law"]}
    model = tl.read_model(foreign("turftopic.models.cluster", **(about | clustered)))
    assert (model.n_topics, model.topic_names) == (1, ("0_law",))
    kept = tl.read_model(foreign("turftopic.models.cluster", **(about | clustered)), outliers="keep")
    assert kept.topic_names == ("-1_x", "0_law")


def antm(chains=(("1-0", "2-1"), ("1-1", "3-0", "3-1"))):
    pandas = pytest.importorskip("pandas")
    rows = [(1, 0, 5, "gas oil"), (1, 1, 4, "law tax"), (2, 0, 3, "the of"), (2, 1, 9, "tar oil")]
    rows += [(3, 0, 2, "few vat"), (3, 1, 7, "vat tax")]
    output = pandas.DataFrame(rows, columns=["slice_num", "C", "num_doc", "topic_representation"])
    output["topic_representation"] = output["topic_representation"].str.split()
    return foreign("antm.main", kind="ANTM", output=output, list_tm=[list(chain) for chain in chains])


def test_chains_of_antm_are_topics_with_gaps_and_their_best_word_is_its_last():
    model = tl.read_model(antm())
    assert model.slice_labels == ("1", "2", "3")
    assert model.top_words(2) == [
        [["oil", "gas"], ["tax", "law"]],
        [["oil", "tar"], []],
        [[], ["tax", "vat"]],
    ]
    assert "1 clusters share chain and window with a larger one, which was taken" in model.notes
    assert "1 of 6 clusters are in no chain: left out" in model.notes
    with pytest.raises(InputError, match="holds '4-0', which is no cluster"):
        tl.read_model(antm(chains=(("4-0",),)))
    with pytest.raises(InputError, match="not fitted"):
        tl.read_model(foreign("antm.main", kind="ANTM", output=None, list_tm=None))
