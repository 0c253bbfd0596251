"""Reader of a folder that Blei's program ``dtm`` wrote: log p(word | topic, slice), V × T a topic."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.dynamic import DynamicTopicModel
from tealeaves.errors import FormatError
from tealeaves.readers._files import read_lines, read_text

INFO = "info.dat"
VOCABULARY = re.compile(r"(^|[-_.])(vocab(ulary)?|words|terms|tokens|lexicon)\b.*", re.IGNORECASE)
MOST = 10_000_000  # tokens of a document: a damaged count must not fill the memory

Floats = NDArray[np.float64]


def is_blei_folder(path: Path) -> bool:
    """Whether a folder is what dtm wrote, holds it, or holds a folder that does."""
    return bool(_runs(path))


def read_blei_dtm(
    path: str | Path, vocabulary: Sequence[str] | None = None, slice_labels: Sequence[Any] | None = None
) -> DynamicTopicModel:
    """Read ``lda-seq``, the folder of the run around it, or the one with its inputs.

    The words are those of the one file beside the run whose name says "vocab" and which has as many lines as
    there are words. Topics of documents come from gam.dat, their slices from ``*-seq.dat`` and the documents
    from ``*-mult.dat``, where these lie beside the run.

    Raises
    ------
    FormatError
        If a file is missing, cut off or does not fit the others; it names it.
    """
    path = Path(path)
    runs = _runs(path)
    if len(runs) != 1:
        found = f"holds {len(runs)} runs of dtm ({', '.join(run.parent.name for run in runs)}): name one"
        raise FormatError(path, found if runs else f"holds no {INFO} with topic-000-var-e-log-prob.dat")
    run = runs[0]
    n_topics, n_words, n_slices = _info(run / INFO)
    around = [folder for folder in (run, run.parent, run.parent.parent) if _inside(folder, path)]
    words = _vocabulary(run, around, n_words) if vocabulary is None else tuple(vocabulary)
    if len(words) != n_words:
        raise FormatError(run / INFO, f"says {n_words} words, but the vocabulary has {len(words)}")
    weights = np.empty((n_slices, n_topics, n_words))
    for k in range(n_topics):
        weights[:, k] = _topic(run / f"topic-{k:03d}-var-e-log-prob.dat", n_words, n_slices).T
    doc_topic = _gamma(run / "gam.dat", n_topics) if (run / "gam.dat").is_file() else None
    counts = _sequence(around, n_slices)
    notes: list[str] = []
    if slice_labels is None:
        notes.append(f"slices are called 0 to {n_slices - 1}: slice_labels= (--slices) names them")
    about: dict[str, Any] = {}
    if counts is not None and doc_topic is not None:
        if int(counts.sum()) != len(doc_topic):
            found = f"is of {len(doc_topic)} documents, but the slices of the *-seq.dat have {counts.sum()}"
            raise FormatError(run / "gam.dat", found)
        about["slice_of"] = np.repeat(np.arange(n_slices, dtype=np.int32), counts)
        labels = tuple(map(str, slice_labels or range(n_slices)))
        about["corpus"] = _corpus(around, words, about["slice_of"], labels)
    if counts is not None:
        weights[counts == 0] = 0.0  # of a slice without documents nothing is known
    return DynamicTopicModel(
        words,
        weights,
        "time topic word",
        slice_labels=slice_labels,
        doc_topic=doc_topic,
        source="dtm (Blei and Gerrish)",
        notes=notes,
        **about,
    )


def _runs(path: Path) -> list[Path]:
    """The folders of results at, in or below a folder."""
    near = [path, *sorted(path.glob("lda-seq")), *sorted(path.glob("*/lda-seq"))]
    return [
        folder
        for folder in near
        if (folder / INFO).is_file() and any(folder.glob("topic-*-var-e-log-prob.dat"))
    ]


def _inside(folder: Path, path: Path) -> bool:
    """Whether it is what was named or below it, or its surroundings that dtm's own layout tells."""
    near = {path.resolve(), *list(path.resolve().parents)[:2]}
    return path.resolve() in folder.resolve().parents or folder.resolve() in near


def _info(path: Path) -> tuple[int, int, int]:
    said = dict(re.findall(r"^(\w+)\s+(\S+)", read_text(path), re.MULTILINE))
    try:
        n_topics, n_words, n_slices = (int(said[k]) for k in ("NUM_TOPICS", "NUM_TERMS", "SEQ_LENGTH"))
    except (KeyError, ValueError):
        raise FormatError(path, "NUM_TOPICS, NUM_TERMS and SEQ_LENGTH were expected, each a number") from None
    if min(n_topics, n_words, n_slices) < 1:
        found = f"{n_topics} topics, {n_words} words and {n_slices} slices"
        raise FormatError(path, f"says that there are {found}, which cannot be")
    if not (path.parent / f"topic-{n_topics - 1:03d}-var-e-log-prob.dat").is_file():
        raise FormatError(path, f"says that there are {n_topics} topics, but their files are not all there")
    first = path.parent / "topic-000-var-e-log-prob.dat"
    if first.is_file() and 2 * n_words * n_slices > first.stat().st_size + 1:  # a digit and a blank each
        wanted = f"{n_words} words × {n_slices} slices = {n_words * n_slices} numbers were expected"
        raise FormatError(first, f"{wanted}, but the file is shorter: is it whole?")
    return n_topics, n_words, n_slices


