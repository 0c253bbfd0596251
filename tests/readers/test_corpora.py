import bz2
import datetime
import gzip
import json
import lzma

import numpy as np
import polars as pl
import pytest
import zstandard

from tealeaves.corpus import Corpus, read_corpus
from tealeaves.errors import FormatError, InputError
from tealeaves.preprocess import Preprocess

RECORDS = [
    {"id": "a", "text": "Oil, gas", "date": "2001-02-01", "topic": ["x", "y"]},
    {"id": "b", "text": 'A "quoted"\n line; ünï', "date": "1999-01-01", "topic": []},
    {"id": "c", "text": "", "date": "2001-02-01", "topic": ["x"]},
]
WORDS = [["oil", "gas"], ["a", "quoted", "line", "ünï"], []]


def words_of(corpus):
    words = [*corpus.vocabulary, None]
    return [[words[i] for i in corpus.document(d)] for d in range(len(corpus))]


def jsonl(records):
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode()


def table(records, separator):
    flat = [{name: value for name, value in record.items() if name != "topic"} for record in records]
    return pl.DataFrame(flat).write_csv(separator=separator).encode()


PACKED = {
    "": bytes,
    ".gz": gzip.compress,
    ".zst": zstandard.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
}


@pytest.mark.parametrize("packing", PACKED)
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("docs.jsonl", jsonl(RECORDS)),
        ("docs.ndjson", b"\xef\xbb\xbf" + jsonl(RECORDS).replace(b"\n", b"\r\n\n")),
        ("docs.csv", table(RECORDS, ",")),
        ("docs.CSV", b"\xef\xbb\xbf" + table(RECORDS, ";")),
        ("docs.tsv", table(RECORDS, "\t")),
    ],
)
def test_every_format_gives_the_same_corpus(tmp_path, name, content, packing):
    path = tmp_path / f"{name}{packing}"
    path.write_bytes(PACKED[packing](content))
    corpus = read_corpus(path, time="date")
    assert words_of(corpus) == WORDS
    assert corpus.ids == ("a", "b", "c")
    assert corpus.slice_labels == ("1999-01-01", "2001-02-01")
    assert corpus.slice_of.tolist() == [1, 0, 1]
    assert corpus.texts[0] == "Oil, gas"
    assert corpus.fingerprint == Corpus.from_texts([record["text"] for record in RECORDS]).fingerprint


@pytest.mark.parametrize("packing", PACKED)
def test_parquet_is_read_with_its_types(tmp_path, packing):
    frame = pl.DataFrame(RECORDS).with_columns(pl.col("date").str.to_date())
    frame.write_parquet(tmp_path / "docs.parquet")
    path = tmp_path / f"docs.parquet{packing}"
    path.write_bytes(PACKED[packing]((tmp_path / "docs.parquet").read_bytes()))
    corpus = read_corpus(path, time="date", label="topic")
    assert words_of(corpus) == WORDS
    assert corpus.slice_labels == ("1999-01-01", "2001-02-01")
    assert corpus.labels == (("x", "y"), (), ("x",))


def test_labels_of_json_may_be_one_several_or_none(tmp_path):
    path = tmp_path / "docs.jsonl"
    path.write_bytes(jsonl([{"text": "a", "label": value} for value in ("x", ["x", "y"], None, 3)]))
    assert read_corpus(path, label="label").labels == ("x", ("x", "y"), (), "3")


def test_text_has_a_document_a_line(tmp_path):
    path = tmp_path / "docs.txt"
    path.write_bytes("Oil gas\r\n\nTin\u2028lead\x0bzinc".encode())
    assert words_of(read_corpus(path)) == [["oil", "gas"], [], ["tin", "lead", "zinc"]]
    assert words_of(read_corpus(path, tokenized=True))[0] == ["Oil", "gas"]


def test_a_folder_has_a_document_a_file(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "b.txt").write_text("Oil\ngas", "utf-8")
    (tmp_path / "sub" / "a.txt.gz").write_bytes(gzip.compress(b"Tin", mtime=0))
    (tmp_path / "notes.md").write_text("not a document")
    corpus = read_corpus(tmp_path)
    assert words_of(corpus) == [["oil", "gas"], ["tin"]]
    assert corpus.ids == ("b", "sub/a")


