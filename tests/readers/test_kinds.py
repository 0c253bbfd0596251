"""What `inspect` takes each file for: the whole of the project's data, and files made to be confused."""

import gzip
import json
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tealeaves.cli import run
from tealeaves.errors import FormatError, TealeavesError
from tealeaves.model import read_model
from tealeaves.readers._kinds import kind_of

DATA = Path(os.environ.get("TEALEAVES_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
MODEL, CORPUS, LIST = "model", "corpus", "list"
# Every file and folder: what it is and how much is in it (topics, documents, words), or what is said of it.
# The counts are those of the data's README, of `wc -l`, and of what the tools say that wrote them.
TABLE = {
    "formats/bertopic_a": (MODEL, 10),
    "formats/bertopic_a/config.json": "topic calculate_probabilities must be a list of words, but is False",
    "formats/bertopic_a/topic_embeddings.safetensors": "is tensors (safetensors)",
    "formats/bertopic_a/topics.json": (MODEL, 10),
    "formats/bertopic_b": (MODEL, 11),
    "formats/bertopic_b/config.json": "topic calculate_probabilities must be a list of words, but is False",
    "formats/bertopic_b/ctfidf.safetensors": "is tensors (safetensors)",
    "formats/bertopic_b/ctfidf_config.json": "must be a list of words, but is False",
    "formats/bertopic_b/topic_embeddings.safetensors": "is tensors (safetensors)",
    "formats/corpora_same400": "is a folder with things of their own; name one: corpus.ldac (LDA-C)",
    "formats/corpora_same400/corpus.ldac": (CORPUS, 400),
    "formats/corpora_same400/corpus.ldac.vocab": (LIST, 2092),
    "formats/corpora_same400/corpus.low": (CORPUS, 400),
    "formats/corpora_same400/corpus.mallet.txt": (CORPUS, 400),
    "formats/corpora_same400/corpus.mm": (CORPUS, 400),
    "formats/corpora_same400/corpus.svmlight": (CORPUS, 400),
    "formats/corpora_same400/dictionary.gensim.txt": "is a dictionary of gensim",
    "formats/corpora_same400/docword.uci.txt": (CORPUS, 400),
    "formats/corpora_same400/docword.uci.txt.vocab": (LIST, 2092),
    "formats/corpora_same400/ids.txt": (LIST, 400),
    "formats/corpora_same400/tokens.txt": (CORPUS, 400),
    "formats/dtm_blei": "is a folder with neurips_run.tar.gz",
    "formats/dtm_blei/neurips_run.tar.gz": "is a tar archive: unpack it",
    "formats/gensim_lda": "lda.model (a Python pickle such as gensim saves)",
    "formats/gensim_lda/about.json": "topic gensim must be a list of words",
    "formats/gensim_lda/lda.model": (MODEL, 10),
    "formats/gensim_lda/lda.model.expElogbeta.npy": "no array called vocabulary",
    "formats/gensim_lda/lda.model.id2word": "gensim's Dictionary is no topic model",
    "formats/gensim_lda/lda.model.state": "gensim's LdaState is no topic model",
    "formats/ldac_reuters395": (MODEL, 10),
    "formats/ldac_reuters395/final.beta.gz": (MODEL, 10),
    "formats/ldac_reuters395/final.gamma": "holds numbers alone",
    "formats/ldac_reuters395/final.other": "is lda-c's settings of a model",
    "formats/ldac_reuters395/inf-gamma.dat": "holds numbers alone",
    "formats/ldac_reuters395/inf-lda-lhood.dat": "holds numbers alone",
    "formats/ldac_reuters395/likelihood.dat": "holds numbers alone",
    "formats/ldac_reuters395/reuters.ldac": (CORPUS, 395),
    "formats/ldac_reuters395/reuters.titles": (CORPUS, 395),
    "formats/ldac_reuters395/reuters.tokens": (LIST, 4258),
    "formats/ldac_reuters395/word-assignments.dat.gz": "is lda-c's word assignments",
    "formats/mallet_bbc": (MODEL, 20),
    "formats/mallet_bbc/diagnostics.xml": (MODEL, 20),
    "formats/mallet_bbc/doc-topics.txt.gz": (MODEL, 20),
    "formats/mallet_bbc/test-doc-probs.txt": "holds numbers alone",
    "formats/mallet_bbc/test-doc-topics.txt": (MODEL, 20),
    "formats/mallet_bbc/test-prob.txt": "holds numbers alone",
    "formats/mallet_bbc/test.txt.gz": (CORPUS, 335),
    "formats/mallet_bbc/topic-keys.txt": (MODEL, 20),
    "formats/mallet_bbc/topic-phrases.xml": (MODEL, 20),
    "formats/mallet_bbc/topic-state.gz": (MODEL, 20),
    "formats/mallet_bbc/topic-word-weights.txt.gz": (MODEL, 20),
    "formats/mallet_bbc/train.txt.gz": (CORPUS, 1556),
    "formats/mallet_bbc/word-topic-counts.txt": (MODEL, 20),
    "formats/r_objects": "name one: abstracts_stm_small.RDS (R objects)",
    "formats/r_objects/abstracts_stm_small.RDS": (MODEL, 4),
    "formats/r_objects/abstracts_topicmodels_small.RDS": (MODEL, 3),
    "formats/r_objects/gadarianFit.RData": (MODEL, 3),
    "formats/r_objects/poliblog5k.RData": "a model of stm, topicmodels, lda",
    "formats/tomotopy": "lda.tomotopy.bin (a model of tomotopy)",
    "formats/tomotopy/about.json": "topic tomotopy must be a list of words",
    "formats/tomotopy/lda.tomotopy.bin": (MODEL, 10),
    "octis/BBC_News": (CORPUS, 2225),
    "octis/DBLP": (CORPUS, 54595),
    "octis/M10": (CORPUS, 8355),
    "octis/BBC_News/corpus.tsv": "is the table of an OCTIS corpus",
    "octis/DBLP/corpus.tsv.gz": "is the table of an OCTIS corpus",
    "octis/M10/corpus.tsv": "is the table of an OCTIS corpus",
    "octis/BBC_News/metadata.json": "topic total_documents must be a list of words",
    "octis/DBLP/metadata.json": "topic total_documents must be a list of words",
    "octis/M10/metadata.json": "topic total_documents must be a list of words",
    "octis/BBC_News/vocabulary.txt": (LIST, 2949),
    "octis/DBLP/vocabulary.txt": (LIST, 1513),
    "octis/M10/vocabulary.txt": (LIST, 1696),
    "dynamic_models/neurips_dlda_k10.json.gz": (MODEL, 10),
    "dynamic_models/neurips_dtm_k20.json.gz": (MODEL, 20),
    "dynamic_models/un_dlda_k10.json.gz": (MODEL, 10),
    "dynamic_models/neurips_dlda_k10_theta.npz": "no array called topic_word",
    "dynamic_models/neurips_dtm_k20_theta.npz": "no array called topic_word",
    "dynamic_models/un_dlda_k10_theta.npz": "no array called topic_word",
    "dynamic_models/neurips_dlda_k10_top10_txt": (MODEL, 10),
    "dynamic_models/neurips_dtm_k20_top10_txt": (MODEL, 20),
    "dynamic_models/un_dlda_k10_top10_txt": (MODEL, 10),
    "human/hoyle2021_models_top50.json": "holds JSON, but topic nytimes must be words",
    "human/hoyle2021_topics.jsonl": "topics of several models",
    "human/lau2014_word_intrusion_example": "name one: topics-with-intruder.txt (topics, a line each)",
    "human/lau2014_word_intrusion_example/intruder.txt": "holds numbers alone",
    "human/lau2014_word_intrusion_example/topics-with-intruder.txt": (MODEL, 100),
    "human/lau2014_word_intrusion_example/topics.txt": (MODEL, 100),
    "human/lau_baldwin2016_ratings.tsv": "no field 'text' for --text; there are: 'domain', 'topic'",
    "coverage/README.md": "topics in Markdown were expected",
    "coverage/bio_doc_ids.tsv": (LIST, 5995),
    "coverage/bio_pairs.jsonl": "no field 'text' for --text",
    "coverage/bio_reference_topic_docs.npz": "holds other values than counts",
    "coverage/bio_reference_topic_words.npz": "holds other values than counts",
    "coverage/bio_reference_topics.jsonl": (MODEL, 112),
    "coverage/bio_vocabulary.tsv": (LIST, 6260),
    "coverage/news_doc_titles.tsv": "no field 'text' for --text; there are: 'doc', 'title'",
    "coverage/news_pairs.jsonl": "no field 'text' for --text",
    "coverage/news_reference_topics.jsonl": (MODEL, 133),
    "coverage/news_semantic_agreement_sample.tsv": "would be a matrix of 30 topics, but of 4 words only",
    "coverage/news_vocabulary.tsv": (LIST, 23156),
}
PARTS = ("formats", "octis", "dynamic_models", "human", "coverage")
NEEDS = {"tomotopy.bin": "tomotopy", "lda.model": "gensim", "RDS": "rdata", "RData": "rdata"}


@pytest.fixture(scope="module")
def data():
    if not DATA.exists():
        pytest.skip("no data folder")
    return DATA


def inspected(capsys, path, *options):
    status = run(["inspect", str(path), "--json", *options])
    out, err = capsys.readouterr()
    return status, out, err


@pytest.mark.parametrize("name", TABLE)
def test_every_file_of_the_data_is_called_what_it_is(data, capsys, name):
    for part, library in NEEDS.items():
        if part in name:
            pytest.importorskip(library)
    trust = ["--trust"] if "gensim_lda/lda" in name or name.endswith(".bin") else []
    status, out, err = inspected(capsys, data / name, *trust)
    wanted = TABLE[name]
    if isinstance(wanted, str):
        assert (status, out) == (1, "")
        assert wanted in err
        assert err.count("Error: ") == 1
        assert len(err) < 1200
    else:
        assert status == 0, err
        said = json.loads(out)
        count = {"model": "n_topics", "corpus": "documents", "list": "words"}[said["kind"]]
        assert (said["kind"], said[count]) == wanted


def test_the_table_has_every_file_of_the_data(data):
    there = {
        path.relative_to(data).as_posix()
        for part in PARTS
        for path in (data / part).rglob("*")
        if not path.parent.name.endswith("_top10_txt") and path.parent != data
    }
    assert there - set(TABLE) == set()


def test_a_slice_alone_is_a_model_of_one_time(data, capsys):
    slices = sorted((data / "dynamic_models").glob("*_top10_txt/*.txt"))
    assert slices
    for path in slices:
        wanted = 20 if "k20" in path.parent.name else 10
        told = kind_of(path)
        assert (told.kind, len(path.read_text("utf-8").splitlines())) == ("model", wanted)


TOLD = [
    ("t.txt", "oil gas tin\ntax law court\n", "model"),
    ("t.txt", "oil, gas, tin\ntax, law, court\n", "model"),
    ("t.txt", "Topic 1: oil gas\nTopic 2: tax law court\n", "model"),
    ("t.txt", "Energy: oil, gas\nCourts: tax, law, court\n", "model"),
    ("t.txt", "- **Energy**: oil, gas\n- **Courts**: tax, law\n", "model"),
    ("t.txt", "[1] Energy: oil, gas\n[2] Courts: tax, law\n", "model"),
    ("t.txt", "Oil prices rose.\nThe court sat today.\n", "corpus"),
    ("t.txt", "the oil and the gas\nthe tax and the law\n", "corpus"),
    ("t.txt", "oil gas\ntax law court\n", "corpus"),
    ("topics", "oil gas\ntax law court\n", "model"),
    ("titles", "Oil: prices rise, again\nThe court sits\n", "corpus"),
    ("t.txt", "oil\ngas\n1996\ntax\nlaw\n", "list"),
    ("t.csv", "index,word\n0,oil\n1,gas\n2,tax\n", "list"),
    ("t.txt", "石油价格上涨了很多今天\n法院今天开庭审理案件\n税收今年增加得很多了\n", "corpus"),
    ("t.csv", "id,text\n1,Oil prices rose\n2,Gas\n", "corpus"),
    ("t.csv", "key,body,party\n1,Oil prices rose again,A\n2,The court sat today,B\n", "corpus"),
    ("t.csv", "oil,natural gas\ntax,law\n", "model"),
    ("t.tsv", "oil\tgas\ntax\tlaw\n", "model"),
    ("t.csv", "topic,word\n0,oil\n0,gas\n1,tax\n", "model"),
    ("t.csv", "topic,oil,gas\n0,0.5,0.5\n1,0.1,0.9\n", "model"),
    ("t.jsonl", '{"text": "oil"}\n{"text": "gas"}\n', "corpus"),
    ("t.jsonl", '{"words": ["oil"]}\n{"words": ["gas"]}\n', "model"),
    ("t.jsonl", '{"text": "oil", "words": ["oil"]}\n', "corpus"),
    ("t.txt", "0\t0.5\toil gas tin\n1\t0.5\ttax law\n", "model"),
    ("t.txt", "7\t1987\toil gas tin\n8\t1988\ttax law court\n", "corpus"),
    ("t.txt", "a\tyes\toil gas tin\nb\tno\ttax law court\n", "corpus"),
    ("t.txt", "2 0:1 1:3\n1 1:2\n", "corpus"),
]


@pytest.mark.parametrize(("name", "content", "kind"), TOLD)
@pytest.mark.parametrize("packed", [False, True])
def test_what_could_be_either_is_told_by_its_look(tmp_path, name, content, kind, packed):
    path = tmp_path / (f"{name}.gz" if packed else name)
    path.write_bytes(gzip.compress(content.encode()) if packed else content.encode())
    assert kind_of(path).kind == kind


def test_what_could_be_either_says_why_and_is_turned_round(tmp_path, capsys):
    path = tmp_path / "t.txt"
    path.write_text("oil gas tin\ntax law court\n", "utf-8")
    _, out, err = inspected(capsys, path)
    assert json.loads(out)["kind"] == "model"
    assert "as each line has 3 words, none of them twice; `--as corpus`" in err
    status, out, err = inspected(capsys, path, "--as", "corpus")
    assert (status, json.loads(out)["documents"], err) == (0, 2, "")


@pytest.mark.parametrize("keys", [False, True])
def test_a_damaged_model_is_an_error_and_no_corpus(tmp_path, capsys, keys):
    state = "#doc source pos typeindex type topic\n#alpha : 0.5 0.5\n#beta : 0.1\n"
    state += "".join(f"0 NA {i} {i} w{i} {i % 2}\n" for i in range(9999))
    packed = gzip.compress(state.encode())
    (tmp_path / "topic-state.gz").write_bytes(packed[: len(packed) // 2])
    if keys:
        (tmp_path / "topic-keys.txt").write_text("0\t0.5\toil gas tin\n1\t0.5\ttax law court\n", "utf-8")
    status, _, err = inspected(capsys, tmp_path if keys else tmp_path / "topic-state.gz")
    assert status == 1
    assert "topic-state.gz: is compressed, but cut off" in err


def test_a_folder_of_slices_with_a_short_one_names_it(tmp_path, capsys):
    (tmp_path / "1990.txt").write_text("oil gas tin\ntax law court\n", "utf-8")
    (tmp_path / "1991.txt").write_text("oil gas tin\n", "utf-8")
    status, _, err = inspected(capsys, tmp_path)
    assert (status, "1991.txt: has 1 lines, but 1990.txt has 2" in err) == (1, True)


def test_slices_may_have_commas_between_words(tmp_path):
    for year in (1990, 1991):
        (tmp_path / f"{year}.txt").write_text("oil, natural gas\ntax, law\n", "utf-8")
    assert read_model(tmp_path).top_words(2) == [[["oil", "natural gas"], ["tax", "law"]]] * 2


def test_options_of_one_kind_make_it_that(tmp_path, capsys):
    path = tmp_path / "t.jsonl"
    path.write_text('{"words": ["oil", "gas"]}\n{"words": ["tax", "law"]}\n', "utf-8")
    assert json.loads(inspected(capsys, path)[1])["kind"] == "model"
    status, out, _ = inspected(capsys, path, "--text", "words", "--tokenized")
    assert (status, json.loads(out)["documents"]) == (0, 2)
    status, _, err = inspected(capsys, path, "--format", "foo")
    assert (status, "--format takes a format's name, not 'foo'" in err) == (1, True)


def test_axes_vocabulary_and_outliers_reach_the_model(tmp_path, capsys):
    import numpy as np

    np.savez(tmp_path / "m.npz", phi=[[0.9, 0.1], [0.2, 0.8]], vocabulary=["oil", "tax"])
    status, _, err = inspected(capsys, tmp_path / "m.npz")
    assert (status, "--axes" in err) == (1, True)
    assert inspected(capsys, tmp_path / "m.npz", "--axes", "topic word")[0] == 0
    np.save(tmp_path / "m.npy", [[0.5, 0.3, 0.2]])
    (tmp_path / "words").write_text("oil\ngas\ntax\n", "utf-8")
    status, out, _ = inspected(capsys, tmp_path / "m.npy", "--vocabulary", str(tmp_path / "words"))
    assert (status, json.loads(out)["topics"]) == (0, [["oil", "gas", "tax"]])
    (tmp_path / "t.json").write_text('{"-1": ["the", "of"], "0": ["oil", "gas"]}', "utf-8")
    assert json.loads(inspected(capsys, tmp_path / "t.json")[1])["n_topics"] == 1
    assert json.loads(inspected(capsys, tmp_path / "t.json", "--outliers", "keep")[1])["n_topics"] == 2


def test_errors_on_the_command_line_speak_of_its_options(tmp_path, capsys):
    import pickle

    (tmp_path / "m.pkl").write_bytes(pickle.dumps({"a": 1}))
    _, _, err = inspected(capsys, tmp_path / "m.pkl")
    assert "--trust" in err
    assert "trust=" not in err


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.txt", "oil gas tin\n".encode("utf-16"), "is UTF-16; save the file as UTF-8"),
        (
            "t.txt",
            b"[1] Trade: Mentions the exchange of goods.\n[2] Law: Mentions what courts do all day.\n",
            "sentence",
        ),
        ("t.txt", b"oil\ngas\ntax\n", "holds a word or name a line"),
        ("t.txt", b"2 0:1 1:3\n1 1:2\n", "is a corpus, LDA-C, but topics were expected"),
        ("t.jsonl", b'{"words": ["oil", "gas"]}\n{"words": ["tax"', "this line is not whole"),
        ("t.json", b'[{"text": "Oil rose"}, {"text": "Gas fell"}]', "holds documents .*JSON Lines"),
        (
            "t.csv",
            b"topic,yes,no\n" + b"".join(b"%d,1,0\n" % i for i in range(9)),
            "9 topics, but of 2 words",
        ),
    ],
)
def test_what_is_no_topics_is_said_to_be_what_it_is(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(FormatError, match=message):
        read_model(tmp_path / name)


def test_a_topic_of_two_words_below_its_name_has_them(tmp_path):
    path = tmp_path / "t.md"
    path.write_text("**Topic 1: Energy**\noil, gas, crude\n\n**Topic 2: Law**\ncourt, judge\n", "utf-8")
    model = read_model(path)
    assert model.top_words(3) == [["oil", "gas", "crude"], ["court", "judge"]]
    assert model.topic_names == ("Energy", "Law")


def test_json_lines_of_topics_are_read_with_their_names(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"topic": "Energy", "words": ["oil"]}\n\n{"topic": "Law", "words": ["tax"]}\n', "utf-8")
    assert read_model(path).topic_names == ("Energy", "Law")


def test_labels_before_words_between_commas_are_no_words(tmp_path):
    for name, content in (
        ("t.txt", "Topic 1: oil, gas\nTopic 2: court, law\n"),
        ("t.csv", "Topic 1: oil,gas\nTopic 2: court,law\n"),
    ):
        (tmp_path / name).write_text(content, "utf-8")
        assert read_model(tmp_path / name).top_words(2) == [["oil", "gas"], ["court", "law"]]


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from([content for _, content, _ in TOLD]),
    st.sampled_from(["", ".txt", ".csv", ".tsv", ".jsonl", ".json", ".md", ".ldac", ".npz", ".gz"]),
    st.integers(0, 60),
    st.binary(max_size=6),
    st.integers(0, 20),
)
def test_any_file_is_called_something_or_refused_never_a_traceback(
    tmp_path_factory, content, ending, at, inserted, removed
):
    path = tmp_path_factory.mktemp("k") / f"f{ending}"
    data = content.encode()
    path.write_bytes(data[:at] + inserted + data[at + removed :])
    try:
        said = kind_of(path).kind
    except TealeavesError as error:
        said = str(error)
    assert said in ("model", "corpus", "list") or str(path) in said
