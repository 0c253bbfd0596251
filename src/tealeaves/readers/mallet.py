"""Readers of MALLET's state (the topic of every token) and of its topic keys."""

import io
import re
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tealeaves.corpus import Corpus
from tealeaves.errors import FormatError
from tealeaves.model import TopicModel
from tealeaves.readers._files import plausible, read_bytes, read_lines
from tealeaves.scaling import rows_to_one

COLUMNS = "#doc source pos typeindex type topic"
TOKEN = (
    r"^([0-9]{1,9}) (.*) ([0-9]{1,9}) ([0-9]{1,9}) (.+) ([0-9]{1,9})\s*$"  # source and type may hold blanks
)
ALPHA = re.compile(r"\d+(?:\.\d*)?(?:[eE][-+]?\d+)?")
ABSENT = "NA"  # what MALLET writes for a document without a source


def read_mallet_state(path: str | Path) -> TopicModel:
    """Read a state (``--output-state``), with its corpus in the order of documents, alpha and beta.

    ``topic_word`` is (n_kw + beta) / (n_k + V beta) over the V words that the state has tokens of, in the
    order of MALLET's ids; ``doc_topic`` is (n_dk + alpha_k) / (n_d + sum alpha). A number that no token
    has is an empty document, for MALLET writes nothing of those.

    Raises
    ------
    FormatError
        If a line is not one of a state, with its number, or the file is cut off.
    """
    path = Path(path)
    content = read_bytes(path)
    header, start = _header(path, content)
    if not content.endswith(b"\n"):
        cut = content.count(b"\n") + 1
        raise FormatError(path, "is cut off: its last line does not end", line=cut)
    table = _tokens(path, memoryview(content)[start:], first_line=len(header) + 1)
    doc, topic, type_id = (table[name].to_numpy() for name in ("doc", "topic", "typeindex"))
    words, ids = _vocabulary(path, table)
    tokens = np.searchsorted(ids, type_id).astype(np.int32)
    order = np.lexsort((table["pos"].to_numpy(), doc)) if (np.diff(doc) < 0).any() else None
    if order is not None:
        doc, topic, tokens = doc[order], topic[order], tokens[order]
    alpha, beta = header.get("alpha"), header.get("beta")
    n_topics = len(alpha) if alpha is not None else plausible(path, "topics", int(topic.max()), _n(topic))
    if topic.max() >= n_topics:
        raise FormatError(path, f"topic {topic.max()} was found, but alpha says there are {n_topics} topics")
    notes = [] if beta is not None else ["the state says no beta: topic_word is not smoothed"]
    smoothing = 0.0 if beta is None else float(beta[0])
    n_docs, n_words = plausible(path, "documents", int(doc[-1]), _n(doc)), len(words)
    by_word = _table(topic, tokens, n_topics, n_words) + smoothing
    by_doc = _table(doc, topic, n_docs, n_topics) + (0.0 if alpha is None else alpha)
    corpus = Corpus(
        vocabulary=words,
        tokens=tokens,
        offsets=np.searchsorted(doc, np.arange(n_docs + 1)),
        ids=_ids(table, n_docs),
        gaps="closed",
        preprocess="as imported into MALLET",
    )
    return TopicModel(
        words,
        rows_to_one(by_word),
        doc_topic=rows_to_one(by_doc),
        assignments=topic,
        alpha=alpha,
        eta=None if beta is None else smoothing,
        corpus=corpus,
        notes=notes,
    )


def _header(path: Path, content: bytes) -> tuple[dict[str, NDArray[np.float64] | None], int]:
    """What the lines that begin with # say, and where the tokens start."""
    header: dict[str, NDArray[np.float64] | None] = {}
    start = 0
    while content[start : start + 1] == b"#":
        end = content.find(b"\n", start) + 1 or len(content)
        line = content[start:end].decode("utf-8", "replace").strip()
        name, colon, numbers = line[1:].partition(":")
        try:
            header[name.strip()] = np.array(numbers.split(), dtype=np.float64) if colon else None
        except ValueError:
            raise FormatError(path, f"numbers were expected in {line[:60]!r}", line=len(header) + 1) from None
        start = end
    if COLUMNS[1:] not in header:
        raise FormatError(path, f"is no MALLET state: the line {COLUMNS!r} was expected first", line=1)
    for name in ("alpha", "beta"):
        if (given := header.get(name)) is not None and not (given.size and np.isfinite(given).all()):
            raise FormatError(path, f"{name} must be finite numbers", line=list(header).index(name) + 1)
    return header, start


