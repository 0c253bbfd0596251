"""Reader of corpora: text, folders, CSV, JSONL and Parquet, plain or compressed, in one pass."""

import csv
import gzip
import io
import json
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

from tealeaves.corpus import Corpus, as_label, check_ids, order_slices
from tealeaves.corpus_store import is_saved_corpus, open_corpus
from tealeaves.errors import FormatError, InputError
from tealeaves.preprocess import Preprocess
from tealeaves.readers._files import GZIP, ZSTANDARD, read_bytes, read_text

COMPRESSED = (".gz", ".zst")
SUFFIXES = {
    ".txt": "text", ".text": "text", ".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".jsonl": "jsonl",
    ".ndjson": "jsonl", ".parquet": "parquet", ".pq": "parquet",
}  # fmt: skip
BLOCK = 1 << 23  # bytes of lines read at a time
ROWS = 10_000  # rows of a Parquet file turned into Python objects at a time
BOM = b"\xef\xbb\xbf"

Fields = Mapping[str, str | None]


class Row(NamedTuple):
    """A document as its file has it; ``line`` is 0 where the format has no lines."""

    line: int
    text: object
    id: object = None
    time: object = None
    label: object = None


def read(
    path: Path,
    *,
    fields: Fields,
    preprocess: Preprocess | None,
    tokenized: bool,
    format: str | None,
    vocabulary: Sequence[str] | None,
) -> Corpus:
    """The corpus at ``path``; see `tealeaves.read_corpus`."""
    path.stat()  # a missing file is Python's own FileNotFoundError
    if tokenized and preprocess is not None:
        raise InputError("tokenized=True takes the words as they are: leave preprocess out")
    name = format or _format_of(path)
    if name == "corpus":
        if preprocess is not None or tokenized or any(fields.values()) or vocabulary is not None:
            raise InputError(
                f"{path}: is a corpus that tealeaves saved; it is read as it is, without options"
            )
        return open_corpus(path)
    if name not in READERS:
        raise InputError(f"no corpus format {name!r}; there are: corpus, {', '.join(READERS)}")
    given = [f"{role}=" for role, value in fields.items() if value is not None]
    if name in ("text", "folder") and given:
        raise InputError(f"{path}: {name} has no fields, so {', '.join(given)} cannot be met")
    reader = READERS[name]
    found = _Collected(path, fields, tokenized)
    rows = reader(path, fields)
    first = next(rows, None)
    if first is None:
        raise FormatError(path, "holds no documents")
    texts = found.collect(chain([first], rows))
    if tokenized:
        corpus = Corpus.from_tokens(cast("Iterable[list[str]]", texts), vocabulary=vocabulary)
    else:
        corpus = Corpus.from_texts(cast("Iterable[str]", texts), preprocess, vocabulary=vocabulary)
        again = _Collected(path, {"text": fields["text"]}, tokenized)
        source = RereadTexts(lambda: cast("Iterable[str]", again.collect(reader(path, fields))), len(corpus))
        corpus = replace(corpus, texts=source)
    return found.complete(corpus)


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


