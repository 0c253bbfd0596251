"""What a file or folder of topics is, from its first bytes rather than its name."""

import re
from collections.abc import Callable
from pathlib import Path

from tealeaves.dynamic_store import is_saved_dynamic
from tealeaves.errors import FormatError
from tealeaves.model_store import MANIFEST, is_saved_model
from tealeaves.readers._files import BZIP2, GZIP, XZ, ZSTANDARD, read_bytes
from tealeaves.readers._formats import FORMATS
from tealeaves.readers._parts import is_list, refuse_part
from tealeaves.readers.dynamic_blei import is_blei_folder
from tealeaves.readers.dynamic_folder import has_files_of_slices
from tealeaves.readers.htmm import is_htmm_folder

HEAD = 1 << 14
PICKLE = re.compile(rb"\x80[\x02-\x05]|[}\](]q\x00|\(dp|\(lp|\(i|ccopy_reg|c__")  # of protocols 2 to 5, 1, 0
# A line for each format: what a file begins with; a name; what every line is like. The first that fits.
HEADS = [
    ("mat", re.compile(rb"MATLAB ")),
    ("arrays", re.compile(rb"PK\x03\x04|PK\x05\x06|\x93NUMPY")),
    (
        "sentence-lda",
        re.compile(rb"(?:\x80[\x02-\x05]|\(i|ccopy_reg)[\x00-\xff]{0,80}?lda_gibbs_sampling[1_]"),
    ),
    ("gensim", PICKLE),
    ("tomotopy", re.compile(rb"[\x20-\x7e]{2,6}\x00.{1,10}TPTK", re.DOTALL)),
    ("topica", re.compile(rb"TOPICA[\x00-\x1f]")),
    ("r", re.compile(rb"RDX[23]\n|X\n\x00\x00\x00|A\n[23]\n")),
    ("mallet-state", re.compile(rb"#doc source pos typeindex type topic")),
    ("mallet-doc-topics", re.compile(rb"#doc (?:name|source) topic proportion")),
    ("mallet-diagnostics", re.compile(rb"\s*(?:<\?xml[^>]*>\s*)?(?:<model>|<!DOCTYPE model\b)")),
    ("mallet-phrases", re.compile(rb"\s*(?:<\?xml[^>]*>\s*)?<(?:!DOCTYPE )?topic(?:s|Model)\b")),
    ("htmm", re.compile(rb"\d{1,9}\t\d{1,9}\r?\n(?=[^\r\n]*[.e])[\d.e+-]+\t")),
]
NAMES = [("ankura", ".topics.pickle")]  # which tell more than what a file begins with
ENDINGS = [("lda-c", ".beta")]
LINES = [
    ("mallet-keys", re.compile(rb"\d+\t[\d.eE+-]+\t[^\t]*$")),
    ("mallet-weights", re.compile(rb"\d+\t[^\t]+\t[\d.eE+-]+$")),
    ("mallet-doc-topics", re.compile(rb"\d+\t[^\t]+(?:\t[\d.eE+-]+)+\t?$")),
    ("mallet-counts", re.compile(rb"\d+ (?!\d+:\d+ )[^\t]+?(?: \d+:\d+)+\s*$")),
]
MARKUP = re.compile(rb"\s*<[?!a-zA-Z]")
FENCED_JSON = re.compile(rb"```(?:json)?\s*[\[{]", re.IGNORECASE)
NUMBERED = re.compile(rb"\s*\[\d{1,4}\][ \t]+[^\s\[\]{}\",]")  # "[1] Energy: oil, gas", which is no JSON
NAMED = re.compile(rb"[^,;:\t]{1,80}:[ \t]+\S[^,]*,")  # "Energy: oil, gas"
UTF16 = (b"\xff\xfe", b"\xfe\xff")
BOLD = re.compile(rb"#{1,6} \S|\s*(?:[-*+]|\d+[.)])\s+\*\*")
ITEM = re.compile(rb"\s*(?:[-*+]\s+\S|\d+[.)]\s+[^,:]*(?:,|: .*,))")
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


def recognise_model(path: Path, *, lists: bool = False) -> str:
    """The format, a key of ``FORMATS``, of a file or folder with topics.

    A list of words is none, unless ``lists`` are let through as what they would be.

    Raises
    ------
    FormatError
        If it is none of them; it says what was looked for and what is there.
    """
    if path.is_dir():
        return recognise_folder(path)
    head = read_bytes(path, HEAD)
    if not head.strip():
        raise FormatError(path, "is empty, but topics were expected")
    if (format := by_head(path, head)) is not None:
        return format
    refuse_part(path, head)
    if head.startswith(UTF16):
        raise FormatError(path, "is UTF-16; save the file as UTF-8 (iconv -f UTF-16 -t UTF-8)", line=1)
    if head[257:262] == b"ustar":
        raise FormatError(path, "is a tar archive: unpack it (tar -xf) and name the folder or file in it")
    if b"\x00" in head:
        raise FormatError(path, f"is a binary file of an unknown kind (it begins with {head[:8]!r}); {HOLDS}")
    if MARKUP.match(head):
        raise FormatError(path, f"is HTML or XML, but topics were expected; {HOLDS}")
    format = _recognise_text(path, head)
    lines = [line for line in head.decode("utf-8-sig", "replace").splitlines() if line.strip()]
    if not lists and format in ("text", "csv") and is_list(lines[:-1] if len(head) == HEAD else lines):
        fix = "a topic's words stand on one line"
        raise FormatError(
            path, f"holds a word or name a line, as vocabularies do, but topics were expected: {fix}"
        )
    return format


