"""Whatever happens to a file of a model, it is read or refused in one of our errors: no traceback, no hang.

``TEALEAVES_FUZZ=10000`` sets how many damaged inputs each reader gets. Topics over time have their own tests.
"""

import gzip
import io
import json
import pickle
import tempfile
from pathlib import Path

import numpy as np
import pytest

from fuzz import LONG, fuzz, times
from r_files import Slots, matrix, rds
from tealeaves.corpus import Corpus
from tealeaves.dynamic import DynamicTopicModel
from tealeaves.model import TopicModel, read_model
from tealeaves.writers.models import write_model

N = times(60)
CORPUS = Corpus.from_tokens([["oil", "gas", "oil"], ["tax", "law"], ["law", "gas", "tax", "tax"]], ids="abc")
TOPICS = np.array([0, 0, 0, 1, 1, 1, 0, 1, 1])
COUNTS = np.bincount(TOPICS * 4 + CORPUS.tokens, minlength=8).reshape(2, 4) + 0.5
SHARES = np.array([[3.5, 0.5], [0.5, 2.5], [1.5, 3.5]])
MODEL = TopicModel(
    CORPUS.vocabulary,
    COUNTS / COUNTS.sum(axis=1, keepdims=True),
    doc_topic=SHARES / SHARES.sum(axis=1, keepdims=True),
    assignments=TOPICS,
    alpha=0.5,
    eta=0.5,
    corpus=CORPUS,
)
WORDS = "".join(f"{word}\n" for word in MODEL.vocabulary).encode()
LISTS = MODEL.top_words(3)
PHI, THETA = MODEL.topic_word, MODEL.doc_topic
LOGS = np.log(PHI)
# Real files, by format: the folder, the files of it, and which is read.
REAL = {
    "mallet-state": [("mallet_bbc", ["topic-state.gz"], "topic-state.gz")],
    "mallet-keys": [("mallet_bbc", ["topic-keys.txt"], "topic-keys.txt")],
    "mallet-weights": [("mallet_bbc", ["topic-word-weights.txt.gz"], "topic-word-weights.txt.gz")],
    "mallet-counts": [("mallet_bbc", ["word-topic-counts.txt"], "word-topic-counts.txt")],
    "mallet-doc-topics": [("mallet_bbc", ["test-doc-topics.txt"], "test-doc-topics.txt")],
    "mallet-diagnostics": [("mallet_bbc", ["diagnostics.xml"], "diagnostics.xml")],
    "mallet-phrases": [("mallet_bbc", ["topic-phrases.xml"], "topic-phrases.xml")],
    "r": [("r_objects", ["gadarianFit.RData"], "gadarianFit.RData")],
    "bertopic": [
        ("bertopic_a", ["config.json", "topics.json"], ""),
        ("bertopic_b", ["config.json", "ctfidf_config.json", "ctfidf.safetensors"], ""),
    ],
    "lda-c": [("ldac_reuters395", ["final.beta.gz", "final.gamma", "final.other", "reuters.tokens"], "")],
    "tomotopy": [("tomotopy", ["lda.tomotopy.bin"], "lda.tomotopy.bin")],
    "gensim": [("gensim_lda", ["lda.model", "lda.model.id2word"], "lda.model")],
}


