"""Damaged files of topics over time are read or told in one message; nothing outside is touched.

The everyday run mutates each kind a few dozen times; TEALEAVES_FUZZ=10000 sets another number.
"""

import dataclasses
import gzip
import io
import json
import os
import time

import numpy as np
import pytest

import tealeaves as tl
from tealeaves import synthetic
from tealeaves.errors import TealeavesError

TIMES = int(os.environ.get("TEALEAVES_FUZZ", "60"))
PATIENCE = 10.0  # seconds for one small file
SLICES = [[["oil", "gas"], ["tax", "law"]], [["oil", "tar"], ["law", "vat"]]]
BITS = [
    b"",
    b"\x00",
    b"\xff\xfe",
    b"[",
    b"}",
    b",",
    b"\n",
    b'"',
    b"-1",
    b"1e999",
    b"nan",
    b"9" * 25,
    b"{}",
    b"null",
    b"\xc3",
]
BERTOPIC = """Topic,Words,Frequency,Timestamp
-1,the of,3,1990
0,"oil, gas",2,1990
0,"oil, tar",2,1991
1,tax,1,1991
"""
LONG = "slice,topic,rank,word,weight\n" + "".join(
    f"{1990 + t},{k},{r},{word},{0.5 - r / 10}\n"
    for t, topics in enumerate(SLICES)
    for k, words in enumerate(topics)
    for r, word in enumerate(words)
)
JSON = {
    "list.json": SLICES,
    "dict.json": {"1990": SLICES[0], "1991": {"0": ["oil", "tar"], "1": None}},
    "keys.json": {
        "times": [1, 2],
        "axes": "topic time",
        "top_words": [[[["oil", 0.5]], [["tar", 0.4]]], [[["tax", 0.2]], None]],
    },
}
FILES = {
    **{name: json.dumps(content).encode() for name, content in JSON.items()},
    "bertopic.csv": BERTOPIC.encode(),
    "long.csv": LONG.encode(),
    "packed.csv.gz": gzip.compress(LONG.encode()),
}


def mutated(content, draw):
    """A copy with some bytes changed, cut out, doubled, inserted or cut off."""
    data = bytearray(content)
    for _ in range(draw.integers(1, 4)):
        at = int(draw.integers(0, len(data) + 1))
        match int(draw.integers(0, 6)):
            case 0:
                del data[at : at + int(draw.integers(1, 30))]
            case 1:
                data[at:at] = BITS[draw.integers(0, len(BITS))]
            case 2:
                data[at : at + 1] = bytes([draw.integers(0, 256)])
            case 3:
                data[at:at] = data[at : at + int(draw.integers(1, 60))]
            case 4:
                del data[at:]
            case 5:
                other = int(draw.integers(0, len(data) + 1))
                data[at:at] = data[other : other + 8]
    return bytes(data)


def is_read_or_told(path, **options):
    before = time.monotonic()
    try:
        model = tl.read_model(path, **options)
        said = f"{model!r} {model.top_words(3)}"
    except TealeavesError as error:
        said = str(error).replace(str(path), "").strip()
    assert said
    assert time.monotonic() - before < PATIENCE


