"""A corpus on disk: every measure works on it, opening it reads nothing, a killed process does no harm."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import tealeaves as tl
from tealeaves.corpus_store import CORPUS
from tealeaves.errors import FormatError
from tealeaves.folders import read_manifest, write_manifest
from tealeaves.measures._table import table

# every measure there is, and some of the ways of counting; what cannot be had of this model is said alike
MEASURES = [f"{name}@5" if measure.takes_top else name for name, measure in table().items()]
MEASURES += ["npmi(window=10)@5", "c_v(compat='gensim')@5", "sig_vac(variant='document_mean')"]


@pytest.fixture(scope="module")
def world():
    """A corpus with all that a corpus can have, and a model of its documents."""
    rng = np.random.default_rng(0)
    words = np.array(sorted(a + b for a in "abcdefgh" for b in "klmnopqr")[:60])
    topics = rng.dirichlet(np.full(60, 0.1), size=4)
    theta = rng.dirichlet(np.full(4, 0.3), size=120)
    texts = [" ".join(rng.choice(words, 30, p=share @ topics)) for share in theta]
    corpus = tl.Corpus.from_texts(
        texts,
        ids=[f"d{i}" for i in range(120)],
        slices=[2000 + i % 3 for i in range(120)],
        labels=["ab"[i % 2] for i in range(120)],
        vocabulary=words.tolist(),
    )
    return corpus, tl.TopicModel(tuple(words), topic_word=topics, doc_topic=theta, name="model")


@pytest.fixture(scope="module")
def mapped(world, tmp_path_factory):
    folder = tmp_path_factory.mktemp("mapped") / "corpus"
    world[0].save(folder, partitions=5)
    return tl.load_corpus(folder)


def test_a_mapped_corpus_is_not_in_memory(mapped):
    base = mapped.tokens
    while getattr(base, "base", None) is not None and not isinstance(base, np.memmap):
        base = base.base
    assert type(base).__name__ in ("memmap", "mmap")


@pytest.mark.parametrize("how", [{}, {"by": "slice"}, {"by": "label"}, {"held": True}])
def test_every_measure_gives_of_a_mapped_corpus_what_it_gives_of_the_same_in_memory(world, mapped, how):
    corpus, model = world
    options = {"ci": 0.9, "resamples": 20, "chance": 3}
    found = []
    for source in (corpus, mapped):
        if how.get("held"):
            found.append(tl.evaluate(model, source, held_out=source, measures="held_out", **options))
        else:
            found.append(tl.evaluate(model, source, measures=MEASURES, **options, **how))
    assert found[0].frame.equals(found[1].frame)
    assert found[0].details.pairs == found[1].details.pairs
    assert found[0].details.chance == found[1].details.chance


def same_documents(a, b):
    assert a.vocabulary == b.vocabulary
    for name in ("tokens", "offsets"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
    assert a.fingerprint == b.fingerprint
    assert a.bag_fingerprint == b.bag_fingerprint


USES = {
    "select": lambda corpus: corpus.select(slice(10, 70)),
    "select by a mask": lambda corpus: corpus.select(np.arange(len(corpus)) % 3 == 0),
    "index": lambda corpus: tl.build_index(corpus).positions.tolist(),
    "word counts": lambda corpus: corpus.word_counts().tolist(),
    "document frequency": lambda corpus: corpus.document_frequency().tolist(),
    "a document": lambda corpus: corpus.document(7).tolist(),
    "names, labels and texts": lambda corpus: [list(x) for x in (corpus.ids, corpus.labels, corpus.texts)],
    "slices": lambda corpus: (corpus.slice_of.tolist(), corpus.slice_labels),
    "fitting": lambda corpus: tl.fit("lda", corpus, 3, seed=1, workers=1).topic_word.tolist(),
}


@pytest.mark.parametrize("use", USES)
def test_what_is_done_with_a_corpus_is_done_with_a_mapped_one(world, mapped, use):
    here, there = (USES[use](corpus) for corpus in (world[0], mapped))
    if isinstance(here, tl.Corpus):
        same_documents(here, there)
    else:
        assert here == there


@pytest.mark.parametrize("name", ["out.parquet", "out.jsonl"])
def test_it_is_exchanged_as_a_table_and_comes_back(mapped, tmp_path, name):
    tl.write_corpus(mapped, tmp_path / name)
    back = tl.read_corpus(
        tmp_path / name, text="tokens", id="id", tokenized=True, vocabulary=list(mapped.vocabulary)
    )
    same_documents(back, mapped)
    assert list(back.ids) == list(mapped.ids)


def test_a_partition_that_is_torn_is_named_and_the_others_open(world, tmp_path):
    world[0].save(tmp_path / "corpus", partitions=5)
    file = tmp_path / "corpus" / "tokens.npy"
    content = bytearray(file.read_bytes())
    content[-3] ^= 1
    file.write_bytes(content)
    assert len(tl.load_corpus(tmp_path / "corpus", partition=0))
    for partition in (4, None):
        with pytest.raises(FormatError, match=r"tokens\.npy: is torn or was changed: partition 4"):
            tl.load_corpus(tmp_path / "corpus", partition=partition)
    file.write_bytes(content[:-400])
    with pytest.raises(FormatError, match=r"tokens\.npy: is torn"):
        tl.load_corpus(tmp_path / "corpus")


def test_a_hundred_gigabytes_open_in_milliseconds(tmp_path):
    """Of a file with a hole: 25 billion tokens that take no room on the disk."""
    folder, n = tmp_path / "corpus", 25_000_000_000
    tl.Corpus.from_tokens([["a", "b"]] * 3).save(folder)
    about = read_manifest(folder, CORPUS)
    tokens = np.lib.format.open_memmap(folder / "tokens.npy", "w+", np.int32, (n,))
    del tokens
    offsets = np.array([0, 2, 4, n], np.int64)
    np.save(folder / "offsets.npy", offsets)
    about["files"]["tokens"]["length"] = n
    write_manifest(folder, CORPUS, about)
    assert (folder / "tokens.npy").stat().st_size > 10**11
    used = []
    for _ in range(5):
        start = time.process_time()
        corpus = tl.load_corpus(folder)
        used.append(time.process_time() - start)
        assert corpus.n_tokens == n
        assert corpus.word_counts().tolist() == [3, 3]
        assert corpus.document(1).tolist() == [0, 0]  # the hole
    assert min(used) < 0.05


# --- killed by its process id, wherever it is

KILLED = """
import sys
import tealeaves as tl
from tealeaves import {module} as module
import time
def stop(*args, **kwargs):
    print("here", flush=True)
    time.sleep(600)
