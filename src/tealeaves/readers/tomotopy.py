"""Readers of tomotopy: trained models, and the .bin files that only it can open."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from tealeaves._optional import require
from tealeaves.corpus import Corpus
from tealeaves.errors import FormatError, InputError
from tealeaves.model import TopicModel

CLASSES = {"LDA": "LDAModel", "HDP": "HDPModel", "CTM": "CTModel", "SLDA": "SLDAModel", "LLDA": "LLDAModel"}
TRY = "import sys, tomotopy; getattr(tomotopy, sys.argv[1]).load(sys.argv[2])"
PATIENCE, SLOWEST = 20.0, 1e6  # seconds, and bytes a second, before a file counts as damaged


def read_tomotopy(trained: Any) -> TopicModel:
    """Read a trained model with its corpus and the topics of its tokens, where it has kept them.

    Words that tomotopy left out of training (rare, or most frequent) are outside the vocabulary. A topic
    that an HDPModel does not use is left out.

    Raises
    ------
    InputError
        If the model has topics over time, or no words yet.
    """
    kind = type(trained).__name__
    if kind in {"DTModel", "DTM"}:
        raise InputError(f"a {kind} has topics over time, which a TopicModel has not")
    words = list(trained.used_vocabs)
    if not words:
        raise InputError(f"this {kind} is not trained: it has no words")
    kept = [k for k in range(trained.k) if getattr(trained, "is_live_topic", lambda k: True)(k)]
    new = np.full(trained.k + 1, -1, dtype=np.int32)  # -1 stays -1
    new[kept] = np.arange(len(kept))
    alpha = np.asarray(getattr(trained, "alpha", np.nan), dtype=np.float64)
    notes = [] if len(kept) == trained.k else [f"{trained.k - len(kept)} topics without tokens were left out"]
    parts = _documents(trained, words, new)
    return TopicModel(
        words,
        np.array([trained.get_topic_word_dist(k) for k in kept], dtype=np.float64),
        doc_topic=parts.get("doc_topic") if len(kept) == trained.k else None,
        assignments=parts.get("assignments"),
        alpha=alpha[kept] if alpha.shape == (trained.k,) and np.isfinite(alpha).all() else None,
        eta=float(trained.eta) if np.ndim(trained.eta) == 0 else None,
        corpus=parts.get("corpus"),
        source=f"tomotopy's {kind}",
        notes=notes,
    )


def _documents(trained: Any, words: list[str], new: Any) -> dict[str, Any]:
    """The corpus and the topics of its tokens and documents; nothing where the model kept no documents."""
    if not len(trained.docs):
        return {}
    tokens, topics, shares, lengths = [], [], [], []
    for document in trained.docs:
        ids = np.asarray(document.words, dtype=np.int64)
        of_tokens = np.asarray(document.topics, dtype=np.int64)
        if of_tokens.shape != ids.shape:  # some kinds give several topics a token
            return {}
        tokens.append(np.where(ids < len(words), ids, -1))
        topics.append(new[np.where(of_tokens < len(new) - 1, of_tokens, -1)])
        shares.append(document.get_topic_dist())
        lengths.append(len(ids))
    corpus = Corpus(
        vocabulary=tuple(words),
        tokens=np.concatenate(tokens).astype(np.int32),
        offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        preprocess="as added to tomotopy",
    )
    assignments = np.where(corpus.tokens < 0, -1, np.concatenate(topics))
    return {"corpus": corpus, "assignments": assignments, "doc_topic": np.array(shares, dtype=np.float64)}


def read_tomotopy_save(path: str | Path) -> TopicModel:
    """Read what ``model.save(path)`` of tomotopy wrote; tomotopy opens it, so trust it first.

    A damaged file makes tomotopy end the whole process, or never return. So another process tries first.

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
    limit = PATIENCE + path.stat().st_size / SLOWEST
    try:
        tried = subprocess.run(
            [sys.executable, "-c", TRY, CLASSES[magic], str(path)], capture_output=True, timeout=limit
        )
    except subprocess.TimeoutExpired:
        raise FormatError(path, f"is damaged: tomotopy did not open it within {limit:.0f} s") from None
    if tried.returncode:
        said = tried.stderr.decode("utf-8", "replace").strip().splitlines() or ["nothing"]
        raise FormatError(path, f"is damaged or of another version: tomotopy said {said[-1].strip()!r}")
    return read_tomotopy(getattr(tomotopy, CLASSES[magic]).load(str(path)))