def written(format, model=MODEL, **options):
    """The files of a model in one of our formats, by their names, and which is read."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m"
        write_model(model, path, format, **options)
        if path.is_dir():
            files = [file for file in path.rglob("*") if file.is_file()]
            return {str(file.relative_to(path)): file.read_bytes() for file in files}
        return path.read_bytes()


def one(name, content):
    return {name: content.encode() if isinstance(content, str) else content}, name


def npy(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def safetensors(**arrays):
    header, body = {}, b""
    kinds = {"float64": "F64", "int64": "I64"}
    for name, array in arrays.items():
        data = np.ascontiguousarray(array).tobytes()
        header[name] = {
            "dtype": kinds[str(array.dtype)],
            "shape": list(array.shape),
            "data_offsets": [len(body), len(body) + len(data)],
        }
        body += data
    head = json.dumps(header).encode()
    return len(head).to_bytes(8, "little") + head + body


def bertopic():
    shown = {str(k): [[word, 0.5 - i / 9] for i, word in enumerate(words)] for k, words in enumerate(LISTS)}
    topics = {"topic_representations": {"-1": [["the", 0.1]], **shown}, "topics": [0, -1, 1, 0]}
    rows = np.vstack([[0.25] * 4, PHI])
    sparse = {
        "data": rows.ravel(),
        "indices": np.tile(np.arange(4), 3),
        "indptr": np.arange(0, 13, 4),
        "shape": np.array(rows.shape),
        "diag": np.ones(4),
    }
    words = {word: i for i, word in enumerate(MODEL.vocabulary)}
    config = {"vectorizer_model": {"vocab": words, "params": {}}, "ctfidf_model": {}}
    return {
        "topics.json": json.dumps(topics).encode(),
        "config.json": b'{"top_n_words": 3}',
        "ctfidf_config.json": json.dumps(config).encode(),
        "ctfidf.safetensors": safetensors(**{name: np.asarray(a) for name, a in sparse.items()}),
    }


def ldac():
    beta = "".join(" ".join(map(repr, row)) + "\n" for row in LOGS.tolist())
    gamma = "".join(" ".join(map(repr, row)) + "\n" for row in SHARES.tolist())
    bags = [np.unique(CORPUS.document(d), return_counts=True) for d in range(3)]
    rows = [" ".join(f"{w}:{n}" for w, n in zip(*bag, strict=True)) for bag in bags]
    assigned = [" ".join(f"{w:04d}:{d % 2:02d}" for w in bag[0]) for d, bag in enumerate(bags)]
    sizes = [len(bag[0]) for bag in bags]
    return {
        "final.beta": beta.encode(),
        "final.gamma": gamma.encode(),
        "final.other": b"num_topics 2\nnum_terms 4\nalpha 0.5\n",
        "docs.ldac": "".join(f"{n} {row}\n" for n, row in zip(sizes, rows, strict=True)).encode(),
        "word-assignments.dat": "".join(
            f"{n:03d} {row}\n" for n, row in zip(sizes, assigned, strict=True)
        ).encode(),
        "docs.vocab": WORDS,
    }


def htmm():
    """A run of OpenHTMM with one document: the corpus' words in sentences of two."""

    def table(rows):
        lines = ["".join(f"{x:.9g}\t" for x in row) for row in rows]
        return "\n".join([f"{len(rows)}\t{len(rows[0])}", *lines, ""]).encode()

    return {
        "m.phi": table(PHI),
        "m.theta": table(THETA[:1]),
        "m.eps": b"0.25\n",
        "m.cmd": b"./openhtmm 2 4 1.5 1.01 100 train.txt m ./\n",
        "m.pdwz": b"1\t2\n2\n0.5\t0.5\t0\t0\t\n0.25\t0.25\t0.25\t0.25\t\n\n",
        "train.txt": b"a.txt\n",
        "a.txt": b"2 1 2\n2 3 4\n",
        "words.vocab.txt": WORDS,
    }


def sentence_lda(protocol):
    """A pickle of an object of a class that is not there; its state is plain."""
    state = {
        "V": 4,
        "alpha": 0.5,
        "beta": 0.5,
        "docs": [[[0, 1], [2]], [[3, 3]]],
        "z_m_n": [[0, 1], [1]],
        "n_m_z": [[1.5, 1.5], [0.5, 1.5]],
    }
    body = pickle.dumps(state, protocol=protocol)
    body = body[2:] if protocol else body
    head = b"\x80\x02" if protocol else b""
    return head + b"(ilda_sentenceLayer\nlda_gibbs_sampling1\n" + body[:-1] + b"b."


def ankura():
    """Topics and a corpus of records, as text of protocol 0: so that damage meets names and numbers."""

    def record(name, *fields):
        return f"c ankura.pipeline\n{name}\n".replace("c ", "c") + "(" + "".join(fields) + "tR"

    def plain(thing):
        return pickle.dumps(thing, protocol=0)[:-1].decode()

    def document(text, words, z, theta):
        tokens = "".join(record("TokenLoc", f"I{w}\n", "(I0\nI3\nt") + "a" for w in words)
        said = plain({"m_z": z, "m_theta": theta}).replace("p", "p9")  # memos of their own
        return record("Document", plain(text).replace("p", "p8"), f"(l{tokens}", said)

    documents = document("oil gas", [0, 1], [0, 1], [0.5, 0.5]) + "a"
    documents += document("tax", [3], [1], [0.0, 1.0]) + "a"
    corpus = record("Corpus", f"(l{documents}", plain(list(MODEL.vocabulary)).replace("p", "p7"), "(d")
    return {
        "m.topics.pickle": pickle.dumps(np.ascontiguousarray(PHI.T), protocol=2),
        "m.corpus.pickle": (corpus + ".").encode(),
    }