def test_no_file_of_a_folder_hides_another(tmp_path):
    (tmp_path / "a.txt.old").mkdir()
    (tmp_path / "a.txt.old" / "b.txt").write_text("tin")
    (tmp_path / "a.txt").write_text("oil")
    (tmp_path / "c.txt").write_text("gas")
    assert read_corpus(tmp_path).ids == ("a", "a.txt.old/b", "c")
    (tmp_path / "c.txt.gz").write_bytes(gzip.compress(b"law", mtime=0))
    corpus = read_corpus(tmp_path)
    assert corpus.ids is None
    assert len(corpus) == 4
    assert "'c'" in corpus.notes[0]


def test_tokens_may_be_lists_or_stand_between_blanks(tmp_path):
    path = tmp_path / "docs.jsonl"
    path.write_bytes(jsonl([{"text": ["New York", "oil"]}, {"text": "oil  gas"}, {"text": None}]))
    corpus = read_corpus(path, tokenized=True)
    assert words_of(corpus) == [["New York", "oil"], ["oil", "gas"], []]
    assert "1 documents have no text" in corpus.notes[0]
    with pytest.raises(FormatError, match=r"docs\.jsonl:1: .*tokenized=True"):
        read_corpus(path)
    with pytest.raises(InputError, match="leave preprocess out"):
        read_corpus(path, tokenized=True, preprocess=Preprocess())


def test_ids_are_used_if_they_are_there_and_good(tmp_path):
    path = tmp_path / "docs.jsonl"
    path.write_bytes(jsonl([{"text": "a", "id": 1, "key": "x"}, {"text": "b", "id": 1, "key": "y"}]))
    corpus = read_corpus(path)
    assert corpus.ids is None
    assert "'id' was not used" in corpus.notes[0]
    assert read_corpus(path, id="key").ids == ("x", "y")
    with pytest.raises(FormatError, match="two documents have the id '1'"):
        read_corpus(path, id="id")


@pytest.mark.parametrize(
    ("name", "content", "options", "message"),
    [
        ("d.jsonl", b'{"text": "a"}\n{"text": "b"', {}, r"d\.jsonl:2: is no JSON"),
        ("d.jsonl", b'{"text": "a"}\n["b"]\n', {}, r"d\.jsonl:2: a JSON object was expected, not list"),
        ("d.jsonl", b'[{"text": "a"}]', {}, r"d\.jsonl:1: .*one JSON array"),
        ("d.jsonl", b'{"text": "a"}\n\n{"txt": "b"}\n', {}, r"d\.jsonl:3: no field 'text'.* 'txt'"),
        ("d.jsonl", b'{"body": "a", "day": 1}', {}, r"d\.jsonl:1: no field 'text'.* 'body', 'day'"),
        ("d.jsonl", b'{"text": "a"}', {"time": "day"}, r"d\.jsonl:1: no field 'day' for time="),
        ("d.jsonl", b'{"text": "a", "day": null}', {"time": "day"}, r"d\.jsonl:1: field 'day' .* is empty"),
        ("d.jsonl", b'{"text": 7}', {}, r"d\.jsonl:1: field 'text' holds no text but 7"),
        ("d.jsonl", b'{"text": [1]}', {"tokenized": True}, r"d\.jsonl:1: .*no list of words"),
        ("d.jsonl", b'{"text": "a"}\n{"text": "\xe9"}\n', {}, r"d\.jsonl:2: byte 0xe9 is no UTF-8"),
        ("d.jsonl", '{"text": "a"}'.encode("utf-16"), {}, r"d\.jsonl:1: is UTF-16"),
        ("d.jsonl", b"", {}, r"d\.jsonl: holds no documents"),
        ("d.txt", b"ok\n\xff\n", {}, r"d\.txt:2: byte 0xff is no UTF-8"),
        ("d.txt", b"ok", {"time": "day"}, r"d\.txt: text has no fields, so time="),
        ("d.csv", b"id,text\n1,a\n2,b,c\n", {}, r"d\.csv:3: 3 cells, but the first line names 2"),
        ("d.csv", b'id,text\n1,"a\n', {}, r"d\.csv:2: is no whole table"),
        ("d.csv", b"1,hello\n2,b\n", {}, r"d\.csv:1: no field 'text'.* '1', 'hello' .*name the columns"),
        ("d.csv", b"text,text\na,b\n", {}, r"d\.csv:1: two columns are called 'text'"),
        ("d.csv", b"text\nok\n\xe9\n", {}, r"d\.csv:3: byte 0xe9 is no UTF-8"),
        ("d.csv", b"", {}, r"d\.csv"),
        ("d.parquet", b"PAR1 no", {}, r"d\.parquet: is no whole Parquet file"),
        (
            "d.jsonl.gz",
            gzip.compress(b'{"text": "a"}\n' * 9, mtime=0)[:-12],
            {},
            r"d\.jsonl\.gz:\d+: .*cut off",
        ),
        ("d.jsonl.gz", b'{"text": "a"}\n', {}, ""),
        ("d.doc", b"text", {}, r"d\.doc: its name does not tell the format"),
        ("d.jsonl", b"{}", {"format": "xml"}, "no corpus format 'xml'"),
    ],
)
def test_a_file_that_cannot_be_read_is_one_error_that_says_where(tmp_path, name, content, options, message):
    (tmp_path / name).write_bytes(content)
    if not message:  # a name that only pretends to be compressed is no fault
        assert len(read_corpus(tmp_path / name, **options)) == 1
        return
    with pytest.raises(InputError, match=message):
        read_corpus(tmp_path / name, **options)


