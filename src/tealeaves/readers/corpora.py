"""Reader of corpora, whatever their format: `read` finds out which one it is."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, cast

from tealeaves.corpus import Corpus
from tealeaves.corpus_store import open_corpus
from tealeaves.encoding import as_label, check_ids, order_slices
from tealeaves.errors import FormatError, InputError
from tealeaves.fingerprints import is_grouped
from tealeaves.letters import Texts
from tealeaves.preprocess import Preprocess
from tealeaves.readers._beside import handed_over
from tealeaves.readers._documents import PIECE, About, Documents, Job, jobs_of_rows
from tealeaves.readers._files import check_regular
from tealeaves.readers._recognise_corpus import CORPUS_FORMATS, recognise_corpus
from tealeaves.readers._rows import Fields, Row
from tealeaves.readers.corpus_arrow import read_arrow_rows
from tealeaves.readers.corpus_csv import read_csv_rows, read_tsv_rows
from tealeaves.readers.corpus_jsonl import read_jsonl, read_jsonl_rows
from tealeaves.readers.corpus_ldac import read_ldac_corpus
from tealeaves.readers.corpus_low import read_low_rows
from tealeaves.readers.corpus_mallet import read_mallet_rows
from tealeaves.readers.corpus_mm import read_mm
from tealeaves.readers.corpus_npz import read_npz
from tealeaves.readers.corpus_octis import octis_vocabulary, read_octis_rows
from tealeaves.readers.corpus_parquet import read_parquet, read_parquet_rows
from tealeaves.readers.corpus_svmlight import read_svmlight
from tealeaves.readers.corpus_text import left_out, read_folder, read_folder_rows, read_text_rows
from tealeaves.readers.corpus_uci import read_uci

# Readers of texts or words in order: a row for each document.
ROWS: dict[str, Callable[[Path, Fields], Iterator[Row]]] = {
    "text": read_text_rows,
    "tokens": read_text_rows,
    "folder": read_folder_rows,
    "csv": read_csv_rows,
    "tsv": read_tsv_rows,
    "jsonl": read_jsonl_rows,
    "parquet": read_parquet_rows,
    "mallet": read_mallet_rows,
    "low": read_low_rows,
}
# Readers that leave the reading of some documents at a time to whoever calls their jobs.
JOBS: dict[str, Callable[[Path, Fields, int], Iterator[Job]]] = {
    "folder": read_folder,
    "jsonl": read_jsonl,
    "parquet": read_parquet,
}
# Readers of rows, of folders with partitions.
PARTED: dict[str, Callable[[Path, Fields, str | None], Iterator[Row]]] = {
    "octis": read_octis_rows,
    "arrow": read_arrow_rows,
}
# Readers of counts of words: whole corpora without order.
BAGS: dict[str, Callable[..., Corpus]] = {
    "uci": read_uci,
    "ldac": read_ldac_corpus,
    "svmlight": read_svmlight,
    "mm": read_mm,
}
WORDS = ("tokens", "low", "octis")  # formats that hold words, not text, unless a preprocessing is asked for
# Formats whose fields have names of their own, and those that are kept unasked.
OWN_FIELDS: dict[str, dict[str, tuple[str, ...]]] = {
    "text": {}, "tokens": {}, "folder": {}, "low": {},
    "mallet": {"text": ("text",), "id": ("id",), "label": ("label",)},
    "octis": {"text": ("text",), "id": ("id",), "time": ("partition",), "label": ("label", "partition")},
}  # fmt: skip
GROUPED = "the same words always stand side by side: it was written from counts, so its order is none"
KEPT = {"mallet": {"label": "label"}, "octis": {"label": "label"}}


def read(
    path: Path,
    *,
    fields: Fields,
    preprocess: Preprocess | None,
    tokenized: bool,
    format: str | None,
    vocabulary: Any,
    partition: str | None = None,
    trust: bool = False,
) -> Corpus:
    """The corpus at ``path``; see `tealeaves.read_corpus`."""
    found = look(
        path,
        fields=fields,
        preprocess=preprocess,
        tokenized=tokenized,
        format=format,
        vocabulary=vocabulary,
        partition=partition,
        trust=trust,
    )
    return found if isinstance(found, Corpus) else _read_rows(found)


def look(
    path: Path,
    *,
    fields: Fields,
    preprocess: Preprocess | None,
    tokenized: bool,
    format: str | None,
    vocabulary: Any,
    partition: str | None = None,
    trust: bool = False,
) -> "Corpus | Source":
    """What is at ``path``: texts that are to be read, or a whole corpus where they are counts or saved."""
    path.stat()  # a missing file is Python's own FileNotFoundError
    check_regular(path)
    if tokenized and preprocess is not None:
        raise InputError("tokenized=True takes the words as they are: leave preprocess out")
    name = format or recognise_corpus(path)
    if name not in CORPUS_FORMATS:
        raise InputError(f"no corpus format {name!r}; there are: {', '.join(CORPUS_FORMATS)}")
    if name == "corpus":
        asked = (preprocess, vocabulary, partition, *fields.values())
        if tokenized or any(option is not None for option in asked):
            raise InputError(
                f"{path}: is a corpus that tealeaves saved; it is read as it is, without options"
            )
        return open_corpus(path)
    if path.is_dir() and name not in ("folder", "octis", "arrow"):
        raise InputError(f"{path} is a folder, but {CORPUS_FORMATS[name]} is a file: name it")
    if partition is not None and name not in PARTED:
        raise InputError(f"{path}: {name} has no partitions, so partition={partition!r} cannot be met")
    if name in BAGS or name == "npz":
        return _read_bag(name, path, fields, preprocess, vocabulary, trust)
    return source_of(name, path, fields, preprocess, tokenized, vocabulary, partition, trust)


@dataclass(frozen=True)
class Source:
    """Texts, or words in order, and how they are to be read: a row for each document."""

    name: str
    path: Path
    fields: Fields
    preprocess: Preprocess
    tokenized: bool
    vocabulary: Any
    partition: str | None

    def rows(self) -> Iterator[Row]:
        """The documents, read anew."""
        if self.name in PARTED:
            return PARTED[self.name](self.path, self.fields, self.partition)
        return ROWS[self.name](self.path, self.fields)

    def jobs(self, size: int) -> Iterator[Job]:
        """The documents, read anew: jobs of about ``size`` bytes of texts, to be called in any thread."""
        if self.name in JOBS and not self.tokenized:
            return JOBS[self.name](self.path, self.fields, size)
        return jobs_of_rows(self.path, self.fields, self.rows(), size, tokenized=self.tokenized)

    def texts(self) -> Iterator[str]:
        """The texts alone, read anew."""
        only = replace(self, fields={"text": self.fields["text"]})
        for job in only.jobs(PIECE):
            yield from cast("Texts", job().texts)

    def has_labels(self, any_there: bool) -> bool:
        """Whether labels are kept; those that nobody asked for only if a document has one."""
        asked = KEPT.get(self.name, {}).get("label") is None
        return bool(self.fields["label"]) and (asked or any_there)

    def describe(self) -> list[Any]:
        """Everything that can change what is read."""
        words = None if self.vocabulary is None else list(self.vocabulary)
        return [
            self.name,
            dict(self.fields),
            self.preprocess.describe(),
            self.tokenized,
            words,
            self.partition,
        ]


def source_of(
    name: str,
    path: Path,
    fields: Fields,
    preprocess: Preprocess | None,
    tokenized: bool,
    vocabulary: Any,
    partition: str | None,
    trust: bool,
) -> Source:
    """What is to be read of a file or folder whose format has rows, after its choices were judged."""
    if (
        name in WORDS
        and preprocess is not None
        and preprocess.pattern is None
        and preprocess.tokenizer is None
    ):
        preprocess = replace(preprocess, tokenizer=str.split, lower=False)  # words are not cut again
    _check_fields(name, path, fields)
    fields = {**fields, **{role: own for role, own in KEPT.get(name, {}).items() if fields[role] is None}}
    words = None if vocabulary is None else handed_over(vocabulary, trust=trust)
    if name == "octis" and words is None and preprocess is None:
        words = octis_vocabulary(path)
    tokenized = tokenized or (name in WORDS and preprocess is None)
    return Source(name, path, fields, preprocess or Preprocess(), tokenized, words, partition)


def _read_bag(
    name: str, path: Path, fields: Fields, preprocess: Preprocess | None, vocabulary: Any, trust: bool
) -> Corpus:
    what = f"{path}: {CORPUS_FORMATS[name]} holds counts of words, not text"
    if preprocess is not None:
        raise InputError(f"{what}, so preprocess= cannot be met: choose the words before it is written")
    if name == "npz":
        return read_npz(path, fields, vocabulary, trust=trust)
    given = [f"{role}=" for role, value in fields.items() if value is not None]
    if given:
        raise InputError(f"{what}, and has no fields: {', '.join(given)} cannot be met")
    return BAGS[name](path, vocabulary, trust=trust)


def _check_fields(name: str, path: Path, fields: Fields) -> None:
    """Refuse fields that a format has not."""
    if name not in OWN_FIELDS:
        return
    own = OWN_FIELDS[name]
    for role, value in fields.items():
        if value is not None and value not in own.get(role, ()):
            there = "; ".join(f"{role}={'|'.join(names)}" for role, names in own.items())
            has = f"has only the fields {there}" if own else "has no fields"
            raise InputError(f"{path}: {name} {has}, so {role}={value!r} cannot be met")


def _read_rows(source: Source) -> Corpus:
    path, parts = source.path, list[Documents]()

    def numbered(number: int, job: Job) -> Texts | list[list[str]]:
        """The texts of a job; what else it read is put where its documents belong."""
        made = job()
        parts[number].about.add(made.about)
        return made.texts

    def jobs() -> Iterator[Callable[[], Any]]:
        for number, job in enumerate(source.jobs(PIECE)):
            parts.append(Documents([], About()))
            yield partial(numbered, number, job)

    if source.tokenized:
        texts = chain.from_iterable(job() for job in jobs())
        corpus = Corpus.from_tokens(texts, vocabulary=source.vocabulary)
    else:
        made = source.preprocess.encode_jobs(jobs())
        corpus = Corpus.of_encoded(made, vocabulary=source.vocabulary)
        corpus = replace(corpus, texts=RereadTexts(source.texts, len(corpus)))
    if not len(corpus):
        raise FormatError(path, "holds no documents")
    about = About()
    for part in parts:
        about.add(part.about)
    corpus = _complete(corpus, about, source)
    if source.name == "folder":
        corpus = replace(corpus, notes=(*corpus.notes, *left_out(path)))
    if corpus.ordered and is_grouped(corpus.tokens, corpus.offsets):
        corpus = replace(corpus, ordered=False, notes=(*corpus.notes, GROUPED))
    return corpus


class RereadTexts(Sequence[str]):
    """The texts of a file, read again when the first one is asked for: most runs never show any."""

    def __init__(self, read_again: Callable[[], Iterable[str]], n: int) -> None:
        self._read_again, self._n = read_again, n
        self._texts: list[str] | None = None

    def __len__(self) -> int:
        return self._n

    def __getitem__(self, i: Any) -> Any:
        if self._texts is None:
            self._texts = list(self._read_again())
            if len(self._texts) != self._n:
                raise InputError(f"the file had {self._n} documents and now has {len(self._texts)}")
        return self._texts[i]


def _complete(corpus: Corpus, about: About, source: Source) -> Corpus:
    """The corpus with what its file says of documents."""
    path, fields = source.path, source.fields
    notes = [f"{about.empty} documents have no text and are kept as empty ones"] if about.empty else []
    ids: tuple[str, ...] | None = None
    wanted = fields["id"] is not None
    if wanted or any(name is not None for name in about.ids):
        try:
            ids = check_ids(about.ids)
        except InputError as error:
            if wanted:
                raise FormatError(path, str(error)) from None
            notes.append(f"the field 'id' was not used: {error}")
    slice_of, slice_labels = None, None
    if fields["time"]:
        try:
            slice_of, slice_labels = order_slices(about.times)
        except InputError as error:
            raise FormatError(path, f"field {fields['time']!r} (time=): {error}") from None
    has_labels = source.has_labels(any(label is not None for label in about.labels))
    return replace(
        corpus,
        ids=ids,
        slice_of=slice_of,
        slice_labels=slice_labels,
        labels=tuple(map(as_label, about.labels)) if has_labels else None,
        notes=(*notes, *corpus.notes),
    )