def r_models():
    words = list(MODEL.vocabulary)
    named = matrix(PHI, ["energy", "law"], words)
    things = [
        {"vocab": words, "beta": {"logbeta": [LOGS]}, "theta": np.array(THETA), "settings": {}},
        Slots(terms=words, beta=LOGS, gamma=np.array(THETA), alpha=25.0, **{"class": "LDA_Gibbs"}),
        {"phi": named, "theta": np.array(THETA), "alpha": 0.5},
        {"topics": matrix(COUNTS, None, words), "document_sums": SHARES.T.copy(), "assignments": [TOPICS]},
        named,
    ]
    return [one("m.rds", rds(thing)) for thing in things] + [
        one("m.rds", gzip.compress(rds(things[0]).encode(), mtime=0))
    ]


DIAGNOSTICS = """<?xml version="1.0" encoding="UTF-8"?>
<model>
<topic id='0' tokens='4.0000' document_entropy='0.5000' coherence='-1.0000'>
<word rank='1' count='2' prob='0.5' cumulative='0.5' docs='1' word-length='3.0000'>oil</word>
<word rank='2' count='2' prob='0.5' cumulative='1.0' docs='1' word-length='3.0000'>gas &amp; co</word>
</topic>
<topic id='1' tokens='5.0000' document_entropy='0.5000' coherence='-1.0000'>
<word rank='1' count='3' prob='0.6' cumulative='0.6' docs='1' word-length='3.0000'>tax</word>
</topic>
</model>
"""
PHRASES = """<?xml version='1.0' ?>
<topics>
  <topic id="0" alpha="0.5" totalTokens="4" titles="oil, gas">
    <word weight="0.5" count="2">oil</word>
    <phrase weight="0.5" count="2">oil gas</phrase>
  </topic>
  <topic id="1" alpha="0.5" totalTokens="5" titles="tax"><word weight="0.5" count="2">tax</word></topic>
</topics>
"""
BOMB = '<!DOCTYPE model [<!ENTITY a "haha"><!ENTITY b "&a;&a;&a;&a;">]>\n<model>&b;</model>\n'
OUTSIDE = '<!DOCTYPE model [<!ENTITY a SYSTEM "../../outside/secret.arrow">]><model>&a;</model>'
MARKDOWN = '# Topics\n\n- **Energy**: oil, gas, coal\n- **Law**: tax, "court", `judge`\n\nThat is all.\n'
HEADINGS = "## Topic 1: Energy\n- oil\n- gas\n\n## Topic 2: Law\n**Keywords**: tax, court\n"


