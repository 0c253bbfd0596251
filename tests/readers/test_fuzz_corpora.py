"""Whatever happens to a file of a corpus, it is read or refused in one of our errors: no traceback, no hang.

``TEALEAVES_FUZZ=10000`` sets how many damaged inputs each reader gets.
"""

import gzip
import io
import json
import zipfile

import numpy as np
import polars as pl
import pytest
import zstandard

from fuzz import LONG, fuzz, times
from tealeaves import Preprocess, read_corpus
from tealeaves.corpus import Corpus

N = times(100)
DOCS = [["oil", "gas", "oil", "prices"], [], ["court", "law"], ["gas", "law", "tin", "gas"]] * 3
LABELS = ["x", "y", "x", "z"] * 3
TIMES = [2001, 1999, 2001, 2000] * 3
VOCABULARY = b"court\ngas\nlaw\noil\nprices\ntin\n"
GENSIM = b"12\n0\tcourt\t3\n1\tgas\t6\n2\tlaw\t6\n3\toil\t3\n4\tprices\t3\n5\ttin\t3\n"
INDEX = {word: i for i, word in enumerate(VOCABULARY.decode().split())}
RECORDS = [
    {"id": f"d{i}", "text": " ".join(doc), "time": time, "label": label, "tokens": doc}
    for i, (doc, label, time) in enumerate(zip(DOCS, LABELS, TIMES, strict=True))
]
FIELDS = {"time": "time", "label": "label"}
# Real files, by reader: the folder, the file and those beside it.
REAL = {
    "uci": [("formats/corpora_same400", "docword.uci.txt", ["docword.uci.txt.vocab"])],
    "ldac": [
        ("formats/corpora_same400", "corpus.ldac", ["corpus.ldac.vocab"]),
        ("formats/ldac_reuters395", "reuters.ldac", ["reuters.tokens", "reuters.titles"]),
    ],
    "svmlight": [("formats/corpora_same400", "corpus.svmlight", ["corpus.ldac.vocab"])],
    "mm": [("formats/corpora_same400", "corpus.mm", ["dictionary.gensim.txt"])],
    "low": [("formats/corpora_same400", "corpus.low", [])],
    "tokens": [("formats/corpora_same400", "tokens.txt", [])],
    "text": [("formats/corpora_same400", "tokens.txt", [])],
    "mallet": [
        ("formats/corpora_same400", "corpus.mallet.txt", []),
        ("formats/mallet_bbc", "test.txt.gz", []),
    ],
}


def counts(doc):
    return [(INDEX[word], doc.count(word)) for word in sorted(set(doc))]


def frame():
    return pl.DataFrame(RECORDS)


def bytes_of(write):
    buffer = io.BytesIO()
    write(buffer)
    return buffer.getvalue()


def triples():
    return [(d + 1, w + 1, n) for d, doc in enumerate(DOCS) for w, n in counts(doc)]


def lines(rows, separator=" "):
    return "".join(separator.join(map(str, row)) + "\n" for row in rows).encode()


def npz():
    rows = [counts(doc) for doc in DOCS]
    return bytes_of(
        lambda file: np.savez(
            file,
            data=np.array([n for row in rows for _, n in row], np.uint16),
            indices=np.array([w for row in rows for w, _ in row], np.int32),
            indptr=np.cumsum([0, *map(len, rows)]),
            shape=np.array([len(rows), len(INDEX)]),
            vocab=np.array(list(INDEX)),
            ids=np.array([record["id"] for record in RECORDS]),
            time=np.array(TIMES),
            label=np.array(LABELS),
        )
    )


def dataset(prefix=""):
    label = {"names": ["x", "y", "z"], "_type": "ClassLabel"}
    table = frame().with_columns(pl.col("label").replace_strict({"x": 0, "y": 1, "z": 2}))
    return {
        f"{prefix}data-0.arrow": bytes_of(table.write_ipc_stream),
        f"{prefix}state.json": json.dumps({"_data_files": [{"filename": "data-0.arrow"}]}).encode(),
        f"{prefix}dataset_info.json": json.dumps({"features": {"label": label}}).encode(),
    }