def by_head(path: Path, head: bytes) -> str | None:
    """The format that the beginning of a file tells for sure, or a name that only one format has."""
    for format, ending in NAMES:
        if path.name.endswith(ending) and PICKLE.match(head):
            return format
    head = head.removeprefix(b"\xef\xbb\xbf")
    for format, pattern in HEADS:
        if pattern.match(head):
            return format
    name = path.name.removesuffix(".gz")
    for format, ending in ENDINGS:
        if name.endswith(ending):
            return format
    return None


def by_lines(head: bytes) -> str | None:
    """The format whose lines are all like those of a head of text."""
    lines = _lines(head)
    numbered = len({line.partition(b"\t")[0] for line in lines}) == len(lines)
    for format, pattern in LINES:
        if lines and all(pattern.match(line) for line in lines):
            if format == "mallet-keys" and not numbered:
                continue  # weights of words that are numbers themselves
            return format
    return None


def sure_lines(head: bytes) -> str | None:
    """The format of `by_lines`, where what is counted in its first column begins with 0, as MALLET counts.

    Documents with a number each and a text may look like one of them, but for that.
    """
    head = head.removeprefix(b"\xef\xbb\xbf")
    return by_lines(head) if re.match(rb"\s*0[\t ]", head) else None


def _lines(head: bytes) -> list[bytes]:
    """The lines of a head that are whole and not blank."""
    lines = [line for line in head.splitlines() if line.strip()]
    return (lines[:-1] or lines) if len(head) >= HEAD - 3 else lines  # the last one is cut


def _recognise_text(path: Path, head: bytes) -> str:
    head = head.removeprefix(b"\xef\xbb\xbf")
    packing = PACKED.get(path.suffix.lower())
    suffix = (path if packing is None else path.with_suffix("")).suffix.lower()
    if suffix in BINARY:
        found = f"its name says {BINARY[suffix]}, but it is damaged or something else"
        raise FormatError(path, f"{found} (it begins with {head[:8]!r}); if it is text, rename it")
    if suffix in SOURCE:
        fix = 'name a file of topics .txt, or say format="text"'
        raise FormatError(path, f"is source code or settings by its name, not topics; {fix}")
    lines = _lines(head)
    numbered = all(map(NUMBERED.match, lines))
    brackets = head.lstrip().startswith((b"[", b"{")) and not numbered
    if suffix == ".json" or brackets or FENCED_JSON.search(head):
        return "json"
    if suffix in {".md", ".markdown"} or numbered or _is_markdown(head):
        return "markdown"
    if (format := by_lines(head)) is not None:
        return format
    if suffix not in {".csv", ".tsv"} and all(map(NAMED.match, lines)):
        return "markdown"
    if suffix in {".csv", ".tsv"} or all(b"\t" in line for line in lines):
        return "csv"
    if all(b"," in line for line in lines):
        return "csv"
    if packing is not None and not _starts_with(path, packing):
        found = f"its name says that it is compressed, but it begins with {head[:8]!r}"
        raise FormatError(path, f"{found}: it is damaged, or should have a name without {path.suffix}")
    return "text"


def _is_markdown(head: bytes) -> bool:
    """Whether a line is a heading or has a name in bold, or most are items with commas or a name."""
    lines = _lines(head)
    if any(BOLD.match(line) for line in lines):
        return True
    return 2 * sum(ITEM.match(line) is not None for line in lines) > len(lines)


def _starts_with(path: Path, magic: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(len(magic)) == magic


def recognise_folder(path: Path) -> str:
    """The format of a folder with topics; `recognise_model` says more."""
    names = sorted(entry.name for entry in path.iterdir())
    for format, is_it in FOLDERS:
        if is_it(path, set(names)):
            return format
    shown = ", ".join(names[:8]) + (", …" if len(names) > 8 else "") if names else "nothing"
    wanted = f"{MANIFEST} (tealeaves), final.beta (lda-c), topics.json (BERTopic) or MALLET's output"
    raise FormatError(path, f"is a folder with {shown}, but {wanted} was expected")


# A line for each format that is a folder: whether it is that, by its path and the names in it.
FOLDERS: list[tuple[str, Callable[[Path, set[str]], bool]]] = [
    ("tealeaves", lambda path, names: is_saved_model(path)),
    ("dynamic", lambda path, names: is_saved_dynamic(path)),
    ("lda-c", lambda path, names: bool(names & {"final.beta", "final.beta.gz"})),
    ("htmm", is_htmm_folder),
    ("bertopic", lambda path, names: bool(names & {"topics.json", "ctfidf_config.json"})),
    ("mallet", lambda path, names: _is_mallet_run(path)),
    ("dtm", lambda path, names: is_blei_folder(path)),
    ("slices", lambda path, names: has_files_of_slices(path, names)),
]


def _is_mallet_run(path: Path) -> bool:
    from tealeaves.readers.mallet_run import is_mallet_run  # which needs what is above

    return is_mallet_run(path)