def everything(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_is_read_or_told(tmp_path, name):
    draw = np.random.default_rng(sum(name.encode()))
    for _ in range(TIMES):
        (tmp_path / name).write_bytes(mutated(FILES[name], draw))
        is_read_or_told(tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def files_of_dtm(folder):
    run = folder / "run" / "lda-seq"
    run.mkdir(parents=True)
    logs = np.log(np.random.default_rng(0).dirichlet(np.ones(5), size=(2, 3)) * 0.95)
    for k in range(2):
        (run / f"topic-{k:03d}-var-e-log-prob.dat").write_text(
            "".join(f"{x:.6f}\n" for x in logs[k].T.ravel())
        )
    (run / "info.dat").write_text("NUM_TOPICS 2\nNUM_TERMS 5\nSEQ_LENGTH 3\n")
    (run / "gam.dat").write_text("1\n3\n2\n2\n5\n0\n")
    (folder / "x-vocab.txt").write_text("gas\nlaw\noil\ntar\ntax\n")
    (folder / "x-seq.dat").write_text("3\n1\n1\n1\n")
    (folder / "x-mult.dat").write_text("2 0:1 4:2\n1 3:1\n1 2:1\n")


def files_of_slices(folder):
    for year, topics in zip(("1990", "1991"), SLICES, strict=True):
        (folder / f"{year}.txt").write_text("".join(" ".join(words) + "\n" for words in topics))


def files_of_ours(folder):
    corpus, truth = synthetic.drifting(k=2, documents=6, length=4, vocabulary=8, slices=2)
    dataclasses.replace(truth, corpus=corpus).save(folder / "m")
    for path in (folder / "m").iterdir():
        path.rename(folder / path.name)
    (folder / "m").rmdir()


@pytest.mark.parametrize("make", [files_of_dtm, files_of_slices, files_of_ours])
def test_a_folder_with_one_damaged_file_is_read_or_told(tmp_path, make):
    (tmp_path / "model").mkdir()
    (tmp_path / "beside.txt").write_text("not of the model")
    make(tmp_path / "model")
    whole = everything(tmp_path)
    names = [name for name in whole if str(name) != "beside.txt"]
    draw = np.random.default_rng(1)
    for _ in range(TIMES):
        name = names[draw.integers(0, len(names))]
        (tmp_path / name).write_bytes(mutated(whole[name], draw))
        is_read_or_told(tmp_path / "model")
        (tmp_path / name).write_bytes(whole[name])
    assert everything(tmp_path) == whole


def arrays(kind):
    values = np.random.default_rng(0).random((3, 2, 5))
    words = np.array(["gas", "law", "oil", "tar", "tax"])
    file = io.BytesIO()
    if kind == "mat":
        pytest.importorskip("scipy.io").savemat(file, {"values": values}, do_compression=True)
    elif kind == "npy":
        np.save(file, values)
    else:
        save = np.savez_compressed if kind == "packed.npz" else np.savez
        save(file, beta=values, vocab=words, times=np.array(["1", "2", "3"]), theta=np.ones((4, 2)))
    return file.getvalue(), None if kind.endswith("npz") else list(words)


@pytest.mark.parametrize("kind", ["npz", "packed.npz", "npy", "mat"])
@pytest.mark.filterwarnings("ignore")
def test_damaged_arrays_are_read_or_told(tmp_path, kind):
    content, words = arrays(kind)
    draw = np.random.default_rng(2)
    path = tmp_path / f"m.{kind}"
    for _ in range(TIMES):
        path.write_bytes(mutated(content, draw))
        is_read_or_told(path, vocabulary=words, axes="time topic word")


@pytest.mark.parametrize("thing", [SLICES, *JSON.values()])
def test_python_lists_with_anything_in_them_are_read_or_told(thing):
    draw = np.random.default_rng(3)
    odd = [
        None,
        1,
        2.5,
        True,
        "",
        "oil",
        [],
        {},
        {"a": 1},
        [[]],
        [None],
        float("nan"),
        b"x",
        object(),
        {1, 2},
    ]

    def damaged(part):
        if draw.random() < 0.15:
            return odd[draw.integers(0, len(odd))]
        if isinstance(part, list):
            return [damaged(below) for below in part]
        if isinstance(part, dict):
            return {key: damaged(below) for key, below in part.items()}
        return part

    for _ in range(TIMES):
        made = (
            [*map(damaged, thing)] if isinstance(thing, list) else {k: damaged(v) for k, v in thing.items()}
        )
        for read in (tl.read_model, tl.DynamicTopicModel.from_words):
            try:
                said = repr(read(made))
            except TealeavesError as error:
                said = str(error)
            assert said