def seeds():
    """Folders with a small model in each format, and what of them is read ("" is the folder itself)."""
    run = written("mallet")
    state = run["topic-state.gz"]
    counts = "".join(f"{w} {word} 0:{w + 1} 1:2\n" for w, word in enumerate(MODEL.vocabulary))
    long_csv = written("csv")
    named = [{"name": "Energy", "words": LISTS[0]}, {"name": "Law", "keywords": "tax, law"}]
    arrays = written("octis")
    packed = io.BytesIO()
    np.savez(packed, phi=PHI, theta=THETA, vocab=np.array(MODEL.vocabulary), alpha=0.5)
    columns = "Topic 1,Topic 2\noil,tax\ngas,law\n"
    return {
        "tealeaves": [(written("tealeaves"), "")],
        "json": [
            one("m.json", json.dumps(LISTS)),
            one("m.json", json.dumps({"topics": {k: [[w, 0.5] for w in t] for k, t in enumerate(LISTS)}})),
            one("m.json", json.dumps(named)),
            one("m.txt", f"Here:\n```json\n{json.dumps(named)}\n```\n"),
            one("m.json", written("json-weights")),
            one("m.json", written("octis-json")),
            one("m.json", written("pyldavis")),
        ],
        "csv": [
            one("m.csv", long_csv),
            one("m.csv", written("csv-weights")),
            one("m.csv", columns),
            one("m.tsv", long_csv.replace(b",", b"\t")),
            one("m.csv", '"","oil","natural ""gas"""\n"1",0.5,0.5\n"2",1e-05,0.99999\n"3",0,1\n'),
        ],
        "text": [one("m.txt", "oil gas coal\n\nTopic 1: tax law\n"), one("m.gz", gzip.compress(b"oil\n"))],
        "markdown": [one("m.md", MARKDOWN), one("m.txt", MARKDOWN), one("m.md", HEADINGS)],
        "arrays": [
            one("m.npz", arrays),
            one("m.npz", packed.getvalue()),
            ({"m.npy": npy(PHI), "words.txt": WORDS}, "m.npy"),
        ],
        "mallet-state": [one("s.gz", state), one("s", gzip.decompress(state))],
        "mallet-keys": [one("k.txt", run["topic-keys.txt"])],
        "mallet-weights": [one("w.txt", run["topic-word-weights.txt"])],
        "mallet-counts": [one("c.txt", counts)],
        "mallet-doc-topics": [
            one("d.txt", run["doc-topics.txt"]),
            one("d.txt", "#doc name topic proportion ...\n0 a 1 0.75 0 0.25 \n1 b 0 0.9 \n"),
        ],
        "mallet-diagnostics": [one("d.xml", DIAGNOSTICS), one("d.xml", BOMB), one("d.xml", OUTSIDE)],
        "mallet-phrases": [one("p.xml", PHRASES)],
        "mallet": [({**run, "counts.txt": counts.encode(), "d.xml": DIAGNOSTICS.encode()}, ""), (run, "")],
        "lda-c": [(ldac(), ""), (ldac(), "final.beta")],
        "htmm": [(htmm(), ""), (htmm(), "m.phi")],
        "sentence-lda": [one("m.pkl", sentence_lda(p)) for p in (0, 2)],
        "ankura": [(ankura(), "m.topics.pickle")],
        "bertopic": [(bertopic(), "")],
        "r": r_models(),
        "gensim": [one("m.model", pickle.dumps({"a": [1, 2]}, protocol=p)) for p in (0, 2, 4)],
        "tomotopy": [one("m.bin", b"LDA\0\x05\0\0\0TPTK" + bytes(range(200)))],
    }  # fmt: skip


SEEDS = seeds()


def check(model):
    """What is read is a whole model."""
    assert model.n_topics >= 1
    assert repr(model)
    if isinstance(model, DynamicTopicModel):  # damage may make slices of topics
        assert len(model.top_words(5)) == model.n_slices
        return
    assert len(model.top_words(5)) == model.n_topics
    if model.topic_word is not None:
        assert np.isfinite(model.topic_word).all()
    if model.doc_topic is not None:
        assert model.doc_topic.shape[1] == model.n_topics


def reader(name):
    def read(path, rng):
        options = {}
        if rng.random() < 0.5:
            options["format"] = name
        if name == "sentence-lda":
            options["vocabulary"] = list(MODEL.vocabulary)
        if name in ("arrays", "lda-c", "json") and rng.random() < 0.3:
            words = path.parent / "words.txt"
            options["vocabulary"] = words if words.is_file() else list(MODEL.vocabulary)
        if name in ("arrays", "csv", "json") and rng.random() < 0.2:
            options["axes"] = rng.choice(
                ["topic word", "word topic", "topic document", "document topic, rows"]
            )
        if rng.random() < 0.1:
            options["outliers"] = "keep"
        return read_model(path, **options)

    return read


def saved_by_topica(tmp_path):
    topica = pytest.importorskip("topica")
    documents = [["oil", "gas", "oil", "tin"], ["gas", "oil"], ["tax", "law", "tax"], ["law", "judge"]] * 4
    saves = []
    for kind in ("LDA", "NMF"):
        fitted = getattr(topica, kind)(2)
        fitted.fit(documents)
        fitted.save(str(tmp_path / kind))
        saves.append(one("m.bin", (tmp_path / kind).read_bytes()))
    return saves


@pytest.mark.parametrize("name", [*SEEDS, "topica"])
def test_a_damaged_file_is_read_or_refused(name, tmp_path, request):
    if name == "r":
        pytest.importorskip("rdata")
    given = saved_by_topica(tmp_path) if name == "topica" else list(SEEDS[name])
    if name in REAL and LONG:
        data, given = request.getfixturevalue("data"), given * 50
        for folder, files, target in REAL[name]:
            content = {file: (data / "formats" / folder / file).read_bytes() for file in files}
            given.append((content, target))
    outcomes = fuzz(tmp_path, name, given, reader(name), check, N)
    assert outcomes.get("read", 0) + outcomes.get("FormatError", 0) > N // 2
