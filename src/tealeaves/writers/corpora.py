"""Writers of corpora: each format as its own tools read it, and as `tealeaves.read_corpus` reads it back.

What would change the words of a document is an error, such as a word with a blank in it where blanks part
words. What a format has no place for, such as times, is left out and told.
"""

import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tealeaves.corpus import Corpus
from tealeaves.encoding import Label, order_slices
from tealeaves.errors import InputError
from tealeaves.fingerprints import bags
from tealeaves.writers._files import check_target

PARTITIONS = ("train", "val", "test")  # the names that OCTIS knows
UNKNOWN = "__unknown__"  # what gensim writes for MALLET where a document has no label
NAMES = {"ids": "ids of documents", "labels": "labels", "slice_of": "time slices"}
ENDINGS = {
    ".txt": "tokens", ".tokens": "tokens", ".low": "low", ".mallet": "mallet", ".jsonl": "jsonl",
    ".parquet": "parquet", ".uci": "uci", ".ldac": "ldac", ".svmlight": "svmlight", ".svm": "svmlight",
    ".mm": "mm", ".mtx": "mm", "": "octis",
}  # fmt: skip
Ints = NDArray[np.int64]


def write_corpus(corpus: Corpus, path: str | os.PathLike[str], format: str | None = None) -> tuple[str, ...]:
    """Write a corpus to ``path`` and say what the format has no place for.

    Parameters
    ----------
    corpus : Corpus
        Of counts formats only the counts are kept, of the others the order of the tokens too.
    path : path
        The file, or the folder of "octis". Beside a file of counts stand its words (``.vocab``) and, if there
        are any, names of documents (``.ids``) and the names of the labels' numbers (``.labels``).
    format : str
        A key of ``WRITERS``; by default the ending of ``path`` tells.

    Returns
    -------
    tuple of str
        A sentence for each thing that was left out.

    Raises
    ------
    InputError
        If the format does not exist, or cannot hold a word as it is.

    Examples
    --------
    >>> import tempfile
    >>> corpus = Corpus.from_tokens([["oil", "gas", "oil"], ["gas"]], slices=[1999, 2000])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     notes = write_corpus(corpus, f"{folder}/docs.ldac")
    ...     Path(folder, "docs.ldac").read_text()
    '2 0:1 1:2\\n1 0:1\\n'
    >>> notes
    ('LDA-C has no place for time slices and the order of tokens',)
    """
    path = Path(path)
    name = format or ENDINGS.get(path.suffix.lower())
    if name not in WRITERS:
        found = (
            f"no format of corpora to write is called {format!r}"
            if format
            else f"{path}: its name tells no format"
        )
        raise InputError(f"{found}; there are: {', '.join(WRITERS)}")
    check_target(path)
    part = path.with_name(f".{path.name}.part")
    try:
        notes = WRITERS[name](corpus, path, part)
    except UnicodeEncodeError as error:
        raise InputError(f"{path}: {error.object!r:.40} cannot be written as UTF-8: {error.reason}") from None
    except OSError as error:  # about the file that was asked for, not the part of it
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        shutil.rmtree(part, ignore_errors=True)
        part.unlink(missing_ok=True)
    return tuple(notes)


def _write_tokens(corpus: Corpus, path: Path, part: Path) -> list[str]:
    words = _words(corpus, path)
    _put(path, part, (" ".join(document) + "\n" for document in _documents(corpus, words)))
    return _left_out(corpus, "a line of words", ("ids", "labels", "slice_of")) + _lost_words(corpus)


def _write_low(corpus: Corpus, path: Path, part: Path) -> list[str]:
    words = _words(corpus, path)

    def lines() -> Iterator[str]:
        yield f"{len(corpus)}\n"
        for document in _documents(corpus, words):
            yield " ".join(document) + "\n"

    _put(path, part, lines())
    return _left_out(corpus, "GibbsLDA's format", ("ids", "labels", "slice_of")) + _lost_words(corpus)


