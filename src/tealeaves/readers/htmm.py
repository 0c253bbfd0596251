"""Reader of what OpenHTMM writes: NAME.phi, and what of its run and its documents is beside it."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tealeaves.corpus import Corpus
from tealeaves.errors import FormatError
from tealeaves.model import TopicModel
from tealeaves.readers._beside import words_for
from tealeaves.readers._files import read_lines, read_text

Floats = NDArray[np.float64]
Sizes = list[list[int]]  # by document, how many words each sentence has
PARTS = (".phi", ".theta", ".eps", ".pdwz", ".ll", ".cmd")  # what one run writes


def read_htmm(path: str | Path, vocabulary: Sequence[str] | None = None) -> TopicModel:
    """Read the folder of one run of OpenHTMM, or its NAME.phi.

    Without ``vocabulary`` the words are those of the one file beside it that has as many as NAME.phi has
    columns. Beside it are also looked for NAME.theta (what documents draw their topics from), NAME.cmd (the
    priors, and where the documents are), NAME.eps and NAME.pdwz. Where the documents are found, each token
    has the most probable topic of its sentence.

    Raises
    ------
    FormatError
        If a number is missing or no probability, no vocabulary fits, or files beside it are of another run;
        it names the file and line.
    """
    path = Path(path)
    phi = _only_phi(path) if path.is_dir() else path
    if phi.suffix in PARTS and phi.suffix != ".phi":
        raise FormatError(phi, f"is a part of a model of OpenHTMM: name the topics, {phi.stem}.phi")
    topic_word = _matrix(phi, "topics and words")
    n_topics, n_words = topic_word.shape
    words, remarks = words_for(phi, vocabulary, n_words=n_words, used=n_words)
    notes = list(remarks)
    theta = phi.with_suffix(".theta")
    doc_topic = _matrix(theta, "documents and topics") if theta.is_file() else None
    if doc_topic is not None and doc_topic.shape[1] != n_topics:
        raise FormatError(theta, f"has {doc_topic.shape[1]} topics, but {phi.name} has {n_topics}", line=1)
    command = _command(phi.with_suffix(".cmd"))
    corpus, sizes = _documents(command, phi.parent, words) or (None, [])
    if corpus is not None and doc_topic is not None and len(corpus) != len(doc_topic):
        notes.append(f"the documents of {phi.stem}.cmd are others: {len(corpus)}, not {len(doc_topic)}")
        corpus = None
    topics = None
    latent = phi.with_suffix(".pdwz")
    if latent.is_file() and corpus is None:
        notes.append(f"{latent.name} was left out: the documents whose sentences it is of were not found")
    elif latent.is_file():
        topics = _topics(latent, sizes, n_topics)
    epsilon = phi.with_suffix(".eps")
    learnt = f", epsilon {_number(epsilon):g}" if epsilon.is_file() else ""
    return TopicModel(
        words,
        topic_word,
        doc_topic=doc_topic,
        assignments=topics,
        alpha=None if command is None else command[0],
        eta=None if command is None else command[1],
        corpus=corpus,
        notes=notes,
        source=f"{phi.name} (a model of OpenHTMM{learnt})",
    )


def is_htmm_folder(path: Path, names: set[str]) -> bool:
    """Whether a folder holds what one run of OpenHTMM writes."""
    stems = [name.removesuffix(".phi") for name in names if name.endswith(".phi")]
    return len(stems) == 1 and f"{stems[0]}.theta" in names


def _only_phi(folder: Path) -> Path:
    found = sorted(folder.glob("*.phi"))
    if len(found) != 1:
        there = ", ".join(p.name for p in found) or "none"
        raise FormatError(folder, f"one file of topics, NAME.phi, was expected, but there is {there}")
    return found[0]


def _matrix(path: Path, what: str) -> Floats:
    """Two sizes, and rows of so many probabilities."""
    text = read_text(path)
    head, _, body = text.partition("\n")
    sizes = head.split()
    if len(sizes) != 2 or not all(size.isascii() and size.isdecimal() and len(size) < 10 for size in sizes):
        raise FormatError(path, f"the numbers of {what} were expected, but found {head[:40]!r}", line=1)
    rows, columns = map(int, sizes)
    try:
        numbers = np.array(body.split(), dtype=np.float64)
    except ValueError as error:
        raise FormatError(path, str(error), line=_line_of_no_number(body)) from None
    if not rows or not columns or len(numbers) != rows * columns:
        found = f"{rows} × {columns} numbers were expected, but there are {len(numbers)}"
        raise FormatError(path, f"{found}; is it cut off?")
    matrix = numbers.reshape(rows, columns)
    sums = matrix.sum(axis=1)
    wrong = np.flatnonzero(~(np.isfinite(sums) & (matrix >= 0).all(axis=1) & (np.abs(sums - 1) < 1e-2)))
    if wrong.size:
        raise FormatError(path, f"row {wrong[0]} is no distribution: it sums to {sums[wrong[0]]:.6g}")
    result: Floats = matrix / sums[:, None]
    return result


def _line_of_no_number(body: str) -> int | None:
    for number, line in enumerate(body.split("\n"), start=2):
        for cell in line.split():
            try:
                float(cell)
            except ValueError:
                return number
    return None


def _number(path: Path) -> float:
    try:
        return float(read_text(path))
    except ValueError:
        raise FormatError(path, "a number was expected", line=1) from None


def _command(path: Path) -> tuple[float, float, str, str] | None:
    """alpha, beta, where the list of documents is, and where the documents are; None if it does not say."""
    if not path.is_file():
        return None
    cells = read_text(path).split()
    try:
        return float(cells[3]), float(cells[4]), cells[6], cells[8]
    except (IndexError, ValueError):
        raise FormatError(
            path, "topics, words, alpha, beta, iterations and files were expected", line=1
        ) from None


def _documents(
    command: tuple[float, float, str, str] | None, folder: Path, words: tuple[str, ...]
) -> "tuple[Corpus, Sizes] | None":
    """The documents trained on, if they are where the command says, seen from ``folder`` or from here."""
    if command is None:
        return None
    for base in (folder, Path()):
        for listed in (base / command[2], base / command[2] / "list"):
            if listed.is_file():
                names = read_text(listed).split()
                files = [_there(base, command[3], name) for name in names]
                found = [file for file in files if file is not None]
                return _corpus(names, found, words) if names and len(found) == len(names) else None
    return None


def _there(base: Path, working: str, name: str) -> Path | None:
    """The program joins the two as they stand; others put a slash between them."""
    return next((p for p in (base / f"{working}{name}", base / working / name) if p.is_file()), None)


def _corpus(names: list[str], files: list[Path], words: tuple[str, ...]) -> "tuple[Corpus, Sizes]":
    """The documents, a file each, and how many words each of their sentences has."""
    tokens: list[int] = []
    sizes: Sizes = []
    for file in files:
        of_file = list(_sentences(file, len(words)))
        tokens += [word for sentence in of_file for word in sentence]
        sizes.append([len(sentence) for sentence in of_file])
    corpus = Corpus(
        vocabulary=words,
        tokens=np.array(tokens, np.int32),
        offsets=np.cumsum([0, *map(sum, sizes)]).astype(np.int64),
        ids=tuple(names) if len(set(names)) == len(names) else None,
        gaps="closed",
        preprocess="as handed to OpenHTMM",
    )
    return corpus, sizes


def _sentences(path: Path, n_words: int) -> Iterator[list[int]]:
    """Of each sentence how many words it has, and then the words, counted from 1."""
    cells = read_text(path).split()
    if not all(cell.isascii() and cell.isdecimal() and len(cell) < 10 for cell in cells):
        raise FormatError(path, "whole numbers were expected: of each sentence its length and its words")
    numbers, at = [int(cell) for cell in cells], 0
    while at < len(numbers):
        words = numbers[at + 1 : at + 1 + numbers[at]]
        if len(words) < numbers[at]:
            raise FormatError(
                path, f"its last sentence has {len(words)} of {numbers[at]} words: is it cut off?"
            )
        if words and not 1 <= min(words) <= max(words) <= n_words:
            raise FormatError(path, f"words from 1 to {n_words} were expected, but found {max(words)}")
        yield [word - 1 for word in words]
        at += 1 + numbers[at]


def _topics(path: Path, sizes: Sizes, n_topics: int) -> NDArray[np.int32]:
    """The topic of each token: the most probable of its sentence, whether drawn or stayed with."""
    lines = [line for line in read_lines(path) if line.strip()]
    probabilities = []
    for number, line in enumerate(lines, start=1):
        cells = line.replace("*", " ").split()  # a star marks what stayed, in the older program
        sizes_of_all = number == 1 and cells == [str(len(sizes)), str(n_topics)]
        if len(cells) != 2 * n_topics or "=" in line or sizes_of_all:
            continue  # numbers of documents and of sentences
        try:
            probabilities.append([float(cell) for cell in cells])
        except ValueError as error:
            raise FormatError(path, str(error), line=number) from None
    per_sentence = [size for document in sizes for size in document]
    if len(probabilities) != len(per_sentence):
        found = (
            f"has probabilities of {len(probabilities)} sentences, but the documents have {len(per_sentence)}"
        )
        raise FormatError(path, found)
    both = np.array(probabilities).reshape(-1, 2, n_topics).sum(axis=1)
    return np.repeat(both.argmax(axis=1), per_sentence).astype(np.int32)