def test_a_file_that_is_cut_off_within_a_zstandard_frame_is_named(tmp_path):
    content = jsonl([{"text": f"word {i} " + "xyz" * (i % 7)} for i in range(90_000)])
    (tmp_path / "d.jsonl.zst").write_bytes(zstandard.compress(content)[:-1000])
    with pytest.raises(FormatError, match=r"d\.jsonl\.zst"):
        read_corpus(tmp_path / "d.jsonl.zst")


def test_zstandard_frames_in_a_row_are_all_read(tmp_path):
    parts = [zstandard.compress(jsonl([{"text": word}])) for word in ("oil", "gas")]
    (tmp_path / "d.jsonl.zst").write_bytes(b"".join(parts))
    assert words_of(read_corpus(tmp_path / "d.jsonl.zst")) == [["oil"], ["gas"]]


def test_a_missing_file_or_an_empty_folder_is_said(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_corpus(tmp_path / "none.jsonl")
    with pytest.raises(FormatError, match=r"holds no \.txt files"):
        read_corpus(tmp_path)


def test_a_long_document_in_a_table_is_no_error(tmp_path):
    (tmp_path / "d.csv").write_text("text\n" + "oil " * 100_000 + "\n", "utf-8")
    assert read_corpus(tmp_path / "d.csv").n_tokens == 100_000


def test_a_saved_corpus_takes_no_options(tmp_path):
    Corpus.from_tokens([["a"]]).save(tmp_path / "c")
    assert words_of(read_corpus(tmp_path / "c")) == [["a"]]
    with pytest.raises(InputError, match="read as it is"):
        read_corpus(tmp_path / "c", preprocess=Preprocess())


def test_texts_that_changed_since_they_were_read_are_not_shown(tmp_path):
    path = tmp_path / "d.txt"
    path.write_text("oil\ngas\n", "utf-8")
    corpus = read_corpus(path)
    path.write_text("oil\n", "utf-8")
    with pytest.raises(InputError, match="had 2 documents and now has 1"):
        corpus.texts[0]


def test_the_reuters_stories_of_the_overview_article(data):
    path = data / "reuters" / "reuters_apte.jsonl.gz"
    corpus = read_corpus(
        path, text="text", label="label", time="date", preprocess=Preprocess(pattern=r"[a-z]+")
    )
    assert len(corpus) == 10_788
    assert sum(map(len, corpus.labels)) == 13_330
    train = corpus.select([i for i, name in enumerate(corpus.ids) if name.startswith("training/")])
    assert train.vocabulary == corpus.vocabulary
    found = train.document_frequency()[[train.index[word] for word in ("oil", "gas", "energy")]]
    assert found.tolist() == [730, 275, 237]  # the article's, of 7,769 stories
    assert len(train) == 7_769
    first = datetime.date.fromisoformat(corpus.slice_labels[0][:10])
    assert first.year == 1987
    assert (np.diff(train.offsets) > 0).all()


def test_real_collections_are_read_as_they_come(data):
    speeches = read_corpus(data / "sotu" / "state_of_the_union.jsonl.gz", time="date", label="label")
    assert (len(speeches), speeches.slice_labels[0]) == (245, "1790-01-08")
    posts = read_corpus(data / "20newsgroups" / "20newsgroups.jsonl.gz", label="label")
    assert (len(posts), len(set(posts.labels))) == (18_846, 20)
    assert (np.diff(posts.offsets) == 0).sum() >= 515  # empty after headers and quotes were taken off
    tokens = read_corpus(data / "formats" / "corpora_same400" / "tokens.txt", tokenized=True)
    assert (len(tokens), tokens.n_tokens, len(tokens.vocabulary)) == (400, 31_289, 2_092)