def _write_mallet(corpus: Corpus, path: Path, part: Path) -> list[str]:
    words = _words(corpus, path)
    notes = _left_out(corpus, "a line of MALLET", ("slice_of",)) + _lost_words(corpus)
    ids: Sequence[str] = corpus.ids or range(len(corpus))  # type: ignore[assignment]
    if corpus.ids is not None and not all(map(_is_one_word, corpus.ids)):
        ids = range(len(corpus))  # type: ignore[assignment]
        notes.append("an id has a blank in it, which would part it: documents are numbered instead")
    labels: Sequence[Label] = corpus.labels or [()] * len(corpus)
    if not all(label == () or (isinstance(label, str) and _is_one_word(label)) for label in labels):
        labels = [()] * len(corpus)
        notes.append("labels are left out: a line of MALLET has room for one of a single word")
    documents = zip(ids, labels, _documents(corpus, words), strict=True)
    _put(path, part, (f"{name} {label or UNKNOWN} {' '.join(words)}\n" for name, label, words in documents))
    return notes


def _write_octis(corpus: Corpus, path: Path, part: Path) -> list[str]:
    if path.exists() and not (path.is_dir() and not any(path.iterdir())):
        raise InputError(f"{path} is there already: name a new folder")
    words = _words(corpus, path)
    notes = _left_out(corpus, "OCTIS", ("ids",)) + _outside(corpus)
    partitions = ["train"] * len(corpus)
    if corpus.slice_of is not None and corpus.slice_labels is not None:
        named = [corpus.slice_labels[t] for t in corpus.slice_of]
        if set(named) <= set(PARTITIONS):
            partitions = named
        else:
            notes += _left_out(corpus, "OCTIS", ("slice_of",))
    cells: list[list[str]] = [[" ".join(document) for document in _documents(corpus, words)], partitions]
    labels = corpus.labels
    if labels is not None and all(_fits_cell(label) for label in labels):
        cells.append([label if isinstance(label, str) else "" for label in labels])
    elif labels is not None:
        notes.append("labels are left out: OCTIS has room for one a document, without tabs")
    part.mkdir(parents=True)
    rows = zip(*cells, strict=True)
    _write_lines(part / "corpus.tsv", ("\t".join(row) + "\n" for row in rows))
    _write_lines(part / "vocabulary.txt", (f"{word}\n" for word in words))
    about: dict[str, Any] = {"total_documents": len(corpus), "vocabulary_length": len(words)}
    if len(cells) == 3:
        about["labels"] = sorted(set(cells[2]) - {""})
        about["total_labels"] = len(about["labels"])
    (part / "metadata.json").write_text(json.dumps(about), "utf-8")
    if path.exists():
        path.rmdir()
    path.parent.mkdir(parents=True, exist_ok=True)
    part.rename(path)
    return notes


def _write_jsonl(corpus: Corpus, path: Path, part: Path) -> list[str]:
    columns = _columns(corpus)

    def lines() -> Iterator[str]:
        for record in zip(*columns.values(), strict=True):
            yield json.dumps(dict(zip(columns, record, strict=True)), ensure_ascii=False) + "\n"

    _put(path, part, lines())
    return _of_slices(corpus) + _unused(corpus)


