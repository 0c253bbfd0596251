"""Reader of an lda-c folder: final.beta, and final.other, final.gamma and a vocabulary beside it."""

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tealeaves.errors import FormatError
from tealeaves.model import TopicModel
from tealeaves.readers._files import read_text

ZERO = -100.0  # what lda-c writes for log 0
VOCABULARIES = (".tokens", ".vocab", ".dict", ".txt")


def read_ldac(path: str | Path, vocabulary: Sequence[str] | None = None) -> TopicModel:
    """Read the folder of an lda-c model, or its final.beta.

    Without ``vocabulary`` the words are those of the one file beside it (.tokens, .vocab, .dict or .txt)
    that has as many lines as final.beta has columns.

    Raises
    ------
    FormatError
        If a number is missing or no probability, or no vocabulary fits; it names the file and line.
    """
    path = Path(path)
    folder = path if path.is_dir() else path.parent
    beta = _beside(folder, "final.beta") if path.is_dir() else path
    if beta is None:
        raise FormatError(folder, "holds no final.beta, which an lda-c model has")
    stem = beta.name.removesuffix(".gz").removesuffix(".beta")
    topic_word = _read_beta(beta)
    n_topics, n_words = topic_word.shape
    words = _find_vocabulary(folder, n_words) if vocabulary is None else vocabulary
    if len(words) != n_words:
        found = f"has {n_words} numbers a line, but the vocabulary has {len(words)} words"
        raise FormatError(beta, f"{found}; was lda-c run with another one?")
    other, gamma = _beside(folder, f"{stem}.other"), _beside(folder, f"{stem}.gamma")
    return TopicModel(
        tuple(words),
        topic_word,
        alpha=None if other is None else _read_other(other, n_topics, n_words),
        doc_topic=None if gamma is None else _read_gamma(gamma, n_topics),
    )


def _beside(folder: Path, name: str) -> Path | None:
    return next((p for p in (folder / name, folder / f"{name}.gz") if p.is_file()), None)


def _read_numbers(path: Path) -> list[NDArray[np.float64]]:
    rows: list[NDArray[np.float64]] = []
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        try:
            row = np.array(line.split(), dtype=np.float64)
        except ValueError as error:
            raise FormatError(path, str(error), line=number) from None
        if rows and len(row) != len(rows[0]):
            found = f"{len(row)} numbers were found, but the first line has {len(rows[0])}"
            raise FormatError(path, found, line=number)
        rows.append(row)
    if not rows or not len(rows[0]):
        raise FormatError(path, "holds no numbers")
    return rows


def _read_beta(path: Path) -> NDArray[np.float64]:
    """p(word | topic), from its logarithms."""
    topics = []
    for number, log_p in enumerate(_read_numbers(path), start=1):
        with np.errstate(over="ignore"):
            p = np.where(log_p <= ZERO, 0.0, np.exp(log_p))
        if not np.isclose(p.sum(), 1.0, atol=1e-4):
            raise FormatError(path, f"probabilities sum to {p.sum():.6g}, not 1", line=number)
        topics.append(p / p.sum())
    return np.array(topics)


def _read_gamma(path: Path, n_topics: int) -> NDArray[np.float64]:
    gamma = np.array(_read_numbers(path))
    if gamma.shape[1] != n_topics:
        raise FormatError(path, f"has {gamma.shape[1]} topics, but final.beta has {n_topics}")
    shares: NDArray[np.float64] = gamma / gamma.sum(axis=1, keepdims=True)
    return shares


def _read_other(path: Path, n_topics: int, n_words: int) -> float:
    """Alpha; what else the file says must fit final.beta."""
    said = dict(re.findall(r"^(\w+)\s+(\S+)$", read_text(path), re.MULTILINE))
    try:
        found = int(said["num_topics"]), int(said["num_terms"])
        alpha = float(said["alpha"])
    except (KeyError, ValueError):
        raise FormatError(path, "num_topics, num_terms and alpha were expected, each on a line") from None
    if found != (n_topics, n_words):
        expected = f"{n_topics} topics and {n_words} words"
        raise FormatError(path, f"says {found[0]} topics and {found[1]} words, but final.beta has {expected}")
    return alpha


def _find_vocabulary(folder: Path, n_words: int) -> list[str]:
    files = sorted(p for p in folder.iterdir() if p.is_file() and p.suffix in VOCABULARIES)
    fits = {}
    for path in files:
        try:
            words = read_text(path).splitlines()
        except FormatError:
            continue
        if len(words) == n_words and len(set(words)) == n_words:
            fits[path.name] = words
    if len(fits) == 1:
        return next(iter(fits.values()))
    wanted = f"a file of {n_words} words, one a line, was expected beside final.beta"
    there = f"but there are {' and '.join(fits)}" if fits else "but there is none"
    raise FormatError(folder, f"{wanted}, {there}: hand it over as vocabulary=")
