"""A corpus: documents as arrays of word ids, with whatever is known about each document."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tealeaves.encoding import (
    Label,
    as_label,
    check_ids,
    check_ordered,
    check_vocabulary,
    columns_of,
    encode_tokens,
    is_missing,
    order_slices,
    places_of,
    values_of,
)
from tealeaves.errors import InputError
from tealeaves.fingerprints import bag_fingerprint_of, chunks, fingerprint_of
from tealeaves.preprocess import Encoded, Gaps, Ids, Ints, Preprocess, renumber

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Corpus:
    """D documents of N tokens over a vocabulary of V words.

    Attributes
    ----------
    vocabulary : tuple of str
        The words, each once; alphabetical unless one was handed over.
    tokens : int32 array of shape (N,)
        The word id of each token; -1 for a token outside the vocabulary, which keeps its place.
    offsets : int64 array of shape (D + 1,)
        Document i is ``tokens[offsets[i]:offsets[i + 1]]``; empty documents are documents too.
    slice_of : int32 array of shape (D,), or None
        The time slice (or any other grouping) of each document, an index of ``slice_labels``.
    slice_labels : tuple of str, or None
        The slices in order; one without documents is a gap.
    ids, labels, texts
        A unique name, a category or several, and the raw text of each document, or None.
    ordered : bool
        Whether the order of a document's tokens means anything; False for a document-term matrix.
    gaps : "kept" or "closed"
        Whether words that preprocessing took out of the documents left their place or not.
    preprocess : str
        Every choice of the preprocessing, in words.
    notes : tuple of str
        What a reader of results should know, such as documents without text.

    Raises
    ------
    InputError
        If the arrays do not belong together.

    Examples
    --------
    >>> corpus = Corpus.from_tokens([["oil", "gas", "oil"], [], ["gas"]])
    >>> corpus.vocabulary, corpus.tokens.tolist(), corpus.offsets.tolist()
    (('gas', 'oil'), [1, 0, 1, 0], [0, 3, 3, 4])
    >>> corpus.document_frequency().tolist(), len(corpus)
    ([2, 1], 3)
    """

    vocabulary: tuple[str, ...]
    tokens: Ids
    offsets: Ints
    slice_of: Ids | None = None
    slice_labels: tuple[str, ...] | None = None
    ids: Sequence[str] | None = None
    labels: Sequence[Label] | None = None
    texts: Sequence[str] | None = None
    ordered: bool = True
    gaps: Gaps = "kept"
    preprocess: str = ""
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        tokens, offsets = _frozen(self.tokens, np.int32), _frozen(self.offsets, np.int64)
        if offsets.ndim != 1 or not len(offsets) or offsets[0] != 0 or (np.diff(offsets) < 0).any():
            raise InputError("offsets must begin with 0 and never fall: one more of them than documents")
        if tokens.ndim != 1 or len(tokens) != offsets[-1]:
            raise InputError(f"the offsets end at {offsets[-1]}, but there are {tokens.size} tokens")
        n_words = len(self.vocabulary)
        if len(tokens) and (int(tokens.min()) < -1 or int(tokens.max()) >= n_words):
            found = f"{tokens.min()} to {tokens.max()}"
            raise InputError(f"word ids must lie in -1 to {n_words - 1} ({n_words} words), but are {found}")
        given: Mapping[str, object] = {
            "vocabulary": tuple(self.vocabulary),
            "tokens": tokens,
            "offsets": offsets,
            "slice_of": None if self.slice_of is None else _frozen(self.slice_of, np.int32),
        }
        for name, value in given.items():
            object.__setattr__(self, name, value)  # frozen for everyone else
        for name in ("slice_of", "ids", "labels", "texts"):
            of_documents = getattr(self, name)
            if of_documents is not None and len(of_documents) != len(self):
                raise InputError(f"{name} has {len(of_documents)} entries for {len(self)} documents")
        if (self.slice_of is None) != (self.slice_labels is None):
            raise InputError("slice_of and slice_labels come together or not at all")
        if self.slice_of is not None and self.slice_labels is not None and len(self):
            low, high = int(self.slice_of.min()), int(self.slice_of.max())
            if low < 0 or high >= len(self.slice_labels):
                raise InputError(
                    f"slice_of goes from {low} to {high} for {len(self.slice_labels)} slice labels"
                )

    @classmethod
    def of_checked(cls, **content: Any) -> "Corpus":
        """A corpus of content that was checked when it was written: nothing of it is read."""
        corpus = object.__new__(cls)
        for name, value in content.items():
            if isinstance(value, np.ndarray):
                value = value.view(np.ndarray)
                value.flags.writeable = False
            object.__setattr__(corpus, name, value)
        return corpus

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __repr__(self) -> str:
        parts = [f"{len(self):,} documents", f"{self.n_tokens:,} tokens", f"{len(self.vocabulary):,} words"]
        if self.slice_labels is not None:
            parts.append(f"{len(self.slice_labels)} slices")
        return f"<Corpus: {', '.join(parts)}{'' if self.ordered else ', without order'}>"

    def _repr_html_(self) -> str:
        from tealeaves.html_table import html_table

        told = {
            "documents": f"{len(self):,}",
            "tokens": f"{self.n_tokens:,}",
            "words": f"{len(self.vocabulary):,}",
            "slices": f"{slices[0]} to {slices[-1]} ({len(slices)})" if (slices := self.slice_labels) else "",
            "preprocessing": self.preprocess,
            "notes": "; ".join(self.notes),
        }
        return html_table("Corpus", [(name, value) for name, value in told.items() if value])

    @property
    def n_tokens(self) -> int:
        """Tokens, those outside the vocabulary included."""
        return len(self.tokens)

    @cached_property
    def index(self) -> dict[str, int]:
        """The id of each word of the vocabulary."""
        return {word: i for i, word in enumerate(self.vocabulary)}

    def document(self, i: int) -> Ids:
        """The word ids of document i, in order: a view."""
        if not -len(self) <= i < len(self):
            raise InputError(f"document {i} of {len(self)} was asked for")
        i %= len(self)
        return self.tokens[self.offsets[i] : self.offsets[i + 1]]

    def word_counts(self) -> Ints:
        """How many tokens each word has; shape (V,)."""
        return self._word_counts

    @cached_property
    def _word_counts(self) -> Ints:
        counts = np.zeros(len(self.vocabulary) + 1, np.int64)
        for chunk in chunks(self.tokens):
            counts += np.bincount(chunk + np.int64(1), minlength=len(counts))  # -1 is counted at 0
        return _frozen(counts[1:], np.int64)

    def document_frequency(self) -> Ints:
        """How many documents hold each word; shape (V,)."""
        return self._document_frequency

    @cached_property
    def _document_frequency(self) -> Ints:
        from tealeaves._kernels.documents import document_frequency

        return _frozen(document_frequency(self.tokens, self.offsets, len(self.vocabulary)), np.int64)

    @cached_property
    def fingerprint(self) -> str:
        """64 hexadecimal digits of the content: words, tokens, bounds of documents, ordered or not.

        The order of the vocabulary does not matter, nor do ids, labels or slices. Every choice of
        preprocessing that changes a score is in it, because it changes the tokens or the vocabulary.
        """
        return fingerprint_of(self.vocabulary, self.tokens, self.offsets, self.ordered)

    @cached_property
    def bag_fingerprint(self) -> str:
        """64 hexadecimal digits of the counts alone: how often each word is in each document, in their order.

        It is the same for a text and for its document-term matrix, in whatever format either was kept:
        neither the order of tokens matters, nor that of the vocabulary, nor words that no document has, nor
        tokens outside the vocabulary.

        Examples
        --------
        >>> texts = Corpus.from_tokens([["oil", "gas", "oil"], ["gas"]])
        >>> counts = Corpus.from_matrix([[2, 1, 0], [0, 1, 0]], ["oil", "gas", "tin"])
        >>> texts.bag_fingerprint == counts.bag_fingerprint, texts.fingerprint == counts.fingerprint
        (True, False)
        """
        return bag_fingerprint_of(self.vocabulary, self.tokens, self.offsets, self.word_counts())

    def select(self, indices: ArrayLike | slice | Iterable[int]) -> "Corpus":
        """The documents at ``indices`` (numbers, a mask or a slice), in that order.

        Vocabulary and slice labels stay as they are, so that ids keep their meaning.

        Raises
        ------
        InputError
            If an index is not that of a document.

        Examples
        --------
        >>> Corpus.from_tokens([["oil"], ["gas"], ["tin"]], ids="abc").select([2, 0]).ids
        ('c', 'a')
        """
        chosen = _positions(indices, len(self))
        lengths = np.diff(self.offsets)[chosen]
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        starts = self.offsets[chosen].tolist()
        ends = self.offsets[1:][chosen].tolist()
        pieces = [self.tokens[start:end] for start, end in zip(starts, ends, strict=True)]

        def of_chosen(values: Sequence[T] | None) -> tuple[T, ...] | None:
            return None if values is None else tuple(values[i] for i in chosen)

        return replace(
            self,
            tokens=np.concatenate([np.empty(0, np.int32), *pieces]),
            offsets=offsets,
            slice_of=None if self.slice_of is None else self.slice_of[chosen],
            ids=of_chosen(self.ids),
            labels=of_chosen(self.labels),
            texts=None if self.texts is None else _Chosen(self.texts, chosen),
        )

    @classmethod
    def from_tokens(
        cls,
        docs: Iterable[Iterable[str]],
        ids: Iterable[object] | None = None,
        slices: Iterable[object] | None = None,
        labels: Iterable[object] | None = None,
        vocabulary: Sequence[str] | None = None,
    ) -> "Corpus":
        """A corpus of documents that are cut into words already.

        Words are taken as they are, but blanks at their ends are stripped; a token of nothing else is
        outside the vocabulary. Both are said in ``notes``.

        Parameters
        ----------
        docs : iterable of iterables of str
            The documents; a generator is read once.
        ids, slices, labels : iterables, one entry a document
            Unique names; time slices, which are put in order (dates, numbers, text); a category or several.
        vocabulary : sequence of str
            Tokens that are not in it get the id -1. Without it every word is in the vocabulary.

        Raises
        ------
        InputError
            If a document is a string, a token is not one, or the entries do not fit the documents.

        Examples
        --------
        >>> corpus = Corpus.from_tokens([["oil", "gas"], ["gas"]], slices=[2001, 1999])
        >>> corpus.slice_labels, corpus.slice_of.tolist()
        (('1999', '2001'), [1, 0])
        """
        tokens, offsets, words = encode_tokens(docs)
        return assemble(tokens, offsets, words, vocabulary=vocabulary, ids=ids, slices=slices, labels=labels)

    @classmethod
    def from_texts(
        cls,
        texts: Iterable[str],
        preprocess: Preprocess | None = None,
        ids: Iterable[object] | None = None,
        slices: Iterable[object] | None = None,
        labels: Iterable[object] | None = None,
        vocabulary: Sequence[str] | None = None,
    ) -> "Corpus":
        """A corpus of texts, cut into words as ``preprocess`` says: by default into lower-case letters.

        A list or tuple of texts is kept for display; an iterator is read once and let go.

        Examples
        --------
        >>> Corpus.from_texts(["Oil and gas.", "Gas!"]).vocabulary
        ('and', 'gas', 'oil')
        """
        if isinstance(texts, str):
            raise InputError("texts must be a list of texts, but is one text; write [text]")
        check_ordered("texts", texts)
        made = (preprocess or Preprocess()).encode(texts)
        return replace(
            cls.of_encoded(made, ids=ids, slices=slices, labels=labels, vocabulary=vocabulary),
            texts=texts if isinstance(texts, list | tuple) else None,
        )

    @classmethod
    def of_encoded(
        cls,
        made: Encoded,
        ids: Iterable[object] | None = None,
        slices: Iterable[object] | None = None,
        labels: Iterable[object] | None = None,
        vocabulary: Sequence[str] | None = None,
    ) -> "Corpus":
        """A corpus of texts that a `Preprocess` has cut."""
        corpus = assemble(
            made.tokens,
            made.offsets,
            made.words,
            vocabulary=vocabulary,
            ids=ids,
            slices=slices,
            labels=labels,
        )
        return replace(
            corpus,
            ordered=made.ordered,
            gaps=made.gaps,
            preprocess=made.description,
            notes=made.notes + corpus.notes,
        )

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        text: str = "text",
        id: str | None = None,
        time: str | None = None,
        label: str | None = None,
        preprocess: Preprocess | None = None,
        tokenized: bool = False,
        vocabulary: Sequence[str] | None = None,
    ) -> "Corpus":
        """A corpus of the rows of a pandas or polars data frame (or of anything with named columns).

        Parameters
        ----------
        frame : data frame
            A row is a document.
        text, id, time, label : str
            The columns; ``id`` is the column of that name if there is one.
        preprocess, vocabulary
            As for ``from_texts``.
        tokenized : bool
            The text is cut already: lists of words, or words between blanks.

        Raises
        ------
        InputError
            If a column does not exist; the error names those that do.
        """
        columns = columns_of(frame)
        if id is None and "id" in columns:
            id = "id"
        wanted = {"text": text, "id": id, "time": time, "label": label}
        found: dict[str, list[object] | None] = {}
        for role, name in wanted.items():
            if name is not None and name not in columns:
                raise InputError(
                    f"no column {name!r} for {role}=; there are: {', '.join(map(repr, columns))}"
                )
            found[role] = None if name is None else values_of(frame[name])
        return from_fields(
            cast("list[object]", found["text"]),
            ids=found["id"],
            slices=found["time"],
            labels=found["label"],
            preprocess=preprocess,
            tokenized=tokenized,
            vocabulary=vocabulary,
        )

    @classmethod
    def from_matrix(
        cls,
        matrix: Any,
        vocabulary: Sequence[str],
        ids: Iterable[object] | None = None,
        slices: Iterable[object] | None = None,
        labels: Iterable[object] | None = None,
    ) -> "Corpus":
        """A corpus of a document-term matrix of counts, sparse or dense: without order, so without windows.

        Raises
        ------
        InputError
            If the matrix does not have a column for each word, or holds anything but counts.

        Examples
        --------
        >>> corpus = Corpus.from_matrix([[2, 1], [0, 0]], ["oil", "gas"])
        >>> corpus.tokens.tolist(), corpus.ordered
        ([0, 0, 1], False)
        """
        if hasattr(matrix, "tocsr"):
            rows = matrix.tocsr()
            shape, data, columns, bounds = rows.shape, rows.data, rows.indices, rows.indptr
        else:
            dense = np.asarray(matrix)
            if dense.ndim != 2:
                raise InputError(f"a document-term matrix has 2 axes, but this has {dense.ndim}")
            row, columns = np.nonzero(dense)
            shape, data = dense.shape, dense[row, columns]
            bounds = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=len(dense)))])
        if shape[1] != len(vocabulary):
            turned = "; is it turned round (words as rows)?" if shape[0] == len(vocabulary) else ""
            raise InputError(f"the matrix has {shape[1]} columns for {len(vocabulary)} words{turned}")
        if (
            data.dtype.kind not in "iufb"
            or not (np.isfinite(data) & (data >= 0) & (data == np.floor(data))).all()
        ):
            raise InputError(
                "a document-term matrix holds counts (0, 1, 2, ...), but this has other values: weights?"
            )
        counts = data.astype(np.int64)
        ends = np.concatenate([[0], np.cumsum(counts)])[bounds]
        tokens = np.repeat(columns.astype(np.int32), counts)
        words = check_vocabulary(vocabulary)
        return replace(
            assemble(tokens, ends, words, vocabulary=words, ids=ids, slices=slices, labels=labels),
            ordered=False,
        )

    def save(self, path: str | os.PathLike[str], partitions: int = 1) -> None:
        """Write the corpus to the folder ``path``, whole or not at all; ``load_corpus`` opens it again.

        ``path`` may be the URL of an object store that fsspec opens, such as ``s3://bucket/news``.
        """
        from tealeaves.corpus_store import save_corpus
        from tealeaves.remote import is_url, save_remote

        if is_url(path):
            save_remote(self, str(path), partitions)
        else:
            save_corpus(self, Path(path), partitions)


def load_corpus(
    path: str | os.PathLike[str], partition: int | None = None, *, verify: bool | None = None
) -> Corpus:
    """The corpus that ``Corpus.save`` wrote to ``path``, mapped into memory rather than read.

    Parameters
    ----------
    path : path or URL
        The folder; one in an object store (``s3://bucket/news``) stays there and counts words, no more.
    partition : int
        Only the documents of this partition.
    verify : bool, optional
        Whether checksums are computed again, at about 1 GB/s. If not said, a corpus of up to 256 MB is
        checked whole and of a larger one that every file is as long as it must be: it opens in milliseconds.

    Raises
    ------
    FormatError
        If a file is missing, torn or not ours; it names the file.
    """
    from tealeaves.corpus_store import open_corpus
    from tealeaves.remote import is_url, open_partition, open_remote

    if is_url(path):
        return cast(
            "Corpus", open_remote(str(path)) if partition is None else open_partition(str(path), partition)
        )
    return open_corpus(Path(path), partition, verify=verify)


def append_corpus(path: str | os.PathLike[str], corpus: Corpus, *, grow: bool = True) -> None:
    """Write documents behind those of the corpus saved in the folder ``path``, as a partition of their own.

    What is there stays where it is; a process that is killed leaves the folder as it was. Two corpora go
    together if both, or neither, have ids, labels, slices and texts, and texts were cut in the same way.

    Parameters
    ----------
    path : path
        The folder.
    corpus : Corpus
        What to add.
    grow : bool
        Words that are new become part of the vocabulary; without, their tokens are outside it.

    Raises
    ------
    InputError
        If the two do not go together, or a document is there already.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> Corpus.from_tokens([["oil", "gas"]]).save(folder)
    >>> append_corpus(folder, Corpus.from_tokens([["gas", "tin"]]))
    >>> load_corpus(folder).vocabulary, load_corpus(folder).tokens.tolist()
    (('gas', 'oil', 'tin'), [1, 0, 0, 2])
    """
    from tealeaves.corpus_store import append

    append(Path(path), corpus, grow=grow)


def read_corpus(
    path: str | os.PathLike[str],
    text: str | None = None,
    id: str | None = None,
    time: str | None = None,
    label: str | None = None,
    preprocess: Preprocess | None = None,
    tokenized: bool = False,
    format: str | None = None,
    vocabulary: Sequence[str] | str | os.PathLike[str] | Any | None = None,
    partition: str | None = None,
    trust: bool = False,
) -> Corpus:
    """The corpus in a file or folder, whose format is told by its content, else by its name.

    Parameters
    ----------
    path : path
        *Texts*: text with a document a line ("text"); a folder of .txt files ("folder"); CSV or TSV with a
        header ("csv", "tsv"); JSON Lines ("jsonl"); Parquet ("parquet"); a dataset of Hugging Face saved on
        disk, or an Arrow file ("arrow"); MALLET's lines of name, label and text ("mallet").
        *Words*: between blanks, a document a line ("tokens"); the same after their number, as GibbsLDA has it
        ("low"); an OCTIS folder ("octis").
        *Counts*, which have no order, so that measures over windows are refused: UCI's bag of words ("uci"),
        LDA-C ("ldac"), SVMlight ("svmlight"), Matrix Market ("mm"), a sparse matrix of NumPy ("npz").
        A corpus that was saved ("corpus"). All files may be compressed (.gz, .zst, .bz2,
        .xz).
    text, id, time, label : str
        The fields of a document: its text (default "text"), unique name (default "id", if there is one), time
        slice and category, which may be a list. Labels of MALLET, OCTIS and SVMlight are kept unasked. In an
        OCTIS folder ``time="partition"`` makes slices of the partitions.
    preprocess : Preprocess
        How texts become tokens; by default lower-case letters, and nothing is removed.
    tokenized : bool
        The text is cut already: a list of words, or words between blanks.
    format : str
        One of the names above, where neither content nor name tell.
    vocabulary : list of str, path, or a dictionary of gensim
        Of texts and words: tokens that are not in it get the id -1. Of counts: the words in the order of
        their numbers; without it they are looked for in files beside ``path`` (such as corpus.ldac.vocab,
        vocab.kos.txt or dictionary.txt). A file has a word a line or is what gensim's ``save_as_text`` wrote.
    partition : str
        Only this part of an OCTIS folder ("train", "val", "test") or split of a dataset.
    trust : bool
        Open a vocabulary that is a pickle of gensim, which can run any code.

    Raises
    ------
    FormatError
        If the file is not what its format says; the error begins with file and line.
    InputError
        If the format cannot be told, or options contradict each other.
    """
    from tealeaves.readers.corpora import read

    return read(
        Path(path),
        fields={"text": text, "id": id, "time": time, "label": label},
        preprocess=preprocess,
        tokenized=tokenized,
        format=format,
        vocabulary=vocabulary,
        partition=partition,
        trust=trust,
    )


def assemble(
    tokens: Ids,
    offsets: Ints,
    words: Sequence[str],
    *,
    vocabulary: Sequence[str] | None,
    ids: Iterable[object] | None = None,
    slices: Iterable[object] | None = None,
    labels: Iterable[object] | None = None,
) -> Corpus:
    """A corpus of tokens over ``words``, renumbered to ``vocabulary`` or to the alphabetical order."""
    new, kept, notes = places_of(words, vocabulary)
    if len(new) != len(kept) or (new != np.arange(len(new))).any():
        tokens = renumber(tokens, new)
    slice_of, slice_labels = (None, None) if slices is None else order_slices(slices)
    return Corpus(
        kept,
        tokens,
        offsets,
        slice_of=slice_of,
        slice_labels=slice_labels,
        ids=None if ids is None else check_ids(ids),
        labels=None if labels is None else tuple(map(as_label, labels)),
        notes=notes,
    )


def from_fields(
    texts: Sequence[object],
    *,
    ids: Iterable[object] | None,
    slices: Iterable[object] | None,
    labels: Iterable[object] | None,
    preprocess: Preprocess | None,
    tokenized: bool,
    vocabulary: Sequence[str] | None,
) -> Corpus:
    """A corpus of a column of texts, or of token lists; a missing one is an empty document."""
    missing = sum(map(is_missing, texts))
    notes = (f"{missing} documents have no text and are kept as empty ones",) if missing else ()
    if tokenized:
        if preprocess is not None:
            raise InputError("tokenized=True takes the words as they are: leave preprocess out")
        docs = (
            [] if is_missing(text) else text.split() if isinstance(text, str) else cast("Iterable[str]", text)
            for text in texts
        )
        corpus = Corpus.from_tokens(docs, ids, slices, labels, vocabulary)
    else:
        plain = ["" if is_missing(text) else cast(str, text) for text in texts] if missing else list(texts)
        corpus = Corpus.from_texts(cast("list[str]", plain), preprocess, ids, slices, labels, vocabulary)
    return replace(corpus, notes=notes + corpus.notes)


class _Chosen(Sequence[str]):
    """Some of the texts of a longer sequence, looked up when asked for."""

    def __init__(self, texts: Sequence[str], chosen: Ints) -> None:
        self._texts, self._chosen = texts, chosen

    def __len__(self) -> int:
        return len(self._chosen)

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return [self._texts[int(j)] for j in self._chosen[i]]
        return self._texts[int(self._chosen[i])]


def _frozen(array: ArrayLike, dtype: type) -> NDArray[Any]:
    """A read-only view: a fingerprint holds only for what cannot change."""
    given = np.asarray(array)
    if given.dtype != dtype and given.size and given.dtype.kind not in "iu":
        raise InputError(f"ids and offsets are whole numbers, but these are {given.dtype}")
    view = np.ascontiguousarray(given, dtype=dtype).view(np.ndarray)[...]
    view.flags.writeable = False
    return view


def _positions(indices: ArrayLike | slice | Iterable[int], n: int) -> Ints:
    """Indices of documents as an array of numbers from 0 to n - 1."""
    if isinstance(indices, slice):
        return np.arange(n)[indices]
    array = np.asarray(indices if hasattr(indices, "__len__") or np.isscalar(indices) else list(indices))  # type: ignore[arg-type]
    if array.ndim != 1:
        raise InputError("select wants a list of document numbers, a mask or a slice")
    if array.dtype == bool:
        if len(array) != n:
            raise InputError(f"the mask has {len(array)} entries for {n} documents")
        return np.flatnonzero(array)
    if array.size and array.dtype.kind not in "iu":
        raise InputError(f"documents are chosen by number (0 to {n - 1}), but {array[0]!r} was given")
    positions = array.astype(np.int64)
    wrong = positions[(positions < -n) | (positions >= n)]
    if len(wrong):
        raise InputError(f"document {wrong[0]} was asked for, but there are {n} (0 to {n - 1})")
    return np.where(positions < 0, positions + n, positions)
