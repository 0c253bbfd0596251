"""Files that belong to a model or a corpus and are neither: what each is, and what to name instead."""

import re
from pathlib import Path

from tealeaves.errors import FormatError
from tealeaves.readers._beside import DICTIONARY, bare

FEW = 20  # lines that are looked at
# What a file begins with, what it is, and what to do. A line for each.
PARTS = [
    (
        re.compile(rb"num_topics \d+\s*\nnum_terms \d+"),
        "is lda-c's settings of a model (final.other), without its topics",
        "name final.beta, or the folder of both",
    ),
    (
        DICTIONARY,
        "is a dictionary of gensim: the words of a corpus, but no documents",
        "it is found beside a corpus, or handed over as vocabulary=",
    ),
    (
        re.compile(rb'.{6}\x00\x00\{"', re.DOTALL),
        "is tensors (safetensors), without the words that they are of",
        "name the folder of the BERTopic model that they are from",
    ),
]
ASSIGNED = re.compile(rb"\d{3,}(?: \d{4,}:\d{2,})*[ \r]*")  # lengths, words and topics, filled up with zeros
FILLED = re.compile(rb" 0\d{3,}:\d{2}")
PARTITIONED = re.compile(rb"[^\t]+\t(?:train|val|valid|validation|test)(?:\t[^\t]*)?\r?")
NUMBER = re.compile(r"[-+]?(?:\d[\d.,]*(?:e[-+]?\d+)?|inf|nan)", re.IGNORECASE)
MOST = 0.8  # of the lines of a list hold a word; others may be numbers, which vocabularies hold, too
WHOLE = re.compile(r"\d+")
LONGEST = 60  # letters of a word; in scripts without blanks a longer line is a text
UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ufaff]")


def refuse_part(path: Path, head: bytes) -> None:
    """Say of what is a part of something else what that is; ``head`` is how the file begins.

    Raises
    ------
    FormatError
        If it is such a part.
    """
    for pattern, what, fix in PARTS:
        if pattern.match(head):
            raise FormatError(path, f"{what}; {fix}")
    lines = [line for line in head.split(b"\n")[:FEW] if line.strip()]
    if lines and all(map(ASSIGNED.fullmatch, lines)) and any(map(FILLED.search, lines)):
        what = "is lda-c's word assignments: the topic of each word of a document, not counts"
        raise FormatError(
            path, f"{what}; for the topics name final.beta, for the corpus what lda-c was given"
        )
    if bare(path).endswith(".tsv") and lines and all(map(PARTITIONED.fullmatch, lines[:-1] or lines)):
        what = "is the table of an OCTIS corpus (words, partition, label), which has no header"
        if bare(path) == "corpus.tsv":
            raise FormatError(path, f"{what}; name its folder, {path.parent}")
        raise FormatError(path, f"{what}; call it corpus.tsv and name the folder that it is in")


def is_list(lines: list[str]) -> bool:
    """Whether nearly each of at least three lines is one word or name: a vocabulary, or ids.

    A table with a column of words and numbers beside it, perhaps under a header, is one too.

    Examples
    --------
    >>> is_list(["oil", "gas", "tax"]), is_list(["oil gas", "tax law", "court"])
    (True, False)
    >>> is_list(["0,oil", "1,gas", "2,tax"])
    True
    """
    if len(lines) < 3:
        return False
    rows = [_cells(line) for line in lines]
    if len(rows[0]) > 1 and all(rows[0]) and not any(map(NUMBER.fullmatch, rows[0])):
        if any("topic" in cell.lower() for cell in rows[0]):
            return False  # a table of topics, a word a row
        rows = rows[1:]
    words = sum(map(_one_word, rows))
    return words >= MOST * len(rows) and all(len(row) > 1 or " " not in row[0] for row in rows)


def is_numbers(lines: list[str]) -> bool:
    """Whether there are numbers alone."""
    return bool(lines) and all(
        all(map(NUMBER.fullmatch, re.split(r"[\s,;]+", line.strip()))) for line in lines
    )


def _cells(line: str) -> list[str]:
    delimiter = max("\t,;", key=line.count)
    return [cell.strip(" \"'\r") for cell in line.split(delimiter)]


def _one_word(row: list[str]) -> bool:
    """Whether a row is a word: alone, with a number, or between its number and a count."""
    words = [cell for cell in row if not WHOLE.fullmatch(cell)]
    if len(words) != 1 or not words[0] or " " in words[0] or NUMBER.fullmatch(words[0]):
        return False
    if len(row) == 1:
        return len(words[0]) <= (8 if UNSPACED.search(words[0]) else LONGEST)
    return len(row) == 2 or (len(row) == 3 and row[1] == words[0])
