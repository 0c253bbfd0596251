"""A corpus: documents as arrays of word ids, with whatever is known about each document."""

import hashlib
import math
import os
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tealeaves.errors import InputError
from tealeaves.preprocess import Encoded, Gaps, Ids, Ints, Preprocess, renumber

Label = str | tuple[str, ...]
T = TypeVar("T")

BATCH = 20_000  # documents encoded at a time: an iterator is never held in memory as a whole
CHUNK = 1 << 20  # tokens hashed or counted at a time
REPEATS = 20  # words beside the same word: fewer are no sign that a text was written from counts


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
        for chunk in _chunks(self.tokens):
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
        digest = hashlib.sha256(b"tealeaves corpus 1 " + (b"ordered" if self.ordered else b"bags"))
        order = sorted(range(len(self.vocabulary)), key=self.vocabulary.__getitem__)
        for words in _batches((self.vocabulary[i] for i in order), BATCH):
            digest.update("".join(f"{len(word)} {word} " for word in words).encode("utf-8", "surrogatepass"))
        digest.update(self.offsets.astype("<i8", copy=False).tobytes())
        rank = np.empty(len(order) + 1, "<i4")
        rank[order] = np.arange(len(order))
        rank[-1] = -1  # where the id -1 points
        sorted_words = bool((rank[:-1] == np.arange(len(order))).all())  # as nearly always
        for chunk in _chunks(self.tokens):
            digest.update(chunk.astype("<i4", copy=False).data if sorted_words else rank[chunk].data)
        return digest.hexdigest()

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
        order = sorted(np.flatnonzero(self.word_counts()).tolist(), key=self.vocabulary.__getitem__)
        digest = hashlib.sha256(b"tealeaves bags 1 ")
        for words in _batches((self.vocabulary[i] for i in order), BATCH):
            digest.update("".join(f"{len(word)} {word} " for word in words).encode("utf-8", "surrogatepass"))
        rank = np.full(len(self.vocabulary) + 1, -1, np.int64)
        rank[order] = np.arange(len(order))
        sizes, pairs = hashlib.sha256(), hashlib.sha256()
        for size, of_word, counts in bags(self.tokens, self.offsets, rank):
            sizes.update(size.astype("<i8").data)
            pairs.update(np.stack([of_word, counts], axis=1).astype("<i8").data)
        digest.update(sizes.digest() + pairs.digest())
        return digest.hexdigest()

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
        _check_ordered("texts", texts)
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
        columns = _columns(frame)
        if id is None and "id" in columns:
            id = "id"
        wanted = {"text": text, "id": id, "time": time, "label": label}
        found: dict[str, list[object] | None] = {}
        for role, name in wanted.items():
            if name is not None and name not in columns:
                raise InputError(
                    f"no column {name!r} for {role}=; there are: {', '.join(map(repr, columns))}"
                )
            found[role] = None if name is None else _values(frame[name])
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


def encode_tokens(docs: Iterable[Iterable[str]]) -> tuple[Ids, Ints, list[str]]:
    """Tokens as ids, bounds of documents and the words in order of appearance: one pass, any iterable."""
    if isinstance(docs, str):
        raise InputError(
            "docs must be a list of lists of tokens, but is a string; use Corpus.from_texts([text])"
        )
    _check_ordered("docs", docs)
    index: defaultdict[Any, int] = defaultdict()
    index.default_factory = index.__len__  # an unseen word gets the next id: the fastest way in plain Python
    lengths: list[NDArray[np.int64]] = []
    parts: list[Ids] = []
    first = 0
    for some in _batches(docs):
        known = len(index)
        batch: list[Sequence[str]] = [
            doc if isinstance(doc, list | tuple) else _document(doc, first + i) for i, doc in enumerate(some)
        ]
        sizes = np.fromiter(map(len, batch), np.int64, len(batch))
        try:
            ids = map(index.__getitem__, chain.from_iterable(batch))
            parts.append(np.fromiter(ids, np.int32, int(sizes.sum())))
        except TypeError:  # something that cannot be a dictionary's key
            raise InputError(_wrong_token(batch, first)) from None
        if not all(isinstance(word, str) for word in islice(index, known, None)):
            raise InputError(_wrong_token(batch, first))
        lengths.append(sizes)
        first += len(batch)
    offsets = np.concatenate([[0], np.cumsum(np.concatenate([np.zeros(0, np.int64), *lengths]))])
    return np.concatenate([np.zeros(0, np.int32), *parts]), offsets.astype(np.int64), list(index)


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