def _numbers(path: Path) -> Floats:
    if not path.is_file():
        raise FormatError(path, f"is missing, but {INFO} says that there is such a topic")
    text = read_text(path)
    try:
        return np.array(text.split(), dtype=np.float64)
    except ValueError as error:
        line = next((i for i, part in enumerate(text.split("\n"), 1) if not _is_number(part)), None)
        raise FormatError(path, f"numbers were expected: {error}", line=line) from None


def _is_number(text: str) -> bool:
    try:
        return all(float(part) < np.inf for part in text.split())
    except ValueError:
        return False


def _topic(path: Path, n_words: int, n_slices: int) -> Floats:
    """p(word | topic) up to a factor, of shape (V, T)."""
    numbers = _numbers(path)
    if len(numbers) != n_words * n_slices:
        wanted = f"{n_words} words × {n_slices} slices = {n_words * n_slices} numbers were expected"
        raise FormatError(path, f"{wanted}, but found {len(numbers)}: is it whole?")
    with np.errstate(over="ignore"):
        weights = np.exp(numbers).reshape(n_words, n_slices)
        sums = weights.sum(axis=0)
    if not (sums <= 1.01).all() or not (sums > 0).all():
        t = int(np.argmax(~((sums <= 1.01) & (sums > 0))))
        raise FormatError(path, f"exp(E log p) of slice {t} sums to {sums[t]:.4g}, but should to 1 or less")
    return weights


def _gamma(path: Path, n_topics: int) -> Floats:
    numbers = _numbers(path)
    if not len(numbers) or len(numbers) % n_topics:
        raise FormatError(
            path, f"has {len(numbers)} numbers, which is no number of rows of {n_topics} topics"
        )
    gamma = numbers.reshape(-1, n_topics)
    if not np.isfinite(gamma).all() or (gamma < 0).any() or not (gamma.sum(axis=1) > 0).all():
        raise FormatError(path, "holds what is no weight of a topic: negative, infinite or all 0")
    shares: Floats = gamma / gamma.sum(axis=1, keepdims=True)
    return shares


def _sequence(around: list[Path], n_slices: int) -> NDArray[np.int64] | None:
    """How many documents each slice has, from the one file that tells."""
    file = _only(around, "*seq.dat")
    if file is None:
        return None
    try:
        numbers = np.array(read_text(file).split(), dtype=np.int64)
    except (ValueError, OverflowError) as error:
        raise FormatError(file, f"numbers of documents were expected: {error}") from None
    if not len(numbers) or numbers[0] != n_slices or len(numbers) != n_slices + 1 or (numbers < 0).any():
        wanted = f"{n_slices} and then {n_slices} numbers of documents were expected"
        raise FormatError(file, f"{wanted}, but found {len(numbers)} numbers, the first {numbers[:1]}")
    return numbers[1:]


def _corpus(
    around: list[Path], words: tuple[str, ...], slice_of: NDArray[np.int32], labels: tuple[str, ...]
) -> Any:
    """The documents that dtm was run on, if the one file of them is there."""
    from tealeaves.corpus import Corpus

    file = _only(around, "*mult.dat")
    if file is None:
        return None
    tokens: list[NDArray[np.int32]] = []
    for number, line in enumerate(read_lines(file), start=1):
        cells = line.split()
        if not cells:
            continue
        try:
            pairs = np.array([cell.split(":") for cell in cells[1:]], dtype=np.int64).reshape(-1, 2)
        except (ValueError, OverflowError):
            raise FormatError(file, "pairs word:count were expected", line=number) from None
        if len(pairs) != len(cells) - 1 or (pairs < 0).any() or (pairs[:, 0] >= len(words)).any():
            found = f"pairs of a word from 0 to {len(words) - 1} and its count were expected"
            raise FormatError(file, found, line=number)
        if pairs[:, 1].sum() > MOST:
            raise FormatError(file, f"{pairs[:, 1].sum()} tokens in a document cannot be", line=number)
        tokens.append(np.repeat(pairs[:, 0], pairs[:, 1]).astype(np.int32))
    if len(tokens) != len(slice_of):
        found = f"has {len(tokens)} documents, but the file of the sequence {len(slice_of)}"
        raise FormatError(file, found)
    return Corpus(
        vocabulary=words,
        tokens=np.concatenate(tokens) if tokens else np.zeros(0, np.int32),
        offsets=np.concatenate([[0], np.cumsum([len(document) for document in tokens])]).astype(np.int64),
        slice_of=slice_of,
        slice_labels=labels,
        ordered=False,
        preprocess="as handed to dtm",
    )


def _only(around: list[Path], pattern: str) -> Path | None:
    """The file of a pattern in the nearest folder that has one; None if there are several."""
    for folder in around:
        if files := [file for file in sorted(folder.glob(pattern)) if file.is_file()]:
            return files[0] if len(files) == 1 else None
    return None


def _vocabulary(run: Path, around: list[Path], n_words: int) -> tuple[str, ...]:
    wrong: list[str] = []
    for folder in around:
        for file in sorted(folder.iterdir()):
            if not file.is_file() or not VOCABULARY.search(file.name):
                continue
            try:
                words = [line.strip() for line in read_lines(file)]
            except FormatError as error:
                wrong.append(str(error))
                continue
            if len(words) == n_words and len(set(words)) == n_words and all(words):
                return tuple(words)
            wrong.append(f"{file.name} has {len(words)} lines")
    found = f"; {', '.join(wrong)}" if wrong else ""
    wanted = f"the {n_words} words were expected in a file *-vocab.txt beside it, one a line{found}"
    raise FormatError(run, f"{wanted}: hand them over as vocabulary=")
