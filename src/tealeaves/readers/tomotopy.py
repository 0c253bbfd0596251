"""Readers of tomotopy: trained models, and the .bin files that only it can open."""

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from tealeaves._optional import require
from tealeaves.corpus import Corpus
from tealeaves.dynamic import DynamicTopicModel
from tealeaves.errors import FormatError, InputError
from tealeaves.model import TopicModel
from tealeaves.readers._objects import kind_of
from tealeaves.readers.dynamic_tomotopy import read_dtmodel

# Classes by what a file begins with; those of one beginning are tried in turn, the likeliest first.
CLASSES = {
    "LDA": ("LDAModel", "HDPModel", "PAModel", "HPAModel", "MGLDAModel"),
    "HDP": ("HDPModel",),
    "hLDA": ("HLDAModel",),
    "CTM": ("CTModel",),
    "DMR": ("DMRModel", "GDMRModel"),
    "LLDA": ("LLDAModel",),
    "PLDA": ("PLDAModel",),
    "SLDA": ("SLDAModel",),
    "PTM": ("PTModel",),
    "DTM": ("DTModel",),
}
# tomotopy ends the process if a file is damaged or of another class, or else when it is asked for topics.
TRY = """
import sys, tomotopy
from tealeaves.errors import InputError
from tealeaves.readers.tomotopy import read_tomotopy
try:  # a damaged length must not take all memory
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[3]),) * 2)
except (ImportError, ValueError, OSError):
    pass
try:
    read_tomotopy(getattr(tomotopy, sys.argv[1]).load(sys.argv[2]))
except InputError:  # will be raised again, and told
    pass
"""
MEMORY, EACH = 4 << 30, 64  # bytes that opening a file may take: at least, and for each of its own
SEVERAL = ("HPAModel", "MGLDAModel")  # kinds whose tokens have topics of several sorts
UNSHARED = {
    "HLDAModel": "documents of an HLDAModel have shares of levels, not of topics",
    "HPAModel": "the shares that an HPAModel gives to a document do not sum to 1",
}
PATIENCE, SLOWEST = 20.0, 1e6  # seconds, and bytes a second, before a file counts as damaged


def read_tomotopy(trained: Any) -> TopicModel | DynamicTopicModel:
    """Read a trained model with its corpus and the topics of its tokens, where it has kept them.

    Words that tomotopy left out of training (rare, or most frequent) are outside the vocabulary. Topics
    that an HDPModel or HLDAModel does not use are left out. Topics are named after labels in an LLDAModel or
    PLDAModel; those of a PAModel are its sub-topics. A DTModel becomes a DynamicTopicModel.

    Raises
    ------
    InputError
        If the model has no words yet.
    """
    kind = kind_of(trained, "tomotopy")
    if kind == "DTModel":
        return read_dtmodel(trained)
    words = list(trained.used_vocabs)
    if not words:
        raise InputError(f"this {kind} is not trained: it has no words")
    n_topics = len(trained.get_count_by_topics())  # of words; k is of super-topics in a PAModel
    alive = getattr(trained, "is_live_topic", lambda k: True)
    kept = [k for k in range(n_topics) if alive(k)]
    new = np.full(n_topics + 1, -1, dtype=np.int32)  # -1 stays -1
    new[kept] = np.arange(len(kept))
    notes = [] if len(kept) == n_topics else [f"{n_topics - len(kept)} topics without tokens were left out"]
    parts = _documents(trained, kind, words, new, notes)
    return TopicModel(
        words,
        np.array([trained.get_topic_word_dist(k) for k in kept], dtype=np.float64),
        alpha=_alpha(trained, kind, kept),
        eta=float(trained.eta) if np.ndim(trained.eta) == 0 else None,
        topic_names=_names(trained, kind, kept),
        source=f"tomotopy's {kind}",
        notes=notes,
        **parts,
    )


def _alpha(trained: Any, kind: str, kept: list[int]) -> Any:
    """The prior of the topics kept, where it is one number each and the same for all documents.

    A CTModel has a normal prior instead; those of DMR and GDMR depend on metadata, those of LLDA and PLDA on
    labels (and are lost in a save); those of HDP, hLDA, PA and PT are of other things.
    """
    if kind not in {"LDAModel", "SLDAModel"}:
        return None
    alpha = np.asarray(trained.alpha, dtype=np.float64)
    return alpha[kept] if alpha.shape == (trained.k,) and np.isfinite(alpha).all() else None


