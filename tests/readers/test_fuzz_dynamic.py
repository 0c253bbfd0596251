"""Whatever happens to a file of topics over time, it is read or refused in one of our errors."""

import dataclasses
import gzip
import io
import json
import re
import tarfile
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pytest

import tealeaves as tl
from fuzz import LONG, fuzz, times
from tealeaves import synthetic
from tealeaves.errors import TealeavesError

N = times(60)
SLICES = [[["oil", "gas"], ["tax", "law"]], [["oil", "tar"], ["law", "vat"]]]
WORDS = ["gas", "law", "oil", "tar", "tax"]
BERTOPIC = b"""Topic,Words,Frequency,Timestamp
-1,the of,3,1990
0,"oil, gas",2,1990
0,"oil, tar",2,1991
1,tax,1,1991
"""
TABLE = "slice,topic,rank,word,weight\n" + "".join(
    f"{1990 + t},{k},{r},{word},{0.5 - r / 10}\n"
    for t, topics in enumerate(SLICES)
    for k, words in enumerate(topics)
    for r, word in enumerate(words)
)
JSON = [
    SLICES,
    {"1990": SLICES[0], "1991": {"0": ["oil", "tar"], "1": None}},
    {
        "times": [1, 2],
        "axes": "topic time",
        "top_words": [[[["oil", 0.5]], [["tar", 0.4]]], [[["tax", 0.2]], None]],
    },
]


def files_of(save):
    """What ``save`` writes into a folder, by the names of the files."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        save(folder)
        return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def dtm(folder):
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


def slices(folder):
    for year, topics in zip(("1990", "1991"), SLICES, strict=True):
        (folder / f"{year}.txt").write_text("".join(" ".join(words) + "\n" for words in topics))


def ours(folder):
    corpus, truth = synthetic.drifting(k=2, documents=6, length=4, vocabulary=8, slices=2)
    dataclasses.replace(truth, corpus=corpus).save(folder / "m")
    for path in (folder / "m").iterdir():
        path.rename(folder / path.name)


def arrays(kind):
    values = np.random.default_rng(0).random((3, 2, 5))
    file = io.BytesIO()
    if kind == "mat":
        pytest.importorskip("scipy.io").savemat(file, {"values": values}, do_compression=True)
    elif kind == "npy":
        np.save(file, values)
    else:
        save = np.savez_compressed if kind == "packed" else np.savez
        save(file, beta=values, vocab=np.array(WORDS), times=np.array(["1", "2", "3"]), theta=np.ones((4, 2)))
    return file.getvalue()


def one(name, content):
    return {name: content}, name


# Folders with topics over time in each format, and what of them is read ("" is the folder itself).
SEEDS = {
    "json": lambda: [one("m.json", json.dumps(content).encode()) for content in JSON],
    "csv": lambda: [
        one("m.csv", BERTOPIC),
        one("m.csv", TABLE.encode()),
        one("m.csv.gz", gzip.compress(TABLE.encode(), mtime=0)),
    ],
    "dtm": lambda: [(files_of(dtm), "")],
    "slices": lambda: [({**files_of(slices), "1992.txt": b"gas oil\nvat\n"}, "")],
    "dynamic": lambda: [(files_of(ours), "")],
    "arrays": lambda: [
        one("m.npz", arrays("npz")),
        one("m.npz", arrays("packed")),
        one("m.npy", arrays("npy")),
    ],
    "mat": lambda: [one("m.mat", arrays("mat"))],
}


def real_run(data):
    """The real run of Blei's dtm, with two of its topics: all of them are 13 MB."""
    with tarfile.open(data / "formats" / "dtm_blei" / "neurips_run.tar.gz") as tar:
        files = {one.name.removeprefix("./"): tar.extractfile(one).read() for one in tar if one.isfile()}
    kept = {name: content for name, content in files.items() if not re.search("topic-0(0[2-9]|[1-9])", name)}
    info = "neurips_run/lda-seq/info.dat"
    kept[info] = re.sub(rb"(?m)^(NUM_TOPICS) \d+", rb"\1 2", kept[info])
    return kept, ""


def check(model):
    """What is read is a whole model."""
    assert model.n_topics >= 1
    assert repr(model)
    assert model.top_words(3)


def reader(name):
    def read(path, rng):
        options = {}
        if rng.random() < 0.5:
            options["format"] = name
        if name in ("arrays", "mat") and rng.random() < 0.9:
            options.update(vocabulary=WORDS, axes="time topic word" if rng.random() < 0.8 else None)
        with warnings.catch_warnings(action="ignore"):
            return tl.read_model(path, **options)

    return read


@pytest.mark.parametrize("name", SEEDS)
def test_a_damaged_file_is_read_or_refused(name, tmp_path, request):
    seeds = SEEDS[name]()
    if name == "dtm" and LONG:
        seeds = seeds * 50 + [real_run(request.getfixturevalue("data"))]
    outcomes = fuzz(tmp_path, name, seeds, reader(name), check, N)
    assert outcomes.get("read", 0) + outcomes.get("FormatError", 0) > N // 2


@pytest.mark.parametrize("thing", JSON)
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

    for _ in range(N):
        made = (
            [*map(damaged, thing)] if isinstance(thing, list) else {k: damaged(v) for k, v in thing.items()}
        )
        for read in (tl.read_model, tl.DynamicTopicModel.from_words):
            try:
                said = repr(read(made))
            except TealeavesError as error:
                said = str(error)
            assert said