def _tokens(path: Path, lines: memoryview, first_line: int) -> pl.DataFrame:
    if not len(lines):
        raise FormatError(path, "is cut off: it has a header, but no tokens")
    if not lines[:1].tobytes().isdigit():  # polars would unpack what begins as a compressed file does
        raise FormatError(path, f"{COLUMNS[1:]!r} was expected", line=first_line)
    try:
        raw = pl.read_csv(
            io.BytesIO(lines),
            has_header=False,
            separator="\x01",  # in no line: each is one column
            quote_char=None,
            schema={"line": pl.String},
        )
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, UnicodeError, OSError) as error:
        raise FormatError(path, f"is no whole MALLET state: {str(error).splitlines()[0]}") from None
    names = COLUMNS[1:].split()
    fields = raw["line"].str.extract_groups(TOKEN).struct.unnest()
    fields.columns = names
    bad = fields["topic"].is_null()
    if bad.any():
        number = int(bad.arg_true()[0])
        found = (raw["line"][number] or "")[:60]
        raise FormatError(
            path, f"{COLUMNS[1:]!r} was expected, but found {found!r}", line=first_line + number
        )
    return fields.with_columns(pl.col("doc", "pos", "typeindex", "topic").cast(pl.Int32))


def _vocabulary(path: Path, table: pl.DataFrame) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    """The words that occur, in the order of MALLET's ids, and those ids."""
    pairs = table.select("typeindex", "type").unique().sort("typeindex")
    ids = pairs["typeindex"].to_numpy()
    twice = np.flatnonzero(np.diff(ids) == 0)
    if twice.size:
        a, b = pairs["type"][int(twice[0])], pairs["type"][int(twice[0]) + 1]
        raise FormatError(path, f"typeindex {ids[twice[0]]} stands for two words, {a!r} and {b!r}")
    return tuple(pairs["type"].to_list()), ids


def _n(numbers: NDArray[np.int32]) -> int:
    return len(np.unique(numbers))


def _ids(table: pl.DataFrame, n_docs: int) -> tuple[str, ...] | None:
    """Sources of documents, if each has one of its own."""
    firsts = table.select("doc", "source").unique("doc", keep="first")
    if firsts["source"].n_unique() != len(firsts) or ABSENT in firsts["source"]:
        return None
    names = [f"document {i}" for i in range(n_docs)]  # for those that have no token, so no source
    for doc, source in firsts.iter_rows():
        names[doc] = source
    return tuple(names)


def _table(a: NDArray[np.int32], b: NDArray[np.int32], n_a: int, n_b: int) -> NDArray[np.float64]:
    flat = np.bincount(a.astype(np.int64) * n_b + b, minlength=n_a * n_b)
    return flat.reshape(n_a, n_b).astype(np.float64)


def read_mallet_keys(path: str | Path) -> TopicModel:
    """Read topic keys (``--output-topic-keys``): number, alpha and top words of each topic.

    Raises
    ------
    FormatError
        If a line is not one of topic keys; it names the line.
    """
    path = Path(path)
    topics: list[list[str]] = []
    alpha: list[float] = []
    for number, line in enumerate(read_lines(path), start=1):
        cells = line.split("\t")
        if len(cells) != 3 or not ALPHA.fullmatch(cells[1]):
            raise FormatError(path, "number, alpha and words, parted by tabs, were expected", line=number)
        if cells[0] != str(len(topics)):
            raise FormatError(path, f"topic {len(topics)} was expected, but found {cells[0]}", line=number)
        topics.append(cells[2].split())
        alpha.append(float(cells[1]))
    return TopicModel(word_lists=topics, alpha=alpha)
