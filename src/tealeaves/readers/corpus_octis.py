"""Reader of OCTIS folders: corpus.tsv (words, partition, label), vocabulary.txt and metadata.json."""

import json
from collections.abc import Iterator
from pathlib import Path

from tealeaves.errors import FormatError, InputError
from tealeaves.readers._beside import packed, read_words
from tealeaves.readers._files import read_bytes
from tealeaves.readers._lines import lines
from tealeaves.readers._rows import Fields, Row, in_roles, named, no_field

COLUMNS = ("text", "partition", "label")


def is_octis_folder(path: Path) -> bool:
    """Whether a folder holds a corpus as OCTIS keeps it."""
    return packed(path / "corpus.tsv") is not None


def read_octis_rows(path: Path, fields: Fields, partition: str | None) -> Iterator[Row]:
    """A document a line of ``corpus.tsv``; with ``partition``, those of that one only.

    The columns are called text, partition and label; ids are the lines of ``indexes.txt``, if there is one.
    """
    corpus = packed(path / "corpus.tsv")
    if corpus is None:
        raise FormatError(path, "is no OCTIS folder: corpus.tsv was expected in it")
    names = named(fields)
    ids = packed(path / "indexes.txt")
    known = None if ids is None else read_words(ids, distinct=False)
    n_columns, n_docs, found = 0, 0, set()
    for number, line in lines(corpus):
        cells = line.split("\t")
        if number == 1:
            n_columns = len(cells)
            there = [*COLUMNS[:n_columns], *(["id"] if known else [])]
            if n_columns > 3:
                what = f"1 to 3 cells (words, partition, label) were expected, but found {n_columns}"
                raise FormatError(corpus, what, 1)
            for role, name in names.items():
                if name not in there and not (role == "id" and fields.get("id") is None):
                    if role == "label" and name == "label":
                        continue  # not asked for: it is the format's own
                    raise FormatError(corpus, no_field(role, name, there), 1)
            if partition is not None and n_columns < 2:
                raise InputError(f"{path} has no partitions, so partition={partition!r} cannot be met")
        if len(cells) != n_columns:
            what = f"{len(cells)} cells were found, but the first line has {n_columns}"
            raise FormatError(corpus, what, number)
        record: dict[str, object] = dict(zip(COLUMNS, cells, strict=False))
        if known is not None:
            if n_docs >= len(known):
                raise FormatError(ids or path, f"has {len(known)} lines, but corpus.tsv has more documents")
            record["id"] = known[n_docs]
        n_docs += 1
        if partition is not None:
            found.add(cells[1])
            if cells[1] != partition:
                continue
        record["label"] = record.get("label") or None
        yield Row(number, *in_roles(record, names))
    _check(path, corpus, n_docs)
    if partition is not None and partition not in found:
        there = sorted(found)
        raise InputError(f"{path} has no partition {partition!r}; there are: {', '.join(map(repr, there))}")


def octis_vocabulary(path: Path) -> tuple[str, ...] | None:
    """The words of ``vocabulary.txt``, if it is there."""
    vocabulary = packed(path / "vocabulary.txt")
    return None if vocabulary is None else read_words(vocabulary)


def _check(path: Path, corpus: Path, n_docs: int) -> None:
    """See that the corpus is as long as the metadata say."""
    about = packed(path / "metadata.json")
    if about is None:
        return
    try:
        said = json.loads(read_bytes(about))["total_documents"]
    except (ValueError, RecursionError, UnicodeError) as error:
        raise FormatError(about, f"is no JSON: {error}") from None
    except (KeyError, TypeError):
        return
    if said != n_docs:
        what = f"has {n_docs} documents, but metadata.json says {said!r:.30}"
        raise FormatError(corpus, f"{what}: it is cut off, or metadata.json is of another", n_docs)