def places_of(
    words: Sequence[str], vocabulary: Iterable[object] | None
) -> tuple[Ids, tuple[str, ...], tuple[str, ...]]:
    """The place of each word in a vocabulary, by default its own in order; -1: none. Then that, and notes."""
    stripped = [str(word).strip() for word in words]
    padded = [word for word, bare in zip(words, stripped, strict=True) if word != bare and bare]
    notes: tuple[str, ...] = ()
    if padded:
        notes += (f"blanks at the ends of words were stripped ({len(padded)} words, such as {padded[0]!r})",)
    if "" in stripped:
        notes += ("tokens that are empty or blank count as outside the vocabulary and keep their place",)
    if vocabulary is not None:
        kept = check_vocabulary(vocabulary)
    else:
        kept = tuple(word for word in sorted(dict.fromkeys(stripped)) if word)  # mostly sorted before: quick
        if len(kept) == len(stripped) and kept == tuple(stripped):
            return np.arange(len(kept), dtype=np.int32), kept, notes
    index = {word: i for i, word in enumerate(kept)}
    new = np.fromiter(map(index.get, stripped, [-1] * len(stripped)), np.int32, len(stripped))
    return new, kept, notes


def bags(tokens: Ids, offsets: Ints, rank: Ints) -> Iterator[tuple[Ints, Ints, Ints]]:
    """The counts of documents, about a million tokens at a time: pairs a document, words, counts.

    Words are told by ``rank[token]`` and stand in its order; those of rank -1 are left out.
    """
    first = 0
    n_words = max(len(rank), 1)
    while first < len(offsets) - 1:
        last = max(int(np.searchsorted(offsets, offsets[first] + CHUNK, side="right")) - 1, first + 1)
        words = rank[tokens[offsets[first] : offsets[last]]]
        docs = np.repeat(np.arange(last - first), np.diff(offsets[first : last + 1]))
        keys = (docs * n_words + words)[words >= 0]
        keys.sort()
        starts = np.flatnonzero(np.diff(keys, prepend=-1))
        counts = np.diff(starts, append=len(keys))
        kept = keys[starts]
        yield np.bincount(kept // n_words, minlength=last - first), kept % n_words, counts
        first = last


def is_grouped(tokens: Ids, offsets: Ints) -> bool:
    """Whether the same words stand side by side in every document, as only counts written out do.

    A few repeated words may do so by chance: at least `REPEATS` are needed.
    """
    rank = np.arange(int(tokens.max(initial=-1)) + 2, dtype=np.int64)  # -1, the last, is a word here, too
    done, repeats = 0, 0
    for sizes, _, _ in bags(tokens, offsets, rank):
        bounds = offsets[done : done + len(sizes) + 1]
        part = tokens[bounds[0] : bounds[-1]]
        begins = np.diff(part, prepend=-2) != 0
        starts = bounds[:-1] - bounds[0]
        begins[starts[starts < len(part)]] = True
        runs = np.diff(np.concatenate([[0], np.cumsum(begins)])[bounds - bounds[0]])
        if (runs != sizes).any():  # a word comes back after another one
            return False
        done += len(sizes)
        repeats += len(part) - int(runs.sum())
    return repeats >= REPEATS


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


def order_slices(slices: Iterable[object]) -> tuple[Ids, tuple[str, ...]]:
    """The slice of each document and the labels of the slices, in order.

    Dates and numbers sort as such, text as text, but text that is whole numbers throughout as numbers.
    """
    given: list[Any] = [value.item() if isinstance(value, np.generic) else value for value in slices]
    for i, value in enumerate(given):
        if is_missing(value):
            raise InputError(f"document {i} (counted from 0) has no slice; leave it out or give it one")
    distinct = set(given)
    try:
        if all(isinstance(value, str) for value in distinct) and all(map(_is_whole, distinct)):
            ordered = sorted(distinct, key=lambda text: (int(text), text))
        else:
            ordered = sorted(distinct)
    except TypeError:
        kinds = ", ".join(sorted({type(value).__name__ for value in distinct}))
        raise InputError(f"slices must be of one kind that can be put in order, but are {kinds}") from None
    shown = tuple(str(value) for value in ordered)
    if all(text.endswith(" 00:00:00") for text in shown):  # dates that a data frame keeps as times
        shown = tuple(text.removesuffix(" 00:00:00") for text in shown)
    place = {value: i for i, value in enumerate(ordered)}
    return np.fromiter(map(place.__getitem__, given), np.int32, len(given)), shown


def check_vocabulary(vocabulary: Iterable[object]) -> tuple[str, ...]:
    """The words, stripped of blanks at their ends; an error if one is empty, given twice or no string."""
    if isinstance(vocabulary, str):
        raise InputError(f"vocabulary must be a list of words, but is the string {vocabulary!r}")
    words: list[str] = []
    for i, word in enumerate(vocabulary):
        if not isinstance(word, str) or not word.strip():
            raise InputError(f"the vocabulary holds {word!r} at {i} (counted from 0), which is no word")
        words.append(word.strip())
    repeated = _first_repeated(words)
    if repeated is not None:
        raise InputError(f"the vocabulary holds {repeated!r} twice")
    return tuple(words)


def check_ids(ids: Iterable[object]) -> tuple[str, ...]:
    """The names of documents as text; an error if one is missing or given twice."""
    names = []
    for i, name in enumerate(ids):
        if is_missing(name):
            raise InputError(f"document {i} (counted from 0) has no id")
        names.append(str(name))
    repeated = _first_repeated(names)
    if repeated is not None:
        raise InputError(f"two documents have the id {repeated!r}; ids must be unique")
    return tuple(names)


def as_label(value: object) -> Label:
    """A category as text, several as a tuple of them; none is ()."""
    if is_missing(value):
        return ()
    if isinstance(value, str):
        return value
    if isinstance(value, Iterable):
        return tuple(str(one) for one in value)
    return str(value)


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


def _chunks(tokens: Ids) -> Iterator[Ids]:
    return (tokens[start : start + CHUNK] for start in range(0, len(tokens), CHUNK))


def _batches(items: Iterable[T], size: int = BATCH) -> Iterator[list[T]]:
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch


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


def _check_ordered(name: str, given: object) -> None:
    """Raise InputError for what cannot be gone through, or not in the same order each time."""
    if isinstance(given, bytes) or (not isinstance(given, Iterable) and not hasattr(given, "__getitem__")):
        raise InputError(f"{name} must be a list, but is {given!r:.60}")
    if isinstance(given, set | frozenset):
        raise InputError(
            f"{name} must be in an order, but a set has none: hand over a list, or sorted({name})"
        )


def _document(doc: object, i: int) -> Sequence[str]:
    """A document that is neither list nor tuple, as a list of tokens."""
    if isinstance(doc, str | bytes):
        shown = doc[:40]
        raise InputError(
            f"document {i} (counted from 0) is a string, {shown!r}, where a list of tokens is wanted; "
            "use Corpus.from_texts for texts, or cut them yourself: [text.split() for text in texts]"
        )
    if isinstance(doc, set | frozenset):
        raise InputError(
            f"document {i} (counted from 0) is a set, whose tokens have no order: hand over the list of all "
            "its tokens in the order of the text, or sorted(document) if there is none"
        )
    if not isinstance(doc, Iterable):
        raise InputError(f"document {i} (counted from 0) is {doc!r}, where a list of tokens is wanted")
    return list(doc)


def _wrong_token(batch: Sequence[Sequence[object]], first: int) -> str:
    for i, doc in enumerate(batch, start=first):
        for token in doc:
            if not isinstance(token, str):
                kind = type(token).__name__
                return (
                    f"document {i} (counted from 0) has the token {token!r} ({kind}); tokens must be strings"
                )
    return "tokens must be strings"


def _columns(frame: Any) -> list[str]:
    if hasattr(frame, "collect") and not hasattr(frame, "to_dict"):
        raise InputError("from_frame wants a data frame, but this is a lazy one; call .collect() first")
    if not hasattr(frame, "columns") and not isinstance(frame, Mapping):
        raise InputError(f"from_frame wants a pandas or polars data frame, but got {type(frame).__name__}")
    return list(frame.columns if hasattr(frame, "columns") else frame)


def _values(column: Any) -> list[object]:
    for name in ("to_list", "to_pylist", "tolist"):  # polars and pandas, pyarrow, numpy
        if hasattr(column, name):
            return cast("list[object]", getattr(column, name)())
    return list(column)


def _words(text: object) -> Iterable[str]:
    """A text that is cut already: a list of words, or words between blanks."""
    if is_missing(text):
        return []
    return text.split() if isinstance(text, str) else cast("Iterable[str]", text)


def is_missing(value: object) -> bool:
    """None, nan, or pandas' NA and NaT, which are not equal to themselves."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return True
    return type(value).__name__ in ("NAType", "NaTType")


def _is_whole(text: str) -> bool:
    return text.strip().removeprefix("-").isdecimal()


def _first_repeated(values: Iterable[Hashable]) -> Hashable | None:
    seen: set[Hashable] = set()
    for value in values:
        if value in seen:
            return value
        seen.add(value)
    return None
