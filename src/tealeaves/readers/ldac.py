"""Reader of an lda-c folder: final.beta, and what of its run and its corpus is beside it."""

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tealeaves.corpus import Corpus
from tealeaves.errors import FormatError
from tealeaves.model import TopicModel
from tealeaves.readers._files import read_bytes, read_lines, read_text

ZERO = -100.0  # what lda-c writes for log 0
INFERRED = re.compile(r"-gamma\.dat(\.gz)?$")  # what `lda inf` writes
CORPUS = re.compile(r"\.(ldac|lda-c|dat|mult|bow)(\.gz)?$")
PAIRS = re.compile(rb"\d+( \d+:\d+)*\s*$|\d+( \d+:\d+){20}")
PAIR = re.compile(r"(\d{1,9}):(\d{1,9})")
VOCABULARIES = (".tokens", ".vocab", ".dict", ".txt")


def read_ldac(path: str | Path, vocabulary: Sequence[str] | None = None) -> TopicModel:
    """Read the folder of an lda-c model, or its final.beta.

    Without ``vocabulary`` the words are those of the one file beside it (.tokens, .vocab, .dict or .txt)
    that has as many lines as final.beta has columns. Beside it are also looked for: final.other (alpha),
    final.gamma (topics of documents; else the one file that ``lda inf`` wrote, ``…-gamma.dat``), the corpus
    in LDA-C's format, and word-assignments.dat, which gives every token of a word in a document its topic.

    Raises
    ------
    FormatError
        If a number is missing or no probability, no vocabulary fits, or files beside it are of another
        number of topics, words or documents; it names the file and line.
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
    other = _beside(folder, f"{stem}.other")
    gamma, notes = _find_gamma(folder, stem)
    doc_topic = None if gamma is None else _read_gamma(gamma, n_topics)
    assigned = _beside(folder, "word-assignments.dat")
    corpus = _find_corpus(folder, tuple(words), None if doc_topic is None else len(doc_topic))
    topics = None
    if assigned is not None and corpus is None:
        notes.append(f"{assigned.name} was left out: the corpus whose tokens it is of is not beside it")
    elif assigned is not None and corpus is not None:
        topics = _read_assignments(assigned, corpus, n_topics)
    return TopicModel(
        tuple(words),
        topic_word,
        alpha=None if other is None else _read_other(other, n_topics, n_words),
        doc_topic=doc_topic,
        assignments=topics,
        corpus=corpus,
        notes=notes,
    )


def _beside(folder: Path, name: str) -> Path | None:
    return next((p for p in (folder / name, folder / f"{name}.gz") if p.is_file()), None)


def _read_numbers(path: Path) -> list[NDArray[np.float64]]:
    rows: list[NDArray[np.float64]] = []
    for number, line in enumerate(read_lines(path), start=1):
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


def _find_gamma(folder: Path, stem: str) -> tuple[Path | None, list[str]]:
    """The file with the topics of documents, and what is to be said of it."""
    gamma = _beside(folder, f"{stem}.gamma")
    if gamma is not None:
        return gamma, []
    inferred = sorted(p for p in folder.iterdir() if p.is_file() and INFERRED.search(p.name))
    if len(inferred) != 1:
        return None, []
    return inferred[0], [f"there is no {stem}.gamma: topics of documents are those of {inferred[0].name}"]


def _find_corpus(folder: Path, words: tuple[str, ...], n_docs: int | None) -> Corpus | None:
    """The corpus beside the model, if there is one; of several, the one with as many documents."""
    from tealeaves.readers.corpus_ldac import read_ldac_corpus

    candidates = [p for p in sorted(folder.iterdir()) if p.is_file() and _is_corpus(p)]
    found = {path: read_ldac_corpus(path, vocabulary=words) for path in candidates}
    if n_docs is not None:
        fits = {path: corpus for path, corpus in found.items() if len(corpus) == n_docs}
        if len(found) == 1 and not fits:
            path = candidates[0]
            said = f"has {len(found[path])} documents, but the model has topics of {n_docs}"
            raise FormatError(path, f"{said}: was lda-c run with another corpus?")
        found = fits
    return next(iter(found.values())) if len(found) == 1 else None


def _is_corpus(path: Path) -> bool:
    if not CORPUS.search(path.name) or path.name.startswith(("word-assignments", "likelihood")):
        return False
    try:
        lines = read_bytes(path, 1 << 12).split(b"\n")[:3]
    except FormatError:
        return False
    return any(lines) and all(PAIRS.match(line) for line in lines if line.strip())


def _read_assignments(path: Path, corpus: Corpus, n_topics: int) -> NDArray[np.int32]:
    """The topic of each token: word-assignments.dat has one for each word in a document."""
    rows = [line.split() for line in read_lines(path)]
    if len(rows) != len(corpus):
        raise FormatError(path, f"has {len(rows)} documents, but the corpus has {len(corpus)}")
    topics = np.empty(corpus.n_tokens, dtype=np.int32)
    for i, row in enumerate(rows):
        pairs = [PAIR.fullmatch(cell) for cell in row[1:]]
        if not row or row[0] != f"{len(pairs):03d}" or not all(pairs):
            wanted = "the number of words and word:topic for each of them were expected"
            raise FormatError(path, wanted, line=i + 1)
        topic_of = {int(pair[1]): int(pair[2]) for pair in pairs if pair}
        tokens = corpus.document(i).tolist()
        if set(tokens) != set(topic_of):
            raise FormatError(path, f"its words are not those of document {i} of the corpus", line=i + 1)
        if topic_of and max(topic_of.values()) >= n_topics:
            found = f"topic {max(topic_of.values())} was found, but final.beta has {n_topics}"
            raise FormatError(path, found, line=i + 1)
        topics[corpus.offsets[i] : corpus.offsets[i + 1]] = [topic_of[word] for word in tokens]
    return topics


def _read_gamma(path: Path, n_topics: int) -> NDArray[np.float64]:
    gamma = np.array(_read_numbers(path))
    if gamma.shape[1] != n_topics:
        raise FormatError(path, f"has {gamma.shape[1]} topics, but final.beta has {n_topics}")
    odd = np.flatnonzero(~(np.isfinite(gamma).all(axis=1) & (gamma >= 0).all(axis=1) & gamma.any(axis=1)))
    if odd.size:
        raise FormatError(path, "positive numbers were expected", line=int(odd[0]) + 1)
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
            words = read_lines(path)
        except FormatError:
            continue
        if len(words) == n_words and len(set(words)) == n_words:
            fits[path.name] = words
    if len(fits) == 1:
        return next(iter(fits.values()))
    wanted = f"a file of {n_words} words, one a line, was expected beside final.beta"
    there = f"but there are {' and '.join(fits)}" if fits else "but there is none"
    raise FormatError(folder, f"{wanted}, {there}: hand it over as vocabulary=")
