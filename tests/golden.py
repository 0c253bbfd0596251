"""Golden values, and the texts they were computed on, rebuilt from what gensim's wheel ships."""

import hashlib
import json
import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from tealeaves.counts import TokenLists

HERE = Path(__file__).parent / "golden"
LEE = json.loads((HERE / "coherence_lee.json").read_text("utf-8"))
CORPORA = {"docs.txt", "docs_short.txt", *LEE["inline_corpora"]}


def number(value):
    """Non-finite floats are written as texts."""
    return float(value) if isinstance(value, str) else value


@cache
def lee_documents():
    """The 300 Lee news stories as tokens; the digest says that they are the golden ones."""
    from gensim.parsing.preprocessing import STOPWORDS

    raw = Path(find_spec("gensim").origin).parent / "test" / "test_data" / "lee_background.cor"
    lines = raw.read_text("utf-8").split("\n")
    lines = lines[:-1] if lines[-1] == "" else lines
    docs = [[t for t in re.findall(r"[a-z]{3,}", line.lower()) if t not in STOPWORDS] for line in lines]
    text = "".join(" ".join(doc) + "\n" for doc in docs)
    assert hashlib.sha256(text.encode()).hexdigest() == LEE["meta"]["sha256"]["docs.txt"]
    return docs


def short_documents():
    """The same tokens cut into documents of lengths around those of the windows, empty ones too."""
    rest = iter([token for doc in lee_documents() for token in doc])
    lengths = ([0, 1, 2, 5, 9, 10, 11, 30, 49, 50, 51, 109, 110, 111] * 11)[:150]
    docs = [[next(rest) for _ in range(n)] for n in [*lengths, 7]]
    text = "".join(" ".join(doc) + "\n" for doc in docs)
    assert hashlib.sha256(text.encode()).hexdigest() == LEE["meta"]["sha256"]["docs_short.txt"]
    return docs


def documents(name):
    """The documents of one corpus of the golden file."""
    if name == "docs.txt":
        return lee_documents()
    if name == "docs_short.txt":
        return short_documents()
    return LEE["inline_corpora"][name]


@cache
def tokens_of(name):
    """A corpus of the golden file as word ids."""
    docs = documents(name)
    vocabulary = sorted({word for doc in docs for word in doc})
    ids = {word: i for i, word in enumerate(vocabulary)}
    offsets = np.cumsum([0] + [len(doc) for doc in docs])
    return TokenLists(np.array([ids[w] for doc in docs for w in doc], np.int32), offsets, vocabulary)
