"""The words, and the names of documents, that a file of counts leaves to files beside it."""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tealeaves.errors import FormatError
from tealeaves.readers._files import read_bytes, read_text
from tealeaves.readers._vocabulary import words_of

PACKINGS = ("", ".gz", ".zst", ".bz2", ".xz")
# What files with words are called that stand beside a corpus of another name.
USUAL = re.compile(r"vocab|dictionary|wordids|\.dict\b|\.tokens\b|^(words|terms)\.", re.IGNORECASE)
LARGEST = 1 << 28  # bytes: a larger file in the folder is not looked into unless it has the corpus' own name
PICKLE = re.compile(rb"\x80[\x02-\x05]")  # of the protocols in use; the older begin as text may
DICTIONARY = re.compile(rb"\s*\d+[ \t\r]*\n\d+\t[^\t\n]+\t\d+\r?(\n|\Z)")


def packed(path: Path) -> Path | None:
    """The file itself or as it is when compressed, whichever is there."""
    names = (path.with_name(path.name + ending) for ending in PACKINGS)
    return next((name for name in names if name.is_file()), None)


def bare(path: Path) -> str:
    """The name of a file without the ending of its compression."""
    ending = next((ending for ending in PACKINGS[1:] if path.name.lower().endswith(ending)), "")
    return path.name[: len(path.name) - len(ending)]


def stem(path: Path) -> str:
    """The name of a file without its ending, but for that of its compression."""
    name = bare(path)
    return name.rpartition(".")[0] or name


def own_names(path: Path) -> list[str]:
    """What the vocabulary of a corpus is usually called: corpus.ldac.vocab, corpus.tokens, vocab.kos.txt."""
    name, short = bare(path), stem(path)
    names = [
        f"{name}.vocab",
        f"{short}.vocab",
        f"{short}.tokens",
        f"{short}.dict.txt",
        f"{short}_wordids.txt",
    ]
    names += [f"{name}.vocab.txt", f"{short}.vocab.txt", f"{short}-vocab.txt", f"{short}_vocab.txt"]
    for ending in ("-mult", "_mult", "-bow", "_bow", "_tfidf"):
        if short.endswith(ending):
            whole = short.removesuffix(ending)
            names += [f"{whole}-vocab.txt", f"{whole}_vocab.txt", f"{whole}_wordids.txt", f"{whole}.vocab"]
    if name.startswith("docword"):
        names.append("vocab" + name.removeprefix("docword"))
    return names