owner = module
*path, name = {name!r}.split(".")
for part in path:
    owner = getattr(owner, part)
original, left = getattr(owner, name), [{after}]
def counted(*args, **kwargs):
    if left[0] == 0:
        stop()
    left[0] -= 1
    return original(*args, **kwargs)
setattr(owner, name, counted)
{work}
"""
BUILD = 'tl.build_corpus("news.jsonl", "out", text="body", id="id", preprocess=tl.Preprocess(min_df=2))'
APPEND = 'tl.append_corpus("out", tl.load_corpus("more"))'
SAVE = 'tl.load_corpus("more").save("out", partitions=3)'
WHERE = {
    "building, when words are counted": (BUILD, "corpus_store", "_counts", 0),
    "building, when tokens are written": (BUILD, "corpus_store", "Writer.add", 0),
    "building, when checksums are taken": (BUILD, "corpus_store", "digest_of_part", 0),
    "building, before the manifest": (BUILD, "corpus_store", "write_manifest", 0),
    "appending, when tokens are written": (APPEND, "corpus_store", "Writer.add", 0),
    "appending, when words are counted": (APPEND, "corpus_store", "_counts", 0),
    "appending, when checksums are taken": (APPEND, "corpus_store", "digest_of_part", 0),
    "appending, before the manifest": (APPEND, "corpus_store", "write_manifest", 0),
    "appending, after the manifest": (APPEND, "corpus_store", "Writer._let_go", 0),
    "saving, when words are counted": (SAVE, "corpus_store", "_counts", 0),
    "saving, before the manifest": (SAVE, "corpus_store", "write_manifest", 0),
}


@pytest.mark.slow
@pytest.mark.parametrize("where", WHERE)
def test_a_process_killed_while_it_writes_leaves_the_corpus_that_was_there(where, tmp_path):
    work, module, name, after = WHERE[where]
    before = tl.Corpus.from_tokens([["oil", "gas"], ["gas", "tin"]], ids=["a", "b"])
    before.save(tmp_path / "out")
    tl.Corpus.from_tokens([["tax", "oil"]] * 4, ids=[f"m{i}" for i in range(4)]).save(tmp_path / "more")
    rows = [{"id": str(i), "body": f"court law word{i % 5}"} for i in range(50)]
    (tmp_path / "news.jsonl").write_text("\n".join(map(json.dumps, rows)))
    code = KILLED.format(module=module, name=name, after=after, work=work)
    process = subprocess.Popen(
        [sys.executable, "-c", code], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    line = process.stdout.readline()
    assert line == "here\n", process.communicate()[1]
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    found = tl.load_corpus(tmp_path / "out", verify=True)
    if where != "appending, after the manifest":
        same_documents(found, before)
    again = work.replace('"out"', repr(str(tmp_path / "out")))
    for name in ("news.jsonl", "more"):
        again = again.replace(f'"{name}"', repr(str(tmp_path / name)))
    if where == "appending, after the manifest":  # it was done
        assert list(found.ids) == ["a", "b", "m0", "m1", "m2", "m3"]
        return
    exec(again, {"tl": tl})
    whole = tl.load_corpus(tmp_path / "out", verify=True)
    assert len(whole) == {BUILD: 50, APPEND: 6, SAVE: 4}[work]
    left = [file.name for file in tmp_path.iterdir() if file.name.startswith(".out")]
    assert not left or work is SAVE  # what a killed save has left has a name of its own
