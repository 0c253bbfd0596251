"""What a file or folder of documents is, from its content where that tells, else from its name."""

import re
from pathlib import Path

from tealeaves.corpus_store import is_saved_corpus
from tealeaves.errors import FormatError, InputError
from tealeaves.readers._beside import PICKLE, bare
from tealeaves.readers._files import read_bytes
from tealeaves.readers._formats import FORMATS
from tealeaves.readers._parts import refuse_part
from tealeaves.readers._recognise import by_head, sure_lines
from tealeaves.readers.corpus_arrow import FILE, STREAM, is_arrow_folder
from tealeaves.readers.corpus_mallet import JAVA
from tealeaves.readers.corpus_octis import is_octis_folder

CORPUS_FORMATS = {
    "corpus": "a corpus that tealeaves saved",
    "text": "text, a document a line",
    "tokens": "words between blanks, a document a line",
    "folder": "a folder of .txt files",
    "csv": "a table in CSV",
    "tsv": "a table in TSV",
    "jsonl": "JSON Lines",
    "parquet": "Parquet",
    "arrow": "a dataset of Hugging Face saved on disk, or an Arrow file",
    "octis": "an OCTIS folder",
    "mallet": "lines of a name, a label and the text, as MALLET imports them",
    "low": "GibbsLDA's format: the number of documents, then words, a document a line",
    "uci": "UCI's bag of words",
    "ldac": "LDA-C",
    "svmlight": "SVMlight or LIBSVM",
    "mm": "Matrix Market",
    "npz": "a sparse matrix in an archive of NumPy",
}
BY_ENDING = {
    ".txt": "text", ".text": "text", ".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".jsonl": "jsonl",
    ".ndjson": "jsonl", ".parquet": "parquet", ".pq": "parquet", ".arrow": "arrow", ".feather": "arrow",
    ".mallet": "mallet", ".low": "low", ".uci": "uci", ".ldac": "ldac", ".lda-c": "ldac",
    ".svmlight": "svmlight", ".svm": "svmlight", ".libsvm": "svmlight", ".mm": "mm", ".mtx": "mm",
    ".npz": "npz", ".tokens": "tokens",
}  # fmt: skip
HEAD = 1 << 20
FEW = 20  # lines that must all be of a format for a file to be of it
COUNT = rb"\d+:\d+(?:\.0*)?"
LDAC = re.compile(rb"(\d+)((?:[ \t]+" + COUNT + rb")*)[ \t\r]*")
SVMLIGHT = re.compile(rb"[+\-\d.,eE]*(?:[ \t]+qid:\d+)?(?:[ \t]*\b" + COUNT + rb")*[ \t\r]*(?:#.*)?")
WHOLE = re.compile(rb"[ \t]*\d+[ \t\r]*")
MALLET = re.compile(rb"[^\t ]+\t[^\t ]+\t[^\t]*")  # a name, a label and the text
TRIPLE = re.compile(rb"[ \t]*\d+[ \t]+\d+[ \t]+\d+[ \t\r]*")
LEAST = (
    10  # documents of a .txt whose first line is their number: fewer may be text that begins with a number
)


def recognise_corpus(path: Path) -> str:
    """The format, a key of ``CORPUS_FORMATS``, of a file or folder with documents.

    Raises
    ------
    FormatError
        If it is something that cannot be read, such as a pickle; it says what to do instead.
    InputError
        If neither content nor name tell.
    """
    if path.is_dir():
        if is_saved_corpus(path):
            return "corpus"
        return "octis" if is_octis_folder(path) else "arrow" if is_arrow_folder(path) else "folder"
    name = bare(path).lower()
    by_name = BY_ENDING.get(name[name.rfind(".") :]) if "." in name else None
    try:
        head = read_bytes(path, HEAD)
    except FormatError:
        if by_name is None:
            raise
        return by_name  # whose reader says in which line it is cut off
    _refuse(path, head)
    by_content = _by_content(head)
    if by_content is not None:
        return by_content
    if head.startswith(b"PK\x03\x04") and by_name in (None, "npz"):
        return "npz"
    if by_name not in (None, "text"):
        return str(by_name)
    found = _by_lines(head, len(head) == HEAD)
    if found is not None:
        return found
    if (topics := sure_lines(head)) is not None:
        raise FormatError(path, f"is {FORMATS[topics].what}: topics, but documents were expected")
    if ".mallet" in name or _is_mallet(head, len(head) == HEAD):
        return "mallet"
    if name.startswith("docword"):
        return "uci"
    if _is_low(path, head):
        return "low"
    if by_name is None:
        endings = ", ".join(BY_ENDING)
        known = f"format= one of {', '.join(CORPUS_FORMATS)}, or a name that ends in {endings} (.gz, .zst)"
        raise InputError(f"{path}: its name does not tell the format, nor its content; wanted: {known}")
    return by_name