@dataclass
class _Collected:
    """What is known of each document, gathered while the texts stream by."""

    path: Path
    fields: Fields
    tokenized: bool
    ids: list[object] = field(default_factory=list)
    times: list[object] = field(default_factory=list)
    labels: list[object] = field(default_factory=list)
    empty: int = 0

    def collect(self, rows: Iterable[Row]) -> Iterator[str | list[str]]:
        keeps_time, keeps_label = self.fields.get("time"), self.fields.get("label")
        for row in rows:
            self.ids.append(row.id)
            if keeps_time:
                if row.time is None or row.time == "":
                    raise FormatError(self.path, f"field {keeps_time!r} (time=) is empty", row.line)
                self.times.append(row.time)
            if keeps_label:
                self.labels.append(row.label)
            yield self._text(row)

    def _text(self, row: Row) -> str | list[str]:
        text = row.text
        if text is None:
            self.empty += 1
            return [] if self.tokenized else ""
        if isinstance(text, str):
            return text.split() if self.tokenized else text
        name = self.fields.get("text") or "text"
        if not self.tokenized:
            hint = "; pass tokenized=True if these are its words" if isinstance(text, list) else ""
            raise FormatError(self.path, f"field {name!r} holds no text but {text!r}"[:90] + hint, row.line)
        if not isinstance(text, list) or not all(isinstance(word, str) for word in text):
            raise FormatError(self.path, f"field {name!r} holds no list of words but {text!r}"[:90], row.line)
        return text

    def complete(self, corpus: Corpus) -> Corpus:
        """The corpus with what its file says of the documents."""
        notes = [f"{self.empty} documents have no text and are kept as empty ones"] if self.empty else []
        ids: tuple[str, ...] | None = None
        asked = self.fields["id"] is not None
        if asked or any(name is not None for name in self.ids):
            try:
                ids = check_ids(self.ids)
            except InputError as error:
                if asked:
                    raise FormatError(self.path, str(error)) from None
                notes.append(f"the field 'id' was not used: {error}")
        slice_of, slice_labels = order_slices(self.times) if self.fields["time"] else (None, None)
        return replace(
            corpus,
            ids=ids,
            slice_of=slice_of,
            slice_labels=slice_labels,
            labels=tuple(map(as_label, self.labels)) if self.fields["label"] else None,
            notes=(*notes, *corpus.notes),
        )


def _read_text(path: Path, fields: Fields) -> Iterator[Row]:
    for number, line in _lines(path):
        yield Row(number, line)


def _read_folder(path: Path, fields: Fields) -> Iterator[Row]:
    if not path.is_dir():
        raise FormatError(path, "is no folder")
    endings = (".txt", *(f".txt{packed}" for packed in COMPRESSED))
    files = {
        file.relative_to(path).as_posix().partition(".txt")[0]: file
        for file in path.rglob("*.txt*")
        if file.name.endswith(endings) and file.is_file()
    }
    if not files:
        raise FormatError(path, "holds no .txt files; a folder is read as one document a file")
    for name in sorted(files):
        yield Row(0, read_text(files[name]), id=name)


def _read_jsonl(path: Path, fields: Fields) -> Iterator[Row]:
    names = _names(fields)
    for number, line in _lines(path):
        if not line or line.isspace():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise FormatError(path, f"is no JSON: {error}", number) from None
        if not isinstance(record, dict):
            hint = "; is the file one JSON array rather than JSONL?" if number == 1 else ""
            raise FormatError(path, f"a JSON object was expected, not {type(record).__name__}{hint}", number)
        for role, name in names.items():
            if name not in record and not (role == "id" and fields.get("id") is None):
                raise FormatError(path, _no_field(role, name, record), number)
        yield Row(number, *(record.get(names[role]) if role in names else None for role in ROLES))


def _read_csv(path: Path, fields: Fields) -> Iterator[Row]:
    return _read_table(path, fields, ",")


def _read_tsv(path: Path, fields: Fields) -> Iterator[Row]:
    return _read_table(path, fields, "\t")


def _read_table(path: Path, fields: Fields, delimiter: str) -> Iterator[Row]:
    names = _names(fields)
    former = csv.field_size_limit(sys.maxsize)  # a long document is no error
    try:
        with _opened(path) as raw:
            lines = _text_lines(path, raw)
            head = next(lines, "")
            if delimiter == "," and ";" in head and "," not in head:
                delimiter = ";"  # where a comma is in decimal numbers, spreadsheets write this
            table = csv.reader(chain([head], lines), delimiter=delimiter, strict=True)
            columns = next(table, [])
            places: dict[str, int] = {}
            for role, name in names.items():
                if columns.count(name) > 1:
                    raise FormatError(path, f"two columns are called {name!r}", 1)
                if name in columns:
                    places[role] = columns.index(name)
                elif role != "id" or fields.get("id") is not None:
                    hint = " (the first line must name the columns)"
                    raise FormatError(path, _no_field(role, name, columns) + hint, 1)
            for cells in table:
                if not cells:
                    continue
                if len(cells) != len(columns):
                    found = f"{len(cells)} cells, but the first line names {len(columns)} columns"
                    raise FormatError(path, found, table.line_num)
                yield Row(
                    table.line_num, *(cells[places[role]] if role in places else None for role in ROLES)
                )
    except csv.Error as error:
        raise FormatError(path, f"is no whole table: {error}", table.line_num) from None
    finally:
        csv.field_size_limit(former)