def _write_parquet(corpus: Corpus, path: Path, part: Path) -> list[str]:
    import polars as pl

    columns = _columns(corpus)
    types: dict[str, Any] = {"tokens": pl.List(pl.String)}
    notes = _of_slices(corpus) + _unused(corpus)
    if any(isinstance(label, list) for label in columns.get("label", [])):
        lists = [[label] if isinstance(label, str) else label or [] for label in columns["label"]]
        columns["label"], types["label"] = lists, pl.List(pl.String)
        notes.append("every label is written as a list of them")
    frame = pl.DataFrame(
        {name: pl.Series(name, list(values), types.get(name, pl.String)) for name, values in columns.items()}
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    frame.write_parquet(part)
    part.replace(path)
    return notes


def _write_uci(corpus: Corpus, path: Path, part: Path) -> list[str]:
    return _write_triples(corpus, path, part, "", "{docs}\n{words}\n{pairs}\n", "UCI's bag of words")


def _write_mm(corpus: Corpus, path: Path, part: Path) -> list[str]:
    head = "%%MatrixMarket matrix coordinate real general\n"  # gensim reads no other
    return _write_triples(corpus, path, part, head, "{docs} {words} {pairs}\n", "Matrix Market")


def _write_triples(corpus: Corpus, path: Path, part: Path, head: str, sizes: str, name: str) -> list[str]:
    import polars as pl

    notes = _beside(corpus, path, labels=False)
    n_pairs = sum(len(words) for _, words, _ in _bags(corpus))
    path.parent.mkdir(parents=True, exist_ok=True)
    with part.open("wb") as file:
        shape = sizes.format(docs=len(corpus), words=len(corpus.vocabulary), pairs=n_pairs)
        file.write((head + shape).encode())
        first = 1
        for lengths, words, counts in _bags(corpus):
            docs = np.repeat(np.arange(first, first + len(lengths)), lengths)
            frame = pl.DataFrame({"doc": docs, "word": words + 1, "count": counts})
            frame.write_csv(file, include_header=False, separator=" ")
            first += len(lengths)
    part.replace(path)
    return notes + _left_out(corpus, name, ("labels", "slice_of", "order")) + _outside(corpus)


def _write_ldac(corpus: Corpus, path: Path, part: Path) -> list[str]:
    notes = _beside(corpus, path, labels=False)
    _put(path, part, (f"{n}{pairs}\n" for n, pairs in _pairs(corpus, first=0)))
    return notes + _left_out(corpus, "LDA-C", ("labels", "slice_of", "order")) + _outside(corpus)


def _write_svmlight(corpus: Corpus, path: Path, part: Path) -> list[str]:
    notes = _beside(corpus, path, labels=True)
    known = {label: str(i) for i, label in enumerate(_classes(corpus), start=1)}
    labels: Sequence[Label] = corpus.labels if corpus.labels and known else [()] * len(corpus)
    numbers = (",".join(known[one] for one in _each(label)) or "0" for label in labels)
    lines = zip(numbers, _pairs(corpus, first=1), strict=True)
    _put(path, part, (f"{label}{pairs}\n" for label, (_, pairs) in lines))
    return notes + _left_out(corpus, "SVMlight", ("slice_of", "order")) + _outside(corpus)


# Each writes ``path`` by way of ``part`` and returns what was left out.
WRITERS: dict[str, Callable[[Corpus, Path, Path], list[str]]] = {
    "tokens": _write_tokens,
    "low": _write_low,
    "mallet": _write_mallet,
    "jsonl": _write_jsonl,
    "parquet": _write_parquet,
    "octis": _write_octis,
    "uci": _write_uci,
    "ldac": _write_ldac,
    "svmlight": _write_svmlight,
    "mm": _write_mm,
}


def _put(path: Path, part: Path, lines: Iterable[str]) -> None:
    """Write a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    _write_lines(part, lines)
    part.replace(path)


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(lines)


def _is_one_word(text: str) -> bool:
    return len(text.split()) == 1 and text == text.strip()


def _fits_cell(label: Label) -> bool:
    return label == () or (isinstance(label, str) and not set(label) & set("\t\n\r") and label != "")


def _words(corpus: Corpus, path: Path) -> tuple[str, ...]:
    """The vocabulary, once no word has a blank in it."""
    wrong = next((word for word in corpus.vocabulary if not _is_one_word(word)), None)
    if wrong is not None:
        raise InputError(
            f"{path}: the word {wrong!r} has a blank in it, which parts words in this format; "
            "write JSON Lines, Parquet or counts instead"
        )
    return corpus.vocabulary


def _documents(corpus: Corpus, words: Sequence[str]) -> Iterator[list[str]]:
    """The words of each document; those outside the vocabulary are left out."""
    for i in range(len(corpus)):
        yield [words[token] for token in corpus.document(i).tolist() if token >= 0]


def _columns(corpus: Corpus) -> dict[str, Iterable[Any]]:
    """What is known of the documents by the names of its fields; a token outside the vocabulary is ""."""
    columns: dict[str, Iterable[Any]] = {}
    if corpus.ids is not None:
        columns["id"] = corpus.ids
    if corpus.slice_of is not None and corpus.slice_labels is not None:
        columns["time"] = [corpus.slice_labels[t] for t in corpus.slice_of]
    if corpus.labels is not None:
        columns["label"] = [
            label if isinstance(label, str) else list(label) or None for label in corpus.labels
        ]
    if corpus.texts is not None:
        columns["text"] = corpus.texts
    words = (*corpus.vocabulary, "")
    columns["tokens"] = ([words[token] for token in corpus.document(i).tolist()] for i in range(len(corpus)))
    return columns


def _bags(corpus: Corpus) -> Iterator[tuple[Ints, Ints, Ints]]:
    same = np.arange(len(corpus.vocabulary) + 1, dtype=np.int64)
    same[-1] = -1  # where the id -1 points
    return bags(corpus.tokens, corpus.offsets, same)


def _pairs(corpus: Corpus, first: int) -> Iterator[tuple[int, str]]:
    """How many pairs " word:count" each document has, and these; words are counted from ``first``."""
    for lengths, words, counts in _bags(corpus):
        all_pairs = [
            f" {word}:{n}" for word, n in zip((words + first).tolist(), counts.tolist(), strict=True)
        ]
        start = 0
        for length in lengths.tolist():
            yield length, "".join(all_pairs[start : start + length])
            start += length


def _beside(corpus: Corpus, path: Path, *, labels: bool) -> list[str]:
    """Write the words, names of documents and of labels that stand beside a file of counts."""
    wrong = next((word for word in corpus.vocabulary if "\n" in word or "\r" in word), None)
    if wrong is not None:
        raise InputError(
            f"{path}: the word {wrong!r} has the end of a line in it, which a vocabulary cannot hold"
        )
    notes, files = [], {".vocab": corpus.vocabulary}
    if corpus.ids is not None:
        if all(name == name.strip() and name and "\n" not in name for name in corpus.ids):
            files[".ids"] = tuple(corpus.ids)
        else:
            notes.append("ids are left out: one is blank or does not fit on a line")
    if labels and corpus.labels is not None:
        classes = _classes(corpus)
        if classes:
            files[".labels"] = classes
        elif any(corpus.labels):
            notes.append("labels are left out: one is blank or does not fit on a line")
    for ending in (".ids", ".labels"):
        stale = path.with_name(path.name + ending)
        if ending not in files and stale.exists():
            raise InputError(
                f"{stale} is there already and would be taken for part of {path.name}: delete it"
            )
    path.parent.mkdir(parents=True, exist_ok=True)
    for ending, lines in files.items():
        _write_lines(path.with_name(path.name + ending), (f"{line}\n" for line in lines))
    return notes


def _each(label: Label) -> tuple[str, ...]:
    return (label,) if isinstance(label, str) else label


def _classes(corpus: Corpus) -> tuple[str, ...]:
    """Every label once, in order; () if there are none, or one does not fit on a line."""
    found = sorted({one for label in corpus.labels or () for one in _each(label)})
    return tuple(found) if all(one == one.strip() and one and "\n" not in one for one in found) else ()


def _left_out(corpus: Corpus, format: str, parts: Sequence[str]) -> list[str]:
    """What the corpus has and a format has no place for."""
    there = [NAMES[part] for part in parts if part in NAMES and getattr(corpus, part) is not None]
    if "order" in parts and corpus.ordered:
        there.append("the order of tokens")
    if not there:
        return []
    return [f"{format} has no place for {', '.join(there[:-1])}{' and ' if there[1:] else ''}{there[-1]}"]


def _outside(corpus: Corpus) -> list[str]:
    n = corpus.n_tokens - int(corpus.word_counts().sum())
    return [f"{n:,} tokens outside the vocabulary are left out: those around them close up"] if n else []


def _unused(corpus: Corpus) -> list[str]:
    n = int((corpus.word_counts() == 0).sum())
    return [f"{n:,} words of the vocabulary are in no document and left out"] if n else []


def _lost_words(corpus: Corpus) -> list[str]:
    return _outside(corpus) + _unused(corpus)


def _of_slices(corpus: Corpus) -> list[str]:
    """Whether the slices are read back as they are: in order, and each with a document."""
    if corpus.slice_of is None or corpus.slice_labels is None or not len(corpus):
        return []
    _, read = order_slices([corpus.slice_labels[t] for t in corpus.slice_of])
    if read == corpus.slice_labels:
        return []
    shown = ", ".join(read[:4]) + (", …" if read[4:] else "")
    return [f"slices without documents are lost, and the others read back in the order {shown}"]