def sure_corpus(path: Path, head: bytes) -> str | None:
    """The format that the beginning of a file tells whatever its name is; None if none.

    Raises
    ------
    FormatError
        If it can only be opened by another tool.
    """
    _refuse(path, head, topics=False)
    cut = len(head) == HEAD
    found = _by_content(head) or _by_lines(head, cut) or ("low" if _is_low(path, head) else None)
    if found is None and sure_lines(head) is None and _is_mallet(head, cut):
        return "mallet"
    return found


def _by_content(head: bytes) -> str | None:
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith((FILE, STREAM)):
        return "arrow"
    return "mm" if head.startswith(b"%%MatrixMarket") else None


def _refuse(path: Path, head: bytes, *, topics: bool = True) -> None:
    """Say of what is not opened here how it can be written so that it is."""
    if head.startswith(JAVA):
        fix = "`mallet info --input FILE --print-instances` writes them as text, or read what was imported"
        raise FormatError(path, f"holds MALLET's instances as Java objects, which only MALLET opens: {fix}")
    if topics and PICKLE.match(head):
        fix = "write it as text: MmCorpus.serialize and dictionary.save_as_text, or JSON Lines"
        raise FormatError(path, f"is a Python pickle, which can run any code when opened; {fix}")
    refuse_part(path, head)
    format = by_head(path, head) if topics else None
    if format not in (None, "arrays", "gensim"):
        raise FormatError(path, f"is {FORMATS[str(format)].what}: topics, but documents were expected")


def _by_lines(head: bytes, cut: bool) -> str | None:
    """The format of numbers that the first lines are of, if they are."""
    lines = _first(head, cut)
    if len(lines) > 3 and all(map(WHOLE.fullmatch, lines[:3])) and all(map(TRIPLE.fullmatch, lines[3:])):
        return "uci"
    if not any(b":" in line for line in lines):
        return None
    said = [LDAC.fullmatch(line.strip()) for line in lines]
    if all(match is not None and int(match[1][:18]) == match[2].count(b":") for match in said):
        return "ldac"
    if all(b":" in line or line.startswith(b"#") for line in lines[:1]) and all(
        SVMLIGHT.fullmatch(line.strip()) for line in lines
    ):
        return "svmlight"
    return None


def _first(head: bytes, cut: bool) -> list[bytes]:
    """The first lines that are whole and not blank."""
    lines = head.split(b"\n")
    if cut and len(lines) > 1:
        lines.pop()
    return [line for line in lines[: FEW + 4] if line.strip()]


def _is_mallet(head: bytes, cut: bool) -> bool:
    """Whether lines are a name, a label and a text between tabs; a header of columns is none."""
    lines = _first(head, cut)
    if len(lines) < 2 or not all(map(MALLET.fullmatch, lines)):
        return False
    cells = [line.split(b"\t") for line in lines]
    if any(cell.strip().lower() in (b"text", b"body", b"content") for cell in cells[0]):
        return False
    texts = sum(len(row[2].split()) > 2 for row in cells)
    return len({row[0] for row in cells}) == len(cells) and 2 * texts > len(cells)


def _is_low(path: Path, head: bytes) -> bool:
    """Whether the first line is the number of those that follow."""
    first, _, rest = head.partition(b"\n")
    if not WHOLE.fullmatch(first) or len(first) > 18 or int(first) < LEAST:
        return False
    content = rest if len(head) < HEAD else read_bytes(path)[len(first) + 1 :]
    return content.rstrip(b"\r\n").count(b"\n") + 1 <= int(first) <= content.count(b"\n") + 1
