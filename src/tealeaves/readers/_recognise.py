"""What a file or folder of topics is, from its first bytes rather than its name."""

import re
from pathlib import Path

from tealeaves.errors import FormatError
from tealeaves.model_store import MANIFEST, is_saved_model
from tealeaves.readers._files import BZIP2, GZIP, XZ, ZSTANDARD, read_bytes
from tealeaves.readers._formats import FORMATS

HEAD = 1 << 14
PICKLE = re.compile(rb"\x80[\x02-\x05]|[}\](]q\x00|\(dp|\(lp|\(i|ccopy_reg|c__")  # of protocols 2 to 5, 1, 0
TOMOTOPY = re.compile(rb"[\x20-\x7e]{2,6}\x00.{1,10}TPTK", re.DOTALL)
R_DATA = (b"RDX2\n", b"RDX3\n", b"X\n\x00\x00\x00", b"A\n2\n", b"A\n3\n")
STATE = b"#doc source pos typeindex type topic"
KEYS = re.compile(rb"\d+\t[\d.eE+-]+\t[^\t]*$")
MARKUP = re.compile(rb"\s*<[?!a-zA-Z]")
# Endings of files that are never text, and what is in one that is whole.
BINARY = {
    **dict.fromkeys((".npz", ".npy"), "NumPy arrays"),
    **dict.fromkeys((".pkl", ".pickle", ".p", ".joblib"), "a Python pickle"),
    **dict.fromkeys((".rds", ".rdata", ".rda"), "R objects"),
    **dict.fromkeys((".bin", ".model", ".mdl"), "a model of tomotopy or gensim"),
    **dict.fromkeys((".parquet", ".arrow", ".feather", ".h5", ".hdf5", ".mat"), "a table or arrays"),
    **dict.fromkeys((".pt", ".pth", ".ckpt", ".safetensors", ".onnx"), "weights of a neural network"),
    **dict.fromkeys((".zip", ".tar", ".tgz", ".7z", ".rar"), "an archive"),
    **dict.fromkeys((".pdf", ".doc", ".docx", ".xls", ".xlsx", ".png", ".jpg", ".jpeg"), "a document"),
}
PACKED = {".gz": GZIP, ".bz2": BZIP2, ".xz": XZ, ".zst": ZSTANDARD}
SOURCE = {
    *(".py", ".pyi", ".ipynb", ".r", ".rmd", ".qmd", ".jl", ".m", ".c", ".h", ".cc", ".cpp", ".hpp"),
    *(".java", ".scala", ".kt", ".js", ".mjs", ".ts", ".go", ".rs", ".rb", ".pl", ".php", ".lua", ".sh"),
    *(".bash", ".bat", ".ps1", ".sql", ".css", ".html", ".htm", ".xml", ".toml", ".yaml", ".yml"),
    *(".ini", ".cfg", ".tex", ".bib"),
}
HOLDS = "one of: " + ", ".join(FORMATS)


def recognise_model(path: Path) -> str:
    """The format, a key of ``FORMATS``, of a file or folder with topics.

    Raises
    ------
    FormatError
        If it is none of them; it says what was looked for and what is there.
    """
    if path.is_dir():
        return _recognise_folder(path)
    head = read_bytes(path, HEAD)
    if not head.strip():
        raise FormatError(path, "is empty, but topics were expected")
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06", b"\x93NUMPY")):
        return "arrays"
    if PICKLE.match(head):
        return "gensim"
    if TOMOTOPY.match(head):
        return "tomotopy"
    if head.startswith(R_DATA):
        return "r"
    if head.startswith(STATE):
        return "mallet-state"
    if path.name.removesuffix(".gz").endswith(".beta"):
        return "lda-c"
    if b"\x00" in head:
        raise FormatError(path, f"is a binary file of an unknown kind (it begins with {head[:8]!r}); {HOLDS}")
    if MARKUP.match(head):
        raise FormatError(path, f"is HTML or XML, but topics were expected; {HOLDS}")
    return _recognise_text(path, head)


def _recognise_text(path: Path, head: bytes) -> str:
    head = head.removeprefix(b"\xef\xbb\xbf")
    lines = [line for line in head.splitlines() if line.strip()]
    if len(head) >= HEAD:
        lines = lines[:-1] or lines  # the last one is cut
    packing = PACKED.get(path.suffix.lower())
    suffix = (path if packing is None else path.with_suffix("")).suffix.lower()
    if suffix in BINARY:
        found = f"its name says {BINARY[suffix]}, but it is damaged or something else"
        raise FormatError(path, f"{found} (it begins with {head[:8]!r}); if it is text, rename it")
    if suffix in SOURCE:
        fix = 'name a file of topics .txt, or say format="text"'
        raise FormatError(path, f"is source code or settings by its name, not topics; {fix}")
    if suffix == ".json" or head.lstrip().startswith((b"[", b"{")):
        return "json"
    if lines and all(KEYS.match(line) for line in lines):
        return "mallet-keys"
    if suffix in {".csv", ".tsv"} or all(b"\t" in line for line in lines):
        return "csv"
    if all(b"," in line for line in lines):
        return "csv"
    if packing is not None and not _starts_with(path, packing):
        found = f"its name says that it is compressed, but it begins with {head[:8]!r}"
        raise FormatError(path, f"{found}: it is damaged, or should have a name without {path.suffix}")
    return "text"


def _starts_with(path: Path, magic: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(len(magic)) == magic


def _recognise_folder(path: Path) -> str:
    if is_saved_model(path):
        return "tealeaves"
    names = sorted(entry.name for entry in path.iterdir())
    if any(name.removesuffix(".gz") == "final.beta" for name in names):
        return "lda-c"
    if "topics.json" in names or "ctfidf_config.json" in names:
        return "bertopic"
    shown = ", ".join(names[:8]) + (", …" if len(names) > 8 else "") if names else "nothing"
    wanted = f"{MANIFEST} (tealeaves), final.beta (lda-c) or topics.json (BERTopic)"
    raise FormatError(path, f"is a folder with {shown}, but {wanted} was expected")