def small():
    """Folders with a small corpus in each format, by the name of its reader, and what of them is read."""
    uci, rows = triples(), [counts(doc) for doc in DOCS]
    header = (len(DOCS), len(INDEX), len(uci))
    jsonl = "".join(json.dumps(record) + "\n" for record in RECORDS).encode()
    csv = frame().drop("tokens").write_csv().encode()
    texts = "".join(" ".join(doc) + "\n" for doc in DOCS).encode()
    ldac = "".join(f"{len(row)} " + " ".join(f"{w}:{n}" for w, n in row) + "\n" for row in rows).encode()
    svm = "".join(
        f"{i % 3} " + " ".join(f"{w + 1}:{n}" for w, n in row) + f" # d{i}\n" for i, row in enumerate(rows)
    ).encode()
    octis = {
        "corpus.tsv": lines(
            [
                (" ".join(doc), part, label)
                for doc, label, part in zip(DOCS, LABELS, ["train", "val", "test"] * 4, strict=True)
            ],
            "\t",
        ),
        "vocabulary.txt": VOCABULARY,
        "metadata.json": json.dumps({"total_documents": len(DOCS)}).encode(),
    }
    mm = b"%%MatrixMarket matrix coordinate real general\n" + lines([header, *uci])
    mtx = b"%%MatrixMarket matrix coordinate pattern general\n%\n" + lines(
        [header, *[row[:2] for row in uci]]
    )
    return {
        "text": [({"c.txt": texts}, "c.txt"), ({"c.txt.gz": gzip.compress(texts, mtime=0)}, "c.txt.gz")],
        "tokens": [
            ({"c.tokens": texts}, "c.tokens"),
            ({"c.tokens.zst": zstandard.compress(texts)}, "c.tokens.zst"),
        ],
        "folder": [
            ({"a.txt": b"Oil, gas", "b.txt.gz": gzip.compress(b"Tin", mtime=0), "sub/c.txt": b"Law"}, "")
        ],
        "csv": [({"c.csv": csv}, "c.csv"), ({"c.csv": csv.replace(b",", b";")}, "c.csv")],
        "tsv": [({"c.tsv": csv.replace(b",", b"\t")}, "c.tsv")],
        "jsonl": [
            ({"c.jsonl": jsonl}, "c.jsonl"),
            ({"c.jsonl.gz": gzip.compress(jsonl, mtime=0)}, "c.jsonl.gz"),
        ],
        "parquet": [
            ({"c.parquet": bytes_of(frame().write_parquet)}, "c.parquet"),
            ({"c.parquet": bytes_of(lambda f: frame().write_parquet(f, compression="snappy"))}, "c.parquet"),
        ],
        "arrow": [
            (dataset(), ""),
            ({"c.arrow": bytes_of(frame().write_ipc)}, "c.arrow"),
            ({"c.arrow": bytes_of(frame().write_ipc_stream)}, "c.arrow"),
            (
                dataset("train/")
                | dataset("test/")
                | {"dataset_dict.json": b'{"splits": ["train", "test"]}'},
                "",
            ),
        ],
        "mallet": [({"c.mallet": lines([(f"d{i}", "x", *doc) for i, doc in enumerate(DOCS)])}, "c.mallet")],
        "low": [({"c.low": b"%d\n" % len(DOCS) + texts}, "c.low")],
        "octis": [(octis, ""), ({**octis, "indexes.txt": lines([[i] for i in range(12)])}, "")],
        "uci": [
            ({"c.uci": lines([[n] for n in header]) + lines(uci), "c.uci.vocab": VOCABULARY}, "c.uci"),
            (
                {
                    "c.uci.gz": gzip.compress(lines([[n] for n in header]) + lines(uci)),
                    "vocab.txt": VOCABULARY,
                },
                "c.uci.gz",
            ),
        ],
        "ldac": [
            (
                {"c.ldac": ldac, "c.ldac.vocab": VOCABULARY, "c.ldac.ids": lines([[i] for i in range(12)])},
                "c.ldac",
            ),
            ({"c-mult.dat": ldac, "c-vocab.txt": VOCABULARY, "c-seq.dat": b"2\n5\n7\n"}, "c-mult.dat"),
        ],
        "svmlight": [
            ({"c.svmlight": svm, "c.vocab": VOCABULARY, "c.svmlight.labels": b"a\nb\nc\n"}, "c.svmlight")
        ],
        "mm": [
            ({"c.mm": mm, "c.dict.txt": GENSIM}, "c.mm"),
            ({"c.mtx": mtx, "vocab.txt": VOCABULARY}, "c.mtx"),
        ],
        "npz": [({"c.npz": npz()}, "c.npz")],
    }


SMALL = small()
WITH_FIELDS = ("csv", "tsv", "jsonl", "parquet", "arrow", "npz")


def check(corpus):
    """What is read is a whole corpus."""
    assert isinstance(corpus, Corpus)
    assert len(corpus.fingerprint) == len(corpus.bag_fingerprint) == 64
    assert len(corpus.document_frequency()) == len(corpus.vocabulary)
    for values in (corpus.ids, corpus.labels, corpus.slice_of):
        assert values is None or len(values) == len(corpus)
    if corpus.texts is not None and len(corpus):
        corpus.texts[0]


def reader(name):
    def read(path, rng):
        options = {}
        if rng.random() < 0.5:
            options["format"] = name
        if name in WITH_FIELDS and rng.random() < 0.7:
            options.update(FIELDS)
        if name in ("jsonl", "parquet", "arrow") and rng.random() < 0.3:
            options.update(text="tokens", tokenized=True)
        elif name in ("text", "csv", "jsonl", "low", "mallet") and rng.random() < 0.1:
            options["preprocess"] = Preprocess(pattern=r"\w+", min_df=2)
        if name == "octis" and rng.random() < 0.5:
            options.update(rng.choice([{"partition": "val"}, {"time": "partition"}]))
        return read_corpus(path, **options)

    return read


@pytest.mark.parametrize("name", SMALL)
def test_a_damaged_file_is_read_or_refused(name, tmp_path, request):
    seeds = list(SMALL[name])
    if name in REAL and LONG:
        data, seeds = request.getfixturevalue("data"), seeds * 10  # most damage is to small files
        for folder, file, beside in REAL[name]:
            files = {one: (data / folder / one).read_bytes() for one in (file, *beside)}
            seeds.append((files, file))
    links = ("out.txt", "sub.txt.gz") if name == "folder" else ()
    outcomes = fuzz(tmp_path, name, seeds, reader(name), check, N, links)
    assert outcomes.get("read", 0) + outcomes.get("FormatError", 0) > N // 2


def test_a_damaged_array_in_a_whole_archive_is_read_or_refused(tmp_path):
    """The archive's own checksum catches most damage: here it is right, and what it is of is damaged."""
    with zipfile.ZipFile(io.BytesIO(npz())) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}

    def read(path, rng):
        files = {file.name: file.read_bytes() for file in path.iterdir()}
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            for name, content in files.items():
                archive.writestr(name, content)
        (tmp_path / "c.npz").write_bytes(packed.getvalue())
        return read_corpus(tmp_path / "c.npz", **rng.choice([{}, FIELDS]))

    outcomes = fuzz(tmp_path, "arrays", [(members, "")], read, check, N)
    assert outcomes["FormatError"] + outcomes["read"] > N // 2