def _read_parquet(path: Path, fields: Fields) -> Iterator[Row]:
    import polars as pl

    source = io.BytesIO(read_bytes(path)) if path.suffix in COMPRESSED else path
    names = _names(fields)
    try:
        columns = pl.read_parquet_schema(source)
        for role, name in list(names.items()):
            if name in columns:
                continue
            if role == "id" and fields.get("id") is None:
                del names[role]
            else:
                raise FormatError(path, _no_field(role, name, columns))
        frame = pl.read_parquet(source, columns=list(dict.fromkeys(names.values())))
    except (pl.exceptions.PolarsError, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise FormatError(path, f"is no whole Parquet file: {error}") from None
    for part in frame.iter_slices(ROWS):
        lists = [part[names[role]].to_list() if role in names else [None] * part.height for role in ROLES]
        for values in zip(*lists, strict=True):
            yield Row(0, *values)


READERS: dict[str, Callable[[Path, Fields], Iterator[Row]]] = {
    "text": _read_text,
    "folder": _read_folder,
    "csv": _read_csv,
    "tsv": _read_tsv,
    "jsonl": _read_jsonl,
    "parquet": _read_parquet,
}
ROLES = ("text", "id", "time", "label")


def _names(fields: Fields) -> dict[str, str]:
    """The field of each role; the text's and the id's have names by default."""
    names = {"text": "text", "id": "id"} | {role: name for role, name in fields.items() if name is not None}
    return {role: names[role] for role in ROLES if role in names}


def _no_field(role: str, name: str, there: Iterable[str]) -> str:
    return f"no field {name!r} for {role}=; there are: {', '.join(map(repr, there))}"


def _format_of(path: Path) -> str:
    if path.is_dir():
        return "corpus" if is_saved_corpus(path) else "folder"
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in COMPRESSED:
        suffixes.pop()
    if not suffixes or suffixes[-1] not in SUFFIXES:
        endings = ", ".join(SUFFIXES)
        known = f"format= one of {', '.join(READERS)}, or a name that ends in {endings} (.gz, .zst)"
        raise InputError(f"{path}: its name does not tell the format; wanted: {known}")
    return SUFFIXES[suffixes[-1]]


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a UTF-8 file with their numbers, without their ends."""
    with _opened(path) as raw:
        for number, line in enumerate(_text_lines(path, raw), start=1):
            yield number, line.removesuffix("\n").removesuffix("\r")


def _text_lines(path: Path, raw: IO[bytes]) -> Iterator[str]:
    """The lines of a UTF-8 stream, read in blocks; only a line feed ends one."""
    number = 0
    try:
        while block := raw.readlines(BLOCK):
            if number == 0:
                if block[0].startswith((b"\xff\xfe", b"\xfe\xff")):
                    raise FormatError(path, "is UTF-16; save the file as UTF-8", 1)
                block[0] = block[0].removeprefix(BOM)
            for line in block:
                number += 1
                try:
                    yield line.decode()
                except UnicodeDecodeError as error:
                    found = f"byte {line[error.start]:#04x} is no UTF-8"
                    raise FormatError(path, f"{found}; save the file as UTF-8", number) from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise FormatError(path, f"is compressed, but cut off or damaged: {error}", number + 1) from None
    except Exception as error:
        if type(error).__name__ != "ZstdError":  # zstandard is imported only where it is needed
            raise
        raise FormatError(path, f"is compressed, but cut off or damaged: {error}", number + 1) from None


def _opened(path: Path) -> IO[bytes]:
    """A stream of the bytes of a file, decompressed."""
    raw = path.open("rb")
    start = raw.read(4)
    raw.seek(0)
    if start.startswith(GZIP):
        raw.close()
        return cast("IO[bytes]", gzip.open(path))
    if start.startswith(ZSTANDARD):
        import zstandard

        stream = zstandard.ZstdDecompressor().stream_reader(raw, read_across_frames=True, closefd=True)
        return io.BufferedReader(stream, 1 << 20)
    return raw