def _names(trained: Any, kind: str, kept: list[int]) -> list[str] | None:
    """Labels, where topics have them, and the places of topics that are of different kinds."""
    if kind == "HLDAModel":
        return [f"level {trained.level(k)}: {k}" for k in kept]
    if kind == "HPAModel":
        upper = ["root", *(f"super {i}" for i in range(trained.k1))]
        return upper + [f"sub {i}" for i in range(len(kept) - len(upper))]
    if kind == "MGLDAModel":
        return [f"global {k}" if k < trained.k_g else f"local {k - trained.k_g}" for k in kept]
    if kind not in {"LLDAModel", "PLDAModel"}:
        return None
    each = int(getattr(trained, "topics_per_label", 1))
    labels = [
        f"{label} {i}" if each > 1 else label for label in trained.topic_label_dict for i in range(each)
    ]
    return labels + [f"latent {i}" for i in range(len(kept) - len(labels))]


def _documents(trained: Any, kind: str, words: list[str], new: Any, notes: list[str]) -> dict[str, Any]:
    """The corpus and the topics of its tokens and documents; nothing where the model kept no documents."""
    if not len(trained.docs):
        return {}
    tokens, topics, shares, lengths = [], [], [], []
    for document in trained.docs:
        ids = np.asarray(document.words, dtype=np.int64)
        tokens.append(np.where(ids < len(words), ids, -1))
        lengths.append(len(ids))
        if kind not in SEVERAL:
            of_tokens = np.asarray(
                document.subtopics if kind == "PAModel" else document.topics, dtype=np.int64
            )
            topics.append(new[np.where(of_tokens < len(new) - 1, of_tokens, -1)])
        if kind not in UNSHARED:
            shares.append(document.get_sub_topic_dist() if kind == "PAModel" else document.get_topic_dist())
    corpus = Corpus(
        vocabulary=tuple(words),
        tokens=np.concatenate(tokens).astype(np.int32),
        offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        preprocess="as added to tomotopy",
    )
    parts: dict[str, Any] = {"corpus": corpus}
    if kind in SEVERAL:
        notes.append(f"a token of this {kind} has several topics: assignments were left out")
    else:
        parts["assignments"] = np.where(corpus.tokens < 0, -1, np.concatenate(topics))
    if kind in UNSHARED:
        notes.append(f"doc_topic was left out: {UNSHARED[kind]}")
    else:
        parts["doc_topic"] = np.array(shares, dtype=np.float64)[:, new[:-1] >= 0]
    return parts


def read_tomotopy_save(path: str | Path) -> TopicModel | DynamicTopicModel:
    """Read what ``model.save(path)`` of tomotopy wrote; tomotopy opens it, so trust it first.

    A damaged file makes tomotopy end the whole process, or never return. So another process reads it first.

    Raises
    ------
    FormatError
        If it is no such file, of a kind that is not read, or tomotopy cannot open it.
    """
    path = Path(path)
    with path.open("rb") as file:
        magic = file.read(5).partition(b"\0")[0].decode("ascii", "replace")
    if magic not in CLASSES:
        known = ", ".join(CLASSES)
        raise FormatError(path, f"a model of tomotopy begins with one of {known}, but this with {magic!r}")
    tomotopy = require("tomotopy", extra="fit")
    size = path.stat().st_size
    until = time.monotonic() + PATIENCE + size / SLOWEST
    said = "nothing"
    for name in CLASSES[magic]:
        call = [sys.executable, "-c", TRY, name, str(path), str(MEMORY + EACH * size)]
        try:
            tried = subprocess.run(call, capture_output=True, timeout=max(until - time.monotonic(), 1.0))
        except subprocess.TimeoutExpired:
            limit = PATIENCE + size / SLOWEST
            raise FormatError(path, f"is damaged: tomotopy did not open it within {limit:.0f} s") from None
        if tried.returncode == 0:
            return read_tomotopy(getattr(tomotopy, name).load(str(path)))
        lines = tried.stderr.decode("utf-8", "replace").strip().splitlines()
        said = lines[-1].strip() if lines and said == "nothing" else said
    raise FormatError(path, f"is damaged or of another version: tomotopy said {said!r}")