def words_for(
    path: Path, given: Any, *, n_words: int | None, used: int, trust: bool = False
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words of a corpus of counts, in the order of their numbers, and what is to be noted of them.

    Parameters
    ----------
    path : Path
        The file of counts.
    given : words, path or None
        What was handed over as ``vocabulary=``; without it, files beside ``path`` are looked for.
    n_words : int or None
        How many words the file says that there are.
    used : int
        The largest number that it uses, counted from 1.

    Raises
    ------
    FormatError
        If there are no words, or not as many; it says what was looked for.
    """
    wanted = f"{n_words:,} words" if n_words is not None else f"at least {used:,} words"
    if given is not None:
        words = handed_over(given, trust=trust)
        if not fits(words, n_words, used):
            raise FormatError(path, f"has {wanted}, but the vocabulary handed over has {len(words):,}")
        return words, ()
    for name in own_names(path):
        found = packed(path.with_name(name))
        if found is not None and found != path:
            if name.endswith(".tokens") and not _is_list_of(found, n_words, used):
                continue  # the same documents as plain words may be called so, too
            words = read_words(found, trust=trust)
            if not fits(words, n_words, used):
                raise FormatError(found, f"has {len(words):,} words, but {path.name} has {wanted}")
            return words, ()
    return _somewhere_beside(path, n_words if n_words is not None else used, wanted, trust)


def _is_list_of(path: Path, n_words: int | None, used: int) -> bool:
    """Whether a file is a list of as many words as are needed."""
    try:
        return fits(read_words(path), n_words, used)
    except FormatError:
        return False


def fits(words: Sequence[str], n_words: int | None, used: int) -> bool:
    """Whether there are as many words as the numbers of a file need."""
    return len(words) == n_words if n_words is not None else len(words) >= used


def _somewhere_beside(
    path: Path, n_words: int, wanted: str, trust: bool
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words of a file with a usual name and exactly so many of them, if no other says otherwise."""
    said: dict[tuple[str, ...], str] = {}
    seen = []
    for file in sorted(path.parent.iterdir()):
        if file == path or not USUAL.search(file.name) or not file.is_file():
            continue
        if file.stat().st_size > LARGEST:
            continue
        try:
            words = read_words(file, trust=trust)
        except (FormatError, OSError) as error:
            seen.append(f"{file.name} (which cannot be read: {str(error).removeprefix(f'{file}: ')})")
            continue
        seen.append(f"{file.name} ({len(words):,} words)")
        if len(words) == n_words:
            said.setdefault(words, file.name)
    if len(said) == 1:
        words, name = said.popitem()
        return words, (f"the words are those of {name}, which stands beside {path.name}",)
    if said:
        found = f"{' and '.join(said.values())} beside it differ"
        raise FormatError(path, f"names its words by numbers, and {found}: hand one over as vocabulary=")
    looked = ", ".join(own_names(path)[:4])
    there = f"; there is {', '.join(seen)}" if seen else ""
    raise FormatError(
        path,
        f"names its words by numbers, and no file with {wanted} was found beside it (looked for {looked}, "
        f"vocab.txt, dictionary.txt and the like{there}): hand it over as vocabulary=",
    )


def handed_over(given: Any, *, trust: bool = False) -> tuple[str, ...]:
    """The words of ``vocabulary=``: a list, a file, a dictionary of gensim or a vectorizer."""
    if isinstance(given, str | os.PathLike):
        return read_words(Path(given), trust=trust)
    words = words_of(given)
    return () if words is None else words


def read_words(path: Path, *, distinct: bool = True, trust: bool = False) -> tuple[str, ...]:
    """The words of a file with one a line, or of gensim's dictionary (as text; a pickle only if trusted).

    Raises
    ------
    FormatError
        If a word is missing or there twice; it names the line.
    """
    head = read_bytes(path, 1 << 12)
    if PICKLE.match(head):
        return _read_pickle(path, trust)
    text = read_text(path)
    if DICTIONARY.match(head):
        return _read_dictionary(path, text)
    lines = [line.strip() for line in text.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    seen: dict[str, int] = {}
    for number, word in enumerate(lines, start=1):
        if not word:
            raise FormatError(path, "a word was expected, but the line is empty", number)
        if distinct and seen.setdefault(word, number) != number:
            raise FormatError(
                path, f"the word {word!r:.40} is there twice, first in line {seen[word]}", number
            )
    return tuple(lines)


def _read_dictionary(path: Path, text: str) -> tuple[str, ...]:
    """gensim's dictionary as ``save_as_text`` writes it: id, word and document frequency, in any order."""
    words: dict[int, str] = {}
    lines = text.split("\n")
    for number, line in enumerate(lines[1:], start=2):
        cells = line.rstrip("\r").split("\t")
        if cells == [""]:
            continue
        if len(cells) != 3 or not all(cell.isascii() and cell.isdecimal() for cell in (cells[0], cells[2])):
            found = f"id, word and document frequency, parted by tabs, were expected, but found {line[:40]!r}"
            raise FormatError(path, found, number)
        if len(cells[0]) > 10 or int(cells[0]) > len(lines):
            what = f"has the id {cells[0]:.20}, but there are only {len(lines) - 1} lines of words"
            raise FormatError(path, what, number)
        if int(cells[0]) in words:
            raise FormatError(path, f"the id {cells[0]} is there twice", number)
        if not cells[1].strip():
            raise FormatError(path, f"the word of the id {cells[0]} is blank", number)
        words[int(cells[0])] = cells[1].strip()
    missing = next((i for i in range(len(words)) if i not in words), None)
    if missing is not None:
        raise FormatError(path, f"has {len(words)} words, but none with the id {missing}: is it cut off?")
    if len(set(words.values())) < len(words):
        raise FormatError(path, "holds a word twice")
    return tuple(words[i] for i in range(len(words)))


def _read_pickle(path: Path, trust: bool) -> tuple[str, ...]:
    if not trust:
        raise FormatError(
            path,
            "is a Python pickle such as gensim's Dictionary.save writes, which can run any code when opened: "
            "write it with save_as_text, or if you trust it, say trust=True",
        )
    from tealeaves._optional import require

    loaded = require("gensim.corpora", "gensim").Dictionary.load(str(path))
    words = words_of(loaded)
    return () if words is None else words


def names_for(
    path: Path, n_docs: int, endings: Sequence[str] = (".ids", ".titles")
) -> tuple[str, ...] | None:
    """The names of the documents, a line each, in a file beside ``path`` that has its name."""
    for found in _with_endings(path, endings):
        names = read_words(found, distinct=False)
        if len(names) != n_docs:
            raise FormatError(found, f"names {len(names):,} documents, but {path.name} has {n_docs:,}")
        return names
    return None


def _with_endings(path: Path, endings: Sequence[str]) -> Iterator[Path]:
    for ending in endings:
        for name in (bare(path), stem(path)):
            found = packed(path.with_name(name + ending))
            if found is not None and found != path:
                yield found
